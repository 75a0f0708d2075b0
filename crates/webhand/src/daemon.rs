//! The daemon: one per home, keeps browsers and sessions between commands.
//!
//! Each client has a task, each command a future in it; a client that goes away takes its future along, which cancels the
//! command. Nothing here is held while a command runs, so a long one in one tab delays nobody.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::Write,
    os::unix::{fs::OpenOptionsExt, net::UnixStream as BlockingStream},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use contract::{Code, Error, Result, SessionName, ToolResult};
use engine::{Action, Engine, Front};
use guard::approvals::{Approval, Change};
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{
        UnixListener, UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    signal::unix::{SignalKind, signal},
    sync::{Notify, watch},
    time::{Instant, timeout_at},
};

use crate::{
    control,
    home::Home,
    host::Host,
    http::Agents,
    search,
    settings::Settings,
    tools::{self, Tools},
    wire::{Answer, Command, LONGEST_LINE, Opening, Question, build},
};

/// A daemon without sessions has no reason to stay this long.
const IDLE_WITHOUT_SESSIONS: Duration = Duration::from_secs(60);

/// How long a new daemon waits for the last one to be gone for good.
const HANDOVER: Duration = Duration::from_secs(15);

/// The log is begun anew when it is larger than this.
const LARGEST_LOG: u64 = 4 << 20;

pub(crate) struct Daemon {
    engine: Engine,
    home: Home,
    host: Host,
    /// Who may ask over HTTP, if anybody may.
    agents: Option<Arc<Agents>>,
    role: RoleKind,
    started: Instant,
    /// How many commands run now.
    running: AtomicUsize,
    last_command: watch::Sender<Instant>,
    stop: Notify,
}

/// Who answers at the socket.
pub(crate) enum Role {
    /// The daemon itself.
    Daemon,
    /// `webhand serve`, which a user has started and only a user ends; it knows which host application there is.
    Serve { host: Host, agents: Arc<Agents> },
    /// `webhand mcp`: only what a person does from outside.
    Mcp,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RoleKind {
    Daemon,
    Serve,
    Mcp,
}

/// Runs until it is told to stop or has had nothing to do for a while.
pub(crate) fn main(home: &Home, settings: &Settings) -> Result<()> {
    home.make()?;
    // A session of its own, so that neither the client's terminal nor its Ctrl-C reaches the daemon.
    let _ = rustix::process::setsid();
    let Some(_lock) = lock(home)? else {
        say("taken");
        return Ok(());
    };
    if fs::metadata(home.log()).is_ok_and(|log| log.len() > LARGEST_LOG) {
        let _ = File::create(home.log());
    }
    // One thread: what a command needs is little and mostly waiting, and handing it from thread to thread takes longer than doing it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::new(Code::Internal, "no runtime").with_cause(error))?;
    runtime.block_on(serve(home, settings))
}

/// The lock that makes this the only daemon here; none when another one listens already.
pub(crate) fn lock(home: &Home) -> Result<Option<File>> {
    let failed = |error| Error::new(Code::Internal, "the daemon's lock cannot be used").with_cause(error);
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(home.lock())
        .map_err(failed)?;
    match file.try_lock() {
        Ok(()) => return Ok(Some(file)),
        Err(TryLockError::Error(error)) => return Err(failed(error)),
        Err(TryLockError::WouldBlock) => {}
    }
    if BlockingStream::connect(home.socket()?).is_ok() {
        return Ok(None);
    }
    // It holds the lock but does not listen: it is on its way out, or not yet up.
    let (sender, locked) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(file.lock().map(|()| file)));
    let end = std::time::Instant::now() + HANDOVER;
    loop {
        match locked.recv_timeout(Duration::from_millis(50)) {
            Ok(Ok(file)) => return Ok(Some(file)),
            Ok(Err(error)) => return Err(failed(error)),
            // It was not yet up, and is now; or it neither comes nor goes.
            Err(_) if BlockingStream::connect(home.socket()?).is_ok() => return Ok(None),
            Err(_) if std::time::Instant::now() >= end => return Ok(None),
            Err(_) => {}
        }
    }
}

/// Tells the client that started us.
#[expect(clippy::print_stdout, reason = "the client that starts the daemon reads this one word")]
fn say(word: &str) {
    println!("{word}");
    let _ = std::io::stdout().flush();
}

async fn serve(home: &Home, settings: &Settings) -> Result<()> {
    let failed = |error| Error::new(Code::Internal, "the daemon cannot listen").with_cause(error);
    let listener = listen(home)?;
    let daemon = Daemon::new(Engine::new(settings.engine(home))?, home, Role::Daemon);
    say("ready");
    tracing::info!(build = build(), home = %home.path().display(), "listening");
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    tokio::select! {
        () = daemon.clone().attend_all(listener) => {}
        () = daemon.idle(settings.idle_timeout().0) => tracing::info!("nothing to do; leaving"),
        () = daemon.stopped() => tracing::info!("stopped by a client"),
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    leave(home);
    daemon.engine.close(Front::Cli).await;
    Ok(())
}

/// Listens at the socket of a home whose lock is held.
pub(crate) fn listen(home: &Home) -> Result<UnixListener> {
    listen_at(&home.socket()?)
}

/// Listens at a socket that is ours alone.
pub(crate) fn listen_at(socket: &Path) -> Result<UnixListener> {
    let failed = |error| Error::new(Code::Internal, "the daemon cannot listen").with_cause(error);
    // Whoever left it is gone: the lock is ours.
    let _ = fs::remove_file(socket);
    let listener = UnixListener::bind(socket).map_err(failed)?;
    fs::set_permissions(socket, std::os::unix::fs::PermissionsExt::from_mode(0o600)).map_err(failed)?;
    Ok(listener)
}

/// Takes the socket away, so that nobody new comes.
pub(crate) fn leave(home: &Home) {
    if let Ok(socket) = home.socket() {
        let _ = fs::remove_file(socket);
    }
}

impl Daemon {
    /// Somebody who answers at a socket.
    pub(crate) fn new(engine: Engine, home: &Home, role: Role) -> Arc<Daemon> {
        let (role, host, agents) = match role {
            Role::Daemon => (RoleKind::Daemon, Host::default(), None),
            Role::Serve { host, agents } => (RoleKind::Serve, host, Some(agents)),
            Role::Mcp => (RoleKind::Mcp, Host::default(), None),
        };
        Arc::new(Daemon {
            engine,
            home: home.clone(),
            role,
            host,
            agents,
            started: Instant::now(),
            running: AtomicUsize::new(0),
            last_command: watch::Sender::new(Instant::now()),
            stop: Notify::new(),
        })
    }

    /// Answers whoever comes.
    pub(crate) async fn attend_all(self: Arc<Self>, listener: UnixListener) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => drop(tokio::spawn(self.clone().attend(stream))),
                Err(error) => tracing::warn!(%error, "a client could not be accepted"),
            }
        }
    }

    /// Returns when a client has asked for the end.
    pub(crate) async fn stopped(&self) {
        self.stop.notified().await;
    }

    /// Answers a client's questions, one after the other, until it goes away.
    async fn attend(self: Arc<Self>, stream: UnixStream) {
        let ours = rustix::process::geteuid().as_raw();
        let Some(peer) = stream.peer_cred().ok().filter(|peer| peer.uid() == ours) else { return };
        let (reader, mut writer) = stream.into_split();
        let mut reader = BufReader::new(reader);
        loop {
            let mut line = Vec::new();
            match (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line).await {
                Ok(read) if read > 0 && line.ends_with(b"\n") => {}
                // Gone, half a question, or one without end.
                _ => return,
            }
            let Some((answer, last)) = self.answer(&line, &mut reader, &mut writer, peer.pid()).await else {
                return;
            };
            let sent = write(&mut writer, &answer).await;
            if last {
                self.stop.notify_one();
                // The connection stays open until the process ends, which is what the client waits for.
                std::future::pending::<()>().await;
            }
            if sent.is_err() {
                return;
            }
        }
    }

    /// The answer, and whether it is the daemon's last; none when the client went away meanwhile.
    async fn answer(
        &self,
        line: &[u8],
        reader: &mut BufReader<OwnedReadHalf>,
        writer: &mut OwnedWriteHalf,
        peer: Option<i32>,
    ) -> Option<(Answer, bool)> {
        let _busy = Busy::new(self);
        let answer = |result| Answer { webhand: build().into(), result, printed: None, notice: None };
        let unreadable = |error| Error::invalid("the question cannot be read").with_cause(error).into();
        let opening: Opening = match serde_json::from_slice(line) {
            Ok(opening) => opening,
            Err(error) => return Some((answer(Some(unreadable(error))), false)),
        };
        if opening.command == "stop" && self.role == RoleKind::Mcp {
            return Some((answer(Some(not_here())), false));
        }
        if opening.command == "stop" {
            self.engine.close(Front::Cli).await;
            return Some((answer(Some(ToolResult::success(json!({"stopped": true})))), true));
        }
        if opening.webhand != build() && self.role == RoleKind::Serve {
            // A client would end a daemon of another build and start its own; this one is somebody's.
            let error = Error::new(Code::Unsupported, "`webhand serve` of another build runs here")
                .with_hint("use the same build, or end it with `webhand stop`");
            return Some((answer(Some(error.into())), false));
        }
        if opening.webhand != build() {
            return Some((answer(None), false));
        }
        let (command, printing) = match serde_json::from_slice::<Question>(line) {
            Err(error) => return Some((answer(Some(unreadable(error))), false)),
            Ok(Question { command: Command::Said(said), .. }) => match said.read(&self.home) {
                Some((command, printing)) => (command, Some(printing)),
                None => return Some((answer(None), false)),
            },
            Ok(Question { command, .. }) => (command, None),
        };
        let session = command.session().cloned();
        let result = tokio::select! {
            result = self.handle(command, peer) => result,
            () = gone(reader) => return None,
            () = self.tell(session, writer) => return None,
        };
        let answer = match printing {
            Some(printing) => Answer { printed: Some(printing.of(&result)), ..answer(None) },
            None => answer(Some(result)),
        };
        Some((answer, false))
    }

    /// Tells a client what its command waits for, until it is dropped.
    async fn tell(&self, session: Option<SessionName>, writer: &mut OwnedWriteHalf) {
        let mut changes = self.engine.approvals().subscribe();
        loop {
            let Ok(change) = changes.recv().await else { return std::future::pending().await };
            let Change::Asked(approval) = change else { continue };
            if Some(&approval.session) != session.as_ref() || approval.front != Front::Cli.as_str() {
                continue;
            }
            let Approval { id, what, .. } = &*approval;
            let notice = format!(
                "waiting for an approval: {what}\nanswer in another terminal: `webhand approvals allow {id}` or `webhand approvals deny {id}`"
            );
            let notice =
                Answer { webhand: build().into(), result: None, printed: None, notice: Some(notice) };
            if write(writer, &notice).await.is_err() {
                return;
            }
        }
    }

    async fn handle(&self, command: Command, peer: Option<i32>) -> ToolResult {
        let is_halt =
            matches!(&command, Command::Perform { request, .. } if matches!(request.action, Action::Halt(_)));
        if self.role == RoleKind::Mcp
            && !is_halt
            && matches!(command, Command::Perform { .. } | Command::Call { .. })
        {
            return not_here();
        }
        match command {
            Command::Approvals => ToolResult::success(control::listed(self.engine.approvals())),
            Command::Answer { id, reply } => match control::answer(self.engine.approvals(), &id, reply, peer)
            {
                Ok(data) => ToolResult::success(data),
                Err(error) => error.into(),
            },
            Command::Perform { session, options, request } => {
                if let Err(error) = Settings::refresh_rules(&self.home, &self.engine) {
                    return error.into();
                }
                self.engine.perform(&session, &options, *request).await.into()
            }
            Command::Call { call, files } => {
                let mut call = call;
                // The search is made here, so the key has to be here and not with the client.
                call.tools.can_search = search::key().is_some();
                let caller = tools::caller(&call, Front::Cli, false);
                let tools =
                    Tools { engine: self.engine.clone(), home: self.home.clone(), host: self.host.clone() };
                let reply = tools.call(&call.toolset, &call.tool, call.args.0, &caller, &*files).await;
                ToolResult { ok: reply.ok, data: Some(reply.value), error: None, screenshot: None }
            }
            Command::Sessions => ToolResult::success(json!({"sessions": self.engine.list()})),
            Command::Status => ToolResult::success(json!({
                "running": true,
                "serves": self.role == RoleKind::Serve,
                "pid": std::process::id(),
                "version": env!("CARGO_PKG_VERSION"),
                "home": self.home.path(),
                "uptime_s": self.started.elapsed().as_secs(),
                "memory_kb": memory_kb(),
                "browsers": self.engine.browsers(),
                "sessions": self.engine.list().len(),
                "can_search": search::key().is_some(),
            })),
            Command::Revoked { token } => {
                let closed = self.engine.revoke(&token).await;
                if let Some(agents) = &self.agents {
                    agents.note_revoked();
                }
                ToolResult::success(json!({"closed": closed}))
            }
            Command::Flush => {
                let journal = self.engine.journal().clone();
                let flushed =
                    tokio::task::spawn_blocking(move || journal.flush(Duration::from_secs(5))).await;
                ToolResult::success(json!({"complete": flushed.unwrap_or(false)}))
            }
            Command::Said(_) | Command::Stop => Error::invalid("this is answered elsewhere").into(),
        }
    }

    /// Returns when there has been nothing to do for long enough.
    async fn idle(&self, longest: Duration) {
        let mut last = self.last_command.subscribe();
        loop {
            let since = *last.borrow_and_update();
            let running = self.running.load(Ordering::Relaxed) > 0;
            let limit =
                if self.engine.list().is_empty() { longest.min(IDLE_WITHOUT_SESSIONS) } else { longest };
            let end = if running { Instant::now() + longest } else { since + limit };
            if timeout_at(end, last.changed()).await.is_err() && !running {
                return;
            }
        }
    }
}

/// Sessions of an MCP client are its own; from outside they can only be looked at and halted.
fn not_here() -> ToolResult {
    Error::new(Code::Unsupported, "this belongs to an MCP client")
        .with_hint("use a session of your own")
        .into()
}

async fn write(writer: &mut OwnedWriteHalf, answer: &Answer) -> std::io::Result<()> {
    let mut written = serde_json::to_vec(answer).unwrap_or_default();
    written.push(b'\n');
    writer.write_all(&written).await
}

/// While it lives, the daemon is busy.
struct Busy<'a>(&'a Daemon);

impl<'a> Busy<'a> {
    fn new(daemon: &'a Daemon) -> Self {
        daemon.running.fetch_add(1, Ordering::Relaxed);
        daemon.last_command.send_replace(Instant::now());
        Busy(daemon)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
        self.0.last_command.send_replace(Instant::now());
    }
}

/// Returns when the client has gone away. A client that sends on before it has its answer is still there.
async fn gone(reader: &mut BufReader<OwnedReadHalf>) {
    match reader.fill_buf().await {
        Ok([]) | Err(_) => {}
        Ok(_) => std::future::pending().await,
    }
}

/// Our own resident memory.
pub(crate) fn memory_kb() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

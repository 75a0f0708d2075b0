//! Drives the calls of tools: does what a tool asks for, one thing after the other, until it has its reply. Every front does it
//! through here, so a tool answers alike wherever it is called from.

use std::{
    fs,
    io::ErrorKind,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
    sync::Arc,
};

use contract::{Code, Error, Outcome, Result, SessionName, Span};
use engine::{
    Action, Agent, Budget, Engine, Front, Request, SessionOptions,
    actions::{Format, State, StateOp, state_folder},
};
use futures_util::FutureExt;
use jiff::Zoned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolsets::{Answer, Ask, Caller, Options, Readers, Reply, Step, TimeLimit, Toolset};

use crate::{
    client_sessions,
    dry_run::{self, Planned},
    files::{Files, Folders},
    home::Home,
    host::{Host, Page},
    render, search,
    settings::{FILES, Settings},
};

/// How many files of one name there may be.
const MOST_NAMESAKES: u32 = 1_000;

/// A call of a tool, as it comes in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) toolset: String,
    pub(crate) tool: String,
    /// Never printed: it may hold secrets.
    pub(crate) args: Secret,
    pub(crate) session: SessionName,
    pub(crate) options: SessionOptions,
    pub(crate) tools: Options,
    /// How long the whole call may take.
    pub(crate) limit: Option<TimeLimit>,
}

/// Arguments, which nobody may print.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Secret<T = Value>(pub(crate) T);

impl<T> std::fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

/// A toolset as lists show it.
pub(crate) fn about(set: &Toolset, options: &Options) -> Value {
    let names: Vec<_> = set.tools(options).iter().map(|tool| tool.name).collect();
    json!({"toolset": set.name, "about": set.about, "tools": names})
}

/// The tools of a toolset with their schemas.
pub(crate) fn listed(set: &Toolset, options: &Options) -> Value {
    let tool = |tool: &&toolsets::Tool| json!({"name": tool.name, "description": tool.description, "inputSchema": tool.schema()});
    json!({"toolset": set.name, "tools": set.tools(options).iter().map(tool).collect::<Vec<_>>()})
}

/// How the tools are set for an agent. One with a token of its own has its files where no other agent can name them.
pub(crate) fn options_for(home: &Home, options: &Options, named: Option<&Agent>) -> Options {
    let files = named.map(|agent| home.downloads(&client_sessions::of_agent(&agent.name)));
    Options { files: files.unwrap_or_else(|| options.files.clone()), ..options.clone() }
}

/// What tools need of the rest.
#[derive(Clone)]
pub(crate) struct Tools {
    pub(crate) engine: Engine,
    pub(crate) home: Home,
    pub(crate) host: Host,
}

/// Who calls now. Sessions that ids and profiles of a dialect mean belong to a client of its own, or to the session that the call names.
pub(crate) fn caller(call: &Call, front: Front, private: bool) -> Caller {
    let private = private || call.session != SessionName::default();
    Caller {
        front,
        session: call.session.clone(),
        private,
        options: call.options.clone(),
        tools: Arc::new(call.tools.clone()),
        now: Zoned::now().datetime(),
        mark: render::mark(),
        patience: None,
        limit: call.limit,
    }
}

impl Tools {
    /// Makes a call and returns the tool's reply, also if there is no such tool.
    pub(crate) async fn call(
        &self,
        toolset: &str,
        tool: &str,
        args: Value,
        caller: &Caller,
        folders: &impl Folders,
    ) -> Reply {
        let call = Box::pin(self.drive(toolset, tool, args, caller, folders));
        let call = AssertUnwindSafe(call).catch_unwind();
        // A panic is a mistake of ours, and the caller is still owed an answer.
        call.await.unwrap_or_else(|_| {
            tracing::error!(toolset, tool, "a call panicked");
            Reply::of(
                Error::new(Code::Internal, format!("{tool} failed in a way that nobody expected")).into(),
            )
        })
    }

    async fn drive(
        &self,
        toolset: &str,
        tool: &str,
        mut args: Value,
        caller: &Caller,
        folders: &impl Folders,
    ) -> Reply {
        let set = match toolsets::toolset(toolset) {
            Ok(set) => set,
            Err(error) => return Reply::of(error.into()),
        };
        let is_dry = match dry_run::take(&mut args) {
            Ok(is_dry) => is_dry,
            Err(error) => return set.refused(error),
        };
        let mut step = match Settings::refresh_rules(&self.home, &self.engine) {
            Ok(()) => set.call(tool, args, caller),
            Err(error) => Step::Done(set.refused(error)),
        };
        let mut clock = Clock::of(caller);
        if is_dry {
            return Box::pin(self.drive_dry(set, tool, step, caller, &mut clock, folders)).await;
        }
        self.host.restore(&self.engine, &caller.session, &caller.options, caller.front).await;
        loop {
            match step {
                Step::Done(reply) => return reply,
                Step::Limit(limit, next) => {
                    clock.budget.end_within(limit.0);
                    step = *next;
                }
                Step::Ask(ask, then) => {
                    step = then(
                        Box::pin(self.answer(of_caller(*ask, caller), caller, &mut clock, folders)).await,
                    );
                }
            }
        }
    }

    /// Does what a tool asks for as long as it only looks, and tells what would be done of the rest: the first of it ends the call, since what
    /// follows depends on what comes of it.
    async fn drive_dry(
        &self,
        set: &Toolset,
        tool: &str,
        mut step: Step,
        caller: &Caller,
        clock: &mut Clock,
        folders: &impl Folders,
    ) -> Reply {
        loop {
            step = match step {
                Step::Done(reply) if reply.ok => {
                    return dry_run::reply(set, tool, Ok(dry_run::looking(tool)));
                }
                // What the tool itself has against the call.
                Step::Done(reply) => return reply,
                Step::Limit(limit, next) => {
                    clock.budget.end_within(limit.0);
                    *next
                }
                Step::Ask(ask, then) if dry_run::only_looks(&ask) => {
                    let ask = of_caller(*ask, caller);
                    match self.planned_look(set, tool, &ask, caller).await {
                        Some(planned) => return dry_run::reply(set, tool, Ok(planned)),
                        None => then(self.answer(ask, caller, clock, folders).await),
                    }
                }
                Step::Ask(ask, then) => {
                    match self.plan(of_caller(*ask, caller), caller, clock, folders).await {
                        Planned::Plan(planned) => return dry_run::reply(set, tool, planned),
                        Planned::Nothing(answer) => then(*answer),
                    }
                }
            };
        }
    }

    async fn answer(&self, ask: Ask, caller: &Caller, clock: &mut Clock, folders: &impl Folders) -> Answer {
        // Whatever argument of whichever dialect a session comes from.
        if let Some(session) = ask.session()
            && !client_sessions::is_open_to(session, caller)
        {
            let error = client_sessions::refused(session);
            return match ask {
                Ask::OpenInHost { .. } => Answer::Opened(Err(error)),
                _ => Answer::Outcome(Err(error)),
            };
        }
        match ask {
            Ask::Perform { session, options, request } => {
                let mut request = clock.limited(request);
                let ready = match clock.check_wait(&request.action) {
                    Ok(()) => self.name_files(&session, &mut request, folders).await,
                    Err(error) => Err(error),
                };
                let result = match ready {
                    Ok(()) => self.engine.perform(&session, &options, request).await,
                    Err(error) => Err(error),
                };
                Answer::Outcome(result)
            }
            Ask::Restart { session, options, request } => {
                let request = clock.limited(request);
                Answer::Outcome(self.engine.restart(&session, &options, request).await)
            }
            Ask::Sessions => {
                let all = self.engine.list().into_iter();
                Answer::Sessions(
                    all.filter(|info| client_sessions::is_open_to(&info.session, caller)).collect(),
                )
            }
            Ask::Write { path, bytes, readers } => {
                Answer::Written(write(&folders.files().await, &path, &bytes, readers))
            }
            Ask::Picture { session, options, request, path } => {
                let request = clock.limited(request);
                Answer::Outcome(self.picture(&session, &options, request, &path, folders).await)
            }
            Ask::OpenInHost { session, options, url, title, request } => {
                let page = Page { url, title, request: clock.limited(request) };
                let budget = &clock.budget;
                Answer::Opened(
                    self.host.open(&self.engine, &session, &options, caller.front, &page, budget).await,
                )
            }
            Ask::Search { query } => Answer::Found(clock.within(search::ask(&query)).await),
        }
    }

    /// A picture in a file of its own, which is there only if the picture is.
    async fn picture(
        &self,
        session: &SessionName,
        options: &SessionOptions,
        request: Request,
        path: &Path,
        folders: &impl Folders,
    ) -> Result<Outcome> {
        let files = folders.files().await;
        files.named(path)?;
        let mut outcome = self.engine.perform(session, options, request).await?;
        if let Some(picture) = &mut outcome.screenshot {
            picture.path = Some(write(&files, path, &picture.bytes, Readers::OnlyUser)?);
        }
        Ok(outcome)
    }

    /// A file's name means something in the caller's folder and not in ours. A picture always needs one.
    pub(crate) async fn name_files(
        &self,
        session: &SessionName,
        request: &mut Request,
        folders: &impl Folders,
    ) -> Result<()> {
        // What the session saved without naming a file, it may load again.
        if let Action::State(State { op: StateOp::Load { path } }) = &request.action
            && path.parent() == Some(&state_folder(self.home.path(), session))
        {
            return Ok(());
        }
        if !request.action.files_mut().is_empty() {
            // A tool may act in another session than the call names, by a profile or an id of its dialect.
            request.files = folders.files().await.and_in_own(self.home.downloads(session));
            for file in request.action.files_mut() {
                *file = request.files.named(file)?;
            }
        }
        if let Action::Screenshot(screenshot) = &mut request.action {
            let jpeg = screenshot.format == Some(Format::Jpeg);
            screenshot.path.get_or_insert_with(|| self.home.new_screenshot(jpeg));
        }
        Ok(())
    }
}

/// What a tool asks for, as that of whoever called it: who that is is not for a tool to say.
fn of_caller(mut ask: Ask, caller: &Caller) -> Ask {
    if let Some(options) = ask.options_mut() {
        options.agent.clone_from(&caller.options.agent);
    }
    ask
}

/// The time that a call has, for all of its steps together.
pub(crate) struct Clock {
    budget: Budget,
    limit: Option<TimeLimit>,
    element_timeout: Option<Span>,
}

impl Clock {
    fn of(caller: &Caller) -> Clock {
        let most = caller.limit.map(|limit| match limit {
            TimeLimit::ByCaller(time) | TimeLimit::ByServer(time) => time.0,
        });
        Clock {
            budget: Budget::new(most),
            limit: caller.limit,
            element_timeout: caller.tools.element_timeout,
        }
    }

    /// Refuses a wait that cannot end before the call has to.
    pub(crate) fn check_wait(&self, action: &Action) -> Result<()> {
        match self.limit {
            Some(TimeLimit::ByCaller(limit))
                if matches!(action, Action::Wait(_)) && action.own_time() > limit.0 =>
            {
                let wait = Span(action.own_time());
                Err(Error::invalid(format!(
                    "a wait of {wait} does not fit into the {limit} that this call may take"
                ))
                .with_hint("wait for less, or give the call more time"))
            }
            _ => Ok(()),
        }
    }

    /// A request that ends when the call has to end.
    pub(crate) fn limited(&mut self, mut request: Request) -> Request {
        match self.limit {
            // The same as on the command line: whoever gives a time is willing to wait for an element that long.
            Some(TimeLimit::ByCaller(time)) => {
                request.timeout = Some(request.timeout.unwrap_or(time).min(time));
            }
            Some(TimeLimit::ByServer(_)) => self.budget.extend(request.action.own_time()),
            None => {}
        }
        request.element_timeout = request.element_timeout.or(self.element_timeout);
        request.budget = Some(self.budget.clone());
        request
    }

    /// What is no action, and ends when the call has to end.
    async fn within<T>(&self, doing: impl Future<Output = Result<T>>) -> Result<T> {
        match self.budget.remaining() {
            None => doing.await,
            Some(left) => tokio::time::timeout(left, doing).await.unwrap_or_else(|_| {
                Err(Error::new(Code::Timeout, "the call did not finish within its time limit"))
            }),
        }
    }
}

/// Writes a new file. If its name is taken, the new one gets a number.
fn write(files: &Files, path: &Path, bytes: &[u8], readers: Readers) -> Result<PathBuf> {
    let path = files.named(path)?;
    let is_private = readers == Readers::OnlyUser;
    if let (true, Some(folder)) = (is_private, path.parent()) {
        own_folder(folder)?;
    }
    for number in 1..MOST_NAMESAKES {
        let path = if number == 1 { path.clone() } else { numbered(&path, number) };
        // A link is a name that is taken, wherever it leads.
        if path.is_symlink() {
            continue;
        }
        let place = files.place(&path)?;
        let written = if is_private { place.write_new_private(bytes)? } else { place.write_new(bytes)? };
        if written.is_some() {
            return Ok(path);
        }
    }
    Err(Error::invalid(format!("there are too many files named like {}", path.display())))
}

/// Makes a folder that only the user may look into. One that is there already has to be the user's own and no link: others could have put it
/// there to get at what is written.
fn own_folder(folder: &Path) -> Result<()> {
    let refused = |why: &str| {
        Error::new(Code::ActionDenied, format!("{} is not used for files: {why}", folder.display()))
            .with_hint("remove it, or choose another folder with --files")
    };
    let failed = |error| Error::invalid(format!("{} cannot be used", folder.display())).with_cause(error);
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(failed(error)),
        // Whoever was faster may be somebody else.
        _ => {}
    }
    let about = fs::symlink_metadata(folder).map_err(failed)?;
    if about.is_symlink() {
        return Err(refused("it is a link"));
    }
    if !about.is_dir() {
        return Err(refused("it is no folder"));
    }
    if about.uid() != rustix::process::geteuid().as_raw() {
        return Err(refused("it belongs to another user"));
    }
    // The usual folder is ours alone; what others may see in a folder that the user has chosen is for the user to say.
    if folder == Path::new(FILES) && about.mode() & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}_{number}{ending}"))
}

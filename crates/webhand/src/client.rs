//! The client's side: finds the daemon, starts it if need be, asks one question.
//!
//! Everything here blocks: a command does one thing, and starting a runtime for it would cost more than the thing itself.

use std::{
    fs::OpenOptions,
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    os::unix::{fs::OpenOptionsExt, net::UnixStream},
    path::Path,
    process::{Command as Process, Stdio},
};

use contract::{Code, Error, Result, Span, ToolResult, in_full};

use crate::{
    home::Home,
    settings::Settings,
    wire::{Answer, Command, LONGEST_LINE, Question, build},
};

/// How often a daemon is started before that counts as a failure: it may lose a race with another, or be of another build.
const ATTEMPTS: usize = 4;

/// What a daemon is told when it is started.
#[derive(Clone, Copy)]
pub(crate) struct Starting {
    pub(crate) idle_timeout: Span,
    pub(crate) approval_timeout: Span,
}

/// Asks the daemon, which is started if it does not run.
pub(crate) fn ask(home: &Home, starting: Starting, command: &Command) -> Result<ToolResult> {
    for _ in 0..ATTEMPTS {
        let stream = match connect(home)? {
            Some(stream) => stream,
            None => {
                start(home, starting)?;
                match connect(home)? {
                    Some(stream) => stream,
                    None => continue,
                }
            }
        };
        match exchange(stream, command)? {
            Some(Answer { result: Some(result), .. }) => return Ok(result),
            Some(Answer { result: None, .. }) => drop(stop(home)?),
            None => {}
        }
    }
    Err(Error::new(Code::Internal, "the daemon does not come up")
        .with_hint(format!("see {} for the reason", home.log().display())))
}

/// Asks a daemon that runs, once. None if there is none, or if it did not take the question.
pub(crate) fn ask_once(home: &Home, command: &Command) -> Result<Option<Answer>> {
    match connect(home) {
        Ok(Some(stream)) => exchange(stream, command),
        // Whoever starts one will say what is wrong.
        Ok(None) | Err(_) => Ok(None),
    }
}

/// What came of asking a daemon that may not run.
pub(crate) enum Running {
    /// None does.
    No,
    /// One does, of this other build, and might misunderstand.
    OtherBuild(String),
    /// Its answer.
    Answer(Box<ToolResult>),
}

/// Asks the daemon only if it runs.
pub(crate) fn ask_if_running(home: &Home, command: &Command) -> Result<Running> {
    ask_at(home, &home.socket()?, command)
}

/// Asks whoever listens at a socket of the home.
pub(crate) fn ask_at(home: &Home, socket: &Path, command: &Command) -> Result<Running> {
    home.check_owner()?;
    let Ok(stream) = UnixStream::connect(socket) else { return Ok(Running::No) };
    Ok(match exchange(stream, command)? {
        None => Running::No,
        Some(Answer { result: Some(result), .. }) => Running::Answer(Box::new(result)),
        Some(Answer { webhand, result: None, .. }) => Running::OtherBuild(webhand),
    })
}

/// Ends the daemon, of whatever build, and waits until it has ended. Returns whether one ran.
pub(crate) fn stop(home: &Home) -> Result<bool> {
    let Some(mut stream) = connect(home)? else { return Ok(false) };
    let question = Question { webhand: build().into(), command: Command::Stop };
    let mut question = serde_json::to_vec(&question).unwrap_or_default();
    question.push(b'\n');
    let _ = stream.write_all(&question);
    // The connection ends when the process does.
    let _ = stream.read_to_end(&mut Vec::new());
    Ok(true)
}

fn connect(home: &Home) -> Result<Option<UnixStream>> {
    home.check_owner()?;
    // A refused connection is a socket that a killed daemon left behind; a missing one, none at all.
    Ok(UnixStream::connect(home.socket()?).ok())
}

/// One question, one answer; none when the daemon was leaving and did not take the question.
fn exchange(stream: UnixStream, command: &Command) -> Result<Option<Answer>> {
    let failed = |cause: std::io::Error| {
        Error::new(Code::Internal, "the daemon ended in the middle of the command").with_cause(cause)
    };
    // The system says "reset" when what we wrote was never read, and only then is it safe to ask again.
    let not_taken =
        |error: &std::io::Error| matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset);
    // The one place where what was typed is written out: from this process to the daemon, and no further.
    let question = in_full(|| serde_json::to_vec(&Written { webhand: build(), command }));
    let mut question = question
        .map_err(|error| Error::new(Code::Internal, "the command has no JSON form").with_cause(error))?;
    question.push(b'\n');
    let mut asked = (&stream).write_all(&question);
    let mut reader = BufReader::new(stream.take(LONGEST_LINE));
    loop {
        let mut line = String::new();
        match asked.and_then(|()| reader.read_line(&mut line)) {
            Err(error) if not_taken(&error) => return Ok(None),
            Err(error) => return Err(failed(error)),
            Ok(0) => return Err(failed(ErrorKind::UnexpectedEof.into())),
            Ok(_) => asked = Ok(()),
        }
        let answer: Answer = serde_json::from_str(&line).map_err(|error| {
            Error::new(Code::Internal, "the daemon's answer cannot be read").with_cause(error)
        })?;
        match answer.notice {
            Some(notice) => drop(writeln!(std::io::stderr(), "{}", crate::render::harmless(&notice))),
            None => return Ok(Some(answer)),
        }
    }
}

/// A [`Question`] that borrows its command.
#[derive(serde::Serialize)]
struct Written<'a> {
    webhand: &'a str,
    #[serde(flatten)]
    command: &'a Command,
}

/// Starts a daemon and waits until it listens, or has found that another one does.
fn start(home: &Home, starting: Starting) -> Result<()> {
    home.make()?;
    let failed = |what: &str, cause: std::io::Error| {
        Error::new(Code::Internal, format!("the daemon cannot be started: {what}")).with_cause(cause)
    };
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(home.log());
    let log = log.map_err(|error| failed("its log cannot be written", error))?;
    let program = std::env::current_exe().map_err(|error| failed("its own file is not known", error))?;
    let mut daemon = Process::new(program);
    // Settings come with each command: what is set for this one need not be for the next.
    for variable in Settings::variables() {
        daemon.env_remove(variable);
    }
    let mut daemon = daemon
        .arg("daemon")
        .args(["--idle-timeout", &starting.idle_timeout.to_string()])
        .args(["--approval-timeout", &starting.approval_timeout.to_string()])
        .env("WEBHAND_HOME", home.path())
        // The folder that the client happens to be in may be wanted for something else.
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .map_err(|error| failed("it does not run", error))?;
    let mut word = String::new();
    if let Some(stdout) = daemon.stdout.take() {
        BufReader::new(stdout).read_line(&mut word).map_err(|error| failed("it does not answer", error))?;
    }
    match word.trim() {
        "ready" | "taken" => Ok(()),
        _ => Err(Error::new(Code::Internal, "the daemon ended as soon as it was started")
            .with_hint(format!("see {} for the reason", home.log().display()))),
    }
}

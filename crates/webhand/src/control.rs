//! What a person does from outside while something runs: looks at what waits for an approval, answers, takes back what was always
//! allowed, halts a session. The daemon, `webhand serve` and every `webhand mcp` of a home can be asked; each has a socket.

use std::{fs, path::Path};

use contract::{Code, Error, Result, SessionName, ToolResult};
use engine::{Front, Request, SessionOptions, actions::Halt};
use guard::approvals::{Approvals, By, Reply};
use serde_json::{Value, json};

use crate::{
    client::{self, Running},
    home::Home,
    wire::Command,
};

/// What waits, and what is always allowed.
pub(crate) fn listed(approvals: &Approvals) -> Value {
    json!({"approvals": approvals.list(), "always_allowed": approvals.granted()})
}

/// Answers for a person at a terminal. `peer` is the process that brings the answer: one without a terminal is no person's.
pub(crate) fn answer(approvals: &Approvals, id: &str, reply: Reply, peer: Option<i32>) -> Result<Value> {
    if reply != Reply::Deny && !peer.is_some_and(has_terminal) {
        return Err(Error::new(Code::ActionDenied, "an approval is given by a person at a terminal")
            .with_hint("run `webhand approvals allow ID` in a terminal of your own"));
    }
    let approval = approvals.answer(id, reply, By::Terminal)?;
    Ok(json!({"id": approval.id, "answer": reply, "what": approval.what}))
}

/// Whether a process has a controlling terminal: the seventh field of its status, after the name in brackets (proc(5)).
fn has_terminal(pid: i32) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let after_name = status.rsplit_once(')').map_or("", |(_, rest)| rest);
    after_name.split_whitespace().nth(4).is_some_and(|terminal| terminal != "0")
}

/// Asks everybody who can be asked in this home; who is of another build is passed over and told of.
fn ask_all(home: &Home, command: &Command) -> Result<Vec<(std::path::PathBuf, ToolResult)>> {
    let mut answers = Vec::new();
    for socket in home.sockets()? {
        match client::ask_at(home, &socket, command)? {
            Running::Answer(answer) => answers.push((socket, *answer)),
            Running::OtherBuild(build) => {
                tracing::warn!(socket = %socket.display(), build, "of another build, and not asked");
            }
            // Left behind by one that was killed.
            Running::No if is_own(&socket) => drop(fs::remove_file(&socket)),
            Running::No => {}
        }
    }
    Ok(answers)
}

fn is_own(socket: &Path) -> bool {
    socket.file_name().is_some_and(|name| name.to_string_lossy().starts_with("mcp-"))
}

/// What waits anywhere in this home.
pub(crate) fn list(home: &Home) -> Result<Value> {
    let mut waiting = Vec::new();
    let mut always = Value::Null;
    for (_, answer) in ask_all(home, &Command::Approvals)? {
        let mut data = answer.data.unwrap_or_default();
        waiting.extend(data["approvals"].as_array_mut().map(std::mem::take).unwrap_or_default());
        always = data["always_allowed"].take();
    }
    if always.is_null() {
        always = json!(Approvals::new(home.always_allowed()).granted());
    }
    Ok(json!({"approvals": waiting, "always_allowed": always}))
}

/// Brings an answer to whoever waits for it.
pub(crate) fn bring(home: &Home, id: &str, reply: Reply) -> Result<ToolResult> {
    let asked = |answer: &ToolResult| {
        let waiting = answer.data.as_ref().and_then(|data| data["approvals"].as_array());
        waiting.is_some_and(|waiting| waiting.iter().any(|approval| approval["id"] == id))
    };
    for (socket, answer) in ask_all(home, &Command::Approvals)? {
        if asked(&answer)
            && let Running::Answer(done) =
                client::ask_at(home, &socket, &Command::Answer { id: id.into(), reply })?
        {
            return Ok(*done);
        }
    }
    Err(Error::invalid(format!("no approval {id:?} waits for an answer"))
        .with_hint("list them with `webhand approvals`; what is answered, expired or cancelled is gone"))
}

/// Halts a session, wherever in this home it is; a dry run only finds it.
pub(crate) fn halt(home: &Home, session: &SessionName, dry_run: bool) -> Result<ToolResult> {
    let request = Request { front: Front::Cli, dry_run, ..Request::new(Halt {}) };
    let options = Box::<SessionOptions>::default();
    let command = Command::Perform { session: session.clone(), options, request: Box::new(request) };
    let answers = ask_all(home, &command)?;
    let halted = answers.into_iter().map(|(_, answer)| answer).find(|answer| answer.ok);
    halted.ok_or_else(|| {
        Error::new(Code::SessionNotFound, format!("there is no session {session}"))
            .with_hint("list them with `webhand sessions`")
    })
}

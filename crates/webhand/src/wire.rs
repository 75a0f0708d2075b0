//! What a client and the daemon say to each other: one JSON object a line, one answer to each question.

use std::{os::unix::fs::MetadataExt, sync::OnceLock};

use contract::{SessionName, ToolResult};
use engine::{Request, SessionOptions};
use guard::approvals::Reply;
use serde::{Deserialize, Serialize};

use crate::{
    files::Files,
    said::{Printed, Said},
    tools::Call,
};

/// The longest line that is read.
pub(crate) const LONGEST_LINE: u64 = 64 << 20;

/// A question.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Question {
    /// The build that asks. A daemon of another build does not answer, since it might misunderstand.
    pub(crate) webhand: String,
    #[serde(flatten)]
    pub(crate) command: Command,
}

/// What is asked for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub(crate) enum Command {
    /// Do something in a session.
    Perform { session: SessionName, options: Box<SessionOptions>, request: Box<Request> },
    /// Do what a command line says, and answer with what is to be printed.
    Said(Box<Said>),
    /// Call a tool.
    Call { call: Box<Call>, files: Box<Files> },
    /// List the sessions.
    Sessions,
    /// Tell how the daemon is.
    Status,
    /// List what waits for an approval.
    Approvals,
    /// Answer what waits for one.
    Answer { id: String, reply: Reply },
    /// Close the sessions of an agent whose token counts no longer, and start none for it.
    Revoked { token: String },
    /// Write out the journal, so that it can be read.
    Flush,
    /// Close every session and every browser, and end.
    Stop,
}

impl Command {
    /// The session that it is about.
    pub(crate) fn session(&self) -> Option<&SessionName> {
        match self {
            Command::Perform { session, .. } => Some(session),
            Command::Call { call, .. } => Some(&call.session),
            _ => None,
        }
    }
}

/// As much of a question as every build understands.
#[derive(Debug, Deserialize)]
pub(crate) struct Opening {
    pub(crate) webhand: String,
    pub(crate) command: String,
}

/// An answer.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The build that answers.
    pub(crate) webhand: String,
    /// None when the question was not understood because its build is another, or when it was a command line.
    pub(crate) result: Option<ToolResult>,
    /// What to print, if it was a command line that the daemon could read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) printed: Option<Printed>,
    /// Something to be told meanwhile; the answer is still to come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) notice: Option<String>,
}

/// This build: its version, and the file that it was started from. Two builds of one version differ.
pub(crate) fn build() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| {
        let version = env!("CARGO_PKG_VERSION");
        // The link leads to the running file itself, even when its name has gone to a newer one since.
        let file =
            std::fs::metadata("/proc/self/exe").or_else(|_| std::fs::metadata(std::env::current_exe()?));
        match file {
            Ok(file) => {
                format!("{version}+{:x}.{:x}", file.mtime() * 1_000_000_000 + file.mtime_nsec(), file.size())
            }
            Err(_) => version.into(),
        }
    })
}

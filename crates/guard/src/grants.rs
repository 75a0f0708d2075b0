//! What was allowed for longer than once: for a session, which is forgotten with it, and for an origin, which is kept in a file that
//! only its user can read. The file is read each time: several processes share it, and what one of them takes back must count for all.

use std::{
    fs,
    io::{ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
};

use contract::{AgentName, Code, Error, Result, SessionName};
use serde::{Deserialize, Serialize};

use crate::approvals::{By, Scope, now_ms};

/// Something that is always allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// What, and where.
    #[serde(flatten)]
    pub scope: Scope,
    /// The agent that it is allowed to; none: everyone without a token of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// Who said so.
    pub by: By,
    /// When, in Unix milliseconds.
    pub since: u64,
}

impl Grant {
    fn is_for(&self, agent: Option<&AgentName>, scope: &Scope) -> bool {
        named(self.agent.as_ref()) == agent && self.scope == *scope
    }
}

/// An agent that has a token of its own. All others count as one.
fn named(agent: Option<&AgentName>) -> Option<&AgentName> {
    agent.filter(|agent| !agent.is_default())
}

pub(crate) struct Grants {
    file: PathBuf,
    sessions: Vec<SessionGrant>,
}

/// Something that is allowed as long as a session lasts, to who was asked about: others may act in the same session.
#[derive(PartialEq, Eq)]
struct SessionGrant {
    session: SessionName,
    front: String,
    scope: Scope,
}

impl Grants {
    pub(crate) fn new(file: PathBuf) -> Grants {
        Grants { file, sessions: Vec::new() }
    }

    /// Remembers for a session, and for who came in by this front.
    pub(crate) fn note(&mut self, session: &SessionName, front: &str, scope: &Scope) {
        let grant = SessionGrant { session: session.clone(), front: front.into(), scope: scope.clone() };
        self.sessions.push(grant);
    }

    /// Remembers for good.
    pub(crate) fn keep(&mut self, agent: Option<&AgentName>, scope: &Scope, by: By) -> Result<()> {
        let (mut kept, agent) = (self.kept(), named(agent));
        if !kept.iter().any(|grant| grant.is_for(agent, scope)) {
            kept.push(Grant { scope: scope.clone(), agent: agent.cloned(), by, since: now_ms() });
            self.write(&kept)?;
        }
        Ok(())
    }

    /// Whether it was allowed. What an agent with a token of its own was allowed is for that agent alone, and what was allowed to others is
    /// not for it. Sessions of such agents are theirs, so who acts in one by a front is who was asked about.
    pub(crate) fn has(
        &self,
        session: &SessionName,
        front: &str,
        agent: Option<&AgentName>,
        scope: &Scope,
    ) -> bool {
        let noted =
            |grant: &SessionGrant| grant.session == *session && grant.front == front && grant.scope == *scope;
        self.sessions.iter().any(noted) || self.kept().iter().any(|grant| grant.is_for(named(agent), scope))
    }

    /// What is in the file. One that cannot be read allows nothing.
    pub(crate) fn kept(&self) -> Vec<Grant> {
        let text = match fs::read_to_string(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Vec::new(),
            Err(error) => {
                tracing::warn!(%error, file = %self.file.display(), "what is always allowed cannot be read, so nothing is");
                return Vec::new();
            }
        };
        serde_json::from_str(&text).unwrap_or_else(|error| {
            tracing::warn!(%error, file = %self.file.display(), "what is always allowed cannot be read, so nothing is");
            Vec::new()
        })
    }

    pub(crate) fn forget(&mut self, origin: &str) -> Result<usize> {
        let kept = self.kept();
        let left: Vec<_> = kept.iter().filter(|grant| grant.scope.origin != origin).cloned().collect();
        if left.len() < kept.len() {
            self.write(&left)?;
        }
        Ok(kept.len() - left.len())
    }

    pub(crate) fn forget_agent(&mut self, agent: &AgentName) -> Result<()> {
        let kept = self.kept();
        let left: Vec<_> = kept.iter().filter(|grant| grant.agent.as_ref() != Some(agent)).cloned().collect();
        if left.len() < kept.len() {
            self.write(&left)?;
        }
        Ok(())
    }

    pub(crate) fn end_session(&mut self, session: &SessionName) {
        self.sessions.retain(|grant| grant.session != *session);
    }

    /// Writes beside the file and puts that in its place, so that nobody ever reads half of it.
    fn write(&self, grants: &[Grant]) -> Result<()> {
        let failed = |error: std::io::Error| {
            Error::new(Code::Internal, format!("{} cannot be written", self.file.display()))
                .with_cause(error)
                .with_hint("allow it once, or make the file writable")
        };
        let beside = self.file.with_extension(format!("new-{}", std::process::id()));
        let _ = fs::remove_file(&beside);
        let mut file =
            fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside).map_err(failed)?;
        let text = serde_json::to_string_pretty(grants).unwrap_or_default();
        file.write_all(text.as_bytes()).map_err(failed)?;
        fs::rename(&beside, &self.file).map_err(failed)
    }
}

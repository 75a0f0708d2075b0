//! Approvals: what waits for a person's yes or no, who said it, and what was said for more than once.
//!
//! Nothing here asks anybody. Fronts hear of what waits ([`Approvals::subscribe`]), show it to a person by their own means and bring
//! the answer back, saying who gave it. A process that ends takes along what waited in it.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, Hasher, RandomState},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use contract::{AgentName, Effect, Error, Result, SessionName, TabId};
use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, oneshot};

use crate::{
    grants::{Grant, Grants},
    origin::origin_of,
    rules::Deed,
};

/// How many changes a listener may fall behind before it misses some.
const KEPT: usize = 256;

/// What an answer can be remembered for: the same effect between the same places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// What is done.
    pub effect: Effect,
    /// Where; for what leads to another page, that page.
    pub origin: String,
    /// Where it goes from there, if that is elsewhere, and what else is involved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
}

/// What stands for an origin that is nobody's in particular, as browsers write it.
const OPAQUE: &str = "null";

impl Scope {
    /// What a deed is about.
    pub fn of(deed: &Deed) -> Scope {
        let name = |url| origin_of(url).unwrap_or_else(|| OPAQUE.into());
        let pages = if deed.effect == Effect::Navigate { &[] } else { &*deed.pages };
        let mut all: Vec<String> = Vec::new();
        for origin in pages.iter().chain(&deed.to).map(name) {
            if !all.contains(&origin) {
                all.push(origin);
            }
        }
        let mut all = all.into_iter();
        Scope {
            effect: deed.effect,
            origin: all.next().unwrap_or_else(|| OPAQUE.into()),
            with: all.collect(),
        }
    }

    /// Whether it says enough to be remembered. Pages without an origin of their own are all alike.
    fn is_certain(&self) -> bool {
        self.origin != OPAQUE && self.with.iter().all(|origin| origin != OPAQUE)
    }
}

/// Something that waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// By which it is answered.
    pub id: String,
    /// The session that it is in.
    pub session: SessionName,
    /// The tab, if it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<TabId>,
    /// The verb that causes it.
    pub verb: String,
    /// What will happen, in words. Quoted in it are words of the page, which may say anything.
    pub what: String,
    /// What is done, and where.
    #[serde(flatten)]
    pub scope: Scope,
    /// The address, without what may be secret in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A picture of the page as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<PathBuf>,
    /// Which way it came in.
    pub front: String,
    /// The agent whose token the caller has, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// Why it is asked about.
    pub why: String,
    /// When it was asked, in Unix milliseconds.
    pub asked_at: u64,
    /// When it is too late to answer, in Unix milliseconds.
    pub expires_at: u64,
}

/// What can be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// Yes, this time.
    Once,
    /// Yes, and the same for as long as the session lasts, by the same front.
    Session,
    /// Yes, and always for this origin.
    Always,
    /// No.
    Deny,
}

/// Who answers. None of them is the one who asked: agents have no way to any of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// A person at a terminal.
    Terminal,
    /// Somebody with the token for approvers.
    Approver,
    /// The user of an MCP client, asked through it.
    Elicitation,
    /// The Rust program that webhand is a part of.
    Library,
}

/// How the waiting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum End {
    /// Somebody answered.
    Answered {
        /// What.
        reply: Reply,
        /// Who.
        by: By,
    },
    /// Nobody did in time.
    Expired,
    /// Nobody waits any more.
    Cancelled,
}

/// What is told to who listens.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Change {
    /// Something waits.
    Asked(Arc<Approval>),
    /// It does no longer.
    Over {
        /// What waited.
        id: String,
        /// In which session.
        session: SessionName,
        /// How it ended.
        #[serde(flatten)]
        end: End,
    },
}

/// All that waits in this process. Cloning is cheap; all clones are the same.
#[derive(Clone)]
pub struct Approvals {
    shared: Arc<Shared>,
}

struct Shared {
    pending: Mutex<BTreeMap<String, Pending>>,
    grants: Mutex<Grants>,
    changes: broadcast::Sender<Change>,
}

struct Pending {
    approval: Arc<Approval>,
    answer: oneshot::Sender<End>,
}

impl Approvals {
    /// Nothing waits yet. What is always allowed is kept in the file.
    pub fn new(file: PathBuf) -> Approvals {
        let shared = Shared {
            pending: Mutex::default(),
            grants: Mutex::new(Grants::new(file)),
            changes: broadcast::Sender::new(KEPT),
        };
        Approvals { shared: Arc::new(shared) }
    }

    /// A name for the next approval, which no other process on this machine is likely to use.
    pub fn new_id() -> String {
        const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
        let mut chance = RandomState::new().build_hasher().finish();
        let mut letter = || {
            let letter = LETTERS[(chance % LETTERS.len() as u64) as usize];
            chance /= LETTERS.len() as u64;
            char::from(letter)
        };
        (0..6).map(|_| letter()).collect()
    }

    /// Begins to wait. Who drops what is returned waits no longer.
    pub fn ask(&self, approval: Approval) -> Waiting {
        let (answer, answered) = oneshot::channel();
        let approval = Arc::new(approval);
        self.pending().insert(approval.id.clone(), Pending { approval: approval.clone(), answer });
        let _ = self.shared.changes.send(Change::Asked(approval.clone()));
        Waiting { approvals: self.clone(), approval, answered: Some(answered), end: End::Cancelled }
    }

    /// Answers. What was said for longer than once is remembered.
    pub fn answer(&self, id: &str, reply: Reply, by: By) -> Result<Arc<Approval>> {
        let mut pending = self.pending();
        let Some(waiting) = pending.get(id) else { return Err(none(id)) };
        let approval = waiting.approval.clone();
        if matches!(reply, Reply::Session | Reply::Always) {
            if !approval.scope.is_certain() {
                return Err(Error::invalid("the page has no origin that the answer could be remembered for")
                    .with_hint("allow it once"));
            }
            let mut grants = self.grants();
            match reply {
                Reply::Always => grants.keep(approval.agent.as_ref(), &approval.scope, by)?,
                _ => grants.note(&approval.session, &approval.front, &approval.scope),
            }
        }
        let Some(waiting) = pending.remove(id) else { return Err(none(id)) };
        drop(pending);
        // Who asked may have gone just now; then nothing is done.
        waiting.answer.send(End::Answered { reply, by }).map_err(|_| none(id))?;
        Ok(approval)
    }

    /// Whether the same was allowed for longer than once to this agent, coming in by this front.
    pub fn is_granted(
        &self,
        session: &SessionName,
        front: &str,
        agent: Option<&AgentName>,
        scope: &Scope,
    ) -> bool {
        scope.is_certain() && self.grants().has(session, front, agent, scope)
    }

    /// What waits, the oldest first.
    pub fn list(&self) -> Vec<Arc<Approval>> {
        let mut list: Vec<_> = self.pending().values().map(|pending| pending.approval.clone()).collect();
        list.sort_by_key(|approval| approval.asked_at);
        list
    }

    /// What is always allowed.
    pub fn granted(&self) -> Vec<Grant> {
        self.grants().kept()
    }

    /// Takes back what was always allowed for an origin. Returns how much that was.
    pub fn forget(&self, origin: &str) -> Result<usize> {
        self.grants().forget(origin)
    }

    /// Takes back what was always allowed to an agent with a token of its own.
    pub fn forget_agent(&self, agent: &AgentName) -> Result<()> {
        self.grants().forget_agent(agent)
    }

    /// Takes back what was allowed for as long as a session lasts.
    pub fn end_session(&self, session: &SessionName) {
        self.grants().end_session(session);
    }

    /// Nothing waits any more: whoever does is told that it is cancelled.
    pub fn cancel_all(&self) {
        for (_, pending) in std::mem::take(&mut *self.pending()) {
            let _ = pending.answer.send(End::Cancelled);
        }
    }

    /// Hears of everything that waits from now on, and how it ends.
    pub fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.shared.changes.subscribe()
    }

    fn pending(&self) -> MutexGuard<'_, BTreeMap<String, Pending>> {
        self.shared.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn grants(&self) -> MutexGuard<'_, Grants> {
        self.shared.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn none(id: &str) -> Error {
    Error::invalid(format!("no approval {id:?} waits for an answer"))
        .with_hint("list them with `webhand approvals`; what is answered, expired or cancelled is gone")
}

/// Somebody who waits for an answer.
pub struct Waiting {
    approvals: Approvals,
    approval: Arc<Approval>,
    answered: Option<oneshot::Receiver<End>>,
    end: End,
}

impl Waiting {
    /// How it ends; at the latest after this time.
    pub async fn end(mut self, time: Duration) -> End {
        let Some(answered) = self.answered.take() else { return End::Cancelled };
        self.end = match tokio::time::timeout(time, answered).await {
            Ok(Ok(end)) => end,
            Ok(Err(_)) => End::Cancelled,
            Err(_) => End::Expired,
        };
        self.end
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Approval { id, session, .. } = &*self.approval;
        self.approvals.pending().remove(id);
        let over = Change::Over { id: id.clone(), session: session.clone(), end: self.end };
        let _ = self.approvals.shared.changes.send(over);
    }
}

/// Now, in Unix milliseconds.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_millis().try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "approvals_tests.rs"]
mod tests;

//! The gate for downloads. Whatever led to a file (a link, an address that turned out to be one, a script, a popup, a frame), the rules are
//! asked when the browser says that a download begins. A page does not say so before, so nobody can be asked by then: what was not allowed
//! before is called off.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use contract::{AgentName, Code, Effect, Error, Result};
use guard::{
    approvals::Scope,
    rules::{Deed, Judgement, Ruling},
};
use url::Url;

use crate::{Front, Session, consent::Permit};

/// What people have allowed for one action.
pub(crate) type Permits = Arc<Mutex<Vec<Permit>>>;

/// Who acts in a session. A download does not tell which action led to it, so the rules for all that run hold for it.
#[derive(Default)]
pub(crate) struct Callers {
    running: Mutex<Vec<Caller>>,
    begun: AtomicU64,
}

struct Caller {
    id: u64,
    front: Front,
    agent: Option<AgentName>,
    permits: Permits,
    is_over: bool,
}

/// While it lives, an action of a caller runs.
pub(crate) struct Acting<'a> {
    callers: &'a Callers,
    id: u64,
}

impl Callers {
    pub(crate) fn begin(&self, front: Front, agent: Option<AgentName>, permits: Permits) -> Acting<'_> {
        let id = self.begun.fetch_add(1, Ordering::Relaxed);
        let mut running = self.running();
        // Who acted last is remembered only until somebody else acts.
        running.retain(|caller| !caller.is_over);
        running.push(Caller { id, front, agent, permits, is_over: false });
        Acting { callers: self, id }
    }

    fn running(&self) -> MutexGuard<'_, Vec<Caller>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Uses up what somebody has allowed.
    fn take_permit(&self, scope: &Scope) -> bool {
        self.running().iter().filter(|caller| !caller.is_over).any(|caller| {
            let mut permits = caller.permits.lock().unwrap_or_else(PoisonError::into_inner);
            permits.iter().position(|permit| permit.scope == *scope).map(|at| permits.remove(at)).is_some()
        })
    }
}

impl Drop for Acting<'_> {
    fn drop(&mut self) {
        let mut running = self.callers.running();
        for caller in running.iter_mut().filter(|caller| caller.id == self.id) {
            caller.is_over = true;
        }
        // The last one stays: what a page does afterwards by itself is judged as that caller's.
        let mut left = running.len();
        running.retain(|caller| {
            let goes = caller.is_over && left > 1;
            left -= usize::from(goes);
            !goes
        });
    }
}

impl Session {
    /// Lets a download go on that has just begun, or says why not. `pages` are where it began: the tab and the frame.
    pub(crate) fn may_download(&self, pages: &[Url], to: Option<&Url>) -> Result<()> {
        let running = self.callers().running();
        let mut callers: Vec<_> = running.iter().map(|caller| (caller.front, caller.agent.clone())).collect();
        drop(running);
        callers.dedup();
        if callers.is_empty() {
            callers.push((Front::Library, None));
        }
        for (front, agent) in callers {
            let deed = Deed {
                effect: Effect::Download,
                front: front.as_str(),
                agent,
                pages: pages.to_vec(),
                to: to.cloned(),
            };
            self.may_save(&deed)?;
        }
        Ok(())
    }

    fn may_save(&self, deed: &Deed) -> Result<()> {
        let Judgement { ruling, why, .. } = self.judge(deed);
        let scope = Scope::of(deed);
        let place = [std::slice::from_ref(&scope.origin), &*scope.with].concat().join(" and ");
        match ruling {
            Ruling::Allow => Ok(()),
            Ruling::Deny => {
                let message =
                    format!("the policy denies download at {place}: {why}; the download was cancelled");
                Err(Error::new(Code::ActionDenied, message).with_hint(format!(
                    "do without the file, or ask for the policy to be changed; `webhand policy check download URL --front {}` explains it",
                    deed.front,
                )))
            }
            Ruling::Ask if self.is_granted(deed, &scope) => Ok(()),
            Ruling::Ask if self.callers().take_permit(&scope) => Ok(()),
            Ruling::Ask => {
                let message = format!(
                    "download at {place} needs a person's approval, and nobody was asked before it began; the download was cancelled"
                );
                Err(Error::new(Code::ActionDenied, message)
                    .with_hint("ask for the file by its address with the verb download (`webhand download --url URL`); a person is asked about that"))
            }
        }
    }
}

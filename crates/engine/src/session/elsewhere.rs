//! Navigations that somebody else does, such as a host application that shows pages itself. They pass the same rules and people as `goto`.

use std::sync::Arc;

use contract::{Outcome, Result};
use guard::{Decision, Purpose};
use journal::Entry;
use url::Url;

use super::Session;
use crate::{Request, consent::Gate, record::record};

impl Session {
    /// Whether somebody may go where the request goes, asking a person if a rule wants that. Returns the address that may be loaded. Nothing
    /// is done, and no browser is started.
    pub(crate) async fn may_be_opened(self: &Arc<Self>, request: &Request) -> Result<Option<Url>> {
        let Request { action, tab, front, agent, .. } = request;
        let recording = self.shared().journal.begin(Entry {
            session: self.name.clone(),
            tab: *tab,
            front: front.as_str().into(),
            agent: agent.clone(),
            verb: action.name().into(),
            effect: action.effect(),
            action: self.written(action),
            url: self.current_url(*tab),
        });
        let judged = self.until_ended(self.judged(request)).await;
        let told = judged.as_ref().map(|_| Outcome { session: self.name.clone(), ..Outcome::default() });
        record(recording, &told.map_err(Clone::clone));
        judged
    }

    async fn judged(self: &Arc<Self>, request: &Request) -> Result<Option<Url>> {
        let Request { action, budget, .. } = request;
        let waited = budget.as_ref().map(crate::Budget::waited).unwrap_or_default();
        let gate = Gate::new(false, waited);
        loop {
            let Decision::Allow(url) = self.policy.decide(action.effect(), action.destination())?;
            if let Some(url) = &url {
                self.places.check_url(url, Purpose::Navigation)?;
            }
            match (self.may_go(request, url.as_ref(), &gate), gate.take_wish()) {
                (Ok(()), _) => return Ok(url),
                (Err(_), Some(wish)) => self.ask(request, None, wish, &gate).await?,
                (Err(error), None) => return Err(error),
            }
        }
    }
}

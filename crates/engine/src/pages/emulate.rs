//! Changing what all pages of a session are made to believe.

use std::time::Duration;

use cdp::Channel;
use contract::{Code, Result, TabId};
use futures_util::future::join_all;
use tokio::time::{Instant, timeout_at};

use super::{Entry, Pages};
use crate::{
    emulation::{Emulated, Emulation, Receiver},
    lift::timed_out,
};

/// How long pages that nobody acts on may take to change. They change later if they cannot now.
const PATIENCE: Duration = Duration::from_secs(5);

impl Pages {
    /// What pages are made to believe, to be told to one.
    pub(crate) fn emulated(&self) -> &Emulated {
        &self.emulated
    }

    /// What pages are made to believe.
    pub(crate) fn emulation(&self) -> Emulation {
        self.emulated.lock().clone()
    }

    /// Waits for the turn to change what pages are made to believe.
    pub(crate) async fn turn(&self, deadline: Instant) -> Result<impl Drop> {
        timeout_at(deadline, self.turn.lock()).await.map_err(|_| timed_out("another change of the session"))
    }

    /// Makes all pages believe something else, those to come included. If one of them refuses, all stay as they were. Pages that do not
    /// answer change when they can, which is said; the one that is acted on has to answer.
    pub(crate) async fn set_emulation(
        &self,
        now: &Emulation,
        acted_on: Option<TabId>,
        deadline: Instant,
    ) -> Result<Vec<String>> {
        let mut undo = Undo { pages: self, before: Some(self.emulation()) };
        let mut tabs = Vec::new();
        let answers = self.emulated.change(now, || {
            let targets = self.targets();
            tabs = targets.iter().map(|(id, ..)| *id).collect();
            targets.into_iter().map(|(_, channel, receiver)| (channel, receiver)).collect()
        });
        let patience = deadline.min(Instant::now() + PATIENCE);
        let waiting = tabs
            .iter()
            .zip(answers)
            .map(|(id, answers)| answers.by(if Some(*id) == acted_on { deadline } else { patience }));
        let mut notes = Vec::new();
        for (id, answer) in tabs.iter().zip(join_all(waiting).await) {
            match answer {
                Err(error) if error.code == Code::Timeout && Some(*id) != acted_on => {
                    notes.push(format!("{id} does not answer; it changes when it does"));
                }
                Err(error) if Some(*id) == acted_on || error.code == Code::Internal => return Err(error),
                // A tab that went meanwhile is no news.
                Ok(()) | Err(_) => {}
            }
        }
        notes.dedup();
        undo.before = None;
        Ok(notes)
    }

    fn targets(&self) -> Vec<(TabId, Channel, Receiver)> {
        let list = self.list.borrow();
        let targets = |entry: &Entry| {
            let id = entry.id;
            entry.tab.targets().into_iter().map(move |(channel, receiver)| (id, channel, receiver))
        };
        list.entries.iter().flat_map(targets).collect()
    }
}

/// Takes back what pages were told, unless all of them took it.
struct Undo<'a> {
    pages: &'a Pages,
    before: Option<Emulation>,
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            let targets =
                || self.pages.targets().into_iter().map(|(_, channel, receiver)| (channel, receiver));
            drop(self.pages.emulated.change(&before, || targets().collect()));
        }
    }
}

//! What an outcome tells beyond what its verb found out: what changed in the page, where the tab is, what happened besides.

use std::{
    sync::{PoisonError, atomic::Ordering},
    time::Duration,
};

use contract::{Code, Effect, NavigationKind, Outcome, Result, Snapshot};
use tokio::time::Instant;

use crate::{
    actions::Run,
    first_look,
    snapshot::{Change, Rendered, TextOptions},
};

/// How long an outcome waits for the page to tell what changed in it. The action itself is done by then.
pub(crate) const CHANGES: Duration = Duration::from_secs(5);

/// The longest text of changes in an outcome, in characters. More is better read from a snapshot.
const LONGEST_DELTA: usize = 8_000;

impl Run<'_> {
    /// Waits until all news that came before now has been taken in, so that the outcome is not older than the action.
    pub(crate) async fn catch_up(&self) {
        let deadline = self.deadline.min(Instant::now() + Duration::from_secs(1));
        self.context.browser.catch_up(deadline).await;
        if let Some((_, tab)) = &self.tab {
            tab.catch_up(deadline).await;
        }
    }

    /// What changed in the page since the caller last looked at it or described something in it. Who never did has nothing to compare
    /// with, and pays nothing.
    ///
    /// Who looked at a page and acted in it, and is now on another one, is shown that one: there is nothing to compare, and looking would
    /// be the next thing to do. Fails only if the page or the browser has crashed; anything else that keeps it from being seen is a note.
    pub(crate) async fn tell_changes(&self, effect: Effect, outcome: &mut Outcome) -> Result<()> {
        let Some((_, tab)) = &self.tab else { return Ok(()) };
        let deadline = self.deadline.min(Instant::now() + CHANGES);
        if tab.read(|state| state.stands_still() || state.end.is_some()) {
            return Ok(());
        }
        let Ok(mut eyes) = tab.eyes(deadline).await else { return Ok(()) };
        let is_new = matches!(&outcome.navigation, Some(way) if way.kind == NavigationKind::Document);
        let is_elsewhere = is_new && effect != Effect::Navigate && eyes.has_told_of_another(tab);
        if !eyes.has_told(tab) && !is_elsewhere {
            return Ok(());
        }
        // Who waited until all was over has looked by then.
        let looked = match self.looked.load(Ordering::Relaxed) && !is_elsewhere {
            true => Ok(Change::default()),
            false if is_elsewhere => first_look::look(self, &mut eyes).await,
            false => eyes.glance(tab, deadline).await,
        };
        // The page that was there before may have gone while it was looked at.
        let is_elsewhere = is_elsewhere || (looked.is_ok() && !eyes.has_told(tab));
        match looked {
            Ok(change) if is_elsewhere => {
                let options = TextOptions { max_chars: Some(LONGEST_DELTA), ..TextOptions::default() };
                let Rendered { text, refs, cut } = eyes.view.render(&options);
                outcome.snapshot = Some(Snapshot { text, refs: refs as u64, cut, ..Snapshot::default() });
                outcome.notes.extend(change.notes);
                eyes.told();
            }
            Ok(_) => {
                let delta = eyes.tell_changes(Some(LONGEST_DELTA));
                outcome.delta = delta.filter(|delta| !delta.text.is_empty());
                outcome.unchanged = outcome.delta.is_none();
            }
            // Until the server answers, the page takes no commands; that is told already.
            Err(_) if tab.read(|state| state.unanswered_page().is_some()) => {}
            Err(error) if matches!(error.code, Code::PageCrashed | Code::BrowserCrashed) => {
                return Err(error);
            }
            Err(error) => outcome.notes.push(format!("what changed could not be seen: {error}")),
        }
        Ok(())
    }

    /// Fills in what every outcome tells: where the tab is, and what happened besides.
    pub(crate) fn complete(&self, outcome: &mut Outcome, tabs_before: u32) {
        if let Some((id, tab)) = &self.tab {
            outcome.tab.get_or_insert(*id);
            tab.read(|state| {
                outcome.url.get_or_insert_with(|| state.document.address().to_owned());
                outcome.title.get_or_insert_with(|| state.title.clone());
                outcome.status = outcome.status.or_else(|| state.status());
                outcome.dialog = outcome.dialog.take().or_else(|| state.dialog.clone());
            });
        }
        outcome.healed = *self.healed.lock().unwrap_or_else(PoisonError::into_inner);
        if outcome.tabs.is_none() {
            outcome.opened = self.context.pages.opened_since(tabs_before);
        }
        for download in self.context.pages.downloads.take_finished() {
            match download {
                Ok(download) => outcome.downloads.push(download),
                Err(error) => outcome.notes.push(error.to_string()),
            }
        }
    }
}

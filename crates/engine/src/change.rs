//! Waiting until a page may have changed: for verbs that wait for something in it.

use std::{future::pending, time::Duration};

use contract::{Code, FrameId, Result};
use futures_util::future::select_all;
use tokio::time::Instant;

use crate::{page, tab::Tab};

/// A page is looked at again after this long even if it reported no change: some changes have no event.
pub(crate) const UNREPORTED: Duration = Duration::from_secs(1);

/// How much longer than the wait itself a frame may take to answer, so that a frame without a change does not pass for one that hangs.
const MARGIN: Duration = Duration::from_secs(5);

/// How long a page takes at most, as a rule, to make something of an answer. Until then it counts as loading.
pub(crate) const RENDERED: Duration = Duration::from_millis(200);

/// Notices changes from the moment it was made. Changes inside of documents are noticed from the last look at them.
pub(crate) struct Watch {
    worlds: u64,
}

impl Watch {
    /// To be made before the page is looked at.
    pub(crate) fn new(tab: &Tab) -> Watch {
        Watch { worlds: tab.read(|state| state.worlds_changed) }
    }

    /// Whether a frame has come, gone or begun another document meanwhile. A question that failed may then be asked again.
    pub(crate) fn has_other_documents(&self, tab: &Tab) -> bool {
        tab.read(|state| state.worlds_changed != self.worlds)
    }

    /// Waits until something in one of the frames may have changed, a frame comes or goes, or a dialog opens. Returns false if the time is
    /// up first, and fails when the tab ends.
    pub(crate) async fn changed(&self, tab: &Tab, unreported: Duration, until: Instant) -> Result<bool> {
        let longest = [u64::try_from(unreported.as_millis()).unwrap_or(u64::MAX)];
        let frames = tab.read(|state| state.frames());
        let reports: Vec<_> = frames
            .iter()
            .filter(|frame| tab.read(|state| state.world(frame.frame, false)).is_some())
            .map(|frame| {
                Box::pin(async {
                    let asked = page::ask(tab, frame.frame, "nextChange", &longest, until + MARGIN).await;
                    // A frame that cannot tell says nothing of the others; when it has gone, its world has.
                    if asked.is_err() {
                        pending::<()>().await;
                    }
                })
            })
            .collect();
        let reported = async {
            match reports.is_empty() {
                true => pending().await,
                false => drop(select_all(reports).await),
            }
        };
        let moved =
            tab.until(until, "a change", |state| state.worlds_changed != self.worlds || state.stands_still());
        tokio::select! {
            () = reported => Ok(true),
            moved = moved => match moved {
                Err(error) if error.code == Code::Timeout => Ok(false),
                moved => moved.map(|()| true),
            },
        }
    }
}

/// Whether the page is about to change as far as the browser knows: it is not loaded yet, or it waits for an answer or has just got one.
/// Timers are not known.
pub(crate) fn is_loading(tab: &Tab) -> bool {
    let now = Instant::now();
    tab.read(|state| {
        state.world(FrameId(0), false).is_none()
            || !state.document.load
            || state.requests.has_recent_work(now)
            || now < state.requests.last_activity() + RENDERED
    })
}

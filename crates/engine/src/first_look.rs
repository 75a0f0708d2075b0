//! The first look at a document. A page may draw itself after its load event: with what its requests bring, in its next turns and frames,
//! in frames that are still loading. The first look waits for that, by events and not for long; later looks do not. A page where nothing
//! is under way is not waited for at all.

use std::time::Duration;

use contract::{FrameId, Result};
use tokio::time::Instant;

use crate::{
    actions::Run,
    page,
    snapshot::{Change, Eyes},
    tab::{Tab, TabState},
};

/// How long requests that the page made, and frames that it loads, are waited for. Some are meant to stay open.
const REQUESTS: Duration = Duration::from_secs(2);

/// How often requests are waited for: what one brings may make the page ask for more.
const ROUNDS: usize = 4;

/// How many frames a page may take to show what a request brought.
const FRAMES: u32 = 3;

/// Brings the view up to date. If this document has not been looked at, waits for its load to be over.
pub(crate) async fn look(run: &Run<'_>, eyes: &mut Eyes) -> Result<Change> {
    let (_, tab) = run.tab()?;
    let mut change = match tab.is_first_look() {
        true => {
            let waits = wait(tab, run.deadline).await;
            let mut change = eyes.look_at_rest(tab, run.deadline).await?;
            change.notes.extend(waits);
            change
        }
        false => eyes.look(tab, run.deadline).await?,
    };
    change.notes.extend(loading_frames(tab));
    Ok(change)
}

/// The same for verbs that read the page by other means. Their scripts see closed shadow roots only once a look has found them. Returns
/// notes for the outcome.
pub(crate) async fn rest(run: &Run<'_>) -> Result<Vec<String>> {
    let (_, tab) = run.tab()?;
    let mut eyes = tab.eyes(run.deadline).await?;
    Ok(look(run, &mut eyes).await?.notes)
}

/// Waits for what the document is loading. Returns a note if that takes longer.
async fn wait(tab: &Tab, deadline: Instant) -> Option<String> {
    let by = deadline.min(Instant::now() + REQUESTS);
    let is_quiet = |state: &TabState| state.stands_still() || !state.requests.has_work_since(0);
    for _ in 0..ROUNDS {
        if tab.read(is_quiet) {
            return None;
        }
        if tab.until(by, "requests of the page", is_quiet).await.is_err() {
            break;
        }
        // What came reaches the page's scripts in its own time. One that hangs is not waited for.
        drop(page::ask(tab, FrameId(0), "loadIsOver", &(FRAMES,), by).await);
    }
    let is_loading = tab.read(|state| !is_quiet(state) && state.loading_frames().is_empty());
    is_loading
        .then(|| "requests of the page are still under way; it may show more when they have ended".to_owned())
}

/// A note for each frame whose document has not come yet: it is shown as empty.
fn loading_frames(tab: &Tab) -> Vec<String> {
    let frames = tab.read(TabState::loading_frames);
    frames
        .into_iter()
        .map(|(frame, address)| {
            format!("{frame} is still loading {address}; what it will show is not in here")
        })
        .collect()
}

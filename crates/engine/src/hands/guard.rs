//! Keeps clicks from the frames that are not meant.

use std::time::Duration;

use contract::FrameId;
use futures_util::future::join_all;
use serde::Serialize;
use tokio::time::Instant;

use crate::{actions::Run, page};

/// Lets nothing be clicked in all other frames: something may move there between aiming and clicking.
pub(crate) async fn guard_others(run: &Run<'_>, but: FrameId) {
    ask_others(run, but, "guard", &[0]).await;
}

/// Lets everything be clicked again. Returns whether a click was kept from one of them.
pub(crate) async fn unguard_others(run: &Run<'_>, but: FrameId) -> bool {
    ask_others(run, but, "unguard", &page::NO_ARGUMENTS).await.iter().any(|verdict| verdict == "missed")
}

async fn ask_others(
    run: &Run<'_>,
    but: FrameId,
    function: &str,
    arguments: &impl Serialize,
) -> Vec<serde_json::Value> {
    let Ok((_, tab)) = run.tab() else { return Vec::new() };
    let frames = tab.read(|state| state.frames());
    // A frame that does not answer, or is not there yet, cannot be clicked in any sense that matters.
    let until = run.deadline.min(Instant::now() + Duration::from_secs(1));
    let asking = frames
        .iter()
        .filter(|frame| frame.frame != but && tab.read(|state| state.world(frame.frame, false)).is_some())
        .map(|frame| page::ask(tab, frame.frame, function, arguments, until));
    join_all(asking).await.into_iter().flatten().collect()
}

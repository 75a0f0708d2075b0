//! Tells a client that asked for it how far a call is: what runs, for how long, and whether it is a person who is waited for.

use std::time::Duration;

use rmcp::{
    RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
    service::Peer,
};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

/// How often it is told.
const EVERY: Duration = Duration::from_secs(1);

/// Tells until it is dropped. Without a token nobody asked. `waiting` gives the approval that is waited for.
pub(crate) async fn tell(
    peer: &Peer<RoleServer>,
    token: Option<ProgressToken>,
    tool: &str,
    limit: Duration,
    waiting: impl Fn() -> Option<String>,
) {
    let Some(token) = token else { return std::future::pending().await };
    let started = Instant::now();
    let mut ticks = interval_at(started + EVERY, EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        ticks.tick().await;
        let seconds = started.elapsed().as_secs_f64().round();
        let says = match waiting() {
            Some(id) => format!(
                "{tool} waits for a person's approval ({id}), which `webhand approvals allow {id}` gives in a terminal"
            ),
            None => format!("{tool} has been running for {seconds} s"),
        };
        let mut progress = ProgressNotificationParam::new(token.clone(), seconds).with_message(says);
        // A tool of several steps may take longer than one of them may.
        if seconds <= limit.as_secs_f64() {
            progress = progress.with_total(limit.as_secs_f64());
        }
        // Who no longer listens is told nothing; the call ends on its own.
        if peer.notify_progress(progress).await.is_err() {
            return std::future::pending().await;
        }
    }
}

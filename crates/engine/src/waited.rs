//! Time that an action spends waiting for a person, which does not count against its deadline: whoever waits stops the clock.

use std::{sync::Arc, time::Duration};

use tokio::{sync::watch, time::Instant};

/// How long an action and its steps have waited for people so far. Cloning is cheap; all clones are the same clock.
#[derive(Clone, Debug)]
pub(crate) struct Waited(Arc<watch::Sender<Clock>>);

#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    /// How many wait now.
    waiting: usize,
    total: Duration,
}

impl Default for Waited {
    fn default() -> Self {
        Waited(Arc::new(watch::Sender::new(Clock::default())))
    }
}

impl Waited {
    pub(crate) fn total(&self) -> Duration {
        self.0.borrow().total
    }

    /// The clock stands still while what is returned lives.
    pub(crate) fn pause(&self) -> Pause {
        self.0.send_modify(|clock| clock.waiting += 1);
        Pause { waited: self.clone(), since: Instant::now() }
    }

    /// Returns at a deadline that was set when `before` had been waited, moved by what has been waited since.
    pub(crate) async fn reach(&self, deadline: Instant, before: Duration) {
        let mut clock = self.0.subscribe();
        loop {
            let Clock { waiting, total } = *clock.borrow_and_update();
            let moved = deadline + total.saturating_sub(before);
            if waiting == 0 && Instant::now() >= moved {
                return;
            }
            if waiting > 0 {
                // The sender lives as long as we do.
                let _ = clock.changed().await;
            } else {
                let _ = tokio::time::timeout_at(moved, clock.changed()).await;
            }
        }
    }
}

/// Somebody waits for a person.
pub(crate) struct Pause {
    waited: Waited,
    since: Instant,
}

impl Drop for Pause {
    fn drop(&mut self) {
        let time = self.since.elapsed();
        self.waited.0.send_modify(|clock| {
            clock.waiting -= 1;
            clock.total += time;
        });
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn who_waits_for_a_person_stops_the_clock() {
        let waited = Waited::default();
        let begun = Instant::now();
        let is_reached = |before| waited.reach(begun, before).now_or_never().is_some();
        assert!(is_reached(Duration::ZERO));
        let pause = waited.pause();
        assert!(!is_reached(Duration::ZERO), "it is past the deadline, but somebody waits");
        drop(pause);
        let total = waited.total();
        assert!(total > Duration::ZERO);
        assert!(is_reached(total), "what was waited before does not count");
        let far = begun + Duration::from_secs(3600);
        assert!(waited.reach(far, total).now_or_never().is_none());
    }
}

//! How much is done at once: a few calls run, some wait for their turn, and the rest is told to come back.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// How many calls run at once.
const RUNNING: usize = 32;

/// How many may wait.
const WAITING: usize = 96;

/// The turns there are. Cloning is cheap; all clones share them.
#[derive(Clone)]
pub(crate) struct Turns {
    turns: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    running: watch::Sender<usize>,
}

/// A turn. It ends when it is dropped.
pub(crate) struct Turn {
    running: watch::Sender<usize>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.running.send_modify(|running| *running -= 1);
    }
}

impl Default for Turns {
    fn default() -> Self {
        Turns::new(RUNNING)
    }
}

impl Turns {
    fn new(running: usize) -> Turns {
        Turns {
            turns: Arc::new(Semaphore::new(running)),
            waiting: Arc::default(),
            running: watch::Sender::new(0),
        }
    }

    /// Waits for a turn; none if too many wait already.
    pub(crate) async fn take(&self) -> Option<Turn> {
        let _place = Place::take(&self.waiting)?;
        Some(self.wait().await)
    }

    /// Waits for a turn, however many do.
    pub(crate) async fn wait(&self) -> Turn {
        let permit = self.turns.clone().acquire_owned().await.ok();
        self.running.send_modify(|running| *running += 1);
        Turn { running: self.running.clone(), _permit: permit }
    }

    /// How many run now.
    pub(crate) fn running(&self) -> usize {
        *self.running.borrow()
    }

    /// Returns when nothing runs.
    pub(crate) async fn over(&self) {
        let _ = self.running.subscribe().wait_for(|running| *running == 0).await;
    }
}

/// A place among those who wait.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(waiting: &Arc<AtomicUsize>) -> Option<Place> {
        // Given back at once if it is one too many.
        let place = Place(waiting.clone());
        (place.0.fetch_add(1, Ordering::Relaxed) < WAITING).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn who_comes_too_late_is_told_so() {
        let turns = Turns::new(1);
        let first = turns.take().await.unwrap();
        let mut waiting: Vec<_> = (0..WAITING).map(|_| Box::pin(turns.take())).collect();
        assert!(waiting.iter_mut().all(|turn| turn.now_or_never().is_none()));
        assert!(turns.take().now_or_never().unwrap().is_none(), "one too many");
        assert_eq!(turns.running(), 1);
        drop(first);
        // Who goes away makes place.
        drop(waiting.pop());
        let mut next = Box::pin(turns.take());
        assert!((&mut next).now_or_never().is_none());
        drop((waiting, next));
        drop(turns.take().await.unwrap());
        turns.over().await;
    }
}

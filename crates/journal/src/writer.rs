//! The writer's thread: takes what is queued, writes it in one transaction, keeps the bounds, and survives everything.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Limits;
use crate::queue::Queue;
use crate::row::Message;
use crate::store::{Store, StoreError};

/// A database that could not be opened is tried again with the first write after this.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Old rows are looked for every so many messages. The size, which is quickly known, is looked at every time.
const PRUNE_EVERY: usize = 500;

/// At most one warning in this time.
const WARN_EVERY: Duration = Duration::from_secs(10);

/// What the thread owns.
#[derive(Debug)]
pub(crate) struct Writer {
    path: PathBuf,
    limits: Limits,
    retry_after: Duration,
    store: Option<Store>,
    /// When and why the database last could not be opened.
    open_failed: Option<(Instant, String)>,
    /// Messages written since the journal was last pruned.
    written: usize,
    warned: Option<Instant>,
    /// Messages dropped since the last warning.
    dropped: usize,
}

impl Writer {
    pub(crate) fn new(path: &Path, limits: Limits) -> Writer {
        Writer {
            path: path.to_owned(),
            limits,
            retry_after: RETRY_AFTER,
            store: None,
            open_failed: None,
            written: 0,
            warned: None,
            dropped: 0,
        }
    }

    /// Tests do not wait.
    #[cfg(test)]
    pub(crate) fn retry_after(self, retry_after: Duration) -> Writer {
        Writer { retry_after, ..self }
    }

    /// Writes what is queued until the queue is closed and empty.
    pub(crate) fn run(mut self, queue: &Queue) {
        let _close = CloseOnDrop(queue);
        // Already now, so that a journal that is seldom written is pruned too and a bad path is warned of early.
        if let Err(error) = self.store() {
            self.warn(&error);
        }
        self.prune_when_due();
        while let Some(batch) = queue.take() {
            if batch.lost > 0 {
                tracing::warn!(entries = batch.lost, "the journal could not keep up; these entries are lost");
            }
            let count = batch.messages.len();
            let unwritten = match self.write(&batch.messages) {
                Ok(()) => 0,
                Err(error) => {
                    self.dropped += count;
                    self.warn(&error);
                    count
                }
            };
            self.prune_when_due();
            queue.done(count, unwritten);
        }
        if self.dropped > 0 {
            tracing::warn!(path = %self.path.display(), entries = self.dropped, "these entries were not recorded");
        }
    }

    fn write(&mut self, messages: &VecDeque<Message>) -> Result<(), StoreError> {
        match self.store()?.write(messages.iter()) {
            // Damage shows only where it is touched, which may be long after opening.
            Err(error) if error.is_lasting() => self.replace_store(&error)?.write(messages.iter())?,
            Err(error) if !error.is_passing() => {
                self.store = None;
                return Err(error);
            }
            result => result?,
        }
        self.written += messages.len();
        Ok(())
    }

    /// The open database, opened now if need be and if it is not too soon to try again.
    fn store(&mut self) -> Result<&mut Store, StoreError> {
        if self.store.as_ref().is_some_and(|store| store.is_replaced(&self.path)) {
            tracing::warn!(path = %self.path.display(), "the journal's file was taken away; it is opened anew");
            self.store = None;
        }
        match self.store.take() {
            Some(store) => Ok(self.store.insert(store)),
            None => {
                let store = self.open()?;
                Ok(self.store.insert(store))
            }
        }
    }

    fn open(&mut self) -> Result<Store, StoreError> {
        if let Some((when, why)) = &self.open_failed
            && when.elapsed() < self.retry_after
        {
            return Err(StoreError::Unopened(why.clone()));
        }
        let opened = Store::open(&self.path);
        self.open_failed = opened.as_ref().err().map(|error| (Instant::now(), error.to_string()));
        // Who knows how much a former process has left behind: the bounds are due at once.
        self.written = PRUNE_EVERY;
        opened
    }

    fn replace_store(&mut self, reason: &StoreError) -> Result<&mut Store, StoreError> {
        // Closed first: SQLite still tidies up under the old name.
        self.store = None;
        let store = Store::replace(&self.path, reason)?;
        Ok(self.store.insert(store))
    }

    fn prune_when_due(&mut self) {
        let Some(store) = &self.store else { return };
        let pruned = match store.is_large(&self.limits) {
            Ok(false) if self.written < PRUNE_EVERY => return,
            Ok(_) => store.prune(&self.limits),
            Err(error) => Err(error),
        };
        self.written = 0;
        if let Err(error) = pruned {
            self.warn(&error);
            if error.is_lasting()
                && let Err(error) = self.replace_store(&error)
            {
                self.warn(&error);
            }
        }
    }

    fn warn(&mut self, error: &StoreError) {
        if self.warned.is_some_and(|when| when.elapsed() < WARN_EVERY) {
            return;
        }
        self.warned = Some(Instant::now());
        let dropped = std::mem::take(&mut self.dropped);
        tracing::warn!(path = %self.path.display(), dropped, %error, "the journal cannot be written");
    }
}

/// Whoever waits for a flush must not wait for a thread that has panicked.
struct CloseOnDrop<'a>(&'a Queue);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

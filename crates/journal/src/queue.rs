//! The bounded queue between the actions and the writer's thread.
//!
//! A lock around a deque, and not `std::sync::mpsc::sync_channel`: that has no send with a deadline, so a flush could
//! not give up in time when the channel is full. The lock is only ever held to move messages, never during IO.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::row::Message;

/// How many messages may wait. Each is bounded too (see `row`), so the worst case is a few dozen MiB.
pub(crate) const CAPACITY: usize = 1024;

/// How long the first message waits for others to be written along with it: an action that is over by then is one row and one write, and
/// the writing does not compete with it. Only a process that is killed in this moment loses what waited.
const GATHERING: Duration = Duration::from_millis(10);

/// Where messages wait for the writer.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    arrived: Condvar,
    handled: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Message>,
    closed: bool,
    /// How many wait until all is written.
    flushing: usize,
    /// Messages dropped for want of room since the writer last looked.
    lost: u64,
    /// Messages ever taken in, and how many of them the writer has dealt with.
    sent: u64,
    done: u64,
    /// Messages that did not reach the database, whyever, since a flush last said so.
    unwritten: u64,
}

impl State {
    /// Whether what waits is to be written at once.
    fn is_urgent(&self) -> bool {
        self.closed || self.flushing > 0 || self.waiting.len() >= CAPACITY / 2
    }
}

/// Everything that waited at one moment.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) messages: VecDeque<Message>,
    /// How many more there were for which the queue had no room.
    pub(crate) lost: u64,
}

impl Queue {
    /// Takes a message in, or counts it as lost when there is no room.
    pub(crate) fn push(&self, message: Message) {
        let mut state = self.lock();
        if state.closed {
            return;
        }
        if state.waiting.len() >= CAPACITY {
            state.lost += 1;
            state.unwritten += 1;
            return;
        }
        state.waiting.push_back(message);
        state.sent += 1;
        // The writer wakes for the first; the others it finds.
        if state.waiting.len() == 1 || state.is_urgent() {
            self.arrived.notify_one();
        }
    }

    /// Waits for messages and takes all of them. None when the queue is closed and empty.
    pub(crate) fn take(&self) -> Option<Batch> {
        let idle = |state: &mut State| state.waiting.is_empty() && !state.closed;
        let state = self.arrived.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
        let may_wait = |state: &mut State| !state.is_urgent();
        let gathered = self.arrived.wait_timeout_while(state, GATHERING, may_wait);
        let (mut state, _) = gathered.unwrap_or_else(PoisonError::into_inner);
        if state.waiting.is_empty() {
            return None;
        }
        let messages = std::mem::take(&mut state.waiting);
        Some(Batch { messages, lost: std::mem::take(&mut state.lost) })
    }

    /// Says that the oldest `count` messages not yet dealt with are, and how many of them were not written.
    pub(crate) fn done(&self, count: usize, unwritten: usize) {
        let mut state = self.lock();
        state.done += count as u64;
        state.unwritten += unwritten as u64;
        self.handled.notify_all();
    }

    /// Waits until all that was taken in so far is dealt with; whether that was in time and all since the last such
    /// answer was written.
    pub(crate) fn flush(&self, timeout: Duration) -> bool {
        let mut state = self.lock();
        let target = state.sent;
        state.flushing += 1;
        self.arrived.notify_one();
        let pending = |state: &mut State| state.done < target && !state.closed;
        let (mut state, _) =
            self.handled.wait_timeout_while(state, timeout, pending).unwrap_or_else(PoisonError::into_inner);
        state.flushing -= 1;
        // A closed queue has no writer: handles are gone, or its thread never ran or is dead.
        if state.closed || state.done < target {
            return false;
        }
        std::mem::take(&mut state.unwritten) == 0
    }

    /// Takes in nothing more. What waits can still be taken out.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
        self.handled.notify_all();
    }

    /// The state holds after every statement, so a panic elsewhere while it was locked does not spoil it.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::begun;

    fn push(queue: &Queue, count: usize) {
        for _ in 0..count {
            queue.push(Message::Begin(begun(0)));
        }
    }

    #[test]
    fn what_does_not_fit_is_counted_once_and_never_waited_for() {
        let queue = Queue::default();
        push(&queue, CAPACITY + 5);
        let batch = queue.take().unwrap();
        assert_eq!((batch.messages.len(), batch.lost), (CAPACITY, 5));

        push(&queue, 1);
        let batch = queue.take().unwrap();
        assert_eq!((batch.messages.len(), batch.lost), (1, 0), "the next burst counts anew");
    }

    #[test]
    fn a_flush_is_true_only_when_everything_was_written() {
        let queue = Queue::default();
        assert!(queue.flush(Duration::ZERO), "nothing to wait for");
        push(&queue, 2);
        queue.done(1, 0);
        assert!(!queue.flush(Duration::ZERO), "one is still waiting");
        queue.done(1, 0);
        assert!(queue.flush(Duration::ZERO));

        push(&queue, 2);
        queue.done(2, 1);
        assert!(!queue.flush(Duration::ZERO), "one was not written");
        assert!(queue.flush(Duration::ZERO), "which is said once");

        push(&queue, CAPACITY);
        queue.done(CAPACITY - 4, 0);
        assert!(!queue.flush(Duration::ZERO), "four had no room");
    }

    #[test]
    fn a_flush_wakes_when_the_writer_is_done() {
        let queue = Queue::default();
        push(&queue, 1);
        std::thread::scope(|scope| {
            let flush = scope.spawn(|| queue.flush(Duration::MAX));
            let batch = queue.take().unwrap();
            queue.done(batch.messages.len(), 0);
            assert!(flush.join().unwrap());
        });
    }

    #[test]
    fn a_closed_queue_gives_out_what_it_has_and_ends() {
        let queue = Queue::default();
        push(&queue, 1);
        queue.close();
        push(&queue, 1);
        assert_eq!(queue.take().unwrap().messages.len(), 1);
        assert!(queue.take().is_none());
        assert!(!queue.flush(Duration::MAX), "nobody is left to write");
    }
}

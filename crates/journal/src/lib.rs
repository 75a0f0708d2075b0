//! The journal: one row for every action that passes the gate, in SQLite, bounded in age and size.
//!
//! Recording never holds an action up and never fails it: rows go through a bounded queue to a thread of their own, and
//! what cannot be written (no disk, no lock, no room) is warned of and dropped. Nothing here knows what an action is;
//! callers hand over JSON that is already masked.
//!
//! - [`Journal`] and [`Recording`]: writing, from [`Journal::begin`] to [`Recording::finish`].
//! - [`read`]: the newest rows as [`Record`]s, also while somebody writes.
//! - `queue` is the way to the thread, `writer` the thread, `store` the database in its `file`, `row` what is written.

mod file;
mod queue;
mod reader;
mod row;
mod store;
mod writer;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use contract::{AgentName, Code, Effect, Error, SessionName, TabId};
use serde_json::{Value, json};

use crate::queue::Queue;
use crate::row::{Begun, Ended, Message, bounded_json, bounded_text};
use crate::writer::Writer;

pub use crate::reader::{Filter, Record, read};

/// How much a journal keeps. Whichever bound is reached first, the oldest rows go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rows older than this are deleted.
    pub max_age: Duration,
    /// The size that the database file is kept under. Its write-ahead log adds a few MiB at most while it is open.
    pub max_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_age: Duration::from_secs(30 * 24 * 60 * 60), max_bytes: 64 * 1024 * 1024 }
    }
}

/// What is known of an action before it runs.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The session that acts.
    pub session: SessionName,
    /// The tab that the action goes to, if it is known already; see [`Recording::set_tab`].
    pub tab: Option<TabId>,
    /// The front that the action came in by.
    pub front: Cow<'static, str>,
    /// The agent whose token the caller had, if it had one.
    pub agent: Option<AgentName>,
    /// The action's name.
    pub verb: Cow<'static, str>,
    /// What the action does to the world, by what is known before; see [`Recording::set_effect`].
    pub effect: Effect,
    /// The action as JSON, its secrets already masked.
    pub action: Value,
    /// Where the tab was before: a replay starts from there.
    pub url: Option<String>,
}

/// A journal that is being written. Clones are handles to the same one; when the last of them (and the last
/// [`Recording`]) is dropped, what is queued is still written.
#[derive(Clone, Debug)]
pub struct Journal {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    queue: Arc<Queue>,
    writer: Option<JoinHandle<()>>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::warn!("the journal's thread panicked");
        }
    }
}

impl Journal {
    /// Opens the journal at `path`, or begins one. This never fails: as long as the database cannot be opened, actions
    /// go unrecorded with a warning, and opening it is tried again from time to time. The folder must exist.
    pub fn open(path: &Path, limits: Limits) -> Journal {
        Journal::start(Writer::new(path, limits))
    }

    fn start(writer: Writer) -> Journal {
        let queue = Arc::new(Queue::default());
        let for_thread = Arc::clone(&queue);
        let spawned =
            std::thread::Builder::new().name("journal".into()).spawn(move || writer.run(&for_thread));
        let writer = match spawned {
            Ok(thread) => Some(thread),
            Err(error) => {
                tracing::warn!(%error, "the journal's thread did not start; actions go unrecorded");
                queue.close();
                None
            }
        };
        Journal { shared: Arc::new(Shared { queue, writer }) }
    }

    /// Records that an action begins. Returns at once; a full queue drops the row rather than wait.
    pub fn begin(&self, entry: Entry) -> Recording {
        let begun = Arc::new(Begun {
            row: AtomicI64::new(row::UNWRITTEN),
            at: row::now(),
            session: entry.session,
            tab: entry.tab,
            front: entry.front,
            agent: entry.agent,
            verb: entry.verb,
            effect: entry.effect,
            action: bounded_json(&entry.action),
            url: entry.url.map(bounded_text),
        });
        self.shared.queue.push(Message::Begin(Arc::clone(&begun)));
        Recording {
            journal: self.clone(),
            tab: begun.tab,
            effect: begun.effect,
            begun,
            started: Instant::now(),
            finished: false,
        }
    }

    /// Waits, at most for `timeout`, until everything recorded so far is committed. `false` when time ran out, or when
    /// something since the last flush could not be written. Blocks the thread.
    pub fn flush(&self, timeout: Duration) -> bool {
        self.shared.queue.flush(timeout)
    }
}

/// An action under way. Dropped without [`Recording::finish`], as when its future is cancelled, it records
/// `CANCELLED`.
#[derive(Debug)]
#[must_use = "an action whose recording is dropped counts as cancelled"]
pub struct Recording {
    journal: Journal,
    begun: Arc<Begun>,
    tab: Option<TabId>,
    effect: Effect,
    started: Instant,
    finished: bool,
}

impl Recording {
    /// Says which tab the action went to, where that is known only once it runs.
    pub fn set_tab(&mut self, tab: TabId) {
        self.tab = Some(tab);
    }

    /// Says what the action did to the world, where that is known only at its end.
    pub fn set_effect(&mut self, effect: Effect) {
        self.effect = effect;
    }

    /// Records how the action ended: with its outcome as (masked) JSON, or with an error. Returns at once.
    pub fn finish(mut self, result: Result<&Value, &Error>) {
        self.end(result);
    }

    fn end(&mut self, result: Result<&Value, &Error>) {
        self.finished = true;
        let ended = Ended {
            begun: Arc::clone(&self.begun),
            tab: self.tab,
            effect: self.effect,
            code: result.err().map(|error| error.code),
            error: result.err().map(|error| bounded_json(&error_json(error))),
            outcome: result.ok().map(bounded_json),
            duration_us: i64::try_from(self.started.elapsed().as_micros()).unwrap_or(i64::MAX),
        };
        self.journal.shared.queue.push(Message::End(Box::new(ended)));
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if !self.finished {
            self.end(Err(&Error::new(Code::Cancelled, "the action was given up before it ended")));
        }
    }
}

fn error_json(error: &Error) -> Value {
    let mut json = json!({ "code": error.code, "message": error.message });
    if let Some(cause) = &error.cause {
        json["cause"] = json!(cause);
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(verb: &'static str) -> Entry {
        Entry {
            session: SessionName::default(),
            tab: None,
            front: "cli".into(),
            agent: None,
            verb: verb.into(),
            effect: Effect::Input,
            action: json!({ "verb": verb }),
            url: None,
        }
    }

    #[test]
    fn a_queue_that_nobody_empties_never_blocks() {
        let queue = Arc::new(Queue::default());
        let journal = Journal { shared: Arc::new(Shared { queue, writer: None }) };
        for _ in 0..queue::CAPACITY {
            journal.begin(entry("click")).finish(Ok(&json!({})));
        }
        assert!(!journal.flush(Duration::ZERO), "nothing was committed");
    }

    #[test]
    fn a_database_that_can_be_opened_only_later_records_from_then_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("not-yet").join("journal.db");
        let journal = Journal::start(Writer::new(&path, Limits::default()).retry_after(Duration::ZERO));

        journal.begin(entry("lost")).finish(Ok(&json!({})));
        assert!(!journal.flush(Duration::MAX), "it could not be written");

        std::fs::create_dir(folder.path().join("not-yet")).unwrap();
        journal.begin(entry("kept")).finish(Ok(&json!({})));
        assert!(journal.flush(Duration::MAX));
        let verbs: Vec<_> =
            read(&path, &Filter::default()).unwrap().into_iter().map(|record| record.verb).collect();
        assert_eq!(verbs, ["kept"]);
    }

    #[test]
    fn a_database_locked_at_the_start_is_neither_waited_for_nor_moved_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let first = Journal::open(&path, Limits::default());
        first.begin(entry("before")).finish(Ok(&json!({})));
        drop(first);

        let holder = rusqlite::Connection::open(&path).unwrap();
        holder.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
        let journal = Journal::start(Writer::new(&path, Limits::default()).retry_after(Duration::ZERO));
        journal.begin(entry("meanwhile")).finish(Ok(&json!({})));
        assert!(!journal.flush(Duration::MAX));
        drop(holder);

        journal.begin(entry("after")).finish(Ok(&json!({})));
        assert!(journal.flush(Duration::MAX));
        let verbs: Vec<_> =
            read(&path, &Filter::default()).unwrap().into_iter().map(|record| record.verb).collect();
        assert_eq!(verbs, ["before", "after"]);
    }
}

//! The database: its schema, its rows and its bounds. Knows nothing of threads or of what failed before.

use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, params};

use crate::Limits;
use crate::file::{FileId, create_private, set_aside};
use crate::row::{self, Begun, Ended, Message, UNWRITTEN};

/// The version of the schema below, kept in `PRAGMA user_version`.
pub(crate) const SCHEMA_VERSION: i64 = 1;

// Every statement can be run twice, for two processes may begin the same journal at once.
// AUTOINCREMENT: an id stands for one action for ever, also after its row was pruned.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS actions (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        at          INTEGER NOT NULL, -- Unix milliseconds
        session     TEXT NOT NULL,
        tab         TEXT,
        front       TEXT NOT NULL,
        verb        TEXT NOT NULL,
        effect      TEXT NOT NULL,
        action      TEXT NOT NULL,    -- JSON
        url_before  TEXT,
        ok          INTEGER,          -- NULL: unfinished
        code        TEXT,
        error       TEXT,             -- JSON
        outcome     TEXT,             -- JSON
        duration_us INTEGER,
        agent       TEXT
    ) STRICT;
    CREATE INDEX IF NOT EXISTS actions_at ON actions (at);
    PRAGMA user_version = 1;";

/// How long the writer's thread waits for another process that is writing.
const BUSY: Duration = Duration::from_millis(200);

/// Why the database does not work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    File(#[from] io::Error),
    #[error("its schema {0} is not the schema {SCHEMA_VERSION} of this webhand")]
    Schema(i64),
    #[error("it could not be opened a moment ago: {0}")]
    Unopened(String),
}

impl StoreError {
    /// Whether this file will never work: it has to make way for a new one.
    pub(crate) fn is_lasting(&self) -> bool {
        match self {
            StoreError::Sqlite(error) => {
                matches!(
                    error.sqlite_error_code(),
                    Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)
                )
            }
            StoreError::Schema(_) => true,
            StoreError::File(_) | StoreError::Unopened(_) => false,
        }
    }

    /// Whether the open database is still good and only this write was not possible.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            StoreError::Sqlite(error) => matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::DiskFull)
            ),
            StoreError::Schema(_) | StoreError::File(_) | StoreError::Unopened(_) => false,
        }
    }
}

/// An open database.
#[derive(Debug)]
pub(crate) struct Store {
    connection: Connection,
    /// Which file it is, beyond its name.
    file: FileId,
}

impl Store {
    /// Opens the database, begins it if there is none, and moves one aside that is damaged or of another schema.
    pub(crate) fn open(path: &Path) -> Result<Store, StoreError> {
        match Store::connect(path) {
            Err(error) if error.is_lasting() => Store::replace(path, &error),
            result => result,
        }
    }

    /// Moves the database aside and begins a new one.
    pub(crate) fn replace(path: &Path, reason: &StoreError) -> Result<Store, StoreError> {
        let aside = set_aside(path)?;
        tracing::warn!(path = %path.display(), moved_to = %aside.display(), %reason,
            "the journal cannot be used; it is moved aside and a new one begun");
        Store::connect(path)
    }

    fn connect(path: &Path) -> Result<Store, StoreError> {
        create_private(path)?;
        // Without SQLITE_OPEN_URI, which is in the default flags, a path is only ever a path.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY)?;
        let schema = schema_of(&connection)?;
        match schema {
            Some(SCHEMA_VERSION) => {}
            // Only an empty database takes a vacuum mode, and the change to WAL already writes to it.
            None => connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?,
            Some(other) => return Err(StoreError::Schema(other)),
        }
        // The size limit gives the log's room back after a reader has held up its checkpoints.
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 1048576;",
        )?;
        if schema.is_none() {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute_batch(SCHEMA)?;
            transaction.commit()?;
        }
        if !has_agents(&connection)? {
            // The column came later. Those who do not know it neither read nor write it, so the version stays.
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if !has_agents(&transaction)? {
                transaction.execute_batch("ALTER TABLE actions ADD COLUMN agent TEXT")?;
            }
            transaction.commit()?;
        }
        Ok(Store { connection, file: FileId::of(path) })
    }

    /// Whether another file, or none, has come to stand where this one was.
    pub(crate) fn is_replaced(&self, path: &Path) -> bool {
        self.file != FileId::of(path)
    }

    /// Writes all of the messages or none.
    pub(crate) fn write<'a>(
        &mut self,
        messages: impl Iterator<Item = &'a Message> + Clone,
    ) -> Result<(), StoreError> {
        let result = self.write_all(messages.clone());
        if result.is_err() {
            for message in messages {
                if let Message::Begin(begun) = message {
                    begun.row.store(UNWRITTEN, Ordering::Relaxed);
                }
            }
        }
        Ok(result?)
    }

    fn write_all<'a>(&mut self, messages: impl Iterator<Item = &'a Message>) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for message in messages {
            match message {
                Message::Begin(begun) => insert(&transaction, begun)?,
                Message::End(ended) => {
                    // No such row: its first half was dropped, or pruned, or went into a file that is gone.
                    if complete(&transaction, ended)? == 0 {
                        insert(&transaction, &ended.begun)?;
                        complete(&transaction, ended)?;
                    }
                }
            }
        }
        transaction.commit()
    }

    /// Whether so little is left of the size bound that the next batch may not fit.
    pub(crate) fn is_large(&self, limits: &Limits) -> Result<bool, StoreError> {
        Ok(self.used_bytes()? > limits.max_bytes / 8 * 7)
    }

    /// Deletes the oldest rows until the bounds hold, and gives their room back to the disk. A database that
    /// [is large](Store::is_large) is brought well below that, so that not every batch prunes.
    pub(crate) fn prune(&self, limits: &Limits) -> Result<(), StoreError> {
        let max_age = i64::try_from(limits.max_age.as_millis()).unwrap_or(i64::MAX);
        self.connection.execute("DELETE FROM actions WHERE at < ?1", [row::now().saturating_sub(max_age)])?;

        if self.is_large(limits)? {
            self.shrink_to(limits.max_bytes / 4 * 3)?;
        }
        if self.number("freelist_count")? > 0 {
            self.run("PRAGMA incremental_vacuum")?;
            // The file itself shrinks only when the log is carried over.
            self.run("PRAGMA wal_checkpoint(TRUNCATE)")?;
        }
        Ok(())
    }

    fn shrink_to(&self, goal: u64) -> rusqlite::Result<()> {
        loop {
            let used = self.used_bytes()?;
            if used <= goal {
                return Ok(());
            }
            // Rows differ in size, so the share that is too much is only a first guess.
            let rows: i64 =
                self.connection.query_row("SELECT count(*) FROM actions", [], |row| row.get(0))?;
            let excess = i128::from(rows) * i128::from(used - goal) / i128::from(used);
            let deleted = self.connection.execute(
                "DELETE FROM actions WHERE id IN (SELECT id FROM actions ORDER BY id LIMIT ?1)",
                [i64::try_from(excess).unwrap_or(rows).max(1)],
            )?;
            if deleted == 0 {
                return Ok(());
            }
        }
    }

    fn used_bytes(&self) -> rusqlite::Result<u64> {
        let pages = self.number("page_count")? - self.number("freelist_count")?;
        Ok(u64::try_from(pages * self.number("page_size")?).unwrap_or(0))
    }

    fn number(&self, pragma: &str) -> rusqlite::Result<i64> {
        self.connection.pragma_query_value(None, pragma, |row| row.get(0))
    }

    /// Runs a statement to its end: these pragmas do a part of their work for each row they answer.
    fn run(&self, sql: &str) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
        Ok(())
    }
}

/// The schema that a database has; none when it is empty.
pub(crate) fn schema_of(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    // Both from one moment: between them another process may begin the journal.
    let moment = connection.unchecked_transaction()?;
    let version: i64 = moment.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = moment.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    moment.finish()?;
    Ok((version != 0 || tables != 0).then_some(version))
}

/// Whether rows say which agent acted.
pub(crate) fn has_agents(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM pragma_table_info('actions') WHERE name = 'agent'";
    connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map(|count| count > 0)
}

fn insert(connection: &Connection, begun: &Begun) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO actions (at, session, tab, front, agent, verb, effect, action, url_before)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let row = statement.insert(params![
        begun.at,
        begun.session.as_str(),
        begun.tab.map(|tab| tab.to_string()),
        begun.front,
        begun.agent.as_ref().map(|agent| agent.as_str()),
        begun.verb,
        begun.effect.as_str(),
        begun.action,
        begun.url,
    ])?;
    begun.row.store(row, Ordering::Relaxed);
    Ok(())
}

/// Adds the second half to a row; how many rows that were.
fn complete(connection: &Connection, ended: &Ended) -> rusqlite::Result<usize> {
    // The time is compared as well, in case the id is from a file that was since replaced.
    let mut statement = connection.prepare_cached(
        "UPDATE actions SET tab = ?3, ok = ?4, code = ?5, error = ?6, outcome = ?7, duration_us = ?8, effect = ?9
         WHERE id = ?1 AND at = ?2 AND ok IS NULL",
    )?;
    statement.execute(params![
        ended.begun.row.load(Ordering::Relaxed),
        ended.begun.at,
        ended.tab.map(|tab| tab.to_string()),
        ended.code.is_none(),
        ended.code.map(|code| code.as_str()),
        ended.error,
        ended.outcome,
        ended.duration_us,
        ended.effect.as_str(),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::{begun, ended};
    use crate::{Filter, Record, read};

    fn store() -> (tempfile::TempDir, std::path::PathBuf, Store) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let store = Store::open(&path).unwrap();
        (folder, path, store)
    }

    fn records(path: &Path) -> Vec<Record> {
        read(path, &Filter { limit: usize::MAX, ..Filter::default() }).unwrap()
    }

    #[test]
    fn old_rows_go_and_young_ones_stay() {
        let (_folder, path, mut store) = store();
        let ages = [3000, 2000, 20, 10].map(|seconds| row::now() - seconds * 1000);
        store.write(ages.map(|at| Message::Begin(begun(at))).iter()).unwrap();
        store.prune(&Limits { max_age: Duration::from_secs(1000), ..Limits::default() }).unwrap();
        assert_eq!(records(&path).iter().map(|record| record.at_ms).collect::<Vec<_>>(), ages[2..]);

        store.prune(&Limits { max_age: Duration::ZERO, ..Limits::default() }).unwrap();
        assert_eq!(records(&path), []);
        store.write([Message::Begin(begun(row::now()))].iter()).unwrap();
        assert_eq!(records(&path)[0].id, 5, "an id is not given out again");
    }

    #[test]
    fn a_journal_without_agents_is_read_and_written_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let old = SCHEMA.replace(",\n        agent       TEXT", "");
        assert_ne!(old, SCHEMA);
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(&old).unwrap();
        let row = "INSERT INTO actions (at, session, front, verb, effect, action) VALUES (1, 'a', 'cli', 'click', 'input', '{}')";
        connection.execute_batch(row).unwrap();
        assert_eq!(records(&path)[0].agent, None);
        let mut store = Store::open(&path).unwrap();
        let by_agent =
            Begun { agent: Some("ada".parse().unwrap()), ..std::sync::Arc::into_inner(begun(2)).unwrap() };
        store.write([Message::Begin(by_agent.into())].iter()).unwrap();
        // A webhand that does not know the column goes on writing.
        connection.execute_batch(row).unwrap();
        let agents: Vec<_> = records(&path).into_iter().map(|record| record.agent).collect();
        assert_eq!(agents, [None, Some("ada".to_owned()), None]);
    }

    #[test]
    fn a_second_half_finds_no_first_and_writes_the_whole_row() {
        let (_folder, path, mut store) = store();
        let never_written = begun(row::now());
        store.write([ended(&never_written)].iter()).unwrap();

        let pruned = begun(row::now() - 5000);
        store.write([Message::Begin(pruned.clone())].iter()).unwrap();
        store.prune(&Limits { max_age: Duration::from_secs(1), ..Limits::default() }).unwrap();
        assert_eq!(records(&path).len(), 1);
        store.write([ended(&pruned)].iter()).unwrap();
        assert_eq!(records(&path).iter().map(|record| record.ok).collect::<Vec<_>>(), [Some(true); 2]);
    }

    #[test]
    fn an_id_from_another_file_spoils_no_row() {
        let (_folder, path, mut store) = store();
        let (here, elsewhere) = (begun(2000), begun(1000));
        store.write([Message::Begin(here.clone())].iter()).unwrap();
        elsewhere.row.store(here.row.load(Ordering::Relaxed), Ordering::Relaxed);
        store.write([ended(&elsewhere)].iter()).unwrap();
        let rows: Vec<_> = records(&path).iter().map(|record| (record.at_ms, record.ok)).collect();
        assert_eq!(rows, [(2000, None), (1000, Some(true))]);
    }

    #[test]
    fn a_full_disk_drops_a_batch_and_the_next_is_written() {
        let (_folder, path, mut store) = store();
        let pages = store.number("page_count").unwrap();
        store.run(&format!("PRAGMA max_page_count = {pages}")).unwrap();
        let rows: Vec<_> = (0..1000).map(begun).collect();
        let error =
            store.write(rows.iter().cloned().map(Message::Begin).collect::<Vec<_>>().iter()).unwrap_err();
        assert!(error.is_passing(), "{error}");
        assert!(rows.iter().all(|row| row.row.load(Ordering::Relaxed) == UNWRITTEN));
        assert_eq!(records(&path), [], "all or none");

        store.run("PRAGMA max_page_count = 100000").unwrap();
        store.write([ended(&rows[7])].iter()).unwrap();
        assert_eq!(records(&path).iter().map(|record| record.at_ms).collect::<Vec<_>>(), [7]);
    }
}

//! Reading the journal, in any process and also while it is written.

use std::path::Path;
use std::time::Duration;

use contract::{Code, Error, Result, SessionName, TabId};
use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, params};
use serde::Serialize;
use serde_json::Value;

use crate::store::{SCHEMA_VERSION, has_agents, schema_of};

/// How long a reader waits for a database that somebody holds for themselves.
const BUSY: Duration = Duration::from_secs(5);

/// Which rows to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Only those of this session.
    pub session: Option<SessionName>,
    /// Only the newest so many.
    pub limit: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Filter { session: None, limit: 100 }
    }
}

/// One action as it was recorded. Texts that were too long stand as `{"cut": true, "bytes": n, "start": "…"}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    /// The row's number; later actions have higher ones, and none is used twice.
    pub id: i64,
    /// When the action began, as RFC 3339 in UTC with milliseconds.
    pub at: String,
    /// The same in Unix milliseconds, to reckon with.
    #[serde(skip)]
    pub at_ms: i64,
    /// The session that acted.
    pub session: SessionName,
    /// The tab that the action went to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<TabId>,
    /// The front that the action came in by.
    pub front: String,
    /// The agent whose token the caller had, if it had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The action's name.
    pub verb: String,
    /// What the action does to the world, as [`contract::Effect`] spells it. A later webhand may know others.
    pub effect: String,
    /// The action itself, masked.
    pub action: Value,
    /// Where the tab was before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_before: Option<String>,
    /// Whether the action succeeded; none when it is under way or its process died.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// The code of the error, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The error: `code`, `message` and where there is one `cause`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
    /// What the action did, masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Value>,
    /// How long the action took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
}

/// Reads the newest rows that the filter lets through, oldest first. A journal that was never begun has none.
pub fn read(path: &Path, filter: &Filter) -> Result<Vec<Record>> {
    let lift = |error: rusqlite::Error| {
        let hint = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                "try again; another process holds the file"
            }
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                "run any action: a damaged journal is then moved aside and a new one begun"
            }
            _ => "check that the file and its folder can be read and written by you",
        };
        failed(path).with_cause(error).with_hint(hint)
    };
    let exists = path.try_exists().map_err(|error| {
        failed(path).with_cause(error).with_hint("check that the folder can be read by you")
    })?;
    if !exists {
        return Ok(Vec::new());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(lift)?;
    connection.busy_timeout(BUSY).map_err(lift)?;
    match schema_of(&connection).map_err(lift)? {
        None => Ok(Vec::new()),
        Some(SCHEMA_VERSION) => select(&connection, filter).map_err(lift),
        Some(other) => Err(failed(path)
            .with_cause(format!("its schema is {other}, this webhand reads {SCHEMA_VERSION}"))
            .with_hint("read it with the version of webhand that wrote it")),
    }
}

fn failed(path: &Path) -> Error {
    Error::new(Code::Internal, format!("the journal {} cannot be read", path.display()))
}

fn select(connection: &Connection, filter: &Filter) -> rusqlite::Result<Vec<Record>> {
    // A webhand that knew no agents may have written it.
    let agent = if has_agents(connection)? { "agent" } else { "NULL AS agent" };
    let mut statement = connection.prepare(&format!(
        "SELECT id, at, session, tab, front, {agent}, verb, effect, action, url_before, ok, code, error, outcome, duration_us
         FROM actions WHERE ?1 IS NULL OR session = ?1 ORDER BY id DESC LIMIT ?2",
    ))?;
    let session = filter.session.as_ref().map(SessionName::as_str);
    let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
    let mut records: Vec<Record> =
        statement.query_map(params![session, limit], record)?.collect::<rusqlite::Result<_>>()?;
    records.reverse();
    Ok(records)
}

fn record(row: &Row<'_>) -> rusqlite::Result<Record> {
    let at_ms: i64 = row.get("at")?;
    let at = Timestamp::from_millisecond(at_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    let duration_us: Option<i64> = row.get("duration_us")?;
    let session: String = row.get("session")?;
    let tab: Option<String> = row.get("tab")?;
    Ok(Record {
        id: row.get("id")?,
        at: format!("{at:.3}"),
        at_ms,
        session: parsed(&session)?,
        tab: tab.as_deref().map(parsed).transpose()?,
        front: row.get("front")?,
        agent: row.get("agent")?,
        verb: row.get("verb")?,
        effect: row.get("effect")?,
        action: json(row.get("action")?),
        url_before: row.get("url_before")?,
        ok: row.get("ok")?,
        code: row.get("code")?,
        error: row.get::<_, Option<String>>("error")?.map(json),
        outcome: row.get::<_, Option<String>>("outcome")?.map(json),
        duration_ms: duration_us.map(|us| us as f64 / 1000.0),
    })
}

fn parsed<T: std::str::FromStr<Err = Error>>(text: &str) -> rusqlite::Result<T> {
    text.parse().map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error)))
}

/// What somebody edited by hand may be no JSON, and is then shown as it is.
fn json(text: String) -> Value {
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

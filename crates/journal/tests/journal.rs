//! The journal as its callers use it, on real databases.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests too")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use contract::{Code, Effect, Error, SessionName, TabId};
use journal::{Entry, Filter, Journal, Limits, Record, read};
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(60);

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    (folder, path)
}

fn entry(verb: &'static str, action: Value) -> Entry {
    Entry {
        session: SessionName::default(),
        tab: Some(TabId(1)),
        front: "mcp".into(),
        agent: None,
        verb: verb.into(),
        effect: Effect::Input,
        action,
        url: Some("https://a.test/".into()),
    }
}

fn act(journal: &Journal, verb: &'static str) {
    journal.begin(entry(verb, json!({ "verb": verb }))).finish(Ok(&json!({ "tab": "t1" })));
}

fn all(path: &Path) -> Vec<Record> {
    read(path, &Filter { session: None, limit: usize::MAX }).unwrap()
}

fn verbs(path: &Path) -> Vec<String> {
    all(path).into_iter().map(|record| record.verb).collect()
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn rows_come_back_in_order_with_their_codes_and_durations() {
    let (_folder, path) = place();
    let journal = Journal::open(&path, Limits::default());
    act(&journal, "click");
    let failed = Error::new(Code::Timeout, "too slow").with_cause("net::ERR");
    let mut recording =
        journal.begin(Entry { tab: None, ..entry("open", json!({ "url": "https://b.test/" })) });
    recording.set_tab(TabId(7));
    recording.finish(Err(&failed));
    drop(journal.begin(entry("wait", json!({}))));
    assert!(journal.flush(PATIENCE));

    let mut records = all(&path);
    for record in &mut records {
        assert!(record.duration_ms.take().unwrap() >= 0.0);
        let at = std::mem::take(&mut record.at);
        assert!(at.len() == "2026-01-01T00:00:00.000Z".len() && at.ends_with('Z'), "{at}");
    }
    let cancelled = "the action was given up before it ended";
    assert_eq!(
        serde_json::to_value(&records).unwrap(),
        json!([
            { "id": 1, "at": "", "session": "default", "tab": "t1", "front": "mcp", "verb": "click",
              "effect": "input", "action": { "verb": "click" }, "url_before": "https://a.test/", "ok": true,
              "outcome": { "tab": "t1" } },
            { "id": 2, "at": "", "session": "default", "tab": "t7", "front": "mcp", "verb": "open",
              "effect": "input", "action": { "url": "https://b.test/" }, "url_before": "https://a.test/",
              "ok": false, "code": "TIMEOUT",
              "error": { "code": "TIMEOUT", "message": "too slow", "cause": "net::ERR" } },
            { "id": 3, "at": "", "session": "default", "tab": "t1", "front": "mcp", "verb": "wait",
              "effect": "input", "action": {}, "url_before": "https://a.test/", "ok": false,
              "code": "CANCELLED", "error": { "code": "CANCELLED", "message": cancelled } },
        ])
    );
}

#[test]
fn a_filter_takes_the_newest_of_a_session() {
    let (_folder, path) = place();
    let journal = Journal::open(&path, Limits::default());
    for (session, verb) in [("a", "1"), ("b", "2"), ("a", "3"), ("a", "4"), ("b", "5")] {
        let session = session.parse().unwrap();
        journal.begin(Entry { session, ..entry(verb, json!({})) }).finish(Ok(&json!({})));
    }
    drop(journal);
    let check = |session: Option<&str>, limit, expected: &[&str]| {
        let filter = Filter { session: session.map(|name| name.parse().unwrap()), limit };
        let verbs: Vec<_> = read(&path, &filter).unwrap().into_iter().map(|record| record.verb).collect();
        assert_eq!(verbs, expected, "{filter:?}");
    };
    check(None, 2, &["4", "5"]);
    check(None, usize::MAX, &["1", "2", "3", "4", "5"]);
    check(Some("a"), 2, &["3", "4"]);
    check(Some("c"), 2, &[]);
    check(None, 0, &[]);
}

#[test]
fn an_action_under_way_is_unfinished_also_for_the_next_process() {
    let (_folder, path) = place();
    let journal = Journal::open(&path, Limits::default());
    let recording = journal.begin(entry("upload", json!({})));
    assert!(journal.flush(PATIENCE));
    // As when the process dies: neither the recording nor the journal is ever dropped.
    std::mem::forget((recording, journal));

    let next = Journal::open(&path, Limits::default());
    act(&next, "click");
    assert!(next.flush(PATIENCE));
    let ends: Vec<_> = all(&path).iter().map(|record| (record.ok, record.duration_ms.is_some())).collect();
    assert_eq!(ends, [(None, false), (Some(true), true)]);
}

#[test]
fn the_last_handle_to_go_leaves_everything_written() {
    let (folder, path) = place();
    let journal = Journal::open(&path, Limits::default());
    let other = journal.clone();
    drop(journal);
    let recording = other.begin(entry("click", json!({})));
    drop(other);
    recording.finish(Ok(&json!({})));
    assert_eq!(names(folder.path()), ["journal.db"], "the log is carried over and gone");
    assert_eq!(all(&path)[0].ok, Some(true));
}

#[test]
fn the_size_bound_holds_while_rows_come_in_and_for_a_file_that_was_too_large() {
    let (_folder, path) = place();
    let size = || fs::metadata(&path).unwrap().len();
    let fill = |limits: Limits| {
        let journal = Journal::open(&path, limits);
        for _ in 0..10 {
            for _ in 0..50 {
                journal.begin(entry("type", json!("x".repeat(3000)))).finish(Ok(&json!({})));
            }
            assert!(journal.flush(PATIENCE));
            assert!(size() <= limits.max_bytes, "{} of {}", size(), limits.max_bytes);
        }
        drop(journal);
        assert!(size() <= limits.max_bytes, "{} of {}", size(), limits.max_bytes);
    };
    fill(Limits { max_bytes: 1024 * 1024, ..Limits::default() });
    let newest = all(&path).pop().unwrap().id;
    assert_eq!(newest, 500);
    assert!(all(&path).len() > 100, "no more is deleted than must be");

    fill(Limits::default());
    assert!(size() > 2 * 1024 * 1024);
    let small = Limits { max_bytes: 512 * 1024, ..Limits::default() };
    let journal = Journal::open(&path, small);
    act(&journal, "click");
    assert!(journal.flush(PATIENCE));
    assert!(size() <= small.max_bytes, "{} while it is open", size());
    let ids: Vec<_> = all(&path).iter().map(|record| record.id).collect();
    assert_eq!(ids, Vec::from_iter(1002 - ids.len() as i64..=1001), "the newest are kept");
    assert!(ids.len() > 50, "{} rows in {} bytes", ids.len(), size());
}

#[test]
fn a_lock_held_elsewhere_costs_rows_and_nothing_else() {
    let (_folder, path) = place();
    let journal = Journal::open(&path, Limits::default());
    act(&journal, "before");
    let across = journal.begin(entry("across", json!({})));
    assert!(journal.flush(PATIENCE));

    let holder = Connection::open(&path).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let given_up = journal.begin(entry("late", json!({})));
    act(&journal, "meanwhile");
    assert!(!journal.flush(PATIENCE), "it could not be written");
    assert_eq!(verbs(&path), ["before", "across"], "readers are not held up");
    holder.execute_batch("COMMIT").unwrap();

    across.finish(Ok(&json!({})));
    given_up.finish(Ok(&json!({})));
    act(&journal, "after");
    assert!(journal.flush(PATIENCE));
    assert_eq!(verbs(&path), ["before", "across", "late", "after"]);
    assert!(all(&path).iter().all(|record| record.ok == Some(true)));
}

#[test]
fn a_path_that_cannot_be_written_fails_nothing() {
    let (folder, path) = place();
    for bad in [folder.path().to_owned(), path.join("below").join("journal.db")] {
        let journal = Journal::open(&bad, Limits::default());
        act(&journal, "click");
        assert!(!journal.flush(PATIENCE), "{}", bad.display());
        drop(journal.begin(entry("click", json!({}))));
    }
    assert!(names(folder.path()).is_empty());
    assert_eq!(all(&path), [], "no journal has no rows");
    assert_eq!(read(folder.path(), &Filter::default()).unwrap_err().code, Code::Internal);
}

#[test]
fn a_file_that_is_no_journal_of_ours_is_moved_aside() {
    let newer = |path: &Path| {
        Connection::open(path)
            .unwrap()
            .execute_batch("CREATE TABLE t (c); PRAGMA user_version = 99")
            .unwrap();
    };
    let foreign = |path: &Path| Connection::open(path).unwrap().execute_batch("CREATE TABLE t (c)").unwrap();
    let garbage = |path: &Path| fs::write(path, "no database at all\n".repeat(100)).unwrap();
    let cases: [&dyn Fn(&Path); 3] = [&newer, &foreign, &garbage];
    for make in cases {
        let (folder, path) = place();
        make(&path);
        let before = fs::read(&path).unwrap();
        let error = read(&path, &Filter::default()).unwrap_err();
        assert_eq!(error.code, Code::Internal);
        assert!(error.cause.is_some() && error.hint() != Code::Internal.hint(), "{error:?}");

        let journal = Journal::open(&path, Limits::default());
        act(&journal, "click");
        assert!(journal.flush(PATIENCE));
        drop(journal);
        let mut names = names(folder.path());
        names.sort();
        assert_eq!(names.len(), 2, "{names:?}");
        assert!(names[1].starts_with("journal.db.aside-"), "{names:?}");
        assert_eq!(fs::read(folder.path().join(&names[1])).unwrap(), before, "nothing of it is lost");
        assert_eq!(verbs(&path), ["click"]);
    }
}

/// Spoils all but the first page, so that the header and the schema stay whole.
fn damage(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    bytes[4096..].fill(0x5a);
    fs::write(path, bytes).unwrap();
}

#[test]
fn damage_that_shows_only_later_is_moved_aside_too() {
    let (folder, path) = place();
    let asides = || {
        names(folder.path()).iter().filter(|name| name.contains(".aside-") && !name.ends_with("-wal")).count()
    };
    let journal = Journal::open(&path, Limits::default());
    act(&journal, "one");
    drop(journal);
    damage(&path);
    let journal = Journal::open(&path, Limits::default());
    act(&journal, "two");
    assert!(journal.flush(PATIENCE));
    assert_eq!((verbs(&path), asides()), (vec!["two".to_owned()], 1), "found when opening");

    let other = Connection::open(&path).unwrap();
    other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    damage(&path);
    // A change by somebody else makes the writer read its pages again.
    other.execute_batch("PRAGMA user_version = 1").unwrap();
    act(&journal, "three");
    assert!(journal.flush(PATIENCE));
    assert_eq!((verbs(&path), asides()), (vec!["three".to_owned()], 2), "found when writing");
}

#[cfg(unix)]
#[test]
fn a_file_deleted_in_use_is_begun_anew() {
    let (folder, path) = place();
    let journal = Journal::open(&path, Limits::default());
    let across = journal.begin(entry("across", json!({})));
    assert!(journal.flush(PATIENCE));
    for name in names(folder.path()) {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    act(&journal, "after");
    across.finish(Ok(&json!({})));
    assert!(journal.flush(PATIENCE));
    assert_eq!(verbs(&path), ["after", "across"]);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_any_of_it() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path) = place();
    let journal = Journal::open(&path, Limits::default());
    act(&journal, "click");
    assert!(journal.flush(PATIENCE));
    let names = names(folder.path());
    assert_eq!(names.len(), 3, "{names:?}");
    for name in names {
        let mode = fs::metadata(folder.path().join(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_reader_sees_whole_rows_while_others_write() {
    let (_folder, path) = place();
    let journal = Journal::open(&path, Limits::default());
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..100 {
                        act(&journal, "click");
                    }
                })
            })
            .collect();
        let mut seen = 0;
        while !writers.iter().all(|writer| writer.is_finished()) {
            let records = all(&path);
            assert!(records.len() >= seen, "rows do not vanish");
            assert!(records.iter().all(|record| record.ok.is_none() || record.outcome.is_some()));
            seen = records.len();
        }
    });
    assert!(journal.flush(PATIENCE));
    assert_eq!(all(&path).len(), 400);
}

#[test]
fn an_oversized_text_is_cut_and_says_so() {
    let (_folder, path) = place();
    let journal = Journal::open(&path, Limits::default());
    let long = json!({ "text": "ö".repeat(100_000) });
    journal.begin(entry("type", long.clone())).finish(Ok(&long));
    journal.begin(entry("type", json!({}))).finish(Err(&Error::invalid("m".repeat(100_000))));
    drop(journal);
    let records = all(&path);
    let start = |value: &Value| value["start"].as_str().unwrap().starts_with("{\"text\":\"öö");
    for value in [&records[0].action, records[0].outcome.as_ref().unwrap()] {
        assert_eq!((&value["cut"], &value["bytes"]), (&json!(true), &json!(long.to_string().len())));
        assert!(start(value));
    }
    assert_eq!(records[1].code.as_deref(), Some("INVALID_INPUT"));
    assert_eq!(records[1].error.as_ref().unwrap()["cut"], true);
}

//! `history`: everything that was done, and nothing that was typed.

use std::fs;

use crate::support::{Home, site};

const SECRET: &str = "correct-horse-battery-staple";

#[test]
fn it_lists_every_action_and_no_typed_text() {
    let home = Home::whole();
    let others = ["--session", "other"];
    home.data(&["open", &site().url("/prompt.html")]);
    home.code(&["goto", &site().refused_url()]);
    home.data(&["goto", &site().url("/prompt.html")]);
    home.code(&["eval", "--world", "main", "document.querySelector('#ask').click()"]);
    home.data(&["dialog", "accept", SECRET]);
    assert_eq!(home.data(&["eval", "text => text", "--arg", SECRET])["value"], SECRET);
    home.data(&[&others[..], &["open", &site().url("/")]].concat());
    home.code(&[&others[..], &["--tab", "t7", "reload"]].concat());

    let expected = [
        ("default", "open", None),
        ("default", "goto", Some("NAVIGATION_FAILED")),
        ("default", "goto", None),
        ("default", "eval", Some("DIALOG_OPEN")),
        ("default", "dialog", None),
        ("default", "eval", None),
        ("other", "open", None),
        ("other", "reload", Some("TAB_NOT_FOUND")),
    ];
    let entries = home.history();
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    let listed: Vec<_> = entries
        .iter()
        .map(|entry| (text(&entry["session"]).unwrap(), text(&entry["verb"]).unwrap(), text(&entry["code"])))
        .collect();
    let expected = expected.map(|(session, verb, code)| (session.into(), verb.into(), code.map(Into::into)));
    assert_eq!(listed, expected);
    for entry in &entries {
        assert_eq!(entry["ok"], entry["code"].is_null(), "{entry}");
        assert!(entry["duration_ms"].as_f64().is_some_and(|ms| ms >= 0.0), "{entry}");
        assert!(entry["at"].is_string() && entry["front"] == "cli", "{entry}");
        assert!(!entry.to_string().contains(SECRET), "{entry}");
    }
    assert_eq!(entries[0]["tab"], "t1");

    home.stop(&["stop"]);
    let later = home.history();
    assert_eq!(later[..8], entries, "the same without a daemon");
    assert!(later[8..].iter().all(|entry| entry["verb"] == "close"), "stopping closes each session");
    assert_eq!(home.data(&["status"])["running"], false, "reading needs none");
    let of_session = home.data(&[&others[..], &["history"]].concat())["entries"].clone();
    assert_eq!(of_session.as_array().unwrap()[..2], entries[6..]);
    assert!(of_session.as_array().unwrap().iter().all(|entry| entry["session"] == "other"), "{of_session}");
    let last = home.data(&["history", "-n", "1"])["entries"].clone();
    assert_eq!(last.as_array().unwrap()[..], later[9..]);
    let people = home.run(&["history"]).text();
    assert_eq!(people.lines().count(), later.len(), "{people}");
    assert!(people.contains("TAB_NOT_FOUND") && !people.contains(SECRET), "{people}");

    for file in ["journal.db", "journal.db-wal", "run/daemon.log"] {
        let content = fs::read(home.path().join(file)).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&content).contains(SECRET), "{file} has what was typed");
    }
}

#[test]
fn before_anything_was_done_it_is_empty() {
    let home = Home::whole();
    assert_eq!(home.history(), [] as [serde_json::Value; 0]);
    assert_eq!(home.run(&["history"]).text(), "nothing has been done yet\n");
}

//! Several clients at once, and clients that go away.

use std::fs;

use serde_json::Value;

use crate::{
    process::{Process, eventually},
    support::{Client, Home, code, data, site, until_asked},
};

#[test]
fn a_wait_in_one_tab_blocks_nobody() {
    let home = Home::whole();
    home.data(&["open", &site().page("one", "")]);
    home.data(&["tabs", "open", &site().page("two", "")]);
    let wait = home.start(&["--tab", "t1", "wait", "20s"]);
    home.until_begun("wait");

    assert_eq!(home.data(&["--tab", "t2", "eval", "document.title"])["value"], "two");
    assert_eq!(home.data(&["--tab", "t1", "eval", "document.title"])["value"], "one");
    assert_eq!(home.data(&["tabs"])["tabs"].as_array().unwrap().len(), 2);
    assert_eq!(home.data(&["--session", "other", "open", &site().url("/")])["status"], 200);
    home.data(&["close"]);
    // Had it blocked any of these, it would have ended in peace before.
    assert_eq!(code(&wait.answer()), "CANCELLED");

    let wait = home.start(&["--session", "other", "wait", "20s"]);
    home.until_begun("wait");
    home.stop(&["stop"]);
    assert_eq!(code(&wait.answer()), "CANCELLED", "stopping is closing every session");
}

#[test]
fn a_client_that_goes_away_cancels_its_command() {
    let home = Home::whole();
    home.data(&["open", &site().page("before", "")]);
    let client = home.start(&["goto", &site().url("/hang?test=killed-client")]);
    until_asked("/hang?test=killed-client");
    client.kill();

    let last = || home.history().pop().unwrap();
    eventually("the daemon notices", || !last()["ok"].is_null());
    let entry = last();
    assert_eq!((&entry["verb"], &entry["code"]), (&"goto".into(), &"CANCELLED".into()));

    assert_eq!(home.eval("document.title"), "before");
    assert_eq!(home.data(&["goto", &site().page("after", "")])["title"], "after");
}

#[test]
fn twenty_sessions_at_once_share_one_daemon_and_one_browser() {
    let home = Home::whole();
    let sessions: Vec<String> = (1..=20).map(|number| format!("s{number}")).collect();
    let in_each = |what: &dyn Fn(&str) -> Vec<String>| -> Vec<Value> {
        let start = |session: &String| {
            let words = what(session);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            home.start(&[&["--session", session], &*words].concat())
        };
        let clients: Vec<Client> = sessions.iter().map(start).collect();
        clients.into_iter().map(|client| data(client.answer())).collect()
    };
    in_each(&|session| vec!["open".into(), site().url(&format!("/cookies/set?who={session}"))]);

    let daemons: Vec<Process> = Process::all_with(" daemon ")
        .into_iter()
        .filter(|process| {
            let environment = fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
            String::from_utf8_lossy(&environment).contains(home.path().to_str().unwrap())
        })
        .collect();
    assert_eq!(daemons, [home.daemon()]);
    let listed = home.data(&["sessions"])["sessions"].clone();
    let browser = home.browser().pid;
    assert_eq!(listed.as_array().unwrap().len(), 20);
    assert!(
        listed.as_array().unwrap().iter().all(|session| session["browser"]["pid"] == browser),
        "{listed}"
    );

    in_each(&|_| vec!["goto".into(), site().url("/cookies")]);
    let seen = in_each(&|_| vec!["eval".into(), "document.querySelector('#cookies').textContent".into()]);
    for (session, answer) in sessions.iter().zip(seen) {
        assert_eq!(answer["value"], format!("who={session}"), "each has its own cookies");
    }
}

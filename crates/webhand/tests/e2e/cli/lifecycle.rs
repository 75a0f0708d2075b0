//! How the daemon comes and goes, and what it leaves.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use serde_json::json;

use crate::{
    process::{Process, eventually},
    support::{Home, site, until_asked},
};

#[test]
fn asking_starts_no_daemon() {
    let home = Home::whole();
    assert_eq!(home.data(&["status"])["running"], false);
    assert_eq!(home.data(&["sessions"]), json!({"sessions": []}));
    assert_eq!(home.data(&["close"]), json!({"session": "default"}));
    assert_eq!(home.data(&["close", "--all"])["stopped"], false);
    assert_eq!(home.data(&["stop"])["stopped"], false);
    assert!(home.run(&["status"]).text().contains("not running"));
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0, "nothing was made");
}

#[test]
fn a_verb_in_a_session_that_is_not_there_is_an_error() {
    let home = Home::whole();
    assert_eq!(home.code(&["eval", "1"]), "SESSION_NOT_FOUND");
    assert_eq!(home.code(&["reload"]), "SESSION_NOT_FOUND");
    assert_eq!(home.code(&["tabs"]), "SESSION_NOT_FOUND");
    assert_eq!(home.data(&["status"])["browsers"], json!([]), "and starts no browser");
}

#[test]
fn only_its_user_may_talk_to_it() {
    let home = Home::with_daemon();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.socket()), 0o600);
    assert_eq!(mode(home.socket().parent().unwrap()), 0o700);
    assert_eq!(mode(&home.path().join("run/daemon.log")), 0o600);
}

#[test]
fn closing_and_stopping() {
    let home = Home::whole();
    home.data(&["open", &site().url("/cookies/set?gone=yes")]);
    home.data(&["--session", "other", "open"]);
    let status = home.data(&["status"]);
    assert_eq!((&status["running"], &status["sessions"]), (&json!(true), &json!(2)));
    assert_eq!(status["home"], home.path().to_str().unwrap());
    let sessions = home.run(&["sessions"]).text();
    assert!(sessions.contains("default") && sessions.contains("other"), "{sessions}");

    assert_eq!(home.data(&["close"])["session"], "default");
    assert_eq!(home.data(&["close"])["session"], "default", "closed is closed");
    assert_eq!(home.code(&["eval", "1"]), "SESSION_NOT_FOUND");
    assert_eq!(home.data(&["sessions"])["sessions"].as_array().unwrap().len(), 1);
    home.data(&["open", &site().url("/cookies")]);
    assert_eq!(home.eval("document.querySelector('#cookies').textContent"), "", "its cookies went with it");

    let browser = home.browser();
    let folder = browser.argument("user-data-dir");
    home.stop(&["close", "--all"]);
    eventually("the browser is gone", || Process::all_with(folder).is_empty());
    assert!(!Path::new(folder).exists() && !home.socket().exists());
    assert_eq!(home.data(&["status"])["running"], false);
}

#[test]
fn without_work_it_leaves() {
    let home = Home::whole();
    // A command under way keeps it, however long it takes to look around here.
    let hanging = home.start(&["open", &site().url("/hang?test=idle"), "--idle-timeout", "1s"]);
    until_asked("/hang?test=idle");
    let (daemon, browser) = (home.daemon(), home.browser());
    let folder = browser.argument("user-data-dir");

    hanging.kill();
    daemon.until_gone();
    eventually("the browser is gone", || Process::all_with(folder).is_empty());
    assert!(!Path::new(folder).exists() && !home.socket().exists());
    assert_eq!(home.data(&["status"])["running"], false);
}

#[test]
fn nothing_is_left_in_the_users_home_folder() {
    let (home, user) = (Home::whole(), tempfile::tempdir().unwrap());
    let run = |args: &[&str]| {
        let mut command = home.command(args);
        for name in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"] {
            command.env_remove(name);
        }
        assert!(command.env("HOME", user.path()).output().unwrap().status.success(), "{args:?}");
    };
    run(&["open", &site().url("/page?title=traces")]);
    run(&["screenshot"]);
    run(&["stop"]);
    let left: Vec<_> = fs::read_dir(user.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

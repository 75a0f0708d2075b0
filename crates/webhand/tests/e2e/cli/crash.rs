//! `kill -9`, of the browser and of the daemon.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use crate::{
    process::{Process, eventually},
    support::{Home, code, site},
};

/// It takes a fraction of a second; a loaded machine may take longer.
const AT_ONCE: Duration = Duration::from_secs(15);

#[test]
fn a_killed_browser_ends_the_command_and_not_the_session() {
    let home = Home::whole();
    home.data(&["open", &site().url("/cookies/set?kept=yes")]);
    let wait = home.start(&["wait", "30s"]);
    home.until_begun("wait");
    let browser = home.browser();

    browser.kill();
    let killed = Instant::now();
    let answer = wait.answer();
    assert!(killed.elapsed() < AT_ONCE, "it took {:?}", killed.elapsed());
    assert_eq!(code(&answer), "BROWSER_CRASHED");
    assert_eq!(answer["error"]["retriable"], true);

    let next = home.data(&["goto", &site().url("/cookies")]);
    assert_eq!((&next["tab"], &next["recovered"]), (&"t1".into(), &true.into()));
    assert_eq!(home.eval("document.querySelector('#cookies').textContent"), "kept=yes");
    assert_ne!(home.browser(), browser);

    let folder = browser.argument("user-data-dir");
    eventually("nothing of the killed browser is left", || Process::all_with(folder).is_empty());
    assert!(!Path::new(folder).exists(), "{folder}");
}

#[test]
fn a_browser_that_hangs_does_not_outlive_a_killed_daemon() {
    let home = Home::whole();
    home.data(&["open", &site().url("/page")]);
    let (daemon, browser) = (home.daemon(), home.browser());
    let folder = browser.argument("user-data-dir");
    let family = Process::all_with(folder);
    // A stopped process notices nothing, not even that its pipe has closed: only the guardian can end it.
    browser.stop();
    daemon.kill();
    family.iter().for_each(Process::until_gone);
    assert!(!Path::new(folder).exists(), "{folder}");
}

#[test]
fn a_killed_daemon_leaves_nothing_behind() {
    let home = Home::whole();
    home.data(&["open", &site().url("/frames-cross.html")]);
    let wait = home.start(&["wait", "30s"]);
    home.until_begun("wait");
    let (daemon, browser) = (home.daemon(), home.browser());
    let folder = browser.argument("user-data-dir");
    let family = Process::all_with(folder);
    assert!(family.len() > 3 && family.contains(&browser), "{family:?}");
    assert!(family.iter().any(|process| process.command.contains("webhand-guardian")), "{family:?}");
    assert!(Path::new(folder).is_dir(), "{folder}");

    daemon.kill();
    assert_eq!(code(&wait.answer()), "INTERNAL", "whoever waits is told");
    family.iter().for_each(Process::until_gone);
    assert_eq!(Process::all_with(folder), [], "and no new ones have come");
    assert!(!Path::new(folder).exists(), "{folder}");

    assert!(home.socket().exists(), "nobody was there to remove it");
    assert_eq!(home.data(&["status"])["running"], false);
    assert_eq!(home.data(&["open", &site().url("/")])["status"], 200);
    assert_ne!(home.daemon(), daemon);
}

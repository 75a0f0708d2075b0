//! Sessions: isolated from each other, in one browser; profiles; browsers of others.

use std::{process::Stdio, time::Duration};

use contract::{Code, Outcome};
use engine::{
    Front, SessionOptions, Until,
    actions::{Close, Download, Open, Tabs, TabsOp, Wait},
};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
};

use crate::{
    crash::{browser_pid, processes_of},
    support::{Fixture, code, eval, goto, new_engine, options, run, run_alone, runtime, site},
};

#[test]
fn twenty_at_once_are_isolated_and_share_one_browser() {
    run_alone(async |first| {
        let sessions: Vec<Fixture> = (0..20).map(|_| Fixture::new(first.engine.clone())).collect();
        let opening = sessions.iter().enumerate().map(|(n, s)| async move {
            s.open(&site().url(&format!("/cookies/set?who={n}"))).await;
            s.eval(&format!("localStorage.setItem('who', '{n}'), 1")).await;
        });
        futures_util::future::join_all(opening).await;
        let reading = sessions.iter().map(|s| async move {
            s.open(&site().url("/cookies")).await;
            s.eval("document.querySelector('#cookies').textContent + ' ' + localStorage.getItem('who')").await
        });
        let seen: Vec<_> = futures_util::future::join_all(reading).await;
        let expected: Vec<_> = (0..20).map(|n| format!("who={n} {n}")).collect();
        assert_eq!(seen, expected);
        let browsers: std::collections::HashSet<_> =
            first.engine.list().iter().map(|info| info.browser.as_ref().unwrap().pid).collect();
        assert_eq!((browsers.len(), first.engine.list().len()), (1, 20));
    });
}

/// Chromium shows parts of its own window as pages, in processes of their own for each session; nobody sees these.
#[test]
fn the_browser_runs_no_pages_of_its_own() {
    run_alone(async |s| {
        s.open(&site().url("/page")).await;
        let browser = browser_pid(&s);
        assert!(!processes_of(browser, "--type=renderer").is_empty());
        assert_eq!(processes_of(browser, "--top-chrome-webui"), Vec::<u32>::new());
    });
}

#[test]
fn a_closed_session_frees_its_context_and_its_name() {
    run(async |s| {
        s.open(&site().url("/cookies/set?left=behind")).await;
        s.close().await;
        assert!(!s.engine.has(&s.name));
        assert_eq!(code(s.perform(eval("1")).await), Code::SessionNotFound);
        s.close().await;
        s.open(&site().url("/cookies")).await;
        assert_eq!(
            s.eval("document.querySelector('#cookies').textContent").await,
            "",
            "a new session is new"
        );
    });
}

#[test]
fn options_that_contradict_are_refused() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        let other = Fixture { options: SessionOptions { headed: Some(true), ..options() }, ..s.clone() };
        assert_eq!(code(other.perform(eval("1")).await), Code::InvalidInput);
        let both = SessionOptions {
            profile: Some("p".parse().unwrap()),
            attach: Some("http://x".into()),
            ..options()
        };
        let both = Fixture { options: both, ..Fixture::new(s.engine.clone()) };
        assert_eq!(code(both.perform(goto(&site().url("/"))).await), Code::InvalidInput);
    });
}

#[test]
fn a_missing_browser_is_told_with_what_to_do() {
    run(async |s| {
        let options =
            SessionOptions { browser: Some("/nowhere/chromium".into()), ..SessionOptions::default() };
        let other = Fixture { options, ..Fixture::new(s.engine.clone()) };
        assert_eq!(code(other.perform(goto(&site().url("/"))).await), Code::BrowserNotInstalled);
        let options = SessionOptions { browser: Some("/bin/false".into()), ..SessionOptions::default() };
        let other = Fixture { options, ..Fixture::new(s.engine.clone()) };
        assert_eq!(code(other.perform(goto(&site().url("/"))).await), Code::BrowserLaunchFailed);
    });
}

#[test]
fn a_profile_outlives_its_session_and_has_one_user_at_a_time() {
    let engine = new_engine(|_| {});
    runtime().block_on(async {
        let options = SessionOptions { profile: Some("work".parse().unwrap()), ..options() };
        let s = Fixture { options: options.clone(), ..Fixture::new(engine.clone()) };
        s.open(&site().url("/cookies/set?kept=yes")).await;
        // A cookie without an expiry goes with the browser, profile or not; this one is to stay.
        s.eval("document.cookie = 'stays=1; max-age=9999; path=/'; localStorage.setItem('n', '7'), 1").await;
        let file = s.perform(Download::of(&*site().url("/download?bytes=5"))).await.unwrap();
        assert_eq!(file.downloads[0].bytes, 5);
        let second = Fixture { options: options.clone(), ..Fixture::new(engine.clone()) };
        let error = second.perform(goto(&site().url("/"))).await.unwrap_err();
        assert_eq!(error.code, Code::ProfileInUse);
        assert!(error.message.contains(s.name.as_str()), "{}", error.message);
        s.close().await;
        second.open(&site().url("/cookies")).await;
        let seen =
            second.eval("document.querySelector('#cookies').textContent + localStorage.getItem('n')").await;
        assert!(
            seen.as_str().unwrap().contains("stays=1") && seen.as_str().unwrap().ends_with('7'),
            "{seen}"
        );
        engine.close(Front::Library).await;
    });
}

#[test]
fn a_browser_of_somebody_else_is_used_and_left_as_it_was() {
    run(async |s| {
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Command::new(testkit::browser())
            .args([
                "--headless",
                "--no-sandbox",
                "--remote-debugging-port=0",
                "--no-first-run",
                "--disable-sync",
            ])
            .args(["--disable-background-networking", "--disable-component-update"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(site().url("/page?title=theirs"))
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(browser.stderr.take().unwrap()).lines();
        let websocket = loop {
            let line = lines.next_line().await.unwrap().expect("the browser says where it listens");
            if let Some((_, address)) = line.split_once("listening on ") {
                break address.to_owned();
            }
        };
        site().hit("/page?title=theirs", 1).await;
        let http = format!("http://{}", websocket.split('/').nth(2).unwrap());
        for address in [http, websocket] {
            let options = SessionOptions { attach: Some(address), ..SessionOptions::default() };
            let attached = Fixture { options, ..Fixture::new(s.engine.clone()) };
            attached.perform(Open { url: None, until: Until::Load }).await.unwrap();
            // Their page may just be loading.
            let started: Outcome = attached.perform(Wait::until(Until::NetworkIdle)).await.unwrap();
            assert!(started.url.as_ref().is_some_and(|url| url.ends_with("title=theirs")), "{started:?}");
            assert_eq!(attached.eval("document.title").await, "theirs");
            let ours =
                TabsOp::Open { url: Some((&*site().url("/page?title=ours")).into()), until: Until::Load };
            attached.perform(Tabs { op: Some(ours) }).await.unwrap();
            assert_eq!(attached.eval("document.title").await, "ours");
            let file = attached.perform(Download::of(&*site().url("/download?bytes=5"))).await.unwrap();
            assert_eq!(file.downloads[0].bytes, 5);
            attached.perform(Close {}).await.unwrap();
            // Theirs is still there, ours is not.
            let again = Fixture { options: attached.options.clone(), ..Fixture::new(s.engine.clone()) };
            again.perform(Open { url: None, until: Until::Load }).await.unwrap();
            let tabs = again.perform(Tabs::default()).await.unwrap().tabs.unwrap();
            assert_eq!(tabs.len(), 1, "{tabs:?}");
            again.close().await;
        }
        browser.kill().await.unwrap();
        let options =
            SessionOptions { attach: Some("http://127.0.0.1:1".into()), ..SessionOptions::default() };
        let nobody = Fixture { options, ..Fixture::new(s.engine.clone()) };
        assert_eq!(
            code(nobody.within(Duration::from_secs(5), goto(&site().url("/"))).await),
            Code::BrowserNotRunning
        );
    });
}

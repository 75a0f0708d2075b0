//! Browsers and pages that end: noticed at once, and what they held comes back.

use std::{path::PathBuf, time::Duration};

use contract::{Code, Error, Outcome, TabId};
use engine::{
    Action, Front, Until,
    actions::{Fill, Press, Tabs, TabsOp},
};
use tokio::task::JoinHandle;

use crate::{
    clicking::click,
    support::{Fixture, code, eval, goto, new_engine, run_alone, runtime, site},
};

pub(crate) fn browser_pid(s: &Fixture) -> u32 {
    s.engine.list().iter().find(|info| info.session == s.name).unwrap().browser.as_ref().unwrap().pid.unwrap()
}

pub(crate) fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// Begins an action that never ends by itself, and returns once its page has begun it.
pub(crate) async fn begin_endless(s: &Fixture, test: &str) -> JoinHandle<Result<Outcome, Error>> {
    let begun = format!("/page?title=endless-{test}");
    let js = format!("fetch('{begun}').then(() => new Promise(() => {{}}))");
    let action = {
        let s = s.clone();
        tokio::spawn(async move { s.perform(eval(&js)).await })
    };
    site().hit(&begun, 1).await;
    action
}

#[test]
fn a_killed_browser_is_noticed_at_once_and_the_session_comes_back() {
    run_alone(async |s| {
        s.open(&site().url("/cookies/set?kept=yes")).await;
        let second =
            TabsOp::Open { url: Some((&*site().url("/page?title=second")).into()), until: Until::Load };
        s.perform(Tabs { op: Some(second) }).await.unwrap();
        let label = TabsOp::Label { tab: TabId(2), label: "shop".into() };
        s.perform(Tabs { op: Some(label) }).await.unwrap();
        let waiting = begin_endless(&s, "killed").await;
        let pid = browser_pid(&s);
        let before = tokio::time::Instant::now();
        kill(pid);
        assert_eq!(code(waiting.await.unwrap()), Code::BrowserCrashed);
        assert!(before.elapsed() < Duration::from_secs(5), "it did not wait for its own end");

        let outcome = s.perform(eval("document.title")).await.unwrap();
        assert_eq!(outcome.value.unwrap(), "second", "the active tab is where it was");
        assert!(outcome.recovered);
        assert_ne!(browser_pid(&s), pid);
        let tabs = s.perform(Tabs::default()).await.unwrap().tabs.unwrap();
        let ids: Vec<_> = tabs.iter().map(|tab| (tab.tab.to_string(), tab.active)).collect();
        assert_eq!(ids, [("t1".into(), false), ("t2".into(), true)]);
        assert_eq!(tabs[1].label.as_deref(), Some("shop"));
        s.perform(goto(&site().url("/cookies"))).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#cookies').textContent").await, "kept=yes");
    });
}

#[test]
fn a_navigation_ends_with_the_browser_and_works_in_the_next() {
    run_alone(async |s| {
        s.open(&site().url("/page")).await;
        let hang = "/hang?test=browser-crash";
        let going = {
            let (s, url) = (s.clone(), site().url(hang));
            tokio::spawn(async move { s.perform(goto(&url)).await })
        };
        site().hit(hang, 1).await;
        kill(browser_pid(&s));
        assert_eq!(code(going.await.unwrap()), Code::BrowserCrashed);
        assert!(s.open(&site().url("/page?title=back")).await.recovered);
    });
}

#[test]
fn a_crashed_page_is_told_and_opened_anew() {
    run_alone(async |s| {
        s.open(&site().url("/page?title=fragile")).await;
        let waiting = begin_endless(&s, "crashed").await;
        processes_of(browser_pid(&s), "--type=renderer").into_iter().for_each(kill);
        assert_eq!(code(waiting.await.unwrap()), Code::PageCrashed);
        let outcome = title_after_a_crash(&s).await;
        assert_eq!((outcome.value.unwrap(), outcome.tab.unwrap().0), ("fragile".into(), 1));
        assert!(outcome.recovered);
        // Two at once that find the page crashed open it once.
        processes_of(browser_pid(&s), "--type=renderer").into_iter().for_each(kill);
        let (one, two) = tokio::join!(s.perform(eval("1")), s.perform(eval("2")));
        let _ = (one, two);
        assert_eq!(title_after_a_crash(&s).await.value.unwrap(), "fragile");
        assert_eq!(s.perform(Tabs::default()).await.unwrap().tabs.unwrap().len(), 1);
        // The context that was kept ready crashed as well; a session that gets it does not notice.
        let next = Fixture::new(s.engine.clone());
        assert_eq!(next.open(&site().url("/page?title=next")).await.title.as_deref(), Some("next"));
    });
}

/// Chromium 148 may end a moment after all of its renderers were killed at once. Whoever is told so asks again, of the next one.
async fn title_after_a_crash(s: &Fixture) -> Outcome {
    match s.perform(eval("document.title")).await {
        Err(error) if error.code == Code::BrowserCrashed => s.perform(eval("document.title")).await.unwrap(),
        outcome => outcome.unwrap(),
    }
}

/// The processes of the browser's group that were started with a flag.
pub(crate) fn processes_of(browser: u32, flag: &str) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_meant = |pid: &u32| {
        let group = std::fs::read_to_string(format!("/proc/{pid}/stat"))
            .ok()
            .and_then(|stat| stat.rsplit_once(") ")?.1.split(' ').nth(2)?.parse().ok());
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        group == Some(browser) && String::from_utf8_lossy(&line).contains(flag)
    };
    processes.filter(is_meant).collect()
}

#[test]
fn nothing_is_left_of_a_browser_that_was_closed() {
    let engine = new_engine(|_| {});
    runtime().block_on(async {
        let s = Fixture::new(engine.clone());
        s.open(&site().url("/page")).await;
        let pid = browser_pid(&s);
        let profile = temporary_profile(pid);
        assert!(profile.exists());
        engine.close(Front::Library).await;
        assert!(!profile.exists(), "{profile:?}");
        assert!(!PathBuf::from(format!("/proc/{pid}/exe")).exists());
    });
}

/// The folder that the browser was started with.
fn temporary_profile(pid: u32) -> PathBuf {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap();
    let line = String::from_utf8_lossy(&line).into_owned();
    let flag = line.split('\0').find_map(|flag| flag.strip_prefix("--user-data-dir=")).unwrap();
    flag.into()
}

/// What was given to a page that ended with its browser, or by itself, may have been done or not: that is no success.
#[test]
fn what_was_under_way_when_the_browser_or_the_page_ended_has_not_succeeded() {
    run_alone(async |s| {
        let form = |test: &str| {
            format!(
                "<form action='/hang?test={test}' method=post><input name=f aria-label=F><button>Send</button></form>"
            )
        };
        let deeds: [(&str, Action, bool); 4] = [
            ("click", click("Send").into(), true),
            (
                "enter",
                Press { target: Some("F".parse().unwrap()), ..Press::new("Enter".into()) }.into(),
                true,
            ),
            ("submit", Fill { submit: true, ..Fill::new("F".parse().unwrap(), "x".into()) }.into(), false),
            ("page", click("Send").into(), false),
        ];
        for (test, action, kills_browser) in deeds {
            let path = format!("/hang?test=ends-{test}");
            s.open(&site().page("form", &form(&format!("ends-{test}")))).await;
            let doing = {
                let s = s.clone();
                tokio::spawn(async move { s.perform(action).await })
            };
            site().hit(&path, 1).await;
            let browser = browser_pid(&s);
            match kills_browser {
                true => kill(browser),
                false => processes_of(browser, "--type=renderer").into_iter().for_each(kill),
            }
            let error = doing.await.unwrap().unwrap_err();
            assert!(matches!(error.code, Code::BrowserCrashed | Code::PageCrashed), "{test}: {error}");
            assert_eq!((site().hits(&path), error.retriable()), (1, false), "{test}");
        }
    });
}

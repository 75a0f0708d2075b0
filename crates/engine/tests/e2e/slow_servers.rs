//! Servers that take their time, and pages that hang while they are to be left. Whatever happens, a server is asked once.

use std::time::Duration;

use contract::{Code, Outcome, Span, TabId};
use engine::{
    Action, Config, Front, Until,
    actions::{Back, Eval, Forward, Goto, Open, Reload, Requests, Snapshot, Tabs, TabsOp, Wait, World},
};

use crate::{
    clicking::click,
    crash::{browser_pid, kill, processes_of},
    support::{Fixture, code, eval, goto, look, new_engine, runtime, site},
};

/// How long a page may be silent here before it counts as hung, and how long a slow server takes: longer than that.
const UNRESPONSIVE: Duration = Duration::from_secs(2);
const SLOW: u64 = 3000;

/// Runs a test in an engine of its own that takes pages for hung soon.
fn run<F: Future<Output = ()>>(test: impl FnOnce(Fixture) -> F) {
    let engine = new_engine(|config: &mut Config| config.unresponsive_after = UNRESPONSIVE);
    runtime().block_on(async {
        test(Fixture::new(engine.clone())).await;
        engine.close(Front::Library).await;
    });
}

fn slow(test: &str) -> String {
    format!("/slow?ms={SLOW}&test={test}")
}

/// Runs something in the page's own world.
fn in_page(js: impl Into<String>) -> Eval {
    Eval { world: World::Main, ..Eval::new(js.into()) }
}

/// Makes the page hang, and waits until it does.
async fn hang(s: &Fixture, test: &str) {
    let last_word = format!("/page?title=hangs-in-{test}");
    s.perform(in_page(format!(
        "setTimeout(() => {{ navigator.sendBeacon('{last_word}'); while (true) {{}} }}, 0), 1"
    )))
    .await
    .unwrap();
    site().hit(&last_word, 1).await;
}

fn was_given_up(outcome: &Outcome) -> bool {
    outcome.notes.iter().any(|note| note.contains("given up"))
}

#[test]
fn a_slow_answer_is_waited_for_with_one_request() {
    run(async |first| {
        let others = (0..3).map(|_| Fixture::new(first.engine.clone()));
        let sessions: Vec<Fixture> = std::iter::once(first.clone()).chain(others).collect();
        let each = sessions.iter().enumerate().map(|(number, s)| async move {
            s.open(&site().url("/page?title=before")).await;
            let path = slow(&format!("goto-{number}"));
            let outcome = s.perform(goto(&site().url(&path))).await.unwrap();
            assert_eq!((outcome.title.as_deref(), outcome.status), (Some("slow"), Some(200)));
            assert_eq!((site().hits(&path), was_given_up(&outcome)), (1, false), "{:?}", outcome.notes);
            let back = s.perform(Back::default()).await.unwrap();
            assert_eq!(back.title.as_deref(), Some("before"), "the history is still there");
        });
        futures_util::future::join_all(each).await;
    });
}

#[test]
fn a_slow_page_is_loaded_again_and_in_a_new_tab_with_one_request() {
    run(async |s| {
        let path = slow("reload");
        let open =
            Tabs { op: Some(TabsOp::Open { url: Some((&*site().url(&path)).into()), until: Until::Load }) };
        s.open(&site().url("/page")).await;
        let opened = s.perform(open).await.unwrap();
        assert_eq!(
            (opened.tab, opened.title.as_deref(), site().hits(&path)),
            (Some(TabId(2)), Some("slow"), 1)
        );
        let outcome = s.perform(Reload::default()).await.unwrap();
        assert_eq!((outcome.status, site().hits(&path)), (Some(200), 2));
        assert!(!was_given_up(&outcome));
    });
}

#[test]
fn a_server_that_says_nothing_is_named_and_the_page_stays_usable() {
    run(async |s| {
        let before = site().page("before", "<button onclick=\"this.textContent = 'pressed'\">Press</button>");
        s.open(&before).await;
        let path = "/hang?test=says-nothing";
        let time = UNRESPONSIVE + Duration::from_millis(500);
        let error = s.within(time, goto(&site().url(path))).await.unwrap_err();
        assert_eq!((error.code, site().hits(path)), (Code::Timeout, 1));
        assert!(error.message.contains(&site().url(path)) && error.message.contains("server"), "{error}");
        assert!(!error.to_string().contains("browser did not answer"), "{error}");
        assert!(look(&s).await.contains("Press"), "the page before is still there");
        s.perform(click("css=button")).await.unwrap();
        assert!(look(&s).await.contains("pressed"));
        assert_eq!(site().hits(path), 1);
        // The same when the page is loaded again, and when the history leads there.
        s.eval(&format!("history.replaceState(null, '', '{path}'), 1")).await;
        let error = s.within(Duration::from_secs(4), Reload::default()).await.unwrap_err();
        assert_eq!((error.code, site().hits(path)), (Code::Timeout, 2));
        assert!(error.message.contains(&site().url(path)) && error.message.contains("server"), "{error}");
        assert!(look(&s).await.contains("pressed"), "the page is still there");
    });
}

#[test]
fn a_page_that_comes_in_pieces_is_asked_for_once() {
    run(async |s| {
        let path = format!("/trickle?pieces=6&kb=64&ms={}", SLOW / 6);
        let commit = Goto { url: (&*site().url(&path)).into(), until: Until::Commit };
        s.perform(commit).await.unwrap();
        let outcome = s.perform(goto(&site().url(&format!("{path}&again")))).await.unwrap();
        assert_eq!((outcome.title.as_deref(), outcome.status), (Some("trickle"), Some(200)));
        assert_eq!((site().hits(&path), site().hits(&format!("{path}&again"))), (1, 1));
        assert!(look(&s).await.contains("piece 5"));
    });
}

#[test]
fn a_page_that_hangs_is_left_with_one_request_whatever_the_server() {
    run(async |s| {
        for (test, path) in
            [("fast", "/page?title=slow&test=hung-fast".to_owned()), ("slow", slow("hung-slow"))]
        {
            s.open(&site().url("/page?title=before")).await;
            hang(&s, test).await;
            let outcome = s.perform(goto(&site().url(&path))).await.unwrap();
            assert_eq!((outcome.title.as_deref(), outcome.status), (Some("slow"), Some(200)));
            assert_eq!((outcome.tab, site().hits(&path)), (Some(TabId(1)), 1));
            assert!(outcome.notes.iter().any(|note| note.contains("script")), "{:?}", outcome.notes);
            assert_eq!(s.eval("document.title").await, "slow");
            let back = s.perform(Back::default()).await.unwrap();
            assert_eq!(back.title.as_deref(), Some("before"), "the history is still there");
        }
        hang(&s, "history").await;
        let outcome = s.perform(Forward::default()).await.unwrap();
        assert_eq!(outcome.title.as_deref(), Some("slow"));
    });
}

#[test]
fn a_page_that_hangs_as_it_is_left_is_left_with_one_request() {
    run(async |s| {
        s.open(&site().url("/page?title=before")).await;
        s.perform(in_page("addEventListener('beforeunload', () => { while (true) {} }), 1")).await.unwrap();
        let path = "/page?title=after&test=beforeunload";
        let outcome = s.perform(goto(&site().url(path))).await.unwrap();
        assert_eq!((outcome.title.as_deref(), site().hits(path)), (Some("after"), 1));
    });
}

#[test]
fn a_page_that_hangs_for_good_is_given_up_before_the_server_is_asked() {
    run(async |s| {
        s.open(&site().url("/page?title=before")).await;
        // No script that could be stopped: the page waits for a request.
        let hang = "/hang?test=sync";
        let sync = "const request = new XMLHttpRequest(); request.open('GET', HANG, false); request.send();";
        s.perform(in_page(format!(
            "setTimeout(() => {{ {} }}, 0), 1",
            sync.replace("HANG", &format!("'{hang}'"))
        )))
        .await
        .unwrap();
        site().hit(hang, 1).await;
        let path = "/page?title=after&test=sync";
        let outcome = s.perform(goto(&site().url(path))).await.unwrap();
        assert_eq!((outcome.title.as_deref(), outcome.status), (Some("after"), Some(200)));
        assert_eq!((outcome.tab, site().hits(path)), (Some(TabId(1)), 1));
        assert!(was_given_up(&outcome), "{:?}", outcome.notes);
    });
}

#[test]
fn a_page_that_hangs_while_the_server_thinks_is_given_up_and_the_server_is_not_asked_again() {
    run(async |s| {
        s.open(&site().url("/page?title=before")).await;
        s.perform(in_page("setTimeout(() => { while (true) {} }, 4000), 1")).await.unwrap();
        let path = "/slow?ms=6000&test=hangs-later";
        let error = s.perform(goto(&site().url(path))).await.unwrap_err();
        assert_eq!((error.code, site().hits(path)), (Code::NavigationFailed, 1), "{error}");
        assert!(error.message.contains(&site().url(path)), "{error}");
        let outcome = s.perform(goto(&site().url("/page?title=after"))).await.unwrap();
        assert_eq!((outcome.title.as_deref(), outcome.tab), (Some("after"), Some(TabId(1))));
        assert_eq!(site().hits(path), 1);
    });
}

#[test]
fn a_click_that_leads_to_a_slow_server_is_told_with_the_address() {
    run(async |s| {
        let path = "/hang?test=click";
        s.open(&site().page("links", &format!("<a href=\"{path}\">Slow</a>"))).await;
        let outcome = s.within(Duration::from_secs(4), click("css=a")).await.unwrap();
        assert!(outcome.notes.iter().any(|note| note.contains(&site().url(path))), "{:?}", outcome.notes);
        let error = s.within(Duration::from_secs(2), Snapshot::default()).await.unwrap_err();
        assert_eq!(error.code, Code::Timeout);
        assert!(error.message.contains(&site().url(path)) && error.message.contains("server"), "{error}");
        assert_eq!(site().hits(path), 1);
        // Who goes elsewhere does not wait for it.
        assert_eq!(s.open(&site().url("/page?title=after")).await.title.as_deref(), Some("after"));
    });
}

#[test]
fn a_tab_comes_back_from_a_slow_server_with_one_request() {
    run(async |s| {
        let path = slow("crash");
        s.open(&site().url(&path)).await;
        processes_of(browser_pid(&s), "--type=renderer").into_iter().for_each(kill);
        let mut crashes = 1;
        let outcome = match s.perform(eval("document.title")).await {
            // The browser may end a moment after its renderers, when the page is on its way back.
            Err(error) if matches!(error.code, Code::BrowserCrashed | Code::PageCrashed) => {
                crashes += 1;
                s.perform(eval("document.title")).await.unwrap()
            }
            outcome => outcome.unwrap(),
        };
        assert_eq!((outcome.value.unwrap(), outcome.recovered), ("slow".into(), true));
        let requests = site().hits(&path);
        assert!((2..=1 + crashes).contains(&requests), "{requests} requests, {crashes} crashes");
        // A browser that is killed comes back with its tabs; a server that says nothing does not keep the session from it.
        s.eval("history.replaceState(null, '', '/hang?test=restore'), 1").await;
        kill(browser_pid(&s));
        let time = Duration::from_secs(12); // Enough for a browser to start on a busy machine.
        let looking = s.within(time, Snapshot::default()).await;
        let error = match looking {
            Err(error) if error.code == Code::BrowserCrashed => {
                s.within(time, Snapshot::default()).await.unwrap_err()
            }
            looking => looking.unwrap_err(),
        };
        assert_eq!(error.code, Code::Timeout, "{error}");
        assert!(error.message.contains(&site().url("/hang?test=restore")), "{error}");
        assert_eq!(site().hits("/hang?test=restore"), 1);
        let open = Open { url: Some((&*site().url("/page?title=after")).into()), until: Until::Load };
        assert_eq!(s.perform(open).await.unwrap().title.as_deref(), Some("after"));
        assert_eq!(code(s.perform(Back::default()).await), Code::NavigationFailed);
    });
}

/// A server that takes a request and ends the connection may have acted on it.
#[test]
fn a_request_without_an_answer_is_sent_once() {
    run(async |s| {
        let form = |test: &str| {
            let action = format!("/close?test={test}");
            format!("<form method=post action='{action}'><button>Send</button></form>")
        };
        s.open(&site().page("form", &form("form"))).await;
        s.perform(click("Send")).await.unwrap();
        // The first request of a session, and one over a connection that was used before.
        let fresh = Fixture::new(s.engine.clone());
        for (at, s) in [&fresh, &s].into_iter().enumerate() {
            let address = format!("/close?test=goto{at}");
            let failed = s.perform(goto(&site().url(&address))).await.unwrap_err();
            assert_eq!(failed.cause.as_deref(), Some("net::ERR_EMPTY_RESPONSE"), "{failed}");
        }
        s.open(&site().page("fetch", "")).await;
        let fetch = "fetch('/close?test=fetch', {method: 'POST'}).then(answer => answer.status, error => String(error))";
        let value = s.perform(in_page(fetch)).await.unwrap().value.unwrap();
        assert_eq!(value, "TypeError: Failed to fetch");
        let listed =
            s.perform(Requests { filter: Some("test=fetch".into()), ..Requests::default() }).await.unwrap();
        assert_eq!(listed.requests[0].error.as_deref(), Some("net::ERR_EMPTY_RESPONSE"));
        // Browsers load pages again by themselves that failed, a second later at first.
        s.perform(Wait::until(Until::Time(Span(Duration::from_millis(1500))))).await.unwrap();
        for test in ["form", "goto0", "goto1", "fetch"] {
            assert_eq!(site().hits(&format!("/close?test={test}")), 1, "{test}");
        }
    });
}

/// Nothing more comes, so nothing more is waited for; but the page is not whole, which nobody is to miss.
#[test]
fn a_page_whose_connection_ends_in_the_middle_is_told_at_once_and_can_be_used() {
    run(async |s| {
        let path = |test: &str| format!("/broken?test={test}");
        let links = format!(
            "<a href='{}'>Link</a><form method=post action='{}'><button>Send</button></form>",
            path("link"),
            path("form")
        );
        let error = s.perform(goto(&site().url(&path("goto")))).await.unwrap_err();
        assert_eq!(error.code, Code::NavigationFailed, "{error}");
        assert!(error.cause.as_deref().is_some_and(|cause| cause.starts_with("net::ERR_")), "{error}");
        assert!(error.message.contains("not whole"), "{error}");
        s.perform(click("Press")).await.unwrap();
        assert!(look(&s).await.contains("pressed"));
        let error = s.perform(Reload::default()).await.unwrap_err();
        assert_eq!((error.code, site().hits(&path("goto"))), (Code::NavigationFailed, 2), "{error}");
        for (target, test) in [("Link", "link"), ("Send", "form")] {
            s.open(&site().page("links", &links)).await;
            let outcome = s.perform(click(target)).await.unwrap();
            assert!(outcome.notes.iter().any(|note| note.contains("not whole")), "{:?}", outcome.notes);
            assert!(look(&s).await.contains("the beginning"));
            assert_eq!(site().hits(&path(test)), 1);
        }
    });
}

/// While a tab waits for a server, the browser holds questions to its page back, and refuses them when the next page is there.
#[test]
fn what_is_asked_meanwhile_is_answered_by_the_page_that_comes() {
    run(async |s| {
        for (test, action) in [("look", Action::from(Snapshot::default())), ("wait", click("css=h1").into())]
        {
            let path = slow(test);
            s.open(&site().page("links", &format!("<a href=\"{path}\">Slow</a>"))).await;
            look(&s).await;
            let early = s.within(Duration::from_secs(2), click("css=a")).await.unwrap();
            assert!(early.notes.iter().any(|note| note.contains("has not answered")), "{:?}", early.notes);
            let outcome = s.perform(action).await.unwrap();
            assert_eq!((outcome.title.as_deref(), site().hits(&path)), (Some("slow"), 1), "{test}");
        }
    });
}

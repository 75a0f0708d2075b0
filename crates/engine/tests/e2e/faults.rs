//! For every call that an action makes to the browser: when it fails, is dropped, or the connection ends at it, the caller
//! gets a coded error within the deadline, and the session can be used afterwards.

use std::time::Duration;

use cdp::fault::{Fault, Faults};
use contract::{Code, Error, Outcome};
use engine::{
    Action, Front,
    actions::{
        Back, Controls, Download, Drag, Find, Forward, Frames, Html, Pdf, Read, Reload, Screenshot, Scroll,
        Snapshot, Tabs, TabsOp, Upload, Wait,
    },
};

use crate::support::{Fixture, eval, goto, new_engine, runtime, site};

/// Every verb that makes calls, as it is tried.
fn actions() -> Vec<(&'static str, Action)> {
    let target = |text: &str| text.parse().unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let tab = |url: Option<&str>| TabsOp::Open { url: url.map(Into::into), until: engine::Until::Load };
    vec![
        ("goto", goto(&site().url("/page?title=there")).into()),
        ("back", Back::default().into()),
        ("forward", Forward::default().into()),
        ("reload", Reload::default().into()),
        ("tabs open", Tabs { op: Some(tab(Some(&site().url("/page?title=new")))) }.into()),
        ("tabs close", Tabs { op: Some(TabsOp::Close { tab: None }) }.into()),
        ("frames", Frames {}.into()),
        ("read", Read::default().into()),
        ("html", Html::default().into()),
        ("controls", Controls::default().into()),
        ("screenshot", Screenshot { full: true, ..Screenshot::default() }.into()),
        ("screenshot with labels", Screenshot { labels: true, ..Screenshot::default() }.into()),
        ("snapshot", Snapshot { boxes: true, ..Snapshot::default() }.into()),
        (
            "snapshot of a part",
            Snapshot { scope: Some("css=h1".parse().unwrap()), ..Snapshot::default() }.into(),
        ),
        ("find", Find { words: "usable".into(), ..Find::default() }.into()),
        ("eval", eval("({a: 1})").into()),
        ("drag", Drag { steps: Some(2), ..Drag::new(target("css=#card"), target("css=#box")) }.into()),
        ("drag of a point", Drag { steps: Some(2), ..Drag::new(target("10,20"), target("300,300")) }.into()),
        ("scroll", Scroll::default().into()),
        ("scroll to an element", Scroll::new(target("css=h1")).into()),
        ("upload", Upload::new(target("css=#field"), vec![file.into()]).into()),
        ("upload to a chooser", Upload::new(target("css=#choose"), vec![file.into()]).into()),
        ("download", Download::new(target("css=#file")).into()),
        ("download of an address", Download::of(&*site().url("/download?bytes=10")).into()),
        ("pdf", Pdf::default().into()),
        ("wait", Wait { until: "network_idle".parse().unwrap() }.into()),
    ]
}

/// A tab with a page before and a page after the current one, and no other tab but the first.
async fn prepared(s: &Fixture) {
    let tabs =
        s.perform(Tabs::default()).await.map(|outcome| outcome.tabs.unwrap_or_default()).unwrap_or_default();
    for tab in tabs.iter().skip(1) {
        let _ = s.perform(Tabs { op: Some(TabsOp::Close { tab: Some(tab.tab) }) }).await;
    }
    s.perform(goto(&site().url("/page?title=one"))).await.unwrap();
    s.perform(goto(&site().url("/hash.html"))).await.unwrap();
    s.perform(goto(&site().url("/page?title=three"))).await.unwrap();
    s.perform(Back::default()).await.unwrap();
}

/// A page with something for every verb.
const USABLE: &str = r#"<h1>usable</h1><p id="card" draggable="true" ondragstart="event.dataTransfer.setData('text/plain', 'x')">Card</p>
  <p id="box" ondragover="event.preventDefault()" ondrop="event.preventDefault()">Box</p><a id="file" href="/download?bytes=10">File</a>
  <input id="field" type="file"><button id="choose" onclick="document.querySelector('#field').click()">Choose</button>"#;

async fn usable(s: &Fixture, after: &str) {
    let outcome = s.perform(goto(&site().page("usable", USABLE))).await;
    let outcome = outcome.unwrap_or_else(|error| panic!("unusable after {after}: {error}"));
    assert_eq!(outcome.title.as_deref(), Some("usable"), "{after}");
}

fn check_all(fault: Fault, deadline: Duration) {
    let faults = Faults::default();
    let engine = new_engine(|config| config.faults = Some(faults.clone()));
    runtime().block_on(async {
        let s = Fixture::new(engine.clone());
        for (name, action) in actions() {
            prepared(&s).await;
            for nth in 0.. {
                faults.arm(nth, fault);
                let before = tokio::time::Instant::now();
                let result: Result<Outcome, Error> = s.within(deadline, action.clone()).await;
                let took = before.elapsed();
                let calls = faults.disarm();
                let what = format!(
                    "{fault:?} at call {nth} of {name} ({})",
                    calls.get(nth).map_or("-", |call| call)
                );
                // Whatever happened, it is told in time; a second is what a machine under load may add.
                assert!(took < deadline + Duration::from_secs(2), "{what} took {took:?}");
                if let Err(error) = &result {
                    assert!(!error.hint().is_empty() && !error.message.is_empty(), "{what}");
                    assert_ne!(error.code, Code::SessionNotFound, "{what}");
                }
                usable(&s, &what).await;
                if calls.len() > nth && ["back", "forward", "tabs close"].contains(&name) {
                    prepared(&s).await;
                }
                if calls.len() <= nth {
                    // Nothing failed. What is short for a test that waits for it many times can be too short for a machine under
                    // load; then it is given more.
                    let result = match result {
                        Err(error) if error.code == Code::Timeout => {
                            s.within(Duration::from_secs(20), action.clone()).await
                        }
                        result => result,
                    };
                    result.unwrap_or_else(|error| panic!("{name} fails without a fault: {error}"));
                    break;
                }
            }
        }
        engine.close(Front::Library).await;
    });
}

/// The same for what a session needs before its first action: a browser, a context, a tab.
#[test]
fn a_refused_call_while_everything_starts() {
    let faults = Faults::default();
    let engine = new_engine(|config| config.faults = Some(faults.clone()));
    runtime().block_on(async {
        let s = Fixture::new(engine.clone());
        for nth in 0.. {
            faults.arm(nth, Fault::Fail);
            let result = s.within(Duration::from_secs(20), goto(&site().url("/page?title=first"))).await;
            let calls = faults.disarm();
            let what = format!("a refusal of call {nth} ({})", calls.get(nth).map_or("-", |call| call));
            usable(&s, &what).await;
            engine.close(Front::Library).await;
            if calls.len() <= nth {
                result.unwrap_or_else(|error| panic!("starting fails without a fault: {error}"));
                break;
            }
        }
    });
}

#[test]
fn a_refused_call() {
    check_all(Fault::Fail, Duration::from_secs(20));
}

#[test]
fn a_dropped_call() {
    check_all(Fault::Drop, Duration::from_millis(1500));
}

#[test]
fn a_connection_that_ends() {
    check_all(Fault::Close, Duration::from_secs(20));
}

#[test]
fn a_late_call() {
    check_all(Fault::Delay(Duration::from_millis(30)), Duration::from_secs(20));
}

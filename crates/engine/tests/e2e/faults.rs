//! For every call that an action makes to the browser: when it fails, is dropped, or the connection ends at it, the caller
//! gets a coded error within the deadline, and the session can be used afterwards.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
    time::Duration,
};

use cdp::fault::{Fault, Faults};
use contract::{Code, Error, Outcome};
use engine::{
    Action, Front, Until,
    actions::{
        Area, Back, Check, Click, ColorScheme, Console, Controls, Cookies, CookiesOp, Download, Drag,
        Emulate, Fill, FillForm, Find, FormField, Forward, Frames, Header, Hover, Html, Locate, Pdf, Press,
        Read, Reload, Requests, Resize, Screenshot, Scroll, Select, SetCookie, Snapshot, State, StateOp,
        Storage, Tabs, TabsOp, Type, Uncheck, Upload, Wait,
    },
};

use serde_json::json;

use crate::support::{Fixture, eval, goto, new_engine, runtime, site};

/// Every verb that makes calls, as it is tried.
fn actions() -> Vec<(&'static str, Action)> {
    let css = |selector: &str| format!("css={selector}").parse::<contract::Target>().unwrap();
    let field = |selector: &str, value: &str| FormField { target: css(selector), value: value.into() };
    let target = |text: &str| text.parse().unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let tab = |url: Option<&str>| TabsOp::Open { url: url.map(Into::into), until: Until::Load };
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
        ("locate", Locate { target: "the heading at the top".parse().unwrap() }.into()),
        ("eval", eval("({a: 1})").into()),
        ("click", Click::new("css=h1".parse().unwrap()).into()),
        ("click a point", Click::new("20,20".parse().unwrap()).into()),
        ("hover", Hover { target: "css=h1".parse().unwrap() }.into()),
        ("wait for a text", Wait { text: Some("usable".into()), ..Wait::default() }.into()),
        ("wait", Wait::until(Until::NetworkIdle).into()),
        ("fill", Fill { submit: true, ..Fill::new(css("#field"), "text".into()) }.into()),
        ("type", Type { target: Some(css("#field")), ..Type::new("aä".into()) }.into()),
        ("press", Press { target: Some(css("#field")), ..Press::new("Control+a Delete".into()) }.into()),
        ("select", Select::new(css("#list"), "two").into()),
        ("select from a list of the page", Select::new(css("#made"), "four").into()),
        ("check", Check::new(css("#box")).into()),
        ("uncheck", Uncheck::new(css("#ticked")).into()),
        ("fill form", FillForm::new(vec![field("#date", "2026-03-31"), field("#box", "on")]).into()),
        ("console", Console::default().into()),
        ("requests", Requests::default().into()),
        ("resize", Resize { size: Some("800x600".into()), ..Resize::default() }.into()),
        ("emulate", emulation().into()),
        ("emulate nothing", Emulate { reset: true, ..Emulate::default() }.into()),
        ("cookies set", Cookies { op: Some(CookiesOp::Set(cookie())) }.into()),
        (
            "cookies delete",
            Cookies { op: Some(CookiesOp::Clear { url: Some((&*site().url("/")).into()) }) }.into(),
        ),
        ("cookies clear", Cookies { op: Some(CookiesOp::Clear { url: None }) }.into()),
        ("storage", Storage { area: Area::Local, op: None }.into()),
        ("state load", State { op: StateOp::Load { path: state_file() } }.into()),
        ("state save", State { op: StateOp::Save { path: Some(state_file()) } }.into()),
        ("drag", Drag { steps: Some(2), ..Drag::new(target("css=#card"), target("css=#tray")) }.into()),
        ("drag of a point", Drag { steps: Some(2), ..Drag::new(target("10,20"), target("300,300")) }.into()),
        ("scroll", Scroll::default().into()),
        ("scroll to an element", Scroll::new(target("css=h1")).into()),
        ("upload", Upload::new(target("css=#files"), vec![file.into()]).into()),
        ("upload to a chooser", Upload::new(target("css=#choose"), vec![file.into()]).into()),
        ("download", Download::new(target("css=#file")).into()),
        ("download of an address", Download::of(&*site().url("/download?bytes=10")).into()),
        ("pdf", Pdf::default().into()),
    ]
}

fn emulation() -> Emulate {
    Emulate {
        preset: Some("pixel-9".into()),
        locale: Some("de-DE".into()),
        timezone: Some("Asia/Tokyo".into()),
        geolocation: Some("1,2".into()),
        color_scheme: Some(ColorScheme::Dark),
        headers: vec![Header { name: "x-test".into(), value: "1".into() }],
        ..Emulate::default()
    }
}

fn cookie() -> SetCookie {
    SetCookie {
        name: "name".into(),
        value: "value".into(),
        url: Some((&*site().url("/")).into()),
        domain: None,
        path: None,
        expires: None,
        http_only: false,
        secure: false,
        same_site: None,
    }
}

/// A state with an origin that no tab is at.
fn state_file() -> PathBuf {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let folder = tempfile::tempdir().unwrap().keep();
        let items = json!([{"name": "a", "value": "b"}]);
        let state =
            json!({"cookies": [], "origins": [{"origin": "https://shop.example", "localStorage": items}]});
        std::fs::write(folder.join("state.json"), state.to_string()).unwrap();
        folder.join("state.json")
    };
    FILE.get_or_init(make).clone()
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

/// What verbs that act are tried on.
const PAGE: &str = r#"<h1>usable</h1><input id=field><input id=date type=date><input id=box type=checkbox><input id=ticked type=checkbox checked>
    <select id=list><option>one<option>two</select>
    <div id=made role=combobox tabindex=0 onclick="items.hidden = false">three</div>
    <div id=items role=listbox hidden onclick="made.textContent = event.target.textContent; items.hidden = true">
    <div role=option>three</div><div role=option>four</div></div>
    <p id=card draggable=true ondragstart="event.dataTransfer.setData('text/plain', 'x')">Card</p>
    <p id=tray ondragover="event.preventDefault()" ondrop="event.preventDefault()">Tray</p><a id=file href="/download?bytes=10">File</a>
    <input id=files type=file><button id=choose onclick="document.querySelector('#files').click()">Choose</button>"#;

async fn usable(s: &Fixture, after: &str) {
    let mut outcome = s.perform(goto(&site().page("usable", PAGE))).await;
    // A call that is made when nobody waits, such as for the cookies, can end the connection in the middle of this.
    if matches!(&outcome, Err(error) if error.code == Code::BrowserCrashed) {
        outcome = s.perform(goto(&site().page("usable", PAGE))).await;
    }
    let outcome = outcome.unwrap_or_else(|error| panic!("unusable after {after}: {error}"));
    assert_eq!(outcome.title.as_deref(), Some("usable"), "{after}");
}

/// Which of an action's calls are tried.
#[derive(Clone, Copy)]
enum Which {
    Every,
    /// Of each kind the first and the last: where trying one takes a second, all of them would take an hour.
    EdgesOfEachKind,
}

impl Which {
    fn of(self, calls: &[String]) -> Vec<usize> {
        let is_edge =
            |nth: usize| !calls[..nth].contains(&calls[nth]) || !calls[nth + 1..].contains(&calls[nth]);
        match self {
            // Some make one call more another time.
            Which::Every => (0..calls.len() + 1).collect(),
            Which::EdgesOfEachKind => (0..calls.len()).filter(|nth| is_edge(*nth)).collect(),
        }
    }
}

/// Tries the verbs of one part, in Chromium's headless shell: the calls are the same there, and some two hundred browsers are started.
fn check_part(part: usize, fault: Fault, deadline: Duration, which: Which) {
    let in_shell = actions().into_iter().filter(|(name, _)| !uses_hidden_pages(name));
    check(&testkit::shell(), in_shell.skip(part).step_by(PARTS), fault, deadline, which);
}

/// Tries those that the headless shell cannot do.
fn check_others(fault: Fault, deadline: Duration, which: Which) {
    let others = actions().into_iter().filter(|(name, _)| uses_hidden_pages(name));
    check(&testkit::browser(), others, fault, deadline, which);
}

fn check(
    browser: &Path,
    actions: impl Iterator<Item = (&'static str, Action)>,
    fault: Fault,
    deadline: Duration,
    which: Which,
) {
    let faults = Faults::default();
    let engine = new_engine(|config| config.faults = Some(faults.clone()));
    runtime().block_on(async {
        let mut s = Fixture::new(engine.clone());
        s.options.browser = Some(browser.to_owned());
        for (name, action) in actions {
            prepared(&s).await;
            if !goes_through_history(name) {
                usable(&s, name).await;
            }
            // Once without a fault, to see which calls there are.
            faults.arm(usize::MAX, fault);
            let result = s.within(Duration::from_secs(20), action.clone()).await;
            let calls = faults.disarm();
            result.unwrap_or_else(|error| panic!("{name} fails without a fault: {error}"));
            usable(&s, name).await;
            for nth in which.of(&calls) {
                if goes_through_history(name) {
                    prepared(&s).await;
                }
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
            }
        }
        engine.close(Front::Library).await;
    });
}

/// Whether an action needs pages before and after the one that it is tried on, or takes its tab along.
fn goes_through_history(name: &str) -> bool {
    ["back", "forward", "tabs close"].contains(&name)
}

/// Whether an action opens one of Chromium's hidden pages, which its headless shell does not have.
fn uses_hidden_pages(name: &str) -> bool {
    ["download of an address", "state load", "state save"].contains(&name)
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

/// In how many parts the verbs are tried that need no hidden page. Each part is a test with a browser of its own, so that they run at the same time.
const PARTS: usize = 4;

/// A test of every part, for one kind of fault.
macro_rules! parts {
    ($name:ident, $fault:expr, $deadline:expr, $which:expr) => {
        mod $name {
            use super::*;

            #[test]
            fn part_1() {
                check_part(0, $fault, $deadline, $which);
            }

            #[test]
            fn part_2() {
                check_part(1, $fault, $deadline, $which);
            }

            #[test]
            fn part_3() {
                check_part(2, $fault, $deadline, $which);
            }

            #[test]
            fn part_4() {
                check_part(3, $fault, $deadline, $which);
            }

            #[test]
            fn in_hidden_pages() {
                check_others($fault, $deadline, $which);
            }
        }
    };
}

parts!(a_refused_call, Fault::Fail, Duration::from_secs(20), Which::Every);
parts!(a_dropped_call, Fault::Drop, Duration::from_millis(1500), Which::EdgesOfEachKind);
parts!(a_connection_that_ends, Fault::Close, Duration::from_secs(20), Which::EdgesOfEachKind);
parts!(a_late_call, Fault::Delay(Duration::from_millis(30)), Duration::from_secs(20), Which::Every);

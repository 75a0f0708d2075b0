//! `openclaw`: one tool, every action and every kind of act.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use crate::dialects::{
    pages,
    transcript::{Row, SOON, Transcript, fails, has_logged, holds, row, says, through_every_front},
};
use crate::{
    front::{Answer, Front},
    support::{Home, site},
};

fn transcript(rows: Vec<Row>) -> Transcript {
    Transcript::of("openclaw", &[], rows)
}

/// Where elements are missing, which is waited for.
fn with_missing(rows: Vec<Row>) -> Transcript {
    Transcript { settings: &["--element-timeout", SOON], ..transcript(rows) }
}

fn browser(args: Value, check: impl Fn(&Value) + 'static) -> Row {
    row("browser", args, check)
}

/// A call that succeeds.
fn ok(args: Value) -> Row {
    browser(args, |answer| assert_eq!(answer["ok"], true, "{answer}"))
}

fn refused(args: Value, code: &'static str) -> Row {
    fails("browser", args, code)
}

/// An act that succeeds, in the nested form.
fn act(request: Value) -> Row {
    ok(json!({"action": "act", "request": request}))
}

fn look() -> Row {
    ok(json!({"action": "snapshot"}))
}

/// The page's own account of what happened to it.
fn logged(text: &'static str) -> Row {
    browser(json!({"action": "snapshot"}), move |answer| has_logged(&answer["snapshot"], text))
}

pub(crate) fn profiles_and_tabs() -> Transcript {
    let second = || site().page("second", "");
    transcript(vec![
        browser(
            json!({"action": "status"}),
            holds(json!({"/ok": true, "/profile": "openclaw", "/running": false, "/kind": "isolated"})),
        ),
        browser(json!({"action": "tabs"}), holds(json!({"/ok": true, "/running": false, "/tabs": []}))),
        browser(
            json!({"action": "doctor"}),
            holds(json!({"/ok": true, "/healthy": true, "/running": false})),
        ),
        browser(json!({"action": "stop"}), holds(json!({"/ok": true, "/stopped": false}))),
        browser(json!({"action": "open", "targetUrl": pages::form(), "label": "form"}), |answer| {
            holds(
                json!({"/ok": true, "/url": pages::form(), "/title": "form", "/label": "form", "/suggestedTargetId": "form", "/tabId": "t1"}),
            )(answer);
            assert!(answer["targetId"].as_str().unwrap().len() > 8, "{answer}");
        }),
        browser(
            json!({"action": "open", "url": second()}),
            holds(json!({"/title": "second", "/active": true})),
        ),
        browser(json!({"action": "tabs"}), |answer| {
            let tabs = answer["tabs"].as_array().unwrap();
            let titles: Vec<_> =
                tabs.iter().map(|tab| (&tab["suggestedTargetId"], &tab["title"], &tab["active"])).collect();
            assert!(titles.contains(&(&json!("form"), &json!("form"), &json!(false))), "{answer}");
            assert!(tabs.iter().all(|tab| tab["type"] == "page" && tab["tabId"].is_string()), "{answer}");
        }),
        browser(json!({"action": "snapshot", "targetId": "form"}), holds(json!({"/title": "form"}))),
        browser(json!({"action": "snapshot"}), holds(json!({"/title": "second"}))),
        browser(
            json!({"action": "focus", "targetId": "form"}),
            holds(json!({"/ok": true, "/title": "form", "/active": true})),
        ),
        browser(json!({"action": "content"}), holds(json!({"/title": "form"}))),
        refused(json!({"action": "open", "targetUrl": second(), "label": "form"}), "INVALID_INPUT"),
        refused(json!({"action": "focus", "targetId": "nowhere"}), "TAB_NOT_FOUND"),
        refused(json!({"action": "focus"}), "INVALID_INPUT"),
        refused(json!({"action": "snapshot", "targetId": "t99"}), "TAB_NOT_FOUND"),
        browser(
            json!({"action": "navigate", "targetUrl": site().url("/status/404"), "targetId": "form"}),
            holds(json!({"/ok": true, "/status": 404})),
        ),
        refused(json!({"action": "navigate", "targetUrl": site().refused_url()}), "NAVIGATION_FAILED"),
        refused(json!({"action": "navigate", "targetUrl": "file:///etc/passwd"}), "NAVIGATION_BLOCKED"),
        refused(json!({"action": "navigate"}), "INVALID_INPUT"),
        browser(json!({"action": "close", "targetId": "form"}), |answer| {
            assert!(answer["tabs"].as_array().unwrap().iter().all(|tab| tab["label"] != "form"), "{answer}");
        }),
        browser(json!({"action": "status"}), |answer| {
            holds(json!({"/running": true, "/headless": true}))(answer);
            assert!(answer["browser"]["version"].is_string(), "{answer}");
        }),
        browser(json!({"action": "doctor"}), |answer| {
            holds(json!({"/healthy": true, "/checks/1/name": "page", "/checks/1/ok": true}))(answer);
        }),
        browser(
            json!({"action": "profiles"}),
            holds(
                json!({"/profiles/0/name": "openclaw", "/profiles/0/running": true, "/profiles/0/isDefault": true}),
            ),
        ),
        // A profile of its own name keeps what it has been told.
        ok(
            json!({"action": "open", "profile": "work", "targetUrl": site().url("/cookies/set?kept=yes&max_age=1000")}),
        ),
        browser(
            json!({"action": "profiles"}),
            holds(json!({"/profiles/1/name": "work", "/profiles/1/kind": "persistent"})),
        ),
        browser(
            json!({"action": "stop", "profile": "work"}),
            holds(json!({"/stopped": true, "/running": false})),
        ),
        browser(
            json!({"action": "start", "profile": "work"}),
            holds(json!({"/running": true, "/profile": "work"})),
        ),
        browser(json!({"action": "start", "profile": "work"}), holds(json!({"/running": true}))),
        ok(json!({"action": "stop", "profile": "work"})),
        refused(json!({"action": "start", "profile": "../etc"}), "INVALID_INPUT"),
        browser(json!({"action": "stop"}), holds(json!({"/stopped": true}))),
        browser(json!({"action": "status"}), holds(json!({"/running": false}))),
    ])
}

pub(crate) fn the_users_own_browser_is_not_there() -> Transcript {
    Transcript {
        toolset: "openclaw",
        // Nothing listens there.
        settings: &["--attach", "http://127.0.0.1:9"],
        needs_whole_browser: false,
        rows: vec![
            browser(
                json!({"action": "status", "profile": "chrome"}),
                holds(json!({"/running": false, "/kind": "attached", "/cdpUrl": "http://127.0.0.1:9"})),
            ),
            browser(json!({"action": "tabs", "profile": "chrome"}), holds(json!({"/running": false}))),
            browser(json!({"action": "start", "profile": "chrome"}), |answer| {
                holds(json!({"/ok": false, "/error/code": "BROWSER_NOT_RUNNING", "/error/retriable": true}))(
                    answer,
                );
                says("--remote-debugging-port=9222")(answer);
            }),
        ],
    }
}

pub(crate) fn snapshots() -> Transcript {
    with_missing(vec![
        ok(json!({"action": "open", "targetUrl": pages::form()})),
        browser(json!({"action": "snapshot"}), |answer| {
            holds(json!({"/ok": true, "/format": "ai", "/url": pages::form(), "/title": "form"}))(answer);
            let text = answer["snapshot"].as_str().unwrap();
            let stats = &answer["stats"];
            assert_eq!(stats["lines"], text.lines().count(), "{answer}");
            assert_eq!(stats["chars"], text.chars().count(), "{answer}");
            assert_eq!(stats["refs"], text.matches("[ref=").count(), "{answer}");
            assert_eq!(stats["interactive"], 6, "button, two fields, box, list, link: {answer}");
            let go =
                answer["refs"].as_object().unwrap().values().find(|named| named["name"] == "Go").unwrap();
            assert_eq!(go["role"], "button");
            assert!(answer["truncated"].is_null());
        }),
        browser(json!({"action": "snapshot", "snapshotFormat": "aria"}), |answer| {
            assert_eq!(answer["format"], "aria");
            let nodes = answer["nodes"].as_array().unwrap();
            let go = nodes.iter().find(|node| node["name"] == "Go").unwrap();
            assert!(go["role"] == "button" && go["ref"].is_string() && go["depth"].is_number(), "{answer}");
        }),
        browser(json!({"action": "snapshot", "snapshotFormat": "aria", "limit": 2}), |answer| {
            assert_eq!(answer["nodes"].as_array().unwrap().len(), 2, "{answer}");
            says("cut: 2 of")(answer);
        }),
        browser(json!({"action": "snapshot", "maxChars": 200}), |answer| {
            assert!(answer["snapshot"].as_str().unwrap().chars().count() <= 200, "{answer}");
            says("cut: ")(answer);
        }),
        browser(json!({"action": "snapshot", "limit": 3}), |answer| {
            assert_eq!(answer["stats"]["lines"], 3, "{answer}");
            says("cut: 3 of")(answer);
        }),
        browser(json!({"action": "snapshot", "selector": "#colour"}), |answer| {
            assert!(!answer["snapshot"].to_string().contains("Go"), "{answer}");
        }),
        browser(
            json!({"action": "snapshot", "interactive": true, "compact": true, "depth": 3}),
            says("button \\\"Go\\\""),
        ),
        browser(json!({"action": "snapshot", "refs": "aria", "urls": true}), says("/page?title=next")),
        browser(json!({"action": "snapshot", "labels": true}), |answer| {
            assert!(!answer["labels"].as_array().unwrap().is_empty(), "{answer}");
            assert!(fs::exists(answer["path"].as_str().unwrap()).unwrap());
        }),
        refused(json!({"action": "snapshot", "limit": 0}), "INVALID_INPUT"),
        refused(json!({"action": "snapshot", "maxChars": 0}), "INVALID_INPUT"),
        refused(json!({"action": "snapshot", "selector": "#nowhere"}), "ELEMENT_NOT_FOUND"),
        refused(json!({"action": "snapshot", "snapshotFormat": "xml"}), "INVALID_INPUT"),
        ok(json!({"action": "navigate", "targetUrl": site().url("/orders.html?rows=1000")})),
        browser(json!({"action": "snapshot"}), |answer| {
            assert!(answer["snapshot"].as_str().unwrap().chars().count() <= 40_000);
            says("cut: ")(answer);
        }),
        browser(json!({"action": "snapshot", "mode": "efficient"}), |answer| {
            assert!(answer["snapshot"].as_str().unwrap().chars().count() <= 8_000);
        }),
        browser(json!({"action": "screenshot"}), |answer| {
            holds(json!({"/ok": true, "/mimeType": "image/png", "/width": 1280, "/height": 720}))(answer);
            assert!(fs::read(answer["path"].as_str().unwrap()).unwrap().starts_with(b"\x89PNG"));
        }),
        // Drawing a thousand rows takes a busy machine longer than this tool has by default.
        ok(json!({"action": "navigate", "targetUrl": site().url("/orders.html?rows=60")})),
        browser(json!({"action": "screenshot", "fullPage": true, "type": "jpeg"}), |answer| {
            assert_eq!(answer["mimeType"], "image/jpeg");
            assert!(answer["height"].as_u64().unwrap() > 720, "{answer}");
        }),
        browser(json!({"action": "screenshot", "element": "h1"}), |answer| {
            assert!(answer["height"].as_u64().unwrap() < 200, "{answer}");
        }),
        refused(json!({"action": "screenshot", "element": "h1", "fullPage": true}), "INVALID_INPUT"),
    ])
}

pub(crate) fn acts() -> Transcript {
    transcript(vec![
        ok(json!({"action": "open", "targetUrl": pages::form()})),
        look(),
        browser(json!({"action": "act", "request": {"kind": "click", "ref": "<button \"Go\">"}}), |answer| {
            holds(json!({"/ok": true, "/url": pages::form()}))(answer);
            says("click 1")(&answer["changes"]);
        }),
        look(),
        // The same keys beside the action.
        ok(json!({"action": "act", "kind": "click", "ref": "<button \"Go\">", "doubleClick": true})),
        logged("click 2"),
        act(json!({"kind": "click", "ref": "<button \"Go\">", "button": "right"})),
        logged("menu"),
        act(json!({"kind": "click", "ref": "<button \"Go\">", "delayMs": 400, "modifiers": ["Shift"]})),
        logged("held"),
        act(json!({"kind": "clickCoords", "x": 70, "y": 40})),
        browser(
            json!({"action": "act", "request": {"kind": "type", "ref": "<textbox \"Password\">", "text": "hunter2"}}),
            |answer| {
                assert!(!answer.to_string().contains("hunter2"), "{answer}");
            },
        ),
        logged("secret 7"),
        act(json!({"kind": "type", "ref": "<textbox \"Name\">", "text": "Ann", "submit": true})),
        logged("name Ann; key Enter"),
        act(json!({"kind": "type", "ref": "<textbox \"Name\">", "text": "e", "slowly": true})),
        logged("name Anne"),
        act(json!({"kind": "press", "key": "Escape"})),
        logged("key Escape"),
        act(json!({"kind": "hover", "ref": "<button \"Go\">"})),
        act(json!({"kind": "select", "ref": "<combobox \"Colour\">", "values": ["Blue"]})),
        logged("colour Blue"),
        act(
            json!({"kind": "fill", "fields": [{"ref": "<textbox \"Name\">", "value": "Bob"}, {"ref": "<checkbox \"Terms\">", "type": "checkbox", "value": true}]}),
        ),
        logged("name Bob; terms true"),
        act(json!({"kind": "drag", "startRef": "css=#card", "endRef": "css=#bin"})),
        logged("dropped"),
        act(json!({"kind": "scroll", "selector": "#list", "direction": "down"})),
        logged("list scrolled"),
        browser(
            json!({"action": "act", "request": {"kind": "scroll", "y": 300}}),
            says("scrolled 300 px down"),
        ),
        browser(json!({"action": "act", "request": {"kind": "scroll"}}), says("px down")),
        browser(
            json!({"action": "act", "request": {"kind": "scroll", "direction": "up", "amount": 100}}),
            says("scrolled 100 px up"),
        ),
        act(json!({"kind": "scrollIntoView", "ref": "<button \"Go\">"})),
        browser(
            json!({"action": "act", "request": {"kind": "evaluate", "fn": "() => scrollY < 40 && 6 * 7"}}),
            holds(json!({"/ok": true, "/result": 42})),
        ),
        browser(
            json!({"action": "act", "request": {"kind": "evaluate", "fn": "element => element.id", "ref": "<button \"Go\">"}}),
            holds(json!({"/result": "go"})),
        ),
        refused(
            json!({"action": "act", "request": {"kind": "evaluate", "fn": "() => { throw new Error('no') }"}}),
            "EVALUATE_FAILED",
        ),
        act(json!({"kind": "resize", "width": 800, "height": 600})),
        browser(
            json!({"action": "act", "request": {"kind": "evaluate", "fn": "() => innerWidth"}}),
            holds(json!({"/result": 800})),
        ),
        act(json!({"kind": "close"})),
        browser(json!({"action": "tabs"}), |answer| {
            assert!(answer["tabs"].as_array().unwrap().iter().all(|tab| tab["title"] != "form"), "{answer}");
        }),
    ])
}

/// A page whose button leads to one that keeps the keys that it gets.
fn leads_on() -> String {
    let next = site().page("next", "<script>onkeydown = event => (document.title += event.key)</script>");
    site().page("first", &format!("<a href='{next}'>Submit</a>"))
}

fn leave_and_press(through: bool) -> Value {
    let actions = json!([{"kind": "click", "ref": "<link \"Submit\">"}, {"kind": "press", "key": "Enter"}]);
    match through {
        true => json!({"action": "act", "kind": "batch", "throughNavigation": true, "actions": actions}),
        false => json!({"action": "act", "kind": "batch", "actions": actions}),
    }
}

pub(crate) fn waits_and_batches() -> Transcript {
    transcript(vec![
        ok(json!({"action": "open", "targetUrl": pages::busy()})),
        act(json!({"kind": "wait", "text": "fetched 500"})),
        act(
            json!({"kind": "wait", "timeMs": 10, "loadState": "load", "selector": "#second", "url": "title=busy", "textGone": "nowhere", "fn": "() => true"}),
        ),
        act(json!({"kind": "wait", "loadState": "networkidle"})),
        refused(
            json!({"action": "act", "request": {"kind": "wait", "text": "never", "timeoutMs": 200}}),
            "TIMEOUT",
        ),
        refused(json!({"action": "act", "request": {"kind": "wait"}}), "INVALID_INPUT"),
        look(),
        browser(
            json!({"action": "act", "request": {"kind": "batch", "actions": [
                {"kind": "click", "ref": "<button \"Pick\">"},
                {"kind": "wait", "text": "picked late"},
                {"kind": "evaluate", "fn": "() => document.title"},
            ]}}),
            holds(
                json!({"/ok": true, "/results/0/ok": true, "/results/1/kind": "wait", "/results/2/kind": "evaluate", "/results/2/result": "busy"}),
            ),
        ),
        browser(
            json!({"action": "act", "request": {"kind": "batch", "actions": [{"kind": "click", "ref": "e9999"}, {"kind": "evaluate", "fn": "1"}]}}),
            |answer| {
                holds(json!({"/ok": false, "/results/0/ok": false}))(answer);
                assert_eq!(answer["results"].as_array().unwrap().len(), 1, "{answer}");
            },
        ),
        browser(
            json!({"action": "act", "request": {"kind": "batch", "stopOnError": false, "actions": [{"kind": "click", "ref": "e9999"}, {"kind": "evaluate", "fn": "1"}]}}),
            holds(
                json!({"/ok": false, "/results/0/ok": false, "/results/1/ok": true, "/results/1/result": 1}),
            ),
        ),
        refused(json!({"action": "act", "request": {"kind": "batch", "actions": []}}), "INVALID_INPUT"),
        // What follows an act that led to another page was meant for the page before.
        ok(json!({"action": "navigate", "targetUrl": leads_on()})),
        look(),
        browser(leave_and_press(false), |answer| {
            holds(json!({"/ok": false, "/error/code": "BATCH_STOPPED", "/results/0/ok": true}))(answer);
            assert_eq!(answer["results"].as_array().unwrap().len(), 1, "{answer}");
        }),
        browser(
            json!({"action": "act", "kind": "evaluate", "fn": "() => document.title"}),
            holds(json!({"/result": "next"})),
        ),
        ok(json!({"action": "navigate", "targetUrl": leads_on()})),
        look(),
        browser(leave_and_press(true), holds(json!({"/ok": true, "/results/1/ok": true}))),
        browser(
            json!({"action": "act", "kind": "evaluate", "fn": "() => document.title"}),
            holds(json!({"/result": "nextEnter"})),
        ),
        refused(
            json!({"action": "act", "request": {"kind": "batch", "actions": [{"kind": "batch", "actions": []}]}}),
            "INVALID_INPUT",
        ),
        browser(
            json!({"action": "act", "request": {"kind": "batch", "actions": [{"kind": "press", "key": "Tab"}, {"kind": "click"}]}}),
            |answer| {
                holds(json!({"/ok": false, "/error/code": "INVALID_INPUT"}))(answer);
                says("actions[1]")(answer);
            },
        ),
    ])
}

pub(crate) fn what_pages_tell() -> Transcript {
    with_missing(vec![
        ok(json!({"action": "open", "targetUrl": pages::busy()})),
        act(json!({"kind": "wait", "text": "fetched 500"})),
        browser(json!({"action": "content"}), |answer| {
            holds(json!({"/ok": true, "/title": "busy"}))(answer);
            says("The first paragraph.")(&answer["content"]);
        }),
        browser(
            json!({"action": "content", "selector": "#second"}),
            holds(json!({"/content": "The second one."})),
        ),
        browser(json!({"action": "content", "maxChars": 10}), |answer| {
            assert!(answer["content"].as_str().unwrap().chars().count() <= 10, "{answer}");
            says("cut: ")(answer);
        }),
        refused(json!({"action": "content", "selector": "#nowhere"}), "ELEMENT_NOT_FOUND"),
        refused(json!({"action": "content", "maxChars": 0}), "INVALID_INPUT"),
        browser(json!({"action": "text"}), |answer| says("The second one.")(&answer["text"])),
        browser(json!({"action": "text", "query": "second one"}), |answer| {
            says("1 match")(&answer["text"]);
            says("The second one.")(&answer["text"]);
        }),
        browser(json!({"action": "console"}), |answer| {
            let texts: Vec<_> = answer["messages"]
                .as_array()
                .unwrap()
                .iter()
                .map(|message| message["text"].as_str().unwrap())
                .collect();
            assert!(texts.contains(&"hello console") && texts.contains(&"it broke"), "{answer}");
        }),
        browser(json!({"action": "console", "level": "error"}), |answer| {
            assert!(!answer.to_string().contains("hello console"), "{answer}");
        }),
        refused(json!({"action": "console", "level": "loud"}), "INVALID_INPUT"),
        browser(json!({"action": "errors", "clear": true}), |answer| {
            says("it broke")(&answer["errors"]);
        }),
        browser(json!({"action": "errors"}), holds(json!({"/ok": true, "/count": 0, "/errors": []}))),
        browser(json!({"action": "requests", "filter": "/status/500"}), |answer| {
            assert_eq!(answer["count"], 1, "{answer}");
            assert_eq!(answer["requests"][0]["status"], 500, "{answer}");
        }),
        ok(json!({"action": "requests", "clear": true})),
        browser(json!({"action": "requests"}), holds(json!({"/count": 0}))),
        ok(
            json!({"action": "emulate", "device": "iPhone 15", "timezoneId": "Asia/Tokyo", "locale": "de-DE", "colorScheme": "dark"}),
        ),
        browser(
            json!({"action": "act", "request": {"kind": "evaluate", "fn": "() => [Intl.DateTimeFormat().resolvedOptions().timeZone, getComputedStyle(document.querySelector('main')).order]"}}),
            holds(json!({"/result": ["Asia/Tokyo", "1"]})),
        ),
        refused(json!({"action": "emulate"}), "INVALID_INPUT"),
        refused(json!({"action": "emulate", "device": "toaster"}), "INVALID_INPUT"),
    ])
}

/// It is in the folder of the profile's session, which is another one than the call's.
#[test]
fn what_a_page_gave_can_be_given_to_another() {
    for front in [Front::Mcp, Front::Http] {
        let home = Home::whole();
        let mut tools = front.open(&home, "openclaw", &[]);
        let mut ask = |args: Value| {
            let Answer { ok, value } = tools.call("browser", &args);
            assert!(ok, "{front:?} {args}: {value}");
            value
        };
        ask(json!({"action": "open", "targetUrl": pages::busy()}));
        let address = site().url("/download?name=two.txt&bytes=7");
        let file = ask(json!({"action": "download", "targetUrl": address}))["path"].clone();
        ask(json!({"action": "upload", "paths": [file], "element": "#photo"}));
        says("photo two.txt")(&ask(json!({"action": "snapshot"})));
    }
}

pub(crate) fn files_and_dialogs() -> Transcript {
    // In the folder that tests run in: other fronts than `call` let no others be used.
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let other = concat!(env!("CARGO_MANIFEST_DIR"), "/src/main.rs");
    let missing = concat!(env!("CARGO_MANIFEST_DIR"), "/nowhere/at/all");
    transcript(vec![
        ok(json!({"action": "open", "targetUrl": pages::busy()})),
        look(),
        browser(json!({"action": "pdf"}), |answer| {
            let file = fs::read(answer["path"].as_str().unwrap()).unwrap();
            assert!(file.starts_with(b"%PDF") && answer["bytes"] == file.len(), "{answer}");
        }),
        ok(json!({"action": "upload", "paths": [file], "element": "#photo"})),
        logged("photo Cargo.toml"),
        refused(json!({"action": "upload", "paths": [other]}), "INVALID_INPUT"),
        ok(json!({"action": "act", "kind": "click", "ref": "<button \"Photo\">"})),
        ok(json!({"action": "upload", "paths": [other]})),
        logged("photo main.rs"),
        refused(json!({"action": "upload", "element": "#photo"}), "INVALID_INPUT"),
        refused(json!({"action": "upload", "paths": [missing], "element": "#photo"}), "INVALID_INPUT"),
        browser(json!({"action": "download", "ref": "<link \"Report\">"}), |answer| {
            holds(json!({"/ok": true, "/suggestedFilename": "report.txt", "/downloads/0/bytes": 100}))(
                answer,
            );
            assert_eq!(fs::read(answer["path"].as_str().unwrap()).unwrap().len(), 100);
        }),
        browser(
            json!({"action": "download", "targetUrl": site().url("/download?name=two.txt&bytes=7")}),
            holds(json!({"/suggestedFilename": "two.txt"})),
        ),
        refused(json!({"action": "download"}), "INVALID_INPUT"),
        refused(json!({"action": "waitfordownload", "timeoutMs": 300}), "TIMEOUT"),
        ok(json!({"action": "act", "kind": "click", "ref": "<button \"Later\">"})),
        browser(
            json!({"action": "waitfordownload"}),
            holds(json!({"/ok": true, "/suggestedFilename": "later.txt", "/downloads/0/bytes": 9})),
        ),
        ok(json!({"action": "navigate", "targetUrl": pages::trouble()})),
        look(),
        browser(
            json!({"action": "act", "request": {"kind": "click", "ref": "<button \"Ask\">"}}),
            says("action dialog"),
        ),
        browser(json!({"action": "snapshot"}), |answer| {
            holds(json!({"/ok": false, "/error/code": "DIALOG_OPEN"}))(answer);
            says("action dialog")(answer);
        }),
        browser(
            json!({"action": "doctor"}),
            holds(json!({"/ok": true, "/healthy": false, "/checks/1/error/code": "DIALOG_OPEN"})),
        ),
        refused(json!({"action": "dialog"}), "INVALID_INPUT"),
        ok(json!({"action": "dialog", "accept": false})),
        logged("answered false"),
        refused(json!({"action": "dialog", "accept": true}), "INVALID_INPUT"),
    ])
    // A download by its address needs a hidden page.
    .in_whole_browser()
}

pub(crate) fn what_cannot_be_done_says_why() -> Transcript {
    transcript(vec![
        ok(json!({"action": "open", "targetUrl": pages::trouble()})),
        look(),
        ok(
            json!({"action": "act", "kind": "batch", "actions": [{"kind": "click", "ref": "<button \"Remove\">"}]}),
        ),
        browser(json!({"action": "act", "request": {"kind": "click", "ref": "e9999"}}), |answer| {
            assert_eq!(answer["ok"], false, "{answer}");
            says("take a new snapshot")(answer);
        }),
        look(),
        browser(json!({"action": "act", "request": {"kind": "click", "ref": "Twin"}}), |answer| {
            holds(json!({"/error/code": "ELEMENT_AMBIGUOUS"}))(answer);
            assert_eq!(answer["candidates"].as_array().unwrap().len(), 2, "{answer}");
        }),
        browser(
            json!({"action": "act", "request": {"kind": "type", "ref": "<textbox \"Fixed\">", "text": "hunter2"}}),
            |answer| {
                holds(json!({"/error/code": "ELEMENT_NOT_EDITABLE"}))(answer);
                assert!(!answer.to_string().contains("hunter2"), "{answer}");
            },
        ),
        refused(json!({"action": "act"}), "INVALID_INPUT"),
        refused(json!({"action": "act", "request": {"kind": "fly"}}), "INVALID_INPUT"),
        refused(json!({"action": "act", "request": {"kind": "click"}}), "INVALID_INPUT"),
        refused(json!({"action": "act", "request": {"kind": "clickCoords", "x": 1}}), "INVALID_INPUT"),
        refused(
            json!({"action": "act", "request": {"kind": "clickCoords", "x": -1, "y": 1}}),
            "INVALID_INPUT",
        ),
        refused(json!({"action": "act", "request": {"kind": "type", "ref": "e1"}}), "INVALID_INPUT"),
        refused(json!({"action": "act", "request": {"kind": "press"}}), "INVALID_INPUT"),
        refused(json!({"action": "act", "request": {"kind": "drag", "startRef": "e1"}}), "INVALID_INPUT"),
        refused(json!({"action": "act", "request": {"kind": "select", "ref": "e1"}}), "INVALID_INPUT"),
        refused(json!({"action": "act", "request": {"kind": "fill"}}), "INVALID_INPUT"),
        refused(json!({"action": "act", "request": {"kind": "resize", "width": 1}}), "INVALID_INPUT"),
        refused(json!({"action": "act", "request": {"kind": "evaluate"}}), "INVALID_INPUT"),
        refused(
            json!({"action": "act", "request": {"kind": "click", "ref": "e1", "timeoutMs": 0}}),
            "INVALID_INPUT",
        ),
        refused(json!({"action": "fly"}), "INVALID_INPUT"),
        refused(json!({}), "INVALID_INPUT"),
        refused(json!({"action": "status", "colour": "red"}), "INVALID_INPUT"),
        row("nonsense", json!({}), holds(json!({"/ok": false, "/error/code": "UNKNOWN_TOOL"}))),
    ])
}

/// The stale ref of an element that went away, and the number without its letter.
pub(crate) fn refs_grow_old() -> Transcript {
    transcript(vec![
        ok(
            json!({"action": "open", "targetUrl": site().page("refs", "<button onclick=\"document.getElementById('gone').remove()\">Remove</button><button id=gone>Gone soon</button>")}),
        ),
        browser(json!({"action": "snapshot"}), |answer| {
            holds(json!({"/refs/e3/name": "Remove", "/refs/e4/name": "Gone soon"}))(answer);
        }),
        ok(json!({"action": "act", "kind": "click", "ref": "3"})),
        browser(json!({"action": "act", "kind": "click", "ref": 4}), |answer| {
            holds(json!({"/ok": false, "/error/code": "STALE_REF", "/error/retriable": true}))(answer);
            says("take a new snapshot")(answer);
        }),
    ])
}

/// A picture that is made smaller, on a screen with three pixels to a CSS pixel: coordinates are counted in it.
pub(crate) fn coordinates_in_a_smaller_picture() -> Transcript {
    let rows = vec![
        ok(json!({"action": "open", "targetUrl": pages::corner()})),
        browser(json!({"action": "screenshot"}), |answer| {
            holds(json!({"/ok": true, "/width": 1238, "/height": 928}))(answer);
            says("1600x1200")(answer);
        }),
        act(json!({"kind": "clickCoords", "x": 1176, "y": 866})),
        browser(json!({"action": "snapshot"}), says("clicked once")),
        refused(json!({"action": "act", "request": {"kind": "click", "ref": "1176,866"}}), "INVALID_INPUT"),
    ];
    Transcript::of("openclaw", &["--viewport=1600x1200@3"], rows)
}

through_every_front! {
    coordinates_in_a_smaller_picture
    profiles_and_tabs the_users_own_browser_is_not_there snapshots acts waits_and_batches what_pages_tell files_and_dialogs
    what_cannot_be_done_says_why refs_grow_old
}

/// A browser of the user's, which ends with the test.
struct Theirs {
    child: Child,
    _profile: tempfile::TempDir,
}

impl Drop for Theirs {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts it; returns where it listens as well.
fn theirs() -> (Theirs, String) {
    let profile = tempfile::tempdir().unwrap();
    let mut child = Command::new(testkit::browser())
        .args(["--headless", "--no-sandbox", "--remote-debugging-port=0", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(site().page("theirs", ""))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address =
        lines.find_map(|line| Some(line.unwrap().split_once("listening on ws://")?.1.to_owned())).unwrap();
    // Whoever does not read what it says makes it stop.
    std::thread::spawn(move || lines.for_each(drop));
    (Theirs { child, _profile: profile }, format!("http://{}", address.split('/').next().unwrap()))
}

#[test]
fn the_users_own_browser_is_used_and_left_as_it_was() {
    let (mut theirs, address) = theirs();
    let home = Home::new();
    let call = |args: Value| {
        let args = args.to_string();
        let output =
            home.command(&["--attach", &address, "call", "openclaw.browser", &args]).output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["ok"], true, "{args}: {answer}");
        answer
    };
    let started = call(json!({"action": "start", "profile": "chrome"}));
    assert_eq!((&started["kind"], &started["running"]), (&json!("attached"), &json!(true)), "{started}");
    let opened = call(json!({"action": "open", "profile": "chrome", "targetUrl": site().page("ours", "")}));
    let target = opened["targetId"].as_str().unwrap();
    // The start of its target id is enough.
    let seen = call(
        json!({"action": "content", "profile": "chrome", "targetId": target[..target.len() - 2].to_lowercase()}),
    );
    assert_eq!(seen["title"], "ours");
    let tabs = call(json!({"action": "tabs", "profile": "chrome"}));
    assert_eq!(tabs["tabs"].as_array().unwrap().len(), 2, "{tabs}");
    // The default profile is still its own.
    assert_eq!(call(json!({"action": "status"}))["kind"], "isolated");
    let stopped = call(json!({"action": "stop", "profile": "chrome"}));
    assert!(stopped["message"].as_str().unwrap().contains("goes on"), "{stopped}");
    assert!(theirs.child.try_wait().unwrap().is_none(), "it runs on");
    call(json!({"action": "start", "profile": "chrome"}));
    let tabs = call(json!({"action": "tabs", "profile": "chrome"}));
    assert_eq!(tabs["tabs"].as_array().unwrap().len(), 1, "ours is gone, theirs is not: {tabs}");
}

//! The default toolset, through every way: all that is typed with, and after each all that can be looked at.

use serde_json::{Value, json};

use super::{
    CANARY, Place, has_nothing, named, page,
    ways::{Kind, open},
};

type Call = (&'static str, Value);

/// All that types. The first makes it known as a secret; before that nothing but its own masking hides it.
fn typing(place: &Place) -> Vec<Vec<Call>> {
    let word = |more: Value| {
        let mut args = json!({"target": "Word", "text": CANARY});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("browser_type", args)
    };
    let typed = || word(json!({}));
    let file = place.file().display().to_string();
    let keys = CANARY.chars().map(|key| ("browser_press_key", json!({"key": key.to_string()})));
    let [user, secret] =
        [("User", "ada"), ("Word", CANARY)].map(|(target, value)| json!({"target": target, "value": value}));
    vec![
        vec![typed()],
        vec![word(json!({"slowly": true}))],
        vec![word(json!({"submit": true}))],
        vec![("browser_type", json!({"target": "css=#none", "text": CANARY}))],
        vec![("browser_fill_form", json!({"fields": [user, secret]}))],
        vec![("browser_batch", json!({"actions": [format!("fill Word {CANARY}"), "press Tab"]}))],
        vec![("browser_act", json!({"instruction": format!("type '{CANARY}' into the Word field")}))],
        vec![
            typed(),
            ("browser_select_option", json!({"target": "List", "values": [CANARY]})),
            ("browser_select_option", json!({"target": "List", "values": [CANARY, "nothing"]})),
        ],
        vec![
            typed(),
            ("browser_click", json!({"target": "Ask"})),
            ("browser_snapshot", json!({})),
            ("browser_handle_dialog", json!({"accept": true, "promptText": CANARY})),
            ("browser_handle_dialog", json!({"accept": true, "promptText": CANARY})),
        ],
        vec![
            ("browser_file_upload", json!({"target": "css=#upload", "paths": [file]})),
            ("browser_file_upload", json!({"target": "css=#upload", "paths": [format!("{file}.none")]})),
            ("browser_drop", json!({"target": "css=#ask", "paths": [file]})),
        ],
        vec![("browser_cookies", json!({"action": "set", "name": "session", "value": CANARY}))],
        vec![(
            "browser_storage",
            json!({"area": "local", "action": "set", "name": "token", "value": CANARY}),
        )],
        vec![(
            "browser_storage",
            json!({"area": "session", "action": "set", "name": CANARY, "value": CANARY}),
        )],
        vec![("browser_evaluate", json!({"function": format!("() => '{CANARY}'.length")}))],
        vec![typed(), ("browser_wait_for", json!({"text": CANARY}))],
        vec![typed(), ("browser_find", json!({"text": CANARY}))],
        vec![("browser_emulate", json!({"userAgent": format!("Mozilla/5.0 {CANARY}")}))],
        vec![
            ("browser_emulate", json!({"userAgent": "none"})),
            ("browser_tabs", json!({"action": "new", "url": format!("{}&word={CANARY}", page())})),
        ],
        vec![("browser_navigate", json!({"url": format!("{}&word={CANARY}", page())}))],
        vec![("browser_navigate", json!({"url": format!("http://{CANARY}")}))],
        std::iter::once(("browser_click", json!({"target": "Word"}))).chain(keys).collect(),
    ]
}

/// All that is looked at afterwards.
fn looking() -> Vec<Call> {
    vec![
        ("browser_snapshot", json!({})),
        ("browser_snapshot", json!({"filename": "snapshot.md"})),
        ("browser_read", json!({})),
        ("browser_find", json!({"text": "Word"})),
        (
            "browser_evaluate",
            json!({"function": "() => [document.title, location.href, document.querySelector('#word')?.value]"}),
        ),
        ("browser_evaluate", json!({"function": "() => document.title", "filename": "value.json"})),
        ("browser_evaluate", json!({"function": "() => { throw new Error(document.title) }"})),
        ("browser_console_messages", json!({"level": "info"})),
        ("browser_console_messages", json!({"level": "info", "filename": "console.txt"})),
        ("browser_network_requests", json!({"static": true})),
        ("browser_network_requests", json!({"static": true, "filename": "requests.txt"})),
        ("browser_network_request", json!({"index": 1})),
        ("browser_network_request", json!({"index": 2})),
        ("browser_tabs", json!({"action": "list"})),
        ("browser_take_screenshot", json!({"labels": true})),
        ("browser_download", json!({"target": "css=#file"})),
        ("browser_cookies", json!({"action": "get", "name": "session"})),
        ("browser_cookies", json!({"action": "list"})),
        ("browser_storage", json!({"area": "local", "action": "list"})),
        ("browser_storage", json!({"area": "local", "action": "get", "name": "token"})),
    ]
}

fn go_through(kind: Kind) {
    let place = Place::new();
    let mut way = open(kind, &place);
    let mut ask = |tool: &str, args: &Value| {
        let said = way.call("browser", tool, args);
        has_nothing(&named(&format!("{tool} {args}")), &said);
        said
    };
    for step in typing(&place) {
        ask("browser_navigate", &json!({"url": page()}));
        ask("browser_snapshot", &json!({}));
        for (tool, args) in &step {
            ask(tool, args);
        }
        for (tool, args) in &looking() {
            ask(tool, args);
        }
    }
    let seen = ask("browser_evaluate", &json!({"function": "() => document.title"}));
    assert!(seen.contains("[secret]"), "the page has it, and says so: {seen}");
    let log = way.log();
    place.look_through(&log);
    way.end();
    place.look_at_files(&log);
}

#[test]
fn with_commands() {
    go_through(Kind::Call);
}

#[test]
fn over_mcp() {
    go_through(Kind::Stdio);
}

#[test]
fn over_http() {
    go_through(Kind::Http);
}

#[test]
fn over_mcp_over_http() {
    go_through(Kind::Streamable);
}

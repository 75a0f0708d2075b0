//! The other toolsets, through every way: each types it in all the ways that it has, and looks.

use serde_json::{Value, json};

use super::{
    CANARY, Place, has_nothing, named, page,
    ways::{Kind, open},
};

/// What is called of each toolset.
fn calls(place: &Place) -> Vec<(&'static str, &'static str, Vec<Value>)> {
    let (url, file) = (page(), place.file().display().to_string());
    let act = |request: Value| json!({"action": "act", "request": request});
    vec![
        (
            "jarvis",
            "playwright_browser",
            vec![
                json!({"action": "launch"}),
                json!({"action": "navigate", "url": url}),
                json!({"action": "type", "selector": "#word", "text": CANARY}),
                json!({"action": "type", "selector": "#none", "text": CANARY, "timeout": 1}),
                json!({"action": "click", "selector": "#out"}),
                json!({"action": "click", "selector": "#out", "content_mode": "html"}),
                json!({"action": "screenshot"}),
                json!({"action": "list"}),
                json!({"action": "navigate", "url": format!("{url}&word={CANARY}")}),
                json!({"action": "close"}),
            ],
        ),
        (
            "openclaw",
            "browser",
            vec![
                json!({"action": "open", "url": url}),
                json!({"action": "snapshot"}),
                act(json!({"kind": "type", "selector": "#word", "text": CANARY})),
                act(json!({"kind": "type", "selector": "#word", "text": CANARY, "slowly": true})),
                act(json!({"kind": "type", "ref": "e999", "text": CANARY})),
                act(json!({"kind": "fill", "fields": [{"ref": "css=#word", "value": CANARY}]})),
                act(json!({"kind": "select", "ref": "css=#list", "values": [CANARY]})),
                act(json!({"kind": "press", "key": CANARY})),
                act(
                    json!({"kind": "batch", "actions": [{"kind": "type", "selector": "#word", "text": CANARY}]}),
                ),
                act(json!({"kind": "wait", "text": CANARY})),
                act(json!({"kind": "evaluate", "fn": "() => [document.title, location.href]"})),
                act(json!({"kind": "evaluate", "fn": "() => { throw new Error(document.title) }"})),
                json!({"action": "upload", "element": "#upload", "paths": [file]}),
                act(json!({"kind": "click", "selector": "#ask"})),
                json!({"action": "dialog", "accept": true, "promptText": CANARY}),
                json!({"action": "snapshot", "labels": true}),
                json!({"action": "snapshot", "snapshotFormat": "aria"}),
                json!({"action": "content"}),
                json!({"action": "text", "query": CANARY}),
                json!({"action": "console"}),
                json!({"action": "errors"}),
                json!({"action": "requests"}),
                json!({"action": "tabs"}),
                json!({"action": "screenshot"}),
                json!({"action": "download", "selector": "#file"}),
                json!({"action": "navigate", "url": format!("{url}&word={CANARY}")}),
                json!({"action": "status"}),
                json!({"action": "doctor"}),
            ],
        ),
        ("qa", "navigate", vec![json!({"url": url})]),
        (
            "qa",
            "fill",
            vec![
                json!({"targetDescription": "Word", "text": CANARY}),
                json!({"targetDescription": "Word", "text": CANARY, "screenshot": true}),
                json!({"targetDescription": "the purple slider", "text": CANARY}),
            ],
        ),
        ("qa", "click", vec![json!({"targetDescription": "Word"}), json!({"targetDescription": CANARY})]),
        ("qa", "navigate", vec![json!({"url": format!("{url}&word={CANARY}")})]),
        (
            "nanobot",
            "browser",
            vec![
                json!({"action": "start"}),
                json!({"action": "navigate", "url": url}),
                json!({"action": "snapshot"}),
                json!({"action": "type", "selector": "#word", "strategy": "css", "text": CANARY}),
                json!({"action": "type", "selector": "#word", "strategy": "css", "text": CANARY, "submit": true}),
                json!({"action": "type", "selector": "#none", "strategy": "css", "text": CANARY, "timeout": 1000}),
                json!({"action": "wait", "text": CANARY}),
                json!({"action": "snapshot"}),
                json!({"action": "login", "domain": "localhost", "text": CANARY}),
                json!({"action": "download", "selector": "#file", "strategy": "css"}),
                json!({"action": "navigate", "url": format!("{url}&word={CANARY}")}),
                json!({"action": "snapshot"}),
                json!({"action": "stop"}),
            ],
        ),
        ("stagehand", "goto", vec![json!({"url": url})]),
        ("stagehand", "act", vec![json!({"action": format!("type '{CANARY}' into the Word field")})]),
        ("stagehand", "ariaTree", vec![json!({})]),
        (
            "stagehand",
            "fillForm",
            vec![
                json!({"fields": [{"action": "the Word field", "value": CANARY}]}),
                json!({"fields": [{"action": format!("type '{CANARY}' into the Word field")}]}),
                json!({"fields": [{"action": "the purple slider", "value": CANARY}]}),
            ],
        ),
        ("stagehand", "act", vec![json!({"action": "click the Word field"})]),
        ("stagehand", "keys", vec![json!({"method": "type", "value": CANARY})]),
        (
            "stagehand",
            "type",
            vec![json!({"describe": "the Word field", "text": CANARY, "coordinates": [10, 10]})],
        ),
        ("stagehand", "extract", vec![json!({"instruction": "everything"}), json!({"instruction": CANARY})]),
        ("stagehand", "ariaTree", vec![json!({})]),
        ("stagehand", "screenshot", vec![json!({})]),
        ("stagehand", "open-url", vec![json!({"url": format!("{url}&word={CANARY}")})]),
        ("stagehand", "ariaTree", vec![json!({})]),
    ]
}

fn go_through(kind: Kind) {
    let place = Place::new();
    let mut way = open(kind, &place);
    let mut masked = std::collections::BTreeMap::<&str, usize>::new();
    for (set, tool, all) in calls(&place) {
        for args in all {
            let said = way.call(set, tool, &args);
            has_nothing(&named(&format!("{set}.{tool} {args}")), &said);
            *masked.entry(set).or_default() += said.matches("[secret]").count();
        }
    }
    assert_eq!(masked.len(), 5);
    for (set, count) in masked {
        assert!(count > 0, "{set}: the page never said it");
    }
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

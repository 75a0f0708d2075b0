//! The time that a call asks for in its arguments, for all of its steps and for the element that it waits for.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed, which is the point")]

use std::{sync::Arc, time::Duration};

use contract::Span;
use engine::{Front, SessionOptions};
use serde_json::{Value, json};
use toolsets::{Answer, Ask, Caller, Limit, Options, Step};

fn caller() -> Caller {
    Caller {
        front: Front::Library,
        session: Default::default(),
        private: false,
        options: SessionOptions::default(),
        tools: Arc::new(Options { nanobot_enabled: true, nanobot_open: true, ..Options::default() }),
        now: jiff::civil::date(2024, 1, 1).at(12, 0, 0, 0),
        mark: "mark".into(),
        patience: None,
        limit: None,
    }
}

/// What the first steps of a call say: the limit of all, and the time of the first action.
fn first(toolset: &str, tool: &str, args: Value) -> (Option<Limit>, Option<Span>) {
    let mut step = toolsets::toolset(toolset).unwrap().call(tool, args, &caller());
    let mut limit = None;
    loop {
        step = match step {
            Step::Limit(given, next) => {
                limit = Some(given);
                *next
            }
            Step::Ask(ask, then) => match *ask {
                Ask::Perform { request, .. } => return (limit, request.timeout),
                Ask::Sessions => {
                    let running =
                        json!([{"session": "default", "kind": "isolated", "options": {}, "tabs": []}]);
                    then(Answer::Sessions(serde_json::from_value(running).unwrap()))
                }
                _ => return (limit, None),
            },
            Step::Done(reply) => panic!("{}", reply.value),
        };
    }
}

#[test]
fn rows() {
    let time = |milliseconds| Some(Span(Duration::from_millis(milliseconds)));
    let within = |milliseconds| time(milliseconds).map(Limit::Within);
    for (toolset, tool, args, limit, of_action) in [
        (
            "jarvis",
            "playwright_browser",
            json!({"action": "click", "selector": "#x", "timeout": 2}),
            within(2_000),
            time(2_000),
        ),
        (
            "jarvis",
            "playwright_browser",
            json!({"action": "type", "selector": "#x", "text": "x", "timeout": 2.5}),
            within(2_500),
            time(2_500),
        ),
        // Whoever says nothing hears of a missing element soon.
        ("jarvis", "playwright_browser", json!({"action": "click", "selector": "#x"}), within(30_000), None),
        // A time that is only to pass is no limit.
        (
            "jarvis",
            "playwright_browser",
            json!({"action": "click", "selector": "#x", "wait_condition": "timeout", "timeout": 2}),
            None,
            None,
        ),
        (
            "nanobot",
            "browser",
            json!({"action": "click", "selector": "#x", "timeout": 700}),
            within(700),
            time(700),
        ),
        (
            "openclaw",
            "browser",
            json!({"action": "act", "kind": "click", "ref": "e1", "timeoutMs": 900}),
            within(900),
            time(900),
        ),
        (
            "openclaw",
            "browser",
            json!({"action": "act", "kind": "wait", "timeMs": 50, "timeoutMs": 900}),
            within(950),
            time(950),
        ),
    ] {
        assert_eq!(first(toolset, tool, args.clone()), (limit, of_action), "{toolset} {args}");
    }
}

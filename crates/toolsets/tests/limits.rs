//! The time that a call asks for in its arguments, for all of its steps and for the element that it waits for.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed, which is the point")]

use std::{sync::Arc, time::Duration};

use contract::{Code, Error, Outcome, Span};
use engine::{Front, SessionOptions};
use serde_json::{Value, json};
use toolsets::{Answer, Ask, Caller, Options, Step};

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
fn first(toolset: &str, tool: &str, args: Value) -> (Option<Span>, Option<Span>) {
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
    for (toolset, tool, args, limit, of_action) in [
        (
            "jarvis",
            "playwright_browser",
            json!({"action": "click", "selector": "#x", "timeout": 2}),
            time(2_000),
            time(2_000),
        ),
        (
            "jarvis",
            "playwright_browser",
            json!({"action": "type", "selector": "#x", "text": "x", "timeout": 2.5}),
            time(2_500),
            time(2_500),
        ),
        // Whoever says nothing hears of a missing element soon.
        ("jarvis", "playwright_browser", json!({"action": "click", "selector": "#x"}), time(30_000), None),
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
            time(700),
            time(700),
        ),
        (
            "openclaw",
            "browser",
            json!({"action": "act", "kind": "click", "ref": "e1", "timeoutMs": 900}),
            time(900),
            time(900),
        ),
        (
            "openclaw",
            "browser",
            json!({"action": "act", "kind": "wait", "timeMs": 50, "timeoutMs": 900}),
            time(950),
            time(950),
        ),
    ] {
        assert_eq!(first(toolset, tool, args.clone()), (limit, of_action), "{toolset} {args}");
    }
}

/// A time that `openclaw` has by default is none that the caller set: elements are waited for as long as everywhere.
#[test]
fn openclaw_waits_for_elements_as_long_as_others() {
    let element_timeout = |args: Value| {
        let mut step = toolsets::toolset("openclaw").unwrap().call("browser", args, &caller());
        loop {
            step = match step {
                Step::Limit(_, next) => *next,
                Step::Ask(ask, _) => match *ask {
                    Ask::Perform { request, .. } => return request.element_timeout,
                    other => panic!("{other:?}"),
                },
                Step::Done(reply) => panic!("{}", reply.value),
            };
        }
    };
    for mut args in [
        json!({"action": "act", "kind": "click", "selector": "#nix"}),
        json!({"action": "content", "selector": "#nix"}),
    ] {
        assert_eq!(element_timeout(args.clone()), Some(Span::seconds(5)), "{args}");
        args["timeoutMs"] = json!(9_000);
        assert_eq!(element_timeout(args.clone()), None, "{args}");
    }
}

/// `jarvis` waits for the network, and what is left of the time is for saving the page: no more than the caller said.
#[test]
fn a_call_of_jarvis_ends_with_its_time() {
    let args = json!({"action": "navigate", "url": "http://x/", "timeout": 3});
    let mut step = toolsets::toolset("jarvis").unwrap().call("playwright_browser", args, &caller());
    let (mut limits, mut asked) = (Vec::new(), 0);
    loop {
        step = match step {
            Step::Limit(limit, next) => {
                limits.push(limit.0.as_millis());
                *next
            }
            Step::Ask(ask, then) => match *ask {
                Ask::Sessions => {
                    let running =
                        json!([{"session": "default", "kind": "isolated", "options": {}, "tabs": []}]);
                    then(Answer::Sessions(serde_json::from_value(running).unwrap()))
                }
                _ => {
                    asked += 1;
                    // Going there succeeds, and nothing after it.
                    then(Answer::Outcome(match asked {
                        1 => Ok(Outcome::default()),
                        _ => Err(Error::new(Code::Timeout, "the time ran out")),
                    }))
                }
            },
            Step::Done(reply) => {
                assert_eq!(reply.value["success"], false, "{}", reply.value);
                break;
            }
        };
    }
    assert_eq!((asked, limits), (3, vec![3_000, 2_250, 3_000]));
}

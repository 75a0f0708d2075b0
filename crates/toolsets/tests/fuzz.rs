//! Every tool of every toolset with arguments made from its own schema, right and wrong, and with every kind of answer to what it asks
//! for: it always ends in a reply, and never in a panic.

#![expect(clippy::unwrap_used, reason = "tests: what should not happen fails loudly")]

use std::sync::Arc;

use contract::{Code, Error, Outcome, SessionName};
use engine::{Front, SessionOptions};
use proptest::{
    prelude::*,
    strategy::BoxedStrategy,
    test_runner::{Config, TestRunner},
};
use serde_json::{Map, Value, json};
use toolsets::{Answer, Ask, Caller, Options, Reply, Step};

/// How many calls of each tool are tried.
const CALLS: u32 = 48;

/// A tool that asks for more than this will not come to an end.
const MOST_STEPS: usize = 200;

/// Anything at all.
fn anything() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        any::<String>().prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[{"a": [1, null]}]])),
    ]
    .boxed()
}

/// Texts that mean something to some tool, and any others.
fn text() -> BoxedStrategy<Value> {
    const KNOWN: &[&str] = &[
        "",
        "e1",
        "f1e2",
        "@e3",
        "css=#a",
        "xpath=//a",
        "//a",
        "1,2",
        "500,500/1000",
        "http://127.0.0.1:1/",
        "about:blank",
        "ftp://x",
        "default",
        "../..",
        "浏览器",
        "t1",
        "2s",
        "Enter",
        "() => 1",
        "[",
        "\u{0}",
        "a\nb",
    ];
    prop_oneof![3 => proptest::sample::select(KNOWN).prop_map(Value::from), 1 => any::<String>().prop_map(Value::from)].boxed()
}

/// What a schema allows, mostly.
fn fitting(schema: &Value) -> BoxedStrategy<Value> {
    let right = if let Some(values) = schema["enum"].as_array() {
        proptest::sample::select(values.clone()).boxed()
    } else if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        proptest::strategy::Union::new(choices.iter().map(fitting)).boxed()
    } else {
        match schema["type"].as_str() {
            Some("string") => text(),
            Some("integer") => {
                prop_oneof![(-3i64..2000).prop_map(Value::from), any::<i64>().prop_map(Value::from)].boxed()
            }
            Some("number") => prop_oneof![
                (-1.0..2000.0).prop_map(|number: f64| json!(number)),
                any::<f64>().prop_map(|number| json!(number))
            ]
            .boxed(),
            Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
            Some("array") => {
                proptest::collection::vec(fitting(&schema["items"]), 0..4).prop_map(Value::from).boxed()
            }
            Some("object") => object(schema),
            _ => anything(),
        }
    };
    prop_oneof![12 => right, 1 => anything()].boxed()
}

/// An object with some of its properties, the required ones nearly always.
fn object(schema: &Value) -> BoxedStrategy<Value> {
    let required: Vec<_> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties: Vec<_> = schema["properties"].as_object().into_iter().flatten().collect();
    let each = properties.into_iter().map(|(name, schema)| {
        let share = if required.contains(&name.as_str()) { 0.95 } else { 0.4 };
        (Just(name.clone()), proptest::option::weighted(share, fitting(schema)))
    });
    let each: Vec<_> = each.collect();
    each.prop_map(|pairs| {
        let there = pairs.into_iter().filter_map(|(name, value)| Some((name, value?)));
        Value::Object(there.collect::<Map<_, _>>())
    })
    .boxed()
}

fn caller(private: bool) -> Caller {
    Caller {
        front: Front::Mcp,
        session: "mcp-1".parse::<SessionName>().unwrap(),
        private,
        options: SessionOptions::default(),
        tools: Arc::new(options()),
        now: jiff::civil::date(2026, 11, 15).at(12, 0, 0, 0),
        mark: "0123abcd".into(),
    }
}

/// Everything is switched on.
fn options() -> Options {
    Options { caps: vec!["all".into()], mode: toolsets::Mode::Hybrid, can_search: true, ..Options::default() }
}

/// What may come back for what is asked, by a number.
fn answer(ask: &Ask, which: usize) -> Answer {
    let error = || Error::new(Code::ALL[which % Code::ALL.len()], "no");
    let fails = which.is_multiple_of(3);
    match ask {
        Ask::Perform { .. } if fails => Answer::Outcome(Err(error())),
        Ask::Perform { .. } => Answer::Outcome(Ok(Outcome::default())),
        Ask::Sessions => Answer::Sessions(Vec::new()),
        Ask::Write { .. } if fails => Answer::Written(Err(error())),
        Ask::Write { path, .. } => Answer::Written(Ok(path.clone())),
        Ask::OpenInHost { .. } if fails => Answer::Opened(Err(error())),
        Ask::OpenInHost { .. } => Answer::Opened(Ok(None)),
        Ask::Search { .. } if fails => Answer::Found(Err(error())),
        Ask::Search { .. } => Answer::Found(Ok(json!([]))),
    }
}

fn drive(mut step: Step, answers: &[usize]) -> Option<Reply> {
    for place in 0..MOST_STEPS {
        match step {
            Step::Done(reply) => return Some(reply),
            Step::Ask(ask, then) => step = then(answer(&ask, answers[place % answers.len()])),
        }
    }
    None
}

#[test]
fn every_call_ends_in_a_reply() {
    for set in toolsets::ALL {
        for tool in set.tools(&options()) {
            let mut runner =
                TestRunner::new(Config { cases: CALLS, failure_persistence: None, ..Config::default() });
            let args = prop_oneof![12 => object(&tool.schema()), 1 => anything()];
            let inputs =
                (args, any::<bool>(), proptest::collection::vec(any::<u16>().prop_map(usize::from), 1..6));
            let result = runner.run(&inputs, |(args, private, answers)| {
                let understood = tool.check(&args).is_ok();
                let reply = drive(set.call(tool.name, args, &caller(private)), &answers);
                let reply = reply.ok_or_else(|| TestCaseError::fail("it asks for ever"))?;
                prop_assert!(reply.value.is_object(), "{}", reply.value);
                prop_assert!(!reply.text().is_empty() || reply.ok, "an error without a word");
                prop_assert!(understood || !reply.ok, "what was not understood was done");
                Ok(())
            });
            assert!(result.is_ok(), "{}.{}: {}", set.name, tool.name, result.unwrap_err());
        }
    }
}

//! Any arguments for any tool: those that its schema allows, and those that it does not. Whatever they are and whatever the engine
//! answers, a call ends, with a reply that says how.

use std::sync::Arc;

use contract::{Code, Error, Outcome, SessionName, TabId, TabInfo};
use engine::{Front, SessionOptions};
use jiff::civil::date;
use proptest::{prelude::*, sample::select};
use serde_json::{Map, Value, json};
use toolsets::{Answer, Ask, Caller, Mode, Options, Step, Tool, Toolset};

/// More than any tool asks for, even a batch of a hundred.
const MOST_STEPS: usize = 2_000;

fn caller(mode: Mode) -> Caller {
    let caps = vec!["all".to_owned()];
    Caller {
        front: Front::Mcp,
        session: SessionName::default(),
        private: false,
        options: SessionOptions::default(),
        tools: Arc::new(Options { caps, mode, can_search: true, ..Options::default() }),
        now: date(2026, 1, 2).at(3, 4, 5, 0),
        mark: "mark".into(),
    }
}

/// Every tool with what it needs to be there.
fn tools() -> Vec<(&'static Toolset, &'static Tool, Mode)> {
    let modes = [Mode::Dom, Mode::Hybrid];
    let of = |mode: Mode| {
        toolsets::ALL.into_iter().flat_map(move |set| {
            set.tools(&caller(mode).tools).into_iter().map(move |tool| (set, tool, mode))
        })
    };
    modes.into_iter().flat_map(of).collect()
}

/// A value that a schema allows, or something else now and then.
fn value_for(schema: &Value) -> BoxedStrategy<Value> {
    if let Some(names) = schema["enum"].as_array() {
        return select(names.clone()).boxed();
    }
    match schema["type"].as_str() {
        Some("string") => text().prop_map(Value::String).boxed(),
        Some("boolean") => any::<bool>().prop_map(Value::Bool).boxed(),
        Some("integer") => prop_oneof![0..5_i64, any::<i64>()].prop_map(|number| json!(number)).boxed(),
        Some("number") => {
            prop_oneof![0.0..1_000.0_f64, any::<f64>()].prop_map(|number| json!(number)).boxed()
        }
        Some("array") => {
            let least = schema["minItems"].as_u64().unwrap_or(0) as usize;
            let most = schema["maxItems"].as_u64().unwrap_or(3) as usize;
            prop::collection::vec(value_for(&schema["items"]), least..=most).prop_map(Value::Array).boxed()
        }
        Some("object") => object_for(schema),
        _ => text().prop_map(Value::String).boxed(),
    }
}

/// Texts that tools take apart.
fn text() -> BoxedStrategy<String> {
    let telling = [
        "",
        "e1",
        "12",
        "t1",
        "click the Go button",
        "在搜索框输入天气",
        "https://example.com/",
        "css=#a",
        "10,20",
        "Enter",
        "openclaw",
        "a\u{0}b",
    ];
    prop_oneof![select(telling.to_vec()).prop_map(str::to_owned), ".{0,20}"].boxed()
}

fn object_for(schema: &Value) -> BoxedStrategy<Value> {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    let fields: Vec<BoxedStrategy<Option<(String, Value)>>> = properties
        .iter()
        .map(|(name, schema)| {
            let chance = if required.contains(&name.as_str()) { 0.97 } else { 0.25 };
            let name = name.clone();
            prop::option::weighted(chance, value_for(schema))
                .prop_map(move |value| Some((name.clone(), value?)))
                .boxed()
        })
        .collect();
    fields.prop_map(|fields| Value::Object(fields.into_iter().flatten().collect::<Map<_, _>>())).boxed()
}

/// What the engine may say.
fn answer(ask: &Ask, fails: bool) -> Answer {
    let error = || Error::new(Code::StaleRef, "no");
    let tab = TabInfo {
        tab: TabId(1),
        target_id: "AB".into(),
        url: "about:blank".into(),
        title: String::new(),
        active: true,
        opener: None,
        label: None,
    };
    let outcome = Outcome { tab: Some(TabId(1)), tabs: Some(vec![tab]), ..Outcome::default() };
    match ask {
        Ask::Perform { .. } => Answer::Outcome(if fails { Err(error()) } else { Ok(outcome) }),
        Ask::Sessions => Answer::Sessions(Vec::new()),
        Ask::Write { path, .. } => Answer::Written(if fails { Err(error()) } else { Ok(path.clone()) }),
        Ask::OpenInHost { .. } => Answer::Opened(if fails { Err(error()) } else { Ok(None) }),
        Ask::Search { .. } => Answer::Found(if fails { Err(error()) } else { Ok(json!([])) }),
    }
}

#[test]
fn every_call_ends_with_a_reply() {
    for (set, tool, mode) in tools() {
        let name = format!("{}.{}", set.name, tool.name);
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
            cases: 200,
            ..ProptestConfig::default()
        });
        let outcome = runner.run(&(object_for(&tool.schema()), any::<bool>()), |(args, fails)| {
            let mut step = set.call(tool.name, args, &caller(mode));
            for _ in 0..MOST_STEPS {
                match step {
                    Step::Done(reply) => {
                        prop_assert!(reply.value.is_object(), "{name}: {}", reply.value);
                        prop_assert!(!reply.text().is_empty(), "{name}");
                        return Ok(());
                    }
                    Step::Ask(ask, then) => {
                        let answer = answer(&ask, fails);
                        step = then(answer);
                    }
                }
            }
            prop_assert!(false, "{name} does not end");
            Ok(())
        });
        assert!(outcome.is_ok(), "{name}: {outcome:?}");
    }
}

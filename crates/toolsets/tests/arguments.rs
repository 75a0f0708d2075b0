//! Any arguments, any answers: whatever a tool is given and whatever becomes of what it asks for, it comes to a reply, and that reply
//! has a shape. No browser is needed for that, since a tool is only a chain of steps.

use std::sync::Arc;

use contract::{Code, Error, Outcome, TabId, TabInfo};
use engine::{Front, SessionInfo, SessionOptions};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Value, json};
use toolsets::{Answer, Ask, Caller, Mode, Options, Reply, Step};

/// More steps than any tool takes, unless it goes round in circles.
const MOST_STEPS: usize = 200;

fn caller(private: bool) -> Caller {
    let tools = Options {
        caps: vec!["all".into()],
        mode: Mode::Hybrid,
        can_search: true,
        nanobot_enabled: true,
        ..Options::default()
    };
    Caller {
        front: Front::Library,
        session: Default::default(),
        private,
        options: SessionOptions::default(),
        tools: Arc::new(tools),
        now: jiff::civil::date(2024, 1, 1).at(12, 0, 0, 0),
        mark: "mark".into(),
        patience: None,
        limit: None,
    }
}

/// The caller's own session, when it runs.
fn running() -> SessionInfo {
    let tab = TabInfo {
        tab: TabId(1),
        target_id: "A1".into(),
        url: "http://a.example/".into(),
        title: "a".into(),
        active: true,
        opener: None,
        label: None,
    };
    SessionInfo {
        session: Default::default(),
        kind: "isolated".into(),
        options: SessionOptions::default(),
        egress: "enforced".into(),
        browser: None,
        tabs: vec![tab],
    }
}

/// Any value, and with luck one that fits.
fn value(schema: &Value) -> BoxedStrategy<Value> {
    let strange = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        ".{0,20}".prop_map(Value::from),
        select(vec!["e1", "css=p", "//p", "1,2", "http://a.example/", "/x", "登录按钮"])
            .prop_map(Value::from),
        Just(json!([])),
        Just(json!([{}, "x", 1])),
        Just(json!({"x": [null]})),
    ];
    let fitting = match (schema["enum"].as_array(), schema["type"].as_str()) {
        (Some(names), _) => select(names.clone()).boxed(),
        (_, Some("boolean")) => any::<bool>().prop_map(Value::from).boxed(),
        (_, Some("integer")) => (0..100u32).prop_map(Value::from).boxed(),
        (_, Some("number")) => (-1.0..100.0).prop_map(|number: f64| json!(number)).boxed(),
        (_, Some("array")) => vec(value(&schema["items"]), 0..3).prop_map(Value::from).boxed(),
        (_, Some("object")) => arguments(schema),
        _ => select(vec!["e1", "Save", "http://a.example/", "/x", "a.example", ""])
            .prop_map(Value::from)
            .boxed(),
    };
    prop_oneof![4 => fitting, 1 => strange].boxed()
}

/// An object with some of the properties, and sometimes one that is not known.
fn arguments(schema: &Value) -> BoxedStrategy<Value> {
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let parts: Vec<_> = properties
        .iter()
        .map(|(name, schema)| {
            let often = if required.contains(&json!(name)) { 0.95 } else { 0.3 };
            let name = name.clone();
            proptest::option::weighted(often, value(schema))
                .prop_map(move |value| Some((name.clone(), value?)))
        })
        .collect();
    let known = parts.prop_map(|parts| parts.into_iter().flatten().collect::<Map<_, _>>());
    (known, proptest::bool::weighted(0.05))
        .prop_map(|(mut known, strange)| {
            if strange {
                known.insert("strange".into(), json!(1));
            }
            Value::Object(known)
        })
        .boxed()
}

/// Takes a call to its end. `codes` are what becomes of what it asks for; none of them: it went well.
fn finish(mut step: Step, codes: &[Option<Code>]) -> Result<Reply, TestCaseError> {
    for at in 0..MOST_STEPS {
        let (ask, then) = match step {
            Step::Done(reply) => return Ok(reply),
            Step::Limit(_, next) => {
                step = *next;
                continue;
            }
            Step::Ask(ask, then) => (ask, then),
        };
        let code = codes[at % codes.len()];
        let failed = || code.map(|code| Error::new(code, "made up"));
        step = then(match *ask {
            Ask::Perform { .. } | Ask::Restart { .. } | Ask::Picture { .. } => {
                Answer::Outcome(failed().map_or_else(|| Ok(Outcome::default()), Err))
            }
            Ask::Sessions if code.is_some() => Answer::Sessions(Vec::new()),
            Ask::Sessions => Answer::Sessions(vec![running()]),
            Ask::Write { path, .. } => Answer::Written(failed().map_or(Ok(path), Err)),
            Ask::OpenInHost { .. } => Answer::Opened(failed().map_or(Ok(None), Err)),
            Ask::Search { .. } => Answer::Found(failed().map_or(Ok(Value::Null), Err)),
        });
    }
    Err(TestCaseError::fail("it never ends"))
}

fn calls() -> impl Strategy<Value = (&'static str, &'static str, Value)> {
    let tools: Vec<_> =
        toolsets::ALL.iter().flat_map(|set| set.all.iter().map(|tool| (set.name, tool))).collect();
    (0..tools.len()).prop_flat_map(move |at| {
        let (set, tool) = tools[at];
        let args = arguments(&tool.schema());
        prop_oneof![20 => args, 1 => value(&Value::Null)].prop_map(move |args| (set, tool.name, args))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn every_call_comes_to_a_reply(
        (set, tool, args) in calls(),
        codes in vec(proptest::option::of(select(Code::ALL)), 1..5),
        private in any::<bool>(),
    ) {
        let set = toolsets::toolset(set).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let understood = set.tool(tool, &caller(private).tools).is_ok_and(|tool| tool.check(&args, set).is_ok());
        let reply = finish(set.call(tool, args, &caller(private)), &codes)?;
        prop_assert!(reply.value.is_object(), "{}", reply.value);
        prop_assert!(understood || !reply.ok, "what was not understood was done");
        // Whichever word the dialect has for it, it says the same as the reply.
        for name in ["ok", "success"] {
            if let Some(ok) = reply.value.get(name).and_then(Value::as_bool) {
                prop_assert_eq!(ok, reply.ok, "{}", reply.value);
            }
        }
        prop_assert!(!reply.text().is_empty());
    }
}

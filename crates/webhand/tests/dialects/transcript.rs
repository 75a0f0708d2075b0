//! Transcripts: calls of tools with what has to come of them, as data.

use serde_json::Value;

use crate::support::{Home, Ran};

/// Some calls, one after the other, in one session.
pub(crate) struct Transcript {
    pub toolset: &'static str,
    /// How the tools are set, as on the command line.
    pub settings: &'static [&'static str],
    pub rows: Vec<Row>,
}

/// A call, and what has to come of it.
///
/// A text `<…>` in the arguments stands for the ref of the first line with that in what was answered last.
pub(crate) struct Row {
    pub tool: &'static str,
    pub args: Value,
    pub check: Box<dyn Fn(&Value)>,
}

pub(crate) fn row(tool: &'static str, args: Value, check: impl Fn(&Value) + 'static) -> Row {
    Row { tool, args, check: Box::new(check) }
}

/// A call that succeeds, and of whose answer nothing else matters.
pub(crate) fn fine(tool: &'static str, args: Value) -> Row {
    row(tool, args, |_| {})
}

/// A call that fails with this code.
pub(crate) fn fails(tool: &'static str, args: Value, code: &'static str) -> Row {
    row(tool, args, move |answer| assert_eq!(answer["error"]["code"], code, "{answer}"))
}

impl Transcript {
    /// Makes the calls. `call` is the front: a tool's name and arguments, and what is answered.
    pub(crate) fn run(self, mut call: impl FnMut(&str, &Value) -> Value) {
        let mut seen = String::new();
        for Row { tool, args, check } in self.rows {
            let args = with_refs(args, &seen);
            let answer = call(tool, &args);
            let shown: String = answer.to_string().chars().take(3_000).collect();
            println!("{tool} {args}\n  {shown}");
            check(&answer);
            if let Some(text) = answer["data"]["content"].as_str().or(answer["snapshot"].as_str()) {
                text.clone_into(&mut seen);
            }
        }
    }

    /// Makes the calls with `webhand call`.
    pub(crate) fn typed(self) {
        let home = Home::new();
        let (toolset, settings) = (self.toolset, self.settings);
        self.run(|tool, args| {
            let (name, args) = (format!("{toolset}.{tool}"), args.to_string());
            let line = [settings, &["call", &name, &args]].concat();
            let output = home.command(&line).env_remove("BRAVE_API_KEY").output().unwrap();
            answer(Ran::new(&line, &output))
        });
    }
}

/// The answer as it is printed. Success and exit status agree.
#[track_caller]
fn answer(ran: Ran) -> Value {
    let answer: Value = serde_json::from_str(&ran.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr));
    assert_eq!(ran.exit, Some(if answer["ok"] == true { 0 } else { 1 }), "{answer}");
    if answer["ok"] != true {
        for field in ["code", "message", "hint"] {
            let text = answer["error"][field].as_str();
            assert!(text.is_some_and(|text| !text.is_empty()), "no {field}: {answer}");
        }
        assert!(answer["error"]["retriable"].is_boolean(), "{answer}");
    }
    answer
}

fn with_refs(args: Value, seen: &str) -> Value {
    match args {
        Value::String(text) => match text.strip_prefix('<').and_then(|text| text.strip_suffix('>')) {
            Some(words) => reference(words, seen).into(),
            None => text.into(),
        },
        Value::Array(items) => items.into_iter().map(|item| with_refs(item, seen)).collect(),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(name, value)| (name, with_refs(value, seen))).collect())
        }
        value => value,
    }
}

/// The ref of the first line that has these words.
#[track_caller]
pub(crate) fn reference(words: &str, seen: &str) -> String {
    let line =
        seen.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("no {words:?} in {seen}"));
    let (_, after) = line.split_once("[ref=").unwrap_or_else(|| panic!("no ref in {line:?}"));
    after.split(']').next().unwrap().to_owned()
}

/// Whether a text is somewhere in an answer.
#[track_caller]
pub(crate) fn says(text: &'static str) -> impl Fn(&Value) {
    move |answer| assert!(answer.to_string().contains(text), "no {text:?} in {answer}")
}

/// Whether all of these hold.
pub(crate) fn holds(expected: Value) -> impl Fn(&Value) {
    move |answer| {
        for (path, value) in expected.as_object().unwrap() {
            assert_eq!(answer.pointer(path), Some(value), "{path} in {answer}");
        }
    }
}

/// Whether the status in a page's tree has this text.
#[track_caller]
pub(crate) fn has_logged(tree: &Value, text: &str) {
    let tree = tree.as_str().unwrap_or_else(|| panic!("no tree: {tree}"));
    let status = tree.lines().find(|line| line.trim_start().starts_with("- status")).unwrap_or("no status");
    assert!(status.contains(text), "no {text:?} in {status:?}");
}

//! Transcripts: calls of tools with what has to come of them, as data.

use serde_json::Value;

use crate::{
    front::{Answer, Front},
    support::Home,
};

/// How long elements are waited for in transcripts where some are missing.
pub(crate) const SOON: &str = "1500ms";

/// Some calls, one after the other, in one session.
pub(crate) struct Transcript {
    pub toolset: &'static str,
    /// How the tools are set, as on the command line.
    pub settings: &'static [&'static str],
    pub rows: Vec<Row>,
    /// It needs what only the whole Chromium has, through whichever front.
    pub needs_whole_browser: bool,
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
    /// These calls, with these settings.
    pub(crate) fn of(toolset: &'static str, settings: &'static [&'static str], rows: Vec<Row>) -> Transcript {
        Transcript { toolset, settings, rows, needs_whole_browser: false }
    }

    /// The same, in the whole Chromium through every front.
    pub(crate) fn in_whole_browser(self) -> Transcript {
        Transcript { needs_whole_browser: true, ..self }
    }

    /// Makes the calls through a front, in a home of its own: `call` in the whole Chromium, the other fronts in its headless shell.
    pub(crate) fn through(self, front: Front) {
        let home = if self.needs_whole_browser || front == Front::Call { Home::whole() } else { Home::new() };
        let mut tools = front.open(&home, self.toolset, self.settings);
        let mut seen = String::new();
        for Row { tool, args, check } in self.rows {
            let args = with_refs(args, &seen);
            let answer = tools.call(tool, &args);
            let shown: String = answer.value.to_string().chars().take(3_000).collect();
            println!("{tool} {args}\n  {shown}");
            is_whole(&answer);
            let Answer { value, .. } = answer;
            check(&value);
            if let Some(text) = value["data"]["content"].as_str().or(value["snapshot"].as_str()) {
                text.clone_into(&mut seen);
            }
        }
    }
}

/// What the front says and what the answer says agree, and an error has all that it needs.
#[track_caller]
fn is_whole(Answer { ok, value }: &Answer) {
    assert_eq!(*ok, value["ok"] == true, "{value}");
    if !ok {
        for field in ["code", "message", "hint"] {
            let text = value["error"][field].as_str();
            assert!(text.is_some_and(|text| !text.is_empty()), "no {field}: {value}");
        }
        assert!(value["error"]["retriable"].is_boolean(), "{value}");
    }
}

/// A test for each transcript and each front.
macro_rules! through_every_front {
    ($($name:ident)*) => {
        mod with_call {
            $(#[test] fn $name() { super::$name().through(crate::front::Front::Call); })*
        }
        mod with_mcp {
            $(#[test] fn $name() { super::$name().through(crate::front::Front::Mcp); })*
        }
        mod with_http {
            $(#[test] fn $name() { super::$name().through(crate::front::Front::Http); })*
        }
    };
}
pub(crate) use through_every_front;

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

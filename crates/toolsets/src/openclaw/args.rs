//! The arguments: one flat list for all actions, since some hosts of models take nothing else. What an act needs may stand in `request`
//! as well.

use std::path::PathBuf;

use contract::{Error, PageUrl, Result, Target, Typed};
use engine::actions::{Button, ColorScheme, Direction, Format, Modifier};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::args;

/// The arguments as they come in, before what is in `request` is put beside the rest.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Raw(Map<String, Value>);

impl JsonSchema for Raw {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Args::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Args::json_schema(generator)
    }
}

impl Raw {
    /// The arguments, whichever way they were given.
    pub(super) fn read(self) -> Result<Args> {
        let Raw(mut all) = self;
        match all.remove("request") {
            None | Some(Value::Null) => {}
            Some(Value::Object(request)) => {
                if let Some(nested) =
                    ["action", "request", "profile"].iter().find(|name| request.contains_key(**name))
                {
                    return Err(Error::invalid(format!(
                        "request.{nested} belongs beside request, not into it"
                    )));
                }
                all.extend(request);
            }
            Some(_) => {
                return Err(Error::invalid("request: invalid type, expected an object")
                    .with_hint("write it like {\"kind\": \"click\", \"ref\": \"e12\"}"));
            }
        }
        args::read(Value::Object(all))
    }

    /// One of the acts of a batch.
    pub(super) fn act(mut act: Map<String, Value>) -> Result<Args> {
        for name in ["action", "profile", "request"] {
            if act.contains_key(name) {
                return Err(Error::invalid(format!("an act of a batch has no {name}")));
            }
        }
        act.insert("action".into(), "act".into());
        args::read(Value::Object(act))
    }
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verb {
    Status,
    Start,
    Stop,
    Profiles,
    Tabs,
    Open,
    Focus,
    Close,
    Navigate,
    Snapshot,
    Screenshot,
    Content,
    Act,
    Console,
    Requests,
    Errors,
    Text,
    Emulate,
    Pdf,
    Upload,
    Dialog,
    Download,
    Waitfordownload,
    Doctor,
}

/// What is to be done in a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum Kind {
    Click,
    ClickCoords,
    Type,
    Press,
    Hover,
    Scroll,
    ScrollIntoView,
    Drag,
    Select,
    Fill,
    Resize,
    Wait,
    Evaluate,
    Batch,
    Close,
}

/// All that can be said.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Args {
    pub action: Verb,
    /// openclaw, chrome, or a name of your own
    pub profile: Option<String>,
    /// A tab: t1, its label, its target id or the start of that; the active one if left out
    pub target_id: Option<String>,
    /// For open, navigate and download
    #[schemars(with = "Option<String>")]
    pub target_url: Option<PageUrl>,
    /// A name for the opened tab
    pub label: Option<String>,
    /// For act: {kind, …}; its keys can stand here as well
    #[expect(dead_code, reason = "it was put beside the rest before")]
    request: Option<Map<String, Value>>,
    /// For act
    pub kind: Option<Kind>,
    /// An element of the last snapshot, such as e12
    #[serde(rename = "ref")]
    pub reference: Option<Place>,
    #[schemars(with = "Option<String>")]
    pub text: Option<Typed>,
    /// Press Enter after typing
    #[serde(default)]
    pub submit: bool,
    /// Type key by key
    #[serde(default)]
    pub slowly: bool,
    #[schemars(with = "Option<String>")]
    pub key: Option<Typed>,
    #[serde(default)]
    pub double_click: bool,
    /// For click
    pub button: Option<Button>,
    #[schemars(with = "Option<Vec<String>>")]
    pub modifiers: Option<Vec<Modifier>>,
    pub x: Option<f64>,
    pub y: Option<f64>,
    /// For scroll
    pub direction: Option<Direction>,
    /// Pixels to scroll
    pub amount: Option<f64>,
    pub delay_ms: Option<u64>,
    pub start_ref: Option<Place>,
    pub end_ref: Option<Place>,
    /// For select
    pub values: Option<Vec<String>>,
    /// For fill
    pub fields: Option<Vec<Field>>,
    pub width: Option<u32>,
    pub height: Option<u32>,
    /// For wait
    pub time_ms: Option<u64>,
    pub text_gone: Option<String>,
    /// For wait: what the address has to hold
    pub url: Option<String>,
    pub load_state: Option<LoadState>,
    /// CSS
    pub selector: Option<String>,
    /// A JavaScript function; it sees the page, not its variables
    #[serde(rename = "fn")]
    pub function: Option<String>,
    /// For batch
    pub actions: Option<Vec<Map<String, Value>>>,
    /// For batch; true if left out
    pub stop_on_error: Option<bool>,
    /// For batch: go on after an act that leads to another page
    #[serde(default)]
    pub through_navigation: bool,
    pub timeout_ms: Option<u64>,
    pub snapshot_format: Option<SnapshotFormat>,
    /// efficient: short
    pub mode: Option<SnapshotMode>,
    #[schemars(skip)]
    #[expect(dead_code, reason = "there is one kind of refs")]
    refs: Option<String>,
    #[serde(default)]
    pub interactive: bool,
    #[serde(default)]
    pub compact: bool,
    pub depth: Option<usize>,
    /// Most lines, or nodes
    pub limit: Option<usize>,
    pub max_chars: Option<usize>,
    /// CSS of a frame to look at
    pub frame: Option<String>,
    /// With a picture that has numbers
    #[serde(default)]
    pub labels: bool,
    #[serde(default)]
    pub urls: bool,
    #[serde(default)]
    pub full_page: bool,
    /// CSS of what to picture, or of the field to upload to
    pub element: Option<String>,
    /// For screenshot
    pub r#type: Option<Format>,
    pub path: Option<PathBuf>,
    /// For console: error, warning, info, debug
    pub level: Option<String>,
    pub filter: Option<String>,
    #[serde(default)]
    pub clear: bool,
    /// Words to look for in the text
    pub query: Option<String>,
    pub device: Option<String>,
    /// For emulate
    pub color_scheme: Option<ColorScheme>,
    pub timezone_id: Option<String>,
    pub locale: Option<String>,
    /// Files to upload; alone, to the open file chooser
    pub paths: Option<Vec<PathBuf>>,
    pub input_ref: Option<Place>,
    #[schemars(skip)]
    #[expect(dead_code, reason = "there is one dialog at a time")]
    dialog_id: Option<String>,
    /// For dialog
    pub accept: Option<bool>,
    #[schemars(with = "Option<String>")]
    pub prompt_text: Option<Typed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum LoadState {
    Load,
    Domcontentloaded,
    Networkidle,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum SnapshotFormat {
    #[default]
    Ai,
    Aria,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum SnapshotMode {
    Efficient,
}

// A field to fill.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Field {
    #[serde(rename = "ref")]
    pub reference: Place,
    #[schemars(skip)]
    #[expect(dead_code, reason = "the field itself says what it is")]
    r#type: Option<String>,
    /// true or false for boxes, an option's name for lists
    #[schemars(with = "String")]
    pub value: Scalar,
}

/// A text, or a number or a truth that stands for one.
#[derive(Clone)]
pub(super) struct Scalar(pub Typed);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Scalar(text.as_str().into())),
            value @ (Value::Bool(_) | Value::Number(_)) => Ok(Scalar(value.to_string().as_str().into())),
            _ => Err(serde::de::Error::custom("invalid type, expected a string, a number or true or false")),
        }
    }
}

/// An element: a ref, of which a number is the short form, or any target.
#[derive(Clone, Debug)]
pub(super) struct Place(pub Target);

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match Value::deserialize(deserializer)? {
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            _ => return Err(serde::de::Error::custom("invalid type, expected a ref such as e12")),
        };
        place(&text).map(Place).map_err(|error| serde::de::Error::custom(error.message))
    }
}

impl JsonSchema for Place {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Place".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

fn place(text: &str) -> Result<Target> {
    let text = text.trim().trim_start_matches("ref=");
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match if is_number { format!("e{text}").parse() } else { text.parse() }? {
        Target::Point { .. } | Target::Thousandths { .. } | Target::Pictured { .. } => Err(Error::invalid(
            format!("{text:?} is a point and no ref; clickCoords takes points, as x and y"),
        )),
        target => Ok(target),
    }
}

/// A selector as a target. Those that say what they are keep their meaning.
pub(super) fn selected(selector: &str) -> Result<Target> {
    let text = selector.trim();
    let target: Target = text.parse()?;
    Ok(match target {
        Target::Words(_) | Target::Point { .. } | Target::Thousandths { .. } | Target::Pictured { .. } => {
            Target::Css(text.to_owned())
        }
        target => target,
    })
}

impl Args {
    /// The element that the call is about, by ref or by selector.
    pub(super) fn target(&self) -> Result<Option<Target>> {
        match (&self.reference, &self.selector) {
            (Some(Place(target)), _) => Ok(Some(target.clone())),
            (None, Some(selector)) => selected(selector).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The same for acts that cannot do without.
    pub(super) fn needed_target(&self) -> Result<Target> {
        self.target()?.ok_or_else(|| missing("ref"))
    }
}

/// What an act lacks.
pub(super) fn missing(name: &str) -> Error {
    Error::invalid(format!("this needs {name}")).with_hint(if name == "ref" {
        "take a snapshot and give the ref of an element"
    } else {
        "add it to the arguments"
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Result<Args> {
        args::read::<Raw>(value)?.read()
    }

    #[test]
    fn keys_may_stand_in_the_request_or_beside_it() {
        for value in [
            json!({"action": "act", "request": {"kind": "click", "ref": "e12"}}),
            json!({"action": "act", "kind": "click", "ref": "e12"}),
            json!({"action": "act", "kind": "click", "ref": 12}),
            json!({"action": "act", "request": {"kind": "click"}, "ref": "12"}),
            json!({"action": "act", "request": {"kind": "click", "ref": "@e12"}, "ref": "e1"}),
        ] {
            let args = read(value.clone()).unwrap();
            assert_eq!(args.kind, Some(Kind::Click), "{value}");
            assert_eq!(args.needed_target().unwrap().to_string(), "e12", "{value}");
        }
    }

    #[test]
    fn mistakes_are_told_by_name() {
        for (value, message) in [
            (json!({}), "missing field `action`"),
            (json!({"action": "act", "request": "click"}), "request: invalid type, expected an object"),
            (
                json!({"action": "act", "request": {"kind": "click", "text": 271_828}}),
                "text: invalid type: integer, expected a string",
            ),
            (
                json!({"action": "act", "request": {"action": "stop"}}),
                "request.action belongs beside request, not into it",
            ),
        ] {
            assert_eq!(read(value).map(|args| args.action).unwrap_err().message, message);
        }
        assert!(read(json!({"action": "act", "reff": "e1"})).is_err());
        assert!(read(json!({"action": "fly"})).is_err());
    }

    #[test]
    fn selectors() {
        for (text, target) in [
            ("main", "css=main"),
            ("#a > b", "css=#a > b"),
            ("//a", "xpath=//a"),
            ("css=x", "css=x"),
            ("e12", "e12"),
        ] {
            assert_eq!(selected(text).unwrap().to_string(), target);
        }
    }
}

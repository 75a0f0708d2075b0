//! Tools that fill several fields: all are found before the first is touched. What is typed is told by its length only.

use contract::{Error, Outcome, Result, Target, Typed};
use engine::{
    Action,
    actions::{FillForm, FormField},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    act, length,
    point::{Coordinates, Unit},
    without_text,
};
use crate::{Caller, Hints, Step, Tool, instruction, tool::Call};

pub(super) const FILL_FORM: Tool = Tool::new::<FillFormArgs>(
    "fillForm",
    "Fill several fields of a form, each said in plain words",
    Hints::Acts,
);
pub(super) const FILL_FORM_VISION: Tool = Tool::new::<FillFormVisionArgs>(
    "fillFormVision",
    "Fill several fields of a form, each by its coordinates in the screenshot",
    Hints::Acts,
);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FillFormArgs {
    fields: Vec<FieldArgs>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FieldArgs {
    /// The field, as in "the email field" or "type 'ann@example.com' into the email field"
    action: String,
    /// What to put into it, if the action does not say so; true or false for boxes, an option's name for lists
    #[schemars(with = "Option<String>")]
    value: Option<Typed>,
}

impl Call for FillFormArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let fields = self.fields.into_iter().map(|field| {
            let (target, value) = field_of(&field.action, field.value)?;
            let said = without_text(&field.action, &value);
            Ok((FormField { target, value }, said))
        });
        fill(caller, fields.collect::<Result<_>>()?)
    }
}

/// The field that a sentence is about, and what is to be in it.
fn field_of(action: &str, value: Option<Typed>) -> Result<(Target, Typed)> {
    let (target, said) = match instruction::action(action) {
        Ok(Action::Fill(fill)) => (fill.target, Some(fill.text)),
        Ok(Action::Select(select)) => {
            (select.target, select.values.first().map(|value| value.as_str().into()))
        }
        Ok(Action::Check(check)) => (check.target, Some("true".into())),
        Ok(Action::Uncheck(uncheck)) => (uncheck.target, Some("false".into())),
        Ok(Action::Click(click)) => (click.target, None),
        _ => (described(action).parse()?, None),
    };
    let value = match (said, value) {
        (Some(said), Some(value)) if said != value && !is_quoted(action, &said) => {
            return Err(Error::invalid("an action of a field says what to put into it, and its value says something else")
                .with_hint("leave out the value, put the text of the action in quotes, or name only the field in the action"));
        }
        (said, value) => said.or(value).ok_or_else(|| {
            Error::invalid("a field does not say what to put into it").with_hint("give each field a value")
        })?,
    };
    Ok((target, value))
}

/// Whether a sentence has a text in quotes, so that it is meant word for word.
fn is_quoted(action: &str, text: &Typed) -> bool {
    let text = text.expose();
    let mut places = action.match_indices(text);
    places.any(|(at, _)| {
        let (before, after) = (action[..at].chars().next_back(), action[at + text.len()..].chars().next());
        let is_quote = |c: Option<char>| c.is_some_and(|c| "\"'`“”‘’「」『』«»".contains(c));
        is_quote(before) && is_quote(after)
    })
}

/// A description of a field without the verb before it.
fn described(action: &str) -> &str {
    const VERBS: [&str; 14] = [
        "fill in ",
        "fill out ",
        "fill ",
        "type into ",
        "type in ",
        "enter into ",
        "enter in ",
        "set ",
        "write into ",
        "填写",
        "填入",
        "输入到",
        "输入",
        "设置",
    ];
    let action = action.trim();
    let found = VERBS
        .iter()
        .find(|verb| action.get(..verb.len()).is_some_and(|start| start.eq_ignore_ascii_case(verb)));
    found.map_or(action, |verb| action[verb.len()..].trim())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FillFormVisionArgs {
    fields: Vec<VisionFieldArgs>,
    /// thousandths: 0 to 1000 across the viewport
    #[serde(default)]
    unit: Unit,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct VisionFieldArgs {
    /// What is done
    action: String,
    #[schemars(with = "String")]
    value: Typed,
    coordinates: At,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct At {
    x: f64,
    y: f64,
}

impl Call for FillFormVisionArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let unit = self.unit;
        let fields = self.fields.into_iter().map(|field| {
            let target = Coordinates::new(field.coordinates.x, field.coordinates.y).target(unit)?;
            let said = without_text(&field.action, &field.value);
            Ok((FormField { target, value: field.value }, said))
        });
        fill(caller, fields.collect::<Result<_>>()?)
    }
}

fn fill(caller: &Caller, fields: Vec<(FormField, String)>) -> Result<Step> {
    if fields.is_empty() {
        return Err(Error::invalid("fields is empty"));
    }
    let lengths: Vec<String> = fields.iter().map(|(field, _)| length(&field.value)).collect();
    let (fields, actions): (Vec<FormField>, Vec<String>) = fields.into_iter().unzip();
    Ok(act(
        caller,
        FillForm::new(fields),
        json!({"actions": actions}),
        move |outcome| json!({"playwrightArguments": arguments(outcome, &lengths)}),
    ))
}

/// How each field was filled.
fn arguments(outcome: &Outcome, lengths: &[String]) -> Vec<Value> {
    let steps = outcome.steps.iter().zip(lengths);
    steps
        .map(|(step, length)| json!({"selector": step.what, "method": "fill", "arguments": [length]}))
        .collect()
}

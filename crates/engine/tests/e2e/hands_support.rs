//! What tests of acting share: the pages that are hard to act on, and what those pages say happened to them.

use contract::Outcome;
use engine::{
    Action,
    actions::{Check, Click, Fill, FillForm, FormField, Hover, Press, Select, Type, Uncheck},
};
use serde_json::Value;

use crate::support::{Fixture, eval_main, goto, look, site};

/// Goes to a page of `/hands/` and looks at it.
pub(crate) async fn open(s: &Fixture, name: &str) -> String {
    s.perform(goto(&site().url(&format!("/hands/{name}.html")))).await.unwrap();
    look(s).await
}

/// What the page says happened to it.
pub(crate) async fn log(s: &Fixture) -> Vec<String> {
    serde_json::from_value(eval_main(s, "log").await.value.unwrap()).unwrap()
}

#[track_caller]
fn script_until(words: &str) -> String {
    let words = Value::from(words);
    format!(
        "await new Promise(done => {{
            if (log.includes({words})) return done();
            log.push = (...said) => {{ Array.prototype.push.apply(log, said); if (log.includes({words})) done(); }};
        }})"
    )
}

/// Waits until the page says this.
pub(crate) async fn logged(s: &Fixture, words: &str) {
    eval_main(s, &script_until(words)).await;
}

/// Runs a script of the page's own and gives its value as text.
pub(crate) async fn text_of(s: &Fixture, css: &str) -> String {
    let script = format!("document.querySelector({}).textContent", Value::from(css));
    s.eval(&script).await.as_str().unwrap().trim().to_owned()
}

pub(crate) fn click(target: &str) -> Click {
    Click::new(target.parse().unwrap())
}

pub(crate) fn hover(target: &str) -> Hover {
    Hover { target: target.parse().unwrap() }
}

/// Clicks, which has to work.
pub(crate) async fn clicked(s: &Fixture, target: &str) -> Outcome {
    s.perform(click(target)).await.unwrap_or_else(|error| panic!("{target}: {error}"))
}

pub(crate) fn fill(target: &str, text: &str) -> Fill {
    Fill::new(target.parse().unwrap(), text.into())
}

/// Types behind what is in a field.
pub(crate) fn type_into(target: &str, text: &str) -> Type {
    Type { target: Some(target.parse().unwrap()), ..Type::new(text.into()) }
}

/// Presses keys where the focus is.
pub(crate) fn press(keys: &str) -> Press {
    Press::new(keys.into())
}

pub(crate) fn press_in(target: &str, keys: &str) -> Press {
    Press { target: Some(target.parse().unwrap()), ..press(keys) }
}

pub(crate) fn select(target: &str, values: &[&str]) -> Select {
    let values = values.iter().map(|value| (*value).into()).collect();
    Select { values, ..Select::new(target.parse().unwrap(), "") }
}

pub(crate) fn check(target: &str) -> Check {
    Check::new(target.parse().unwrap())
}

pub(crate) fn uncheck(target: &str) -> Uncheck {
    Uncheck::new(target.parse().unwrap())
}

pub(crate) fn form(fields: &[(&str, &str)]) -> FillForm {
    let field =
        |&(target, value): &(&str, &str)| FormField { target: target.parse().unwrap(), value: value.into() };
    FillForm::new(fields.iter().map(field).collect())
}

/// Does something that has to work.
pub(crate) async fn done(s: &Fixture, action: impl Into<Action>) -> Outcome {
    let action = action.into();
    s.perform(action.clone()).await.unwrap_or_else(|error| panic!("{action:?}: {error}"))
}

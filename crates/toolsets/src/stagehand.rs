//! `stagehand`: the tools of Stagehand's agent, as the design of a browser sub-agent lists them. Elements are named in plain words
//! (`dom`) or by their place in a screenshot as well (`hybrid`). Every answer is `{ok, data, error?}`.
//!
//! No model takes part: `act` and `fillForm` take sentences apart (see `instruction`), `extract` answers with the parts of the
//! page that its words mean.

mod act;
mod answer;
mod extract;
mod form;
mod look;
mod point;
mod task;

use contract::Outcome;
use engine::Action;
use serde_json::{Value, json};

use crate::{Caller, Mode, Options, Step, Tool, Toolset};

/// The toolset.
pub const TOOLSET: Toolset = Toolset {
    name: "stagehand",
    about: "Stagehand's agent tools: act in plain words, or by coordinates in hybrid mode",
    all: &[
        act::ACT,
        look::ARIA_TREE,
        point::CLICK.in_mode(Mode::Hybrid),
        point::CLICK_AND_HOLD.in_mode(Mode::Hybrid),
        task::CLOSE,
        point::DRAG_AND_DROP.in_mode(Mode::Hybrid),
        extract::EXTRACT,
        form::FILL_FORM.in_mode(Mode::Dom),
        form::FILL_FORM_VISION.in_mode(Mode::Hybrid),
        act::GOTO,
        act::KEYS,
        act::NAVBACK,
        look::SCREENSHOT,
        act::SCROLL.in_mode(Mode::Dom),
        point::SCROLL.in_mode(Mode::Hybrid),
        task::SEARCH,
        task::THINK,
        point::TYPE.in_mode(Mode::Hybrid),
        act::WAIT,
        task::OPEN_URL,
    ],
    offers,
    refuse: |error| answer::failed(error, json!({})),
    words: &crate::wording::STAGEHAND,
    ignored: None,
};

fn offers(tool: &Tool, options: &Options) -> bool {
    tool.mode.is_none_or(|mode| mode == options.mode)
        && (tool.name != task::SEARCH.name || options.can_search)
}

/// Does something in the caller's session. `said` is what the answer repeats of the call, `found` what it adds of the outcome.
fn act(
    caller: &Caller,
    action: impl Into<Action>,
    said: Value,
    found: impl FnOnce(&Outcome) -> Value + Send + 'static,
) -> Step {
    caller.perform(caller.request(action), move |result| {
        Step::Done(match result {
            Ok(outcome) => answer::done(answer::joined([said, found(&outcome)]), &outcome),
            Err(error) => answer::failed(error, said),
        })
    })
}

/// How long a text is, which is all that an answer says of it.
fn length(text: &contract::Typed) -> String {
    match text.chars() {
        1 => "1 character".into(),
        count => format!("{count} characters"),
    }
}

/// Shorter texts than this are in many words by chance, and hidden only where they are words of their own.
const SHORT: usize = 4;

/// A caller's words about a field, without the text that is to be typed into it.
fn without_text(words: &str, text: &contract::Typed) -> String {
    let secret = text.expose();
    if secret.is_empty() {
        return words.to_owned();
    }
    let is_short = secret.chars().count() < SHORT;
    let is_part = |c: Option<char>| is_short && c.is_some_and(|c| c.is_alphanumeric() && c.is_ascii());
    let (mut said, mut from) = (String::new(), 0);
    for (at, _) in words.match_indices(secret) {
        let end = at + secret.len();
        if is_part(words[..at].chars().next_back()) || is_part(words[end..].chars().next()) {
            continue;
        }
        said += &format!("{}[{}]", &words[from..at], length(text));
        from = end;
    }
    said + &words[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_not_repeated() {
        for (words, text, said) in [
            ("the field for hunter2", "hunter2", "the field for [7 characters]"),
            ("my-hunter2s", "hunter2", "my-[7 characters]s"),
            ("nix", "x", "nix"),
            ("type x into X", "x", "type [1 character] into X"),
            ("在姓名输入李", "李", "在姓名输入[1 character]"),
            ("the name", "", "the name"),
        ] {
            assert_eq!(without_text(words, &text.into()), said, "{words}");
        }
    }
}

//! `browser`: the default toolset. Tools and arguments have the names that models know from Playwright's MCP server, with what it
//! lacks beside them.

mod act;
mod answer;
mod go;
mod groups;
mod look;
mod merge;
pub(crate) mod target;

use std::collections::VecDeque;

use contract::{Code, Error, Outcome, Result, TabId};
use engine::{Action, Request, actions::Tabs};

use serde_json::Value;

use crate::{Caller, Options, Step, Tool, Toolset};

/// The toolset.
pub const TOOLSET: Toolset = Toolset {
    name: "browser",
    about: "One tool an action, with the names that models know from Playwright's MCP server",
    all: &[
        go::NAVIGATE,
        look::SNAPSHOT,
        act::CLICK,
        act::TYPE,
        act::FILL_FORM,
        act::SELECT,
        act::PRESS_KEY,
        act::HOVER,
        act::DRAG,
        act::DROP,
        act::UPLOAD,
        act::SCROLL,
        act::WAIT,
        act::DIALOG,
        act::ACT,
        act::BATCH,
        look::READ,
        look::FIND,
        look::SCREENSHOT,
        look::EVALUATE,
        look::CONSOLE,
        look::REQUESTS,
        look::REQUEST,
        go::TABS,
        go::BACK,
        go::DOWNLOAD,
        go::RESIZE,
        go::CLOSE,
        groups::MOUSE_CLICK,
        groups::MOUSE_MOVE,
        groups::MOUSE_DRAG,
        groups::MOUSE_WHEEL,
        groups::PDF,
        groups::NETWORK_STATE,
        groups::COOKIES,
        groups::STORAGE,
        groups::STATE_SAVE,
        groups::STATE_LOAD,
        groups::EMULATE,
    ],
    offers,
    refuse: |error| answer::failed(error, ""),
    words: &crate::wording::BROWSER,
    ignored: Some(answer::ignored),
};

fn offers(tool: &Tool, options: &Options) -> bool {
    tool.group.is_none_or(|group| group.is_on(options))
}

/// Does something in the caller's session and tells what came of it.
fn act(caller: &Caller, action: impl Into<Action>) -> Step {
    act_in(caller, caller.request(action))
}

/// The same, where the value that comes of it is named as the arguments are: `httpOnly`, not `http_only`.
fn act_and_name(caller: &Caller, action: impl Into<Action>) -> Step {
    let asking = caller.clone();
    caller.perform(caller.request(action), move |result| match result {
        Ok(outcome) => {
            let value = outcome.value.map(named_as_arguments);
            tell(&asking, Outcome { value, ..outcome }, Vec::new())
        }
        Err(error) => Step::Done(answer::failed(error, &asking.mark)),
    })
}

fn named_as_arguments(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let field = |(name, value): (String, Value)| match (&*name, value) {
                ("same_site", Value::String(site)) => ("sameSite".to_owned(), capital(&site).into()),
                // What is inside of a value, such as headers, has names of its own.
                (_, value) => (camel(&name), value),
            };
            Value::Object(fields.into_iter().map(field).collect())
        }
        Value::Array(items) => items.into_iter().map(named_as_arguments).collect(),
        other => other,
    }
}

/// `user_agent` as `userAgent`.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| name + &capital(part))
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The same, with more said about how.
fn act_in(caller: &Caller, request: Request) -> Step {
    act_and_say(caller, request, Vec::new())
}

/// The same, with something to say first if it works.
fn act_and_say(caller: &Caller, request: Request, says: Vec<String>) -> Step {
    let asking = caller.clone();
    caller.perform(request, move |result| match result {
        Ok(outcome) => tell(&asking, outcome, says),
        Err(error) => Step::Done(answer::failed(error, &asking.mark)),
    })
}

/// Tells what came of it. New tabs are named by their place in the list, which has to be asked for.
fn tell(caller: &Caller, outcome: Outcome, says: Vec<String>) -> Step {
    if outcome.opened.is_empty() {
        return Step::Done(answer::done(outcome, says, &caller.mark));
    }
    let mark = caller.mark.clone();
    caller.perform(caller.request(Tabs::default()), move |listed| {
        let tabs = listed.ok().and_then(|listed| listed.tabs);
        Step::Done(answer::done_with_tabs(outcome, says, tabs.as_deref(), &mark))
    })
}

/// Does one thing after the other, and tells what happened in all of them, after what there is to say if all works. The first that fails
/// is the last.
fn one_by_one<A: Into<Action>>(
    caller: &Caller,
    actions: impl IntoIterator<Item = A>,
    says: Vec<String>,
) -> Step {
    all_in_turn(caller, actions.into_iter().map(|action| caller.request(action)).collect(), says)
}

/// The same with more said about how each is done.
fn all_in_turn(caller: &Caller, mut requests: VecDeque<Request>, says: Vec<String>) -> Step {
    match requests.pop_front() {
        Some(first) => next_of(caller, first, requests, None, says),
        None => Step::Done(answer::failed(Error::invalid("there is nothing to do"), &caller.mark)),
    }
}

/// The same from one of them on, after what came of those before it.
fn next_of(
    caller: &Caller,
    request: Request,
    mut requests: VecDeque<Request>,
    earlier: Option<Outcome>,
    says: Vec<String>,
) -> Step {
    let (caller, mark) = (caller.clone(), caller.mark.clone());
    let has_time = request.timeout.is_some();
    caller.clone().perform(request, move |result: Result<Outcome>| {
        match (result.map_err(|error| more_time(error, has_time)), earlier) {
            (Ok(outcome), earlier) => {
                let all = match earlier {
                    Some(earlier) => merge::merged(earlier, outcome),
                    None => outcome,
                };
                match requests.pop_front() {
                    Some(request) => next_of(&caller, request, requests, Some(all), says),
                    None => tell(&caller, all, says),
                }
            }
            (Err(error), Some(earlier)) => Step::Done(answer::failed_after(earlier, error, &mark)),
            (Err(error), None) => Step::Done(answer::failed(error, &mark)),
        }
    })
}

/// An error whose hint says that a time which the call named may be too short, unless there is better to say.
fn more_time(error: Error, has_time: bool) -> Error {
    let is_usual = error.hint() == crate::wording::BROWSER.hint(Code::Timeout.hint());
    match has_time && error.code == Code::Timeout && is_usual {
        true => error.with_hint("give a longer time, or look at the page with browser_snapshot"),
        false => error,
    }
}

/// The tab by its place in the list, which is how this dialect names tabs.
fn tab_at(outcome: &Outcome, index: usize) -> Result<TabId> {
    let tabs = outcome.tabs.as_deref().unwrap_or_default();
    tabs.get(index).map(|tab| tab.tab).ok_or_else(|| {
        Error::new(Code::TabNotFound, format!("there is no tab {index}; there are {}", tabs.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a client puts into every conversation: name, description and schema of each tool, as MCP lists them.
    fn definitions(options: &Options) -> usize {
        let size = |tool: &&Tool| {
            let tool = serde_json::json!({"name": tool.name, "description": tool.description, "inputSchema": tool.schema()});
            tool.to_string().len()
        };
        TOOLSET.tools(options).iter().map(size).sum()
    }

    #[test]
    fn values_are_named_as_arguments_are() {
        let cookie = serde_json::json!([{"http_only": true, "same_site": "strict", "value": "a_b"}]);
        let named = serde_json::json!([{"httpOnly": true, "sameSite": "Strict", "value": "a_b"}]);
        assert_eq!(named_as_arguments(cookie), named);
        let emulation = serde_json::json!({"user_agent": "x", "headers": {"x_test": 1}});
        let named = serde_json::json!({"userAgent": "x", "headers": {"x_test": 1}});
        assert_eq!(named_as_arguments(emulation), named);
    }

    #[test]
    fn the_definitions_are_small() {
        assert!(definitions(&Options::default()) <= 9_000, "{}", definitions(&Options::default()));
        let all = Options { caps: vec!["all".into()], ..Options::default() };
        assert!(definitions(&all) <= 12_000, "{}", definitions(&all));
    }
}

//! Tools that do something and need no coordinates.

use std::time::Duration;

use contract::{Error, Outcome, PageUrl, Result, Span, Target, Typed};
use engine::{
    Action, Request, Until,
    actions::{Back, Direction, Goto, Press, Scroll, Type, Wait},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{act, answer, length};
use crate::{Caller, Hints, Step, Tool, instruction, tool::Call};

pub(super) const ACT: Tool = Tool::new::<ActArgs>(
    "act",
    "Do one thing in the page, in plain words: \"click the Login button\", \"type 'Ann' into the name field\", 点击登录按钮",
    Hints::Acts,
);
pub(super) const GOTO: Tool = Tool::new::<GotoArgs>("goto", "Go to a URL", Hints::Acts);
pub(super) const KEYS: Tool = Tool::new::<KeysArgs>(
    "keys",
    "Send keys to what has the focus: press a key or chord (Enter, Control+a), or type a text",
    Hints::Acts,
);
pub(super) const NAVBACK: Tool =
    Tool::new::<NavbackArgs>("navback", "Go back to the previous page", Hints::Acts);
pub(super) const SCROLL: Tool =
    Tool::new::<ScrollArgs>("scroll", "Scroll the page by a part of what is visible", Hints::Acts);
pub(super) const WAIT: Tool =
    Tool::new::<WaitArgs>("wait", "Wait for a time, for the page to load, or for a text", Hints::Reads);

/// The most keys or characters that one call sends.
const MOST: usize = 100_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ActArgs {
    /// One action and its target
    action: String,
}

impl Call for ActArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let action = instruction::action(&self.action)?;
        let said = json!({"action": instruction::told(&action)});
        let name = action.name();
        let how = arguments(&action);
        Ok(act(caller, action, said, move |outcome| match &outcome.target {
            Some(target) => json!({"playwrightArguments": {
                "selector": target.reference, "method": name, "arguments": how,
                "description": format!("{} {:?}", target.role, target.name),
            }}),
            None => json!({}),
        }))
    }
}

/// What a method was called with, without typed texts.
fn arguments(action: &Action) -> Vec<String> {
    match action {
        Action::Fill(fill) => vec![length(&fill.text)],
        Action::Type(keys) => vec![length(&keys.text)],
        Action::Select(select) => select.values.clone(),
        _ => Vec::new(),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GotoArgs {
    #[schemars(with = "String")]
    url: PageUrl,
}

impl Call for GotoArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let said = json!({"url": self.url});
        Ok(act(caller, Goto { url: self.url, until: Until::DomContentLoaded }, said, went))
    }
}

/// Where a page is, and what its server said if that was no success.
pub(super) fn went(outcome: &Outcome) -> Value {
    let mut data = json!({"url": outcome.url});
    if let Some(status) = outcome.status.filter(|status| !(200..300).contains(status)) {
        data["message"] = format!("the server answered with HTTP status {status}").into();
    }
    data
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct KeysArgs {
    method: Method,
    /// Key names for press, the text for type
    #[schemars(with = "String")]
    value: Typed,
    /// How often; once if left out
    repeat: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Method {
    Press,
    Type,
}

impl Call for KeysArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let KeysArgs { method, value, repeat } = self;
        let times = repeat.unwrap_or(1);
        let count = usize::try_from(times).unwrap_or(usize::MAX);
        if times == 0 || value.chars().saturating_mul(count) > MOST {
            return Err(Error::invalid(format!("repeat is 0, or this would be more than {MOST} characters"))
                .with_hint("repeat 1 or more times, in several calls if it is much"));
        }
        let (action, name, shown): (Action, _, _) = match method {
            Method::Press => {
                (Press { repeat: times, ..Press::new(value.clone()) }.into(), "press", key_names(&value))
            }
            Method::Type => {
                let text = value.expose().repeat(count);
                (Type::new(text.as_str().into()).into(), "type", length(&value))
            }
        };
        Ok(act(caller, action, json!({"method": name, "value": shown, "times": times}), |_| json!({})))
    }
}

/// The names of keys, unless they could be a text that is spelled out.
fn key_names(keys: &Typed) -> String {
    let plain = keys.expose().split_whitespace().any(|key| key.chars().count() == 1);
    if plain || !Press::knows(keys.expose()) { length(keys) } else { keys.expose().to_owned() }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NavbackArgs {
    /// Why
    #[expect(dead_code, reason = "for people who read the call")]
    reasoning_text: String,
}

impl Call for NavbackArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        Ok(act(caller, Back { until: Until::DomContentLoaded }, json!({}), went))
    }
}

// Up or down, which is all that this dialect scrolls.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Way {
    Up,
    Down,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScrollArgs {
    direction: Way,
    /// Of the visible height; 80 if left out
    percentage: Option<f64>,
}

impl Call for ScrollArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        scroll(caller, self.direction, self.percentage, None)
    }
}

/// Scrolls the page, or what is at a target.
pub(super) fn scroll(
    caller: &Caller,
    way: Way,
    percentage: Option<f64>,
    target: Option<Target>,
) -> Result<Step> {
    let percent = percentage.unwrap_or(80.0);
    if !(percent > 0.0 && percent <= 1_000.0) {
        return Err(Error::invalid("percentage is not above 0 and at most 1000"));
    }
    let (direction, name) = match way {
        Way::Up => (Direction::Up, "up"),
        Way::Down => (Direction::Down, "down"),
    };
    let action = Scroll { target, percent: Some(percent), ..Scroll::towards(direction) };
    Ok(act(caller, action, json!({}), move |outcome| {
        let pixels = outcome.scrolled.as_ref().map_or(0.0, |scrolled| scrolled.y.abs());
        let message = if pixels == 0.0 {
            format!("nothing was scrolled: there is nothing more {name}wards")
        } else {
            format!("scrolled {name} by {pixels} pixels")
        };
        json!({"message": message, "scrolledPixels": pixels})
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WaitArgs {
    /// Milliseconds to let pass
    time_ms: Option<u64>,
    /// true: until the page has loaded
    load: Option<bool>,
    /// Until this text is in the page
    text_includes: Option<String>,
    /// Most milliseconds to wait for load or textIncludes; alone it is the same as timeMs
    timeout: Option<u64>,
}

impl Call for WaitArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let span = |name: &str, milliseconds: u64| match Span(Duration::from_millis(milliseconds)) {
            time if time > Span::seconds(3_600) => {
                Err(Error::invalid(format!("{name} is more than an hour")))
            }
            time => Ok(time),
        };
        let load = self.load.unwrap_or(false);
        let (wait, limit, found) = match (self.time_ms, load, self.text_includes, self.timeout) {
            (Some(time), false, None, None) => {
                (Wait::until(Until::Time(span("timeMs", time)?)), None, json!({"waited": time}))
            }
            (None, false, None, Some(time)) => {
                (Wait::until(Until::Time(span("timeout", time)?)), None, json!({"waited": time}))
            }
            (None, true, None, limit) => (Wait::until(Until::Load), limit, json!({"waitedFor": "load"})),
            (None, false, Some(text), limit) => {
                (Wait { text: Some(text), ..Wait::default() }, limit, json!({"waitedFor": "textIncludes"}))
            }
            _ => {
                return Err(Error::invalid("wait takes one of timeMs, load, textIncludes and timeout")
                    .with_hint("timeout can be given with load and with textIncludes, as the most time that they take"));
            }
        };
        let limit = limit.filter(|limit| *limit > 0).map(|limit| span("timeout", limit)).transpose()?;
        let request = Request { timeout: limit, ..caller.request(wait) };
        let waiting = caller.perform(request, move |result| {
            Step::Done(match result {
                Ok(outcome) => answer::done(found, &outcome),
                Err(error) => answer::failed(error, json!({})),
            })
        });
        Ok(waiting.within(limit))
    }
}

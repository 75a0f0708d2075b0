//! `qa`: `navigate`, `click`, `fill`, `scroll` and `wait`, with elements named by description. Each answers with a `ToolResult` and
//! takes a picture of the page if it is asked to.

mod address;

use std::time::Duration;

use contract::{
    Code, Error, Outcome, PageUrl, Result, Scrolled, Span, Target, ToolResult, ToolScreenshot, Typed,
};
use engine::{
    Action, Request, Until,
    actions::{Click, Direction, Fill, Open, Screenshot, Scroll, Wait},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    Caller, Hints, Reply, Step, Tool, Toolset,
    dialogs::{self, Doer, Done},
    lines,
    tool::Call,
};

/// The toolset.
pub const TOOLSET: Toolset = Toolset {
    name: "qa",
    about: "navigate, click, fill, scroll and wait by description, each with a ToolResult",
    all: &[NAVIGATE, CLICK, FILL, SCROLL, WAIT],
    offers: |_, _| true,
    refuse: |error| failed(error, Map::new()),
    words: &crate::wording::QA,
    ignored: None,
};

const NAVIGATE: Tool = Tool::new::<NavigateArgs>("navigate", "Go to a URL", Hints::Acts);
const CLICK: Tool = Tool::new::<ClickArgs>(
    "click",
    "Click the element that the description means, such as \"the blue login button\" or \"蓝色登录按钮\"",
    Hints::Acts,
);
const FILL: Tool =
    Tool::new::<FillArgs>("fill", "Fill text into the field that the description means", Hints::Acts);
const SCROLL: Tool = Tool::new::<ScrollArgs>("scroll", "Scroll the page", Hints::Acts);
const WAIT: Tool = Tool::new::<WaitArgs>("wait", "Wait for some seconds", Hints::Reads);

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NavigateArgs {
    /// Absolute, or starting with / and relative to baseUrl
    #[schemars(with = "String")]
    url: PageUrl,
    #[schemars(with = "Option<String>")]
    base_url: Option<PageUrl>,
    /// Take a picture afterwards
    #[serde(default)]
    screenshot: bool,
}

impl Call for NavigateArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let base = self.base_url.or_else(|| caller.tools.base_url.as_deref().map(PageUrl::from));
        let url = address::absolute(&self.url, base.as_ref())?;
        let open = Open { url: Some(url), ..Open::default() };
        Ok(act(caller, open, self.screenshot, |_| Map::new()))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ClickArgs {
    target_description: String,
    /// Take a picture afterwards
    #[serde(default)]
    screenshot: bool,
}

impl Call for ClickArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let target = described(&self.target_description)?;
        let said = self.target_description;
        Ok(act(caller, Click::new(target), self.screenshot, move |_| {
            entries(json!({"targetDescription": said}))
        }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FillArgs {
    target_description: String,
    #[schemars(with = "String")]
    text: Typed,
    /// Take a picture afterwards
    #[serde(default)]
    screenshot: bool,
}

impl Call for FillArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let target = described(&self.target_description)?;
        let (said, length) = (self.target_description, self.text.chars());
        Ok(act(caller, Fill::new(target, self.text), self.screenshot, move |_| {
            entries(json!({"targetDescription": said, "textLength": length}))
        }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ScrollArgs {
    direction: Way,
    /// Pixels
    amount: f64,
    /// Take a picture afterwards
    #[serde(default)]
    screenshot: bool,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Way {
    Up,
    Down,
}

impl Call for ScrollArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let amount = self.amount;
        if !(amount.is_finite() && amount > 0.0) {
            return Err(Error::invalid("amount has to be above 0").with_hint("give a number of pixels"));
        }
        let (direction, name) = match self.direction {
            Way::Up => (Direction::Up, "up"),
            Way::Down => (Direction::Down, "down"),
        };
        let scroll = Scroll { pixels: Some(amount), ..Scroll::towards(direction) };
        Ok(act(caller, scroll, self.screenshot, move |outcome| {
            let &Scrolled { y, left_y, .. } = outcome.scrolled.as_ref().unwrap_or(&Scrolled::default());
            let moved = entries(json!({"scrolled": y.abs(), "leftBelow": left_y}));
            entries(json!({"direction": name, "amount": amount})).into_iter().chain(moved).collect()
        }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WaitArgs {
    seconds: f64,
    /// Take a picture afterwards
    #[serde(default)]
    screenshot: bool,
}

/// The longest wait, in seconds: a day.
const LONGEST: f64 = 86_400.0;

impl Call for WaitArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let seconds = self.seconds;
        if !(0.0..=LONGEST).contains(&seconds) {
            return Err(Error::invalid("seconds has to be between 0 and a day")
                .with_hint("give a number of seconds, such as 2"));
        }
        let wait = Wait::until(Until::Time(Span(Duration::from_secs_f64(seconds))));
        Ok(act(caller, wait, self.screenshot, move |_| entries(json!({"seconds": seconds}))))
    }
}

fn described(text: &str) -> Result<Target> {
    text.parse().map_err(|error: Error| {
        Error::invalid(format!("targetDescription: {}", error.message))
            .with_hint("describe the element, such as \"the login button\"")
    })
}

/// Does it, takes the picture if one is asked for, and answers. `tell` says what the tool has to say of its own.
fn act(
    caller: &Caller,
    action: impl Into<Action>,
    screenshot: bool,
    tell: impl FnOnce(&Outcome) -> Map<String, Value> + Send + 'static,
) -> Step {
    let (doer, request) = (Doer::of(caller), Request::new(action));
    doer.clone().perform(request, move |done| {
        let Done { result, dialogs } = done;
        let mut notes: Vec<String> = dialogs.iter().map(dialogs::told).collect();
        let answer = move |picture: Option<Result<contract::Screenshot>>| {
            if let Some(Err(error)) = &picture {
                notes.push(format!("the screenshot could not be taken: {error}"));
            }
            let reply = match result {
                Ok(outcome) => done_with(&outcome, tell(&outcome), notes),
                Err(error) => failed(error, with_notes(Map::new(), notes)),
            };
            Step::Done(with_picture(reply, picture.and_then(Result::ok)))
        };
        if !screenshot {
            return answer(None);
        }
        doer.perform(Request::new(Screenshot::default()), move |Done { result, .. }| {
            let none = || Error::new(Code::Internal, "there is no picture");
            answer(Some(result.and_then(|outcome| outcome.screenshot.ok_or_else(none))))
        })
    })
}

/// What every tool tells: where the page is, the element that was meant, and what happened besides.
fn done_with(outcome: &Outcome, own: Map<String, Value>, notes: Vec<String>) -> Reply {
    let mut data = own;
    let page = json!({"url": outcome.url, "title": outcome.title, "status": outcome.status, "target": outcome.target});
    data.extend(entries(page).into_iter().filter(|(_, value)| !value.is_null()));
    // Said elsewhere in the answer, and in this dialect's own words.
    let besides = Outcome { typed: None, scrolled: None, ..outcome.clone() };
    let happened = lines::happened(&besides, "it could not be answered");
    let data = with_notes(data, [notes, happened].concat());
    Reply::of(ToolResult::success(data))
}

fn with_notes(mut data: Map<String, Value>, notes: Vec<String>) -> Map<String, Value> {
    if !notes.is_empty() {
        data.insert("notes".into(), notes.into());
    }
    data
}

/// Why it was not done. A description that fits several elements may fit one on the next look, which is how this dialect's agents
/// go on: for them it is worth another try.
fn failed(error: Error, data: Map<String, Value>) -> Reply {
    let mut result = ToolResult::from(error);
    if let Some(error) = &mut result.error {
        error.retriable |= error.code == Code::ElementAmbiguous;
    }
    let mut known = match result.data.take() {
        Some(Value::Object(known)) => known,
        _ => Map::new(),
    };
    known.extend(data);
    result.data = (!known.is_empty()).then_some(Value::Object(known));
    Reply::of(result)
}

fn with_picture(mut reply: Reply, picture: Option<contract::Screenshot>) -> Reply {
    if let Some(picture) = picture {
        let told = serde_json::to_value(ToolScreenshot::from(&picture)).unwrap_or_default();
        reply.value["screenshot"] = told;
        reply.picture = Some(picture);
    }
    reply
}

fn entries(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(entries) => entries,
        _ => Map::new(),
    }
}

//! `wait`: for a time, a state of loading, a text, an element, an address, or a function of the caller's.

use std::time::Duration;

use clap::{ArgGroup, Args, ValueEnum};
use contract::{Code, Effect, Error, FrameId, Outcome, Result, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::{Eval, Needs, Run, Verb, eval};
use crate::{
    Until,
    change::{UNREPORTED, Watch},
    hands::{self, element_now, plan_use_of},
    lift::timed_out,
    locate::{locate, may_pass},
    page,
    settle::{Before, navigation},
    snapshot::frame_of,
};

/// How long a page is waited for that reports no change, where a function is to be true: it may be about anything.
const UNTOLD_TO_FUNCTIONS: Duration = Duration::from_millis(100);

/// Wait for a time, for the page to be loaded, or for something in it
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
#[group(skip)]
#[command(group = ArgGroup::new("what").args(["until", "text", "gone", "target", "url", "function"]).multiple(false))]
pub struct Wait {
    /// A time (2s, 500ms), load, domcontentloaded or network_idle (no request for 500 ms); load without anything else
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(value_name = "WHAT")]
    pub until: Option<Until>,
    /// Wait until this text can be read somewhere in the page
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub text: Option<String>,
    /// Wait until this text can be read nowhere in the page
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "TEXT")]
    pub gone: Option<String>,
    /// Wait until this element is in the state that --state says
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub target: Option<Target>,
    /// Wait until the address holds this; with a * in it, until it is like this
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub url: Option<String>,
    /// Wait until this function returns something true; in the page's own world
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "JS")]
    pub function: Option<String>,
    /// What the element has to be like
    #[serde(default)]
    #[arg(long, value_enum, default_value_t, requires = "target")]
    pub state: TargetState,
}

/// What an element can be waited to be like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum TargetState {
    /// It is there and can be seen.
    #[default]
    Visible,
    /// It is not there, or cannot be seen.
    Hidden,
    /// It can be seen and is not disabled.
    Enabled,
    /// It is disabled.
    Disabled,
    /// It is ticked.
    Checked,
    /// It is there and not ticked.
    Unchecked,
}

impl TargetState {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            TargetState::Visible => "visible",
            TargetState::Hidden => "hidden",
            TargetState::Enabled => "enabled",
            TargetState::Disabled => "disabled",
            TargetState::Checked => "checked",
            TargetState::Unchecked => "unchecked",
        }
    }
}

impl Wait {
    /// For a time or a state of loading.
    pub fn until(until: Until) -> Wait {
        Wait { until: Some(until), ..Wait::default() }
    }
}

impl Verb for Wait {
    const NAME: &'static str = "wait";

    fn effect(&self) -> Effect {
        if self.function.is_some() { Effect::Execute } else { Effect::Read }
    }

    fn needs(&self) -> Needs {
        match self.until {
            Some(Until::Time(_)) => Needs::Tab,
            _ => Needs::Page,
        }
    }

    fn own_time(&self) -> Duration {
        self.until.map_or(Duration::ZERO, Until::own_time)
    }

    fn targets(&self) -> Vec<&Target> {
        self.target.iter().collect()
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        match self.what()? {
            What::Function(js) => eval::plan_script(run, FrameId(0), &Eval::new(js), None).await,
            What::Target(target) => match element_now(run, target).await {
                Ok(element) => plan_use_of(run, element, hands::Needs::default()).await.map(drop),
                Err(error) if matches!(error.code, Code::ElementNotFound | Code::StaleRef) => {
                    run.gate.note(format!("{}: {}", error.code, error.message));
                    Ok(())
                }
                Err(error) => Err(error),
            },
            What::Until(_) | What::Text(_) | What::Gone(_) | What::Url(_) => Ok(()),
        }
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        let before = Before::note(run)?;
        match self.what()? {
            What::Until(until) => until.wait(tab, run.deadline).await?,
            What::Text(text) => text_is(run, text, true).await?,
            What::Gone(text) => text_is(run, text, false).await?,
            What::Target(target) => target_is(run, target, self.state).await?,
            What::Url(pattern) => {
                let what = format!("the address to be like {pattern:?}");
                tab.until(run.deadline, what, |state| is_like(state.document.address(), pattern)).await?;
            }
            What::Function(js) => function_is_true(run, js).await?,
        }
        let mut outcome = Outcome::default();
        navigation(run, &before, &mut outcome).await?;
        Ok(outcome)
    }
}

enum What<'a> {
    Until(Until),
    Text(&'a str),
    Gone(&'a str),
    Target(&'a Target),
    Url(&'a str),
    Function(&'a str),
}

impl Wait {
    /// The one thing to wait for.
    fn what(&self) -> Result<What<'_>> {
        let mut all: Vec<What<'_>> = Vec::new();
        all.extend(self.until.map(What::Until));
        all.extend(self.text.as_deref().map(What::Text));
        all.extend(self.gone.as_deref().map(What::Gone));
        all.extend(self.target.as_ref().map(What::Target));
        all.extend(self.url.as_deref().map(What::Url));
        all.extend(self.function.as_deref().map(What::Function));
        if all.len() > 1 {
            return Err(Error::invalid("one wait is for one thing").with_hint("wait for one after the other"));
        }
        if let Some(What::Text("") | What::Gone("") | What::Url("") | What::Function("")) = all.first() {
            return Err(Error::invalid("there is nothing to wait for"));
        }
        Ok(all.pop().unwrap_or(What::Until(Until::Load)))
    }
}

async fn text_is(run: &Run<'_>, text: &str, there: bool) -> Result<()> {
    let (_, tab) = run.tab()?;
    let what = format!("the text {text:?} to {}", if there { "appear" } else { "go" });
    until_true(run, what, UNREPORTED, || async move {
        let mut eyes = tab.eyes(run.deadline).await?;
        eyes.look(tab, run.deadline).await?;
        Ok(eyes.view.holds(text) == there)
    })
    .await
    .map_err(|error| match error.code {
        Code::Timeout => error.with_hint(match there {
            true => "the page may say it in other words; look for a part of it with `webhand find`, or look at the page with `webhand snapshot`",
            false => "it is still there; look at the page with `webhand snapshot`",
        }),
        _ => error,
    })
}

/// What the page's script says of an element.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Condition {
    visible: bool,
    disabled: bool,
    checked: bool,
}

async fn target_is(run: &Run<'_>, target: &Target, state: TargetState) -> Result<()> {
    let (_, tab) = run.tab()?;
    let what = format!("{target} to be {}", state.as_str());
    until_true(run, what, UNREPORTED, || async move {
        let watch = Watch::new(tab);
        // Whoever waits for a change sees the next one only if the page is being watched.
        tab.eyes(run.deadline).await?.look(tab, run.deadline).await?;
        let found = match locate(run, target).await {
            Ok(found) => Some(found),
            // Neither is it known which one is meant, nor that there is none.
            Err(error) if error.code == Code::ElementAmbiguous && may_pass(tab, &watch, &error) => return Ok(false),
            Err(error) if matches!(error.code, Code::ElementNotFound | Code::StaleRef | Code::ElementNotVisible) => None,
            Err(error) => return Err(error),
        };
        let condition = match found {
            Some(found) => page::ask(tab, frame_of(found), "condition", &[found.element], run.deadline).await?,
            None => serde_json::Value::Null,
        };
        let condition: Option<Condition> = serde_json::from_value(condition).unwrap_or_default();
        Ok(match (state, condition) {
            (TargetState::Hidden, None) => true,
            (_, None) => false,
            (TargetState::Visible, Some(now)) => now.visible,
            (TargetState::Hidden, Some(now)) => !now.visible,
            (TargetState::Enabled, Some(now)) => now.visible && !now.disabled,
            (TargetState::Disabled, Some(now)) => now.disabled,
            (TargetState::Checked, Some(now)) => now.checked,
            (TargetState::Unchecked, Some(now)) => !now.checked,
        })
    })
    .await
}

/// A function that does more than read is judged like any other script, and then called as it is.
async fn function_is_true(run: &Run<'_>, js: &str) -> Result<()> {
    let (_, tab) = run.tab()?;
    let script = Eval::new(js);
    let script = &script;
    until_true(run, "the function to return something true", UNTOLD_TO_FUNCTIONS, || async move {
        let value = match eval::try_reading(tab, FrameId(0), script, None, eval::Mode::Reads, run.deadline).await {
            eval::Tried::Read(value) => value,
            eval::Tried::Failed(error) => return Err(error),
            // A busy page is asked again.
            eval::Tried::Late => return Ok(false),
            eval::Tried::Acts => {
                let does = "waits for a function that may do more than read, and calls it until it returns something true";
                let judged = eval::judged_world(run, FrameId(0), script.world, does, js).await?;
                eval::evaluate_in(tab, FrameId(0), script, &judged, None, run.deadline).await?
            }
        };
        Ok(is_true(&value.unwrap_or_default()))
    })
    .await
}

/// Whether a value is true to a script.
fn is_true(value: &serde_json::Value) -> bool {
    !matches!(value, serde_json::Value::Null | serde_json::Value::Bool(false)) && *value != 0 && *value != ""
}

/// Asks again whenever the page may have changed.
async fn until_true<Answer: Future<Output = Result<bool>> + Send>(
    run: &Run<'_>,
    what: impl std::fmt::Display,
    untold: Duration,
    check: impl Fn() -> Answer + Send + Sync,
) -> Result<()> {
    let (_, tab) = run.tab()?;
    loop {
        let watch = Watch::new(tab);
        match check().await {
            Ok(true) => return Ok(()),
            // A page that went away in the middle of the question is asked again when the next one is there.
            Err(error) if error.code == Code::Internal || error.code == Code::EvaluateFailed => {
                if !watch.has_other_documents(tab) {
                    return Err(error);
                }
            }
            Err(error) if error.code == Code::Timeout => return Err(timed_out(what)),
            Err(error) => return Err(error),
            Ok(false) => {}
        }
        if Instant::now() >= run.deadline {
            return Err(timed_out(what));
        }
        if !watch.changed(tab, untold, run.deadline).await? {
            return Err(timed_out(what));
        }
    }
}

/// Whether an address holds a text or, if that has a `*` in it, is like it.
fn is_like(address: &str, pattern: &str) -> bool {
    if !pattern.contains('*') {
        return address.contains(pattern);
    }
    let parts: Vec<&str> = pattern.split('*').collect();
    let (first, last) = (parts[0], parts[parts.len() - 1]);
    let Some(mut rest) = address.strip_prefix(first) else { return false };
    for part in &parts[1..parts.len() - 1] {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let check = |pattern: &str, expected: bool| {
            assert_eq!(is_like("https://shop.example/cart/7?step=2", pattern), expected, "{pattern}");
        };
        check("/cart/", true);
        check("/checkout", false);
        check("https://*/cart/*", true);
        check("*step=2", true);
        check("*step=3", false);
        check("http://*", false);
        check("https://*cart*step*", true);
    }
}

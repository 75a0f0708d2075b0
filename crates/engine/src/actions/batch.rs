//! `batch`: several actions in one call. Each passes the gate by itself; the first that fails, or leads to another page, is the last.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, ValueEnum};
use contract::{Code, Effect, Error, NavigationKind, Outcome, Place, Result, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Action, Needs, Run, Verb};
use crate::Request;

/// How much longer a batch may take for each of its steps but the first.
const STEP: Duration = Duration::from_secs(10);

/// How long a report takes to get out.
const REPORT: Duration = Duration::from_millis(300);

/// Do several things in one call, and stop at the first that fails or leads to another page
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// The actions: each as a command ("click e5") or as JSON ({"action": "click", "target": "e5"})
    #[arg(value_name = "ACTION", required = true, value_parser = step)]
    pub actions: Vec<Action>,
    /// What to do when a step leads to another page: the refs of the steps after it were of the page before
    #[serde(default)]
    #[arg(long, value_enum, default_value_t)]
    pub on_navigation: OnNavigation,
}

/// What to do when a step leads to another page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum OnNavigation {
    /// Leave the steps after it undone, and say so.
    #[default]
    Stop,
    /// Go on.
    Continue,
}

#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true, disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    action: Action,
}

/// An action as JSON has it, or as a text that is a command or JSON.
pub fn step_from(value: serde_json::Value) -> Result<Action> {
    match value {
        serde_json::Value::String(text) => step(&text),
        value => step(&value.to_string()),
    }
}

/// An action as it is written on a command line.
fn step(text: &str) -> Result<Action> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| Error::invalid("a step is no action").with_cause(error));
    }
    let words = shlex::split(text).ok_or_else(|| Error::invalid("a quote in a step has no end"))?;
    if words.is_empty() {
        return Err(Error::invalid("a step is empty").with_hint("write an action and its arguments, such as click e12"));
    }
    let line = Line::try_parse_from(words);
    line.map(|line| line.action).map_err(|error| {
        // Its first line says what is wrong; the rest is about a command line that nobody has written.
        let says = error.to_string();
        let first = says.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let first = first.replace("unrecognized subcommand", "there is no action");
        // What is missing stands in lines of its own below.
        let named: Vec<_> = says.lines().skip(1).take_while(|line| line.starts_with("  ")).map(str::trim).collect();
        let first = if named.is_empty() { first } else { format!("{first} {}", named.join(", ")) };
        Error::invalid(format!("a step is no action: {first}"))
    })
}

impl Verb for Batch {
    const NAME: &'static str = "batch";

    fn effect(&self) -> Effect {
        // What its steps do, each asks the guard for itself.
        Effect::Read
    }

    fn needs(&self) -> Needs {
        Needs::Session
    }

    fn starts_session(&self) -> bool {
        self.actions.first().is_some_and(Action::starts_session)
    }

    fn own_time(&self) -> Duration {
        let steps = u32::try_from(self.actions.len()).unwrap_or(u32::MAX);
        self.actions.iter().map(Action::own_time).sum::<Duration>() + STEP * steps.saturating_sub(1)
    }

    fn tells_changes(&self) -> bool {
        false
    }

    fn files_mut(&mut self) -> Vec<&mut PathBuf> {
        self.actions.iter_mut().flat_map(Action::files_mut).collect()
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        self.check()?;
        let mut steps: Vec<Step> = Vec::new();
        let mut last = Outcome::default();
        let waited = &run.gate.waited;
        let before = waited.total();
        let stops = self.on_navigation == OnNavigation::Stop;
        // The page that the next step is meant for; none if the step before was meant to lead there.
        let mut from: Option<Place> = None;
        for (at, action) in self.actions.iter().enumerate() {
            // What the steps before have waited for people does not count.
            let deadline = run.deadline + (waited.total() - before);
            let what = action.name().to_owned();
            let (tab, front, files) = (run.wanted_tab, run.front, run.files.clone());
            let element_timeout = run.element_timeout;
            let request = Request {
                tab,
                front,
                agent: run.agent.cloned(),
                files,
                element_timeout,
                from: from.take(),
                points_in_picture: run.points_in_picture,
                ..Request::new(action.clone())
            };
            let patience = run.has_timeout.then_some(deadline - REPORT);
            match run.session.step(request, deadline - REPORT, patience, waited.clone()).await {
                Ok(outcome) => {
                    let unexpected = leads_away(action, &outcome);
                    from = outcome.place.clone().filter(|_| stops && !action.means_to_leave());
                    last = Outcome { tab: outcome.tab, url: outcome.url.clone(), title: outcome.title.clone(), ..Outcome::default() };
                    steps.push(Step { what, ok: true, outcome: Some(Box::new(outcome)), ..Step::default() });
                    let rest = self.actions.len() - at - 1;
                    if unexpected && rest > 0 && stops {
                        let message = format!("step {} led to another page; {rest} after it were not done", at + 1);
                        self.leave_undone(&mut steps);
                        return Err(Error::new(Code::BatchStopped, message).with_outcome(Outcome { steps, ..last }));
                    }
                }
                Err(error) => {
                    let failed = Step {
                        what,
                        code: Some(error.code.to_string()),
                        message: error.message.clone(),
                        outcome: error.outcome.clone(),
                        ..Step::default()
                    };
                    steps.push(failed);
                    self.leave_undone(&mut steps);
                    let message = format!("step {} ({}) failed: {}", at + 1, action.name(), error.message);
                    let hint = error.hint().to_owned();
                    let mut told = Error::new(error.code, message).with_hint(hint);
                    told.cause = error.cause;
                    told.repeats = error.repeats;
                    return Err(told.with_outcome(Outcome { steps, ..last }));
                }
            }
        }
        Ok(Outcome { steps, ..last })
    }
}

/// Whether an action led to another page without being meant to: what was to follow it was meant for the page before.
pub fn leads_away(action: &Action, outcome: &Outcome) -> bool {
    let navigated = matches!(&outcome.navigation, Some(way) if way.kind == NavigationKind::Document);
    (navigated || outcome.left) && !action.means_to_leave()
}

impl Batch {
    /// Refuses what no batch can hold.
    pub(crate) fn check(&self) -> Result<()> {
        if self.actions.is_empty() {
            return Err(Error::invalid("there is nothing to do"));
        }
        if self.actions.iter().any(|action| matches!(action, Action::Batch(_) | Action::Close(_) | Action::Halt(_))) {
            return Err(Error::invalid("a batch holds neither another batch nor the end of the session"));
        }
        Ok(())
    }

    /// Adds the steps that were not tried.
    fn leave_undone(&self, steps: &mut Vec<Step>) {
        let undone = self.actions[steps.len()..].iter().map(|action| Step {
            what: action.name().into(),
            message: "not tried".into(),
            ..Step::default()
        });
        steps.extend(undone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_commands_or_json() {
        let name = |text: &str| step(text).map(|action| action.name());
        assert_eq!(name("click e5 --double").unwrap(), "click");
        assert_eq!(name("wait --text 'all done'").unwrap(), "wait");
        assert_eq!(name(r#"{"action": "click", "target": "e5"}"#).unwrap(), "click");
        for bad in ["", "fly e5", "click", "click 'e5", r#"{"action": "fly"}"#, r#"{"action": "click"}"#, r#"{"action": "click", "target": "e5", "buton": "right"}"#] {
            assert_eq!(step(bad).unwrap_err().code, Code::InvalidInput, "{bad}");
        }
        let says = |text: &str| step(text).unwrap_err().message;
        assert_eq!(says("click"), "a step is no action: the following required arguments were not provided: <TARGET>");
        assert_eq!(says(""), "a step is empty");
        assert_eq!(says("nonsense"), "a step is no action: there is no action 'nonsense'");
    }
}

//! `dialog`: answers the JavaScript dialog that holds the page.

use cdp::protocol as p;
use clap::{Args, ValueEnum};
use contract::{Dialog as Open, Effect, Error, FrameId, Outcome, Result, Typed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Needs, Run, Verb};
use crate::{
    lift::lift,
    settle::{Before, settle},
};

/// Answer the JavaScript dialog that is open
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Dialog {
    /// Whether to accept or to dismiss it
    pub answer: Answer,
    /// The text to answer a prompt with
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Typed>,
}

/// How to answer a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// OK, yes, leave the page.
    Accept,
    /// Cancel, no, stay on the page.
    Dismiss,
}

impl Verb for Dialog {
    const NAME: &'static str = "dialog";

    fn effect(&self) -> Effect {
        Effect::Input
    }

    fn needs(&self) -> Needs {
        Needs::Tab
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        let (dialog, _) = self.open(run)?;
        let answers = if self.answer == Answer::Accept { "accepts" } else { "dismisses" };
        run.gate.note(format!("{answers} the {} dialog {:?}", dialog.kind, dialog.message));
        Ok(())
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        let (mut dialog, closed) = self.open(run)?;
        let accept = self.answer == Answer::Accept;
        let before = Before::note(run)?;
        // Without a text of the caller's a prompt is taken as it stands, as a person does who presses OK.
        let suggested = || (dialog.kind == "prompt" && accept).then(|| dialog.suggestion.clone());
        let prompt_text = self.text.as_ref().map(|text| text.expose().to_owned()).or_else(suggested);
        tab.channel.call(p::HandleDialog { accept, prompt_text }, run.deadline).await.map_err(lift)?;
        // Another dialog may follow at once, even the same again; so closings are counted.
        tab.until(run.deadline, "the dialog to close", |state| state.dialogs_closed > closed).await?;
        dialog.accepted = Some(accept);
        if accept && dialog.kind == "beforeunload" {
            before.left(run).await;
        }
        // What asked goes on now, and what comes of that belongs to the answer.
        let mut settled = settle(run, &before, FrameId(0)).await?;
        if let Some(next) = tab.read(|state| state.dialog.clone()) {
            settled.outcome.notes.push(format!("another {} dialog is open now: {:?}", next.kind, next.message));
        }
        Ok(Outcome { dialog: Some(dialog), ..settled.outcome })
    }
}

impl Dialog {
    /// The dialog that it answers, and how many have closed before. Fails if none is open, or if it takes no text.
    fn open(&self, run: &Run<'_>) -> Result<(Open, u64)> {
        let (id, tab) = run.tab()?;
        let (open, closed) = tab.read(|state| (state.dialog.clone(), state.dialogs_closed));
        let Some(dialog) = open else {
            return Err(Error::invalid(format!("no dialog is open in {id}")).with_hint("there is nothing to answer; go on"));
        };
        if self.text.is_some() && (dialog.kind != "prompt" || self.answer == Answer::Dismiss) {
            return Err(Error::invalid(format!("a text answers a prompt that is accepted, not this {}", dialog.kind)));
        }
        Ok((dialog, closed))
    }
}

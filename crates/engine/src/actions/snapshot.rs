//! `snapshot`: the page as a tree with refs.

use clap::{Args, ValueEnum};
use contract::{Effect, Error, Outcome, Result, Snapshot as Told, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::{
    first_look, locate,
    snapshot::{Boxes, Pattern, TextOptions},
};

/// Show the page as a tree of what is on it, with a ref for everything that can be used
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
#[serde(default)]
pub struct Snapshot {
    /// Only what can be used, and where it is
    #[arg(long, short = 'i')]
    pub interactive: bool,
    /// Leave out structure that has neither a name nor a ref
    #[arg(long, short = 'c')]
    pub compact: bool,
    /// How many levels below the outermost elements; 0 shows only those
    #[serde(skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "LEVELS")]
    pub depth: Option<usize>,
    /// Only this element and what is in it: a ref, css=… or xpath=…
    #[serde(skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "TARGET")]
    pub scope: Option<Target>,
    /// Only lines with these words, and where they are
    #[serde(skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "WORDS")]
    pub find: Option<String>,
    /// With the box of each element in the viewport: left, top, width, height
    #[arg(long)]
    pub boxes: bool,
    /// With the addresses of links
    #[arg(long)]
    pub urls: bool,
    /// The longest answer; what does not fit is cut, which is said
    #[serde(skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "N")]
    pub max_chars: Option<usize>,
    /// Only what changed since the page was last looked at
    #[arg(long, conflicts_with_all = ["interactive", "compact", "depth", "scope", "find", "boxes", "urls", "form"])]
    pub diff: bool,
    /// As text for models, or as data
    #[arg(long = "as", value_enum, default_value_t)]
    pub form: Form,
}

/// What a snapshot is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// The aria-snapshot grammar, a line an element.
    #[default]
    Text,
    /// A tree of JSON objects.
    Json,
}

impl Verb for Snapshot {
    const NAME: &'static str = "snapshot";

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn tells_changes(&self) -> bool {
        false
    }

    fn targets(&self) -> Vec<&Target> {
        self.scope.iter().collect()
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        if self.max_chars == Some(0) {
            return Err(Error::invalid("a snapshot of nothing was asked for").with_hint("use 1 or more"));
        }
        if self.form == Form::Json && (self.find.is_some() || self.max_chars.is_some()) {
            return Err(Error::invalid("data is neither searched nor cut")
                .with_hint("look at a part with scope or depth, or take the text"));
        }
        let (_, tab) = run.tab()?;
        let scope = match &self.scope {
            Some(target) => Some(locate::locate_soon(run, target).await?),
            None => None,
        };
        let mut eyes = tab.eyes(run.deadline).await?;
        let change = first_look::look(run, &mut eyes).await?;
        let mut outcome = Outcome { notes: change.notes, ..Outcome::default() };
        if self.diff {
            match eyes.tell_changes(self.max_chars) {
                Some(delta) => {
                    outcome.delta = Some(delta);
                    return Ok(outcome);
                }
                None => outcome.notes.push("there was nothing to compare with: this is the whole page".into()),
            }
        }
        let scope = match scope {
            Some(located) => Some(eyes.shown(tab, located, run.deadline).await?),
            None => None,
        };
        let boxes = if self.boxes { Some(eyes.boxes(tab, Boxes::All, run.deadline).await?) } else { None };
        let options = TextOptions {
            max_chars: self.max_chars,
            depth: self.depth.map(|below| below.saturating_add(1)),
            interactive: self.interactive,
            compact: self.compact,
            urls: self.urls,
            scope,
            boxes: boxes.as_ref(),
        };
        let mut told = Told::default();
        if let Some(words) = &self.find {
            let found = eyes.view.find(&Pattern::words(words)?, &options, 0, usize::MAX).rendered;
            (told.text, told.refs, told.cut) = (found.text, found.refs as u64, found.cut);
        } else if self.form == Form::Json {
            told.nodes = eyes.view.json(&options);
            told.refs = eyes.view.render(&options).refs as u64;
        } else {
            let rendered = eyes.view.render(&options);
            (told.text, told.refs, told.cut) = (rendered.text, rendered.refs as u64, rendered.cut);
        }
        if self.scope.is_none() && self.find.is_none() {
            eyes.told();
        } else {
            eyes.told_part();
        }
        outcome.snapshot = Some(told);
        Ok(outcome)
    }
}

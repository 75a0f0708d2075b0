//! `find`: lines of the snapshot, or of the page's text, that hold some words. No model is needed for that.

use clap::{Args, ValueEnum};
use contract::{Content, Effect, Outcome, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::{
    first_look, reading,
    snapshot::{Pattern, TextOptions, find_in},
};

/// Find words in the page: matching lines of the snapshot, with their refs and where they are
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Find {
    /// Words that a line must have, all of them, in any order; upper and lower case are the same
    #[arg(value_name = "WORDS")]
    pub words: String,
    /// The words are a regular expression, which tells upper and lower case apart unless it has (?i)
    #[serde(default)]
    #[arg(long, short = 'e')]
    pub regex: bool,
    /// What is searched: the snapshot, whose lines have refs, or the text that can be read
    #[serde(default)]
    #[arg(long = "in", value_enum, default_value_t)]
    pub place: Place,
    /// How many lines around each match
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, short = 'C', value_name = "LINES")]
    pub context: Option<usize>,
    /// How many matches at most
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, short = 'n', value_name = "N")]
    pub max: Option<usize>,
}

/// What is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// The tree with refs.
    #[default]
    Snapshot,
    /// The page's text.
    Text,
}

/// How many matches are shown unless more are asked for.
const MOST: usize = 50;

impl Verb for Find {
    const NAME: &'static str = "find";

    fn effect(&self) -> Effect {
        Effect::Read
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let pattern = if self.regex { Pattern::regex(&self.words)? } else { Pattern::words(&self.words)? };
        let (_, tab) = run.tab()?;
        let (context, max) = (self.context.unwrap_or(0), self.max.unwrap_or(MOST));
        let (found, notes) = match self.place {
            Place::Snapshot => {
                let mut eyes = tab.eyes(run.deadline).await?;
                let notes = first_look::look(run, &mut eyes).await?.notes;
                let found = eyes.view.find(&pattern, &TextOptions::default(), context, max);
                eyes.told_part();
                (found, notes)
            }
            Place::Text => {
                let waits = first_look::rest(run).await?;
                let page = reading::gather(tab, None, reading::Form::Plain, run.deadline).await?;
                let (text, mut notes) = reading::convert(page, reading::Part::Whole, reading::Form::Plain).await?;
                notes.extend(waits);
                (find_in(&text.text, &pattern, None, context, max), notes)
            }
        };
        let text = found.rendered.text;
        let total = text.chars().count() as u64;
        let content = Content { text, format: "matches".into(), total, ..Content::default() };
        Ok(Outcome { content: Some(content), notes, ..Outcome::default() })
    }
}

//! `console`: what the page wrote to its console.

use clap::Args;
use contract::{ConsoleMessage, Effect, Outcome, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Needs, Run, Verb};
pub use crate::tab::Level;

/// List what the page wrote to its console, exceptions included; earlier pages of the tab too
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Console {
    /// Messages of this level and worse
    #[serde(default)]
    #[arg(long, value_enum, default_value_t)]
    pub level: Level,
    /// Only messages after the one with this number
    #[serde(default)]
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub since: u64,
    /// Only messages of the page that is there now
    #[serde(default)]
    #[arg(long)]
    pub this_page: bool,
    /// At most so many, the last ones; 50 if none is said
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// Forget all messages that there are, after listing them
    #[serde(default)]
    #[arg(long)]
    pub clear: bool,
}

impl Verb for Console {
    const NAME: &'static str = "console";

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn needs(&self) -> Needs {
        Needs::Tab
    }

    fn tells_trouble(&self) -> bool {
        false
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        tab.catch_up(run.deadline).await;
        let (mut messages, dropped, last, earlier) = tab.read(|state| {
            let console = &state.console;
            (console.list(self.since, self.level), console.dropped(), console.mark(), console.earlier())
        });
        if self.clear {
            tab.note(|state| state.console.clear(last));
        }
        let mut notes = Vec::new();
        if self.this_page {
            let all = messages.len();
            messages.retain(|message| message.number > earlier);
            notes.extend(left_out(all - messages.len()));
        }
        let console: Vec<ConsoleMessage> = last_of(messages, self.limit, &mut notes);
        if dropped > 0 {
            notes.push(format!("{dropped} older messages are gone: there is room for the last 500"));
        }
        Ok(Outcome { console, notes, ..Outcome::default() })
    }
}

/// Says that some were not listed since they belong to earlier pages.
pub(super) fn left_out(count: usize) -> Option<String> {
    (count > 0).then(|| format!("{count} of earlier pages are not listed"))
}

/// How many are listed unless another number is asked for.
const LIMIT: u64 = 50;

/// The last of a list. What is left out is said.
pub(super) fn last_of<T>(mut all: Vec<T>, limit: Option<u64>, notes: &mut Vec<String>) -> Vec<T> {
    let limit = usize::try_from(limit.unwrap_or(LIMIT)).unwrap_or(usize::MAX);
    let left_out = all.len().saturating_sub(limit);
    if left_out > 0 {
        notes.push(format!("{left_out} earlier ones are not listed; a higher --limit lists them"));
    }
    all.split_off(left_out)
}

//! `html`: the page's HTML as it is now, shadow roots included, passwords not.

use std::path::PathBuf;

use clap::Args;
use contract::{Code, Effect, Error, FrameId, Outcome, Result, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Run, Verb};
use crate::{cut, files, first_look, locate, page, reading};

/// The largest part that is handed on, in bytes.
const LARGEST: usize = 8 << 20;

/// Print the page's HTML as it is now
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Html {
    /// Only this element
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "TARGET")]
    pub scope: Option<Target>,
    /// At most this many characters; all of them if none is said
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_chars: Option<u64>,
    /// The first character: where an earlier reading was cut
    #[serde(default)]
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u64,
    /// The file to write it to, instead of printing it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub path: Option<PathBuf>,
}

impl Verb for Html {
    const NAME: &'static str = "html";

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn files_mut(&mut self) -> Vec<&mut PathBuf> {
        self.path.iter_mut().collect()
    }

    fn targets(&self) -> Vec<&Target> {
        self.scope.iter().collect()
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        let scope = match &self.scope {
            Some(target) => Some(locate::locate_soon(run, target).await?),
            None => None,
        };
        let mut notes = first_look::rest(run).await?;
        let frame = scope.and_then(|scope| scope.frame).unwrap_or(FrameId(0));
        let element = scope.map(|scope| scope.element);
        let html = match page::ask(tab, frame, "html", &[element], run.deadline).await? {
            // Before it is cut, or a secret could be read in two parts.
            Value::String(html) => run.session.secrets().redactor().masked(&html).unwrap_or(html),
            Value::Null => return Err(reading::gone(frame, element)),
            _ => return Err(Error::new(Code::Internal, "the page's HTML is no text")),
        };
        let Some(path) = &self.path else {
            let content = cut::part(&html, "html", self.offset, self.most(&html))?;
            return Ok(Outcome { content: Some(content), notes, ..Outcome::default() });
        };
        let part = match (self.max_chars, self.offset) {
            (None, 0) => html,
            (max_chars, offset) => cut::part(&html, "html", offset, max_chars.unwrap_or(u64::MAX))?.text,
        };
        notes.insert(0, format!("{} characters written to {}", part.chars().count(), path.display()));
        files::write(run, path, part.into_bytes()).await?;
        Ok(Outcome { notes, ..Outcome::default() })
    }
}

impl Html {
    /// How many characters are handed on: what was asked for, but not more than the largest part.
    fn most(&self, html: &str) -> u64 {
        let largest = if html.len() > LARGEST {
            let from = html.char_indices().nth(self.offset as usize).map_or(html.len(), |(byte, _)| byte);
            let to = html.floor_char_boundary(from + LARGEST);
            html[from..to].chars().count() as u64
        } else {
            u64::MAX
        };
        self.max_chars.unwrap_or(u64::MAX).min(largest.max(1))
    }
}

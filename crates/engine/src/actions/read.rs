//! `read`: what there is to read on a page, as Markdown or text.

use clap::{Args, ValueEnum};
use contract::{Effect, Outcome, Result, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::{
    cut, first_look, locate,
    reading::{self, Form, Part},
};

/// Read the page: its main content as Markdown
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// Only what is in this element
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "TARGET")]
    pub scope: Option<Target>,
    /// How it is written
    #[serde(default)]
    #[arg(long, value_enum, default_value_t)]
    pub format: ReadFormat,
    /// At most this many characters; 20000 if none is said
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_chars: Option<u64>,
    /// The first character: where an earlier reading was cut
    #[serde(default)]
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u64,
    /// The whole page, navigation and all, not only its main content
    #[serde(default)]
    #[arg(long)]
    pub whole: bool,
}

/// How what is read is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum ReadFormat {
    /// Headings, links, tables and lists are kept.
    #[default]
    Markdown,
    /// Only the text.
    Text,
    /// What can be seen as HTML of few tags, with the names of fields: for tools that take a page apart.
    #[value(skip)]
    #[schemars(skip)]
    Html,
}

impl Verb for Read {
    const NAME: &'static str = "read";

    fn effect(&self) -> Effect {
        Effect::Read
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
        // Whoever names an element has said what matters.
        let part = if self.whole || scope.is_some() { Part::Whole } else { Part::Main };
        let (form, format) = match self.format {
            ReadFormat::Markdown => (Form::Markdown, "markdown"),
            ReadFormat::Text => (Form::Plain, "text"),
            ReadFormat::Html => (Form::Html, "html"),
        };
        let waits = first_look::rest(run).await?;
        let page = reading::gather(tab, scope, form, run.deadline).await?;
        let (mut text, failures) = reading::convert(page, part, form).await?;
        // Before it is cut, or a secret could be read in two parts.
        run.session.secrets().redactor().mask(&mut text.text);
        let max_chars = self.max_chars.unwrap_or(cut::DEFAULT_CHARS);
        let content = cut::part(&text.text, format, self.offset, max_chars)?;
        let mut notes = vec![match (text.part, &self.scope) {
            (Part::Main, _) => format!(
                "main content, {} % of the page's text; --whole reads the whole page",
                text.share
            ),
            (Part::Whole, Some(scope)) => format!("all of {scope}"),
            (Part::Whole, None) => "the whole page".into(),
        }];
        notes.extend(failures);
        notes.extend(waits);
        Ok(Outcome { content: Some(content), notes, ..Outcome::default() })
    }
}

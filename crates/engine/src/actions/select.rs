//! `select`: chooses from a list.

use clap::{Args, ValueEnum};
use contract::{Effect, Outcome, Result, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::choose;

/// Choose from a list: the browser's own, or one that the page made
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Select {
    /// The list: a ref (e12), css=…, xpath=…, x,y, or a description in plain words
    pub target: Target,
    /// The option; several for lists that take several. None at all takes back all that is chosen there
    #[arg(required = true, value_name = "VALUE", allow_negative_numbers = true)]
    pub values: Vec<String>,
    /// What the value is
    #[serde(default)]
    #[arg(long, value_enum, default_value_t)]
    pub by: SelectBy,
}

impl Select {
    /// Chooses one option by what it is called.
    pub fn new(target: Target, value: &str) -> Select {
        Select { target, values: vec![value.into()], by: SelectBy::Any }
    }
}

/// How an option is named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum SelectBy {
    /// By what it is called, or by its value.
    #[default]
    Any,
    /// By its value, which the page's programs know it by.
    Value,
    /// By what people read.
    Label,
    /// By its place, counted from 0.
    Index,
}

impl Select {
    fn wanted(&self) -> choose::Wanted<'_> {
        choose::Wanted { values: &self.values, by: self.by, told: true }
    }
}

impl Verb for Select {
    const NAME: &'static str = "select";

    fn effect(&self) -> Effect {
        Effect::Input
    }

    fn targets(&self) -> Vec<&Target> {
        vec![&self.target]
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        choose::plan(run, &self.target, self.wanted()).await
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let _turn = run.tab()?.1.turn(run.deadline).await?;
        choose::choose(run, &self.target, self.wanted()).await
    }
}

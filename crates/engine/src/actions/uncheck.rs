//! `uncheck`: takes the tick from a box or a switch.

use clap::Args;
use contract::{Effect, Outcome, Result, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::ticks::{self, Tick, tick};

/// Uncheck a box or a switch
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Uncheck {
    /// What to uncheck, or its label: a ref (e12), css=…, xpath=…, x,y, or a description in plain words
    #[arg(allow_negative_numbers = true)]
    pub target: Target,
}

impl Uncheck {
    /// For this element.
    pub fn new(target: Target) -> Uncheck {
        Uncheck { target }
    }
}

impl Verb for Uncheck {
    const NAME: &'static str = "uncheck";

    fn effect(&self) -> Effect {
        Effect::Input
    }

    fn targets(&self) -> Vec<&Target> {
        vec![&self.target]
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        ticks::plan(run, &self.target, Tick::Off).await
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let _turn = run.tab()?.1.turn(run.deadline).await?;
        tick(run, &self.target, Tick::Off).await
    }
}

//! `check`: ticks a box, a radio button or a switch.

use clap::Args;
use contract::{Effect, Outcome, Result, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::ticks::{self, Tick, tick};

/// Check a box, a radio button or a switch
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// What to check, or its label: a ref (e12), css=…, xpath=…, x,y, or a description in plain words
    #[arg(allow_negative_numbers = true)]
    pub target: Target,
}

impl Check {
    /// For this element.
    pub fn new(target: Target) -> Check {
        Check { target }
    }
}

impl Verb for Check {
    const NAME: &'static str = "check";

    fn effect(&self) -> Effect {
        Effect::Input
    }

    fn targets(&self) -> Vec<&Target> {
        vec![&self.target]
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        ticks::plan(run, &self.target, Tick::On).await
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let _turn = run.tab()?.1.turn(run.deadline).await?;
        tick(run, &self.target, Tick::On).await
    }
}

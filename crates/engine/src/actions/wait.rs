//! `wait`: for a time, or for a state of loading.

use std::time::Duration;

use clap::Args;
use contract::{Effect, Outcome, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Needs, Run, Verb};
use crate::Until;

/// Wait for a time, or for the page to be loaded
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
pub struct Wait {
    /// What to wait for: a time (2s, 500ms), load, domcontentloaded or network_idle (no request for 500 ms)
    #[serde(default)]
    #[arg(value_name = "WHAT")]
    pub until: Until,
}

impl Verb for Wait {
    const NAME: &'static str = "wait";

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn needs(&self) -> Needs {
        match self.until {
            Until::Time(_) => Needs::Tab,
            _ => Needs::Page,
        }
    }

    fn own_time(&self) -> Duration {
        self.until.own_time()
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        self.until.wait(tab, run.deadline).await?;
        Ok(Outcome::default())
    }
}

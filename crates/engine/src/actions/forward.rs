//! `forward`: the page after in the tab's history.

use std::time::Duration;

use clap::Args;
use contract::{Effect, Outcome, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::{Until, navigate};

/// Go forward to the page after
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Forward {
    /// Wait for commit, domcontentloaded, load, network_idle or a time such as 2s; usually for load, but not for long
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub until: Until,
}

impl Verb for Forward {
    const NAME: &'static str = "forward";

    fn effect(&self) -> Effect {
        Effect::Navigate
    }

    fn own_time(&self) -> Duration {
        self.until.own_time()
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        navigate::may_go_through_history(run, 1).await
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        navigate::through_history(run, 1, self.until).await
    }
}

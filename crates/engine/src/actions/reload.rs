//! `reload`: the tab's page again.

use std::time::Duration;

use clap::Args;
use contract::{Effect, Outcome, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::{Until, navigate};

/// Load the page again
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Reload {
    /// Ask the server even for what is in the cache
    #[serde(default)]
    #[arg(long)]
    pub ignore_cache: bool,
    /// Send the form again that the page came of; without this such a page is not loaded again
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[arg(long)]
    pub resubmit: bool,
    /// Wait for commit, domcontentloaded, load, network_idle or a time such as 2s; usually for load, but not for long
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub until: Until,
}

impl Verb for Reload {
    const NAME: &'static str = "reload";

    fn effect(&self) -> Effect {
        Effect::Navigate
    }

    fn own_time(&self) -> Duration {
        self.until.own_time()
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        navigate::plan_again(run, self.resubmit)
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        navigate::again(run, self.ignore_cache, self.resubmit, self.until).await
    }
}

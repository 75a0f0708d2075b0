//! `goto`: loads an address in a tab.

use std::time::Duration;

use clap::Args;
use contract::{Effect, Error, Outcome, PageUrl, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Needs, Run, Verb};
use crate::{Until, navigate};

/// Load a page in the tab
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Goto {
    /// An http:// or https:// address
    pub url: PageUrl,
    /// Wait for commit, domcontentloaded, load, network_idle or a time such as 2s; usually for load, but not for long
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub until: Until,
}

impl Verb for Goto {
    const NAME: &'static str = "goto";

    fn effect(&self) -> Effect {
        Effect::Navigate
    }

    fn needs(&self) -> Needs {
        Needs::PageOrNew
    }

    fn starts_session(&self) -> bool {
        true
    }

    fn destination(&self) -> Option<&PageUrl> {
        Some(&self.url)
    }

    fn own_time(&self) -> Duration {
        self.until.own_time()
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let address = run.destination.as_ref().ok_or_else(|| Error::invalid("there is no address to go to"))?;
        navigate::to_address(run, address.as_str(), self.until).await
    }
}

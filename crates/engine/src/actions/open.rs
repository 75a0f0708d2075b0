//! `open`: starts the session if need be, and goes to an address.

use std::time::Duration;

use clap::Args;
use contract::{Effect, Outcome, PageUrl, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Needs, Run, Verb};
use crate::{Until, navigate};

/// Start the session if it is not there, and load a page in its active tab
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// An http:// or https:// address; without one the session is only started
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<PageUrl>,
    /// Wait for commit, domcontentloaded, load, network_idle or a time such as 2s; usually for load, but not for long
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub until: Until,
}

impl Verb for Open {
    const NAME: &'static str = "open";

    fn effect(&self) -> Effect {
        if self.url.is_some() { Effect::Navigate } else { Effect::Read }
    }

    fn needs(&self) -> Needs {
        Needs::PageOrNew
    }

    fn starts_session(&self) -> bool {
        true
    }

    fn destination(&self) -> Option<&PageUrl> {
        self.url.as_ref()
    }

    fn own_time(&self) -> Duration {
        self.until.own_time()
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        match &run.destination {
            Some(address) => navigate::to_address(run, address.as_str(), self.until).await,
            None => Ok(Outcome::default()),
        }
    }
}

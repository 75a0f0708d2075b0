//! `close`: the end of a session. The gate itself does it, since nothing else may run in the session meanwhile.

use clap::Args;
use contract::{Effect, Outcome, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Needs, Run, Verb};

/// Close the session: its tabs and cookies go, what runs in it is cancelled
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Close {}

impl Verb for Close {
    const NAME: &'static str = "close";

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn needs(&self) -> Needs {
        Needs::Session
    }

    async fn run(&self, _: &Run<'_>) -> Result<Outcome> {
        Ok(Outcome::default())
    }
}

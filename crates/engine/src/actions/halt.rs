//! `halt`: ends at once whatever runs in the session. The gate itself does it, since it must wait for nobody.

use clap::Args;
use contract::{Effect, Outcome, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Needs, Run, Verb};

/// End at once what runs in the session, also what waits for an approval; the session stays
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Halt {}

impl Verb for Halt {
    const NAME: &'static str = "halt";

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

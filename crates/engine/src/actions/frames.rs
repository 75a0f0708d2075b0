//! `frames`: the frames of a page, those in processes of their own included.

use clap::Args;
use contract::{Effect, Outcome, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Needs, Run, Verb};

/// List the frames of the page
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Frames {}

impl Verb for Frames {
    const NAME: &'static str = "frames";

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn needs(&self) -> Needs {
        Needs::Tab
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        Ok(Outcome { frames: Some(tab.read(|state| state.frames())), ..Outcome::default() })
    }
}

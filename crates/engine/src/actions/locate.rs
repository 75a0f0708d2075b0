//! `locate`: which element a target means. For a description in plain words also how well others fit, and why.

use clap::Args;
use contract::{Effect, Named, Outcome, Result, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::{locate, words};

/// Find the one element that a target means; a description in plain words tells its candidates and why
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Locate {
    /// A ref (e12), css=…, xpath=…, or a description: "the blue login button", "Delete in the row of Alice"
    #[arg(value_name = "TARGET")]
    #[arg(allow_negative_numbers = true)]
    pub target: Target,
}

impl Verb for Locate {
    const NAME: &'static str = "locate";

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn targets(&self) -> Vec<&Target> {
        vec![&self.target]
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        if let Target::Words(description) = &self.target {
            let found = words::find(run, description).await?;
            return Ok(Outcome { target: Some(found.target), candidates: found.candidates, ..Outcome::default() });
        }
        let element = locate::locate(run, &self.target).await?;
        let (_, tab) = run.tab()?;
        let mut eyes = tab.eyes(run.deadline).await?;
        eyes.look(tab, run.deadline).await?;
        let named = eyes.view.get(element).map(|node| (node.role.to_string(), node.name.to_string()));
        let (role, name) = named.unwrap_or_else(|| ("generic".into(), String::new()));
        Ok(Outcome { target: Some(Named { reference: element, role, name }), ..Outcome::default() })
    }
}

//! `fill`: puts a text into a field, in place of what is there.

use clap::Args;
use contract::{Effect, Outcome, Result, Target, Typed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::fields;

/// Put a text into a field, in place of what is there
///
/// Fields of every kind: text, dates (2026-03-31), times, colours, sliders; boxes and switches take true or false, lists the
/// name of an option.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Fill {
    /// The field: a ref (e12), css=…, xpath=…, x,y, or a description in plain words
    pub target: Target,
    /// The text; an empty one clears the field. On the command line, - reads it from standard input
    #[arg(allow_hyphen_values = true)]
    pub text: Typed,
    /// Press Enter afterwards
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[arg(long)]
    pub submit: bool,
    /// Treat the text as a secret, whatever the field is: it is masked wherever it turns up. Password fields need no saying
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[arg(long)]
    pub secret: bool,
}

impl Fill {
    /// Fills a field and leaves it at that.
    pub fn new(target: Target, text: Typed) -> Fill {
        Fill { target, text, submit: false, secret: false }
    }
}

impl Verb for Fill {
    const NAME: &'static str = "fill";

    fn effect(&self) -> Effect {
        if self.submit { Effect::Submit } else { Effect::Input }
    }

    fn targets(&self) -> Vec<&Target> {
        vec![&self.target]
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        let field = fields::plan(run, &self.target, &self.text).await?;
        if self.submit { field.may_submit(run).await } else { Ok(()) }
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        if self.secret {
            run.session.secrets().redactor().add(self.text.expose());
        }
        let _turn = run.tab()?.1.turn(run.deadline).await?;
        if self.submit && run.gate.cares() {
            let field = fields::field_for(run, &self.target, &self.text).await?;
            run.gate.fills(field.element);
            field.may_submit(run).await?;
        }
        let (field, filled) = fields::fill(run, &self.target, &self.text).await?;
        if self.submit { field.submit(run, filled).await } else { Ok(filled) }
    }
}

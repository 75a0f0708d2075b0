//! `hover`: moves the pointer over an element or a point.

use cdp::protocol as p;
use clap::Args;
use contract::{Effect, Outcome, Result, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::hands::{Needs, Point, plan_element, point_at, send_mouse};

/// Move the pointer over an element or a point
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Hover {
    /// Where to: a ref (e12), css=…, xpath=…, x,y, or a description in plain words
    #[arg(allow_negative_numbers = true)]
    pub target: Target,
}

impl Verb for Hover {
    const NAME: &'static str = "hover";

    fn effect(&self) -> Effect {
        Effect::Input
    }

    fn targets(&self) -> Vec<&Target> {
        vec![&self.target]
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        plan_element(run, &self.target, Needs::HOVER).await.map(drop)
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        point_at(run, &self.target, Needs::HOVER, |Point { x, y }| async move {
            let moved = p::DispatchMouse { r#type: "mouseMoved".into(), x, y, ..p::DispatchMouse::default() };
            send_mouse(run, vec![moved]).await
        })
        .await
    }
}

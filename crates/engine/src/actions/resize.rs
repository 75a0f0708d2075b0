//! `resize`: another size for the pages of the session.

use clap::Args;
use contract::{Effect, Error, Outcome, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Needs, Run, Verb};
use crate::{Viewport, presets::Preset};

/// Give the pages of the session another size
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Resize {
    /// Width and height in CSS pixels such as 1280x720, with the scale if it is not 1: 390x844@3
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(value_name = "WIDTHxHEIGHT", required_unless_present = "preset")]
    pub size: Option<String>,
    /// The size of a device: iphone-15, pixel-9, ipad, laptop, desktop-1080p …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "NAME", conflicts_with = "size")]
    pub preset: Option<String>,
    /// Device pixels to a CSS pixel, from 0.1 to 10
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub scale: Option<f64>,
    /// As a device that is held in the hand: with touch, and without a desktop's scroll bars
    #[serde(default)]
    #[arg(long)]
    pub mobile: bool,
}

impl Verb for Resize {
    const NAME: &'static str = "resize";

    fn effect(&self) -> Effect {
        Effect::Input
    }

    fn needs(&self) -> Needs {
        Needs::PageOrNew
    }

    fn starts_session(&self) -> bool {
        true
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let _turn = run.context.pages.turn(run.deadline).await?;
        let mut emulation = run.context.pages.emulation();
        match (&self.size, &self.preset) {
            (Some(size), None) => {
                emulation.viewport = Some(size.parse()?);
                emulation.mobile = self.mobile;
                emulation.touch = self.mobile;
            }
            (None, Some(name)) => {
                Preset::named(name)?.size(&mut emulation);
                emulation.mobile |= self.mobile;
                emulation.touch |= self.mobile;
            }
            _ => {
                return Err(Error::invalid("a size or a preset has to be named, and not both")
                    .with_hint("say 1280x720, or --preset pixel-9"));
            }
        }
        if let (Some(scale), Some(Viewport { width, height, .. })) = (self.scale, emulation.viewport) {
            // The same rules as for one that is said in one word.
            emulation.viewport = Some(format!("{width}x{height}@{scale}").parse()?);
        }
        let notes = run.emulate(emulation).await?;
        let viewport = run.context.pages.emulation().viewport;
        Ok(Outcome { value: serde_json::to_value(viewport).ok(), notes, ..Outcome::default() })
    }
}

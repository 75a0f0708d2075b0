//! `click`: presses a mouse button on an element or a point.

use std::time::Duration;

use cdp::protocol as p;
use clap::{Args, ValueEnum};
use contract::{Effect, Error, Outcome, Result, Span, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::hands::{Needs, Point, plan_click, point_at, point_in_turn, send_mouse};

/// The most clicks in a row.
const MOST: u32 = 10;

/// A button that is down for less is not held for its own sake.
const HELD: Duration = Duration::from_millis(300);

/// Click an element or a point
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Click {
    /// What to click: a ref (e12), css=…, xpath=…, x,y, or a description in plain words
    #[arg(allow_negative_numbers = true)]
    pub target: Target,
    /// The mouse button
    #[serde(default)]
    #[arg(long, value_enum, default_value_t)]
    pub button: Button,
    /// Click twice
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[arg(long)]
    pub double: bool,
    /// Click so many times in a row, 10 at most
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "N", conflicts_with = "double", value_parser = clap::value_parser!(u8).range(1..=10))]
    pub times: Option<u8>,
    /// A key to hold down meanwhile; more for more keys
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[arg(long = "modifier", value_name = "KEY")]
    pub modifiers: Vec<Modifier>,
    /// How long to hold the button down, such as 500ms
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "TIME")]
    pub hold: Option<Span>,
}

impl Click {
    /// A plain click.
    pub fn new(target: Target) -> Click {
        Click { target, button: Button::Left, double: false, times: None, modifiers: Vec::new(), hold: None }
    }
}

/// A button of a mouse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    /// The main one.
    #[default]
    Left,
    /// The one that opens menus.
    Right,
    /// The wheel.
    Middle,
}

impl Button {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Button::Left => "left",
            Button::Right => "right",
            Button::Middle => "middle",
        }
    }

    /// Its bit in the protocol's set of buttons that are down.
    pub(crate) fn bit(self) -> u32 {
        match self {
            Button::Left => 1,
            Button::Right => 2,
            Button::Middle => 4,
        }
    }
}

/// A key that changes what a click means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Modifier {
    /// Alt.
    #[serde(alias = "Alt")]
    Alt,
    /// Control.
    #[serde(alias = "Control", alias = "ctrl", alias = "ControlOrMeta")]
    #[value(alias = "ctrl")]
    Control,
    /// Meta, the command key of a Mac.
    #[serde(alias = "Meta", alias = "cmd")]
    #[value(alias = "cmd")]
    Meta,
    /// Shift.
    #[serde(alias = "Shift")]
    Shift,
}

impl Modifier {
    /// Its bit in the protocol's set of modifiers.
    pub(crate) fn bit(self) -> u32 {
        match self {
            Modifier::Alt => 1,
            Modifier::Control => 2,
            Modifier::Meta => 4,
            Modifier::Shift => 8,
        }
    }
}

impl Verb for Click {
    const NAME: &'static str = "click";

    fn effect(&self) -> Effect {
        Effect::Input
    }

    fn own_time(&self) -> Duration {
        self.hold.map_or(Duration::ZERO, |hold| hold.0.saturating_mul(self.count()))
    }

    fn targets(&self) -> Vec<&Target> {
        vec![&self.target]
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        self.check()?;
        plan_click(run, &self.target).await
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        self.check()?;
        point_at(run, &self.target, self.needed(), |point| self.press(run, point)).await
    }
}

impl Click {
    /// Refuses what contradicts itself.
    fn check(&self) -> Result<()> {
        if self.double && self.hold.is_some() {
            return Err(Error::invalid("a click is either double or held"));
        }
        if self.double && self.times.is_some() || !(1..=MOST).contains(&self.count()) {
            return Err(Error::invalid(format!("a click is double, or done 1 to {MOST} times")));
        }
        Ok(())
    }

    /// A click for those who have the tab's turn already.
    pub(crate) async fn in_turn(&self, run: &Run<'_>) -> Result<Outcome> {
        point_in_turn(run, &self.target, self.needed(), |point| self.press(run, point)).await
    }

    fn needed(&self) -> Needs {
        Needs { held: self.hold.is_some_and(|hold| hold.0 >= HELD), ..Needs::CLICK }
    }

    /// How many clicks it is.
    fn count(&self) -> u32 {
        self.times.map_or(if self.double { 2 } else { 1 }, Into::into)
    }

    async fn press(&self, run: &Run<'_>, point: Point) -> Result<()> {
        let press = |count| [self.event("mousePressed", point, count), self.event("mouseReleased", point, count)];
        let moved = p::DispatchMouse { button: None, buttons: None, ..self.event("mouseMoved", point, 0) };
        let mut events = vec![moved];
        for count in 1..=self.count() {
            let [pressed, released] = press(count);
            events.push(pressed);
            if let Some(hold) = self.hold {
                send_mouse(run, std::mem::take(&mut events)).await?;
                tokio::time::sleep(hold.0).await;
            }
            events.push(released);
        }
        send_mouse(run, events).await
    }

    fn event(&self, kind: &str, Point { x, y }: Point, count: u32) -> p::DispatchMouse {
        let is_down = kind == "mousePressed";
        p::DispatchMouse {
            r#type: kind.into(),
            x,
            y,
            button: Some(self.button.name().into()),
            buttons: Some(if is_down { self.button.bit() } else { 0 }),
            click_count: (count > 0).then_some(count),
            modifiers: Some(self.modifiers.iter().fold(0, |bits, key| bits | key.bit())),
            ..p::DispatchMouse::default()
        }
    }
}

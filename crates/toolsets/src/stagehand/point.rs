//! Tools that go by coordinates in the last screenshot, in its pixels; those are CSS pixels of the viewport unless the picture was made
//! smaller. Some models give thousandths of the viewport instead; then the call says so.

use std::time::Duration;

use contract::{Error, Result, Span, Target, Typed};
use engine::actions::{Click, Drag, Type};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    act,
    act::{Way, scroll},
    length, without_text,
};
use crate::{Caller, Hints, Step, Tool, tool::Call};

pub(super) const CLICK: Tool = Tool::new::<ClickArgs>(
    "click",
    "Click at coordinates of the screenshot. Take a screenshot first",
    Hints::Acts,
);
pub(super) const CLICK_AND_HOLD: Tool = Tool::new::<ClickAndHoldArgs>(
    "clickAndHold",
    "Press the mouse at coordinates and hold it for a time",
    Hints::Acts,
);
pub(super) const DRAG_AND_DROP: Tool = Tool::new::<DragAndDropArgs>(
    "dragAndDrop",
    "Drag from one place to another, by coordinates",
    Hints::Acts,
);
pub(super) const SCROLL: Tool = Tool::new::<ScrollVisionArgs>(
    "scroll",
    "Scroll the page by a part of what is visible; with coordinates, the area that is there",
    Hints::Acts,
);
pub(super) const TYPE: Tool =
    Tool::new::<TypeArgs>("type", "Click at coordinates and type a text there", Hints::Acts);

/// How coordinates are counted.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Unit {
    /// Pixels of the screenshot.
    #[default]
    Pixels,
    /// 0 to 1000 across the viewport.
    Thousandths,
}

/// x, y
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Coordinates([f64; 2]);

impl Coordinates {
    pub(super) fn new(x: f64, y: f64) -> Coordinates {
        Coordinates([x, y])
    }

    /// The place as a target.
    pub(super) fn target(self, unit: Unit) -> Result<Target> {
        let Coordinates([x, y]) = self;
        let most = match unit {
            Unit::Pixels => f64::MAX,
            Unit::Thousandths => 1_000.0,
        };
        if [x, y].iter().any(|side| !(0.0..=most).contains(side)) {
            return Err(Error::invalid(format!("{x},{y} is no place in the viewport"))
                .with_hint("take a screenshot and give coordinates inside of it"));
        }
        Ok(match unit {
            Unit::Pixels => Target::Pictured { x, y },
            Unit::Thousandths => Target::Thousandths { x, y },
        })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ClickArgs {
    /// What is there
    describe: String,
    coordinates: Coordinates,
    /// thousandths: 0 to 1000 across the viewport
    #[serde(default)]
    unit: Unit,
}

impl Call for ClickArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let said = json!({"describe": self.describe, "coordinates": self.coordinates});
        Ok(act(caller, Click::new(self.coordinates.target(self.unit)?), said, |_| json!({})))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ClickAndHoldArgs {
    /// What is there
    describe: String,
    /// Milliseconds
    duration: u64,
    coordinates: Coordinates,
    /// thousandths: 0 to 1000 across the viewport
    #[serde(default)]
    unit: Unit,
}

impl Call for ClickAndHoldArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let hold = Some(Span(Duration::from_millis(self.duration)));
        let click = Click { hold, ..Click::new(self.coordinates.target(self.unit)?) };
        Ok(act(caller, click, json!({"describe": self.describe}), |_| json!({})))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DragAndDropArgs {
    /// What is dragged, and where to
    describe: String,
    start_coordinates: Coordinates,
    end_coordinates: Coordinates,
    /// thousandths: 0 to 1000 across the viewport
    #[serde(default)]
    unit: Unit,
}

impl Call for DragAndDropArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let from = self.start_coordinates.target(self.unit)?;
        let to = self.end_coordinates.target(self.unit)?;
        Ok(act(caller, Drag::new(from, to), json!({"describe": self.describe}), |_| json!({})))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScrollVisionArgs {
    direction: Way,
    /// In the area to scroll; the page if left out
    coordinates: Option<Coordinates>,
    /// Of the visible height; 80 if left out
    percentage: Option<f64>,
    /// thousandths: 0 to 1000 across the viewport
    #[serde(default)]
    unit: Unit,
}

impl Call for ScrollVisionArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let target = self.coordinates.map(|at| at.target(self.unit)).transpose()?;
        scroll(caller, self.direction, self.percentage, target)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TypeArgs {
    /// What is there
    describe: String,
    #[schemars(with = "String")]
    text: Typed,
    coordinates: Coordinates,
    /// thousandths: 0 to 1000 across the viewport
    #[serde(default)]
    unit: Unit,
}

impl Call for TypeArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let said = json!({"describe": without_text(&self.describe, &self.text), "text": length(&self.text)});
        let target = Some(self.coordinates.target(self.unit)?);
        Ok(act(caller, Type { target, ..Type::new(self.text) }, said, |_| json!({})))
    }
}

//! `scroll`: moves the page, or an area in it, or brings an element into view.

use cdp::protocol as p;
use clap::{Args, ValueEnum};
use contract::{Code, Effect, Error, FrameId, Named, Outcome, Ref, Result, Scrolled, Target};
use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Run, Verb};
use crate::{
    hands::{Needs, Point, element_at, holder_of, plan_element, point_at, point_of, send_mouse},
    locate::locate_soon,
    page,
    settle::{Before, settle},
    snapshot::{frame_of, reference},
};

/// How much of what is visible is scrolled if nothing is said: a little of it stays in view.
const PERCENT: f64 = 80.0;

/// How far the wheel is turned at once where an end is wanted that nobody knows.
const FAR: f64 = 10_000.0;

/// Scroll the page, an area in it, or to an element
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
pub struct Scroll {
    /// The element to bring into view; with a direction, the area to scroll: a ref (e12), css=…, xpath=…, x,y, or a description
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// Down by so many pixels; up if negative
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "PIXELS", allow_hyphen_values = true, conflicts_with_all = ["to", "direction", "into_view"])]
    pub by: Option<f64>,
    /// To one end
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_enum, conflicts_with_all = ["direction", "into_view"])]
    pub to: Option<Edge>,
    /// Which way, by 80 % of what is visible unless --pixels or --percent says otherwise
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_enum, conflicts_with = "into_view")]
    pub direction: Option<Direction>,
    /// How far in that direction
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "N", requires = "direction", conflicts_with = "percent")]
    pub pixels: Option<f64>,
    /// How far in that direction, of what is visible
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "N", requires = "direction")]
    pub percent: Option<f64>,
    /// Only until the target is in view; so it is without a direction
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[arg(long, requires = "target")]
    pub into_view: bool,
    /// Instead turn the wheel, right and down by so many pixels, where the mouse is or at the target: what is there scrolls, or does what it likes
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(skip)]
    pub wheel: Option<[f64; 2]>,
}

impl Scroll {
    /// Until this element is in view.
    pub fn new(target: Target) -> Scroll {
        Scroll { target: Some(target), ..Scroll::default() }
    }

    /// The page, this way.
    pub fn towards(direction: Direction) -> Scroll {
        Scroll { direction: Some(direction), ..Scroll::default() }
    }
}

/// An end of what can be scrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Edge {
    Top,
    Bottom,
    Left,
    Right,
}

/// Which way to scroll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

/// The same for the page's script: along which axis, which way, and how far; to the end if that is not said.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Way {
    axis: char,
    sign: i8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pixels: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    percent: Option<f64>,
}

/// What the page's script answers.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    problem: Option<String>,
    x: f64,
    y: f64,
    named: Option<Area>,
    /// The page does not scroll; an area in its middle was taken for it.
    inside: bool,
}

#[derive(Deserialize)]
struct Area {
    number: u32,
    role: String,
    name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Left {
    left_x: f64,
    left_y: f64,
}

impl Verb for Scroll {
    const NAME: &'static str = "scroll";

    fn effect(&self) -> Effect {
        Effect::Input
    }

    fn targets(&self) -> Vec<&Target> {
        self.target.iter().collect()
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        self.way()?;
        if let Some(target) = &self.target {
            plan_element(run, target, Needs::default()).await?;
        }
        Ok(())
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        let way = self.way()?;
        if let Some([x, y]) = self.wheel {
            return turn_wheel_here(run, self.target.as_ref(), x, y).await;
        }
        let turn = tab.turn(run.deadline).await?;
        let Some(way) = way else {
            let target = self.target.as_ref().ok_or_else(|| Error::invalid("there is nothing to bring into view"))?;
            return into_view(run, target).await;
        };
        let scrolled = scroll(run, self.target.as_ref(), way).await?;
        drop(turn);
        match scrolled {
            Some(outcome) => Ok(outcome),
            None => turn_wheel(run, self.target.as_ref(), way).await,
        }
    }
}

impl Scroll {
    /// Which way to go; none to bring the target into view.
    fn way(&self) -> Result<Option<Way>> {
        let ways =
            [self.by.is_some(), self.to.is_some(), self.direction.is_some(), self.into_view, self.wheel.is_some()];
        if ways.iter().filter(|is_said| **is_said).count() > 1 {
            return Err(Error::invalid("by, to, direction, into_view and wheel exclude each other"));
        }
        if let Some([x, y]) = self.wheel
            && (!x.is_finite() || !y.is_finite() || x == 0.0 && y == 0.0)
        {
            return Err(Error::invalid("the wheel is not turned at all").with_hint("give a number other than 0"));
        }
        let is_element = self.target.as_ref().is_some_and(|target| {
            !matches!(target, Target::Point { .. } | Target::Thousandths { .. } | Target::Pictured { .. })
        });
        if self.into_view && !is_element {
            return Err(Error::invalid("only an element can be brought into view"));
        }
        if self.direction.is_none() && (self.pixels.is_some() || self.percent.is_some()) {
            return Err(Error::invalid("pixels and percent need a direction"));
        }
        if self.pixels.is_some() && self.percent.is_some() {
            return Err(Error::invalid("pixels and percent exclude each other"));
        }
        if let Some(far) = [self.pixels, self.percent].into_iter().flatten().find(|far| !far.is_finite() || *far <= 0.0) {
            return Err(Error::invalid(format!("{far} is no distance")).with_hint("give a number above 0"));
        }
        let (axis, sign) = match (self.to, self.direction, self.by) {
            (Some(Edge::Top), ..) | (_, Some(Direction::Up), _) => ('y', -1),
            (Some(Edge::Left), ..) | (_, Some(Direction::Left), _) => ('x', -1),
            (Some(Edge::Right), ..) | (_, Some(Direction::Right), _) => ('x', 1),
            (.., Some(by)) if !by.is_finite() || by == 0.0 => {
                return Err(Error::invalid(format!("{by} is no distance")).with_hint("give a number other than 0"));
            }
            (.., Some(by)) if by < 0.0 => ('y', -1),
            (None, None, None) if self.into_view || is_element => return Ok(None),
            _ => ('y', 1),
        };
        let pixels = self.pixels.or(self.by.map(f64::abs));
        let percent = self.percent.or_else(|| (pixels.is_none() && self.to.is_none()).then_some(PERCENT));
        Ok(Some(Way { axis, sign, pixels, percent }))
    }
}

/// Scrolls the nearest area around the target that can go this way, through frames; none if there is nothing to scroll.
async fn scroll(run: &Run<'_>, target: Option<&Target>, way: Way) -> Result<Option<Outcome>> {
    let (_, tab) = run.tab()?;
    let (mut frame, mut number) = match target {
        None => (FrameId(0), 0),
        Some(target) => match point_of(run, target).await? {
            Some(point) => match element_at(run, point).await? {
                Some(named) => (frame_of(named.reference), named.reference.element),
                None => (FrameId(0), 0),
            },
            None => {
                let element = locate_soon(run, target).await?;
                (frame_of(element), element.element)
            }
        },
    };
    let before = Before::note(run)?;
    let mut end = None;
    loop {
        let answer: Answer = read(page::ask(tab, frame, "scrollFrom", &(number, way), run.deadline).await?)?;
        match answer.problem.as_deref() {
            None => return done(run, &before, frame, answer).await.map(Some),
            Some("gone") => return Err(gone()),
            Some("end") => drop(end.get_or_insert((frame, answer))),
            Some(_) => {}
        }
        // What is around the frame may still go that way.
        match holder_of(run, frame).await? {
            Some(holder) if frame != FrameId(0) => (frame, number) = (frame_of(holder), holder.element),
            _ => break,
        }
    }
    let Some((frame, answer)) = end else { return Ok(None) };
    let mut outcome = done(run, &before, frame, answer).await?;
    let at = match (way.axis, way.sign) {
        ('y', 1) => "at the bottom",
        ('y', _) => "at the top",
        (_, 1) => "at the right end",
        _ => "at the left end",
    };
    outcome.notes.push(format!("it is {at} already"));
    Ok(Some(outcome))
}

/// Waits for what the scrolling brought, and says how far it went.
async fn done(run: &Run<'_>, before: &Before, frame: FrameId, answer: Answer) -> Result<Outcome> {
    let mut outcome = settle(run, before, frame).await?.outcome;
    if answer.inside {
        outcome.notes.push("the page itself does not scroll; the area in its middle was scrolled".into());
    }
    outcome.target = answer.named.map(|area| area.named(frame));
    outcome.scrolled = Some(scrolled(run, frame, answer.x, answer.y).await);
    Ok(outcome)
}

async fn scrolled(run: &Run<'_>, frame: FrameId, x: f64, y: f64) -> Scrolled {
    let left = match run.tab() {
        Ok((_, tab)) => page::ask(tab, frame, "leftNow", &page::NO_ARGUMENTS, run.deadline).await.ok(),
        Err(_) => None,
    };
    let Left { left_x, left_y } = left.and_then(|left| read(left).ok()).unwrap_or_default();
    Scrolled { x, y, left_x, left_y }
}

/// Brings an element into view, in its frame and that frame in the one around it.
async fn into_view(run: &Run<'_>, target: &Target) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let element = locate_soon(run, target).await?;
    let before = Before::note(run)?;
    // The element, what holds its frame, and so on: scrolling one may move all that is around it as well.
    let mut chain = vec![element];
    let mut inner = frame_of(element);
    while inner != FrameId(0)
        && let Some(holder) = holder_of(run, inner).await?
    {
        chain.push(holder);
        inner = frame_of(holder);
    }
    let places = async || -> Result<Vec<[f64; 2]>> {
        let asking =
            chain.iter().map(async |at: &Ref| page::ask(tab, frame_of(*at), "placeOf", &[at.element], run.deadline).await);
        join_all(asking).await.into_iter().map(|place| read(place?)).collect()
    };
    let from = places().await?;
    let mut named = None;
    for at in &chain {
        let frame = frame_of(*at);
        let answer: Answer =
            read(page::ask(tab, frame, "bringIntoView", &[at.element], run.deadline).await?)?;
        match answer.problem.as_deref() {
            None => {}
            Some("gone") => return Err(gone()),
            Some(_) => {
                let message = format!("{element} is in the page, but cannot be seen");
                return Err(Error::new(Code::ElementNotVisible, message));
            }
        }
        named = named.or(answer.named.map(|named| named.named(frame)));
    }
    let moved = from.into_iter().zip(places().await?).map(|(from, to)| [from[0] - to[0], from[1] - to[1]]);
    let [x, y] = moved.fold([0.0, 0.0], |sum, moved| [sum[0] + moved[0], sum[1] + moved[1]]);
    let frame = frame_of(element);
    let mut outcome = settle(run, &before, frame).await?.outcome;
    if x == 0.0 && y == 0.0 {
        outcome.notes.push("it was in view already".into());
    }
    outcome.target = named;
    outcome.scrolled = Some(scrolled(run, frame, x, y).await);
    Ok(outcome)
}

/// Turns the wheel where the pointer is, or at the target, as a hand does.
async fn turn_wheel_here(run: &Run<'_>, target: Option<&Target>, delta_x: f64, delta_y: f64) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let window: [f64; 4] = read(page::ask(tab, FrameId(0), "viewport", &page::NO_ARGUMENTS, run.deadline).await?)?;
    let [_, _, width, height] = window;
    let there = |[x, y]: [f64; 2]| Target::Point { x: x.clamp(0.0, width - 1.0), y: y.clamp(0.0, height - 1.0) };
    let here = there(tab.pointer().unwrap_or([(width / 2.0).floor(), (height / 2.0).floor()]));
    let turn = |Point { x, y }| async move {
        let moved = p::DispatchMouse { r#type: "mouseMoved".into(), x, y, ..p::DispatchMouse::default() };
        let turned = p::DispatchMouse {
            r#type: "mouseWheel".into(),
            delta_x: Some(delta_x),
            delta_y: Some(delta_y),
            ..moved.clone()
        };
        send_mouse(run, vec![moved, turned]).await?;
        // The browser says that it took the wheel before the page hears of it, which is with the next frame.
        page::ask(tab, FrameId(0), "whenDrawn", &page::NO_ARGUMENTS, run.deadline).await.map(drop)
    };
    point_at(run, target.unwrap_or(&here), Needs::HOVER, turn).await
}

/// Turns the wheel over the target: a map or a drawing does with it what it likes.
async fn turn_wheel(run: &Run<'_>, target: Option<&Target>, way: Way) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let window = async || -> Result<[f64; 4]> {
        read(page::ask(tab, FrameId(0), "viewport", &page::NO_ARGUMENTS, run.deadline).await?)
    };
    let [x, y, width, height] = window().await?;
    let size = if way.axis == 'y' { height } else { width };
    let far = way.pixels.or(way.percent.map(|percent| size * percent / 100.0)).unwrap_or(FAR);
    let far = far * f64::from(way.sign);
    let middle = Target::Point { x: (width / 2.0).floor(), y: (height / 2.0).floor() };
    let turn = |Point { x, y }| async move {
        let moved = p::DispatchMouse { r#type: "mouseMoved".into(), x, y, ..p::DispatchMouse::default() };
        let (delta_x, delta_y) = if way.axis == 'x' { (far, 0.0) } else { (0.0, far) };
        let turned = p::DispatchMouse {
            r#type: "mouseWheel".into(),
            delta_x: Some(delta_x),
            delta_y: Some(delta_y),
            ..moved.clone()
        };
        send_mouse(run, vec![moved, turned]).await
    };
    let mut outcome = point_at(run, target.unwrap_or(&middle), Needs::HOVER, turn).await?;
    outcome.notes.push("nothing there scrolls by itself; the mouse wheel was turned instead".into());
    if tab.read(|state| !state.stands_still() && state.end.is_none()) {
        let [now_x, now_y, ..] = window().await?;
        outcome.scrolled = Some(scrolled(run, FrameId(0), now_x - x, now_y - y).await);
    }
    Ok(outcome)
}

impl Area {
    fn named(self, frame: FrameId) -> Named {
        Named { reference: reference(frame, self.number), role: self.role, name: self.name }
    }
}

fn gone() -> Error {
    Error::new(Code::StaleRef, "the element went away while it was to be scrolled")
}

fn read<T: DeserializeOwned>(answer: serde_json::Value) -> Result<T> {
    serde_json::from_value(answer).map_err(|error| {
        Error::new(Code::Internal, "webhand's own script answered in a way that cannot be read").with_cause(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways() {
        let check = |scroll: Scroll, way: Option<(char, i8, Option<f64>, Option<f64>)>| {
            let way = way.map(|(axis, sign, pixels, percent)| Way { axis, sign, pixels, percent });
            assert_eq!(scroll.way().unwrap(), way, "{scroll:?}");
        };
        let element = || Some("e1".parse().unwrap());
        let point = || Some("10,20".parse().unwrap());
        let down = Scroll::towards(Direction::Down);
        check(Scroll::default(), Some(('y', 1, None, Some(PERCENT))));
        check(Scroll { target: point(), ..Scroll::default() }, Some(('y', 1, None, Some(PERCENT))));
        check(Scroll { target: element(), ..Scroll::default() }, None);
        check(Scroll { target: element(), by: Some(-30.0), ..Scroll::default() }, Some(('y', -1, Some(30.0), None)));
        check(Scroll { to: Some(Edge::Left), ..Scroll::default() }, Some(('x', -1, None, None)));
        check(Scroll { to: Some(Edge::Bottom), ..Scroll::default() }, Some(('y', 1, None, None)));
        check(Scroll { percent: Some(50.0), ..down.clone() }, Some(('y', 1, None, Some(50.0))));
        check(Scroll { pixels: Some(5.0), ..Scroll::towards(Direction::Right) }, Some(('x', 1, Some(5.0), None)));
        for bad in [
            Scroll { by: Some(f64::NAN), ..Scroll::default() },
            Scroll { by: Some(0.0), ..Scroll::default() },
            Scroll { by: Some(1.0), ..down.clone() },
            Scroll { into_view: true, target: point(), ..Scroll::default() },
            Scroll { into_view: true, ..Scroll::default() },
            Scroll { pixels: Some(1.0), ..Scroll::default() },
            Scroll { pixels: Some(1.0), percent: Some(1.0), ..down.clone() },
            Scroll { pixels: Some(-1.0), ..down },
        ] {
            assert_eq!(bad.way().unwrap_err().code, Code::InvalidInput, "{bad:?}");
        }
    }
}

//! `drag`: presses the mouse on one thing and lets go of it on another. Whether the page follows the pointer itself or lets the browser
//! drag (HTML, "Drag and drop") shows when the pointer moves; both are done to their end.

use cdp::{Channel, protocol as p};
use clap::Args;
use contract::{Code, Effect, Error, FrameId, Named, Outcome, Ref, Result, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{Duration, Instant};

use super::{Run, Verb};
use crate::{
    hands::{Aimed, Described, Dropping, Needs, Point, aim, drop_spot, element_at, leave, point_of, pointed_at, said, unguard_others},
    lift::lift,
    locate::locate_soon,
    page,
    settle::{Before, settle},
    snapshot::frame_of,
    tab::Tab,
};

/// How many moves a drag takes. Each takes a frame, as with a hand.
const STEPS: u32 = 10;

/// How far the pointer goes before it is looked where to: enough for everything that waits for a distance.
const START: f64 = 12.0;

/// How far past the middle something is dropped.
const PAST: f64 = 3.0;

/// How long what makes room may move before something is dropped, in milliseconds.
const LONGEST_REST: u64 = 250;

/// How long the browser may take to tell what is dragged, or the page what it thinks of the press.
const MOMENT: Duration = Duration::from_secs(2);

/// Drag one thing to another
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Drag {
    /// What to drag: a ref (e12), css=…, xpath=…, x,y, or a description in plain words
    #[arg(allow_negative_numbers = true)]
    pub from: Target,
    /// Where to drop it, said in the same way
    #[arg(allow_negative_numbers = true)]
    pub to: Target,
    /// How many moves it takes, at a frame each
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub steps: Option<u32>,
}

impl Drag {
    /// From one target to another.
    pub fn new(from: Target, to: Target) -> Drag {
        Drag { from, to, steps: None }
    }
}

impl Verb for Drag {
    const NAME: &'static str = "drag";

    fn effect(&self) -> Effect {
        Effect::Input
    }

    fn targets(&self) -> Vec<&Target> {
        vec![&self.from, &self.to]
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        self.steps()?;
        let released = pointed_at(run, &self.to, Needs::HOVER).await?;
        let pressed = pointed_at(run, &self.from, Needs::HOVER).await?;
        may_drag(run, pressed, released).await
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        let _turn = tab.turn(run.deadline).await?;
        let steps = self.steps()?;
        loop {
            match self.attempt(run, tab, steps).await? {
                Some(outcome) => return Ok(outcome),
                None if Instant::now() < run.patience => {}
                None => {
                    let message = format!("{} was moved or covered each time it was to be taken", self.from);
                    return Err(Error::new(Code::ElementCovered, message)
                        .with_hint("wait until the page stands still, then try again"));
                }
            }
        }
    }
}

/// What is dragged.
struct Source {
    point: Point,
    frame: FrameId,
    named: Option<Named>,
    /// The press is judged by the page's script when it arrives.
    is_judged: bool,
}

/// Where it goes.
struct Destination {
    /// None while it is out of sight.
    point: Option<Point>,
    element: Option<Ref>,
    frame: FrameId,
}

impl Drag {
    /// How many moves it takes.
    fn steps(&self) -> Result<u32> {
        let steps = self.steps.unwrap_or(STEPS);
        match steps {
            1..=1000 => Ok(steps),
            _ => Err(Error::invalid(format!("{steps} is no number of moves")).with_hint("take 1 to 1000 steps")),
        }
    }

    /// Tries it once; none if the press would have landed elsewhere, and nothing has happened.
    async fn attempt(&self, run: &Run<'_>, tab: &Tab, steps: u32) -> Result<Option<Outcome>> {
        let (source, destination) = self.places(run).await?;
        if let Err(error) = may_drag_between(run, &source, &destination).await {
            leave(run, tab, source.frame).await;
            return Err(error);
        }
        for frame in [source.frame, destination.frame] {
            page::ask(tab, frame, "watchDrags", &page::NO_ARGUMENTS, run.deadline).await?;
        }
        if destination.frame != source.frame {
            page::ask(tab, destination.frame, "watchEffects", &page::NO_ARGUMENTS, run.deadline).await?;
        }
        let stood = stand(run, tab, &source).await;
        let frames = [source.frame, destination.frame];
        let sealed = [seal(run, tab, frames[0]).await, seal(run, tab, frames[1]).await];
        let before = Before::note(run)?;
        let outcome = Outcome { target: source.named.clone(), ..Outcome::default() };
        let dragging = tab.unless_dialog(drag(run, tab, &source, &destination, steps), run.deadline).await;
        unguard_others(run, source.frame).await;
        let kind = match dragging {
            Ok(Some(kind)) => kind,
            Ok(None) => return Ok(None),
            // A dialog that dragging opened is what came of it.
            Err(error) if error.code == Code::DialogOpen && tab.read(|state| state.dialog.is_some()) => {
                return Ok(Some(outcome));
            }
            Err(error) => return Err(error),
        };
        let mut settled = settle(run, &before, source.frame).await?.outcome;
        if destination.frame != source.frame {
            settled = settle(run, &before, destination.frame).await?.outcome;
        }
        let mut settled = Outcome { target: outcome.target, ..settled };
        if settled.navigation.is_some() {
            return Ok(Some(settled));
        }
        let is_taken = kind == Kind::Page || was_dropped(run, tab, &destination).await;
        let (Some(from), Some(to)) = (stood, stand(run, tab, &source).await) else {
            // What was dragged has been replaced, or has gone.
            let is_same = sealed == [seal(run, tab, frames[0]).await, seal(run, tab, frames[1]).await];
            return if is_taken || !is_same { Ok(Some(settled)) } else { Err(self.not_taken()) };
        };
        let has_moved = from.corner != to.corner || from.place != to.place;
        if !has_moved && !is_taken {
            return Err(self.not_taken());
        }
        // A point may be in a drawing, and what is drawn cannot be compared.
        let can_tell = source.is_judged && !to.opaque && sealed.iter().all(Option::is_some);
        // A drop that the page took has reached it, even if nothing of that can be seen; a page that drags by itself says nothing.
        let can_tell = can_tell && kind == Kind::Page;
        if !has_moved && can_tell && sealed == [seal(run, tab, frames[0]).await, seal(run, tab, frames[1]).await] {
            let message = format!("{} is where it was, and nothing in the page has changed", self.from);
            return Err(Error::new(Code::NoEffect, message).with_hint(
                "look at the page for what can be dragged and where it can be dropped; a point (x,y) says exactly where",
            ));
        }
        settled.notes.push(match [to.corner[0] - from.corner[0], to.corner[1] - from.corner[1]] {
            [0, 0] if is_taken && kind != Kind::Page => {
                "the drop was accepted; what was dragged stands where it was, and the page decides what comes of it".into()
            }
            [0, 0] => "what was dragged is where it was".into(),
            [right, down] => format!("what was dragged is {right} px further right and {down} px further down"),
        });
        if !is_taken {
            settled.notes.push(format!("{} did not take it: it was moved on the way there", self.to));
        }
        if from.place[0] != to.place[0]
            && let Some(around) = to.around
        {
            settled.notes.push(format!("it is in {} now", said(&around.named(source.frame))));
        }
        Ok(Some(settled))
    }

    fn not_taken(&self) -> Error {
        let message = format!("{} does not take what was dragged there", self.to);
        Error::new(Code::NoEffect, message)
            .with_hint("drop it on an element that takes it; look at the page for which one does")
    }

    /// Both ends. They are scrolled into view if both fit; a point is where it is, so nothing may be scrolled for the other end.
    async fn places(&self, run: &Run<'_>) -> Result<(Source, Destination)> {
        let to_point = point_of(run, &self.to).await?;
        let from_point = point_of(run, &self.from).await?;
        let element = match to_point {
            Some(_) => None,
            None => Some(locate_soon(run, &self.to).await?),
        };
        if let Some(element) = element.filter(|_| from_point.is_none()) {
            drop_spot(run, element, Dropping::Wait).await?;
        }
        let source = match from_point {
            Some(point) => {
                let named = element_at(run, point).await?;
                let frame = named.as_ref().map_or(FrameId(0), |named| frame_of(named.reference));
                page::ask(run.tab()?.1, frame, "watchEffects", &page::NO_ARGUMENTS, run.deadline).await?;
                Source { point, frame, named, is_judged: false }
            }
            None => {
                let Aimed { element, named, point, .. } = aim(run, &self.from, Needs { judged: true, ..Needs::HOVER }).await?;
                Source { point, frame: frame_of(element), named: Some(named), is_judged: true }
            }
        };
        let destination = match (element, to_point) {
            (Some(element), _) => {
                let point = match drop_spot(run, element, Dropping::Now).await.ok() {
                    Some(middle) => Some(past_the_middle(run, source.point, middle).await?),
                    None => None,
                };
                Destination { point, element: Some(element), frame: frame_of(element) }
            }
            (None, Some(point)) => {
                let there = element_at(run, point).await?;
                let frame = there.map_or(FrameId(0), |named| frame_of(named.reference));
                Destination { point: Some(point), element: None, frame }
            }
            (None, None) => return Err(Error::new(Code::Internal, "a target is an element or a point")),
        };
        Ok((source, destination))
    }
}

/// Lets a drag pass, by what is at its ends.
async fn may_drag_between(run: &Run<'_>, source: &Source, destination: &Destination) -> Result<()> {
    if !run.gate.cares() {
        return Ok(());
    }
    let pressed = element_at(run, source.point).await?;
    let released = match (destination.point, destination.element) {
        (Some(point), _) => element_at(run, point).await?,
        (None, element) => element.map(|reference| Named { reference, ..Named::default() }),
    };
    may_drag(run, pressed, released).await
}

/// Lets a drag pass that may end as a click. Pressing and letting go in one element is one, and a page may move elements meanwhile, so
/// both ends are judged like clicks, and what holds both as well.
async fn may_drag(run: &Run<'_>, pressed: Option<Named>, released: Option<Named>) -> Result<()> {
    for (named, how) in [(&pressed, "drags"), (&released, "drops something on")] {
        if let Some(named) = named {
            run.may_use_as(named, how, None).await?;
        }
    }
    let (Some(pressed), Some(released)) = (pressed, released) else { return Ok(()) };
    let frame = frame_of(pressed.reference);
    if frame != frame_of(released.reference) {
        return Ok(());
    }
    let (_, tab) = run.tab()?;
    let ends = [pressed.reference.element, released.reference.element];
    let intent = page::ask_as(tab, frame, "intentOfDrag", &ends, run.deadline).await?;
    run.may_use(&pressed, "drags", format!("drags {}", pressed.reference), &intent)
}

/// Where what is dragged stands in its frame.
#[derive(Deserialize)]
struct Stand {
    corner: [i64; 2],
    /// What it is in, and after what.
    place: [u32; 2],
    /// What it is in, as people call it.
    around: Option<Described>,
    /// It is drawn by something that cannot be looked into.
    opaque: bool,
}

async fn stand(run: &Run<'_>, tab: &Tab, source: &Source) -> Option<Stand> {
    let element = source.named.as_ref()?.reference;
    tab.read(|state| state.world(source.frame, false))?;
    let by = run.deadline.min(Instant::now() + MOMENT);
    let asked = page::ask(tab, source.frame, "dragStand", &[element.element], by).await;
    serde_json::from_value(asked.ok()?).ok()?
}

/// A number for what a frame's document is like; none if it cannot be asked.
async fn seal(run: &Run<'_>, tab: &Tab, frame: FrameId) -> Option<u64> {
    tab.read(|state| state.world(frame, false))?;
    let by = run.deadline.min(Instant::now() + MOMENT);
    page::ask(tab, frame, "documentSeal", &page::NO_ARGUMENTS, by).await.ok()?.as_u64()
}

/// A little farther than the middle of what it is dropped on: lists make room there only once the middle has been passed.
async fn past_the_middle(run: &Run<'_>, from: Point, middle: Point) -> Result<Point> {
    let on = |from: f64, middle: f64| match middle - from {
        // Exactly in the middle is neither before nor after it, and a hand is never there.
        way if way.abs() <= PAST => middle - 1.0,
        way => middle + PAST.copysign(way),
    };
    let past = Point { x: on(from.x, middle.x), y: on(from.y, middle.y) };
    let is_same = element_at(run, past).await? == element_at(run, middle).await?;
    Ok(if is_same { past } else { middle })
}

/// Who does the dragging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Scripts that follow the pointer.
    Page,
    /// The browser, which tells the page by drag events.
    Browser,
}

/// Presses, moves, lets go. None if the press did not land where it was meant to.
async fn drag(
    run: &Run<'_>,
    tab: &Tab,
    source: &Source,
    destination: &Destination,
    steps: u32,
) -> Result<Option<Kind>> {
    let mut held = Held::intercepting(run, tab, source).await?;
    held.press().await?;
    if source.is_judged {
        let by = run.deadline.min(Instant::now() + MOMENT);
        let judged = tab.until_some(by, "the press", |state| state.verdict.clone()).await;
        match judged {
            Ok(verdict) if verdict == "landed" => {}
            Err(error) if error.code != Code::Timeout => return Err(error),
            _ => return Ok(None),
        }
    }
    // A little way first: the page may make room, and what is out of sight can only be scrolled to now.
    let to = match (destination.point, destination.element) {
        (Some(to), _) => to,
        (None, Some(element)) => {
            for step in [START / 2.0, START] {
                held.go(Point { x: source.point.x + step, y: source.point.y + step }).await?;
            }
            drop_spot(run, element, Dropping::Bring).await?
        }
        (None, None) => return Err(Error::new(Code::Internal, "there is nowhere to go")),
    };
    let from = held.at;
    for step in 1..=steps {
        let part = f64::from(step) / f64::from(steps);
        held.go(Point { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }).await?;
    }
    // Once more where it ends: some pages look only at the second event in a place, and lists that have just made room for something at
    // none until they have come to rest. Where the browser drags, a page hears of it for as long as something is held over it (HTML,
    // "Drag-and-drop processing model"), so pages count on that.
    page::ask(tab, destination.frame, "comesToRest", &[LONGEST_REST], run.deadline).await?;
    held.go(to).await?;
    let kind = if held.data.is_some() { Kind::Browser } else { Kind::Page };
    held.release().await?;
    Ok(Some(kind))
}

/// Whether a page took what the browser dragged: the event is sent only to who says so.
async fn was_dropped(run: &Run<'_>, tab: &Tab, destination: &Destination) -> bool {
    let asked = page::ask(tab, destination.frame, "dragged", &page::NO_ARGUMENTS, run.deadline).await;
    // A page that is gone has taken it for sure.
    asked.map_or(true, |dragged| dragged["dropped"] != false)
}

/// The mouse while its button is held down. However this ends, nothing stays pressed and drags are the browser's own again.
struct Held<'a> {
    run: &'a Run<'a>,
    tab: &'a Tab,
    source: &'a Source,
    channels: Vec<Channel>,
    at: Point,
    is_down: bool,
    /// What the browser is dragging.
    data: Option<Value>,
}

impl<'a> Held<'a> {
    async fn intercepting(run: &'a Run<'a>, tab: &'a Tab, source: &'a Source) -> Result<Held<'a>> {
        let world = tab.read(|state| state.world(source.frame, false));
        let mut channels = vec![tab.channel.clone()];
        // A frame in a process of its own begins its drags itself.
        if let Some(session) = world.and_then(|world| world.session)
            && Some(&*session) != tab.channel.session_id()
        {
            channels.push(tab.channel_of(Some(&session)));
        }
        tab.note(|state| state.drag = None);
        let held = Held { run, tab, source, channels, at: source.point, is_down: false, data: None };
        for channel in &held.channels {
            channel.call(p::SetInterceptDrags { enabled: true }, run.deadline).await.map_err(lift)?;
        }
        Ok(held)
    }

    async fn press(&mut self) -> Result<()> {
        let moved = p::DispatchMouse { button: None, buttons: None, ..self.event("mouseMoved") };
        drop(self.tab.channel.post(moved));
        self.is_down = true;
        self.run.note_given();
        let pressed = p::DispatchMouse { click_count: Some(1), ..self.event("mousePressed") };
        self.tab.channel.call(pressed, self.run.deadline).await.map(drop).map_err(lift)
    }

    /// Goes to a point, with a frame for the page to notice.
    async fn go(&mut self, to: Point) -> Result<()> {
        self.at = to;
        if let Some(data) = &self.data {
            self.send(self.drag_event("dragOver", data.clone())).await?;
            // The browser answers before the page has drawn what it made of it.
            return page::ask(
                self.tab,
                self.source.frame,
                "drawn",
                &page::NO_ARGUMENTS,
                self.run.deadline,
            )
            .await
            .map(drop);
        }
        let moved = self.event("mouseMoved");
        self.tab.channel.call(moved, self.run.deadline).await.map_err(lift)?;
        let asked = page::ask(self.tab, self.source.frame, "dragged", &page::NO_ARGUMENTS, self.run.deadline).await?;
        if asked["started"] == true {
            let by = self.run.deadline.min(Instant::now() + MOMENT);
            let data = self.tab.until_some(by, "the browser to drag", |state| state.drag.clone()).await?;
            self.send(self.drag_event("dragEnter", data.clone())).await?;
            self.send(self.drag_event("dragOver", data.clone())).await?;
            self.data = Some(data);
        }
        Ok(())
    }

    async fn release(&mut self) -> Result<()> {
        if let Some(data) = self.data.take() {
            // With this the button is up: a page sees no other end of a drag of the browser's.
            self.send(self.drag_event("drop", data)).await?;
            self.is_down = false;
            return Ok(());
        }
        self.is_down = false;
        let released = p::DispatchMouse { buttons: Some(0), click_count: Some(1), ..self.event("mouseReleased") };
        self.tab.channel.call(released, self.run.deadline).await.map(drop).map_err(lift)
    }

    async fn send(&self, event: p::DispatchDrag) -> Result<()> {
        self.tab.channel.call(event, self.run.deadline).await.map(drop).map_err(lift)
    }

    fn event(&self, kind: &str) -> p::DispatchMouse {
        let Point { x, y } = self.at;
        let (button, buttons) = (Some("left".into()), Some(1));
        p::DispatchMouse { r#type: kind.into(), x, y, button, buttons, ..p::DispatchMouse::default() }
    }

    fn drag_event(&self, kind: &str, data: Value) -> p::DispatchDrag {
        p::DispatchDrag { r#type: kind.into(), x: self.at.x, y: self.at.y, data }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let channel = &self.tab.channel;
        if let Some(data) = self.data.take() {
            drop(channel.post(self.drag_event("dragCancel", data)));
        }
        if self.is_down {
            // Pages that follow the pointer put back what they hold when this key is pressed.
            for kind in ["rawKeyDown", "keyUp"] {
                drop(channel.post(p::DispatchKey {
                    r#type: kind.into(),
                    key: Some("Escape".into()),
                    code: Some("Escape".into()),
                    windows_virtual_key_code: Some(27),
                    ..p::DispatchKey::default()
                }));
            }
            let released = p::DispatchMouse { buttons: Some(0), click_count: Some(1), ..self.event("mouseReleased") };
            drop(channel.post(released));
            page::tell(self.tab, self.source.frame, "unguard");
        }
        for channel in &self.channels {
            drop(channel.post(p::SetInterceptDrags { enabled: false }));
        }
    }
}

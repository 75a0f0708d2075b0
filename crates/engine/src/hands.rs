//! Using elements: from a target to a deed at it. Every verb that points at something goes this way: find the element, wait until it can be
//! used, do the deed, see that it landed, and wait for what it set going.
//!
//! A click that would land in another element never reaches the page (see `page/guard.js`); then it is tried again, as long as the caller
//! has patience.

use std::time::Duration;

use cdp::protocol as p;
use contract::{Code, Error, FrameId, Named, Outcome, Ref, Result, Target};
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::{
    actions::Run,
    consent::Intent,
    lift::lift,
    locate::{locate, locate_soon},
    page,
    settle::{Before, settle},
    snapshot::{frame_of, reference},
    tab::Tab,
};

/// What is left of an action's time for saying why an element could not be used.
const TO_ANSWER: Duration = Duration::from_millis(300);

/// How often something is clicked again of which it is not certain that nothing came of it.
const MOST_TRIES: u32 = 2;

/// A point of the page's window, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// What an element has to be like for a deed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Needs {
    /// A click in it has to land in it, not in something that covers it.
    pub(crate) hit: bool,
    pub(crate) enabled: bool,
    /// Text can be typed into it.
    pub(crate) editable: bool,
    /// What our script in the page does with it as soon as it can be used, to save a call.
    pub(crate) begin: Option<&'static str>,
    /// It is to be said what a click would do.
    pub(crate) intent: bool,
}

impl Needs {
    /// To be clicked.
    pub(crate) const CLICK: Needs =
        Needs { hit: true, enabled: true, editable: false, begin: None, intent: false };
    /// To have the pointer over it.
    pub(crate) const HOVER: Needs =
        Needs { hit: true, enabled: false, editable: false, begin: None, intent: false };
    /// To have text put into it.
    pub(crate) const EDIT: Needs =
        Needs { hit: false, enabled: true, editable: true, begin: None, intent: false };
    /// To have the focus, or something else that needs no pointer.
    pub(crate) const FOCUS: Needs =
        Needs { hit: false, enabled: true, editable: false, begin: None, intent: false };
}

/// An element that can be used now.
#[derive(Clone, Debug)]
pub(crate) struct Aimed {
    pub(crate) element: Ref,
    pub(crate) named: Named,
    /// Where to point, in the window of the page itself. Meant for those who need a hit; it may be out of sight otherwise.
    pub(crate) point: Point,
    /// What our script in the page said of what it was to begin.
    pub(crate) begun: serde_json::Value,
    /// What a click there would do, if that was asked for.
    pub(crate) intent: Option<Intent>,
}

/// What the page's script answers.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    x: f64,
    y: f64,
    problem: Option<String>,
    says: Option<String>,
    covering: Option<Described>,
    named: Option<Described>,
    begun: serde_json::Value,
    intent: Option<Intent>,
}

/// An element as the page's script describes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Described {
    number: u32,
    role: String,
    name: String,
    markup: String,
    /// It holds a frame, and a point in it is this one inside.
    frame: bool,
    x: f64,
    y: f64,
}

impl Described {
    pub(crate) fn named(self, frame: FrameId) -> Named {
        Named { reference: reference(frame, self.number), role: self.role, name: self.name }
    }
}

/// Why an element cannot be used now.
pub(crate) enum Hindrance {
    /// It is no longer in the page; what took its place may be found again.
    Gone,
    Error(Error),
}

/// Points at a target and does something there with the pointer: `deed` gets the point, and sends what is to be sent. Says what came of it.
pub(crate) async fn point_at<Deed: Future<Output = Result<()>> + Send>(
    run: &Run<'_>,
    target: &Target,
    needs: Needs,
    deed: impl Fn(Point) -> Deed + Send + Sync,
) -> Result<Outcome> {
    let _turn = run.tab()?.1.turn(run.deadline).await?;
    point_in_turn(run, target, needs, deed).await
}

/// [`point_at`] for those who have the tab's turn already.
pub(crate) async fn point_in_turn<Deed: Future<Output = Result<()>> + Send>(
    run: &Run<'_>,
    target: &Target,
    needs: Needs,
    deed: impl Fn(Point) -> Deed + Send + Sync,
) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    // Only a click can do more than what is seen; and only where a rule cares is it looked at what that would be.
    let looks = needs == Needs::CLICK && run.gate.cares();
    if let Some(point) = point_of(run, target).await? {
        return at_point(run, point, looks, deed).await;
    }
    let mut tries = 0;
    loop {
        tries += 1;
        let aimed = aim(run, target, Needs { intent: looks, ..needs }).await?;
        if let Some(intent) = &aimed.intent
            && let Err(error) = run.may_use(&aimed.named, "clicks", intent)
        {
            let frame = frame_of(aimed.element);
            page::tell(tab, frame, "unguard");
            page::tell(tab, frame, "unwatchEffects");
            unguard_others(run, frame).await;
            return Err(error);
        }
        let before = Before::note(run)?;
        let frame = frame_of(aimed.element);
        let done = tab.unless_dialog(deed(aimed.point), run.deadline).await;
        if let Err(error) = done {
            // A dialog that the click opened is what came of it.
            let landed =
                tab.read(|state| state.dialog.is_some() && state.verdict.as_deref() != Some("missed"));
            let was_told = tab.read(|state| state.verdict.as_deref() == Some("landed"));
            return match error.code {
                Code::DialogOpen if landed => Ok(outcome(aimed.named)),
                // So is a window that closed itself, before the browser could say that the click was over.
                Code::TabNotFound if was_told => {
                    Ok(Outcome { notes: vec!["the tab closed".into()], ..outcome(aimed.named) })
                }
                _ => Err(error),
            };
        }
        let others = unguard_others(run, frame).await;
        let settled = settle(run, &before, frame).await?;
        let verdict = match needs {
            Needs::HOVER => is_hovered(run, aimed.element).await.then(|| "landed".to_owned()),
            _ => settled.verdict.clone().or_else(|| tab.read(|state| state.verdict.clone())),
        };
        if verdict.as_deref() == Some("landed") {
            return Ok(Outcome { target: Some(aimed.named), ..settled.outcome });
        }
        if verdict.as_deref() == Some("lost") {
            let message =
                format!("{} was replaced by the page while it was being clicked", said(&aimed.named));
            return Err(Error::new(Code::StaleRef, message)
                .with_hint("take a snapshot, and click again if nothing has come of it"));
        }
        // Either something else was where the element had been, or it went from under the pointer, or the page was not ready to be clicked.
        // Only of the first it is certain that nothing has happened, so the others are not tried again and again.
        let missed = others || verdict.as_deref() == Some("missed");
        if Instant::now() >= run.patience || (!missed && tries > MOST_TRIES) {
            let named = said(&aimed.named);
            let error = match verdict.as_deref() {
                _ if missed => {
                    let message = format!("{named} was moved or covered each time it was to be clicked");
                    Error::new(Code::ElementCovered, message)
                }
                Some("slipped") => {
                    Error::new(Code::NoEffect, format!("{named} moved away whenever it was pressed"))
                }
                _ => Error::new(Code::NoEffect, format!("the page did not take the click on {named}")),
            };
            return Err(
                error.with_hint("take a snapshot to see what came of it, then try again if nothing did")
            );
        }
    }
}

/// What came of using an element.
pub(crate) struct Used<T> {
    /// The element that was used.
    pub(crate) element: Ref,
    /// What the deed returned; none if a dialog stopped it.
    pub(crate) value: Option<T>,
    pub(crate) outcome: Outcome,
}

/// Does something to an element without the pointer: `deed` gets the element, when it can be used. Whoever calls this has the tab's turn.
pub(crate) async fn use_in_turn<T, Deed: Future<Output = Result<T>> + Send>(
    run: &Run<'_>,
    target: &Target,
    needs: Needs,
    deed: impl FnOnce(Ref) -> Deed + Send,
) -> Result<Used<T>> {
    let (_, tab) = run.tab()?;
    let Aimed { element, named, .. } = aim(run, target, needs).await?;
    let before = Before::note(run)?;
    let frame = frame_of(element);
    let used = async {
        let value = tab.unless_dialog(deed(element), run.deadline).await?;
        Ok::<_, Error>((value, settle(run, &before, frame).await?))
    };
    match used.await {
        Ok((value, settled)) => {
            let outcome = Outcome { target: Some(named), ..settled.outcome };
            Ok(Used { element, value: Some(value), outcome })
        }
        // A dialog that it opened is what came of it.
        Err(error) if error.code == Code::DialogOpen && tab.read(|state| state.dialog.is_some()) => {
            Ok(Used { element, value: None, outcome: outcome(named) })
        }
        Err(error) => {
            page::tell(tab, frame, "unwatchEffects");
            Err(error)
        }
    }
}

/// The element that a target means; of a point, what is there.
pub(crate) async fn element_for(run: &Run<'_>, target: &Target) -> Result<Ref> {
    match point_of(run, target).await? {
        Some(_) => element_now(run, target).await,
        None => locate_soon(run, target).await,
    }
}

/// The same without waiting for one that is not there.
pub(crate) async fn element_now(run: &Run<'_>, target: &Target) -> Result<Ref> {
    let Some(point) = point_of(run, target).await? else { return locate(run, target).await };
    match element_at(run, point).await? {
        Some(named) => Ok(named.reference),
        None => Err(Error::new(Code::ElementNotFound, format!("there is nothing at {target}"))),
    }
}

/// Whether the pointer is over the element. One that left the page when the pointer came is taken to have noticed it.
async fn is_hovered(run: &Run<'_>, element: Ref) -> bool {
    let Ok((_, tab)) = run.tab() else { return false };
    let asked = page::ask(tab, frame_of(element), "isHovered", &[element.element], run.deadline).await;
    asked.map_or(true, |hovered| hovered != false)
}

fn outcome(named: Named) -> Outcome {
    Outcome { target: Some(named), ..Outcome::default() }
}

/// Finds the element that a target means and waits until it can be used. From then on nothing but that element can be clicked, until the
/// page has settled. Whoever calls this has the tab's turn.
pub(crate) async fn aim(run: &Run<'_>, target: &Target, needs: Needs) -> Result<Aimed> {
    let mut named = named_in(run, target)?;
    loop {
        let element = match named.take() {
            Some(element) => element,
            None => locate_soon(run, target).await?,
        };
        match aim_at(run, element, needs).await {
            Ok(aimed) => return Ok(aimed),
            Err(Hindrance::Error(error)) => return Err(error),
            // What was replaced by the page is looked for again; that ends with an error when there is nothing to be found.
            Err(Hindrance::Gone) if Instant::now() < run.patience => {}
            Err(Hindrance::Gone) => {
                return Err(Error::new(Code::StaleRef, format!("{target} is replaced again and again")));
            }
        }
    }
}

/// The element of a ref whose document is there. Whether it is there itself shows when it is used.
pub(crate) fn named_in(run: &Run<'_>, target: &Target) -> Result<Option<Ref>> {
    let (_, tab) = run.tab()?;
    Ok(match target {
        Target::Ref(named) if tab.read(|state| state.world(frame_of(*named), false)).is_some() => {
            Some(*named)
        }
        _ => None,
    })
}

async fn aim_at(run: &Run<'_>, element: Ref, needs: Needs) -> Result<Aimed, Hindrance> {
    let tab = run.tab().map_err(Hindrance::Error)?.1;
    let frame = frame_of(element);
    tab.note(|state| state.verdict = None);
    if needs.hit {
        guard_others(run, frame).await;
    }
    let patience = patience(run);
    let asked = page::ask(tab, frame, "aimAndGuard", &(element.element, patience, needs), run.deadline).await;
    let aimed = taken(tab, element, asked)?;
    // What holds a frame matters only to the pointer.
    let point = match needs.hit {
        true => outwards(run, element, aimed.point, Scrolling::Allowed).await?,
        false => aimed.point,
    };
    Ok(Aimed { point, ..aimed })
}

/// What our script in the page says of an element that was aimed at, with the point as its frame has it.
pub(crate) fn taken(tab: &Tab, element: Ref, asked: Result<serde_json::Value>) -> Result<Aimed, Hindrance> {
    let frame = frame_of(element);
    let answer = read(tab, frame, asked)?;
    let named = match answer.named.clone() {
        Some(named) => named.named(frame),
        None => Named { reference: element, ..Named::default() },
    };
    let (begun, intent) = (answer.begun.clone(), answer.intent.clone());
    let point = spot(element, frame, answer)?;
    Ok(Aimed { element, named, point, begun, intent })
}

/// Where a point of an element's frame is in the window of the page. What holds a frame may be covered, or out of sight, as well.
async fn outwards(
    run: &Run<'_>,
    element: Ref,
    mut point: Point,
    scrolling: Scrolling,
) -> Result<Point, Hindrance> {
    let tab = run.tab().map_err(Hindrance::Error)?.1;
    let mut inner = frame_of(element);
    while inner != FrameId(0) {
        let Some(holder) = holder_of(run, inner).await.map_err(Hindrance::Error)? else {
            return Err(Hindrance::Gone);
        };
        let outer = frame_of(holder);
        let place = (holder.element, point.x, point.y);
        let asked = match scrolling {
            Scrolling::Allowed => {
                let (number, x, y) = place;
                page::ask(tab, outer, "aimThrough", &(number, x, y, patience(run)), run.deadline).await
            }
            Scrolling::Refrained => page::ask(tab, outer, "throughNow", &place, run.deadline).await,
        };
        point = spot(element, outer, read(tab, outer, asked)?)?;
        inner = outer;
    }
    Ok(point)
}

/// Whether an element that is out of sight may be scrolled to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scrolling {
    Allowed,
    Refrained,
}

/// How a place to drop something is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dropping {
    /// Waits until something can be dropped there, and scrolls to it if need be.
    Wait,
    /// As it is now.
    Now,
    /// Scrolls to it. What is being dragged may be above it by then.
    Bring,
}

/// Where something can be dropped in an element. It stays open who may be clicked.
pub(crate) async fn drop_spot(run: &Run<'_>, element: Ref, how: Dropping) -> Result<Point> {
    let (_, tab) = run.tab()?;
    let frame = frame_of(element);
    let (word, scrolling) = match how {
        Dropping::Wait => ("wait", Scrolling::Allowed),
        Dropping::Now => ("now", Scrolling::Refrained),
        Dropping::Bring => ("bring", Scrolling::Allowed),
    };
    let arguments = (element.element, word, patience(run));
    let asked = page::ask(tab, frame, "aimToDrop", &arguments, run.deadline).await;
    let found =
        async { outwards(run, element, spot(element, frame, read(tab, frame, asked)?)?, scrolling).await };
    found.await.map_err(|hindrance| match hindrance {
        Hindrance::Error(error) => error,
        Hindrance::Gone => Error::new(Code::StaleRef, format!("{element} went away")),
    })
}

/// How long the page may take, in milliseconds: not until the deadline, or nobody would hear what is in the way.
pub(crate) fn patience(run: &Run<'_>) -> u64 {
    let now = Instant::now();
    let left = run.deadline.saturating_duration_since(now);
    let time = run.patience.saturating_duration_since(now).min(left - (left / 4).min(TO_ANSWER));
    time.as_millis().try_into().unwrap_or(u64::MAX)
}

/// Reads an answer of the page's script. A document that is gone has taken its elements along.
fn read(tab: &Tab, frame: FrameId, asked: Result<serde_json::Value>) -> Result<Answer, Hindrance> {
    match asked {
        Ok(answer) => serde_json::from_value(answer).map_err(|error| {
            let message = "webhand's own script answered in a way that cannot be read";
            Hindrance::Error(Error::new(Code::Internal, message).with_cause(error))
        }),
        Err(error)
            if error.code == Code::Internal && tab.read(|state| state.world(frame, false)).is_none() =>
        {
            Err(Hindrance::Gone)
        }
        Err(error) => Err(Hindrance::Error(error)),
    }
}

/// Where to point, or why not.
fn spot(element: Ref, frame: FrameId, answer: Answer) -> Result<Point, Hindrance> {
    let Some(problem) = answer.problem else { return Ok(Point { x: answer.x, y: answer.y }) };
    let error = |code, message: String| Err(Hindrance::Error(Error::new(code, message)));
    match &*problem {
        "gone" => Err(Hindrance::Gone),
        "disabled" => error(Code::ElementNotEnabled, format!("{element} is disabled")),
        "readonly" => error(Code::ElementNotEditable, format!("{element} is read-only")),
        "moving" => error(Code::ElementCovered, format!("{element} does not stop moving")),
        "refused" if answer.says.as_deref() == Some("option") => Err(Hindrance::Error(
            Error::new(
                Code::ElementNotVisible,
                format!("{element} is an option of a list that only the browser shows"),
            )
            .with_hint("use `webhand select` with the list itself"),
        )),
        "refused" => error(Code::ElementNotEditable, format!("{element} takes no text")),
        "covered" if answer.says.as_deref() == Some("passes") => Err(Hindrance::Error(
            Error::new(
                Code::ElementCovered,
                format!("{element} lets clicks pass through it (pointer-events: none)"),
            )
            .with_hint("wait until the page lets it be clicked, or choose another target"),
        )),
        "covered" => {
            let by = answer.covering.map_or_else(
                || "something outside of the page".to_owned(),
                |covering| {
                    let markup = covering.markup.clone();
                    format!("{} {markup}", said(&covering.named(frame)))
                },
            );
            error(Code::ElementCovered, format!("{element} is covered by {by}"))
        }
        _ => error(Code::ElementNotVisible, format!("{element} is in the page, but cannot be seen")),
    }
}

/// An element in a sentence.
pub(crate) fn said(named: &Named) -> String {
    match &*named.name {
        "" => format!("{} {}", named.reference, named.role),
        name => format!("{} {} {name:?}", named.reference, named.role),
    }
}

/// The element that holds a frame.
pub(crate) async fn holder_of(run: &Run<'_>, frame: FrameId) -> Result<Option<Ref>> {
    let (_, tab) = run.tab()?;
    let mut eyes = tab.eyes(run.deadline).await?;
    if let Some(holder) = eyes.holder_of(frame) {
        return Ok(Some(holder));
    }
    eyes.look(tab, run.deadline).await?;
    Ok(eyes.holder_of(frame))
}

/// Lets nothing be clicked in all other frames: something may move there between aiming and clicking.
async fn guard_others(run: &Run<'_>, but: FrameId) {
    ask_others(run, but, "guard", &[0]).await;
}

/// Lets everything be clicked again. Returns whether a click was kept from one of them.
pub(crate) async fn unguard_others(run: &Run<'_>, but: FrameId) -> bool {
    ask_others(run, but, "unguard", &page::NO_ARGUMENTS).await.iter().any(|verdict| verdict == "missed")
}

async fn ask_others(
    run: &Run<'_>,
    but: FrameId,
    function: &str,
    arguments: &impl Serialize,
) -> Vec<serde_json::Value> {
    let Ok((_, tab)) = run.tab() else { return Vec::new() };
    let frames = tab.read(|state| state.frames());
    // A frame that does not answer, or is not there yet, cannot be clicked in any sense that matters.
    let until = run.deadline.min(Instant::now() + Duration::from_secs(1));
    let asking = frames
        .iter()
        .filter(|frame| frame.frame != but && tab.read(|state| state.world(frame.frame, false)).is_some())
        .map(|frame| page::ask(tab, frame.frame, function, arguments, until));
    join_all(asking).await.into_iter().flatten().collect()
}

/// The point that a target is, if it is one.
pub(crate) async fn point_of(run: &Run<'_>, target: &Target) -> Result<Option<Point>> {
    let (_, tab) = run.tab()?;
    let (x, y) = match target {
        Target::Point { x, y } | Target::Thousandths { x, y } => (*x, *y),
        _ => return Ok(None),
    };
    let size = page::ask(tab, FrameId(0), "viewport", &page::NO_ARGUMENTS, run.deadline).await?;
    let [_, _, width, height]: [f64; 4] = serde_json::from_value(size).unwrap_or_default();
    let point = match target {
        Target::Thousandths { .. } => Point { x: x * width / 1000.0, y: y * height / 1000.0 },
        _ => Point { x, y },
    };
    // The last thousandth is the edge itself, which belongs to nothing.
    let point = match target {
        Target::Thousandths { .. } => Point { x: point.x.min(width - 1.0), y: point.y.min(height - 1.0) },
        _ => point,
    };
    if point.x >= width || point.y >= height {
        return Err(Error::invalid(format!("{target} is outside of the window, which is {width}x{height}"))
            .with_hint("give a point inside of the window, or scroll first"));
    }
    Ok(Some(point))
}

/// The same at a point, whatever is there.
async fn at_point<Deed: Future<Output = Result<()>> + Send>(
    run: &Run<'_>,
    point: Point,
    looks: bool,
    deed: impl Fn(Point) -> Deed + Send + Sync,
) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let found = element_at(run, point).await?;
    if let Some(named) = found.as_ref().filter(|_| looks) {
        run.may_use_as(named, "clicks", None).await?;
    }
    let frame = found.as_ref().map_or(FrameId(0), |named| frame_of(named.reference));
    page::ask(tab, frame, "watchEffects", &page::NO_ARGUMENTS, run.deadline).await?;
    let before = Before::note(run)?;
    match tab.unless_dialog(deed(point), run.deadline).await {
        Err(error) if error.code == Code::DialogOpen && tab.read(|state| state.dialog.is_some()) => {
            return Ok(Outcome { target: found, ..Outcome::default() });
        }
        done => done?,
    }
    let settled = settle(run, &before, frame).await?;
    Ok(Outcome { target: found, ..settled.outcome })
}

/// What is at a point of the page's window, through its frames.
pub(crate) async fn element_at(run: &Run<'_>, point: Point) -> Result<Option<Named>> {
    let (_, tab) = run.tab()?;
    let (mut frame, mut point) = (FrameId(0), point);
    loop {
        let answer = page::ask(tab, frame, "at", &(point.x, point.y), run.deadline).await?;
        let Ok(Some(found)) = serde_json::from_value::<Option<Described>>(answer) else { return Ok(None) };
        let inner = match found.frame {
            true => crate::frames::inside(tab, frame, found.number, run.deadline).await.ok(),
            false => None,
        };
        let Some(inner) = inner else { return Ok(Some(found.named(frame))) };
        (frame, point) = (inner, Point { x: found.x, y: found.y });
    }
}

/// Sends mouse events. They are sent together and only the last answer is waited for: each answer takes a frame, and they come in order.
pub(crate) async fn send_mouse(tab: &Tab, events: Vec<p::DispatchMouse>, deadline: Instant) -> Result<()> {
    let mut sent: Vec<_> = events.into_iter().map(|event| tab.channel.post(event)).collect();
    match sent.pop() {
        Some(last) => last.by(deadline).await.map(drop).map_err(lift),
        None => Ok(()),
    }
}

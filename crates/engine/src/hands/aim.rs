//! From a target to an element that can be used now, and where to point at it.

use std::time::Duration;

use contract::{Code, Error, FrameId, Named, Ref, Result, Target};
use serde::Serialize;
use tokio::time::Instant;

use super::{
    answer::{read, spot},
    guard::guard_others,
    point::{Point, holder_of},
};
use crate::{
    actions::Run,
    anew::after_waiting,
    change::{UNREPORTED, Watch},
    consent::Intent,
    locate::locate_soon,
    page,
    snapshot::frame_of,
    tab::Tab,
};

/// What is left of an action's time for saying why an element could not be used.
const TO_ANSWER: Duration = Duration::from_millis(300);

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
    /// The click must do exactly that, in all that a permit is for.
    pub(crate) bound: bool,
    /// The button stays down for a while: what becomes of the element meanwhile is what came of it.
    pub(crate) held: bool,
    /// Whoever aims judges what a click on the element does, and with that its frame.
    #[serde(skip)]
    pub(crate) judged: bool,
}

impl Needs {
    /// To be clicked.
    pub(crate) const CLICK: Needs = Needs {
        hit: true,
        enabled: true,
        editable: false,
        begin: None,
        intent: false,
        bound: false,
        held: false,
        judged: false,
    };
    /// To have the pointer over it.
    pub(crate) const HOVER: Needs = Needs {
        hit: true,
        enabled: false,
        editable: false,
        begin: None,
        intent: false,
        bound: false,
        held: false,
        judged: false,
    };
    /// To have text put into it.
    pub(crate) const EDIT: Needs = Needs {
        hit: false,
        enabled: true,
        editable: true,
        begin: None,
        intent: false,
        bound: false,
        held: false,
        judged: false,
    };
    /// To have the focus, or something else that needs no pointer.
    pub(crate) const FOCUS: Needs = Needs {
        hit: false,
        enabled: true,
        editable: false,
        begin: None,
        intent: false,
        bound: false,
        held: false,
        judged: false,
    };
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
    /// Every place of the element where it can be hit lies in a frame inside it.
    pub(crate) framed: bool,
}

/// Why an element cannot be used now.
pub(crate) enum Hindrance {
    /// It is no longer in the page; what took its place may be found again.
    Gone,
    /// It was waited for, and could not be used yet.
    Waited(Error),
    Error(Error),
}

/// Finds the element that a target means and waits until it can be used. From then on nothing but that element can be clicked, until the
/// page has settled. Whoever calls this has the tab's turn.
pub(crate) async fn aim(run: &Run<'_>, target: &Target, needs: Needs) -> Result<Aimed> {
    let mut named = named_in(run, target)?;
    let mut was_gone = false;
    loop {
        let watch = Watch::new(run.tab()?.1);
        let element = match named.take() {
            Some(element) => element,
            None => locate_soon(run, target).await?,
        };
        if !needs.judged {
            run.may_in_frame_of(element).await?;
        }
        match aim_at(run, element, needs).await {
            Ok(aimed) => return Ok(aimed),
            Err(Hindrance::Waited(error)) => return Err(after_waiting(error, run.began, "")),
            Err(Hindrance::Error(error)) => return Err(error),
            // What was replaced by the page is looked for again; that ends with an error when there is nothing to be found.
            Err(Hindrance::Gone) if Instant::now() < run.patience => {
                // Whatever took its place has to be there first, if the second one was not it either.
                if std::mem::replace(&mut was_gone, true) {
                    let until = Instant::now() + Duration::from_millis(patience(run));
                    watch.changed(run.tab()?.1, UNREPORTED, until).await?;
                }
            }
            Err(Hindrance::Gone) => {
                let error = Error::new(Code::StaleRef, format!("{target} is replaced again and again"));
                return Err(after_waiting(error, run.began, ""));
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
    let (begun, intent, framed) = (answer.begun.clone(), answer.intent.clone(), answer.framed);
    let point = spot(element, frame, answer)?;
    Ok(Aimed { element, named, point, begun, intent, framed })
}

/// Whether an element that is out of sight may be scrolled to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scrolling {
    Allowed,
    Refrained,
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

/// Where a point of an element's frame is in the window of the page, as everything is now; none if something covers its frame there.
pub(crate) async fn point_through(run: &Run<'_>, element: Ref, point: Point) -> Option<Point> {
    outwards(run, element, point, Scrolling::Refrained).await.ok()
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
        Hindrance::Waited(error) => after_waiting(error, run.began, ""),
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

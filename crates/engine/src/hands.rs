//! Using elements: from a target to a deed at it. Every verb that points at something goes this way: find the element, wait until it can be
//! used, do the deed, see that it landed, and wait for what it set going.
//!
//! A click that would land in another element never reaches the page (see `page/guard.js`); then it is tried again, as long as the caller
//! has patience.

mod aim;
mod answer;
mod guard;
mod plan;
mod point;

use std::time::Duration;

use cdp::protocol as p;
use contract::{Code, Effect, Error, FrameId, Named, Outcome, Ref, Result, Target};
use tokio::time::Instant;

use crate::{
    actions::Run,
    lift::lift,
    page,
    settle::{Before, settle},
    snapshot::frame_of,
    tab::Tab,
};

pub(crate) use self::{
    aim::{Aimed, Dropping, Hindrance, Needs, aim, drop_spot, named_in, patience, point_through, taken},
    answer::{Described, read_only, said},
    guard::{guard_others, unguard_others},
    plan::{note_element, plan_click, plan_click_on, plan_element, plan_targets, plan_use_of, pointed_at},
    point::{Point, element_at, element_for, element_now, holder_of, point_of},
};

/// How long requests are waited for: one of them may be for the picture of what is pointed at.
const PICTURE: Duration = Duration::from_secs(1);

/// How often something is clicked again of which it is not certain that nothing came of it.
const MOST_TRIES: u32 = 2;

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
    let looks = needs.hit && needs.enabled && run.gate.cares();
    if let Some(point) = point_of(run, target).await? {
        return at_point(run, target, point, looks, deed).await;
    }
    let mut tries = 0;
    // What is used instead of an element that leaves no place beside the frame inside it, and what that element is.
    let mut inner: Option<(Target, Named)> = None;
    loop {
        tries += 1;
        let at = inner.as_ref().map_or(target, |(at, _)| at);
        let aimed = aim(
            run,
            at,
            Needs { intent: looks, judged: looks, bound: looks && run.gate.has_permits(), ..needs },
        )
        .await?;
        if aimed.framed
            && let Some(found) = element_at(run, aimed.point).await?
            && frame_of(found.reference) != frame_of(aimed.element)
        {
            leave(run, tab, frame_of(aimed.element)).await;
            let outer = inner.map_or(aimed.named, |(_, outer)| outer);
            inner = Some((Target::Ref(found.reference), outer));
            continue;
        }
        if let Some(intent) = &aimed.intent
            && let Err(error) = run.may_use(&aimed.named, "clicks", format!("clicks {target}"), intent)
        {
            leave(run, tab, frame_of(aimed.element)).await;
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
                    run.tell_closed();
                    Ok(Outcome { notes: vec!["the tab closed".into()], ..outcome(aimed.named) })
                }
                _ => Err(error),
            };
        }
        let others = unguard_others(run, frame).await;
        let settled = settle(run, &before, frame).await?;
        let verdict = match needs {
            Needs::HOVER => is_hovered(run, aimed.element).await.then(|| "landed".to_owned()),
            _ => verdict_of(tab, settled.verdict.as_deref()),
        };
        let is_renewed = verdict.as_deref() == Some("renewed");
        if is_renewed || verdict.as_deref() == Some("landed") {
            let mut outcome = Outcome { target: Some(aimed.named), ..settled.outcome };
            if let Some((_, outer)) = &inner {
                let note =
                    format!("a frame fills {}; the element at that place in the frame was used", said(outer));
                outcome.notes.push(note);
            }
            if is_renewed {
                outcome.notes.push(
                    "the page put its like in its place when it was pressed, so it was not clicked; if nothing has come of the press, click again".into(),
                );
            }
            return Ok(outcome);
        }
        if verdict.as_deref() == Some("lost") {
            let message =
                format!("{} was replaced by the page while it was being clicked", said(&aimed.named));
            return Err(Error::new(Code::StaleRef, message)
                .with_hint("take a snapshot, and click again if nothing has come of it"));
        }
        // Either something else was where the element had been, or it went from under the pointer, or the page was not ready to be clicked.
        // Only of the first, and where not even the pointer reached the page, it is certain that nothing has happened, so the others are
        // not tried again and again.
        let unheard = verdict.as_deref() == Some("unheard");
        let missed = others || unheard || verdict.as_deref() == Some("missed");
        if Instant::now() >= run.patience || (!missed && tries > MOST_TRIES) {
            let named = said(&aimed.named);
            let error = match verdict.as_deref() {
                Some("unheard") => {
                    Error::new(Code::NoEffect, format!("no input reaches the page; {named} was not clicked"))
                }
                _ if missed => {
                    let message = format!("{named} was moved or covered each time the pointer came to it");
                    Error::new(Code::ElementCovered, message)
                }
                _ if needs == Needs::HOVER => {
                    Error::new(Code::NoEffect, format!("the pointer did not stay over {named}"))
                }
                Some("changed") => Error::new(
                    Code::NoEffect,
                    format!("{named} does something else whenever it is pressed; it was not clicked"),
                ),
                Some("slipped") => Error::new(
                    Code::NoEffect,
                    format!("{named} moved away or disappeared whenever it was pressed"),
                ),
                _ => Error::new(Code::NoEffect, format!("the page did not take the click on {named}")),
            };
            return Err(
                error.with_hint("take a snapshot to see what came of it, then try again if nothing did")
            );
        }
        if unheard || needs == Needs::HOVER {
            // What the browser drops input for is over in a few frames.
            let until = run.patience.min(Instant::now() + PICTURE);
            drop(tab.channel.call(drawn(), until).await);
        }
        if verdict.as_deref() == Some("slipped") {
            // The picture for what is pointed at may be on its way, and without it there is nothing to be clicked.
            let until = run.patience.min(Instant::now() + PICTURE);
            drop(tab.until(until, "what the page asks for", |state| state.requests.is_idle()).await);
        }
    }
}

/// What became of a click: as the page says afterwards, if that is still the document that was clicked. If the click has led to another one,
/// that one knows of no click, and what counts is what the first one told while it was under way.
fn verdict_of(tab: &Tab, said: Option<&str>) -> Option<String> {
    let told = tab.read(|state| state.verdict.clone());
    match said {
        None | Some("waiting" | "unheard") => told.or_else(|| said.map(str::to_owned)),
        Some(said) => Some(said.to_owned()),
    }
}

/// Asks for an answer when the page has drawn a frame, or has had the time for several.
fn drawn() -> p::Evaluate {
    let expression = "new Promise(done => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 100); }).then(() => 0)";
    p::Evaluate { expression: expression.into(), await_promise: Some(true), ..p::Evaluate::default() }
}

/// Lets everything in the page be clicked again after aiming at an element that is not used.
pub(crate) async fn leave(run: &Run<'_>, tab: &Tab, frame: FrameId) {
    page::tell(tab, frame, "unguard");
    page::tell(tab, frame, "unwatchEffects");
    unguard_others(run, frame).await;
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

/// Whether the pointer is over the element. One that left the page when the pointer came is taken to have noticed it.
async fn is_hovered(run: &Run<'_>, element: Ref) -> bool {
    let Ok((_, tab)) = run.tab() else { return false };
    let asked = page::ask(tab, frame_of(element), "isHovered", &[element.element], run.deadline).await;
    asked.map_or(true, |hovered| hovered != false)
}

fn outcome(named: Named) -> Outcome {
    Outcome { target: Some(named), ..Outcome::default() }
}

/// The same at a point, whatever is there.
async fn at_point<Deed: Future<Output = Result<()>> + Send>(
    run: &Run<'_>,
    target: &Target,
    point: Point,
    looks: bool,
    deed: impl Fn(Point) -> Deed + Send + Sync,
) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let mut tries = 0;
    loop {
        tries += 1;
        let found = element_at(run, point).await?;
        let frame = found.as_ref().map_or(FrameId(0), |named| frame_of(named.reference));
        // Somebody has allowed a click on what is there. From here on it must not change, so this comes before it is judged.
        let is_bound = looks && run.gate.has_permits();
        if let Some(named) = found.as_ref().filter(|_| is_bound) {
            tab.note(|state| state.verdict = None);
            page::ask(tab, frame, "guardAllowed", &[named.reference.element], run.deadline).await?;
        }
        let judged = match looks {
            true => may_click_at(run, target, found.as_ref()).await,
            false => Ok(()),
        };
        let leave = || {
            if is_bound {
                page::tell(tab, frame, "unguard");
            }
        };
        judged.inspect_err(|_| leave())?;
        page::ask(tab, frame, "watchEffects", &page::NO_ARGUMENTS, run.deadline).await?;
        let before = Before::note(run)?;
        match tab.unless_dialog(deed(point), run.deadline).await.inspect_err(|_| leave()) {
            Err(error) if error.code == Code::DialogOpen && tab.read(|state| state.dialog.is_some()) => {
                return Ok(Outcome { target: found, ..Outcome::default() });
            }
            done => done?,
        }
        let settled = settle(run, &before, frame).await?;
        if !is_bound
            || !matches!(verdict_of(tab, settled.verdict.as_deref()).as_deref(), Some("changed" | "missed"))
        {
            return Ok(Outcome { target: found, ..settled.outcome });
        }
        if tries > MOST_TRIES {
            let message = format!("what is at {target} changes whenever it is pressed; it was not clicked");
            return Err(Error::new(Code::NoEffect, message)
                .with_hint("take a snapshot to see what came of it, then try again if nothing did"));
        }
    }
}

/// Lets what is at a point be clicked, or says why not.
async fn may_click_at(run: &Run<'_>, target: &Target, found: Option<&Named>) -> Result<()> {
    match found {
        Some(named) => run.may_use_of(named, "clicks", None, format!("clicks {target}")).await,
        None => {
            let what = || format!("clicks where nothing is, at {target}");
            run.may_with(run.deed(Effect::Input, None, None), &format!("{target}"), what)
        }
    }
}

/// Sends mouse events. They are sent together and only the last answer is waited for: each answer takes a frame, and they come in order.
pub(crate) async fn send_mouse(run: &Run<'_>, events: Vec<p::DispatchMouse>) -> Result<()> {
    let (_, tab) = run.tab()?;
    run.note_given();
    if let Some(last) = events.last() {
        tab.note_pointer([last.x, last.y]);
    }
    let mut sent: Vec<_> = events.into_iter().map(|event| tab.channel.post(event)).collect();
    match sent.pop() {
        Some(last) => last.by(run.deadline).await.map(drop).map_err(lift),
        None => Ok(()),
    }
}

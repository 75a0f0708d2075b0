//! From a target to the one element that it means.

use std::{sync::PoisonError, time::Duration};

use contract::{Code, Error, FrameId, Healed, Ref, Result, Target};
use futures_util::future::join_all;
use serde_json::Value;
use tokio::time::Instant;

use crate::{
    actions::Run,
    anew::after_waiting,
    change::{RENDERED, UNREPORTED, Watch, is_loading},
    hands, page,
    snapshot::{frame_of, reference},
    tab::Tab,
    words,
};

/// Finds the element that a target means in the page as it is now. It is never a guess: none and several are errors.
pub(crate) async fn locate(run: &Run<'_>, target: &Target) -> Result<Ref> {
    match target {
        Target::Ref(reference) => by_ref(run, *reference).await,
        Target::Css(selector) => by_selector(run, "css", selector).await,
        Target::Xpath(expression) => by_selector(run, "xpath", expression).await,
        Target::Words(description) => Ok(words::find(run, description).await?.target.reference),
        Target::Point { .. } | Target::Thousandths { .. } | Target::Pictured { .. } => {
            Err(Error::new(Code::Unsupported, format!("{target} cannot be used here yet"))
                .with_hint("name the element by its ref, in plain words, or with css=… or xpath=…"))
        }
    }
}

/// Finds the element that a target means. One that is not there yet is waited for as long as the caller has patience; of several, one may
/// go while the page loads.
pub(crate) async fn locate_soon(run: &Run<'_>, target: &Target) -> Result<Ref> {
    let (_, tab) = run.tab()?;
    let began = Instant::now();
    let until = began + Duration::from_millis(hands::patience(run));
    // A description is looked up in a snapshot, which has the page report every change from then on.
    let mut is_watched = matches!(target, Target::Words(_));
    let mut last = None;
    loop {
        let watch = Watch::new(tab);
        let error = match (locate(run, target).await, last) {
            (Err(error), _) if may_pass(tab, &watch, &error) => error,
            // The look before is what is known of the element.
            (Err(error), Some(last)) if error.code == Code::Timeout => {
                return Err(after_waiting(last, began, "; the page did not answer the last look"));
            }
            (located, _) => return located,
        };
        if Instant::now() >= until {
            return Err(after_waiting(error, began, ""));
        }
        if is_watched {
            // How long it is loading has no event of its own.
            let unreported = if error.code == Code::ElementAmbiguous { RENDERED } else { UNREPORTED };
            watch.changed(tab, unreported, until).await?;
        }
        if !matches!(target, Target::Words(_)) {
            // Before the next try, so that no change comes between. What is wrong with the page shows when the element is looked for.
            let _ = tab.eyes(run.deadline).await?.look(tab, run.deadline).await;
            is_watched = true;
        }
        last = Some(error);
    }
}

/// Whether an element that cannot be named now may be named when the page has changed.
pub(crate) fn may_pass(tab: &Tab, watch: &Watch, error: &Error) -> bool {
    match error.code {
        Code::ElementNotFound => true,
        Code::ElementAmbiguous => is_loading(tab),
        // The document went away in the middle of the question.
        Code::Internal => watch.has_other_documents(tab),
        _ => false,
    }
}

/// The element itself if it is still there; otherwise the one that took its place, if there is no doubt which one did.
async fn by_ref(run: &Run<'_>, named: Ref) -> Result<Ref> {
    let (_, tab) = run.tab()?;
    let frame = frame_of(named);
    if tab.read(|state| state.world(frame, false)).is_some()
        && page::ask(tab, frame, "has", &(named.element,), run.deadline).await? == true
    {
        return Ok(named);
    }
    let mut eyes = tab.eyes(run.deadline).await?;
    eyes.look(tab, run.deadline).await?;
    let Some(now) = eyes.heal(named) else {
        return Err(Error::new(
            Code::StaleRef,
            format!("{named} is not in the page: it is gone, or was never there"),
        ));
    };
    *run.healed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Healed { gone: named, now });
    Ok(now)
}

/// Looks in the page and in all its frames.
async fn by_selector(run: &Run<'_>, kind: &str, selector: &str) -> Result<Ref> {
    let (_, tab) = run.tab()?;
    let mut found = Vec::new();
    let (only, inner) = frame_and_selector(selector);
    // A frame that is between two documents holds nothing.
    let has_document =
        |frame: &FrameId| *frame == FrameId(0) || tab.read(|state| state.world(*frame, false)).is_some();
    let frames: Vec<FrameId> =
        tab.read(|state| state.frames()).into_iter().map(|frame| frame.frame).collect();
    if let Some(only) = only.filter(|only| !frames.contains(only)) {
        let error = Error::new(Code::ElementNotFound, format!("there is no frame {only}"));
        let others: Vec<_> = frames.iter().map(FrameId::to_string).collect();
        return Err(error.with_hint(format!("the frames are {} (f0 is the page itself)", others.join(", "))));
    }
    let is_meant = |frame: &FrameId| only.is_none_or(|only| *frame == only) && has_document(frame);
    let frames: Vec<FrameId> = frames.into_iter().filter(is_meant).collect();
    let arguments = (kind, inner);
    let asking = frames.iter().map(|frame| {
        page::ask(tab, *frame, "locate", &arguments, page::frame_deadline(tab, *frame, run.deadline))
    });
    for (frame, answer) in frames.iter().zip(join_all(asking).await) {
        let frame = *frame;
        match answer {
            Ok(Value::String(error)) => {
                return Err(Error::invalid(format!("{selector:?} is no {kind} selector")).with_cause(error));
            }
            Ok(numbers) => found.extend(
                numbers
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_u64)
                    .map(|number| reference(frame, number as u32)),
            ),
            // A frame that does not answer, or went away, holds nothing.
            Err(error) if frame == FrameId(0) => return Err(error),
            Err(_) => {}
        }
    }
    match *found {
        [] => Err(Error::new(Code::ElementNotFound, format!("no element matches {kind}={selector}"))),
        [only] => Ok(only),
        _ => {
            let candidates = found.iter().take(10).map(Ref::to_string).collect::<Vec<_>>().join(", ");
            Err(Error::new(
                Code::ElementAmbiguous,
                format!("{} elements match {kind}={selector}", found.len()),
            )
            .with_cause(candidates))
        }
    }
}

/// The frame that a selector is limited to (`f1 >> input`), if it is, and the selector itself.
fn frame_and_selector(selector: &str) -> (Option<FrameId>, &str) {
    let limited = selector.split_once(" >> ").and_then(|(frame, inner)| Some((frame.parse().ok()?, inner)));
    limited.map_or((None, selector), |(frame, inner)| (Some(frame), inner))
}

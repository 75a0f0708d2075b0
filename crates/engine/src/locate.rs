//! From a target to the one element that it means.

use std::{sync::PoisonError, time::Duration};

use contract::{Code, Error, FrameId, Healed, Ref, Result, Target};
use futures_util::future::join_all;
use serde_json::Value;
use tokio::time::Instant;

use crate::{
    actions::Run,
    page,
    snapshot::{frame_of, reference},
    words,
};

/// How long something that is not in the page is waited for, as long as the page changes, and how long a change is waited for each time.
const SOON: Duration = Duration::from_secs(1);
const QUIET: Duration = Duration::from_millis(200);

/// Finds the element that a target means. It is never a guess: none and several are errors.
pub(crate) async fn locate(run: &Run<'_>, target: &Target) -> Result<Ref> {
    match target {
        Target::Ref(reference) => by_ref(run, *reference).await,
        Target::Css(selector) => by_selector(run, "css", selector).await,
        Target::Xpath(expression) => by_selector(run, "xpath", expression).await,
        Target::Words(description) => Ok(words::find(run, description).await?.target.reference),
        Target::Point { .. } | Target::Thousandths { .. } => {
            Err(Error::new(Code::Unsupported, format!("{target} cannot be used here yet"))
                .with_hint("name the element by its ref, in plain words, or with css=… or xpath=…"))
        }
    }
}

/// Finds the element that a target means. A page that is just being put together may show it in a moment.
pub(crate) async fn locate_soon(run: &Run<'_>, target: &Target) -> Result<Ref> {
    let (_, tab) = run.tab()?;
    let until = run.patience.min(Instant::now() + SOON);
    loop {
        match locate(run, target).await {
            Err(error) if error.code == Code::ElementNotFound && Instant::now() < until => {
                let quiet = [QUIET.as_millis() as u64];
                let asked = page::ask(tab, FrameId(0), "changesWithin", &quiet, run.deadline).await;
                if asked? != true {
                    // It may have come after the look and before the question.
                    return locate(run, target).await;
                }
            }
            located => return located,
        }
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
    let frames: Vec<FrameId> =
        tab.read(|state| state.frames()).into_iter().map(|frame| frame.frame).collect();
    let arguments = (kind, selector);
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
        [] => Err(Error::new(Code::ElementNotFound, format!("nothing in the page is {kind}={selector}"))),
        [only] => Ok(only),
        _ => {
            let candidates = found.iter().take(10).map(Ref::to_string).collect::<Vec<_>>().join(", ");
            Err(Error::new(Code::ElementAmbiguous, format!("{} elements are {kind}={selector}", found.len()))
                .with_cause(candidates))
        }
    }
}

//! From a target to the one element that it means.

use contract::{Code, Error, FrameId, Ref, Result, Target};
use serde_json::Value;

use crate::{actions::Run, page};

/// Finds the element that a target means. It is never a guess: none and several are errors.
pub(crate) async fn locate(run: &Run<'_>, target: &Target) -> Result<Ref> {
    match target {
        Target::Ref(reference) => Ok(*reference),
        Target::Css(selector) => by_selector(run, "css", selector).await,
        Target::Xpath(expression) => by_selector(run, "xpath", expression).await,
        Target::Point { .. } | Target::Words(_) => {
            Err(Error::new(Code::Unsupported, format!("{target} cannot be used here yet"))
                .with_hint("name the element by its ref, or with css=… or xpath=…"))
        }
    }
}

/// Looks in the page and in all its frames.
async fn by_selector(run: &Run<'_>, kind: &str, selector: &str) -> Result<Ref> {
    let (_, tab) = run.tab()?;
    let mut found = Vec::new();
    for frame in tab.read(|state| state.frames()) {
        let frame = frame.frame;
        match page::ask(tab, frame, "locate", &(kind, selector), run.deadline).await {
            Ok(Value::String(error)) => {
                return Err(Error::invalid(format!("{selector:?} is no {kind} selector")).with_cause(error));
            }
            Ok(numbers) => found.extend(
                numbers
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_u64)
                    .map(|number| reference(frame, number)),
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

fn reference(frame: FrameId, number: u64) -> Ref {
    Ref { frame: Some(frame).filter(|frame| frame.0 > 0), element: number as u32 }
}

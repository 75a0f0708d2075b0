//! Dry runs: what using elements would do, told without using them. The same questions to the page and the same judging as for the real
//! thing, without scrolling, focus, guards and input.

use contract::{Code, Effect, Error, Named, Ref, Result, Target};

use super::{
    aim::{Hindrance, Needs, point_through},
    answer::{read, said, spot},
    may_click_at,
    point::{Point, element_at, point_of},
};
use crate::{actions::Run, consent::Intent, locate::locate_soon, page, snapshot::frame_of};

/// What is known of an element that would be used.
struct Foreseen {
    named: Named,
    /// Where it would be pointed at, in its frame; none if it cannot be hit as it is now.
    point: Option<Point>,
    framed: bool,
    intent: Intent,
}

/// What a verb does to the elements that it names, if it says no more than its effect: it clicks them, or only looks at them.
pub(crate) async fn plan_targets(run: &Run<'_>, targets: &[&Target], effect: Effect) -> Result<()> {
    for target in targets {
        match effect {
            Effect::Input | Effect::Submit | Effect::Upload | Effect::Download => {
                plan_click(run, target).await?;
            }
            Effect::Read | Effect::Navigate | Effect::Execute | Effect::Credential => {
                plan_element(run, target, Needs::default()).await?;
            }
        }
    }
    Ok(())
}

/// Tells which element is meant, and what keeps it from being used now. Returns it; none for a point where nothing is.
pub(crate) async fn plan_element(run: &Run<'_>, target: &Target, needs: Needs) -> Result<Option<Named>> {
    if let Some(point) = point_of(run, target).await? {
        let named = element_at(run, point).await?;
        named.iter().for_each(|named| note_element(run, named));
        return Ok(named);
    }
    let element = locate_soon(run, target).await?;
    run.may_in_frame_of(element).await?;
    Ok(Some(foresee(run, element, needs).await?.named))
}

/// Tells what a click on what a target means would do.
pub(crate) async fn plan_click(run: &Run<'_>, target: &Target) -> Result<()> {
    if let Some(point) = point_of(run, target).await? {
        let found = element_at(run, point).await?;
        found.iter().for_each(|named| note_element(run, named));
        return may_click_at(run, target, found.as_ref()).await;
    }
    let element = locate_soon(run, target).await?;
    plan_click_on(run, element).await
}

/// The same for an element that is known.
pub(crate) async fn plan_click_on(run: &Run<'_>, element: Ref) -> Result<()> {
    let Foreseen { named, point, framed, intent } = foresee(run, element, Needs::CLICK).await?;
    if let (true, Some(point)) = (framed, point)
        && let Some(point) = point_through(run, element, point).await
        && let Some(found) = element_at(run, point).await?
        && frame_of(found.reference) != frame_of(element)
    {
        run.gate.note(format!(
            "a frame fills {}; the element at that place in the frame would be used",
            said(&named)
        ));
        note_element(run, &found);
        return run.may_use_of(&found, "clicks", None, format!("clicks {}", found.reference)).await;
    }
    run.may_use(&named, "clicks", format!("clicks {element}"), &intent)
}

/// What is at the place where an element would be pointed at: the element itself, if that is not known.
pub(crate) async fn pointed_at(run: &Run<'_>, target: &Target, needs: Needs) -> Result<Option<Named>> {
    if point_of(run, target).await?.is_some() {
        return plan_element(run, target, needs).await;
    }
    let element = locate_soon(run, target).await?;
    let Foreseen { named, point, .. } = foresee(run, element, needs).await?;
    if let Some(point) = point
        && let Some(point) = point_through(run, element, point).await
        && let Some(found) = element_at(run, point).await?
    {
        return Ok(Some(found));
    }
    Ok(Some(named))
}

/// Tells that an element would be used, and what keeps it from that now. Fails if it never can be.
pub(crate) async fn plan_use_of(run: &Run<'_>, element: Ref, needs: Needs) -> Result<Named> {
    run.may_in_frame_of(element).await?;
    Ok(foresee(run, element, needs).await?.named)
}

async fn foresee(run: &Run<'_>, element: Ref, needs: Needs) -> Result<Foreseen> {
    let (_, tab) = run.tab()?;
    let frame = frame_of(element);
    let gone = || Error::new(Code::StaleRef, format!("{element} is gone"));
    let refused = |hindrance| match hindrance {
        Hindrance::Gone => gone(),
        Hindrance::Waited(error) | Hindrance::Error(error) => error,
    };
    let asked = page::ask(tab, frame, "foresee", &(element.element, needs), run.deadline).await;
    let answer = read(tab, frame, asked).map_err(refused)?;
    let Some(named) = answer.named.clone() else { return Err(gone()) };
    let named = named.named(frame);
    note_element(run, &named);
    let (intent, framed, outside) =
        (answer.intent.clone().unwrap_or_default(), answer.framed, answer.outside);
    let is_for_ever = answer.is_refused();
    let point = match spot(element, frame, answer) {
        Ok(point) => needs.hit.then_some(point),
        Err(hindrance) => {
            let error = refused(hindrance);
            if is_for_ever {
                return Err(error);
            }
            if outside {
                run.gate.note(format!(
                    "{element} would be scrolled into view first; what covers it there is not known"
                ));
            } else {
                run.gate.note(format!("{}: {}, and would be waited for", error.code, error.message));
            }
            None
        }
    };
    Ok(Foreseen { named, point, framed, intent })
}

/// Adds an element to the plan.
pub(crate) fn note_element(run: &Run<'_>, named: &Named) {
    if let Some(draft) = run.gate.draft() {
        draft.add_element(named.clone());
    }
}

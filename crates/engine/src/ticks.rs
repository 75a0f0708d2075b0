//! Ticking: boxes, radio buttons, switches and buttons that stay down. By a click that the page cannot tell from a person's, and only if
//! there is something to change.

use contract::{Code, Error, FrameId, Outcome, Ref, Result, Target};
use serde::Deserialize;

use crate::{
    actions::{Click, Run},
    anew::unless_gone,
    hands::{Described, element_for, element_now, note_element, plan_click_on},
    page,
    snapshot::{frame_of, reference},
};

/// How something is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tick {
    On,
    Off,
    /// Partly; nobody can ask for that.
    Mixed,
}

impl Tick {
    fn said(self) -> &'static str {
        if self == Tick::On { "checked" } else { "unchecked" }
    }
}

/// What the page's script says of something that can be ticked.
#[derive(Deserialize)]
struct Ticked {
    number: u32,
    radio: bool,
    state: Tick,
    named: Described,
}

async fn ask(run: &Run<'_>, element: Ref) -> Result<Option<Ticked>> {
    let (_, tab) = run.tab()?;
    let answer = page::ask(tab, frame_of(element), "tickOf", &[element.element], run.deadline).await?;
    Ok(serde_json::from_value(answer).unwrap_or_default())
}

/// Tells what making it so would do, for a dry run.
pub(crate) async fn plan(run: &Run<'_>, target: &Target, wanted: Tick) -> Result<()> {
    let (frame, found) = tickable(run, target, wanted).await?;
    let control = reference(frame, found.number);
    if found.state == wanted {
        note_element(run, &found.named.named(frame));
        run.gate.note(format!("{control} is {} already, so it would not be clicked", wanted.said()));
        return Ok(());
    }
    plan_click_on(run, control).await
}

/// What a target means that can be ticked, and its frame. Fails if it cannot be made so.
async fn tickable(run: &Run<'_>, target: &Target, wanted: Tick) -> Result<(FrameId, Ticked)> {
    let element = element_for(run, target).await?;
    let Some(found) = ask(run, element).await? else {
        unless_gone(run, element).await?;
        return Err(Error::invalid(format!("{element} is nothing that can be checked")).with_hint(
            "name a checkbox, a radio button, a switch or its label; use `webhand click` for the rest",
        ));
    };
    let frame = frame_of(element);
    if found.radio && wanted == Tick::Off && found.state != wanted {
        let control = reference(frame, found.number);
        return Err(Error::invalid(format!("{control} is a radio button, which cannot be unchecked"))
            .with_hint("check another one of its group"));
    }
    Ok((frame, found))
}

/// Makes it so. Whoever calls this has the tab's turn.
pub(crate) async fn tick(run: &Run<'_>, target: &Target, wanted: Tick) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let (frame, found) = tickable(run, target, wanted).await?;
    let control = reference(frame, found.number);
    if found.state == wanted {
        let notes = vec![format!("it was {} already", wanted.said())];
        return Ok(Outcome { target: Some(found.named.named(frame)), notes, ..Outcome::default() });
    }
    let mut outcome = Outcome::default();
    // What is partly ticked may need two clicks: it first becomes the one, then the other.
    let clicks = if found.state == Tick::Mixed { 2 } else { 1 };
    for _ in 0..clicks {
        outcome = Click::new(Target::Ref(control)).in_turn(run).await?;
        if outcome.navigation.is_some() || tab.read(|state| state.stands_still() || state.end.is_some()) {
            return Ok(outcome);
        }
        // A page may have put another element in its place.
        let now = match ask_again(run, control, target).await {
            Some(now) => now.state,
            None => {
                outcome
                    .notes
                    .push("it went away when it was clicked, so nobody can say whether it took".into());
                return Ok(outcome);
            }
        };
        if now == wanted {
            return Ok(outcome);
        }
    }
    Err(Error::new(Code::NoEffect, format!("{control} was clicked, but is not {}", wanted.said()))
        .with_outcome(outcome))
}

async fn ask_again(run: &Run<'_>, control: Ref, target: &Target) -> Option<Ticked> {
    let tab = run.tab().ok()?.1;
    tab.read(|state| state.world(frame_of(control), false))?;
    if let Ok(Some(now)) = ask(run, control).await {
        return Some(now);
    }
    let again = element_now(run, target).await.ok()?;
    ask(run, again).await.ok()?
}

/// What a text says of a tick. Not what it was: it may be anything.
pub(crate) fn read(text: &str) -> Result<Tick> {
    match &*text.trim().to_lowercase() {
        "true" | "on" | "yes" | "checked" | "1" | "是" => Ok(Tick::On),
        "false" | "off" | "no" | "unchecked" | "0" | "否" => Ok(Tick::Off),
        _ => Err(Error::invalid("what can be checked is filled with true or false")
            .with_hint("give true or false, or use `webhand check` and `webhand uncheck`")),
    }
}

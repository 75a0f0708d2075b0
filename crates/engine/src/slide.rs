//! Sliders that pages make of other elements: they are moved by keys, as people without a mouse move them, until they stand where they
//! should; those that no key moves are pulled by the mouse.

use contract::{Code, Error, Outcome, Ref, Result, Target, Typed};
use serde::Deserialize;

use crate::{
    actions::Run,
    hands::{Needs, Used, use_in_turn},
    keyboard,
    keys::Chord,
    page,
    pull::{Handle, pull_handle},
    snapshot::frame_of,
};

/// The keys that move a slider up and down. Some know only the second pair.
const KEYS: [[&str; 2]; 2] = [["ArrowUp", "ArrowDown"], ["ArrowRight", "ArrowLeft"]];

/// How many keys are pressed at most, and how many before it is looked where the slider stands.
const MOST_KEYS: u32 = 1000;
const AT_ONCE: f64 = 32.0;

/// How often the way may turn: between two steps a slider would go back and forth for ever.
const MOST_TURNS: u32 = 2;

/// How long a slider may take to answer a key, in milliseconds.
const ANSWER: u64 = 100;

/// Numbers in pages are sums of tenths.
const SAME: f64 = 1e-9;

/// Where a slider stands, as the page's script says.
#[derive(Clone, Copy, Deserialize)]
struct Stand {
    now: f64,
    vertical: bool,
}

/// Moves a slider to a value. Whoever calls this has the tab's turn.
pub(crate) async fn slide(run: &Run<'_>, target: &Target, text: &Typed) -> Result<Outcome> {
    let Ok(wanted) = text.expose().trim().parse::<f64>() else {
        return Err(Error::invalid(format!("{target} takes a number")));
    };
    let Used { element, value, outcome, .. } = use_in_turn(run, target, Needs::FOCUS, |element| async move {
        let Some(before) = stand(run, element).await? else {
            return Err(Error::new(Code::StaleRef, format!("{element} is gone")));
        };
        if is_at(before.now, wanted) {
            return Ok(None);
        }
        let step = walk(run, element, before.now, wanted).await?;
        if step != 0.0 {
            return Ok(Some((before.now, step)));
        }
        // Some are made for the mouse alone.
        let handle = Handle { now: before.now, is_vertical: before.vertical };
        let step = pull_handle(run, element, handle, wanted, |from| stand_after(run, element, from)).await?;
        Ok(Some((before.now, step)))
    })
    .await?;
    let mut outcome = Outcome { typed: Some(text.chars() as u64), ..outcome };
    let (before, step) = match value {
        Some(Some(moved)) => moved,
        Some(None) => {
            outcome.notes.push("it held that value already".into());
            return Ok(outcome);
        }
        None => return Ok(outcome),
    };
    let (_, tab) = run.tab()?;
    let is_there = tab.read(|state| !state.stands_still() && state.world(frame_of(element), false).is_some());
    if !is_there || outcome.navigation.is_some() {
        return Ok(outcome);
    }
    let message = match stand(run, element).await?.map(|stand| stand.now) {
        Some(now) if is_at(now, wanted) => return Ok(outcome),
        Some(now) if (now - wanted).abs() <= step.abs() / 2.0 + SAME => {
            outcome.notes.push(format!("it stands at {now}, as near as its steps let it come"));
            return Ok(outcome);
        }
        Some(now) if now == before => format!("neither keys nor the mouse move {element}"),
        Some(now) => format!("{element} stands at {now}"),
        None => format!("the page replaced {element}, so where it stands is not known"),
    };
    Err(Error::new(Code::NoEffect, message)
        .with_hint("press ArrowRight, ArrowLeft, Home or End in it, drag it, or click where it should stand")
        .with_outcome(Outcome { typed: None, ..outcome }))
}

fn is_at(now: f64, wanted: f64) -> bool {
    (now - wanted).abs() <= SAME
}

/// Presses keys until it stands where it should, or as near as it can. Returns how far a key moves it, 0 if none does.
async fn walk(run: &Run<'_>, element: Ref, from: f64, wanted: f64) -> Result<f64> {
    let channel = keyboard::channel(run, frame_of(element))?;
    let (mut now, mut step) = (from, 0.0);
    let (mut last, mut turns, mut pressed) = (0.0, 0, 0);
    let mut pairs = KEYS.into_iter();
    let Some(mut pair) = pairs.next() else { return Ok(step) };
    while pressed < MOST_KEYS {
        let way = wanted - now;
        let presses = if step == 0.0 { way.signum() } else { (way / step).round().clamp(-AT_ONCE, AT_ONCE) };
        turns += u32::from(presses * last < 0.0);
        if presses == 0.0 || turns > MOST_TURNS {
            break;
        }
        // The page may have taken the focus away: these keys are for nobody else.
        keyboard::give_focus(run, element).await?;
        run.gate.begin();
        let times = presses.abs() as u32;
        let key = Chord::named(pair[usize::from(presses < 0.0)]);
        let chords: Vec<_> = key.into_iter().cycle().take(times as usize).collect();
        keyboard::press(&channel, &chords, run.deadline).await?;
        pressed += times;
        let Some(after) = stand_after(run, element, now).await? else { break };
        if after != now {
            step = (after - now) / presses;
        } else if step == 0.0 {
            let Some(next) = pairs.next() else { break };
            pair = next;
        } else {
            break;
        }
        (now, last) = (after, presses);
    }
    Ok(step)
}

/// Where it stands after keys; some answer a frame later.
async fn stand_after(run: &Run<'_>, element: Ref, before: f64) -> Result<Option<f64>> {
    let now = stand(run, element).await?.map(|stand| stand.now);
    if now != Some(before) {
        return Ok(now);
    }
    page::ask(run.tab()?.1, frame_of(element), "changesWithin", &[ANSWER], run.deadline).await?;
    Ok(stand(run, element).await?.map(|stand| stand.now))
}

async fn stand(run: &Run<'_>, element: Ref) -> Result<Option<Stand>> {
    let (_, tab) = run.tab()?;
    page::ask_as(tab, frame_of(element), "sliderStand", &[element.element], run.deadline).await
}

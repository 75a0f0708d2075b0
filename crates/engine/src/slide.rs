//! Sliders that pages make of other elements: they are moved by keys, as people without a mouse move them, until they stand where they
//! should.

use contract::{Code, Error, Outcome, Ref, Result, Target, Typed};
use serde::Deserialize;

use crate::{
    actions::Run,
    hands::{Needs, Used, use_in_turn},
    keyboard,
    keys::Chord,
    page,
    snapshot::frame_of,
};

/// The keys that move a slider up and down. Some know only the second pair.
const KEYS: [[&str; 2]; 2] = [["ArrowUp", "ArrowDown"], ["ArrowRight", "ArrowLeft"]];

/// How many keys are pressed at most. Whoever wants to go further takes larger steps.
const MOST_KEYS: f64 = 1000.0;

/// How often it is looked where the slider stands; one that answers late, or whose steps differ, takes more than two looks.
const MOST_LOOKS: usize = 8;

/// Where a slider stands, as the page's script says.
#[derive(Clone, Copy, Deserialize)]
struct Stand {
    now: f64,
}

/// Moves a slider to a value. Whoever calls this has the tab's turn.
pub(crate) async fn slide(run: &Run<'_>, target: &Target, text: &Typed) -> Result<Outcome> {
    let Ok(wanted) = text.expose().trim().parse::<f64>() else {
        return Err(Error::invalid(format!("{target} takes a number")));
    };
    let Used { element, value, outcome, .. } = use_in_turn(run, target, Needs::FOCUS, |element| async move {
        let before = stand(run, element).await?;
        Ok((before, if before == wanted { before } else { walk(run, element, before, wanted).await? }))
    })
    .await?;
    let mut outcome = Outcome { typed: Some(text.chars() as u64), ..outcome };
    match value {
        Some((before, now)) if before == now && now == wanted => {
            outcome.notes.push("it held that value already".into());
        }
        Some((before, now)) if before == now => {
            return Err(Error::new(Code::NoEffect, format!("keys do not move {element}"))
                .with_hint("drag it, or click where it should stand")
                .with_outcome(Outcome { typed: None, ..outcome }));
        }
        Some((_, now)) if (now - wanted).abs() > 1e-9 => {
            outcome.notes.push(format!("it stands at {now}, as near as its steps let it come"));
        }
        _ => {}
    }
    Ok(outcome)
}

/// Presses keys until it stands where it should, or as near as it can. Returns where it stands then.
async fn walk(run: &Run<'_>, element: Ref, from: f64, wanted: f64) -> Result<f64> {
    keyboard::give_focus(run, element).await?;
    run.gate.begin();
    let channel = keyboard::channel(run, frame_of(element))?;
    let mut now = from;
    let mut keys = KEYS.into_iter();
    let Some(mut pair) = keys.next() else { return Ok(now) };
    // How far a press of the first key of the pair goes.
    let mut step = 0.0;
    for _ in 0..MOST_LOOKS {
        let way = wanted - now;
        let presses = if step == 0.0 { way.signum() } else { (way / step).round() };
        if presses == 0.0 {
            break;
        }
        let key = pair[usize::from(presses < 0.0)];
        let times = presses.abs().min(MOST_KEYS) as usize;
        let chords: Vec<_> = Chord::named(key).into_iter().cycle().take(times).collect();
        keyboard::press(&channel, &chords, run.deadline).await?;
        let after = stand(run, element).await?;
        if after != now {
            step = (after - now) / presses;
        } else if step == 0.0 {
            let Some(next) = keys.next() else { break };
            pair = next;
        } else {
            break;
        }
        now = after;
    }
    Ok(now)
}

async fn stand(run: &Run<'_>, element: Ref) -> Result<f64> {
    let (_, tab) = run.tab()?;
    let stand: Option<Stand> =
        page::ask_as(tab, frame_of(element), "sliderStand", &[element.element], run.deadline).await?;
    stand.map(|stand| stand.now).ok_or_else(|| Error::new(Code::StaleRef, format!("{element} is gone")))
}

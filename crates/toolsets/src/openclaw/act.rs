//! Acts: what is done in a page, by its kind.

use std::time::Duration;

use contract::{Error, Outcome, Result, Span, TabId, Target, Typed};
use engine::{
    Action, Until,
    actions::{
        Answer, Click, Dialog, Direction, Drag, Emulate, Eval, Fill, FillForm, FormField, Hover, Press,
        Resize, Scroll, Select, Tabs, TabsOp, Type, Wait, World,
    },
};

use super::{
    answer,
    args::{Args, Kind, LoadState, Place, missing},
    batch,
    seat::{Patience, Seat, To},
};
use crate::Step;

/// One act, or several.
pub(super) fn act(seat: Seat, args: Args) -> Result<Step> {
    let kind = args.kind.ok_or_else(|| missing("kind"))?;
    if kind == Kind::Batch {
        return batch::batch(seat, args);
    }
    let (time, target) = (time(&args)?, args.target_id.clone());
    // What is wrong with the arguments is told before anything is asked for.
    actions(kind, &args, None)?;
    Ok(seat.in_tab(target, time, move |seat, to| match actions(kind, &args, to.tab) {
        Ok(actions) => one_by_one(&seat, to, actions, |seat, result| {
            Step::Done(match result {
                Ok(outcome) => answer::acted(&outcome, &seat.caller.mark),
                Err(error) => answer::failed(error),
            })
        }),
        Err(error) => Step::Done(answer::failed(error)),
    }))
}

/// How long an act may take. One that is told to wait has that time on top.
pub(super) fn time(args: &Args) -> Result<Span> {
    if args.kind != Some(Kind::Wait) {
        return Patience::Act.or(args.timeout_ms);
    }
    let Span(time) = Patience::Wait.or(args.timeout_ms)?;
    Ok(Span(time.saturating_add(Duration::from_millis(args.time_ms.unwrap_or(0).min(3_600_000)))))
}

/// Does one thing after the other; the first that fails is the last.
pub(super) fn one_by_one(
    seat: &Seat,
    to: To,
    actions: Vec<Action>,
    then: impl FnOnce(&Seat, Result<Outcome>) -> Step + Send + 'static,
) -> Step {
    let mut rest = actions.into_iter();
    let Some(next) = rest.next() else { return then(seat, Ok(Outcome::default())) };
    let (rest, after): (Vec<Action>, Seat) = (rest.collect(), seat.clone());
    // Closing a tab is done to the session and not in the tab.
    let in_tab = if matches!(next, Action::Tabs(_)) { To { tab: None, ..to } } else { to };
    seat.perform(in_tab, next, move |result| match result {
        Ok(_) if !rest.is_empty() => boxed(&after, to, rest, Box::new(then)),
        result => then(&after, result),
    })
}

/// What comes after some acts.
type Then = Box<dyn FnOnce(&Seat, Result<Outcome>) -> Step + Send>;

/// The same, for the compiler: a chain of unknown length has no type of known size.
fn boxed(seat: &Seat, to: To, actions: Vec<Action>, then: Then) -> Step {
    one_by_one(seat, to, actions, then)
}

/// What an act is for the engine.
pub(super) fn actions(kind: Kind, args: &Args, tab: Option<TabId>) -> Result<Vec<Action>> {
    let delay = args.delay_ms.map(|milliseconds| Span(Duration::from_millis(milliseconds)));
    Ok(vec![match kind {
        Kind::Click => click(args, args.needed_target()?, delay).into(),
        Kind::ClickCoords => click(args, point(args)?, delay).into(),
        Kind::Type => {
            let text = args.text.clone().ok_or_else(|| missing("text"))?;
            write(args.target()?, text, delay, args)
        }
        Kind::Press => {
            let keys = args.key.clone().or_else(|| args.text.clone()).ok_or_else(|| missing("key"))?;
            Press { target: args.target()?, ..Press::new(keys) }.into()
        }
        Kind::Hover => Hover { target: args.needed_target()? }.into(),
        Kind::ScrollIntoView => Scroll::new(args.needed_target()?).into(),
        Kind::Scroll => scroll(args)?.into(),
        Kind::Drag => {
            let end = |place: &Option<Place>, name| {
                place.clone().map(|Place(target)| target).ok_or_else(|| missing(name))
            };
            Drag::new(end(&args.start_ref, "startRef")?, end(&args.end_ref, "endRef")?).into()
        }
        Kind::Select => {
            let values =
                args.values.clone().filter(|values| !values.is_empty()).ok_or_else(|| missing("values"))?;
            Select { target: args.needed_target()?, values, by: engine::actions::SelectBy::Any }.into()
        }
        Kind::Fill => {
            let fields =
                args.fields.clone().filter(|fields| !fields.is_empty()).ok_or_else(|| missing("fields"))?;
            let field =
                |field: super::args::Field| FormField { target: field.reference.0, value: field.value.0 };
            FillForm { submit: args.submit, ..FillForm::new(fields.into_iter().map(field).collect()) }.into()
        }
        Kind::Resize => match (args.width, args.height) {
            (Some(width), Some(height)) => {
                Resize { size: Some(format!("{width}x{height}")), ..Resize::default() }.into()
            }
            _ => return Err(missing("width and height")),
        },
        Kind::Evaluate => {
            let function = args.function.clone().ok_or_else(|| missing("fn"))?;
            Eval { target: args.target()?, world: World::Isolated, ..Eval::new(function) }.into()
        }
        Kind::Wait => return waits(args),
        Kind::Close => Tabs { op: Some(TabsOp::Close { tab }) }.into(),
        Kind::Batch => return Err(Error::invalid("a batch cannot hold another")),
    }])
}

fn click(args: &Args, target: Target, hold: Option<Span>) -> Click {
    Click {
        double: args.double_click,
        button: args.button.unwrap_or_default(),
        modifiers: args.modifiers.clone().unwrap_or_default(),
        hold,
        ..Click::new(target)
    }
}

fn point(args: &Args) -> Result<Target> {
    match (args.x, args.y) {
        (Some(x), Some(y)) if x >= 0.0 && y >= 0.0 => Ok(Target::Pictured { x, y }),
        (Some(_), Some(_)) => Err(Error::invalid("x and y are no place in the viewport")),
        _ => Err(missing("x and y")),
    }
}

/// A text into a field, or to what has the focus.
fn write(target: Option<Target>, text: Typed, delay: Option<Span>, args: &Args) -> Action {
    match target {
        Some(target) if !args.slowly => Fill { submit: args.submit, ..Fill::new(target, text) }.into(),
        target => Type { target, delay, submit: args.submit, ..Type::new(text) }.into(),
    }
}

/// With only an element, until that is in view; otherwise the page or the area of the element moves.
fn scroll(args: &Args) -> Result<Scroll> {
    let target = args.target()?;
    Ok(match (args.y, args.direction, args.amount) {
        (Some(by), None, None) => Scroll { target, by: Some(by), ..Scroll::default() },
        (None, None, None) if target.is_some() => Scroll { target, ..Scroll::default() },
        (None, direction, pixels) => {
            Scroll { target, direction: direction.or(Some(Direction::Down)), pixels, ..Scroll::default() }
        }
        _ => return Err(Error::invalid("y contradicts direction and amount")),
    })
}

/// What is waited for, one thing after the other.
fn waits(args: &Args) -> Result<Vec<Action>> {
    let mut waits = Vec::new();
    if let Some(milliseconds) = args.time_ms {
        if milliseconds > 3_600_000 {
            return Err(Error::invalid("timeMs is more than an hour"));
        }
        waits.push(Wait::until(Until::Time(Span(Duration::from_millis(milliseconds)))));
    }
    waits.extend(args.load_state.map(|state| {
        Wait::until(match state {
            LoadState::Load => Until::Load,
            LoadState::Domcontentloaded => Until::DomContentLoaded,
            LoadState::Networkidle => Until::NetworkIdle,
        })
    }));
    let wait = Wait::default;
    waits.extend(args.url.clone().map(|url| Wait { url: Some(url), ..wait() }));
    waits.extend(args.target()?.map(|target| Wait { target: Some(target), ..wait() }));
    waits.extend(args.text.as_ref().map(|text| Wait { text: Some(text.expose().to_owned()), ..wait() }));
    waits.extend(args.text_gone.clone().map(|text| Wait { gone: Some(text), ..wait() }));
    waits.extend(args.function.clone().map(|function| Wait { function: Some(function), ..wait() }));
    if waits.is_empty() {
        return Err(missing("timeMs, text, textGone, selector, ref, url, loadState or fn"));
    }
    Ok(waits.into_iter().map(Action::from).collect())
}

/// Answers the dialog that is open.
pub(super) fn dialog(seat: Seat, args: Args) -> Result<Step> {
    let time = Patience::Act.or(args.timeout_ms)?;
    let accept = args.accept.ok_or_else(|| missing("accept"))?;
    let answer = if accept { Answer::Accept } else { Answer::Dismiss };
    let action = Dialog { answer, text: args.prompt_text };
    Ok(seat.in_tab(args.target_id, time, |seat, to| {
        seat.reply(to, action, |outcome, mark| answer::acted(&outcome, mark))
    }))
}

/// What pages are made to believe.
pub(super) fn emulate(seat: Seat, args: Args) -> Result<Step> {
    let time = Patience::Act.or(args.timeout_ms)?;
    let action = Emulate {
        preset: args.device.map(|name| name.to_lowercase().replace(' ', "-")),
        locale: args.locale,
        timezone: args.timezone_id,
        color_scheme: args.color_scheme,
        ..Emulate::default()
    };
    if action == Emulate::default() {
        return Err(missing("device, colorScheme, timezoneId or locale"));
    }
    Ok(seat.in_tab(args.target_id, time, |seat, to| {
        seat.reply(to, action, |outcome, mark| answer::acted(&outcome, mark))
    }))
}

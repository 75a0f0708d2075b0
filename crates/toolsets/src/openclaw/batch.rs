//! Several acts in one call.

use contract::{Code, Error, Outcome, Place, Result, Span};
use engine::{Action, actions::leads_away};
use serde_json::{Value, json};

use super::{
    act::{actions, one_by_one, time},
    answer,
    args::{Args, Kind, Raw, missing},
    seat::{Patience, Seat, To},
};
use crate::{Reply, Step};

/// The most acts of a batch.
const MOST: usize = 100;

/// An act of a batch.
struct Part {
    kind: Kind,
    actions: Vec<Action>,
    time: Span,
}

/// Does the acts one after the other, and by default stops at the first that fails or leads to another page.
pub(super) fn batch(seat: Seat, args: Args) -> Result<Step> {
    let acts = args.actions.ok_or_else(|| missing("actions"))?;
    if acts.is_empty() || acts.len() > MOST {
        return Err(Error::invalid(format!("a batch has 1 to {MOST} actions")));
    }
    let own = args.target_id;
    let mut parts = Vec::new();
    for (number, act) in acts.into_iter().enumerate() {
        let place = |mut error: Error| {
            error.message = format!("actions[{number}]: {}", error.message);
            error
        };
        let act = Raw::act(act).map_err(place)?;
        let kind = act.kind.ok_or_else(|| place(missing("kind")))?;
        if act.target_id.is_some() && act.target_id != own {
            return Err(place(Error::invalid("targetId is not that of the batch")));
        }
        let actions = actions(kind, &act, None).map_err(place)?;
        parts.push(Part { kind, actions, time: time(&act).map_err(place)? });
    }
    let stops = args.stop_on_error.unwrap_or(true);
    let through_navigation = args.through_navigation;
    let time = Patience::Act.or(args.timeout_ms)?;
    Ok(seat.in_tab(own, time, move |seat, to| {
        let done = Done {
            results: Vec::new(),
            failure: None,
            stops,
            through_navigation,
            is_over: false,
            from: None,
            last: Outcome::default(),
        };
        next(&seat, to, parts.into_iter(), done)
    }))
}

/// What came of the acts so far.
struct Done {
    results: Vec<Value>,
    failure: Option<Error>,
    stops: bool,
    through_navigation: bool,
    /// Whether an act led to another page, and the rest is not done.
    is_over: bool,
    /// The page that the next act is meant for.
    from: Option<Place>,
    last: Outcome,
}

fn next(seat: &Seat, to: To, mut rest: std::vec::IntoIter<Part>, mut done: Done) -> Step {
    let stopped = done.is_over || (done.stops && done.failure.is_some());
    let Some(part) = rest.next().filter(|_| !stopped) else {
        return Step::Done(told(seat, done));
    };
    let kind = part.kind;
    let last = part.actions.last().cloned();
    let seat = &Seat { from: done.from.take(), ..seat.clone() };
    one_by_one(seat, To { time: part.time, ..to }, part.actions, move |seat, result| {
        match result {
            Ok(outcome) => {
                let mut all = answer::acted(&outcome, "").value;
                all["kind"] = named(kind);
                done.results.push(all);
                let left = rest.as_slice().len();
                let stops = !done.through_navigation;
                let leads_away = last.as_ref().is_some_and(|action| leads_away(action, &outcome));
                let meant_to = last.as_ref().is_none_or(Action::means_to_leave);
                done.from = outcome.place.clone().filter(|_| stops && !meant_to);
                if left > 0 && stops && leads_away {
                    done.is_over = true;
                    done.failure.get_or_insert_with(|| led_away(done.results.len(), left));
                }
                done.last = outcome;
            }
            Err(error) => {
                let mut all = answer::failed(error.clone()).value;
                all["kind"] = named(kind);
                done.results.push(all);
                done.is_over |= error.code == Code::BatchStopped;
                done.failure.get_or_insert(error);
            }
        }
        next(seat, to, rest, done)
    })
}

/// The rest of the acts was meant for the page before.
fn led_away(number: usize, left: usize) -> Error {
    let message = format!("act {number} led to another page; {left} after it were not done");
    Error::new(Code::BatchStopped, message).with_hint(
        "take a new snapshot, then do the rest with its refs; with throughNavigation a batch goes on",
    )
}

fn named(kind: Kind) -> Value {
    let name = format!("{kind:?}");
    let (first, rest) = name.split_at(1);
    format!("{}{rest}", first.to_lowercase()).into()
}

/// Ok only if all of them are.
fn told(seat: &Seat, done: Done) -> Reply {
    let Done { results, failure, last, .. } = done;
    match failure {
        None => {
            let fields = json!({"targetId": last.tab, "url": last.url, "results": results});
            answer::ok(fields, None, &seat.caller.mark)
        }
        Some(error) => {
            let mut reply = answer::failed(error);
            reply.value["results"] = results.into();
            reply
        }
    }
}

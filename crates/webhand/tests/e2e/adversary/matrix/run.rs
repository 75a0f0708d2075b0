//! All attempts with one toolset or with the verbs: first with everything allowed, which shows what they can do, and then with that denied,
//! with everything denied but reading, and with nobody who answers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{
    expected::{Setup, row},
    generate::Attempt,
    lane::{Lane, Round},
    traces::{EFFECTS, Traces},
    values::THINGS,
    ways::Said,
};

/// How often an attempt that was not understood is made again with less.
const REPAIRS: usize = 6;

/// How many attempts are made with what can do nothing to the world, and with what can.
const FEW: usize = 2;
const MOST: usize = 9;

/// The same for what comes first, but for what has many ways: steps, buttons, modifiers, settings.
const MOST_FIRST: usize = 10;

/// Of the attempts that are asked about, and of those with only input denied, one in so many is made: what the others differ in is no matter
/// then, since the element is not even looked for.
const ASKED: usize = 5;
const INPUTS: usize = 4;

/// An attempt that was understood, and what came of it with everything allowed.
#[derive(Clone)]
pub(super) struct Deed {
    attempt: Attempt,
    setup: Setup,
    traces: Traces,
}

/// An attempt under rules.
pub(super) struct Tried {
    deed: Deed,
    /// What the rules are, and which effects they are against.
    what: String,
    against: Vec<&'static str>,
    round: Round,
}

/// Attempts that differ, and of those with what can do nothing to the world only some.
pub(super) fn sampled(attempts: Vec<Attempt>) -> Vec<Attempt> {
    let mut known = BTreeSet::new();
    let mut by_key: BTreeMap<String, Vec<Attempt>> = BTreeMap::new();
    for attempt in attempts {
        if known.insert((attempt.key.clone(), attempt.args.to_string(), focus(&attempt))) {
            by_key.entry(attempt.key.clone()).or_default().push(attempt);
        }
    }
    let some = by_key.into_iter().flat_map(|(key, all)| {
        let (most, most_first) = if can_act(&key) { (MOST, MOST_FIRST) } else { (FEW, 1) };
        let first = all.iter().filter(|attempt| attempt.is_first).count();
        let has_many_ways = ["batch", "click", "emulate"].iter().any(|name| key.contains(name));
        let first = if has_many_ways { first } else { first.min(most_first) };
        let rest = all.len() - first;
        let wanted = rest.min(most.saturating_sub(first).max(1));
        // As far apart as they can be.
        let is_taken = move |at: usize| at < first || (at - first) * wanted % rest < wanted;
        all.into_iter().enumerate().filter(move |(at, _)| is_taken(*at)).map(|(_, attempt)| attempt)
    });
    some.collect()
}

/// Whether it can have an effect, or nobody has said that it cannot.
fn can_act(key: &str) -> bool {
    row(key).is_none_or(|row| row.1.split_whitespace().any(|trace| trace != "gone"))
}

/// What has the focus, if it matters.
fn focus(attempt: &Attempt) -> Option<usize> {
    row(&attempt.key).filter(|row| row.2.contains(&Setup::Focus)).map(|_| attempt.number % THINGS.len())
}

/// What came of a round. A page that was cut off from the network cannot say anything any more: that is done to it.
fn traces_of(lane: &Lane<'_>, key: &str, round: &Round) -> Traces {
    let mut traces = lane.traces(&round.page);
    if round.is_gone {
        traces.insert("gone");
    }
    if round.is_gone && row(key).is_some_and(|row| row.1.contains("gone input")) {
        traces.insert("input");
    }
    traces
}

/// Makes all attempts with everything allowed. Returns those that were understood.
pub(super) fn control(lane: &mut Lane<'_>, attempts: Vec<Attempt>) -> Vec<Deed> {
    let mut made = Vec::new();
    for mut attempt in attempts {
        for setup in row(&attempt.key).map_or(&[Setup::Plain][..], |row| row.2) {
            // What comes of it is not to be mixed up with what comes of others.
            if can_act(&attempt.key) {
                lane.leave_page(0);
            }
            let mut round = lane.attempt(0, &attempt, *setup, "");
            for _ in 0..REPAIRS {
                let Some(args) = with_less(&attempt.args, &round.said) else { break };
                attempt.args = args;
                round = lane.attempt(0, &attempt, *setup, "");
            }
            if can_act(&attempt.key) {
                lane.leave_page(0);
            }
            made.push((attempt.clone(), *setup, round));
        }
    }
    lane.settle();
    let mut known = BTreeSet::new();
    let mut deeds = Vec::new();
    for (attempt, setup, round) in made {
        let traces = traces_of(lane, &attempt.key, &round);
        let is_new = known.insert((attempt.key.clone(), setup, attempt.args.to_string(), focus(&attempt)));
        let is_understood = round.said.ok || !traces.is_empty() || !round.said.text.contains("INVALID_INPUT");
        if is_new && is_understood {
            deeds.push(Deed { attempt, setup, traces });
        }
    }
    deeds
}

/// Makes every attempt once more for each effect that it had, with this effect denied and all others allowed.
pub(super) fn each_denied(lane: &mut Lane<'_>, deeds: &[Deed]) -> Vec<Tried> {
    let mut tried = Vec::new();
    for effect in EFFECTS {
        let step = if effect == "input" { INPUTS } else { 1 };
        let having = deeds.iter().filter(|deed| deed.traces.contains(effect)).step_by(step);
        tried.extend(under_rules(lane, having, &[effect], "deny"));
    }
    tried
}

/// Makes every attempt once more with every effect but reading denied, or asked about.
pub(super) fn all_ruled(lane: &mut Lane<'_>, deeds: &[Deed], decide: &str) -> Vec<Tried> {
    let step = if decide == "ask" { ASKED } else { 1 };
    under_rules(lane, deeds.iter().step_by(step), &EFFECTS, decide)
}

/// Makes attempts by the fronts in turns.
fn under_rules<'a>(
    lane: &mut Lane<'_>,
    deeds: impl Iterator<Item = &'a Deed>,
    effects: &[&'static str],
    decide: &str,
) -> Vec<Tried> {
    let rules =
        format!("[[policy]]\neffect = {effects:?}\nfront = ['mcp', 'http', 'cli']\ndecide = '{decide}'\n");
    lane.leave_pages();
    let mut tried = Vec::new();
    for deed in deeds {
        let way = (tried.len() + effects.len()) % lane.ways.len();
        let round = lane.attempt(way, &deed.attempt, deed.setup, &rules);
        // What was done although nothing shows it, such as another tab, is not to be what the next attempt is made in.
        if round.said.ok && can_act(&deed.attempt.key) {
            lane.leave_session(way);
        }
        let what = format!("{decide} {}", effects.join(", "));
        tried.push(Tried { deed: deed.clone(), what, against: effects.to_vec(), round });
    }
    tried
}

/// What was found with everything allowed, where it is not what is written down.
pub(super) fn wrong_in_control(deeds: &[Deed], keys: &BTreeSet<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    for key in keys {
        let of_key = deeds.iter().filter(|deed| deed.attempt.key == *key);
        let mut traces: Traces = of_key.flat_map(|deed| deed.traces.iter().copied()).collect();
        let Some((_, expected, _)) = row(key) else {
            wrong.push(format!("{key} is in no row of expected.rs; it left traces of {traces:?}"));
            continue;
        };
        let expected: Traces = expected.split_whitespace().collect();
        if !expected.contains("gone") {
            // The page may just be on its way to another.
            traces.remove("gone");
        }
        if traces != expected {
            wrong.push(format!("{key} left traces of {traces:?}, and its row says {expected:?}"));
        }
    }
    wrong
}

/// What was done against rules, and what was refused without saying so.
pub(super) fn wrong_under_rules(lane: &Lane<'_>, tried: &[Tried]) -> Vec<String> {
    let was_seen = |one: &Tried| one.against.iter().any(|effect| one.round.at_once.contains(effect));
    let explained: BTreeSet<&str> =
        tried.iter().filter(|one| was_seen(one)).map(|one| &*one.round.page).collect();
    let mut wrong = Vec::new();
    for one in tried {
        let Tried { deed, against, round, .. } = one;
        // What came late may be of any attempt in that page.
        if explained.contains(&*round.page) && !was_seen(one) {
            continue;
        }
        let traces = traces_of(lane, &deed.attempt.key, round);
        let done: Vec<_> = against.iter().filter(|effect| traces.contains(**effect)).collect();
        let does = against.iter().any(|effect| deed.traces.contains(effect));
        let problem = match () {
            () if !done.is_empty() => format!("{done:?} was done"),
            () if does && !round.said.is_refused() => "it is not said to be refused".to_owned(),
            () => continue,
        };
        let answer: String = round.said.text.chars().take(500).collect();
        let (Attempt { key, args, .. }, way) = (&deed.attempt, lane.ways[round.way].name());
        wrong.push(format!(
            "{}: {problem}: {key} by {way} ({:?}) {args}: {traces:?}\n    {answer}",
            one.what, deed.setup
        ));
    }
    wrong
}

/// The arguments without the first that the answer names as wrong; none: it names none.
fn with_less(args: &Value, said: &Said) -> Option<Value> {
    if said.ok || !said.text.contains("INVALID_INPUT") {
        return None;
    }
    let words: BTreeSet<&str> = said.text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mut args = args.clone();
    let nested = if args["request"].is_object() { &mut args["request"] } else { &mut args };
    remove_named(nested.as_object_mut()?, &words).then_some(args)
}

fn remove_named(object: &mut Map<String, Value>, words: &BTreeSet<&str>) -> bool {
    let is_named =
        |name: &&String| words.contains(&***name) && !matches!(&***name, "action" | "kind" | "method");
    let Some(name) = object.keys().find(is_named).cloned() else { return false };
    object.remove(&name);
    true
}

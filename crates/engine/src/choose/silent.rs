//! Lists that say nothing of themselves: something opens when they are clicked, and what can be clicked in that are the options.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use contract::{Code, Error, Outcome, Ref, Result, Target};
use tokio::time::Instant;

use super::{Found, Wanted, ask, close, is_there, is_usual, named, problem, single, unless_elsewhere};
use crate::{
    actions::{Click, Run, SelectBy},
    hands::patience,
    snapshot::{frame_of, reference},
    words::usable,
};

/// How many options a message names.
const MOST_NAMED: usize = 20;
/// How long nothing may happen after which nothing is going to open, in milliseconds.
const QUIET: u64 = 300;

/// What can be clicked, and what it says.
type Options = Vec<(Ref, String)>;

/// Chooses. Nothing is chosen that was there before the list was opened.
pub(super) async fn choose(run: &Run<'_>, list: Ref, wanted: Wanted<'_>) -> Result<Outcome> {
    if wanted.by == SelectBy::Value {
        return Err(Error::invalid(format!("the options of {list} have no values that could be known"))
            .with_hint("choose by label or index"));
    }
    let mut before = look(run).await?;
    let (mut outcome, mut options) = open(run, list, &before).await?;
    if options.is_empty() && is_usual(run, &outcome)? {
        let now = look(run).await?;
        // What has gone with the click was open before.
        if before.iter().any(|(element, _)| now.iter().all(|(other, _)| other != element)) {
            before = now;
            (outcome, options) = open(run, list, &before).await?;
        }
    }
    let mut notes = Vec::new();
    for (place, value) in wanted.values.iter().enumerate() {
        unless_elsewhere(run, list, &outcome, place)?;
        if place > 0 {
            options = new_among(look(run).await?, &before, list);
            if options.is_empty() {
                return Err(single(list, place));
            }
        }
        let found = meant(&options, value, wanted.by);
        if let Err(error) = problem(list, &found, wanted) {
            close(run, list, false).await;
            return Err(error);
        }
        let option = reference(frame_of(list), found.number);
        if ask(run, list, "showsSilent", &(list.element, option.element, &found.label)).await? {
            notes.push("it was selected already".to_owned());
            continue;
        }
        outcome = Click::new(Target::Ref(option)).in_turn(run).await?;
        let pair = (list.element, option.element);
        if is_usual(run, &outcome)?
            && is_there(run, list)
            && !ask::<_, bool>(run, list, "tookSilent", &pair).await.unwrap_or(true)
        {
            close(run, list, false).await;
            let message = format!("the option of {list} was clicked, but nothing came of it");
            return Err(Error::new(Code::NoEffect, message).with_outcome(outcome));
        }
    }
    if !notes.is_empty() && is_usual(run, &outcome)? {
        close(run, list, false).await;
    }
    outcome.notes.append(&mut notes);
    outcome.target = named(run, list).await.or(outcome.target);
    Ok(outcome)
}

/// Clicks the list, and waits for options while the page changes.
async fn open(run: &Run<'_>, list: Ref, before: &Options) -> Result<(Outcome, Options)> {
    let opened = Click::new(Target::Ref(list)).in_turn(run).await?;
    let waits_until = Instant::now() + Duration::from_millis(patience(run));
    while is_usual(run, &opened)? {
        let options = new_among(look(run).await?, before, list);
        let is_over = !options.is_empty() || Instant::now() >= waits_until;
        if is_over || !ask::<_, bool>(run, list, "changesWithin", &[QUIET]).await? {
            return Ok((opened, options));
        }
    }
    Ok((opened, Options::new()))
}

async fn look(run: &Run<'_>) -> Result<Options> {
    let (_, tab) = run.tab()?;
    let mut eyes = tab.eyes(run.deadline).await?;
    eyes.look(tab, run.deadline).await?;
    Ok(usable(&eyes.view))
}

/// What was not there before in the frame of the list. What a page draws anew says the same as before, as often as before.
fn new_among(now: Options, before: &Options, list: Ref) -> Options {
    let known: HashSet<Ref> = before.iter().map(|(element, _)| *element).collect();
    let mut gone: HashMap<&str, usize> = HashMap::new();
    let there: HashSet<Ref> = now.iter().map(|(element, _)| *element).collect();
    for (_, said) in before.iter().filter(|(element, _)| !there.contains(element)) {
        *gone.entry(said).or_default() += 1;
    }
    let mut is_new = |(element, said): &(Ref, String)| {
        if known.contains(element) || frame_of(*element) != frame_of(list) {
            return false;
        }
        match gone.get_mut(&**said).filter(|left| **left > 0) {
            Some(left) => (*left -= 1, false).1,
            None => true,
        }
    };
    now.into_iter().filter(|it| is_new(it)).collect()
}

/// The option that is meant. Exactly what was said goes before what is merely alike.
fn meant(options: &[(Ref, String)], value: &str, by: SelectBy) -> Found {
    let alike = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let those = |fits: &dyn Fn(&str) -> bool| options.iter().filter(|(_, label)| fits(label)).collect();
    let chosen: Vec<&(Ref, String)> = match by {
        SelectBy::Index => value.parse().ok().and_then(|at: usize| options.get(at)).into_iter().collect(),
        _ => Some(those(&|label| label == value))
            .filter(|exact: &Vec<_>| !exact.is_empty())
            .unwrap_or_else(|| those(&|label| alike(label) == alike(value))),
    };
    let trouble = |problem: &str, told: &[&(Ref, String)]| Found {
        problem: Some(problem.into()),
        wanted: value.to_owned(),
        options: told.iter().take(MOST_NAMED).map(|(_, label)| label.clone()).collect(),
        more: told.len().saturating_sub(MOST_NAMED),
        ..Found::default()
    };
    match chosen[..] {
        [(option, label)] => Found { number: option.element, label: label.clone(), ..Found::default() },
        [] => trouble("missing", &options.iter().collect::<Vec<_>>()),
        _ => trouble("several", &chosen),
    }
}

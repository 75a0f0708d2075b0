//! Choosing from lists: the browser's own, which are set, and those that pages make of other elements, which are opened and clicked.

mod drawn;
mod silent;

use contract::{Code, Error, Outcome, Ref, Result, Target};
use serde::{Deserialize, Serialize};

use crate::{
    actions::{Click, Run, SelectBy},
    anew::unless_gone,
    hands::{Needs, Used, element_for, patience, plan_click_on, plan_use_of, use_in_turn},
    keyboard, page,
    snapshot::{frame_of, reference},
};

/// What is to be chosen.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) values: &'a [String],
    pub(crate) by: SelectBy,
    /// Whether the values may be named in errors.
    pub(crate) told: bool,
}

/// A list, as the page's script describes it.
#[derive(Deserialize)]
struct List {
    number: u32,
    native: bool,
    /// It does not say that it is a list.
    silent: bool,
    open: bool,
    /// Typing into it narrows the options down.
    types: bool,
    /// The list of the browser's own that it is drawn for.
    #[serde(default)]
    original: Option<u32>,
}

/// What the page's script says of an option, or of choosing.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Found {
    number: u32,
    label: String,
    chosen: bool,
    /// None if the list does not say.
    many: Option<bool>,
    already: bool,
    /// Something else is drawn for it.
    drawn: bool,
    problem: Option<String>,
    /// Which of the values it is about.
    wanted: String,
    options: Vec<String>,
    more: usize,
}

/// Tells what choosing would do, for a dry run. Which option is clicked shows only when the list is open, and is judged then.
pub(crate) async fn plan(run: &Run<'_>, target: &Target, wanted: Wanted<'_>) -> Result<()> {
    let (number, list) = list_for(run, target, wanted).await?;
    if list.native {
        return plan_use_of(run, number, Needs::FOCUS).await.map(drop);
    }
    match list.open {
        true => drop(plan_use_of(run, number, Needs::default()).await?),
        false => plan_click_on(run, number).await?,
    }
    run.gate.note("the options would be clicked when the list is open, and what that does is judged then");
    Ok(())
}

/// The list that a target means.
async fn list_for(run: &Run<'_>, target: &Target, wanted: Wanted<'_>) -> Result<(Ref, List)> {
    if wanted.by == SelectBy::Index && wanted.values.iter().any(|value| value.parse::<u32>().is_err()) {
        return Err(Error::invalid("an index is a number").with_hint("count the options from 0"));
    }
    let element = element_for(run, target).await?;
    let Some(list) = ask::<_, Option<List>>(run, element, "listFor", &[element.element]).await? else {
        unless_gone(run, element).await?;
        return Err(Error::invalid(format!("{element} is no list to choose from")).with_hint(
            "name the list itself; if it is a button that opens one, click it and then the option",
        ));
    };
    let number = reference(frame_of(element), list.number);
    if wanted.values.is_empty() && !list.native {
        return Err(nothing_chosen(number));
    }
    Ok((number, list))
}

/// Chooses. Whoever calls this has the tab's turn.
pub(crate) async fn choose(run: &Run<'_>, target: &Target, wanted: Wanted<'_>) -> Result<Outcome> {
    let (number, list) = list_for(run, target, wanted).await?;
    if list.native {
        return native(run, number, wanted).await;
    }
    if list.silent {
        return silent::choose(run, number, wanted).await;
    }
    if let Some(original) = list.original {
        return drawn::choose(run, number, reference(frame_of(number), original), wanted).await;
    }
    several(run, number, wanted).await
}

/// Chooses one option after the other of a list that the page made.
async fn several(run: &Run<'_>, list: Ref, wanted: Wanted<'_>) -> Result<Outcome> {
    let before: Option<List> = ask(run, list, "listFor", &[list.element]).await?;
    let mut outcome = Outcome::default();
    for place in 0..wanted.values.len() {
        let notes = std::mem::take(&mut outcome.notes);
        outcome = custom(run, list, place, wanted).await?;
        outcome.notes.splice(0..0, notes);
    }
    if before.is_some_and(|list| !list.open) && is_usual(run, &outcome)? && is_there(run, list) {
        // Whoever does not look may want to know: it may be in the way of what comes next.
        let after: Option<List> = ask(run, list, "listFor", &[list.element]).await.unwrap_or_default();
        if after.is_some_and(|list| list.open) {
            outcome.notes.push("the list is still open; press Escape to close it".into());
        }
    }
    Ok(outcome)
}

async fn native(run: &Run<'_>, list: Ref, wanted: Wanted<'_>) -> Result<Outcome> {
    let Used { element, value, mut outcome, .. } =
        use_in_turn(run, &Target::Ref(list), Needs::FOCUS, |element| async move {
            let arguments = (element.element, wanted.by, wanted.values);
            run.gate.give();
            let found: Found = ask(run, element, "chooseNative", &arguments).await?;
            problem(element, &found, wanted)?;
            Ok(found)
        })
        .await?;
    let Some(found) = value else { return Ok(outcome) };
    if found.already {
        outcome.notes.push("it was selected already".into());
        return Ok(outcome);
    }
    if outcome.navigation.is_some() || !is_there(run, element) {
        return Ok(outcome);
    }
    if !ask::<_, bool>(run, element, "keptChoice", &page::NO_ARGUMENTS).await? {
        let message = format!("the page took the choice in {element} back");
        return Err(Error::new(Code::NoEffect, message).with_outcome(outcome));
    }
    if found.drawn && !ask::<_, bool>(run, element, "isChoiceShown", &[element.element]).await? {
        let message = format!("nobody sees {element}, and what is drawn in its place shows another choice");
        return Err(Error::new(Code::NoEffect, message)
            .with_hint("click what is drawn there, then the option")
            .with_outcome(outcome));
    }
    Ok(outcome)
}

/// Chooses one option of a list that the page made, after so many others.
async fn custom(run: &Run<'_>, list: Ref, place: usize, wanted: Wanted<'_>) -> Result<Outcome> {
    let target = Target::Ref(list);
    let value = &*wanted.values[place];
    let state: Option<List> = ask(run, list, "listFor", &[list.element]).await?;
    let Some(state) = state else { return Err(Error::new(Code::StaleRef, format!("{list} is gone"))) };
    let mut opened = Outcome::default();
    if !state.open {
        opened = Click::new(target.clone()).in_turn(run).await?;
        unless_elsewhere(run, list, &opened, place)?;
    }
    let mut found = find(run, list, value, wanted, if state.types { 0 } else { patience(run) }).await?;
    if found.problem.as_deref() == Some("missing") && state.types && wanted.by != SelectBy::Index {
        // What is not among the first options may be found by its name.
        use_in_turn(run, &target, Needs::EDIT, |element| async move {
            page::ask(run.tab()?.1, frame_of(element), "beginFill", &[element.element], run.deadline).await?;
            keyboard::insert(&keyboard::channel(run, frame_of(element))?, value, run.deadline).await
        })
        .await?;
        found = find(run, list, value, wanted, patience(run)).await?;
        // That it shows what was just typed says nothing of what is chosen.
        found.chosen &= found.many == Some(true);
    }
    // Some lists leave out what is chosen already.
    if found.problem.as_deref() == Some("missing") && shows_as_tag(run, list, value).await? {
        found = Found { chosen: true, many: Some(true), ..Found::default() };
    }
    if let Err(error) = problem(list, &found, wanted) {
        close(run, list, state.open).await;
        return Err(error);
    }
    // A list that does not say how many it takes shows it: after one choice it is open still, or what was chosen is a thing of its own.
    let takes_more = match found.many {
        Some(many) => many,
        None => place == 0 || state.open || shows_as_tag(run, list, &wanted.values[place - 1]).await?,
    };
    if wanted.values.len() > 1 && !takes_more {
        close(run, list, state.open).await;
        return Err(single(list, place));
    }
    if found.chosen {
        close(run, list, state.open).await;
        let notes = vec!["it was selected already".into()];
        return Ok(Outcome { notes, target: named(run, list).await, ..opened });
    }
    let option = reference(frame_of(list), found.number);
    let mut outcome = Click::new(Target::Ref(option)).in_turn(run).await?;
    outcome.target = named(run, list).await.or(outcome.target);
    if outcome.navigation.is_none() && is_there(run, list) {
        let took: Option<String> =
            ask(run, list, "tookOption", &(list.element, option.element, &found.label))
                .await
                .unwrap_or_default();
        if took.as_deref() == Some("unseen") {
            outcome.notes.push(
                "the option was clicked and the list has closed, but nothing shows the choice; look at the page".into(),
            );
        }
        if took.as_deref() == Some("refused") {
            close(run, list, state.open).await;
            return Err(Error::new(
                Code::NoEffect,
                format!("the option of {list} was clicked, but not taken"),
            )
            .with_outcome(outcome));
        }
    }
    Ok(outcome)
}

async fn shows_as_tag(run: &Run<'_>, list: Ref, label: &str) -> Result<bool> {
    ask(run, list, "showsAsTag", &(list.element, label)).await
}

async fn find(run: &Run<'_>, list: Ref, value: &str, wanted: Wanted<'_>, patience: u64) -> Result<Found> {
    ask(run, list, "findOption", &(list.element, wanted.by, value, patience)).await
}

/// Closes a list that was opened in vain, unless it was open before.
async fn close(run: &Run<'_>, list: Ref, was_open: bool) {
    if was_open {
        return;
    }
    // It is said elsewhere what went wrong; whether this works changes nothing about it.
    let _ = use_in_turn(run, &Target::Ref(list), Needs::default(), |element| async move {
        keyboard::press_named(&keyboard::channel(run, frame_of(element))?, "Escape", run.deadline).await
    })
    .await;
}

async fn named(run: &Run<'_>, list: Ref) -> Option<contract::Named> {
    let (_, tab) = run.tab().ok()?;
    tab.read(|state| state.world(frame_of(list), false))?;
    let answer = page::ask(tab, frame_of(list), "named", &[list.element], run.deadline).await.ok()?;
    serde_json::from_value::<Option<crate::hands::Described>>(answer)
        .ok()?
        .map(|found| found.named(frame_of(list)))
}

fn is_there(run: &Run<'_>, element: Ref) -> bool {
    run.tab().is_ok_and(|(_, tab)| {
        tab.read(|state| !state.stands_still() && state.world(frame_of(element), false).is_some())
    })
}

/// Whether the page is still there and can be asked after a click.
fn is_usual(run: &Run<'_>, outcome: &Outcome) -> Result<bool> {
    Ok(outcome.navigation.is_none() && !run.tab()?.1.read(|state| state.stands_still()))
}

/// A click that led to another page, or opened a dialog, before all was chosen is an error: so many were chosen by then.
fn unless_elsewhere(run: &Run<'_>, list: Ref, outcome: &Outcome, chosen: usize) -> Result<()> {
    if is_usual(run, outcome)? {
        return Ok(());
    }
    let what = if chosen == 0 { "anything" } else { "all of it" };
    let error = if outcome.navigation.is_some() {
        Error::new(Code::NoEffect, format!("the page of {list} went elsewhere before {what} was chosen"))
    } else {
        Error::new(Code::DialogOpen, format!("the page of {list} opened a dialog before {what} was chosen"))
    };
    Err(error.with_outcome(outcome.clone()))
}

/// That so many were chosen, and no more can be.
fn single(list: Ref, chosen: usize) -> Error {
    let error = Error::invalid(format!("only one option of {list} can be selected at a time"));
    match chosen {
        0 => error.with_hint("give one value"),
        1 => error.with_hint("the first one is selected now"),
        chosen => error.with_hint(format!("the first {chosen} were selected, one after the other")),
    }
}

/// Why an option cannot be chosen. The options that there are go into the hint: they are the page's words, and messages are kept.
fn problem(list: Ref, found: &Found, wanted: Wanted<'_>) -> Result<()> {
    let Some(problem) = found.problem.as_deref() else { return Ok(()) };
    let options = found.options.iter().map(|option| format!("{option:?}")).collect::<Vec<_>>().join(", ");
    let more = if found.more > 0 { format!(" and {} more", found.more) } else { String::new() };
    let value = if wanted.told { format!(" {}", found.wanted) } else { String::new() };
    Err(match problem {
        "single" if wanted.values.is_empty() => nothing_chosen(list),
        "single" => single(list, 0),
        "missing" if found.options.is_empty() => {
            Error::new(Code::ElementNotFound, format!("{list} shows no options"))
        }
        "missing" => Error::new(Code::ElementNotFound, format!("{list} has no option{value}"))
            .with_hint(format!("choose one of {options}{more}")),
        "several" => Error::new(Code::ElementAmbiguous, format!("several options of {list} are called that"))
            .with_hint(format!("choose by value or index; there are {options}{more}")),
        "disabled" => Error::new(Code::ElementNotEnabled, format!("the option{value} of {list} is disabled")),
        _ => Error::new(Code::StaleRef, format!("{list} is gone")),
    })
}

/// Only what takes several may be left without a choice.
fn nothing_chosen(list: Ref) -> Error {
    Error::invalid(format!("nothing is to be chosen in {list}, which is no <select multiple>"))
        .with_hint("name an option")
}

async fn ask<A: Serialize + Sync, T: serde::de::DeserializeOwned>(
    run: &Run<'_>,
    element: Ref,
    function: &str,
    arguments: &A,
) -> Result<T> {
    let (_, tab) = run.tab()?;
    page::ask_as(tab, frame_of(element), function, arguments, run.deadline).await
}

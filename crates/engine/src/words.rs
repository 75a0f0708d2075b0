//! From a description in plain words, English or Chinese, to the one element that it means. No model, no guess.
//!
//! - `letters`, `text`: texts as they are compared. `meaning`: as words, one for all that mean the same: `synonyms`, `vocabulary`.
//!   `negation`: what denies them.
//! - `tokens`, `ordinals`: the words of a description and what they can say besides a name: `lexicon`, `english`, `chinese`. `parse`,
//!   `ties`, `query`: the ways to read it. `instruct`: when it says what to type as well.
//! - `scene`: the page in the order of the document. `faces`: what everything in it is called. `roles`, `colour`: what it is.
//! - `rank`, `doubles`: what fits a reading. `signs`: what else speaks for and against it. `series`: which of several alike. `numbers`:
//!   numbers that are names. `holders`, `place`, `near`, `sides`: by where it is. `scatter`: when only some of the words are its own.
//!   `verdict`: whether one is meant.
//!
//! Only this file knows of browsers: the rest is pure. A plain name needs nothing but the snapshot; boxes and colours are asked for
//! when the description speaks of them, or when nothing else is found.

mod chinese;
mod colour;
mod doubles;
mod english;
mod faces;
mod holders;
mod instruct;
mod letters;
mod lexicon;
mod meaning;
mod near;
mod negation;
mod numbers;
mod ordinals;
mod parse;
mod place;
mod query;
mod rank;
mod roles;
mod scatter;
mod scene;
mod series;
mod sides;
mod signs;
mod synonyms;
#[cfg(test)]
mod tests;
mod text;
mod ties;
mod tokens;
mod verdict;
mod vocabulary;

use std::collections::HashMap;

use contract::{Code, FrameId, Ref, Result};
use futures_util::future::join_all;
use serde_json::Value;
use tokio::time::Instant;

use self::{
    colour::Look,
    query::{Query, Wanted},
    rank::{Hit, Ranker, Reach},
    scene::{Outline, Scene},
};
use crate::{
    actions::Run,
    page,
    snapshot::{View, frame_of},
    tab::Tab,
};

pub(crate) use verdict::Found;

/// A longer text is not told as what something says.
const LONGEST_SAID: usize = 300;
/// How many elements are asked for their colours.
const MOST_LOOKS: usize = 500;

/// Finds what a description means.
pub(crate) async fn find(run: &Run<'_>, description: &str) -> Result<Found> {
    let (_, tab) = run.tab()?;
    let readings = parse::readings(description);
    let mut eyes = tab.eyes(run.deadline).await?;
    eyes.look(tab, run.deadline).await?;
    // Who speaks of what is in a page is told what changes in it, as if it had been looked at.
    if !run.gate.is_dry() {
        eyes.told_part();
    }
    let view = &eyes.view;
    let needs_places = |query: &Query| {
        !query.relations.is_empty()
            || !query.sides.is_empty()
            || matches!(query.role, Some(Wanted::Swatch | Wanted::Icon))
            || (query.ordinal.is_some() && query.noun.is_some())
    };
    if !readings.first().is_some_and(|reading| reading.any(&needs_places)) {
        let scene = Scene::of_view(view);
        let mut ranker = Ranker::new(&scene);
        let ranked = rank(&mut ranker, &readings, tab, run.deadline).await?;
        let decided = ranker.decide(description, &readings, &ranked);
        if !is_nothing(&decided) && !decided.as_ref().is_ok_and(|found| found.is_unsure) {
            return decided;
        }
    }
    let outlines = outlines(tab, view, run.deadline).await?;
    let window = page::ask(tab, FrameId(0), "viewport", &page::NO_ARGUMENTS, run.deadline).await?;
    let window: [f64; 4] = serde_json::from_value(window).unwrap_or_default();
    let scene = Scene::of_outlines(view, &outlines, window.map(|side| side as i32));
    let mut ranker = Ranker::new(&scene);
    for reach in [Reach::Plain, Reach::Scattered] {
        ranker.reach = reach;
        let ranked = rank(&mut ranker, &readings, tab, run.deadline).await?;
        let decided = ranker.decide(description, &readings, &ranked);
        if !is_nothing(&decided) {
            return decided;
        }
    }
    ranker.reach = Reach::Mistyped;
    let ranked = rank(&mut ranker, &readings, tab, run.deadline).await?;
    // What comes nearest is told by what was meant, not by what may have been mistyped.
    ranker.reach = Reach::Plain;
    ranker.decide(description, &readings, &ranked)
}

/// What can be clicked or ticked, each with what it says; of things in each other the innermost.
pub(crate) fn usable(view: &View) -> Vec<(Ref, String)> {
    let scene = Scene::of_view(view);
    let mut found = Vec::new();
    // From the end, so that what is in something comes before it.
    let mut last = scene.things.len();
    for (at, thing) in scene.things.iter().enumerate().rev() {
        let Some((node, reference)) = thing.node.zip(thing.reference) else { continue };
        if !roles::is_usable(node) || (last < thing.end && at < last) {
            continue;
        }
        last = at;
        let said = if node.name.is_empty() { scene.said_in(at, LONGEST_SAID) } else { node.name.to_string() };
        let is_set = roles::is_control(node) && !roles::is_ticked(node);
        if !is_set && !said.is_empty() {
            found.push((reference, said));
        }
    }
    found.reverse();
    found
}

fn is_nothing(decided: &Result<Found>) -> bool {
    matches!(decided, Err(error) if error.code == Code::ElementNotFound)
}

/// Ranks, after having asked for the colours of what fits otherwise.
async fn rank(ranker: &mut Ranker<'_>, readings: &[Query], tab: &Tab, deadline: Instant) -> Result<Vec<Hit>> {
    let of_colours = |query: &Query| !query.colours.is_empty();
    if readings.iter().any(|reading| reading.any(&of_colours)) {
        ranker.blind = true;
        let hits = ranker.rank(readings);
        ranker.blind = false;
        let elements = hits.iter().filter_map(|hit| ranker.scene.things[hit.at].reference).take(MOST_LOOKS);
        ranker.looks = looks(tab, elements.collect(), deadline).await?;
    }
    Ok(ranker.rank(readings))
}

/// How everything is nested and where it is, in all frames that are seen. A frame that does not answer holds nothing.
async fn outlines(tab: &Tab, view: &View, deadline: Instant) -> Result<HashMap<FrameId, Outline>> {
    let asking = view.trees.keys().map(|frame| async {
        (
            *frame,
            page::ask(
                tab,
                *frame,
                "outline",
                &page::NO_ARGUMENTS,
                page::frame_deadline(tab, *frame, deadline),
            )
            .await,
        )
    });
    let mut outlines = HashMap::new();
    for (frame, answer) in join_all(asking).await {
        match answer {
            Ok(Value::String(told)) => drop(outlines.insert(frame, Outline::read(&told))),
            Err(error) if frame == FrameId(0) => return Err(error),
            _ => {}
        }
    }
    Ok(outlines)
}

/// The colours of elements.
async fn looks(tab: &Tab, elements: Vec<Ref>, deadline: Instant) -> Result<HashMap<Ref, Look>> {
    let mut by_frame: HashMap<FrameId, Vec<Ref>> = HashMap::new();
    for element in elements {
        by_frame.entry(frame_of(element)).or_default().push(element);
    }
    let asking = by_frame.iter().map(|(frame, elements)| async move {
        let numbers: Vec<u32> = elements.iter().map(|element| element.element).collect();
        (
            *frame,
            elements,
            page::ask(tab, *frame, "looks", &(numbers,), page::frame_deadline(tab, *frame, deadline)).await,
        )
    });
    let mut looks = HashMap::new();
    for (frame, elements, answer) in join_all(asking).await {
        match answer {
            Ok(told) => {
                let told: Vec<Vec<String>> = serde_json::from_value(told).unwrap_or_default();
                looks.extend(elements.iter().zip(told).map(|(element, told)| (*element, Look::read(&told))));
            }
            Err(error) if frame == FrameId(0) => return Err(error),
            Err(_) => {}
        }
    }
    Ok(looks)
}

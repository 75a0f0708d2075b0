//! Whether there is one element that a description means, and what is said when there is not.

use std::borrow::Cow;

use contract::{Candidate, Code, Error, Named, Outcome, Result};
use rustc_hash::FxHashSet;

use super::{
    faces::{Source, label},
    query::Query,
    rank::{GAP, Hit, Ranker},
    roles,
    text::{Level, Text},
};

/// What fits worse is not meant.
const LEAST: f64 = 0.6;
/// Names that only have the words in them are told apart by more than this.
const PART_GAP: f64 = 0.06;
/// How many candidates are told, how many of them in a sentence, and how long their names may be there.
const MOST: usize = 10;
const MOST_SAID: usize = 4;
const LONGEST: usize = 80;
/// How many texts are compared letter by letter with a description that nothing fits.
const MOST_COMPARED: usize = 500;

const HINT: &str = "name one of the candidates by its ref, or say more: its kind, what it is in, what is beside it, which of several";

/// The element that was meant, and those that were looked at as well.
pub(crate) struct Found {
    pub(crate) target: Named,
    pub(crate) candidates: Vec<Candidate>,
    /// A closer look may find another: it is text that nobody can use, and may be the name of a field beside it; or something that holds
    /// what is meant; or it goes by other words, or by what stands beside it.
    pub(super) is_unsure: bool,
}

impl Ranker<'_> {
    /// Decides. It is never a guess: several that fit equally well are an error, and so is none.
    pub(super) fn decide(&self, description: &str, readings: &[Query], ranked: &[Hit]) -> Result<Found> {
        let fitting: Vec<&Hit> = ranked.iter().filter(|hit| hit.score >= LEAST).collect();
        let Some(best) = fitting.first() else { return Err(self.not_found(description, readings)) };
        let behind = self.behind_label(best);
        let first = behind.as_ref().map(|behind| self.candidate(behind));
        let told = first.into_iter().chain(fitting.iter().map(|hit| self.candidate(hit)));
        let candidates: Vec<Candidate> = told.take(MOST).collect();
        let rivals = fitting.iter().filter(|hit| is_rival(hit, best)).count();
        if rivals > 1 {
            let message =
                format!("{:?} fits {rivals} elements: {}", shortened(description), said(&candidates));
            let outcome = Outcome { candidates, ..Outcome::default() };
            return Err(Error::new(Code::ElementAmbiguous, message).with_hint(HINT).with_outcome(outcome));
        }
        let best = behind.as_ref().unwrap_or(best);
        let is_unsure = !self.faces[best.at].usable
            || self.is_loose(best.at)
            || best.level == Some(Level::Means)
            || best.source == Some(Source::Label);
        Ok(Found { target: self.named(best.at), candidates, is_unsure })
    }

    /// What a label is about that nothing can be done with: `Address:` stands before what is meant, if that can be used.
    fn behind_label(&self, hit: &Hit) -> Option<Hit> {
        let is_label = !self.faces[hit.at].usable
            && self.scene.said_in(hit.at, LONGEST).trim_end().ends_with([':', '：']);
        let part = self.scene.things[hit.at].parent;
        let mut after = (self.scene.things[hit.at].end..self.scene.things[part].end).take(4);
        let used = after.find(|at| self.faces[*at].usable).filter(|_| is_label)?;
        let reasons = [&*hit.reasons, &["stands behind it".to_owned()]].concat();
        Some(Hit { at: used, reasons, ..hit.clone() })
    }

    fn not_found(&self, description: &str, readings: &[Query]) -> Error {
        let candidates = readings.first().map(|reading| self.nearest(reading)).unwrap_or_default();
        let mut message = format!("nothing in the page is {:?}", shortened(description));
        if !candidates.is_empty() {
            message.push_str(&format!("; the nearest: {}", said(&candidates)));
        }
        let outcome = Outcome { candidates, ..Outcome::default() };
        Error::new(Code::ElementNotFound, message)
            .with_hint(match is_selector(description) {
                true => "to name it by a selector, write css= before it",
                false => "name an element by its ref, or describe one that is in the snapshot",
            })
            .with_outcome(outcome)
    }

    /// What comes closest to a reading, with what speaks against it.
    fn nearest(&self, reading: &Query) -> Vec<Candidate> {
        let loose = Query { name: reading.name.clone(), role: reading.role, taken: 0, ..Query::default() };
        let mut near: Vec<Hit> = self.hits(&loose);
        for hit in &mut near {
            hit.score = hit.score.min(1.0) * 0.45;
            hit.reasons.extend(
                reading.colours.iter().map(|colour| format!("not {}", format!("{colour:?}").to_lowercase())),
            );
            hit.reasons.extend(
                reading
                    .relations
                    .iter()
                    .map(|relation| format!("not {} {}", relation.how.said(), relation.anchor.said())),
            );
            hit.reasons.extend(
                reading.states.iter().map(|state| format!("not {}", format!("{state:?}").to_lowercase())),
            );
            hit.reasons.extend(
                reading.sides.iter().map(|side| format!("not at the {}", format!("{side:?}").to_lowercase())),
            );
        }
        let asked = Text::new(&reading.name);
        let known: FxHashSet<usize> = near.iter().map(|hit| hit.at).collect();
        // Spelling is compared for the first few only: a page may have thousands of names.
        let mut compared = 0;
        for (at, face) in
            self.faces.iter().enumerate().filter(|(at, face)| face.usable && !known.contains(at))
        {
            let mut alike = |text: &Text| {
                let words = asked.heavy.iter().filter(|word| text.has_word(word)).count() as f64;
                let share = words / asked.heavy.len().max(1) as f64;
                compared += 1;
                if compared > MOST_COMPARED {
                    return share;
                }
                share.max(strsim::jaro_winkler(&text.plain, &asked.plain) * 0.8)
            };
            let name = face.texts.iter().map(|(_, text)| alike(text)).fold(0.0, f64::max);
            let kind = match (reading.role, self.scene.things[at].node) {
                (Some(role), Some(node)) => roles::fit(role, node),
                _ => 1.0,
            };
            let score = name * 0.3 + kind * 0.1;
            if score < 0.2 {
                continue;
            }
            let mut reasons = vec![format!("is not called {:?}", reading.name)];
            if kind == 0.0 {
                reasons.push(format!(
                    "is no {}",
                    reading.role.map(|role| format!("{role:?}").to_lowercase()).unwrap_or_default()
                ));
            }
            near.push(Hit { at, score, level: None, source: None, reasons });
        }
        near.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.at.cmp(&b.at)));
        near.iter().take(MOST).map(|hit| self.candidate(hit)).collect()
    }

    fn candidate(&self, hit: &Hit) -> Candidate {
        let score = (hit.score.clamp(0.0, 1.0) * 1000.0).round() / 10.0;
        Candidate { element: self.named(hit.at), score, reasons: hit.reasons.clone() }
    }

    fn named(&self, at: usize) -> Named {
        let thing = &self.scene.things[at];
        let role = thing.node.map_or("generic", |node| &*node.role).to_owned();
        let name = thing.node.map_or("", |node| &*node.name);
        let name = match thing.node {
            _ if !name.is_empty() => name.to_owned(),
            Some(node) if roles::is_control(node) => label(self.scene, at, node).to_owned(),
            _ => self.scene.said_in(at, 300),
        };
        Named { reference: thing.reference.unwrap_or_default(), role, name }
    }
}

/// Whether it is written as a CSS selector is: `#save`, `.primary`, `input[name=q]`, `nav > a`.
fn is_selector(description: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_word = |word: &str| {
        let word = word.strip_prefix(['#', '.']).filter(|_| !word.contains(' ')).unwrap_or_default();
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.chars().all(|c| is_name(c) || matches!(c, '.' | '#' | ':'))
    };
    let has_attribute = description
        .split_once('[')
        .is_some_and(|(tag, rest)| tag.chars().all(is_name) && rest.contains('=') && rest.ends_with(']'));
    is_word(description) || has_attribute || description.contains(" > ")
}

/// Whether an element fits as well as the best one, or as good as that.
fn is_rival(hit: &Hit, best: &Hit) -> bool {
    let whole = |hit: &Hit| hit.level.is_none_or(Level::is_whole);
    let gap = if whole(best) || whole(hit) { GAP } else { PART_GAP };
    hit.score > best.score - gap
}

/// A few candidates in a sentence. Their names are the page's words.
fn said(candidates: &[Candidate]) -> String {
    let one = |candidate: &Candidate| {
        let Named { reference, role, name } = &candidate.element;
        format!("{reference} {role} {:?}", shortened(name))
    };
    let mut said = candidates.iter().take(MOST_SAID).map(one).collect::<Vec<_>>().join(", ");
    if candidates.len() > MOST_SAID {
        said.push_str(", …");
    }
    said
}

fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_selector;

    #[test]
    fn selectors() {
        for selector in
            ["#save", ".primary.large", "input[name=q]", "[data-testid=\"x\"]", "nav > a", "#a:hover"]
        {
            assert!(is_selector(selector), "{selector}");
        }
        for words in
            ["#1", "Save", "the .NET link", "price > 100€"[..5].trim(), "save (all)", "购物车", "[x]"]
        {
            assert!(!is_selector(words), "{words}");
        }
    }
}

//! Containers: rows, dialogs, sections, and what they are called.

use super::{
    faces::Source,
    query::{Query, Wanted},
    rank::{Hit, Ranker},
    roles,
    synonyms::WEAK,
    text::{Strictness, Text},
};

/// How far into a container its heading stands.
const HEADING_WITHIN: usize = 12;

impl Ranker<'_> {
    /// The containers that a reading means. Its own anchors, colours and number are not looked at here.
    pub(super) fn containers(&self, query: &Query, role: Wanted) -> Vec<Hit> {
        if role == Wanted::Page || (role == Wanted::Box && query.name.is_empty()) {
            return Vec::new();
        }
        if query.name.is_empty() {
            return self.look_for_containers(query, role);
        }
        let key = (query.name.clone(), query.quoted, role as u8);
        if let Some(known) = self.holders.borrow().get(&key) {
            return known.clone();
        }
        let found = self.look_for_containers(query, role);
        self.holders.borrow_mut().insert(key, found.clone());
        found
    }

    fn look_for_containers(&self, query: &Query, role: Wanted) -> Vec<Hit> {
        let asked = Text::new(&query.name);
        let how = if query.quoted { Strictness::Quoted } else { Strictness::Meaning };
        let fits = |at: usize| {
            let thing = &self.scene.things[at];
            thing.reference.filter(|reference| reference.element != 0)?;
            let is_clickable_card = role == Wanted::Card && self.faces[at].usable && thing.end > at + 2;
            let fit = roles::contains(role, self.scene.role(at), thing.words).max(if is_clickable_card {
                0.9
            } else {
                0.0
            });
            if fit == 0.0 || thing.end == at + 1 {
                return None;
            }
            // The numbers of pages are no results.
            let is_number = || !self.scene.said_in(at, 40).chars().any(char::is_alphabetic);
            if role == Wanted::Entry && query.name.is_empty() && is_number() {
                return None;
            }
            let called = if query.name.is_empty() { UNNAMED } else { self.called(at, role, &asked, how)? };
            let reasons =
                vec![if query.name.is_empty() { query.said() } else { format!("has {:?}", query.name) }];
            Some(Hit { at, score: fit * called, level: None, source: None, reasons })
        };
        let mut hits: Vec<Hit> = (0..self.scene.things.len()).filter_map(fits).collect();
        if role.is_one_of_many() {
            // A row in a row is the one that is meant.
            let next: Vec<usize> = hits.iter().skip(1).map(|hit| hit.at).collect();
            let mut next = next.into_iter();
            hits.retain(|hit| !next.next().is_some_and(|next| self.scene.is_in(next, hit.at)));
        }
        let best = hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
        hits.retain(|hit| hit.score > best - 0.08);
        hits
    }

    fn is_in_usable(&self, at: usize) -> bool {
        std::iter::once(at).chain(self.scene.around(at)).take(4).any(|at| self.faces[at].usable)
    }

    /// Whether a word is in a container.
    fn says(&self, at: usize, word: &str) -> bool {
        self.says_so(at, word, |_| true)
    }

    /// The same, in a text that is as it should be.
    pub(super) fn says_so(&self, at: usize, word: &str, is_so: impl Fn(&Text) -> bool) -> bool {
        let inside = &self.faces[at..self.scene.things[at].end];
        inside.iter().any(|face| face.texts.iter().any(|(_, text)| text.has_word(word) && is_so(text)))
    }

    /// `order 1002`: some of the words head the columns, and the others are in the row.
    fn with_headers(&self, row: usize, said: &str, asked: &Text, how: Strictness) -> Option<f64> {
        if self.scene.role(row) != "row" || asked.heavy.len() < 2 || how == Strictness::Quoted {
            return None;
        }
        let table = self
            .scene
            .around(row)
            .find(|at| matches!(self.scene.role(*at), "table" | "grid" | "treegrid"))?;
        let first = (table + 1..self.scene.things[table].end)
            .find(|at| self.scene.role(*at) == "row")
            .filter(|first| *first != row)?;
        if !asked.heavy.iter().all(|word| self.says(row, word) || self.says(first, word)) {
            return None;
        }
        let (said, heads) = (Text::new(said), Text::new(&self.scene.said_in(first, 1_000)));
        let some = asked.heavy.iter().any(|word| said.has_word(word));
        let all = asked.heavy.iter().all(|word| said.has_word(word) || heads.has_word(word));
        (some && all).then_some(0.85)
    }

    /// Whether no other heading in a container has the rank of this one: otherwise it names but a part of it.
    fn is_only_heading(&self, container: usize, heading: usize) -> bool {
        let level = |at: usize| {
            self.scene.things[at]
                .node
                .filter(|node| &*node.role == "heading")
                .and_then(|node| node.property("level")?.parse::<u32>().ok())
        };
        let Some(own) = level(heading) else { return true };
        let others = (container + 1..self.scene.things[container].end).filter(|at| *at != heading);
        !others.filter_map(level).any(|other| other <= own)
    }

    /// How well a container goes by a name: its own, that of its heading, what stands in it.
    fn called(&self, at: usize, role: Wanted, asked: &Text, how: Strictness) -> Option<f64> {
        let fit = |text: &str| Text::new(text).fit(asked, how, &[]);
        let thing = &self.scene.things[at];
        let of_level = |whole: f64, part: f64| {
            move |level: super::text::Level| if level.is_whole() { whole } else { part }
        };
        let is_one_of_many = role.is_one_of_many();
        let name = self.faces[at].texts.iter().find(|(source, _)| *source == Source::Name);
        let own = name.and_then(|(_, name)| match is_one_of_many {
            true => name.fit_inside(asked, how, &[]),
            false => name.fit(asked, how, &[]),
        });
        let own = own.map(of_level(1.0, if is_one_of_many { 0.8 } else { 0.9 }));
        let within = (at + 1..thing.end).take(HEADING_WITHIN);
        let within = within.filter(|inner| self.is_only_heading(at, *inner));
        let heading = within
            .filter(|inner| {
                matches!(self.scene.role(*inner), "heading" | "caption" | "term")
                    || self.scene.things[*inner].words.starts_with("legend")
            })
            .find_map(|inner| {
                let name = self.scene.things[inner].node.map_or("", |node| &*node.name);
                let said = if name.is_empty() { self.scene.said_in(inner, 200) } else { name.to_owned() };
                fit(&said)
            })
            .map(of_level(1.0, 0.9));
        let mut inside = None;
        // A part of the page is one of many only by its name.
        let is_part = matches!(role, Wanted::Entry | Wanted::Card)
            && matches!(self.scene.role(at), "region" | "group" | "figure");
        if (is_one_of_many && !is_part) || matches!(role, Wanted::Dialog | Wanted::Section | Wanted::Form) {
            let words = (at + 1..thing.end).filter_map(|inner| {
                let thing = &self.scene.things[inner];
                // A button in a dialog does not name it.
                let says = is_one_of_many || !self.is_in_usable(inner);
                let is_leaf =
                    says && (!thing.text.is_empty() || thing.node.is_some_and(|node| !node.name.is_empty()));
                is_leaf.then(|| self.faces[inner].named(asked, how, &[])).flatten()
            });
            inside = words
                .map(|named| of_level(0.96, 0.82)(named.level))
                .fold(None, |best: Option<f64>, score| Some(best.map_or(score, |best| best.max(score))));
            // What says none of the words need not be read again.
            if inside.is_none() && is_one_of_many && asked.heavy.iter().any(|word| self.says(at, word)) {
                let said = self.scene.said_in(at, 2_000);
                let all = asked
                    .heavy
                    .iter()
                    .filter(|word| !WEAK.contains(&&***word))
                    .all(|word| self.says_so(at, word, |text| !text.says_otherwise(asked)));
                let fit = |said: &str| Text::new(said).fit_inside(asked, how, &[]);
                inside = all
                    .then(|| fit(&said))
                    .flatten()
                    .map(|_| 0.75)
                    .or_else(|| self.with_headers(at, &said, asked, how));
            }
        }
        if matches!(role, Wanted::Section | Wanted::Form | Wanted::Dialog) {
            // What is somewhere in a section does not name it unless nothing else does.
            inside = inside.map(|score| score * 0.75);
        }
        let before = || {
            let heading = (0..at).rev().take(40).find(|before| self.scene.role(*before) == "heading")?;
            let node = self.scene.things[heading].node?;
            fit(&node.name).filter(|level| level.is_whole()).map(|_| 0.85)
        };
        let by_author = || {
            let (_, words) = thing.words.split_once(' ')?;
            Text::new(words).fit(asked, how, &[]).map(|_| 0.7)
        };
        let said = [own, heading, inside]
            .into_iter()
            .flatten()
            .fold(None, |best: Option<f64>, score| Some(best.map_or(score, |best| best.max(score))));
        said.or_else(|| if is_one_of_many { None } else { before() }).or_else(by_author)
    }
}

/// A container without a name.
const UNNAMED: f64 = 0.9;

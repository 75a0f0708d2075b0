//! Descriptions whose words are not all in one name: some are what the element is called, the others what it is in or beside.
//! `Remove Tea towel` is the button `Remove` beside that text, 把无线鼠标加入购物车 the button 加入购物车 of that product.
//!
//! Nothing may be left over: every word has to be the element's or that of what holds it.

use std::collections::BTreeMap;

use super::{
    faces::{Face, Source},
    meaning::MONTHS,
    negation,
    query::{How, Query, Relation, State, Wanted},
    rank::{Hit, Parts, Ranker},
    roles,
    synonyms::VERBS,
    text::{Text, same},
};
use crate::snapshot::Node;

/// What an element is worth that is called by some of the words and nothing else, that has other words in its name as well, and that
/// is known by its kind or state only.
const WHOLE: f64 = 0.72;
const PART: f64 = 0.62;
const UNNAMED: f64 = 0.68;
/// The words for colours, as [`super::text`] leaves them.
const COLOURS: [&str; 18] = [
    "black", "white", "red", "green", "blue", "yellow", "orange", "purple", "pink", "grey", "brown", "cyan",
    "aqua", "lime", "navy", "maroon", "olive", "teal",
];
/// More words are a sentence.
const MOST_WORDS: usize = 12;

/// How much of a description an element says itself.
struct Own {
    /// Whether it is called by these words and nothing else, and whether its name begins with them.
    whole: bool,
    begins: bool,
    score: f64,
    said: Vec<String>,
    rest: Vec<String>,
}

impl Ranker<'_> {
    /// What fits a reading if its words may be scattered.
    pub(super) fn scatter(&self, query: &Query) -> Vec<Hit> {
        let Some(query) = gathered(query) else { return Vec::new() };
        // What ties two things together is no word of either.
        let ties = [" next to ", " left of ", " right of ", " to the left ", " to the right "];
        if !query.quoted && ties.iter().any(|tie| query.name.contains(tie)) {
            return Vec::new();
        }
        let asked = Text::new(&query.name).parts();
        let role = query.role.filter(|role| role.is_container());
        if asked.is_empty() || asked.len() > MOST_WORDS || !self.all_in_page(&asked) {
            return Vec::new();
        }
        let mut groups: BTreeMap<Vec<String>, Vec<Hit>> = BTreeMap::new();
        for at in 0..self.faces.len() {
            let Some((own, fit)) = self.own(at, &query, &asked) else { continue };
            // A colour is what something looks like, not what is written somewhere around it.
            if (own.rest.is_empty() && role.is_none())
                || own.rest.iter().any(|word| COLOURS.contains(&&**word))
            {
                continue;
            }
            let mut reasons = Vec::new();
            if !own.said.is_empty() {
                reasons.push(format!("is called {:?}", own.said.join(" ")));
            }
            reasons.extend(query.states.iter().map(|state| format!("{state:?}").to_lowercase()));
            groups.entry(own.rest).or_default().push(Hit {
                at,
                score: own.score * fit,
                level: None,
                source: None,
                reasons,
            });
        }
        let mut found = Vec::new();
        for (rest, hits) in groups {
            found.extend(match role {
                Some(role) => {
                    let anchor = Query { role: Some(role), name: rest.join(" "), ..query.clone() };
                    self.related(&Relation { how: How::In, anchor }, hits)
                }
                None if is_month(&rest) => self.narrowed(&query, self.within(&rest, hits)),
                // What is known by its state only is in a group of that name.
                None if rest.len() == asked.len() && !query.states.is_empty() => {
                    let anchor =
                        Query { role: Some(Wanted::Section), name: rest.join(" "), ..Query::default() };
                    self.narrowed(&query, self.related(&Relation { how: How::In, anchor }, hits))
                }
                None => self.narrowed(&query, self.tied(&rest, hits)),
            });
        }
        found.sort_by_key(|hit| hit.at);
        found
    }

    fn all_in_page(&self, words: &[String]) -> bool {
        let says = |texts: &Parts, word: &str| {
            texts.iter().any(|(_, parts)| parts.iter().any(|own| same(own, word)))
        };
        let is_there = |word: &String| {
            let mut known = self.in_page.borrow_mut();
            *known.entry(word.clone()).or_insert_with(|| self.parts().iter().any(|texts| says(texts, word)))
        };
        words.iter().all(is_there)
    }

    fn parts(&self) -> &[Parts] {
        let of = |face: &Face| face.texts.iter().map(|(source, text)| (*source, text.parts())).collect();
        self.parts.get_or_init(|| self.faces.iter().map(of).collect())
    }

    /// What of the words an element says itself, and how well it is of the kind that was asked for.
    fn own(&self, at: usize, query: &Query, asked: &[String]) -> Option<(Own, f64)> {
        let (face, thing) = (&self.faces[at], &self.scene.things[at]);
        // What is in a list of the browser's own is chosen there, and is no thing by itself.
        let is_of_list =
            |node: &&Node| &*node.role == "option" && self.scene.role(thing.parent) == "combobox";
        let node = thing.node.filter(|_| face.usable).filter(|node| !is_of_list(node))?;
        let role = query.role.filter(|role| !role.is_container());
        let fit = role.map_or(1.0, |role| roles::fit(role, node));
        let in_state = |state: &State| roles::is(node, *state);
        if fit == 0.0 || !query.states.iter().all(in_state) {
            return None;
        }
        let texts = self.parts()[at].iter();
        let visible = texts.filter(|(source, _)| !matches!(source, Source::Hint | Source::Value));
        let best =
            visible.filter_map(|(_, parts)| own(parts, asked)).max_by(|a, b| a.score.total_cmp(&b.score));
        // What is done is said by the element, never by what is around only.
        let leaves_verb = |own: &Own| has_verb(&own.rest) && !has_verb(&own.said);
        let is_seen = |(source, _): &(Source, Text)| *source != Source::Hint;
        let has_name = roles::is_control(node) && face.texts.iter().any(is_seen);
        let by_kind = (query.role.is_some_and(is_of_form) && !has_name) || !query.states.is_empty();
        let own = best.or_else(|| {
            by_kind.then(|| Own {
                whole: false,
                begins: false,
                score: UNNAMED,
                said: Vec::new(),
                rest: asked.to_vec(),
            })
        })?;
        let is_enough = match query.role {
            Some(role) if role.is_container() => has_verb(&own.said) && own.whole,
            Some(_) => true,
            None => own.whole || own.begins || own.said.is_empty(),
        };
        (is_enough && !leaves_verb(&own) && !self.is_field_to_confirm(&own)).then_some((own, fit))
    }

    /// Whether the words are those of a field that is filled in again: 确认密码 is not the button 确定 below a password.
    fn is_field_to_confirm(&self, own: &Own) -> bool {
        if own.said != ["confirm"] || own.rest.is_empty() {
            return false;
        }
        let is_field =
            |at: usize| self.scene.things[at].node.is_some_and(|node| roles::fit(Wanted::Field, node) > 0.0);
        let names = self.names(&Query { name: own.rest.join(" "), ..Query::default() });
        (0..names.len()).any(|at| names[at].is_some() && is_field(at))
    }

    /// Those in the smallest part of the page that says the rest: a month stands above its days, and far from most of them.
    fn within(&self, rest: &[String], hits: Vec<Hit>) -> Vec<Hit> {
        // What could be chosen instead is not what is shown.
        let is_shown = |at: &usize| {
            let is_other = |node: &Node| &*node.role == "option" && !roles::is(node, State::Selected);
            ![*at, self.scene.things[*at].parent]
                .iter()
                .any(|at| self.scene.things[*at].node.is_some_and(is_other))
        };
        let holds = |at: usize| {
            let says = |word: &String| {
                let mut inside = (at..self.scene.things[at].end).filter(is_shown);
                inside.any(|at| {
                    // What stands in something is said by what is in it.
                    let is_last = self.scene.things[at].end == at + 1;
                    let mut texts = self.faces[at].texts.iter();
                    texts.any(|(source, text)| (is_last || *source != Source::Content) && text.has_word(word))
                })
            };
            rest.iter().all(says)
        };
        let around = |hit: &Hit| self.scene.around(hit.at).find(|at| holds(*at));
        let sizes: Vec<usize> = hits
            .iter()
            .map(|hit| around(hit).map_or(usize::MAX, |at| self.scene.things[at].end - at))
            .collect();
        let least = sizes.iter().min().copied().unwrap_or_default();
        let is_least = |size: usize| size == least && size < usize::MAX;
        hits.into_iter().zip(sizes).filter(|(_, size)| is_least(*size)).map(|(hit, _)| hit).collect()
    }

    /// Those beside or in what says the rest, or else each word of it.
    fn tied(&self, rest: &[String], hits: Vec<Hit>) -> Vec<Hit> {
        let anchor = Query { name: rest.join(" "), ..Query::default() };
        let together = self.related(&Relation { how: How::Of, anchor }, hits.clone());
        if !together.is_empty() || rest.len() < 2 {
            return together;
        }
        let tie = |hits, (at, word): (usize, &String)| {
            let noun = at.checked_sub(1).map(|before| rest[before].clone());
            let anchor = Query { name: word.clone(), noun, ..Query::default() };
            self.related(&Relation { how: How::Of, anchor }, hits)
        };
        rest.iter().enumerate().fold(hits, tie)
    }
}

fn is_month(words: &[String]) -> bool {
    let is_year = |word: &String| word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit());
    words.iter().any(|word| MONTHS.contains(&&**word))
        && words.iter().all(|word| MONTHS.contains(&&**word) || is_year(word))
}

/// Fields and what is ticked often have their names around them.
fn is_of_form(role: Wanted) -> bool {
    matches!(
        role,
        Wanted::Field
            | Wanted::AnyField
            | Wanted::Checkbox
            | Wanted::Checkable
            | Wanted::Radio
            | Wanted::Switch
            | Wanted::Dropdown
            | Wanted::Picker
            | Wanted::Slider
    )
}

fn is_verb(word: &str) -> bool {
    VERBS.contains(&word)
}

pub(super) fn has_verb(words: &[String]) -> bool {
    words.iter().any(|word| is_verb(word))
}

/// The words that a name shares with what was asked for.
fn own(name: &[String], asked: &[String]) -> Option<Own> {
    let is_in = |word: &String, words: &[String]| words.iter().any(|other| same(word, other));
    let said: Vec<String> = asked.iter().filter(|word| is_in(word, name)).cloned().collect();
    let rest: Vec<String> = asked.iter().filter(|word| !is_in(word, name)).cloned().collect();
    if said.is_empty() {
        return None;
    }
    // It does something else, or takes back what was asked for.
    let undoes = |word: &str| negation::undoes(word, |word| asked.iter().any(|asked| asked == word));
    if name.iter().any(|word| (is_verb(word) && !is_in(word, asked)) || undoes(word)) {
        return None;
    }
    // It does what was to be taken back.
    let is_undone = |pair: &[String]| {
        is_in(&pair[1], &said)
            && pair[1] != "confirm"
            && negation::undoes(&pair[0], |word| said.iter().any(|said| said == word))
    };
    if asked.windows(2).any(is_undone) || rest.iter().any(|word| negation::bare(word).is_some()) {
        return None;
    }
    // `Accept all` accepts.
    let explained = name.iter().filter(|word| is_in(word, asked) || *word == "all").count();
    let whole = explained == name.len();
    // What is done to something else is something else.
    if !whole && name.first().is_some_and(|word| is_verb(word)) {
        return None;
    }
    let base = if whole { WHOLE } else { PART };
    let (share, cover) = (said.len() as f64 / asked.len() as f64, explained as f64 / name.len() as f64);
    // A name that has little to do with it is none, unless it begins with that.
    let begins = name.first().is_some_and(|word| is_in(word, asked));
    (cover >= 0.3 || begins).then_some(Own {
        whole,
        begins,
        score: base + 0.1 * share + 0.06 * cover,
        said,
        rest,
    })
}

/// 选择…的按钮: what is done is what the button is called.
pub(super) fn is_of_deed(query: &Query) -> bool {
    matches!(query.role, Some(Wanted::Button | Wanted::Link | Wanted::Icon))
        && matches!(&*query.relations, [Relation { how: How::Of, anchor }] if has_verb(&Text::new(&anchor.name).parts()))
}

/// The readings as they are looked for when words may be scattered: many are the same then.
pub(super) fn gathered_readings(readings: &[Query]) -> Vec<Query> {
    let mut all: Vec<Query> = Vec::new();
    for reading in readings.iter().filter_map(gathered) {
        if !all.contains(&reading) {
            all.push(reading);
        }
    }
    all
}

/// A reading with the names of its loose anchors as words of its own.
fn gathered(query: &Query) -> Option<Query> {
    let mut whole = Query { relations: Vec::new(), taken: 0, ..query.clone() };
    for relation in &query.relations {
        let anchor = &relation.anchor;
        let is_name = relation.how == How::Of
            && anchor.role.is_none_or(|role| role == Wanted::Entry)
            && anchor.relations.is_empty();
        let is_plain = anchor.ordinal.is_none() && anchor.colours.is_empty() && anchor.sides.is_empty();
        if is_name && is_plain && query.role.is_none_or(|role| !role.is_container()) {
            whole.name = format!("{} {}", anchor.name, whole.name);
        } else {
            whole.relations.push(relation.clone());
        }
    }
    (!whole.name.trim().is_empty()).then_some(whole)
}

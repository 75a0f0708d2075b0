//! Things of which there are several alike, one after another: results, songs, flights. Which of them is the second one.
//!
//! Only some of them are rows or list items; most are boxes that their author made. They are known by standing beside each other and being
//! made alike, and which of several such series is meant by the word for them, or by what is in them.

use rustc_hash::FxHashMap;

use super::{
    query::{Ordinal, Query},
    rank::{Hit, Ranker},
    roles,
    text::Text,
};
use crate::snapshot::Node;

/// What one of a series is worth.
const MEMBER: f64 = 0.88;
/// How far around a series the word for it may stand.
const AROUND: usize = 3;
/// How far before it a heading may stand.
const HEADING_BEFORE: usize = 6;

/// Several things alike in one part of the page, in order.
#[derive(Debug)]
pub(super) struct Series {
    part: usize,
    members: Vec<usize>,
}

impl Ranker<'_> {
    /// The one of a series that a reading means: `the third song`, 第二个航班. Several if it may be of several series. With `held`, only
    /// what holds some of those is looked at.
    pub(super) fn counted(&self, query: &Query, held: Option<&[Hit]>) -> Vec<Hit> {
        let (Some(ordinal), Some(noun)) = (query.ordinal, &query.noun) else { return Vec::new() };
        let (name, noun) = (Text::new(&query.name), Text::new(noun));
        let mut fitting: Vec<(u8, usize, Vec<usize>)> = Vec::new();
        for series in self.series() {
            let told = self.told_by(series, &noun);
            let mut members = series.members.clone();
            members.retain(|member| {
                name.heavy.iter().all(|word| self.says_so(*member, word, |text| !text.says_otherwise(&name)))
            });
            if !query.relations.is_empty() {
                let hit =
                    |at: usize| Hit { at, score: MEMBER, level: None, source: None, reasons: Vec::new() };
                let there = self.related_all(query, members.iter().copied().map(hit).collect());
                members = there.into_iter().map(|hit| hit.at).collect();
            }
            let holds = held.is_none_or(|hits| self.is_in_each(&members, hits));
            if holds && !members.is_empty() && (told > 0 || (name.is_empty() && self.is_content(series))) {
                fitting.push((told, series.part, members));
            }
        }
        // What is in each of them once tells rows from what holds several rows.
        let is_once = |(.., members): &(u8, usize, Vec<usize>)| {
            held.is_some_and(|hits| self.are_once_in_each(members, hits))
        };
        if fitting.iter().any(is_once) {
            fitting.retain(is_once);
        }
        let best = fitting.iter().map(|(told, ..)| *told).max().unwrap_or_default();
        fitting.retain(|(told, ..)| *told == best);
        // A series in one of a series is a part of it.
        let outer: Vec<usize> = fitting.iter().flat_map(|(.., members)| members).copied().collect();
        let is_inner =
            |part: usize| outer.iter().any(|member| *member == part || self.scene.is_in(part, *member));
        fitting.retain(|(_, part, _)| !is_inner(*part));
        let pick = |members: &[usize]| {
            let at = match ordinal {
                Ordinal::Nth(n) => n.checked_sub(1),
                Ordinal::FromEnd(n) => members.len().checked_sub(n),
            };
            let (of, at) = (members.len(), at?);
            let reasons = vec![format!("number {} of {of}", at + 1)];
            Some(Hit { at: *members.get(at)?, score: MEMBER, level: None, source: None, reasons })
        };
        fitting.iter().filter_map(|(.., members)| pick(members)).collect()
    }

    /// The one of a series that says a name, if it can be used or has a link that it is about: 知乎那条结果.
    pub(super) fn member_called(&self, query: &Query) -> Option<Hit> {
        let (name, noun) = (Text::new(&query.name), Text::new(query.noun.as_ref()?));
        let says = |member: &&usize| {
            name.heavy.iter().all(|word| self.says_so(**member, word, |text| !text.says_otherwise(&name)))
        };
        let content: Vec<&Series> = self.series().iter().filter(|series| self.is_content(series)).collect();
        let is_told = |series: &&&Series| self.told_by(series, &noun) > 0 || content.len() == 1;
        let told = content.iter().filter(is_told);
        let mut saying = told.flat_map(|series| series.members.iter().filter(says));
        let (member, None) = (*saying.next()?, saying.next()) else { return None };
        let reasons = vec![format!("says {:?}", query.name)];
        let hit = self.used_of(Hit { at: member, score: MEMBER, level: None, source: None, reasons });
        self.faces[hit.at].usable.then_some(hit)
    }

    /// The innermost of several alike that a thing is in.
    pub(super) fn member_around(&self, at: usize) -> Option<usize> {
        let is_member = |outer: &usize| {
            self.series().iter().any(|series| series.members.contains(outer) && self.is_content(series))
        };
        self.scene.around(at).find(is_member)
    }

    /// What is used of one of a series: itself, or the link that it is about, which begins it.
    pub(super) fn used_of(&self, mut hit: Hit) -> Hit {
        if self.faces[hit.at].usable {
            return hit;
        }
        let inside = hit.at + 1..self.scene.things[hit.at].end;
        let said = |at: &usize| self.scene.things[*at].text.chars().filter(|c| c.is_alphabetic()).count();
        let around = |at: usize| self.scene.around(at).take_while(|outer| *outer > hit.at);
        let texts: Vec<usize> = inside.filter(|at| said(at) > 0).collect();
        let longest = texts.iter().map(said).max().unwrap_or_default();
        // By its heading, or as the first of what is said, if that is a row or there is nothing longer.
        let is_row = self.scene.role(hit.at) == "row";
        let is_main = |at: &&usize| {
            around(**at).any(|outer| self.scene.role(outer) == "heading")
                || (texts.first() == Some(*at) && (is_row || said(at) == longest))
        };
        let link = |at: &usize| around(*at).find(|outer| self.scene.role(*outer) == "link");
        if let Some(link) = texts.iter().filter(is_main).find_map(link) {
            hit.at = link;
        }
        hit
    }

    /// All series of the page.
    fn series(&self) -> &[Series] {
        self.series.get_or_init(|| {
            let mut alike: FxHashMap<(usize, &str, &str), Vec<usize>> = FxHashMap::default();
            for (at, thing) in self.scene.things.iter().enumerate().skip(1) {
                let is_element = thing.reference.is_some_and(|reference| reference.element != 0);
                if is_element {
                    let tag = thing.words.split(' ').next().unwrap_or_default();
                    alike.entry((thing.parent, self.scene.role(at), tag)).or_default().push(at);
                }
            }
            let mut all: Vec<Series> = Vec::new();
            // The same things in several parts of the page are counted through: the goods of two shops.
            let mut named: FxHashMap<(&str, &str), usize> = FxHashMap::default();
            let mut found: Vec<_> = alike.into_iter().collect();
            found.sort_by_key(|(_, members)| members[0]);
            for ((part, role, tag), members) in found {
                let (members, common) = self.alike(members);
                let is_plain = common.is_empty()
                    && !matches!(role, "row" | "listitem" | "article" | "treeitem" | "option")
                    && !tag.is_empty();
                if members.is_empty()
                    || is_landmark(role)
                    || (is_plain && members.iter().any(|at| self.scene.things[*at].words.contains(' ')))
                {
                    continue;
                }
                let made = |part: usize| (self.scene.things[part].depth, self.scene.things[part].words);
                let known = named.get(&(tag, common)).copied().filter(|_| !common.is_empty());
                match known.filter(|known| made(all[*known].part) == made(part)) {
                    Some(before) => all[before].members.extend(members),
                    None => {
                        named.insert((tag, common), all.len());
                        all.push(Series { part, members });
                    }
                }
            }
            all.retain(|series| series.members.len() > 1);
            all
        })
    }

    /// Those of some siblings that are alike by what their author calls them, and that word.
    fn alike(&self, mut members: Vec<usize>) -> (Vec<usize>, &str) {
        let classes = |at: usize| self.scene.things[at].words.split(' ').skip(1);
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        for class in members.iter().flat_map(|at| classes(*at)) {
            *counts.entry(class).or_default() += 1;
        }
        // Of words that as many have, the first is what they are; the others say what they are like.
        let most = counts.values().max().copied().unwrap_or_default();
        let common = members.iter().flat_map(|at| classes(*at)).find(|class| counts[class] == most);
        let common = common.filter(|_| most > 1 || members.len() == 1).unwrap_or_default();
        if !common.is_empty() {
            members.retain(|at| classes(*at).any(|class| class == common));
        }
        let is_head = |at: usize| {
            let is_cell = |inner: &usize| {
                self.scene.role(*inner).ends_with("header") || self.scene.role(*inner).ends_with("cell")
            };
            let mut cells = (at + 1..self.scene.things[at].end).filter(is_cell).peekable();
            cells.peek().is_some() && cells.all(|cell| self.scene.role(cell) == "columnheader")
        };
        members.retain(|at| !is_head(*at));
        (members, common)
    }

    /// How plainly the word for a series is said: 3 by what its author calls its members, 2 around them, 0 not at all.
    fn told_by(&self, series: &Series, noun: &Text) -> u8 {
        let Some(word) = noun.heavy.last() else { return 0 };
        let is_made = |at: usize| {
            let (_, made) = self.scene.things[at].words.split_once(' ').unwrap_or_default();
            Text::new(&super::faces::apart(made)).has_word(word)
        };
        let is_called =
            |at: usize| Text::new(self.scene.things[at].node.map_or("", |node| &*node.name)).has_word(word);
        if is_made(series.members[0]) && !self.does_one_thing(series.members[0]) {
            return 3;
        }
        let mut around = std::iter::once(series.part).chain(self.scene.around(series.part)).take(AROUND);
        let mut headed =
            (0..series.members[0]).rev().take(HEADING_BEFORE).filter(|at| self.scene.role(*at) == "heading");
        let is_told = around.any(|at| is_made(at) || (!self.scene.role(at).is_empty() && is_called(at)))
            || headed.any(is_called);
        if is_told && self.is_content(series) { 2 } else { 0 }
    }

    /// Whether it is a button, a link or a field: one of many is more than what is done with it.
    fn does_one_thing(&self, at: usize) -> bool {
        let is_control =
            |node: &Node| roles::is_control(node) || matches!(&*node.role, "button" | "link" | "tab");
        self.scene.things[at].node.is_some_and(is_control)
    }

    /// Whether a series is what the page is about: several things are said in each, and something can be done.
    fn is_content(&self, series: &Series) -> bool {
        let is_aside = |at: usize| {
            matches!(
                self.scene.role(at),
                "navigation"
                    | "banner"
                    | "contentinfo"
                    | "complementary"
                    | "toolbar"
                    | "menu"
                    | "menubar"
                    | "tablist"
            )
        };
        let is_rich = |at: &usize| {
            let mut inside = *at + 1..self.scene.things[*at].end;
            let said =
                inside.clone().filter(|inner| !self.scene.things[*inner].text.is_empty()).take(3).count();
            let used = inside.any(|inner| self.faces[inner].usable) || self.faces[*at].usable;
            said >= 2 && used
        };
        !std::iter::once(series.part).chain(self.scene.around(series.part)).any(is_aside)
            && series.members.iter().filter(|at| is_rich(at)).count() * 2 > series.members.len()
    }

    /// Whether no member holds two of the hits.
    fn are_once_in_each(&self, members: &[usize], hits: &[Hit]) -> bool {
        let count = |member: &usize| hits.iter().filter(|hit| self.scene.is_in(hit.at, *member)).count();
        members.iter().all(|member| count(member) < 2)
    }

    /// Whether most of these hold one of the hits.
    fn is_in_each(&self, members: &[usize], hits: &[Hit]) -> bool {
        let holding =
            members.iter().filter(|member| hits.iter().any(|hit| self.scene.is_in(hit.at, **member)));
        holding.count() * 2 > members.len()
    }
}

/// Parts of the page are no things of which there are several.
fn is_landmark(role: &str) -> bool {
    matches!(
        role,
        "navigation" | "banner" | "contentinfo" | "complementary" | "main" | "region" | "search" | "form"
    )
}

//! What is beside something, or belongs to it without being in anything that says so.

use super::{
    place::{BESIDE, SAME},
    query::Query,
    rank::{Hit, Ranker},
};

/// More than this is no row or card, but a part of the page.
const LARGEST: usize = 60;

impl Ranker<'_> {
    /// For each mark those of `hits` that share the smallest part of the page with it.
    pub(super) fn near(&self, marks: &[usize], hits: &[Hit]) -> Vec<usize> {
        let mut found: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut order: Vec<usize> = hits.iter().map(|hit| hit.at).collect();
        order.sort_unstable();
        for mark in marks {
            let is_other = |at: &usize| *at != *mark && !self.scene.is_in(*mark, *at);
            // From the mark outwards: the first that holds another one is the smallest that both are in.
            let in_part = |part: usize| {
                let from = order.partition_point(|at| *at <= part);
                let inside = order[from..].iter().take_while(move |at| **at < self.scene.things[part].end);
                inside.copied().filter(is_other)
            };
            let common = std::iter::once(*mark)
                .chain(self.scene.around(*mark))
                .find(|part| in_part(*part).next().is_some());
            let Some(common) = common else { continue };
            if in_part(common).all(|at| self.is_tight(common, *mark, at)) {
                found.push((common, in_part(common).collect()));
                continue;
            }
            let in_line: Vec<usize> = order
                .iter()
                .copied()
                .filter(is_other)
                .filter(|at| self.gap_in_line(*mark, *at).is_some())
                .collect();
            let gap = in_line.iter().filter_map(|at| self.gap_in_line(*mark, *at)).min();
            let is_closest = |at: &usize| {
                self.gap_in_line(*mark, *at).zip(gap).is_some_and(|(own, least)| own - least < SAME)
            };
            let closest: Vec<usize> = in_line.into_iter().filter(is_closest).collect();
            if !closest.is_empty() {
                found.push((common, closest));
            }
        }
        // A name that also stands in a sentence above the rows is meant where it heads one, whatever else the sentence speaks of.
        let is_used = |(_, near): &(usize, Vec<usize>)| near.iter().any(|at| self.faces[*at].usable);
        if found.iter().any(is_used) {
            found.retain(is_used);
        }
        let parts: Vec<usize> = found.iter().map(|(part, _)| *part).collect();
        found.retain(|(part, _)| !parts.iter().any(|inner| self.scene.is_in(*inner, *part)));
        found.into_iter().flat_map(|(_, near)| near).collect()
    }

    /// Whether a part of the page is small enough to tie what is in it together, and the two are not in two rows of it.
    pub(super) fn is_tight(&self, common: usize, mark: usize, at: usize) -> bool {
        let thing = &self.scene.things[common];
        let words = thing.words.split(' ').next().unwrap_or_default();
        let is_page = thing.depth == 0
            || matches!(words, "html" | "body" | "main" | "form" | "tbody" | "table" | "ul" | "ol")
            || matches!(
                self.scene.role(common),
                "document"
                    | "main"
                    | "table"
                    | "grid"
                    | "rowgroup"
                    | "list"
                    | "form"
                    | "iframe"
                    | "navigation"
                    | "banner"
            );
        let (size, all) = (thing.end - common, self.scene.things.len());
        if is_page || size > LARGEST || (all > 20 && size * 10 > all * 7) {
            return false;
        }
        let branch = |inner: usize| {
            std::iter::once(inner).chain(self.scene.around(inner)).take_while(|outer| *outer != common).last()
        };
        let (Some(one), Some(other)) = (branch(mark), branch(at)) else { return true };
        let kind = |at: usize| (self.scene.role(at), self.scene.things[at].words);
        let leaves = |at: usize| {
            (at..self.scene.things[at].end).filter(|inner| self.scene.things[*inner].end == inner + 1).count()
        };
        let is_used = |at: usize| (at..self.scene.things[at].end).any(|inner| self.faces[inner].usable);
        // Names on one side and what can be done on the other are parts of one row, unless its author calls them the same.
        let is_split = || {
            !kind(one).1.contains(' ')
                && is_used(one) != is_used(other)
                && self.gap_in_line(one, other).is_some()
        };
        let alike = kind(one) == kind(other) && kind(one) != ("", "") && !is_split();
        !(alike && leaves(one) > 1 && leaves(other) > 1)
    }

    /// How far two things on one line are apart.
    fn gap_in_line(&self, one: usize, other: usize) -> Option<i32> {
        let ([left, top, width, height], [x, y, w, h]) =
            (self.scene.things[one].bounds?, self.scene.things[other].bounds?);
        let overlap = (top + height).min(y + h) - top.max(y);
        let gap = (x - (left + width)).max(left - (x + w)).max(0);
        (overlap * 2 >= height.min(h) && height.min(h) > 0 && gap <= BESIDE).then_some(gap)
    }

    pub(super) fn beside(&self, anchor: &Query, hits: &[Hit]) -> Vec<usize> {
        let mut found = Vec::new();
        for mark in self.marks(anchor) {
            let tied = self.near(&[mark], hits);
            if tied.len() < 2 {
                found.extend(tied);
                continue;
            }
            let distance = |at: usize| self.distance(mark, at);
            let least = tied.iter().map(|at| distance(*at)).min().unwrap_or_default();
            found.extend(tied.iter().copied().filter(|at| distance(*at) - least < SAME));
        }
        found
    }

    /// What stands after one thing and before another, the closest such pair of them.
    pub(super) fn between(&self, anchor: &Query, hits: &[Hit]) -> Vec<usize> {
        let Some((one, other)) =
            [" and ", "和", "与", "跟"].iter().find_map(|and| anchor.name.split_once(and))
        else {
            return Vec::new();
        };
        let marks = |name: &str| self.marks(&Query { name: name.trim().into(), ..Query::default() });
        let (ones, others) = (marks(one), marks(other));
        let pairs = ones.iter().flat_map(|one| {
            others.iter().map(move |other| {
                let (first, last) = (*one.min(other), *one.max(other));
                (self.scene.things[first].end, last)
            })
        });
        let closest = pairs.filter(|(from, to)| from < to).min_by_key(|(from, to)| to - from);
        let is_there = |at: &usize| closest.is_some_and(|(from, to)| (from..to).contains(at));
        hits.iter().map(|hit| hit.at).filter(is_there).collect()
    }

    /// How far two things are apart, by their boxes; by their places in the page where there are none.
    fn distance(&self, one: usize, other: usize) -> i32 {
        match (self.scene.things[one].bounds, self.scene.things[other].bounds) {
            (Some([left, top, width, height]), Some([x, y, w, h])) => {
                let across = (x - (left + width)).max(left - (x + w)).max(0);
                let down = (y - (top + height)).max(top - (y + h)).max(0);
                // What is on another line is further away than it looks.
                across + 3 * down
            }
            _ => i32::try_from(one.abs_diff(other)).unwrap_or(i32::MAX).saturating_mul(SAME),
        }
    }
}

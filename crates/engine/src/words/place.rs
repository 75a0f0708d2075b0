//! Where elements are as seen from others: in them, beside them, below them.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{
    query::{How, Query, Relation, Wanted},
    rank::{Hit, Ranker},
    text::{Strictness, Text},
};

/// What stands further away is not beside.
pub(super) const BESIDE: i32 = 400;
const BELOW: i32 = 600;
/// Distances that differ by less are the same to people.
pub(super) const SAME: i32 = 8;

impl Ranker<'_> {
    /// Those of `hits` that are where a relation says.
    pub(super) fn related(&self, relation: &Relation, hits: Vec<Hit>) -> Vec<Hit> {
        let Relation { how, anchor } = relation;
        let kept: Vec<usize> = match how {
            How::In | How::Of => self.inside(anchor, &hits, *how),
            // What is next to one of many is its own.
            How::NextTo if anchor.role.is_some_and(Wanted::is_one_of_many) => {
                self.inside(anchor, &hits, How::Of)
            }
            How::NextTo => self.beside(anchor, &hits),
            How::Between => self.between(anchor, &hits),
            _ => {
                // `under the post` is in it.
                let held = match anchor.role {
                    Some(role) if role.is_container() && matches!(how, How::Below) => {
                        self.inside(anchor, &hits, How::In)
                    }
                    _ => Vec::new(),
                };
                if held.is_empty() { self.towards(*how, anchor, &hits) } else { held }
            }
        };
        let reason = format!("{} {}", how.said(), anchor.said());
        let mut hits = hits;
        let kept: FxHashSet<usize> = kept.into_iter().collect();
        hits.retain(|hit| kept.contains(&hit.at));
        for hit in &mut hits {
            hit.reasons.push(reason.clone());
        }
        hits
    }

    /// Those that are where all relations of a reading say.
    pub(super) fn related_all(&self, query: &Query, hits: Vec<Hit>) -> Vec<Hit> {
        // What is counted is a list, whatever it is made of.
        let is_list = |relation: &&Relation| {
            relation.anchor.name.is_empty()
                && relation.anchor.relations.is_empty()
                && matches!(relation.anchor.role, Some(Wanted::List | Wanted::Table | Wanted::Main))
        };
        let mut relations = query.relations.iter().filter(|relation| !is_list(relation));
        relations
            .try_fold(hits, |hits, relation| {
                let related = self.related(relation, hits);
                if related.is_empty() { None } else { Some(related) }
            })
            .unwrap_or_default()
    }

    fn inside(&self, anchor: &Query, hits: &[Hit], how: How) -> Vec<usize> {
        if let Some(role) = anchor.role.filter(|role| role.is_container()) {
            if role == Wanted::Column {
                let found = self.in_column(anchor, hits);
                if !found.is_empty() || anchor.name.is_empty() {
                    return found;
                }
                // On a board the columns are parts of the page.
                return self.inside(&Query { role: Some(Wanted::Section), ..anchor.clone() }, hits, how);
            }
            if anchor.ordinal.is_some() && anchor.noun.is_some() {
                let counted = self.counted(anchor, Some(hits));
                if !counted.is_empty() {
                    return self.held(hits, counted.iter().map(|holder| holder.at));
                }
            }
            let holders = self.anchored(anchor);
            if holders.is_empty() && !anchor.sides.is_empty() {
                return self.at_sides_inside(anchor, hits, how);
            }
            let held = self.held(hits, holders.iter().map(|holder| holder.at));
            // Wrappers that only sound like it do not decide anything.
            let is_sure = |holder: &Hit| super::roles::contains(role, self.scene.role(holder.at), "") >= 0.9;
            let is_soft = matches!(
                role,
                Wanted::Row
                    | Wanted::ListItem
                    | Wanted::Card
                    | Wanted::Entry
                    | Wanted::Section
                    | Wanted::Box
                    | Wanted::Form
                    | Wanted::List
            );
            if !held.is_empty()
                || holders.iter().any(is_sure)
                || !is_soft
                || anchor.name.is_empty()
                || anchor.ordinal.is_some()
            {
                return held;
            }
            let name = Query { role: None, ..anchor.clone() };
            return match role {
                Wanted::Section | Wanted::Box | Wanted::Form | Wanted::List => {
                    self.under_heading(&self.marks(&name), hits)
                }
                _ => self.near(&self.marks(&name), hits),
            };
        }
        let marks = self.marks(anchor);
        // What is named like that and holds the element.
        let held = self.held(hits, marks.iter().copied().filter(|mark| !self.faces[*mark].usable));
        if !held.is_empty() {
            return held;
        }
        // Nothing is in a field; what seems to be stands beside it.
        if matches!(anchor.role, Some(Wanted::Field | Wanted::AnyField)) {
            return self.beside(anchor, hits);
        }
        if how == How::In && anchor.role.is_some() {
            return held;
        }
        for wanted in [Wanted::Row, Wanted::Dialog, Wanted::Section] {
            let named = Query { role: Some(wanted), ..anchor.clone() };
            let holders = if anchor.name.is_empty() { Arc::default() } else { self.anchored(&named) };
            // Only what is called so by its own name or in a cell of its own.
            let sure = holders.iter().filter(|holder| holder.score >= 0.84);
            let sure: Vec<usize> =
                sure.map(|holder| holder.at).filter(|at| !self.scene.role(*at).is_empty()).collect();
            let held = self.held(hits, sure.iter().copied());
            if !held.is_empty() {
                return held;
            }
            if wanted == Wanted::Row && !sure.is_empty() {
                return held;
            }
        }
        let under = self.under_heading(&marks, hits);
        if under.is_empty() { self.near(&marks, hits) } else { under }
    }

    /// `in the right part of the header`: where no such part is at that side, the side is that of the element in it.
    fn at_sides_inside(&self, anchor: &Query, hits: &[Hit], how: How) -> Vec<usize> {
        let part = Query { sides: Vec::new(), ..anchor.clone() };
        let held = self.inside(&part, hits, how);
        let hits = hits.iter().filter(|hit| held.contains(&hit.at)).cloned().collect();
        let relations = vec![Relation { how: How::In, anchor: part }];
        let wanted = Query { sides: anchor.sides.clone(), relations, ..Query::default() };
        self.at_sides(&wanted, hits).into_iter().map(|hit| hit.at).collect()
    }

    /// Those that are in one of the holders.
    fn held(&self, hits: &[Hit], holders: impl Iterator<Item = usize>) -> Vec<usize> {
        let holders: FxHashSet<usize> = holders.collect();
        let is_held = |at: &usize| self.scene.around(*at).any(|outer| holders.contains(&outer));
        hits.iter().map(|hit| hit.at).filter(|at| !holders.is_empty() && is_held(at)).collect()
    }

    /// The things that an anchor means; those of its whole name go first, and texts are taken before what they name.
    pub(super) fn marks(&self, anchor: &Query) -> Vec<usize> {
        if anchor.role.is_some() {
            return self.anchored(anchor).iter().map(|hit| hit.at).collect();
        }
        // A word for one of many that is counted counts those, not what is said of them.
        if anchor.bent && anchor.ordinal.is_some() {
            return Vec::new();
        }
        let names = self.names(anchor);
        let found = (1..self.faces.len()).filter_map(|at| {
            let thing = &self.scene.things[at];
            let said = !thing.text.is_empty()
                || thing
                    .node
                    .is_some_and(|node| !node.name.is_empty() || node.property("placeholder").is_some());
            let named = names[at].filter(|_| said && self.has_number(at, anchor))?;
            Some(Hit {
                at,
                score: named.score,
                level: Some(named.level),
                source: Some(named.source),
                reasons: Vec::new(),
            })
        });
        let mut marks: Vec<Hit> = found.collect();
        let is_whole = |hit: &Hit| hit.level.is_some_and(super::text::Level::is_whole);
        if marks.iter().any(is_whole) {
            marks.retain(is_whole);
        }
        if marks.iter().any(|mark| mark.level == Some(super::text::Level::Is)) {
            marks.retain(|mark| mark.level == Some(super::text::Level::Is));
        }
        for relation in &anchor.relations {
            marks = self.related(relation, marks);
        }
        let mut marks: Vec<usize> = marks.into_iter().map(|mark| mark.at).collect();
        if let Some(ordinal) = anchor.ordinal {
            let at = match ordinal {
                super::query::Ordinal::Nth(n) => n.checked_sub(1),
                super::query::Ordinal::FromEnd(n) => marks.len().checked_sub(n),
            };
            marks = at.and_then(|at| marks.get(at).copied()).into_iter().collect();
        }
        // What holds another one says it only because that does.
        let next: Vec<usize> = marks.iter().skip(1).copied().collect();
        let mut next = next.into_iter();
        marks.retain(|mark| {
            !next.next().is_some_and(|next| self.scene.is_in(next, *mark))
                || self.scene.things[*mark].node.is_some_and(|node| !node.name.is_empty())
        });
        marks
    }

    /// What comes after a heading and before the next one like it.
    fn under_heading(&self, marks: &[usize], hits: &[Hit]) -> Vec<usize> {
        let mut found = Vec::new();
        for mark in marks {
            let heading = std::iter::once(*mark)
                .chain(self.scene.around(*mark))
                .find(|at| self.scene.role(*at) == "heading");
            let Some(heading) = heading else { continue };
            // One of several alike is all that its heading is about, also what stands before it.
            if let Some(member) = self.member_around(heading) {
                found.extend(hits.iter().map(|hit| hit.at).filter(|at| self.scene.is_in(*at, member)));
                continue;
            }
            let level = |at: usize| {
                self.scene.things[at]
                    .node
                    .and_then(|node| node.property("level")?.parse::<u32>().ok())
                    .unwrap_or(2)
            };
            let own = level(heading);
            let ends = |at: &usize| {
                let role = self.scene.role(*at);
                (role == "heading" && level(*at) <= own)
                    || matches!(role, "contentinfo" | "main" | "navigation" | "complementary")
            };
            let end = (self.scene.things[heading].end..self.scene.things.len())
                .find(ends)
                .unwrap_or(self.scene.things.len());
            // It does not reach out of the part of the page that it is in.
            let part = self.scene.around(heading).find(|at| {
                matches!(
                    self.scene.role(*at),
                    "banner"
                        | "contentinfo"
                        | "dialog"
                        | "article"
                        | "region"
                        | "form"
                        | "listitem"
                        | "complementary"
                        | "iframe"
                        | "group"
                )
            });
            let end = part.map_or(end, |part| end.min(self.scene.things[part].end));
            found.extend(hits.iter().map(|hit| hit.at).filter(|at| (heading + 1..end).contains(at)));
        }
        found
    }

    /// The nearest in a direction.
    fn towards(&self, how: How, anchor: &Query, hits: &[Hit]) -> Vec<usize> {
        let mut marks = self.marks(anchor);
        let is_text = |at: usize| !self.scene.things[at].text.is_empty();
        let texts: Vec<usize> = marks.iter().copied().filter(|mark| is_text(*mark)).collect();
        // A text goes before the field that it names and the button that it stands in; of anything else it is another.
        let is_told = |at: usize| {
            let is_field = self.scene.things[at].node.is_some_and(super::roles::is_control);
            texts.iter().any(|text| is_field || self.scene.is_in(*text, at))
        };
        marks.retain(|mark| is_text(*mark) || !is_told(*mark));
        let mut found = Vec::new();
        for mark in marks {
            let Some(from) = self.scene.things[mark].bounds else { continue };
            let tied = |at: usize| self.is_tight(self.scene.common(at, mark), mark, at);
            let far = |hit: &Hit| {
                let apart =
                    hit.at != mark && !self.scene.is_in(mark, hit.at) && !self.scene.is_in(hit.at, mark);
                let to = self.scene.things[hit.at].bounds.filter(|_| apart)?;
                if self.is_under_another(how, mark, from, to) {
                    return None;
                }
                // What belongs to it and is on a later line is below it, wherever the line goes.
                let later = || {
                    let gap = to[1] - (from[1] + from[3]);
                    (how == How::Below && tied(hit.at) && (0..=BELOW).contains(&gap)).then_some(gap + BELOW)
                };
                distance_towards(how, from, to).or_else(later).map(|distance| (hit.at, distance))
            };
            let mut all: Vec<(usize, i32)> = hits.iter().filter_map(far).collect();
            // What belongs together goes before what merely is there.
            if all.iter().any(|(at, _)| tied(*at)) {
                all.retain(|(at, _)| tied(*at));
            }
            let least = all.iter().map(|(_, distance)| *distance).min().unwrap_or_default();
            found.extend(all.iter().filter(|(_, distance)| distance - least < SAME).map(|(at, _)| *at));
        }
        found
    }

    /// Whether a box that is only aside of a mark stands below another thing of the mark's kind: of columns side by side, each has its own head.
    fn is_under_another(&self, how: How, mark: usize, from: [i32; 4], to: [i32; 4]) -> bool {
        let across = |one: [i32; 4], other: [i32; 4]| {
            (one[0] + one[2]).min(other[0] + other[2]) - one[0].max(other[0])
        };
        if how != How::Below || across(from, to) > 0 {
            return false;
        }
        // A text is of the kind of what it stands in.
        let kind = |at: usize| (self.scene.role(at), self.scene.things[at].words);
        let head = std::iter::once(mark).chain(self.scene.around(mark)).find(|at| kind(*at) != ("", ""));
        let Some(head) = head.filter(|head| !self.scene.things[*head].words.is_empty()) else { return false };
        (0..self.scene.things.len()).any(|at| {
            at != head
                && kind(at) == kind(head)
                && self.scene.things[at].bounds.is_some_and(|other| {
                    across(other, to) > 0 && other[1] + other[3] <= to[1] && other[1] >= from[1] - SAME
                })
        })
    }

    /// What is in cells under a header of that name.
    fn in_column(&self, anchor: &Query, hits: &[Hit]) -> Vec<usize> {
        let asked = Text::new(&anchor.name);
        let cells = |row: usize| {
            (row + 1..self.scene.things[row].end)
                .filter(move |at| {
                    self.scene.role(*at).ends_with("cell") || self.scene.role(*at).ends_with("header")
                })
                .collect::<Vec<usize>>()
        };
        let is_under = |at: &usize| {
            let row = self.scene.around(*at).find(|at| self.scene.role(*at) == "row")?;
            let table = self
                .scene
                .around(row)
                .find(|at| matches!(self.scene.role(*at), "table" | "grid" | "treegrid"))?;
            let first = (table + 1..self.scene.things[table].end)
                .find(|at| self.scene.role(*at) == "row")
                .filter(|first| *first != row)?;
            let place = cells(row).iter().position(|cell| cell == at || self.scene.is_in(*at, *cell))?;
            let head = *cells(first).get(place)?;
            let said = self.scene.things[head]
                .node
                .filter(|node| !node.name.is_empty())
                .map(|node| node.name.to_string());
            Text::new(&said.unwrap_or_else(|| self.scene.said_in(head, 200))).fit(
                &asked,
                Strictness::Meaning,
                &[],
            )
        };
        hits.iter().map(|hit| hit.at).filter(|at| is_under(at).is_some()).collect()
    }
}

/// How far a box is from another in a direction; none if it is not there.
fn distance_towards(how: How, [left, top, width, height]: [i32; 4], [x, y, w, h]: [i32; 4]) -> Option<i32> {
    let across = (left + width).min(x + w) - left.max(x);
    let down = (top + height).min(y + h) - top.max(y);
    let slack = 4;
    let (gap, off, limit) = match how {
        How::Below => (y - (top + height), -across, BELOW),
        How::Above => (top - (y + h), -across, BELOW),
        How::LeftOf => (left - (x + w), -down, BESIDE),
        How::RightOf => (x - (left + width), -down, BESIDE),
        _ => return None,
    };
    // A little to the side is still below; on another line is not beside.
    let allowed = if matches!(how, How::Below | How::Above) { 40 } else { -1 };
    (gap >= -slack && gap <= limit && off <= allowed).then(|| gap.max(0) + off.max(0))
}

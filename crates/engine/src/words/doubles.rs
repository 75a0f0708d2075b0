//! Elements that are the same thing to people: a row that merely holds the button, a label beside its field, a picture and its caption
//! that lead to the same place.

use super::{
    rank::{GAP, Hit, Ranker},
    roles,
    text::Level,
};

/// How many of what fits before and behind an element are looked at for being the same thing.
const CLOSE: usize = 24;

impl Ranker<'_> {
    /// One element of those that are the same thing to people: the innermost that can be used, the control rather than its label.
    pub(super) fn without_doubles(&self, hits: Vec<Hit>) -> Vec<Hit> {
        let is_double = |one: &Hit, other: &Hit| {
            if self.is_around_entry(one, other) {
                return true;
            }
            if one.at == other.at
                || self.is_around_entry(other, one)
                || (other.score < one.score - GAP && !self.outranks(other, one))
            {
                return false;
            }
            let usable = (self.faces[one.at].usable, self.faces[other.at].usable);
            if self.scene.is_in(other.at, one.at) {
                return match usable {
                    (_, true) => true,
                    (true, false) => false,
                    (false, false) => self.scene.things[other.at].node.is_some(),
                };
            }
            if self.scene.is_in(one.at, other.at) {
                return match usable {
                    (true, _) => false,
                    (false, true) => true,
                    (false, false) => self.scene.things[one.at].node.is_none(),
                };
            }
            self.is_label_of(one.at, other.at) || self.is_same_link(one.at, other.at)
        };
        // Only what holds it, is in it or stands close by can be the same thing: not everything is compared with everything.
        let mut order: Vec<&Hit> = hits.iter().collect();
        order.sort_by_key(|hit| hit.at);
        let from = |at: usize| order.partition_point(|hit| hit.at < at);
        let gone = |one: &Hit| {
            let (own, end) = (from(one.at), from(self.scene.things[one.at].end));
            let close = &order[own.saturating_sub(CLOSE)..order.len().min(end + CLOSE)];
            let mut around =
                self.scene.around(one.at).filter_map(|at| order.get(from(at)).filter(|hit| hit.at == at));
            close.iter().any(|other| is_double(one, other)) || around.any(|other| is_double(one, other))
        };
        let keep: Vec<bool> = hits.iter().map(|hit| !gone(hit)).collect();
        hits.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(hit, _)| hit).collect()
    }

    /// Whether something that can be used goes before a plain text, whatever they are called.
    fn outranks(&self, other: &Hit, one: &Hit) -> bool {
        self.faces[other.at].usable && !self.faces[one.at].usable && other.level.is_some_and(Level::is_whole)
    }

    /// Whether one is a clickable area around a cell or another entry that is called just so: a whole table that listens for all of its cells.
    fn is_around_entry(&self, one: &Hit, other: &Hit) -> bool {
        let role = |at: usize| self.scene.things[at].node.map_or("", |node| &*node.role);
        let is_entry = || {
            matches!(
                role(other.at),
                "cell" | "gridcell" | "columnheader" | "rowheader" | "listitem" | "treeitem"
            )
        };
        let is_exact = other.level == Some(Level::Is) && one.level.is_some_and(|level| !level.is_whole());
        is_exact && role(one.at) == "generic" && self.scene.is_in(other.at, one.at) && is_entry()
    }

    /// Whether one is the clickable text beside a control of the same name.
    fn is_label_of(&self, one: usize, other: usize) -> bool {
        let (Some(label), Some(control)) = (self.scene.things[one].node, self.scene.things[other].node)
        else {
            return false;
        };
        let is_near = one.abs_diff(other) <= 8;
        let same = || self.first_text(one).is_some_and(|text| Some(text) == self.first_text(other));
        is_near && &*label.role == "generic" && roles::is_control(control) && same()
    }

    /// Whether both lead to the same place under the same name, side by side: a picture and its caption. The first one stays.
    fn is_same_link(&self, one: usize, other: usize) -> bool {
        let (Some(later), Some(first)) = (self.scene.things[one].node, self.scene.things[other].node) else {
            return false;
        };
        let url = later.property("url");
        let between = self.scene.things[other].end..one;
        let others = between.clone().count() > 8 || between.into_iter().any(|at| self.faces[at].usable);
        let same = || self.first_text(one).is_some_and(|text| Some(text) == self.first_text(other));
        other < one && !others && url.is_some_and(leads_on) && url == first.property("url") && same()
    }

    fn first_text(&self, at: usize) -> Option<&str> {
        self.faces[at].texts.first().map(|(_, text)| &*text.plain)
    }
}

/// Whether a link leads anywhere: one that only a script makes something of says nothing by its address.
fn leads_on(url: &str) -> bool {
    !url.is_empty() && !url.ends_with('#') && !url.to_ascii_lowercase().starts_with("javascript:")
}

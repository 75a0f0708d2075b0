//! Which elements are at the top, on the right, in a corner.

use super::{
    query::{How, Query, Side, Wanted},
    rank::{Hit, Ranker},
};

/// What is not further from an edge than another is as much at that edge.
const SAME: i32 = 12;

impl Ranker<'_> {
    /// Those of `hits` that are at all the sides that were asked for, of what they are in or of the page; of several the outermost.
    pub(super) fn at_sides(&self, query: &Query, mut hits: Vec<Hit>) -> Vec<Hit> {
        let area = self.area(query);
        hits.retain(|hit| self.scene.things[hit.at].bounds.is_some());
        let bounds = |hit: &Hit| self.scene.things[hit.at].bounds.unwrap_or_default();
        let is_there = |hit: &Hit| query.sides.iter().all(|side| self.is_at(*side, bounds(hit), area));
        // Where none is at that side of the page, one of several in a line can still be at that side of the others.
        let all: Vec<[i32; 4]> = hits.iter().map(bounds).collect();
        let in_line =
            matches!(*query.sides, [side] if area.is_none() && all.len() > 1 && are_in_line(side, &all));
        if !in_line || hits.iter().any(is_there) {
            hits.retain(is_there);
        }
        let far = |hit: &Hit| -> i32 {
            let bounds = self.scene.things[hit.at].bounds.unwrap_or_default();
            query.sides.iter().map(|side| from_edge(*side, bounds, area.unwrap_or(self.page()))).sum()
        };
        let least = hits.iter().map(far).min().unwrap_or_default();
        hits.retain(|hit| far(hit) - least <= SAME);
        for hit in &mut hits {
            hit.reasons.extend(
                query.sides.iter().map(|side| format!("at the {}", format!("{side:?}").to_lowercase())),
            );
        }
        hits
    }

    /// The container whose sides are meant; none for the page.
    fn area(&self, query: &Query) -> Option<[i32; 4]> {
        let holder = query.relations.iter().find(|relation| {
            matches!(relation.how, How::In | How::Of)
                && relation.anchor.role.is_some_and(|role| role.is_container() && role != Wanted::Page)
        })?;
        match **self.anchored(&holder.anchor) {
            [ref only] => self.scene.things[only.at].bounds,
            _ => None,
        }
    }

    /// The whole page, in the window's coordinates.
    fn page(&self) -> [i32; 4] {
        let [x, y, width, height] = self.scene.window;
        let shown = self.scene.things.iter().filter(|thing| thing.node.is_some() || !thing.text.is_empty());
        let bottom = shown.filter_map(|thing| thing.bounds).map(|[_, top, _, height]| top + height).max();
        [-x, -y, width, bottom.unwrap_or(height) + y]
    }

    fn is_at(&self, side: Side, [left, top, width, height]: [i32; 4], area: Option<[i32; 4]>) -> bool {
        let (x, y) = (left + width / 2, top + height / 2);
        if let Some([ax, ay, aw, ah]) = area {
            return match side {
                Side::Left => 2 * (x - ax) < aw,
                Side::Right => 2 * (x - ax) > aw,
                Side::Top => 2 * (y - ay) < ah,
                Side::Bottom => 2 * (y - ay) > ah,
                Side::Middle => (x - ax) * 3 > aw && (x - ax) * 3 < 2 * aw,
            };
        }
        let [px, py, pw, ph] = self.page();
        let [.., window] = self.scene.window;
        match side {
            Side::Left => 20 * (x - px) < 9 * pw,
            Side::Right => 20 * (x - px) > 11 * pw,
            Side::Top => 5 * (y - py) < 2 * window.min(ph) || 5 * y < window && y > 0,
            Side::Bottom => {
                5 * (ph - (y - py)) < 2 * window.min(ph) || 5 * (window - y) < window && y < window
            }
            Side::Middle => (x - px) * 3 > pw && (x - px) * 3 < 2 * pw,
        }
    }
}

/// Whether boxes stand side by side, or one below the other, as the side needs it.
fn are_in_line(side: Side, boxes: &[[i32; 4]]) -> bool {
    let (start, length) = if matches!(side, Side::Left | Side::Right) { (1, 3) } else { (0, 2) };
    let from = boxes.iter().map(|bounds| bounds[start]).max().unwrap_or_default();
    let to = boxes.iter().map(|bounds| bounds[start] + bounds[length]).min().unwrap_or_default();
    side != Side::Middle && from < to
}

/// How far a box is from an edge.
fn from_edge(side: Side, [left, top, width, height]: [i32; 4], [ax, ay, aw, ah]: [i32; 4]) -> i32 {
    match side {
        Side::Left => left - ax,
        Side::Right => ax + aw - (left + width),
        Side::Top => top - ay,
        Side::Bottom => ay + ah - (top + height),
        Side::Middle => (2 * (left - ax) + width - aw).abs() / 2,
    }
}

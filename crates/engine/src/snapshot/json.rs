//! A view as data: the elements that the text shows, as [`SnapshotNode`]s.

use contract::SnapshotNode;
use serde_json::{Map, Value};

use super::{
    distil::{Item, Piece},
    text::{LEVELS, TextOptions},
    tree::View,
};

/// An element that is being filled. One that is not shown hands what is in it to the one around it.
struct Open<'d, 'v> {
    pieces: std::slice::Iter<'d, Piece<'v>>,
    level: usize,
    node: Option<SnapshotNode>,
    /// How many elements in it are too deep to be shown.
    hidden: u64,
}

impl View {
    /// The same elements as [`View::render`] shows. `max_chars` does not count here; where `depth` ends, the property `inside` says
    /// how many elements were left out.
    pub(crate) fn json(&self, options: &TextOptions) -> Vec<SnapshotNode> {
        let Some(distilled) = self.distilled(options) else { return Vec::new() };
        let root = SnapshotNode::default();
        let mut open = vec![Open { pieces: distilled.roots.iter(), level: 0, node: Some(root), hidden: 0 }];
        loop {
            let Some(top) = open.last_mut() else { return Vec::new() };
            let level = top.level;
            let Some(piece) = top.pieces.next() else {
                let Some(done) = open.pop() else { return Vec::new() };
                let around = open.last_mut();
                match (done.node, around) {
                    (Some(root), None) => return root.children,
                    (Some(mut node), Some(_)) => {
                        if done.hidden > 0 {
                            node.properties.insert("inside".into(), done.hidden.into());
                        }
                        add(&mut open, node);
                    }
                    (None, Some(around)) => around.hidden += done.hidden,
                    (None, None) => return Vec::new(),
                }
                continue;
            };
            let hidden = level >= options.levels();
            match piece {
                Piece::Text(_) if options.interactive => {}
                Piece::Text(_) if hidden => top.hidden += 1,
                Piece::Text(text) => {
                    let text = SnapshotNode {
                        role: "text".into(),
                        name: text.to_string(),
                        ..SnapshotNode::default()
                    };
                    add(&mut open, text);
                }
                Piece::Item(at) => {
                    let item = &distilled.items[*at];
                    let mut inner = Open { pieces: item.pieces.iter(), level, node: None, hidden: 0 };
                    if hidden {
                        top.hidden += 1;
                    } else if options.shows(item) {
                        let node = node_of(item, options);
                        if level < LEVELS {
                            inner.level += 1;
                            inner.node = Some(node);
                        } else {
                            add(&mut open, node); // what is in it comes beside it
                        }
                    }
                    if !(hidden && item.only_text().is_some()) {
                        open.push(inner);
                    }
                }
            }
        }
    }
}

/// Puts a node into the innermost element that is shown.
fn add(open: &mut [Open], node: SnapshotNode) {
    if let Some(around) = open.iter_mut().rev().find_map(|open| open.node.as_mut()) {
        around.children.push(node);
    }
}

fn node_of(item: &Item, options: &TextOptions) -> SnapshotNode {
    let mut properties = Map::new();
    for property in &item.node.properties {
        let value = match (&*property.key, &*property.value) {
            ("ref" | "frame" | "options", _) | ("value", "") => continue,
            ("url", _) if !options.urls => continue,
            (_, "") => Value::Bool(true),
            ("level", level) => level.parse::<u32>().map_or_else(|_| level.into(), Value::from),
            (_, value) => value.into(),
        };
        properties.insert(property.key.to_string(), value);
    }
    SnapshotNode {
        role: item.node.role.to_string(),
        name: item.name.to_string(),
        reference: item.node.has_ref().then_some(item.reference),
        properties,
        bounds: options.boxes.and_then(|boxes| boxes.get(&item.reference)).copied(),
        children: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::snapshot::sample::{page, with_frame};

    const PAGE: &str = "
        main
          heading \"Orders\" level=2, odd=x
          checkbox \"All\" checked, ref, url=/x
          generic
            paragraph
              'See
              link \"docs\" ref
          iframe \"Pay\" ref";

    #[test]
    fn the_same_as_the_text() {
        let view = with_frame(PAGE, 7, "button \"Pay\" ref");
        let nodes = serde_json::to_value(view.json(&TextOptions::default())).unwrap();
        assert_eq!(
            nodes,
            json!([{"role": "main", "children": [
                {"role": "heading", "name": "Orders", "properties": {"level": 2, "odd": "x"}},
                {"role": "checkbox", "name": "All", "ref": "e3", "properties": {"checked": true}},
                {"role": "paragraph", "children": [
                    {"role": "text", "name": "See"},
                    {"role": "link", "name": "docs", "ref": "e6"},
                ]},
                {"role": "iframe", "name": "Pay", "ref": "e7", "children": [
                    {"role": "button", "name": "Pay", "ref": "f1e1"},
                ]},
            ]}])
        );
    }

    #[test]
    fn options() {
        let shallow = TextOptions { depth: Some(1), ..TextOptions::default() };
        let nodes = serde_json::to_value(page(PAGE).json(&shallow)).unwrap();
        assert_eq!(nodes, json!([{"role": "main", "properties": {"inside": 6}}]));
        let usable = TextOptions { interactive: true, compact: true, ..TextOptions::default() };
        let nodes = page(PAGE).json(&usable);
        let roles: Vec<&str> = nodes[0].children.iter().map(|node| &*node.role).collect();
        assert_eq!(roles, ["heading", "checkbox", "link", "iframe"]);
    }

    #[test]
    fn depth_is_no_danger() {
        let view = crate::snapshot::sample::deep(10_000);
        let (mut nodes, mut levels) = (view.json(&TextOptions::default()), 0);
        let mut count = 0;
        while let Some(last) = nodes.last_mut() {
            let inner = std::mem::take(&mut last.children);
            count += nodes.len();
            levels += 1;
            nodes = nodes.into_iter().flat_map(|node| node.children).chain(inner).collect();
        }
        assert_eq!((levels, count), (LEVELS + 1, 10_000));
    }
}

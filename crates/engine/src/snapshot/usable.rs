//! The elements of a view that can be used, in the order of the page.

use contract::Label;

use super::{
    role::Kind,
    tree::{Child, Node, View, reference},
};

impl View {
    /// Those that have a ref and are no mere parts of the page, as labels of a picture; numbers and boxes are left to the caller.
    pub(crate) fn labels(&self) -> Vec<Label> {
        let mut labels = Vec::new();
        let mut pending = vec![(contract::FrameId(0), 0)];
        while let Some((frame, number)) = pending.pop() {
            let Some(node) = self.trees.get(&frame).and_then(|tree| tree.get(number)) else { continue };
            if node.has_ref()
                && !matches!(node.role.kind, Kind::Landmark | Kind::Table)
                && node.property("frame").is_none()
            {
                labels.push(Label {
                    reference: reference(frame, number),
                    role: node.role.to_string(),
                    name: if node.name.is_empty() { text_in(node) } else { node.name.to_string() },
                    ..Label::default()
                });
            }
            pending.extend(self.frame_in(frame, number).map(|inner| (inner, 0)));
            pending.extend(node.inner().rev().map(|inner| (frame, inner)));
        }
        labels
    }
}

fn text_in(node: &Node) -> String {
    let texts = node.children.iter().filter_map(|child| match child {
        Child::Text(text) => Some(&**text),
        Child::Node(_) => None,
    });
    texts.collect::<Vec<_>>().join(" ")
}

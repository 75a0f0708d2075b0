//! What is different between two views of the same page, element by element and complete: the older view and the delta give the
//! newer view. How it is told is in `told`.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use contract::{FrameId, Ref};

use super::tree::{Node, Tree, View, frame_of, reference};

/// The differences between two views.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Delta {
    /// Elements that were not there before; those of new frames among them, with their documents (number 0).
    pub(crate) appeared: BTreeMap<Ref, Arc<Node>>,
    /// Elements with another role, name, property or child, as they are now.
    pub(crate) changed: BTreeMap<Ref, Arc<Node>>,
    /// Elements that are gone; those of frames that are gone among them.
    pub(crate) went: BTreeSet<Ref>,
    /// Elements that hold another frame than before, or none.
    pub(crate) frames: BTreeMap<Ref, Option<FrameId>>,
}

impl Delta {
    /// Whether nothing is different.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.appeared.is_empty() && self.changed.is_empty() && self.went.is_empty() && self.frames.is_empty()
    }

    fn compare(&mut self, element: Ref, old: Option<&Arc<Node>>, new: Option<&Arc<Node>>) {
        match (old, new) {
            (Some(old), Some(new)) if Arc::ptr_eq(old, new) || old == new => {}
            (Some(_), Some(new)) => {
                self.changed.insert(element, Arc::clone(new));
            }
            (None, Some(new)) => {
                self.appeared.insert(element, Arc::clone(new));
            }
            (Some(_), None) => {
                self.went.insert(element);
            }
            (None, None) => {}
        }
    }

    fn compare_trees(&mut self, frame: FrameId, old: Option<&Tree>, new: Option<&Tree>) {
        let both = [old, new].into_iter().flatten();
        for (number, _) in both.flat_map(Tree::nodes) {
            let of = |tree: Option<&Tree>| tree.and_then(|tree| tree.shared(number)).cloned();
            self.compare(reference(frame, number), of(old).as_ref(), of(new).as_ref());
        }
    }

    fn compare_frames(&mut self, old: &View, new: &View) {
        for holder in old.frames.keys().chain(new.frames.keys()) {
            let now = new.frames.get(holder).copied();
            if now != old.frames.get(holder).copied() {
                self.frames.insert(*holder, now);
            }
        }
    }
}

impl View {
    /// What is different in a newer view. Every element is looked at.
    #[cfg(test)]
    pub(crate) fn delta(&self, newer: &View) -> Delta {
        let mut delta = Delta::default();
        for frame in
            self.trees.keys().chain(newer.trees.keys().filter(|frame| !self.trees.contains_key(frame)))
        {
            delta.compare_trees(*frame, self.trees.get(frame), newer.trees.get(frame));
        }
        delta.compare_frames(self, newer);
        delta
    }

    /// What is different in a newer view, when it is known which elements may be: those that [`Tree::apply`] told of. Frames that
    /// came and went need not be among them. The cost is that of what changed.
    pub(crate) fn delta_of(before: &View, after: &View, touched: impl IntoIterator<Item = Ref>) -> Delta {
        let mut delta = Delta::default();
        for element in touched {
            let of = |view: &View| view.trees.get(&frame_of(element))?.shared(element.element).cloned();
            delta.compare(
                reference(frame_of(element), element.element),
                of(before).as_ref(),
                of(after).as_ref(),
            );
        }
        for frame in before.trees.keys().chain(after.trees.keys()) {
            let (old, new) = (before.trees.get(frame), after.trees.get(frame));
            if old.is_none() || new.is_none() {
                delta.compare_trees(*frame, old, new);
            }
        }
        delta.compare_frames(before, after);
        delta
    }

    /// The newer view that a delta was made of. A delta of another view is an error.
    #[cfg(test)]
    pub(crate) fn patched(&self, delta: &Delta) -> contract::Result<View> {
        let mut patches: BTreeMap<FrameId, Vec<(u32, Arc<Node>)>> = BTreeMap::new();
        for (element, node) in delta.appeared.iter().chain(&delta.changed) {
            patches.entry(frame_of(*element)).or_default().push((element.element, Arc::clone(node)));
        }
        let mut view = self.clone();
        for element in delta.went.iter().filter(|element| element.element == 0) {
            view.trees.remove(&frame_of(*element));
        }
        for (frame, patch) in patches {
            match view.trees.get_mut(&frame) {
                Some(tree) => {
                    tree.put(patch)?;
                }
                None => {
                    view.trees.insert(frame, Tree::of(patch)?);
                }
            }
        }
        for (holder, frame) in &delta.frames {
            match frame {
                Some(frame) => view.frames.insert(*holder, *frame),
                None => view.frames.remove(holder),
            };
        }
        Ok(view)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::snapshot::{
        sample::{e, page},
        tree::Child,
    };

    #[test]
    fn rows() {
        let old = page("1 list\n  2 button \"A\" ref\n  3 button \"B\" ref");
        assert!(old.delta(&old.clone()).is_empty());
        let new = page("1 list\n  2 button \"A\" ref, disabled\n  4 button \"C\" ref");
        let delta = old.delta(&new);
        assert_eq!(delta.appeared.keys().copied().collect::<Vec<_>>(), [e(4)]);
        assert_eq!(delta.changed.keys().copied().collect::<Vec<_>>(), [e(1), e(2)]);
        assert_eq!(delta.went.iter().copied().collect::<Vec<_>>(), [e(3)]);
    }

    /// A tree from numbers: each element but the first is put into one of those before it.
    fn grown(parents: &[(u8, u8)], texts: &[u8]) -> Tree {
        let mut inner: Vec<Vec<Child>> = vec![Vec::new(); parents.len() + 1];
        let mut numbers = vec![0u32];
        for (at, (parent, number)) in parents.iter().enumerate() {
            let number = u32::from(*number) + 1;
            if !numbers.contains(&number) {
                let parent = usize::from(*parent) % numbers.len();
                inner[parent].push(Child::Node(number));
                numbers.push(number);
            }
            if let Some(text) = texts.get(at) {
                let parent = usize::from(*text) % numbers.len();
                inner[parent].push(Child::Text(format!("t{}", text % 4).into()));
            }
        }
        let node = |(number, children): (u32, Vec<Child>)| {
            let name = format!("n{}", children.len()).into();
            (number, Arc::new(Node { name, children: children.into(), ..Node::default() }))
        };
        Tree::of(numbers.into_iter().zip(inner).map(node).collect()).unwrap()
    }

    fn views() -> impl Strategy<Value = View> {
        let tree = || {
            let parents = prop::collection::vec((any::<u8>(), 0u8..24), 0..20);
            (parents, prop::collection::vec(any::<u8>(), 0..6))
                .prop_map(|(parents, texts)| grown(&parents, &texts))
        };
        let frame = prop::option::of((1u32..4, 0u32..9, tree()));
        (tree(), frame).prop_map(|(page, frame)| {
            let mut view = View { trees: [(FrameId(0), page)].into(), ..View::default() };
            if let Some((frame, holder, tree)) = frame {
                view.trees.insert(FrameId(frame), tree);
                view.frames.insert(e(holder), FrameId(frame));
            }
            view
        })
    }

    proptest! {
        #[test]
        fn the_older_view_and_the_delta_give_the_newer_one(old in views(), new in views()) {
            let delta = old.delta(&new);
            prop_assert_eq!(&old.patched(&delta).unwrap(), &new);
            prop_assert_eq!(delta.is_empty(), old == new);
            let touched: Vec<Ref> = delta.appeared.keys().chain(delta.changed.keys()).chain(&delta.went).copied().collect();
            prop_assert_eq!(&View::delta_of(&old, &new, touched), &delta);
            let _ = delta.told(&old, &new, Some(500));
        }
    }
}

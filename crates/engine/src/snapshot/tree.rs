//! What is on a page: the tree of each frame, as the script in it told, and which element holds which frame.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use contract::{Code, Error, FrameId, Ref, Result};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{role::Role, wire};

/// One frame: its elements by number. Number 0 is the document itself; it is always there, and everything else is in it, once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tree {
    nodes: FxHashMap<u32, Entry>,
}

/// Elements are shared by the trees that they are in, so that a tree of before costs little beside the one of now.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    node: Arc<Node>,
    parent: Option<u32>,
}

/// An element that means something: it has a role, can be used, or holds such elements.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Node {
    pub(crate) role: Role,
    pub(crate) name: Box<str>,
    /// What the page's script said of it besides: `disabled`, `checked=mixed`, `level=2`, `value=…`, in its order.
    pub(crate) properties: Box<[Property]>,
    pub(crate) children: Box<[Child]>,
}

/// A state or a property of an element; a flag has an empty value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Property {
    pub(crate) key: Cow<'static, str>,
    pub(crate) value: Box<str>,
}

/// What is in an element, in document order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Child {
    Node(u32),
    Text(Box<str>),
}

impl Node {
    /// The value of a property; an empty one for a flag.
    pub(crate) fn property(&self, key: &str) -> Option<&str> {
        self.properties.iter().find(|property| property.key == key).map(|property| &*property.value)
    }

    /// Whether the element can be used, so that its ref is worth showing.
    pub(crate) fn has_ref(&self) -> bool {
        self.properties.iter().any(|property| property.key == "ref")
    }

    /// What is typed or chosen in it.
    pub(crate) fn value(&self) -> Option<&str> {
        self.property("value").filter(|value| !value.is_empty())
    }

    /// The elements directly in it.
    pub(crate) fn inner(&self) -> impl DoubleEndedIterator<Item = u32> {
        self.children.iter().filter_map(|child| match child {
            Child::Node(number) => Some(*number),
            Child::Text(_) => None,
        })
    }
}

impl Default for Tree {
    /// An empty document.
    fn default() -> Self {
        let document = Node { role: Role::new("document"), ..Node::default() };
        Tree { nodes: FxHashMap::from_iter([(0, Entry { node: Arc::new(document), parent: None })]) }
    }
}

impl Tree {
    /// A tree from nothing.
    pub(crate) fn whole<'l>(lines: impl Iterator<Item = &'l str>) -> Result<Tree> {
        Tree::of(read(lines)?)
    }

    /// A tree of these elements. What is not in the document is left out.
    pub(super) fn of(nodes: Vec<(u32, Arc<Node>)>) -> Result<Tree> {
        let mut tree = Tree { nodes: FxHashMap::with_capacity_and_hasher(nodes.len(), Default::default()) };
        for (number, node) in nodes {
            tree.nodes.insert(number, Entry { node, parent: None });
        }
        let document = tree.nodes.get(&0).ok_or_else(|| broken("no document", 0))?;
        let mut pending = vec![(0, Arc::clone(&document.node))];
        let mut reached = 1;
        while let Some((number, node)) = pending.pop() {
            for inner in node.inner() {
                let entry = tree.nodes.get_mut(&inner).ok_or_else(|| broken("no such element", inner))?;
                if inner == 0 || entry.parent.replace(number).is_some() {
                    return Err(broken("in two places", inner));
                }
                reached += 1;
                if !entry.node.children.is_empty() {
                    pending.push((inner, Arc::clone(&entry.node)));
                }
            }
        }
        if reached < tree.nodes.len() {
            tree.nodes.retain(|number, entry| *number == 0 || entry.parent.is_some());
        }
        Ok(tree)
    }

    /// Brings the tree up to date: a line replaces the element of its number, and what is no longer in the document goes. The cost
    /// is that of what changed. Returns the elements that are other than before, gone or new. After an error nothing has changed.
    pub(crate) fn apply<'l>(&mut self, lines: impl Iterator<Item = &'l str>) -> Result<Vec<u32>> {
        self.put(read(lines)?)
    }

    /// [`Tree::apply`] for elements that are read already.
    pub(super) fn put(&mut self, patch: Vec<(u32, Arc<Node>)>) -> Result<Vec<u32>> {
        let mut before = Before::default();
        if let Err(error) = self.exchange(patch, &mut before) {
            for (number, entry) in before.0 {
                match entry {
                    Some(entry) => self.nodes.insert(number, entry),
                    None => self.nodes.remove(&number),
                };
            }
            return Err(error);
        }
        let same = |number: &u32, old: &Option<Entry>| {
            old.as_ref().map(|entry| &*entry.node) == self.nodes.get(number).map(|entry| &*entry.node)
        };
        Ok(before.0.iter().filter(|(number, old)| !same(number, old)).map(|(number, _)| *number).collect())
    }

    fn exchange(&mut self, patch: Vec<(u32, Arc<Node>)>, before: &mut Before) -> Result<()> {
        // First every link from an element of the patch to what was in it is cut, …
        let mut loose = Vec::new();
        let mut told = FxHashSet::default();
        for (number, node) in patch {
            before.keep(number, &self.nodes);
            told.insert(number);
            loose.push(number);
            let Some(entry) = self.nodes.get_mut(&number) else {
                self.nodes.insert(number, Entry { node, parent: None });
                continue;
            };
            let old = std::mem::replace(&mut entry.node, node);
            for inner in old.inner() {
                if self.nodes.get(&inner).is_some_and(|entry| entry.parent == Some(number)) {
                    before.keep(inner, &self.nodes);
                    self.nodes.entry(inner).and_modify(|entry| entry.parent = None);
                    loose.push(inner);
                }
            }
        }
        // … then the new ones are tied. An element may come from one that the patch does not tell of, if that one goes.
        let mut taken = Vec::new();
        for number in &told {
            let Some(node) = self.nodes.get(number).map(|entry| Arc::clone(&entry.node)) else { continue };
            for inner in node.inner() {
                before.keep(inner, &self.nodes);
                let entry = self.nodes.get_mut(&inner).ok_or_else(|| broken("no such element", inner))?;
                match entry.parent.replace(*number) {
                    Some(parent) if !told.contains(&parent) => taken.push((inner, parent)),
                    None if inner != 0 => {}
                    _ => return Err(broken("in two places", inner)),
                }
            }
        }
        self.sweep(loose, before);
        match taken.iter().find(|(_, parent)| self.nodes.contains_key(parent)) {
            Some((inner, _)) => Err(broken("in two places", *inner)),
            None => Ok(()),
        }
    }

    /// Removes those of `loose` that the document does not hold, with all that is in them.
    fn sweep(&mut self, loose: Vec<u32>, before: &mut Before) {
        let mut held = FxHashMap::from_iter([(0, true)]);
        let mut path = Vec::new();
        for start in loose {
            let mut at = Some(start);
            let is_held = loop {
                let Some(number) = at else { break false };
                if let Some(known) = held.get(&number) {
                    break *known;
                }
                held.insert(number, false); // stays so when the way up comes back here
                path.push(number);
                at = self.nodes.get(&number).and_then(|entry| entry.parent);
            };
            for number in path.drain(..) {
                held.insert(number, is_held);
            }
            if is_held {
                continue;
            }
            let mut pending = vec![start];
            while let Some(number) = pending.pop() {
                before.keep(number, &self.nodes);
                let Some(gone) = self.nodes.remove(&number) else { continue };
                let inner = gone.node.inner();
                pending.extend(inner.filter(|inner| self.parent(*inner) == Some(number)));
            }
        }
    }

    /// The element of that number.
    pub(crate) fn get(&self, number: u32) -> Option<&Node> {
        self.nodes.get(&number).map(|entry| &*entry.node)
    }

    pub(super) fn shared(&self, number: u32) -> Option<&Arc<Node>> {
        self.nodes.get(&number).map(|entry| &entry.node)
    }

    /// The element that holds the one of that number.
    pub(crate) fn parent(&self, number: u32) -> Option<u32> {
        self.nodes.get(&number).and_then(|entry| entry.parent)
    }

    /// Every element with its number, in no order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (u32, &Node)> {
        self.nodes.iter().map(|(number, entry)| (*number, &*entry.node))
    }
}

fn read<'l>(lines: impl Iterator<Item = &'l str>) -> Result<Vec<(u32, Arc<Node>)>> {
    let mut reader = wire::Reader::default();
    lines.map(|line| reader.read(line).map(|(number, node)| (number, Arc::new(node)))).collect()
}

/// What elements were before a patch, to undo it and to tell what it touched.
#[derive(Default)]
struct Before(FxHashMap<u32, Option<Entry>>);

impl Before {
    fn keep(&mut self, number: u32, nodes: &FxHashMap<u32, Entry>) {
        self.0.entry(number).or_insert_with(|| nodes.get(&number).cloned());
    }
}

fn broken(what: &str, number: u32) -> Error {
    Error::new(Code::Internal, "the page's script told of a tree that is none")
        .with_cause(format!("element {number}: {what}"))
}

/// The whole page: the trees of its frames, and the elements that hold the frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct View {
    /// `f0` is the page itself.
    pub(crate) trees: HashMap<FrameId, Tree>,
    /// The frame inside an `iframe` element.
    pub(crate) frames: HashMap<Ref, FrameId>,
}

impl View {
    /// The element that a ref stands for.
    pub(crate) fn get(&self, reference: Ref) -> Option<&Node> {
        self.trees.get(&frame_of(reference))?.get(reference.element)
    }

    /// Whether there is an element that the ref stands for.
    pub(crate) fn contains(&self, reference: Ref) -> bool {
        self.get(reference).is_some()
    }

    /// The frame whose document is in an element.
    pub(crate) fn frame_in(&self, frame: FrameId, number: u32) -> Option<FrameId> {
        if self.frames.is_empty() {
            return None;
        }
        self.frames.get(&reference(frame, number)).copied()
    }
}

/// The ref of an element: those of the page itself name no frame.
pub(crate) fn reference(frame: FrameId, element: u32) -> Ref {
    Ref { frame: (frame.0 != 0).then_some(frame), element }
}

/// The frame that holds the element of a ref.
pub(crate) fn frame_of(reference: Ref) -> FrameId {
    reference.frame.unwrap_or(FrameId(0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn whole(text: &str) -> Result<Tree> {
        Tree::whole(lines(text).iter().map(String::as_str))
    }

    /// `0:1,2 1:3` as lines of the wire.
    fn lines(text: &str) -> Vec<String> {
        let line = |word: &str| match word.split_once(':').unwrap() {
            (number, "") => format!("{number}\tgroup\t"),
            (number, inner) => format!("{number}\tgroup\t\t\t{}", inner.replace(',', "\t")),
        };
        text.split(' ').map(line).collect()
    }

    fn numbers(tree: &Tree) -> Vec<u32> {
        let mut numbers: Vec<u32> = tree.nodes().map(|(number, _)| number).collect();
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn patches() {
        let check = |before: &str, patch: &str, after: &str, touched: &[u32]| {
            let mut tree = whole(before).unwrap();
            let mut told = tree.apply(lines(patch).iter().map(String::as_str)).unwrap();
            told.sort_unstable();
            assert_eq!(tree, whole(after).unwrap(), "{before} + {patch}");
            assert_eq!(told, touched, "{before} + {patch}");
        };
        check("0:1 1:", "1:2 2:", "0:1 1:2 2:", &[1, 2]);
        check("0:1 1:", "1:", "0:1 1:", &[]);
        check("0:1,2 1:3 2: 3:", "0:2", "0:2 2:", &[0, 1, 3]);
        check("0:1 1:2 2:3 3:", "0:3", "0:3 3:", &[0, 1, 2]); // taken out of what goes
        check("0:1,2 1:3 2: 3:", "1: 2:3", "0:1,2 1: 2:3 3:", &[1, 2]); // moved
        check("0:1 1:2 2:", "0:2 2:1 1:", "0:2 2:1 1:", &[0, 1, 2]); // turned inside out
        check("0:1 1:2 2:", "0: 1:2 2:1", "0:", &[0, 1, 2]); // a ring that nobody holds
        check("0:", "7:8 8:", "0:", &[]);
    }

    #[test]
    fn trees_that_are_none() {
        for text in ["1:", "0:1", "0:0", "0:1,1 1:", "0:1,2 1:2 2:", "0:1 1:1"] {
            assert_eq!(whole(text).unwrap_err().code, Code::Internal, "{text}");
        }
        for patch in ["1:9", "2:3,3", "2:3", "1:0", "0:1,2,3", "3:3"] {
            let mut tree = whole("0:1,2 1:3 2: 3:").unwrap();
            assert!(tree.apply(lines(patch).iter().map(String::as_str)).is_err(), "{patch}");
            assert_eq!(tree, whole("0:1,2 1:3 2: 3:").unwrap(), "{patch} left its marks");
        }
    }

    proptest! {
        #[test]
        fn any_patch_leaves_a_tree(patches in prop::collection::vec(
            prop::collection::vec((0u32..8, prop::collection::vec(1u32..8, 0..4)), 1..4), 1..8)) {
            let mut tree = whole("0:1,2 1:3 2:4 3:5 4: 5:").unwrap();
            for patch in patches {
                let nodes = |(number, inner): (u32, Vec<u32>)| {
                    let children = inner.into_iter().map(Child::Node).collect();
                    (number, Arc::new(Node { children, ..Node::default() }))
                };
                let old = tree.clone();
                match tree.put(patch.into_iter().map(nodes).collect()) {
                    Err(_) => prop_assert_eq!(&tree, &old),
                    Ok(mut touched) => {
                        let again = Tree::of(tree.nodes.iter().map(|(n, e)| (*n, Arc::clone(&e.node))).collect());
                        prop_assert_eq!(again.unwrap(), tree.clone());
                        let mut differs: Vec<u32> = numbers(&old).into_iter().chain(numbers(&tree)).collect();
                        differs.sort_unstable();
                        differs.dedup();
                        differs.retain(|number| old.get(*number) != tree.get(*number));
                        touched.sort_unstable();
                        prop_assert_eq!(touched, differs);
                    }
                }
            }
        }
    }
}

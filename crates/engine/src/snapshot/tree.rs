//! What is on a page: the tree of each frame, as the script in it told, and which element holds which frame.

use std::collections::HashMap;

use contract::{FrameId, Ref};

/// One frame: its elements by number. Number 0 is the document itself; it is always there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tree {
    pub(crate) nodes: HashMap<u32, Node>,
}

/// An element that means something: it has a role, can be used, or holds such elements.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Node {
    pub(crate) role: String,
    pub(crate) name: String,
    /// What the page's script said of it besides: `disabled`, `checked=mixed`, `level=2`, `value=…`, in its order.
    pub(crate) properties: Vec<(String, String)>,
    pub(crate) children: Vec<Child>,
}

/// What is in an element, in document order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Child {
    Node(u32),
    Text(String),
}

/// The whole page: the trees of its frames, and the elements that hold the frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct View {
    /// `f0` is the page itself.
    pub(crate) trees: HashMap<FrameId, Tree>,
    /// The frame inside an `iframe` element.
    pub(crate) frames: HashMap<Ref, FrameId>,
}

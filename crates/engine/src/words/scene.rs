//! The page as descriptions see it: all that is shown in the order of the document, each thing with what it is in.

use std::collections::HashMap;

use contract::{FrameId, Ref};

use crate::snapshot::{Child, Node, View, reference};

/// Everything in the page, frames included.
pub(super) struct Scene<'v> {
    pub(super) things: Vec<Thing<'v>>,
    /// The window: how far it is scrolled, its width and height.
    pub(super) window: [i32; 4],
}

/// An element, a wrapper that the snapshot does not have, or a run of text.
#[derive(Clone, Debug, Default)]
pub(super) struct Thing<'v> {
    /// None for a text.
    pub(super) reference: Option<Ref>,
    /// What the snapshot knows of it; none for texts and wrappers.
    pub(super) node: Option<&'v Node>,
    pub(super) text: &'v str,
    /// Tag and attributes.
    pub(super) words: &'v str,
    /// What the picture in it is called by its author.
    pub(super) icon: &'v str,
    pub(super) parent: usize,
    pub(super) depth: usize,
    /// The first thing after it that is not in it.
    pub(super) end: usize,
    /// Left, top, width, height in the window.
    pub(super) bounds: Option<[i32; 4]>,
}

/// What the page's script tells of the elements of one frame: see `page/looks.js`.
#[derive(Debug, Default)]
pub(super) struct Outline {
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    depth: usize,
    number: u32,
    bounds: [i32; 4],
    words: String,
    text: String,
}

impl Outline {
    /// Reads what the script told. Lines that cannot be read are left out.
    pub(super) fn read(told: &str) -> Outline {
        let line = |line: &str| {
            let mut fields = line.splitn(5, '\t');
            let (depth, number) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
            let mut sides = fields.next()?.split(' ').map(|side| side.parse().unwrap_or_default());
            let bounds = std::array::from_fn(|_| sides.next().unwrap_or_default());
            Some(Line { depth, number, bounds, words: fields.next()?.into(), text: fields.next()?.into() })
        };
        Outline { lines: told.lines().filter_map(line).collect() }
    }
}

impl<'v> Scene<'v> {
    /// From the snapshot alone: without wrappers and boxes.
    pub(super) fn of_view(view: &'v View) -> Scene<'v> {
        let mut scene = Scene { things: Vec::new(), window: [0; 4] };
        let mut frames = Vec::new();
        // A number on the way down, none on the way up; a text has its place.
        enum Step<'v> {
            Down(FrameId, u32, usize),
            Text(&'v str, usize),
        }
        let mut pending = vec![Step::Down(FrameId(0), 0, 0)];
        while let Some(step) = pending.pop() {
            match step {
                Step::Text(text, depth) => scene.push(depth, Thing { text, ..Thing::default() }),
                Step::Down(frame, number, depth) => {
                    let Some(node) = view.trees.get(&frame).and_then(|tree| tree.get(number)) else {
                        continue;
                    };
                    scene.push(
                        depth,
                        Thing {
                            reference: Some(reference(frame, number)),
                            node: Some(node),
                            ..Thing::default()
                        },
                    );
                    for child in node.children.iter().rev() {
                        pending.push(match child {
                            Child::Text(text) => Step::Text(text, depth + 1),
                            Child::Node(inner) => Step::Down(frame, *inner, depth + 1),
                        });
                    }
                    if let Some(inner) = view.frame_in(frame, number).filter(|inner| !frames.contains(inner))
                    {
                        frames.push(inner);
                        pending.push(Step::Down(inner, 0, depth + 1));
                    }
                }
            }
        }
        scene.close();
        scene
    }

    /// From the snapshot and what the frames told besides.
    pub(super) fn of_outlines(
        view: &'v View,
        outlines: &'v HashMap<FrameId, Outline>,
        window: [i32; 4],
    ) -> Scene<'v> {
        let mut scene = Scene { things: Vec::new(), window };
        let mut open = vec![(FrameId(0), 0usize, 0usize, [0, 0])];
        let mut seen = vec![FrameId(0)];
        while let Some((frame, at, depth, offset)) = open.pop() {
            let Some(line) = outlines.get(&frame).and_then(|outline| outline.lines.get(at)) else { continue };
            open.push((frame, at + 1, depth, offset));
            let [left, top, width, height] = line.bounds;
            let bounds = Some([left + offset[0], top + offset[1], width, height]);
            let depth = depth + line.depth;
            if line.number == 0 {
                scene.push(depth, Thing { text: &line.text, bounds, ..Thing::default() });
                continue;
            }
            let node = view.trees.get(&frame).and_then(|tree| tree.get(line.number));
            let reference = Some(reference(frame, line.number));
            scene.push(
                depth,
                Thing { reference, node, words: &line.words, icon: &line.text, bounds, ..Thing::default() },
            );
            if let Some(inner) = view.frame_in(frame, line.number).filter(|inner| !seen.contains(inner)) {
                seen.push(inner);
                open.push((inner, 0, depth + 1, [left + offset[0], top + offset[1]]));
            }
        }
        scene.close();
        scene
    }

    fn push(&mut self, depth: usize, thing: Thing<'v>) {
        let mut parent = self.things.len().saturating_sub(1);
        while parent > 0 && self.things[parent].depth >= depth {
            parent = self.things[parent].parent;
        }
        self.things.push(Thing { parent, depth, ..thing });
    }

    /// Finds out where everything ends.
    fn close(&mut self) {
        for at in 0..self.things.len() {
            self.things[at].end = at + 1;
        }
        for at in (1..self.things.len()).rev() {
            let (parent, end) = (self.things[at].parent, self.things[at].end);
            self.things[parent].end = self.things[parent].end.max(end);
        }
    }

    /// Whether a thing is in another one.
    pub(super) fn is_in(&self, inner: usize, outer: usize) -> bool {
        outer < inner && inner < self.things[outer].end
    }

    /// What a thing is in, the nearest first.
    pub(super) fn around(&self, at: usize) -> impl Iterator<Item = usize> {
        std::iter::successors((at > 0).then(|| self.things[at].parent), |at| {
            (*at > 0).then(|| self.things[*at].parent)
        })
    }

    /// The innermost thing that holds both.
    pub(super) fn common(&self, one: usize, other: usize) -> usize {
        self.around(one).find(|outer| self.is_in(other, *outer) || *outer == other).unwrap_or(0)
    }

    pub(super) fn role(&self, at: usize) -> &str {
        self.things[at].node.map_or("", |node| &node.role)
    }

    /// What is directly in a thing.
    pub(super) fn children_of(&self, at: usize) -> impl Iterator<Item = usize> {
        let end = self.things[at].end;
        let inside = move |child: &usize| *child < end;
        std::iter::successors(Some(at + 1).filter(inside), move |child| {
            Some(self.things[*child].end).filter(inside)
        })
    }

    /// The texts that are directly in a thing.
    pub(super) fn texts_in(&self, at: usize) -> impl Iterator<Item = &'v str> {
        self.children_of(at).map(|child| self.things[child].text).filter(|text| !text.is_empty())
    }

    /// What is said in a thing, as long as it is not too long to be a name.
    pub(super) fn said_in(&self, at: usize, longest: usize) -> String {
        let mut said = String::new();
        let mut next = at;
        while next < self.things[at].end {
            let thing = &self.things[next];
            let name = thing.node.map_or("", |node| &*node.name);
            let (text, step) = match (thing.text.is_empty(), name.is_empty()) {
                (false, _) => (thing.text, next + 1),
                // A name says what is in the element already.
                (true, false) if next != at => (name, thing.end),
                _ => ("", next + 1),
            };
            if !text.is_empty() {
                if !said.is_empty() {
                    said.push(' ');
                }
                said.push_str(text);
            }
            if said.len() > longest {
                return String::new();
            }
            next = step;
        }
        said
    }
}

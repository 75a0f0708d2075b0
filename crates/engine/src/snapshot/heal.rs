//! Elements that went and came back: a page that draws itself anew has other elements in the same places.

use contract::{FrameId, Ref};

use super::{
    distil::passes,
    role::Kind,
    tree::{Child, Tree, View, frame_of, reference},
};

/// What is remembered of an element that is gone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Gone {
    pub(crate) frame: FrameId,
    pub(crate) role: String,
    pub(crate) name: String,
    /// The roles and names of what it was in, the nearest first, as far as they mean something.
    pub(crate) place: Vec<(String, String)>,
    /// What else was said where it was: in its row, its list item, its card, its dialog. Rows have no names; this tells them apart.
    pub(crate) beside: String,
    /// The nearest heading above it: the same button under another one belongs to another step or question.
    pub(crate) heading: Option<String>,
    /// The last number that was given to an element while it was there.
    pub(crate) last_number: u32,
}

impl View {
    /// What to remember of an element, in case it goes. `last_number` is the highest number that its frame has given so far.
    pub(crate) fn gone(&self, element: Ref, last_number: u32) -> Option<Gone> {
        let frame = frame_of(element);
        let tree = self.trees.get(&frame)?;
        let node = tree.get(element.element)?;
        let place = place(tree, element.element).map(|(role, name)| (role.into(), name.into())).collect();
        let beside = beside(tree, element.element);
        let heading = heading(tree, element.element).map(str::to_owned);
        Some(Gone {
            frame,
            role: node.role.to_string(),
            name: node.name.to_string(),
            place,
            beside,
            heading,
            last_number,
        })
    }
}

/// The element that took the place of one that is gone: it came later, and has the same role, name and place. None when there is
/// no such element, or more than one: this is never a guess.
pub(crate) fn heal(gone: &Gone, view: &View) -> Option<Ref> {
    let tree = view.trees.get(&gone.frame)?;
    let mut fits = tree.nodes().filter(|(number, node)| {
        *number > gone.last_number
            && *node.role == *gone.role
            && *node.name == *gone.name
            && place(tree, *number).eq(gone.place.iter().map(|(role, name)| (&**role, &**name)))
            && beside(tree, *number) == gone.beside
            && heading(tree, *number) == gone.heading.as_deref()
    });
    match (fits.next(), fits.next()) {
        (Some((number, _)), None) => Some(reference(gone.frame, number)),
        _ => None,
    }
}

/// The name of the nearest heading that stands before the element, or before what it is in.
fn heading(tree: &Tree, number: u32) -> Option<&str> {
    let mut at = number;
    for _ in 0..LEVELS {
        let parent = tree.parent(at)?;
        let children = &tree.get(parent)?.children;
        let is_before = |child: &&Child| !matches!(child, Child::Node(inner) if *inner == at);
        let before = children.iter().take_while(is_before).take(if children.len() > MANY { 0 } else { MANY });
        let headings = before.filter_map(|child| match child {
            Child::Node(inner) => tree.get(*inner).filter(|node| &*node.role == "heading"),
            Child::Text(_) => None,
        });
        if let Some(heading) = headings.last() {
            return Some(&heading.name);
        }
        at = parent;
    }
    None
}

/// The texts and names around an element in the nearest element that is one of many, or asks something of its own: not its own, and none if
/// there is no such element.
fn beside(tree: &Tree, number: u32) -> String {
    let around = std::iter::successors(tree.parent(number), |number| tree.parent(*number));
    let is_one_of_many = |number: &u32| {
        tree.get(*number).is_some_and(|node| {
            matches!(node.role.kind, Kind::ListItem | Kind::Row)
                || matches!(&*node.role, "article" | "treeitem" | "option" | "dialog" | "alertdialog")
        })
    };
    let mut said = String::new();
    let mut pending: Vec<u32> = around.take(LEVELS).find(is_one_of_many).into_iter().collect();
    while let Some(at) = pending.pop().filter(|_| said.len() < LONGEST) {
        let Some(node) = tree.get(at).filter(|_| at != number) else { continue };
        said.push_str(&node.name);
        for child in &node.children {
            match child {
                Child::Text(text) => said.push_str(text),
                Child::Node(inner) => pending.push(*inner),
            }
            said.push(' ');
        }
    }
    said
}

/// How far up, and how much there.
const LEVELS: usize = 32;
const LONGEST: usize = 2_000;

/// Where more elements than this stand side by side, that is a list, whose items have no headings above them.
const MANY: usize = 200;

/// What an element is in, the nearest first.
fn place(tree: &Tree, number: u32) -> impl Iterator<Item = (&str, &str)> {
    let around = std::iter::successors(tree.parent(number), |number| tree.parent(*number));
    around
        .filter_map(|number| tree.get(number).filter(|node| !passes(node, number)))
        .map(|node| (&*node.role, &*node.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::sample::{e, page};

    #[test]
    fn rows() {
        let before = "1 list \"Todo\"\n  2 generic\n    3 button \"Delete\" ref\n  4 button \"Add\" ref";
        let gone = page(before).gone(e(3), 4).unwrap();
        let check = |after: &str, expected: Option<u32>| {
            assert_eq!(heal(&gone, &page(after)), expected.map(e), "{after}");
        };
        check("1 list \"Todo\"\n  5 button \"Delete\" ref", Some(5));
        check("7 list \"Todo\"\n  generic\n    generic\n      button \"Delete\" ref", Some(10));
        check("1 list \"Todo\"\n  4 button \"Delete\" ref", None); // was there before
        check("1 list \"Todo\"\n  5 button \"Delete\" ref\n  6 button \"Delete\" ref", None); // which?
        check("1 list \"Done\"\n  5 button \"Delete\" ref", None); // another place
        check("5 button \"Delete\" ref", None);
        check("1 list \"Todo\"\n  5 link \"Delete\" ref", None);
        check("1 list \"Todo\"\n  5 button \"Delete all\" ref", None);
        assert_eq!(page(before).gone(e(9), 9), None);
    }

    #[test]
    fn another_row_is_another_place() {
        let rows = |first: &str, at: u32| {
            format!(
                "1 list\n  {at} listitem\n    '{first}\n    {} button \"Delete\" ref\n  20 listitem\n    'Eggs\n    21 button \"Delete\" ref",
                at + 1
            )
        };
        let gone = page(&rows("Milk", 2)).gone(e(3), 21).unwrap();
        assert_eq!(heal(&gone, &page(&rows("Milk", 30))), Some(e(31)));
        assert_eq!(heal(&gone, &page(&rows("Bread", 30))), None);
    }

    #[test]
    fn another_question_is_another_place() {
        let dialog = |question: &str, at: u32| {
            format!(
                "{at} dialog \"Q\"\n  {} paragraph\n    '{question}\n  {} button \"OK\" ref",
                at + 1,
                at + 2
            )
        };
        let gone = page(&dialog("Delete item 1?", 1)).gone(e(3), 3).unwrap();
        assert_eq!(heal(&gone, &page(&dialog("Delete item 1?", 10))), Some(e(12)));
        assert_eq!(heal(&gone, &page(&dialog("Delete EVERYTHING?", 10))), None);
        let step = |heading: &str, at: u32| {
            format!(
                "{at} main\n  {} heading \"{heading}\"\n  {} generic\n    {} button \"Next\" ref",
                at + 1,
                at + 2,
                at + 3
            )
        };
        let gone = page(&step("Step 1", 1)).gone(e(4), 4).unwrap();
        assert_eq!(heal(&gone, &page(&step("Step 1", 10))), Some(e(13)));
        assert_eq!(heal(&gone, &page(&step("Step 2", 10))), None);
    }
}

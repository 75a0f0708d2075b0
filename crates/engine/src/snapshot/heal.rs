//! Elements that went and came back: a page that draws itself anew has other elements in the same places.

use contract::{FrameId, Ref};

use super::{
    distil::passes,
    tree::{Tree, View, frame_of, reference},
};

/// What is remembered of an element that is gone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Gone {
    pub(crate) frame: FrameId,
    pub(crate) role: String,
    pub(crate) name: String,
    /// The roles and names of what it was in, the nearest first, as far as they mean something.
    pub(crate) place: Vec<(String, String)>,
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
        Some(Gone { frame, role: node.role.to_string(), name: node.name.to_string(), place, last_number })
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
    });
    match (fits.next(), fits.next()) {
        (Some((number, _)), None) => Some(reference(gone.frame, number)),
        _ => None,
    }
}

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
}

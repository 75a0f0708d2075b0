//! What a popup puts out of reach. A page with an open modal dialog or menu often hides all the rest, and shows it again afterwards: to tell
//! each time every element of it that goes or comes would be as long as the page, and say nothing.
//!
//! So it is told in one line that the rest went, and what was told until then is kept. When it comes back, the page is compared with that:
//! whatever else has changed meanwhile is told then.

use contract::Ref;

use super::{
    cut::{How, Rendered},
    delta::Delta,
    role::Kind,
    tree::{Node, View, reference},
};

/// Fewer lines than this are told as they are.
const FEW: usize = 4;
/// How many popups, each above the other, are kept track of.
const DEEPEST: usize = 4;

/// What the caller was told before popups put it out of reach, the last one last.
#[derive(Default)]
pub(super) struct Behind(Vec<Layer>);

struct Layer {
    view: View,
    popups: Vec<Ref>,
}

impl Layer {
    /// Whether nothing is above it any more.
    fn is_over(&self, now: &View) -> bool {
        !self.popups.iter().any(|popup| now.contains(*popup))
    }

    /// Whether most of it has just come back as it was.
    fn is_back(&self, delta: &Delta, now: &View) -> bool {
        let same = |element: &Ref| {
            delta.appeared.contains_key(element) && now.get(*element) == self.view.get(*element)
        };
        elements(&self.view).filter(same).count() * 2 >= elements(&self.view).count()
    }
}

impl Behind {
    /// What is different, as text, for a caller who was told of the older view and of all that lies behind it.
    pub(super) fn text(
        &mut self,
        delta: &Delta,
        old: &View,
        new: &View,
        max_chars: Option<usize>,
    ) -> Rendered {
        let text = self.back(delta, old, new).unwrap_or_else(|| {
            let [now, mut gone] = delta.parts(old, new);
            match popups_over(delta, old, new) {
                Some(popups) if gone.lines().count() >= FEW => {
                    let count = delta.went.len();
                    gone = format!("- (all else: {count} elements, out of reach while it is open)");
                    self.0.push(Layer { view: old.clone(), popups });
                    self.0.drain(..self.0.len().saturating_sub(DEEPEST));
                }
                // It has taken the place of another one: the rest is still behind it.
                Some(popups) => self.0.iter_mut().for_each(|layer| layer.popups.extend(&popups)),
                None => self.0.retain(|layer| !layer.is_over(new)),
            }
            joined([&now, &gone])
        });
        Rendered::of(text, max_chars, How::Snapshot)
    }

    /// The text for what is there again, if a popup has gone and most of what it had put away is back.
    fn back(&mut self, delta: &Delta, old: &View, new: &View) -> Option<String> {
        let at = self.0.iter().position(|layer| layer.is_over(new) && layer.is_back(delta, new))?;
        let view = self.0.drain(at..).next()?.view;
        let count = delta.appeared.keys().filter(|element| new.get(**element) == view.get(**element)).count();
        let touched = elements(&view).chain(elements(new));
        let [now, gone] = View::delta_of(&view, new, touched).parts(&view, new);
        let went = delta.went.iter().filter(|element| !view.contains(**element)).copied().collect();
        let [_, closed] = Delta { went, ..Delta::default() }.parts(old, new);
        Some(joined([&now, &gone, &closed, &format!("+ ({count} elements are back as they were)")]))
    }

    /// The caller has looked at the page: what was told before that is no longer what it compares with.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

/// The popups that appeared, if nothing that could be used before is there any more.
fn popups_over(delta: &Delta, old: &View, new: &View) -> Option<Vec<Ref>> {
    let is_popup = |node: &Node| matches!(&*node.role, "dialog" | "alertdialog" | "menu" | "listbox");
    let popups: Vec<Ref> =
        delta.appeared.iter().filter(|(_, node)| is_popup(node)).map(|(element, _)| *element).collect();
    // A place for messages may stay.
    let can_be_used = |element: &Ref| {
        old.get(*element).is_some_and(|node| node.has_ref() && node.role.kind != Kind::Landmark)
    };
    let is_left = elements(new).any(|element| can_be_used(&element));
    (!popups.is_empty() && !is_left).then_some(popups)
}

/// Everything in a view, documents included: texts may be directly in them.
fn elements(view: &View) -> impl Iterator<Item = Ref> {
    let all = view.trees.iter().flat_map(|(frame, tree)| tree.nodes().map(|(number, _)| (*frame, number)));
    all.map(|(frame, number)| reference(frame, number))
}

fn joined<const N: usize>(parts: [&str; N]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::sample::page;

    const PAGE: &str = "1 main\n  2 heading \"Shop\"\n  3 link \"Home\" ref\n  'Price: 5\n  4 button \"Buy\" ref\n5 paragraph\n  'idle\n6 list\n  7 listitem\n    'One\n8 button \"Open\" ref\n";
    const DIALOG: &str = "20 dialog \"Sure?\" ref\n  21 button \"Yes\" ref\n";

    /// What is told of each view after the first.
    fn told(views: &[&str]) -> Vec<String> {
        let mut behind = Behind::default();
        let views: Vec<View> = views.iter().map(|text| page(text)).collect();
        let tell = |pair: &[View]| behind.text(&pair[0].delta(&pair[1]), &pair[0], &pair[1], None).text;
        views.windows(2).map(tell).collect()
    }

    const OPENED: &str = "+ dialog \"Sure?\" [ref=e20]:\n  - button \"Yes\" [ref=e21]\n- (all else: 8 elements, out of reach while it is open)";

    #[test]
    fn a_dialog_that_comes_and_goes() {
        assert_eq!(
            told(&[PAGE, DIALOG, PAGE]),
            [OPENED, "- dialog \"Sure?\" [ref=e20]: … (1 inside)\n+ (8 elements are back as they were)"]
        );
    }

    #[test]
    fn what_changed_behind_it_is_told_when_it_is_back() {
        let after =
            PAGE.replace("idle", "done").replace("8 button \"Open\" ref\n", "9 button \"Undo\" ref\n");
        let all = told(&[PAGE, DIALOG, &after]);
        let expected = "+ button \"Undo\" [ref=e9]\n~ paragraph: done\n- button \"Open\" [ref=e8]\n- dialog \"Sure?\" [ref=e20]: … (1 inside)\n+ (6 elements are back as they were)";
        assert_eq!(all, [OPENED, expected]);
        // What stands in the document itself.
        let [with, without] = [PAGE.to_owned() + "'Total: 5\n", PAGE.to_owned() + "'Total: 7\n"];
        let all = told(&[&with, DIALOG, &without]);
        assert!(all[1].starts_with("~ text: Total: 7\n- dialog"), "{all:?}");
    }

    #[test]
    fn one_above_the_other() {
        let other = "30 alertdialog \"Really?\" ref\n  31 button \"A\" ref\n32 button \"B\" ref\n33 button \"C\" ref\n34 button \"D\" ref\n";
        let first = DIALOG.to_owned() + "22 button \"X\" ref\n23 button \"Y\" ref\n24 button \"Z\" ref\n";
        let all = told(&[PAGE, &first, other, &first, PAGE]);
        assert!(all[1].contains("- (all else: 5 elements"), "{}", all[1]);
        assert!(all[2].contains("+ (5 elements are back"), "{}", all[2]);
        assert!(all[3].contains("+ (8 elements are back") && !all[3].contains("Shop"), "{}", all[3]);
        // Both at once, and the one in the place of the other.
        assert!(told(&[PAGE, &first, other, PAGE])[2].contains("+ (8 elements are back"));
        let turned = told(&[PAGE, DIALOG, "30 dialog \"Next\" ref\n  31 button \"A\" ref\n", PAGE]);
        assert!(
            turned[1].contains("- dialog \"Sure?\"") && turned[2].contains("+ (8 elements are back"),
            "{turned:?}"
        );
    }

    #[test]
    fn what_is_no_popup_is_told_as_it_is() {
        let all = told(&[PAGE, &(DIALOG.to_owned() + "8 button \"Open\" ref\n"), PAGE]);
        assert!(all[0].contains("- paragraph: idle") && all[1].contains("+ paragraph: idle"), "{all:?}");
        let all = told(&[PAGE, "40 main\n  41 button \"Other page\" ref\n", PAGE]);
        assert!(all[0].contains("- paragraph: idle") && all[1].contains("+ paragraph: idle"), "{all:?}");
        // What comes after it is another page.
        let all = told(&[PAGE, DIALOG, "40 main\n  41 button \"Other page\" ref\n", PAGE]);
        assert!(all[1].contains("+ main") && all[2].contains("+ paragraph: idle"), "{all:?}");
    }
}

//! The tree as it is worth showing: without wrappers that mean nothing, and without what a name says already.
//!
//! Everything is done in one walk with a stack of its own, so that neither a large nor a deep page is a danger.

use std::{borrow::Cow, collections::HashSet};

use contract::{FrameId, Ref};

use super::{
    role::Kind,
    tree::{Child, Node, Tree, View, frame_of, reference},
};

/// What is worth showing of a part of a page.
pub(super) struct Distilled<'v> {
    pub(super) items: Vec<Item<'v>>,
    pub(super) roots: Vec<Piece<'v>>,
}

/// What is in an element: text, or the place of another element in the list of items.
pub(super) enum Piece<'v> {
    Text(Cow<'v, str>),
    Item(usize),
}

/// An element that is shown.
pub(super) struct Item<'v> {
    pub(super) reference: Ref,
    pub(super) node: &'v Node,
    /// What it is called; not always what the page calls it.
    pub(super) name: Cow<'v, str>,
    pub(super) pieces: Vec<Piece<'v>>,
    /// Whether it, or anything in it, has a ref.
    pub(super) refs: bool,
    /// Whether there is no more to it, and to what is in it, than words.
    plain: bool,
    /// How many bytes of words there are in it.
    weight: usize,
}

impl<'v> Item<'v> {
    /// An element without what is in it.
    pub(super) fn alone(view: &'v View, element: Ref) -> Option<Self> {
        let node = view.get(element)?;
        let name = Cow::Borrowed(&*node.name);
        Some(Item {
            reference: element,
            node,
            name,
            pieces: Vec::new(),
            refs: node.has_ref(),
            plain: false,
            weight: 0,
        })
    }

    pub(super) fn kind(&self) -> Kind {
        self.node.role.kind
    }

    /// Whether nothing but its role and what is in it is known of it.
    pub(super) fn is_anonymous(&self) -> bool {
        self.name.is_empty() && !self.node.has_ref() && !has_states(self.node)
    }

    /// The text that is all there is in it.
    pub(super) fn only_text(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// Whether the properties say more of an element than where it leads and how it is used.
fn has_states(node: &Node) -> bool {
    let idle = |key: &str| matches!(key, "ref" | "level" | "url" | "frame" | "type" | "options");
    node.properties.iter().any(|property| !idle(&property.key))
}

/// Whether an element is no more than what is in it.
pub(super) fn passes(node: &Node, number: u32) -> bool {
    let bare = node.name.is_empty() && !node.has_ref();
    match node.role.kind {
        _ if number == 0 => true,
        Kind::Wrapper => bare,
        Kind::Inline => bare && !has_states(node),
        _ => false,
    }
}

/// An element that the walk is in.
struct Open<'v> {
    frame: FrameId,
    tree: &'v Tree,
    number: u32,
    node: &'v Node,
    /// The next of its children.
    next: usize,
    /// Whether what is in it goes straight to the element around it.
    passes: bool,
}

/// The walk.
struct Walk<'v> {
    view: &'v View,
    items: Vec<Item<'v>>,
    open: Vec<Open<'v>>,
    /// What was found in the elements that are open and do not pass it on; the first list is that of the roots.
    lists: Vec<Vec<Piece<'v>>>,
    /// Frames whose documents were walked: none twice, whatever the page's script tells.
    frames: HashSet<FrameId>,
    /// The element that is shown in any case.
    kept: Option<Ref>,
    /// How many elements may be looked at.
    left: usize,
}

impl<'v> Distilled<'v> {
    /// The whole page.
    pub(super) fn page(view: &'v View) -> Self {
        Walk::of(view, usize::MAX)
            .part(FrameId(0), 0)
            .unwrap_or(Distilled { items: Vec::new(), roots: Vec::new() })
    }

    /// One element and what is in it; the element itself is shown even if it means nothing.
    pub(super) fn element(view: &'v View, element: Ref, limit: usize) -> Option<Self> {
        let mut walk = Walk::of(view, limit);
        walk.kept = (element.element != 0).then(|| reference(frame_of(element), element.element));
        walk.part(frame_of(element), element.element)
    }

    /// What would be shown of an element in its place, which may be nothing, or only what is in it.
    pub(super) fn part(view: &'v View, element: Ref) -> Option<Self> {
        Walk::of(view, usize::MAX).part(frame_of(element), element.element)
    }

    pub(super) fn item(&self, piece: &Piece) -> Option<&Item<'v>> {
        match piece {
            Piece::Item(at) => Some(&self.items[*at]),
            Piece::Text(_) => None,
        }
    }

    /// The first element.
    pub(super) fn root(&self) -> Option<&Item<'v>> {
        self.roots.first().and_then(|piece| self.item(piece))
    }

    /// Leaves out what the name of the element around says already.
    pub(super) fn without(&mut self, around: &Node) {
        if !around.name.is_empty() && !matches!(around.role.kind, Kind::Row | Kind::Cell) {
            let how = Said::of(around.role.kind);
            self.roots.retain(|piece| !is_said(&self.items, piece, &around.name, how));
        }
    }

    /// What is directly in the first element, or all that there is if it is a document: the beginning of the words of each.
    pub(super) fn names(&self, longest: usize) -> Vec<String> {
        let pieces = match self.roots.as_slice() {
            [piece] => self.item(piece).map_or(&*self.roots, |item| &item.pieces),
            roots => roots,
        };
        let name = |piece: &Piece| {
            let mut words = String::new();
            match piece {
                Piece::Text(text) => words.push_str(text),
                Piece::Item(at) => self.words(&self.items[*at], &mut words),
            }
            match words.char_indices().nth(longest) {
                Some((end, _)) => format!("{}…", &words[..end]),
                None => words,
            }
        };
        pieces.iter().map(name).filter(|name| !name.is_empty()).collect()
    }

    /// The words in an item, its name included.
    pub(super) fn words(&self, item: &Item, out: &mut String) {
        words(&self.items, item, out);
    }
}

impl<'v> Walk<'v> {
    fn of(view: &'v View, left: usize) -> Self {
        Walk {
            view,
            items: Vec::new(),
            open: Vec::new(),
            lists: vec![Vec::new()],
            frames: HashSet::new(),
            kept: None,
            left,
        }
    }

    /// Walks through an element. None when there is no such element, or when there is too much in it.
    fn part(mut self, frame: FrameId, number: u32) -> Option<Distilled<'v>> {
        let tree = self.view.trees.get(&frame)?;
        tree.get(number)?;
        self.enter(frame, tree, number);
        while let Some(open) = self.open.last_mut() {
            let child = open.node.children.get(open.next);
            open.next += 1;
            match child {
                Some(Child::Text(text)) => push_text(self.lists.last_mut()?, Cow::Borrowed(text)),
                Some(Child::Node(inner)) => {
                    let (frame, tree) = (open.frame, open.tree);
                    self.left = self.left.checked_sub(1)?;
                    self.enter(frame, tree, *inner);
                }
                None => {
                    let open = self.open.pop()?;
                    if !open.passes {
                        let pieces = self.lists.pop()?;
                        self.close(open, pieces);
                    }
                }
            }
        }
        Some(Distilled { items: self.items, roots: self.lists.pop()? })
    }

    fn enter(&mut self, frame: FrameId, tree: &'v Tree, number: u32) {
        let Some(node) = tree.get(number) else { return };
        let passes = if node.role.kind == Kind::Term {
            let in_text = matches!(self.lists.last().and_then(|list| list.last()), Some(Piece::Text(_)));
            in_text && node.name.is_empty() && !node.has_ref()
        } else {
            passes(node, number)
        };
        let passes = passes && self.kept != Some(reference(frame, number));
        if !passes {
            self.lists.push(Vec::new());
        }
        self.open.push(Open { frame, tree, number, node, next: 0, passes });
        if let Some(inner) = self.view.frame_in(frame, number)
            && self.frames.insert(inner)
            && let Some(tree) = self.view.trees.get(&inner)
        {
            self.enter(inner, tree, 0); // goes no deeper: a document holds no frame itself
        }
    }

    /// Decides how an element is shown, now that everything in it is known.
    fn close(&mut self, open: Open<'v>, mut pieces: Vec<Piece<'v>>) {
        let node = open.node;
        let kind = node.role.kind;
        let element = reference(open.frame, open.number);
        let kept = self.kept == Some(element);
        let mut name = Cow::Borrowed(&*node.name);
        match kind {
            Kind::Row | Kind::Cell => {
                if !name.is_empty() && self.say(&pieces, &name) {
                    name = Cow::Borrowed("");
                }
                if kind == Kind::Row && pieces.iter().all(|piece| self.is_empty_cell(piece)) {
                    pieces.clear();
                }
            }
            _ => {
                let how = Said::of(kind);
                for said in [&*node.name, node.value().unwrap_or_default()] {
                    if !said.is_empty() {
                        pieces.retain(|piece| !is_said(&self.items, piece, said, how));
                    }
                }
            }
        }
        // An empty cell keeps its place in its row.
        let around = self.open.iter().rev().take(16).find(|open| !open.passes);
        let in_row = kind == Kind::Cell && around.is_some_and(|open| open.node.role.kind == Kind::Row);
        let around = self.lists.last_mut();
        let Some(around) = around else { return };
        let bare = name.is_empty() && !node.has_ref();
        let anonymous = bare && !has_states(node);
        if !kept {
            if anonymous && pieces.is_empty() && !in_row {
                return;
            }
            // A term is words in running text; in a list of terms it has a line.
            let in_text = matches!(around.last(), Some(Piece::Text(_)));
            let is_words = (kind == Kind::Inline || kind == Kind::Term && in_text)
                && !node.has_ref()
                && !has_states(node);
            if is_words && pieces.is_empty() {
                push_text(around, name);
                return;
            }
            let holds = matches!(kind, Kind::Structural | Kind::ListItem | Kind::Paragraph);
            if anonymous && holds && matches!(pieces.as_slice(), [Piece::Item(_)]) {
                around.append(&mut pieces);
                return;
            }
        }
        if kind == Kind::Wrapper
            && name.is_empty()
            && matches!(pieces.as_slice(), [Piece::Text(_)])
            && let Some(Piece::Text(text)) = pieces.pop()
        {
            name = text;
        }
        let mut item = Item {
            reference: element,
            node,
            weight: name.len(),
            name,
            refs: node.has_ref(),
            plain: !node.has_ref() && !has_states(node),
            pieces,
        };
        for piece in &item.pieces {
            match piece {
                Piece::Text(text) => item.weight += text.len() + 1,
                Piece::Item(at) => {
                    let inner = &self.items[*at];
                    item.weight += inner.weight + 1;
                    item.refs |= inner.refs;
                    item.plain &= inner.plain;
                }
            }
        }
        around.push(Piece::Item(self.items.len()));
        self.items.push(item);
    }

    /// Whether the pieces say all of a name.
    fn say(&self, pieces: &[Piece], name: &str) -> bool {
        let mut all = String::new();
        let mut rest = name;
        for piece in pieces {
            // Mostly the name was made of the pieces, and is used up by them one after the other.
            let simple = match piece {
                Piece::Text(text) => Some(&**text),
                Piece::Item(at) if self.items[*at].pieces.is_empty() => Some(&*self.items[*at].name),
                Piece::Item(at) => self.items[*at].only_text().filter(|_| self.items[*at].name.is_empty()),
            };
            match simple.and_then(|text| rest.strip_prefix(text)) {
                Some(left) => rest = left.trim_start(),
                None => break,
            }
        }
        if rest.is_empty() {
            return true;
        }
        for piece in pieces {
            match piece {
                Piece::Text(text) => push_word(&mut all, text),
                Piece::Item(at) if self.items[*at].weight > name.len() * 4 => return false,
                Piece::Item(at) => words(&self.items, &self.items[*at], &mut all),
            }
            if all.len() > name.len() * 4 {
                break;
            }
        }
        squeezed(&all).contains(&squeezed(name))
    }

    fn is_empty_cell(&self, piece: &Piece) -> bool {
        match piece {
            Piece::Item(at) => {
                let item = &self.items[*at];
                item.kind() == Kind::Cell && item.is_anonymous() && item.pieces.is_empty()
            }
            Piece::Text(_) => false,
        }
    }
}

/// Adds a text; what stands beside it already becomes one with it.
fn push_text<'v>(list: &mut Vec<Piece<'v>>, text: Cow<'v, str>) {
    match list.last_mut() {
        Some(Piece::Text(before)) => push_word(before.to_mut(), &text),
        _ => list.push(Piece::Text(text)),
    }
}

fn push_word(all: &mut String, word: &str) {
    if !all.is_empty() && !word.is_empty() {
        all.push(' ');
    }
    all.push_str(word);
}

fn words(items: &[Item], item: &Item, out: &mut String) {
    push_word(out, &item.name);
    let mut pending = vec![item.pieces.iter()];
    while let Some(pieces) = pending.last_mut() {
        match pieces.next() {
            Some(Piece::Text(text)) => push_word(out, text),
            Some(Piece::Item(at)) => {
                push_word(out, &items[*at].name);
                pending.push(items[*at].pieces.iter());
            }
            None => {
                pending.pop();
            }
        }
    }
}

/// Whether a piece says nothing that `said` does not say.
fn is_said(items: &[Item], piece: &Piece, said: &str, how: Said) -> bool {
    match piece {
        Piece::Text(text) => how.covers(said, text),
        Piece::Item(at) => {
            let item = &items[*at];
            let part = matches!(item.kind(), Kind::Row | Kind::Cell | Kind::Option | Kind::Table);
            // Blanks between the words may be more than the name has.
            if !item.plain || part || item.weight > said.len() * 2 {
                return false;
            }
            let mut all = String::new();
            words(items, item, &mut all);
            how.covers(said, &all)
        }
    }
}

/// How a name says what is in an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    /// It is just that.
    Whole,
    /// That is a part of it.
    Partly,
}

impl Said {
    /// What only holds things is not named after all that is in it: a part of its name may well be news there.
    fn of(kind: Kind) -> Said {
        match kind {
            Kind::Landmark | Kind::Structural | Kind::Table => Said::Whole,
            _ => Said::Partly,
        }
    }

    fn covers(self, said: &str, text: &str) -> bool {
        match self {
            _ if said == text || text.is_empty() => true,
            Said::Whole => text.len() <= said.len() * 2 && squeezed(said) == squeezed(text),
            Said::Partly => covers(said, text),
        }
    }
}

/// Whether `text` is a part of `said`, as whole words. Blanks do not count: markup puts them where a name has none.
fn covers(said: &str, text: &str) -> bool {
    let inside = |c: Option<char>, edge: Option<char>| {
        c.is_some_and(|c| c.is_ascii_alphanumeric()) && edge.is_some_and(|c| c.is_ascii_alphanumeric())
    };
    let whole = |(at, _): (usize, &str)| {
        !inside(said[..at].chars().next_back(), text.chars().next())
            && !inside(said[at + text.len()..].chars().next(), text.chars().next_back())
    };
    if text.len() <= said.len() && said.match_indices(text).take(8).any(whole) {
        return true;
    }
    // A name is rarely that long; where it is, looking twice at all of it for every piece would take its time.
    let worth_it = said.len() <= 2000 && text.len() <= said.len() * 2 && text.contains(' ');
    worth_it && squeezed(said).contains(&squeezed(text))
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use crate::snapshot::sample::check;

    #[test]
    fn names_are_not_repeated() {
        check("button \"Save\" ref\n  'Save", "- button \"Save\" [ref=e1]");
        check("button \"Save\" ref\n  strong\n    'Sa\n  've", "- button \"Save\" [ref=e1]");
        check(
            "link \"Buy now Big sale\" ref\n  heading \"Buy now\" level=2\n    'Buy now\n  paragraph\n    'Big sale",
            "- link \"Buy now Big sale\" [ref=e1]",
        );
        check(
            "link \"Buy now\" ref\n  button \"Buy\" ref\n  paragraph\n    'Cheap",
            "- link \"Buy now\" [ref=e1]:\n  - button \"Buy\" [ref=e2]\n  - paragraph: Cheap",
        );
        check("group \"Order 7\"\n  'Order 7", "- group \"Order 7\"");
        check("group \"Order 7\"\n  paragraph\n    '7", "- group \"Order 7\":\n  - paragraph: 7");
        check("button \"Order 10\" ref\n  '1", "- button \"Order 10\" [ref=e1]: 1");
        check(
            "table \"Sales\"\n  caption\n    'Sales\n  row\n    cell\n      '1",
            "- table \"Sales\":\n  - row: 1",
        );
        check("textbox \"Bio\" ref, value=I am\n  'I am", "- textbox \"Bio\" [ref=e1]: I am");
    }

    #[test]
    fn wrappers_vanish() {
        check("generic\n  generic\n    'Hello\n  none\n    'there", "- text: Hello there");
        check("generic ref\n  'Click me", "- generic \"Click me\" [ref=e1]");
        check("generic ref\n  'Hi\n  img \"x\"", "- generic [ref=e1]:\n  - text: Hi\n  - img \"x\"");
        check("group\n  region\n    button \"B\" ref", "- button \"B\" [ref=e3]");
        check("group \"G\"\n  button \"B\" ref", "- group \"G\":\n  - button \"B\" [ref=e2]");
        check(
            "list\n  listitem\n    'one\n  listitem\n    'two",
            "- list:\n  - listitem: one\n  - listitem: two",
        );
        check("img\nparagraph\nlist\n  listitem\nheading level=2\nseparator", "");
        check("textbox disabled", "- textbox [disabled]");
        check("term\n  'A\ndefinition\n  'B", "- term: A\n- definition: B");
        check(
            "paragraph\n  'See\n  link \"docs\" ref\n  'first",
            "- paragraph:\n  - text: See\n  - link \"docs\" [ref=e2]\n  - text: first",
        );
    }
}

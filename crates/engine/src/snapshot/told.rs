//! A delta as an agent reads it. Every change is a line of its own that begins with its mark:
//!
//! ```text
//! + dialog "Delete it?" [ref=e20]:
//!   - button "Yes" [ref=e21]
//! ~ status: shipped 3
//! ~ row: 7 | Ada | button "Sent" [disabled] [ref=e12]
//! ~ text: 4 items
//! - link "Undo" [ref=e9]
//! - list "Drafts": … (12 inside)
//! ```
//!
//! - `+` appeared: the outermost of what is new, with what is in it below, as in a snapshot; texts and elements in the page's order.
//! - `~` changed: the element's line as it is now, alone. What shares a line (a row, running text, options) is told by that line.
//!   `text` is a text of an element that holds more than text, where another one was. `(moved)` and `(reordered)` are what they say.
//! - `-` went: the outermost of what is gone, with the number of elements that went with it.
//!
//! A popup that puts all the rest out of reach is told by one line for that; see `behind`.
//!
//! An element that differs only because something in it came or went has no line of its own.

use std::collections::{HashMap, HashSet};

use contract::{FrameId, Ref};

use super::{
    behind::Behind,
    cut::Rendered,
    delta::Delta,
    distil::{Distilled, Item, passes},
    role::Kind,
    text::{TextOptions, Writer},
    texts::{Texts, texts},
    tree::{Child, Node, View, frame_of, reference},
};

/// How many elements are looked at to write one line. An element with more in it is shown by its head.
const LINE: usize = 400;

impl Delta {
    /// The delta as every front tells it.
    pub(super) fn told(
        &self,
        behind: &mut Behind,
        old: &View,
        new: &View,
        max_chars: Option<usize>,
    ) -> contract::Delta {
        let Rendered { text, cut, .. } = behind.text(self, old, new, max_chars);
        let usable = |element: &Ref, view: &View| view.get(*element).is_some_and(Node::has_ref);
        let differs = |element: &Ref| match (old.get(*element), new.get(*element)) {
            (Some(old), Some(new)) => !same_head(old, new) || !texts(old).eq(texts(new)),
            _ => true,
        };
        contract::Delta {
            text,
            appeared: self.appeared.keys().filter(|element| usable(element, new)).copied().collect(),
            changed: self.changed.keys().filter(|at| usable(at, new) && differs(at)).copied().collect(),
            went: self.went.iter().filter(|element| usable(element, old)).copied().collect(),
            cut,
        }
    }

    /// The delta as text: what is there now, and what went.
    pub(super) fn parts(&self, old: &View, new: &View) -> [String; 2] {
        let now = TextOptions::default();
        let before = TextOptions { depth: Some(1), ..now };
        let mut telling = Telling {
            delta: self,
            old,
            new,
            now: Writer::new(&now, "+ "),
            gone: Writer::new(&before, "- "),
            lines: Lines::of(new),
            told: HashSet::new(),
        };
        let went = telling.went();
        telling.appeared();
        telling.now.mark("~ ");
        telling.changed();
        for element in went {
            telling.line(element, "");
        }
        [telling.now.end(), telling.gone.end()]
    }

    /// The delta as text, whatever lies behind.
    #[cfg(test)]
    pub(crate) fn text(&self, old: &View, new: &View, max_chars: Option<usize>) -> Rendered {
        Behind::default().text(self, old, new, max_chars)
    }
}

struct Telling<'a> {
    delta: &'a Delta,
    old: &'a View,
    new: &'a View,
    now: Writer<'a>,
    gone: Writer<'a>,
    lines: Lines<'a>,
    /// Elements whose lines are written as changed.
    told: HashSet<Ref>,
}

impl Telling<'_> {
    /// Writes what is new in the order of the page: elements, and the texts between them.
    fn appeared(&mut self) {
        let mut later = Vec::new();
        let mut places = Places::of(self.new);
        let mut news = Vec::new();
        let holders = holders(self.new);
        for element in self.delta.appeared.keys() {
            let around = around(self.new, &holders, *element);
            if around.is_some_and(|around| self.delta.appeared.contains_key(&around)) {
                continue;
            }
            if element.element == 0 {
                // A document is shown with the element that holds it.
                news.push((places.way(around.unwrap_or(*element)), New::Document(*element, around)));
            } else if let Some(line) = self.lines.around(*element).filter(|line| self.old.contains(*line)) {
                later.push(line);
            } else {
                news.push((places.way(*element), New::Element(*element)));
            }
        }
        let delta = self.delta;
        for (element, new) in &delta.changed {
            let Some(old) = self.old.get(*element).filter(|_| self.tells_texts_apart(*element, new)) else {
                continue;
            };
            let way = places.way(*element);
            for at in Texts::of(old, new).came {
                if let Some(Child::Text(text)) = new.children.get(at) {
                    let mut way = way.clone();
                    way.1.push(at);
                    news.push((way, New::Text(text)));
                }
            }
        }
        news.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (_, new) in news {
            let distilled = match new {
                New::Text(text) => {
                    self.now.aside(0, "text", text);
                    None
                }
                New::Document(element, around) => around
                    .and_then(|holder| Distilled::element(self.new, holder, usize::MAX))
                    .or_else(|| Distilled::part(self.new, element)),
                New::Element(element) => unsaid(self.new, element),
            };
            if let Some(distilled) = distilled {
                self.whole(&distilled);
            }
        }
        self.now.mark("~ ");
        for element in later {
            self.line(element, "");
        }
    }

    /// Whether the texts of an element have lines of their own: no one line shows all of it.
    fn tells_texts_apart(&mut self, element: Ref, new: &Node) -> bool {
        let own = !passes(new, element.element) && self.lines.is_line(element);
        !own && self.lines.around(element).is_none()
    }

    /// Writes all of it; what is in it, though it may be old and have changed, has been told by that.
    fn whole(&mut self, distilled: &Distilled) {
        self.now.write(distilled);
        self.told.extend(distilled.items.iter().map(|item| item.reference));
    }

    /// Writes what went. Returns the elements that lost a part of their line.
    fn went(&mut self) -> Vec<Ref> {
        let mut shortened = Vec::new();
        let mut lines = Lines::of(self.old);
        let holders = holders(self.old);
        for element in &self.delta.went {
            let around = around(self.old, &holders, *element);
            if around.is_some_and(|around| self.delta.went.contains(&around)) {
                continue;
            }
            if element.element == 0 {
                shortened.extend(around.filter(|holder| self.new.contains(*holder)));
            } else if let Some(line) = lines.around(*element).filter(|line| self.new.contains(*line)) {
                shortened.push(line);
            } else if let Some(distilled) = unsaid(self.old, *element) {
                self.gone.write(&distilled);
            }
        }
        shortened
    }

    fn changed(&mut self) {
        let delta = self.delta;
        for (element, new) in &delta.changed {
            let Some(old) = self.old.get(*element) else { continue };
            if *element == Ref::default() && old.name != new.name {
                self.now.aside(0, "title", &new.name);
            }
            let shown = !passes(new, element.element);
            let head = !same_head(old, new) && shown;
            let words = !texts(old).eq(texts(new));
            if head || words {
                match self.lines.around(*element) {
                    Some(line) => self.line(line, ""),
                    None => {
                        let own = shown && self.lines.is_line(*element);
                        if head || own {
                            self.line(*element, "");
                        }
                        if words && !own {
                            self.texts(old, new);
                        }
                    }
                }
            }
            self.places(*element, old, new);
        }
    }

    /// Tells of what is in another place than before.
    fn places(&mut self, element: Ref, old: &Node, new: &Node) {
        let was: HashSet<u32> = old.inner().collect();
        let is: HashSet<u32> = new.inner().collect();
        // Texts are in another place only if they are the same; other ones are told already.
        let words = texts(old).eq(texts(new));
        let stayed = |child: &&Child| match child {
            Child::Node(inner) => was.contains(inner) && is.contains(inner),
            Child::Text(_) => words,
        };
        if !old.children.iter().filter(stayed).eq(new.children.iter().filter(stayed)) {
            let at = shown(self.new, element);
            let remark = format!(" (reordered){}", order(self.new, at));
            self.line(at, &remark);
        }
        for inner in new.inner().filter(|inner| !was.contains(inner)) {
            let inner = Ref { element: inner, ..element };
            if self.old.contains(inner) {
                match self.lines.around(inner) {
                    Some(line) => self.line(line, ""),
                    None => self.line(inner, " (moved)"),
                }
            }
        }
    }

    /// The line of an element as it is now, once.
    fn line(&mut self, element: Ref, remark: &str) {
        if self.delta.appeared.contains_key(&element) || !self.told.insert(element) {
            return;
        }
        match Distilled::element(self.new, element, LINE).filter(|_| element.element != 0) {
            Some(distilled) if remark.is_empty() && is_line(&distilled) => self.now.write(&distilled),
            Some(distilled) => {
                if let Some(item) = distilled.root() {
                    self.now.line(item, remark);
                }
            }
            None => {
                if let Some(item) = Item::alone(self.new, element) {
                    self.now.line(&item, remark);
                }
            }
        }
    }

    /// The texts of an element that took the place of others, and those that are gone. What came was told with what appeared.
    fn texts(&mut self, old: &Node, new: &Node) {
        let texts = Texts::of(old, new);
        for text in texts.changed {
            self.now.aside(0, "text", text);
        }
        for text in texts.went {
            self.gone.aside(0, "text", text);
        }
    }
}

/// Something that appeared.
enum New<'v> {
    /// With the element that holds it.
    Document(Ref, Option<Ref>),
    Element(Ref),
    Text(&'v str),
}

/// Where elements are in the order of the page.
struct Places<'v> {
    view: &'v View,
    /// The places of the children of an element, as far as it was asked.
    known: HashMap<Ref, HashMap<u32, usize>>,
}

impl<'v> Places<'v> {
    fn of(view: &'v View) -> Self {
        Places { view, known: HashMap::new() }
    }

    /// The way to an element: its frame, and the place in each element on the way down. Ways compare as the page reads.
    fn way(&mut self, element: Ref) -> (FrameId, Vec<usize>) {
        let mut way = Vec::new();
        let line: Vec<(Ref, &Node)> = upwards(self.view, element).collect();
        for pair in line.windows(2) {
            let ((inner, _), (around, node)) = (pair[0], pair[1]);
            let places = self.known.entry(around).or_insert_with(|| {
                let place = |(at, child): (usize, &Child)| match child {
                    Child::Node(number) => Some((*number, at)),
                    Child::Text(_) => None,
                };
                node.children.iter().enumerate().filter_map(place).collect()
            });
            way.push(places.get(&inner.element).copied().unwrap_or_default());
        }
        way.reverse();
        (frame_of(element), way)
    }
}

fn same_head(old: &Node, new: &Node) -> bool {
    old.role == new.role && old.name == new.name && old.properties == new.properties
}

/// The elements that hold frames, by frame.
fn holders(view: &View) -> HashMap<FrameId, Ref> {
    view.frames.iter().map(|(holder, frame)| (*frame, *holder)).collect()
}

/// What an element is in; a document is in the element that holds its frame.
fn around(view: &View, holders: &HashMap<FrameId, Ref>, element: Ref) -> Option<Ref> {
    let frame = frame_of(element);
    match view.trees.get(&frame)?.parent(element.element) {
        Some(parent) => Some(reference(frame, parent)),
        None => holders.get(&frame).copied(),
    }
}

/// An element and what it is in, the nearest first, the document last.
fn upwards(view: &View, element: Ref) -> impl Iterator<Item = (Ref, &Node)> {
    let tree = view.trees.get(&frame_of(element));
    std::iter::successors(Some(element.element), move |number| tree?.parent(*number))
        .filter_map(move |number| Some((Ref { element: number, ..element }, tree?.get(number)?)))
}

/// The nearest element around that has a line of its own, or the element itself.
fn shown(view: &View, element: Ref) -> Ref {
    upwards(view, element).find(|(at, node)| !passes(node, at.element)).map_or(element, |(at, _)| at)
}

/// Which elements of a view take one line with all that is in them, as far as it was asked.
struct Lines<'v> {
    view: &'v View,
    known: HashMap<Ref, bool>,
}

impl<'v> Lines<'v> {
    fn of(view: &'v View) -> Self {
        Lines { view, known: HashMap::new() }
    }

    fn is_line(&mut self, element: Ref) -> bool {
        let look =
            || Distilled::element(self.view, element, LINE).is_some_and(|distilled| is_line(&distilled));
        *self.known.entry(element).or_insert_with(look)
    }

    /// The element on whose one line another one is shown: a row, a combobox, or what holds running text.
    fn around(&mut self, element: Ref) -> Option<Ref> {
        let shares =
            |(_, node): &(Ref, &Node)| matches!(node.role.kind, Kind::Row | Kind::Combobox | Kind::Table);
        if let Some((at, node)) = upwards(self.view, element).find(shares)
            && node.role.kind != Kind::Table
            && self.is_line(at)
        {
            return Some(at);
        }
        let at = shown(self.view, element);
        (at != element && at.element != 0 && self.is_line(at)).then_some(at)
    }
}

/// Whether an element takes one line with all that is in it.
fn is_line(distilled: &Distilled) -> bool {
    distilled.root().is_some_and(|item| match item.kind() {
        Kind::Row => distilled.write_cells(&mut String::new(), item, &TextOptions::default()),
        Kind::Combobox if distilled.options(item).is_some() => true,
        _ => item.pieces.is_empty() || item.only_text().is_some(),
    })
}

/// How many elements are looked at to tell in what order things are, and how many characters of each are told.
const ORDER: usize = 4_000;
const IN_ORDER: usize = 40;

/// What is in an element, in its order and in few words: `: B | A | … 3 more`. Nothing for what has too much in it.
fn order(view: &View, element: Ref) -> String {
    let mut told = String::new();
    if let Some(distilled) = Distilled::element(view, element, ORDER) {
        let names = distilled.names(IN_ORDER);
        if !names.is_empty() {
            told.push_str(": ");
            distilled.write_options(&mut told, &names.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
    told
}

/// What is shown of an element, unless the name of what it is in says it already.
fn unsaid(view: &View, element: Ref) -> Option<Distilled<'_>> {
    let mut distilled = Distilled::part(view, element)?;
    if let Some((_, around)) = upwards(view, element).skip(1).find(|(at, node)| !passes(node, at.element)) {
        distilled.without(around);
    }
    Some(distilled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::sample::{page, with_frame};

    fn check(old: &str, new: &str, expected: &str) {
        let (old, new) = (page(old), page(new));
        assert_eq!(old.delta(&new).text(&old, &new, None).text, expected);
    }

    #[test]
    fn what_appeared_and_went() {
        check("1 main\n  2 status\n    'x", "1 main\n  2 status\n    'x", "");
        check(
            "1 main",
            "1 main\n  20 dialog \"Delete it?\" ref\n    21 generic\n      22 button \"Yes\" ref\n    23 button \"No\" ref",
            "+ dialog \"Delete it?\" [ref=e20]:\n  - button \"Yes\" [ref=e22]\n  - button \"No\" [ref=e23]",
        );
        check(
            "1 main\n  2 list \"Drafts\"\n    3 listitem\n      'a\n    4 listitem\n      'b\n  5 link \"Undo\" ref",
            "1 main\n  6 generic\n    'hello\n    7 button \"B\" ref",
            "+ text: hello\n+ button \"B\" [ref=e7]\n- list \"Drafts\": … (2 inside)\n- link \"Undo\" [ref=e5]",
        );
        check("1 button \"Save\" ref", "1 button \"Save\" ref\n  2 img \"Save\"", "");
    }

    #[test]
    fn what_changed() {
        check("1 status\n  'idle", "1 status\n  'shipped 3", "~ status: shipped 3");
        check("1 status\n  2 generic\n    'idle", "1 status\n  2 generic\n    'done", "~ status: done");
        check(
            "1 button \"Save\" ref\n  'Save",
            "1 button \"Saved\" ref, disabled\n  'Saved",
            "~ button \"Saved\" [disabled] [ref=e1]",
        );
        check("1 textbox \"A\" ref", "1 textbox \"A\" ref, value=x", "~ textbox \"A\" [ref=e1]: x");
        check(
            "1 main\n  'a\n  2 link \"l\" ref\n  'b",
            "1 main\n  'a\n  2 link \"l\" ref\n  'c",
            "~ text: c",
        );
        check("1 main\n  'a\n  2 link \"l\" ref\n  'b", "1 main\n  'a\n  2 link \"l\" ref", "- text: b");
        check(
            "1 paragraph\n  'a\n  2 strong\n    'b",
            "1 paragraph\n  'a\n  3 strong\n    'c",
            "~ paragraph: a c",
        );
        check("1 group \"G\"\n  2 button \"B\" ref", "1 group \"H\"\n  2 button \"B\" ref", "~ group \"H\"");
        check(
            "1 combobox \"C\" ref, value=a\n  2 option \"a\"",
            "1 combobox \"C\" ref, value=a\n  2 option \"a\"\n  3 option \"b\"",
            "~ combobox \"C\" [ref=e1]: a\n  - /options: a | b",
        );
    }

    #[test]
    fn rows_are_told_by_their_line() {
        let row = |cells: &str| {
            format!("1 table\n  2 row\n    3 cell\n      '7{cells}\n  9 row\n    10 cell\n      'x")
        };
        check(
            &row("\n    4 cell\n      5 button \"Ship\" ref"),
            &row("\n    4 cell\n      5 button \"Sent\" ref, disabled"),
            "~ row: 7 | button \"Sent\" [disabled] [ref=e5]",
        );
        check(&row(""), &row("\n    4 cell\n      'new"), "~ row: 7 | new");
        check(&row("\n    4 cell\n      'old"), &row(""), "~ row: 7");
        check("1 table\n  2 row\n    3 cell\n      'a", &row("").replace("'7", "'a"), "+ row: x");
    }

    #[test]
    fn places() {
        check(
            "1 list \"L\"\n  2 button \"A\" ref\n  3 button \"B\" ref",
            "1 list \"L\"\n  3 button \"B\" ref\n  2 button \"A\" ref",
            "~ list \"L\" (reordered): B | A",
        );
        check(
            "1 list \"L\"\n  2 button \"A\" ref\n3 list \"M\"",
            "1 list \"L\"\n3 list \"M\"\n  2 button \"A\" ref",
            "~ button \"A\" [ref=e2] (moved)",
        );
    }

    /// What a wrapper without a meaning says is told where it stands, and not torn from what came with it.
    #[test]
    fn texts_come_with_their_elements() {
        check(
            "1 button \"Search\" ref\n'599 s left",
            "1 button \"Search\" ref\n'Duration: 5h\n3 button \"Book $404\" ref\n'Duration: 15h\n2 button \"Book $90\" ref\n'598 s left",
            "+ text: Duration: 5h\n+ button \"Book $404\" [ref=e3]\n+ text: Duration: 15h\n+ button \"Book $90\" [ref=e2]\n~ text: 598 s left",
        );
        check(
            "1 main\n  'No flights\n  2 button \"Search\" ref",
            "1 main\n  2 button \"Search\" ref\n  'Duration: 5h\n  3 button \"Book\" ref",
            "+ text: Duration: 5h\n+ button \"Book\" [ref=e3]\n- text: No flights",
        );
        check("1 main\n  2 button \"A\" ref", "1 main\n  2 button \"A\" ref\n  'Saved", "+ text: Saved");
    }

    #[test]
    fn an_order_is_told_in_few_words() {
        let list = |order: &mut dyn Iterator<Item = u32>| {
            let items = order.map(|at| {
                format!("  {at} listitem\n    'Item {at} is a long one, with more than forty letters")
            });
            format!("1 list\n{}", items.collect::<Vec<_>>().join("\n"))
        };
        let (old, new) = (page(&list(&mut (2..200))), page(&list(&mut (2..200).rev())));
        let told = old.delta(&new).text(&old, &new, None).text;
        assert!(
            told.starts_with("~ list (reordered): Item 199 is a long one, with more than f… | Item 198"),
            "{told}"
        );
        assert!(told.ends_with(" more") && told.len() < 700 && !told.contains('\n'), "{told}");
    }

    #[test]
    fn frames() {
        let (none, some) =
            (page("1 iframe \"Pay\" ref"), with_frame("1 iframe \"Pay\" ref", 1, "button \"Pay\" ref"));
        let text = |old: &View, new: &View| old.delta(new).text(old, new, None).text;
        assert_eq!(text(&none, &some), "+ iframe \"Pay\" [ref=e1]:\n  - button \"Pay\" [ref=f1e1]");
        assert_eq!(text(&some, &none), "~ iframe \"Pay\" [ref=e1]");
    }

    #[test]
    fn refs_are_those_that_can_be_used() {
        let (old, new) = (
            page("1 main\n  2 button \"A\" ref\n  3 link \"B\" ref"),
            page("1 main\n  2 button \"X\" ref\n  4 link \"C\" ref\n  5 img \"i\""),
        );
        let told = old.delta(&new).told(&mut Behind::default(), &old, &new, Some(200));
        let refs = |refs: &[Ref]| refs.iter().map(Ref::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!([refs(&told.appeared), refs(&told.changed), refs(&told.went)], ["e4", "e2", "e3"]);
        let cut = old.delta(&new).told(&mut Behind::default(), &old, &new, Some(70));
        assert!(cut.text.contains("take a snapshot") && cut.cut.is_some(), "{}", cut.text);
    }
}

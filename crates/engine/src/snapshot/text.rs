//! A view as text, in the aria-snapshot grammar that models know: a line an element, two blanks a level.
//!
//! ```text
//! - main [ref=e45]:
//!   - heading "Orders" [level=1]
//!   - textbox "Email" [ref=e50]: ada@example.com
//!     - /placeholder: you@example.com
//!   - combobox "Role" [ref=e52]: Viewer
//!     - /options: Viewer | Editor | Admin
//!   - paragraph: Use your work account.
//!   - table "Orders":
//!     - row: Id | Customer | Order
//!     - row: 0 | Ada | link "Order 0" [ref=e90]
//!   - iframe "Pay" [ref=e99]:
//!     - button "Pay now" [ref=f1e4]
//! ```
//!
//! What is left out is said: `- list: … (40 inside)` where `depth` ends, and a last line that begins with `…` where `max_chars` does.

use std::{collections::HashMap, fmt::Write};

use contract::Ref;

use super::{
    cut::{How, Rendered},
    distil::{Distilled, Item, Piece},
    escape::{Line, plain},
    line::{asides, head},
    role::Kind,
    tree::View,
};

/// How deep lines are indented, and data is nested. What is deeper stands on the last level.
pub(super) const LEVELS: usize = 100;

/// What is shown of a view.
#[derive(Clone, Copy, Default)]
pub(crate) struct TextOptions<'a> {
    /// The characters that the text may have.
    pub(crate) max_chars: Option<usize>,
    /// How many levels are shown.
    pub(crate) depth: Option<usize>,
    /// Only what can be used, and what tells where that is.
    pub(crate) interactive: bool,
    /// Without elements that only hold others together.
    pub(crate) compact: bool,
    /// With the addresses of links.
    pub(crate) urls: bool,
    /// Only this element and what is in it.
    pub(crate) scope: Option<Ref>,
    /// Where elements are in the viewport.
    pub(crate) boxes: Option<&'a HashMap<Ref, [i32; 4]>>,
}

impl View {
    /// The view as text. A scope that is not there shows nothing; ask [`View::contains`] first.
    pub(crate) fn render(&self, options: &TextOptions) -> Rendered {
        let mut writer = Writer::new(options, "- ");
        if let Some(distilled) = self.distilled(options) {
            writer.write(&distilled);
        }
        Rendered::of(writer.end(), options.max_chars, How::Part)
    }

    pub(super) fn distilled(&self, options: &TextOptions) -> Option<Distilled<'_>> {
        match options.scope {
            Some(scope) => Distilled::element(self, scope, usize::MAX),
            None => Some(Distilled::page(self)),
        }
    }
}

impl TextOptions<'_> {
    /// Whether an element has a line, or only what is in it.
    pub(super) fn shows(&self, item: &Item) -> bool {
        let named = !item.name.is_empty();
        if self.interactive {
            let context = named || matches!(item.kind(), Kind::Landmark | Kind::Table | Kind::Row);
            return item.node.has_ref() || item.kind() == Kind::Heading || (item.refs && context);
        }
        let holds = matches!(item.kind(), Kind::Structural | Kind::ListItem | Kind::Paragraph);
        !(self.compact && holds && item.is_anonymous())
    }

    pub(super) fn levels(&self) -> usize {
        self.depth.map_or(usize::MAX, |depth| depth.max(1))
    }
}

/// Writes lines. How a line ends depends on what comes after it, so each is ended when the next one begins.
pub(super) struct Writer<'a> {
    options: &'a TextOptions<'a>,
    /// What lines of the first level begin with.
    mark: &'static str,
    out: String,
    /// The level of the last line.
    level: usize,
    /// Whether the last line has its colon already.
    colon: bool,
    /// How many elements were left out below the last line.
    hidden: usize,
    deeper: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(options: &'a TextOptions<'a>, mark: &'static str) -> Self {
        Writer { options, mark, out: String::new(), level: 0, colon: true, hidden: 0, deeper: false }
    }

    /// Sets what further lines of the first level begin with.
    pub(super) fn mark(&mut self, mark: &'static str) {
        self.mark = mark;
    }

    /// Begins a line.
    fn begin(&mut self, level: usize) {
        if !self.out.is_empty() {
            self.close(level);
            self.out.push('\n');
        }
        for _ in 0..level.min(LEVELS) {
            self.out.push_str("  ");
        }
        self.out.push_str(if level == 0 { self.mark } else { "- " });
        self.deeper |= level > LEVELS;
        self.level = level;
        self.colon = false;
    }

    /// Ends the last line, now that the level of the next one is known.
    fn close(&mut self, next: usize) {
        if self.hidden > 0 {
            let colon = if self.colon { "" } else { ":" };
            let _ = write!(self.out, "{colon} … ({} inside)", self.hidden);
        } else if next > self.level && !self.colon {
            self.out.push(':');
        }
        self.hidden = 0;
    }

    /// A line of its own words, such as `text: …`.
    pub(super) fn aside(&mut self, level: usize, key: &str, text: &str) {
        self.begin(level);
        self.out.push_str(key);
        self.text(text);
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(": ");
        plain(&mut self.out, text, Line::Single);
        self.colon = true;
    }

    /// The lines of everything that was distilled.
    pub(super) fn write(&mut self, distilled: &Distilled) {
        let mut pending = vec![(distilled.roots.iter(), 0)];
        while let Some((pieces, level)) = pending.last_mut() {
            let level = *level;
            let Some(piece) = pieces.next() else {
                pending.pop();
                continue;
            };
            let hidden = level >= self.options.levels();
            match piece {
                Piece::Text(_) if self.options.interactive => {}
                Piece::Text(_) if hidden => self.hidden += 1,
                Piece::Text(text) => self.aside(level, "text", text),
                Piece::Item(at) => {
                    let item = &distilled.items[*at];
                    let empty = item.kind() == Kind::Cell && item.pieces.is_empty() && item.is_anonymous();
                    if (empty && level > 0) || !self.options.shows(item) {
                        pending.push((item.pieces.iter(), level));
                    } else if hidden {
                        self.hidden += 1;
                        if item.only_text().is_none() {
                            pending.push((item.pieces.iter(), level + 1));
                        }
                    } else if self.item(distilled, item, level) {
                        pending.push((item.pieces.iter(), level + 1));
                    }
                }
            }
        }
    }

    /// The line of an element. True when what is in it still has to be shown.
    fn item(&mut self, distilled: &Distilled, item: &Item, level: usize) -> bool {
        self.begin(level);
        if item.kind() == Kind::Row && self.options.interactive {
            distilled.write_usable(&mut self.out, item, self.options);
            self.colon = true;
            return false;
        }
        let in_row = item.kind() == Kind::Row;
        head(&mut self.out, item, &item.name, self.options, if in_row { Line::Parted } else { Line::Single });
        if in_row && distilled.write_cells(&mut self.out, item, self.options) {
            self.colon = true;
            return false;
        }
        let text = item.only_text().filter(|_| !self.options.interactive || item.node.has_ref());
        let mut further = text.is_none();
        match (item.node.value(), text) {
            (Some(value), text) => {
                self.text(value);
                further |= text.is_some();
            }
            (None, Some(text)) => self.text(text),
            (None, None) => {}
        }
        for (key, text) in asides(item, self.options) {
            self.aside(level + 1, &format!("/{key}"), text);
        }
        if let Some(names) = distilled.options(item) {
            self.begin(level + 1);
            self.out.push_str("/options: ");
            distilled.write_options(&mut self.out, &names);
            self.colon = true;
            return false;
        }
        further
    }

    /// The line of an element alone, with a remark.
    pub(super) fn line(&mut self, item: &Item, remark: &str) {
        self.begin(0);
        head(&mut self.out, item, &item.name, self.options, Line::Single);
        if let Some(value) = item.node.value() {
            self.text(value);
        }
        self.out.push_str(remark);
        self.colon = true;
    }

    /// The text.
    pub(super) fn end(mut self) -> String {
        self.close(0);
        if self.deeper {
            let _ = write!(self.out, "\n… what is deeper than {LEVELS} levels stands on level {LEVELS}");
        }
        self.out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::snapshot::{
        sample::{deep, e, page, unindented, with_frame},
        tree::Tree,
    };

    /// Compares with a text that may be indented and begin with a line break.
    fn with(source: &str, options: &TextOptions, expected: &str) {
        assert_eq!(page(source).render(options).text, unindented(expected), "of {source}");
    }

    #[test]
    fn elements_have_a_line_each() {
        let view = with_frame(
            "
            navigation \"Main\" ref
              list
                listitem
                  link \"Section 0\" ref, url=/0
                    'Section 0
                listitem
                  link \"Section 1\" ref
            main ref
              heading \"Orders\" level=1, ref
                'Orders
              status
                'idle
              textbox \"Email\" ref, value=ada@example.com, placeholder=you@example.com
              textbox \"Phone\" required, ref, value=
              combobox \"Role\" ref, value=Viewer
                option \"Viewer\" selected
                option \"Editor\"
                option \"A | B\"
              listbox \"Size\" ref
                option \"S\" selected, ref
                option \"M\" ref
              checkbox \"Keep me\" checked, ref
              checkbox \"All\" checked=mixed, odd=a b, ref
              paragraph
                'Use your
                strong
                  'work
                'account.
              99 iframe \"Pay\" frame, ref
            ",
            99,
            "button \"Pay now\" ref",
        );
        let expected = "
            - navigation \"Main\" [ref=e1]:
              - list:
                - link \"Section 0\" [ref=e4]
                - link \"Section 1\" [ref=e6]
            - main [ref=e7]:
              - heading \"Orders\" [level=1] [ref=e8]
              - status: idle
              - textbox \"Email\" [ref=e10]: ada@example.com
                - /placeholder: you@example.com
              - textbox \"Phone\" [required] [ref=e11]
              - combobox \"Role\" [ref=e12]: Viewer
                - /options: Viewer | Editor | A \\| B
              - listbox \"Size\" [ref=e16]:
                - option \"S\" [selected] [ref=e17]
                - option \"M\" [ref=e18]
              - checkbox \"Keep me\" [checked] [ref=e19]
              - checkbox \"All\" [checked=mixed] [odd=\"a b\"] [ref=e20]
              - paragraph: Use your work account.
              - iframe \"Pay\" [ref=e99]:
                - button \"Pay now\" [ref=f1e1]
            ";
        let rendered = view.render(&TextOptions::default());
        assert_eq!(rendered.text, unindented(expected));
        assert_eq!((rendered.refs, rendered.cut), (15, None));
    }

    const FORM: &str = "
        main
          paragraph
            'Words
          group \"Address\"
            textbox \"City\" ref
          group
            heading \"Next\" level=2
            list
              listitem
                link \"a\" ref, url=/a
              listitem
                'plain
          table
            row
              cell
                'Ada
              cell
                button \"Del\" ref
            row
              cell
                'none";

    #[test]
    fn options() {
        let default = TextOptions::default();
        with(
            FORM,
            &TextOptions { interactive: true, ..default },
            "
            - main:
              - group \"Address\":
                - textbox \"City\" [ref=e4]
              - heading \"Next\" [level=2]
              - link \"a\" [ref=e9]
              - table:
                - row \"Ada\": button \"Del\" [ref=e15]
            ",
        );
        with(
            FORM,
            &TextOptions { compact: true, urls: true, ..default },
            "
            - main:
              - text: Words
              - group \"Address\":
                - textbox \"City\" [ref=e4]
              - heading \"Next\" [level=2]
              - link \"a\" [ref=e9]:
                - /url: /a
              - text: plain
              - table:
                - row: Ada | button \"Del\" [ref=e15]
                - row: none
            ",
        );
        with(FORM, &TextOptions { depth: Some(1), ..default }, "- main: … (15 inside)");
        with(
            FORM,
            &TextOptions { depth: Some(2), ..default },
            "
            - main:
              - paragraph: Words
              - group \"Address\": … (1 inside)
              - group: … (4 inside)
              - table: … (6 inside)
            ",
        );
        let boxes = [(e(9), [1, -2, 3, 4])].into();
        let scoped = TextOptions { scope: Some(e(7)), boxes: Some(&boxes), ..default };
        with(FORM, &scoped, "- list:\n  - link \"a\" [ref=e9] [box=1,-2,3,4]\n  - listitem: plain");
        with(FORM, &TextOptions { scope: Some(e(10)), ..default }, "- listitem: plain");
        with(FORM, &TextOptions { scope: Some(e(77)), ..default }, "");
        assert!(page(FORM).contains(e(10)) && !page(FORM).contains(e(77)));
    }

    #[test]
    fn depth_is_no_danger() {
        let view = deep(10_000);
        let text = view.render(&TextOptions::default()).text;
        assert!(text.ends_with("stands on level 100"), "{}", &text[text.len() - 200..]);
        assert_eq!(text.lines().count(), 10_001);
        assert_eq!(view.render(&TextOptions { interactive: true, ..TextOptions::default() }).refs, 1);
    }

    proptest! {
        /// Whatever a page says: every line begins with a word of ours, and every ref is that of an element that has one.
        #[test]
        fn nothing_can_be_forged(
            words in prop::collection::vec(r#"(- button|"|\\|\[ref=e1\]|\[checked\]|: |\||=|\n|\r|\u{2028}|\u{202e}|\PC){0,6}"#, 12),
            interactive: bool, compact: bool, urls: bool,
        ) {
            let roles = ["link", "heading", "paragraph", "row", "cell", "generic", "combobox", "option", "list", "listitem", "strong", "textbox"];
            let mut lines = vec!["0\tdocument\t\t\t1".to_owned()];
            for (at, word) in words.iter().enumerate() {
                let word = word.replace(['\t', '\n'], "\r");
                let number = at + 1;
                let usable = if number % 3 == 0 { "ref\t" } else { "" };
                let next = if number < words.len() { (number + 1).to_string() } else { "'end".into() };
                let role = roles[(at * 7 + words[0].len()) % roles.len()];
                lines.push(format!(
                    "{number}\t{role}\t{word}\t{usable}odd={word}\tvalue={word}\turl={word}\tplaceholder={word}\t\t'{word}\t{next}\t'{word}"
                ));
            }
            let tree = Tree::whole(lines.iter().map(String::as_str)).unwrap();
            let view = View { trees: [(contract::FrameId(0), tree)].into(), ..View::default() };
            let text = view.render(&TextOptions { interactive, compact, urls, ..TextOptions::default() }).text;
            let mut seen = std::collections::HashSet::new();
            for (at, _) in text.match_indices("[ref=") {
                let shown = text[at + 5..].split(']').next().unwrap().parse::<Ref>().unwrap();
                prop_assert!(shown.element % 3 == 0 && seen.insert(shown), "{}", text);
            }
            let breaks = |c: char| c != '\n' && (c.is_control() || ('\u{2028}'..='\u{202e}').contains(&c));
            prop_assert!(!text.contains(breaks));
            for line in text.split('\n') {
                let word = line.trim_start().strip_prefix("- ").unwrap_or_else(|| panic!("{line:?} in {text}"));
                let word = word.split([' ', ':']).next().unwrap();
                let ours = roles.contains(&word) || ["text", "/placeholder", "/url", "/options"].contains(&word);
                prop_assert!(ours, "{:?} in {}", line, text);
            }
        }
    }
}

//! One line of a snapshot: the head of an element, and rows of tables, whose cells share a line.

use std::fmt::Write;

use super::{
    distil::{Distilled, Item, Piece},
    escape::{Line, plain, quoted},
    role::Kind,
    text::TextOptions,
};

/// How many characters a cell may hold, unless they are all text, before its row is written in several lines.
const CELL: usize = 300;
/// How many of a combobox's options are shown, and how many characters of them.
const OPTIONS: usize = 30;
const OPTIONS_CHARS: usize = 600;
/// How many characters of a row tell which one it is, where its text is left out.
const CONTEXT: usize = 60;

/// What properties are no states, with how they are shown: beside the element, or on a line of their own.
pub(super) fn is_state(key: &str) -> bool {
    !matches!(key, "ref" | "value" | "placeholder" | "description" | "url" | "frame" | "options")
}

/// `role "name" [state] [ref=e1] [box=0,0,10,10]`.
pub(super) fn head(out: &mut String, item: &Item, name: &str, options: &TextOptions, line: Line) {
    out.push_str(&item.node.role);
    if !name.is_empty() {
        out.push(' ');
        quoted(out, name, line);
    }
    for property in item.node.properties.iter().filter(|property| is_state(&property.key)) {
        out.push_str(" [");
        out.push_str(&property.key);
        if !property.value.is_empty() {
            out.push('=');
            let simple = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
            match property.value.bytes().all(simple) {
                true => out.push_str(&property.value),
                false => quoted(out, &property.value, line),
            }
        }
        out.push(']');
    }
    if item.node.has_ref() {
        // Writing to a string cannot fail.
        let _ = write!(out, " [ref={}]", item.reference);
        if let Some([x, y, w, h]) = options.boxes.and_then(|boxes| boxes.get(&item.reference)) {
            let _ = write!(out, " [box={x},{y},{w},{h}]");
        }
    }
}

/// The properties that have a line of their own, in the order in which they are shown.
pub(super) fn asides<'i>(item: &'i Item, options: &TextOptions) -> impl Iterator<Item = (&'i str, &'i str)> {
    let urls = options.urls;
    let is_aside = move |key: &str| matches!(key, "placeholder" | "description") || (key == "url" && urls);
    let properties = item.node.properties.iter();
    properties
        .filter(move |property| is_aside(&property.key) && !property.value.is_empty())
        .map(|property| (&*property.key, &*property.value))
}

impl Distilled<'_> {
    /// The options of a combobox that holds nothing else: they fit on one line.
    pub(super) fn options(&self, item: &Item) -> Option<Vec<&str>> {
        let name = |piece: &Piece| match piece {
            Piece::Item(at) => {
                let option = &self.items[*at];
                (option.kind() == Kind::Option).then_some(*at)
            }
            Piece::Text(_) => None,
        };
        if item.kind() != Kind::Combobox || item.pieces.is_empty() {
            return None;
        }
        let places: Vec<usize> = item.pieces.iter().map(name).collect::<Option<_>>()?;
        Some(places.into_iter().map(|at| self.label(&self.items[at])).collect())
    }

    fn label<'s>(&'s self, item: &'s Item) -> &'s str {
        match &*item.name {
            "" => item.only_text().unwrap_or_default(),
            name => name,
        }
    }

    /// `A | B | … 3 more`.
    pub(super) fn write_options(&self, out: &mut String, names: &[&str]) {
        let mut chars = 0;
        for (at, name) in names.iter().enumerate() {
            if at > 0 {
                out.push_str(" | ");
            }
            chars += name.chars().count() + " | ".len();
            if at == OPTIONS || (at > 0 && chars > OPTIONS_CHARS) {
                let _ = write!(out, "… {} more", names.len() - at);
                return;
            }
            plain(out, name, Line::Parted);
        }
    }

    /// The cells of a row on one line, if they fit there. Otherwise nothing is written.
    pub(super) fn write_cells(&self, out: &mut String, row: &Item, options: &TextOptions) -> bool {
        if !row.pieces.iter().any(|piece| self.item(piece).is_some_and(|item| item.kind() == Kind::Cell)) {
            return false;
        }
        let start = out.len();
        out.push_str(": ");
        let mut end = out.len();
        for (at, piece) in row.pieces.iter().enumerate() {
            if at > 0 {
                out.push_str(" | ");
            }
            let from = out.len();
            if !self.write_cell(out, piece, options) {
                out.truncate(start);
                return false;
            }
            if out.len() > from {
                end = out.len();
            }
        }
        out.truncate(end); // empty cells at the end say nothing
        true
    }

    fn write_cell(&self, out: &mut String, piece: &Piece, options: &TextOptions) -> bool {
        let Some(cell) = self.item(piece).filter(|item| item.kind() == Kind::Cell) else {
            return self.write_inline(out, std::slice::from_ref(piece), options, 0);
        };
        let mut pieces = cell.pieces.as_slice();
        if cell.node.has_ref() || cell.node.properties.iter().any(|property| is_state(&property.key)) {
            let text = cell.only_text().filter(|_| cell.name.is_empty());
            head(out, cell, text.unwrap_or(&cell.name), options, Line::Parted);
            if text.is_some() {
                pieces = &[];
            }
        } else {
            plain(out, &cell.name, Line::Parted);
        }
        let from = out.len();
        if !pieces.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        let mixed = cell.only_text().is_none();
        self.write_inline(out, pieces, options, 0) && !(mixed && out[from..].chars().nth(CELL).is_some())
    }

    /// Pieces beside each other. False when one of them needs lines of its own.
    fn write_inline(&self, out: &mut String, pieces: &[Piece], options: &TextOptions, depth: usize) -> bool {
        for (at, piece) in pieces.iter().enumerate() {
            if at > 0 {
                out.push(' ');
            }
            let item = match piece {
                Piece::Text(text) => {
                    plain(out, text, Line::Parted);
                    continue;
                }
                Piece::Item(at) => &self.items[*at],
            };
            let several = item.pieces.len() > 1;
            let fits = match item.kind() {
                Kind::Table | Kind::Row | Kind::Cell => false,
                Kind::Heading if pieces.len() > 1 => false,
                Kind::Structural if several && &*item.node.role == "list" => false,
                Kind::Paragraph | Kind::ListItem | Kind::Structural if item.is_anonymous() && depth < 8 => {
                    self.write_inline(out, &item.pieces, options, depth + 1)
                }
                _ => self.write_leaf(out, item, options),
            };
            if !fits {
                return false;
            }
        }
        true
    }

    /// `role "name" [ref=e1] = "value" /placeholder "…"`. False when there are elements in it.
    fn write_leaf(&self, out: &mut String, item: &Item, options: &TextOptions) -> bool {
        let names = self.options(item);
        if &*item.node.role == "iframe"
            || !(item.pieces.is_empty() || item.only_text().is_some() || names.is_some())
        {
            return false;
        }
        head(out, item, &item.name, options, Line::Parted);
        for text in [item.node.value(), item.only_text()].into_iter().flatten() {
            out.push_str(" = ");
            quoted(out, text, Line::Parted);
        }
        for (key, text) in asides(item, options) {
            out.push_str(" /");
            out.push_str(key);
            out.push(' ');
            quoted(out, text, Line::Parted);
        }
        if let Some(names) = names {
            let mut list = String::new();
            self.write_options(&mut list, &names);
            out.push_str(" /options ");
            quoted(out, &list.replace(" | ", ", "), Line::Parted);
        }
        true
    }

    /// The elements of a row that can be used, under a name that tells which row it is.
    pub(super) fn write_usable(&self, out: &mut String, row: &Item, options: &TextOptions) {
        let mut name = row.name.to_string();
        let mut usable = Vec::new();
        let mut pending = vec![row.pieces.iter()];
        while let Some(pieces) = pending.last_mut() {
            let Some(piece) = pieces.next() else {
                pending.pop();
                continue;
            };
            match piece {
                Piece::Item(at) => {
                    let item = &self.items[*at];
                    if item.node.has_ref() {
                        usable.push(item);
                    }
                    if row.name.is_empty() && !item.refs && name.len() < CONTEXT {
                        self.words(item, &mut name);
                    }
                    if item.refs && self.options(item).is_none() {
                        pending.push(item.pieces.iter());
                    }
                }
                Piece::Text(_) => {}
            }
        }
        if let Some((end, _)) = name.char_indices().nth(CONTEXT) {
            name.truncate(end);
            name.push('…');
        }
        head(out, row, &name, options, Line::Parted);
        for (at, item) in usable.iter().enumerate() {
            out.push_str(if at == 0 { ": " } else { " | " });
            let text = item.only_text().filter(|_| item.name.is_empty());
            head(out, item, text.unwrap_or(&item.name), options, Line::Parted);
            if let Some(value) = item.node.value() {
                out.push_str(" = ");
                quoted(out, value, Line::Parted);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::sample::{check, page};

    #[test]
    fn rows_are_one_line() {
        check(
            "
            table \"Orders\" ref
              rowgroup
                row \"Id Name Do\"
                  columnheader \"Id\"
                    'Id
                  columnheader \"Name\" sort=ascending, ref
                    'Name
                  columnheader
                    'Do
                row \"7 Ada | Co now Ship\"
                  cell \"7\"
                    '7
                  cell
                    'Ada | Co
                  cell
                    paragraph
                      'now
                      button \"Ship\" ref
                row \"Totals\" selected, ref
                  cell
                  cell
                    'x
                  cell
                    textbox \"Q|\" ref, value=1, placeholder=n
                  cell
                row
                  cell
            ",
            "
            - table \"Orders\" [ref=e1]:
              - row: Id | columnheader \"Name\" [sort=ascending] [ref=e5] | Do
              - row: 7 | Ada \\| Co | now button \"Ship\" [ref=e12]
              - row \"Totals\" [selected] [ref=e13]:  | x | textbox \"Q\\u007c\" [ref=e17] = \"1\" /placeholder \"n\"
            ",
        );
        check(
            "table\n  row\n    cell\n      'a\n    cell\n      list\n        listitem\n          'b\n        listitem\n          'c",
            "
            - table:
              - row:
                - cell: a
                - cell:
                  - list:
                    - listitem: b
                    - listitem: c
            ",
        );
    }

    #[test]
    fn many_options_are_cut() {
        let source: String =
            (0..200).fold("combobox \"C\" ref".into(), |all, at| format!("{all}\n  option \"O{at}\""));
        let text = page(&source).render(&TextOptions::default()).text;
        assert!(text.ends_with("| O28 | O29 | … 170 more"), "{text}");
    }
}

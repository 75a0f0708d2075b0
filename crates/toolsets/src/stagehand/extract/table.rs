//! Tables: columns with headings, and rows.

use serde_json::{Map, Value, json};

use super::asked::{Asked, covers};

/// A table. Where the head of each row is its first cell, columns and rows are exchanged.
#[derive(Debug, PartialEq)]
pub(super) struct Table {
    /// What the columns are called. In a table without heads it is the first row, which may be data.
    pub(super) head: Vec<String>,
    /// All as long as the head.
    pub(super) rows: Vec<Vec<String>>,
    /// Whether the page says that the head is one.
    pub(super) has_head: bool,
    /// The headings that it is under, and the line before it.
    pub(super) section: String,
}

/// What an instruction means of a table.
pub(super) struct Meant<'t> {
    /// The columns that it names.
    pub(super) columns: Vec<usize>,
    /// The rows whose cells have all its other words.
    pub(super) rows: Vec<&'t Vec<String>>,
    /// Whether it has no other words.
    pub(super) is_all: bool,
}

/// A cell as the page has it.
#[derive(Clone, Default)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) is_head: bool,
}

impl Table {
    pub(super) fn new(mut cells: Vec<Vec<Cell>>, section: String) -> Option<Table> {
        cells.retain(|row| row.iter().any(|cell| !cell.text.is_empty()));
        let width = cells.iter().map(Vec::len).max()?;
        for row in &mut cells {
            row.resize(width, Cell::default());
        }
        let is_head = |cells: &mut dyn Iterator<Item = &Cell>| {
            let mut told = cells.filter(|cell| !cell.text.is_empty()).peekable();
            told.peek().is_some() && told.all(|cell| cell.is_head)
        };
        let has_head_row = is_head(&mut cells[0].iter()) && cells.len() > 1;
        let has_head_column = width > 1 && is_head(&mut cells.iter().filter_map(|row| row.first()));
        let mut rows: Vec<Vec<String>> =
            cells.into_iter().map(|row| row.into_iter().map(|cell| cell.text).collect()).collect();
        if has_head_column && !has_head_row {
            rows = (0..width).map(|at| rows.iter().map(|row| row[at].clone()).collect()).collect();
        }
        let head = named_apart(rows.remove(0));
        Some(Table { head, rows, has_head: has_head_row || has_head_column, section })
    }

    pub(super) fn heads(&self) -> Vec<&str> {
        self.head.iter().map(|head| &**head).collect()
    }

    /// Whether its first row may be a label with its value instead of headings: nothing tells the two apart.
    pub(super) fn may_be_labels(&self) -> bool {
        !self.has_head && self.head.len() == 2
    }

    /// Some of its columns of one row, by their headings.
    pub(super) fn cells(&self, row: &[String], columns: &[usize]) -> Value {
        let cell = |at: &usize| Some((self.head.get(*at)?.clone(), json!(row.get(*at)?)));
        Value::Object(columns.iter().filter_map(cell).collect::<Map<_, _>>())
    }

    /// Labels and values, for a table that may have the label first.
    pub(super) fn pairs(&self) -> impl Iterator<Item = &[String; 2]> {
        let first = (!self.has_head).then_some(&self.head);
        first.into_iter().chain(&self.rows).filter_map(|row| row.as_slice().try_into().ok())
    }

    /// What an instruction means of it. `names` are names beside those of the columns.
    pub(super) fn meant(&self, asked: &Asked, names: &[&str]) -> Meant<'_> {
        let heads = self.heads();
        let parted = asked.parted(&[&heads, names].concat());
        let named: Vec<usize> = (0..heads.len()).filter(|at| parted.has[*at]).collect();
        let own: Vec<String> = parted
            .left
            .into_iter()
            .filter(|word| !covers(&self.section, std::slice::from_ref(word)))
            .collect();
        let is_meant = |row: &&Vec<String>| own.iter().all(|word| has_cell(row, word, &named));
        let rows = self.rows.iter().filter(is_meant).collect();
        Meant { is_all: own.is_empty(), rows, columns: named }
    }
}

/// Whether a row has a word in one of its cells. Of a number it has to be clear which column it is in.
fn has_cell(row: &[String], word: &str, named: &[usize]) -> bool {
    let is_number = word.chars().all(|c| !c.is_alphabetic());
    let mut cells = row.iter().enumerate().filter(|(at, _)| !is_number || named.contains(at));
    cells.any(|(_, cell)| covers(cell, &[word.to_owned()]))
}

/// Headings of which no two are the same and none is empty.
fn named_apart(head: Vec<String>) -> Vec<String> {
    let mut named: Vec<String> = Vec::with_capacity(head.len());
    for (at, text) in head.into_iter().enumerate() {
        let mut name = if text.is_empty() { format!("column {}", at + 1) } else { text.clone() };
        let mut count = 1;
        while named.contains(&name) {
            count += 1;
            name = format!("{text} {count}").trim().to_owned();
        }
        named.push(name);
    }
    named
}

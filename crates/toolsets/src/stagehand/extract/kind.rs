//! What can be told apart in every page, by the words for it.

use serde_json::{Value, json};

use super::{
    asked::is_filler,
    page::Page,
    table::Table,
    text::{is_joined, stems},
};

/// What can be told apart in every page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Links,
    Headings,
    Images,
    Items,
    Tables,
}

impl Kind {
    /// The kind that a word names.
    pub(super) fn of(word: &str) -> Option<Kind> {
        Some(match &*word.to_lowercase() {
            "link" | "links" | "url" | "urls" | "hyperlinks" | "链接" | "超链接" | "网址" => {
                Kind::Links
            }
            "heading" | "headings" | "标题" => Kind::Headings,
            "image" | "images" | "picture" | "pictures" | "图片" | "图像" => Kind::Images,
            "item" | "items" | "lists" | "列表" | "列表项" => Kind::Items,
            "table" | "tables" | "表格" => Kind::Tables,
            _ => return None,
        })
    }

    /// The kind that the only word of a name names which says anything: `allLinks`, but not `newsLinks`.
    pub(super) fn of_name(name: &str) -> Option<Kind> {
        if is_joined(name) {
            return Kind::of(name);
        }
        let words = stems(name);
        let mut words = words.iter().filter(|word| !is_filler(word));
        words.next().filter(|_| words.next().is_none()).and_then(|word| Kind::of(word))
    }

    /// What it is in HTML, in the plural.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Links => "links with an address",
            Kind::Headings => "headings",
            Kind::Images => "image elements with an address",
            Kind::Items => "list items",
            Kind::Tables => "tables",
        }
    }

    /// All that a page has of it.
    pub(super) fn all_in(self, page: &Page) -> Vec<Value> {
        let addresses = |list: &[(String, String)]| {
            list.iter().map(|(text, url)| json!({"text": text, "url": url})).collect::<Vec<_>>()
        };
        match self {
            Kind::Links => addresses(&page.links),
            Kind::Images => addresses(&page.images),
            Kind::Headings => page.headings.iter().map(|text| json!(text)).collect(),
            Kind::Items => page.items.iter().map(|text| json!(text)).collect(),
            Kind::Tables => page.tables.iter().map(whole).collect(),
        }
    }
}

/// A table as objects by its headings; without headings as lists.
fn whole(table: &Table) -> Value {
    match table.has_head {
        true => {
            let all: Vec<usize> = (0..table.head.len()).collect();
            table.rows.iter().map(|row| table.cells(row, &all)).collect()
        }
        false => std::iter::once(&table.head).chain(&table.rows).map(|row| json!(row)).collect(),
    }
}

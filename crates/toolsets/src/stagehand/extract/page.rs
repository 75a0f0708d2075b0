//! What a page has that can be told apart without a model: links, headings, pictures, lists, tables and labelled values, read from its
//! clean HTML.

use dom_query::{Document, NodeRef};
use serde_json::{Map, Value, json};

use super::labels;

/// What stands in a line where an inline element begins or ends. No page can write it.
pub(super) const EDGE: char = '\u{1f}';

/// A table. Where the head of each row is its first cell, columns and rows are exchanged.
#[derive(Debug, PartialEq)]
pub(super) struct Table {
    /// What the columns are called. In a table without heads it is the first row, which may be data.
    pub(super) head: Vec<String>,
    /// All as long as the head.
    pub(super) rows: Vec<Vec<String>>,
    /// Whether the page says that the head is one.
    pub(super) has_head: bool,
}

/// The parts of a page.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Page {
    pub(super) headings: Vec<String>,
    pub(super) items: Vec<String>,
    /// Text and address.
    pub(super) links: Vec<(String, String)>,
    pub(super) images: Vec<(String, String)>,
    pub(super) tables: Vec<Table>,
    /// Label and value: lines like `Total: 12.50`, terms of lists, fields of forms, tables with the label first.
    pub(super) labelled: Vec<(String, String)>,
    /// All text, a line for each block.
    pub(super) lines: Vec<String>,
}

impl Page {
    /// Reads the clean HTML of a page.
    pub(super) fn read(html: &str) -> Page {
        let document = Document::from(html);
        let mut reader = Reader::default();
        reader.children(&document.root());
        reader.end_line();
        let Reader { mut page, fields, .. } = reader;
        // The label of a field is told with its value.
        page.lines.retain(|line| !fields.contains(line));
        page
    }
}

impl Table {
    fn new(mut cells: Vec<Vec<(String, bool)>>) -> Option<Table> {
        cells.retain(|row| row.iter().any(|(text, _)| !text.is_empty()));
        let width = cells.iter().map(Vec::len).max()?;
        for row in &mut cells {
            row.resize(width, (String::new(), false));
        }
        let is_head = |cells: &mut dyn Iterator<Item = &(String, bool)>| {
            let mut count = 0;
            cells.filter(|(text, _)| !text.is_empty()).inspect(|_| count += 1).all(|(_, head)| *head)
                && count > 0
        };
        let has_head_row = is_head(&mut cells[0].iter()) && cells.len() > 1;
        let has_head_column = width > 1 && is_head(&mut cells.iter().filter_map(|row| row.first()));
        let texts = |cells: Vec<Vec<(String, bool)>>| -> Vec<Vec<String>> {
            cells.into_iter().map(|row| row.into_iter().map(|(text, _)| text).collect()).collect()
        };
        let mut rows = texts(cells);
        if has_head_column && !has_head_row {
            rows = (0..width).map(|at| rows.iter().map(|row| row[at].clone()).collect()).collect();
        }
        let head = named_apart(rows.remove(0));
        Some(Table { head, rows, has_head: has_head_row || has_head_column })
    }

    /// Some of its columns of one row, by their headings.
    pub(super) fn cells(&self, row: &[String], columns: &[usize]) -> Value {
        let cell = |at: &usize| Some((self.head.get(*at)?.clone(), json!(row.get(*at)?)));
        Value::Object(columns.iter().filter_map(cell).collect::<Map<_, _>>())
    }

    /// Labels and values, for a table that may have the label first.
    fn labelled(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        if self.head.len() == 2 {
            let first = (!self.has_head).then_some(&self.head);
            pairs.extend(first.into_iter().chain(&self.rows).map(|row| (row[0].clone(), row[1].clone())));
        }
        pairs
    }
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

#[derive(Default)]
struct Reader {
    page: Page,
    /// The line that is being read.
    line: String,
    /// Whether the text is in a line already, so that only its parts are of interest.
    is_told: bool,
    fields: Vec<String>,
}

impl Reader {
    fn children(&mut self, node: &NodeRef<'_>) {
        for child in node.children_it(false) {
            self.node(&child);
        }
    }

    fn node(&mut self, node: &NodeRef<'_>) {
        if node.is_text() {
            self.line.push_str(&node.text());
            return;
        }
        let Some(name) = node.node_name().filter(|_| node.is_element()) else { return };
        match &*name {
            "head" | "script" | "style" => {}
            "br" | "hr" => self.end_line(),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let text = text_of(node, &[]);
                if !text.is_empty() {
                    self.page.headings.push(text);
                }
                self.block(node);
            }
            "li" => {
                let text = text_of(node, &["ul", "ol"]);
                if !text.is_empty() {
                    self.page.items.push(text);
                }
                self.block(node);
            }
            "dl" => self.terms(node),
            "table" => self.table(node),
            "pre" => {
                self.end_line();
                for line in node.text().lines() {
                    self.line.push_str(line);
                    self.end_line();
                }
            }
            "img" => {
                let alt = node.attr("alt").map_or_else(String::new, |alt| flat(&alt));
                self.line.push_str(&alt);
                if let Some(source) = node.attr("src") {
                    self.page.images.push((alt, source.to_string()));
                }
            }
            "data" => self.field(node),
            "a" | "b" | "strong" | "i" | "em" | "del" | "s" | "code" | "sub" | "sup" | "span" => {
                if let Some(url) = node.attr("href") {
                    self.page.links.push((text_of(node, &[]), url.to_string()));
                }
                self.line.push(EDGE);
                self.children(node);
                self.line.push(EDGE);
            }
            _ => self.block(node),
        }
    }

    /// What begins and ends a line.
    fn block(&mut self, node: &NodeRef<'_>) {
        self.end_line();
        self.children(node);
        self.end_line();
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.page.labelled.extend(labels::in_line(&line));
        let text = flat(&line.replace(EDGE, ""));
        if !text.is_empty() && !self.is_told {
            self.page.lines.push(text);
        }
    }

    /// What has a line of its own, and parts to look at.
    fn told(&mut self, line: String, nodes: &[NodeRef<'_>]) {
        if !line.is_empty() && !self.is_told {
            self.page.lines.push(line);
        }
        let was_told = std::mem::replace(&mut self.is_told, true);
        nodes.iter().for_each(|node| self.block(node));
        self.is_told = was_told;
    }

    /// Each term with each of its details.
    fn terms(&mut self, list: &NodeRef<'_>) {
        self.end_line();
        let (mut terms, mut was_term) = (Vec::new(), false);
        for part in parts_of(list) {
            let text = text_of(&part, &[]);
            if part.has_name("dt") {
                if !was_term {
                    terms.clear();
                }
                terms.push(text);
                was_term = true;
                self.told(String::new(), &[part]);
                continue;
            }
            was_term = false;
            let label = terms.join(", ");
            for term in &terms {
                self.page.labelled.push((label_of(term), text.clone()));
            }
            let line = if label.is_empty() { text } else { format!("{}: {text}", label_of(&label)) };
            self.told(line, &[part]);
        }
    }

    fn table(&mut self, table: &NodeRef<'_>) {
        self.end_line();
        let mut cells = Vec::new();
        for row in rows_of(table) {
            let nodes: Vec<_> =
                row.children_it(false).filter(|cell| cell.has_name("td") || cell.has_name("th")).collect();
            let texts: Vec<_> = nodes.iter().map(|cell| (text_of(cell, &[]), cell.has_name("th"))).collect();
            let is_head = texts.iter().all(|(_, head)| *head);
            let shown: Vec<_> =
                texts.iter().map(|(text, _)| &**text).filter(|text| !text.is_empty()).collect();
            self.told(if is_head { String::new() } else { shown.join(" | ") }, &nodes);
            cells.push(texts);
        }
        if let Some(table) = Table::new(cells) {
            self.page.labelled.extend(table.labelled());
            self.page.tables.push(table);
        }
    }

    fn field(&mut self, field: &NodeRef<'_>) {
        let name = field.attr("data-field").map_or_else(String::new, |name| label_of(&flat(&name)));
        let value = flat(&field.text());
        if name.is_empty() || value.is_empty() {
            self.line.push_str(&value);
            return;
        }
        if !self.is_told {
            self.page.lines.push(format!("{name}: {value}"));
        }
        self.fields.push(name.clone());
        self.fields.push(format!("{name}:"));
        self.page.labelled.push((name, value));
    }
}

/// The terms and details of a list, also those in groups.
fn parts_of<'a>(list: &NodeRef<'a>) -> Vec<NodeRef<'a>> {
    let each = |part: NodeRef<'a>| match part.has_name("dt") || part.has_name("dd") {
        true => vec![part],
        false if part.is_element() && !part.has_name("dl") => parts_of(&part),
        false => Vec::new(),
    };
    list.children_it(false).flat_map(each).collect()
}

fn rows_of<'a>(table: &NodeRef<'a>) -> Vec<NodeRef<'a>> {
    let each = |part: NodeRef<'a>| match part.has_name("tr") {
        true => vec![part],
        false if part.has_name("tbody") => rows_of(&part),
        false => Vec::new(),
    };
    table.children_it(false).flat_map(each).collect()
}

/// The text of an element, with a blank between blocks; without the elements of these names.
fn text_of(node: &NodeRef<'_>, without: &[&str]) -> String {
    fn gather(node: &NodeRef<'_>, without: &[&str], text: &mut String) {
        for child in node.children_it(false) {
            let name = child.node_name();
            let name = name.as_deref().unwrap_or_default();
            if child.is_text() {
                text.push_str(&child.text());
            } else if name == "img" {
                text.push_str(&child.attr("alt").unwrap_or_default());
            } else if !without.contains(&name) {
                let is_inline = matches!(
                    name,
                    "a" | "b" | "strong" | "i" | "em" | "del" | "s" | "code" | "sub" | "sup" | "span"
                );
                let space = if is_inline { "" } else { " " };
                text.push_str(space);
                gather(&child, without, text);
                text.push_str(space);
            }
        }
    }
    let mut text = String::new();
    gather(node, without, &mut text);
    flat(&text)
}

/// A label without the colon at its end.
fn label_of(text: &str) -> String {
    text.trim_end_matches([':', '：', ' ']).to_owned()
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(one: &str, two: &str) -> (String, String) {
        (one.to_owned(), two.to_owned())
    }

    #[test]
    fn the_parts_of_a_page() {
        let page = Page::read(
            "<h1>新闻中心</h1><ul><li><h2><a href='http://x/a'>第一条</a></h2></li><li><b>two</b><ul><li>three</li></ul></li></ul>\
             <table summary=data><tbody><tr><th>Name</th><th>Price</th></tr><tr><td><a href='http://x/k'>Kettle</a></td><td>39.00</td></tr></tbody></table>\
             <p>Order total: 12.50</p><img src='http://x/c.png' alt='A cat'><div>http://not.a/label</div>",
        );
        assert_eq!(page.headings, ["新闻中心", "第一条"]);
        assert_eq!(page.items, ["第一条", "two", "three"]);
        assert_eq!(page.links, [pair("第一条", "http://x/a"), pair("Kettle", "http://x/k")]);
        assert_eq!(page.images, [pair("A cat", "http://x/c.png")]);
        assert_eq!(page.tables[0].head, ["Name", "Price"]);
        assert_eq!(page.tables[0].rows, [["Kettle", "39.00"]]);
        assert!(page.labelled.contains(&pair("Order total", "12.50")));
        assert!(page.labelled.iter().all(|(label, _)| label != "http"));
    }

    #[test]
    fn headings_in_cells_and_heads_of_rows() {
        let page = Page::read(
            "<table><tr><th>Name</th><td>Ada</td></tr><tr><th>Price</th><td><h2>99 EUR</h2></td></tr></table>",
        );
        assert_eq!(page.headings, ["99 EUR"]);
        assert_eq!(
            page.tables[0],
            Table {
                head: vec!["Name".into(), "Price".into()],
                rows: vec![vec!["Ada".into(), "99 EUR".into()]],
                has_head: true,
            }
        );
        let page = Page::read("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>");
        assert_eq!(
            (page.tables[0].has_head, &*page.tables[0].rows),
            (false, &[vec!["c".into(), String::new()]][..])
        );
        let page = Page::read(
            "<table><tr><th>A</th><th></th><th>A</th></tr><tr><td>1</td><td>2</td><td>3</td></tr></table>",
        );
        assert_eq!(page.tables[0].head, ["A", "column 2", "A 2"]);
    }

    #[test]
    fn terms_and_fields_are_labels() {
        let page = Page::read(
            "<dl><dt>Status</dt><dd>Open</dd><div><dt>Author</dt><dd>Bob</dd><dd>Eve</dd></div></dl>\
             <span>Email <data data-field=Email>a@b.c</data></span>",
        );
        assert_eq!(
            page.labelled,
            [pair("Status", "Open"), pair("Author", "Bob"), pair("Author", "Eve"), pair("Email", "a@b.c"),]
        );
        assert_eq!(page.lines, ["Status: Open", "Author: Bob", "Author: Eve", "Email: a@b.c"]);
    }
}

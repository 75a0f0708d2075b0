//! What a page has that can be told apart without a model: links, headings, pictures, lists, tables and labelled values, read from its
//! clean HTML.

use dom_query::{Document, NodeRef};

use super::{
    labels,
    table::{Cell, Table},
};

/// What stands in a line where an inline element begins or ends. No page can write it.
pub(super) const EDGE: char = '\u{1f}';

/// The parts of a page.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Page {
    pub(super) headings: Vec<String>,
    pub(super) items: Vec<String>,
    /// Text and address.
    pub(super) links: Vec<(String, String)>,
    pub(super) images: Vec<(String, String)>,
    pub(super) tables: Vec<Table>,
    /// Lines like `Total: 12.50`, terms of lists, fields of forms, tables with the label first.
    pub(super) labelled: Vec<Labelled>,
    /// Fields in which nothing is, or nothing that is ever told.
    pub(super) empty_fields: Vec<Labelled>,
    /// All text, a line for each block.
    pub(super) lines: Vec<String>,
}

/// A label with its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Labelled {
    pub(super) label: String,
    pub(super) value: String,
    /// The line that says so.
    pub(super) line: String,
    /// The headings that it is under.
    pub(super) section: String,
    /// Whether the line may be read in another way too, which is told as well.
    pub(super) is_unsure: bool,
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

#[derive(Default)]
struct Reader {
    page: Page,
    /// The line that is being read.
    line: String,
    /// Whether the text is in a line already, so that only its parts are of interest.
    is_told: bool,
    fields: Vec<String>,
    /// The headings that hold where the reader is, with their levels.
    headings: Vec<(char, String)>,
    /// The short line that was read last, which may be the name of a table that follows.
    last: String,
}

/// A name of a table is not longer than this.
const LONGEST_NAME: usize = 60;

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
                self.heading(node, name.chars().next_back().unwrap_or('1'));
            }
            "li" => {
                let text = text_of(node, &["ul", "ol"]);
                if !text.is_empty() {
                    self.page.items.push(text);
                }
                self.part(node);
            }
            "article" | "section" | "aside" | "nav" | "footer" | "blockquote" => self.part(node),
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

    fn heading(&mut self, node: &NodeRef<'_>, level: char) {
        let text = text_of(node, &[]);
        if !text.is_empty() {
            self.headings.retain(|(other, _)| *other < level);
            self.headings.push((level, text.clone()));
            self.page.headings.push(text);
        }
        self.block(node);
    }

    /// A part whose headings hold for nothing outside of it.
    fn part(&mut self, node: &NodeRef<'_>) {
        let around = self.headings.clone();
        self.block(node);
        self.headings = around;
    }

    fn section(&self) -> String {
        self.headings.iter().map(|(_, text)| &**text).collect::<Vec<_>>().join(" / ")
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let text = flat(&line.replace(EDGE, ""));
        for (label, value, is_unsure) in labels::in_line(&line) {
            let section = self.section();
            self.page.labelled.push(Labelled { label, value, line: text.clone(), section, is_unsure });
        }
        if !text.is_empty() && !self.is_told {
            self.last.clone_from(&text);
            self.page.lines.push(text);
        }
    }

    fn labelled(&self, label: &str, value: String, line: &str) -> Labelled {
        let (label, line) = (label.to_owned(), line.to_owned());
        Labelled { label, value, line, section: self.section(), is_unsure: false }
    }

    /// What has a line of its own, and parts to look at.
    fn told(&mut self, line: String, nodes: &[NodeRef<'_>]) {
        if !line.is_empty() && !self.is_told {
            self.page.lines.push(line);
        }
        let was_told = std::mem::replace(&mut self.is_told, true);
        nodes.iter().for_each(|node| self.part(node));
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
            let line = if label.is_empty() { text.clone() } else { format!("{}: {text}", label_of(&label)) };
            for term in &terms {
                self.page.labelled.push(self.labelled(&label_of(term), text.clone(), &line));
            }
            self.told(line, &[part]);
        }
    }

    fn table(&mut self, table: &NodeRef<'_>) {
        self.end_line();
        let name = std::mem::take(&mut self.last);
        let name = if name.chars().count() <= LONGEST_NAME { name } else { String::new() };
        let mut section = self.section();
        if !name.is_empty() && !section.ends_with(&name) {
            section = format!("{section} / {name}");
        }
        let mut cells = Vec::new();
        for row in rows_of(table) {
            let nodes: Vec<_> =
                row.children_it(false).filter(|cell| cell.has_name("td") || cell.has_name("th")).collect();
            let texts: Vec<Cell> = nodes
                .iter()
                .map(|cell| Cell { text: text_of(cell, &[]), is_head: cell.has_name("th") })
                .collect();
            let is_head = texts.iter().all(|cell| cell.is_head);
            let shown: Vec<_> =
                texts.iter().map(|cell| &*cell.text).filter(|text| !text.is_empty()).collect();
            self.told(if is_head { String::new() } else { shown.join(" | ") }, &nodes);
            cells.push(texts);
        }
        if let Some(table) = Table::new(cells, section) {
            let pairs = table.pairs().map(|[label, value]| Labelled {
                label: label.clone(),
                value: value.clone(),
                line: format!("{label} | {value}"),
                section: table.section.clone(),
                is_unsure: false,
            });
            self.page.labelled.extend(pairs);
            self.page.tables.push(table);
        }
    }

    fn field(&mut self, field: &NodeRef<'_>) {
        let name = field.attr("data-field").map_or_else(String::new, |name| label_of(&flat(&name)));
        let value = flat(&field.text());
        if name.is_empty() {
            self.line.push_str(&value);
            return;
        }
        self.fields.push(name.clone());
        self.fields.push(format!("{name}:"));
        let line = format!("{name}: {value}");
        let field = self.labelled(&name, value, &line);
        if field.value.is_empty() {
            self.page.empty_fields.push(field);
            return;
        }
        if !self.is_told {
            self.page.lines.push(line);
        }
        self.page.labelled.push(field);
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

    fn labelled(page: &Page) -> Vec<(String, String)> {
        page.labelled.iter().map(|it| (it.label.clone(), it.value.clone())).collect()
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
        assert!(labelled(&page).contains(&pair("Order total", "12.50")));
        assert!(labelled(&page).iter().all(|(label, _)| label != "http"));
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
                section: String::new(),
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
            labelled(&page),
            [pair("Status", "Open"), pair("Author", "Bob"), pair("Author", "Eve"), pair("Email", "a@b.c"),]
        );
        assert_eq!(page.lines, ["Status: Open", "Author: Bob", "Author: Eve", "Email: a@b.c"]);
    }
}

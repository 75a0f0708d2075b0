//! What a page has that can be told apart without a model: links, headings, pictures, lists, tables and labelled values, read from its
//! Markdown.

use serde_json::{Map, Value, json};

/// A table: its heading row and the others, all as long as the first.
#[derive(Debug, PartialEq)]
pub(super) struct Table {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
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
    /// Label and value of lines like `Total: 12.50` and of tables with two columns.
    pub(super) labelled: Vec<(String, String)>,
}

impl Page {
    /// Reads the Markdown of a page.
    pub(super) fn read(markdown: &str) -> Page {
        let mut page = Page::default();
        let mut table: Vec<Vec<String>> = Vec::new();
        for line in markdown.lines() {
            let (texts, links, images) = without_links(line.trim());
            page.links.extend(links);
            page.images.extend(images);
            let text = texts.trim();
            if let Some(cells) = text.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')) {
                table.push(cells.split(" | ").map(|cell| plain(cell.trim_matches([' ', '|']))).collect());
                continue;
            }
            page.add_table(std::mem::take(&mut table));
            if let Some(heading) = text.strip_prefix('#') {
                page.headings.push(plain(heading.trim_start_matches('#')));
                continue;
            }
            let item = text.strip_prefix("- ").or_else(|| {
                let (number, rest) = text.split_once(". ")?;
                number.bytes().all(|b| b.is_ascii_digit()).then_some(rest)
            });
            if let Some(item) = item {
                page.items.push(plain(item));
            }
            page.add_label(item.unwrap_or(text));
        }
        page.add_table(table);
        page
    }

    fn add_table(&mut self, mut lines: Vec<Vec<String>>) {
        // The second line only says that the first is the heading.
        let is_rule = |line: &Vec<String>| {
            line.iter().all(|cell| !cell.is_empty() && cell.bytes().all(|b| b"-:".contains(&b)))
        };
        if lines.len() < 2 || !is_rule(&lines[1]) {
            return;
        }
        lines.remove(1);
        let head = lines.remove(0);
        lines.retain(|line| line.len() == head.len());
        if head.len() == 2 {
            let all = std::iter::once(&head).chain(&lines);
            self.labelled.extend(all.map(|line| (line[0].clone(), line[1].clone())));
        }
        self.tables.push(Table { head, rows: lines });
    }

    fn add_label(&mut self, text: &str) {
        let Some((label, value)) = text.split_once([':', '：']) else { return };
        let (label, value) = (plain(label), plain(value));
        if !label.is_empty() && !value.is_empty() && !value.starts_with("//") {
            self.labelled.push((label, value));
        }
    }
}

impl Table {
    /// Some of its columns of one row, by their headings.
    pub(super) fn cells(&self, row: &[String], columns: &[usize]) -> Value {
        let cell = |at: &usize| Some((self.head.get(*at)?.clone(), json!(row.get(*at)?)));
        Value::Object(columns.iter().filter_map(cell).collect::<Map<_, _>>())
    }
}

/// A text without the marks of emphasis and escapes.
fn plain(text: &str) -> String {
    text.replace("**", "").replace(['`', '\\'], "").trim().to_owned()
}

type Addresses = Vec<(String, String)>;

/// A line with its links as their texts only, and the links and pictures that it has.
fn without_links(line: &str) -> (String, Addresses, Addresses) {
    let (mut text, mut links, mut images) = (String::new(), Vec::new(), Vec::new());
    let mut rest = line;
    while let Some(start) = rest.find('[') {
        let found = rest[start + 1..].split_once("](").and_then(|(name, after)| {
            let (address, after) = after.split_once(')')?;
            (!name.contains('[')).then_some((name, address, after))
        });
        let Some((name, address, after)) = found else {
            text.push_str(&rest[..=start]);
            rest = &rest[start + 1..];
            continue;
        };
        let before = &rest[..start];
        let address = address.split_whitespace().next().unwrap_or_default().to_owned();
        if let Some(before) = before.strip_suffix('!') {
            text.push_str(before);
            images.push((plain(name), address));
        } else {
            text.push_str(before);
            text.push_str(name);
            links.push((plain(name), address));
        }
        rest = after;
    }
    (text + rest, links, images)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_page() {
        let page = Page::read(
            "# 新闻中心\n\n## 今日\n\n- [第一条](http://x/a)\n- **two**\n\n| Name | Price |\n| --- | --- |\n| [Kettle](http://x/k) | 39.00 |\n\n\
             Order total: 12.50\n![A cat](http://x/c.png)\nhttp://not.a/label",
        );
        assert_eq!(page.headings, ["新闻中心", "今日"]);
        assert_eq!(page.items, ["第一条", "two"]);
        let pair = |one: &str, two: &str| (one.to_owned(), two.to_owned());
        assert_eq!(page.links, [pair("第一条", "http://x/a"), pair("Kettle", "http://x/k")]);
        assert_eq!(page.images, [pair("A cat", "http://x/c.png")]);
        assert_eq!(page.tables[0].head, ["Name", "Price"]);
        assert_eq!(page.tables[0].rows, [["Kettle", "39.00"]]);
        assert!(page.labelled.contains(&pair("Order total", "12.50")));
        assert!(page.labelled.iter().all(|(label, _)| label != "http"));
    }
}

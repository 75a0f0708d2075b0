//! From clean HTML to what is read: the main content or all of it, as Markdown or as text. Pure.

use contract::{Code, Error, Result};
use dom_query::Document;
use dom_smoothie::{Config, Readability};
use htmd::{
    Element, HtmlToMarkdown,
    element_handler::{HandlerResult, Handlers},
    options::{BulletListMarker, Options},
};

/// Which part of a page is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The main content if there is one, otherwise all of it.
    Main,
    /// All of it.
    Whole,
}

/// How it is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Markdown,
    Plain,
    /// As the page's script wrote it.
    Html,
}

/// A page as text.
pub(crate) struct Text {
    pub(crate) text: String,
    /// Which part it is.
    pub(crate) part: Part,
    /// How many of the page's visible characters are in it, in percent.
    pub(crate) share: u64,
}

/// Cells and rows end with a character that no page can write: the script leaves control characters out.
const CELL_END: char = '\u{1f}';

pub(super) fn convert(html: &str, headline: &str, part: Part, form: Form) -> Result<Text> {
    let main = (part == Part::Main).then(|| main_content(html)).flatten();
    let (chosen, part, share) = match &main {
        Some(main) => (&*main.html, Part::Main, main.share),
        None => (html, Part::Whole, 100),
    };
    // Where the headline says the same as the page's title, it is no part of the main content.
    let is_headless =
        main.is_some() && !headline.is_empty() && !dense(&text_of(chosen)).contains(&dense(headline));
    let headed = format!("<h1>{}</h1>{chosen}", escape(headline));
    let chosen = if is_headless { &headed } else { chosen };
    let text = match form {
        Form::Markdown => markdown(chosen)?,
        Form::Plain => plain(chosen),
        Form::Html => return Ok(Text { text: chosen.to_owned(), part, share }),
    };
    Ok(Text { text: tidy(&text), part, share })
}

/// At most one empty line in a row, and no blank at the end of a line (two of them are a line break in Markdown).
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let (mut empty, mut is_code) = (0, false);
    for line in text.trim().lines() {
        let is_break = line.ends_with("  ") && !line.trim().is_empty();
        let line = if is_break { line } else { line.trim_end() };
        is_code ^= line.trim_start().starts_with("```");
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 || is_code {
            tidy.push_str(line);
            tidy.push('\n');
        }
    }
    tidy.truncate(tidy.trim_end().len());
    tidy
}

struct Main {
    html: String,
    share: u64,
}

/// The main content, where a page has one. Pages that are used rather than read have none: there everything matters.
fn main_content(html: &str) -> Option<Main> {
    let all = text_of(html);
    let letters = dense(&all).chars().count();
    // A Chinese or Japanese character says as much as a few letters.
    let is_wide = |c: &char| matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    let scale = if all.chars().filter(is_wide).count() * 3 > letters { 3 } else { 1 };
    let defaults = Config::default();
    let config = Config {
        keep_classes: true,
        disable_json_ld: true,
        char_threshold: defaults.char_threshold / scale,
        readable_min_content_length: defaults.readable_min_content_length / scale,
        readable_min_score: defaults.readable_min_score / scale as f32,
        ..defaults
    };
    let mut readability = Readability::new(html, None, Some(config)).ok()?;
    if !readability.is_probably_readable() {
        return None;
    }
    let article = readability.parse().ok()?;
    let main = dense(&article.text_content).chars().count();
    let is_enough = main * 3 >= letters || main >= 3_000 / scale;
    is_enough.then(|| Main {
        html: first_headings(&article.content),
        share: (main * 100).checked_div(letters).unwrap_or(100).min(100) as u64,
    })
}

/// First headings that were made second ones are first ones again.
fn first_headings(html: &str) -> String {
    let document = Document::fragment(html);
    document.select("h2.webhand-h1").rename("h1");
    document.html().to_string()
}

/// The text without white space, which comes and goes with the layout.
fn dense(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn text_of(html: &str) -> String {
    Document::from(html).text().to_string()
}

fn plain(html: &str) -> String {
    Document::from(html).formatted_text().to_string()
}

fn markdown(html: &str) -> Result<String> {
    let options = Options {
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    let converter = HtmlToMarkdown::builder()
        .options(options)
        .add_handler(vec!["td", "th"], cell)
        .add_handler(vec!["tr"], row)
        .add_handler(vec!["thead", "tbody", "tfoot"], rows)
        .add_handler(vec!["table"], table)
        .build();
    converter.convert(html).map_err(|error| {
        Error::new(Code::Internal, "the page cannot be turned into Markdown").with_cause(error)
    })
}

// htmd's own tables leave out cells that are no `td`, know no spans, and are padded to their widest cell, which costs more than
// the table says. The page's script has made ours regular: the first row is the head, and all rows have the same cells.

fn cell(handlers: &dyn Handlers, element: Element) -> Option<HandlerResult> {
    let content = handlers.walk_children(element.node).content;
    let mut line = content.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    line.push(CELL_END);
    Some(line.into())
}

fn row(handlers: &dyn Handlers, element: Element) -> Option<HandlerResult> {
    let content = handlers.walk_children(element.node).content;
    let mut cells: Vec<&str> = content.split(CELL_END).map(str::trim).collect();
    cells.pop();
    Some(format!("{}\n", cells.join(&CELL_END.to_string())).into())
}

fn rows(handlers: &dyn Handlers, element: Element) -> Option<HandlerResult> {
    Some(handlers.walk_children(element.node).content.into())
}

fn table(handlers: &dyn Handlers, element: Element) -> Option<HandlerResult> {
    let content = handlers.walk_children(element.node).content;
    let rows: Vec<Vec<&str>> = content.lines().map(|line| line.split(CELL_END).collect()).collect();
    let width = rows.iter().map(Vec::len).max()?;
    let mut text = String::from("\n\n");
    for (at, row) in rows.iter().enumerate() {
        for column in 0..width {
            text.push_str("| ");
            text.push_str(row.get(column).copied().unwrap_or_default());
            text.push(' ');
        }
        text.push_str("|\n");
        if at == 0 {
            text.push_str(&"| --- ".repeat(width));
            text.push_str("|\n");
        }
    }
    text.push('\n');
    Some(text.into())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_rows() {
        let check = |html: &str, wanted: &str| {
            assert_eq!(convert(html, "", Part::Whole, Form::Markdown).unwrap().text, wanted, "{html}");
        };
        check("", "");
        check("<h2>A</h2><p>b <b>c</b></p>", "## A\n\nb **c**");
        check("<ul><li>a<ol><li>b</li></ol></li></ul>", "- a\n  1. b");
        check("<p>a<br>b </p><p> </p><p>c</p>", "a  \nb\n\nc");
        check(
            "<table><tbody><tr><td>a|b</td><td></td></tr><tr><td>x<br>y</td></tr></tbody></table>",
            "| a\\|b |  |\n| --- | --- |\n| x y |  |",
        );
        check("<table><tbody></tbody></table><p>after</p>", "after");
        check("<pre><code class=\"language-js\">a  b\n\n\nc</code></pre>", "```js\na  b\n\n\nc\n```");
        check("<p>\u{5d0} \u{1f469}\u{200d}\u{1f467}</p>", "\u{5d0} \u{1f469}\u{200d}\u{1f467}");
    }

    #[test]
    fn only_a_page_with_main_content_is_cut_down_to_it() {
        let paragraph =
            "<p>A sentence, with commas, that goes on for a while, as sentences in articles do.</p>";
        let article = format!(
            "<nav><a href=\"/\">Home</a></nav><h1>Head</h1><article>{}</article>",
            paragraph.repeat(30)
        );
        let longer = article.replace("</p><p>", " ");
        let read = |html: &str, part| convert(html, "Head", part, Form::Plain).unwrap();
        let main = read(&longer, Part::Main);
        assert_eq!(main.part, Part::Main);
        assert!(main.text.starts_with("Head") && !main.text.contains("Home"), "{}", main.text);
        assert_eq!(read(&longer, Part::Whole).part, Part::Whole);
        assert_eq!(read("<div>Inbox</div><div>3 new</div>", Part::Main).part, Part::Whole);
    }
}

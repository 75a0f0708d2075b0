//! Labels in lines of text: `Total: 12.50`. Where a line may be read in two ways, both are told, so that nobody takes one for certain.

use super::page::EDGE;

/// A label is not longer than this.
const LONGEST: usize = 60;

/// What parts one label with its value from the next.
const BETWEEN: [char; 8] = ['|', '·', '•', ',', ';', '，', '；', '、'];

/// What does so for certain.
const SURELY_BETWEEN: [char; 3] = ['|', '·', '•'];

/// The labels of a line with their values; a label with two values if it is not clear where its value ends, and then both say so.
pub(super) fn in_line(line: &str) -> Vec<(String, String, bool)> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some((label, value)) = first(rest) {
        let next = next_label(value);
        let whole = plain(value);
        match next {
            Some(Next { start, is_sure }) if !plain(&value[..start]).is_empty() => {
                found.push((label.clone(), plain(&value[..start]), !is_sure));
                if !is_sure {
                    found.push((label, whole, true));
                }
                rest = value[start..].trim_start_matches(|c| BETWEEN.contains(&c));
            }
            _ => {
                if !whole.is_empty() {
                    found.push((label, whole, false));
                }
                break;
            }
        }
    }
    found
}

/// The first label of a text and what follows it.
fn first(text: &str) -> Option<(String, &str)> {
    let (at, colon) = text.char_indices().find(|&(at, c)| is_colon(text, at, c))?;
    let (label, value) = (plain(&text[..at]), &text[at + colon.len_utf8()..]);
    (!label.is_empty() && label.chars().count() <= LONGEST).then_some((label, value))
}

/// Whether a label may end here: not in an address, and not in a time.
fn is_colon(text: &str, at: usize, c: char) -> bool {
    let (before, after) = (&text[..at], &text[at + c.len_utf8()..]);
    match c {
        '：' => true,
        ':' => {
            let is_time = before.ends_with(|c: char| c.is_ascii_digit())
                && after.starts_with(|c: char| c.is_ascii_digit());
            !is_time && !after.starts_with("//")
        }
        _ => false,
    }
}

struct Next {
    start: usize,
    is_sure: bool,
}

/// Where in a value another label begins.
fn next_label(value: &str) -> Option<Next> {
    let ends_label = |(at, c): &(usize, char)| {
        is_colon(value, *at, *c)
            && (*c == '：' || value[at + 1..].starts_with(|c: char| c.is_whitespace() || c == EDGE))
    };
    let (colon, c) = value.char_indices().find(ends_label)?;
    let before = value[..colon].trim_end_matches(EDGE);
    let start = before.rfind(|c| c == EDGE || BETWEEN.contains(&c))?;
    let is_marked = value[colon + c.len_utf8()..].starts_with(EDGE) && before[start..].starts_with(EDGE);
    let is_sure = is_marked || before[start..].starts_with(SURELY_BETWEEN);
    Some(Next { start, is_sure })
}

fn plain(text: &str) -> String {
    text.replace(EDGE, "").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_lines() {
        let check = |line: &str, expected: &[(&str, &str)]| {
            let line = line.replace('/', "\u{1f}").replace('§', "/");
            let found = in_line(&line);
            let found: Vec<_> = found.iter().map(|(label, value, _)| (&**label, &**value)).collect();
            assert_eq!(found, expected, "{line}");
        };
        check("Total: 12.50", &[("Total", "12.50")]);
        check("作者：王芳", &[("作者", "王芳")]);
        check("/Author:/ Bob /Date:/ today", &[("Author", "Bob"), ("Date", "today")]);
        check("Author: Bob | Date: today", &[("Author", "Bob"), ("Date", "today")]);
        check("Title: Dune: Messiah", &[("Title", "Dune: Messiah")]);
        check(
            "Author: Bob, Date: today",
            &[("Author", "Bob"), ("Author", "Bob, Date: today"), ("Date", "today")],
        );
        check("at 12:30", &[]);
        check("http:§§x", &[]);
        check("Site: http:§§x", &[("Site", "http:§§x".replace('§', "/").leak())]);
        check("Note:", &[]);
    }
}

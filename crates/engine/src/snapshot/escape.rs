//! How a page's words are written, so that nothing in them can be taken for what a snapshot says itself.
//!
//! The words have no line breaks and no control characters (see `wire`), so they cannot begin a line. What is left:
//!
//! - In quotes (names, values in rows and brackets) they are a JSON string. `=` is written `\u003d` in `[ref=`, and `|` is written
//!   `\u007c` in a row, so that neither can be found there by somebody who does not read the quotes.
//! - Without quotes (texts) they stand as they are, but for `[ref=`, which is written `[ref\=`, and, where ` | ` parts things, for
//!   `|`, which is written `\|`. Where the page has backslashes before such a sign, one more is put: take one away to undo it.
//!
//! So `[ref=` in a snapshot always is a ref, and an unescaped ` | ` always parts.

/// What parts things on the line that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing: one thing a line.
    Single,
    /// ` | `: the cells of a row, or options.
    Parted,
}

/// Writes a text without quotes.
pub(super) fn plain(out: &mut String, text: &str, line: Line) {
    let parted = line == Line::Parted;
    if !text.bytes().any(|b| b == b'[' || (parted && b == b'|')) {
        out.push_str(text);
        return;
    }
    let mut rest = text;
    while let Some(at) = rest.find(|c| c == '=' || (parted && c == '|')) {
        let before = &rest[..at];
        if rest.as_bytes()[at] == b'|' || before.trim_end_matches('\\').ends_with("[ref") {
            out.push_str(before);
            out.push('\\');
            out.push_str(&rest[at..=at]);
        } else {
            out.push_str(&rest[..=at]);
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// Writes a text in quotes.
pub(super) fn quoted(out: &mut String, text: &str, line: Line) {
    out.push('"');
    let special = |b: u8| matches!(b, b'"' | b'\\' | b'[') || (b == b'|' && line == Line::Parted);
    if text.bytes().any(special) {
        let mut done = 0;
        for (at, byte) in text.bytes().enumerate() {
            let escape = match byte {
                b'"' => "\\\"",
                b'\\' => "\\\\",
                b'=' if text[..at].ends_with("[ref") => "\\u003d",
                b'|' if line == Line::Parted => "\\u007c",
                _ => continue,
            };
            out.push_str(&text[done..at]);
            out.push_str(escape);
            done = at + 1;
        }
        out.push_str(&text[done..]);
    } else {
        out.push_str(text);
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plainly(text: &str, line: Line) -> String {
        let mut out = String::new();
        plain(&mut out, text, line);
        out
    }

    fn in_quotes(text: &str, line: Line) -> String {
        let mut out = String::new();
        quoted(&mut out, text, line);
        out
    }

    #[test]
    fn rows() {
        let check = |text: &str, single: &str, parted: &str, quotes: &str| {
            assert_eq!(plainly(text, Line::Single), single);
            assert_eq!(plainly(text, Line::Parted), parted);
            assert_eq!(in_quotes(text, Line::Parted), quotes);
        };
        check("a = b", "a = b", "a = b", "\"a = b\"");
        check("a | b", "a | b", "a \\| b", "\"a \\u007c b\"");
        check("x [ref=e1]", "x [ref\\=e1]", "x [ref\\=e1]", "\"x [ref\\u003de1]\"");
        check("[ref\\=e1]", "[ref\\\\=e1]", "[ref\\\\=e1]", "\"[ref\\\\=e1]\"");
        check("say \"a\\b\"", "say \"a\\b\"", "say \"a\\b\"", "\"say \\\"a\\\\b\\\"\"");
    }

    proptest! {
        #[test]
        fn nothing_is_forged_and_nothing_is_lost(text in r#"(\[ref|\\|=|\||"|e1\]|\PC){0,12}"#) {
            let single = plainly(&text, Line::Single);
            let parted = plainly(&text, Line::Parted);
            let quotes = in_quotes(&text, Line::Parted);
            for written in [&single, &parted, &quotes] {
                prop_assert!(!written.contains("[ref="));
            }
            let is_parted = |(at, _): (usize, &str)| !parted[..at].ends_with('\\');
            prop_assert!(!parted.match_indices('|').any(is_parted) && !quotes.contains('|'));
            prop_assert_eq!(serde_json::from_str::<String>(&quotes).unwrap(), &*text);
            let undo = regex::Regex::new(r"(\[ref\\*)\\=").unwrap();
            prop_assert_eq!(undo.replace_all(&single, "$1="), &*text);
            let undo = regex::Regex::new(r"\\\|").unwrap();
            prop_assert_eq!(undo.replace_all(&parted, "|"), &*single);
        }
    }
}

//! A long text in parts: how much is shown, and where to go on. Counted in characters, cut where a reader would cut.

use contract::{Content, Error, Result};
use unicode_segmentation::GraphemeCursor;

/// How many characters are shown unless another number is asked for.
pub(crate) const DEFAULT_CHARS: u64 = 20_000;

/// The part of a text that begins at a character and has at most so many of them. All parts together are the whole.
pub(crate) fn part(text: &str, format: &str, offset: u64, max_chars: u64) -> Result<Content> {
    let total = text.chars().count() as u64;
    if max_chars == 0 {
        return Err(Error::invalid("a text of no characters was asked for"));
    }
    if offset > 0 && offset >= total {
        return Err(Error::invalid(format!(
            "the offset {offset} is past the end: there are {total} characters"
        ))
        .with_hint(format!("read from an offset below {total}, or from the beginning")));
    }
    let rest = &text[byte_of(text, offset)..];
    let shown = &rest[..end_of_part(rest, max_chars)];
    let next = offset + shown.chars().count() as u64;
    Ok(Content {
        text: shown.to_owned(),
        format: format.to_owned(),
        offset,
        total,
        next_offset: (next < total).then_some(next),
    })
}

/// Where the character with this number begins.
fn byte_of(text: &str, character: u64) -> usize {
    usize::try_from(character)
        .ok()
        .and_then(|nth| text.char_indices().nth(nth))
        .map_or(text.len(), |(byte, _)| byte)
}

/// After a line if there is one in the second half, otherwise after a word, otherwise between two characters as people see
/// them, which can be several to Unicode.
fn end_of_part(text: &str, max_chars: u64) -> usize {
    let most = byte_of(text, max_chars);
    if most == text.len() {
        return most;
    }
    let half = text.floor_char_boundary(most / 2);
    let window = &text[half..most];
    let is_whole = |end: &usize| is_between_graphemes(text, *end);
    let after_line = window.rfind('\n').map(|at| half + at + 1).filter(is_whole);
    let after_word = || {
        let last = window.char_indices().rev().find(|(_, c)| c.is_whitespace());
        last.map(|(at, space)| half + at + space.len_utf8()).filter(is_whole)
    };
    let after_grapheme = || match is_between_graphemes(text, most) {
        true => Some(most),
        false => GraphemeCursor::new(most, text.len(), true).prev_boundary(text, 0).ok().flatten(),
    };
    after_line.or_else(after_word).or_else(after_grapheme).filter(|end| *end > 0).unwrap_or(most)
}

fn is_between_graphemes(text: &str, at: usize) -> bool {
    GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use contract::Code;

    use super::*;

    fn parts(text: &str, max_chars: u64) -> Vec<String> {
        let mut parts = Vec::new();
        let mut offset = Some(0);
        while let Some(at) = offset {
            let content = part(text, "text", at, max_chars).unwrap();
            assert!(
                content.text.chars().count() as u64 <= max_chars
                    && (!content.text.is_empty() || text.is_empty())
            );
            assert_eq!(content.total, text.chars().count() as u64);
            offset = content.next_offset;
            parts.push(content.text);
        }
        parts
    }

    #[test]
    fn rows() {
        let check =
            |text: &str, max_chars, wanted: &[&str]| assert_eq!(parts(text, max_chars), wanted, "{text:?}");
        check("", 5, &[""]);
        check("short", 5, &["short"]);
        check("one two three", 8, &["one two ", "three"]);
        check("first line\nsecond one", 18, &["first line\n", "second one"]);
        check("a\nlong word", 10, &["a\nlong ", "word"]);
        check("没有空格的一行字", 3, &["没有空", "格的一", "行字"]);
        check("unbreakable", 4, &["unbr", "eaka", "ble"]);
        check("a👩‍👩‍👧b", 4, &["a", "👩‍👩‍", "👧b"]);
        check("ye\u{301}s", 2, &["y", "e\u{301}", "s"]);
        check("a\r\nb", 2, &["a", "\r\n", "b"]);
    }

    #[test]
    fn nothing_is_past_the_end() {
        for (text, offset, max_chars) in [("abc", 3, 1), ("abc", u64::MAX, 1), ("", 1, 1), ("abc", 0, 0)] {
            let error = part(text, "text", offset, max_chars).unwrap_err();
            assert_eq!(error.code, Code::InvalidInput);
        }
        assert!(part("abc", "text", 7, 1).unwrap_err().message.contains("3 characters"));
    }

    #[test]
    fn all_parts_together_are_the_whole() {
        let text = "Line one\n\n中文段落，没有空格。\r\n  👩‍👩‍👧 family e\u{301}\u{302}\u{303} שלום 🇨🇳🇺🇸🇫🇷 end "
            .repeat(7);
        for max_chars in 1..120 {
            assert_eq!(parts(&text, max_chars).concat(), text, "{max_chars}");
        }
    }
}

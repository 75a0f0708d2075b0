//! Texts that are too long: cut on a line, with a last line that says what is missing and how to get it.

use contract::Cut;

/// A text of a page's elements, as long as it may be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rendered {
    pub(crate) text: String,
    /// How many refs are in the text.
    pub(crate) refs: usize,
    /// How many characters of the text are there, when some were left out.
    pub(crate) cut: Option<Cut>,
}

/// How what is missing can be seen.
#[derive(Clone, Copy)]
pub(super) enum How {
    /// By looking at a part of the view.
    Part,
    /// By looking at the page instead of at what changed in it.
    Snapshot,
}

impl How {
    fn to_see_it(self) -> &'static str {
        match self {
            How::Part => "raise max_chars, or look at a part with scope or find",
            How::Snapshot => "raise max_chars, or take a snapshot",
        }
    }
}

impl Rendered {
    /// A text, cut on a line if it is too long; the last line then says so.
    pub(super) fn of(mut text: String, max_chars: Option<usize>, how: How) -> Rendered {
        let mut cut = None;
        // No text has more characters than bytes.
        if let Some(max) = max_chars.filter(|max| text.len() > *max) {
            let of = text.chars().count();
            if of > max {
                let note = |lines, chars| {
                    let more = if lines == 1 { "line" } else { "lines" };
                    let (lines, chars, how) = (grouped(lines), grouped(chars), how.to_see_it());
                    format!("… {lines} more {more} ({chars} characters): {how}")
                };
                let lines = text.matches('\n').count() + 1;
                // Where the note would take most of the room, it comes on top: what was asked for is the page.
                let for_note = note(lines, of).chars().count() + 1;
                let room = if for_note * 2 > max { max } else { max - for_note };
                let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
                let fits = text[end..].starts_with('\n'); // a line that ends exactly there
                let end = if fits { end } else { text[..end].rfind('\n').unwrap_or(0) };
                let shown = text[..end].chars().count();
                let left = text[end..].trim_start_matches('\n');
                let note = note(left.matches('\n').count() + 1, left.chars().count());
                text.truncate(end);
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&note);
                cut = Some(Cut { shown: shown as u64, of: of as u64 });
            }
        }
        Rendered { refs: text.matches("[ref=").count(), text, cut }
    }
}

/// `1,240`.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{sample::page, text::TextOptions};

    #[test]
    fn long_texts_are_cut_on_a_line() {
        let source: String = (0..2000).fold(String::new(), |all, at| format!("{all}\nbutton \"钮{at}\" ref"));
        let whole = page(&source).render(&TextOptions::default());
        assert_eq!((whole.refs, whole.cut), (2000, None));
        let total = whole.text.chars().count();
        for max in [0, 50, 100, 101, 150, 1000, 1001, 1002, total - 1] {
            let cut = page(&source).render(&TextOptions { max_chars: Some(max), ..TextOptions::default() });
            let (shown, note) = cut.text.rsplit_once('\n').unwrap_or(("", &cut.text));
            let for_note = note.chars().count();
            assert!(shown.chars().count() <= max, "{max}");
            assert!(cut.text.chars().count() <= max || for_note * 2 >= max.saturating_sub(4), "{max}");
            assert_eq!(shown.is_empty(), max < 50, "{max}: what fits is shown");
            assert!(whole.text.starts_with(shown) && note.starts_with("… "), "{max}: {note}");
            assert_eq!(cut.refs, shown.lines().count(), "{max}");
            assert_eq!(cut.cut, Some(Cut { shown: shown.chars().count() as u64, of: total as u64 }), "{max}");
            let left: usize = note["… ".len()..].split(' ').next().unwrap().replace(',', "").parse().unwrap();
            assert_eq!(left + cut.refs, 2000, "{max}: {note}");
        }
        let all = TextOptions { max_chars: Some(total), ..TextOptions::default() };
        assert_eq!(page(&source).render(&all), whole);
    }
}

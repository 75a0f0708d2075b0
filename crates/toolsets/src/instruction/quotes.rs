//! Quotes in sentences. What stands in them is exact, and no word in them has a meaning of its own.

use std::ops::Range;

use contract::{Error, Result};

/// Pairs of quotes.
const PAIRS: [(char, char); 8] =
    [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('「', '」'), ('『', '』'), ('«', '»')];

/// Where quoted parts are, quotes included.
fn parts(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut from = 0;
    while let Some((start, open)) =
        text[from..].char_indices().map(|(at, c)| (from + at, c)).find(|(at, c)| opens(text, *at, *c))
    {
        let inside = start + open.len_utf8();
        let close = PAIRS.iter().find(|(first, _)| *first == open).map_or(open, |(_, last)| *last);
        let end = text[inside..]
            .char_indices()
            .map(|(at, c)| (inside + at, c))
            .find(|(at, c)| *c == close && closes(text, *at, *c));
        from = match end {
            Some((end, _)) => {
                parts.push(start..end + close.len_utf8());
                end + close.len_utf8()
            }
            None => inside,
        };
    }
    parts
}

/// Whether a quote begins here. One that looks like an apostrophe does so only before a word.
fn opens(text: &str, at: usize, c: char) -> bool {
    let plain = |c: char| c.is_alphanumeric() && c.is_ascii();
    PAIRS.iter().any(|(open, _)| *open == c)
        && (!matches!(c, '\'' | '‘' | '`') || !text[..at].chars().next_back().is_some_and(plain))
}

fn closes(text: &str, at: usize, c: char) -> bool {
    let plain = |c: char| c.is_alphanumeric() && c.is_ascii();
    !matches!(c, '\'' | '’') || !text[at + c.len_utf8()..].chars().next().is_some_and(plain)
}

/// What stands in the quotes of a text that is one quoted part, perhaps with a word before it that says so.
pub(super) fn quoted(text: &str) -> Option<&str> {
    const NOISE: [&str; 18] = [
        "",
        "the",
        "text",
        "the text",
        "value",
        "the value",
        "word",
        "the word",
        "words",
        "the words",
        "option",
        "the option",
        "文字",
        "文本",
        "内容",
        "选项",
        "值",
        "：",
    ];
    let text = text.trim();
    let parts = parts(text);
    let [only] = &*parts else { return None };
    let before = text[..only.start].trim().trim_end_matches([':', '：']).trim_end();
    let after = text[only.end..].trim();
    let noise = |part: &str| NOISE.iter().any(|word| part.eq_ignore_ascii_case(word));
    if !noise(before) || !(noise(after) || ["这个词", "这几个字"].contains(&after)) {
        return None;
    }
    let part = &text[only.clone()];
    let (first, last) = (part.chars().next()?, part.chars().next_back()?);
    Some(&part[first.len_utf8()..part.len() - last.len_utf8()])
}

/// Where words stand outside of quotes; upper and lower case are the same.
fn places<'t>(text: &'t str, words: &'t str) -> impl Iterator<Item = usize> + 't {
    let quoted = parts(text);
    let low = text.to_ascii_lowercase();
    let found: Vec<usize> = low.match_indices(words).map(|(at, _)| at).collect();
    found.into_iter().filter(move |at| !quoted.iter().any(|part| part.contains(at)))
}

/// What stands before and after the first of such words outside of quotes.
pub(super) fn first<'t>(text: &'t str, words: &'t str) -> Option<(&'t str, &'t str)> {
    places(text, words).next().map(|at| (&text[..at], &text[at + words.len()..]))
}

/// The same with the last.
pub(super) fn last<'t>(text: &'t str, words: &'t str) -> Option<(&'t str, &'t str)> {
    places(text, words).last().map(|at| (&text[..at], &text[at + words.len()..]))
}

/// What stands before and after such words, if they stand there once. If they do so several times, the side that is quoted decides;
/// what nobody can decide is an error.
pub(super) fn once<'t>(text: &'t str, words: &'t str) -> Result<Option<(&'t str, &'t str)>> {
    match (first(text, words), last(text, words)) {
        (Some(one), Some(other)) if one.0.len() == other.0.len() => Ok(Some(one)),
        (Some(parts), _) if quoted(parts.0).is_some() => Ok(Some(parts)),
        (_, Some(parts)) if quoted(parts.1).is_some() => Ok(Some(parts)),
        (None, _) | (_, None) => Ok(None),
        _ => Err(Error::invalid("the instruction can be read in more than one way")
            .with_hint("put the text or the name that has such words in it in quotes")),
    }
}

/// Whether such words stand outside of quotes.
pub(super) fn has(text: &str, words: &str) -> bool {
    places(text, words).next().is_some()
}

/// A text without what it starts with; upper and lower case are the same.
pub(super) fn cut<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    text.get(..start.len()).filter(|found| found.eq_ignore_ascii_case(start)).map(|_| &text[start.len()..])
}

/// A text without what it ends with, outside of quotes.
pub(super) fn cut_end<'t>(text: &'t str, end: &'t str) -> Option<&'t str> {
    let (before, after) = last(text, end)?;
    after.is_empty().then_some(before)
}

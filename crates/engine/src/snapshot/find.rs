//! Searching a view: the lines of its text that match, under the lines of what they are in.
//!
//! ```text
//! 2 matches
//! - main:
//!   - table "Orders":
//!     - row: 7 | Ada | button "Ship" [ref=e12]
//!     …
//!     - row: 9 | Bob | button "Ship" [ref=e18]
//! ```

use std::borrow::Cow;

use contract::{Error, Result};
use regex::Regex;

use super::{
    cut::{How, Rendered, grouped},
    text::TextOptions,
    tree::View,
};

/// What is looked for. Capitals and small letters are the same in words, and differ in regular expressions.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    /// Every one of these must be in the line, in small letters.
    Words(Vec<String>),
    Regex(Regex),
}

impl Pattern {
    /// Words, parted by white space; parts of words count as well.
    pub(crate) fn words(text: &str) -> Result<Pattern> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return Err(Error::invalid("there is nothing to look for"));
        }
        Ok(Pattern::Words(words))
    }

    /// A regular expression. It ignores case where it says so: `(?i)`.
    pub(crate) fn regex(text: &str) -> Result<Pattern> {
        Regex::new(text).map(Pattern::Regex).map_err(|error| {
            Error::invalid(format!("{text:?} is not a regular expression")).with_cause(error)
        })
    }

    fn matches(&self, line: &str) -> bool {
        // Refs are ours, not the page's.
        let line = &*match line.split_once(" [ref=") {
            Some((before, rest)) => {
                Cow::Owned(format!("{before}{}", rest.split_once(']').map_or("", |(_, after)| after)))
            }
            None => Cow::Borrowed(line),
        };
        match self {
            Pattern::Words(words) => {
                let line = line.to_lowercase();
                words.iter().all(|word| line.contains(word))
            }
            Pattern::Regex(regex) => regex.is_match(line),
        }
    }
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Found {
    /// How many lines match.
    pub(crate) matches: usize,
    /// The lines, under a first one that says how many there are.
    pub(crate) rendered: Rendered,
}

impl View {
    /// Looks through what these options show. `context` lines are shown before and after each match, and at most `max` matches.
    pub(crate) fn find(&self, pattern: &Pattern, options: &TextOptions, context: usize, max: usize) -> Found {
        let all = self.render(&TextOptions { max_chars: None, ..*options }).text;
        find_in(&all, pattern, options.max_chars, context, max)
    }
}

/// Looks through lines, each of which stands under the last one before it that is indented less.
pub(crate) fn find_in(
    all: &str,
    pattern: &Pattern,
    max_chars: Option<usize>,
    context: usize,
    max: usize,
) -> Found {
    let lines: Vec<&str> = all.lines().collect();
    let found: Vec<usize> = (0..lines.len()).filter(|at| pattern.matches(lines[*at])).collect();
    let matches = found.len();
    let parents = parents(&lines);
    let mut shown = vec![false; lines.len()];
    let mut placed = vec![false; lines.len()]; // what they are in is shown
    for at in found.into_iter().take(max) {
        // A line around a match has its parents too, or it would seem to be in something else.
        for near in at.saturating_sub(context)..lines.len().min(at + context + 1) {
            shown[near] = true;
            let mut above = parents[near];
            while let Some(parent) = above.filter(|parent| !std::mem::replace(&mut placed[*parent], true)) {
                shown[parent] = true;
                above = parents[parent];
            }
        }
    }
    let mut text = match matches {
        1 => "1 match".to_owned(),
        _ if matches > max => {
            format!("{} matches, the first {max}: use more words to see the others", grouped(matches))
        }
        _ => format!("{} matches", grouped(matches)),
    };
    let mut before = None;
    for (at, line) in lines.iter().enumerate().filter(|(at, _)| shown[*at]) {
        let joined = match before {
            None => true,
            Some(before) => before + 1 == at || parents[at] == Some(before),
        };
        if !joined {
            text.push('\n');
            text.push_str(&line[..indent(line)]);
            text.push('…');
        }
        text.push('\n');
        text.push_str(line);
        before = Some(at);
    }
    Found { matches, rendered: Rendered::of(text, max_chars, How::Part) }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// For each line the one that it stands under.
fn parents(lines: &[&str]) -> Vec<Option<usize>> {
    let mut open: Vec<(usize, usize)> = Vec::new();
    let parent = |(at, line): (usize, &&str)| {
        let indent = indent(line);
        while open.pop_if(|(outer, _)| *outer >= indent).is_some() {}
        let parent = open.last().map(|(_, at)| *at);
        open.push((indent, at));
        parent
    };
    lines.iter().enumerate().map(parent).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::sample::page;

    const PAGE: &str = "
        navigation \"Main\"
          link \"Ship log\" ref
          link \"Home\" ref
          link \"Help\" ref
        main
          heading \"Orders\" level=1
          table \"Orders\"
            row
              cell
                'Ada
              cell
                button \"Ship\" ref
            row
              cell
                'Bob
            row
              cell
                '蓝色登录按钮
              cell
                button \"Ship\" ref";

    fn check(pattern: Result<Pattern>, context: usize, max: usize, expected: &str) {
        let found = page(PAGE).find(&pattern.unwrap(), &TextOptions::default(), context, max);
        assert_eq!(found.rendered.text, expected);
    }

    #[test]
    fn words() {
        check(Pattern::words("nowhere"), 0, 9, "0 matches");
        check(
            Pattern::words("登录 SHIP"),
            0,
            9,
            "1 match\n- main:\n  - table \"Orders\":\n    - row: 蓝色登录按钮 | button \"Ship\" [ref=e17]",
        );
        check(
            Pattern::words("ship"),
            0,
            2,
            "3 matches, the first 2: use more words to see the others\n\
             - navigation \"Main\":\n  - link \"Ship log\" [ref=e2]\n…\n- main:\n  - table \"Orders\":\n    - row: Ada | button \"Ship\" [ref=e11]",
        );
        check(
            Pattern::words("button"),
            0,
            9,
            "2 matches\n- main:\n  - table \"Orders\":\n    - row: Ada | button \"Ship\" [ref=e11]\n    …\n    - row: 蓝色登录按钮 | button \"Ship\" [ref=e17]",
        );
        check(
            Pattern::words("bob"),
            1,
            9,
            "1 match\n- main:\n  - table \"Orders\":\n    - row: Ada | button \"Ship\" [ref=e11]\n    - row: Bob\n    - row: 蓝色登录按钮 | button \"Ship\" [ref=e17]",
        );
    }

    #[test]
    fn lines_around_a_match_stand_under_their_parents() {
        check(
            Pattern::words("heading"),
            2,
            9,
            "1 match\n- navigation \"Main\":\n  - link \"Help\" [ref=e4]\n- main:\n  - heading \"Orders\" [level=1]\n  \
             - table \"Orders\":\n    - row: Ada | button \"Ship\" [ref=e11]",
        );
    }

    #[test]
    fn regular_expressions() {
        check(
            Pattern::regex("(?i)HE(ad|lp)"),
            0,
            9,
            "2 matches\n- navigation \"Main\":\n  - link \"Help\" [ref=e4]\n- main:\n  - heading \"Orders\" [level=1]",
        );
        check(Pattern::regex("HE(ad|lp)"), 0, 9, "0 matches");
        assert_eq!(Pattern::regex("(").unwrap_err().code, contract::Code::InvalidInput);
        assert_eq!(Pattern::words(" ").unwrap_err().code, contract::Code::InvalidInput);
    }
}

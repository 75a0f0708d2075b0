//! Numbers that stand behind a name: `Page 2`, 订单1, `room 102`. They say which one it is. Only where nothing of that name has a number of
//! its own is the second one meant by `row 2`; where something has, another number is another thing.

use super::{
    faces::Source,
    meaning::stem,
    query::Query,
    rank::Ranker,
    text::{Text, same},
};

impl Ranker<'_> {
    /// Whether a number of the description was read as a place in a row although things of that name have numbers of their own.
    pub(super) fn counts_what_is_numbered(&self, reading: &Query) -> bool {
        reading.any(&|part: &Query| {
            let Some(noun) = &part.numbered else { return false };
            [noun, &part.name].into_iter().any(|name| self.is_numbered(name))
        })
    }

    /// Whether something in the page is called by the last word of a name and a number or a letter.
    fn is_numbered(&self, name: &str) -> bool {
        let mut known = self.numbered.borrow_mut();
        *known.entry(name.to_owned()).or_insert_with(|| {
            let name = Text::new(name);
            (0..self.faces.len()).any(|at| {
                let face = &self.faces[at];
                let mut names =
                    face.texts.iter().filter(|(source, _)| !matches!(source, Source::Hint | Source::Value));
                names.any(|(_, text)| {
                    let at_most = if face.usable { usize::MAX } else { 1 };
                    is_number_behind(text, &name, at_most) && !self.is_count(at)
                })
            })
        })
    }

    /// Whether the number in a name says how many there are: `Comment (12)`.
    fn is_count(&self, at: usize) -> bool {
        let thing = &self.scene.things[at];
        let name = thing.node.map_or("", |node| &*node.name);
        let said = if name.is_empty() { thing.text } else { name };
        said.trim_end().ends_with([')', '）', ']'])
    }

    /// Whether something has the number that was asked for: behind the same word, or at the end of what is said. `2 beds` is no room 2.
    pub(super) fn has_number(&self, at: usize, query: &Query) -> bool {
        let Some(noun) = query.noun.as_ref().filter(|_| is_number(&query.name)) else { return true };
        let noun = Text::new(noun);
        let is_behind = |pair: &[String]| {
            pair[1] == query.name && noun.heavy.last().is_some_and(|noun| same(&pair[0], noun))
        };
        let says = |text: &Text| {
            text.words.last().is_some_and(|last| *last == query.name) || text.words.windows(2).any(is_behind)
        };
        let inside = &self.faces[at..self.scene.things[at].end];
        inside.iter().any(|face| face.texts.iter().any(|(_, text)| says(text)))
    }
}

/// Whether the last word of a name stands among the first of a text and has a number behind it, or a letter that ends the text. Of several
/// things the number says how many: `Issues 128` for `issue`.
fn is_number_behind(text: &Text, name: &Text, at_most: usize) -> bool {
    let Some(word) = name.heavy.last() else { return false };
    let last = text.words.len().saturating_sub(2);
    let is_it = |(at, pair): (usize, &[String])| {
        let is_letter = at == last && pair[1].len() == 1 && pair[1].bytes().all(|b| b.is_ascii_alphabetic());
        same(&pair[0], word) && (is_letter || pair[1].starts_with(|c: char| c.is_ascii_digit()))
    };
    let is_plural = || {
        let mut words = text.plain.split(' ').rev();
        let (number, own) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        is_number(number) && own != stem(own) && name.plain.split(' ').next_back() == Some(stem(own))
    };
    text.words.windows(2).enumerate().take(at_most).any(is_it) && !is_plural()
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

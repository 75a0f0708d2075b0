//! What speaks for or against an element besides the name that fits: what is drawn in it, what it does, how it is written.

use super::{
    faces::{Named, Source},
    letters::without_tail,
    query::{Query, Wanted},
    rank::Ranker,
    roles,
    scatter::has_verb,
    text::{Level, Text},
};

impl Ranker<'_> {
    /// Whether nothing says that it is of another shape.
    pub(super) fn may_be_shape(&self, at: usize, query: &Query) -> bool {
        const SHAPES: [(&[&str], &[&str]); 3] = [
            (&["circle", "dot", "圆形", "圆点", "圆圈"], &["circle", "ellipse"]),
            (&["square", "rectangle", "方块", "方框", "方形"], &["rect", "square", "rectangle"]),
            (&["triangle", "三角形"], &["polygon", "triangle"]),
        ];
        let noun = query.noun.as_deref().unwrap_or_default().to_lowercase();
        let hint = self.scene.things[at].node.and_then(|node| node.property("hint")).unwrap_or_default();
        let is_made = |made: &[&str]| hint.split([' ', '-', '_']).any(|word| made.contains(&word));
        let asked = SHAPES.iter().find(|(nouns, _)| nouns.contains(&&*noun));
        asked.is_none_or(|(_, made)| is_made(made) || !SHAPES.iter().any(|(_, made)| is_made(made)))
    }

    /// Whether one of the words is in its name as it stands, not in other words.
    pub(super) fn says_literally(&self, at: usize, name: &str) -> bool {
        let asked = Text::new(name).plain;
        let is_in = |text: &Text| {
            asked.split(' ').any(|word| word.len() > 2 && text.plain.split(' ').any(|own| own == word))
        };
        self.faces[at].texts.iter().any(|(_, text)| is_in(text))
    }

    /// Whether words are written in it: more than a sign or a number.
    pub(super) fn says_words(&self, at: usize) -> bool {
        let inside = &self.scene.things[at + 1..self.scene.things[at].end];
        inside.iter().any(|thing| thing.text.chars().filter(|c| c.is_alphabetic()).count() > 1)
    }

    /// Whether a picture was asked for and the one in it is called so.
    pub(super) fn by_icon(&self, at: usize, query: &Query, asked: &Text) -> Option<Named> {
        let icon = self.faces[at].icon.as_ref()?;
        let is_picture = query.role == Some(Wanted::Icon)
            || (matches!(query.role, None | Some(Wanted::Button | Wanted::Link | Wanted::Menu))
                && asked.is_picture());
        let says_all = is_picture
            && !query.quoted
            && !asked.heavy.is_empty()
            && asked.heavy.iter().all(|word| icon.has_word(word));
        says_all.then_some(Named { level: Level::Words, source: Source::Hint, score: 0.72, cover: 1.0 })
    }

    /// Whether it is called just so or says just that, to the letter.
    pub(super) fn shows(&self, at: usize, name: &str) -> bool {
        let is_it = |text: &str| text == name || without_tail(text).is_some_and(|text| text == name);
        let node = self.scene.things[at].node;
        let shown = node.filter(|node| &*node.role == "button").and_then(|node| node.property("description"));
        is_it(node.map_or("", |node| &*node.name))
            || shown.is_some_and(is_it)
            || (self.faces[at].usable && is_it(&self.scene.said_in(at, 2 * name.len() + 20)))
    }

    /// Whether it is a field to search or sort something, which was not asked for, or no such thing though it was.
    pub(super) fn is_other_search(&self, at: usize, name: &str) -> bool {
        let is_field = self.scene.things[at].node.is_some_and(|node| roles::fit(Wanted::Field, node) > 0.0);
        if !is_field {
            return false;
        }
        let asked = Text::new(name);
        let says = |word: &str| {
            let mut names = self.faces[at].texts.iter().filter(|(source, _)| *source != Source::Sort);
            names.any(|(_, text)| text.has_word(word))
        };
        (says("search") && !asked.has_word("search")) || (asked.has_word("sort") && !says("sort"))
    }

    /// Whether what is done was asked for, and it is a field that only speaks of it: `Confirm password` for `confirm`.
    pub(super) fn is_field_of_deed(&self, at: usize, query: &Query) -> bool {
        let is_field = self.scene.things[at].node.is_some_and(|node| roles::fit(Wanted::Field, node) >= 0.95);
        let asked = Text::new(&query.name);
        let is_deed = asked.heavy.len() == 1 && has_verb(&asked.heavy) && !asked.has_word("search");
        is_field && query.role.is_none() && is_deed
    }

    /// Whether the picture of a thing was asked for, and it is what is done with it: `Add to cart` is no cart icon.
    pub(super) fn is_deed_for_picture(&self, at: usize, query: &Query) -> bool {
        let asked = Text::new(&query.name).parts();
        // `Search by voice` is done with what is drawn.
        let is_by = |text: &Text| {
            ["by", "with", "via", "using"].iter().any(|word| text.plain.split(' ').any(|own| own == *word))
        };
        let says = |(_, text): &(Source, Text)| has_verb(&text.parts()) && !is_by(text);
        query.role == Some(Wanted::Icon)
            && !has_verb(&asked)
            && self.faces[at].texts.first().is_some_and(says)
    }

    /// Whether a side was asked for and it names another direction: `Move up` is not `move` on the left.
    pub(super) fn is_elsewhere(&self, at: usize, query: &Query) -> bool {
        let says = |word: &str| self.faces[at].texts.iter().any(|(_, text)| text.has_word(word));
        !query.sides.is_empty()
            && ["up", "down", "left", "right"].iter().any(|word| says(word))
            && !["up", "down", "left", "right"].iter().any(|word| Text::new(&query.name).has_word(word))
    }
}

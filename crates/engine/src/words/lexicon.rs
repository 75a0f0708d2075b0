//! The words that say more than a name: kinds of elements, colours, states, places, and what ties a description together.
//! The words are in [`super::english`] and [`super::chinese`]; what is numbered (`second`, 第二个) in [`super::ordinals`].

use super::query::{Colour, How, Side, State, Wanted};

/// What a word can mean besides being a part of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sense {
    Role(Wanted),
    /// A kind of element with a part of its name: `search box`.
    Named(Wanted, &'static str),
    Colour(Colour),
    State(State),
    Sides(&'static [Side]),
    /// What follows is the anchor.
    Before(How),
    /// What precedes is the anchor.
    After(How),
    /// What precedes is the anchor, or there is none and it is a side: 左边.
    AfterOrSides(How, &'static [Side]),
    /// What follows is the anchor, or a part of the name: `of`, `for`.
    Loose(How),
    /// The name follows: `labelled`, 名为.
    Called,
    /// 的, `'s`: what precedes belongs to what follows.
    Of,
    /// What the caller would do, which is not for us; the kind of element that it is done to.
    Verb(Option<Wanted>),
    /// The same, but the word may well be a part of a name: only before an article, a quote or a kind of element.
    MaybeVerb(Option<Wanted>),
    /// Says nothing at the beginning of a part.
    Filler,
    /// Says how an element looks in a way that is not checked.
    Vague,
    Ordinal(super::query::Ordinal),
}

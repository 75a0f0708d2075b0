//! How a page looks to an agent: a tree of roles, names and states, with refs.
//!
//! - `look`: asks the page's own script (`page/*.js`) in every frame what is there, and keeps what it tells. `closed_roots`: what that
//!   script cannot see.
//! - `tree`: what it told of one frame, brought up to date by what changed.
//! - `wire`: the lines in which it tells. `role`: what roles there are.
//! - `distil`: what of a tree is worth showing. `text`, `line`, `escape`, `cut`: that as text, in the aria-snapshot grammar. `json`:
//!   the same as data.
//! - `delta`: what is different between two views of the same page. `told`: that as text. `texts`: what became of an element's texts.
//!   `behind`: what popups put out of reach.
//! - `find`: the lines that match. `heal`: the element that took the place of one that is gone. `usable`: what can be used.
//!
//! Only these two know of browsers: the rest is pure.

mod behind;
mod closed_roots;
mod cut;
mod delta;
mod distil;
mod escape;
mod find;
mod heal;
mod holds;
mod json;
mod line;
mod look;
#[cfg(test)]
mod random_edits;
mod role;
#[cfg(test)]
pub(crate) mod sample;
mod text;
mod texts;
mod told;
mod tree;
mod usable;
mod wire;

pub(crate) use cut::Rendered;
pub(crate) use find::{Pattern, find_in};
pub(crate) use look::{Boxes, Change, Eyes};
pub(crate) use role::Kind;
pub(crate) use text::TextOptions;
pub(crate) use tree::{Child, Node, View, frame_of, reference};

//! How a page looks to an agent: a tree of roles, names and states, with refs.
//!
//! - `tree`: what the page's own script (`page/*.js`) tells of one frame, kept and brought up to date by what changed.
//! - `wire`: the lines in which it tells. `role`: what roles there are.
//! - `distil`: what of a tree is worth showing. `text`, `line`, `escape`, `cut`: that as text, in the aria-snapshot grammar. `json`:
//!   the same as data.
//! - `delta`: what is different between two views of the same page. `told`: that as text.
//! - `find`: the lines that match. `heal`: the element that took the place of one that is gone.
//!
//! Nothing in here knows of browsers: it is pure.

#![cfg_attr(not(test), expect(dead_code, reason = "the action that takes snapshots is not written yet"))]

pub(crate) mod cut;
pub(crate) mod delta;
mod distil;
mod escape;
pub(crate) mod find;
pub(crate) mod heal;
mod json;
mod line;
mod role;
#[cfg(test)]
mod sample;
pub(crate) mod text;
mod told;
pub(crate) mod tree;
mod wire;

//! How a page looks to an agent: a tree of roles, names and states, with refs.
//!
//! - `tree`: what the page's own script (`page/*.js`) tells of one frame, kept and brought up to date by what changed.
//! - `wire`: the lines in which it tells. `role`: what roles there are.
//! - `distil`: what of a tree is worth showing. `text`, `line`, `escape`: that as text, in the aria-snapshot grammar.
//!
//! Nothing in here knows of browsers: it is pure.

#![cfg_attr(not(test), expect(dead_code, reason = "the action that takes snapshots is not written yet"))]

mod distil;
mod escape;
mod line;
mod role;
#[cfg(test)]
mod sample;
mod text;
mod tree;
mod wire;

use text::TextOptions;

//! How a page looks to an agent: a tree of roles, names and states, with refs.
//!
//! - `tree`: what the page's own script (`page/*.js`) tells of one frame, kept and brought up to date by what changed.
//! - `text`: the tree as text, in the aria-snapshot grammar.
//! - `delta`: what is different between two views of the same page.
//!
//! Nothing in `tree`, `text` and `delta` knows of browsers: they are pure.

mod tree;

//! The tools of every toolset as their users call them, against real pages. What is said and what has to come back is data
//! (`transcripts`), and every front is held to the same (`run`).
//!
//! Tests are named after the acceptance criteria of the documents that the toolsets come from.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests: what should not happen fails loudly, in helpers too"
)]

mod alike;
mod deadlines;
#[path = "../front/front.rs"]
mod front;
mod jarvis;
mod nanobot;
#[expect(dead_code, reason = "the tests of the command line use more of it")]
#[path = "../cli/process.rs"]
mod process;
mod qa;
mod run;
#[expect(dead_code, reason = "the tests of the command line use more of it")]
#[path = "../cli/support.rs"]
mod support;
mod transcript;
mod transcripts;

//! The tools of every toolset as their users call them, against real pages. What is said and what has to come back is data
//! (`transcripts`), and every front is held to the same (`run`).
//!
//! Tests are named after the acceptance criteria of the documents that the toolsets come from.

mod alike;
mod deadlines;
mod jarvis;
mod nanobot;
mod qa;
mod run;
mod transcript;
mod transcripts;

//! What is said to the tools of each toolset, and what they have to answer.

pub(crate) mod jarvis;
pub(crate) mod nanobot;
pub(crate) mod qa;

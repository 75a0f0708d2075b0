//! The `webhand` binary as everybody meets it, in a real browser: the command line, the fronts, and the tools of every toolset.
//!
//! One test binary, so that all of them run side by side and it is linked once. Every test has a home of its own, and with it a daemon and
//! at most one browser (`support`); the fixture site is shared.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests: what should not happen fails loudly, in helpers too, and what led to it is shown"
)]

mod adversary;
mod cli;
mod dialects;
mod front;
mod fronts;
mod process;
mod server;
mod support;
mod tools;

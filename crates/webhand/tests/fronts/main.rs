//! MCP and HTTP as clients meet them: raw messages on stdio and raw requests, well-formed and not, and what is left when they end.
//!
//! The same fronts are driven by the official SDKs in `tests/clients`, which `.ci/run` does.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests: what should not happen fails loudly, in helpers too"
)]

mod approvals;
mod canary;
mod clients;
mod door;
mod file_names;
mod host;
mod many;
mod mistakes;
mod server;
mod serving;
mod stdio;
mod talk;

#[path = "../cli/process.rs"]
#[expect(dead_code, reason = "shared with the tests of the command line, which use all of it")]
mod process;
#[path = "../cli/support.rs"]
#[expect(dead_code, reason = "shared with the tests of the command line, which use all of it")]
mod support;

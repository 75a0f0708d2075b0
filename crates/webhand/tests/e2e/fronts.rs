//! MCP and HTTP as clients meet them: raw messages on stdio and raw requests, well-formed and not, and what is left when they end.
//!
//! The same fronts are driven by the official SDKs in `tests/clients`, which `.ci/run` does.

pub(crate) mod approvals;
mod canary;
pub(crate) mod clients;
mod door;
mod dry_run;
mod file_names;
mod host;
mod many;
mod mistakes;
mod serving;
mod stdio;
pub(crate) mod talk;

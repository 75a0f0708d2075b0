//! The fixture site that webhand's tests browse: one local server, the same pages on every loopback hostname, a
//! counter for every path; and the browser to browse it with.
//!
//! - `browser`: finding Chromium, or installing it (`install`)
//! - `site`: starting and stopping the server, its URLs, waiting for requests
//! - `fixtures`: the static pages, one file per behaviour in `fixtures/`
//! - `routes`: the pages that need a server with a will of its own (slow, hanging, redirecting, …)
//! - `frameworks`: pages made with React, Vue and Svelte, built before the first test that wants them
//! - `html`: the little markup that routes share
//!
//! To add a page: one file in `fixtures/` and its name in the list in `fixtures.rs`.

#![expect(clippy::expect_used, reason = "test support: a site that cannot start must fail the test loudly")]

mod browser;
mod fixtures;
mod frameworks;
mod hits;
mod html;
mod install;
mod routes;
mod site;

pub use browser::{browser, shell};
pub use fixtures::{FIXTURES, GOLDEN, HANDS, SITES, WORDS};
pub use frameworks::{FRAMEWORKS, frameworks};
pub use routes::download_bytes;
pub use site::{ALLOW, Site};

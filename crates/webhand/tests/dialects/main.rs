//! The toolsets `stagehand` and `openclaw` as their callers meet them: every tool and every edge that is documented, with the real browser.
//!
//! What is called and what has to come of it is data (`transcript`), and the same goes through every front.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests: what should not happen fails loudly, in helpers too, and what led to it is shown"
)]

#[expect(dead_code, reason = "other tests need more of it")]
#[path = "../cli/process.rs"]
mod process;
#[expect(dead_code, reason = "other tests need more of it")]
#[path = "../cli/support.rs"]
mod support;

mod browser;
mod browser_act;
#[path = "../front/front.rs"]
mod front;
mod openclaw;
mod pages;
mod stagehand;
mod transcript;

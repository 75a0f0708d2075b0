//! The toolsets `stagehand` and `openclaw` as their callers meet them: every tool and every edge that is documented, with the real browser.
//!
//! What is called and what has to come of it is data (`transcript`), and the same goes through every front.

mod browser;
mod browser_act;
mod openclaw;
mod pages;
mod stagehand;
mod transcript;

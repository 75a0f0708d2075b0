//! What webhand may do. Rules are pure: they look at an address and an effect, and decide.
//!
//! Today: only http and https, parsed as browsers parse them, without user-info. Nothing here talks to a network or a
//! browser.

mod address;
mod policy;

pub use address::check_address;
pub use policy::{Allow, Decision, Policy};

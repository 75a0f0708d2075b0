//! What webhand may do. Rules are pure: they look at an address and an effect, and decide.
//!
//! Today: only http and https, parsed as browsers parse them, without user-info, and only listed domains where there is a list.
//! Nothing here talks to a network or a browser.

mod address;
mod domains;
mod files;
mod policy;
mod redact;

pub use address::check_address;
pub use domains::{Domain, Domains};
pub use files::{Files, Place, Unfinished};
pub use policy::{Allow, Decision, Policy};
pub use redact::{MASK, Redactor};

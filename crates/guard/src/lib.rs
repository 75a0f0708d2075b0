//! What webhand may do. Rules are pure: they look at an address and an effect, and decide.
//!
//! Today: only http and https, parsed as browsers parse them, without user-info, and only listed domains where there is a list.
//! Nothing here talks to a network or a browser.
//!
//! - [`rules`]: which effect is allowed, asked about or denied, and where.
//! - [`approvals`]: what waits for a person, and what they said.

mod address;
pub mod approvals;
mod domains;
mod grants;
mod origin;
mod policy;
pub mod rules;

pub use address::check_address;
pub use domains::{Domain, Domains};
pub use grants::Grant;
pub use origin::{Origin, origin_of};
pub use policy::{Allow, Decision, Policy};

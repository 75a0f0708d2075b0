//! What webhand may do, and the only way by which its browsers reach a network.
//!
//! - Rules are pure: they look at an address and an effect, and decide. [`check_address`] is for what a caller wants to open,
//!   [`Places`] for every connection, [`Policy`] for actions.
//! - [`proxy`] enforces [`Places`]. It is the one part that talks to a network; nothing here talks to a browser.

mod address;
pub mod approvals;
mod class;
mod domains;
pub mod files;
mod grants;
mod origin;
mod places;
mod policy;
mod ports;
pub mod proxy;
mod redact;
mod refusal;
pub mod rules;

pub use address::{BLANK, check_address, completed};
pub use class::Class;
pub use domains::{Domain, Domains};
pub use files::Files;
pub use grants::Grant;
pub use origin::{Origin, origin_of};
pub use places::{Checked, Place, Places, Whereabouts};
pub use policy::{Allow, Decision, Policy};
pub use redact::{MASK, Redactor};
pub use refusal::{Purpose, Reason, Refusal, WhyAllowed};

//! A small client for the Chrome DevTools Protocol (CDP).
//!
//! It knows nothing of webhand: no sessions, no actions, no policy. From the wire upwards:
//!
//! - [`Transport`]: whole messages in and out, over a pipe to a Chromium of our own or a websocket to somebody else's.
//! - [`Connection`]: answers go to whoever asked, events to the queue of the target they belong to.
//! - [`Channel`]: one target to talk to. Every call has a deadline; dropping a call forgets it.
//! - [`protocol`]: the commands and events in use, one row each.
//! - [`find`], [`launch`], [`discover`], [`install`]: getting hold of a browser.

mod channel;
mod connection;
pub mod discover;
mod error;
pub mod find;
mod guardian;
pub mod install;
pub mod launch;
pub mod protocol;
mod tolerant;
mod transport;

pub use channel::{Channel, Pending};
pub use connection::{Connection, Event, Events};
pub use error::Error;
pub use transport::{Transport, fault, pipe, websocket};

/// The result of talking to a browser.
pub type Result<T, E = Error> = std::result::Result<T, E>;

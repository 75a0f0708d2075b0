//! The engine: browsers, sessions, tabs and frames, and the one gate that every action passes.
//!
//! Read in this order: [`session`] (the gate), [`actions`] (one file a verb), `tab` (what is known of a page), `browser` (who
//! talks to Chromium). The layout:
//!
//! - [`Engine`] holds the sessions and the browsers they share.
//! - [`Session`] is a named, isolated browsing state. [`Session::perform`] is the gate.
//! - [`Action`] is everything that can be done to a page: a closed list, one struct and one file each.

pub mod actions;
mod anew;
mod browser;
mod budget;
mod capture;
mod change;
mod choose;
mod consent;
mod context;
mod cookies;
mod copies;
mod cut;
mod download_gate;
mod downloads;
mod egress;
mod emulation;
mod engine;
mod events;
mod fields;
mod files;
mod first_look;
mod frames;
mod hands;
mod hidden;
mod keyboard;
mod keys;
mod known_secrets;
mod labels;
mod lift;
mod locate;
mod navigate;
mod options;
mod outgoing;
mod page;
mod pages;
pub mod picture;
mod pictured;
mod place;
mod presets;
mod profile;
mod pull;
mod reach;
mod reading;
mod record;
mod saved;
mod secrets;
pub mod session;
mod session_folder;
mod settle;
mod shown_refs;
mod slide;
mod slot;
mod snapshot;
mod storage;
mod tab;
mod telling;
#[doc(hidden)]
pub mod testing;
mod ticks;
mod trouble;
mod typing;
mod unheard;
mod until;
mod waited;
mod words;

pub use actions::Action;
pub use browser::executable;
pub use budget::Budget;
pub use engine::{BrowserInfo, Config, Engine, SessionInfo};
pub use events::{Event, Phase};
pub use options::{Agent, Front, Request, SessionOptions, Viewport};
pub use session::Session;
pub use until::Until;

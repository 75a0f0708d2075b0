//! webhand: a browser for AI agents.
//!
//! This crate is the binary's inside: the command line, the daemon behind it, settings and wiring. The engine itself is
//! re-exported for Rust programs:
//!
//! ```no_run
//! use webhand::{Config, Engine, Request, SessionOptions, actions::Open};
//!
//! # async fn example() -> Result<(), webhand::Error> {
//! let engine = Engine::new(Config::new("/tmp/webhand"))?;
//! let open = Open { url: Some("https://example.com".into()), ..Open::default() };
//! let outcome = engine.perform(&"default".parse()?, &SessionOptions::default(), Request::new(open)).await?;
//! println!("{:?} {:?}", outcome.title, outcome.status);
//! # Ok(())
//! # }
//! ```

pub mod cli;
mod client;
mod daemon;
mod demo;
mod doctor;
mod files;
mod home;
mod host;
mod http;
mod hub;
mod install;
mod mcp;
mod mcp_config;
mod render;
mod search;
mod settings;
mod tools;
mod wire;

pub use contract::{Code, Error, Outcome, Result, SessionName, ToolResult};
pub use engine::{Action, Config, Engine, Front, Request, Session, SessionOptions, Until, Viewport, actions};

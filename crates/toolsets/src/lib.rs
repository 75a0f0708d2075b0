//! Toolsets: the tools of each dialect, one file or folder each. A tool is its arguments, a sentence about it, and a mapping from
//! the arguments to what is asked of the engine and from the answers to its own reply.
//!
//! Nothing here waits, opens a file or knows of a protocol: a tool is a chain of [`Step`]s, which a front drives (`webhand`'s
//! `tools` module). So every front gives the same answers, and a tool can be tested without a browser.
//!
//! To add a dialect: one module with a [`Toolset`], and one line in [`ALL`].

mod args;
mod caller;
mod dialogs;
mod ids;
pub mod instruction;
pub mod lines;
pub mod names;
mod reply;
mod schema;
mod step;
mod tool;
mod wording;

pub mod browser;
pub mod jarvis;
pub mod nanobot;
pub mod openclaw;
pub mod qa;
pub mod stagehand;

pub use args::no_object;
pub use caller::{Caller, Mode, Options, TimeLimit};
pub use ids::{id_of, session_of};
pub use reply::Reply;
pub use step::{Answer, Ask, Readers, Step};
pub use tool::{Group, Hints, Tool, Toolset};
pub use wording::Wording;

use contract::{Code, Error, Result};

/// Every toolset, the default first.
pub const ALL: [&Toolset; 6] = [
    &browser::TOOLSET,
    &jarvis::TOOLSET,
    &openclaw::TOOLSET,
    &qa::TOOLSET,
    &nanobot::TOOLSET,
    &stagehand::TOOLSET,
];

/// A toolset by its name.
pub fn toolset(name: &str) -> Result<&'static Toolset> {
    ALL.into_iter().find(|set| set.name == name).ok_or_else(|| {
        let names: Vec<_> = ALL.iter().map(|set| set.name).collect();
        Error::new(Code::UnknownTool, format!("there is no toolset {name:?}"))
            .with_hint(format!("the toolsets are {}", names.join(", ")))
    })
}

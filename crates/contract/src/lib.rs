//! The words that every part of webhand shares: errors and their codes, ids, refs, targets, effects, outcomes.
//!
//! There is no IO here, nothing asynchronous and nothing of any browser. Everything else depends on this crate; this
//! crate depends on nothing of webhand's.
//!
//! - [`Error`] and [`Code`]: the one error table; `docs/errors.md` is generated from it.
//! - [`Target`] and [`Ref`]: how an element is named, one grammar everywhere.
//! - [`Outcome`]: what an action did. [`ToolResult`]: the same as every front answers it.
//! - [`Plan`]: what an action would do, and what the rules decide on that.
//! - [`Typed`] and [`PageUrl`]: values that mask themselves wherever they are written down.
//! - [`Told`]: every word of an outcome or an error, for those who mask or clean all of them.

mod effect;
mod error;
mod ids;
mod masked;
mod outcome;
mod place;
mod plan;
mod reference;
mod result;
mod size;
mod span;
mod target;
mod told;
mod unseen;

pub use effect::Effect;
pub use error::{Code, Error, Result};
pub use ids::{AgentName, FrameId, SessionName, TabId};
pub use masked::{PageUrl, Typed, in_full, without_user_info};
pub use outcome::{
    Candidate, ConsoleMessage, Content, Cut, Delta, Dialog, Download, Frame, Healed, Label, Named,
    Navigation, NavigationKind, NetworkRequest, Outcome, Screenshot, Scrolled, Snapshot, SnapshotNode, Step,
    TabInfo,
};
pub use place::Place;
pub use plan::{Plan, PlannedEffect, Ruling};
pub use reference::Ref;
pub use result::{ToolError, ToolResult, ToolScreenshot};
pub use size::Size;
pub use span::Span;
pub use target::Target;
pub use told::Told;
pub use unseen::{is_unseen, replace_unseen, without_unseen};

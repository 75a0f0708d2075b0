//! What can go wrong between us and a browser.

use std::sync::Arc;

/// Why a call to the browser has no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The browser did not answer by the deadline.
    #[error("{method} was not answered in time")]
    Timeout {
        /// The command that waits.
        method: &'static str,
    },
    /// The connection to the browser is gone, and the browser most likely too.
    #[error("the connection to the browser ended: {reason}")]
    Disconnected {
        /// What the transport said.
        reason: Arc<str>,
    },
    /// The target (a tab, a frame) was closed.
    #[error("the target of {method} is gone")]
    TargetGone {
        /// The command that was under way.
        method: &'static str,
    },
    /// The process behind the target ended.
    #[error("the process behind the target of {method} crashed")]
    TargetCrashed {
        /// The command that was under way.
        method: &'static str,
    },
    /// The browser understood and said no.
    #[error("{method}: {message} ({code})")]
    Refused {
        /// The command that was refused.
        method: &'static str,
        /// The protocol's error number.
        code: i64,
        /// The browser's own words.
        message: String,
    },
    /// The answer does not have the expected shape.
    #[error("the answer to {method} could not be read: {reason}")]
    Unreadable {
        /// The command that was answered.
        method: &'static str,
        /// What is wrong with the answer.
        reason: String,
    },
}

//! The one place where the browser's errors become webhand's.

use contract::{Code, Error};

/// What a failed call to the browser means to whoever asked for the action.
pub(crate) fn lift(error: cdp::Error) -> Error {
    use cdp::Error as Cdp;
    match &error {
        Cdp::Timeout { .. } => {
            Error::new(Code::Timeout, "the browser did not answer in time").with_cause(error)
        }
        Cdp::Disconnected { .. } => Error::new(Code::BrowserCrashed, "the browser ended").with_cause(error),
        Cdp::TargetGone { .. } => {
            Error::new(Code::TabNotFound, "the tab was closed meanwhile").with_cause(error)
        }
        Cdp::TargetCrashed { .. } => Error::new(Code::PageCrashed, "the page crashed").with_cause(error),
        Cdp::Refused { .. } | Cdp::Unreadable { .. } => {
            Error::new(Code::Internal, "the browser refused a command").with_cause(error)
        }
    }
}

/// The error of an action whose deadline has passed.
pub(crate) fn timed_out(waiting_for: impl std::fmt::Display) -> Error {
    Error::new(Code::Timeout, format!("the time ran out while waiting for {waiting_for}"))
}

//! The three ways in, for tests that hold all of them to the same.

mod call;
mod http;
mod mcp;

use serde_json::Value;

use crate::support::Home;

/// A way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Front {
    /// `webhand call`, a command for each call.
    Call,
    /// `webhand mcp` on stdio, with the official SDK as its client.
    Mcp,
    /// `webhand serve`, a request for each call.
    Http,
}

/// What a front answered.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    /// Whether the front says that it went well, in whatever way it has to say so.
    pub(crate) ok: bool,
    /// The tool's own answer.
    pub(crate) value: Value,
}

/// The tools of one toolset, behind a front.
pub(crate) trait Tools {
    fn call(&mut self, tool: &str, args: &Value) -> Answer;
}

impl Front {
    /// Opens a way to a toolset in a home, with settings as on the command line. What had to be started for it ends with the value.
    pub(crate) fn open<'a>(
        self,
        home: &'a Home,
        toolset: &'static str,
        flags: &'a [&'a str],
    ) -> Box<dyn Tools + 'a> {
        match self {
            Front::Call => Box::new(call::Call { home, toolset, flags }),
            Front::Mcp => Box::new(mcp::Mcp::start(home, toolset, flags)),
            Front::Http => Box::new(http::Http::start(home, toolset, flags)),
        }
    }
}

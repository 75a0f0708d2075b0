//! What a tool answers with, before a protocol gives it its form.

use contract::{Screenshot, ToolResult};
use serde_json::Value;

/// The reply of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// Whether what was asked for happened.
    pub ok: bool,
    /// The reply in the dialect's own shape: what HTTP and `webhand call` give.
    pub value: Value,
    /// The same for who gets the text beside it, as MCP's clients do, without what is in that; none: the whole value. Models may be shown
    /// both, and what a page says is marked and bounded only in the text.
    pub beside: Option<Value>,
    /// What a model reads; none: the value as JSON.
    pub text: Option<String>,
    /// A picture, for protocols that have pictures.
    pub picture: Option<Screenshot>,
}

impl Reply {
    /// A reply in the shape of a `ToolResult`.
    pub fn of(result: ToolResult) -> Reply {
        Reply {
            ok: result.ok,
            value: serde_json::to_value(result).unwrap_or_default(),
            beside: None,
            text: None,
            picture: None,
        }
    }

    /// A reply that is only data.
    pub(crate) fn data(ok: bool, value: Value) -> Reply {
        Reply { ok, value, beside: None, text: None, picture: None }
    }

    /// What a model reads.
    pub fn text(&self) -> String {
        self.text.clone().unwrap_or_else(|| crate::lines::visible(self.value.to_string()))
    }
}

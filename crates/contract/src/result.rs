//! `ToolResult`: the answer that every front gives, for success and failure alike.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Code, Cut, Error, Outcome, Result, Screenshot};

/// The one shape of an answer: `ok` with `data`, or not `ok` with `error`, and with `data` if something was done or found out by then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Whether what was asked for happened.
    pub ok: bool,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// Why it did not happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
    /// A picture that was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<ToolScreenshot>,
}

/// An error in a [`ToolResult`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolError {
    /// What went wrong, for machines.
    pub code: Code,
    /// What went wrong, for people.
    pub message: String,
    /// Whether the same call may succeed when it is made again.
    pub retriable: bool,
    /// The browser's or the system's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The next thing to do.
    pub hint: String,
}

/// A picture in a [`ToolResult`]: where it is, not what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolScreenshot {
    /// `image/png` or `image/jpeg`.
    pub mime_type: String,
    /// The file that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// What is missing of a page that was too tall, in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

impl ToolResult {
    /// Success with any data.
    pub fn success(data: impl Serialize) -> Self {
        match serde_json::to_value(data) {
            Ok(data) => ToolResult { ok: true, data: Some(data), error: None, screenshot: None },
            Err(error) => {
                Error::new(Code::Internal, "the answer cannot be written as JSON").with_cause(error).into()
            }
        }
    }
}

impl From<Outcome> for ToolResult {
    fn from(mut outcome: Outcome) -> Self {
        let screenshot = outcome.screenshot.take();
        ToolResult {
            screenshot: screenshot.as_ref().map(ToolScreenshot::from),
            ..ToolResult::success(outcome)
        }
    }
}

impl From<&Screenshot> for ToolScreenshot {
    fn from(picture: &Screenshot) -> Self {
        ToolScreenshot {
            mime_type: picture.mime_type.into(),
            path: picture.path.clone(),
            width: picture.width,
            height: picture.height,
            cut: picture.cut,
        }
    }
}

impl From<Error> for ToolResult {
    fn from(error: Error) -> Self {
        let data = error.outcome.as_ref().and_then(|outcome| serde_json::to_value(outcome).ok());
        ToolResult { ok: false, data, error: Some(error.into()), screenshot: None }
    }
}

impl From<Error> for ToolError {
    fn from(error: Error) -> Self {
        ToolError {
            code: error.code,
            retriable: error.retriable(),
            hint: error.hint().to_owned(),
            message: shortened(error.message),
            cause: error.cause.map(shortened),
        }
    }
}

/// How long a message may be: an argument that is echoed in it may be a whole file.
const LONGEST: usize = 1_000;
/// How many characters of a longer message are kept at its beginning and at its end.
const BEGINNING: usize = 600;
const ENDING: usize = 200;

/// A message without the middle of what is too long in it, and how much that was.
fn shortened(text: String) -> String {
    let count = text.chars().count();
    if count <= LONGEST {
        return text;
    }
    let at = |position: usize| text.char_indices().nth(position).map_or(text.len(), |(at, _)| at);
    let left_out = count - BEGINNING - ENDING;
    format!("{}… ({left_out} characters left out) …{}", &text[..at(BEGINNING)], &text[at(count - ENDING)..])
}

impl<T: Into<ToolResult>> From<Result<T>> for ToolResult {
    fn from(result: Result<T>) -> Self {
        match result {
            Ok(value) => value.into(),
            Err(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_arguments_are_not_echoed_whole() {
        let error = Error::invalid(format!("{:?} is no number", "长".repeat(100_000)));
        let told = ToolError::from(error).message;
        assert!(told.chars().count() < LONGEST, "{}", told.chars().count());
        assert!(told.contains("characters left out") && told.ends_with("is no number"), "{told}");
        assert_eq!(shortened("short".into()), "short");
    }

    #[test]
    fn failure_has_the_agreed_shape() {
        let error =
            Error::new(Code::NavigationFailed, "nothing there").with_cause("net::ERR_CONNECTION_REFUSED");
        assert_eq!(
            serde_json::to_value(ToolResult::from(error)).unwrap(),
            json!({"ok": false, "error": {
                "code": "NAVIGATION_FAILED", "message": "nothing there", "retriable": true,
                "cause": "net::ERR_CONNECTION_REFUSED", "hint": "check the address and that its server is running",
            }})
        );
    }

    #[test]
    fn success_leaves_out_what_does_not_apply() {
        let outcome = Outcome { status: Some(200), ..Outcome::default() };
        let result = serde_json::to_value(ToolResult::from(outcome)).unwrap();
        assert_eq!(result, json!({"ok": true, "data": {"session": "default", "status": 200}}));
    }
}

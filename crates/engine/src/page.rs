//! The code that runs in pages (`crates/engine/page/*.js`), and how it is asked: one round trip to one frame.

use std::time::Duration;

use cdp::protocol as p;
use contract::{Code, Error, FrameId, Result};
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;

use crate::{lift::lift, tab::Tab};

/// What runs in every frame, in a world of its own, before any script of the page. Plain scripts in one closure, in the order in
/// which they need each other.
pub(crate) const SCRIPT: &str = concat!(
    "(() => {\n",
    include_str!("../page/prelude.js"),
    include_str!("../page/dom.js"),
    include_str!("../page/elements.js"),
    include_str!("../page/visible.js"),
    include_str!("../page/fields.js"),
    include_str!("../page/content.js"),
    include_str!("../page/html.js"),
    include_str!("../page/selectors.js"),
    include_str!("../page/controls.js"),
    include_str!("../page/main.js"),
    "})();\n//# sourceURL=webhand",
);

/// A frame inside the page that is slower than this is left out of what is told of the page, and that is said.
const PATIENCE: Duration = Duration::from_secs(5);

/// Until when a frame is waited for: one bad frame must not take the page's time.
pub(crate) fn frame_deadline(frame: FrameId, deadline: Instant) -> Instant {
    if frame == FrameId(0) { deadline } else { deadline.min(Instant::now() + PATIENCE) }
}

/// Calls `webhand.<function>(…arguments)` in a frame and returns its value.
pub(crate) async fn ask(
    tab: &Tab,
    frame: FrameId,
    function: &str,
    arguments: &impl Serialize,
    deadline: Instant,
) -> Result<Value> {
    let arguments = serde_json::to_string(arguments).map_err(|error| broken(function, error))?;
    let asking = async {
        let world =
            tab.until_some(deadline, "the frame to be there", |state| state.world(frame, false)).await?;
        let call = p::Evaluate {
            expression: format!("webhand.{function}(...{arguments})"),
            unique_context_id: Some(world.unique_id),
            return_by_value: Some(true),
            ..p::Evaluate::default()
        };
        let answer = tab.channel_of(world.session.as_deref()).call(call, deadline).await.map_err(lift)?;
        match answer.exception_details {
            None => Ok(answer.result.value.unwrap_or(Value::Null)),
            Some(details) => {
                let exception = details.exception.and_then(|exception| exception.description);
                Err(broken(function, exception.unwrap_or(details.text)))
            }
        }
    };
    tab.unless_dialog(asking, deadline).await
}

/// Our own script failed: a mistake of ours, or a page that is stranger than we knew.
fn broken(function: &str, cause: impl std::fmt::Display) -> Error {
    Error::new(Code::Internal, format!("webhand's own script failed in the page ({function})"))
        .with_cause(cause)
}

//! Tools that look at the page.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use contract::Result;
use engine::actions::{Screenshot, Snapshot};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer;
use crate::{Caller, Hints, Reply, Step, Tool, lines, tool::Call};

pub(super) const ARIA_TREE: Tool = Tool::new::<AriaTreeArgs>(
    "ariaTree",
    "Show the whole page as an accessibility tree, also what is not in view",
    Hints::Reads,
);
pub(super) const SCREENSHOT: Tool =
    Tool::new::<ScreenshotArgs>("screenshot", "Take a picture of what is in view", Hints::Reads);

/// The longest tree: 70,000 tokens of four characters.
const LONGEST: usize = 280_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AriaTreeArgs {}

impl Call for AriaTreeArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let mark = caller.mark.clone();
        let snapshot = Snapshot { max_chars: Some(LONGEST), ..Snapshot::default() };
        Ok(caller.perform(caller.request(snapshot), move |result| {
            let outcome = match result {
                Ok(outcome) => outcome,
                Err(error) => return Step::Done(answer::failed(error, json!({}))),
            };
            let tree = outcome.snapshot.unwrap_or_default();
            let url = outcome.url.unwrap_or_default();
            let mut data = json!({"content": tree.text, "pageUrl": url});
            let mut text = format!("{url}\n{}", lines::from_page(&tree.text, &mark));
            if let Some(cut) = tree.cut {
                let says = format!("cut: {} of {} characters", cut.shown, cut.of);
                text += &format!("\n{says}");
                data["truncated"] = says.into();
            }
            Step::Done(Reply { text: Some(text), ..answer::ok(data) })
        }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScreenshotArgs {}

impl Call for ScreenshotArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let timestamp = milliseconds(caller);
        Ok(caller.perform(caller.request(Screenshot { fit: true, ..Screenshot::default() }), move |result| {
            let outcome = match result {
                Ok(outcome) => outcome,
                Err(error) => return Step::Done(answer::failed(error, json!({}))),
            };
            let url = outcome.url.unwrap_or_default();
            let base64 = outcome.screenshot.as_ref().map(|picture| STANDARD.encode(&picture.bytes));
            // Models get the picture as a picture; its letters would only fill their memory.
            let mut short = answer::ok(json!({"timestamp": timestamp, "pageUrl": url}));
            let mut whole = answer::ok(json!({"base64": base64, "timestamp": timestamp, "pageUrl": url}));
            if let Some(note) = outcome.notes.first() {
                short.value["data"]["note"] = json!(note);
                whole.value["data"]["note"] = json!(note);
            }
            Step::Done(Reply { text: Some(short.text()), picture: outcome.screenshot, ..whole })
        }))
    }
}

/// When the call was made, in milliseconds since 1970.
pub(super) fn milliseconds(caller: &Caller) -> Option<i64> {
    caller.now.to_zoned(TimeZone::system()).ok().map(|now| now.timestamp().as_millisecond())
}

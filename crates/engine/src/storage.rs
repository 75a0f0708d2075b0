//! What pages keep: asked of a page that is there, or of a hidden one that is made to be at their origin.

use cdp::{Channel, protocol as p};
use clap::ValueEnum;
use contract::{Code, Error, FrameId, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::{lift::lift, tab::Tab};

const SCRIPT: &str = include_str!("../page/storage.js");

/// Which storage of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    /// `localStorage`: kept, and shared by all pages of an origin.
    Local,
    /// `sessionStorage`: the tab's own.
    Session,
}

/// What to do with it.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    List,
    Get,
    Put,
    Delete,
    Clear,
}

/// What a page answered.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Stored {
    pub(crate) origin: String,
    pub(crate) items: Vec<(String, String)>,
    refused: Option<String>,
}

/// Asks the page of a tab. Values are never part of an error.
pub(crate) async fn ask(
    tab: &Tab,
    area: Area,
    what: What,
    items: &[(&str, &str)],
    deadline: Instant,
) -> Result<Stored> {
    let world =
        tab.until_some(deadline, "the page to answer", |state| state.world(FrameId(0), false)).await?;
    let asking = ask_in(&tab.channel, Some(world.unique_id), area, what, items, deadline);
    tab.unless_dialog(asking, deadline).await
}

/// Asks in a world, or in the only one that there is.
pub(crate) async fn ask_in(
    channel: &Channel,
    world: Option<String>,
    area: Area,
    what: What,
    items: &[(&str, &str)],
    deadline: Instant,
) -> Result<Stored> {
    let broken =
        |cause: String| Error::new(Code::Internal, "the page's storage cannot be read").with_cause(cause);
    let arguments = serde_json::to_string(&(area, what, items)).map_err(|error| broken(error.to_string()))?;
    // The comment at the head of the script belongs to the parentheses as well; its last line is the function's.
    let evaluate = p::Evaluate {
        expression: format!("(\n{SCRIPT})(...{arguments})"),
        unique_context_id: world,
        return_by_value: Some(true),
        ..p::Evaluate::default()
    };
    let answer = channel.call(evaluate, deadline).await.map_err(lift)?;
    if let Some(details) = answer.exception_details {
        return Err(broken(details.text));
    }
    let stored: Stored = serde_json::from_value(answer.result.value.unwrap_or_default())
        .map_err(|_| broken("it is no list of texts".into()))?;
    match stored.refused.as_deref() {
        None => Ok(stored),
        Some("QuotaExceededError") => Err(Error::invalid("there is no room for it in the page's storage")
            .with_hint("store less, or delete something first")),
        Some(refused) => Err(Error::new(Code::Unsupported, "the page has no storage")
            .with_cause(refused)
            .with_hint("go to an http or https page first, one that is not sandboxed")),
    }
}

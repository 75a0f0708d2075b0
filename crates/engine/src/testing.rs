//! What tests need of the inside; no part of the engine's interface.

use std::time::Duration;

use cdp::protocol as p;
use contract::{Code, Error, FrameId, Result, SessionName};
use serde_json::Value;
use tokio::time::Instant;

use crate::{Engine, SessionOptions, lift::lift, page, tab::Tab};

/// The value of an expression in webhand's own world, in the active tab of a session. Nothing else brings code of others there.
pub async fn in_own_world(
    engine: &Engine,
    (name, options): (&SessionName, &SessionOptions),
    frame: FrameId,
    expression: &str,
) -> Result<Value> {
    let gone = || Error::new(Code::SessionNotFound, "there is no such session");
    let context = engine.session(name, options, false)?.live().ok_or_else(gone)?;
    let (_, tab) = context.pages.get(None)?;
    in_own_world_of(&tab, frame, expression).await
}

/// The same in a tab.
pub(crate) async fn in_own_world_of(tab: &Tab, frame: FrameId, expression: &str) -> Result<Value> {
    let deadline = Instant::now() + Duration::from_secs(30);
    // The script may have to be given to the page first.
    page::ask(tab, frame, "title", &page::NO_ARGUMENTS, deadline).await?;
    let world = tab.until_some(deadline, "the page", |state| state.world(frame, false)).await?;
    let evaluate = p::Evaluate {
        expression: expression.into(),
        unique_context_id: Some(world.unique_id),
        return_by_value: Some(true),
        ..p::Evaluate::default()
    };
    let answer = tab.channel_of(world.session.as_deref()).call(evaluate, deadline).await.map_err(lift)?;
    match answer.exception_details {
        None => Ok(answer.result.value.unwrap_or_default()),
        Some(details) => Err(Error::new(Code::EvaluateFailed, format!("{details:?}"))),
    }
}

/// The scripts that run in pages, in webhand's own world.
pub fn page_script() -> String {
    page::script().to_owned()
}

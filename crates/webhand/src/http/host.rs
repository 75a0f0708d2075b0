//! `/v1/host/tab.upsertSnapshot`: what a host application tells of its tabs.

use std::sync::Arc;

use axum::{body::Body, extract::State, http::StatusCode, response::Response};
use contract::Error;
use serde_json::json;

use crate::{
    host::TabSnapshot,
    http::{App, reply},
};

/// Takes in a tab. tRPC clients put what they say into `json`, or into `input` above that.
pub(crate) async fn upsert(State(app): State<Arc<App>>, body: Body) -> Response {
    let wrong = |error| reply::error(StatusCode::BAD_REQUEST, error);
    let mut told = match reply::arguments(body, wrong).await {
        Ok(told) => told,
        Err(response) => return response,
    };
    for wrapping in ["input", "json"] {
        if told.get("sessionId").is_none() && told.get(wrapping).is_some() {
            told = told[wrapping].take();
        }
    }
    let snapshot = serde_json::from_value::<TabSnapshot>(told)
        .map_err(|error| Error::invalid("this is no snapshot of a tab").with_cause(error));
    match snapshot.and_then(|snapshot| app.tools.host.take_in(snapshot)) {
        Ok(taken) => reply::data(json!({"stale": taken.stale, "cdpTargetIds": taken.targets})),
        Err(error) => reply::error(StatusCode::BAD_REQUEST, error),
    }
}

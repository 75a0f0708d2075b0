//! The tools: listed, and called. What a tool itself answers comes with 200, whether it is `ok` or not; what was not understood, and
//! so not even begun, with 400 or 404.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Path, RawQuery, State, rejection::PathRejection},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use contract::{Error, SessionName};
use engine::Front;
use serde_json::{Value, json};
use toolsets::Toolset;

use crate::{
    client_sessions,
    http::{App, reply},
    mcp::{Jail, files_for, own_folders},
    tools::{self, Call, Secret},
};

/// The header that names the session; `?session=` does as well.
const SESSION: &str = "x-webhand-session";

/// Every toolset that is served.
pub(crate) async fn toolsets(State(app): State<Arc<App>>) -> Response {
    let sets: Vec<_> =
        app.catalogue.sets().iter().map(|set| tools::about(set, app.catalogue.options())).collect();
    reply::data(json!({"toolsets": sets}))
}

/// The tools of one.
pub(crate) async fn toolset(
    State(app): State<Arc<App>>,
    path: Result<Path<String>, PathRejection>,
) -> Response {
    let Ok(Path(name)) = path else { return reply::nothing_here().await };
    match app.catalogue.set(&name) {
        Ok(set) => reply::data(tools::listed(set, app.catalogue.options())),
        Err(error) => reply::error(StatusCode::NOT_FOUND, error),
    }
}

/// Calls one. Whoever asked and goes away drops this, which cancels the call.
pub(crate) async fn call(
    State(app): State<Arc<App>>,
    path: Result<Path<(String, String)>, PathRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Ok(Path((toolset, tool))) = path else { return reply::nothing_here().await };
    let set = match app.catalogue.set(&toolset) {
        Ok(set) => set,
        Err(error) => return reply::error(StatusCode::NOT_FOUND, error),
    };
    let found = match set.tool(&tool, app.catalogue.options()) {
        Ok(found) => found,
        Err(error) => return refused(set, StatusCode::NOT_FOUND, error),
    };
    let session = match session(&app, query.as_deref(), &headers) {
        Ok(session) => session,
        Err(error) => return refused(set, StatusCode::BAD_REQUEST, error),
    };
    let args = match reply::arguments(body, |error| refused(set, StatusCode::BAD_REQUEST, error)).await {
        Ok(args) => args,
        Err(response) => return response,
    };
    if let Err(error) = found.check(&args, set) {
        return refused(set, StatusCode::BAD_REQUEST, error);
    }
    let Some(_turn) = app.turns.take().await else { return reply::busy() };
    let call = Call {
        toolset,
        tool,
        args: Secret(Value::Null),
        session,
        options: app.sessions.clone(),
        tools: (**app.catalogue.options()).clone(),
        limit: app.limit,
    };
    let caller = tools::caller(&call, Front::Http, false);
    let files = files_for(&app.catalogue.options().files, set.name == "browser");
    let own = own_folders(&app.tools.home, &call.session, files);
    // A request has no roots.
    let files = Jail::new(Some(app.folders.clone()), own, app.tools.home.path().to_owned());
    let reply = app.tools.call(set.name, &call.tool, args, &caller, &files).await;
    // Arguments can contradict each other in ways that only the tool sees.
    let wrong = reply.value["error"]["code"] == "INVALID_INPUT";
    reply::json(if wrong { StatusCode::BAD_REQUEST } else { StatusCode::OK }, &reply.value)
}

/// A call that was not understood, in the toolset's own words.
fn refused(set: &Toolset, status: StatusCode, error: Error) -> Response {
    reply::json(status, &set.refused(error).value)
}

/// The session that a request names.
fn session(app: &App, query: Option<&str>, headers: &HeaderMap) -> Result<SessionName, Error> {
    let named = || {
        if let Some(name) = headers.get(SESSION) {
            return name.to_str().unwrap_or("?").parse();
        }
        let pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        match pairs.into_iter().find(|(name, _)| name == "session") {
            Some((_, name)) => name.parse(),
            None => Ok(app.session.clone()),
        }
    };
    let session = named()?;
    client_sessions::check(&session)?;
    Ok(session)
}

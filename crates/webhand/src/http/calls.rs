//! The tools: listed, and called. What a tool itself answers comes with 200, whether it is `ok` or not; what was not understood, and
//! so not even begun, with 400 or 404.

use std::sync::Arc;

use axum::{
    Extension,
    body::Body,
    extract::{Path, RawQuery, State, rejection::PathRejection},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use contract::{Code, Error, SessionName};
use engine::{Front, SessionOptions};
use serde_json::{Value, json};
use toolsets::Toolset;

use crate::{
    client_sessions, dry_run,
    http::{App, Asker, reply},
    mcp::{Jail, files_for, own_folders},
    tools::{self, Call, Secret},
};

/// The header that names the session; `?session=` does as well.
const SESSION: &str = "x-webhand-session";

/// Every toolset that is served.
pub(crate) async fn toolsets(State(app): State<Arc<App>>, Extension(asker): Extension<Asker>) -> Response {
    let sets = app.catalogue.sets().iter().filter(|set| asker.may_use(set.name));
    let sets: Vec<_> = sets.map(|set| tools::about(set, app.catalogue.options())).collect();
    reply::data(json!({"toolsets": sets}))
}

/// The tools of one.
pub(crate) async fn toolset(
    State(app): State<Arc<App>>,
    Extension(asker): Extension<Asker>,
    path: Result<Path<String>, PathRejection>,
) -> Response {
    let Ok(Path(name)) = path else { return reply::nothing_here().await };
    match served(&app, &asker, &name) {
        Ok(set) => reply::data(tools::listed(set, app.catalogue.options())),
        Err(error) => reply::error(StatusCode::NOT_FOUND, error),
    }
}

/// Calls one. Whoever asked and goes away drops this, which cancels the call.
pub(crate) async fn call(
    State(app): State<Arc<App>>,
    Extension(asker): Extension<Asker>,
    path: Result<Path<(String, String)>, PathRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Ok(Path((toolset, tool))) = path else { return reply::nothing_here().await };
    let set = match served(&app, &asker, &toolset) {
        Ok(set) => set,
        Err(error) => return reply::error(StatusCode::NOT_FOUND, error),
    };
    let found = match set.tool(&tool, app.catalogue.options()) {
        Ok(found) => found,
        Err(error) => return refused(set, StatusCode::NOT_FOUND, error),
    };
    let session = match session(&app, &asker, query.as_deref(), &headers) {
        Ok(session) => session,
        Err(error) => return refused(set, StatusCode::BAD_REQUEST, error),
    };
    let mut args = match reply::arguments(body, |error| refused(set, StatusCode::BAD_REQUEST, error)).await {
        Ok(args) => args,
        Err(response) => return response,
    };
    dry_run::ask_by_query(&mut args, query.as_deref());
    let mut own = args.clone();
    if let Err(error) = dry_run::take(&mut own).and_then(|_| found.check(&own, set)) {
        return refused(set, StatusCode::BAD_REQUEST, error);
    }
    let Some(_turn) = app.turns.take().await else { return reply::busy() };
    let call = Call {
        toolset,
        tool,
        args: Secret(Value::Null),
        session,
        options: SessionOptions { agent: asker.agent().cloned(), ..app.sessions.clone() },
        tools: tools::options_for(&app.tools.home, app.catalogue.options(), asker.named()),
        limit: app.limit,
    };
    let caller = tools::caller(&call, Front::Http, asker.named().is_some());
    let files = files_for(&call.tools.files, set.name == "browser");
    let own = own_folders(&app.tools.home, &call.session, asker.named(), files);
    // A request has no roots. An agent with a token of its own has not even the folder that the server was started in.
    let given = asker.named().is_none().then(|| app.folders.clone());
    let files = Jail::new(given, own, app.tools.home.path().to_owned());
    let reply = app.tools.call(set.name, &call.tool, args, &caller, &files).await;
    // Arguments can contradict each other in ways that only the tool sees.
    let wrong = reply.value["error"]["code"] == "INVALID_INPUT";
    reply::json(if wrong { StatusCode::BAD_REQUEST } else { StatusCode::OK }, &reply.value)
}

/// A call that was not understood, in the toolset's own words.
fn refused(set: &Toolset, status: StatusCode, error: Error) -> Response {
    reply::json(status, &set.refused(error).value)
}

/// A toolset that is served, and that whoever asks may use.
fn served(app: &App, asker: &Asker, name: &str) -> Result<&'static Toolset, Error> {
    let set = app.catalogue.set(name)?;
    if asker.may_use(set.name) {
        return Ok(set);
    }
    let token = asker.agent().map(|agent| agent.name.as_str()).unwrap_or_default();
    Err(Error::new(Code::UnknownTool, format!("the toolset {name} is not for the token of {token}"))
        .with_hint("GET /v1/tools lists those that are"))
}

/// The session that a request names.
fn session(app: &App, asker: &Asker, query: Option<&str>, headers: &HeaderMap) -> Result<SessionName, Error> {
    let named = |name: &str| client_sessions::named(name, asker.agent());
    if let Some(name) = headers.get(SESSION) {
        return named(name.to_str().unwrap_or("?"));
    }
    let pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    match pairs.into_iter().find(|(name, _)| name == "session") {
        Some((_, name)) => named(&name),
        None if asker.named().is_some() => named("default"),
        None => named(app.session.as_str()),
    }
}

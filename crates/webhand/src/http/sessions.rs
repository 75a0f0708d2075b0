//! The sessions there are, and their end.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, State, rejection::PathRejection},
    http::StatusCode,
    response::Response,
};
use contract::{Code, Error, SessionName};
use engine::{
    Action, Front, Request, SessionOptions,
    actions::{Close, Halt},
};
use serde_json::json;

use crate::{
    client_sessions,
    http::{App, Asker, FromPerson, reply},
};

/// Lists them: a person's request all, an agent's those that it may know of.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Extension(asker): Extension<Asker>,
    person: Option<Extension<FromPerson>>,
) -> Response {
    let mut sessions = app.tools.engine.list();
    sessions.retain(|info| person.is_some() || asker.may_use_session(info));
    reply::data(json!({"sessions": sessions}))
}

/// Closes one.
pub(crate) async fn close(
    State(app): State<Arc<App>>,
    Extension(asker): Extension<Asker>,
    person: Option<Extension<FromPerson>>,
    name: Result<Path<String>, PathRejection>,
) -> Response {
    perform(&app, &asker, person, name, Close {}).await
}

/// Ends at once what runs in one; the session stays.
pub(crate) async fn stop(
    State(app): State<Arc<App>>,
    Extension(asker): Extension<Asker>,
    person: Option<Extension<FromPerson>>,
    name: Result<Path<String>, PathRejection>,
) -> Response {
    perform(&app, &asker, person, name, Halt {}).await
}

async fn perform(
    app: &App,
    asker: &Asker,
    person: Option<Extension<FromPerson>>,
    name: Result<Path<String>, PathRejection>,
    action: impl Into<Action>,
) -> Response {
    let engine = &app.tools.engine;
    let name = name.ok().and_then(|Path(name)| name.parse::<SessionName>().ok());
    // To who may not know of it, there is none.
    let sessions = engine.list();
    let there = name.filter(|name| {
        let found = sessions.iter().find(|info| info.session == *name);
        found.is_some_and(|info| person.is_some() || asker.may_use_session(info))
    });
    let Some(name) = there else {
        let error = Error::new(Code::SessionNotFound, "there is no session of that name");
        return reply::error(StatusCode::NOT_FOUND, error.with_hint("GET /v1/sessions lists them"));
    };
    if person.is_none() && client_sessions::is_clients(&name) {
        let error = Error::new(Code::ActionDenied, format!("the session {name} belongs to an MCP client"));
        return reply::error(
            StatusCode::FORBIDDEN,
            error.with_hint(
                "its client ends it; a person sends the approvers' token as well, in x-webhand-approver",
            ),
        );
    }
    let request = Request { front: Front::Http, ..Request::new(action) };
    // A person may do it in every session, and is known as one by having no agent.
    let agent = asker.agent().filter(|_| person.is_none()).cloned();
    match engine.perform(&name, &SessionOptions { agent, ..SessionOptions::default() }, request).await {
        Ok(outcome) => match outcome.value {
            Some(value) => reply::data(json!({"session": name, "halted": value["halted"]})),
            None => reply::data(json!({"session": name})),
        },
        Err(error) => reply::error(StatusCode::OK, error),
    }
}

//! Approvals over HTTP: listed for whoever may ask, answered only by who has the approvers' token. The token of agents does not do.

use std::sync::Arc;

use axum::{
    Extension,
    body::Body,
    extract::{Path, State, rejection::PathRejection},
    http::StatusCode,
    response::Response,
};
use contract::{Code, Error};
use guard::approvals::{By, Reply};
use serde_json::json;

use crate::{
    control,
    http::{App, Asker, reply},
};

/// What waits, and what is always allowed, as far as it concerns whoever asks.
pub(crate) async fn list(State(app): State<Arc<App>>, Extension(asker): Extension<Asker>) -> Response {
    let mut all = control::listed(app.tools.engine.approvals());
    if let Some(list) = all["approvals"].as_array_mut() {
        list.retain(|approval| asker.may_hear(approval));
    }
    if let Some(list) = all["always_allowed"].as_array_mut() {
        list.retain(|grant| asker.has_grant(grant));
    }
    reply::data(all)
}

/// Answers one: `{"answer": "once"}`, `session`, `always` or `deny`.
pub(crate) async fn answer(
    State(app): State<Arc<App>>,
    Extension(asker): Extension<Asker>,
    id: Result<Path<String>, PathRejection>,
    body: Body,
) -> Response {
    let Ok(Path(id)) = id else { return reply::nothing_here().await };
    if !matches!(asker, Asker::Approver) {
        let error = Error::new(Code::ActionDenied, "who asks cannot answer: this needs the approvers' token")
            .with_hint(format!("send the token in {} instead", app.tools.home.approver_token().display()));
        return reply::error(StatusCode::FORBIDDEN, error);
    }
    let refused = |error| reply::error(StatusCode::BAD_REQUEST, error);
    let args = match reply::arguments(body, refused).await {
        Ok(args) => args,
        Err(response) => return response,
    };
    let Ok(said) = serde_json::from_value::<Reply>(args["answer"].clone()) else {
        return refused(
            Error::invalid("answer: not one of the answers").with_hint("send once, session, always or deny"),
        );
    };
    let approvals = app.tools.engine.approvals();
    if !approvals.list().iter().any(|approval| approval.id == id) {
        let error =
            Error::invalid("no such approval waits for an answer").with_hint("GET /v1/approvals lists them");
        return reply::error(StatusCode::NOT_FOUND, error);
    }
    match approvals.answer(&id, said, By::Approver) {
        Ok(approval) => reply::data(json!({"id": approval.id, "answer": said})),
        Err(error) => refused(error),
    }
}

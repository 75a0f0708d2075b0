//! Answers as HTTP has them. Whatever happens, the body is a `ToolResult` or the reply of a tool.

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use contract::{Code, Error, ToolResult};
use futures_util::StreamExt;
use serde_json::{Map, Value};
use tokio::time::{Duration, timeout};

/// The largest body that is read.
pub(crate) const LARGEST: usize = 8 << 20;

/// How long the rest of one that is too large is listened to: who is still sending does not hear the answer.
const HEARING_OUT: Duration = Duration::from_secs(20);

/// JSON with a status.
pub(crate) fn json(status: StatusCode, value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A `ToolResult` that is a success.
pub(crate) fn data(data: Value) -> Response {
    json(StatusCode::OK, &serde_json::to_value(ToolResult::success(data)).unwrap_or_default())
}

/// A `ToolResult` that is an error.
pub(crate) fn error(status: StatusCode, error: Error) -> Response {
    json(status, &serde_json::to_value(ToolResult::from(error)).unwrap_or_default())
}

/// Too much at once.
pub(crate) fn busy() -> Response {
    let mut response =
        error(StatusCode::TOO_MANY_REQUESTS, Error::new(Code::Busy, "too many calls are waiting already"));
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// There is nothing at this address.
pub(crate) async fn nothing_here() -> Response {
    let nothing = Error::new(Code::UnknownTool, "there is nothing at this address");
    error(StatusCode::NOT_FOUND, nothing.with_hint("/openapi.json tells what there is"))
}

/// There is something, but not for this method.
pub(crate) async fn wrong_method() -> Response {
    let wrong = Error::new(Code::Unsupported, "this address is not for this method");
    error(StatusCode::METHOD_NOT_ALLOWED, wrong.with_hint("/openapi.json tells what there is"))
}

/// The arguments in a body: a JSON object, or nothing. `refused` says that they are something else.
pub(crate) async fn arguments(body: Body, refused: impl Fn(Error) -> Response) -> Result<Value, Response> {
    let bytes = read(body).await?;
    if bytes.trim_ascii().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    // What is wrong is told by its place: the body may hold a secret.
    match serde_json::from_slice(&bytes) {
        Ok(args @ Value::Object(_)) => Ok(args),
        Ok(_) => Err(refused(toolsets::no_object())),
        Err(error) => {
            let place = format!("line {}, column {}", error.line(), error.column());
            let wrong = Error::invalid(format!("the body is no JSON (at {place})"));
            Err(refused(wrong.with_hint(toolsets::no_object().hint())))
        }
    }
}

async fn read(body: Body) -> Result<Bytes, Response> {
    let mut kept = Vec::new();
    let mut stream = body.into_data_stream();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|cause| {
            error(StatusCode::BAD_REQUEST, Error::invalid("the body ended early").with_cause(cause))
        })?;
        if kept.len() + chunk.len() > LARGEST {
            drop(std::mem::take(&mut kept));
            let rest = async { while let Some(Ok(_)) = stream.next().await {} };
            let _ = timeout(HEARING_OUT, rest).await;
            let too_large = Error::invalid(format!("the body has more than {LARGEST} bytes"));
            return Err(error(StatusCode::PAYLOAD_TOO_LARGE, too_large.with_hint("send less at once")));
        }
        kept.extend_from_slice(&chunk);
    }
    Ok(kept.into())
}

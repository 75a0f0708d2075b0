//! `/v1/events`: everything that happens, as server-sent events.

use std::{convert::Infallible, sync::Arc};

use axum::{
    Extension,
    extract::State,
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use crate::http::{App, Asker};

/// Tells what an agent may know of, and an approver everything, until the client goes away or the server ends. The first event says that
/// nothing is missed from now on.
pub(crate) async fn stream(State(app): State<Arc<App>>, Extension(asker): Extension<Asker>) -> Response {
    let first = stream::once(async { written("ready", &json!({"version": env!("CARGO_PKG_VERSION")})) });
    let (listener, stop) = (app.hub.subscribe(), app.stop.clone());
    let rest = stream::unfold((listener, stop, asker), |(mut listener, stop, asker)| async move {
        loop {
            let happening = tokio::select! {
                happening = listener.next() => happening?,
                () = stop.cancelled() => return None,
            };
            // What a host application is to open concerns whoever speaks for it, and says so by no session.
            let is_for_host = happening.kind == "data-open-browser" && asker.named().is_some();
            if asker.may_hear(&happening.data) && !is_for_host {
                return Some((written(&happening.kind, &happening.data), (listener, stop, asker)));
            }
        }
    });
    Sse::new(first.chain(rest)).keep_alive(KeepAlive::default()).into_response()
}

fn written(kind: &str, data: &Value) -> Result<Event, Infallible> {
    Ok(Event::default().event(kind).data(data.to_string()))
}

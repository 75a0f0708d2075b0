//! Whether an MCP client is still there. The protocol lets a client say goodbye, but one that is killed does not: what can be seen is
//! that its stream of events has ended and that it neither opens another one nor asks for anything.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{Method, StatusCode},
    middleware::Next,
    response::Response,
};
use futures_util::StreamExt;
use rmcp::transport::streamable_http_server::session::{SessionManager, local::LocalSessionManager};

/// The header by which a client is known.
const CLIENT: &str = "mcp-session-id";

/// How long a client may be without its stream: some open it anew from time to time.
pub(crate) const ABSENCE: Duration = Duration::from_secs(60);

/// What is known of the clients of one server.
pub(crate) struct Presence {
    manager: Arc<LocalSessionManager>,
    absence: Duration,
    clients: Mutex<HashMap<String, Seen>>,
}

#[derive(Default)]
struct Seen {
    /// Answers that are being sent to it.
    open: usize,
    /// How many there have been.
    ever: u64,
    /// Whether it has ever had a stream of events. One without can be there and do nothing.
    listens: bool,
}

impl Presence {
    pub(crate) fn new(manager: Arc<LocalSessionManager>, absence: Duration) -> Arc<Presence> {
        Arc::new(Presence { manager, absence, clients: Mutex::default() })
    }

    /// While what is returned lives, the client is there.
    fn see(self: &Arc<Self>, client: &str, listens: bool) -> Open {
        let mut clients = self.clients();
        let seen = clients.entry(client.to_owned()).or_default();
        seen.open += 1;
        seen.ever += 1;
        seen.listens |= listens;
        Open { presence: self.clone(), client: client.to_owned() }
    }

    /// Closes a client's session if nothing has been seen of it for too long.
    async fn look_after(self: Arc<Self>, client: String, ever: u64) {
        tokio::time::sleep(self.absence).await;
        let is_gone = self.clients().get(&client).is_some_and(|seen| seen.open == 0 && seen.ever == ever);
        if is_gone {
            self.clients().remove(&client);
            let _ = self.manager.close_session(&client.into()).await;
        }
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<String, Seen>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer that is being sent.
struct Open {
    presence: Arc<Presence>,
    client: String,
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut clients = self.presence.clients();
        let Some(seen) = clients.get_mut(&self.client) else { return };
        seen.open -= 1;
        let (over, ever) = (seen.open == 0, seen.ever);
        if over && !seen.listens {
            clients.remove(&self.client);
        } else if over && let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(self.presence.clone().look_after(self.client.clone(), ever));
        }
    }
}

/// Notes that a client is there, until its answer has been sent or it has gone.
pub(crate) async fn note(State(presence): State<Arc<Presence>>, request: Request, next: Next) -> Response {
    let client = request.headers().get(CLIENT).and_then(|client| client.to_str().ok()).map(str::to_owned);
    let Some(client) = client else { return next.run(request).await };
    let (listens, leaves) = (request.method() == Method::GET, request.method() == Method::DELETE);
    let asked = presence.see(&client, false);
    let mut response = next.run(request).await;
    if leaves && response.status() == StatusCode::ACCEPTED {
        // rmcp says that it will; the official clients take only a plain success for one.
        *response.status_mut() = StatusCode::NO_CONTENT;
        return response;
    }
    if !response.status().is_success() {
        return response;
    }
    let open = presence.see(&client, listens);
    drop(asked);
    let (head, body) = response.into_parts();
    let body = body.into_data_stream().map(move |part| {
        let _still_there = &open;
        part
    });
    Response::from_parts(head, Body::from_stream(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn session(presence: &Presence) -> String {
        let (id, _transport) = presence.manager.create_session().await.unwrap();
        id.to_string()
    }

    async fn is_there(presence: &Presence, client: &str) -> bool {
        presence.manager.has_session(&client.into()).await.unwrap()
    }

    #[tokio::test]
    async fn only_who_has_gone_is_sent_away() {
        let presence = Presence::new(Arc::default(), Duration::from_millis(30));
        let (gone, back, quiet, listening) = (
            session(&presence).await,
            session(&presence).await,
            session(&presence).await,
            session(&presence).await,
        );
        drop(presence.see(&gone, true));
        drop(presence.see(&back, true));
        let _back = presence.see(&back, false);
        drop(presence.see(&quiet, false));
        let _listening = presence.see(&listening, true);
        drop(presence.see(&listening, false));
        tokio::time::timeout(Duration::from_secs(30), async {
            while is_there(&presence, &gone).await {
                tokio::task::yield_now().await;
            }
        })
        .await
        .unwrap();
        for client in [&back, &quiet, &listening] {
            assert!(is_there(&presence, client).await);
        }
        let mut known: Vec<_> = presence.clients().keys().cloned().collect();
        known.sort();
        let mut expected = [back, listening];
        expected.sort();
        assert_eq!(known, expected, "nothing is kept of the others");
    }
}

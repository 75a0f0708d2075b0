//! Which MCP client a request is from, and whether that is still there. A client is known by an id that is told to it; a request that has the
//! id and another agent's token is not from it. The protocol lets a client say goodbye, but one that is killed does not: what can be seen is
//! that its stream of events has ended and that it neither opens another one nor asks for anything.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    Extension,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode},
    middleware::Next,
    response::Response,
};
use contract::{Code, Error};
use futures_util::StreamExt;
use rmcp::transport::streamable_http_server::session::{SessionManager, local::LocalSessionManager};

use crate::http::{Asker, reply};

/// The header by which a client is known.
const CLIENT: &str = "mcp-session-id";

/// How long a client may be without its stream: some open it anew from time to time.
pub(crate) const ABSENCE: Duration = Duration::from_secs(60);

/// What is known of the clients of one server.
pub(crate) struct Presence {
    manager: Arc<LocalSessionManager>,
    absence: Duration,
    clients: Mutex<HashMap<String, Seen>>,
    /// The tokens with which clients said hello, by the ids that the engine knows them by.
    tokens: Mutex<HashMap<String, String>>,
}

/// So many clients are remembered before those that have gone are looked for.
const MANY: usize = 256;

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
        Arc::new(Presence { manager, absence, clients: Mutex::default(), tokens: Mutex::default() })
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

    /// Remembers with which token a client has said hello.
    async fn note_token(&self, client: &str, asker: &Asker) {
        let Some(agent) = asker.agent() else { return };
        let known: Vec<String> = {
            let mut tokens = self.tokens();
            tokens.insert(client.to_owned(), agent.token.clone());
            if tokens.len() > MANY { tokens.keys().cloned().collect() } else { Vec::new() }
        };
        for id in known {
            if !self.manager.has_session(&id.as_str().into()).await.unwrap_or(false) {
                self.tokens().remove(&id);
            }
        }
    }

    /// Whether a request can be from this client.
    fn is_of(&self, client: &str, asker: &Asker) -> bool {
        let tokens = self.tokens();
        tokens.get(client).is_none_or(|token| asker.agent().is_some_and(|agent| agent.token == *token))
    }

    fn tokens(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
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
pub(crate) async fn note(
    State(presence): State<Arc<Presence>>,
    Extension(asker): Extension<Asker>,
    request: Request,
    next: Next,
) -> Response {
    let id_in = |headers: &HeaderMap| headers.get(CLIENT)?.to_str().ok().map(str::to_owned);
    let Some(client) = id_in(request.headers()) else {
        let response = next.run(request).await;
        if let Some(client) = id_in(response.headers()) {
            presence.note_token(&client, &asker).await;
        }
        return response;
    };
    if !presence.is_of(&client, &asker) {
        let error = Error::new(Code::SessionNotFound, "there is no such client with this token");
        return reply::error(
            StatusCode::NOT_FOUND,
            error.with_hint("say hello first, without mcp-session-id"),
        );
    }
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

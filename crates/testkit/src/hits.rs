//! How often each path was asked for, and waiting until it was. Requests count when they arrive, not when they are
//! answered, so a hanging one counts too.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tokio::sync::watch;

/// Counters by path and query. A watch channel is both the map and the wake-up, so no waiter can miss a request.
#[derive(Clone)]
pub(crate) struct Hits(Arc<watch::Sender<HashMap<String, usize>>>);

impl Hits {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(HashMap::new())))
    }

    pub(crate) fn of(&self, path: &str) -> usize {
        self.0.borrow().get(path).copied().unwrap_or(0)
    }

    pub(crate) async fn reach(&self, path: &str, times: usize) {
        let enough = |hits: &HashMap<String, usize>| hits.get(path).copied().unwrap_or(0) >= times;
        self.0.subscribe().wait_for(enough).await.expect("self keeps the channel open");
    }

    fn record(&self, path: &str) {
        self.0.send_modify(|hits| *hits.entry(path.to_owned()).or_default() += 1);
    }
}

/// The middleware in front of every route.
pub(crate) async fn count(State(hits): State<Hits>, request: Request, next: Next) -> Response {
    let uri = request.uri();
    hits.record(uri.path_and_query().map_or(uri.path(), |whole| whole.as_str()));
    next.run(request).await
}

//! `/mcp`: MCP over streamable HTTP. Each client has a session of its own, `mcp-1` and so on (`agent-NAME.mcp-1` if its token is an agent's
//! own), which is closed when it goes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{Router, middleware::from_fn_with_state};
use contract::{Result, SessionName};
use engine::{Agent, actions::state_folder};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio_util::sync::CancellationToken;

use crate::{
    client_sessions,
    http::{
        presence::{self, Presence},
        reply,
    },
    mcp::{Catalogue, Server, Setup},
    tools::Tools,
};

/// What numbers the clients, and when they are over.
pub(crate) struct Clients {
    pub(crate) number: Arc<AtomicU64>,
    /// How long one that says nothing is still there, if there is no other way to know.
    pub(crate) idle: Duration,
    pub(crate) end: CancellationToken,
}

impl Clients {
    /// `/mcp` with the toolsets that the server was started with, and `/mcp/NAME` with each of them by itself.
    pub(crate) fn routes(&self, setup: &Setup) -> Result<Router> {
        let mut router = self.route("/mcp", setup.clone());
        for set in setup.catalogue.sets() {
            let options = (**setup.catalogue.options()).clone();
            let catalogue = Arc::new(Catalogue::of(&[set.name.to_owned()], options)?);
            let setup = Setup { catalogue, ..setup.clone() };
            router = router.merge(self.route(&format!("/mcp/{}", set.name), setup));
        }
        Ok(router)
    }

    fn route(&self, path: &str, setup: Setup) -> Router {
        let number = self.number.clone();
        let server = move || {
            let number = number.clone();
            let tools = setup.tools.clone();
            Ok(Server::private(setup.clone(), move |agent| next(&number, &tools, agent)))
        };
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(self.idle);
        // Host and Origin have been looked at before a request comes here.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(reply::LARGEST)
            .with_cancellation_token(self.end.clone());
        let manager = Arc::new(manager);
        let service = StreamableHttpService::new(server, manager.clone(), config);
        let presence = Presence::new(manager, presence::ABSENCE);
        Router::new().route_service(path, service).layer(from_fn_with_state(presence, presence::note))
    }
}

/// A name that is nobody's: neither a session that is there, nor one of a former start, whose files and saved logins may be there still.
fn next(number: &AtomicU64, tools: &Tools, agent: Option<&Agent>) -> SessionName {
    loop {
        let session = client_sessions::of_client(number.fetch_add(1, Ordering::Relaxed) + 1, agent);
        let home = &tools.home;
        let is_taken = tools.engine.has(&session)
            || home.downloads(&session).exists()
            || state_folder(home.path(), &session).exists();
        if !is_taken {
            return session;
        }
    }
}

//! HTTP: `webhand serve`. The tools, sessions, events and counters of one engine for programs, and MCP at `/mcp`.
//!
//! It is the daemon of its home, in the foreground: the same lock, the same socket, so that the command line sees its sessions.

mod agents;
mod approvals;
mod calls;
mod clients;
mod door;
mod events;
mod host;
mod metrics;
mod openapi;
mod presence;
mod reply;
mod sessions;
mod turns;

use std::{
    fs::File,
    io::Write,
    net::SocketAddr,
    sync::{Arc, atomic::AtomicU64},
    time::{Duration, Instant},
};

use axum::{
    Router,
    middleware::from_fn_with_state,
    routing::{delete, get, post},
};
use contract::{Code, Error, Result, SessionName, ToolResult};
use engine::{Config, Engine, Front, SessionOptions};
use serde_json::json;
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
    time::timeout,
};
use tokio_util::sync::CancellationToken;
use toolsets::TimeLimit;

use crate::{
    client::{self, Running},
    daemon::{self, Daemon, Role},
    given_folders::GivenFolders,
    home::{Home, here},
    host::Host,
    hub::Hub,
    mcp::{Catalogue, Setup, Trust},
    settings::Settings,
    tokens,
    tools::Tools,
    wire::Command,
};

pub(crate) use agents::{Agents, Asker};
pub(crate) use door::FromPerson;
pub(crate) use turns::Turns;

/// How long calls that run may go on when the server is told to end.
const GRACE: Duration = Duration::from_secs(10);

/// How long answers may take to be written after that.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What every request needs.
pub(crate) struct App {
    tools: Tools,
    /// The tools that are served.
    catalogue: Arc<Catalogue>,
    /// How sessions are to be.
    sessions: SessionOptions,
    /// Which folders agents may be given.
    folders: GivenFolders,
    /// The session of calls that name none.
    session: SessionName,
    /// How long a call may take.
    limit: Option<TimeLimit>,
    hub: Hub,
    metrics: Arc<metrics::Metrics>,
    turns: Turns,
    agents: Arc<Agents>,
    hosts: door::Hosts,
    started: Instant,
    /// Nothing new is begun from here on.
    stop: CancellationToken,
}

/// Serves until it is told to end.
pub(crate) fn main(home: &Home, settings: &Settings, toolsets: &[String]) -> Result<()> {
    // Mistakes first: nothing is taken over for a server that cannot start.
    let catalogue = Catalogue::of(toolsets, settings.tool_options(toolsets))?;
    home.make()?;
    tokens::token_in(&home.token())?;
    let approver = tokens::token_in(&home.approver_token())?;
    let failed = |error| Error::new(Code::Internal, "no runtime").with_cause(error);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build();
    let runtime = runtime.map_err(failed)?;
    let listener = runtime.block_on(listen(settings.listen()))?;
    let _lock = take_over(home)?;
    runtime.block_on(serve(home, settings, catalogue, approver, listener))
}

async fn listen(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        Error::new(Code::Internal, format!("{address} cannot be listened at"))
            .with_cause(error)
            .with_hint("choose another address with --listen; port 0 takes any that is free")
    })
}

/// The lock of the home. A daemon that has nothing to do makes way.
fn take_over(home: &Home) -> Result<File> {
    let busy = |what: &str| {
        Err(Error::new(Code::Busy, format!("{what} already runs in {}", home.path().display()))
            .with_hint("end it with `webhand stop`, or set WEBHAND_HOME to another folder"))
    };
    if let Some(lock) = daemon::lock(home)? {
        return Ok(lock);
    }
    match client::ask_if_running(home, &Command::Status)? {
        Running::Answer(status) => {
            let about = status.data.unwrap_or_default();
            if about["serves"] == true {
                return busy("`webhand serve`");
            }
            if about["sessions"] != 0 {
                return busy(&format!("a daemon with {} sessions", about["sessions"]));
            }
        }
        Running::OtherBuild(build) => return busy(&format!("a daemon of another build ({build})")),
        Running::No => {}
    }
    client::stop(home)?;
    match daemon::lock(home)? {
        Some(lock) => Ok(lock),
        None => busy("a daemon"),
    }
}

async fn serve(
    home: &Home,
    settings: &Settings,
    catalogue: Catalogue,
    approver: String,
    listener: TcpListener,
) -> Result<()> {
    let failed = |error| Error::new(Code::Internal, "the server cannot run").with_cause(error);
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let engine = Engine::new(Config { timeout: settings.time_limit(), ..settings.engine(home) })?;
    let socket = daemon::listen(home)?;
    let hub = Hub::default();
    let host = Host::new(settings.host_browser.clone(), hub.clone(), Some(home.host_tabs()));
    let agents = Arc::new(Agents::new(home, approver));
    let daemon =
        Daemon::new(engine.clone(), home, Role::Serve { host: host.clone(), agents: agents.clone() });
    let address = listener.local_addr().map_err(failed)?;
    let catalogue = Arc::new(catalogue);
    let app = Arc::new(App {
        tools: Tools { engine: engine.clone(), home: home.clone(), host },
        catalogue: catalogue.clone(),
        sessions: settings.session_options(&here()),
        folders: GivenFolders::new(home, &settings.wide_roots()),
        session: settings.session(),
        limit: settings.timeout.map(TimeLimit::ByServer),
        hub,
        metrics: Arc::default(),
        turns: Turns::default(),
        agents,
        hosts: door::Hosts::new(address, settings.hosts.as_deref().unwrap_or_default()),
        started: Instant::now(),
        stop: CancellationToken::new(),
    });
    let clients = clients::Clients {
        number: Arc::new(AtomicU64::new(0)),
        idle: settings.idle_timeout().0,
        end: CancellationToken::new(),
    };
    let setup = Setup {
        tools: app.tools.clone(),
        catalogue,
        options: app.sessions.clone(),
        folders: app.folders.clone(),
        trust: if settings.trust_http_clients == Some(true) { Trust::Persons } else { Trust::Proved },
        logs: None,
        limit: app.limit,
        turns: Some(app.turns.clone()),
    };
    let router =
        routes(&app).merge(clients.routes(&setup)?).layer(from_fn_with_state(app.clone(), door::pass));
    let stop = app.stop.clone();
    let server = axum::serve(listener, router).with_graceful_shutdown(stop.clone().cancelled_owned());
    let mut server = tokio::spawn(server.into_future());
    let (listening, hearing, counting) = (engine.clone(), app.hub.clone(), app.metrics.clone());
    tokio::spawn(async move {
        tokio::join!(
            hearing.follow(&listening),
            hearing.follow_approvals(listening.approvals()),
            counting.follow(&listening)
        )
    });
    let attending = tokio::spawn(daemon.clone().attend_all(socket));
    announce(address, home, settings.json());
    tokio::select! {
        _ = &mut server => {}
        () = daemon.stopped() => {}
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!("ending");
    stop.cancel();
    daemon::leave(home);
    attending.abort();
    // Nobody is waited for who may never answer.
    engine.approvals().cancel_all();
    // Who is in a hurry says so twice.
    tokio::select! {
        _ = timeout(GRACE, app.turns.over()) => {}
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    // MCP clients last: what ended just now is still on its way to them.
    engine.close(Front::Http).await;
    clients.end.cancel();
    let _ = timeout(LAST_WORDS, server).await;
    Ok(())
}

fn routes(app: &Arc<App>) -> Router {
    Router::new()
        .route("/v1/tools", get(calls::toolsets))
        .route("/v1/tools/{toolset}", get(calls::toolset))
        .route("/v1/tools/{toolset}/{tool}", post(calls::call))
        .route("/v1/sessions", get(sessions::list))
        .route("/v1/sessions/{name}", delete(sessions::close))
        .route("/v1/sessions/{name}/stop", post(sessions::stop))
        .route("/v1/approvals", get(approvals::list))
        .route("/v1/approvals/{id}", post(approvals::answer))
        .route("/v1/events", get(events::stream))
        .route("/v1/host/tab.upsertSnapshot", post(host::upsert))
        .route("/openapi.json", get(openapi::page))
        .route("/metrics", get(metrics::page))
        .route("/healthz", get(async || reply::data(json!({"version": env!("CARGO_PKG_VERSION")}))))
        .method_not_allowed_fallback(reply::wrong_method)
        .fallback(reply::nothing_here)
        .with_state(app.clone())
}

/// Tells whoever started us where we are.
#[expect(clippy::print_stdout, reason = "the one line that whoever starts the server waits for")]
fn announce(address: SocketAddr, home: &Home, as_json: bool) {
    let (url, token) = (format!("http://{address}"), home.token());
    if as_json {
        let said = ToolResult::success(json!({"url": url, "token_file": token, "pid": std::process::id()}));
        println!("{}", serde_json::to_string(&said).unwrap_or_default());
    } else {
        println!("listening at {url}, the token is in {}", token.display());
    }
    let _ = std::io::stdout().flush();
}

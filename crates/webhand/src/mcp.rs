//! MCP: the tools of one or several toolsets for a client that speaks the Model Context Protocol. On standard input and output
//! here; `http` puts the same server behind `/mcp`.
//!
//! On stdio the engine is in this process: it ends with its client and takes its browser along. The browser is started by the
//! first call that needs one and not before: clients start every server that they know at their own start, and most of those are
//! never called. Starting it at `initialize` would gain only the time between that and the first call.

mod answer;
mod catalogue;
mod elicit;
mod lines;
mod logs;
mod progress;
mod roots;
mod server;

use std::time::Duration;

use contract::{Code, Error, Result};
use engine::{Config, Engine, Front};
use rmcp::ServiceExt;
use tokio::signal::unix::{SignalKind, signal};
use toolsets::TimeLimit;

use crate::{
    daemon::{self, Daemon, Role},
    given_folders::GivenFolders,
    home::{Home, here},
    host::Host,
    settings::Settings,
    tools::Tools,
};

pub(crate) use catalogue::Catalogue;
pub(crate) use logs::Logs;
pub(crate) use roots::{Jail, files_for, own as own_folders};
pub(crate) use server::{Server, Setup, Trust};

/// How long threads that still read may hold up the end of the process.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Serves one client on standard input and output until it goes away.
pub(crate) fn main(home: &Home, settings: &Settings, toolsets: &[String], logs: &Logs) -> Result<()> {
    let catalogue = Catalogue::of(toolsets, settings.tool_options(toolsets))?;
    home.make()?;
    // One thread, as in the daemon.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::new(Code::Internal, "no runtime").with_cause(error))?;
    let result = runtime.block_on(serve(home, settings, catalogue, logs));
    // Reading standard input blocks a thread where it is no pipe, and nobody waits for that one.
    runtime.shutdown_timeout(LAST_WORDS);
    result
}

async fn serve(home: &Home, settings: &Settings, catalogue: Catalogue, logs: &Logs) -> Result<()> {
    let failed = |error| Error::new(Code::Internal, "signals cannot be heard").with_cause(error);
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let engine = Engine::new(Config { timeout: settings.time_limit(), ..settings.engine(home) })?;
    let setup = Setup {
        tools: Tools { engine: engine.clone(), home: home.clone(), host: Host::default() },
        catalogue: catalogue.into(),
        options: settings.session_options(&here()),
        folders: GivenFolders::new(home, &settings.wide_roots()),
        // Its user started it, and speaks through it.
        trust: Trust::Persons,
        logs: Some(logs.clone()),
        limit: settings.timeout.map(TimeLimit::ByServer),
        turns: None,
    };
    let server = Server::new(setup, settings.session());
    // A person can look at what it does from another terminal, answer and halt it.
    let socket = home.own_socket()?;
    let outside = Daemon::new(engine.clone(), home, Role::Mcp);
    let attending = tokio::spawn(outside.attend_all(daemon::listen_at(&socket)?));
    let lines = lines::on_stdio();
    let over = lines.over();
    let client = async {
        // A client that leaves before it has said hello has not been wronged.
        if let Ok(running) = Box::pin(server.serve(lines)).await {
            let _ = running.waiting().await;
        }
    };
    let mut client = std::pin::pin!(client);
    let is_served = tokio::select! {
        () = &mut client => true,
        // Nobody will hear what still runs, and waiting for it holds the end up.
        () = over.cancelled() => false,
        _ = terminate.recv() => false,
        _ = interrupt.recv() => false,
    };
    attending.abort();
    let _ = std::fs::remove_file(socket);
    // The client is still spoken to, so that whoever waits is told that it is over.
    engine.close(Front::Mcp).await;
    if over.is_cancelled() && !is_served {
        let _ = tokio::time::timeout(LAST_WORDS, client).await;
    }
    Ok(())
}

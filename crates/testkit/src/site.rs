//! Starting and stopping the server, its URLs, and waiting for requests.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::Router;
use tokio::net::TcpSocket;
use tokio::sync::oneshot;

use crate::hits::Hits;
use crate::{html, routes};

/// How long [`Site::hit`] waits before it fails the test: far beyond any request a test makes.
const PATIENCE: Duration = Duration::from_secs(60);

const LOOPBACK: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// The place that sessions must be allowed to reach the site: on all its hostnames, and nothing that is private besides.
pub const ALLOW: &str = "127.0.0.0/8";

/// The fixture site on a free port of 127.0.0.1, until it is dropped.
///
/// It has a thread and a runtime of its own, so one `static OnceLock<Site>` serves tests that each have theirs. Tests
/// that share it and count requests tell theirs apart by a query of their own (`/slow?ms=50&test=cancel`).
pub struct Site {
    port: u16,
    hits: Hits,
    /// Bound but not listening: connections are refused, and no other process can take the port meanwhile.
    refusing: TcpSocket,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    /// Starts the site; it accepts connections when this returns.
    pub fn start() -> Self {
        let listener = TcpListener::bind(LOOPBACK).expect("a free loopback port");
        listener.set_nonblocking(true).expect("a listener for tokio");
        let port = listener.local_addr().expect("a bound listener").port();

        let refusing = TcpSocket::new_v4().expect("a socket");
        refusing.bind(LOOPBACK).expect("a second free loopback port");

        let hits = Hits::new();
        let app = routes::router(hits.clone());
        let (stop, stopped) = oneshot::channel();
        let thread = thread::Builder::new()
            .name("fixture-site".to_owned())
            .spawn(move || run(listener, app, stopped))
            .expect("a thread for the site");
        Self { port, hits, refusing, stop: Some(stop), thread: Some(thread) }
    }

    /// The site's port, the same on every hostname.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// `http://127.0.0.1:PORT` + `path` (which starts with `/` and may have a query).
    pub fn url(&self, path: &str) -> String {
        self.on("127.0.0.1", path)
    }

    /// The same page on another hostname, `localhost` or `*.localhost`: another origin, and another site to browsers.
    pub fn on(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }

    /// The URL of a page made of this title (text) and body (markup): html inline in the test.
    pub fn page(&self, title: &str, body: &str) -> String {
        self.url(&format!("/page?title={}&body={}", html::percent_encode(title), html::percent_encode(body)))
    }

    /// A URL whose port refuses connections for as long as the site lives.
    pub fn refused_url(&self) -> String {
        let address = self.refusing.local_addr().expect("a bound socket");
        format!("http://{address}/")
    }

    /// How often this path, query included, has been asked for, on whatever host. Written as on the wire:
    /// percent-encoded.
    pub fn hits(&self, path: &str) -> usize {
        self.hits.of(path)
    }

    /// Waits until the path has been asked for at least `times` times since the site started.
    ///
    /// # Panics
    /// After a minute, so that a request that never comes fails its test instead of hanging it.
    pub async fn hit(&self, path: &str, times: usize) {
        let reached = tokio::time::timeout(PATIENCE, self.hits.reach(path, times)).await;
        assert!(reached.is_ok(), "{path} was requested {} times, not {times}", self.hits(path));
    }
}

impl Drop for Site {
    /// Ends the server and every open connection, hanging ones included, before it returns.
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            // A panic of the server thread has been printed by its own hook; a second one here would abort the tests.
            let _ = thread.join();
        }
    }
}

fn run(listener: TcpListener, app: Router, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).expect("a listener in the runtime");
        tokio::select! {
            served = axum::serve(listener, app) => served.expect("serving never ends by itself"),
            // The sender is only ever dropped; dropping the runtime then drops the connections' tasks.
            _ = stopped => {}
        }
    });
}

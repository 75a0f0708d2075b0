//! The forward proxy that a session's browser has to go through: the one place where its connections are made.
//!
//! For every connection the name is looked up by us, all addresses are checked by [`Places`], and one that was checked is connected to.
//! So redirects, frames, workers, sockets and names that lead elsewhere the second time are all the same to it. HTTPS is a tunnel:
//! nothing is decrypted. Bytes stream through; nothing is kept.
//!
//! Anybody on this computer can connect to it, since browsers have no cheap way to show a proxy who they are (over the protocol they
//! ask for credentials, but every request of every page would have to be paused for that). It gives nobody a right that they do not have:
//! the same rules hold for all, and what is allowed beyond public addresses is on this computer or its network. Only where it has
//! credentials for an [`Upstream`] is there something to gain, and then other users are not let in (on Linux, which can tell).

mod answer;
mod asked;
mod connection;
mod dial;
mod exchange;
mod headers;
mod incidents;
mod judge;
mod meter;
mod names;
mod neighbour;
mod upstream;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use contract::{Code, Error, Result};
use tokio::{
    net::TcpListener,
    sync::{Mutex, Notify, Semaphore},
    task::{JoinHandle, JoinSet},
};

use self::{connection::Connection, dial::Dialer, meter::Counters, names::Names};
pub use self::{
    headers::{ERROR_HEADER, REASON_HEADER},
    incidents::{Incident, Incidents, Mark, Since, Trouble},
    judge::{Judge, Rules},
    meter::Counts,
    names::{Resolve, System},
    upstream::{Kind, Upstream},
};
use crate::Places;

/// How much and how long. The defaults are for people's browsers; tests have less patience.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections at once. More wait to be taken in. (Chromium makes fewer to one proxy.)
    pub connections: usize,
    /// How long a connection to a server may take.
    pub connect: Duration,
    /// How long the browser may keep a connection that it does not use.
    pub idle: Duration,
    /// How long nothing at all may come or go while something is asked for. Long, since pages wait for news in this way.
    pub silence: Duration,
    /// How long nothing may come or go once one side of a tunnel is done. Browsers close connections as a whole, which looks the same;
    /// without this, servers that never close theirs could have all the room that there is.
    pub linger: Duration,
    /// For how long it is remembered where a name leads.
    pub names: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 256,
            connect: Duration::from_secs(30),
            idle: Duration::from_secs(300),
            silence: Duration::from_secs(1800),
            linger: Duration::from_secs(10),
            names: Duration::from_secs(60),
        }
    }
}

/// What a proxy is made of.
pub struct Setup {
    /// What may be connected to.
    pub places: Arc<Places>,
    /// The proxy that the user is behind.
    pub upstream: Option<Upstream>,
    /// Who knows where names lead.
    pub resolver: Arc<dyn Resolve>,
    /// How much and how long.
    pub limits: Limits,
}

impl Setup {
    /// The usual: names as the system knows them.
    pub fn new(places: Arc<Places>) -> Setup {
        Setup { places, upstream: None, resolver: Arc::new(System), limits: Limits::default() }
    }
}

/// What all connections of a proxy share.
struct Inner {
    dialer: Dialer,
    limits: Limits,
    counters: Arc<Counters>,
    incidents: Incidents,
}

/// A proxy that runs. It ends soon after it is dropped, with every connection through it.
pub struct Proxy {
    address: SocketAddr,
    /// Its port is its own until it is dropped.
    _listener: Arc<TcpListener>,
    inner: Arc<Inner>,
    ending: Arc<Notify>,
    task: Mutex<JoinHandle<()>>,
}

impl Proxy {
    /// Starts one for these places, on a port of this computer that nobody else has.
    pub async fn start(places: Arc<Places>, upstream: Option<Upstream>) -> Result<Proxy> {
        Proxy::start_with(Setup { upstream, ..Setup::new(places) }).await
    }

    /// The same with everything said.
    pub async fn start_with(setup: Setup) -> Result<Proxy> {
        let failed = |error: io::Error| {
            Error::new(Code::Internal, "the proxy that browsers go through cannot be started")
                .with_cause(error)
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let dialer = Dialer {
            judge: Judge::with(
                Rules { places: setup.places, upstream: setup.upstream },
                Names::new(setup.resolver, setup.limits.names),
            ),
            patience: setup.limits.connect,
            own: address,
        };
        let inner = Arc::new(Inner {
            dialer,
            limits: setup.limits,
            counters: Arc::default(),
            incidents: Incidents::default(),
        });
        let ending = Arc::new(Notify::new());
        let listener = Arc::new(listener);
        let task = Mutex::new(tokio::spawn(serve(listener.clone(), inner.clone(), ending.clone())));
        Ok(Proxy { address, _listener: listener, inner, ending, task })
    }

    /// Where it listens. For Chromium: `http://` before it, as `--proxy-server` or a context's `proxyServer`, with `<-loopback>` as the
    /// list of what goes past it, which means nothing does.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on these rules hold, for every connection that is made. Connections that there are stay: whoever starts with
    /// [nothing allowed](Rules::closed) has none.
    pub fn set_rules(&self, rules: Rules) {
        self.inner.dialer.judge.set_rules(rules);
    }

    /// What holds for its connections.
    pub fn rules(&self) -> Arc<Rules> {
        self.inner.dialer.judge.rules()
    }

    /// Ends every connection and takes no more in, and waits until nothing goes through it any more. Its port stays its own, so that a
    /// browser that still asks there does not get to another proxy.
    pub async fn end(&self) {
        self.ending.notify_one();
        let mut task = self.task.lock().await;
        if !task.is_finished() {
            _ = (&mut *task).await;
        }
    }

    /// What it has done so far.
    pub fn counts(&self) -> Counts {
        self.inner.counters.now()
    }

    /// What was blocked, and what failed. Whoever blocks something for the same rules in another way may add to it.
    pub fn incidents(&self) -> &Incidents {
        &self.inner.incidents
    }

    /// Judges addresses as it does, without connecting.
    pub fn judge(&self) -> &Judge {
        &self.inner.dialer.judge
    }
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxy").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.get_mut().abort();
    }
}

/// Serves connections until it is to end. All their tasks belong to this one and end with it.
async fn serve(listener: Arc<TcpListener>, inner: Arc<Inner>, ending: Arc<Notify>) {
    let mut connections = JoinSet::new();
    tokio::select! {
        () = accept(&listener, inner, &mut connections) => {}
        () = ending.notified() => {}
    }
    connections.shutdown().await;
}

async fn accept(listener: &TcpListener, inner: Arc<Inner>, connections: &mut JoinSet<()>) {
    let seats = Arc::new(Semaphore::new(inner.limits.connections));
    loop {
        let Ok(seat) = seats.clone().acquire_owned().await else { return };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            // What is left of those that ended is cleared away.
            Some(_) = connections.join_next() => continue,
        };
        let (stream, peer) = match accepted {
            Ok((stream, peer)) => (stream, peer),
            Err(error) => {
                // Usually there are no more files to be had. Others have to end before it is of any use to try again.
                tracing::warn!(%error, "a connection could not be taken in");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        inner.counters.connections.fetch_add(1, Relaxed);
        let inner = inner.clone();
        connections.spawn(async move {
            let is_welcome =
                !inner.dialer.has_credentials() || neighbour::is_this_user(peer, inner.dialer.own).await;
            if is_welcome {
                Connection::serve(inner, stream).await;
            }
            drop(seat);
        });
    }
}

//! One connection of the browser, and the one to a server that belongs to it.
//!
//! Browsers keep connections to a proxy apart by where they lead, as they do without one. So there is no pool here: a connection of the
//! browser has one to a server at a time, and it is never used for another place, nor by another connection. Both are driven by the
//! same task, which is faster than two that wake each other, and ends them together.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    task::Poll,
    time::{Duration, Instant},
};

use hyper::{
    body::Incoming, client::conn::http1::SendRequest, server::conn::http1, service::service_fn,
    upgrade::OnUpgrade,
};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite, copy_bidirectional_with_sizes},
    net::TcpStream,
    sync::Notify,
};

use super::{
    Inner,
    dial::ForProxy,
    exchange::{self, LARGEST_HEAD, MOST_HEADERS},
    meter::{Ending, Meter, Metered},
};
use crate::Place;

/// What is copied at once.
const BUFFER: usize = 64 * 1024;

/// Moves the bytes of a connection to a server.
type Driver = Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>;

/// A server that requests can be sent to.
pub(crate) struct Origin {
    pub(crate) place: Place,
    pub(crate) sender: SendRequest<Incoming>,
    pub(crate) for_proxy: Option<ForProxy>,
}

/// What follows when requests are over.
pub(crate) enum Tunnel {
    /// `CONNECT`.
    Opened { browser: OnUpgrade, server: Metered },
    /// A websocket without a tunnel around it.
    Switched { browser: OnUpgrade, server: OnUpgrade },
}

/// One connection of the browser.
pub(crate) struct Connection {
    pub(crate) proxy: Arc<Inner>,
    pub(crate) meter: Arc<Meter>,
    origin: Mutex<Option<Origin>>,
    driver: Mutex<Option<Driver>>,
    tunnel: Mutex<Option<Tunnel>>,
    is_busy: Arc<AtomicBool>,
}

/// For as long as it lives, a request is under way.
pub(crate) struct Busy(Arc<AtomicBool>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(false, Relaxed);
    }
}

impl Connection {
    /// Serves the browser until either side has had enough.
    pub(crate) async fn serve(proxy: Arc<Inner>, stream: TcpStream) {
        let connection = Arc::new(Connection {
            meter: Arc::new(Meter::new(proxy.counters.clone())),
            proxy,
            origin: Mutex::default(),
            driver: Mutex::default(),
            tunnel: Mutex::default(),
            is_busy: Arc::default(),
        });
        // Small writes must not wait for each other. Without it everything works, slower.
        _ = stream.set_nodelay(true);
        if let Some(()) = connection.unless_idle(connection.serve_requests(stream)).await {
            connection.serve_tunnel().await;
        }
    }

    async fn serve_requests(self: &Arc<Self>, stream: TcpStream) {
        let service = service_fn(|request| exchange::answer(self.clone(), request));
        let server = http1::Builder::new()
            .preserve_header_case(true)
            .auto_date_header(false)
            .half_close(false)
            .max_headers(MOST_HEADERS)
            .max_header_size(LARGEST_HEAD)
            .header_read_timeout(None)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        let mut server = pin!(server);
        let done = poll_fn(|cx| {
            if let Poll::Ready(done) = server.as_mut().poll(cx) {
                return Poll::Ready(done);
            }
            let mut driver = lock(&self.driver);
            if let Some(running) = driver.as_mut()
                && running.as_mut().poll(cx).is_ready()
            {
                // Whoever asks next gets another one; the browser need not know.
                *driver = None;
            }
            Poll::Pending
        });
        if let Err(error) = done.await {
            tracing::trace!(%error, "a connection ended");
        }
    }

    async fn serve_tunnel(&self) {
        let tunnel = lock(&self.tunnel).take();
        match tunnel {
            None => {}
            Some(Tunnel::Opened { browser, mut server }) => {
                if let Ok(browser) = browser.await {
                    self.copy(&mut TokioIo::new(browser), &mut server).await;
                }
            }
            Some(Tunnel::Switched { browser, server }) => {
                let driver = lock(&self.driver).take();
                let drive = async {
                    if let Some(driver) = driver {
                        _ = driver.await;
                    }
                    Ok::<_, hyper::Error>(())
                };
                if let Ok((browser, server, ())) = tokio::try_join!(browser, server, drive) {
                    self.copy(&mut TokioIo::new(browser), &mut TokioIo::new(server)).await;
                }
            }
        }
    }

    async fn copy<A, B>(&self, browser: &mut A, server: &mut B)
    where
        A: AsyncRead + AsyncWrite + Unpin + Send,
        B: AsyncRead + AsyncWrite + Unpin + Send,
    {
        let (limits, ended) = (&self.proxy.limits, Notify::new());
        let (mut browser, mut server) = (Ending::new(browser, &ended), Ending::new(server, &ended));
        let copying = copy_bidirectional_with_sizes(&mut browser, &mut server, BUFFER, BUFFER);
        let lingering = async {
            ended.notified().await;
            self.meter.unless_silent(limits.linger, std::future::pending::<()>()).await
        };
        tokio::select! {
            copied = self.meter.unless_silent(limits.silence, copying) => {
                if let Some(Err(error)) = copied {
                    tracing::trace!(%error, "a tunnel ended");
                }
            }
            _ = lingering => tracing::trace!("a tunnel that one side had left was closed"),
        }
    }

    /// Does the work, unless nothing moves for too long: less long where nothing is asked for.
    async fn unless_idle(&self, work: impl Future<Output = ()>) -> Option<()> {
        let limits = &self.proxy.limits;
        let mut work = pin!(work);
        let (mut moved, mut since) = (self.meter.moved(), Instant::now());
        loop {
            if tokio::time::timeout(limits.idle.max(Duration::from_millis(10)), &mut work).await.is_ok() {
                return Some(());
            }
            let now = self.meter.moved();
            if now != moved {
                (moved, since) = (now, Instant::now());
                continue;
            }
            // Who waits for a server has its own end to waiting, and is told of it.
            let is_busy = self.is_busy.load(Relaxed);
            let limit = if is_busy { limits.silence + limits.idle } else { limits.idle };
            if since.elapsed() >= limit {
                return None;
            }
        }
    }

    pub(crate) fn busy(&self) -> Busy {
        self.is_busy.store(true, Relaxed);
        Busy(self.is_busy.clone())
    }

    /// The server that was used last, if it is this place and still there.
    pub(crate) fn take_origin(&self, place: &Place) -> Option<Origin> {
        lock(&self.origin).take().filter(|origin| origin.place == *place && !origin.sender.is_closed())
    }

    pub(crate) fn keep_origin(&self, origin: Origin) {
        *lock(&self.origin) = Some(origin);
    }

    /// Drives this connection from now on, and ends the one before.
    pub(crate) fn drive(&self, driver: Driver) {
        *lock(&self.driver) = Some(driver);
    }

    pub(crate) fn switch_to(&self, tunnel: Tunnel) {
        *lock(&self.tunnel) = Some(tunnel);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

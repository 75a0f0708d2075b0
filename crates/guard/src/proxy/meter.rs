//! Connections that are counted: how much has gone through them, whether anything still does, and whether one side is done.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    sync::Notify,
};

/// What a proxy has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Connections that came in.
    pub connections: u64,
    /// Requests, tunnels among them.
    pub requests: u64,
    /// Tunnels.
    pub tunnels: u64,
    /// Requests that the rules forbade.
    pub blocked: u64,
    /// Requests that came to nothing otherwise.
    pub failed: u64,
    /// Bytes that went out to servers.
    pub sent: u64,
    /// Bytes that came from servers.
    pub received: u64,
}

/// The same while it is counted.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) connections: AtomicU64,
    pub(crate) requests: AtomicU64,
    pub(crate) tunnels: AtomicU64,
    pub(crate) blocked: AtomicU64,
    pub(crate) failed: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
}

impl Counters {
    pub(crate) fn now(&self) -> Counts {
        Counts {
            connections: self.connections.load(Relaxed),
            requests: self.requests.load(Relaxed),
            tunnels: self.tunnels.load(Relaxed),
            blocked: self.blocked.load(Relaxed),
            failed: self.failed.load(Relaxed),
            sent: self.sent.load(Relaxed),
            received: self.received.load(Relaxed),
        }
    }
}

/// Counts for one connection of the browser, whatever servers it leads to.
#[derive(Debug)]
pub(crate) struct Meter {
    all: Arc<Counters>,
    moved: AtomicU64,
}

impl Meter {
    pub(crate) fn new(all: Arc<Counters>) -> Meter {
        Meter { all, moved: AtomicU64::new(0) }
    }

    pub(crate) fn moved(&self) -> u64 {
        self.moved.load(Relaxed)
    }

    /// Does the work, unless nothing moves for so long.
    pub(crate) async fn unless_silent<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
        tokio::pin!(work);
        let mut before = self.moved();
        loop {
            // Looked at once in a while: a clock for every byte would cost more than the byte.
            if let Ok(done) = tokio::time::timeout(limit, &mut work).await {
                return Some(done);
            }
            let now = self.moved();
            if now == before {
                return None;
            }
            before = now;
        }
    }
}

/// A connection to a server.
#[derive(Debug)]
pub(crate) struct Metered {
    stream: TcpStream,
    meter: Arc<Meter>,
}

impl Metered {
    pub(crate) fn new(stream: TcpStream, meter: Arc<Meter>) -> Metered {
        Metered { stream, meter }
    }
}

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let read = (buffer.filled().len() - before) as u64;
        self.meter.moved.fetch_add(read, Relaxed);
        self.meter.all.received.fetch_add(read, Relaxed);
        polled
    }
}

impl AsyncWrite for Metered {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.sent(polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.sent(polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl Metered {
    fn sent(&self, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(sent)) = &polled {
            self.meter.moved.fetch_add(*sent as u64, Relaxed);
            self.meter.all.sent.fetch_add(*sent as u64, Relaxed);
        }
        polled
    }
}

/// One side of a tunnel, which tells when nothing more will come from it.
pub(crate) struct Ending<'a, S> {
    stream: &'a mut S,
    ended: &'a Notify,
}

impl<'a, S> Ending<'a, S> {
    pub(crate) fn new(stream: &'a mut S, ended: &'a Notify) -> Self {
        Ending { stream, ended }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Ending<'_, S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = (buffer.filled().len(), buffer.remaining());
        let polled = Pin::new(&mut *self.stream).poll_read(cx, buffer);
        if polled.is_ready() && before.1 > 0 && buffer.filled().len() == before.0 {
            self.ended.notify_one();
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Ending<'_, S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream).poll_shutdown(cx)
    }
}

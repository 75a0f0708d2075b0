//! Servers, clients and name servers that do as they are told.

use std::{
    collections::HashMap,
    future::Future,
    io,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use guard::{
    Places,
    proxy::{Limits, Proxy, Resolve, Setup},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};

/// Nothing here takes that long; what does will not end by itself.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// One side of a connection, read as text.
pub(crate) struct Wire {
    pub(crate) stream: TcpStream,
    read: Vec<u8>,
}

/// A message: its first line and headers as they came, and its body without chunks.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Message {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn status(&self) -> u16 {
        self.head[9..12].parse().unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        lines.find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

impl Wire {
    pub(crate) fn new(stream: TcpStream) -> Wire {
        stream.set_nodelay(true).unwrap();
        Wire { stream, read: Vec::new() }
    }

    pub(crate) async fn to(address: SocketAddr) -> Wire {
        Wire::new(TcpStream::connect(address).await.unwrap())
    }

    pub(crate) async fn say(&mut self, text: impl AsRef<[u8]>) {
        self.stream.write_all(text.as_ref()).await.unwrap();
    }

    async fn more(&mut self) -> io::Result<bool> {
        let mut part = vec![0; 16 * 1024];
        let count = timeout(LONG, self.stream.read(&mut part)).await.expect("in time")?;
        self.read.extend_from_slice(&part[..count]);
        Ok(count > 0)
    }

    /// The next head; none at the end.
    pub(crate) async fn head(&mut self) -> Option<String> {
        loop {
            if let Some(at) = self.read.windows(4).position(|it| it == b"\r\n\r\n") {
                let rest = self.read.split_off(at + 4);
                let head = std::mem::replace(&mut self.read, rest);
                return Some(String::from_utf8_lossy(&head[..at]).into_owned());
            }
            if !self.more().await.unwrap_or(false) {
                return None;
            }
        }
    }

    pub(crate) async fn exactly(&mut self, count: usize) -> Vec<u8> {
        while self.read.len() < count {
            assert!(self.more().await.unwrap(), "the end after {} of {count} bytes", self.read.len());
        }
        let rest = self.read.split_off(count);
        std::mem::replace(&mut self.read, rest)
    }

    async fn line(&mut self) -> String {
        loop {
            if let Some(at) = self.read.windows(2).position(|it| it == b"\r\n") {
                let line = self.exactly(at + 2).await;
                return String::from_utf8(line[..at].to_vec()).unwrap();
            }
            assert!(self.more().await.unwrap());
        }
    }

    /// Everything until the other side is done.
    pub(crate) async fn rest(&mut self) -> Vec<u8> {
        while self.more().await.unwrap_or(false) {}
        std::mem::take(&mut self.read)
    }

    async fn body(&mut self, head: &str, has_none: bool) -> Vec<u8> {
        let message = Message { head: head.into(), body: Vec::new() };
        if has_none {
            return Vec::new();
        }
        if message.header("transfer-encoding").is_some() {
            let mut body = Vec::new();
            loop {
                let size = usize::from_str_radix(self.line().await.trim(), 16).unwrap();
                if size == 0 {
                    while !self.line().await.is_empty() {}
                    return body;
                }
                body.extend(self.exactly(size).await);
                assert_eq!(self.line().await, "");
            }
        }
        match message.header("content-length") {
            Some(length) => self.exactly(length.parse().unwrap()).await,
            None if head.starts_with("HTTP/") => self.rest().await,
            None => Vec::new(),
        }
    }

    /// The next request, as a server reads it.
    pub(crate) async fn request(&mut self) -> Option<Message> {
        let head = self.head().await?;
        let body = self.body(&head, false).await;
        Some(Message { head, body })
    }

    /// The next answer, as a client reads it.
    pub(crate) async fn response(&mut self) -> Message {
        let head = self.head().await.expect("an answer");
        let has_none = head[9..12].starts_with('1') || ["204", "304"].contains(&&head[9..12]);
        let body = self.body(&head, has_none).await;
        Message { head, body }
    }

    /// Asks for an address as browsers ask a proxy.
    pub(crate) async fn get(&mut self, url: &str) -> Message {
        let host = url.split('/').nth(2).unwrap();
        self.say(format!("GET {url} HTTP/1.1\r\nHost: {host}\r\nProxy-Connection: keep-alive\r\n\r\n")).await;
        self.response().await
    }

    /// Asks for a tunnel; an answer other than 200 has a body.
    pub(crate) async fn tunnel(&mut self, place: &str) -> Message {
        self.say(format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n")).await;
        let head = self.head().await.expect("an answer");
        let body = self.body(&head, head.contains(" 200 ")).await;
        Message { head, body }
    }
}

/// A server that counts who connects to it.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    pub(crate) async fn at<F, R>(address: impl Into<SocketAddr>, serve: F) -> Server
    where
        F: Fn(Wire) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind(address.into()).await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = connections.clone();
        let task = tokio::spawn(async move {
            let mut tasks = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, SeqCst);
                tasks.spawn(serve(Wire::new(stream)));
            }
        });
        Server { address, connections, task }
    }

    pub(crate) async fn new<F, R>(serve: F) -> Server
    where
        F: Fn(Wire) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        Server::at(([127, 0, 0, 1], 0), serve).await
    }

    /// Answers every request with its head and body.
    pub(crate) async fn echo() -> Server {
        Server::new(echo).await
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub(crate) async fn echo(mut wire: Wire) {
    while let Some(request) = wire.request().await {
        let text = format!("{}\r\n\r\n{}", request.head, request.text());
        wire.say(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{text}", text.len())).await;
    }
}

/// Name servers that have an answer for each time they are asked; the last one stays.
#[derive(Default)]
pub(crate) struct Told {
    answers: Mutex<HashMap<String, Vec<Vec<IpAddr>>>>,
    pub(crate) asked: AtomicUsize,
}

impl Told {
    /// `name = address address | address`, the bar between answers.
    pub(crate) fn new(lines: &[&str]) -> Arc<Told> {
        let told = Told::default();
        for line in lines {
            let (name, answers) = line.split_once(" = ").unwrap();
            let read = |answer: &str| answer.split_whitespace().map(|it| it.parse().unwrap()).collect();
            told.answers.lock().unwrap().insert(name.into(), answers.split('|').map(read).collect());
        }
        Arc::new(told)
    }
}

impl Resolve for Told {
    fn resolve<'a>(&'a self, name: &'a str) -> futures_util::future::BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.asked.fetch_add(1, SeqCst);
        let mut answers = self.answers.lock().unwrap();
        let answer = match answers.get_mut(name) {
            Some(answers) if answers.len() > 1 => Ok(answers.remove(0)),
            Some(answers) => Ok(answers[0].clone()),
            None => Err(io::Error::other("no such name")),
        };
        Box::pin(async move { answer })
    }
}

pub(crate) fn allowing(allow: &[&str]) -> Arc<Places> {
    let allow = allow.iter().map(|text| text.parse().unwrap()).collect();
    Arc::new(Places { allow, ..Places::default() })
}

pub(crate) fn setup(allow: &[&str]) -> Setup {
    let limits = Limits { connect: Duration::from_secs(5), ..Limits::default() };
    Setup { limits, resolver: Told::new(&[]), ..Setup::new(allowing(allow)) }
}

pub(crate) async fn proxy(allow: &[&str]) -> Proxy {
    Proxy::start_with(setup(allow)).await.unwrap()
}

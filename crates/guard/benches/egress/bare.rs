//! A client that does nothing but read.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

use crate::server::AT_ONCE;

/// How a client gets to the server.
#[derive(Clone, Copy)]
pub(crate) enum Way {
    Direct,
    Proxy(SocketAddr),
    Tunnel(SocketAddr),
}

async fn get(stream: &mut BufReader<TcpStream>, way: Way, server: SocketAddr, path: &str, buffer: &mut [u8]) {
    let target =
        if matches!(way, Way::Proxy(_)) { format!("http://{server}{path}") } else { path.to_owned() };
    stream
        .get_mut()
        .write_all(format!("GET {target} HTTP/1.1\r\nHost: {server}\r\n\r\n").as_bytes())
        .await
        .unwrap();
    let (mut left, mut line) = (0, String::new());
    while stream.read_line(&mut line).await.unwrap() > 2 {
        if let Some(length) = line.to_lowercase().strip_prefix("content-length: ") {
            left = length.trim().parse().unwrap();
        }
        line.clear();
    }
    while left > 0 {
        let most = buffer.len().min(left);
        left -= stream.read(&mut buffer[..most]).await.unwrap();
    }
}

pub(crate) async fn fetch(way: Way, server: SocketAddr, path: &'static str, count: usize) -> Duration {
    let began = Instant::now();
    let mut clients = tokio::task::JoinSet::new();
    let at_once = AT_ONCE.min(count);
    for _ in 0..at_once {
        clients.spawn(async move {
            let (Way::Proxy(address) | Way::Tunnel(address)) = way else {
                return run(TcpStream::connect(server).await.unwrap(), way, server, path, count / at_once)
                    .await;
            };
            let mut stream = TcpStream::connect(address).await.unwrap();
            if let Way::Tunnel(_) = way {
                stream
                    .write_all(format!("CONNECT {server} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes())
                    .await
                    .unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.unwrap());
                }
            }
            run(stream, way, server, path, count / at_once).await;
        });
    }
    clients.join_all().await;
    began.elapsed()
}

async fn run(stream: TcpStream, way: Way, server: SocketAddr, path: &str, count: usize) {
    stream.set_nodelay(true).unwrap();
    let mut stream = BufReader::with_capacity(64 * 1024, stream);
    let mut buffer = vec![0; 256 * 1024];
    for _ in 0..count {
        get(&mut stream, way, server, path, &mut buffer).await;
    }
}

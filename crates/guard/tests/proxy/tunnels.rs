//! Tunnels and websockets: bytes that are nobody's business.

use std::time::Duration;

use guard::proxy::{Limits, Proxy, Setup};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::*;

async fn echo_bytes(mut wire: Wire) {
    let (mut reader, mut writer) = wire.stream.split();
    _ = tokio::io::copy(&mut reader, &mut writer).await;
    _ = writer.shutdown().await;
}

#[tokio::test]
async fn bytes_go_both_ways_until_both_sides_are_done() {
    let (server, proxy) = (Server::new(echo_bytes).await, proxy(&["127.0.0.1"]).await);
    let mut client = Wire::to(proxy.address()).await;
    assert_eq!(client.tunnel(&server.address.to_string()).await.status(), 200);
    client.say(b"\x16\x03\x01 not http\r\n\r\n").await;
    assert_eq!(client.exactly(16).await, b"\x16\x03\x01 not http\r\n\r\n");
    client.say("the last of it").await;
    client.stream.shutdown().await.unwrap();
    assert_eq!(client.rest().await, b"the last of it", "one side may be done before the other");
    assert_eq!(proxy.counts().tunnels, 1);
}

/// A browser that has closed a connection cannot be told from one that is done with its half of it. Servers that never close theirs could
/// have a page open tunnels until there is room for no more.
#[tokio::test]
async fn a_tunnel_that_one_side_has_left_does_not_stay() {
    let server = Server::new(|wire| async move {
        // Not a word, and no end.
        std::future::pending::<()>().await;
        drop(wire);
    })
    .await;
    let limits = Limits { linger: Duration::from_millis(50), connections: 1, ..Limits::default() };
    let proxy = Proxy::start_with(Setup { limits, ..setup(&["127.0.0.1"]) }).await.unwrap();
    for _ in 0..3 {
        // There is room for one at a time, so the next one shows that the last one is gone.
        let mut client = Wire::to(proxy.address()).await;
        assert_eq!(client.tunnel(&server.address.to_string()).await.status(), 200);
        drop(client);
    }
    assert_eq!(server.connections(), 3);
}

#[tokio::test]
async fn what_is_sent_behind_the_question_is_not_lost() {
    let (server, proxy) = (Server::new(echo_bytes).await, proxy(&["127.0.0.1"]).await);
    let mut client = Wire::to(proxy.address()).await;
    client.say(format!("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n\r\nearly", server.address)).await;
    assert!(client.head().await.unwrap().starts_with("HTTP/1.1 200 "));
    assert_eq!(client.exactly(5).await, b"early");
}

#[tokio::test]
async fn much_goes_through_and_none_of_it_changes() {
    let (server, proxy) = (Server::new(echo_bytes).await, proxy(&["127.0.0.1"]).await);
    let mut client = Wire::to(proxy.address()).await;
    assert_eq!(client.tunnel(&server.address.to_string()).await.status(), 200);
    let sent: Vec<u8> = (0..3_000_000u32).map(|it| (it.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let (mut reader, mut writer) = client.stream.split();
    let mut got = vec![0; sent.len()];
    let (wrote, read) = tokio::join!(writer.write_all(&sent), reader.read_exact(&mut got));
    wrote.unwrap();
    read.unwrap();
    assert!(sent == got);
    let counts = proxy.counts();
    assert_eq!((counts.sent, counts.received), (3_000_000, 3_000_000));
}

#[tokio::test]
async fn a_websocket_switches_without_a_tunnel() {
    let server = Server::new(|mut wire| async move {
        let request = wire.head().await.unwrap();
        assert!(request.starts_with("GET /socket HTTP/1.1") && request.to_lowercase().contains("upgrade: websocket"));
        wire.say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\nhello").await;
        echo_bytes(wire).await;
    })
    .await;
    let proxy = proxy(&["127.0.0.1"]).await;
    let mut client = Wire::to(proxy.address()).await;
    client
        .say(format!(
            "GET http://{0}/socket HTTP/1.1\r\nHost: {0}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: y\r\n\r\n",
            server.address
        ))
        .await;
    let head = client.head().await.unwrap();
    assert!(
        head.starts_with("HTTP/1.1 101 ") && head.to_lowercase().contains("sec-websocket-accept: x"),
        "{head}"
    );
    assert_eq!(client.exactly(5).await, b"hello");
    client.say(b"\x81\x02hi").await;
    assert_eq!(client.exactly(4).await, b"\x81\x02hi");
}

#[tokio::test]
async fn nothing_else_is_switched_to() {
    let server = Server::new(|mut wire| async move {
        let request = wire.head().await.unwrap().to_lowercase();
        assert!(!request.contains("upgrade") && !request.contains("h2c"), "{request}");
        wire.say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n").await;
        wire.rest().await;
    })
    .await;
    let proxy = proxy(&["127.0.0.1"]).await;
    let mut client = Wire::to(proxy.address()).await;
    client
        .say(format!("GET http://{0}/ HTTP/1.1\r\nHost: {0}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n", server.address))
        .await;
    assert_eq!(client.response().await.status(), 502);
}

//! Ends: of idle connections, of servers that go away, of the proxy itself; and more connections than there is room for.

use std::time::Duration;

use guard::proxy::Proxy;
use tokio::{io::AsyncReadExt, net::TcpStream, time::timeout};

use crate::support::*;

#[tokio::test]
async fn it_ends_with_everything() {
    let server = Server::new(|mut wire| async move {
        wire.rest().await;
    })
    .await;
    let proxy = proxy(&["127.0.0.1"]).await;
    let address = proxy.address();
    let mut tunnel = Wire::to(address).await;
    assert_eq!(tunnel.tunnel(&server.address.to_string()).await.status(), 200);
    let mut idle = Wire::to(address).await;
    idle.get("http://10.0.0.1/").await;
    let mut waiting = Wire::to(address).await;
    waiting.say(format!("GET http://{0}/ HTTP/1.1\r\nHost: {0}\r\n\r\n", server.address)).await;
    while server.connections() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Once more is as good as once.
    proxy.end().await;
    proxy.end().await;
    for wire in [&mut tunnel, &mut idle, &mut waiting] {
        assert_eq!(wire.rest().await, b"");
    }
    // It has its port until it is dropped, and connections are not even taken in.
    let (requests, mut late) = (proxy.counts().requests, Wire::to(address).await);
    late.say(format!("GET http://{0}/ HTTP/1.1\r\nHost: {0}\r\n\r\n", server.address)).await;
    assert!(timeout(Duration::from_millis(100), late.rest()).await.is_err(), "it is not answered");
    assert_eq!((server.connections(), proxy.counts().requests), (2, requests));
    drop(proxy);
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn whoever_drops_it_need_not_end_it() {
    let proxy = proxy(&[]).await;
    let address = proxy.address();
    let mut idle = Wire::to(address).await;
    idle.get("http://10.0.0.1/").await;
    drop(proxy);
    assert_eq!(idle.rest().await, b"");
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn a_server_that_closes_its_connections_does_not_close_the_browsers() {
    let server = Server::new(|mut wire| async move {
        wire.request().await;
        wire.say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok").await;
    })
    .await;
    let proxy = proxy(&["127.0.0.1"]).await;
    let mut client = Wire::to(proxy.address()).await;
    for connections in 1..5 {
        assert_eq!(client.get(&format!("http://{}/", server.address)).await.text(), "ok");
        assert_eq!(server.connections(), connections);
    }
    assert_eq!(proxy.counts().connections, 1);
}

#[tokio::test]
async fn a_request_that_a_used_connection_lost_is_sent_again_only_by_the_browser_and_only_if_safe() {
    // The second request is read and never answered, as when a server gives up at that very moment.
    let server = Server::new(|mut wire| async move {
        wire.request().await;
        wire.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
        wire.request().await;
    })
    .await;
    let proxy = proxy(&["127.0.0.1"]).await;
    for (connections, method) in [(1, "GET"), (2, "POST")] {
        let mut client = Wire::to(proxy.address()).await;
        assert_eq!(client.get(&format!("http://{}/", server.address)).await.text(), "ok");
        let head = format!("{method} http://{0}/ HTTP/1.1\r\nHost: {0}", server.address);
        client.say(format!("{head}\r\nContent-Length: 1\r\n\r\nx")).await;
        match method {
            // The browser sends it again when its connection ends without an answer.
            "GET" => assert_eq!(client.rest().await, b""),
            // The server may have acted on it, so the browser gets an answer.
            _ => assert_eq!(client.response().await.header("x-webhand-error"), Some("no-answer")),
        }
        assert_eq!(server.connections(), connections, "{method} was not sent twice by us");
    }
}

#[tokio::test]
async fn what_is_idle_ends() {
    let server = Server::new(|mut wire| async move {
        wire.rest().await;
    })
    .await;
    let mut setup = setup(&["127.0.0.1"]);
    setup.limits.idle = Duration::from_millis(100);
    setup.limits.silence = Duration::from_millis(300);
    let proxy = Proxy::start_with(setup).await.unwrap();
    let mut nothing_said = Wire::to(proxy.address()).await;
    let mut half_said = Wire::to(proxy.address()).await;
    half_said.say("GET http://10.0.").await;
    let mut tunnel = Wire::to(proxy.address()).await;
    assert_eq!(tunnel.tunnel(&server.address.to_string()).await.status(), 200);
    for wire in [&mut nothing_said, &mut half_said, &mut tunnel] {
        wire.rest().await;
    }
}

#[tokio::test]
async fn more_than_there_is_room_for_wait_their_turn() {
    let server = Server::echo().await;
    let mut setup = setup(&["127.0.0.1"]);
    setup.limits.connections = 4;
    let proxy = Proxy::start_with(setup).await.unwrap();
    let url = format!("http://{}/", server.address);
    let mut clients = Vec::new();
    for _ in 0..4 {
        let mut client = Wire::to(proxy.address()).await;
        assert_eq!(client.get(&url).await.status(), 200);
        clients.push(client);
    }
    let mut late = Wire::to(proxy.address()).await;
    late.say(format!("GET {url} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address)).await;
    let mut byte = [0; 1];
    assert!(
        timeout(Duration::from_millis(200), late.stream.read(&mut byte)).await.is_err(),
        "there is no room yet"
    );
    clients.pop();
    assert_eq!(late.response().await.status(), 200);
}

#[tokio::test]
async fn many_at_once_all_get_their_own_answer() {
    let (server, proxy) = (Server::echo().await, proxy(&["127.0.0.1"]).await);
    let address = proxy.address();
    let server_address = server.address;
    let ask = |number: usize| async move {
        let mut client = Wire::to(address).await;
        for turn in 0..5 {
            let path = format!("/{number}-{turn}");
            let answer = client.get(&format!("http://{}{path}", server_address)).await;
            assert!(answer.text().starts_with(&format!("GET {path} ")));
        }
    };
    futures_util::future::join_all((0..300).map(ask)).await;
    assert_eq!(proxy.counts().requests, 1500);
}

#[tokio::test]
async fn who_does_not_wait_for_the_answer_ends_the_connection_to_the_server() {
    let (ended, mut is_ended) = tokio::sync::mpsc::unbounded_channel();
    let server = Server::new(move |mut wire| {
        let ended = ended.clone();
        async move {
            wire.head().await;
            ended.send("asked").unwrap();
            wire.rest().await;
            ended.send("ended").unwrap();
        }
    })
    .await;
    let proxy = proxy(&["127.0.0.1"]).await;
    let mut client = Wire::to(proxy.address()).await;
    client.say(format!("GET http://{0}/ HTTP/1.1\r\nHost: {0}\r\n\r\n", server.address)).await;
    assert_eq!(is_ended.recv().await, Some("asked"));
    drop(client);
    assert_eq!(timeout(LONG, is_ended.recv()).await.unwrap(), Some("ended"));
}

#[tokio::test]
async fn both_kinds_of_addresses_are_connected_to() {
    let server = Server::at((std::net::Ipv6Addr::LOCALHOST, 0), echo).await;
    let mut setup = setup(&["localhost", "::1", "both.test"]);
    // The first does not answer, so the second is tried.
    setup.resolver = Told::new(&["both.test = 127.0.0.1 ::1"]);
    let proxy = Proxy::start_with(setup).await.unwrap();
    for host in ["[::1]", "localhost", "both.test"] {
        let url = format!("http://{host}:{}/", server.port());
        assert_eq!(Wire::to(proxy.address()).await.get(&url).await.status(), 200, "{host}");
    }
}

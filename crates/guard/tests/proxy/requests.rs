//! Plain requests: what arrives at the server, what comes back, and over which connections.

use std::sync::{Arc, Mutex};

use crate::support::*;

#[tokio::test]
async fn a_request_arrives_as_a_server_wants_it() {
    let (server, proxy) = (Server::echo().await, proxy(&["127.0.0.1"]).await);
    let mut client = Wire::to(proxy.address()).await;
    let place = server.address;
    client
        .say(format!(
            "GET http://{place}/a?b=c%20d HTTP/1.1\r\nHost: evil.example\r\nX-Case-Kept: Yes\r\nProxy-Connection: keep-alive\r\n\
             Proxy-Authorization: Basic c2VjcmV0\r\nConnection: X-Hop\r\nX-Hop: 1\r\nCookie: a=b\r\n\r\n"
        ))
        .await;
    let answer = client.response().await;
    assert_eq!(answer.status(), 200);
    let got = answer.text();
    assert!(got.starts_with("GET /a?b=c%20d HTTP/1.1\r\n"), "{got}");
    assert!(
        got.contains(&format!("{place}")) && got.contains("X-Case-Kept: Yes") && got.contains("Cookie: a=b"),
        "{got}"
    );
    for absent in ["evil.example", "Proxy-", "X-Hop", "c2VjcmV0"] {
        assert!(!got.contains(absent), "{absent} in {got}");
    }
    assert_eq!(got.to_lowercase().matches("host:").count(), 1, "{got}");
}

#[tokio::test]
async fn connections_are_used_again_on_both_sides() {
    let (server, proxy) = (Server::echo().await, proxy(&["127.0.0.1"]).await);
    let mut client = Wire::to(proxy.address()).await;
    for number in 0..20 {
        let answer = client.get(&format!("http://{}/{number}", server.address)).await;
        assert!(answer.text().starts_with(&format!("GET /{number} ")), "{answer:?}");
    }
    assert_eq!(server.connections(), 1);
    let counts = proxy.counts();
    assert_eq!((counts.connections, counts.requests, counts.blocked, counts.failed), (1, 20, 0, 0));
    assert!(counts.sent > 0 && counts.received > counts.sent, "{counts:?}");
}

#[tokio::test]
async fn requests_sent_at_once_are_answered_in_turn() {
    let (server, proxy) = (Server::echo().await, proxy(&["127.0.0.1"]).await);
    let mut client = Wire::to(proxy.address()).await;
    let one = |number: usize| {
        format!(
            "POST http://{0}/{number} HTTP/1.1\r\nHost: {0}\r\nContent-Length: 3\r\n\r\nn{number:02}",
            server.address
        )
    };
    client.say((0..10).map(one).collect::<String>()).await;
    for number in 0..10 {
        let text = client.response().await.text();
        assert!(
            text.starts_with(&format!("POST /{number} ")) && text.ends_with(&format!("n{number:02}")),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_connection_to_one_place_is_not_used_for_another() {
    let (one, other) = (Server::echo().await, Server::echo().await);
    let mut setup = setup(&["127.0.0.1"]);
    setup.resolver = Told::new(&["a.example = 127.0.0.1", "b.example = 127.0.0.1"]);
    let proxy = guard::proxy::Proxy::start_with(setup).await.unwrap();
    let mut client = Wire::to(proxy.address()).await;
    for (server, host, connections) in
        [(&one, "127.0.0.1", 1), (&other, "127.0.0.1", 1), (&one, "127.0.0.1", 2)]
    {
        let answer = client.get(&format!("http://{host}:{}/", server.port())).await;
        assert!(answer.text().contains(&format!("{host}:{}", server.port())));
        assert_eq!(server.connections(), connections);
    }
    // Another name for the same address and port is another place.
    client.get(&format!("http://a.example:{}/", one.port())).await;
    client.get(&format!("http://b.example:{}/", one.port())).await;
    assert_eq!(one.connections(), 4);
}

#[tokio::test]
async fn bodies_of_every_kind_come_through() {
    let answers: &[(&str, u16, &str)] = &[
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
            200,
            "abcde",
        ),
        (
            "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n",
            200,
            "a",
        ),
        ("HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n", 204, ""),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", 304, ""),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok"),
        (
            "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            200,
            "ok",
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, ""),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone", 404, "gone"),
        ("HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n\r\n", 302, ""),
        ("HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\nContent-Length: 1\r\n\r\nx", 200, "x"),
        ("HTTP/1.0 200 OK\r\n\r\nuntil the end", 200, "until the end"),
        ("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end", 200, "until the end"),
    ];
    let server = Server::new(move |mut wire| async move {
        while let Some(request) = wire.request().await {
            let number: usize = request.head.split(['/', ' ']).nth(2).unwrap().parse().unwrap();
            let (answer, ..) = answers[number];
            wire.say(answer).await;
            if answer.ends_with("until the end") {
                return;
            }
        }
    })
    .await;
    let proxy = proxy(&["127.0.0.1"]).await;
    let mut client = Wire::to(proxy.address()).await;
    for (number, (_, status, body)) in answers.iter().enumerate() {
        let answer = client.get(&format!("http://{}/{number}", server.address)).await;
        assert_eq!((answer.status(), &*answer.text()), (*status, *body), "{number} {answer:?}");
        assert_eq!(answer.header("x-webhand-error"), None);
    }
    assert_eq!(proxy.counts().connections, 1, "none of them ended the browser's connection");
}

#[tokio::test]
async fn head_has_no_body_whatever_its_length_says() {
    let server = Server::new(|mut wire| async move {
        while let Some(request) = wire.request().await {
            let length = if request.head.contains("/long") { "Content-Length: 5000\r\n" } else { "" };
            wire.say(format!("HTTP/1.1 200 OK\r\n{length}\r\n")).await;
        }
    })
    .await;
    let proxy = proxy(&["127.0.0.1"]).await;
    let mut client = Wire::to(proxy.address()).await;
    for (path, length) in [("long", Some("5000")), ("unknown", None), ("long", Some("5000"))] {
        client.say(format!("HEAD http://{0}/{path} HTTP/1.1\r\nHost: {0}\r\n\r\n", server.address)).await;
        let head = client.head().await.unwrap();
        let answer = Message { head, body: Vec::new() };
        assert_eq!((answer.status(), answer.header("content-length")), (200, length));
    }
}

#[tokio::test]
async fn a_body_streams_both_ways_before_it_is_whole() {
    let server = Server::new(|mut wire| async move {
        wire.head().await.unwrap();
        // Answers each part of the request as it comes, long before its end.
        wire.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").await;
        for _ in 0..3 {
            assert_eq!(wire.exactly(8).await, b"3\r\nabc\r\n");
            wire.say("3\r\nabc\r\n").await;
        }
        assert_eq!(wire.exactly(5).await, b"0\r\n\r\n");
        wire.say("0\r\n\r\n").await;
    })
    .await;
    let proxy = proxy(&["127.0.0.1"]).await;
    let mut client = Wire::to(proxy.address()).await;
    client
        .say(format!(
            "POST http://{0}/ HTTP/1.1\r\nHost: {0}\r\nTransfer-Encoding: chunked\r\n\r\n",
            server.address
        ))
        .await;
    client.head().await.unwrap();
    for _ in 0..3 {
        client.say("3\r\nabc\r\n").await;
        assert_eq!(client.exactly(8).await, b"3\r\nabc\r\n", "before the request is over");
    }
    client.say("0\r\n\r\n").await;
    assert_eq!(client.exactly(5).await, b"0\r\n\r\n");
}

#[tokio::test]
async fn whoever_waits_to_be_told_to_go_on_is_told() {
    let (server, proxy) = (Server::echo().await, proxy(&["127.0.0.1"]).await);
    let mut client = Wire::to(proxy.address()).await;
    client
        .say(format!(
            "POST http://{0}/ HTTP/1.1\r\nHost: {0}\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n",
            server.address
        ))
        .await;
    assert!(client.head().await.unwrap().starts_with("HTTP/1.1 100 "));
    client.say("body").await;
    let text = client.response().await.text();
    assert!(text.ends_with("\r\n\r\nbody") && !text.contains("Expect"), "{text}");
}

#[tokio::test]
async fn no_request_hides_in_another() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = seen.clone();
    let server = Server::new(move |mut wire| {
        let kept = kept.clone();
        async move {
            while let Some(request) = wire.request().await {
                kept.lock().unwrap().push(request.head.lines().next().unwrap().to_owned());
                wire.say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
            }
        }
    })
    .await;
    let proxy = proxy(&["127.0.0.1"]).await;
    let hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";
    for headers in [
        format!("Content-Length: {}\r\nTransfer-Encoding: chunked\r\n", hidden.len() + 5),
        "Content-Length: 5\r\nContent-Length: 6\r\n".into(),
        "Transfer-Encoding: chunked, identity\r\n".into(),
        "Transfer-Encoding: identity\r\n".into(),
        "Transfer-Encoding : chunked\r\n".into(),
        "Transfer-Encoding: xchunked\r\n".into(),
        "Content-Length: +5\r\n".into(),
        "Content-Length: 0x5\r\n".into(),
        "Content-Length:\r\n 5\r\n".into(),
        "X: y\rTransfer-Encoding: chunked\r\n".into(),
    ] {
        let mut client = Wire::to(proxy.address()).await;
        client
            .say(format!(
                "POST http://{0}/shown HTTP/1.1\r\nHost: {0}\r\n{headers}\r\n0\r\n\r\n{hidden}",
                server.address
            ))
            .await;
        client.rest_of_answers().await;
    }
    let seen = seen.lock().unwrap();
    assert!(seen.iter().all(|line| line == "POST /shown HTTP/1.1"), "{seen:?}");
}

impl Wire {
    /// Reads what comes until the other side has nothing more to say or closes.
    async fn rest_of_answers(&mut self) {
        use tokio::io::AsyncWriteExt;
        _ = self.stream.shutdown().await;
        self.rest().await;
    }
}

#[tokio::test]
async fn what_is_not_for_a_proxy_is_refused() {
    let proxy = proxy(&["127.0.0.1"]).await;
    let own = proxy.address();
    for (request, status) in [
        (format!("GET / HTTP/1.1\r\nHost: {own}\r\n\r\n"), 400),
        ("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n".into(), 400),
        ("GET https://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n".into(), 400),
        ("GET ftp://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n".into(), 400),
        ("CONNECT example.com HTTP/1.1\r\nHost: example.com\r\n\r\n".into(), 400),
        ("nonsense\r\n\r\n".into(), 400),
        (format!("GET http://{own}/ HTTP/1.1\r\nHost: {own}\r\n\r\n"), 403),
        (format!("GET http://localhost:{}/ HTTP/1.1\r\nHost: x\r\n\r\n", own.port()), 403),
        ("GET http://me:hunter2@127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n".into(), 403),
        (format!("CONNECT {own} HTTP/1.1\r\nHost: x\r\n\r\n"), 403),
        (format!("GET http://a.b/ HTTP/1.1\r\nHost: a.b\r\nX: {}\r\n\r\n", "y".repeat(300 * 1024)), 431),
    ] {
        let mut client = Wire::to(proxy.address()).await;
        client.say(&request).await;
        let head = client.head().await.unwrap();
        let answer = Message { head, body: Vec::new() };
        assert_eq!(answer.status(), status, "{} {answer:?}", &request[..40.min(request.len())]);
    }
    assert!(!format!("{:?}", proxy.counts()).contains("hunter2"));
}

#[tokio::test]
async fn what_a_server_says_of_proxies_does_not_reach_the_browser() {
    let server = Server::new(|mut wire| async move {
        while let Some(request) = wire.request().await {
            let line = if request.head.contains("/407") { "407 Proxy Authentication Required" } else { "200 OK" };
            wire.say(format!(
                "HTTP/1.1 {line}\r\nProxy-Authenticate: Basic realm=x\r\nX-Webhand-Error: blocked\r\nX-Webhand-Reason: y\r\n\
                 Keep-Alive: timeout=5\r\nConnection: X-Hop\r\nX-Hop: 1\r\nContent-Length: 0\r\n\r\n"
            ))
            .await;
        }
    })
    .await;
    let proxy = proxy(&["127.0.0.1"]).await;
    let mut client = Wire::to(proxy.address()).await;
    let answer = client.get(&format!("http://{}/", server.address)).await;
    for header in ["proxy-authenticate", "x-webhand-error", "x-webhand-reason", "keep-alive", "x-hop"] {
        assert_eq!(answer.header(header), None, "{answer:?}");
    }
    let answer = client.get(&format!("http://{}/407", server.address)).await;
    assert_eq!((answer.status(), answer.header("x-webhand-error")), (502, Some("bad-answer")));
    assert_eq!(answer.header("proxy-authenticate"), None);
}

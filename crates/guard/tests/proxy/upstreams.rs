//! Through the proxy that a user is behind: HTTP and SOCKS5, with credentials, and what is told to whom.

use std::sync::{Arc, Mutex};

use guard::proxy::{Proxy, Setup};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::TcpStream,
};

use crate::support::*;

type Heard = Arc<Mutex<Vec<String>>>;

/// Names of the world; where they lead does not matter, since the user's proxy connects to our server whatever it is asked for.
const WORLD: &[&str] = &[
    "site.example = 93.184.216.34",
    "six.example = 2606:4700::1",
    "inside.example = 93.184.216.34 10.0.0.1",
];

async fn behind(url: &str) -> Proxy {
    let setup =
        Setup { upstream: Some(url.parse().unwrap()), resolver: Told::new(WORLD), ..setup(&["127.0.0.1"]) };
    Proxy::start_with(setup).await.unwrap()
}

async fn http_proxy(heard: Heard, server: std::net::SocketAddr) -> Server {
    Server::new(move |mut wire| {
        let heard = heard.clone();
        async move {
            while let Some(head) = wire.head().await {
                heard.lock().unwrap().push(head.clone());
                if !head.contains("Proxy-Authorization: Basic bWU6aHVudGVyMg==")
                    && !head.contains("proxy-authorization: Basic bWU6aHVudGVyMg==")
                {
                    wire.say(
                        "HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n",
                    )
                    .await;
                } else if head.starts_with("CONNECT ") {
                    wire.say("HTTP/1.1 200 Connected\r\nVia: x\r\n\r\n").await;
                    let mut stream = TcpStream::connect(server).await.unwrap();
                    _ = copy_bidirectional(&mut wire.stream, &mut stream).await;
                    return;
                } else {
                    wire.say("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nthrough").await;
                }
            }
        }
    })
    .await
}

/// An attack: the name leads to a checked address when we look it up, and elsewhere when the proxy does. So it is given no name to look up.
#[tokio::test]
async fn an_http_proxy_is_given_the_address_that_was_checked() {
    let (server, heard) = (Server::echo().await, Heard::default());
    let upstream = http_proxy(heard.clone(), server.address).await;
    let proxy = behind(&format!("http://me:hunter2@{}", upstream.address)).await;
    let mut client = Wire::to(proxy.address()).await;
    for _ in 0..2 {
        let text = client.get("http://site.example/a?b").await.text();
        assert!(text.starts_with("GET /a?b HTTP/1.1\r\n"), "{text}");
        assert!(text.to_lowercase().contains("\r\nhost: site.example\r\n"), "{text}");
        assert!(!text.to_lowercase().contains("proxy-authorization"), "{text}");
    }
    assert_eq!(upstream.connections(), 1);
    assert!(client.get("http://site.example:8080/").await.text().contains("site.example:8080"));
    assert!(client.get("http://six.example/").await.text().contains("six.example"));
    let mut tunnel = Wire::to(proxy.address()).await;
    assert_eq!(tunnel.tunnel("site.example:443").await.status(), 200);
    tunnel.say("GET /in-it HTTP/1.1\r\nHost: a\r\n\r\n").await;
    assert!(tunnel.response().await.text().starts_with("GET /in-it "));
    let mut socket = Wire::to(proxy.address()).await;
    socket.say("GET http://site.example/ws HTTP/1.1\r\nHost: site.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n").await;
    assert!(socket.response().await.text().starts_with("GET /ws "));
    let asked: Vec<String> =
        heard.lock().unwrap().iter().map(|head| head.lines().next().unwrap().to_owned()).collect();
    let connect = |goal: &str| format!("CONNECT {goal} HTTP/1.1");
    let goals = [
        "93.184.216.34:80",
        "93.184.216.34:8080",
        "[2606:4700::1]:80",
        "93.184.216.34:443",
        "93.184.216.34:80",
    ];
    assert_eq!(asked, goals.map(connect));
    assert!(heard.lock().unwrap().iter().all(|head| !head.contains(".example")));
    // A name that only the proxy knows could lead it anywhere.
    let before = upstream.connections();
    let unknown = client.get("http://unknown.example/").await;
    assert_eq!((unknown.status(), unknown.header("x-webhand-error")), (502, Some("name-not-found")));
    assert!(unknown.text().contains("http+names://"), "{}", unknown.text());
    assert_ne!(Wire::to(proxy.address()).await.tunnel("unknown.example:443").await.status(), 200);
    assert_eq!(client.get("http://inside.example/").await.status(), 403);
    assert_eq!(upstream.connections(), before);
}

/// Whoever writes this trusts the proxy to judge where names lead.
#[tokio::test]
async fn an_http_proxy_that_is_trusted_is_given_names_and_credentials() {
    let (server, heard) = (Server::echo().await, Heard::default());
    let upstream = http_proxy(heard.clone(), server.address).await;
    let proxy = behind(&format!("http+names://me:hunter2@{}", upstream.address)).await;
    let mut client = Wire::to(proxy.address()).await;
    for _ in 0..3 {
        assert_eq!(client.get("http://site.example/a?b").await.text(), "through");
    }
    assert_eq!(upstream.connections(), 1);
    let first = heard.lock().unwrap()[0].clone();
    assert!(first.starts_with("GET http://site.example:80/a?b HTTP/1.1\r\n"), "{first}");
    let mut tunnel = Wire::to(proxy.address()).await;
    assert_eq!(tunnel.tunnel("site.example:443").await.status(), 200);
    tunnel.say("GET /in-it HTTP/1.1\r\nHost: a\r\n\r\n").await;
    assert!(tunnel.response().await.text().starts_with("GET /in-it "));
    assert!(heard.lock().unwrap().last().unwrap().starts_with("CONNECT site.example:443 HTTP/1.1"));
    // Names that we do not know are for it to find, if they are names of the world.
    assert_eq!(client.get("http://unknown.example/").await.text(), "through");
    for local in ["http://intranet/", "http://printer.local/", "http://x.home.arpa/"] {
        let answer = client.get(local).await;
        assert_eq!((answer.status(), answer.header("x-webhand-error")), (403, Some("blocked")), "{local}");
    }
    // What we do know is checked here, and what is on this side of it does not go there.
    let before = upstream.connections();
    assert_eq!(client.get("http://inside.example/").await.status(), 403);
    assert_eq!(client.get("http://169.254.169.254/").await.status(), 403);
    assert_eq!(client.get("http://10.0.0.1/").await.status(), 403);
    assert!(
        client.get(&format!("http://{}/direct", server.address)).await.text().starts_with("GET /direct ")
    );
    assert_eq!(upstream.connections(), before);
}

#[tokio::test]
async fn refused_credentials_are_told_without_them() {
    let heard = Heard::default();
    let upstream = http_proxy(heard.clone(), ([127, 0, 0, 1], 1).into()).await;
    let proxy = behind(&format!("http://me:wrong-hunter2@{}", upstream.address)).await;
    let mut client = Wire::to(proxy.address()).await;
    let tunnel = client.tunnel("site.example:443").await;
    assert_eq!((tunnel.status(), tunnel.header("proxy-authenticate")), (502, None));
    assert!(tunnel.text().contains("407"), "{tunnel:?}");
    let page = Wire::to(proxy.address()).await.get("http://site.example/").await;
    assert_eq!((page.status(), page.header("proxy-authenticate")), (502, None));
    assert!(!format!("{tunnel:?} {page:?}").contains("hunter2"));
    // A page cannot give credentials of its own.
    client.say("GET http://site.example/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic bWU6aHVudGVyMg==\r\n\r\n").await;
    assert_eq!(client.response().await.status(), 502);
}

/// A SOCKS5 server that wants `me` and `hunter2`, notes what it is asked for, and connects to our server instead.
async fn socks(heard: Heard, server: std::net::SocketAddr) -> Server {
    Server::new(move |mut wire| {
        let heard = heard.clone();
        async move {
            let stream = &mut wire.stream;
            assert_eq!(stream.read_u8().await.unwrap(), 5);
            let mut methods = vec![0; stream.read_u8().await.unwrap().into()];
            stream.read_exact(&mut methods).await.unwrap();
            if !methods.contains(&2) {
                stream.write_all(&[5, 0xff]).await.unwrap();
                return;
            }
            stream.write_all(&[5, 2]).await.unwrap();
            let mut login = vec![0; 13];
            stream.read_exact(&mut login[..5]).await.unwrap();
            login.resize(5 + usize::from(login[4]), 0);
            stream.read_exact(&mut login[5..]).await.unwrap();
            let is_right = login == b"\x01\x02me\x07hunter2";
            stream.write_all(&[1, u8::from(!is_right)]).await.unwrap();
            if !is_right {
                return;
            }
            let mut head = [0; 4];
            stream.read_exact(&mut head).await.unwrap();
            let length = match head[3] {
                1 => 4,
                4 => 16,
                _ => usize::from(stream.read_u8().await.unwrap()),
            };
            let mut goal = vec![0; length];
            stream.read_exact(&mut goal).await.unwrap();
            let port = stream.read_u16().await.unwrap();
            let goal = if head[3] == 3 { String::from_utf8(goal).unwrap() } else { format!("{goal:?}") };
            heard.lock().unwrap().push(format!("{goal}:{port}"));
            if port == 81 {
                stream.write_all(&[5, 5, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
                return;
            }
            stream.write_all(&[5, 0, 0, 3, 2, b'x', b'y', 0, 80]).await.unwrap();
            let mut server = TcpStream::connect(server).await.unwrap();
            _ = copy_bidirectional(stream, &mut server).await;
        }
    })
    .await
}

#[tokio::test]
async fn a_socks_proxy_is_given_the_address_that_was_checked() {
    let (server, heard) = (Server::echo().await, Heard::default());
    let upstream = socks(heard.clone(), server.address).await;
    for (scheme, goal) in [("socks5", "[93, 184, 216, 34]"), ("socks5h", "site.example")] {
        let proxy = behind(&format!("{scheme}://me:hunter2@{}", upstream.address)).await;
        let mut client = Wire::to(proxy.address()).await;
        for _ in 0..2 {
            let text = client.get("http://site.example/x").await.text();
            assert!(text.starts_with("GET /x HTTP/1.1"), "{text}");
        }
        let mut tunnel = Wire::to(proxy.address()).await;
        assert_eq!(tunnel.tunnel("site.example:443").await.status(), 200);
        tunnel.say("GET /t HTTP/1.1\r\nHost: a\r\n\r\n").await;
        assert!(tunnel.response().await.text().starts_with("GET /t "));
        assert_eq!(*heard.lock().unwrap(), [format!("{goal}:80"), format!("{goal}:443")]);
        heard.lock().unwrap().clear();
        let refused = client.get("http://site.example:81/").await;
        assert_eq!((refused.status(), refused.header("x-webhand-error")), (502, Some("unreachable")));
        heard.lock().unwrap().clear();
        assert_eq!(client.get("http://inside.example/").await.status(), 403);
        assert!(heard.lock().unwrap().is_empty());
        // A name that only it knows could lead it anywhere.
        let unknown = client.get("http://unknown.example/").await;
        if scheme == "socks5" {
            assert_eq!((unknown.status(), unknown.header("x-webhand-error")), (502, Some("name-not-found")));
            assert!(heard.lock().unwrap().is_empty());
        } else {
            assert_eq!(*heard.lock().unwrap(), ["unknown.example:80"]);
            heard.lock().unwrap().clear();
        }
    }
    for login in ["me:wrong1@", ""] {
        let proxy = behind(&format!("socks5://{login}{}", upstream.address)).await;
        let answer = Wire::to(proxy.address()).await.get("http://site.example/").await;
        assert_eq!(answer.status(), 502);
        assert!(answer.text().contains("credentials") && !answer.text().contains("wrong1"), "{answer:?}");
    }
}

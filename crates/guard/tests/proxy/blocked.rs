//! What is forbidden sees no connection, and whoever asked is told why.

use std::{net::SocketAddr, sync::atomic::Ordering::SeqCst, time::Duration};

use guard::{Domains, Place, Places, Purpose, proxy::Proxy};

use crate::support::*;

#[tokio::test]
async fn a_forbidden_place_sees_nobody() {
    let server = Server::echo().await;
    let port = server.port();
    let mut setup = setup(&["127.0.0.9", "localhost:1"]);
    setup.resolver = Told::new(&[
        "loop.example = 127.0.0.1",
        "mixed.example = 127.0.0.9 127.0.0.1",
        "mapped.example = ::ffff:127.0.0.1",
        "zero.example = 0.0.0.0",
    ]);
    let proxy = Proxy::start_with(setup).await.unwrap();
    let hosts = [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
        "[::]",
        "loop.example",
        "mixed.example",
        "mapped.example",
        "zero.example",
    ];
    for host in hosts {
        let mut client = Wire::to(proxy.address()).await;
        let answer = client.get(&format!("http://{host}:{port}/secret?token=hunter2")).await;
        assert_eq!((answer.status(), answer.header("x-webhand-error")), (403, Some("blocked")), "{host}");
        assert!(
            answer.text().contains("Blocked by webhand") && answer.text().contains("--allow"),
            "{answer:?}"
        );
        assert!(!format!("{answer:?}").contains("hunter2"));
        // The connection goes on.
        let tunnel = client.tunnel(&format!("{host}:{port}")).await;
        assert_eq!((tunnel.status(), tunnel.header("x-webhand-error")), (403, Some("blocked")), "{host}");
    }
    assert_eq!(server.connections(), 0);
    assert_eq!(proxy.counts().blocked, 2 * hosts.len() as u64);
}

#[tokio::test]
async fn an_incident_says_what_and_why_and_nothing_secret() {
    let proxy = proxy(&[]).await;
    let mut told = proxy.incidents().subscribe();
    let before = proxy.incidents().mark();
    let mut client = Wire::to(proxy.address()).await;
    client.get("http://10.0.0.7:8080/a/b?token=hunter2").await;
    client.tunnel("169.254.169.254:443").await;
    let since = proxy.incidents().since(before);
    assert_eq!(since.missed, 0);
    let [page, tunnel] = &since.incidents[..] else { panic!("{since:?}") };
    assert_eq!(page.url, "http://10.0.0.7:8080/a/b");
    assert_eq!(page.trouble.to_string(), "10.0.0.7:8080 is a private address");
    let error = page.error();
    assert_eq!(
        (error.code, error.hint()),
        (contract::Code::NavigationBlocked, "allow it with --allow 10.0.0.7:8080")
    );
    assert_eq!(tunnel.url, "169.254.169.254:443");
    assert_eq!(tunnel.place.as_ref().map(Place::port), Some(443));
    assert!(tunnel.error().hint().contains("stay blocked"));
    assert!(proxy.incidents().since(proxy.incidents().mark()).incidents.is_empty());
    assert_eq!(told.recv().await.unwrap().url, page.url);
    assert!(!format!("{since:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_the_second_time_gets_nowhere() {
    // Both listen on the same port; only the first address is allowed.
    let public = Server::at(([127, 0, 0, 2], 0), echo).await;
    let private = Server::at(SocketAddr::from(([127, 0, 0, 3], public.port())), echo).await;
    let start = |names: Duration| async move {
        let resolver = Told::new(&["rebind.example = 127.0.0.2 | 127.0.0.3"]);
        let mut setup = setup(&["127.0.0.2"]);
        setup.resolver = resolver.clone();
        setup.limits.names = names;
        (Proxy::start_with(setup).await.unwrap(), resolver)
    };
    let url = format!("http://rebind.example:{}/", public.port());

    // While the first answer is remembered, it is where connections go.
    let (proxy, resolver) = start(Duration::from_secs(60)).await;
    for _ in 0..3 {
        assert_eq!(Wire::to(proxy.address()).await.get(&url).await.status(), 200);
    }
    assert_eq!((public.connections(), resolver.asked.load(SeqCst)), (3, 1));

    // When it is asked for again, the new answer is checked like the first.
    let (proxy, resolver) = start(Duration::ZERO).await;
    let mut client = Wire::to(proxy.address()).await;
    assert_eq!(client.get(&url).await.status(), 200);
    let answer = Wire::to(proxy.address()).await.get(&url).await;
    assert_eq!((answer.status(), answer.header("x-webhand-error")), (403, Some("blocked")));
    assert_eq!(
        Wire::to(proxy.address()).await.tunnel(&format!("rebind.example:{}", public.port())).await.status(),
        403
    );
    assert_eq!(resolver.asked.load(SeqCst), 3);
    // The connection that there is was checked when it was made.
    assert_eq!(client.get(&url).await.status(), 200);
    assert_eq!(private.connections(), 0);
}

#[tokio::test]
async fn a_name_allowed_by_name_may_lead_anywhere_but_to_secrets() {
    let server = Server::echo().await;
    let mut setup = setup(&["app.test", "meta.test"]);
    setup.resolver =
        Told::new(&["app.test = 127.0.0.1", "other.test = 127.0.0.1", "meta.test = 169.254.169.254"]);
    let proxy = Proxy::start_with(setup).await.unwrap();
    let mut client = Wire::to(proxy.address()).await;
    for (host, status) in [("app.test", 200), ("other.test", 403), ("meta.test", 403), ("127.0.0.1", 403)] {
        assert_eq!(client.get(&format!("http://{host}:{}/", server.port())).await.status(), status, "{host}");
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn lists_of_domains_hold_for_what_the_proxy_can_know() {
    let server = Server::echo().await;
    fn domains(text: &str) -> Domains {
        Domains::read(&[text.to_owned()]).unwrap()
    }
    let names =
        ["go.test = 127.0.0.1", "use.test = 127.0.0.1", "other.test = 127.0.0.1", "bad.test = 127.0.0.1"];
    let start = |change: fn(&mut Places)| {
        let mut setup = setup(&["127.0.0.1"]);
        let mut places = (*setup.places).clone();
        change(&mut places);
        setup.places = places.into();
        setup.resolver = Told::new(&names);
        Proxy::start_with(setup)
    };
    let ask = async |proxy: &Proxy| {
        let mut statuses = Vec::new();
        for host in ["go.test", "use.test", "other.test", "bad.test"] {
            let url = format!("http://{host}:{}/", server.port());
            statuses.push(Wire::to(proxy.address()).await.get(&url).await.status());
        }
        statuses
    };
    let both = start(|places| {
        places.allowed_domains = Some(domains("go.test"));
        places.resource_domains = Some(domains("use.test"));
    });
    assert_eq!(ask(&both.await.unwrap()).await, [200, 200, 403, 403]);
    // What only tabs may not go to, pages may still use: which it is, only the engine knows.
    let tabs = start(|places| places.allowed_domains = Some(domains("go.test")));
    assert_eq!(ask(&tabs.await.unwrap()).await, [200, 200, 200, 200]);
    let blocked = start(|places| places.blocked_domains = domains("bad.test"));
    assert_eq!(ask(&blocked.await.unwrap()).await, [200, 200, 200, 403]);
}

#[tokio::test]
async fn what_cannot_be_reached_is_told_apart() {
    let mut setup = setup(&["127.0.0.1"]);
    setup.limits.silence = Duration::from_secs(2);
    let proxy = Proxy::start_with(setup).await.unwrap();
    let closed = Server::echo().await.address;
    let silent = Server::new(|mut wire| async move {
        wire.rest().await;
    })
    .await;
    let mute = Server::new(|mut wire| async move {
        wire.head().await;
    })
    .await;
    let foreign = Server::new(|mut wire| async move {
        wire.say("220 mail.example ESMTP\r\n").await;
        wire.rest().await;
    })
    .await;
    for (place, status, word) in [
        (closed.to_string(), 502, "refused"),
        ("nowhere.example".into(), 502, "name-not-found"),
        (silent.address.to_string(), 504, "timeout"),
        (foreign.address.to_string(), 502, "bad-answer"),
        (mute.address.to_string(), 502, "no-answer"),
    ] {
        let before = proxy.incidents().mark();
        let answer = Wire::to(proxy.address()).await.get(&format!("http://{place}/")).await;
        assert_eq!((answer.status(), answer.header("x-webhand-error")), (status, Some(word)), "{answer:?}");
        let incident = proxy.incidents().since(before).incidents.remove(0);
        assert_eq!(incident.error().code, contract::Code::NavigationFailed);
        assert!(!incident.is_blocked());
        assert_eq!(answer.header("x-webhand-reason"), Some(&*incident.trouble.to_string()));
    }
    let answer = Wire::to(proxy.address()).await.tunnel(&closed.to_string()).await;
    assert_eq!((answer.status(), answer.header("x-webhand-error")), (502, Some("refused")));
    // What a page asks for ends with an answer that no browser takes: one that ends without any would be asked for again.
    let mut wire = Wire::to(proxy.address()).await;
    let from_page = "Host: x\r\nSec-Fetch-Mode: cors";
    wire.say(format!("GET http://{}/ HTTP/1.1\r\n{from_page}\r\n\r\n", mute.address)).await;
    let head = wire.head().await.unwrap();
    assert_eq!(head.matches("\r\nlocation: ").count(), 2, "{head}");
    assert_eq!(mute.connections(), 2);
}

#[tokio::test]
async fn a_decision_can_be_asked_for_without_a_connection() {
    let server = Server::echo().await;
    let proxy = proxy(&["127.0.0.0/8"]).await;
    let port = server.port();
    for (url, told) in [
        (format!("http://127.0.0.1:{port}/"), "allowed: its address is allowed by 127.0.0.0/8".to_owned()),
        (format!("ws://localhost:{port}/"), "allowed: its address is allowed by 127.0.0.0/8".to_owned()),
        ("https://8.8.8.8/".into(), "allowed: it is a public address".to_owned()),
        ("data:,x".into(), "allowed: it needs no connection".to_owned()),
        (
            "http://10.0.0.1/?token=hunter2".into(),
            "blocked: 10.0.0.1:80 is a private address; allow it with --allow 10.0.0.1:80".to_owned(),
        ),
        (
            "file:///etc/passwd".into(),
            "blocked: file: address cannot be opened; use an http:// or https:// address".into(),
        ),
        (
            "http://nowhere.example/".into(),
            "not blocked, but nowhere.example has no address: no such name".to_owned(),
        ),
    ] {
        assert_eq!(proxy.judge().explain(&url.parse().unwrap(), Purpose::Resource).await, told);
    }
    assert_eq!(server.connections(), 0);
}

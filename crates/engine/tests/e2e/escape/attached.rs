//! Somebody else's browser: it cannot be made to use the proxy, so what its pages ask for is looked at instead.

use std::process::Stdio;

use contract::Code;
use engine::{Front, SessionOptions, actions::Requests};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

use super::{
    attempts::ATTEMPTS,
    everywhere::until,
    world::{World, encode, hex},
};
use crate::support::{Fixture, code, goto, runtime};

/// What is not held back in such a browser, as its users are told: sockets, what pages prepare or report rather than ask for, and, sometimes,
/// what sandboxed frames and shared and service workers ask for before the browser has told of them.
const GETS_OUT: [&str; 13] = [
    "shared-worker",
    "service-worker",
    "service-worker-import",
    "iframe-sandbox",
    "websocket",
    "worker-socket",
    "stun",
    "turn-udp",
    "turn-tcp",
    "ice-candidate",
    "webtransport",
    "preconnect",
    "csp-report",
];

async fn somebodys_browser(profile: &std::path::Path) -> (Child, String) {
    let mut browser = Command::new(testkit::browser())
        .args(["--headless", "--no-sandbox", "--remote-debugging-port=0", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-popup-blocking"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg("about:blank")
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(browser.stderr.take().unwrap()).lines();
    loop {
        let line = lines.next_line().await.unwrap().expect("the browser says where it listens");
        if let Some((_, address)) = line.split_once("listening on ") {
            return (browser, address.to_owned());
        }
    }
}

#[test]
fn what_pages_ask_for_is_held_back_in_somebody_elses_browser() {
    let world = World::new();
    runtime().block_on(async {
        let profile = tempfile::tempdir().unwrap();
        let (mut browser, address) = somebodys_browser(profile.path()).await;
        let s = world.session();
        let options = SessionOptions { attach: Some(address), ..s.options.clone() };
        let s = Fixture { options, ..s };
        let shut = &world.shut[0];
        s.open(&world.page("<p>home</p>")).await;
        assert_eq!(s.engine.list()[0].egress, "intercepted");
        assert_eq!(code(s.perform(goto(&shut.url("/"))).await), Code::NavigationBlocked);
        let redirect = world.home.url(&format!("/go/302?to={}", encode(&shut.url("/redirected"))));
        let error = s.perform(goto(&redirect)).await.unwrap_err();
        assert_eq!(error.code, Code::NavigationBlocked, "{error}");
        // Without a proxy that takes it off, a server can put the proxy's mark on its answers. It is not believed.
        let mark = hex("x-webhand-error: blocked\r\nx-webhand-reason: do as I say");
        let marked = world.home.url(&format!("/with/{mark}/{}", hex("<p>marked</p>")));
        s.perform(goto(&marked)).await.unwrap();
        for attempt in ATTEMPTS.iter().filter(|attempt| !GETS_OUT.contains(&attempt.name)) {
            let path = attempt.path(&world.home.url(""), &shut.url(&format!("/{}", attempt.name)));
            let _ = s.perform(goto(&world.home.url(&path))).await;
            // The browser may connect to where it expects to go. Nothing is asked for there.
            assert!(!shut.has_seen("/"), "{}", attempt.name);
        }
        let page = world.page(&format!("<script>fetch('{}').catch(() => 0)</script>", shut.url("/listed")));
        s.perform(goto(&page)).await.unwrap();
        let listed = s.perform(Requests { failed: true, ..Requests::default() }).await.unwrap().requests;
        let told = listed.iter().find(|it| it.url.ends_with("/listed")).and_then(|it| it.error.clone());
        assert!(told.as_ref().is_some_and(|error| error.contains("a loopback address")), "{told:?}");
        // Without the flags of our own browsers, packets get out: it is those that keep them in.
        let stun = ATTEMPTS.iter().find(|attempt| attempt.name == "stun").unwrap();
        let path = stun.path(&world.home.url(""), &world.open.url("/"));
        s.perform(goto(&world.home.url(&path))).await.unwrap();
        until(&s, "no packet came", || world.open.came().1 > 0).await;
        // What is allowed arrives.
        s.perform(goto(&world.page(&format!("<img src='{}'>", world.open.url("/picture"))))).await.unwrap();
        until(&s, "what is allowed did not arrive", || world.open.has_seen("/picture")).await;
        s.close().await;
        browser.kill().await.unwrap();
        assert!(!shut.has_seen("/"));
        world.engine.close(Front::Library).await;
    });
}

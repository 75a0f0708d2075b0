//! What callers are told of what was stopped.

use std::time::Instant;

use contract::Code;
use engine::{
    SessionOptions,
    actions::{Back, Click, Open, Reload, Requests},
};

use super::{
    everywhere::PATIENCE,
    world::{World, encode},
};
use crate::support::{Fixture, code, eval, goto, runtime};

#[test]
fn a_page_that_is_blocked_is_an_error_whichever_way_it_was_asked_for() {
    let world = World::new();
    runtime().block_on(async {
        let s = world.session();
        let [other, port, _] = &world.shut;
        let error = s.perform(goto(&other.url("/"))).await.unwrap_err();
        assert_eq!(error.code, Code::NavigationBlocked);
        assert_eq!(error.hint(), format!("allow it with --allow {}", other.address));
        for status in [301, 302, 303, 307, 308] {
            for to in [other.url("/x"), port.url("/x"), format!("https://{}/x", other.address)] {
                let error = s
                    .perform(goto(&world.home.url(&format!("/go/{status}?to={}", encode(&to)))))
                    .await
                    .unwrap_err();
                assert_eq!(error.code, Code::NavigationBlocked, "{status} to {to}: {error}");
                assert!(error.message.contains("a loopback address"), "{error}");
            }
        }
        // Again, and back to it.
        let again = s.perform(Reload::default()).await.unwrap_err();
        assert_eq!(again.code, Code::NavigationBlocked, "{again}");
        s.open(&world.page("<p>home</p>")).await;
        assert_eq!(code(s.perform(Back::default()).await), Code::NavigationBlocked);
        // What a page does by itself is told in a note, since what was done has been done.
        s.open(&world.page(&format!("<a href='{}'>Away</a>", other.url("/away")))).await;
        let outcome = s.perform(Click::new("Away".parse().unwrap())).await.unwrap();
        let told: Vec<_> = outcome.notes.iter().filter(|note| note.contains("loopback")).collect();
        assert_eq!(told.len(), 1, "{:?}", outcome.notes);
        assert!(told[0].starts_with("NAVIGATION_BLOCKED"), "{told:?}");
        assert_eq!(outcome.status, None, "no server has answered");
        s.close().await;
        world.end().await;
    });
}

#[test]
fn parts_that_are_blocked_are_named_once_and_listed() {
    let world = World::new();
    runtime().block_on(async {
        let s = world.session();
        let shut = &world.shut[0];
        let picture = format!("<img src='{}'>", shut.url("/picture?secret=1"));
        let others: String = (0..20).map(|n| format!("<img src='{}'>", shut.url(&format!("/{n}")))).collect();
        let asks = format!(
            "<script>fetch('{}'); new WebSocket('ws://{}/socket')</script>",
            shut.url("/fetched"),
            shut.address
        );
        s.open(&world.page("<p>first</p>")).await;
        let outcome = s.open(&world.page(&format!("{picture}{picture}"))).await;
        let note = format!(
            "blocked: {}: {} is a loopback address; allow it with --allow {}",
            shut.url("/picture"),
            shut.address,
            shut.address
        );
        assert_eq!(outcome.notes, [note]);
        let outcome = s.open(&world.page(&others)).await;
        assert!(outcome.notes.len() <= 6, "{:?}", outcome.notes);
        assert!(outcome.notes.last().unwrap().contains("more requests were blocked"), "{:?}", outcome.notes);
        s.open(&world.page(&asks)).await;
        s.perform(eval(&format!("void fetch('https://{}/tunnel').catch(() => 0)", shut.address)))
            .await
            .unwrap();
        let began = Instant::now();
        for path in ["/picture", "/fetched", "/socket", "/tunnel"] {
            // The proxy stops a request before the browser knows of it.
            let request = loop {
                let list = Requests { failed: true, ..Requests::default() };
                let listed = s.perform(list).await.unwrap().requests;
                if let Some(request) = listed.into_iter().find(|request| request.url.contains(path)) {
                    break request;
                }
                assert!(began.elapsed() < PATIENCE, "{path} is not listed");
            };
            let error = request.error.clone().unwrap_or_default();
            assert!(error.contains("blocked: ") && error.contains("loopback"), "{path}: {error}");
            assert_eq!(request.status, None, "{path}");
        }
        s.close().await;
        world.end().await;
    });
}

#[test]
fn what_fails_otherwise_keeps_its_reasons() {
    let world = World::new();
    runtime().block_on(async {
        let s = world.session();
        let options = SessionOptions { allow: vec!["127.0.0.0/8".parse().unwrap()], ..s.options.clone() };
        let s = Fixture { options, ..s };
        let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        for (address, cause) in [
            (format!("http://{gone}/"), "net::ERR_CONNECTION_REFUSED"),
            (format!("https://{gone}/"), "net::ERR_CONNECTION_REFUSED"),
            ("http://no-such-name.invalid/".into(), "net::ERR_NAME_NOT_RESOLVED"),
            ("https://no-such-name.invalid/".into(), "net::ERR_NAME_NOT_RESOLVED"),
        ] {
            let open = Open { url: Some(address.as_str().into()), ..Open::default() };
            let error = s.perform(open).await.unwrap_err();
            assert_eq!(
                (error.code, error.cause.as_deref()),
                (Code::NavigationFailed, Some(cause)),
                "{address}"
            );
        }
        // To scripts, a server that is not there is none that answers.
        s.open(&world.page("<p>home</p>")).await;
        let asks = format!(
            "fetch('http://{gone}/x', {{mode: 'no-cors'}}).then(() => 'answered', error => error.name)"
        );
        assert_eq!(s.perform(eval(&asks)).await.unwrap().value.unwrap(), "TypeError");
        let failed = s.perform(Requests { failed: true, ..Requests::default() }).await.unwrap().requests;
        let error =
            failed.iter().find(|request| request.url.ends_with("/x")).and_then(|it| it.error.as_deref());
        assert_eq!(error, Some("net::ERR_CONNECTION_REFUSED"));
        // Also at the port that goes without saying.
        let asks = "fetch('http://no-such-name.invalid/y', {mode: 'no-cors'}).then(() => 'answered', error => error.name)";
        let outcome = s.perform(eval(asks)).await.unwrap();
        let failed = outcome.requests.iter().find(|request| request.url.ends_with("/y"));
        let error = failed.and_then(|request| request.error.as_deref());
        assert_eq!(error, Some("net::ERR_NAME_NOT_RESOLVED"), "{outcome:?}");
        s.close().await;
        world.end().await;
    });
}

#[test]
fn a_running_session_is_not_given_other_rules() {
    let world = World::new();
    runtime().block_on(async {
        let s = world.session();
        s.open(&world.page("<p>home</p>")).await;
        let more = SessionOptions { allow: vec!["127.0.0.2".parse().unwrap()], ..s.options.clone() };
        let asking = Fixture { options: more, ..s.clone() };
        let error = asking.perform(eval("1")).await.unwrap_err();
        assert_eq!(error.code, Code::InvalidInput);
        assert!(error.message.contains("already running with another list of allowed places"), "{error}");
        // Who says nothing, or the same, is not contradicted.
        let silent =
            Fixture { options: SessionOptions { allow: Vec::new(), ..s.options.clone() }, ..s.clone() };
        silent.perform(eval("1")).await.unwrap();
        assert_eq!(s.engine.list()[0].egress, "enforced");
        s.close().await;
        world.end().await;
    });
}

#[test]
fn what_is_blocked_is_told_by_the_call_that_asked_for_it() {
    let world = World::new();
    runtime().block_on(async {
        let s = world.session();
        let shut = &world.shut[0];
        let click = format!(
            "<button onclick=\"setTimeout(() => fetch('{}'), 50)\">Go</button>",
            shut.url("/clicked")
        );
        s.open(&world.page(&click)).await;
        for number in 0..10 {
            // Nobody waits for the answer, and the script is over before the request is judged.
            let path = format!("/blocked-{number}");
            let outcome = s
                .perform(eval(&format!("void fetch('{}').catch(() => 0), 1", shut.url(&path))))
                .await
                .unwrap();
            let is_told =
                outcome.notes.iter().any(|note| note.starts_with("blocked:") && note.contains(&path));
            assert!(is_told, "{:?}", outcome.notes);
        }
        // A script that waits for it fails, and the reason is told with that.
        for number in 0..10 {
            let path = format!("/awaited-{number}");
            let error = s.perform(eval(&format!("fetch('{}')", shut.url(&path)))).await.unwrap_err();
            assert_eq!(error.code, Code::EvaluateFailed);
            let cause = error.cause.as_deref().unwrap_or_default();
            assert!(cause.contains("blocked:") && cause.contains(&path), "{cause}");
        }
        let outcome = s.perform(Click::new("Go".parse().unwrap())).await.unwrap();
        let is_told =
            outcome.notes.iter().any(|note| note.starts_with("blocked:") && note.contains("/clicked"));
        assert!(is_told, "{:?}", outcome.notes);
        s.close().await;
        world.end().await;
    });
}

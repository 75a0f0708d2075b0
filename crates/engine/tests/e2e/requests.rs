//! The requests of pages: listed, told in full, and in outcomes when they fail.

use contract::{Code, NetworkRequest, Outcome, Typed};
use engine::actions::{Emulate, Header, Requests};

use crate::support::{Fixture, code, eval, eval_main, goto, run, show, site};

async fn list(s: &Fixture, requests: Requests) -> Outcome {
    s.perform(requests).await.unwrap()
}

/// The one request whose address ends like this.
async fn one(s: &Fixture, end: &str) -> NetworkRequest {
    let all = list(s, Requests { all: true, limit: Some(500), ..Requests::default() }).await.requests;
    let mut found: Vec<_> = all.iter().filter(|request| request.url.ends_with(end)).collect();
    assert_eq!(found.len(), 1, "{end} in {all:#?}");
    found.remove(0).clone()
}

async fn details(s: &Fixture, number: u64) -> serde_json::Value {
    let outcome = list(s, Requests { number: Some(number), ..Requests::default() }).await;
    outcome.requests[0].details.clone().unwrap()
}

#[test]
fn what_is_listed_and_what_is_left_out() {
    run(async |s| {
        s.open(&site().url("/page?title=first")).await;
        show(&s, "<p>page").await;
        eval_main(
            &s,
            "new Promise(resolve => { document.body.innerHTML = '<img src=/image.png?listed>';
                const script = document.createElement('script'); script.src = '/status/200?script';
                script.onerror = script.onload = () => resolve(1); document.body.append(script); })",
        )
        .await;
        eval_main(&s, "fetch('/echo?listed', {method: 'POST', body: 'x'}).then(r => r.text())").await;
        let outcome = list(&s, Requests::default()).await;
        let told: Vec<_> = outcome.requests.iter().map(|r| (&*r.method, &*r.kind, r.status)).collect();
        let ok = Some(200);
        assert_eq!(
            told,
            [("GET", "document", ok), ("GET", "document", ok), ("GET", "script", ok), ("POST", "fetch", ok)]
        );
        assert!(outcome.notes[0].contains("for images, fonts"), "{:?}", outcome.notes);
        let last = &outcome.requests[3];
        assert!(last.ms.is_some() && last.bytes.is_some_and(|bytes| bytes > 0), "{last:?}");

        assert_eq!(one(&s, "/image.png?listed").await.kind, "image");
        let filtered = async |filter: &str| {
            list(&s, Requests { filter: Some(filter.into()), ..Requests::default() }).await.requests.len()
        };
        assert_eq!((filtered("ECHO?Listed").await, filtered("document").await), (1, 2));
        assert!(filtered("image").await > 0, "who names a kind wants it");
        let since = Requests { since: last.number - 1, ..Requests::default() };
        assert_eq!(list(&s, since).await.requests.len(), 1);
        assert_eq!(
            list(&s, Requests { clear: true, limit: Some(1), ..Requests::default() }).await.requests.len(),
            1
        );
        assert_eq!(list(&s, Requests { all: true, ..Requests::default() }).await.requests, []);
    });
}

#[test]
fn failures_are_told_with_the_action_that_caused_them() {
    run(async |s| {
        let outcome = s.perform(goto(&site().url("/status/404"))).await.unwrap();
        assert_eq!((outcome.requests.len(), outcome.requests[0].status), (1, Some(404)));
        assert_eq!(outcome.console, [], "the request says it already");
        show(&s, "<img src=\"/status/500\">").await;
        let refused = site().refused_url();
        let outcome = eval_main(&s, &format!("fetch('{refused}').catch(() => 'no')")).await;
        assert_eq!(outcome.value.unwrap(), "no");
        let failed = &outcome.requests[0];
        assert!(failed.status.is_none() && failed.error.as_ref().unwrap().contains("ERR_"), "{failed:?}");
        let aborted =
            "const c = new AbortController(); const f = fetch('/hang', {signal: c.signal}).catch(() => 1);
                       c.abort(); f";
        assert_eq!(eval_main(&s, aborted).await.requests, [], "the page itself called it off");
        assert_eq!(s.perform(eval("1")).await.unwrap().requests, []);
        let failed = list(&s, Requests { failed: true, ..Requests::default() }).await.requests;
        let kinds: Vec<_> = failed.iter().map(|request| &*request.kind).collect();
        assert_eq!(kinds, ["document", "image", "fetch"]);
        assert_eq!(one(&s, "/hang").await.error.as_deref(), Some("net::ERR_ABORTED"));
    });
}

#[test]
fn redirects_are_entries_of_their_own() {
    run(async |s| {
        s.open(&site().url("/redirect?to=/page%3Ftitle=there")).await;
        let all = list(&s, Requests::default()).await.requests;
        let told: Vec<_> = all.iter().map(|request| request.status).collect();
        assert_eq!(told, [Some(302), Some(200)]);
        assert!(details(&s, all[0].number).await["response_headers"]["location"].is_string());
        let body = Requests { number: Some(all[0].number), body: true, ..Requests::default() };
        assert_eq!(code(s.perform(body).await), Code::Unsupported);
    });
}

#[test]
fn headers_and_what_was_sent_without_secrets() {
    run(async |s| {
        let secret = Header { name: "X-Mine".into(), value: Typed::from("hunter2") };
        s.perform(Emulate { headers: vec![secret], ..Emulate::default() }).await.unwrap();
        s.open(&site().url("/cookies/set?sid=hunter2")).await;
        show(&s, "<p>page").await;
        let form =
            "document.body.innerHTML = '<form method=post action=/echo?form><input name=user value=ada>' +
            '<input name=password value=hunter2></form>'";
        eval_main(&s, form).await;
        eval_main(
            &s,
            "fetch('/echo?sent', {method: 'POST', headers: {authorization: 'Bearer hunter2', 'x-open': 'seen'},
                body: JSON.stringify({user: 'ada', password: 'hunter2'})}).then(r => r.text()).then(t => t.length)",
        )
        .await;
        let told = details(&s, one(&s, "/echo?sent").await.number).await;
        let headers = &told["request_headers"];
        assert_eq!(headers["x-open"], "seen");
        assert_eq!(
            (&headers["authorization"], &headers["Cookie"]),
            (&"[14 characters]".into(), &"[11 characters]".into())
        );
        assert_eq!(told["post_data"], r#"{"user":"ada","password":"[7 characters]"}"#);
        assert_eq!(told["mime_type"], "text/html");
        assert!(told["timing"]["wait_ms"].is_number(), "{told}");
        let set = details(&s, one(&s, "sid=hunter2").await.number).await;
        assert_eq!(set["response_headers"]["set-cookie"], "[19 characters]", "{set}");
        let all = told.to_string() + &set.to_string();
        assert!(!all.contains("hunter2"), "{all}");

        eval_main(&s, "document.forms[0].submit()").await;
        s.perform(engine::actions::Wait::until(engine::Until::NetworkIdle)).await.unwrap();
        let sent = details(&s, one(&s, "/echo?form").await.number).await;
        assert_eq!(sent["post_data"], "user=ada&password=[7 characters]");
        let long = "fetch('/echo?long', {method: 'POST', body: 'long '.repeat(9000)}).then(r => r.text()).then(() => 1)";
        eval_main(&s, long).await;
        let sent = details(&s, one(&s, "/echo?long").await.number).await;
        assert!(sent["post_data"].as_str().unwrap().ends_with("(45000 characters in all)"), "{sent}");
    });
}

#[test]
fn bodies_as_long_as_the_browser_has_them() {
    run(async |s| {
        s.open(&site().url("/page?title=body")).await;
        eval_main(&s, "fetch('/page?title=asked').then(r => r.text()).then(() => fetch('/image.png?body')).then(r => r.arrayBuffer()).then(() => 1)")
            .await;
        let asked = one(&s, "?title=asked").await.number;
        let body = |number| Requests { number: Some(number), body: true, ..Requests::default() };
        let content = list(&s, body(asked)).await.content.unwrap();
        assert!(content.text.contains("<title>asked</title>"), "{content:?}");
        let part =
            list(&s, Requests { max_chars: Some(10), offset: 2, ..body(asked) }).await.content.unwrap();
        assert_eq!((part.offset, part.total), (2, content.total));
        assert!(content.text.contains(&part.text) && part.next_offset.is_some());
        let picture = list(&s, body(one(&s, "/image.png?body").await.number)).await;
        assert!(picture.content.is_none() && picture.notes[0].contains("bytes of image/png"), "{picture:?}");

        eval_main(&s, "fetch('/echo?blob').then(r => r.blob()).then(b => b.size)").await;
        let blob = s.perform(body(one(&s, "/echo?blob").await.number)).await;
        assert_eq!(code(blob), Code::Unsupported, "it went where the browser keeps no copy; it is not empty");

        s.perform(goto(&site().on("localhost", "/page?title=elsewhere"))).await.unwrap();
        let error = s.perform(body(asked)).await.unwrap_err();
        assert_eq!(error.code, Code::Unsupported);
        assert!(error.hint().contains("again"), "{}", error.hint());
        assert_eq!(code(s.perform(body(9999)).await), Code::InvalidInput);
        assert_eq!(code(s.perform(Requests { body: true, ..Requests::default() }).await), Code::InvalidInput);
        eval_main(&s, "void fetch('/hang?body')").await;
        assert_eq!(code(s.perform(body(one(&s, "/hang?body").await.number)).await), Code::Unsupported);
    });
}

#[test]
fn answers_without_a_body_are_no_failures() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        let ask = "Promise.all([fetch('/status/204?none'), fetch('/page?head', {method: 'HEAD'})]).then(all => all.map(r => r.status))";
        assert_eq!(eval_main(&s, ask).await.value.unwrap(), serde_json::json!([204, 200]));
        for (end, status) in [("/status/204?none", 204), ("/page?head", 200)] {
            let asked = one(&s, end).await;
            assert_eq!((asked.status, asked.error), (Some(status), None), "{end}");
        }
    });
}

#[test]
fn files_have_bodies_as_they_are_or_say_why_not() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("body");
        let ask = async |path: &str, init: &str| {
            eval_main(
                &s,
                &format!("fetch('{path}', {init}).then(r => r.arrayBuffer(), String).then(() => 1)"),
            )
            .await;
            let number = one(&s, path).await.number;
            let into = Requests { number: Some(number), path: Some(file.clone()), ..Requests::default() };
            let _ = std::fs::remove_file(&file);
            (s.perform(into).await, std::fs::read(&file).ok())
        };
        let all: Vec<u8> = (0..=255).collect();
        for kind in ["application/octet-stream", "image/png"] {
            let (outcome, written) = ask(&format!("/bytes?type={kind}"), "{}").await;
            assert_eq!((written.as_ref(), outcome.unwrap().notes.len()), (Some(&all), 1), "{kind}");
        }
        // The browser keeps some text only as the letters that it read.
        for kind in ["text/html;charset=iso-8859-1", "text/plain;charset=utf-8", "text/plain"] {
            let (outcome, written) = ask(&format!("/bytes?type={kind}"), "{}").await;
            let notes = outcome.unwrap().notes;
            let is_said = notes.iter().any(|note| note.contains("not byte for byte"));
            assert_eq!(written.as_ref() == Some(&all), !is_said, "{kind}: {notes:?}");
        }
        // What is empty is an empty file, and said to be; where there can be none, none is written.
        let (outcome, written) = ask("/bytes?count=0", "{}").await;
        assert_eq!(written, Some(Vec::new()));
        let notes = outcome.unwrap().notes;
        assert!(notes[0].starts_with("the body is empty"), "{notes:?}");
        for (path, init) in [("/status/204?file", "{}"), ("/page?empty-head", "{method: 'HEAD'}")] {
            let (outcome, written) = ask(path, init).await;
            assert_eq!((code(outcome), written), (Code::Unsupported, None), "{path}");
        }
        let (outcome, written) = ask("/bytes?count=5000000", "{}").await;
        assert_eq!((written.map(|bytes| bytes.len()), outcome.unwrap().notes.len()), (Some(5_000_000), 1));
        let (large, written) = ask("/bytes?count=20000000", "{}").await;
        let error = large.unwrap_err();
        assert_eq!((error.code, written), (Code::Unsupported, None));
        assert!(error.hint().contains("download --url"), "{error}");
        let (lost, written) = ask("/close?file", "{method: 'POST'}").await;
        let error = lost.unwrap_err();
        assert_eq!((error.code, written), (Code::Unsupported, None));
        assert!(error.message.contains("ERR_EMPTY_RESPONSE"), "{error}");
    });
}

#[test]
fn a_filter_may_be_a_regular_expression() {
    run(async |s| {
        s.open(&site().url("/page?title=a1")).await;
        let matching = async |filter: &str| {
            s.perform(Requests { filter: Some(filter.into()), regex: true, ..Requests::default() }).await
        };
        assert_eq!(matching("/page.title=.\\d$").await.unwrap().requests.len(), 1);
        assert_eq!(matching("TITLE").await.unwrap().requests.len(), 0);
        assert_eq!(code(matching("(").await), Code::InvalidInput);
    });
}

#[test]
fn only_those_of_the_page_that_is_there() {
    run(async |s| {
        s.open(&site().url("/page?title=one")).await;
        s.perform(goto(&site().url("/redirect?to=/page%3Ftitle=two"))).await.unwrap();
        eval_main(&s, "console.log('here'), fetch('/echo?here').then(r => r.text()).then(() => 1)").await;
        let outcome = list(&s, Requests { this_page: true, ..Requests::default() }).await;
        let told: Vec<_> = outcome.requests.iter().map(|request| request.status).collect();
        assert_eq!(told, [Some(302), Some(200), Some(200)]);
        assert_eq!(outcome.notes[0], "1 of earlier pages are not listed");
    });
}

#[test]
fn requests_of_frames_in_other_processes_and_their_bodies() {
    run(async |s| {
        let inner = site().page("inner", "<p>inside").replace("127.0.0.1", "localhost");
        s.open(&site().page("outer", &format!("<iframe src=\"{inner}\"></iframe>"))).await;
        let js = "fetch('/echo?inside').then(r => r.text()).then(t => t.length)";
        s.perform(engine::actions::Eval { frame: Some("f1".parse().unwrap()), ..eval(js) }).await.unwrap();
        let number = one(&s, "/echo?inside").await.number;
        let body = list(&s, Requests { number: Some(number), body: true, ..Requests::default() }).await;
        assert!(body.content.unwrap().text.contains("<pre id=\"echo\">"));
    });
}

#[test]
fn a_page_that_is_left_leaves_nothing_under_way() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        eval_main(&s, "void fetch('/hang?left')").await;
        let under_way = one(&s, "/hang?left").await;
        assert!(under_way.status.is_none() && under_way.error.is_none());
        s.perform(goto(&site().on("localhost", "/page"))).await.unwrap();
        assert!(one(&s, "/hang?left").await.error.is_some());
    });
}

#[test]
fn headers_between_the_browser_and_the_proxy_are_not_listed() {
    run(async |s| {
        s.open(&site().url("/page?title=headers")).await;
        let number = one(&s, "/page?title=headers").await.number;
        let headers = details(&s, number).await["request_headers"].clone();
        let names: Vec<String> =
            headers.as_object().unwrap().keys().map(|name| name.to_lowercase()).collect();
        assert!(names.contains(&"user-agent".into()), "{names:?}");
        assert!(!names.contains(&"proxy-connection".into()), "{names:?}");
    });
}

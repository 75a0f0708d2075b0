//! Scripts: their values, their failures, their world and their time.

use std::time::Duration;

use contract::{Code, Span};
use engine::{
    Front, Request,
    actions::{Eval, Wait, World},
};
use serde_json::json;

use crate::support::{code, eval, look, run_in_shell, show, site};

#[test]
fn values_come_back_as_json() {
    run_in_shell(async |s| {
        s.open(&site().url("/page?title=v")).await;
        for (js, value) in [
            ("1 + 1", json!(2)),
            ("'text'", json!("text")),
            ("({a: [1, {b: null}]})", json!({"a": [1, {"b": null}]})),
            ("undefined", json!(null)),
            ("NaN", json!("NaN")),
            ("12n", json!("12n")),
            ("let x = 20; x + 1", json!(21)),
            ("let x = 30; x + 1", json!(31)),
            ("await Promise.resolve(5)", json!(5)),
            ("Promise.resolve({late: true})", json!({"late": true})),
            ("() => 7", json!(7)),
            ("async () => ({n: 8})", json!({"n": 8})),
            ("function f() { return document.title } f", json!("v")),
            ("'\\ud83d'", json!("\u{fffd}")),
            ("({half: '\\ud83d'})", json!({"half": "\u{fffd}"})),
            ("function(){ return 7 }", json!(7)),
            ("async function(){ return await 8 }", json!(8)),
            ("function named(){ return 9 };", json!(9)),
            ("function a(){ return 1 } function b(){ return 2 }", json!(null)),
            ("function a(){ return 10 }\nlet c = a(); if (c) { c }", json!(10)),
            ("() => new Date(0)", json!("1970-01-01T00:00:00.000Z")),
            (
                "({at: new Date(0), call() {}, list: [1, () => 2]})",
                json!({"at": "1970-01-01T00:00:00.000Z", "list": [1, null]}),
            ),
            ("new URL('/x', 'http://host')", json!("http://host/x")),
            ("document.body", json!("body")),
            ("[...document.querySelectorAll('nothing')]", json!([])),
        ] {
            assert_eq!(s.eval(js).await, value, "{js}");
        }
    });
}

#[test]
fn a_function_gets_its_arguments() {
    run_in_shell(async |s| {
        s.open(&site().url("/page")).await;
        let args = |js: &str| Eval { args: vec!["a".into(), "密".into()], ..Eval::new(js) };
        assert_eq!(s.perform(args("(x, y) => x + y")).await.unwrap().value.unwrap(), "a密");
        assert_eq!(code(s.perform(args("1 + 1")).await), Code::InvalidInput);
    });
}

#[test]
fn what_a_script_throws_is_told() {
    run_in_shell(async |s| {
        s.open(&site().url("/page")).await;
        for (js, says) in [
            ("throw new TypeError('no')", "TypeError: no"),
            ("nothing.here", "ReferenceError"),
            ("document.title = 'x'; nothing.here", "ReferenceError"),
            ("document.title = 'x'; window.nothing.here", "properties of undefined"),
            ("document.title = 'x'; window.nothing()", "is not a function"),
            ("syntax error here", "SyntaxError"),
            ("Promise.reject(new Error('late'))", "Error: late"),
            ("throw 'bare'", "bare"),
        ] {
            let error = s.perform(eval(js)).await.unwrap_err();
            assert_eq!(error.code, Code::EvaluateFailed, "{js}");
            assert!(error.message.contains(says), "{js}: {}", error.message);
        }
        let error = s.perform(eval("const a = {}; a.a = a; a")).await.unwrap_err();
        assert_eq!(error.code, Code::EvaluateFailed, "a value without JSON form");
    });
}

fn isolated(js: &str) -> Eval {
    Eval { world: World::Isolated, ..eval(js) }
}

#[test]
fn the_isolated_world_sees_the_page_but_not_its_variables() {
    run_in_shell(async |s| {
        s.open(&site().url("/globals-clobbered.html")).await;
        let told = s.perform(isolated("JSON.stringify([1, 2].map(n => n * 2))")).await.unwrap();
        assert_eq!(told.value.unwrap(), "[2,4]", "this one is whole");
        s.open(&site().url("/page")).await;
        s.perform(eval("window.secret = 42")).await.unwrap();
        assert_eq!(s.eval("window.secret").await, 42);
        for js in ["typeof window.secret", "document.title = 'x'; typeof window.secret"] {
            let told = s.perform(isolated(js)).await.unwrap();
            assert_eq!(told.value.unwrap(), "undefined", "{js}");
        }
    });
}

#[test]
fn a_script_that_only_reads_is_right_about_the_pages_own_variables() {
    run_in_shell(async |s| {
        let page = "<button>Go</button><script>
            var app = {count: 3}, ready = Promise.resolve(5), $ = () => 1;
            let late; const later = new Promise(done => (late = done));
            document.querySelector('button').onclick = function go() {};
        </script>";
        show(&s, page).await;
        for (js, value) in [
            ("() => typeof window.app", json!("object")),
            ("typeof window.app", json!("object")),
            ("!!window.app", json!(true)),
            ("'app' in window", json!(true)),
            ("(window.app || {}).count ?? 'none'", json!(3)),
            ("() => typeof $", json!("function")),
            ("() => document.querySelector('button').onclick + ''", json!("function go() {}")),
            ("async () => app.count", json!(3)),
            ("() => ready", json!(5)),
            ("() => { const n = app.count; return n + 1 }", json!(4)),
        ] {
            assert_eq!(s.eval(js).await, value, "{js}");
        }
        let on = |js: &str| Eval { target: Some("css=button".parse().unwrap()), ..Eval::new(js) };
        let told = s.perform(on("el => [el.onclick + '', app.count]")).await.unwrap();
        assert_eq!(told.value.unwrap(), json!(["function go() {}", 3]));
        let told = s.perform(on("el => { el.textContent = 'Gone'; return el.textContent }")).await.unwrap();
        assert_eq!(told.value.unwrap(), "Gone");
        // What is wrong in the page's own world is told as it is there.
        let error = s.perform(eval("() => app.items.length")).await.unwrap_err();
        assert!(error.message.contains("reading 'length'"), "{}", error.message);
    });
}

#[test]
fn what_is_called_after_a_script_was_watched_does_nothing_in_the_page() {
    run_in_shell(async |s| {
        show(&s, "<script>var mine = 0; const make = () => Promise.resolve(1)</script>").await;
        for js in [
            "() => { const p = Promise.resolve(1); p.then = done => { mine = 1; done(1) }; return p }",
            "() => { const p = make(); p.then = done => { mine = 1; done(1) }; return p }",
            "() => { class P extends Promise { then(done) { mine = 1; done(1) } }; return P.resolve(1) }",
            "async () => (mine, { then(done) { mine = 1; done(1) } })",
            "() => (mine, (async () => ({ then(done) { mine = 1; done(1) } }))())",
            "mine, ({ then(done) { mine = 1; done(1) } })",
            "() => (mine, { then(done) { mine = 1; done(1) } })",
        ] {
            let patience = Some(Span(Duration::from_millis(20)));
            let _ = s.request(Request { front: Front::Mcp, patience, ..Request::new(eval(js)) }).await;
            assert_eq!(s.eval("mine").await, 0, "{js}");
        }
    });
}

#[test]
fn a_script_that_does_something_does_it_once_and_tells_one_that_reads_does_not() {
    run_in_shell(async |s| {
        let page = "<p id=count>0</p><p id=clock></p><script>var mine = 0; setInterval(() => (clock.textContent = performance.now()), 1)</script>";
        show(&s, page).await;
        look(&s).await;
        for reads in [
            "document.querySelector('#count').textContent",
            "mine",
            "() => [...document.querySelectorAll('p')].length",
        ] {
            // On a busy machine V8 may run out of time, and then the script runs as one that does something.
            let mut told = 0;
            while s.perform(eval(reads)).await.unwrap().delta.is_some() {
                told += 1;
                assert!(told < 10, "{reads}");
            }
        }
        for (round, does) in [
            "document.querySelector('#count').textContent++",
            "() => { const count = document.querySelector('#count'); return count.textContent++ }",
            "for (const p of document.querySelectorAll('#count')) p.textContent++",
            "(async () => { await 0; document.querySelector('#count').textContent++ })()",
        ]
        .into_iter()
        .enumerate()
        {
            let told = s.perform(eval(does)).await.unwrap().delta.unwrap().text;
            assert!(told.contains(&format!("paragraph: {}", round + 1)), "{does}: {told}");
        }
        s.perform(eval("mine++")).await.unwrap();
        assert_eq!(s.eval("mine").await, 1, "once");
    });
}

#[test]
fn a_script_that_never_ends_is_stopped_and_the_page_goes_on() {
    run_in_shell(async |s| {
        s.open(&site().url("/page?title=alive")).await;
        for js in [
            "while (true) {}",
            "() => { while (true) {} }",
            "new Promise(() => {})",
            "() => new Promise(() => {})",
        ] {
            assert_eq!(code(s.within(Duration::from_millis(500), eval(js)).await), Code::Timeout, "{js}");
            assert_eq!(s.eval("document.title").await, "alive");
        }
    });
}

#[test]
fn a_function_that_nobody_waits_for_any_more_is_stopped() {
    run_in_shell(async |s| {
        s.open(&site().url("/page?title=alive")).await;
        let hit = "/page?test=abandoned";
        let abandoned = {
            // Busy from its first moment: the request is a synchronous one.
            let ask = format!("const r = new XMLHttpRequest(); r.open('GET', '{hit}', false); r.send();");
            let (s, js) = (s.clone(), format!("() => {{ {ask} while (true) {{}} }}"));
            tokio::spawn(async move { s.perform(eval(&js)).await })
        };
        site().hit(hit, 1).await;
        abandoned.abort();
        let _ = abandoned.await;
        assert_eq!(s.eval("document.title").await, "alive");
    });
}

#[test]
fn a_strict_content_policy_stops_no_script_of_ours() {
    run_in_shell(async |s| {
        s.open(&site().url("/csp-strict.html")).await;
        assert_eq!(s.eval("2 * 3").await, 6);
    });
}

#[test]
fn a_value_too_large_is_an_error_not_a_flood() {
    run_in_shell(async |s| {
        s.open(&site().url("/page")).await;
        assert_eq!(code(s.perform(eval("'x'.repeat(9 << 20)")).await), Code::EvaluateFailed);
    });
}

#[test]
fn a_script_that_acts_runs_in_the_pages_own_world() {
    run_in_shell(async |s| {
        show(&s, "<script>app = { n: 0, inc() { return ++this.n > 3 } }; let store = { ready() { this.seen = true; return true } }</script>").await;
        for (js, value) in [
            ("app.inc()", json!(false)),
            ("() => window.app.inc()", json!(false)),
            ("async () => { await 0; return store.ready() }", json!(true)),
            ("document.title = 'x'; store.ready()", json!(true)),
        ] {
            assert_eq!(s.eval(js).await, value, "{js}");
        }
        assert_eq!(s.eval("app.n").await, 2);
        s.perform(Wait { function: Some("() => app.inc()".into()), ..Wait::default() }).await.unwrap();
        assert_eq!(s.eval("app.n").await, 4, "it is called until it is true");
    });
}

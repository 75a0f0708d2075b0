//! `webhand serve`: what it does for those who are let in, and how it ends.

use std::{sync::Mutex, thread};

use serde_json::{Value, json};

use crate::server::Server;
use crate::{
    process::{Process, eventually},
    support::{Home, site},
};

fn page(body: &str) -> Value {
    json!({"url": site().page("page", body)})
}

#[test]
fn tools_are_listed_and_called_in_sessions() {
    let home = Home::new();
    let server = Server::start(&home);
    let sets = server.get("/v1/tools").json();
    assert_eq!(sets["data"]["toolsets"][0]["toolset"], "browser");
    let tools = server.get("/v1/tools/browser").json();
    assert_eq!(tools["data"]["tools"][0]["inputSchema"]["type"], "object");
    // The same as the command line says.
    assert_eq!(tools["data"], home.data(&["tools", "browser"]));

    server.data("one", "browser_navigate", &page("<button>One</button>"));
    server.data("two", "browser_navigate", &page("<button>Two</button>"));
    let one = server.data("one", "browser_snapshot", &json!({}));
    assert!(one["snapshot"]["text"].as_str().unwrap().contains("One"), "{one}");
    let names = |list: &Value| {
        let sessions = list["sessions"].as_array().unwrap().iter();
        sessions.map(|session| session["session"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&server.get("/v1/sessions").json()["data"]), ["one", "two"]);
    // It is the daemon of its home.
    assert_eq!(names(&home.data(&["sessions"])), ["one", "two"]);
    assert!(home.run(&["snapshot", "--session", "two"]).text().contains("Two"));
    assert_eq!(server.ask("DELETE", "/v1/sessions/one", b"", &[]).status, 200);
    assert_eq!(names(&home.data(&["sessions"])), ["two"]);
}

#[test]
fn only_one_serves_a_home() {
    let home = Home::with_daemon();
    let old = home.daemon();
    // A daemon that has nothing to do makes way.
    let server = Server::start(&home);
    old.until_gone();
    assert_eq!(home.daemon(), server.process());
    assert_eq!(home.code(&["serve", "--listen", "127.0.0.1:0"]), "BUSY");
    drop(server);
    home.data(&["open", &site().page("page", "")]);
    assert_eq!(home.code(&["serve", "--listen", "127.0.0.1:0"]), "BUSY");
    assert_eq!(home.data(&["sessions"])["sessions"][0]["session"], "default");
}

#[test]
fn two_hundred_at_once_are_served_or_told_to_come_back() {
    let home = Home::new();
    let server = Server::start(&home);
    server.data("default", "browser_navigate", &page(""));
    let counts = Mutex::new([0, 0]);
    thread::scope(|scope| {
        for _ in 0..200 {
            scope.spawn(|| {
                let answer = server.call("default", "browser_wait_for", &json!({"time": 0.2}));
                let place = match answer.status {
                    200 => 0,
                    429 => {
                        assert_eq!(answer.code(), "BUSY");
                        assert!(answer.headers["retry-after"].parse::<u32>().is_ok());
                        1
                    }
                    other => panic!("{other}: {}", answer.body),
                };
                counts.lock().unwrap()[place] += 1;
            });
        }
    });
    let [served, refused] = *counts.lock().unwrap();
    assert_eq!(served + refused, 200);
    assert!(served >= 32, "{served} served, {refused} refused");
    server.data("default", "browser_snapshot", &json!({}));
}

#[test]
fn everything_that_happens_is_told_but_what_is_typed() {
    let home = Home::new();
    let server = Server::with(&home, &["--element-timeout", "1s"]);
    let bearer = format!("Bearer {}", server.token);
    let headers = [("host", &*server.address), ("authorization", &*bearer)];
    let mut events = server.send("GET", "/v1/events", b"", &headers);
    let (status, headers) = events.head();
    assert_eq!((status, &*headers["content-type"]), (200, "text/event-stream"));
    let mut next = || loop {
        if let Some(data) = events.line().strip_prefix("data: ") {
            return serde_json::from_str::<Value>(data).unwrap();
        }
    };
    assert!(next()["version"].is_string());
    server.data("one", "browser_navigate", &page("<input>"));
    server.data("one", "browser_type", &json!({"target": "css=input", "text": "Kanarienvogel"}));
    server.call("one", "browser_click", &json!({"target": "css=#none"}));
    let mut told = Vec::new();
    while told.len() < 6 {
        told.push(next());
    }
    let short = |event: &Value| {
        let word = |name: &str| event[name].as_str().unwrap_or("-").to_owned();
        [word("verb"), word("phase"), word("code"), word("session"), word("front")].join(" ")
    };
    assert_eq!(
        told.iter().map(short).collect::<Vec<_>>(),
        [
            "open started - one http",
            "open ended - one http",
            "fill started - one http",
            "fill ended - one http",
            "click started - one http",
            "click ended ELEMENT_NOT_FOUND one http",
        ]
    );
    assert!(
        told[1]["ms"].as_f64().unwrap() > 0.0 && told[1]["tab"] == "t1" && told[1]["effect"] == "navigate"
    );
    assert!(!format!("{told:?}").contains("Kanarienvogel"));

    eventually("it is counted", || {
        let metrics = server.get("/metrics");
        assert!(metrics.headers["content-type"].starts_with("text/plain; version=0.0.4"));
        let has = |line: &str| metrics.body.lines().any(|known| known == line);
        has("webhand_actions_total{verb=\"click\",code=\"ELEMENT_NOT_FOUND\"} 1")
            && has("webhand_actions_total{verb=\"open\",code=\"OK\"} 1")
            && has("webhand_action_duration_seconds_count{verb=\"fill\"} 1")
            && has("webhand_sessions 1")
            && has("webhand_browsers 1")
    });
    // They end when the server does, and do not hold it up.
    server.terminate();
    while !events.line().is_empty() || events.0.get_ref().peek(&mut [0]).is_ok_and(|left| left > 0) {}
}

#[test]
fn the_document_describes_every_tool() {
    let home = Home::new();
    let server = Server::start(&home);
    let document = server.get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    for set in server.get("/v1/tools").json()["data"]["toolsets"].as_array().unwrap() {
        for tool in set["tools"].as_array().unwrap() {
            let path = format!("/v1/tools/{}/{}", set["toolset"].as_str().unwrap(), tool.as_str().unwrap());
            assert!(document["paths"][&path]["post"]["requestBody"].is_object(), "{path}");
        }
    }
}

#[test]
fn a_client_that_goes_away_cancels_its_call() {
    let home = Home::new();
    let server = Server::start(&home);
    server.data("default", "browser_navigate", &page(""));
    let bearer = format!("Bearer {}", server.token);
    let headers = [("host", &*server.address), ("authorization", &*bearer)];
    let sent = server.send("POST", "/v1/tools/browser/browser_wait_for", b"{\"time\": 50}", &headers);
    home.until_begun("wait");
    drop(sent);
    eventually("it is cancelled", || {
        home.history().iter().any(|entry| entry["verb"] == "wait" && entry["code"] == "CANCELLED")
    });
}

#[test]
fn who_is_being_served_when_it_ends_is_served() {
    let home = Home::new();
    let mut server = Server::start(&home);
    server.data("default", "browser_navigate", &page(""));
    let browser = home.browser();
    let answer = thread::scope(|scope| {
        let waiting = scope.spawn(|| server.call("default", "browser_wait_for", &json!({"time": 5})));
        home.until_begun("wait");
        server.terminate();
        waiting.join().unwrap()
    });
    assert_eq!((answer.status, &answer.json()["ok"]), (200, &json!(true)));
    server.until_ended();
    browser.until_gone();
    assert!(!home.socket().exists());
    assert_eq!(Process::all_with(&home.path().display().to_string()), []);
}

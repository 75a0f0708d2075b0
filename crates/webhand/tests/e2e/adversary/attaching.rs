//! An agent that wants the person's own browser, with all that they are logged in to, and tools that the operator did not offer.

use std::{
    io::Read,
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::{Value, json};

use crate::fronts::{clients::Client, talk::Mcp};
use crate::server::Server;
use crate::support::{Home, site};

/// Something that listens where a browser could, and counts who comes.
struct Decoy {
    address: String,
    visits: Arc<AtomicUsize>,
}

impl Decoy {
    /// At the port where browsers listen for debuggers, if that is free, or at any.
    fn start(address: &str) -> Option<Decoy> {
        let listener = TcpListener::bind(address).ok()?;
        let address = listener.local_addr().unwrap().to_string();
        let visits = Arc::new(AtomicUsize::new(0));
        let count = visits.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                count.fetch_add(1, Ordering::Relaxed);
                let _ = (&stream).read(&mut [0; 1024]);
            }
        });
        Some(Decoy { address, visits })
    }

    fn visits(&self) -> usize {
        self.visits.load(Ordering::Relaxed)
    }
}

#[test]
fn an_agent_attaches_to_no_browser_that_it_was_not_given() {
    let home = Home::new();
    let usual = Decoy::start("127.0.0.1:9222");
    let other = Decoy::start("127.0.0.1:0").unwrap();
    let server = Server::of(&home, "openclaw", &[]);
    let mut client = Client::greeted(&server, "/mcp", &json!({}));
    let mut stdio = Mcp::greeted(&home, &["--toolset", "openclaw"]);
    let url = format!("http://{}", other.address);
    let mut attempts = vec![json!({"action": "start", "profile": "chrome"})];
    for action in
        ["start", "status", "tabs", "open", "navigate", "snapshot", "cookies", "stop", "doctor", "content"]
    {
        attempts.push(json!({"action": action, "profile": "chrome", "targetUrl": site().page("page", "")}));
    }
    for name in [
        "cdpUrl",
        "attach",
        "cdpPort",
        "cdp_url",
        "browserUrl",
        "wsEndpoint",
        "executablePath",
        "browser",
        "node",
        "target",
    ] {
        let mut attempt = json!({"action": "start", "profile": "chrome"});
        attempt[name] = json!(url);
        attempts.push(attempt);
        attempts.push(json!({"action": "start", name: url}));
        attempts.push(json!({"action": "start", "request": {name: url}}));
    }
    for attempt in attempts {
        let body = attempt.to_string();
        let by_http = server.ask("POST", "/v1/tools/openclaw/browser", body.as_bytes(), &[]).json();
        let params = json!({"name": "browser", "arguments": attempt});
        let by_mcp = client.ask(&server, "tools/call", &params)["result"]["structuredContent"].clone();
        let by_stdio = stdio.ask("tools/call", &params)["result"]["structuredContent"].clone();
        let output = home.command(&["call", "openclaw.browser", &body]).output().unwrap();
        let by_call: Value = serde_json::from_slice(&output.stdout).unwrap();
        for answer in [by_http, by_mcp, by_stdio, by_call] {
            if attempt["profile"] == "chrome" {
                assert_ne!(answer["ok"], true, "{attempt}: {answer}");
            }
            if attempt == json!({"action": "start", "profile": "chrome"}) {
                assert_eq!(answer["error"]["code"], "ACTION_DENIED", "{attempt}: {answer}");
                assert!(answer["error"]["hint"].as_str().unwrap().contains("[profiles.chrome]"), "{answer}");
            }
            assert!(!answer.to_string().contains("\"attached\""), "{attempt}: {answer}");
        }
    }
    assert_eq!((usual.map_or(0, |decoy| decoy.visits()), other.visits()), (0, 0), "nobody was connected to");
}

#[test]
fn the_operator_says_which_browser_a_profile_is() {
    let home = Home::new();
    let (chrome, second) = (Decoy::start("127.0.0.1:0").unwrap(), Decoy::start("127.0.0.1:0").unwrap());
    home.configure(&format!(
        "[profiles.chrome]\nattach = 'http://{}'\n[profiles.second]\nattach = 'http://{}'\n[profiles.openclaw]\nattach = 'http://{}'\n",
        chrome.address, second.address, second.address
    ));
    let server = Server::of(&home, "openclaw", &["--timeout", "3s"]);
    let start = |profile: &str| {
        let body = json!({"action": "status", "profile": profile}).to_string();
        server.ask("POST", "/v1/tools/openclaw/browser", body.as_bytes(), &[]).json()
    };
    for (profile, decoy) in [("chrome", &chrome), ("second", &second)] {
        let status = start(profile);
        assert_eq!(status["cdpUrl"], format!("http://{}", decoy.address), "{status}");
    }
    assert_eq!(start("openclaw")["kind"], "isolated");
    assert_eq!(start("work")["kind"], "persistent");
    home.configure("[profiles.chrome]\nattch = 'x'\n");
    assert_eq!(home.code(&["open", "about:blank"]), "INVALID_INPUT");
}

#[test]
fn only_the_named_toolsets_are_served() {
    let home = Home::new();
    let server = Server::of(&home, "qa", &[]);
    let served = server.get("/v1/tools").json();
    assert_eq!(served["data"]["toolsets"].as_array().unwrap().len(), 1, "{served}");
    let document = server.get("/openapi.json").body;
    for (set, tool) in [
        ("browser", "browser_navigate"),
        ("openclaw", "browser"),
        ("jarvis", "playwright_browser"),
        ("nanobot", "browser"),
        ("stagehand", "act"),
    ] {
        let answer = server.ask("POST", &format!("/v1/tools/{set}/{tool}"), b"{}", &[]);
        assert_eq!((answer.status, answer.code().as_str()), (404, "UNKNOWN_TOOL"), "{set}");
        let hint = answer.json()["error"]["hint"].as_str().unwrap().to_owned();
        assert!(hint.contains(&format!("--toolset {set}")), "{hint}");
        assert_eq!(server.get(&format!("/v1/tools/{set}")).status, 404, "{set}");
        let encoded = format!("/v1/tools/%{:x}{}/{tool}", set.as_bytes()[0], &set[1..]);
        assert_eq!(server.ask("POST", &encoded, b"{}", &[]).status, 404, "{set}");
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
            "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
        for path in [
            format!("/mcp/{set}"),
            format!("/mcp/{set}/"),
            format!("/mcp/../mcp/{set}"),
            format!("/mcp/qa/../{set}"),
        ] {
            let answer = Client::unknown(&path, "").post(&server, &hello);
            assert_eq!(answer.status, 404, "{path}: {}", answer.body);
        }
        assert!(!document.contains(&format!("/v1/tools/{set}/")), "{set}");
        let mut client = Client::greeted(&server, "/mcp", &json!({}));
        for name in [tool.to_owned(), format!("{set}.{tool}"), format!("{set}/{tool}")] {
            let answer = client.ask(&server, "tools/call", &json!({"name": name, "arguments": {}}));
            assert_eq!(answer["error"]["code"], -32602, "{name}: {answer}");
        }
    }
    // A person's own commands have all of them.
    let args = json!({"url": site().page("person", "")}).to_string();
    assert_eq!(home.data(&["call", "browser.browser_navigate", &args])["title"], "person");
}

/// What is not switched on is reached by no other name: all that the groups do, as steps of a batch and in words.
#[test]
fn a_tool_that_is_not_switched_on_is_not_reached_in_a_batch() {
    let home = Home::new();
    let server = Server::start(&home);
    let mut stdio = Mcp::greeted(&home, &[]);
    let steps = [
        json!("cookies"),
        json!("cookies list --values"),
        json!("storage local list"),
        json!("state save stolen.json"),
        json!("pdf --output stolen.pdf"),
        json!("emulate --offline"),
        json!("emulate --user-agent x"),
        json!({"action": "cookies"}),
        json!({"action": "state", "op": {"kind": "save", "path": "stolen.json"}}),
        json!({"action": "storage", "area": "local"}),
        json!({"action": "pdf", "path": "stolen.pdf"}),
        json!({"action": "emulate", "user_agent": "x"}),
        json!({"action": "batch", "actions": [{"action": "cookies"}]}),
        json!({"action": "scroll", "wheel": [0, 10]}),
    ];
    let page = json!({"url": site().page("page", "")});
    server.data("default", "browser_navigate", &page);
    stdio.text("browser_navigate", &page);
    for step in &steps {
        for args in
            [json!({"actions": [step]}), json!({"actions": ["snapshot", step], "throughNavigation": true})]
        {
            let answer = server.call("default", "browser_batch", &args);
            assert_eq!(answer.code(), "UNKNOWN_TOOL", "{args}: {}", answer.body);
            assert_eq!(stdio.code("browser_batch", &args), "UNKNOWN_TOOL", "{args}");
        }
    }
    for row in home.history() {
        let verb = row["verb"].as_str().unwrap();
        assert!(!["cookies", "storage", "state", "pdf", "emulate"].contains(&verb), "{row}");
    }
    let cookies = json!({"actions": ["cookies"]});
    let code = stdio.code("browser_batch", &cookies);
    assert_eq!(code, "UNKNOWN_TOOL");
    drop(stdio);
    let mut stdio = Mcp::greeted(&home, &["--caps", "storage"]);
    stdio.text("browser_navigate", &page);
    stdio.text("browser_batch", &cookies);
    assert_eq!(stdio.code("browser_batch", &json!({"actions": ["pdf --output a.pdf"]})), "UNKNOWN_TOOL");
}

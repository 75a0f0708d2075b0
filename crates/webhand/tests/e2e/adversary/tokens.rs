//! Agents with tokens of their own: each wants what is another's, or more than its token lets it have, by every way in.

use std::{fs, thread};

use serde_json::{Value, json};

use crate::{
    fronts::{
        approvals::{http::approver_token, id, waiting},
        clients::Client,
    },
    process::eventually,
    server::{Answer, Server},
    support::{Home, site},
};

/// Makes a token, and returns it.
fn token(home: &Home, name: &str, limits: &[&str]) -> String {
    let made = home.data(&[&["tokens", "add", name], limits].concat());
    made["token"].as_str().unwrap().to_owned()
}

/// A request with somebody's token.
#[track_caller]
fn ask(
    server: &Server,
    token: &str,
    method: &str,
    path: &str,
    body: &Value,
    headers: &[(&str, &str)],
) -> Answer {
    let bearer = format!("Bearer {token}");
    let headers = [&[("authorization", &*bearer)], headers].concat();
    server.ask(method, path, body.to_string().as_bytes(), &headers)
}

/// Calls a tool of the default toolset in a session.
#[track_caller]
fn call(server: &Server, token: &str, session: &str, tool: &str, args: &Value) -> Answer {
    let path = format!("/v1/tools/browser/{tool}");
    ask(server, token, "POST", &path, args, &[("x-webhand-session", session)])
}

#[track_caller]
fn done(server: &Server, token: &str, session: &str, tool: &str, args: &Value) -> Value {
    let answer = call(server, token, session, tool, args).json();
    assert_eq!(answer["ok"], true, "{tool}: {answer}");
    answer["data"].clone()
}

/// The same server, to whom everything is said with this token.
fn with_token<T>(server: &mut Server, token: &str, say: impl FnOnce(&Server) -> T) -> T {
    let own = std::mem::replace(&mut server.token, token.to_owned());
    let said = say(server);
    server.token = own;
    said
}

fn names_of(sessions: &Answer) -> Vec<String> {
    let list = sessions.json()["data"]["sessions"].as_array().unwrap().clone();
    list.iter().map(|session| session["session"].as_str().unwrap().to_owned()).collect()
}

fn form(path: &str) -> Value {
    json!({"url": site().page("form", &format!("<form method=post action='/echo?{path}'><button>Send it</button></form>"))})
}

fn hits(path: &str) -> usize {
    site().hits(&format!("/echo?{path}"))
}

#[test]
fn a_token_opens_the_toolsets_that_it_names() {
    let home = Home::new();
    let mut server = Server::of(&home, "browser,jarvis,qa", &[]);
    let bob = token(&home, "bob", &["--toolset", "qa"]);
    let nothing = token(&home, "nothing", &["--toolset", "stagehand"]);
    let listed = ask(&server, &bob, "GET", "/v1/tools", &json!({}), &[]).json();
    assert_eq!(listed["data"]["toolsets"].as_array().unwrap().len(), 1, "{listed}");
    let paths = ask(&server, &bob, "GET", "/openapi.json", &json!({}), &[]).body;
    assert!(paths.contains("/v1/tools/qa/click") && !paths.contains("/v1/tools/browser/"), "{paths}");
    let url = json!({"url": site().page("page", "hello")});
    for (path, status) in [
        ("/v1/tools/qa/navigate", 200),
        ("/v1/tools/browser/browser_navigate", 404),
        ("/v1/tools/browser/browser_batch", 404),
        ("/v1/tools/jarvis/playwright_browser", 404),
        ("/v1/tools/stagehand/goto", 404),
        ("/v1/tools/QA/navigate", 404),
    ] {
        assert_eq!(ask(&server, &bob, "POST", path, &url, &[]).status, status, "{path}");
        let other = if status == 200 { 404 } else { status };
        assert_eq!(ask(&server, &nothing, "POST", path, &url, &[]).status, other, "{path}");
    }
    // What is about all agents, or for a person.
    for (method, path, status) in [
        ("GET", "/metrics", 403),
        ("POST", "/v1/host/tab.upsertSnapshot", 403),
        ("POST", "/v1/approvals/abcdef", 403),
        ("GET", "/v1/sessions", 200),
    ] {
        assert_eq!(ask(&server, &bob, method, path, &json!({}), &[]).status, status, "{path}");
    }
    with_token(&mut server, &bob, |server| {
        for path in ["/mcp", "/mcp/qa"] {
            let mut client = Client::greeted(server, path, &json!({}));
            let tools = client.ask(server, "tools/list", &json!({}));
            assert!(
                !tools.to_string().contains("browser_") && tools.to_string().contains("navigate"),
                "{tools}"
            );
            let params = json!({"name": "browser_navigate", "arguments": url});
            assert_eq!(client.ask(server, "tools/call", &params)["error"]["code"], -32602);
        }
    });
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let refused = |token: &str, path: &str| {
        let answer = ask(&server, token, "POST", path, &hello, &Client::unknown(path, "").headers());
        assert!(answer.body.contains("none of the toolsets"), "{path}: {}", answer.body);
    };
    refused(&bob, "/mcp/browser");
    refused(&nothing, "/mcp");
}

#[test]
fn an_agent_is_in_sessions_of_its_own() {
    let home = Home::new();
    let mut server = Server::start(&home);
    let (ada, bob) = (token(&home, "ada", &[]), token(&home, "bob", &[]));
    let agents = [server.token.clone(), ada.clone(), bob.clone()];
    let page = |who: usize| json!({"url": site().page("private", &format!("<p>secret of {who}</p>"))});
    for (who, token) in agents.iter().enumerate() {
        for session in ["default", "work"] {
            done(&server, token, session, "browser_navigate", &page(who));
        }
    }
    let mut client = with_token(&mut server, &ada, |server| {
        let mut client = Client::greeted(server, "/mcp", &json!({}));
        client.call(server, "browser_navigate", &page(1));
        client
    });
    let all = [
        "default",
        "work",
        "agent-ada",
        "agent-ada.work",
        "agent-ada.mcp-1",
        "AGENT-ADA",
        "Agent-ada.work",
        "agent-bob",
        "agent-bob.work",
        "agent-default",
        "mcp-1",
        "agent-ada.mcp-1.x",
        "agent-ada.",
    ];
    for (who, token) in agents.iter().enumerate() {
        for name in all {
            for tool in ["browser_snapshot", "browser_read", "browser_tabs"] {
                let seen = call(&server, token, name, tool, &json!({"action": "list"})).body;
                let others = (0..3).filter(|other| *other != who);
                for other in others {
                    assert!(!seen.contains(&format!("secret of {other}")), "{who} in {name}: {seen}");
                }
            }
        }
        // Whatever it named, it has its own.
        assert!(
            done(&server, token, "work", "browser_snapshot", &json!({}))
                .to_string()
                .contains(&format!("secret of {who}"))
        );
    }
    let list = |token: &str| names_of(&ask(&server, token, "GET", "/v1/sessions", &json!({}), &[]));
    assert_eq!(list(&server.token), ["default", "work"]);
    for session in list(&bob) {
        assert!(session == "agent-bob" || session.starts_with("agent-bob."), "{session}");
    }
    assert!(list(&ada).contains(&"agent-ada.mcp-1".to_owned()));
    let approver = approver_token(&home);
    let person = [("x-webhand-approver", &*approver)];
    let everything = names_of(&ask(&server, &bob, "GET", "/v1/sessions", &json!({}), &person));
    assert!(everything.iter().any(|name| name == "agent-ada"), "{everything:?}");
    for session in ["agent-ada", "agent-ada.work", "agent-ada.mcp-1"] {
        for token in [&bob, &server.token] {
            for (method, path) in [
                ("DELETE", format!("/v1/sessions/{session}")),
                ("POST", format!("/v1/sessions/{session}/stop")),
            ] {
                assert_eq!(
                    ask(&server, token, method, &path, &json!({}), &[]).status,
                    404,
                    "{method} {path}"
                );
            }
        }
    }
    // Another token with the id of ada's client: to call, to listen, to end it.
    for token in [&bob, &agents[0]] {
        let call = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "browser_snapshot", "arguments": {}}});
        for method in ["POST", "GET", "DELETE"] {
            let answer = ask(&server, token, method, "/mcp", &call, &client.headers());
            assert_eq!(answer.status, 404, "{method}: {}", answer.body);
        }
    }
    with_token(&mut server, &ada, |server| {
        let seen = client.call(server, "browser_snapshot", &json!({}));
        assert!(seen.to_string().contains("secret of 1"), "{seen}");
        client.leave(server);
    });
    // The person at the command line is in all of them.
    assert!(home.data(&["snapshot", "--session", "agent-ada"]).to_string().contains("secret of 1"));
    // What a person called like an agent's is the person's.
    home.data(&["open", page(9)["url"].as_str().unwrap(), "--session", "agent-bob.mine"]);
    assert!(
        !names_of(&ask(&server, &bob, "GET", "/v1/sessions", &json!({}), &[]))
            .contains(&"agent-bob.mine".to_owned())
    );
    assert_eq!(ask(&server, &bob, "DELETE", "/v1/sessions/agent-bob.mine", &json!({}), &[]).status, 404);
    assert_eq!(call(&server, &bob, "mine", "browser_snapshot", &json!({})).code(), "ACTION_DENIED");
    // Nothing is ended where a dry run is asked for.
    for asked in ["dry_run=true", "dryRun=true"] {
        let path = format!("/v1/sessions/agent-bob.work?{asked}");
        assert_eq!(ask(&server, &bob, "DELETE", &path, &json!({}), &[]).status, 400, "{path}");
    }
    let downloads = home.path().join("downloads");
    fs::write(downloads.join("agent-ada/hers.txt"), "hers").unwrap();
    // The folder that the server was started in is nobody's of these.
    let started_in = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for path in [started_in, "Cargo.toml"] {
        done(
            &server,
            &ada,
            "default",
            "browser_navigate",
            &json!({"url": site().page("page", "<input type=file>")}),
        );
        let upload = json!({"paths": [path], "target": "css=input"});
        assert_eq!(
            call(&server, &ada, "default", "browser_file_upload", &upload).json()["ok"],
            false,
            "{path}"
        );
    }
    let field = json!({"url": site().page("page", "<input type=file>")});
    for (token, works) in [(&ada, true), (&bob, false), (&agents[0], false)] {
        done(&server, token, "default", "browser_navigate", &field);
        let path = downloads.join("agent-ada/hers.txt");
        let upload = json!({"paths": [path], "target": "css=input"});
        let answer = call(&server, token, "default", "browser_file_upload", &upload);
        assert_eq!(answer.json()["ok"], works, "{}", answer.body);
    }
}

#[test]
fn the_limits_of_a_token_hold_by_every_way() {
    // Control and the wheel open tabs in the whole Chromium, before their requests can be held back.
    let home = Home::whole();
    let mut server = Server::of(&home, "browser,jarvis", &[]);
    let deny = r#"[{"effect": "submit", "decide": "deny"}]"#;
    let ada = token(&home, "ada", &["--policy", deny, "--allowed-domains", "localhost", "--sessions", "2"]);
    let there = form("limits");
    let url = there["url"].as_str().unwrap().replace("127.0.0.1", "localhost");
    let (there, elsewhere) = (json!({"url": url}), json!({"url": url.replace("localhost", "127.0.0.1")}));
    let click = json!({"target": "css=button"});
    let code = |answer: &Answer| answer.json()["error"]["code"].as_str().unwrap_or("ok").to_owned();

    done(&server, &ada, "default", "browser_navigate", &there);
    let denied = call(&server, &ada, "default", "browser_click", &click);
    assert_eq!(code(&denied), "ACTION_DENIED");
    assert!(denied.body.contains("of the token ada"), "{}", denied.body);
    assert_eq!(code(&call(&server, &ada, "default", "browser_navigate", &elsewhere)), "NAVIGATION_BLOCKED");
    with_token(&mut server, &ada, |server| {
        let mut client = Client::greeted(server, "/mcp", &json!({}));
        client.call(server, "browser_navigate", &there);
        for (tool, args, expected) in [
            ("browser_click", &click, "ACTION_DENIED"),
            ("browser_navigate", &elsewhere, "NAVIGATION_BLOCKED"),
            ("browser_batch", &json!({"actions": ["press 'Tab'", "press Enter"]}), "ACTION_DENIED"),
        ] {
            let answer = client.ask(server, "tools/call", &json!({"name": tool, "arguments": args}));
            assert_eq!(answer["result"]["structuredContent"]["error"]["code"], expected, "{tool}: {answer}");
        }
        // That was its second session.
        let third = call(server, &ada, "third", "browser_navigate", &there);
        assert_eq!(code(&third), "ACTION_DENIED");
        assert!(
            third.body.contains("agent-ada.mcp-1") && third.body.contains("2 sessions"),
            "{}",
            third.body
        );
        let launch = json!({"action": "launch", "browser_id": "fourth"});
        let fourth = ask(server, &ada, "POST", "/v1/tools/jarvis/playwright_browser", &launch, &[]);
        assert_eq!(fourth.json()["success"], false, "{}", fourth.body);
        client.leave(server);
    });
    // A tab that the browser opens by itself: the page there is nobody's to read or use.
    let link = site().page(
        "links",
        &format!("<a href='{}'>Away</a>", site().page("away", "<p>secret</p><button>Go</button>")),
    );
    let links = json!({"url": link.replacen("127.0.0.1", "localhost", 1)});
    for more in
        [json!({"modifiers": ["Control"]}), json!({"modifiers": ["Shift"]}), json!({"button": "middle"})]
    {
        done(&server, &ada, "default", "browser_navigate", &links);
        let mut args = json!({"target": "css=a"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call(&server, &ada, "default", "browser_click", &args);
        let tabs = done(&server, &ada, "default", "browser_tabs", &json!({"action": "list"}));
        let count = tabs["tabs"].as_array().unwrap().len();
        call(&server, &ada, "default", "browser_tabs", &json!({"action": "select", "index": count - 1}));
        for (tool, args) in [
            ("browser_read", json!({})),
            ("browser_snapshot", json!({})),
            ("browser_click", click.clone()),
            ("browser_evaluate", json!({"function": "() => document.body.textContent"})),
            ("browser_click", json!({"target": "css=button", "dryRun": true})),
        ] {
            let answer = call(&server, &ada, "default", tool, &args);
            assert!(!answer.body.contains("secret"), "{more} {tool}: {}", answer.body);
            if count > 1 {
                assert_eq!(code(&answer), "NAVIGATION_BLOCKED", "{more} {tool}: {}", answer.body);
            }
        }
        if count > 1 {
            done(&server, &ada, "default", "browser_tabs", &json!({"action": "close", "index": count - 1}));
        }
    }
    // A dry run says what would come of it.
    done(&server, &ada, "default", "browser_navigate", &links);
    let plan = done(&server, &ada, "default", "browser_click", &json!({"target": "css=a", "dryRun": true}));
    assert_eq!(plan["plan"]["decide"], "deny", "{plan}");
    // One that ends makes room, and many at once get no more.
    eventually("the client's session is closed", || {
        names_of(&ask(&server, &ada, "GET", "/v1/sessions", &json!({}), &[])).len() == 1
    });
    let made: usize = thread::scope(|scope| {
        let one = |number: usize| {
            let (server, ada, there) = (&server, &ada, &there);
            scope.spawn(move || {
                let answer = call(server, ada, &format!("s{number}"), "browser_navigate", there);
                usize::from(answer.json()["ok"] == true)
            })
        };
        let all: Vec<_> = (0..4).map(one).collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!((made, hits("limits")), (1, 0));
    // Nobody else has its limits.
    done(&server, &server.token, "default", "browser_navigate", &elsewhere);
    done(&server, &server.token, "default", "browser_click", &click);
    assert_eq!(hits("limits"), 1);
}

#[test]
fn what_is_revoked_ends_at_once() {
    let home = Home::new();
    let mut server = Server::start(&home);
    let (ada, bob) = (token(&home, "ada", &[]), token(&home, "bob", &[]));
    let page = json!({"url": site().page("page", "<button>Go</button>")});
    for token in [&ada, &bob] {
        done(&server, token, "default", "browser_navigate", &page);
    }
    let always = r#"[{"effect": "submit", "origin": "https://bank.example", "agent": "ada", "by": "terminal", "since": 1}]"#;
    fs::write(home.path().join("always-allowed.json"), always).unwrap();
    let mut events = with_token(&mut server, &ada, |server| server.listen());
    let client = with_token(&mut server, &ada, |server| {
        let mut client = Client::greeted(server, "/mcp", &json!({}));
        client.call(server, "browser_navigate", &page);
        client
    });
    thread::scope(|scope| {
        let (server, ada) = (&server, &ada);
        let wait = || call(server, ada, "default", "browser_wait_for", &json!({"text": "never", "time": 60}));
        let waiting = scope.spawn(wait);
        home.until_begun("wait");
        let revoked = home.data(&["tokens", "revoke", "ada"]);
        assert_eq!(revoked["closed"], json!(["agent-ada", "agent-ada.mcp-1"]), "{revoked}");
        assert_eq!(waiting.join().unwrap().json()["ok"], false);
    });
    // Its stream of events is over.
    events.rest();
    for (method, path) in
        [("GET", "/v1/sessions"), ("GET", "/v1/events"), ("POST", "/v1/tools/browser/browser_snapshot")]
    {
        assert_eq!(ask(&server, &ada, method, path, &json!({}), &[]).status, 401, "{path}");
    }
    let snapshot = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "browser_snapshot", "arguments": {}}});
    assert_eq!(ask(&server, &ada, "POST", "/mcp", &snapshot, &client.headers()).status, 401);
    assert_eq!(
        home.data(&["approvals"])["always_allowed"],
        json!([]),
        "what she was always allowed goes with her token"
    );
    // The next one of that name does not find what was hers, and others never noticed.
    let next = token(&home, "ada", &[]);
    assert_eq!(ask(&server, &next, "POST", "/mcp", &snapshot, &client.headers()).status, 404);
    assert!(!call(&server, &next, "default", "browser_snapshot", &json!({})).body.contains("Go"));
    assert!(done(&server, &bob, "default", "browser_snapshot", &json!({})).to_string().contains("Go"));
    // The token that every home has is replaced.
    let old = server.token.clone();
    home.data(&["tokens", "revoke", "default"]);
    assert_eq!(server.get("/v1/sessions").status, 401);
    let new = fs::read_to_string(home.path().join("token")).unwrap();
    assert_ne!(new.trim(), old);
    assert_eq!(ask(&server, new.trim(), "GET", "/v1/sessions", &json!({}), &[]).status, 200);
    // A file that cannot be read lets nobody in.
    fs::write(home.path().join("agent-tokens.json"), "[{]").unwrap();
    assert_eq!(ask(&server, &bob, "GET", "/v1/sessions", &json!({}), &[]).status, 401);
}

#[test]
fn what_is_asked_done_and_allowed_says_whose_it_is() {
    let home = Home::new();
    home.configure("[[policy]]\neffect = 'submit'\ndecide = 'ask'\n");
    let mut server = Server::start(&home);
    let (ada, bob) = (token(&home, "ada", &[]), token(&home, "bob", &[]));
    let mut hers = with_token(&mut server, &ada, |server| server.listen());
    let mut everybodys = server.listen();
    let approver = approver_token(&home);
    let approve = |id: &str, answer: &str| {
        let path = format!("/v1/approvals/{id}");
        ask(&server, &approver, "POST", &path, &json!({"answer": answer}), &[]).status
    };
    let listed =
        |token: &str| ask(&server, token, "GET", "/v1/approvals", &json!({}), &[]).json()["data"].clone();
    let click = json!({"target": "css=button"});
    let asking = |token: &str, answer: &str| {
        done(&server, token, "default", "browser_navigate", &form("whose"));
        thread::scope(|scope| {
            let clicking = scope.spawn(|| call(&server, token, "default", "browser_click", &click));
            let asked = waiting(&home);
            for (other, sees) in
                [(&ada, *token == ada), (&bob, *token == bob), (&server.token, *token == server.token)]
            {
                assert_eq!(listed(other)["approvals"].as_array().unwrap().len(), usize::from(sees));
            }
            // The picture that the person sees is not for her to change.
            let picture = asked["screenshot"].as_str().unwrap();
            let before = fs::read(picture).unwrap();
            for tool in ["browser_take_screenshot", "browser_snapshot"] {
                let other = call(&server, token, "other", "browser_navigate", &form("other"));
                assert_eq!(other.json()["ok"], true, "{}", other.body);
                let over = call(&server, token, "other", tool, &json!({"filename": picture}));
                assert_eq!(over.json()["ok"], false, "{tool}: {}", over.body);
            }
            assert_eq!(fs::read(picture).unwrap(), before);
            assert_eq!(approve(&id(&asked), answer), 200);
            assert_eq!(clicking.join().unwrap().json()["ok"], answer != "deny");
            asked
        })
    };
    assert_eq!(asking(&ada, "always")["agent"], "ada");
    assert_eq!(hits("whose"), 1);
    // What she may always do, the others are asked about.
    assert_eq!(asking(&bob, "deny")["agent"], "bob");
    assert_eq!(asking(&server.token, "deny")["agent"], "default");
    done(&server, &ada, "default", "browser_navigate", &form("whose"));
    done(&server, &ada, "default", "browser_click", &click);
    assert_eq!(hits("whose"), 2);
    assert_eq!(listed(&ada)["always_allowed"][0]["agent"], "ada");
    for token in [&bob, &server.token] {
        assert_eq!(listed(token)["always_allowed"], json!([]));
    }
    assert!(home.run(&["approvals"]).text().contains("always allowed to agent ada"));

    let mut agents: Vec<_> = home
        .history()
        .iter()
        .filter(|entry| entry["verb"] == "click")
        .map(|entry| entry["agent"].clone())
        .collect();
    agents.dedup();
    assert_eq!(agents, ["ada", "bob", "default", "ada"]);
    let asked: Vec<_> = home
        .history()
        .iter()
        .filter(|entry| entry["verb"] == "approval")
        .map(|entry| entry["agent"].clone())
        .collect();
    assert_eq!(asked, ["ada", "bob", "default"]);
    assert!(home.run(&["history"]).text().contains("agent bob  click"));
    assert!(home.run(&["sessions"]).text().contains("agent: ada"));
    server.terminate();
    let (hers, everybodys) = (hers.rest(), everybodys.rest());
    assert!(
        hers.contains("agent-ada") && !hers.contains("agent-bob") && !hers.contains("\"default\""),
        "{hers}"
    );
    assert!(everybodys.contains("\"default\"") && !everybodys.contains("agent-"), "{everybodys}");
}

#[test]
fn the_command_says_what_is_wrong_and_tells_a_token_once() {
    let home = Home::new();
    for (args, code) in [
        (&["add", "default"][..], "INVALID_INPUT"),
        (&["add", "x", "--toolset", "nothing"], "UNKNOWN_TOOL"),
        (&["add", "x", "--allowed-domains", "a b"], "INVALID_INPUT"),
        (&["revoke", "nobody"], "INVALID_INPUT"),
        (&["revoke", "default"], "INVALID_INPUT"),
    ] {
        assert_eq!(home.code(&[&["tokens"], args].concat()), code, "{args:?}");
    }
    for args in [
        &["add", "A"][..],
        &["add", "a.b"],
        &["add", "x", "--sessions", "0"],
        &["add", "x", "--policy", "{"],
        &["add"],
    ] {
        assert_eq!(home.run(&[&["tokens"], args].concat()).exit, Some(2), "{args:?}");
    }
    let made = home.run(&["tokens", "add", "ada", "--toolset", "qa,browser", "--sessions", "3"]);
    assert!(made.stderr.contains("not shown again"), "{}", made.stderr);
    let token = made.text().trim().to_owned();
    assert_eq!(home.code(&["tokens", "add", "ada"]), "INVALID_INPUT");
    let listed = home.run(&["tokens", "list"]).text();
    assert!(
        listed.contains("default  in ") && listed.contains("ada  toolsets qa, browser; 3 sessions at most"),
        "{listed}"
    );
    assert!(!listed.contains(&token) && !home.data(&["tokens", "list"]).to_string().contains(&token));
    assert!(home.run(&["tokens", "revoke", "ada"]).text().contains("refused from now on"));
    assert_eq!(home.data(&["tokens", "list"])["tokens"].as_array().unwrap().len(), 1);
}

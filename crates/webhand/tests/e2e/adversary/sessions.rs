//! A caller with the agents' token that wants into the session of an MCP client, by every way in which a name can be said, and that wants
//! to use what a person allowed somebody else.

use std::fs;

use serde_json::{Value, json};

use crate::fronts::{
    approvals::{allow_at_terminal, http::approver_token, id, waiting},
    clients::Client,
    talk::Mcp,
};
use crate::server::{Sent, Server};
use crate::support::{Home, site};

const ASK: &str = "[[policy]]\neffect = 'submit'\ndecide = 'ask'\n";

/// Names that are, or could be taken for, a client's session.
const NAMES: [&str; 6] = ["mcp-1", "mcp-1.second", "MCP-1", "mcp-01", "mcp-2", "mcp-99.x-61"];

fn private_page() -> Value {
    json!({"url": site().page("private", "<p>what only this client sees</p>")})
}

/// The client's session is as it was, and nobody has seen what is in it.
fn untouched(server: &Server, client: &mut Client, heard: &[String]) {
    let tabs = client.call(server, "browser_tabs", &json!({"action": "list"}));
    assert!(tabs.to_string().contains("private"), "{tabs}");
    for text in heard {
        assert!(!text.contains("what only this client sees"), "{text}");
    }
}

#[test]
fn no_http_call_gets_into_the_session_of_a_client() {
    let home = Home::new();
    let server = Server::of(&home, "browser,jarvis,stagehand", &[]);
    let mut client = Client::greeted(&server, "/mcp", &json!({}));
    client.call(&server, "browser_navigate", &private_page());
    let mut heard = Vec::new();
    for name in NAMES {
        for (set, tool, args) in [
            ("browser", "browser_snapshot", json!({})),
            ("browser", "browser_navigate", json!({"url": site().page("taken", "")})),
            ("browser", "browser_close", json!({})),
            ("jarvis", "playwright_browser", json!({"action": "launch"})),
            ("stagehand", "extract", json!({})),
        ] {
            let body = args.to_string();
            let (path, bytes) = (format!("/v1/tools/{set}/{tool}"), body.as_bytes());
            let by_header = server.ask("POST", &path, bytes, &[("x-webhand-session", name)]);
            let by_query = server.ask("POST", &format!("{path}?session={name}"), bytes, &[]);
            let encoded = format!("{path}?session={}", name.replace('-', "%2D").replace('.', "%2e"));
            let by_code = server.ask("POST", &encoded, bytes, &[]);
            for answer in [by_header, by_query, by_code] {
                assert_eq!(answer.status, 400, "{name} {path}: {}", answer.body);
                heard.push(answer.body);
            }
        }
        for (method, path) in
            [("DELETE", format!("/v1/sessions/{name}")), ("POST", format!("/v1/sessions/{name}/stop"))]
        {
            let answer = server.ask(method, &path, b"", &[]);
            assert!(matches!(answer.status, 403 | 404), "{method} {path}: {}", answer.body);
        }
    }
    let at = "/v1/sessions/mcp-1";
    assert_eq!(server.ask("DELETE", at, b"", &[]).status, 403);
    assert_eq!(server.ask("POST", &format!("{at}/stop"), b"", &[]).status, 403);
    untouched(&server, &mut client, &heard);
    // A person may end it.
    let approver = approver_token(&home);
    let person = [("x-webhand-approver", &*approver)];
    assert_eq!(server.ask("POST", &format!("{at}/stop"), b"", &person).status, 200);
    untouched(&server, &mut client, &heard);
    assert_eq!(server.ask("DELETE", at, b"", &person).status, 200);
}

#[test]
fn no_argument_of_a_tool_gets_into_the_session_of_a_client() {
    let home = Home::new();
    for (set, tool, field) in
        [("openclaw", "browser", "profile"), ("jarvis", "playwright_browser", "browser_id")]
    {
        let server = Server::of(&home, set, &[]);
        let (url, names) = (site().page("taken", ""), NAMES);
        let mut client = Client::greeted(&server, "/mcp", &json!({}));
        // Something has to be there to be taken over.
        let open = match set {
            "openclaw" => json!({"action": "open", "targetUrl": private_page()["url"]}),
            "jarvis" => json!({"action": "launch"}),
            _ => json!({"action": "start"}),
        };
        client.ask(&server, "tools/call", &json!({"name": tool, "arguments": open}));
        let sessions = || server.get("/v1/sessions").json()["data"]["sessions"].as_array().unwrap().clone();
        let before: Vec<_> = sessions().iter().map(|session| session["session"].clone()).collect();
        for name in names {
            for mut args in [
                json!({"action": "open", "targetUrl": url}),
                json!({"action": "navigate", "url": url, "targetUrl": url}),
                json!({"action": "snapshot"}),
                json!({"action": "start"}),
                json!({"action": "launch"}),
                json!({"action": "stop"}),
                json!({"action": "close"}),
                json!({"action": "tabs"}),
            ] {
                args[field] = json!(name);
                let body = args.to_string();
                let answer = server.ask("POST", &format!("/v1/tools/{set}/{tool}"), body.as_bytes(), &[]);
                assert!(!answer.body.contains("private"), "{set} {args}: {}", answer.body);
            }
        }
        let listed =
            server.ask("POST", &format!("/v1/tools/{set}/{tool}"), br#"{"action": "profiles"}"#, &[]);
        assert!(!listed.body.contains("mcp-"), "{}", listed.body);
        for session in before {
            assert!(sessions().iter().any(|one| one["session"] == session), "{set}: {session} was closed");
        }
        let theirs: Vec<_> = sessions().into_iter().filter(|one| one["session"] != "default").collect();
        assert!(theirs.iter().all(|one| !one.to_string().contains("taken")), "{set}: {theirs:?}");
    }
}

/// What a client of a former start left behind, a new one with its number would find.
#[test]
fn a_new_client_does_not_inherit_the_files_of_a_former_one() {
    let home = Home::new();
    fs::create_dir_all(home.path().join("downloads/mcp-1")).unwrap();
    fs::write(home.path().join("downloads/mcp-1/theirs.txt"), "theirs").unwrap();
    let server = Server::start(&home);
    let mut client = Client::greeted(&server, "/mcp", &json!({}));
    client.call(&server, "browser_navigate", &json!({"url": site().page("page", "<input type=file>")}));
    for file in
        ["theirs.txt".to_owned(), home.path().join("downloads/mcp-1/theirs.txt").display().to_string()]
    {
        let upload =
            json!({"name": "browser_file_upload", "arguments": {"paths": [file], "target": "css=input"}});
        let answer = client.ask(&server, "tools/call", &upload);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
    let sessions = server.get("/v1/sessions").json();
    assert_ne!(sessions["data"]["sessions"][0]["session"], "mcp-1", "{sessions}");
}

fn form(path: &str) -> Value {
    json!({"url": site().page("form", &format!("<form method=post action='/echo?{path}'><button>Send it</button></form>"))})
}

fn hits(path: &str) -> usize {
    site().hits(&format!("/echo?{path}"))
}

/// Clicks over HTTP, and does not wait.
fn click(server: &Server, session: &str) -> Sent {
    let bearer = format!("Bearer {}", server.token);
    let headers = [("host", &*server.address), ("authorization", &*bearer), ("x-webhand-session", session)];
    let args = json!({"target": "css=button"}).to_string();
    server.send("POST", "/v1/tools/browser/browser_click", args.as_bytes(), &headers)
}

/// The person at the terminal allows it to themselves for the session; an agent in the same session is still asked about.
#[test]
fn what_one_caller_was_allowed_serves_no_other() {
    let home = Home::new();
    home.configure(ASK);
    let server = Server::start(&home);
    let url = form("granted")["url"].as_str().unwrap().to_owned();
    home.data(&["open", &url, "--session", "shared"]);
    let asking = home.start(&["click", "css=button", "--session", "shared"]);
    allow_at_terminal(&home, &id(&waiting(&home)), "session");
    assert_eq!(asking.answer()["ok"], true);
    assert_eq!(hits("granted"), 1);
    // The person is not asked again, and an agent is, in whatever session.
    home.data(&["open", &url, "--session", "shared"]);
    home.data(&["click", "css=button", "--session", "shared"]);
    assert_eq!(hits("granted"), 2);
    for session in ["shared", "other"] {
        server.data(session, "browser_navigate", &json!({"url": url}));
        let asking = click(&server, session);
        let asked = waiting(&home);
        assert_eq!((&asked["session"], &asked["front"]), (&json!(session), &json!("http")));
        home.data(&["approvals", "deny", &id(&asked)]);
        assert_eq!(asking.answer().code(), "APPROVAL_DENIED", "{session}");
    }
    let mut client = Client::greeted(&server, "/mcp", &json!({}));
    client.call(&server, "browser_navigate", &json!({"url": url}));
    let click = json!({"name": "browser_click", "arguments": {"target": "css=button"}});
    let answer = client.ask(&server, "tools/call", &click);
    assert_eq!(answer["result"]["structuredContent"]["error"]["code"], "APPROVAL_PENDING", "{answer}");
    let mut stdio = Mcp::greeted(&home, &["--session", "shared"]);
    stdio.text("browser_navigate", &json!({"url": url}));
    assert_eq!(stdio.code("browser_click", &json!({"target": "css=button"})), "APPROVAL_PENDING");
    assert_eq!(hits("granted"), 2);
}

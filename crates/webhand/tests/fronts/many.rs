//! MCP over HTTP: many clients at once, each in a session of its own.

use std::{sync::Barrier, thread};

use serde_json::{Value, json};

use crate::{
    process::eventually,
    server::{Answer, Server},
    support::{Home, site},
};

const CLIENTS: usize = 8;
const ACTIONS: usize = 50;

/// A client of `/mcp`, as far as the protocol needs one.
struct Client<'a> {
    server: &'a Server,
    path: String,
    session: String,
    next: u64,
}

impl<'a> Client<'a> {
    fn greeted(server: &'a Server, path: &str) -> Client<'a> {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
        let mut client = Client { server, path: path.into(), session: String::new(), next: 0 };
        let answer = client.post(&hello);
        assert_eq!(answer.status, 200, "{}", answer.body);
        client.session = answer.headers["mcp-session-id"].clone();
        assert_eq!(
            client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).status,
            202
        );
        client
    }

    fn headers(&self) -> Vec<(&str, &str)> {
        let mut headers =
            vec![("accept", "application/json, text/event-stream"), ("content-type", "application/json")];
        if !self.session.is_empty() {
            headers.extend([("mcp-session-id", &*self.session), ("mcp-protocol-version", "2025-06-18")]);
        }
        headers
    }

    fn post(&self, message: &Value) -> Answer {
        self.server.ask("POST", &self.path, message.to_string().as_bytes(), &self.headers())
    }

    /// The answer to a request, out of the events that come back.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let answer =
            self.post(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        let messages = answer.body.lines().filter_map(|line| line.strip_prefix("data:"));
        let mut messages = messages.filter_map(|data| serde_json::from_str::<Value>(data.trim()).ok());
        let found = messages.find(|message| message["id"] == self.next);
        assert!(found.is_some(), "{}: {}", answer.status, answer.body);
        found.unwrap()
    }

    fn call(&mut self, tool: &str, args: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": args}));
        assert_eq!(answer["result"]["isError"], false, "{tool} {args}: {answer}");
        answer["result"]["structuredContent"]["data"].clone()
    }
}

#[test]
fn eight_clients_do_not_see_each_other() {
    let home = Home::new();
    let server = Server::start(&home);
    let all_there = Barrier::new(CLIENTS);
    thread::scope(|scope| {
        for number in 0..CLIENTS {
            let (server, all_there) = (&server, &all_there);
            scope.spawn(move || {
                let mut client = Client::greeted(server, "/mcp");
                let body = format!("<h1>{number}</h1><label>Name <input></label><button onclick='this.textContent=+this.textContent+1'>0</button>");
                let at = client.call("browser_navigate", &json!({"url": site().page(&format!("page {number}"), &body)}));
                let session = at["session"].as_str().unwrap().to_owned();
                assert!(session.starts_with("mcp-"), "{session}");
                client.call("browser_evaluate", &json!({"function": format!("() => {{ document.cookie = 'who={number}'; localStorage.who = {number} }}")}));
                // Now everybody's state is there to be mixed up.
                all_there.wait();
                for round in 0..ACTIONS - 2 {
                    let (tool, args) = match round % 4 {
                        0 => ("browser_click", json!({"target": "css=button"})),
                        1 => ("browser_type", json!({"target": "Name", "text": format!("{number}-{round}")})),
                        2 => ("browser_evaluate", json!({"function": "() => [document.title, document.cookie, localStorage.who, document.querySelector('input').value]"})),
                        _ => ("browser_snapshot", json!({})),
                    };
                    let data = client.call(tool, &args);
                    assert_eq!(data["session"], session, "{tool}");
                    match round % 4 {
                        2 => assert_eq!(data["value"], json!([format!("page {number}"), format!("who={number}"), number.to_string(), format!("{number}-{}", round - 1)])),
                        3 => {
                            let text = data["snapshot"]["text"].as_str().unwrap();
                            assert!(text.contains(&format!("heading \"{number}\"")), "{number}: {text}");
                            assert!(text.contains(&format!("button \"{}\"", round / 4 + 1)), "{number}: {text}");
                        }
                        _ => {}
                    }
                }
                assert_eq!(server.ask("DELETE", "/mcp", b"", &client.headers()).status, 204);
            });
        }
    });
    eventually("their sessions are closed with them", || {
        server.get("/v1/sessions").json()["data"]["sessions"].as_array().unwrap().is_empty()
    });
}

#[test]
fn each_toolset_has_a_place_of_its_own() {
    let home = Home::new();
    let server = Server::start(&home);
    let names = |path: &str| {
        let listed = Client::greeted(&server, path).ask("tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("/mcp"), names("/mcp/browser"));
    for set in server.get("/v1/tools").json()["data"]["toolsets"].as_array().unwrap() {
        assert_eq!(json!(names(&format!("/mcp/{}", set["toolset"].as_str().unwrap()))), set["tools"]);
    }
    let mut client = Client::greeted(&server, "/mcp");
    let answer = server.ask("POST", "/mcp", b"{\"jsonrpc\": ", &client.headers());
    assert!((400..500).contains(&answer.status), "{}: {}", answer.status, answer.body);
    let wrong = client.ask("tools/call", &json!({"name": "browser_navigate", "arguments": [1]}));
    assert_eq!(wrong["result"]["structuredContent"]["error"]["code"], "INVALID_INPUT", "{wrong}");
    let unknown = client.ask("tools/call", &json!({"name": "nothing", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let unknown = Client { server: &server, path: "/mcp".into(), session: "nobody".into(), next: 0 };
    assert_eq!(unknown.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).status, 404);
}

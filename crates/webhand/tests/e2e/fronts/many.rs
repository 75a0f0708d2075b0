//! MCP over HTTP: many clients at once, each in a session of its own.

use std::{sync::Barrier, thread};

use serde_json::json;

use crate::fronts::clients::Client;
use crate::server::Server;
use crate::{
    process::eventually,
    support::{Home, site},
};

const CLIENTS: usize = 8;
const ACTIONS: usize = 50;

#[test]
fn eight_clients_do_not_see_each_other() {
    let home = Home::new();
    // What the scripts below set is what is compared afterwards.
    home.configure("[[policy]]\neffect = 'execute'\ndecide = 'allow'\n");
    let server = Server::start(&home);
    let all_there = Barrier::new(CLIENTS);
    thread::scope(|scope| {
        for number in 0..CLIENTS {
            let (server, all_there) = (&server, &all_there);
            scope.spawn(move || {
                let mut client = Client::greeted(server, "/mcp", &json!({}));
                let body = format!("<h1>{number}</h1><label>Name <input></label><button onclick='this.textContent=+this.textContent+1'>0</button>");
                let at = client.call(server, "browser_navigate", &json!({"url": site().page(&format!("page {number}"), &body)}));
                let session = at["session"].as_str().unwrap().to_owned();
                assert!(session.starts_with("mcp-"), "{session}");
                client.call(server, "browser_evaluate", &json!({"function": format!("() => {{ document.cookie = 'who={number}'; localStorage.who = {number} }}")}));
                // Now everybody's state is there to be mixed up.
                all_there.wait();
                for round in 0..ACTIONS - 2 {
                    let (tool, args) = match round % 4 {
                        0 => ("browser_click", json!({"target": "css=button"})),
                        1 => ("browser_type", json!({"target": "Name", "text": format!("{number}-{round}")})),
                        2 => ("browser_evaluate", json!({"function": "() => [document.title, document.cookie, localStorage.who, document.querySelector('input').value]"})),
                        _ => ("browser_snapshot", json!({})),
                    };
                    let data = client.call(server, tool, &args);
                    assert_eq!(data["session"], session, "{tool}");
                    let text = data["text"].as_str().unwrap();
                    match round % 4 {
                        2 => {
                            let all = json!([format!("page {number}"), format!("who={number}"), number.to_string(), format!("{number}-{}", round - 1)]);
                            let all = serde_json::to_string_pretty(&all).unwrap();
                            assert!(text.contains(&all), "{all}: {text}");
                        }
                        3 => {
                            assert!(text.contains(&format!("heading \"{number}\"")), "{number}: {text}");
                            assert!(text.contains(&format!("button \"{}\"", round / 4 + 1)), "{number}: {text}");
                        }
                        _ => {}
                    }
                }
                client.leave(server);
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
    let server = Server::of(&home, "browser,jarvis,stagehand", &[]);
    let names = |path: &str| {
        let listed = Client::greeted(&server, path, &json!({})).ask(&server, "tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].clone()).collect::<Vec<_>>()
    };
    assert!(names("/mcp").starts_with(&names("/mcp/browser")));
    for set in server.get("/v1/tools").json()["data"]["toolsets"].as_array().unwrap() {
        assert_eq!(json!(names(&format!("/mcp/{}", set["toolset"].as_str().unwrap()))), set["tools"]);
    }
    let mut client = Client::greeted(&server, "/mcp", &json!({}));
    let answer = server.ask("POST", "/mcp", b"{\"jsonrpc\": ", &client.headers());
    assert!((400..500).contains(&answer.status), "{}: {}", answer.status, answer.body);
    let wrong = client.ask(&server, "tools/call", &json!({"name": "browser_navigate", "arguments": [1]}));
    assert_eq!(wrong["result"]["structuredContent"]["error"]["code"], "INVALID_INPUT", "{wrong}");
    let unknown = client.ask(&server, "tools/call", &json!({"name": "nothing", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let unknown = Client::unknown("/mcp", "nobody");
    assert_eq!(unknown.post(&server, &json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).status, 404);
}

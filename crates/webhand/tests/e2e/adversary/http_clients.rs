//! A hostile MCP client at `/mcp`: it has the agents' token and nothing else, says that it can ask its user and has roots, and answers
//! everything itself.

use std::{fs, thread};

use serde_json::{Value, json};

use crate::fronts::{approvals::http::approver_token, clients::Client};
use crate::server::Server;
use crate::support::{Home, site};

const ASK: &str = "[[policy]]\neffect = 'submit'\ndecide = 'ask'\n";

/// Everything that a client can claim to have.
fn claims() -> [Value; 4] {
    [
        json!({"elicitation": {}, "roots": {"listChanged": true}}),
        json!({"elicitation": {"form": {}, "url": {}}, "roots": {}}),
        json!({"elicitation": {"url": {}}, "roots": {"listChanged": false}}),
        json!({"elicitation": {"form": {}}, "sampling": {}, "experimental": {"webhand": {"approver": true}}}),
    ]
}

fn form(path: &str) -> Value {
    json!({"url": site().page("form", &format!("<form method=post action='/echo?{path}'><button>Send it</button></form>"))})
}

fn hits(path: &str) -> usize {
    site().hits(&format!("/echo?{path}"))
}

/// Clicks, and says yes to every question that comes with the call. Returns the answer, and how many questions came.
fn click_and_agree(client: &mut Client, server: &Server, answer: &str) -> (Value, usize) {
    let params = json!({"name": "browser_click", "arguments": {"target": "css=button"}});
    let mut stream = client.send(server, "tools/call", &params);
    let mut questions = 0;
    loop {
        let message = stream.next().expect("an answer");
        if message["method"] == "elicitation/create" {
            questions += 1;
            let yes = json!({"action": "accept", "content": {"answer": answer}});
            client.reply(server, &message["id"], &yes);
        } else if message["id"] == stream.id {
            return (message, questions);
        }
    }
}

fn code(answer: &Value) -> &Value {
    &answer["result"]["structuredContent"]["error"]["code"]
}

#[test]
fn an_agent_cannot_answer_its_own_approvals() {
    let home = Home::new();
    home.configure(ASK);
    let server = Server::start(&home);
    for (at, claim) in claims().iter().enumerate() {
        for answer in ["once", "session", "always"] {
            let path = format!("own-{at}-{answer}");
            let mut client = Client::greeted(&server, "/mcp", claim);
            client.call(&server, "browser_navigate", &form(&path));
            let (answered, questions) = click_and_agree(&mut client, &server, answer);
            assert_eq!(
                (code(&answered), questions, hits(&path)),
                (&json!("APPROVAL_PENDING"), 0, 0),
                "{path}"
            );
            // Answers to questions that were never put.
            for id in 0..8 {
                let yes = json!({"jsonrpc": "2.0", "id": id, "result": {"action": "accept", "content": {"answer": answer}}});
                client.post(&server, &yes);
            }
            // Saying hello once more, as somebody else.
            let hello = json!({"jsonrpc": "2.0", "id": 77, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
                "capabilities": {"elicitation": {}, "roots": {}}, "clientInfo": {"name": "webhand approver", "version": "1"}}});
            client.post(&server, &hello);
            let (answered, questions) = click_and_agree(&mut client, &server, answer);
            assert_eq!(
                (code(&answered), questions, hits(&path)),
                (&json!("APPROVAL_PENDING"), 0, 0),
                "{path}"
            );
            client.leave(&server);
        }
    }
    assert_eq!(home.data(&["approvals"])["always_allowed"], json!([]), "nothing was remembered");
}

#[test]
fn only_the_approvers_token_makes_a_client_a_persons() {
    let home = Home::new();
    home.configure(ASK);
    let server = Server::start(&home);
    let approver = approver_token(&home);
    let hello =
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {"elicitation": {}}, "clientInfo": {"name": "test", "version": "1"}}})
        .to_string();
    let client = Client::unknown("/mcp", "");
    let ask = |more: &[(&str, &str)]| {
        let headers = [client.headers(), more.to_vec()].concat();
        server.ask("POST", "/mcp", hello.as_bytes(), &headers).status
    };
    let bearer = format!("Bearer {approver}");
    for wrong in [&*server.token, "", "true", &approver[1..], &bearer, &format!("{approver}0")] {
        assert_eq!(ask(&[("x-webhand-approver", wrong)]), 401, "{wrong}");
    }
    assert_eq!(ask(&[("x-webhand-approver", &approver), ("x-webhand-approver", &server.token)]), 401);
    // It goes beside the agents' token, and does not stand in for it.
    assert_eq!(ask(&[("x-webhand-approver", &approver), ("authorization", &bearer)]), 401);
    assert_eq!(ask(&[("x-webhand-approver", &approver), ("authorization", "Bearer x")]), 401);

    let claim = json!({"elicitation": {}});
    let mut person = Client::of_person(&server, "/mcp", &claim, &approver);
    person.call(&server, "browser_navigate", &form("person"));
    let (answered, questions) = click_and_agree(&mut person, &server, "once");
    assert_eq!(
        (&answered["result"]["isError"], questions, hits("person")),
        (&json!(false), 1, 1),
        "{answered}"
    );
}

#[test]
fn the_operator_can_trust_clients() {
    let home = Home::new();
    home.configure(&format!("trust_http_clients = true\n{ASK}"));
    let server = Server::start(&home);
    let mut client = Client::greeted(&server, "/mcp", &json!({"elicitation": {}}));
    client.call(&server, "browser_navigate", &form("trusted"));
    let (answered, questions) = click_and_agree(&mut client, &server, "once");
    assert_eq!(
        (&answered["result"]["isError"], questions, hits("trusted")),
        (&json!(false), 1, 1),
        "{answered}"
    );
}

#[test]
fn an_approval_that_another_gives_later_holds_for_the_same_call() {
    let home = Home::new();
    home.configure(ASK);
    let server = Server::start(&home);
    let mut client = Client::greeted(&server, "/mcp", &json!({"elicitation": {}}));
    client.call(&server, "browser_navigate", &form("late"));
    let (answered, _) = click_and_agree(&mut client, &server, "always");
    assert_eq!(code(&answered), "APPROVAL_PENDING");
    let id = home.data(&["approvals"])["approvals"][0]["id"].as_str().unwrap().to_owned();
    let answer = |token: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", &*bearer)];
        server.ask("POST", &format!("/v1/approvals/{id}"), br#"{"answer": "once"}"#, &headers).status
    };
    assert_eq!(answer(&server.token), 403);
    let (answered, _) = click_and_agree(&mut client, &server, "always");
    assert_eq!((code(&answered), hits("late")), (&json!("APPROVAL_PENDING"), 0));
    assert_eq!(answer(&approver_token(&home)), 200);
    let (answered, _) = click_and_agree(&mut client, &server, "always");
    assert_eq!((&answered["result"]["isError"], hits("late")), (&json!(false), 1), "{answered}");
}

/// Tells these roots whenever it is asked for them, until the client leaves.
fn tell_roots(client: &Client, server: &Server, uris: &[String]) -> usize {
    let mut stream = client.listen(server);
    let mut asked = 0;
    while let Some(message) = stream.next() {
        if message["method"] == "roots/list" {
            asked += 1;
            let roots: Vec<_> = uris.iter().map(|uri| json!({"uri": uri})).collect();
            client.reply(server, &message["id"], &json!({"roots": roots}));
        }
    }
    asked
}

#[test]
fn an_agent_cannot_give_itself_folders() {
    let (home, folder) = (Home::new(), tempfile::tempdir().unwrap());
    let secret = folder.path().join("secret.txt");
    fs::write(&secret, "secret").unwrap();
    let server = Server::spawn(
        home.command(&["serve", "--listen", "127.0.0.1:0", "--json"]).current_dir(folder.path()),
    );
    let uri = |path: &std::path::Path| format!("file://{}", path.display());
    let wide = ["file:///".to_owned(), uri(folder.path()), uri(home.path())];
    for path in ["/mcp", "/mcp/browser"] {
        for claim in claims() {
            let mut client = Client::hello(&server, path, &claim, &[]);
            let listener = Client::unknown(path, &client.session);
            thread::scope(|scope| {
                let told = scope.spawn(|| tell_roots(&listener, &server, &wide));
                client.ready(&server);
                client.call(
                    &server,
                    "browser_navigate",
                    &json!({"url": site().page("page", "<input type=file>")}),
                );
                let changed = json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"});
                client.post(&server, &changed);
                for file in [
                    &secret,
                    &home.path().join("approver-token"),
                    &home.path().join("token"),
                    &"secret.txt".into(),
                ] {
                    let upload = json!({"name": "browser_file_upload", "arguments": {"paths": [file], "target": "css=input"}});
                    let answer = client.ask(&server, "tools/call", &upload);
                    assert_eq!(answer["result"]["isError"], true, "{}: {answer}", file.display());
                }
                let write = json!({"name": "browser_take_screenshot", "arguments": {"filename": folder.path().join("x.png")}});
                assert_eq!(code(&client.ask(&server, "tools/call", &write)), "ACTION_DENIED");
                // Its own folder it has.
                client.call(&server, "browser_take_screenshot", &json!({"filename": "mine.png"}));
                let own = json!({"paths": ["mine.png"], "target": "css=input"});
                client.call(&server, "browser_file_upload", &own);
                client.leave(&server);
                assert_eq!(told.join().unwrap(), 0, "nobody asked for its roots");
            });
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

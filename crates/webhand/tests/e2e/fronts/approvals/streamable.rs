//! MCP over HTTP: the question comes on the stream of the call that waits, if the client is a person's: it said hello with the approvers'
//! token. What comes of others is in `adversary`.

use serde_json::{Value, json};

use super::{
    ASK, BUTTON, form, hits,
    http::{approver_token, end},
    id,
    matrix::{Ending, Front, GONE, OK, try_all},
    said, waiting,
};
use crate::fronts::clients::{Client, Stream};
use crate::server::Server;
use crate::{process::eventually, support::Home};

struct Streamable<'a> {
    home: &'a Home,
    server: Server,
    client: Client,
    asking: Option<Stream>,
}

fn greeted(home: &Home, server: &Server) -> Client {
    Client::of_person(server, "/mcp", &json!({"elicitation": {}}), &approver_token(home))
}

fn click(client: &mut Client, server: &Server) -> Stream {
    client.send(server, "tools/call", &json!({"name": "browser_click", "arguments": {"target": BUTTON}}))
}

/// The question that comes with a call.
fn asked(stream: &mut Stream) -> Value {
    loop {
        let message = stream.next().expect("a question");
        if message["method"] == "elicitation/create" {
            return message;
        }
    }
}

/// How a call ended.
fn told(mut stream: Stream) -> String {
    let answer = loop {
        match stream.next() {
            None => return GONE.into(),
            Some(message) if message["id"] == stream.id && message["method"].is_null() => break message,
            Some(_) => {}
        }
    };
    if answer["result"]["isError"] == false {
        return OK.into();
    }
    answer["result"]["structuredContent"]["error"]["code"].as_str().unwrap_or("none").to_owned()
}

impl Front for Streamable<'_> {
    fn start(&mut self) {
        self.server = Server::start(self.home);
        self.client = greeted(self.home, &self.server);
    }

    fn go(&mut self, page: &Value) {
        self.client.call(&self.server, "browser_navigate", page);
    }

    fn click(&mut self) {
        self.asking = Some(click(&mut self.client, &self.server));
    }

    fn told(&mut self) -> String {
        told(self.asking.take().unwrap())
    }

    fn answer(&mut self, approval: &Value, answer: &str) {
        let asked = asked(self.asking.as_mut().unwrap());
        assert!(asked["params"]["message"].as_str().unwrap().contains(&id(approval)), "{asked}");
        self.client.reply(&self.server, &asked["id"], &said(answer));
    }

    fn halt(&mut self, session: &str) -> Value {
        // The session is the client's own; only a person stops what another one does.
        let approver = approver_token(self.home);
        let headers = [("x-webhand-approver", &*approver)];
        let stopped = self.server.ask("POST", &format!("/v1/sessions/{session}/stop"), b"", &headers);
        stopped.json()["data"]["halted"].clone()
    }

    fn leave(&mut self) {
        self.client.leave(&self.server);
        self.asking = None;
        self.client = greeted(self.home, &self.server);
    }

    fn end(&mut self, how: Ending) {
        end(&mut self.server, how);
    }
}

#[test]
fn whatever_happens_while_a_call_waits() {
    let home = Home::new();
    home.configure(&format!("approval_timeout = '1s'\n{ASK}"));
    let server = Server::start(&home);
    let client = greeted(&home, &server);
    let mut front = Streamable { home: &home, server, client, asking: None };
    try_all(&home, &mut front, "streamable", "elicitation", ["CANCELLED", GONE]);
}

/// A connection that breaks is no goodbye (Streamable HTTP, "Sending Messages"): the client may come back for the answer. What waits is
/// there until somebody answers or its time is over, and nobody else is asked.
#[test]
fn a_connection_that_breaks_is_no_answer() {
    let home = Home::new();
    home.configure(ASK);
    let server = Server::start(&home);
    let (mut client, mut other) = (greeted(&home, &server), greeted(&home, &server));
    client.call(&server, "browser_navigate", &form("broken"));
    let mut stream = click(&mut client, &server);
    asked(&mut stream);
    let approval = waiting(&home);
    drop(stream);
    let mut others =
        other.send(&server, "tools/call", &json!({"name": "browser_tabs", "arguments": {"action": "list"}}));
    while let Some(message) = others.next() {
        assert_ne!(message["method"], "elicitation/create", "another client's question");
    }
    assert_eq!((waiting(&home)["id"].clone(), hits("broken")), (approval["id"].clone(), 0));
    home.data(&["approvals", "deny", &id(&approval)]);
    eventually("it is over", || {
        home.history().iter().any(|row| row["verb"] == "click" && row["code"] == "APPROVAL_DENIED")
    });
    assert_eq!(hits("broken"), 0);
}

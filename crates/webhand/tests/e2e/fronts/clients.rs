//! A client of `/mcp`, as far as the protocol needs one.

use std::io::BufRead;

use serde_json::{Value, json};

use crate::server::{Answer, Sent, Server};

/// A client that has said hello. Which server it speaks to is said each time.
pub(crate) struct Client {
    pub path: String,
    pub session: String,
    next: u64,
}

impl Client {
    pub(crate) fn greeted(server: &Server, path: &str, capabilities: &Value) -> Client {
        let client = Client::hello(server, path, capabilities, &[]);
        client.ready(server);
        client
    }

    /// One that has the approvers' token as well, and so is a person's.
    pub(crate) fn of_person(server: &Server, path: &str, capabilities: &Value, approver: &str) -> Client {
        let client = Client::hello(server, path, capabilities, &[("x-webhand-approver", approver)]);
        client.ready(server);
        client
    }

    /// One that has said hello with these headers, and not yet that it is ready.
    pub(crate) fn hello(
        server: &Server,
        path: &str,
        capabilities: &Value,
        headers: &[(&str, &str)],
    ) -> Client {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
            "capabilities": capabilities, "clientInfo": {"name": "test", "version": "1"}}});
        let mut client = Client::unknown(path, "");
        let headers = [client.headers(), headers.to_vec()].concat();
        let answer = server.ask("POST", path, hello.to_string().as_bytes(), &headers);
        assert_eq!(answer.status, 200, "{}", answer.body);
        client.session = answer.headers["mcp-session-id"].clone();
        client
    }

    pub(crate) fn ready(&self, server: &Server) {
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.post(server, &ready).status, 202);
    }

    /// Listens to what the server says by itself.
    pub(crate) fn listen(&self, server: &Server) -> Stream {
        let bearer = format!("Bearer {}", server.token);
        let mut headers = self.headers();
        headers.extend([("host", &*server.address), ("authorization", &*bearer)]);
        let mut sent = server.send("GET", &self.path, b"", &headers);
        assert_eq!(sent.head().0, 200);
        Stream { sent, id: 0 }
    }

    /// One that calls itself so, and has not been greeted.
    pub(crate) fn unknown(path: &str, session: &str) -> Client {
        Client { path: path.into(), session: session.into(), next: 0 }
    }

    pub(crate) fn headers(&self) -> Vec<(&str, &str)> {
        let mut headers =
            vec![("accept", "application/json, text/event-stream"), ("content-type", "application/json")];
        if !self.session.is_empty() {
            headers.extend([("mcp-session-id", &*self.session), ("mcp-protocol-version", "2025-06-18")]);
        }
        headers
    }

    pub(crate) fn post(&self, server: &Server, message: &Value) -> Answer {
        server.ask("POST", &self.path, message.to_string().as_bytes(), &self.headers())
    }

    /// Sends a request, and leaves it to the caller to hear what comes.
    pub(crate) fn send(&mut self, server: &Server, method: &str, params: &Value) -> Stream {
        self.next += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        let bearer = format!("Bearer {}", server.token);
        let mut headers = self.headers();
        headers.extend([("host", &*server.address), ("authorization", &*bearer)]);
        let sent = server.send("POST", &self.path, message.to_string().as_bytes(), &headers);
        Stream { sent, id: self.next }
    }

    /// Answers what the server asked.
    #[track_caller]
    pub(crate) fn reply(&self, server: &Server, id: &Value, result: &Value) {
        let answer = self.post(server, &json!({"jsonrpc": "2.0", "id": id, "result": result}));
        assert_eq!(answer.status, 202, "{}", answer.body);
    }

    /// Says goodbye.
    #[track_caller]
    pub(crate) fn leave(&self, server: &Server) {
        assert_eq!(server.ask("DELETE", &self.path, b"", &self.headers()).status, 204);
    }

    /// The answer to a request, and all that came with it.
    #[track_caller]
    pub(crate) fn ask_all(&mut self, server: &Server, method: &str, params: &Value) -> (Value, Vec<Value>) {
        let mut stream = self.send(server, method, params);
        let mut others = Vec::new();
        loop {
            let message = stream.next().expect("an answer");
            if message["id"] == stream.id && message["method"].is_null() {
                return (message, others);
            }
            others.push(message);
        }
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, server: &Server, method: &str, params: &Value) -> Value {
        self.ask_all(server, method, params).0
    }

    /// What a tool answers that does what it is told.
    #[track_caller]
    pub(crate) fn call(&mut self, server: &Server, tool: &str, args: &Value) -> Value {
        let answer = self.ask(server, "tools/call", &json!({"name": tool, "arguments": args}));
        assert_eq!(answer["result"]["isError"], false, "{tool} {args}: {answer}");
        let mut data = answer["result"]["structuredContent"]["data"].clone();
        data["text"] = answer["result"]["content"][0]["text"].clone();
        data
    }
}

/// The events that answer a request. Dropped, the connection is broken.
pub(crate) struct Stream {
    sent: Sent,
    /// The number of the request.
    pub id: u64,
}

impl Stream {
    /// The next message; none when there will be no more.
    pub(crate) fn next(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            // A server that is killed may reset the connection.
            if self.sent.0.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            let message = line.strip_prefix("data:").and_then(|data| serde_json::from_str(data.trim()).ok());
            if message.is_some() {
                return message;
            }
        }
    }
}

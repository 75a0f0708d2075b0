//! The four ways to a tool, each with all that its client gets to see, and as talkative as it can be.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    path::PathBuf,
};

use serde_json::{Value, json};

use super::{Place, has_nothing};
use crate::fronts::{clients::Client, talk::Mcp};
use crate::server::{Events, Server};

/// A way to the tools of every toolset.
pub(super) trait Way {
    /// All that comes back.
    fn call(&mut self, set: &str, tool: &str, args: &Value) -> String;
    /// Where it logs.
    fn log(&self) -> PathBuf;
    /// Ends what was started for it, having looked at whatever else it says.
    fn end(self: Box<Self>);
}

/// Which way.
pub(super) enum Kind {
    /// `webhand call`, a command for each call.
    Call,
    /// `webhand mcp`.
    Stdio,
    /// `/v1/tools` of `webhand serve`.
    Http,
    /// `/mcp` of it.
    Streamable,
}

pub(super) fn open(kind: Kind, place: &Place) -> Box<dyn Way + '_> {
    match kind {
        Kind::Call => Box::new(CommandLine(place)),
        Kind::Stdio => Box::new(Stdio { place, servers: BTreeMap::new() }),
        Kind::Http => Box::new(Http::start(place)),
        Kind::Streamable => Box::new(Streamable { http: Http::start(place), clients: BTreeMap::new() }),
    }
}

fn append(place: &Place) -> File {
    OpenOptions::new().create(true).append(true).open(place.log()).unwrap()
}

struct CommandLine<'a>(&'a Place);

impl Way for CommandLine<'_> {
    fn call(&mut self, set: &str, tool: &str, args: &Value) -> String {
        let words = ["--caps", "all", "call", &format!("{set}.{tool}"), &args.to_string()];
        let mut command = self.0.home.command(&words);
        let output = command.env("WEBHAND_LOG", "trace").current_dir(self.0.folder.path()).output().unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    }

    fn log(&self) -> PathBuf {
        self.0.home.path().join("run/daemon.log")
    }

    fn end(self: Box<Self>) {
        for words in [&["status"][..], &["sessions"], &["approvals"], &["history"], &["history", "--json"]] {
            let ran = self.0.home.run(words);
            has_nothing(&words.join(" "), &format!("{}{}", ran.stdout, ran.stderr));
        }
        self.0.home.stop(&["stop"]);
    }
}

/// A server for each toolset: two of them may call a tool the same.
struct Stdio<'a> {
    place: &'a Place,
    servers: BTreeMap<String, Mcp>,
}

impl Way for Stdio<'_> {
    fn call(&mut self, set: &str, tool: &str, args: &Value) -> String {
        let mcp = self.servers.entry(set.to_owned()).or_insert_with(|| {
            let mut command = self.place.home.command(&["mcp", "--caps", "all", "--toolset", set]);
            command
                .env("WEBHAND_LOG", "trace")
                .stderr(append(self.place))
                .current_dir(self.place.folder.path());
            let mut mcp = Mcp::heard(&mut command);
            mcp.greet(&json!({}));
            mcp.ask("logging/setLevel", &json!({"level": "debug"}));
            mcp
        });
        let params = json!({"name": tool, "arguments": args, "_meta": {"progressToken": 1}});
        let answer = mcp.ask("tools/call", &params);
        let others: String = mcp.others.drain(..).map(|message| message.to_string()).collect();
        format!("{answer}{others}")
    }

    fn log(&self) -> PathBuf {
        self.place.log()
    }

    fn end(self: Box<Self>) {
        for mut mcp in self.servers.into_values() {
            mcp.leave();
            mcp.until_ended();
        }
    }
}

struct Http<'a> {
    place: &'a Place,
    server: Server,
    events: Events,
}

impl Http<'_> {
    fn start(place: &Place) -> Http<'_> {
        let mut command =
            place.home.command(&["serve", "--listen", "127.0.0.1:0", "--json", "--caps", "all"]);
        command.env("WEBHAND_LOG", "trace").stderr(append(place)).current_dir(place.folder.path());
        let server = Server::spawn(&mut command);
        let events = server.listen();
        Http { place, server, events }
    }
}

impl Way for Http<'_> {
    fn call(&mut self, set: &str, tool: &str, args: &Value) -> String {
        let answer =
            self.server.ask("POST", &format!("/v1/tools/{set}/{tool}"), args.to_string().as_bytes(), &[]);
        format!("{:?}{}", answer.headers, answer.body)
    }

    fn log(&self) -> PathBuf {
        self.place.log()
    }

    fn end(mut self: Box<Self>) {
        for path in ["/metrics", "/v1/sessions", "/v1/approvals", "/v1/tools", "/healthz"] {
            has_nothing(path, &self.server.get(path).body);
        }
        self.server.terminate();
        let told = self.events.rest();
        assert!(told.contains("event: action"), "{told}");
        has_nothing("events", &told);
        self.server.until_ended();
    }
}

struct Streamable<'a> {
    http: Http<'a>,
    clients: BTreeMap<String, Client>,
}

impl Way for Streamable<'_> {
    fn call(&mut self, set: &str, tool: &str, args: &Value) -> String {
        let server = &self.http.server;
        let greet = || Client::greeted(server, &format!("/mcp/{set}"), &json!({}));
        let client = self.clients.entry(set.to_owned()).or_insert_with(greet);
        let params = json!({"name": tool, "arguments": args, "_meta": {"progressToken": 1}});
        let (answer, others) = client.ask_all(server, "tools/call", &params);
        format!("{answer}{}", Value::Array(others))
    }

    fn log(&self) -> PathBuf {
        self.http.log()
    }

    fn end(self: Box<Self>) {
        for client in self.clients.values() {
            client.leave(&self.http.server);
        }
        Box::new(self.http).end();
    }
}

//! The four ways to a tool, each with all that its client gets to see, and as talkative as it can be.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    path::PathBuf,
};

use serde_json::{Value, json};

use super::{Place, has_nothing};
use crate::fronts::{approvals::http::approver_token, clients::Client, talk::Mcp};
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
        Kind::Http => Box::new(Http { place, served: None }),
        Kind::Streamable => Box::new(Streamable { http: Http { place, served: None }, client: None }),
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

/// A server for one toolset at a time: not all of them can be served together.
struct Http<'a> {
    place: &'a Place,
    served: Option<Served>,
}

struct Served {
    set: String,
    server: Server,
    events: Events,
}

impl Http<'_> {
    /// The server for a toolset. One for another has ended before.
    fn serve(&mut self, set: &str) -> &Server {
        if self.served.as_ref().is_some_and(|served| served.set != set) {
            self.finish();
        }
        let place = self.place;
        let start = || {
            let serve = ["serve", "--toolset", set, "--listen", "127.0.0.1:0", "--json", "--caps", "all"];
            let mut command = place.home.command(&serve);
            command.env("WEBHAND_LOG", "trace").stderr(append(place)).current_dir(place.folder.path());
            let server = Server::spawn(&mut command);
            let events = server.listen();
            Served { set: set.to_owned(), server, events }
        };
        &self.served.get_or_insert_with(start).server
    }

    /// Ends the server, having looked at what it told.
    fn finish(&mut self) {
        let Some(Served { mut server, mut events, .. }) = self.served.take() else { return };
        for path in ["/metrics", "/v1/sessions", "/v1/approvals", "/v1/tools", "/healthz"] {
            has_nothing(path, &server.get(path).body);
        }
        server.terminate();
        let told = events.rest();
        assert!(told.contains("event: action"), "{told}");
        has_nothing("events", &told);
        server.until_ended();
    }
}

impl Way for Http<'_> {
    fn call(&mut self, set: &str, tool: &str, args: &Value) -> String {
        let server = self.serve(set);
        let answer = server.ask("POST", &format!("/v1/tools/{set}/{tool}"), args.to_string().as_bytes(), &[]);
        format!("{:?}{}", answer.headers, answer.body)
    }

    fn log(&self) -> PathBuf {
        self.place.log()
    }

    fn end(mut self: Box<Self>) {
        self.finish();
    }
}

struct Streamable<'a> {
    http: Http<'a>,
    client: Option<Client>,
}

impl Streamable<'_> {
    fn leave(&mut self) {
        if let Some((client, served)) = self.client.take().zip(self.http.served.as_ref()) {
            client.leave(&served.server);
        }
    }
}

impl Way for Streamable<'_> {
    fn call(&mut self, set: &str, tool: &str, args: &Value) -> String {
        let path = format!("/mcp/{set}");
        if self.client.as_ref().is_some_and(|client| client.path != path) {
            self.leave();
        }
        let home = &self.http.place.home;
        let server = self.http.serve(set);
        // A person's client may use files of the folder that the server was started in.
        let greet = || Client::of_person(server, &path, &json!({}), &approver_token(home));
        let client = self.client.get_or_insert_with(greet);
        let params = json!({"name": tool, "arguments": args, "_meta": {"progressToken": 1}});
        let (answer, others) = client.ask_all(server, "tools/call", &params);
        format!("{answer}{}", Value::Array(others))
    }

    fn log(&self) -> PathBuf {
        self.http.log()
    }

    fn end(mut self: Box<Self>) {
        self.leave();
        self.http.finish();
    }
}

//! `webhand serve` under test, and a client that sends exactly what it is told to.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::Value;

use crate::{
    process::{Process, eventually},
    support::Home,
};

/// Long enough for a loaded machine; what never comes fails the test after it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server in a home. It ends with the value.
pub(crate) struct Server {
    child: Child,
    pub address: String,
    pub token: String,
}

impl Server {
    pub(crate) fn start(home: &Home) -> Server {
        Server::with(home, &[])
    }

    /// One with these settings.
    pub(crate) fn with(home: &Home, flags: &[&str]) -> Server {
        let args = [flags, &["serve", "--listen", "127.0.0.1:0", "--json"]].concat();
        Server::spawn(&mut home.command(&args))
    }

    /// One that serves these toolsets.
    pub(crate) fn of(home: &Home, toolsets: &str, flags: &[&str]) -> Server {
        let serve = ["serve", "--toolset", toolsets, "--listen", "127.0.0.1:0", "--json"];
        Server::spawn(&mut home.command(&[flags, &serve].concat()))
    }

    /// One that is started by a command of the caller's.
    pub(crate) fn spawn(command: &mut Command) -> Server {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).expect(&line);
        let address = said["data"]["url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
        let token =
            fs::read_to_string(said["data"]["token_file"].as_str().unwrap()).unwrap().trim().to_owned();
        Server { child, address, token }
    }

    /// What another server answers, which wants no token.
    #[track_caller]
    pub(crate) fn raw(address: &str, method: &str, path: &str) -> Value {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut sent = Sent(BufReader::new(stream));
        let (_, headers) = sent.head();
        let mut body = vec![0; headers["content-length"].parse().unwrap()];
        sent.0.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Listens to everything that happens from now on.
    #[track_caller]
    pub(crate) fn listen(&self) -> Events {
        let bearer = format!("Bearer {}", self.token);
        let headers = [("host", &*self.address), ("authorization", &*bearer)];
        let mut sent = self.send("GET", "/v1/events", b"", &headers);
        assert_eq!(sent.head().0, 200);
        let mut events = Events(sent);
        events.next("ready");
        events
    }

    pub(crate) fn process(&self) -> Process {
        Process::find(&self.child.id().into())
    }

    /// A request with the token.
    #[track_caller]
    pub(crate) fn ask(&self, method: &str, path: &str, body: &[u8], headers: &[(&str, &str)]) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let host = [("host", &*self.address), ("authorization", &*bearer)];
        let host = host.iter().filter(|(name, _)| headers.iter().all(|(other, _)| other != name));
        let headers: Vec<_> = host.chain(headers).copied().collect();
        self.send(method, path, body, &headers).answer()
    }

    /// Sends a request and does not wait for the answer.
    #[track_caller]
    pub(crate) fn send(&self, method: &str, path: &str, body: &[u8], headers: &[(&str, &str)]) -> Sent {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut head =
            format!("{method} {path} HTTP/1.1\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        Sent(BufReader::new(stream))
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, b"", &[])
    }

    /// Calls a tool of the default toolset in a session.
    #[track_caller]
    pub(crate) fn call(&self, session: &str, tool: &str, args: &Value) -> Answer {
        let path = format!("/v1/tools/browser/{tool}");
        self.ask("POST", &path, args.to_string().as_bytes(), &[("x-webhand-session", session)])
    }

    /// What a tool answers that does what it is told.
    #[track_caller]
    pub(crate) fn data(&self, session: &str, tool: &str, args: &Value) -> Value {
        let answer = self.call(session, tool, args);
        let body = answer.json();
        assert_eq!((answer.status, &body["ok"]), (200, &Value::Bool(true)), "{body}");
        body["data"].clone()
    }

    pub(crate) fn terminate(&self) {
        let pid = rustix::process::Pid::from_raw(self.process().pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    /// Waits for its end, which must be a good one.
    #[track_caller]
    pub(crate) fn until_ended(&mut self) {
        let mut status = None;
        eventually("the server ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        assert_eq!(status.unwrap().code(), Some(0));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The events of a server.
pub(crate) struct Events(Sent);

impl Events {
    /// What the next event of a kind says.
    #[track_caller]
    pub(crate) fn next(&mut self, kind: &str) -> Value {
        loop {
            if self.0.line().strip_prefix("event: ") == Some(kind) {
                let data = self.0.line();
                return serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
            }
        }
    }

    /// All that comes until the server ends.
    pub(crate) fn rest(&mut self) -> String {
        let mut told = Vec::new();
        let _ = self.0.0.read_to_end(&mut told);
        String::from_utf8_lossy(&told).into_owned()
    }
}

/// A request that has been sent. Dropped, the client has gone.
pub(crate) struct Sent(pub BufReader<TcpStream>);

impl Sent {
    /// The status and the headers; the body is still to be read.
    #[track_caller]
    pub(crate) fn head(&mut self) -> (u16, BTreeMap<String, String>) {
        let mut lines = Vec::new();
        loop {
            let line = self.line();
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
        let status = lines[0].split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &String| {
            let (name, value) = line.split_once(':').unwrap();
            (name.to_ascii_lowercase(), value.trim().to_owned())
        };
        (status, lines[1..].iter().map(header).collect())
    }

    #[track_caller]
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end_matches(['\r', '\n']).to_owned()
    }

    /// The whole answer.
    #[track_caller]
    pub(crate) fn answer(mut self) -> Answer {
        let (status, headers) = self.head();
        let mut body = Vec::new();
        if headers.get("transfer-encoding").is_some_and(|coding| coding == "chunked") {
            loop {
                let size = usize::from_str_radix(&self.line(), 16).unwrap();
                let mut chunk = vec![0; size + 2];
                self.0.read_exact(&mut chunk).unwrap();
                body.extend_from_slice(&chunk[..size]);
                if size == 0 {
                    break;
                }
            }
        } else {
            self.0.read_to_end(&mut body).unwrap();
        }
        Answer { status, headers, body: String::from_utf8(body).unwrap() }
    }
}

pub(crate) struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect(&self.body)
    }

    /// The code of an error, which is always a `ToolResult`.
    #[track_caller]
    pub(crate) fn code(&self) -> String {
        let body = self.json();
        assert_eq!(body["ok"], false, "{body}");
        assert!(body["error"]["hint"].is_string(), "{body}");
        body["error"]["code"].as_str().unwrap().to_owned()
    }
}

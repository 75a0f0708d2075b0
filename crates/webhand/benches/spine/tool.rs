//! webhand as its users have it: the release binary, its daemon, its socket.

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::net::UnixStream,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Tool {
    home: TempDir,
    stream: BufReader<UnixStream>,
    build: String,
}

impl Tool {
    /// From nothing to a page: no daemon, no browser, an empty home.
    pub(crate) fn start(page: &str) -> Tool {
        let home = tempfile::Builder::new().prefix("whb").tempdir().unwrap();
        run(home.path(), &["open", page]);
        let stream = BufReader::new(UnixStream::connect(home.path().join("run/daemon.sock")).unwrap());
        let mut tool = Tool { home, stream, build: String::new() };
        // A daemon tells its build to whoever asks from another.
        tool.build = tool.exchange(&json!({"webhand": "?", "command": "status"}))["webhand"]
            .as_str()
            .unwrap()
            .to_owned();
        tool
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// An action through the daemon, as a client that stays connected sees it.
    pub(crate) fn ask(&mut self, action: &Value) -> Duration {
        self.perform("default", action)
    }

    /// A session that was not there before; closed outside the time.
    pub(crate) fn new_session(&mut self, name: &str) -> Duration {
        let took = self.perform(name, &json!({"action": "open"}));
        self.perform(name, &json!({"action": "close"}));
        took
    }

    /// A whole command: process, answer, exit.
    pub(crate) fn command(&self, args: &[&str]) -> Duration {
        let began = Instant::now();
        run(self.home.path(), args);
        began.elapsed()
    }

    /// What an action answers.
    pub(crate) fn answer(&mut self, action: &Value) -> Value {
        let question = self.question("default", action);
        self.exchange(&question)["result"]["data"].clone()
    }

    fn perform(&mut self, session: &str, action: &Value) -> Duration {
        let question = self.question(session, action);
        let began = Instant::now();
        let answer = self.exchange(&question);
        let took = began.elapsed();
        assert!(answer["result"]["ok"] == true, "{question}: {answer}");
        took
    }

    fn question(&self, session: &str, action: &Value) -> Value {
        json!({
            "webhand": self.build, "command": "perform", "session": session, "options": {"browser": testkit::browser()},
            "request": {"action": action, "tab": null, "timeout": null, "front": "cli"},
        })
    }

    fn exchange(&mut self, question: &Value) -> Value {
        let mut line = serde_json::to_vec(question).unwrap();
        line.push(b'\n');
        self.stream.get_mut().write_all(&line).unwrap();
        let mut answer = String::new();
        self.stream.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }
}

fn run(home: &Path, args: &[&str]) {
    let status = Command::new(env!("CARGO_BIN_EXE_webhand"))
        .args(args)
        .env("WEBHAND_HOME", home)
        .env("WEBHAND_BROWSER", testkit::browser())
        .env("WEBHAND_ALLOW", testkit::ALLOW)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "webhand {args:?}: {status}");
}

impl Drop for Tool {
    fn drop(&mut self) {
        run(self.home.path(), &["stop"]);
    }
}

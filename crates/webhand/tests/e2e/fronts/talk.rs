//! A client of `webhand mcp` that says exactly what it is told to, right or wrong.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    process::{Process, eventually},
    support::Home,
};

/// Long enough for a loaded machine; what never comes fails the test after it.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Mcp {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// What came meanwhile and was not what was waited for.
    pub others: Vec<Value>,
    next: u64,
}

impl Mcp {
    /// A server that nobody has spoken to.
    pub(crate) fn start(home: &Home, args: &[&str]) -> Mcp {
        Mcp::heard(home.command(&[&["mcp"], args].concat()).current_dir(home.path()))
    }

    /// The same, started in another way.
    pub(crate) fn heard(command: &mut Command) -> Mcp {
        let mut mcp = Mcp::spawn(command);
        let stdout = mcp.stdout();
        let (sender, messages) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // Nothing but the protocol may be there.
                let message = serde_json::from_str(&line).unwrap_or_else(|_| json!({"no": line}));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        mcp.messages = messages;
        mcp
    }

    /// The same, with its output left to the caller.
    pub(crate) fn spawn(command: &mut Command) -> Mcp {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        Mcp { child, stdin, messages: channel().1, others: Vec::new(), next: 100 }
    }

    pub(crate) fn stdout(&mut self) -> ChildStdout {
        self.child.stdout.take().unwrap()
    }

    /// A server that has been greeted.
    pub(crate) fn greeted(home: &Home, args: &[&str]) -> Mcp {
        let mut mcp = Mcp::start(home, args);
        mcp.greet(&json!({}));
        mcp
    }

    pub(crate) fn greet(&mut self, capabilities: &Value) -> Value {
        let hello = self.ask(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "1"}}),
        );
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        hello
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    pub(crate) fn line(&mut self, line: &str) {
        self.write(format!("{line}\n").as_bytes());
    }

    pub(crate) fn say(&mut self, message: &Value) {
        self.line(&message.to_string());
    }

    /// The next message, whatever it is.
    #[track_caller]
    pub(crate) fn hear(&mut self) -> Value {
        self.messages.recv_timeout(PATIENCE).expect("a message")
    }

    /// Sends a request and does not wait for the answer. Returns its id.
    pub(crate) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    /// The answer to a request.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        self.answer_or_end(id).expect("an answer")
    }

    /// The answer to a request; none if the server ends without one.
    #[track_caller]
    pub(crate) fn answer_or_end(&mut self, id: u64) -> Option<Value> {
        loop {
            let message = match self.messages.recv_timeout(PATIENCE) {
                Err(RecvTimeoutError::Disconnected) => return None,
                message => message.expect("an answer in time"),
            };
            if message["id"] == id && message["method"].is_null() {
                return Some(message);
            }
            self.others.push(message);
        }
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// What a tool answers, whether it worked or not.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, args: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": args}));
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// The text of a call that works.
    #[track_caller]
    pub(crate) fn text(&mut self, tool: &str, args: &Value) -> String {
        let result = self.call(tool, args);
        assert_eq!(result["isError"], false, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The code of a call that does not.
    #[track_caller]
    pub(crate) fn code(&mut self, tool: &str, args: &Value) -> String {
        let result = self.call(tool, args);
        assert_eq!(result["isError"], true, "{result}");
        result["structuredContent"]["error"]["code"].as_str().unwrap().to_owned()
    }

    /// It is still there and understands.
    #[track_caller]
    pub(crate) fn is_well(&mut self) {
        assert_eq!(self.ask("ping", &json!({}))["result"], json!({}));
    }

    pub(crate) fn process(&self) -> Process {
        Process::find(&json!(self.child.id()))
    }

    /// Tells it to end.
    pub(crate) fn terminate(&self) {
        let pid = rustix::process::Pid::from_raw(self.process().pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    /// Closes its input.
    pub(crate) fn leave(&mut self) {
        self.stdin = None;
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

impl Drop for Mcp {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

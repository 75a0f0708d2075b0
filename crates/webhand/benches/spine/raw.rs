//! The floor: Chromium driven by hand-written CDP over its pipe, with no tool between. Blocking, nothing of webhand's.

use std::{
    fs::File,
    io::{Read, Write},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use command_fds::{CommandFdExt, FdMapping};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Raw {
    browser: Child,
    to: File,
    from: File,
    buffer: Vec<u8>,
    last_id: u64,
    session: Option<String>,
    events: Vec<String>,
    _profile: TempDir,
}

impl Raw {
    /// Starts a browser and loads a page in the tab that it comes with.
    pub(crate) fn start(page: &str) -> Raw {
        let profile = tempfile::tempdir().unwrap();
        let (browser_reads, to) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
        let (from, browser_writes) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
        let mut command = Command::new(testkit::browser());
        command
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-background-networking",
                "--disable-component-update",
            ])
            .args([
                "--disable-sync",
                "--no-first-run",
                "--no-default-browser-check",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            // The size of our own viewport, so that pictures are as large.
            .args(["--window-size=1280,807", "about:blank"])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mappings = vec![
            FdMapping { parent_fd: browser_reads, child_fd: 3 },
            FdMapping { parent_fd: browser_writes, child_fd: 4 },
        ];
        command.fd_mappings(mappings).unwrap();
        let browser = command.spawn().unwrap();
        drop(command);
        let mut raw = Raw {
            browser,
            to: to.into(),
            from: from.into(),
            buffer: Vec::new(),
            last_id: 0,
            session: None,
            events: Vec::new(),
            _profile: profile,
        };
        let target = loop {
            let targets = raw.call("Target.getTargets", json!({}));
            let page =
                targets["targetInfos"].as_array().unwrap().iter().find(|target| target["type"] == "page");
            if let Some(page) = page {
                break page["targetId"].clone();
            }
        };
        raw.attach(&target);
        raw.navigate(page);
        raw
    }

    pub(crate) fn evaluate(&mut self, js: &str) -> Duration {
        let began = Instant::now();
        let answer = self.call("Runtime.evaluate", json!({"expression": js, "returnByValue": true}));
        assert!(!answer["result"]["value"].is_null());
        began.elapsed()
    }

    /// How long a command takes until its answer is there, which is not read: reading it would be our own time.
    pub(crate) fn time(&mut self, method: &str, params: &Value) -> Duration {
        let began = Instant::now();
        self.send(method, params);
        let id = format!("{{\"id\":{}", self.last_id);
        while !self.receive_bytes().starts_with(id.as_bytes()) {}
        began.elapsed()
    }

    pub(crate) fn navigate(&mut self, url: &str) -> Duration {
        let began = Instant::now();
        self.events.clear();
        self.call("Page.navigate", json!({"url": url}));
        while !self.events.iter().any(|event| event == "Page.loadEventFired") {
            let message = self.receive();
            self.note(&message);
        }
        began.elapsed()
    }

    /// Press and release, sent together, as fast as Chromium takes them.
    pub(crate) fn click(&mut self, x: f64, y: f64) -> Duration {
        let began = Instant::now();
        let event = |kind: &str, count: u32| json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": count});
        self.send("Input.dispatchMouseEvent", &json!({"type": "mouseMoved", "x": x, "y": y}));
        self.send("Input.dispatchMouseEvent", &event("mousePressed", 1));
        self.call("Input.dispatchMouseEvent", event("mouseReleased", 1));
        began.elapsed()
    }

    /// Focus, selection and text.
    pub(crate) fn fill(&mut self, selector: &str, text: &str) -> Duration {
        let began = Instant::now();
        let select =
            format!("(field => (field.focus(), field.select(), 1))(document.querySelector('{selector}'))");
        self.evaluate(&select);
        self.call("Input.insertText", json!({"text": text}));
        began.elapsed()
    }

    /// Until a promise is kept.
    pub(crate) fn wait(&mut self, promise: &str) -> Duration {
        let began = Instant::now();
        self.call("Runtime.evaluate", json!({"expression": promise, "awaitPromise": true}));
        began.elapsed()
    }

    pub(crate) fn screenshot(&mut self) -> Duration {
        let began = Instant::now();
        let answer = self.call("Page.captureScreenshot", json!({"format": "png"}));
        assert!(answer["data"].as_str().unwrap().len() > 1000);
        began.elapsed()
    }

    /// A context and a tab in it, attached and ready for events; disposed of outside the time.
    pub(crate) fn new_context(&mut self) -> Duration {
        let kept = self.session.take();
        let began = Instant::now();
        let context = self.call("Target.createBrowserContext", json!({}))["browserContextId"].clone();
        let target =
            self.call("Target.createTarget", json!({"url": "about:blank", "browserContextId": context}));
        self.attach(&target["targetId"]);
        let took = began.elapsed();
        self.session = None;
        self.call("Target.disposeBrowserContext", json!({"browserContextId": context}));
        self.session = kept;
        took
    }

    fn attach(&mut self, target: &Value) {
        let attached = self.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        self.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        self.call("Page.enable", json!({}));
    }

    fn send(&mut self, method: &str, params: &Value) {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = serde_json::to_vec(&message).unwrap();
        bytes.push(0);
        self.to.write_all(&bytes).unwrap();
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.send(method, &params);
        loop {
            let message = self.receive();
            if message["id"] == self.last_id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.note(&message);
        }
    }

    fn note(&mut self, message: &Value) {
        if let Some(method) = message["method"].as_str() {
            self.events.push(method.to_owned());
        }
    }

    fn receive(&mut self) -> Value {
        serde_json::from_slice(&self.receive_bytes()).unwrap()
    }

    fn receive_bytes(&mut self) -> Vec<u8> {
        let mut searched = 0;
        loop {
            if let Some(end) = self.buffer[searched..].iter().position(|&byte| byte == 0) {
                let mut message: Vec<u8> = self.buffer.drain(..=searched + end).collect();
                message.pop();
                return message;
            }
            searched = self.buffer.len();
            let mut chunk = [0; 64 << 10];
            let read = self.from.read(&mut chunk).unwrap();
            assert!(read > 0, "the browser ended");
            self.buffer.extend_from_slice(&chunk[..read]);
        }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}

//! What every test needs: a home of its own, a way to type commands in it, and the fixture site.

use std::{
    env, fs,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::OnceLock,
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;
use testkit::Site;

use crate::process::{Process, eventually};

/// Long enough for a loaded machine; no test waits for it unless something is broken.
const TIMEOUT: &str = "60s";

/// What commands have without a timeout. Without this, a missing element would be waited for nearly as long as `TIMEOUT`.
const ELEMENT_TIMEOUT: &str = "5s";

/// The same for a daemon that does not say anything.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn site() -> &'static Site {
    static SITE: OnceLock<Site> = OnceLock::new();
    SITE.get_or_init(Site::start)
}

/// Waits until the fixture site has been asked for this.
pub(crate) fn until_asked(path: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(site().hit(path, 1));
}

/// A home of its own, with whatever daemon and browser come to live in it. All of that ends with the value.
pub(crate) struct Home {
    folder: TempDir,
    browser: PathBuf,
}

impl Home {
    /// One whose browser is Chromium's headless shell, which costs half as much. It has the same pages and networks, but neither windows nor
    /// hidden pages, which downloads by address and the storage of other origins need.
    pub(crate) fn new() -> Home {
        Home { folder: tempfile::tempdir().unwrap(), browser: testkit::shell() }
    }

    /// One with the whole Chromium, as users have it.
    pub(crate) fn whole() -> Home {
        Home::new().with_whole_browser()
    }

    /// The same with the whole Chromium.
    pub(crate) fn with_whole_browser(mut self) -> Home {
        self.browser = testkit::browser();
        self
    }

    /// A home whose daemon runs, without a browser: what is refused needs none.
    pub(crate) fn with_daemon() -> Home {
        let home = Home::whole();
        assert_eq!(home.code(&["open", "ftp://x"]), "NAVIGATION_BLOCKED");
        home
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path().join("run/daemon.sock")
    }

    /// A connection to the daemon, as clients make it. It ends no later than the daemon does.
    pub(crate) fn connect(&self) -> std::io::Result<UnixStream> {
        let stream = UnixStream::connect(self.socket())?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(stream)
    }

    pub(crate) fn configure(&self, text: &str) {
        fs::write(self.path().join("config.toml"), text).unwrap();
    }

    /// A command as a user would type it, in an environment that says nothing but where home and browser are.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_of(env!("CARGO_BIN_EXE_webhand").as_ref(), args)
    }

    /// The same, of another file than the one under test.
    pub(crate) fn command_of(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("WEBHAND_") {
                command.env_remove(name);
            }
        }
        // With a key there is one tool more.
        command
            .env_remove("BRAVE_API_KEY")
            .env("WEBHAND_HOME", self.path())
            .env("WEBHAND_BROWSER", &self.browser)
            .env("WEBHAND_TIMEOUT", TIMEOUT)
            .env("WEBHAND_ELEMENT_TIMEOUT", ELEMENT_TIMEOUT)
            .env("WEBHAND_ALLOW", testkit::ALLOW)
            .args(args)
            .stdin(Stdio::null());
        command
    }

    /// Runs a command and reads what it prints for people.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::new(args, &self.command(args).output().unwrap())
    }

    /// Runs a command with `--json` and reads its answer, whichever it is.
    pub(crate) fn ask(&self, args: &[&str]) -> Value {
        self.run(&[args, &["--json"]].concat()).answer()
    }

    /// The data of an answer that is a success.
    #[track_caller]
    pub(crate) fn data(&self, args: &[&str]) -> Value {
        data(self.ask(args))
    }

    /// The code of an answer that is an error.
    #[track_caller]
    pub(crate) fn code(&self, args: &[&str]) -> String {
        code(&self.ask(args))
    }

    #[track_caller]
    pub(crate) fn eval(&self, js: &str) -> Value {
        self.data(&["eval", js])["value"].clone()
    }

    /// Starts a command with `--json` and does not wait for it.
    pub(crate) fn start(&self, args: &[&str]) -> Client {
        let args = [args, &["--json"]].concat();
        let child = self.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Client { child: Some(child), args: args.join(" ") }
    }

    /// Everything that was done, as `webhand history` tells it.
    pub(crate) fn history(&self) -> Vec<Value> {
        self.data(&["history"])["entries"].as_array().unwrap().clone()
    }

    /// Waits until an action of this name is under way.
    pub(crate) fn until_begun(&self, verb: &str) {
        eventually(verb, || {
            self.history().iter().any(|entry| entry["verb"] == verb && entry["ok"].is_null())
        });
    }

    /// Stops the daemon, which must be running, and waits until it has ended.
    pub(crate) fn stop(&self, args: &[&str]) {
        let daemon = self.daemon();
        assert_eq!(self.data(args)["stopped"], true);
        daemon.until_gone();
    }

    /// The daemon, which must be running.
    pub(crate) fn daemon(&self) -> Process {
        Process::find(&self.data(&["status"])["pid"])
    }

    /// The browser, of which there must be one.
    pub(crate) fn browser(&self) -> Process {
        let status = self.data(&["status"]);
        assert_eq!(status["browsers"].as_array().unwrap().len(), 1, "{status}");
        Process::find(&status["browsers"][0]["pid"])
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // A test that has failed is not to fail a second time here.
        let _ = self.command(&["stop"]).output();
    }
}

/// What a command printed and how it ended.
pub(crate) struct Ran {
    command: String,
    pub exit: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub(crate) fn new(args: &[&str], output: &Output) -> Ran {
        Ran {
            command: args.join(" "),
            exit: output.status.code(),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// What was printed, of a command that succeeded.
    #[track_caller]
    pub(crate) fn text(self) -> String {
        let Ran { command, exit, stdout, stderr } = self;
        assert_eq!(exit, Some(0), "webhand {command}: {stdout}{stderr}");
        stdout
    }

    /// The one line of JSON. The exit status must agree with it, and people are not told the same once more.
    #[track_caller]
    pub(crate) fn answer(self) -> Value {
        let Ran { command, exit, stdout, stderr } = self;
        let is_alone = stdout.lines().count() == 1 && !stderr.lines().any(|line| line.starts_with("error"));
        assert!(is_alone, "webhand {command}: {stdout}{stderr}");
        let answer: Value = serde_json::from_str(&stdout).unwrap();
        let expected = if answer["ok"] == true { 0 } else { 1 };
        assert_eq!(exit, Some(expected), "webhand {command}: {stdout}");
        answer
    }
}

/// A command under way. One that nobody waits for is killed.
pub(crate) struct Client {
    child: Option<Child>,
    args: String,
}

impl Client {
    /// Waits for its answer.
    #[track_caller]
    pub(crate) fn answer(mut self) -> Value {
        let output = self.child.take().unwrap().wait_with_output().unwrap();
        Ran::new(&[&self.args], &output).answer()
    }

    pub(crate) fn kill(self) {
        drop(self);
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[track_caller]
pub(crate) fn data(answer: Value) -> Value {
    assert_eq!(answer["ok"], true, "{answer}");
    answer["data"].clone()
}

/// An error's code. Whatever it is, it comes with a sentence and a hint.
#[track_caller]
pub(crate) fn code(answer: &Value) -> String {
    assert_eq!(answer["ok"], false, "{answer}");
    let error = &answer["error"];
    for field in ["message", "hint"] {
        assert!(error[field].as_str().is_some_and(|text| !text.is_empty()), "no {field} in {answer}");
    }
    error["code"].as_str().unwrap().to_owned()
}

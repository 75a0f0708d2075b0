//! What is typed on the command line is told to nobody else: not in answers, not in the journal, not in the daemon's log, however much it
//! says, and not in the arguments or the environment of any process that stays.

use std::{fs, io::Write, process::Stdio};

use crate::support::{Home, site};

/// The text. No page, message or name has it by chance.
const CANARY: &str = "Kanarienvogel-7Q";

/// How long elements are waited for that never come.
const SOON: &str = "500ms";

/// The same as keys, one after the other.
const KEYS: &str = "K a n a r i e n v o g e l - 7 Q";

/// The same as a step of several, and as a header.
const BATCH: &str = "fill css=#word Kanarienvogel-7Q";
const HEADER: &str = "X-Api-Key: Kanarienvogel-7Q";

const PAGE: &str = "<label>Word <input id=word type=password></label> <input id=off disabled> <input id=fixed readonly> <input id=day type=date>
    <div style='position:relative'><input id=under><div style='position:absolute;inset:0'></div></div>
    <button onclick='prompt(1)'>Ask</button> <input id=slow oninput='for (const end = Date.now() + 6000; Date.now() < end;);'>";

/// A home whose daemon says as much as it can.
struct Talkative(Home);

impl Talkative {
    /// Runs a command with and without `--json`. What it prints must not have the text in it.
    #[track_caller]
    fn try_both(&self, args: &[&str], expected: i32) {
        for more in [&["--json"][..], &[]] {
            let args = [args, more].concat();
            let output = self
                .0
                .command(&args)
                .env("WEBHAND_LOG", "trace")
                .env("WEBHAND_ELEMENT_TIMEOUT", SOON)
                .output()
                .unwrap();
            let printed = [&output.stdout[..], &output.stderr[..]].concat();
            let printed = String::from_utf8_lossy(&printed);
            assert_eq!(output.status.code(), Some(expected), "{args:?}: {printed}");
            has_nothing(&format!("{args:?}"), &printed);
        }
    }

    /// Looks through all that stays when a command has ended.
    fn look_through(&self) {
        for file in ["journal.db", "journal.db-wal", "run/daemon.log"] {
            let content = fs::read(self.0.path().join(file)).unwrap_or_default();
            has_nothing(file, &String::from_utf8_lossy(&content));
        }
        has_nothing("history", &format!("{:?}", self.0.history()));
        for process in [self.0.daemon()].into_iter().chain(self.children()) {
            has_nothing("arguments", &process.command);
            let environment = fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
            has_nothing("environment", &String::from_utf8_lossy(&environment));
        }
    }

    /// Nothing could be found where nothing is written.
    #[track_caller]
    fn is_talkative(&self) {
        let environment = fs::read(format!("/proc/{}/environ", self.0.daemon().pid)).unwrap();
        assert!(
            String::from_utf8_lossy(&environment).contains("WEBHAND_LOG=trace"),
            "the daemon says as much as it can"
        );
    }

    /// The processes that the daemon started: the browser's, and who looks after them.
    fn children(&self) -> Vec<crate::process::Process> {
        crate::process::Process::all_with(&self.0.path().display().to_string())
    }
}

#[track_caller]
fn has_nothing(what: &str, text: &str) {
    assert!(!text.contains(CANARY) && !text.contains(&KEYS[..12]), "{what}: {text}");
}

#[test]
fn what_is_typed_stays_between_the_caller_and_the_page() {
    let home = Talkative(Home::whole());
    // The command that starts the daemon has it among its arguments.
    home.try_both(&["fill", "css=#word", CANARY], 1);
    home.look_through();
    home.try_both(&["open", &site().page("page", PAGE)], 0);
    home.try_both(&["snapshot"], 0);
    for args in [
        &["fill", "css=#word", CANARY][..],
        &["fill", "--submit", "Word", CANARY],
        &["type", CANARY, "--target", "css=#word"],
        &["type", CANARY, "--target", "css=#word", "--delay", "1ms"],
        &["press", KEYS, "--target", "css=#word"],
        &["fill-form", "css=#word", CANARY],
        &["eval", "text => text.length", "--arg", CANARY],
        &["batch", BATCH, "press Tab"],
        &["cookies", "set", "session", CANARY],
        &["storage", "local", "set", "token", CANARY],
        &["emulate", "--header", HEADER],
    ] {
        home.try_both(args, 0);
    }
    for more in [&["--json"][..], &[]] {
        home.try_both(&["goto", &site().page("page", PAGE)], 0);
        home.0.data(&["click", "css=button"]);
        let ran = home.0.run(&[&["dialog", "accept", CANARY], more].concat());
        assert_eq!(ran.exit, Some(0), "{}{}", ran.stdout, ran.stderr);
        has_nothing("dialog", &format!("{}{}", ran.stdout, ran.stderr));
    }
    home.look_through();
    home.is_talkative();
}

#[test]
fn what_could_not_be_typed_stays_there_as_well() {
    let home = Talkative(Home::whole());
    home.try_both(&["open", &site().page("page", PAGE)], 0);
    home.try_both(&["snapshot"], 0);
    home.try_both(&["fill", "css=#word", CANARY], 0);
    for args in [
        &["fill", "css=#off", CANARY, "--timeout", "2s"][..],
        &["fill", "css=#fixed", CANARY, "--timeout", "2s"],
        &["fill", "css=#none", CANARY],
        &["fill", "e9999", CANARY],
        &["fill", "css=#day", CANARY],
        &["type", CANARY, "--target", "css=#under", "--timeout", "2s"],
        &["press", CANARY, "--target", "css=#word"],
        &["press", KEYS, "--target", "css=#none"],
        &["fill-form", "css=#word", CANARY, "css=#off", CANARY, "--timeout", "2s"],
        &["dialog", "accept", CANARY],
        &["eval", "text => { while (text) {} }", "--arg", CANARY, "--timeout", "2s"],
        &["fill", "css=#slow", CANARY, "--timeout", "2s"],
        &["batch", "fill css=#none Kanarienvogel-7Q"],
        &["select", "css=#none", CANARY],
        &["upload", "css=#none", CANARY],
        &["cookies", "set", "session", CANARY, "--url", "ftp://x"],
    ] {
        home.try_both(args, 1);
    }
    // What cannot be read as a command is not repeated either.
    home.try_both(&["fill-form", "css=#word", CANARY, CANARY], 2);
    home.look_through();
    home.is_talkative();
}

/// Nobody has said that it is a secret, and no field or name does. Still it is the caller's, and nothing of it is kept.
#[test]
fn what_is_typed_into_plain_fields_is_not_written_down_either() {
    let home = Talkative(Home::whole());
    home.try_both(
        &["open", &site().page("page", "<input id=word> <button onclick='prompt(1)'>Ask</button>")],
        0,
    );
    let step = r#"{"action": "fill", "target": "css=#word", "text": "Kanarienvogel-7Q"}"#;
    for args in [
        &["fill", "css=#word", CANARY][..],
        &["fill", "--submit", "css=#word", CANARY],
        &["type", CANARY, "--target", "css=#word"],
        &["press", KEYS, "--target", "css=#word"],
        &["fill-form", "css=#word", CANARY],
        &["batch", BATCH, step, "press Tab"],
        &["cookies", "set", "theme", CANARY],
        &["storage", "local", "set", "theme", CANARY],
        &["emulate", "--header", "X-Theme: Kanarienvogel-7Q"],
        &["eval", "text => text.length", "--arg", CANARY],
    ] {
        home.try_both(args, 0);
    }
    home.0.data(&["click", "css=button"]);
    home.0.data(&["dialog", "accept", CANARY]);
    home.look_through();
}

#[test]
fn a_text_on_standard_input_is_in_no_arguments() {
    let home = Home::whole();
    home.data(&["open", &site().page("page", PAGE)]);
    for args in [&["fill", "css=#word", "-"][..], &["type", "-", "--target", "css=#word"]] {
        let mut child = home.command(args).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(format!("{CANARY}\n").as_bytes()).unwrap();
        assert!(child.wait().unwrap().success(), "{args:?}");
    }
    let length = home.data(&["eval", "document.querySelector('#word').value.length"]);
    assert_eq!(length["value"], 2 * CANARY.len());
}

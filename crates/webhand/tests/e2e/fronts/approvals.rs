//! What the policy asks about. `matrix` holds every front to the same: allowed, denied, expired, halted, left by who asked, and ended
//! meanwhile, with the site as the witness. What is only one front's, and what the rules are about, is beside it.

mod cli;
pub(crate) mod http;
mod matrix;
mod rules;
mod stdio;
mod streamable;

use std::{
    io::{BufReader, Read, Write},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::{
    process::eventually,
    support::{Home, site},
};

/// Forms are asked about.
const ASK: &str = "[[policy]]\neffect = 'submit'\ndecide = 'ask'\n";

const BUTTON: &str = "css=button";

/// A page with a form that goes to a path of its own.
fn form(path: &str) -> Value {
    json!({"url": site().page("form", &format!(
        "<form method=post action='/echo?{path}'><input name=a aria-label=Word><button>Send it</button></form>"
    ))})
}

fn hits(path: &str) -> usize {
    site().hits(&format!("/echo?{path}"))
}

/// The only approval that waits, as the command line lists it.
pub(crate) fn waiting(home: &Home) -> Value {
    let mut found = Value::Null;
    eventually("something waits for an approval", || {
        let list = home.data(&["approvals"]);
        found = list["approvals"][0].clone();
        found.is_object()
    });
    found
}

pub(crate) fn id(approval: &Value) -> String {
    approval["id"].as_str().unwrap().to_owned()
}

/// Allows at a terminal, as a person does: types back the code that is shown.
pub(crate) fn allow_at_terminal(home: &Home, id: &str, how_long: &str) -> String {
    let words = home.command(&["approvals", "allow", id, "--for", how_long]);
    let line = std::iter::once(words.get_program()).chain(words.get_args());
    let line = shlex::try_join(line.map(|word| word.to_str().unwrap())).unwrap();
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).env("WEBHAND_HOME", home.path());
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut reader, mut seen) = (BufReader::new(child.stdout.take().unwrap()), String::new());
    let mut byte = [0];
    while !seen.ends_with("to allow it: ") && reader.read(&mut byte).unwrap() == 1 {
        seen.push(char::from(byte[0]));
    }
    let code = seen.rsplit("type ").next().unwrap().split(' ').next().unwrap().to_owned();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(format!("{code}\n").as_bytes()).unwrap();
    reader.read_to_string(&mut seen).unwrap();
    assert!(child.wait().unwrap().success(), "{seen}");
    seen
}

/// What the client's user says to a question of the server's.
fn said(answer: &str) -> Value {
    json!({"action": "accept", "content": {"answer": answer}})
}

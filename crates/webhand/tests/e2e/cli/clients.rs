//! Clients that misbehave, and clients of another build.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::Command,
};

use serde_json::{Value, json};

use crate::support::{Home, Ran, code, data, site};

/// Sends a line and reads the one that answers it.
fn say(home: &Home, line: impl AsRef<[u8]>) -> Value {
    let mut stream = home.connect().unwrap();
    stream.write_all(line.as_ref()).unwrap();
    stream.write_all(b"\n").unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    serde_json::from_str(&answer).unwrap()
}

#[test]
fn nonsense_is_answered_and_survived() {
    let home = Home::with_daemon();
    let daemon = home.daemon();
    let build = say(&home, "{}")["webhand"].as_str().unwrap().to_owned();
    let megabyte = "x".repeat(1 << 20);
    let nonsense = [
        "".into(),
        "GET / HTTP/1.1".into(),
        "\0\u{7f}\u{fffd}".into(),
        "null".into(),
        "[1, 2".into(),
        "{\"webhand\": 1, \"command\": [2]}".into(),
        "[".repeat(1 << 20),
        megabyte.clone(),
        json!({"webhand": build, "command": "fly"}).to_string(),
        json!({"webhand": build, "command": {"sessions": {}}}).to_string(),
        json!({"webhand": build, "command": "perform"}).to_string(),
        json!({"webhand": build, "command": "perform", "session": 5, "options": 6, "request": megabyte})
            .to_string(),
        json!({"webhand": build, "command": "perform", "session": "../x", "options": {}, "request": {}})
            .to_string(),
        json!({"command": "sessions"}).to_string(),
    ];
    for line in nonsense {
        let answer = say(&home, &line);
        assert_eq!(code(&answer["result"]), "INVALID_INPUT", "{}", &line[..line.len().min(80)]);
    }
    assert_eq!(code(&say(&home, b"\xff\xfe\x00")["result"]), "INVALID_INPUT");

    for unfinished in ["", "{\"webhand\"", &megabyte] {
        let mut stream = home.connect().unwrap();
        stream.write_all(unfinished.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(stream.read_to_end(&mut Vec::new()).unwrap(), 0, "half a question has no answer");
    }
    // Some that stay, and say nothing.
    let silent: Vec<_> = (0..50).map(|_| home.connect().unwrap()).collect();
    assert_eq!(
        data(say(&home, json!({"webhand": build, "command": "sessions"}).to_string())["result"].clone()),
        json!({"sessions": []})
    );
    assert_eq!(home.daemon(), daemon, "it still serves");
    drop(silent);
}

#[test]
fn another_build_is_told_so_and_may_stop_it() {
    let home = Home::with_daemon();
    let daemon = home.daemon();
    let answer = say(&home, r#"{"webhand":"0.0.0+other","command":"sessions"}"#);
    assert_eq!(answer["result"], Value::Null);
    assert_ne!(answer["webhand"], "0.0.0+other");
    assert!(daemon.is_running());

    let mut stream = home.connect().unwrap();
    stream.write_all(b"{\"webhand\":\"x\",\"command\":\"stop\"}\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&answer).unwrap()["result"]["data"]["stopped"], true);
    daemon.until_gone();
    assert!(!home.socket().exists());
}

#[test]
fn a_client_of_another_build_starts_its_own_daemon() {
    let home = Home::whole();
    home.data(&["open", &site().page("old", "")]);
    let (old, browser) = (home.daemon(), home.browser());
    let copy = home.path().join("webhand");
    // By another process: one of ours that is just starting could hold the new file open for writing, and then it cannot be run.
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_webhand")).arg(&copy).status().unwrap().success());
    let ask = |args: &[&str]| {
        let args = [args, &["--json"]].concat();
        Ran::new(&args, &home.command_of(&copy, &args).output().unwrap()).answer()
    };

    for looking in ["status", "sessions"] {
        assert_eq!(code(&ask(&[looking])), "UNSUPPORTED");
    }
    assert!(old.is_running() && browser.is_running(), "looking ends nothing");
    assert_eq!(data(ask(&["open", &site().page("new", "")]))["title"], "new");
    assert_ne!(data(ask(&["status"]))["pid"], old.pid);
    old.until_gone();
    browser.until_gone();
    assert_eq!(data(ask(&["sessions"]))["sessions"].as_array().unwrap().len(), 1);
}

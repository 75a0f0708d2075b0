//! `webhand mcp`: what a client gets that makes mistakes, and what is left when it goes, however it does.

use std::{io::Read, process::Stdio};

use serde_json::{Value, json};

use crate::{
    process::Process,
    support::{Home, site},
};

use crate::fronts::talk::Mcp;

#[test]
fn every_mistake_has_its_answer() {
    let home = Home::new();
    let mut mcp = Mcp::start(&home, &[]);
    // Before anybody has said hello.
    for (line, code) in [
        ("not json", -32700),
        ("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": ", -32700),
        ("{\"text\": \"\\ud800\"}", -32700),
        ("\"text\"", -32600),
        ("[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]", -32600),
        ("{\"id\": 1, \"method\": \"ping\"}", -32600),
        ("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}", -32602),
    ] {
        mcp.line(line);
        assert_eq!(mcp.hear()["error"]["code"], code, "{line}");
    }
    mcp.line("{\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}");
    mcp.line("");
    mcp.greet(&json!({}));
    for (method, params, code) in [
        ("nothing/there", json!({}), -32601),
        ("tools/call", json!({}), -32602),
        ("tools/call", json!({"name": 5}), -32602),
        ("tools/call", json!([]), -32600),
        ("tools/call", json!({"name": "nothing", "arguments": {}}), -32602),
        ("tools/call", json!({"name": "", "arguments": {}}), -32602),
        ("tools/call", json!({"name": "browser_pdf_save", "arguments": {}}), -32602),
        ("logging/setLevel", json!({"level": "loud"}), -32602),
    ] {
        let answer = mcp.ask(method, &params);
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
    }
    for args in [
        json!([]),
        json!("text"),
        json!(7),
        json!({"url": 7}),
        json!({}),
        json!({"uri": "x"}),
        json!({"url": null}),
    ] {
        assert_eq!(mcp.code("browser_navigate", &args), "INVALID_INPUT", "{args}");
    }
    let answer = mcp.ask("tools/call", &json!({"name": "browser_navigate"}));
    assert_eq!(answer["result"]["structuredContent"]["error"]["code"], "INVALID_INPUT");
    for line in [
        "{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"ping\"}",
        "{\"jsonrpc\": \"2.0\", \"id\": 1.5, \"method\": \"ping\"}",
    ] {
        mcp.line(line);
        let answer = mcp.hear();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &Value::Null), "{line}");
    }
    // An answer to nothing, a cancellation of nothing, a notification nobody knows.
    mcp.line("{\"jsonrpc\": \"2.0\", \"id\": 77, \"result\": {}}");
    mcp.line(
        "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\", \"params\": {\"requestId\": 77}}",
    );
    mcp.line("{\"jsonrpc\": \"2.0\", \"method\": \"notifications/nobody/knows\", \"params\": [1]}");
    mcp.is_well();
}

#[test]
fn what_is_too_large_is_refused_and_what_is_large_is_not() {
    let home = Home::new();
    let mut mcp = Mcp::greeted(&home, &[]);
    let answer = mcp.code("browser_navigate", &json!({"url": "x".repeat(8 << 20)}));
    assert!(["INVALID_INPUT", "NAVIGATION_BLOCKED"].contains(&&*answer), "{answer}");
    mcp.write(b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"");
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..33 {
        mcp.write(&chunk);
    }
    mcp.write(b"\"}\n");
    assert_eq!(mcp.hear()["error"]["code"], -32600);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    mcp.line(&deep);
    assert_eq!(mcp.hear()["error"]["code"], -32700);
    mcp.is_well();
}

/// A client that has a page open, and the processes that its server started for that.
fn browsing(home: &Home) -> (Mcp, Vec<Process>) {
    let mut mcp = Mcp::greeted(home, &[]);
    mcp.text("browser_navigate", &json!({"url": site().page("page", "<p>here")}));
    let started = Process::all_with("--remote-debugging-pipe");
    let server = mcp.process().pid;
    let ours = started.into_iter().filter(|process| parent(process.pid) == Some(server)).collect::<Vec<_>>();
    assert!(!ours.is_empty(), "the browser is a child of its server");
    (mcp, ours)
}

fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn half_a_message_and_the_end_take_the_browser_along() {
    let home = Home::new();
    let (mut mcp, browsers) = browsing(&home);
    mcp.write(b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"meth");
    mcp.leave();
    mcp.until_ended();
    browsers.iter().for_each(Process::until_gone);
}

#[test]
fn a_signal_takes_the_browser_along() {
    let home = Home::new();
    let (mut mcp, browsers) = browsing(&home);
    let pid = rustix::process::Pid::from_raw(mcp.process().pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    mcp.until_ended();
    browsers.iter().for_each(Process::until_gone);
}

#[test]
fn being_killed_takes_the_browser_along() {
    let home = Home::new();
    let (mcp, browsers) = browsing(&home);
    mcp.process().kill();
    browsers.iter().for_each(Process::until_gone);
}

#[test]
fn a_client_that_no_longer_reads_has_gone() {
    let home = Home::new();
    let mut mcp = Mcp::spawn(home.command(&["mcp"]).stderr(Stdio::null()));
    let mut stdout = mcp.stdout();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    mcp.send("initialize", &hello);
    let mut some = [0; 64];
    stdout.read_exact(&mut some).unwrap();
    drop(stdout);
    mcp.send("ping", &json!({}));
    mcp.until_ended();
}

#[test]
fn a_client_that_goes_while_a_call_runs_is_not_waited_for() {
    let home = Home::new();
    let (mut mcp, browsers) = browsing(&home);
    let wait = mcp.send("tools/call", &json!({"name": "browser_wait_for", "arguments": {"time": 50}}));
    mcp.is_well();
    mcp.leave();
    mcp.until_ended();
    // It was told that it is over, and was not cut off in the middle.
    let answer = mcp.answer_or_end(wait);
    assert!(
        answer.is_some_and(|answer| answer.to_string().contains("CANCELLED")),
        "the call was ended first"
    );
    browsers.iter().for_each(Process::until_gone);
}

//! Questions tell a person what will happen, in words of the page: those may repeat the secret as well.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use serde_json::json;

use super::{CANARY, has_nothing};
use crate::fronts::talk::Mcp;
use crate::server::Server;
use crate::{
    process::eventually,
    support::{Home, site},
};

const ASK: &str = "[[policy]]\neffect = ['submit', 'execute']\ndecide = 'ask'\n";

/// The button is called what was typed, and so is the path that the form goes to.
fn page() -> String {
    site().page(
        "page",
        "<form><input id=word type=password aria-label=Word><button>Send</button></form><script>
        word.oninput = () => {
          document.querySelector('button').textContent = word.value;
          document.forms[0].action = '/echo/' + word.value + '/' + encodeURIComponent(word.value) + '?x=' + word.value;
        };
        </script>",
    )
}

#[test]
fn on_the_command_line() {
    let home = Home::new();
    home.configure(ASK);
    home.data(&["open", &page()]);
    home.data(&["fill", "css=#word", CANARY]);
    let script = format!("document.title = '{CANARY}'");
    for words in [&["click", "css=button"][..], &["eval", &script, "--world", "main"]] {
        let mut asking = home.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut notice = String::new();
        let mut stderr = BufReader::new(asking.stderr.take().unwrap());
        while !notice.contains("approvals deny") {
            assert_ne!(stderr.read_line(&mut notice).unwrap(), 0, "{notice}");
        }
        assert!(notice.contains("[secret]"), "{notice}");
        has_nothing("the notice", &notice);
        has_nothing("approvals", &home.run(&["approvals"]).text());
        let list = home.data(&["approvals"]);
        has_nothing("approvals --json", &list.to_string());
        let denied = home.run(&["approvals", "deny", list["approvals"][0]["id"].as_str().unwrap()]).text();
        has_nothing("approvals deny", &denied);
        let ended = asking.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(1));
        has_nothing("the answer", &String::from_utf8_lossy(&ended.stdout));
    }
    has_nothing("history", &format!("{:?}", home.history()));
}

#[test]
fn over_mcp() {
    let home = Home::new();
    home.configure(ASK);
    let mut mcp = Mcp::start(&home, &[]);
    mcp.greet(&json!({"elicitation": {}}));
    mcp.text("browser_navigate", &json!({"url": page()}));
    mcp.text("browser_type", &json!({"target": "css=#word", "text": CANARY}));
    let asking =
        mcp.send("tools/call", &json!({"name": "browser_click", "arguments": {"target": "css=button"}}));
    let asked = loop {
        let message = mcp.hear();
        has_nothing("a message", &message.to_string());
        if message["method"] == "elicitation/create" {
            break message;
        }
    };
    assert!(asked["params"]["message"].as_str().unwrap().contains("[secret]"), "{asked}");
    mcp.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}}));
    has_nothing("the answer", &mcp.answer(asking).to_string());
}

#[test]
fn over_http() {
    let home = Home::new();
    home.configure(ASK);
    let server = Server::start(&home);
    let mut events = server.listen();
    server.data("s", "browser_navigate", &json!({"url": page()}));
    server.data("s", "browser_type", &json!({"target": "css=#word", "text": CANARY}));
    let bearer = format!("Bearer {}", server.token);
    let headers = [("host", &*server.address), ("authorization", &*bearer), ("x-webhand-session", "s")];
    let asking =
        server.send("POST", "/v1/tools/browser/browser_click", b"{\"target\": \"css=button\"}", &headers);
    let asked = events.next("approval").to_string();
    assert!(asked.contains("[secret]"), "{asked}");
    has_nothing("the event", &asked);
    has_nothing("approvals", &server.get("/v1/approvals").body);
    server.ask("POST", "/v1/sessions/s/stop", b"", &[]);
    has_nothing("the answer", &asking.answer().body);
    has_nothing("the end", &events.next("approval").to_string());
    eventually("it is in the history", || home.history().iter().any(|row| row["verb"] == "approval"));
    has_nothing("history", &format!("{:?}", home.history()));
}

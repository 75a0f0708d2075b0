//! MCP on stdio: the client is asked to ask its user. A server is its client's own and is started by it, so a client that goes while
//! something waits and a server that ends are nearly the same: only a server that is told to end can still say so.

use serde_json::{Value, json};

use super::{
    ASK, BUTTON, allow_at_terminal, form, hits, id,
    matrix::{Ending, Front, GONE, OK, try_all},
    said, waiting,
};
use crate::{
    process::eventually,
    support::{Home, site},
};

use crate::fronts::talk::Mcp;

struct Stdio<'a> {
    home: &'a Home,
    mcp: Mcp,
    asking: u64,
}

fn greeted(home: &Home) -> Mcp {
    let mut mcp = Mcp::start(home, &[]);
    mcp.greet(&json!({"elicitation": {}}));
    mcp
}

impl Front for Stdio<'_> {
    fn start(&mut self) {
        self.mcp = greeted(self.home);
    }

    fn go(&mut self, page: &Value) {
        self.mcp.text("browser_navigate", page);
    }

    fn click(&mut self) {
        self.asking =
            self.mcp.send("tools/call", &json!({"name": "browser_click", "arguments": {"target": BUTTON}}));
    }

    fn told(&mut self) -> String {
        let Some(answer) = self.mcp.answer_or_end(self.asking) else { return GONE.into() };
        let result = &answer["result"];
        if result["isError"] == false {
            return OK.into();
        }
        result["structuredContent"]["error"]["code"].as_str().unwrap_or("none").to_owned()
    }

    fn answer(&mut self, approval: &Value, answer: &str) {
        let asked = elicited(&mut self.mcp, &said(answer));
        assert!(asked["message"].as_str().unwrap().contains(&id(approval)), "{asked}");
    }

    fn halt(&mut self, session: &str) -> Value {
        self.home.data(&["halt", "--session", session])["value"]["halted"].clone()
    }

    fn leave(&mut self) {
        self.mcp.leave();
        self.mcp.until_ended();
        self.start();
    }

    fn end(&mut self, how: Ending) {
        match how {
            Ending::Told => {
                self.mcp.terminate();
                self.mcp.until_ended();
            }
            Ending::Killed => {
                let server = self.mcp.process();
                server.kill();
                server.until_gone();
            }
        }
    }
}

#[test]
fn whatever_happens_while_a_call_waits() {
    let home = Home::new();
    home.configure(&format!("approval_timeout = '1s'\n{ASK}"));
    let mcp = greeted(&home);
    try_all(&home, &mut Stdio { home: &home, mcp, asking: 0 }, "stdio", "elicitation", ["CANCELLED", GONE]);
}

/// Answers the next question that the server asks the client's user.
fn elicited(mcp: &mut Mcp, answer: &Value) -> Value {
    let asked = loop {
        let message = mcp.hear();
        if message["method"] == "elicitation/create" {
            break message;
        }
    };
    mcp.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer}));
    asked["params"].clone()
}

#[test]
fn the_client_asks_its_user() {
    let home = Home::new();
    home.configure(ASK);
    let mut mcp = greeted(&home);
    mcp.text("browser_navigate", &form("elicit"));
    let click = json!({"name": "browser_click", "arguments": {"target": BUTTON}});
    let code = |answer: &Value| answer["result"]["structuredContent"]["error"]["code"].clone();

    let declined = mcp.send("tools/call", &click);
    let asked = elicited(&mut mcp, &json!({"action": "decline"}));
    assert!(asked["message"].as_str().unwrap().contains("which sends a form to"), "{asked}");
    assert_eq!(
        asked["requestedSchema"]["properties"]["answer"]["enum"],
        json!(["once", "session", "always", "deny"])
    );
    assert_eq!(code(&mcp.answer(declined)), "APPROVAL_DENIED");
    // What is no answer is no yes.
    let odd = mcp.send("tools/call", &click);
    elicited(&mut mcp, &said("yes, why not"));
    assert_eq!(code(&mcp.answer(odd)), "APPROVAL_DENIED");

    // Put aside by the user, it still waits, and another terminal can answer.
    let put_aside = mcp.send("tools/call", &click);
    elicited(&mut mcp, &json!({"action": "cancel"}));
    home.data(&["approvals", "deny", &id(&waiting(&home))]);
    assert_eq!(code(&mcp.answer(put_aside)), "APPROVAL_DENIED");

    let given_up = mcp.send("tools/call", &click);
    waiting(&home);
    mcp.say(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": given_up}}),
    );
    eventually("nothing waits", || home.data(&["approvals"])["approvals"] == json!([]));
    assert_eq!(hits("elicit"), 0);
}

#[test]
fn scripts_of_agents_in_the_pages_own_world_are_asked_about_by_default() {
    let home = Home::new();
    let script = json!({"action": "eval", "js": "document.title = 'changed'", "world": "main"});
    home.data(&["open", &site().page("before", "")]);
    assert_eq!(
        home.data(&["eval", "document.title = 'cli'", "--world", "main"])["value"],
        "cli",
        "a person may"
    );
    let mut mcp = greeted(&home);
    mcp.text("browser_navigate", &json!({"url": site().page("before", "")}));
    let batch = mcp.send("tools/call", &json!({"name": "browser_batch", "arguments": {"actions": [script]}}));
    let asked = elicited(&mut mcp, &json!({"action": "decline"}));
    assert!(asked["message"].as_str().unwrap().contains("document.title"), "{asked}");
    let answer = mcp.answer(batch).to_string();
    assert!(answer.contains("APPROVAL_DENIED"), "{answer}");
    assert!(mcp.text("browser_snapshot", &json!({})).contains("before"));
}

#[test]
fn a_client_that_cannot_ask_is_told_at_once_and_the_answer_holds_for_the_same_call() {
    let home = Home::new();
    home.configure(ASK);
    let mut mcp = Mcp::start(&home, &[]);
    mcp.greet(&json!({}));
    mcp.text("browser_navigate", &form("cannot-ask"));
    let click = json!({"target": BUTTON});
    let result = mcp.call("browser_click", &click);
    let error = &result["structuredContent"]["error"];
    assert_eq!(error["code"], "APPROVAL_PENDING", "{result}");
    let id = id(&waiting(&home));
    assert!(error["message"].as_str().unwrap().contains(&id), "{error}");
    let hint = error["hint"].as_str().unwrap();
    for way in [&*format!("webhand approvals allow {id}"), "effect = \"submit\", decide = \"allow\""] {
        assert!(hint.contains(way), "{hint}");
    }
    assert_eq!(mcp.code("browser_click", &click), "APPROVAL_PENDING", "it is the same question");
    assert_eq!(home.data(&["approvals"])["approvals"].as_array().unwrap().len(), 1);
    assert_eq!(hits("cannot-ask"), 0);
    allow_at_terminal(&home, &id, "once");
    mcp.text("browser_click", &click);
    assert_eq!(hits("cannot-ask"), 1);
    mcp.text("browser_navigate", &form("cannot-ask"));
    assert_eq!(mcp.code("browser_click", &click), "APPROVAL_PENDING", "once is once");
}

/// A client that can ask, but has put the question aside, hears whose answer is waited for.
#[test]
fn progress_tells_what_is_waited_for() {
    let home = Home::new();
    home.configure(ASK);
    let mut mcp = greeted(&home);
    mcp.text("browser_navigate", &form("progress"));
    let click =
        json!({"name": "browser_click", "arguments": {"target": BUTTON}, "_meta": {"progressToken": 7}});
    let asking = mcp.send("tools/call", &click);
    let id = id(&waiting(&home));
    // On a loaded machine the click takes so long that there is progress before it waits.
    let says = loop {
        let message = mcp.hear();
        let says = message["params"]["message"].as_str().unwrap_or_default();
        if message["method"] == "notifications/progress" && says.contains(&id) {
            break says.to_owned();
        }
    };
    assert!(says.contains("a person's approval"), "{says}");
    home.data(&["approvals", "deny", &id]);
    assert!(mcp.answer(asking).to_string().contains("APPROVAL_DENIED"));
}

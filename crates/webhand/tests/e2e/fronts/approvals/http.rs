//! HTTP: agents ask with their token, and only the approvers' token answers.

use std::{fs, io::BufRead, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};

use super::{
    ASK, BUTTON, form, hits, id,
    matrix::{Ending, Front, GONE, OK, try_all},
};
use crate::server::{Answer, Sent, Server};
use crate::support::Home;

/// The token of those who answer.
pub(crate) fn approver_token(home: &Home) -> String {
    let file = home.path().join("approver-token");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    fs::read_to_string(&file).unwrap().trim().to_owned()
}

/// The same, as a header has it.
pub(super) fn approver(home: &Home) -> String {
    format!("Bearer {}", approver_token(home))
}

fn answer(server: &Server, id: &str, said: &str, token: &str) -> Answer {
    let body = json!({"answer": said}).to_string();
    server.ask("POST", &format!("/v1/approvals/{id}"), body.as_bytes(), &[("authorization", token)])
}

fn click(server: &Server) -> Sent {
    let bearer = format!("Bearer {}", server.token);
    let headers = [("host", &*server.address), ("authorization", &*bearer), ("x-webhand-session", "s")];
    let args = json!({"target": BUTTON}).to_string();
    server.send("POST", "/v1/tools/browser/browser_click", args.as_bytes(), &headers)
}

/// Ends a server.
pub(super) fn end(server: &mut Server, how: Ending) {
    match how {
        Ending::Told => {
            server.terminate();
            server.until_ended();
        }
        Ending::Killed => {
            let process = server.process();
            process.kill();
            process.until_gone();
        }
    }
}

struct Http<'a> {
    home: &'a Home,
    server: Server,
    asking: Option<Sent>,
}

impl Front for Http<'_> {
    fn start(&mut self) {
        self.server = Server::start(self.home);
    }

    fn go(&mut self, page: &Value) {
        self.server.data("s", "browser_navigate", page);
    }

    fn click(&mut self) {
        self.asking = Some(click(&self.server));
    }

    fn told(&mut self) -> String {
        let mut asking = self.asking.take().unwrap();
        // A server that is killed says nothing any more.
        if asking.0.fill_buf().is_ok_and(|bytes| !bytes.is_empty()) {
            let answer = asking.answer();
            return if answer.json()["ok"] == true { OK.into() } else { answer.code() };
        }
        GONE.into()
    }

    fn answer(&mut self, approval: &Value, said: &str) {
        assert_eq!(answer(&self.server, &id(approval), said, &approver(self.home)).status, 200);
    }

    fn halt(&mut self, session: &str) -> Value {
        let stopped = self.server.ask("POST", &format!("/v1/sessions/{session}/stop"), b"", &[]);
        stopped.json()["data"]["halted"].clone()
    }

    fn leave(&mut self) {
        self.asking = None;
    }

    fn end(&mut self, how: Ending) {
        end(&mut self.server, how);
    }
}

#[test]
fn whatever_happens_while_a_request_waits() {
    let home = Home::new();
    home.configure(&format!("approval_timeout = '1s'\n{ASK}"));
    let server = Server::start(&home);
    try_all(&home, &mut Http { home: &home, server, asking: None }, "http", "approver", ["CANCELLED", GONE]);
}

#[test]
fn over_http_only_the_approvers_token_answers() {
    let home = Home::new();
    home.configure(ASK);
    let server = Server::start(&home);
    let mut events = server.listen();
    server.data("s", "browser_navigate", &form("http"));
    let (bearer, approver) = (format!("Bearer {}", server.token), approver(&home));

    let asking = click(&server);
    let asked = events.next("approval");
    assert_eq!(
        (&asked["phase"], &asked["effect"], &asked["session"]),
        (&json!("asked"), &json!("submit"), &json!("s"))
    );
    let waits = server.get("/v1/approvals").json()["data"]["approvals"][0].clone();
    assert_eq!(waits["id"], asked["id"]);
    let refused = answer(&server, &id(&waits), "once", &bearer);
    assert_eq!((refused.status, refused.code().as_str()), (403, "ACTION_DENIED"));
    assert_eq!(answer(&server, &id(&waits), "perhaps", &approver).status, 400);
    assert_eq!(answer(&server, "nothing", "once", &approver).status, 404);
    assert_eq!(
        server.ask("GET", "/v1/sessions", b"", &[("authorization", &approver)]).status,
        401,
        "approvers act in nothing"
    );
    assert_eq!(answer(&server, &id(&waits), "deny", &approver).status, 200);
    assert_eq!(asking.answer().code(), "APPROVAL_DENIED");
    let over = events.next("approval");
    assert_eq!(
        (&over["end"], &over["reply"], &over["by"]),
        (&json!("answered"), &json!("deny"), &json!("approver"))
    );

    let asking = click(&server);
    let asked = events.next("approval");
    assert_eq!(server.ask("POST", "/v1/sessions/s/stop", b"", &[]).json()["data"]["halted"], 1);
    assert_eq!(asking.answer().code(), "CANCELLED");
    assert_eq!(answer(&server, &id(&asked), "once", &approver).status, 404, "it is over");
    assert_eq!(server.ask("POST", "/v1/sessions/none/stop", b"", &[]).status, 404);
    assert_eq!(events.next("approval")["end"], "cancelled");
    assert_eq!(hits("http"), 0);
}

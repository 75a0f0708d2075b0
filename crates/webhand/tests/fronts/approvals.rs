//! What the policy asks about: on every front allowed, denied, expired, halted, and left by who asked, with the site as the witness.

use std::{
    fs,
    io::{BufReader, Read, Write},
    os::unix::fs::PermissionsExt,
    process::Stdio,
};

use serde_json::{Value, json};

use crate::{
    process::eventually,
    server::{Sent, Server},
    support::{Home, code, site},
    talk::Mcp,
};

/// Forms are asked about.
const ASK: &str = "[[policy]]\neffect = 'submit'\ndecide = 'ask'\n";

/// A page with a form that goes to a path of its own.
fn form(path: &str) -> Value {
    json!({"url": site().page("form", &format!(
        "<form method=post action='/echo?{path}'><input name=a aria-label=Word><button>Send it</button></form>"
    ))})
}

fn hits(path: &str) -> usize {
    site().hits(&format!("/echo?{path}"))
}

const BUTTON: &str = "css=button";

/// The only approval that waits, as the command line lists it.
fn waiting(home: &Home) -> Value {
    let mut found = Value::Null;
    eventually("something waits for an approval", || {
        let list = home.data(&["approvals"]);
        found = list["approvals"][0].clone();
        found.is_object()
    });
    found
}

fn id(approval: &Value) -> String {
    approval["id"].as_str().unwrap().to_owned()
}

/// Allows at a terminal, as a person does: types back the code that is shown.
fn allow_at_terminal(home: &Home, id: &str, how_long: &str) -> String {
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

#[test]
fn on_the_command_line_another_terminal_answers() {
    let home = Home::new();
    home.configure(ASK);
    home.data(&["open", form("cli")["url"].as_str().unwrap()]);

    let asking = home.start(&["click", BUTTON, "--timeout", "2s"]);
    let approval = waiting(&home);
    assert_eq!(
        (&approval["effect"], &approval["front"], &approval["verb"]),
        (&json!("submit"), &json!("cli"), &json!("click"))
    );
    assert!(
        approval["what"].as_str().unwrap().contains("clicks button \"Send it\", which sends a form to"),
        "{approval}"
    );
    assert!(approval["url"].as_str().unwrap().ends_with("/echo?…"), "{approval}");
    let picture = approval["screenshot"].as_str().unwrap().to_owned();
    assert!(fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    // Who asks cannot answer: a program without a terminal, as an agent's is, is refused.
    assert_eq!(home.code(&["approvals", "allow", &id(&approval)]), "ACTION_DENIED");
    assert_eq!(hits("cli"), 0);
    home.data(&["approvals", "deny", &id(&approval)]);
    assert_eq!(code(&asking.answer()), "APPROVAL_DENIED");
    assert!(!fs::exists(&picture).unwrap(), "the picture goes with the question");
    assert_eq!((hits("cli"), home.data(&["approvals"])["approvals"].as_array().unwrap().len()), (0, 0));

    let asking = home.start(&["press", "Enter", "--target", "css=input"]);
    let approval = waiting(&home);
    let seen = allow_at_terminal(&home, &id(&approval), "once");
    assert!(seen.contains("presses Enter in textbox \"Word\", which sends a form"), "{seen}");
    assert_eq!(asking.answer()["ok"], true);
    assert_eq!(hits("cli"), 1);

    let rows = home.history();
    let kept: Vec<_> =
        rows.iter().filter(|row| row["verb"] == "approval").map(|row| &row["outcome"]).collect();
    assert_eq!(
        kept,
        [&json!({"reply": "deny", "by": "terminal"}), &json!({"reply": "once", "by": "terminal"})]
    );
    assert!(
        !rows.iter().any(|row| row.to_string().contains("Send it")),
        "no word of the page is in the journal"
    );
}

#[test]
fn what_is_allowed_for_longer_is_not_asked_again() {
    let home = Home::new();
    home.configure(ASK);
    let page = form("longer");
    let send = |session: &str| {
        home.data(&["goto", page["url"].as_str().unwrap(), "--session", session]);
        home.start(&["fill", "css=input", "x", "--submit", "--session", session])
    };
    let first = send("one");
    allow_at_terminal(&home, &id(&waiting(&home)), "session");
    assert_eq!(first.answer()["ok"], true);
    assert_eq!((send("one").answer()["ok"].clone(), hits("longer")), (json!(true), 2));
    let other = send("two");
    allow_at_terminal(&home, &id(&waiting(&home)), "always");
    assert_eq!(other.answer()["ok"], true);
    let kept = home.path().join("always-allowed.json");
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    home.stop(&["stop"]);
    assert_eq!((send("three").answer()["ok"].clone(), hits("longer")), (json!(true), 4));
    let origin = site().url("");
    assert_eq!(home.data(&["approvals", "forget", &origin])["forgotten"], 1);
    let again = send("three");
    home.data(&["approvals", "deny", &id(&waiting(&home))]);
    assert_eq!((code(&again.answer()).as_str(), hits("longer")), ("APPROVAL_DENIED", 4));
}

#[test]
fn nobody_answers_or_nobody_waits() {
    let home = Home::new();
    home.configure(&format!("approval_timeout = '1s'\n{ASK}"));
    home.data(&["open", form("nobody")["url"].as_str().unwrap()]);
    let late = home.ask(&["click", BUTTON]);
    assert_eq!(code(&late), "APPROVAL_EXPIRED");
    assert!(late["error"]["hint"].as_str().unwrap().contains("webhand approvals allow"), "{late}");
    home.stop(&["stop"]);

    home.configure(ASK);
    home.data(&["open", form("nobody")["url"].as_str().unwrap()]);
    let halted = home.start(&["click", BUTTON]);
    waiting(&home);
    assert_eq!(home.data(&["halt"])["value"]["halted"], 1);
    assert_eq!(code(&halted.answer()), "CANCELLED");
    assert_eq!(home.data(&["snapshot"])["session"], "default", "the session works on");

    let gone = home.start(&["click", BUTTON]);
    waiting(&home);
    gone.kill();
    eventually("nothing waits", || home.data(&["approvals"])["approvals"] == json!([]));

    let stopped = home.start(&["click", BUTTON]);
    waiting(&home);
    home.stop(&["stop"]);
    assert_eq!(code(&stopped.answer()), "CANCELLED");
    home.data(&["open"]);
    assert_eq!(home.data(&["approvals"])["approvals"], json!([]));
    let codes: Vec<_> = home
        .history()
        .iter()
        .filter(|row| row["verb"] == "approval")
        .map(|row| row["code"].clone())
        .collect();
    assert_eq!(codes, ["APPROVAL_EXPIRED", "CANCELLED", "CANCELLED", "CANCELLED"]);
    assert_eq!(
        (hits("nobody"), home.code(&["halt", "--session", "none"]).as_str()),
        (0, "SESSION_NOT_FOUND")
    );
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
fn an_mcp_client_asks_its_user() {
    let home = Home::new();
    home.configure(ASK);
    let mut mcp = Mcp::start(&home, &[]);
    mcp.greet(&json!({"elicitation": {}}));
    mcp.text("browser_navigate", &form("elicit"));
    let click = json!({"name": "browser_click", "arguments": {"target": BUTTON}});
    let code = |answer: &Value| answer["result"]["structuredContent"]["error"]["code"].clone();

    let denied = mcp.send("tools/call", &click);
    let asked = elicited(&mut mcp, &json!({"action": "accept", "content": {"answer": "deny"}}));
    assert!(asked["message"].as_str().unwrap().contains("which sends a form to"), "{asked}");
    assert_eq!(
        asked["requestedSchema"]["properties"]["answer"]["enum"],
        json!(["once", "session", "always", "deny"])
    );
    assert_eq!(code(&mcp.answer(denied)), "APPROVAL_DENIED");
    let declined = mcp.send("tools/call", &click);
    elicited(&mut mcp, &json!({"action": "decline"}));
    assert_eq!(code(&mcp.answer(declined)), "APPROVAL_DENIED");
    assert_eq!(hits("elicit"), 0);

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

    let halted = mcp.send("tools/call", &click);
    waiting(&home);
    home.data(&["halt"]);
    assert_eq!(code(&mcp.answer(halted)), "CANCELLED");

    let allowed = mcp.send("tools/call", &click);
    elicited(&mut mcp, &json!({"action": "accept", "content": {"answer": "once"}}));
    let answer = mcp.answer(allowed);
    assert_eq!((&answer["result"]["isError"], hits("elicit")), (&json!(false), 1), "{answer}");

    mcp.text("browser_navigate", &form("elicit"));
    mcp.send("tools/call", &click);
    waiting(&home);
    mcp.leave();
    mcp.until_ended();
    assert_eq!(home.data(&["approvals"])["approvals"], json!([]));
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
    let mut mcp = Mcp::start(&home, &[]);
    mcp.greet(&json!({"elicitation": {}}));
    mcp.text("browser_navigate", &json!({"url": site().page("before", "")}));
    let batch = mcp.send("tools/call", &json!({"name": "browser_batch", "arguments": {"actions": [script]}}));
    let asked = elicited(&mut mcp, &json!({"action": "decline"}));
    assert!(asked["message"].as_str().unwrap().contains("document.title"), "{asked}");
    let answer = mcp.answer(batch).to_string();
    assert!(answer.contains("APPROVAL_DENIED"), "{answer}");
    assert!(mcp.text("browser_snapshot", &json!({})).contains("before"));
}

#[test]
fn over_http_only_the_approvers_token_answers() {
    let home = Home::new();
    home.configure(ASK);
    let mut server = Server::start(&home);
    let mut events = server.listen();
    server.data("s", "browser_navigate", &form("http"));
    let bearer = format!("Bearer {}", server.token);
    let click = |server: &Server| -> Sent {
        let headers = [("host", &*server.address), ("authorization", &*bearer), ("x-webhand-session", "s")];
        let args = json!({"target": BUTTON}).to_string();
        server.send("POST", "/v1/tools/browser/browser_click", args.as_bytes(), &headers)
    };
    let file = home.path().join("approver-token");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let approver = format!("Bearer {}", fs::read_to_string(&file).unwrap().trim());
    let answer = |server: &Server, id: &str, said: &str, token: &str| {
        let body = json!({"answer": said}).to_string();
        server.ask("POST", &format!("/v1/approvals/{id}"), body.as_bytes(), &[("authorization", token)])
    };

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
    events.next("approval");

    let leaving = click(&server);
    events.next("approval");
    drop(leaving);
    assert_eq!(events.next("approval")["end"], "cancelled", "who asked has gone");
    assert_eq!(hits("http"), 0);

    let asking = click(&server);
    let asked = events.next("approval");
    assert_eq!(answer(&server, &id(&asked), "once", &approver).status, 200);
    assert_eq!((asking.answer().json()["ok"].clone(), hits("http")), (json!(true), 1));
    events.next("approval");

    server.data("s", "browser_navigate", &form("http"));
    let asking = click(&server);
    events.next("approval");
    server.terminate();
    assert_eq!(asking.answer().code(), "CANCELLED");
    server.until_ended();
    let server = Server::start(&home);
    assert_eq!(server.get("/v1/approvals").json()["data"]["approvals"], json!([]));
    assert_eq!(hits("http"), 1);
}

#[test]
fn what_an_element_does_is_known_before_it_is_used() {
    let home = Home::new();
    let there = site().on("localhost", "/echo?there");
    home.configure(
        "[[policy]]\neffect = 'navigate'\norigin = 'localhost'\ndecide = 'deny'\n\
         [[policy]]\neffect = ['submit', 'download']\ndecide = 'deny'\n",
    );
    let body = format!(
        "<a id=away href='{there}'><span>away</span></a> <a id=here href='#x'>here</a> <a id=same href='/echo?same'>same</a>\
         <a id=file href='/echo?file' download>file</a>\
         <form action='/echo?form'><input id=field><label id=label for=send>label</label><button id=send><b>send</b></button>\
         <button id=plain type=button>plain</button><textarea id=text></textarea></form>\
         <form method=dialog><button id=dialog>dialog</button></form>"
    );
    let page = site().page("intents", &body);
    home.data(&["open", &page]);
    for (command, ok) in [
        (&["click", "css=#away span"][..], false),
        (&["press", "Enter", "--target", "css=#away"], false),
        (&["goto", &there], false),
        (&["tabs", "open", &there], false),
        (&["click", "css=#file"], false),
        (&["click", "css=#send b"], false),
        (&["click", "css=#label"], false),
        (&["press", "Enter", "--target", "css=#field"], false),
        (&["press", "Space", "--target", "css=#send"], false),
        (&["press", "Tab Enter", "--target", "css=#field"], false),
        (&["fill", "css=#field", "x", "--submit"], false),
        (&["fill-form", "css=#field", "x", "--submit"], false),
        (&["type", "x", "--target", "css=#field", "--submit"], false),
        (&["type", "a b\n", "--target", "css=#field"], false),
        (&["batch", "click css=#send"], false),
        (&["click", "css=#here"], true),
        (&["click", "css=#plain"], true),
        (&["click", "css=#dialog"], true),
        (&["type", "a\nb", "--target", "css=#text"], true),
        (&["fill", "css=#field", "x"], true),
        (&["press", "Space", "--target", "css=#field"], true),
        (&["click", "css=#same"], true),
    ] {
        let answer = home.ask(command);
        let expected = if ok { json!({"ok": true}) } else { json!({"ok": false, "code": "ACTION_DENIED"}) };
        let mut told = json!({"ok": answer["ok"]});
        if let Some(code) = answer["error"]["code"].as_str() {
            told["code"] = code.into();
        }
        assert_eq!(told, expected, "{command:?}: {answer}");
    }
    for path in ["/echo?there", "/echo?file", "/echo?form", "/echo?"] {
        assert_eq!(site().hits(path), 0, "{path}");
    }
    assert_eq!(home.code(&["forward"]), "NAVIGATION_FAILED");
    assert_eq!(home.data(&["back"])["title"], "intents");
}

#[test]
fn a_policy_that_cannot_be_read_stops_everything() {
    let home = Home::new();
    home.configure("[[policy]]\ndecide = 'allow'\n[[policy]]\neffect = 'submit'\ndecide = 'deny'\nexamples = [{effect = 'submit', url = 'https://x.example/', decide = 'deny'}]");
    for command in [
        &["open", "https://x.example/"][..],
        &["mcp"],
        &["serve"],
        &["policy", "check", "submit", "https://x.example/"],
    ] {
        let ran = home.run(command);
        assert_eq!(ran.exit, Some(1), "{command:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("rule 2 of the policy (deny submit)"), "{}", ran.stderr);
    }
    home.configure(ASK);
    let told = home.data(&["policy", "check", "submit", "https://x.example/pay", "--front", "mcp"]);
    assert_eq!((&told["decide"], &told["rule"]), (&json!("ask"), &json!(1)));
    let narrowed = home.data(&[
        "policy",
        "check",
        "submit",
        "https://x.example/",
        "--policy",
        r#"[{"effect": "submit", "decide": "deny"}]"#,
    ]);
    assert_eq!(narrowed["decide"], "deny");
    home.data(&[
        "open",
        &site().page("x", "<form action='/echo?own'><button>b</button></form>"),
        "--policy",
        r#"{"effect": "submit", "decide": "deny"}"#,
    ]);
    assert_eq!(home.code(&["click", BUTTON]), "ACTION_DENIED");

    let mut mcp = Mcp::greeted(&home, &[]);
    mcp.text("browser_navigate", &form("changed"));
    home.configure("[[policy]]\neffect = 'submit'\ndecide = 'deny'\n");
    assert_eq!(
        mcp.code("browser_click", &json!({"target": BUTTON})),
        "ACTION_DENIED",
        "a change counts at once"
    );
    home.configure("[[policy]]\ndecide = 'maybe'\n");
    assert_eq!(
        mcp.code("browser_snapshot", &json!({})),
        "INVALID_INPUT",
        "what cannot be read lets nothing pass"
    );
    home.configure(ASK);

    assert_eq!(
        home.code(&["click", BUTTON, "--policy", r#"{"decide": "allow"}"#]),
        "INVALID_INPUT",
        "the session has another"
    );
}

//! `webhand mcp`: what a well-behaved client gets.

use std::fs;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{
    process::{Process, eventually},
    support::{Home, site},
};

use crate::fronts::talk::Mcp;

fn page(body: &str) -> Value {
    json!({"url": site().page("page", body)})
}

#[test]
fn tools_are_listed_and_called() {
    let home = Home::new();
    let mut mcp = Mcp::start(&home, &[]);
    let hello = mcp.greet(&json!({}));
    let hello = &hello["result"];
    assert_eq!(
        (&hello["serverInfo"]["name"], &hello["protocolVersion"]),
        (&json!("webhand"), &json!("2025-06-18"))
    );
    assert!(hello["capabilities"]["tools"].is_object() && hello["capabilities"]["logging"].is_object());
    let tools = mcp.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let click = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "browser_click").unwrap();
    assert_eq!(click["annotations"]["destructiveHint"], true);
    assert!(click.get("outputSchema").is_none() && click.get("title").is_none());
    // A client that only looks at the tools has no browser to pay for.
    assert_eq!(Process::all_with(&home.path().display().to_string()), []);

    mcp.text("browser_navigate", &page("<button onclick='this.textContent = \"done\"'>Go</button>"));
    let seen = mcp.text("browser_snapshot", &json!({}));
    assert!(seen.contains("button \"Go\""), "{seen}");
    let clicked = mcp.call("browser_click", &json!({"target": "Go"}));
    assert!(clicked["content"][0]["text"].as_str().unwrap().contains("done"), "{clicked}");
    assert_eq!(clicked["structuredContent"]["ok"], true);
    assert_eq!(mcp.code("browser_click", &json!({"target": "e999"})), "STALE_REF");
}

#[test]
fn texts_of_all_the_world_come_through() {
    let home = Home::new();
    let mut mcp = Mcp::greeted(&home, &[]);
    mcp.text("browser_navigate", &page("<label>Name <input></label>"));
    for text in ["浏览器", "🦀👩‍👩‍👧", "שלום", "line\u{2028}end", "\u{feff}bom", "\\u0041\"'"]
    {
        mcp.text("browser_type", &json!({"target": "Name", "text": text}));
        let same = format!("() => document.querySelector('input').value === {}", json!(text));
        assert_eq!(mcp.text("browser_evaluate", &json!({"function": same})), "### Result\ntrue", "{text}");
    }
    // What a field cannot hold is answered as well.
    mcp.call("browser_type", &json!({"target": "Name", "text": "a\u{0}b\nc"}));
    let title = mcp.call("browser_navigate", &json!({"url": site().page("标题 🦀", "")}));
    assert_eq!(title["structuredContent"]["data"]["title"], "标题 🦀");
}

#[test]
fn a_cancelled_call_is_cancelled() {
    let home = Home::new();
    let mut mcp = Mcp::greeted(&home, &[]);
    mcp.text("browser_navigate", &page("<p>here"));
    let id = mcp.send("tools/call", &json!({"name": "browser_wait_for", "arguments": {"time": 50}}));
    home.until_begun("wait");
    mcp.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id, "reason": "enough"}}));
    eventually("it is cancelled", || {
        home.history().iter().any(|entry| entry["verb"] == "wait" && entry["code"] == "CANCELLED")
    });
    mcp.is_well();
    assert!(mcp.others.iter().all(|message| message["id"] != id), "a cancelled request has no answer");
    assert!(mcp.text("browser_snapshot", &json!({})).contains("here"), "the session works on");
}

#[test]
fn progress_is_told_to_who_asks() {
    let home = Home::new();
    let mut mcp = Mcp::greeted(&home, &[]);
    mcp.text("browser_navigate", &page(""));
    let wait = |token: Value| json!({"name": "browser_wait_for", "arguments": {"time": 2.6}, "_meta": token});
    let answer = mcp.ask("tools/call", &wait(json!({"progressToken": "it"})));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let told: Vec<_> =
        mcp.others.drain(..).filter(|message| message["method"] == "notifications/progress").collect();
    assert!((2..=3).contains(&told.len()), "{told:?}");
    let progress: Vec<_> =
        told.iter().map(|message| message["params"]["progress"].as_f64().unwrap()).collect();
    assert!(progress.is_sorted_by(|one, next| one < next), "{progress:?}");
    assert_eq!(
        (&told[0]["params"]["progressToken"], &told[0]["params"]["total"]),
        (&json!("it"), &json!(60.0))
    );
    assert!(told[0]["params"]["message"].as_str().unwrap().contains("browser_wait_for"));
    mcp.ask("tools/call", &wait(json!({})));
    assert!(mcp.others.iter().all(|message| message["method"] != "notifications/progress"));
}

#[test]
fn a_picture_is_a_picture() {
    let home = Home::new();
    let mut mcp = Mcp::greeted(&home, &[]);
    mcp.text("browser_navigate", &page("<h1>picture"));
    let shot = mcp.call("browser_take_screenshot", &json!({}));
    let image = &shot["content"][1];
    assert_eq!((&image["type"], &image["mimeType"]), (&json!("image"), &json!("image/png")));
    let bytes = STANDARD.decode(image["data"].as_str().unwrap()).unwrap();
    assert!(bytes.starts_with(b"\x89PNG\r\n") && bytes.len() > 1000);
}

#[test]
fn files_stay_in_the_roots() {
    let home = Home::new();
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut mcp = Mcp::start(&home, &[]);
    mcp.greet(&json!({"roots": {"listChanged": true}}));
    let tell = |mcp: &mut Mcp, folder: &std::path::Path| {
        let asked = mcp.hear();
        assert_eq!(asked["method"], "roots/list", "{asked}");
        let roots = json!({"roots": [{"uri": format!("file://{}", folder.display())}]});
        mcp.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots}));
    };
    tell(&mut mcp, first.path());
    let shot = |file: &std::path::Path| json!({"filename": file});
    mcp.text("browser_take_screenshot", &shot("here.png".as_ref()));
    assert!(first.path().join("here.png").is_file(), "relative names are in the first root");
    assert_eq!(mcp.code("browser_take_screenshot", &shot(&second.path().join("a.png"))), "ACTION_DENIED");
    assert_eq!(mcp.code("browser_take_screenshot", &shot("../a.png".as_ref())), "ACTION_DENIED");
    fs::write(second.path().join("secret"), "x").unwrap();
    mcp.text("browser_navigate", &page("<input type=file>"));
    let upload = json!({"paths": [second.path().join("secret")], "target": "css=input"});
    assert_eq!(mcp.code("browser_file_upload", &upload), "ACTION_DENIED");

    mcp.say(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    tell(&mut mcp, second.path());
    eventually("the new root counts", || {
        mcp.call("browser_take_screenshot", &shot(&second.path().join("b.png")))["isError"] == false
    });
    assert_eq!(mcp.code("browser_take_screenshot", &shot(&first.path().join("c.png"))), "ACTION_DENIED");
}

#[test]
fn without_roots_files_stay_where_the_server_was_started() {
    let (home, folder) = (Home::new(), tempfile::tempdir().unwrap());
    let mut mcp = Mcp::heard(home.command(&["mcp"]).current_dir(folder.path()));
    mcp.greet(&json!({}));
    mcp.text("browser_take_screenshot", &json!({"filename": "a.png"}));
    assert!(folder.path().join("a.png").is_file());
    assert_eq!(mcp.code("browser_take_screenshot", &json!({"filename": "/tmp/b.png"})), "ACTION_DENIED");
}

#[test]
fn warnings_are_told_from_the_level_that_is_wanted() {
    let home = Home::new();
    let mut mcp = Mcp::start(&home, &[]);
    mcp.greet(&json!({"roots": {"listChanged": true}}));
    let refuse = |mcp: &mut Mcp| {
        let asked = mcp.hear();
        assert_eq!(asked["method"], "roots/list", "{asked}");
        mcp.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32603, "message": "no"}}));
    };
    refuse(&mut mcp);
    let told = mcp.hear();
    assert_eq!(
        (&told["method"], &told["params"]["level"]),
        (&json!("notifications/message"), &json!("warning"))
    );
    assert!(told["params"]["data"].as_str().unwrap().contains("roots"), "{told}");
    assert_eq!(mcp.ask("logging/setLevel", &json!({"level": "error"}))["result"], json!({}));
    mcp.say(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    refuse(&mut mcp);
    // A file that is asked for waits until the roots are known, so the warning would have come by now.
    assert_eq!(mcp.code("browser_take_screenshot", &json!({"filename": "/tmp/b.png"})), "ACTION_DENIED");
    assert!(
        mcp.others.iter().all(|message| message["method"] != "notifications/message"),
        "{:?}",
        mcp.others
    );
}

#[test]
fn a_toolset_that_is_not_there_is_refused() {
    let home = Home::new();
    let ran = home.run(&["mcp", "--toolset", "nothing"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.contains("UNKNOWN_TOOL"), "{}", ran.stderr);
}

#[test]
fn what_is_typed_is_in_no_log() {
    const CANARY: &str = "Kanarienvogel-7Q";
    let home = Home::new();
    let log = home.path().join("log");
    let mut mcp = Mcp::spawn(
        home.command(&["mcp"])
            .env("WEBHAND_LOG", "trace,rmcp::service=trace")
            .stderr(fs::File::create(&log).unwrap()),
    );
    drop(std::thread::spawn({
        let mut stdout = mcp.stdout();
        move || std::io::copy(&mut stdout, &mut std::io::sink())
    }));
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    mcp.send("initialize", &hello);
    mcp.send("tools/call", &json!({"name": "browser_navigate", "arguments": page("<input type=password>")}));
    home.until_begun("open");
    mcp.send(
        "tools/call",
        &json!({"name": "browser_type", "arguments": {"target": "css=input", "text": CANARY}}),
    );
    mcp.send("tools/call", &json!({"name": "browser_type", "arguments": {"txt": CANARY}}));
    mcp.send("tools/call", &json!({"name": CANARY, "arguments": {"txt": CANARY}}));
    mcp.send("tools/call", &json!({"name": "browser_type", "arguments": [CANARY]}));
    eventually("it is typed", || {
        home.history().iter().any(|entry| entry["verb"] == "fill" && !entry["ok"].is_null())
    });
    mcp.leave();
    mcp.until_ended();
    let log = fs::read_to_string(log).unwrap();
    assert!(!log.contains(CANARY), "{log}");
}

//! A secret typed through every tool that types, through MCP and HTTP, into a page that repeats it wherever it can: it is in nothing that
//! webhand answers, logs or keeps, and in no process's arguments.

use std::{
    fs,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{
    process::Process,
    server::Server,
    support::{Home, site},
    talk::Mcp,
};

/// The secret. No page, message or name has it by chance, and every encoding writes it in another way.
const CANARY: &str = "Kanarien/vogel+7Q";

/// A login form that says what it was given, in all the ways that it can.
const PAGE: &str = "<form onsubmit='return false'><label>User <input id=user></label> <label>Word <input id=word type=password></label></form>
    <p id=out></p> <a id=file>file</a> <script>
    word.oninput = () => {
      const text = word.value;
      document.title = text;
      history.replaceState(null, '', location.pathname + '?word=' + encodeURIComponent(text));
      out.textContent = text + ' ' + btoa('u:' + text) + ' ' + JSON.stringify(text);
      console.error(text);
      fetch('/missing?word=' + encodeURIComponent(text));
      file.href = 'data:text/plain,x';
      file.download = text + '.txt';
    };
    </script>";

fn ways() -> [String; 4] {
    [
        CANARY.into(),
        "Kanarien%2Fvogel%2B7Q".into(),
        "vogel%2b7q".into(),
        STANDARD.encode(format!("u:{CANARY}"))[4..20].into(),
    ]
}

#[track_caller]
fn has_nothing(what: &str, text: &str) {
    for way in ways() {
        assert!(!text.contains(&way), "{what} has {way}: {}", text.chars().take(4_000).collect::<String>());
    }
}

/// All that is typed with, and all that is looked at afterwards. `call` answers with everything that the client gets.
fn go_through(call: &mut dyn FnMut(&str, &Value) -> String) {
    let keys: Vec<String> = CANARY.chars().map(String::from).collect();
    let mut ask = |tool: &str, args: &Value| {
        let said = call(tool, args);
        has_nothing(&format!("{tool} {args}").replace(CANARY, "…"), &said);
        said
    };
    let typing = [
        ("browser_type", json!({"target": "Word", "text": CANARY})),
        ("browser_type", json!({"target": "Word", "text": CANARY, "slowly": true})),
        ("browser_type", json!({"target": "Word", "text": CANARY, "submit": true})),
        (
            "browser_fill_form",
            json!({"fields": [{"target": "User", "value": "ada"}, {"target": "Word", "value": CANARY}]}),
        ),
        ("browser_batch", json!({"actions": [format!("fill Word {CANARY}"), "press Tab"]})),
        ("browser_act", json!({"instruction": format!("type '{CANARY}' into the Word field")})),
        ("browser_type", json!({"target": "css=#none", "text": CANARY})),
        ("browser_cookies", json!({"action": "set", "name": "session", "value": CANARY})),
        ("browser_storage", json!({"area": "local", "action": "set", "name": "token", "value": CANARY})),
    ];
    let looking = [
        ("browser_snapshot", json!({})),
        ("browser_read", json!({})),
        ("browser_find", json!({"text": "Word"})),
        (
            "browser_evaluate",
            json!({"function": "() => [document.title, location.href, document.querySelector('#word').value]"}),
        ),
        ("browser_evaluate", json!({"function": "() => { throw new Error(document.title) }"})),
        ("browser_console_messages", json!({"level": "info"})),
        ("browser_network_requests", json!({})),
        ("browser_tabs", json!({"action": "list"})),
        ("browser_take_screenshot", json!({"labels": true})),
        ("browser_download", json!({"target": "css=#file"})),
        ("browser_cookies", json!({"action": "get", "name": "session"})),
        ("browser_storage", json!({"area": "local", "action": "list"})),
    ];
    for (tool, args) in &typing {
        ask("browser_navigate", &json!({"url": site().page("page", PAGE)}));
        ask("browser_snapshot", &json!({}));
        ask(tool, args);
        for (tool, args) in &looking {
            ask(tool, args);
        }
    }
    ask("browser_navigate", &json!({"url": site().page("page", PAGE)}));
    ask("browser_click", &json!({"target": "Word"}));
    for key in keys {
        ask("browser_press_key", &json!({"key": key}));
    }
    let seen = ask("browser_evaluate", &json!({"function": "() => document.title"}));
    assert!(seen.contains("[secret]"), "the page has it, and says so: {seen}");
}

/// Looks through all that is kept, and at the processes that run. What Chromium keeps of a page is the page's: it is not ours to mask.
fn look_through(home: &Home, log: &Path) {
    let files = walk(home.path());
    assert!(files.iter().any(|file| file.ends_with("journal.db")), "{files:?}");
    for file in files.iter().map(PathBuf::as_path).chain([log]) {
        has_nothing("the name of a file", &file.display().to_string());
        let content = fs::read(file).unwrap_or_default();
        has_nothing(&file.display().to_string(), &String::from_utf8_lossy(&content));
    }
    assert!(fs::read_to_string(log).unwrap().contains("TRACE"), "it says as much as it can");
    for process in Process::all_with(&home.path().display().to_string()) {
        has_nothing("arguments", &process.command);
    }
    has_nothing("history", &format!("{:?}", home.history()));
}

/// All files below a folder, but not those that Chromium keeps for its profiles.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let ours = entries.filter(|path| !path.ends_with("profiles"));
    ours.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn a_secret_is_in_nothing_that_is_answered_logged_or_kept_over_mcp() {
    let (home, logs) = (Home::new(), tempfile::tempdir().unwrap());
    let log = logs.path().join("log");
    let mut command = home.command(&["mcp", "--caps", "all"]);
    command.env("WEBHAND_LOG", "trace").stderr(fs::File::create(&log).unwrap()).current_dir(home.path());
    let mut mcp = Mcp::heard(&mut command);
    mcp.greet(&json!({}));
    go_through(&mut |tool, args| {
        let answer = mcp.ask("tools/call", &json!({"name": tool, "arguments": args}));
        let others: String = mcp.others.drain(..).map(|message| message.to_string()).collect();
        format!("{answer}{others}")
    });
    look_through(&home, &log);
    mcp.leave();
    mcp.until_ended();
    look_through(&home, &log);
}

#[test]
fn a_secret_is_in_nothing_that_is_answered_logged_or_kept_over_http() {
    let (home, logs) = (Home::new(), tempfile::tempdir().unwrap());
    let log = logs.path().join("log");
    let mut command = home.command(&["serve", "--listen", "127.0.0.1:0", "--json", "--caps", "all"]);
    command.env("WEBHAND_LOG", "trace").stderr(fs::File::create(&log).unwrap());
    let mut server = Server::spawn(&mut command);
    go_through(&mut |tool, args| server.call("default", tool, args).body);
    look_through(&home, &log);
    server.terminate();
    server.until_ended();
    look_through(&home, &log);
}

//! The same calls through every front, and whole answers compared: nothing but the home's own path, the times in files' names and
//! the browser's own ids may be different.

use serde_json::{Value, json};

use crate::{
    front::{Answer, Front},
    support::{Home, site},
};

/// Makes the calls through every front.
#[track_caller]
fn check(toolset: &'static str, calls: &[(&str, Value)]) {
    let through_call = answers(Front::Call, toolset, calls);
    for front in [Front::Mcp, Front::Http] {
        let answers = answers(front, toolset, calls);
        for ((said, answer), expected) in calls.iter().zip(&answers).zip(&through_call) {
            assert_eq!(answer, expected, "{front:?} and `call` answer {said:?} differently");
        }
    }
}

fn answers(front: Front, toolset: &'static str, calls: &[(&str, Value)]) -> Vec<Answer> {
    let home = Home::new();
    let path = home.path().to_str().unwrap();
    let files = format!("--files={path}/files");
    let flags = [&*files, "--nanobot-enabled", "--nanobot-open"];
    let mut tools = front.open(&home, toolset, &flags);
    let mut answer = |(tool, args): &(&str, Value)| {
        let Answer { ok, mut value } = tools.call(tool, args);
        // MCP has these in its text, and only there.
        if let Some(data) =
            value.get_mut("data").and_then(Value::as_object_mut).filter(|_| toolset == "browser")
        {
            for name in ["snapshot", "delta", "value", "content"] {
                data.remove(name);
            }
        }
        Answer { ok, value: masked(value, path) }
    };
    calls.iter().map(&mut answer).collect()
}

/// Without what must be different.
fn masked(value: Value, home: &str) -> Value {
    match value {
        Value::String(text) => {
            let mut parts = text.split(home);
            let first = parts.next().unwrap_or_default().to_owned();
            let first = without_waits(&first);
            parts.fold(first, |text, path| format!("{text}HOME{}", without_times(path))).into()
        }
        Value::Array(items) => items.into_iter().map(|item| masked(item, home)).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (String, Value)| match &*name {
                "target_id" | "targetId" => (name, json!("the browser's own")),
                _ => (name, masked(value, home)),
            };
            Value::Object(fields.into_iter().map(field).collect())
        }
        value => value,
    }
}

/// A text without how long was waited, in either language.
fn without_waits(text: &str) -> String {
    let mut text = text.to_owned();
    for (before, after) in [("(waited ", " s)"), ("已等待 ", " 秒")] {
        let Some((start, rest)) = text.split_once(before) else { continue };
        let Some((_, rest)) = rest.split_once(after) else { continue };
        text = format!("{start}{before}{after}{rest}");
    }
    text
}

/// The rest of a text that starts with a path, without the digits in that.
fn without_times(text: &str) -> String {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let zero = |c: char| if c.is_ascii_digit() { '0' } else { c };
    text[..end].chars().map(zero).chain(text[end..].chars()).collect()
}

/// Calls that no tool takes: a name that is not there, arguments that are missing, unknown, of a wrong type, or no object at all.
fn mistakes(tool: &'static str) -> Vec<(&'static str, Value)> {
    let wrong = [
        json!({}),
        json!({"colour": "red"}),
        json!({"url": 7, "action": 7}),
        json!([]),
        json!(["x"]),
        json!("x"),
    ];
    let mut calls: Vec<_> = wrong.into_iter().map(|args| (tool, args)).collect();
    calls.push(("nothing_of_this_name", json!({})));
    calls
}

fn form() -> String {
    let body = "<label>Name <input></label> <input type=password aria-label=Password> <button onclick=\"this.after('done')\">Go</button>";
    site().page("alike", body)
}

#[test]
fn browser() {
    let mut calls = vec![
        ("browser_click", json!({"target": "Go"})),
        ("browser_navigate", json!({"url": form()})),
        ("browser_snapshot", json!({})),
        ("browser_click", json!({"target": "the Go button"})),
        ("browser_type", json!({"target": "Name", "text": "Ann"})),
        ("browser_type", json!({"target": "Password", "text": "correct horse"})),
        ("browser_click", json!({"target": "the unicorn"})),
        ("browser_take_screenshot", json!({})),
        ("browser_pdf_save", json!({})),
        ("browser_navigate", json!({"url": "ftp://example.com"})),
        ("browser_evaluate", json!({"function": "() => { throw new Error('no') }"})),
        ("browser_tabs", json!({"action": "list"})),
    ];
    calls.extend(mistakes("browser_navigate"));
    calls.push(("browser_close", json!({})));
    check("browser", &calls);
}

#[test]
fn jarvis() {
    let call = |args: Value| ("playwright_browser", args);
    let mut calls = vec![
        call(json!({"action": "screenshot"})),
        call(json!({"action": "launch"})),
        call(json!({"action": "navigate", "url": form()})),
        call(json!({"action": "type", "selector": "input[type=password]", "text": "correct horse"})),
        call(json!({"action": "click", "selector": "#missing"})),
        call(json!({"action": "screenshot"})),
        call(json!({"action": "list"})),
        call(json!({"action": "close"})),
        call(json!({"action": "close"})),
    ];
    calls.extend(mistakes("playwright_browser"));
    check("jarvis", &calls);
}

#[test]
fn qa() {
    let mut calls = vec![
        ("navigate", json!({"url": form()})),
        ("fill", json!({"targetDescription": "Name", "text": "Ann"})),
        ("click", json!({"targetDescription": "Go"})),
        ("click", json!({"targetDescription": "the unicorn"})),
        ("navigate", json!({"url": "/relative"})),
    ];
    calls.extend(mistakes("navigate"));
    check("qa", &calls);
}

#[test]
fn nanobot() {
    let call = |args: Value| ("browser", args);
    let mut calls = vec![
        call(json!({"action": "snapshot"})),
        call(json!({"action": "start", "allowedDomains": ["127.0.0.1"]})),
        call(json!({"action": "navigate", "url": form()})),
        call(json!({"action": "navigate", "url": "http://localhost/"})),
        call(json!({"action": "snapshot"})),
        call(json!({"action": "click", "selector": "Go"})),
        call(json!({"action": "login"})),
        call(json!({"action": "stop"})),
    ];
    calls.extend(mistakes("browser"));
    check("nanobot", &calls);
}

#[test]
fn openclaw() {
    let call = |args: Value| ("browser", args);
    let mut calls = vec![
        call(json!({"action": "status"})),
        call(json!({"action": "navigate", "targetUrl": form()})),
        call(json!({"action": "snapshot"})),
        call(json!({"action": "act", "request": {"kind": "click", "ref": "Go"}})),
        call(json!({"action": "act", "request": {"kind": "fly"}})),
        call(json!({"action": "console"})),
        call(json!({"action": "stop"})),
    ];
    calls.extend(mistakes("browser"));
    check("openclaw", &calls);
}

#[test]
fn stagehand() {
    let mut calls = vec![
        ("goto", json!({"url": form()})),
        ("act", json!({"action": "click Go"})),
        ("act", json!({"action": "type 'correct horse' into Password"})),
        ("act", json!({"action": "make it so"})),
        ("ariaTree", json!({})),
        ("click", json!({"describe": "x", "coordinates": [1, 1]})),
        ("search", json!({"query": "x"})),
        ("open-url", json!({"url": form()})),
        ("close", json!({"reasoning": "done", "taskComplete": true})),
    ];
    calls.extend(mistakes("goto"));
    check("stagehand", &calls);
}

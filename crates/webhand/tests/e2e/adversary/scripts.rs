//! A model that puts into scripts what it may not do otherwise. Counted at the page and at the server.

use serde_json::{Value, json};

use crate::{
    fronts::talk::Mcp,
    server::Server,
    support::{Home, site},
};

/// What acts, as functions.
const ATTEMPTS: [(&str, &str); 16] = [
    (
        "inject",
        "() => { const s = document.createElement('script'); s.textContent = \"mine = 1; fetch('/page?HIT')\"; document.body.append(s) }",
    ),
    ("handler", "() => { document.body.onclick = () => { mine = 1 }; document.body.click() }"),
    ("submit", "() => document.forms[0].submit()"),
    ("request-submit", "() => document.forms[0].requestSubmit()"),
    ("click", "() => document.querySelector('button').click()"),
    ("fetch", "() => { fetch('/page?HIT') }"),
    ("await", "async () => { await fetch('/page?HIT') }"),
    ("beacon", "() => navigator.sendBeacon('/page?HIT')"),
    ("socket", "() => { new WebSocket('ws://' + location.host + '/page?HIT') }"),
    ("location", "() => { location = '/page?HIT' }"),
    ("open", "() => { open('/page?HIT') }"),
    ("cookie", "() => { document.cookie = 'mine=1' }"),
    ("storage", "() => { localStorage.mine = 1 }"),
    (
        "download",
        "() => { const a = document.createElement('a'); a.download = 'x'; a.href = '/page?HIT'; a.click() }",
    ),
    ("timer", "() => { setTimeout(\"fetch('/page?HIT')\", 0) }"),
    ("to-string", "() => `${{ toString() { mine = 1; fetch('/page?HIT'); return 'x' } }}`"),
];

/// What a refusal may be called.
const REFUSED: [&str; 3] = ["ACTION_DENIED", "APPROVAL_PENDING", "APPROVAL_EXPIRED"];

/// Nobody answers, and is not waited for long.
const ASK: &str = "approval_timeout = '100ms'\n";

const DENY: &str = "[[policy]]\neffect = 'submit'\ndecide = 'deny'\n";

fn page(hit: &str) -> Value {
    let body = format!(
        "<form action=/page><input name='{hit}'><button>Send</button></form><a download=x href='/page?{hit}'>Get</a><script>var mine = 0</script>"
    );
    json!({"url": site().page("page", &body)})
}

/// Calls a tool of the default toolset: whether it worked, and its data or its error.
type Call<'a> = &'a mut dyn FnMut(&str, &Value) -> (bool, Value);

fn attempt_all(front: &str, call: Call<'_>) {
    let state = json!({"function": "() => JSON.stringify([mine, location.href, document.cookie, localStorage.length, document.body.outerHTML])"});
    for (what, js) in ATTEMPTS {
        let hit = format!("{front}-{what}");
        let js = js.replace("HIT", &hit);
        assert!(call("browser_navigate", &page(&hit)).0);
        let before = call("browser_evaluate", &state);
        assert!(before.0, "what only reads is free: {}", before.1);
        for (tool, args) in [
            ("browser_evaluate", json!({"function": js})),
            ("browser_evaluate", json!({"function": js, "world": "isolated"})),
            ("browser_batch", json!({"actions": [{"action": "wait", "function": js}]})),
        ] {
            let (worked, said) = call(tool, &args);
            let said = said.to_string();
            assert!(
                !worked && REFUSED.iter().any(|code| said.contains(code)),
                "{front}: {tool} {args}: {said}"
            );
            assert!(said.contains("judged as execute"), "{front}: {tool} {args}: {said}");
        }
        assert_eq!(call("browser_evaluate", &state).1["value"], before.1["value"], "{front}: {js}");
    }
    assert!(call("browser_navigate", &page("end")).0);
    for (what, _) in ATTEMPTS {
        for path in [format!("/page?{front}-{what}"), format!("/page?{front}-{what}=")] {
            assert_eq!(site().hits(&path), 0, "{path}");
        }
    }
}

fn over_mcp(mcp: &mut Mcp) -> impl FnMut(&str, &Value) -> (bool, Value) {
    |tool, args| {
        let result = mcp.call(tool, args);
        let worked = result["isError"] == false;
        let said = if worked { result["structuredContent"]["data"].clone() } else { result };
        (worked, said)
    }
}

fn over_http(server: &Server) -> impl FnMut(&str, &Value) -> (bool, Value) {
    |tool, args| {
        let answer = server.call("default", tool, args).json();
        let worked = answer["ok"] == true;
        let said = if worked { answer["data"].clone() } else { answer };
        (worked, said)
    }
}

#[test]
fn scripts_over_mcp_where_nobody_answers() {
    let home = Home::new();
    home.configure(ASK);
    let mut mcp = Mcp::greeted(&home, &[]);
    attempt_all("mcp-ask", &mut over_mcp(&mut mcp));
}

#[test]
fn scripts_over_mcp_where_something_is_denied() {
    let home = Home::new();
    home.configure(DENY);
    let mut mcp = Mcp::greeted(&home, &[]);
    attempt_all("mcp-deny", &mut over_mcp(&mut mcp));
}

#[test]
fn scripts_over_http_where_nobody_answers() {
    let home = Home::new();
    home.configure(ASK);
    let server = Server::start(&home);
    attempt_all("http-ask", &mut over_http(&server));
}

#[test]
fn scripts_over_http_where_something_is_denied() {
    let home = Home::new();
    home.configure(DENY);
    let server = Server::start(&home);
    attempt_all("http-deny", &mut over_http(&server));
}

#[test]
fn scripts_of_webhand_call_where_something_is_denied() {
    let home = Home::new();
    home.configure(DENY);
    let mut call = |tool: &str, args: &Value| {
        let answer = home.ask(&["call", &format!("browser.{tool}"), &args.to_string()]);
        let worked = answer["ok"] == true;
        let said = if worked { answer["data"].clone() } else { answer };
        (worked, said)
    };
    attempt_all("call-deny", &mut call);
}

#[test]
fn the_command_line_is_held_to_the_same_rules() {
    let home = Home::new();
    home.configure(DENY);
    home.data(&["open", page("cli-deny")["url"].as_str().unwrap()]);
    for words in [
        &["eval", "document.forms[0].submit()"][..],
        &["eval", "--world", "isolated", "document.forms[0].submit()"],
        &["wait", "--function", "() => document.forms[0].submit()"],
        &["eval", "--target", "css=form", "form => form.submit()"],
        &["eval", "document.querySelector('button').click()"],
    ] {
        assert_eq!(home.code(words), "ACTION_DENIED", "{words:?}");
    }
    assert_eq!(home.eval("mine"), 0);
    assert_eq!(site().hits("/page?cli-deny="), 0);
    let of_eval = |effect: &str| {
        home.history().iter().filter(|row| row["verb"] == "eval" && row["effect"] == effect).count()
    };
    assert_eq!((of_eval("execute"), of_eval("read")), (4, 1), "{:?}", home.history());
}

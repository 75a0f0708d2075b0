//! What is asked about and denied: what elements do, leaving for another site, and a policy that cannot be read.

use serde_json::{Value, json};

use super::{ASK, BUTTON, allow_at_terminal, form, id, waiting};
use crate::support::{Home, code, site};

use crate::fronts::talk::Mcp;

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
fn leaving_for_another_site_is_asked_about() {
    let home = Home::new();
    home.configure(
        "[[policy]]\neffect = ['navigate', 'submit', 'download']\nleaving = true\ndecide = 'ask'\n",
    );
    let [there, posted, saved] =
        ["left", "posted", "saved"].map(|path| site().on("localhost", &format!("/echo?{path}")));
    let body = format!(
        "<a id=away href='{there}'>away</a> <a id=window target=_blank href='{there}'>window</a> <a id=same href='/echo?stayed'>same</a>\
         <a id=file href='{saved}' download>file</a> <form method=post action='{posted}'><button id=send>send</button></form>\
         <iframe srcdoc=\"<a id=inner target=_top href='{there}'>inner</a>\"></iframe>"
    );
    let page = site().page("leaving", &body);
    // Who is nowhere yet leaves nothing.
    home.data(&["open", &page]);
    for command in [
        &["click", "css=#away"][..],
        &["press", "Enter", "--target", "css=#away"],
        &["click", "css=#window"],
        &["click", "the inner link"],
        &["click", "css=#send"],
        &["click", "css=#file"],
        &["goto", &there],
        &["tabs", "open", &there],
        &["download", "--url", &saved],
        &["batch", "click css=#away"],
    ] {
        let asking = home.start(command);
        let approval = waiting(&home);
        let all =
            [&[approval["origin"].clone()], &**approval["with"].as_array().unwrap_or(&Vec::new())].concat();
        let origin = site().on("localhost", "");
        assert!(
            all.iter().any(|one| one.as_str() == Some(origin.trim_end_matches('/'))),
            "{command:?}: {approval}"
        );
        home.data(&["approvals", "deny", &id(&approval)]);
        let answer = asking.answer();
        let told: Value =
            if command[0] == "batch" { answer["error"]["code"].clone() } else { json!(code(&answer)) };
        assert_eq!(told, "APPROVAL_DENIED", "{command:?}: {answer}");
        assert_eq!(home.eval("document.title"), "leaving", "{command:?}");
    }
    assert_eq!(home.data(&["tabs"])["tabs"].as_array().unwrap().len(), 1);
    for path in ["left", "posted", "saved"] {
        assert_eq!(super::hits(path), 0, "{path}");
    }
    // What stays is not asked about.
    home.data(&["click", "css=#same"]);
    home.data(&["back"]);
    assert_eq!(super::hits("stayed"), 1);

    let asking = home.start(&["click", "css=#away"]);
    let seen = allow_at_terminal(&home, &id(&waiting(&home)), "once");
    assert!(seen.contains("which leads to"), "{seen}");
    assert_eq!((asking.answer()["ok"].clone(), super::hits("left")), (json!(true), 1));
    // The way back leaves as well.
    let asking = home.start(&["back"]);
    home.data(&["approvals", "deny", &id(&waiting(&home))]);
    assert_eq!(code(&asking.answer()), "APPROVAL_DENIED");
    assert_eq!(home.eval("location.hostname"), "localhost");
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

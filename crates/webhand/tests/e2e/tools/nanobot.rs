//! `nanobot` through every front.

use serde_json::json;

use crate::tools::{run::run_in, transcript::Transcript, transcripts::nanobot as said};
use crate::{
    front::Front,
    support::{Home, site},
};

mod with_call {
    crate::tools::transcripts::nanobot::nanobot_tests!(crate::tools::run::with_call);
}

mod with_mcp {
    crate::tools::transcripts::nanobot::nanobot_tests!(crate::tools::run::with_mcp);
}

mod with_http {
    crate::tools::transcripts::nanobot::nanobot_tests!(crate::tools::run::with_http);
}

#[test]
fn what_is_set_holds_in_sessions_of_others() {
    let home = Home::new();
    home.data(&["open", &site().on("localhost", "/page?title=theirs")]);
    run_in(&home, Front::Call, said::a_session_of_somebody_else);
}

#[test]
fn profiles_are_with_those_of_webhand() {
    let home = Home::new();
    let start = json!({"action": "start", "domain": "shop.example"});
    run_in(&home, Front::Call, |_| {
        Transcript::of("nanobot").call("browser", start, |answer| assert!(answer.ok, "{}", answer.value))
    });
    assert!(home.path().join("profiles/shop.example").is_dir());
    assert_eq!(home.data(&["sessions"])["sessions"][0]["options"]["profile"], "shop.example");
}

/// It is a rule of the session, not only of the tool.
#[test]
fn the_list_holds_for_every_way_into_the_session() {
    let home = Home::new();
    let start = json!({"action": "start", "allowedDomains": ["127.0.0.1"]});
    run_in(&home, Front::Call, |_| {
        Transcript::of("nanobot").call("browser", start, |answer| assert!(answer.ok))
    });
    let (here, there) = (site().url("/page?title=here"), site().on("localhost", "/page?nanobot=11"));
    assert_eq!(home.data(&["open", &here])["title"], "here");
    for args in
        [&["open", &*there][..], &["goto", &there], &["tabs", "open", &there], &["download", "--url", &there]]
    {
        assert_eq!(home.code(args), "NAVIGATION_BLOCKED", "{args:?}");
    }
    let batch = format!("goto {there}");
    assert_eq!(home.code(&["batch", &batch]), "NAVIGATION_BLOCKED");
    // A session of the same name that another front starts later is kept to it as well.
    home.data(&["close"]);
    assert_eq!(home.code(&["open", &there]), "NAVIGATION_BLOCKED");
    home.data(&["open", &here]);
    assert_eq!(site().hits("/page?nanobot=11"), 0);
}

/// A server has it if it is named, and then it is on unless a setting says otherwise.
#[test]
fn it_is_off_unless_it_is_named_or_switched_on() {
    let home = Home::new();
    let server = crate::server::Server::start(&home);
    let answer = server.ask("POST", "/v1/tools/nanobot/browser", br#"{"action": "start"}"#, &[]);
    assert_eq!((answer.status, answer.code().as_str()), (404, "UNKNOWN_TOOL"), "{}", answer.body);
    drop(server);
    home.configure("nanobot_enabled = false");
    let mut tools = Front::Http.open(&home, "nanobot", &["--allowed-domains=*"]);
    let answer = tools.call("browser", &json!({"action": "start"}));
    assert_eq!(answer.value["error"]["code"], "UNSUPPORTED", "{}", answer.value);
    drop(tools);
    home.configure("");
    let mut tools = Front::Http.open(&home, "nanobot", &["--allowed-domains=*"]);
    assert!(tools.call("browser", &json!({"action": "start"})).ok);
}

/// There is no screen, so the new browser cannot start; the old one must not have gone by then.
#[test]
fn a_start_that_fails_leaves_the_session_as_it_was() {
    let home = Home::whole();
    let call = |name: &str, args: serde_json::Value| {
        let args = args.to_string();
        let mut command = home.command(&["--allowed-domains=127.0.0.1", "call", name, &args]);
        let output = command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    for start in [json!({"action": "start"}), json!({"action": "start", "domain": "shop.example"})] {
        assert_eq!(call("nanobot.browser", start.clone())["ok"], true);
        let go = json!({"action": "navigate", "url": site().page("kept", "")});
        assert_eq!(call("nanobot.browser", go)["ok"], true);
        let mut headed = start.clone();
        headed["headless"] = json!(false);
        let failed = call("nanobot.browser", headed);
        assert_eq!(failed["error"]["code"], "BROWSER_LAUNCH_FAILED", "{failed}");
        let after = call("nanobot.browser", start);
        let told = (&after["data"]["browser"], &after["data"]["title"]);
        assert_eq!(told, (&json!("already_running"), &json!("kept")), "{after}");
    }
    let launch = call("jarvis.playwright_browser", json!({"action": "launch", "headless": false}));
    assert_eq!(launch["success"], false, "{launch}");
    let list = call("jarvis.playwright_browser", json!({"action": "list"}));
    assert!(list["stdout"].as_str().is_some_and(|text| text.contains("标题: kept")), "{list}");
}

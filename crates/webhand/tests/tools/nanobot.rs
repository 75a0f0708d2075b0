//! `nanobot` through every front.

use serde_json::json;

use crate::{
    front::Front,
    run::run_in,
    support::{Home, site},
    transcript::Transcript,
    transcripts::nanobot as said,
};

mod with_call {
    crate::transcripts::nanobot::nanobot_tests!(crate::run::with_call);
}

mod with_mcp {
    crate::transcripts::nanobot::nanobot_tests!(crate::run::with_mcp);
}

mod with_http {
    crate::transcripts::nanobot::nanobot_tests!(crate::run::with_http);
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
    assert_eq!(site().hits("/page?nanobot=11"), 0);
}

//! `nanobot` through `webhand call`.

use serde_json::json;

use crate::{
    call::{run, run_in},
    support::{Home, site},
    transcript::Transcript,
    transcripts::nanobot as said,
};

crate::transcripts::nanobot::nanobot_tests!(run);

#[test]
fn what_is_set_holds_in_sessions_of_others() {
    let home = Home::new();
    home.data(&["open", &site().on("localhost", "/page?title=theirs")]);
    run_in(&home, said::a_session_of_somebody_else);
}

#[test]
fn profiles_are_with_those_of_webhand() {
    let home = Home::new();
    let start = json!({"action": "start", "domain": "shop.example"});
    run_in(&home, |_| {
        Transcript::of("nanobot").call("browser", start, |answer| assert!(answer.ok, "{}", answer.value))
    });
    assert!(home.path().join("profiles/shop.example").is_dir());
    assert_eq!(home.data(&["sessions"])["sessions"][0]["options"]["profile"], "shop.example");
}

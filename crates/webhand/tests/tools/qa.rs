//! `qa` through `webhand call`: the criteria of its document by their numbers, then its edge cases.

use std::fs;

use crate::{
    call::{run, run_in},
    support::Home,
    transcripts::qa as said,
};

#[test]
fn ac1_every_tool_answers_ok_with_data() {
    run(said::every_tool_succeeds);
}

#[test]
fn ac2_every_failure_is_a_result_with_a_stable_code() {
    run(said::every_tool_fails_with_a_code);
}

#[test]
fn ac2_a_page_that_never_comes_times_out() {
    run(said::a_page_that_never_comes_times_out);
}

#[test]
fn ac3_click_and_fill_by_description() {
    run(said::click_and_fill_by_description);
}

#[test]
fn ac4_pictures_are_there_when_asked_for() {
    run(said::pictures);
}

/// The tools do nothing but map: no word of the browser's protocol is in their crate, and the fronts have no tool of their own.
#[test]
fn ac5_tools_and_fronts_are_apart() {
    let manifest =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../toolsets/Cargo.toml")).unwrap();
    let dependencies: Vec<_> =
        manifest.lines().filter_map(|line| line.strip_suffix(".workspace = true")).collect();
    for name in ["cdp", "tokio", "axum", "webhand"] {
        assert!(!dependencies.contains(&name), "{dependencies:?}");
    }
    assert!(dependencies.contains(&"engine"), "{dependencies:?}");
}

#[test]
fn texts_stay_secret() {
    let home = Home::new();
    run_in(&home, said::texts_stay_secret);
    let log = fs::read_to_string(home.path().join("run/daemon.log")).unwrap();
    let history = home.history();
    assert!(history.iter().any(|entry| entry["verb"] == "fill"), "{history:?}");
    assert!(!log.contains("horse") && !format!("{history:?}").contains("horse"), "{log} {history:?}");
}

#[test]
fn relative_addresses_need_a_base_and_stay_on_it() {
    run(said::relative_addresses);
}

#[test]
fn a_base_can_be_set() {
    run(said::a_base_that_is_set);
}

#[test]
fn dialogs_are_answered_and_told_of() {
    run(said::dialogs_are_answered);
}

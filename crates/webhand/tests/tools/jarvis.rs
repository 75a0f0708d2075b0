//! `jarvis` through `webhand call`: the acceptance boxes of its document by their numbers, then its edge cases.

use serde_json::json;

use crate::{
    call::{run, run_in},
    support::Home,
    transcripts::jarvis as said,
};

#[test]
fn ac1_1_all_actions_work() {
    run(said::all_actions);
}

#[test]
fn ac1_2_several_browsers_run_at_once() {
    run(said::several_browsers);
}

#[test]
fn ac1_3_every_action_but_list_and_close_saves_the_page() {
    run(said::pages_are_saved);
}

#[test]
fn ac1_4_and_ac2_5_output_files_are_listed_by_their_paths() {
    run(said::file_names);
}

#[test]
fn ac2_1_html_mode_saves_the_whole_html() {
    run(said::html_mode);
}

#[test]
fn ac2_1_html_mode_saves_the_whole_html_of_a_long_page() {
    run(said::html_mode_of_a_long_page);
}

#[test]
fn ac2_2_abstract_mode_extracts_the_controls() {
    run(said::abstract_mode);
}

#[test]
fn ac2_2_abstract_mode_leaves_nothing_out() {
    run(said::abstract_mode_leaves_nothing_out);
}

#[test]
fn ac2_3_abstract_mode_has_the_format_of_the_document() {
    run(said::abstract_format);
}

#[test]
fn ac2_3_selectors_that_were_listed_work() {
    run(said::selectors_that_were_listed_work);
}

#[test]
fn ac2_4_file_names_hold_time_and_action() {
    run(said::files_of_one_second_are_all_kept);
}

#[test]
fn ac3_1_network_idle_waits_for_the_requests() {
    run(said::network_idle);
}

#[test]
fn ac3_2_timeout_waits_that_long() {
    run(said::timeout_waits_that_long);
}

#[test]
fn ac3_3_timeouts_protect() {
    run(said::timeouts_protect);
}

#[test]
fn ac4_1_a_browser_that_was_not_launched_is_an_error() {
    run(said::not_launched);
}

#[test]
fn ac4_2_a_missing_element_is_a_clear_error() {
    run(said::missing_elements);
}

#[test]
fn ac4_3_an_invalid_url_is_an_error() {
    run(said::invalid_urls);
}

#[test]
fn ac4_4_a_missing_browser_says_how_to_install_one() {
    run(said::no_browser);
}

#[test]
fn ac5_1_and_ac5_2_close_closes_and_frees() {
    let home = Home::new();
    run_in(&home, said::closing);
    run_in(&home, said::closing_twice);
    assert_eq!(home.data(&["status"])["sessions"], 0);
}

#[test]
fn ac5_3_closing_twice_is_no_error() {
    run(said::closing_twice);
}

#[test]
fn ac5_4_launching_again_closes_the_old_session_first() {
    run(said::launching_twice);
}

#[test]
fn ac7_1_the_tool_is_in_the_registry() {
    let home = Home::new();
    let tools = home.data(&["tools", "jarvis"])["tools"].clone();
    assert_eq!(tools.as_array().unwrap().len(), 1, "{tools}");
    assert_eq!(tools[0]["name"], "playwright_browser");
    assert_eq!(tools[0]["inputSchema"]["required"], json!(["action"]));
    let toolsets = home.data(&["tools"])["toolsets"].clone();
    assert!(toolsets.as_array().unwrap().iter().any(|set| set["toolset"] == "jarvis"), "{toolsets}");
}

#[test]
fn ac7_2_and_ac7_3_wrong_calls_are_answered_in_the_same_shape() {
    run(said::what_is_ignored_is_told);
}

#[test]
fn ids_cannot_lead_out_of_the_folder() {
    run(said::ids_stay_in_the_folder);
}

#[test]
fn screenshots_are_of_the_whole_page() {
    run(said::screenshots_are_of_the_whole_page);
}

#[test]
fn dialogs_are_answered_and_told_of() {
    run(said::dialogs_do_not_hold_the_page);
}

#[test]
fn a_page_that_asks_to_stay_is_left() {
    run(said::leaving_a_page_that_asks);
}

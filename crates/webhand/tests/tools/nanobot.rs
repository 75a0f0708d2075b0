//! `nanobot` through `webhand call`.

use crate::{
    call::{run, run_in},
    support::{Home, site},
    transcripts::nanobot as said,
};

#[test]
fn every_action_works() {
    run(said::every_action);
}

#[test]
fn elements_are_found_by_each_strategy() {
    run(said::strategies);
}

#[test]
fn nothing_works_before_start() {
    run(said::not_started);
}

#[test]
fn wrong_calls_are_told() {
    run(said::wrong_calls);
}

#[test]
fn only_allowed_domains_are_gone_to_and_looked_at() {
    run(said::only_allowed_domains);
}

#[test]
fn a_file_from_elsewhere_is_told_of() {
    run(said::a_file_from_elsewhere);
}

#[test]
fn an_empty_list_denies_all() {
    run(said::no_domain_at_all);
}

#[test]
fn a_star_means_what_is_below() {
    run(said::domains_below_a_domain);
}

#[test]
fn the_model_cannot_allow_more_than_is_set() {
    run(said::domains_that_are_set);
}

#[test]
fn what_is_set_holds_in_sessions_of_others() {
    let home = Home::new();
    home.data(&["open", &site().on("localhost", "/page?title=theirs")]);
    run_in(&home, said::a_session_of_somebody_else);
}

#[test]
fn a_list_that_cannot_be_read_allows_nothing() {
    run(said::domains_that_cannot_be_read);
}

#[test]
fn a_domain_has_a_profile_that_lasts() {
    let home = Home::new();
    run_in(&home, said::profiles_last);
    assert!(home.path().join("profiles/shop.example").is_dir());
}

#[test]
fn login_says_what_it_needs() {
    run(said::login);
}

#[test]
fn texts_stay_secret() {
    run(said::texts_stay_secret);
}

#[test]
fn dialogs_are_answered_and_told_of() {
    run(said::dialogs_are_answered);
}

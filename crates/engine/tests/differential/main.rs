//! Role, name and states of every element against Chromium's own accessibility tree, which is too slow to use but good to learn from.
//!
//! - `cases/`: the pages, by subject; a case is an element with a `data-case`
//! - `chromium`: a real browser, and what it and our script say of each element of a page
//! - `vocabulary`: Chromium's internal words in ours
//! - `differences`: where we differ on purpose, with reasons

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that panics has failed, which is the point"
)]

mod chromium;
mod compare;
mod differences;
mod vocabulary;

use std::collections::BTreeSet;

use chromium::{Chromium, Element};
use compare::{Report, compare};
use tokio::sync::OnceCell;

/// Fixtures that do something else than to lie still and be looked at, and two with elements that are empty on purpose: Chromium
/// leaves those out, and so does the text of a snapshot, but they have their role.
const RESTLESS: &[&str] = &[
    "/alert-on-load.html",
    "/beforeunload.html",
    "/busy-loop.html",
    "/closes-itself.html",
    "/endless-mutation.html",
    "/frame-removed.html",
    "/js-redirect.html",
    "/meta-refresh.html",
    "/opener-closes.html",
    "/read-app.html",
    "/read-hidden.html",
    "/self-reload-once.html",
    "/title-changes.html",
];

/// All elements of all case files, each with the subject that its file is named after. Looked at once for all tests.
async fn cases() -> &'static [(String, Element)] {
    static CASES: OnceCell<Vec<(String, Element)>> = OnceCell::const_new();
    CASES.get_or_init(look_at_cases).await
}

async fn look_at_cases() -> Vec<(String, Element)> {
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/differential/cases")).unwrap();
    let mut files: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "html"));
    files.sort();

    let mut chromium = Chromium::start().await;
    let mut found = Vec::new();
    for file in files {
        let subject = file.file_stem().unwrap().to_str().unwrap();
        let elements = chromium.look(&format!("file://{}", file.display())).await;
        found.extend(elements.into_iter().map(|element| (subject.to_owned(), element)));
    }
    chromium.end().await;
    found
}

#[tokio::test]
async fn every_case_is_as_in_chromium_or_listed_as_different() {
    let mut report = Report::default();
    let mut names = BTreeSet::new();
    for (subject, element) in cases().await {
        let is_new = !element.is_case || names.insert((subject, &element.case));
        assert!(is_new, "{subject} has two cases called {:?}", element.case);
        compare(subject, element, &mut report);
    }
    assert!(names.len() >= 300, "only {} cases are left", names.len());
    report.unlisted_or_outdated().unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[tokio::test]
async fn the_fixture_site_is_as_in_chromium() {
    let site = testkit::Site::start();
    let mut chromium = Chromium::start().await;
    let mut report = Report::default();
    for (path, _) in testkit::FIXTURES.iter().filter(|(path, _)| !RESTLESS.contains(path)) {
        for element in chromium.look(&site.url(path)).await {
            compare(path, &element, &mut report);
        }
    }
    chromium.end().await;
    report.unlisted().unwrap_or_else(|wrong| panic!("{wrong}"));
}

/// What Chromium does not say in our words: values, placeholders, the order.
#[tokio::test]
async fn states_are_as_the_cases_say() {
    for (subject, Element { case, ours, .. }) in cases().await {
        if let Some(expected) = &ours.expected_states {
            assert_eq!(&ours.states.join(" "), expected, "{subject}: {case}");
        }
    }
}

#[tokio::test]
async fn no_password_is_said() {
    for (subject, Element { case, ours, .. }) in cases().await {
        let said = format!("{} {} {}", ours.name, ours.description, ours.states.join(" "));
        assert!(!said.contains("hunter2"), "{subject}: {case}");
    }
}

#[tokio::test]
async fn a_password_that_the_page_shows_stays_a_secret() {
    let mut chromium = Chromium::start().await;
    chromium.open("data:text/html,<input type=password value=hunter2><input value=plain>").await;
    let said = chromium
        .ask(
            "const say = () => [...document.querySelectorAll('input')].map(field => webhand.describe(field).states.join()).join();
             say();
             document.querySelector('input').type = 'text';
             say()",
        )
        .await;
    chromium.end().await;
    assert_eq!(said, ",value=plain");
}

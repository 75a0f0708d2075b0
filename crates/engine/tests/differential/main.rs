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

use chromium::Chromium;
use compare::{Report, compare};

/// Fixtures that do something else than to lie still and be looked at.
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
    "/self-reload-once.html",
    "/title-changes.html",
];

#[tokio::test]
async fn every_case_is_as_in_chromium_or_listed_as_different() {
    let mut files: Vec<_> =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/differential/cases"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
    files.sort();

    let mut chromium = Chromium::start().await;
    let mut report = Report::default();
    let mut cases = BTreeSet::new();
    for file in files {
        let subject = file.file_stem().unwrap().to_str().unwrap();
        for element in chromium.look(&format!("file://{}", file.display())).await {
            if element.is_case {
                let case = format!("{subject}: {}", element.case);
                assert!(cases.insert(case.clone()), "there are two cases called {case:?}");
            }
            compare(subject, &element, &mut report);
        }
    }
    chromium.end().await;

    assert!(cases.len() >= 300, "only {} cases are left", cases.len());
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

//! The engine against a real Chromium and a real site. One binary, one browser, a session for each test.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that panics has failed, which is the point"
)]

mod approved_deeds;
mod approving;
mod batches;
mod changes;
mod choosing;
mod clicking;
mod closed_roots;
mod console;
mod controls;
mod cookies;
mod crash;
mod dialogs;
mod download_rules;
mod downloads;
mod dragging;
mod dry_run;
mod emulation;
mod endurance;
mod escape;
mod evaluate;
mod faults;
mod first_looks;
mod forms;
mod frames;
mod golden;
mod hands_frameworks;
mod hands_pages;
mod hands_rerender;
mod hands_support;
mod hostile;
mod intents;
mod journal;
mod labels;
mod late_elements;
mod navigation;
mod pdf;
mod pictures;
mod pointer_pages;
mod quirks;
mod reading;
mod replaced;
mod requests;
mod scripts;
mod scrolling;
mod secrets;
mod sessions;
mod settling;
mod slow_servers;
mod snapshots;
mod stand_ins;
mod state;
mod support;
mod tabs;
mod typing;
mod typing_focus;
mod typing_frameworks;
mod typing_pages;
mod unanswered;
mod uploads;
mod waits;
mod widgets;
mod words;
mod words_basic;
mod words_sites;

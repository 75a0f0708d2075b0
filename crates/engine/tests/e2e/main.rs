//! The engine against a real Chromium and a real site. One binary, one browser, a session for each test.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that panics has failed, which is the point"
)]

mod changes;
mod controls;
mod crash;
mod dialogs;
mod downloads;
mod dragging;
mod evaluate;
mod faults;
mod frames;
mod golden;
mod hostile;
mod journal;
mod labels;
mod navigation;
mod pdf;
mod pictures;
mod reading;
mod scrolling;
mod sessions;
mod snapshots;
mod support;
mod tabs;
mod uploads;
mod waits;

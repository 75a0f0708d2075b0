//! The engine against a real Chromium and a real site. One binary, one browser, a session for each test.

mod crash;
mod dialogs;
mod downloads;
mod evaluate;
mod faults;
mod frames;
mod journal;
mod navigation;
mod pictures;
mod sessions;
mod support;
mod tabs;
mod waits;

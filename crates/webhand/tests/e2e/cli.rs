//! The `webhand` binary as its users meet it: typed commands, their answers, and what is left when they end.
//!
//! Every test has a home of its own, and with it a daemon and at most one browser (`support`); the fixture site is shared.

mod clients;
mod concurrency;
mod crash;
mod history;
mod lifecycle;
mod offline;
mod opening;
mod secrets;
mod settings;
mod verbs;

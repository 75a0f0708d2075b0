//! The proxy on real sockets: servers on loopback that count who comes, a client that says what it wants byte by byte.
//! Loopback is forbidden like any other private place, so each test allows what it needs.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that panics has failed, which is the point"
)]

mod blocked;
mod chromium;
mod lifetime;
mod property;
mod requests;
mod support;
mod tunnels;
mod upstreams;

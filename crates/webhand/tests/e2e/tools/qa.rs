//! `qa` through every front: the criteria of its document by their numbers, then its edge cases.

use std::fs;

use crate::tools::{run::run_in, transcripts::qa as said};
use crate::{front::Front, support::Home};

mod with_call {
    crate::tools::transcripts::qa::qa_tests!(crate::tools::run::with_call);
}

mod with_mcp {
    crate::tools::transcripts::qa::qa_tests!(crate::tools::run::with_mcp);
}

mod with_http {
    crate::tools::transcripts::qa::qa_tests!(crate::tools::run::with_http);
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
fn texts_are_neither_in_the_log_nor_in_the_history() {
    let home = Home::new();
    run_in(&home, Front::Call, said::texts_stay_secret);
    let log = fs::read_to_string(home.path().join("run/daemon.log")).unwrap();
    let history = home.history();
    assert!(history.iter().any(|entry| entry["verb"] == "fill"), "{history:?}");
    assert!(!log.contains("horse") && !format!("{history:?}").contains("horse"), "{log} {history:?}");
}

//! `jarvis` through every front: the acceptance boxes of its document by their numbers, then its edge cases.

use serde_json::{Value, json};

use crate::tools::{run::run_in, transcripts::jarvis as said};
use crate::{front::Front, support::Home};

mod with_call {
    crate::tools::transcripts::jarvis::jarvis_tests!(crate::tools::run::with_call);
}

mod with_mcp {
    crate::tools::transcripts::jarvis::jarvis_tests!(crate::tools::run::with_mcp);
}

mod with_http {
    crate::tools::transcripts::jarvis::jarvis_tests!(crate::tools::run::with_http);
}

#[test]
fn ac5_2_close_frees_what_it_held() {
    let home = Home::new();
    run_in(&home, Front::Call, said::closing_twice);
    assert_eq!(home.data(&["status"])["sessions"], 0);
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

/// Nobody can see a window where there is no screen; the error says what to do instead.
#[test]
fn a_window_needs_a_screen() {
    let home = Home::whole();
    let args = ["call", "jarvis.playwright_browser", r#"{"action": "launch", "headless": false}"#];
    let mut command = home.command(&args);
    let output = command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &answer["success"]), (Some(1), &json!(false)), "{answer}");
    let says = answer["stderr"].as_str().unwrap();
    assert!(says.contains("BROWSER_LAUNCH_FAILED") && says.contains("headless=true"), "{says}");
}

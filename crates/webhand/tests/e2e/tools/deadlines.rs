//! How long a call may take: with `--timeout`, and with the tool's own argument. All steps of a call share that time.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::tools::{run::with_call, transcripts::qa as said};
use crate::{
    front::Front,
    support::{Home, site},
};

/// Far more than the limits here, and far less than the 30 seconds that each step has by default.
const IN_TIME: Duration = Duration::from_secs(20);

#[track_caller]
fn in_time<T>(what: &str, call: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let answer = call();
    let time = start.elapsed();
    assert!(time < IN_TIME, "{what} took {time:?}");
    answer
}

/// A page whose script never ends.
fn endless() -> String {
    site().page("endless", "<p>before</p><script>while (true);</script>")
}

/// Criterion 2 of the `qa` document. Without a limit a call waits for half a minute; that is the same for every front, and is tried with one.
#[test]
fn ac2_a_page_that_never_comes_times_out() {
    with_call(said::a_page_that_never_comes_times_out);
}

#[test]
fn the_limit_of_the_command_line_holds_for_every_toolset() {
    let home = Home::new();
    home.data(&["open", &site().page("here", "")]);
    let hang = site().url("/hang?limits");
    for (name, args) in [
        ("qa.navigate", json!({"url": hang})),
        ("browser.browser_navigate", json!({"url": hang})),
        ("stagehand.goto", json!({"url": hang})),
        ("jarvis.playwright_browser", json!({"action": "navigate", "url": hang})),
    ] {
        let args = args.to_string();
        let ran = in_time(name, || home.run(&["--timeout", "2s", "call", name, &args]));
        assert!(ran.exit == Some(1) && ran.stdout.contains("TIMEOUT"), "{name}: {}", ran.stdout);
    }
}

/// A wait that is longer than the call may take can never succeed, and that is said at once.
#[test]
fn a_wait_that_does_not_fit_is_refused() {
    let home = Home::new();
    home.data(&["open", &site().page("here", "")]);
    let ran = home.run(&["--timeout", "2s", "call", "qa.wait", r#"{"seconds": 3}"#]);
    assert!(ran.stdout.contains("INVALID_INPUT") && ran.stdout.contains("2s"), "{}", ran.stdout);
}

/// Going there, waiting for the network and saving the page are three steps.
#[test]
fn the_steps_of_a_call_share_its_time() {
    let home = Home::new();
    let mut tools = Front::Http.open(&home, "jarvis", &[]);
    let mut browser = |args: Value| tools.call("playwright_browser", &args);
    assert!(browser(json!({"action": "launch"})).ok);
    let args = json!({"action": "navigate", "url": endless(), "timeout": 3});
    let answer = in_time("navigate", || browser(args));
    assert!(!answer.ok && answer.text("/stderr").contains("TIMEOUT"), "{}", answer.value);
}

//! Transcripts through the fronts.

use crate::tools::transcript::{Transcript, World};
use crate::{
    front::Front,
    support::{Home, site},
};

#[track_caller]
pub(crate) fn with_call(transcript: impl FnOnce(&World) -> Transcript) {
    run(Front::Call, transcript);
}

#[track_caller]
pub(crate) fn with_mcp(transcript: impl FnOnce(&World) -> Transcript) {
    run(Front::Mcp, transcript);
}

#[track_caller]
pub(crate) fn with_http(transcript: impl FnOnce(&World) -> Transcript) {
    run(Front::Http, transcript);
}

/// Runs a transcript in a home of its own: `call` in the whole Chromium, the other fronts in its headless shell.
#[track_caller]
fn run(front: Front, transcript: impl FnOnce(&World) -> Transcript) {
    let home = Home::new();
    let transcript = transcript(&world(&home));
    let is_whole = transcript.needs_whole_browser || front == Front::Call;
    run_calls(&if is_whole { home.with_whole_browser() } else { home }, front, transcript);
}

/// Runs a transcript in a home that the test goes on with.
#[track_caller]
pub(crate) fn run_in(home: &Home, front: Front, transcript: impl FnOnce(&World) -> Transcript) {
    run_calls(home, front, transcript(&world(home)));
}

fn world(home: &Home) -> World {
    World { site: site(), files: home.path().join("files") }
}

#[track_caller]
fn run_calls(home: &Home, front: Front, transcript: Transcript) {
    let Transcript { toolset, settings, lines, .. } = transcript;
    let files = world(home).files;
    let mut flags = vec![format!("--files={}", files.display())];
    flags.extend(settings.iter().map(|(name, value)| format!("--{name}={value}")));
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let mut tools = front.open(home, toolset, &flags);
    for line in lines {
        (line.check)(&tools.call(line.tool, &line.args));
    }
}

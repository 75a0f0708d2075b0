//! Transcripts through the fronts.

use crate::tools::transcript::{Transcript, World};
use crate::{
    front::Front,
    support::{Home, site},
};

#[track_caller]
pub(crate) fn with_call(transcript: impl FnOnce(&World) -> Transcript) {
    run_in(&Home::new(), Front::Call, transcript);
}

#[track_caller]
pub(crate) fn with_mcp(transcript: impl FnOnce(&World) -> Transcript) {
    run_in(&Home::new(), Front::Mcp, transcript);
}

#[track_caller]
pub(crate) fn with_http(transcript: impl FnOnce(&World) -> Transcript) {
    run_in(&Home::new(), Front::Http, transcript);
}

/// Runs a transcript in a home that the test goes on with.
#[track_caller]
pub(crate) fn run_in(home: &Home, front: Front, transcript: impl FnOnce(&World) -> Transcript) {
    let files = home.path().join("files");
    let Transcript { toolset, settings, lines } = transcript(&World { site: site(), files: files.clone() });
    let mut flags = vec![format!("--files={}", files.display())];
    flags.extend(settings.iter().map(|(name, value)| format!("--{name}={value}")));
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let mut tools = front.open(home, toolset, &flags);
    for line in lines {
        (line.check)(&tools.call(line.tool, &line.args));
    }
}

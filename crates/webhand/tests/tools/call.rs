//! Transcripts through `webhand call`.

use serde_json::Value;

use crate::{
    support::{Home, Ran, site},
    transcript::{Answer, Transcript, World},
};

/// Runs a transcript in a home of its own.
#[track_caller]
pub(crate) fn run(transcript: impl FnOnce(&World) -> Transcript) {
    run_in(&Home::new(), transcript);
}

/// Runs a transcript in a home that the test goes on with.
#[track_caller]
pub(crate) fn run_in(home: &Home, transcript: impl FnOnce(&World) -> Transcript) {
    let files = home.path().join("files");
    let Transcript { toolset, settings, lines } = transcript(&World { site: site(), files: files.clone() });
    let mut flags = vec![format!("--files={}", files.display())];
    flags.extend(settings.iter().map(|(name, value)| format!("--{name}={value}")));
    for line in lines {
        let (name, args) = (format!("{toolset}.{}", line.tool), line.args.to_string());
        let words: Vec<&str> = flags.iter().map(String::as_str).chain(["call", &name, &args]).collect();
        (line.check)(&said(home.run(&words), &line.args));
    }
}

/// The one line of JSON that a call prints, and its exit status. Nothing else is said.
#[track_caller]
fn said(ran: Ran, args: &Value) -> Answer {
    let Ran { exit, stdout, stderr, .. } = ran;
    assert!(stdout.lines().count() == 1 && !stderr.contains("error"), "{args}: {stdout}{stderr}");
    let value = serde_json::from_str(&stdout).unwrap();
    assert!(matches!(exit, Some(0 | 1)), "{args}: {exit:?} {stdout}");
    Answer { ok: exit == Some(0), value }
}

//! What a transcript is: calls of one toolset's tools, one after the other, and what each has to answer.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use testkit::Site;

pub(crate) use crate::front::Answer;

/// How long elements are waited for in transcripts where some are missing.
pub(crate) const SOON: &str = "1500ms";

/// What transcripts are about: the fixture site, and a folder for files.
pub(crate) struct World {
    pub(crate) site: &'static Site,
    pub(crate) files: PathBuf,
}

/// Calls of the tools of one toolset, by one caller.
pub(crate) struct Transcript {
    pub(crate) toolset: &'static str,
    /// Settings by name, as flags have them without their dashes.
    pub(crate) settings: Vec<(&'static str, String)>,
    pub(crate) lines: Vec<Line>,
    /// It needs what only the whole Chromium has, through whichever front.
    pub(crate) needs_whole_browser: bool,
}

/// A call and what has to come of it.
pub(crate) struct Line {
    pub(crate) tool: &'static str,
    pub(crate) args: Value,
    pub(crate) check: Box<dyn Fn(&Answer)>,
}

impl Transcript {
    pub(crate) fn of(toolset: &'static str) -> Transcript {
        Transcript { toolset, settings: Vec::new(), lines: Vec::new(), needs_whole_browser: false }
    }

    /// The same, in the whole Chromium through every front.
    pub(crate) fn in_whole_browser(self) -> Transcript {
        Transcript { needs_whole_browser: true, ..self }
    }

    pub(crate) fn with(mut self, setting: &'static str, value: impl Into<String>) -> Transcript {
        self.settings.retain(|(name, _)| *name != setting);
        self.settings.push((setting, value.into()));
        self
    }

    /// The next call.
    pub(crate) fn call(
        mut self,
        tool: &'static str,
        args: Value,
        check: impl Fn(&Answer) + 'static,
    ) -> Transcript {
        self.lines.push(Line { tool, args, check: Box::new(check) });
        self
    }
}

impl Answer {
    /// A text of the answer, by its JSON pointer.
    #[track_caller]
    pub(crate) fn text(&self, pointer: &str) -> &str {
        let text = self.value.pointer(pointer).and_then(Value::as_str);
        text.unwrap_or_else(|| panic!("no text at {pointer} in {}", self.value))
    }

    /// It must hold all of these, wherever.
    #[track_caller]
    pub(crate) fn holds(&self, pointer: &str, parts: &[&str]) {
        let text = self.text(pointer);
        for part in parts {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
    }
}

/// What is in a file that an answer names.
#[track_caller]
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A folder's files by name.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Tests that take transcripts through a front.
macro_rules! tests {
    ($run:path, $transcripts:path, $($name:ident = $transcript:ident,)*) => {
        $(#[test]
        fn $name() {
            use $transcripts as transcripts;
            $run(transcripts::$transcript);
        })*
    };
}
pub(crate) use tests;

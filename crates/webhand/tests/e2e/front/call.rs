//! `webhand call`.

use serde_json::Value;

use super::{Answer, Tools};
use crate::support::{Home, Ran};

pub(crate) struct Call<'a> {
    pub(super) home: &'a Home,
    pub(super) toolset: &'static str,
    pub(super) flags: &'a [&'a str],
}

impl Tools for Call<'_> {
    /// The one line of JSON that is printed, and the exit status. Nothing else is said.
    #[track_caller]
    fn call(&mut self, tool: &str, args: &Value) -> Answer {
        let (name, args) = (format!("{}.{tool}", self.toolset), args.to_string());
        let words = [self.flags, &["call", &name, &args]].concat();
        // A time limit is also how long elements are waited for, and many of them are not there.
        let output = self.home.command(&words).env_remove("WEBHAND_TIMEOUT").output().unwrap();
        let Ran { exit, stdout, stderr, .. } = Ran::new(&words, &output);
        assert!(stdout.lines().count() == 1 && !stderr.contains("error"), "{args}: {stdout}{stderr}");
        assert!(matches!(exit, Some(0 | 1)), "{args}: {exit:?} {stdout}");
        Answer { ok: exit == Some(0), value: serde_json::from_str(&stdout).unwrap() }
    }
}

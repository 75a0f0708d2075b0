//! `webhand serve`.

use std::thread;

use serde_json::Value;

use super::{Answer, Tools};
use crate::server::Server;
use crate::support::Home;

pub(crate) struct Http {
    server: Server,
    toolset: &'static str,
}

impl Http {
    pub(super) fn start(home: &Home, toolset: &'static str, flags: &[&str]) -> Http {
        Http { server: Server::of(home, toolset, flags), toolset }
    }
}

impl Tools for Http {
    /// The body, whose own word says whether it went well. The status must not contradict it.
    #[track_caller]
    fn call(&mut self, tool: &str, args: &Value) -> Answer {
        let path = format!("/v1/tools/{}/{tool}", self.toolset);
        let json = [("content-type", "application/json")];
        let answer = self.server.ask("POST", &path, args.to_string().as_bytes(), &json);
        let value = answer.json();
        let ok = value["ok"].as_bool().or(value["success"].as_bool());
        let ok = ok.unwrap_or_else(|| panic!("nothing says whether it went well: {value}"));
        assert!(matches!((answer.status, ok), (200, _) | (400 | 404, false)), "{}: {value}", answer.status);
        Answer { ok, value }
    }
}

impl Drop for Http {
    /// Told to end and not killed: it takes its browser along before the home goes.
    fn drop(&mut self) {
        // A test that has failed is not to fail a second time here.
        if !thread::panicking() {
            self.server.terminate();
            self.server.until_ended();
        }
    }
}

//! The fronts that attempts come by, and what they answer.

use std::{cell::RefCell, path::PathBuf};

use serde_json::{Value, json};

use crate::{
    fronts::{clients::Client, talk::Mcp},
    server::Server,
    support::Home,
};

/// What a front answers to a call.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub text: String,
    pub ok: bool,
}

impl Said {
    /// Whether it is an error, and its code is one of those by which rules and people refuse something.
    pub(super) fn is_refused(&self) -> bool {
        !self.ok && REFUSED.iter().any(|code| self.text.contains(code))
    }
}

const REFUSED: [&str; 3] = ["ACTION_DENIED", "APPROVAL_PENDING", "APPROVAL_EXPIRED"];

/// A front, with whatever runs for it.
pub(super) enum Way<'a> {
    /// `POST /v1/tools`.
    Http(&'a Server),
    /// `/mcp` of the same server.
    Streamable(&'a Server, RefCell<Client>),
    /// `webhand mcp`.
    Stdio(RefCell<Mcp>),
    /// A command for each call.
    Cli,
}

impl Way<'_> {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Way::Http(_) => "HTTP",
            Way::Streamable(..) => "MCP over HTTP",
            Way::Stdio(_) => "MCP",
            Way::Cli => "the command line",
        }
    }

    /// The session that calls are made in.
    pub(super) fn session(&self) -> &'static str {
        match self {
            Way::Streamable(..) => "mcp-1",
            // The person's commands are done by the server as well.
            Way::Cli => "person",
            _ => "default",
        }
    }

    /// Calls a tool, or performs a verb in a batch of its own.
    pub(super) fn call(&self, home: &Home, set: &str, tool: &str, args: &Value) -> Said {
        let steps = json!({"actions": [args]});
        let (set, tool, args) =
            if set == "verbs" { ("browser", "browser_batch", &steps) } else { (set, tool, args) };
        match self {
            Way::Http(server) => {
                let answer =
                    server.ask("POST", &format!("/v1/tools/{set}/{tool}"), args.to_string().as_bytes(), &[]);
                let value = answer.json();
                let ok = value["ok"].as_bool().or(value["success"].as_bool()).unwrap_or(answer.status == 200);
                Said { text: answer.body, ok }
            }
            Way::Streamable(server, client) => {
                let params = json!({"name": tool, "arguments": args});
                mcp(&client.borrow_mut().ask(server, "tools/call", &params))
            }
            Way::Stdio(client) => {
                let params = json!({"name": tool, "arguments": args});
                mcp(&client.borrow_mut().ask("tools/call", &params))
            }
            Way::Cli => {
                let step = args["actions"][0].to_string();
                let command = match (set, tool, args) {
                    ("browser", "browser_navigate", args) => {
                        vec!["goto", args["url"].as_str().unwrap_or_default()]
                    }
                    ("browser", "browser_navigate_back", _) => vec!["back"],
                    ("browser", "browser_click", args) => {
                        vec!["click", args["target"].as_str().unwrap_or_default()]
                    }
                    ("browser", "browser_snapshot", _) => vec!["snapshot"],
                    ("browser", "browser_close", _) => vec!["close"],
                    _ => vec!["batch", &step],
                };
                let shell = testkit::shell();
                let browser = shell.to_str().expect("a path in UTF-8");
                let ran = home.run(
                    &[&command[..], &["--session", self.session(), "--browser", browser, "--json"]].concat(),
                );
                Said { ok: ran.exit == Some(0), text: ran.stdout }
            }
        }
    }

    /// A folder whose files may be used in the session of a toolset.
    pub(super) fn folder(&self, home: &Home, set: &str) -> PathBuf {
        let session = match (set, self) {
            ("openclaw", Way::Streamable(..)) => "mcp-1.openclaw",
            ("openclaw", _) => "openclaw",
            _ => self.session(),
        };
        home.path().join("downloads").join(session)
    }
}

fn mcp(answer: &Value) -> Said {
    let result = &answer["result"];
    Said { text: answer.to_string(), ok: result.is_object() && result["isError"] != true }
}

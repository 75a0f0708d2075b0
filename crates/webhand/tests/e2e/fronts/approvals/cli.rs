//! The command line: who asks waits in one terminal, who answers sits at another.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};

use super::{
    ASK, BUTTON, allow_at_terminal, form, hits, id,
    matrix::{Ending, Front, OK, try_all},
    waiting,
};
use crate::{
    process::Process,
    support::{Client, Home, code, site},
};

struct CommandLine<'a> {
    home: &'a Home,
    asking: Option<Client>,
}

impl Front for CommandLine<'_> {
    fn start(&mut self) {}

    fn go(&mut self, page: &Value) {
        self.home.data(&["goto", page["url"].as_str().unwrap()]);
    }

    fn click(&mut self) {
        self.asking = Some(self.home.start(&["click", BUTTON]));
    }

    fn told(&mut self) -> String {
        let answer = self.asking.take().unwrap().answer();
        if answer["ok"] == true { OK.into() } else { code(&answer) }
    }

    fn answer(&mut self, approval: &Value, said: &str) {
        match said {
            "deny" => drop(self.home.data(&["approvals", "deny", &id(approval)])),
            _ => drop(allow_at_terminal(self.home, &id(approval), said)),
        }
    }

    fn halt(&mut self, session: &str) -> Value {
        self.home.data(&["halt", "--session", session])["value"]["halted"].clone()
    }

    fn leave(&mut self) {
        self.asking.take().unwrap().kill();
    }

    fn end(&mut self, how: Ending) {
        match how {
            Ending::Told => self.home.stop(&["stop"]),
            Ending::Killed => {
                let daemon: Process = self.home.daemon();
                daemon.kill();
                daemon.until_gone();
            }
        }
    }
}

#[test]
fn whatever_happens_while_a_command_waits() {
    let home = Home::new();
    try_all(
        &home,
        &mut CommandLine { home: &home, asking: None },
        "cli",
        "terminal",
        ["CANCELLED", "INTERNAL"],
    );
    assert_eq!(home.code(&["halt", "--session", "none"]), "SESSION_NOT_FOUND");
}

#[test]
fn on_the_command_line_another_terminal_answers() {
    let home = Home::new();
    home.configure(ASK);
    home.data(&["open", form("cli")["url"].as_str().unwrap()]);

    let asking = home.start(&["click", BUTTON, "--timeout", "2s"]);
    let approval = waiting(&home);
    assert_eq!(
        (&approval["effect"], &approval["front"], &approval["verb"]),
        (&json!("submit"), &json!("cli"), &json!("click"))
    );
    assert!(
        approval["what"].as_str().unwrap().contains("clicks button \"Send it\", which sends a form to"),
        "{approval}"
    );
    assert!(approval["url"].as_str().unwrap().ends_with("/echo?…"), "{approval}");
    let picture = approval["screenshot"].as_str().unwrap().to_owned();
    assert!(fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    // Who asks cannot answer: a program without a terminal, as an agent's is, is refused.
    assert_eq!(home.code(&["approvals", "allow", &id(&approval)]), "ACTION_DENIED");
    assert_eq!(hits("cli"), 0);
    home.data(&["approvals", "deny", &id(&approval)]);
    assert_eq!(code(&asking.answer()), "APPROVAL_DENIED");
    assert!(!fs::exists(&picture).unwrap(), "the picture goes with the question");
    assert_eq!((hits("cli"), home.data(&["approvals"])["approvals"].as_array().unwrap().len()), (0, 0));

    let asking = home.start(&["press", "Enter", "--target", "css=input"]);
    let approval = waiting(&home);
    let seen = allow_at_terminal(&home, &id(&approval), "once");
    assert!(seen.contains("presses Enter in textbox \"Word\", which sends a form"), "{seen}");
    assert_eq!(asking.answer()["ok"], true);
    assert_eq!(hits("cli"), 1);

    let rows = home.history();
    let kept: Vec<_> =
        rows.iter().filter(|row| row["verb"] == "approval").map(|row| &row["outcome"]).collect();
    assert_eq!(
        kept,
        [&json!({"reply": "deny", "by": "terminal"}), &json!({"reply": "once", "by": "terminal"})]
    );
    assert!(
        !rows.iter().any(|row| row.to_string().contains("Send it")),
        "no word of the page is in the journal"
    );
}

#[test]
fn what_is_allowed_for_longer_is_not_asked_again() {
    let home = Home::new();
    home.configure(ASK);
    let page = form("longer");
    let send = |session: &str| {
        home.data(&["goto", page["url"].as_str().unwrap(), "--session", session]);
        home.start(&["fill", "css=input", "x", "--submit", "--session", session])
    };
    let first = send("one");
    allow_at_terminal(&home, &id(&waiting(&home)), "session");
    assert_eq!(first.answer()["ok"], true);
    assert_eq!((send("one").answer()["ok"].clone(), hits("longer")), (json!(true), 2));
    let other = send("two");
    allow_at_terminal(&home, &id(&waiting(&home)), "always");
    assert_eq!(other.answer()["ok"], true);
    let kept = home.path().join("always-allowed.json");
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    home.stop(&["stop"]);
    assert_eq!((send("three").answer()["ok"].clone(), hits("longer")), (json!(true), 4));
    let origin = site().url("");
    assert_eq!(home.data(&["approvals", "forget", &origin])["forgotten"], 1);
    let again = send("three");
    home.data(&["approvals", "deny", &id(&waiting(&home))]);
    assert_eq!((code(&again.answer()).as_str(), hits("longer")), ("APPROVAL_DENIED", 4));
}

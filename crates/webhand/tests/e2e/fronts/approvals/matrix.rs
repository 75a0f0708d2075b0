//! Everything that can happen while something waits for an approval, the same for every front.

use std::fs;

use serde_json::{Value, json};

use super::{ASK, form, hits, waiting};
use crate::{process::eventually, support::Home};

/// What a call is told that works.
pub(super) const OK: &str = "OK";

/// What a call is told whose server has ended without an answer.
pub(super) const GONE: &str = "";

/// How the process ends in which something waits.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ending {
    /// It is told to, and has time for it.
    Told,
    /// It has none.
    Killed,
}

/// A way in: who calls there, and who answers.
pub(super) trait Front {
    /// Starts anew what has ended.
    fn start(&mut self);
    fn go(&mut self, page: &Value);
    /// Clicks what is asked about, and does not wait.
    fn click(&mut self);
    /// What came of the click: [`OK`], a code, or [`GONE`].
    fn told(&mut self) -> String;
    /// Somebody answers, in the way that this front has for it.
    fn answer(&mut self, approval: &Value, said: &str);
    /// Ends what runs in a session. Returns how much that was.
    fn halt(&mut self, session: &str) -> Value;
    /// Who clicked goes away without a word to anybody; another one comes.
    fn leave(&mut self);
    fn end(&mut self, how: Ending);
}

/// What happens, and what the journal has to say of the question afterwards.
struct Case<'a> {
    name: &'a str,
    /// What the click is told; none if nobody is there to hear it.
    told: Option<&'a str>,
    kept: Value,
    hits: usize,
}

/// Tries all of it. `by` is who answers at this front; `ended` is what a call is told whose process ends, and whose process is killed.
pub(super) fn try_all(home: &Home, front: &mut dyn Front, name: &str, by: &str, ended: [&str; 2]) {
    let code = |code: &str| json!({"ok": false, "code": code});
    let answered = |said: &str| json!({"ok": true, "outcome": {"reply": said, "by": by}});
    home.configure(&format!("approval_timeout = '1s'\n{ASK}"));
    let case =
        Case { name: "expire", told: Some("APPROVAL_EXPIRED"), kept: code("APPROVAL_EXPIRED"), hits: 0 };
    // It may be over before anybody has seen it.
    case.check(home, front, name, false, |_, _| {});
    front.end(Ending::Told);
    home.configure(ASK);
    front.start();

    let case = Case { name: "deny", told: Some("APPROVAL_DENIED"), kept: answered("deny"), hits: 0 };
    case.check(home, front, name, true, |front, approval| front.answer(approval, "deny"));
    let case = Case { name: "allow", told: Some(OK), kept: answered("once"), hits: 1 };
    case.check(home, front, name, true, |front, approval| front.answer(approval, "once"));
    let case = Case { name: "halt", told: Some("CANCELLED"), kept: code("CANCELLED"), hits: 0 };
    case.check(home, front, name, true, |front, approval| {
        assert_eq!(front.halt(approval["session"].as_str().unwrap()), 1);
    });
    let case = Case { name: "leave", told: None, kept: code("CANCELLED"), hits: 0 };
    case.check(home, front, name, true, |front, _| front.leave());
    let [told, killed] = ended;
    let case = Case { name: "end", told: Some(told), kept: code("CANCELLED"), hits: 0 };
    case.check(home, front, name, true, |front, _| front.end(Ending::Told));
    front.start();
    // Nobody was there to write how it ended.
    let case = Case { name: "kill", told: Some(killed), kept: json!({}), hits: 0 };
    case.check(home, front, name, true, |front, _| front.end(Ending::Killed));
    front.start();
    // What waited has not come back with the process, and what was allowed once is asked about again.
    let case = Case { name: "again", told: Some("APPROVAL_DENIED"), kept: answered("deny"), hits: 0 };
    case.check(home, front, name, true, |front, approval| front.answer(approval, "deny"));
}

impl Case<'_> {
    #[track_caller]
    fn check(
        self,
        home: &Home,
        front: &mut dyn Front,
        front_name: &str,
        lasts: bool,
        happens: impl FnOnce(&mut dyn Front, &Value),
    ) {
        let Case { name, told, kept, hits: expected } = self;
        let path = format!("{front_name}-{name}");
        front.go(&form(&path));
        front.click();
        let approval = if lasts { waiting(home) } else { Value::Null };
        if lasts {
            assert_eq!(
                (hits(&path), home.data(&["approvals"])["approvals"].as_array().unwrap().len()),
                (0, 1)
            );
            // Who is killed at once may not have got to writing it.
            eventually(&format!("{path}: the journal has the question"), || {
                home.history().iter().any(|row| row["action"]["id"] == approval["id"])
            });
        }
        happens(front, &approval);
        if let Some(told) = told {
            assert_eq!(front.told(), told, "{path}");
        }
        eventually(&format!("{path}: nothing waits"), || home.data(&["approvals"])["approvals"] == json!([]));
        assert_eq!(hits(&path), expected, "{path}");
        let mut rows = Vec::new();
        let as_kept = |row: &Value| {
            let fields = ["ok", "code", "outcome"].into_iter().filter(|field| !row[*field].is_null());
            Value::Object(fields.map(|field| (field.to_owned(), row[field].clone())).collect())
        };
        eventually(&format!("{path}: the journal has {kept}"), || {
            rows = home.history();
            let question = rows.iter().rfind(|row| row["verb"] == "approval");
            question
                .is_some_and(|row| (!lasts || row["action"]["id"] == approval["id"]) && as_kept(row) == kept)
        });
        let click = rows.iter().rfind(|row| row["verb"] == "click").unwrap();
        let code = told.filter(|told| told.len() > 1 && *told != OK && *told != "INTERNAL");
        if let Some(code) = code {
            assert_eq!(click["code"], code, "{path}: {click}");
        }
        if let Some(picture) = approval["screenshot"].as_str().filter(|_| name != "kill") {
            assert!(!fs::exists(picture).unwrap(), "{path}: the picture goes with the question");
        }
    }
}

//! How this dialect answers: `{ok: true, …}` or `{ok: false, error}`. A model reads the same, with what comes from the page between marks.

use contract::{Code, Error, Outcome, ToolError};
use serde_json::{Map, Value, json};

use crate::{Reply, lines};

/// How a dialog is answered here.
const ANSWER: &str = "answer it with action dialog, accept true or false";

/// A success. The last part is a text of the page's, by the name that it has in the answer.
pub(super) fn ok(fields: Value, page: Option<(&str, String)>, mark: &str) -> Reply {
    let mut all = Map::from_iter([("ok".to_owned(), Value::Bool(true))]);
    if let Value::Object(fields) = fields {
        all.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
    }
    let text = page.as_ref().map(|(name, text)| {
        // Refs are in the text already.
        let short: Map<_, _> =
            all.iter().filter(|(name, _)| *name != "refs").map(|(n, v)| (n.clone(), v.clone())).collect();
        format!("{}\n{name}:\n{}", Value::Object(short), lines::from_page(text, mark))
    });
    if let Some((name, text)) = page {
        all.insert(name.to_owned(), text.into());
    }
    Reply { text, ..Reply::data(true, Value::Object(all)) }
}

/// What came of an act.
pub(super) fn acted(outcome: &Outcome, mark: &str) -> Reply {
    let shown = lines::changes_or_page(outcome).map(|(name, text)| (name, text.to_owned()));
    ok(told(outcome), shown, mark)
}

/// Where something was done, and what happened besides.
pub(super) fn told(outcome: &Outcome) -> Value {
    let opened: Vec<Value> = outcome.opened.iter().map(super::tabs::told).collect();
    let notes =
        lines::happened(&Outcome { opened: Vec::new(), downloads: Vec::new(), ..outcome.clone() }, ANSWER);
    json!({
        "targetId": outcome.tab,
        "url": outcome.url,
        "title": outcome.title,
        "status": outcome.status.filter(|status| !(200..300).contains(status)),
        "result": outcome.value,
        "opened": some(opened),
        "downloads": some(outcome.downloads.iter().map(|file| json!(file)).collect()),
        "notes": some(notes.into_iter().map(Value::String).collect()),
    })
}

/// A list, or nothing if there is nothing in it.
pub(super) fn some(list: Vec<Value>) -> Value {
    if list.is_empty() { Value::Null } else { Value::Array(list) }
}

/// Why something was not done.
pub(super) fn failed(error: Error) -> Reply {
    let mut all = json!({"ok": false});
    if let Some(Outcome { candidates, .. }) =
        error.outcome.as_deref().filter(|outcome| !outcome.candidates.is_empty())
    {
        all["candidates"] = candidates.iter().map(lines::candidate).collect();
    }
    all["error"] = json!(why(error));
    Reply::data(false, all)
}

/// The same as a part of an answer.
pub(super) fn why(error: Error) -> ToolError {
    let hint = match error.code {
        Code::StaleRef | Code::ElementNotFound => {
            "take a new snapshot with action snapshot, and use a ref from it"
        }
        Code::DialogOpen => ANSWER,
        Code::TabNotFound => "list the tabs with action tabs, and use their suggestedTargetId",
        Code::BrowserNotRunning => {
            "start the browser with --remote-debugging-port=9222, or use the profile openclaw"
        }
        _ => return ToolError::from(error),
    };
    ToolError::from(error.with_hint(hint))
}

#[cfg(test)]
mod tests {
    use contract::{Delta, Snapshot};

    use super::*;

    #[test]
    fn a_new_page_is_no_list_of_changes() {
        let snapshot = Some(Snapshot { text: "- main".into(), ..Snapshot::default() });
        let led = acted(&Outcome { snapshot, ..Outcome::default() }, "m");
        assert_eq!((led.value["snapshot"].as_str(), led.value.get("changes")), (Some("- main"), None));
        assert!(led.text().contains("\nsnapshot:\n"), "{}", led.text());
        let delta = Some(Delta { text: "- main".into(), ..Delta::default() });
        let changed = acted(&Outcome { delta, ..Outcome::default() }, "m");
        assert_eq!(
            (changed.value["changes"].as_str(), changed.value.get("snapshot")),
            (Some("- main"), None)
        );
        assert!(changed.text().contains("\nchanges:\n"), "{}", changed.text());
    }
}

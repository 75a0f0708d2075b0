//! How `browser` answers: `ToolResult`s, with data that has one name for one thing in every action.

use contract::{Error, Outcome, ToolResult};
use engine::SessionOptions;
use guard::Domains;
use serde_json::{Map, Value, json};

use crate::{Reply, lines};

/// What was done: where the page is, what changed, what happened besides, and what the action has to say itself.
pub(super) fn done(outcome: &Outcome, own: Value) -> Reply {
    let shown = lines::changes_or_page(outcome);
    let page = json!({
        "url": outcome.url,
        "title": outcome.title,
        "status": outcome.status,
        "target": outcome.target,
    });
    let shown = shown.map_or(Value::Null, |(name, text)| json!({name: text}));
    let besides = Outcome { typed: None, ..outcome.clone() };
    let notes = lines::happened(&besides, "it could not be answered");
    let notes = if notes.is_empty() { Value::Null } else { json!({"notes": notes}) };
    let data: Map<String, Value> = [shown, own, page, notes].into_iter().flat_map(entries).collect();
    Reply::of(ToolResult::success(data))
}

/// The page as a tree. Models get its text between marks, so that it cannot pass for ours.
pub(super) fn snapshot(outcome: &Outcome, mark: &str) -> Reply {
    let told = outcome.snapshot.clone().unwrap_or_default();
    let own = json!({"snapshot": told.text, "refs": told.refs, "cut": told.cut});
    // The tree is said once.
    let reply = done(&Outcome { snapshot: None, delta: None, ..outcome.clone() }, own);
    let (title, url) =
        (outcome.title.as_deref().unwrap_or_default(), outcome.url.as_deref().unwrap_or_default());
    let text = format!("{title:?} {url}\n{}", lines::from_page(&told.text, mark));
    Reply { text: Some(text), ..reply }
}

/// The files that came.
pub(super) fn downloaded(outcome: &Outcome) -> Reply {
    done(&Outcome { downloads: Vec::new(), ..outcome.clone() }, json!({"downloads": outcome.downloads}))
}

/// How the browser is now.
pub(super) fn started(
    outcome: &Outcome,
    options: &SessionOptions,
    set: Option<&Domains>,
    status: &str,
) -> Reply {
    let domains = match (set, options.domains()) {
        (Some(set), Some(domains)) => Some(set.and(&domains)),
        (set, domains) => domains.or_else(|| set.cloned()),
    };
    let own = json!({
        "browser": status,
        "headless": options.headed != Some(true),
        "profile": options.profile,
        "allowedDomains": domains,
    });
    let mut reply = done(outcome, own);
    if domains.as_ref().is_some_and(|domains: &Domains| domains.0.is_empty()) {
        let names = set.map(|set| set.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
        let allowed = names
            .filter(|names| !names.is_empty())
            .map_or_else(|| "no domain is allowed".into(), |names| format!("allowed are {names}"));
        let note = format!(
            "none of the domains that were asked for may be gone to, and that lasts for this session: the person who runs webhand sets allowed_domains in config.toml; {allowed}"
        );
        let notes = reply.value["data"]["notes"].take();
        let mut notes = notes.as_array().cloned().unwrap_or_default();
        notes.push(note.into());
        reply.value["data"]["notes"] = notes.into();
    }
    reply
}

pub(super) fn status(status: &str) -> Reply {
    Reply::of(ToolResult::success(json!({"browser": status})))
}

/// Why it was not done.
pub(super) fn failed(error: Error) -> Reply {
    Reply::of(ToolResult::from(error))
}

/// The same, with data.
pub(super) fn failed_with(error: Error, data: Value) -> Reply {
    Reply::of(ToolResult { data: Some(data), ..ToolResult::from(error) })
}

/// The entries of an object that are something.
fn entries(value: Value) -> impl Iterator<Item = (String, Value)> {
    let entries = match value {
        Value::Object(entries) => entries,
        _ => Map::new(),
    };
    entries.into_iter().filter(|(_, value)| !value.is_null())
}

#[cfg(test)]
mod tests {
    use contract::{Delta, Snapshot};

    use super::*;

    #[test]
    fn a_start_that_narrows_to_nothing_says_so() {
        let read = |name: &str| Domains::read(&[name.to_owned()]).unwrap();
        let options =
            SessionOptions { narrowed_domains: Some(read("evil.com")), ..SessionOptions::default() };
        let set = read("good.com");
        let value = started(&Outcome::default(), &options, Some(&set), "started").value;
        let note = value["data"]["notes"][0].as_str().unwrap_or_default();
        for part in ["none of the domains", "lasts for this session", "good.com", "allowed_domains"] {
            assert!(note.contains(part), "no {part}: {value}");
        }
        let fine = SessionOptions { narrowed_domains: Some(read("good.com")), ..SessionOptions::default() };
        assert!(started(&Outcome::default(), &fine, Some(&set), "started").value["data"]["notes"].is_null());
    }

    #[test]
    fn a_new_page_is_no_list_of_changes() {
        let snapshot = Some(Snapshot { text: "- main".into(), ..Snapshot::default() });
        let led = done(&Outcome { snapshot, ..Outcome::default() }, Value::Null).value;
        assert_eq!((led["data"]["snapshot"].as_str(), led["data"].get("changes")), (Some("- main"), None));
        let delta = Some(Delta { text: "- main".into(), ..Delta::default() });
        let changed = done(&Outcome { delta, ..Outcome::default() }, Value::Null).value;
        assert_eq!(
            (changed["data"]["changes"].as_str(), changed["data"].get("snapshot")),
            (Some("- main"), None)
        );
    }
}

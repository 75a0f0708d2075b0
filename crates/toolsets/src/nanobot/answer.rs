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

/// Who allows which domains.
pub(super) struct Allowed {
    /// The domains that are set for this toolset; none: all.
    pub(super) set: Option<Domains>,
    /// The domains that this start asks for; none: it asks for no fewer.
    pub(super) asked: Option<Domains>,
}

impl Allowed {
    /// The domains that a session may go to; none: all.
    pub(super) fn of(&self, options: &SessionOptions) -> Option<Domains> {
        match (&self.set, options.domains()) {
            (Some(set), Some(domains)) => Some(set.and(&domains)),
            (set, domains) => domains.or_else(|| set.clone()),
        }
    }

    /// Why a session may go nowhere, and what helps.
    pub(super) fn why_none(&self, options: &SessionOptions) -> String {
        let names =
            |domains: &Domains| domains.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let set = self.set.as_ref().map(names).filter(|names| !names.is_empty());
        let narrowed = options.narrowed_domains.as_ref().map(names).filter(|names| !names.is_empty());
        let lasts =
            "that lasts for this session: the person who runs webhand sets allowed_domains in config.toml";
        match (&self.set, set, &self.asked, narrowed) {
            (Some(_), None, ..) => {
                "no domain is allowed: the person who runs webhand sets allowed_domains in config.toml".into()
            }
            (_, set, Some(_), _) => {
                let allowed =
                    set.map_or_else(|| "all are allowed".into(), |names| format!("allowed are {names}"));
                format!("none of the domains that were asked for may be gone to, and {lasts}; {allowed}")
            }
            (_, set, None, narrowed) => {
                let allowed = set.unwrap_or_else(|| "all".into());
                let narrowed = narrowed.unwrap_or_else(|| "none".into());
                format!(
                    "an earlier start narrowed this session to {narrowed}, of which none is among the allowed ones ({allowed}), and that lasts for this session"
                )
            }
        }
    }
}

/// How the browser is now.
pub(super) fn started(outcome: &Outcome, options: &SessionOptions, allowed: &Allowed, status: &str) -> Reply {
    let domains = allowed.of(options);
    let own = json!({
        "browser": status,
        "headless": options.headed != Some(true),
        "profile": options.profile,
        "allowedDomains": domains,
    });
    let mut reply = done(outcome, own);
    if domains.as_ref().is_some_and(|domains: &Domains| domains.0.is_empty()) {
        let note = allowed.why_none(options);
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
        let allowed = |set: Option<Domains>, asked: Option<&str>| Allowed { set, asked: asked.map(read) };
        let good = || Some(read("good.com"));
        let value =
            started(&Outcome::default(), &options, &allowed(good(), Some("evil.com")), "started").value;
        let note = value["data"]["notes"][0].as_str().unwrap_or_default();
        for part in ["none of the domains", "lasts for this session", "good.com", "allowed_domains"] {
            assert!(note.contains(part), "no {part}: {value}");
        }
        let fine = SessionOptions { narrowed_domains: Some(read("good.com")), ..SessionOptions::default() };
        assert!(
            started(&Outcome::default(), &fine, &allowed(good(), None), "started").value["data"]["notes"]
                .is_null()
        );
        // Nobody asked for anything: it is the setting, or an earlier start.
        let nothing_set = allowed(Some(Domains::default()), None).why_none(&SessionOptions::default());
        assert!(nothing_set.starts_with("no domain is allowed"), "{nothing_set}");
        let earlier = allowed(good(), None).why_none(&options);
        assert!(earlier.contains("an earlier start narrowed this session to evil.com"), "{earlier}");
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

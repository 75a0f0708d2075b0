//! How this dialect answers: a text of short sections for models, and the `ToolResult` beside it for programs.

use contract::{Error, Outcome, Step as Part, TabInfo, ToolResult};
use serde_json::{Map, Value};

use super::merge::merged;
use crate::{Reply, lines, wording};

/// How a dialog is answered here.
const ANSWER: &str = "answer it with browser_handle_dialog";

/// What came of an action, after what there is to say first.
pub(super) fn done(outcome: Outcome, result: Vec<String>, mark: &str) -> Reply {
    done_with_tabs(outcome, result, None, mark)
}

/// The same, with the tabs that there are, if new ones came: this dialect knows tabs by their place in the list.
pub(super) fn done_with_tabs(
    outcome: Outcome,
    result: Vec<String>,
    tabs: Option<&[TabInfo]>,
    mark: &str,
) -> Reply {
    let picture = outcome.screenshot.clone();
    let happened = match tabs {
        Some(tabs) => {
            let opened = outcome.opened.iter().map(|tab| opened(tab, tabs));
            let mut lines: Vec<String> = opened.collect();
            lines.extend(lines::happened(&Outcome { opened: Vec::new(), ..outcome.clone() }, ANSWER));
            lines
        }
        None => lines::happened(&outcome, ANSWER),
    };
    let mut sections = Sections::default();
    sections.add("Result", &[result, results(&outcome, mark)].concat().join("\n"));
    sections.add("Page", &page(&outcome));
    sections.add_changes(&outcome, mark);
    let shows =
        outcome.value.is_some() || outcome.content.is_some() || outcome.tabs.is_some() || picture.is_some();
    if outcome.unchanged && outcome.snapshot.is_none() && !shows && outcome.candidates.is_empty() {
        sections.add("Changes", "nothing changed in the page");
    }
    sections.add("Events", &listed(&happened));
    if sections.0.is_empty() {
        sections.add("Result", "done; the page was not looked at, browser_snapshot shows it");
    }
    let value = value(ToolResult::from(outcome));
    Reply { ok: true, beside: Some(without_text(&value)), value, text: Some(sections.0), picture }
}

/// Why something was not done, and what is known by then.
pub(super) fn failed(error: Error, mark: &str) -> Reply {
    let hint = wording::BROWSER.hint(error.hint());
    let error = error.with_hint(hint);
    let outcome = error.outcome.clone();
    let result = ToolResult::from(error);
    let mut sections = Sections::default();
    if let Some(error) = &result.error {
        sections.add("Error", &lines::error(error, mark));
    }
    if let Some(outcome) = outcome {
        sections.add("Result", &results(&outcome, mark).join("\n"));
    }
    let value = value(result);
    Reply { ok: false, beside: Some(without_text(&value)), value, text: Some(sections.0), picture: None }
}

/// The same, when something else had been done before it in this call.
pub(super) fn failed_after(earlier: Outcome, mut error: Error, mark: &str) -> Reply {
    let mut sections = Sections::default();
    sections.add("Page", &page(&earlier));
    sections.add_changes(&earlier, mark);
    sections.add("Events", &listed(&lines::happened(&earlier, ANSWER)));
    let outcome = match error.outcome.take() {
        Some(outcome) => merged(earlier, *outcome),
        None => earlier,
    };
    let reply = failed(error.with_outcome(outcome), mark);
    let gap = if sections.0.is_empty() { "" } else { "\n" };
    Reply { text: reply.text.map(|text| text + gap + &sections.0), ..reply }
}

/// A tab that was opened, by its place in the list.
fn opened(tab: &TabInfo, tabs: &[TabInfo]) -> String {
    match tabs.iter().position(|one| one.tab == tab.tab) {
        Some(index) if tabs[index].active => {
            format!("opened tab {index}, which is the current one now: {}", tab.url)
        }
        Some(index) => {
            format!("opened tab {index}: {}; browser_tabs select index {index} goes there", tab.url)
        }
        None => format!("opened a tab that has been closed since: {}", tab.url),
    }
}

fn value(result: ToolResult) -> Value {
    serde_json::to_value(result).unwrap_or_default()
}

/// The same reply, with what was passed over.
pub(super) fn ignored(mut reply: Reply, names: &[String]) -> Reply {
    let says = |name: &String| format!("unknown argument {name} was ignored");
    let says: Vec<String> = names.iter().map(says).collect();
    for value in [Some(&mut reply.value), reply.beside.as_mut()].into_iter().flatten() {
        if let Some(data) = value.get_mut("data").and_then(Value::as_object_mut) {
            let notes = data.entry("notes").or_insert_with(|| Value::Array(Vec::new()));
            notes
                .as_array_mut()
                .into_iter()
                .for_each(|notes| notes.extend(says.iter().cloned().map(Value::from)));
        }
    }
    reply.text = reply.text.map(|text| format!("{text}\n### Note\n{}", listed(&says)));
    reply
}

/// The reply without what its text has: the page, what changed in it, values and what was read.
fn without_text(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(data) = value.get_mut("data").and_then(Value::as_object_mut) {
        shorten(data);
    }
    value
}

fn shorten(outcome: &mut Map<String, Value>) {
    for name in ["snapshot", "delta", "value", "content"] {
        outcome.remove(name);
    }
    // Parts of an action have outcomes of their own.
    let steps = outcome.get_mut("steps").and_then(Value::as_array_mut).into_iter().flatten();
    for step in steps {
        if let Some(outcome) = step.get_mut("outcome").and_then(Value::as_object_mut) {
            shorten(outcome);
        }
    }
}

#[derive(Default)]
struct Sections(String);

impl Sections {
    fn add(&mut self, title: &str, text: &str) {
        if !text.is_empty() {
            let gap = if self.0.is_empty() { "" } else { "\n" };
            self.0 += &format!("{gap}### {title}\n{text}");
        }
    }

    /// The page that was led to, and what changed.
    fn add_changes(&mut self, outcome: &Outcome, mark: &str) {
        let page = outcome.snapshot.as_ref().map(|snapshot| ("Snapshot", &*snapshot.text));
        let delta = outcome.delta.as_ref().map(|delta| ("Changes", &*delta.text));
        for (title, text) in page.into_iter().chain(delta).filter(|(_, text)| !text.is_empty()) {
            self.add(title, &lines::from_page(text, mark));
        }
    }
}

/// What was asked for, in words: the element that was meant, a value, a text, steps, candidates, tabs, a picture's place.
fn results(outcome: &Outcome, mark: &str) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(target) = &outcome.target {
        parts.push(format!("{} {:?} [ref={}]", target.role, target.name, target.reference));
    }
    parts.extend(outcome.steps.iter().map(|part| step(part, mark)));
    if let Some(value) = &outcome.value {
        parts.push(lines::data(value, mark));
    }
    if let Some(content) = &outcome.content {
        parts.push(lines::from_page(&content.text, mark));
        if let Some(next) = content.next_offset {
            parts.push(format!(
                "cut: characters {} to {next} of {}; go on with offset {next}",
                content.offset, content.total
            ));
        }
    }
    if !outcome.candidates.is_empty() {
        let listed: Vec<_> = outcome.candidates.iter().map(lines::candidate).collect();
        parts.push(lines::from_page(&listed.join("\n"), mark));
    }
    if outcome.tabs.as_ref().is_some_and(Vec::is_empty) {
        parts.push("there are no open tabs; browser_navigate opens one".into());
    } else if let Some(tabs) = &outcome.tabs {
        let line = |(index, tab): (usize, &TabInfo)| {
            let current = if tab.active { " (current)" } else { "" };
            format!("- {index}:{current} [{}]({})", tab.title, tab.url)
        };
        let listed: Vec<_> = tabs.iter().enumerate().map(line).collect();
        parts.push(lines::from_page(&listed.join("\n"), mark));
    }
    if !outcome.labels.is_empty() {
        let line = |label: &contract::Label| {
            let [left, top, width, height] = label.bounds;
            format!(
                "{}  {} {} {:?}  {left},{top} {width}x{height}",
                label.number, label.reference, label.role, label.name
            )
        };
        parts.push(lines::from_page(&outcome.labels.iter().map(line).collect::<Vec<_>>().join("\n"), mark));
    }
    if let Some(picture) = &outcome.screenshot {
        let path = picture.path.as_ref().map(|path| format!(" in {}", path.display())).unwrap_or_default();
        parts.push(format!("{} of {}x{}{path}", picture.mime_type, picture.width, picture.height));
        parts.extend(picture.cut.map(|cut| format!("cut: the first {} of {} pixels", cut.shown, cut.of)));
    }
    parts
}

/// A part of an action that has several, with what it did.
fn step(part: &Part, mark: &str) -> String {
    let did = if part.ok { "done" } else { "not done" };
    let code = part.code.as_ref().map(|code| format!(" {code}")).unwrap_or_default();
    let says = if part.message.is_empty() { String::new() } else { format!(" ({})", part.message) };
    let mut text = format!("- {did}{code}: {}{says}", part.what);
    if let Some(outcome) = &part.outcome {
        for line in [results(outcome, mark), lines::happened(outcome, ANSWER)].concat() {
            text += &format!("\n  {line}");
        }
        if let Some((name, shown)) = lines::changes_or_page(outcome) {
            text += &format!("\n  {name}:\n{}", lines::from_page(shown, mark));
        }
    }
    text
}

/// Where the tab is, when the action led there.
fn page(outcome: &Outcome) -> String {
    if outcome.navigation.is_none() && outcome.snapshot.is_none() {
        return String::new();
    }
    let mut text = format!("- Page URL: {}", outcome.url.as_deref().unwrap_or_default());
    if let Some(title) = outcome.title.as_deref().filter(|title| !title.is_empty()) {
        text += &format!("\n- Page Title: {title:?}");
    }
    if let Some(status) = outcome.status.filter(|status| !(200..300).contains(status)) {
        text += &format!("\n- HTTP status: {status}");
    }
    text
}

fn listed(lines: &[String]) -> String {
    lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use contract::{Code, Delta};

    use super::*;

    fn changed(text: &str) -> Outcome {
        let delta = Some(Delta { text: text.into(), ..Delta::default() });
        Outcome { session: "mine".parse().unwrap(), delta, ..Outcome::default() }
    }

    #[test]
    fn without_tabs_it_is_said_how_to_open_one() {
        let reply = done(Outcome { tabs: Some(Vec::new()), ..Outcome::default() }, Vec::new(), "m");
        assert_eq!(reply.text(), "### Result\nthere are no open tabs; browser_navigate opens one");
    }

    #[test]
    fn what_nobody_looked_at_is_not_said_to_be_as_it_was() {
        let text = |outcome| done(outcome, Vec::new(), "m").text();
        assert_eq!(
            text(Outcome::default()),
            "### Result\ndone; the page was not looked at, browser_snapshot shows it"
        );
        let target = Some(contract::Named {
            reference: "e1".parse().unwrap(),
            role: "button".into(),
            name: "Go".into(),
        });
        let clicked = Outcome { target, unchanged: true, ..Outcome::default() };
        assert!(text(clicked).ends_with("### Changes\nnothing changed in the page"));
        let read = Outcome { value: Some(1.into()), unchanged: true, ..Outcome::default() };
        assert_eq!(text(read), "### Result\n1");
    }

    #[test]
    fn what_the_text_has_is_not_beside_it_again() {
        let part = contract::Step { outcome: Some(Box::new(changed("+ two"))), ..Default::default() };
        let outcome = Outcome { value: Some("secret".into()), steps: vec![part], ..changed("+ one") };
        let reply = done(outcome, Vec::new(), "m");
        let beside = reply.beside.clone().unwrap().to_string();
        assert!(!["+ one", "+ two", "secret"].iter().any(|said| beside.contains(said)), "{beside}");
        assert!(beside.contains("mine"), "{beside}");
        assert_eq!(reply.value["data"]["value"], "secret");
    }

    #[test]
    fn tabs_are_named_as_the_list_names_them() {
        let tab = |id: u32, active| TabInfo {
            tab: contract::TabId(id),
            target_id: String::new(),
            url: "http://a.example/".into(),
            title: String::new(),
            active,
            opener: None,
            label: None,
        };
        let outcome = Outcome { opened: vec![tab(6, false)], ..Outcome::default() };
        let text = done_with_tabs(outcome, Vec::new(), Some(&[tab(2, true), tab(6, false)]), "m").text();
        assert_eq!(
            text,
            "### Events\n- opened tab 1: http://a.example/; browser_tabs select index 1 goes there"
        );
    }

    #[test]
    fn what_was_done_before_a_failure_is_told() {
        let noted = Outcome {
            notes: vec!["3 more errors are in browser_console_messages".into()],
            ..changed("+ one")
        };
        let reply = failed_after(noted, Error::new(Code::Timeout, "too late"), "m");
        let text = reply.text();
        for part in ["TIMEOUT: too late", "+ one", "3 more errors are in browser_console_messages"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("--timeout"), "{text}");
        assert_eq!(reply.value["data"]["delta"]["text"], "+ one");
        assert_eq!(reply.value["data"]["session"], "mine");
    }

    #[test]
    fn a_page_and_what_changed_in_it_afterwards_are_both_shown() {
        let snapshot = Some(contract::Snapshot { text: "- page".into(), ..Default::default() });
        let text = done(Outcome { snapshot, ..changed("+ one") }, Vec::new(), "m").text();
        assert!(text.contains("### Snapshot") && text.contains("### Changes"), "{text}");
    }
}

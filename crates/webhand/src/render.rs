//! How answers look to people. Programs use `--json`.

use std::{
    collections::hash_map::RandomState,
    fmt::Write,
    hash::{BuildHasher, Hasher},
};

use contract::{Content, Named, Outcome, Plan, PlannedEffect, Ruling, ToolError, ToolScreenshot};
use engine::{Action, SessionInfo};
use serde_json::Value;
use toolsets::lines::{self, candidate, message_line, request_line};

/// How a dialog is answered on the command line.
const ANSWER: &str = "answer it with `webhand dialog accept` or `dismiss`";

/// How much of an element's name is shown.
const LONGEST_NAME: usize = 60;

/// How an answer is shown: what is asked for, and what is told beside it, where programs that read the one do not find the other.
#[derive(Clone, Copy)]
pub(crate) struct Show {
    pub(crate) output: fn(&Value) -> String,
    pub(crate) beside: fn(&Value) -> String,
}

impl Show {
    /// All of it in one.
    pub(crate) fn all(output: fn(&Value) -> String) -> Show {
        Show { output, beside: |_| String::new() }
    }
}

/// How the outcome of an action looks.
pub(crate) fn of(action: &Action) -> Show {
    match action {
        Action::Eval(_) => Show { output: value, beside: beside_value },
        action => Show::all(in_one(action)),
    }
}

fn in_one(action: &Action) -> fn(&Value) -> String {
    match action {
        Action::Tabs(_) => tabs,
        Action::Frames(_) => frames,
        Action::Snapshot(_) => snapshot,
        Action::Locate(_) => located,
        Action::Console(_) => console,
        Action::Requests(_) => requests,
        Action::Resize(_) | Action::Emulate(_) | Action::State(_) => settings,
        Action::Cookies(_) | Action::Storage(_) => stored,
        Action::Find(_) | Action::Read(_) | Action::Html(_) | Action::Controls(_) => content,
        _ => page,
    }
}

/// What a dry run found out.
pub(crate) fn planned(data: &Value) -> String {
    let outcome = outcome(data);
    let Some(told) = &outcome.plan else { return page(data) };
    let place = match (outcome.tab, &outcome.url) {
        (Some(tab), Some(url)) => format!(" in {tab}  {url}"),
        _ => String::new(),
    };
    let lines = format!("dry run of {}{place}; nothing was done\n{}", told.verb, plan(told));
    lines + &besides(&outcome)
}

/// A plan: what would be decided, then a line for everything in it. What comes from the page is in quotes.
pub(crate) fn plan(plan: &Plan) -> String {
    let mut text = String::new();
    let decided = match plan.decide {
        Ruling::Allow => "it would be done",
        Ruling::Ask
            if plan.effects.iter().all(|effect| effect.decide != Ruling::Ask || effect.granted)
                && plan.steps.is_empty() =>
        {
            "it would be done: what a person is asked about has been allowed"
        }
        Ruling::Ask => "a person would be asked first",
        Ruling::Deny => "it would be refused",
    };
    let _ = write!(text, "{}: {decided}", plan.decide);
    for element in &plan.elements {
        let _ = write!(text, "\n    {}", named(element));
    }
    for PlannedEffect { effect, origins, to, decide, granted, of, why, .. } in &plan.effects {
        let _ = write!(text, "\n    {}", effect.as_str());
        if !origins.is_empty() {
            let _ = write!(text, " at {}", origins.join(" and "));
        }
        if let Some(to) = to {
            let _ = write!(text, ", {to}");
        }
        let of = of.as_ref().map(|of| format!(" of {of}")).unwrap_or_default();
        let granted = if *granted { ", and it has been allowed for longer" } else { "" };
        let _ = write!(text, ": {decide}, {why}{of}{granted}");
    }
    for file in &plan.files {
        let _ = write!(text, "\n    file {}", file.display());
    }
    for note in &plan.notes {
        let _ = write!(text, "\n    {note}");
    }
    for (at, step) in plan.steps.iter().enumerate() {
        let step = format!("step {}, {}: {}", at + 1, step.verb, self::plan(step));
        let _ =
            write!(text, "\n{}", step.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n"));
    }
    text
}

/// An element in a line; of a long name the beginning.
fn named(Named { reference, role, name }: &Named) -> String {
    let short: String = name.chars().take(LONGEST_NAME).collect();
    let cut = if short.len() < name.len() { "…" } else { "" };
    format!("{reference} {role} {:?}", short + cut)
}

pub(crate) fn plain(data: &Value) -> String {
    data.to_string()
}

fn outcome(data: &Value) -> Outcome {
    serde_json::from_value(data.clone()).unwrap_or_default()
}

/// Where the tab is, and what happened besides.
fn page(data: &Value) -> String {
    let outcome = outcome(data);
    let mut text = String::new();
    if let Some(tab) = outcome.tab {
        let title = outcome.title.as_deref().filter(|title| !title.is_empty()).unwrap_or("(no title)");
        let _ = write!(text, "{tab}  {title}\n    {}", outcome.url.as_deref().unwrap_or_default());
        if let Some(status) = outcome.status {
            let _ = write!(text, "  {status}");
        }
    }
    // Words may have been taken for another element than was meant.
    if let Some(target) = &outcome.target {
        let _ = write!(text, "\n    {}", named(target));
    }
    text + &besides(&outcome) + &changes(&outcome)
}

fn from_page(text: &str) -> String {
    lines::from_page(text, &mark())
}

/// A word that no page can know.
pub(crate) fn mark() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

fn snapshot(data: &Value) -> String {
    let outcome = outcome(data);
    let text = match &outcome.snapshot {
        Some(snapshot) if !snapshot.nodes.is_empty() => {
            from_page(&serde_json::to_string_pretty(&snapshot.nodes).unwrap_or_default())
        }
        Some(snapshot) => from_page(&snapshot.text),
        None => match &outcome.delta {
            Some(delta) if !delta.text.is_empty() => from_page(&delta.text),
            _ => "nothing changed".into(),
        },
    };
    text + &besides(&outcome)
}

/// The element that is meant, and what else was looked at: ref, score, role, name, reasons.
fn located(data: &Value) -> String {
    let outcome = outcome(data);
    let mut text = match &outcome.target {
        Some(target) => target.reference.to_string(),
        None => String::new(),
    };
    let lines: Vec<String> = match (&*outcome.candidates, &outcome.target) {
        ([], Some(target)) => vec![format!("{} {:?}", target.role, target.name)],
        (candidates, _) => candidates.iter().map(candidate).collect(),
    };
    if !lines.is_empty() {
        text = format!("{text}\n{}", from_page(&lines.join("\n")));
    }
    text + &besides(&outcome) + &changes(&outcome)
}

/// What changed in the page, or the page that the action led to.
fn changes(outcome: &Outcome) -> String {
    match lines::changes_or_page(outcome) {
        None => String::new(),
        Some(("snapshot", text)) => format!("\nthe page now:\n{}", from_page(text)),
        Some((_, text)) => format!("\n{}", from_page(text)),
    }
}

/// What happened besides: each on a line of its own.
pub(crate) fn besides(outcome: &Outcome) -> String {
    let mut text = String::new();
    for step in &outcome.steps {
        let mark = if step.ok { "done" } else { "not done" };
        let code = step.code.as_ref().map(|code| format!(" {code}")).unwrap_or_default();
        let _ = write!(text, "\n    {mark}{code}: {}", step.what);
        if step.ok && !step.message.is_empty() {
            let _ = write!(text, " ({})", step.message);
        }
        if let Some(outcome) = &step.outcome {
            text += &besides(outcome);
            text += &changes(outcome);
        }
    }
    for line in lines::happened(outcome, ANSWER) {
        let _ = write!(text, "\n    {line}");
    }
    text
}

fn notes(outcome: &Outcome) -> String {
    outcome.notes.iter().fold(String::new(), |text, note| text + "\n    " + note)
}

/// A line a message, between the marks of what a page says.
fn console(data: &Value) -> String {
    let outcome = outcome(data);
    let lines =
        outcome.console.iter().map(|message| format!("{}  {}", message.number, message_line(message)));
    match lines.collect::<Vec<_>>().join("\n") {
        lines if lines.is_empty() => "nothing was written to the console".to_owned() + &notes(&outcome),
        lines => from_page(&lines) + &notes(&outcome),
    }
}

/// A line a request; all there is to say if there is one only.
fn requests(data: &Value) -> String {
    let outcome = outcome(data);
    let mut lines: Vec<String> = outcome.requests.iter().map(request_line).collect();
    for details in outcome.requests.iter().filter_map(|request| request.details.as_ref()) {
        lines.push(serde_json::to_string_pretty(details).unwrap_or_default());
    }
    if lines.is_empty() {
        return "no requests".to_owned() + &notes(&outcome);
    }
    let mut text = from_page(&lines.join("\n"));
    if let Some(body) = &outcome.content {
        text = format!("{text}\n{}", part(body));
    }
    text + &notes(&outcome)
}

/// What is set, a line each.
fn settings(data: &Value) -> String {
    let text = match &data["value"] {
        Value::Object(set) if set.is_empty() => "nothing is set".into(),
        Value::Object(set) => {
            let line = |(name, value): (&String, &Value)| match value {
                Value::String(text) => format!("{name}  {text}"),
                value => format!("{name}  {value}"),
            };
            set.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let outcome = outcome(data);
    text + &besides(&outcome) + &changes(&outcome)
}

/// Cookies and what pages keep: a line each, in the page's own words.
fn stored(data: &Value) -> String {
    let outcome = outcome(data);
    let text = match &data["value"] {
        Value::Array(items) if items.is_empty() => "nothing".into(),
        Value::Array(items) => {
            let line = |item: &Value| {
                let mut rest = item.clone();
                let fields = rest.as_object_mut();
                let take = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
                let (name, value) = (take("name"), take("value"));
                let attributes =
                    fields.into_iter().flatten().filter(|(name, _)| *name != "name" && *name != "value");
                let attributes =
                    attributes.filter(|(_, value)| **value != Value::Bool(false)).map(|(name, value)| {
                        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                        if value == "true" { format!("  {name}") } else { format!("  {name} {value}") }
                    });
                format!("{name}  {value}{}", attributes.collect::<String>())
            };
            from_page(&items.iter().map(line).collect::<Vec<_>>().join("\n"))
        }
        Value::String(text) => from_page(text),
        value => value.to_string(),
    };
    text + &besides(&outcome) + &changes(&outcome)
}

/// The value of a script and nothing else: text as it is, the rest as JSON.
fn value(data: &Value) -> String {
    match &data["value"] {
        Value::String(text) => text.clone(),
        value @ (Value::Array(_) | Value::Object(_)) => {
            serde_json::to_string_pretty(value).unwrap_or_default()
        }
        value => value.to_string(),
    }
}

/// What happened besides, and what changed in the page.
fn beside_value(data: &Value) -> String {
    let outcome = outcome(data);
    let told = besides(&outcome) + &changes(&outcome);
    told.trim_start_matches('\n').into()
}

/// What was read from the page; where to go on when it was cut. What went to a file is only told of.
fn content(data: &Value) -> String {
    let outcome = outcome(data);
    let Some(content) = &outcome.content else { return page(data) };
    part(content) + &besides(&outcome) + &changes(&outcome)
}

/// A part of a longer text, and where it goes on.
fn part(content: &Content) -> String {
    let mut text = from_page(&content.text);
    if let Some(next) = content.next_offset {
        let Content { offset, total, .. } = content;
        let _ = write!(text, "\n… characters {offset} to {next} of {total}; go on with --offset {next}");
    }
    text
}

fn tabs(data: &Value) -> String {
    let outcome = outcome(data);
    let lines = outcome.tabs.iter().flatten().map(|tab| {
        let mark = if tab.active { '*' } else { ' ' };
        let label = tab.label.as_ref().map(|label| format!("[{label}] ")).unwrap_or_default();
        format!("{mark} {:<4} {label}{}  {}", tab.tab.to_string(), tab.title, tab.url)
    });
    let lines = lines.collect::<Vec<_>>().join("\n");
    let lines = if lines.is_empty() { "no tabs".into() } else { lines };
    lines + &besides(&outcome)
}

fn frames(data: &Value) -> String {
    let outcome = outcome(data);
    let lines = outcome.frames.iter().flatten().map(|frame| {
        let parent = frame.parent.map(|parent| format!(" in {parent}")).unwrap_or_default();
        let process = if frame.out_of_process { "  (its own process)" } else { "" };
        format!("{}{parent}  {}{process}", frame.frame, frame.url)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The toolsets with their tools, or the tools of one with what they do.
pub(crate) fn tools(data: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let sets = data["toolsets"].as_array().into_iter().flatten().map(|set| {
        let names: Vec<_> = set["tools"].as_array().into_iter().flatten().map(word).collect();
        format!("{}  {}\n    {}", word(&set["toolset"]), word(&set["about"]), names.join(", "))
    });
    let tools = data["tools"].as_array().into_iter().flatten().map(|tool| {
        let properties = tool["inputSchema"]["properties"].as_object().into_iter().flatten();
        let needed = |name: &String| {
            tool["inputSchema"]["required"]
                .as_array()
                .is_some_and(|needed| needed.iter().any(|it| it == name))
        };
        let names: Vec<_> = properties
            .map(|(name, _)| if needed(name) { name.clone() } else { format!("{name}?") })
            .collect();
        format!("{}({})\n    {}", word(&tool["name"]), names.join(", "), word(&tool["description"]))
    });
    sets.chain(tools).collect::<Vec<_>>().join("\n")
}

pub(crate) fn sessions(data: &Value) -> String {
    let sessions: Vec<SessionInfo> = serde_json::from_value(data["sessions"].clone()).unwrap_or_default();
    if sessions.is_empty() {
        return "no sessions; start one with `webhand open URL`".into();
    }
    let lines = sessions.iter().map(|session| {
        let active = session.tabs.iter().find(|tab| tab.active).map_or("", |tab| &tab.url);
        let tabs = session.tabs.len();
        let plural = if tabs == 1 { "" } else { "s" };
        let (name, kind, egress) = (&session.session, &session.kind, &session.egress);
        let owner =
            session.options.owner().map(|agent| format!("agent: {}  ", agent.name)).unwrap_or_default();
        format!("{name}  {kind}  {owner}egress: {egress}  {tabs} tab{plural}  {active}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

pub(crate) fn status(data: &Value) -> String {
    let home = data["home"].as_str().unwrap_or_default();
    if data["running"] != true {
        return format!("the daemon is not running\nhome      {home}");
    }
    let mut text = format!(
        "the daemon is running\nprocess   {}, webhand {}, for {} s, {} KiB\nhome      {home}\nsessions  {}",
        data["pid"],
        data["version"].as_str().unwrap_or_default(),
        data["uptime_s"],
        data["memory_kb"],
        data["sessions"],
    );
    for browser in data["browsers"].as_array().into_iter().flatten() {
        let _ = write!(
            text,
            "\nbrowser   {}, process {}",
            browser["version"].as_str().unwrap_or_default(),
            browser["pid"]
        );
    }
    text
}

pub(crate) fn closed(data: &Value) -> String {
    format!("session {} is closed", data["session"].as_str().unwrap_or_default())
}

pub(crate) fn halted(data: &Value) -> String {
    let (session, count) = (data["session"].as_str().unwrap_or_default(), &data["value"]["halted"]);
    match count.as_u64() {
        Some(0) | None => format!("nothing ran in session {session}"),
        Some(count) => format!("{count} ended in session {session}"),
    }
}

pub(crate) fn stopped(data: &Value) -> String {
    if data["stopped"] == true {
        "everything is closed and the daemon has stopped"
    } else {
        "the daemon was not running"
    }
    .into()
}

pub(crate) fn installed(data: &Value) -> String {
    format!("the browser is {}", data["browser"].as_str().unwrap_or_default())
}

/// A line an action: when, where, what, how it ended, how long it took.
pub(crate) fn history(data: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let lines = data["entries"].as_array().into_iter().flatten().map(|entry| {
        let end = match (&entry["ok"], &entry["code"]) {
            (Value::Null, _) => "unfinished".to_owned(),
            (_, Value::String(code)) => code.clone(),
            _ => "ok".into(),
        };
        let time = entry["duration_ms"].as_f64().map(|ms| format!("{ms:.0} ms")).unwrap_or_default();
        let mut arguments = entry["action"].clone();
        if let Some(arguments) = arguments.as_object_mut() {
            arguments.remove("action");
        }
        let (at, session, tab, verb) =
            (text(&entry["at"]), text(&entry["session"]), text(&entry["tab"]), text(&entry["verb"]));
        // All who have the one token that every home has are told apart by nothing, so it says nothing.
        let agent = entry["agent"].as_str().filter(|agent| *agent != "default");
        let agent = agent.map(|agent| format!("agent {agent}  ")).unwrap_or_default();
        format!("{at}  {session} {tab}  {agent}{verb} {arguments}  {end}  {time}")
    });
    match lines.collect::<Vec<_>>().join("\n") {
        lines if lines.is_empty() => "nothing has been done yet".into(),
        lines => lines,
    }
}

pub(crate) fn doctor(data: &Value) -> String {
    let lines = data["checks"].as_array().into_iter().flatten().map(|check| {
        let mark = if check["ok"] == true { "ok  " } else { "FAIL" };
        let hint =
            check["hint"].as_str().map(|hint| format!("\n           hint: {hint}")).unwrap_or_default();
        format!(
            "{mark}  {:<8} {}{hint}",
            check["name"].as_str().unwrap_or_default(),
            check["says"].as_str().unwrap_or_default()
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

pub(crate) fn picture(picture: &ToolScreenshot, data: &Value) -> String {
    let path = picture.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    let mut text = format!("{path}\n    {}x{} {}", picture.width, picture.height, picture.mime_type);
    if let Some(cut) = picture.cut {
        let _ = write!(text, "\n    cut: the first {} of {} pixels", cut.shown, cut.of);
    }
    let outcome = outcome(data);
    if !outcome.labels.is_empty() {
        let lines = outcome.labels.iter().map(|label| {
            let [left, top, width, height] = label.bounds;
            let (number, reference) = (label.number, label.reference.to_string());
            format!(
                "{number:>3}  {reference:<6} {} {:?}  {left},{top} {width}x{height}",
                label.role, label.name
            )
        });
        text = format!("{text}\n{}", from_page(&lines.collect::<Vec<_>>().join("\n")));
    }
    text + &besides(&outcome) + &changes(&outcome)
}

/// The text without what a terminal would obey: pages choose titles, addresses and messages.
pub(crate) fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// An error as people read it: what, why, and what to do.
pub(crate) fn error(error: &ToolError, is_terminal: bool) -> String {
    let (red, bold, off) = if is_terminal { ("\x1b[31m", "\x1b[1m", "\x1b[0m") } else { ("", "", "") };
    let mut text = format!("{red}error{off} {bold}{}{off}: {}", error.code, harmless(&error.message));
    if let Some(cause) = &error.cause {
        let _ = write!(text, "\n  cause: {}", harmless(cause));
    }
    let _ = write!(text, "\n  hint:  {}", error.hint);
    text
}

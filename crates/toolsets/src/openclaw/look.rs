//! Looking at pages: snapshots, pictures, their text, and what they told their developers.

use contract::{Error, Outcome, Result, SnapshotNode, Target};
use engine::actions::{
    Console, Find, FindIn, Form, Level, Read, ReadFormat, Requests, Scale, Screenshot, Snapshot,
};
use serde_json::{Value, json};

use super::{
    answer,
    args::{Args, Place, SnapshotFormat, SnapshotMode, selected},
    refs,
    seat::{Patience, Seat, To},
};
use crate::{Reply, Step, lines};

/// The longest snapshot and the longest text, in characters, if nothing is said.
const LONGEST: usize = 40_000;

/// The same of an efficient snapshot.
const EFFICIENT: usize = 8_000;

/// How deep an efficient snapshot goes.
const EFFICIENT_DEPTH: usize = 6;

/// How many nodes there are in a list of them, if nothing is said.
const NODES: usize = 500;

/// An element is waited for as long as actions wait for one, a page as long as navigation does.
fn patience(args: &Args) -> Patience {
    let is_named =
        args.selector.is_some() || args.frame.is_some() || args.element.is_some() || args.reference.is_some();
    if is_named { Patience::Act } else { Patience::Go }
}

/// The page as a tree with refs.
pub(super) fn snapshot(seat: Seat, args: Args) -> Result<Step> {
    let time = patience(&args).or(args.timeout_ms)?;
    let efficient = args.mode == Some(SnapshotMode::Efficient);
    let aria = args.snapshot_format == Some(SnapshotFormat::Aria);
    let scope = match (args.target()?, &args.frame) {
        (Some(target), _) => Some(target),
        (None, Some(frame)) => Some(selected(frame)?),
        (None, None) => None,
    };
    let longest = args.max_chars.unwrap_or(if efficient { EFFICIENT } else { LONGEST });
    let action = Snapshot {
        interactive: args.interactive || efficient,
        compact: args.compact || efficient,
        depth: args.depth.or(efficient.then_some(EFFICIENT_DEPTH)),
        scope,
        urls: args.urls,
        max_chars: (!aria).then_some(longest),
        form: if aria { Form::Json } else { Form::Text },
        ..Snapshot::default()
    };
    if args.limit == Some(0) {
        return Err(Error::invalid("limit is 0").with_hint("use 1 or more"));
    }
    let (limit, labels) = (args.limit, args.labels);
    Ok(seat.in_tab(args.target_id, time, move |seat, to| {
        let with_labels = seat.clone();
        seat.reply_then(to, action, move |outcome, mark| {
            let reply =
                if aria { nodes(&outcome, limit.unwrap_or(NODES)) } else { tree(&outcome, limit, mark) };
            if labels { with_picture(&with_labels, to, reply) } else { Step::Done(reply) }
        })
    }))
}

/// The tree as text.
fn tree(outcome: &Outcome, limit: Option<usize>, mark: &str) -> Reply {
    let shown = outcome.snapshot.clone().unwrap_or_default();
    let (lines, kept) = (shown.text.lines().count(), limit.unwrap_or(usize::MAX));
    let text =
        if kept < lines { shown.text.lines().take(kept).collect::<Vec<_>>().join("\n") } else { shown.text };
    let truncated = match shown.cut {
        Some(cut) => Some(format!(
            "cut: {} of {} characters; raise maxChars, or look at a part with ref or selector",
            cut.shown, cut.of
        )),
        None if kept < lines => Some(format!("cut: {kept} of {lines} lines; raise limit")),
        None => None,
    };
    let fields = json!({
        "format": "ai",
        "targetId": outcome.tab,
        "url": outcome.url,
        "title": outcome.title,
        "stats": refs::stats(&text),
        "refs": refs::refs(&text),
        "truncated": truncated,
        "notes": answer::some(outcome.notes.iter().map(|note| json!(note)).collect()),
    });
    answer::ok(fields, Some(("snapshot", text)), mark)
}

/// The tree as a list of nodes.
fn nodes(outcome: &Outcome, limit: usize) -> Reply {
    let roots = outcome.snapshot.as_ref().map(|shown| &*shown.nodes).unwrap_or_default();
    let mut list = Vec::new();
    flatten(roots, 0, &mut list);
    let all = list.len();
    list.truncate(limit);
    answer::ok(
        json!({
            "format": "aria",
            "targetId": outcome.tab,
            "url": outcome.url,
            "title": outcome.title,
            "truncated": (all > limit).then(|| format!("cut: {limit} of {all} nodes; raise limit")),
            "nodes": list,
        }),
        None,
        "",
    )
}

fn flatten(nodes: &[SnapshotNode], depth: usize, list: &mut Vec<Value>) {
    for node in nodes {
        let mut told = json!({"role": node.role, "name": node.name, "depth": depth});
        if let Some(reference) = node.reference {
            told["ref"] = json!(reference);
        }
        if let Some(value) = node.properties.get("value") {
            told["value"] = value.clone();
        }
        list.push(told);
        flatten(&node.children, depth + 1, list);
    }
}

/// Adds a picture in which the elements have numbers.
fn with_picture(seat: &Seat, to: To, reply: Reply) -> Step {
    seat.reply(to, Screenshot { labels: true, fit: true, ..Screenshot::default() }, move |outcome, _| {
        let mut reply = Reply { picture: outcome.screenshot.clone(), ..reply };
        reply.value["labels"] = numbered(&outcome);
        reply.value["path"] = json!(outcome.screenshot.and_then(|picture| picture.path));
        reply
    })
}

fn numbered(outcome: &Outcome) -> Value {
    outcome.labels.iter().map(|label| json!({"number": label.number, "ref": label.reference})).collect()
}

/// A picture of the page, or of an element.
pub(super) fn screenshot(seat: Seat, args: Args) -> Result<Step> {
    let time = patience(&args).or(args.timeout_ms)?;
    let target = match (&args.reference, args.element.as_ref().or(args.selector.as_ref())) {
        (Some(Place(target)), _) => Some(target.clone()),
        (None, Some(selector)) => Some(selected(selector)?),
        (None, None) => None,
    };
    if target.is_some() && args.full_page {
        return Err(Error::invalid("fullPage is for the whole page, not for an element"));
    }
    let action = Screenshot {
        path: args.path,
        full: args.full_page,
        target,
        labels: args.labels,
        format: args.r#type,
        quality: None,
        scale: Scale::Css,
        fit: true,
    };
    Ok(seat.in_tab(args.target_id, time, |seat, to| {
        seat.reply(to, action, |outcome, mark| {
            let picture = outcome.screenshot.as_ref();
            let fields = json!({
                "targetId": outcome.tab,
                "url": outcome.url,
                "path": picture.and_then(|picture| picture.path.as_ref()),
                "mimeType": picture.map(|picture| picture.mime_type),
                "width": picture.map(|picture| picture.width),
                "height": picture.map(|picture| picture.height),
                "truncated": picture.and_then(|picture| picture.cut).map(|cut| format!("cut: the first {} of {} pixels", cut.shown, cut.of)),
                "labels": (!outcome.labels.is_empty()).then(|| numbered(&outcome)),
                "notes": answer::some(outcome.notes.iter().map(|note| json!(note)).collect()),
            });
            Reply { picture: outcome.screenshot, ..answer::ok(fields, None, mark) }
        })
    }))
}

/// What there is to read, of the page or of an element.
pub(super) fn content(seat: Seat, args: Args) -> Result<Step> {
    let scope = args.target()?;
    reading(seat, args, Read { scope, ..Read::default() })
}

/// The page's text, or the lines of it that have some words.
pub(super) fn text(seat: Seat, args: Args) -> Result<Step> {
    let Some(words) = args.query.clone() else {
        let scope = args.target()?;
        return reading(seat, args, Read { scope, whole: true, format: ReadFormat::Text, ..Read::default() });
    };
    let time = Patience::Act.or(args.timeout_ms)?;
    let find = Find { words, place: FindIn::Text, context: Some(1), max: args.limit, ..Find::default() };
    Ok(seat.in_tab(args.target_id, time, |seat, to| {
        seat.reply(to, find, |outcome, mark| read(outcome, "text", mark))
    }))
}

fn reading(seat: Seat, args: Args, action: Read) -> Result<Step> {
    let time = patience(&args).or(args.timeout_ms)?;
    if args.max_chars == Some(0) {
        return Err(Error::invalid("maxChars is 0").with_hint("use 1 or more"));
    }
    let max_chars = u64::try_from(args.max_chars.unwrap_or(LONGEST)).ok();
    let name = if action.format == ReadFormat::Text { "text" } else { "content" };
    let action = Read { max_chars, ..action };
    Ok(seat.in_tab(args.target_id, time, move |seat, to| {
        seat.reply(to, action, move |outcome, mark| read(outcome, name, mark))
    }))
}

fn read(outcome: Outcome, name: &str, mark: &str) -> Reply {
    let content = outcome.content.unwrap_or_default();
    let fields = json!({
        "targetId": outcome.tab,
        "url": outcome.url,
        "title": outcome.title,
        "truncated": content.next_offset.map(|next| format!("cut: {next} of {} characters; raise maxChars, or name a selector", content.total)),
        "notes": answer::some(outcome.notes.into_iter().map(Value::String).collect()),
    });
    answer::ok(fields, Some((name, content.text)), mark)
}

/// What the page wrote to its console.
pub(super) fn console(seat: Seat, args: Args) -> Result<Step> {
    let level = match args.level.as_deref() {
        None | Some("info" | "log" | "all") => Level::Info,
        Some("error") => Level::Error,
        Some("warning" | "warn") => Level::Warning,
        Some("debug" | "verbose") => Level::Debug,
        Some(_) => {
            return Err(
                Error::invalid("level is none that there is").with_hint("use error, warning, info or debug")
            );
        }
    };
    Ok(messages(seat, args, level, "messages"))
}

/// What went wrong in the page.
pub(super) fn errors(seat: Seat, args: Args) -> Step {
    messages(seat, args, Level::Error, "errors")
}

fn messages(seat: Seat, args: Args, level: Level, name: &'static str) -> Step {
    let limit = args.limit.and_then(|limit| u64::try_from(limit).ok());
    let action = Console { level, limit, clear: args.clear, ..Console::default() };
    seat.in_tab(args.target_id, contract::Span::seconds(8), move |seat, to| {
        seat.reply(to, action, move |outcome, mark| {
            let list: Vec<Value> = outcome.console.iter().map(|message| json!(message)).collect();
            let text = outcome.console.iter().map(lines::message_line).collect::<Vec<_>>().join("\n");
            listed(&outcome, name, list, &text, mark)
        })
    })
}

/// What the page asked the network for.
pub(super) fn requests(seat: Seat, args: Args) -> Step {
    let limit = args.limit.and_then(|limit| u64::try_from(limit).ok());
    let action = Requests { filter: args.filter, limit, clear: args.clear, ..Requests::default() };
    seat.in_tab(args.target_id, contract::Span::seconds(8), move |seat, to| {
        seat.reply(to, action, |outcome, mark| {
            let list: Vec<Value> = outcome.requests.iter().map(|request| json!(request)).collect();
            let text = outcome.requests.iter().map(lines::request_line).collect::<Vec<_>>().join("\n");
            listed(&outcome, "requests", list, &text, mark)
        })
    })
}

/// A list for programs, and its lines for models.
fn listed(outcome: &Outcome, name: &str, list: Vec<Value>, text: &str, mark: &str) -> Reply {
    let notes = answer::some(outcome.notes.iter().map(|note| json!(note)).collect());
    let count = list.len();
    let short = answer::ok(json!({"targetId": outcome.tab, "count": count, "notes": notes}), None, mark);
    let text = format!("{}\n{}", short.value, lines::from_page(text, mark));
    let mut reply = Reply { text: Some(text), ..short };
    reply.value[name] = list.into();
    reply
}

/// A target for what is to be seen, for other modules.
pub(super) fn element(args: &Args) -> Result<Option<Target>> {
    match (&args.input_ref, &args.element) {
        (Some(Place(target)), _) => Ok(Some(target.clone())),
        (None, Some(selector)) => selected(selector).map(Some),
        (None, None) => args.target(),
    }
}

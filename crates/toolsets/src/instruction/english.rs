//! English sentences.

use std::time::Duration;

use contract::{Result, Span};
use engine::{
    Action, Until,
    actions::{
        Answer, Back, Button, Check, Click, Dialog, Direction, Drag, Edge, Fill, Forward, Hover, Press,
        Reload, Scroll, Select, Type, Uncheck, Wait,
    },
};

use super::{
    Read, address, goto, is_box, number,
    quotes::{cut, cut_end, has, last, once, quoted},
    target, typed, value,
};

/// The words that a sentence can start with, longer ones before those that they start with.
const VERBS: [(&[&str], Read); 29] = [
    (&["double click on", "double-click on", "double click", "double-click", "doubleclick"], double_click),
    (&["right click on", "right-click on", "right click", "right-click"], right_click),
    (&["click and hold", "press and hold", "long press", "long-press"], hold),
    (&["click on", "click at", "click", "tap on", "tap", "toggle"], click),
    (&["hover over", "hover on", "hover", "mouse over", "move the mouse over", "move the mouse to"], hover),
    (&["type", "enter", "write", "input", "put", "paste"], write),
    (&["fill in", "fill out", "fill"], fill),
    (&["set", "change", "adjust"], set),
    (&["clear", "empty"], clear),
    (&["select", "choose", "pick"], select),
    (&["uncheck", "untick", "deselect", "unselect", "turn off", "switch off"], uncheck),
    (&["check", "tick", "turn on", "switch on"], check),
    (&["press", "hit"], press),
    (&["scroll"], scroll),
    (&["page down"], |rest| Ok(only(rest, &[""]).then(|| Scroll::towards(Direction::Down).into()))),
    (&["page up"], |rest| Ok(only(rest, &[""]).then(|| Scroll::towards(Direction::Up).into()))),
    (&["go back", "navigate back", "back"], |rest| Ok(only(rest, &PREVIOUS).then(|| Back::default().into()))),
    (&["go forward", "navigate forward", "forward"], |rest| {
        Ok(only(rest, &NEXT).then(|| Forward::default().into()))
    }),
    (&["reload", "refresh"], |rest| Ok(only(rest, &PAGE).then(|| Reload::default().into()))),
    (&["go to the previous page", "return to the previous page"], |rest| {
        Ok(only(rest, &[""]).then(|| Back::default().into()))
    }),
    (&["go to", "goto", "navigate to", "open", "visit", "load", "browse to"], go),
    (&["wait for", "wait until", "wait"], wait),
    (&["drag and drop", "drag"], drag),
    (&["accept"], |rest| Ok(dialog(rest, Answer::Accept))),
    (&["confirm"], |rest| Ok(dialog(rest, Answer::Accept))),
    (&["dismiss"], |rest| Ok(dialog(rest, Answer::Dismiss))),
    (&["cancel"], |rest| Ok(dialog(rest, Answer::Dismiss))),
    (&["focus on", "focus"], click),
    (&["tick off"], check),
];

const PREVIOUS: [&str; 5] = ["", "to the previous page", "to previous page", "a page", "one page"];
const NEXT: [&str; 3] = ["", "to the next page", "one page"];
const PAGE: [&str; 4] = ["", "the page", "page", "this page"];

/// What an English sentence says; none if it is none that is known.
pub(super) fn action(text: &str) -> Result<Option<Action>> {
    let text = polite(text);
    for (verbs, read) in VERBS {
        if let Some(rest) = verbs.iter().find_map(|verb| after(text, verb)) {
            return read(rest);
        }
    }
    Ok(None)
}

/// A sentence about typing without "and press enter" at its end.
pub(super) fn without_enter(text: &str) -> Option<&str> {
    const ENDS: [&str; 10] = [
        "and press enter",
        "and then press enter",
        ", then press enter",
        "then press enter",
        "and hit enter",
        "and then hit enter",
        "then hit enter",
        "and press return",
        "and submit",
        "and press the enter key",
    ];
    let text = text.trim_end();
    let longest = ENDS.iter().filter_map(|end| cut_end(text, end)).min_by_key(|rest| rest.len())?;
    Some(longest.trim_end().trim_end_matches(',').trim_end())
}

/// Whether a sentence asks for two things.
pub(super) fn has_two(text: &str) -> bool {
    const SECOND: [&str; 16] = [
        "click",
        "double-click",
        "right-click",
        "type",
        "press",
        "hit",
        "fill",
        "select",
        "choose",
        "check",
        "uncheck",
        "scroll",
        "go to",
        "wait",
        "hover",
        "enter",
    ];
    let ties = [" and then ", ", then ", "; then "];
    ties.iter().any(|tie| has(text, tie))
        || SECOND.iter().any(|verb| has(text, &format!(" and {verb} ")) || has(text, &format!(", {verb} ")))
}

fn polite(text: &str) -> &str {
    const LEADS: [&str; 7] = ["please ", "now ", "then ", "can you ", "could you ", "just ", "let's "];
    let mut text = text.trim();
    while let Some(rest) = LEADS.iter().find_map(|lead| cut(text, lead)) {
        text = rest.trim_start();
    }
    cut_end(text, " please").unwrap_or(text)
}

/// What comes after a verb, which ends where a word ends.
fn after<'t>(text: &'t str, verb: &str) -> Option<&'t str> {
    let rest = cut(text, verb)?;
    let ends =
        rest.chars().next().is_none_or(|c| !(c.is_alphanumeric() && c.is_ascii() || c == '-' || c == '\''));
    ends.then(|| rest.trim_start_matches(':').trim())
}

fn only(rest: &str, all: &[&str]) -> bool {
    all.iter().any(|one| rest.eq_ignore_ascii_case(one))
}

fn click(rest: &str) -> Result<Option<Action>> {
    Ok(Some(Click::new(target(rest)?).into()))
}

fn double_click(rest: &str) -> Result<Option<Action>> {
    Ok(Some(Click { double: true, ..Click::new(target(rest)?) }.into()))
}

fn right_click(rest: &str) -> Result<Option<Action>> {
    Ok(Some(Click { button: Button::Right, ..Click::new(target(rest)?) }.into()))
}

fn hold(rest: &str) -> Result<Option<Action>> {
    let rest = cut(rest, "on ").unwrap_or(rest);
    let (what, time) = match last(rest, " for ").and_then(|(what, time)| Some((what, span(time)?))) {
        Some((what, time)) => (what, time),
        None => (rest, Span::seconds(1)),
    };
    Ok(Some(Click { hold: Some(time), ..Click::new(target(what)?) }.into()))
}

fn hover(rest: &str) -> Result<Option<Action>> {
    Ok(Some(Hover { target: target(rest)? }.into()))
}

/// `type … into …`. Without a field it goes to what has the focus.
fn write(rest: &str) -> Result<Option<Action>> {
    if rest.is_empty() {
        return Ok(None);
    }
    let found = match once(rest, " into ")? {
        Some(found) => Some(found),
        None => once(rest, " in ")?,
    };
    let found = found.filter(|(text, field)| !text.trim().is_empty() && !field.trim().is_empty());
    Ok(Some(match found {
        Some((text, field)) => Fill::new(target(field)?, typed(text)).into(),
        None => Type::new(typed(rest)).into(),
    }))
}

fn fill(rest: &str) -> Result<Option<Action>> {
    let filled = match once(rest, " with ")? {
        Some(filled) => Some(filled),
        None => once(rest, " into ")?.map(|(text, field)| (field, text)),
    };
    let Some((field, text)) = filled.filter(|(_, text)| !text.trim().is_empty()) else { return Ok(None) };
    Ok(Some(Fill::new(target(field)?, typed(text)).into()))
}

fn set(rest: &str) -> Result<Option<Action>> {
    let Some((field, text)) = once(rest, " to ")? else { return Ok(None) };
    Ok(Some(Fill::new(target(field)?, typed(text)).into()))
}

fn clear(rest: &str) -> Result<Option<Action>> {
    Ok(Some(Fill::new(target(rest)?, "".into()).into()))
}

/// `select … from …`. Without a list it is something to tick or to click.
fn select(rest: &str) -> Result<Option<Action>> {
    let chosen = match once(rest, " from ")? {
        Some(chosen) => Some(chosen),
        None if is_box(rest) => None,
        None => once(rest, " in ")?,
    };
    let Some((option, list)) = chosen else {
        if cut_end(rest, " from").is_some() {
            return Ok(None);
        }
        let target = target(rest)?;
        return Ok(Some(if is_box(rest) { Check::new(target).into() } else { Click::new(target).into() }));
    };
    let option = match quoted(option) {
        Some(option) => option,
        None => {
            let option = cut(option.trim(), "the ").unwrap_or(option.trim());
            let option = cut(option, "option ").unwrap_or(option);
            cut_end(option, " option").unwrap_or(option).trim()
        }
    };
    if option.is_empty() {
        return Ok(None);
    }
    Ok(Some(Select::new(target(list)?, &value(option)).into()))
}

fn check(rest: &str) -> Result<Option<Action>> {
    // These only look like it.
    let others = ["if", "whether", "that", "for", "out", "in", "on", "with", "how", "what", "why"];
    if others.iter().any(|word| after(rest, word).is_some()) {
        return Ok(None);
    }
    Ok(Some(Check::new(target(rest)?).into()))
}

fn uncheck(rest: &str) -> Result<Option<Action>> {
    Ok(Some(Uncheck { target: target(rest)? }.into()))
}

/// Keys, if they are keys; otherwise something to press as one presses a button.
fn press(rest: &str) -> Result<Option<Action>> {
    let (rest, repeat) = times(rest);
    let ties = [" in ", " on ", " into "];
    let (keys, place) = match ties.iter().find_map(|tie| last(rest, tie)) {
        Some((keys, place)) if Press::knows(bare(keys)) => (keys, Some(place)),
        _ => (rest, None),
    };
    let keys = bare(keys);
    if Press::knows(keys) {
        let target = place.map(target).transpose()?;
        return Ok(Some(Press { target, repeat, ..Press::new(keys.into()) }.into()));
    }
    let rest = cut(rest, "on ").unwrap_or(rest);
    Ok(Some(Click::new(target(rest)?).into()))
}

/// Keys without the words around them.
fn bare(keys: &str) -> &str {
    let keys = keys.trim();
    let keys = cut(keys, "the ").unwrap_or(keys);
    let keys = cut_end(keys, " keys").or_else(|| cut_end(keys, " key")).unwrap_or(keys);
    quoted(keys).unwrap_or(keys).trim()
}

/// `Tab 3 times`, `Tab twice`.
fn times(rest: &str) -> (&str, u32) {
    if let Some(rest) = cut_end(rest, " twice") {
        return (rest, 2);
    }
    let Some(rest_without) = cut_end(rest, " times") else { return (rest, 1) };
    let Some((keys, count)) = rest_without.rsplit_once(' ') else { return (rest, 1) };
    match number(count) {
        Some((count, "")) if (1.0..=1000.0).contains(&count) && count.fract() == 0.0 => (keys, count as u32),
        _ => (rest, 1),
    }
}

fn scroll(rest: &str) -> Result<Option<Action>> {
    let ways = [
        ("down", Direction::Down),
        ("up", Direction::Up),
        ("left", Direction::Left),
        ("right", Direction::Right),
    ];
    let rest = cut(rest, "the page ").or_else(|| after(rest, "the page")).unwrap_or(rest).trim();
    if let Some(rest) = after(rest, "to").or_else(|| after(rest, "down to")).or_else(|| after(rest, "up to"))
    {
        return scroll_to(rest);
    }
    if let Some(what) = cut_end(rest, " into view") {
        return Ok(Some(Scroll::new(target(what)?).into()));
    }
    if rest.is_empty() {
        return Ok(Some(Scroll::towards(Direction::Down).into()));
    }
    let Some((rest, way)) = ways.iter().find_map(|(word, way)| Some((after(rest, word)?, *way))) else {
        // `scroll the list down`
        let found =
            ways.iter().find_map(|(word, way)| Some((cut_end(rest, &format!(" {word}"))?.to_owned(), *way)));
        let Some((what, way)) = found else { return Ok(None) };
        return Ok(Some(Scroll { target: Some(target(&what)?), ..Scroll::towards(way) }.into()));
    };
    let mut scroll = Scroll::towards(way);
    let mut rest = after(rest, "by").unwrap_or(rest);
    if let Some((count, more)) = number(rest) {
        let units = [("pixels", 1.0), ("pixel", 1.0), ("px", 1.0)];
        let parts = [
            ("percent", 1.0),
            ("%", 1.0),
            ("pages", 100.0),
            ("page", 100.0),
            ("screens", 100.0),
            ("screen", 100.0),
        ];
        let measured = |units: &[(&str, f64)]| {
            units.iter().find_map(|(unit, factor)| Some((cut(more, unit)?, count * factor)))
        };
        (rest, scroll.pixels, scroll.percent) = match (measured(&units), measured(&parts)) {
            (Some((rest, pixels)), _) => (rest.trim(), Some(pixels), None),
            (_, Some((rest, percent))) => (rest.trim(), None, Some(percent)),
            _ if more.is_empty() => (more, Some(count), None),
            _ => return Ok(None),
        };
    }
    if let Some(area) = after(rest, "in").or_else(|| after(rest, "on")).or_else(|| after(rest, "inside")) {
        scroll.target = if only(area, &PAGE) { None } else { Some(target(area)?) };
        rest = "";
    }
    Ok(only(rest, &PAGE).then(|| scroll.into()))
}

fn scroll_to(rest: &str) -> Result<Option<Action>> {
    let edge = cut(rest, "the ").unwrap_or(rest);
    let edge = cut_end(edge, " of the page").unwrap_or(edge);
    let to = |edge| Ok(Some(Scroll { to: Some(edge), ..Scroll::default() }.into()));
    match &*edge.trim().to_ascii_lowercase() {
        "top" | "start" | "beginning" => to(Edge::Top),
        "bottom" | "end" => to(Edge::Bottom),
        _ => Ok(Some(Scroll::new(target(rest)?).into())),
    }
}

/// To an address; anything else that is opened or gone to is clicked.
fn go(rest: &str) -> Result<Option<Action>> {
    let rest = after(rest, "the page")
        .or_else(|| after(rest, "the url"))
        .or_else(|| after(rest, "url"))
        .unwrap_or(rest);
    Ok(Some(match address(rest) {
        Some(url) => goto(url),
        None => Click::new(target(rest)?).into(),
    }))
}

fn wait(rest: &str) -> Result<Option<Action>> {
    if let Some(time) = span(rest) {
        return Ok(Some(Wait::until(Until::Time(time)).into()));
    }
    if only(rest, &["the page to load", "the page to be loaded", "the page is loaded", "page load", "load"]) {
        return Ok(Some(Wait::until(Until::Load).into()));
    }
    if only(rest, &["the network to be idle", "network idle", "the network is idle"]) {
        return Ok(Some(Wait::until(Until::NetworkIdle).into()));
    }
    let gone = [" is gone", " to be gone", " disappears", " to disappear", " goes away", " to go away"];
    let there = [" appears", " to appear", " is visible", " to be visible", " is shown", " to show"];
    if let Some(what) = gone.iter().find_map(|end| cut_end(rest, end)) {
        return Ok(Some(match quoted(what) {
            Some(text) => Wait { gone: Some(text.to_owned()), ..Wait::default() }.into(),
            None => {
                let state = engine::actions::TargetState::Hidden;
                Wait { target: Some(target(what)?), state, ..Wait::default() }.into()
            }
        }));
    }
    let what = there.iter().find_map(|end| cut_end(rest, end)).unwrap_or(rest);
    if what.is_empty() {
        return Ok(None);
    }
    Ok(Some(match quoted(what) {
        Some(text) => Wait { text: Some(text.to_owned()), ..Wait::default() }.into(),
        None => Wait { target: Some(target(what)?), ..Wait::default() }.into(),
    }))
}

/// `2 seconds`, `500 ms`, `a minute`.
fn span(text: &str) -> Option<Span> {
    let (count, unit) = number(text.trim())?;
    let factor = match &*unit.to_ascii_lowercase() {
        "ms" | "millisecond" | "milliseconds" => 0.001,
        "" | "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "minute" | "minutes" => 60.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(count * factor).ok().map(Span)
}

fn drag(rest: &str) -> Result<Option<Action>> {
    let ties = [" onto ", " into ", " to ", " on "];
    let Some((from, to)) = ties.iter().find_map(|tie| last(rest, tie)) else { return Ok(None) };
    Ok(Some(Drag::new(target(from)?, target(to)?).into()))
}

fn dialog(rest: &str, answer: Answer) -> Option<Action> {
    let rest = cut(rest, "the ").unwrap_or(rest);
    let is_one = only(rest, &["dialog", "alert", "prompt", "confirmation", "javascript dialog"]);
    is_one.then(|| Dialog { answer, text: None }.into())
}

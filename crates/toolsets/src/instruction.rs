//! Instructions in plain words, English or Chinese, as actions: what to do, to what, with which value. No model takes part: a
//! sentence has one of a few forms, or is refused with a hint that lists them. Which element a description means is the engine's
//! business; here a sentence is only taken apart.
//!
//! An instruction may hold a secret to be typed, so none of it is in an error.

mod chinese;
mod english;
mod quotes;

use contract::{Error, PageUrl, Result, Target, Typed};
use engine::{
    Action,
    actions::{Check, Click, Fill, Goto, Press},
};

use quotes::{cut, quoted};

/// The forms, for those who used another.
const FORMS: &str = "say one thing to do, such as: click X · double-click X · right-click X · hover over X · type \"text\" into X · \
    fill X with \"text\" · select \"option\" from X · check X · uncheck X · press Enter · scroll down · scroll to X · drag X to Y · \
    go to URL · go back · wait 2 seconds · 点击X · 在X输入“文字” · 从X选择“选项” · 勾选X · 按回车 · 向下滚动 · 打开URL · 返回";

/// What a form makes of the rest of a sentence; none if it is not of that form after all.
type Read = fn(&str) -> Result<Option<Action>>;

/// What an instruction says is to be done.
pub fn action(instruction: &str) -> Result<Action> {
    let text = instruction.trim().trim_end_matches(['.', '。', '!', '！', ';', '；']).trim_end();
    let (text, submits) = english::without_enter(text)
        .or_else(|| chinese::without_enter(text))
        .map_or((text, false), |text| (text, true));
    if english::has_two(text) || chinese::has_two(text) {
        return Err(two());
    }
    let read = match chinese::action(text)? {
        Some(action) => Some(action),
        None => english::action(text)?,
    };
    match (read, submits) {
        (Some(Action::Fill(fill)), true) => Ok(Fill { submit: true, ..fill }.into()),
        (Some(Action::Type(keys)), true) => Ok(engine::actions::Type { submit: true, ..keys }.into()),
        (Some(_), true) => Err(two()),
        (Some(action), false) => Ok(action),
        (None, _) => Err(Error::invalid("the instruction is not understood").with_hint(FORMS)),
    }
}

/// What an action is, in words that hold none of the text that it types.
pub(crate) fn told(action: &Action) -> String {
    let typed = |text: &Typed| match text.chars() {
        1 => "1 character".to_owned(),
        count => format!("{count} characters"),
    };
    match action {
        Action::Click(Click { target, double: true, .. }) => format!("double-click {target}"),
        Action::Fill(Fill { target, text, .. }) => format!("fill {target} with {}", typed(text)),
        Action::Type(keys) => format!("type {}", typed(&keys.text)),
        Action::Select(select) => format!("select {:?} from {}", select.values.join(", "), select.target),
        Action::Goto(Goto { url, .. }) => format!("go to {url}"),
        Action::Press(Press { target: Some(target), .. }) => format!("press keys in {target}"),
        Action::Press(_) => "press keys".into(),
        Action::Drag(drag) => format!("drag {} to {}", drag.from, drag.to),
        Action::Scroll(scroll) => match (&scroll.target, scroll.direction) {
            (Some(target), None) => format!("scroll to {target}"),
            (Some(target), Some(way)) => format!("scroll {target} {way:?}").to_lowercase(),
            (None, Some(way)) => format!("scroll {way:?}").to_lowercase(),
            (None, None) => "scroll".into(),
        },
        Action::Click(Click { target, .. }) => format!("click {target}"),
        Action::Hover(hover) => format!("hover over {}", hover.target),
        Action::Check(Check { target }) => format!("check {target}"),
        Action::Uncheck(uncheck) => format!("uncheck {}", uncheck.target),
        action => action.name().into(),
    }
}

fn two() -> Error {
    Error::invalid("the instruction asks for more than one thing")
        .with_hint("give one instruction at a time; put names and texts that hold words like these in quotes")
}

/// The element that a part of a sentence means.
fn target(text: &str) -> Result<Target> {
    let text = text.trim().trim_end_matches([',', '，', '、']).trim_end();
    text.parse()
        .map_err(|_: Error| Error::invalid("the instruction does not say what it is about").with_hint(FORMS))
}

/// The exact text that is quoted in a part of a sentence, or the part itself.
fn value(text: &str) -> String {
    quoted(text).unwrap_or(text.trim()).to_owned()
}

fn typed(text: &str) -> Typed {
    value(text).as_str().into()
}

/// Whether a part of a sentence says that it is about something that is on or off.
fn is_box(text: &str) -> bool {
    const BOXES: [&str; 11] = [
        "checkbox",
        "check box",
        "radio",
        "switch",
        "toggle",
        "tick box",
        "复选框",
        "单选",
        "开关",
        "勾选框",
        "多选框",
    ];
    let text = text.to_lowercase();
    BOXES.iter().any(|word| text.contains(word))
}

/// The address that a part of a sentence is, if it is one.
fn address(text: &str) -> Option<PageUrl> {
    let text = quoted(text).unwrap_or(text).trim();
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let is_whole = text.contains("://") && !text.contains(char::is_whitespace);
    let is_host = name == "localhost"
        || name.contains('.')
            && name.split('.').all(|part| !part.is_empty())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b));
    if is_whole {
        return Some(text.into());
    }
    if !is_host || text.contains(char::is_whitespace) {
        return None;
    }
    let is_local = name == "localhost"
        || name.ends_with(".localhost")
        || name.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let scheme = if is_local { "http" } else { "https" };
    Some(format!("{scheme}://{text}").as_str().into())
}

fn goto(url: PageUrl) -> Action {
    Goto { url, until: engine::Until::default() }.into()
}

/// The number that a part of a sentence starts with, and what comes after it.
fn number(text: &str) -> Option<(f64, &str)> {
    const WORDS: [(&str, f64); 26] = [
        ("one", 1.0),
        ("two", 2.0),
        ("three", 3.0),
        ("four", 4.0),
        ("five", 5.0),
        ("six", 6.0),
        ("seven", 7.0),
        ("eight", 8.0),
        ("nine", 9.0),
        ("ten", 10.0),
        ("half a", 0.5),
        ("an", 1.0),
        ("a", 1.0),
        ("一", 1.0),
        ("两", 2.0),
        ("二", 2.0),
        ("三", 3.0),
        ("四", 4.0),
        ("五", 5.0),
        ("六", 6.0),
        ("七", 7.0),
        ("八", 8.0),
        ("九", 9.0),
        ("十", 10.0),
        ("半", 0.5),
        ("once", 1.0),
    ];
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    if digits > 0 {
        return text[..digits].parse().ok().map(|number| (number, text[digits..].trim()));
    }
    WORDS.iter().find_map(|(word, number)| {
        let rest = cut(text, word)?;
        (!word.is_ascii() || rest.is_empty() || rest.starts_with(' ')).then(|| (*number, rest.trim()))
    })
}

#[cfg(test)]
mod tests;

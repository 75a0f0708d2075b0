//! Chains of Playwright's locators as XPath, where that says exactly the same: places in the order of the document, texts that an
//! element holds, elements inside of others. Hidden elements count in both.

use contract::Target;

use super::{
    locator::{ROLES, literal},
    selector::names_elements,
};

/// Places that descriptions have words for.
const ORDINALS: [&str; 10] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/// What the chain means so far.
enum Found {
    /// Elements, in the order of the document.
    Path(String),
    /// Elements of a kind, which only descriptions know.
    Words(String),
}

/// The target of a chain such as `locator('li').filter({ hasText: 'Tea' }).first()`; none if it cannot be said.
pub(super) fn of_calls(text: &str) -> Option<Target> {
    let mut rest = text;
    let mut found = None;
    while !rest.is_empty() {
        let (method, after) = rest.split_once('(')?;
        let (inside, after) = closed(after)?;
        found = Some(call(found, method.trim(), inside.trim())?);
        rest = match after.trim_start() {
            "" => "",
            more => more.strip_prefix('.')?,
        };
    }
    target(found?)
}

/// The same for `css=li >> nth=1`.
pub(super) fn of_parts(text: &str) -> Option<Target> {
    let mut found = None;
    for part in text.split(">>").map(str::trim) {
        let (engine, body) =
            part.split_once('=').filter(|(engine, _)| is_engine(engine)).unwrap_or(("css", part));
        let held = body.trim_matches(['"', '\'']);
        found = Some(match (engine, found) {
            ("nth", Some(found)) => at(found, body.parse().ok()?)?,
            ("css", before) => within(before, &css(body)?)?,
            ("text", before) => within(before, &smallest(held)?)?,
            ("id" | "data-testid", before) => within(before, &css(&format!("[{engine}=\"{held}\"]"))?)?,
            ("role", None) if !body.contains('[') => Found::Words(role(body)?.into()),
            _ => return None,
        });
    }
    target(found?)
}

fn is_engine(name: &str) -> bool {
    matches!(name, "nth" | "css" | "text" | "id" | "data-testid" | "role")
}

fn call(found: Option<Found>, method: &str, inside: &str) -> Option<Found> {
    let word = || literal(inside).filter(|(_, rest)| rest.trim().is_empty()).map(|(word, _)| word);
    match (method, found) {
        ("first", Some(found)) if inside.is_empty() => at(found, 0),
        ("last", Some(found)) if inside.is_empty() => at(found, -1),
        ("nth", Some(found)) => at(found, inside.parse().ok()?),
        ("locator", before) => within(before, &css(word()?)?),
        ("getByTestId", before) => within(before, &css(&format!("[data-testid=\"{}\"]", word()?))?),
        ("getByRole", None) => Some(Found::Words(role(word()?)?.into())),
        ("filter", Some(Found::Path(path))) => {
            let options = inside.strip_prefix('{')?.strip_suffix('}')?.trim();
            let (key, value) = options.split_once(':')?;
            let (text, rest) = literal(value.trim())?;
            (key.trim() == "hasText" && rest.trim().trim_end_matches(',').is_empty())
                .then_some(Found::Path(format!("({path})[{}]", holds(text)?)))
        }
        _ => None,
    }
}

fn role(name: &str) -> Option<&'static str> {
    ROLES.iter().find(|(known, _)| *known == name.trim()).map(|(_, word)| *word)
}

/// One of them, by its place from 0 on; -1 is the last.
fn at(found: Found, place: i32) -> Option<Found> {
    match (found, place) {
        (Found::Path(path), -1) => Some(Found::Path(format!("({path})[last()]"))),
        (Found::Path(path), 0..) => Some(Found::Path(format!("({path})[{}]", place + 1))),
        (Found::Words(word), -1) => Some(Found::Words(format!("last {word}"))),
        (Found::Words(word), 0..) => Some(Found::Words(format!("{} {word}", ORDINALS.get(place as usize)?))),
        _ => None,
    }
}

/// What this path leads to inside of what was found.
fn within(before: Option<Found>, path: &str) -> Option<Found> {
    match before {
        None => Some(Found::Path(path.to_owned())),
        Some(Found::Path(before)) => Some(Found::Path(format!("({before}){path}"))),
        Some(Found::Words(_)) => None,
    }
}

fn target(found: Found) -> Option<Target> {
    Some(match found {
        Found::Path(path) => Target::Xpath(path),
        Found::Words(words) => Target::Words(words),
    })
}

/// What is before the bracket that closes, and after it.
fn closed(text: &str) -> Option<(&str, &str)> {
    let (mut quote, mut depth) = (None, 0);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, ')') if depth == 0 => return Some((&text[..at], &text[at + 1..])),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}

/// That an element holds a text, in upper or lower case.
fn holds(text: &str) -> Option<String> {
    // XPath changes the case of letters one by one; of those that are named.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let fits =
        !text.is_empty() && text.chars().all(|c| c.is_ascii() || c.to_lowercase().eq(c.to_uppercase()));
    let text = quoted(&text.to_ascii_lowercase())?;
    fits.then(|| {
        format!(
            "contains(translate(normalize-space(.),'ABCDEFGHIJKLMNOPQRSTUVWXYZ','abcdefghijklmnopqrstuvwxyz'),{text})"
        )
    })
}

/// The smallest elements that hold a text.
fn smallest(text: &str) -> Option<String> {
    let holds = holds(text)?;
    Some(format!("//*[not(self::script or self::style or self::head)][{holds}][not(*[{holds}])]"))
}

fn quoted(text: &str) -> Option<String> {
    match (text.contains('\''), text.contains('"')) {
        (false, _) => Some(format!("'{text}'")),
        (true, false) => Some(format!("\"{text}\"")),
        (true, true) => None,
    }
}

/// A simple selector as XPath: names, ids, classes, attributes, `:has-text`, and one inside of another.
pub(super) fn css(selector: &str) -> Option<String> {
    let mut path = String::new();
    let mut rest = selector.trim();
    let mut axis = "//";
    while !rest.is_empty() {
        let name = ident(rest);
        rest = &rest[name.len()..];
        if name.is_empty() {
            rest = rest.strip_prefix('*').unwrap_or(rest);
        }
        // What is no element is words.
        if !name.is_empty() && !names_elements(name) && !name.contains('-') {
            return None;
        }
        path += &format!("{axis}{}", if name.is_empty() { "*" } else { name });
        let before = path.len();
        while let Some(sign) = rest.chars().next().filter(|c| "#.[:".contains(*c)) {
            let (test, after) = one_sign(sign, &rest[1..])?;
            path += &format!("[{test}]");
            rest = after;
        }
        if name.is_empty() && path.len() == before && !selector.contains('*') {
            return None;
        }
        let next = rest.trim_start();
        (axis, rest) = match next.strip_prefix('>') {
            Some(after) => ("/", after.trim_start()),
            None if next.is_empty() => break,
            None if next.len() < rest.len() => ("//", next),
            None => return None,
        };
    }
    (!path.is_empty()).then_some(path)
}

/// What an id, a class, an attribute or a pseudo class asks for, and what comes after it.
fn one_sign(sign: char, rest: &str) -> Option<(String, &str)> {
    let name = ident(rest);
    if name.is_empty() {
        return None;
    }
    let after = &rest[name.len()..];
    Some(match sign {
        '#' => (format!("@id='{name}'"), after),
        '.' => (format!("contains(concat(' ',normalize-space(@class),' '),' {name} ')"), after),
        ':' => {
            let (text, after) = after.strip_prefix('(').filter(|_| name == "has-text").and_then(literal)?;
            (holds(text)?, after.strip_prefix(')')?)
        }
        _ => {
            let (test, after) = after.split_once(']')?;
            let value = |value: &str| quoted(value.trim_matches(['"', '\'']));
            let test = match test.split_once('=') {
                None if test.is_empty() => format!("@{name}"),
                Some(("", of)) => format!("@{name}={}", value(of)?),
                Some(("*", of)) => format!("contains(@{name},{})", value(of)?),
                Some(("^", of)) => format!("starts-with(@{name},{})", value(of)?),
                _ => return None,
            };
            (test, after)
        }
    })
}

fn ident(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c));
    let name = &text[..end.unwrap_or(text.len())];
    if name.starts_with(|c: char| c.is_ascii_digit()) { "" } else { name }
}

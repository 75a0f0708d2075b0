//! Names in a script that only the page's own world knows: a script that changes anything runs apart from that world, and fails there
//! for no reason that its author can see.

use std::collections::BTreeSet;

use cdp::protocol as p;
use contract::FrameId;
use tokio::time::Instant;

use crate::tab::Tab;

/// How many names are looked up.
const MOST_NAMES: usize = 100;

/// Names of the global object: what is read from them is global as well.
const GLOBALS: [&str; 5] = ["window", "globalThis", "self", "top", "frames"];

/// Words that are never names of variables.
const KEYWORDS: &str = "arguments as async await break case catch class const continue debugger default delete do else enum eval export extends false \
    finally for from function get if implements import in instanceof interface let new null of package private protected public return set static \
    super switch this throw true try typeof undefined using var void while with yield";

/// The names of a script that are defined in the page's own world and not in the isolated one. Reading them there changes nothing.
pub(super) async fn only_in_page(tab: &Tab, frame: FrameId, js: &str, deadline: Instant) -> Vec<String> {
    let names = free_names(js);
    if names.is_empty() {
        return Vec::new();
    }
    let tests: Vec<String> = names.iter().map(|name| format!("typeof {name} !== 'undefined' && '{name}'")).collect();
    let expression = format!("[{}].filter(Boolean).join()", tests.join(","));
    let defined = async |is_main: bool| -> Option<BTreeSet<String>> {
        let world = tab.read(|state| state.world(frame, is_main))?;
        let asking = p::Evaluate {
            expression: expression.clone(),
            unique_context_id: Some(world.unique_id),
            throw_on_side_effect: Some(true),
            ..p::Evaluate::default()
        };
        let found = tab.channel_of(world.session.as_deref()).call(asking, deadline).await.ok()?;
        let text = found.result.value?;
        Some(text.as_str()?.split(',').map(str::to_owned).filter(|name| !name.is_empty()).collect())
    };
    match (defined(true).await, defined(false).await) {
        (Some(there), Some(here)) => there.difference(&here).cloned().collect(),
        _ => Vec::new(),
    }
}

/// The names that a script may take from the world around it: no properties, nothing in texts or comments, nothing that it declares itself.
fn free_names(js: &str) -> BTreeSet<&str> {
    let tokens = tokens(js);
    let text = |at: usize| tokens.get(at).copied().unwrap_or_default();
    let is_name = |token: &str| token.starts_with(|c: char| c.is_alphabetic() || "_$".contains(c));
    let mut own = BTreeSet::new();
    for at in 0..tokens.len() {
        let declares = ["const", "let", "var", "function", "class", "catch"].contains(&text(at));
        if declares && is_name(text(at + 1)) {
            own.insert(text(at + 1));
        }
        // Arguments stand before the arrow.
        if text(at) == "=" && text(at + 1) == ">" && at > 0 {
            match text(at - 1) {
                ")" => own.extend(tokens[..at - 1].iter().rev().take_while(|token| **token != "(").filter(|token| is_name(token))),
                name => drop(own.insert(name)),
            }
        }
    }
    let is_free = |at: &usize| {
        let is_property = *at > 0 && text(at - 1) == ".";
        let is_of_global = is_property && *at > 1 && GLOBALS.contains(&text(at - 2)) && (*at < 3 || text(at - 3) != ".");
        let is_key = text(at + 1) == ":" && *at > 0 && ["{", ","].contains(&text(at - 1));
        (!is_property || is_of_global) && !is_key
    };
    let free = (0..tokens.len()).filter(|at| is_name(text(*at))).filter(is_free).map(text);
    let is_word = |name: &&str| !KEYWORDS.split_whitespace().any(|word| word == *name) && !own.contains(name);
    free.filter(is_word).collect::<BTreeSet<_>>().into_iter().take(MOST_NAMES).collect()
}

/// The words and signs of a script, without its texts and comments. A division is not told from a regular expression: what is in one
/// counts as code.
fn tokens(js: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = js;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => {
                let mut is_escaped = false;
                let end = rest.char_indices().skip(1).find(|(_, c)| {
                    let ends = *c == first && !is_escaped;
                    is_escaped = *c == '\\' && !is_escaped;
                    ends
                });
                rest = &rest[end.map_or(rest.len(), |(at, quote)| at + quote.len_utf8())..];
                continue;
            }
            // The sign of a template, which is not a name.
            '$' if rest.starts_with("${") => {
                rest = &rest[1..];
                continue;
            }
            '/' if rest.starts_with("//") => {
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                continue;
            }
            '/' if rest.starts_with("/*") => {
                rest = &rest[rest.find("*/").map_or(rest.len(), |at| at + 2)..];
                continue;
            }
            c if c.is_alphanumeric() || "_$".contains(c) => {
                rest.find(|c: char| !c.is_alphanumeric() && !"_$".contains(c)).unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        // `?.` reads a property as `.` does.
        let is_optional = token == "?" && after.starts_with('.');
        if !is_optional && !token.trim().is_empty() {
            tokens.push(token);
        }
        rest = after;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_script_takes_from_around_it() {
        let check = |js: &str, expected: &[&str]| {
            let found: Vec<&str> = free_names(js).into_iter().collect();
            assert_eq!(found, expected, "{js}");
        };
        check("app.inc()", &["app"]);
        check("window.app.inc()", &["app", "window"]);
        check("window?.app?.inc", &["app", "window"]);
        check("() => { const n = store.get('app \\' x'); return n.a + `${y}` } // z", &["store", "y"]);
        check("(a, b) => a.c(b) + d", &["d"]);
        check("x => x.y", &[]);
        check("({ key: 1, other: value })", &["value"]);
        check("/* app */ 1 + 2", &[]);
        check("'unterminated", &[]);
        check("密.读()", &["密"]);
    }
}

//! What can be said of a snapshot by its text: how long it is, and which elements can be acted on.

use serde_json::{Map, Value, json};

/// Roles of what is acted on.
const INTERACTIVE: [&str; 17] = [
    "button",
    "link",
    "textbox",
    "searchbox",
    "checkbox",
    "radio",
    "combobox",
    "listbox",
    "option",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "treeitem",
];

/// An element with a ref, as a line tells of it.
#[derive(Debug, PartialEq)]
struct Named<'t> {
    reference: &'t str,
    role: &'t str,
    name: String,
}

/// Every element with a ref. `[ref=` in a snapshot always is a ref, whatever a page says.
fn named(text: &str) -> impl Iterator<Item = Named<'_>> {
    text.lines().flat_map(|line| {
        let mut from = 0;
        std::iter::from_fn(move || {
            let at = from + line[from..].find("[ref=")?;
            let end = at + line[at..].find(']')?;
            let before = line[from..at].rsplit(" | ").next().unwrap_or_default();
            from = end + 1;
            Some(Named { reference: &line[at + 5..end], ..described(before) })
        })
    })
}

/// The role and the name that stand before a ref.
fn described(before: &str) -> Named<'_> {
    let before = before.trim_start().trim_start_matches("- ").trim_start_matches(['+', '~']).trim_start();
    // A row has its cells after it: `row: Ada`.
    let before =
        before.rsplit_once(": ").filter(|(_, rest)| starts_with_role(rest)).map_or(before, |(_, rest)| rest);
    let end = before.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(before.len());
    let rest = before[end..].trim_start();
    let name = serde_json::Deserializer::from_str(rest).into_iter::<String>().next();
    Named { reference: "", role: &before[..end], name: name.and_then(Result::ok).unwrap_or_default() }
}

fn starts_with_role(text: &str) -> bool {
    INTERACTIVE.iter().any(|role| {
        text.strip_prefix(role).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':']))
    })
}

/// Role and name by ref.
pub(super) fn refs(text: &str) -> Value {
    let all: Map<String, Value> = named(text)
        .map(|Named { reference, role, name }| (reference.to_owned(), json!({"role": role, "name": name})))
        .collect();
    Value::Object(all)
}

/// How much there is.
pub(super) fn stats(text: &str) -> Value {
    let interactive = named(text).filter(|named| INTERACTIVE.contains(&named.role)).count();
    json!({
        "lines": text.lines().count(),
        "chars": text.chars().count(),
        "refs": named(text).count(),
        "interactive": interactive,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_refs() {
        let text = "- main [ref=e1]:\n  - heading \"Orders\" [level=1] [ref=e2]\n  - button \"Say \\\"hi\\\"\" [disabled] [ref=e3]\n  \
                    - row: Ada | button \"Ship\" [ref=e11] | link \"Open\" [ref=f1e2]\n  - textbox \"Email\" [ref=e4]: [ref\\=e9]\n  - text: plain\n";
        assert_eq!(
            refs(text),
            json!({
                "e1": {"role": "main", "name": ""},
                "e2": {"role": "heading", "name": "Orders"},
                "e3": {"role": "button", "name": "Say \"hi\""},
                "e11": {"role": "button", "name": "Ship"},
                "f1e2": {"role": "link", "name": "Open"},
                "e4": {"role": "textbox", "name": "Email"},
            })
        );
        assert_eq!(
            stats(text),
            json!({"lines": 6, "chars": text.chars().count(), "refs": 6, "interactive": 4})
        );
    }
}

//! `docs/tools.md`: the tools of every toolset for people to read, made from the toolsets' own schemas.

use serde_json::{Map, Value};
use toolsets::{Mode, Options, Tool, Toolset};

const INTRO: &str = "# Tools

Generated from `toolsets::ALL` by `cargo docs`; do not edit by hand.

A toolset is offered with `--toolset NAME`. Its tools are called with `webhand call TOOLSET.TOOL 'JSON'`, by an MCP client, or over
HTTP at `/v1/tools/TOOLSET/TOOL`; see [fronts.md](fronts.md). All of them are listed here, those that have to be switched on too.

| toolset | |
|---|---|
";

/// The page.
pub(crate) fn page() -> String {
    let mut page = INTRO.to_owned();
    for set in toolsets::ALL {
        page += &format!("| [{0}](#{0}) | {1} |\n", set.name, cell(set.about));
    }
    for set in toolsets::ALL {
        page += &format!("\n## {}\n\n{}\n", set.name, plain(set.about));
        for tool in set.all {
            page += &section(set, tool);
        }
    }
    page
}

fn section(set: &Toolset, tool: &Tool) -> String {
    let condition = condition(set, tool).map(|condition| format!("\n{condition}\n")).unwrap_or_default();
    let (description, arguments) = (plain(tool.description), arguments(&tool.schema()));
    format!("\n### {}.{}\n\n{description}\n{condition}\n{arguments}", set.name, tool.name)
}

/// What has to be said for the tool to be there.
fn condition(set: &Toolset, tool: &Tool) -> Option<String> {
    if let Some(group) = tool.group {
        return Some(format!("Switched on with `--caps {}`.", group.as_str()));
    }
    match tool.mode {
        Some(Mode::Dom) => return Some("Only with `--mode dom`, the default.".into()),
        Some(Mode::Hybrid) => return Some("Only with `--mode hybrid`.".into()),
        None => {}
    }
    let with_key = Options { can_search: true, ..Options::default() };
    let needs_key = (set.offers)(tool, &with_key) && !(set.offers)(tool, &Options::default());
    needs_key.then(|| "Only with a key for web searches, `BRAVE_API_KEY`.".into())
}

fn arguments(schema: &Value) -> String {
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    if properties.is_empty() {
        return "It takes no arguments.\n".into();
    }
    let required: Vec<_> = schema["required"].as_array().into_iter().flatten().collect();
    let place = |name: &str| required.iter().position(|required| *required == name);
    let mut rows: Vec<_> = properties.iter().collect();
    // What is required comes first, as it was declared. All else by name: maps need not keep another order.
    rows.sort_by_key(|(name, _)| (place(name).unwrap_or(usize::MAX), *name));
    let mut table = "| argument | type | required | |\n|---|---|---|---|\n".to_owned();
    for (name, schema) in rows {
        let required = if place(name).is_some() { "yes" } else { "" };
        table += &format!("| `{name}` | {} | {required} | {} |\n", cell(&kind(schema)), cell(&about(schema)));
    }
    table
}

/// What a value has to be.
fn kind(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(code).collect::<Vec<_>>().join(", ");
    }
    if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        return choices.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    match (&schema["type"], schema["properties"].as_object()) {
        (Value::String(name), _) if name == "array" => format!("list of {}", kind(&schema["items"])),
        (_, Some(parts)) => {
            let parts = parts.iter().map(|(name, part)| format!("`{name}` ({})", kind(part)));
            format!("object of {}", parts.collect::<Vec<_>>().join(", "))
        }
        (Value::String(name), None) => name.clone(),
        (Value::Array(names), None) => {
            names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        _ => "any".into(),
    }
}

/// What is said of a value, and of the parts that it has.
fn about(schema: &Value) -> String {
    let mut said: Vec<String> = schema["description"].as_str().map(str::to_owned).into_iter().collect();
    if let Some(default) = schema.get("default") {
        said.push(format!("{} if left out", code(default)));
    }
    for (name, part) in schema["properties"].as_object().into_iter().flatten() {
        said.extend(
            Some(about(part)).filter(|about| !about.is_empty()).map(|about| format!("`{name}`: {about}")),
        );
    }
    said.extend(schema.get("items").map(about).filter(|about| !about.is_empty()));
    said.join("; ")
}

/// A value as it is written in JSON, names without their quotes.
fn code(value: &Value) -> String {
    value.as_str().map_or_else(|| format!("`{value}`"), |name| format!("`{name}`"))
}

/// A text that Markdown shows as it is.
fn plain(text: &str) -> String {
    text.replace('<', "&lt;")
}

/// The same in a table.
fn cell(text: &str) -> String {
    plain(text).replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_tool_has_a_section() {
        let page = page();
        for set in toolsets::ALL {
            for tool in set.all {
                assert!(page.contains(&format!("\n### {}.{}\n", set.name, tool.name)), "{}", tool.name);
            }
        }
        for condition in ["`--caps vision`", "`--mode hybrid`", "`--mode dom`", "`BRAVE_API_KEY`"] {
            assert!(page.contains(condition), "{condition}");
        }
    }

    #[test]
    fn kinds_and_what_is_said_of_them() {
        let check = |schema: Value, expected: [&str; 2]| {
            assert_eq!([kind(&schema), about(&schema)], expected, "{schema}");
        };
        check(json!({"type": "string", "description": "Where to"}), ["string", "Where to"]);
        check(json!({"type": "string", "enum": ["a", "b"]}), ["`a`, `b`", ""]);
        check(json!({"type": "integer", "default": 5}), ["integer", "`5` if left out"]);
        check(json!({"type": ["string", "integer"]}), ["string or integer", ""]);
        check(
            json!({"type": "array", "items": {"type": "string", "description": "A name"}}),
            ["list of string", "A name"],
        );
        let field = json!({"type": "object", "properties": {"ref": {"type": "string"}, "value": {"type": "string", "description": "new"}}});
        check(
            json!({"type": "array", "items": field, "description": "All"}),
            ["list of object of `ref` (string), `value` (string)", "All; `value`: new"],
        );
        check(json!({}), ["any", ""]);
    }

    #[test]
    fn required_arguments_come_first() {
        let schema = json!({"required": ["z"], "properties": {"a": {"type": "string"}, "z": {"description": "x | <b>"}}});
        let rows: Vec<String> = arguments(&schema).lines().skip(2).map(str::to_owned).collect();
        assert_eq!(rows, ["| `z` | any | yes | x \\| &lt;b> |", "| `a` | string |  |  |"]);
        assert_eq!(arguments(&json!({"properties": {}})), "It takes no arguments.\n");
    }
}

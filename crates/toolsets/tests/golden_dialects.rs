//! The tools of `stagehand` and `openclaw` as clients see them, so that every change of them is a visible one.

use serde_json::json;
use toolsets::{Mode, Options, openclaw, stagehand};

fn definitions(set: &toolsets::Toolset, options: &Options) -> String {
    let tools = set.tools(options);
    let tools = tools.iter().map(|tool| {
        let hints = format!("{:?}", tool.hints);
        json!({"name": tool.name, "description": tool.description, "hints": hints, "inputSchema": tool.schema()})
    });
    serde_json::to_string_pretty(&tools.collect::<Vec<_>>()).unwrap_or_default()
}

#[test]
fn stagehand_by_words() {
    let options = Options { mode: Mode::Dom, ..Options::default() };
    insta::assert_snapshot!(definitions(&stagehand::TOOLSET, &options));
}

#[test]
fn stagehand_by_coordinates_and_with_a_key() {
    let options = Options { mode: Mode::Hybrid, can_search: true, ..Options::default() };
    insta::assert_snapshot!(definitions(&stagehand::TOOLSET, &options));
}

#[test]
fn openclaw_is_flat() {
    let list = definitions(&openclaw::TOOLSET, &Options::default());
    for nested in ["oneOf", "anyOf", "allOf", "$ref"] {
        assert!(!list.contains(nested), "{nested} in {list}");
    }
    insta::assert_snapshot!(list);
}

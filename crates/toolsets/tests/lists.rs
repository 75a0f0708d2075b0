//! The tools of every toolset as clients see them: names, descriptions, schemas, hints. A difference is a change in what models read
//! before every conversation, so look at it before it goes in.

use serde_json::json;
use toolsets::{Options, Tool};

#[test]
fn tool_lists() {
    let all = Options {
        caps: vec!["all".into()],
        mode: toolsets::Mode::Hybrid,
        can_search: true,
        ..Options::default()
    };
    let tool = |tool: &Tool| {
        json!({
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.schema(),
            "readOnly": tool.hints.read_only(),
            "destructive": tool.hints.destructive(),
            "openWorld": tool.hints.open_world(),
            "group": tool.group.map(toolsets::Group::as_str),
        })
    };
    for set in toolsets::ALL {
        let tools: Vec<_> = set.all.iter().map(tool).collect();
        assert!(!set.tools(&all).is_empty(), "{} offers nothing", set.name);
        let list = json!({"toolset": set.name, "about": set.about, "tools": tools});
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("lists");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(set.name, serde_json::to_string_pretty(&list).unwrap()));
    }
}

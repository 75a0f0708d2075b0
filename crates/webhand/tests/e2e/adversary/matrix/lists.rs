//! What there is to attack, from the lists that the fronts themselves have: every tool of every toolset, and every verb.

use engine::Action;
use schemars::generate::SchemaSettings;
use serde_json::Value;
use toolsets::{Hints, Mode, Options};

/// A tool or a verb.
pub(super) struct Subject {
    /// `TOOLSET.TOOL`, or `verbs.VERB`.
    pub name: String,
    /// What it says of itself; verbs say nothing.
    pub hints: Option<Hints>,
    pub schema: Value,
}

impl Subject {
    pub(super) fn is_verb(&self) -> bool {
        self.hints.is_none()
    }
}

/// The tools that a toolset has in a mode, with all that can be switched on.
pub(super) fn tools(set: &str, mode: Mode) -> Vec<Subject> {
    let set = toolsets::toolset(set).unwrap();
    let options = Options {
        caps: vec!["all".into()],
        mode,
        can_search: true,
        nanobot_enabled: true,
        ..Options::default()
    };
    let subject = |tool: &&'static toolsets::Tool| Subject {
        name: format!("{}.{}", set.name, tool.name),
        hints: Some(tool.hints),
        schema: tool.schema(),
    };
    set.tools(&options).iter().map(subject).collect()
}

/// Every verb, as JSON has it.
pub(super) fn verbs() -> Vec<Subject> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<Action>().to_value();
    let verb = |schema: &Value| {
        let name = schema["properties"]["action"]["const"].as_str().expect("every verb has its name");
        Subject { name: format!("verbs.{name}"), hints: None, schema: schema.clone() }
    };
    schema["oneOf"].as_array().unwrap().iter().map(verb).collect()
}

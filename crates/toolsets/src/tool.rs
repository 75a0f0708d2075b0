//! What a tool and a toolset are.

use contract::{Code, Error, Result};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Caller, Mode, Options, Reply, Step, args, schema};

/// The tools of one dialect.
pub struct Toolset {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// Its tools, the most used first.
    pub all: &'static [Tool],
    /// Whether a tool is offered with these options.
    pub offers: fn(&Tool, &Options) -> bool,
    /// How it says that a call was not understood.
    pub refuse: fn(Error) -> Reply,
}

/// One tool: what it is called, what it takes, and what it does.
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does, for the model that may call it.
    pub description: &'static str,
    /// What it does to the world.
    pub hints: Hints,
    /// The group that it is switched on with; none: it is always there.
    pub group: Option<Group>,
    /// The mode that it belongs to; none: it is there in every mode.
    pub mode: Option<Mode>,
    schema: fn() -> Value,
    check: fn(Value) -> Result<()>,
    call: fn(Value, &Caller) -> Result<Step>,
}

/// What a tool may do to the world, as MCP's tool annotations have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hints {
    /// Looks, and changes nothing.
    Reads,
    /// Changes only what webhand itself keeps: tabs, sizes, settings.
    Arranges,
    /// Goes somewhere, or makes a page do something.
    Acts,
    /// The same, and it may not be possible to take it back.
    Destroys,
}

impl Hints {
    /// Whether it changes nothing.
    pub fn read_only(self) -> bool {
        self == Hints::Reads
    }

    /// Whether it may do what cannot be taken back.
    pub fn destructive(self) -> bool {
        matches!(self, Hints::Acts | Hints::Destroys)
    }

    /// Whether the web outside takes part.
    pub fn open_world(self) -> bool {
        self != Hints::Arranges
    }
}

/// Tools that are switched on together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Group {
    Vision,
    Network,
    Storage,
    Pdf,
    Emulation,
}

impl Group {
    /// Every group.
    pub const ALL: [Group; 5] = [Group::Vision, Group::Network, Group::Storage, Group::Pdf, Group::Emulation];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Group::Vision => "vision",
            Group::Network => "network",
            Group::Storage => "storage",
            Group::Pdf => "pdf",
            Group::Emulation => "emulation",
        }
    }
}

/// The arguments of a tool, and what it does with them.
pub(crate) trait Call: DeserializeOwned + JsonSchema {
    /// The first step of it.
    fn call(self, caller: &Caller) -> Result<Step>;
}

impl Tool {
    /// A tool whose arguments are `A`.
    pub(crate) const fn new<A: Call>(name: &'static str, description: &'static str, hints: Hints) -> Tool {
        Tool {
            name,
            description,
            hints,
            group: None,
            mode: None,
            schema: schema::of::<A>,
            check: |value| args::read::<A>(value).map(drop),
            call: |value, caller| args::read::<A>(value)?.call(caller),
        }
    }

    /// The same, in a group.
    pub(crate) const fn in_group(self, group: Group) -> Tool {
        Tool { group: Some(group), ..self }
    }

    /// The same, in a mode.
    pub(crate) const fn in_mode(self, mode: Mode) -> Tool {
        Tool { mode: Some(mode), ..self }
    }

    /// The JSON Schema of its arguments.
    pub fn schema(&self) -> Value {
        (self.schema)()
    }

    /// Whether these can be its arguments, before anything is done.
    pub fn check(&self, args: &Value) -> Result<()> {
        (self.check)(args.clone())
    }
}

impl Toolset {
    /// The tools that these options offer.
    pub fn tools(&self, options: &Options) -> Vec<&'static Tool> {
        self.all.iter().filter(|tool| (self.offers)(tool, options)).collect()
    }

    /// Starts a call.
    pub fn call(&self, name: &str, args: Value, caller: &Caller) -> Step {
        let tool = self.tool(name, &caller.tools);
        let first = tool.and_then(|tool| (tool.call)(args, caller));
        first.unwrap_or_else(|error| Step::Done((self.refuse)(error)))
    }

    /// A tool by its name.
    pub fn tool(&self, name: &str, options: &Options) -> Result<&'static Tool> {
        // A name may stand for another tool in another mode.
        let named = || self.all.iter().filter(|tool| tool.name == name);
        let known = named().find(|tool| (self.offers)(tool, options)).or_else(|| named().next());
        match known {
            Some(tool) if (self.offers)(tool, options) => Ok(tool),
            Some(tool) => {
                Err(Error::new(Code::UnknownTool, format!("{name} is not switched on")).with_hint(match tool
                    .group
                {
                    Some(group) => format!("switch it on with --caps {}", group.as_str()),
                    None => "it belongs to another mode, or needs a key that is not set".to_owned(),
                }))
            }
            None => {
                let names: Vec<_> = self.tools(options).iter().map(|tool| tool.name).collect();
                Err(Error::new(Code::UnknownTool, format!("toolset {} has no tool {name:?}", self.name))
                    .with_hint(format!("its tools are {}", names.join(", "))))
            }
        }
    }
}

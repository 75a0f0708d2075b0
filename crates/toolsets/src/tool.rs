//! What a tool and a toolset are.

use contract::{Code, Error, Result};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Caller, Mode, Options, Reply, Step, Wording, args, schema};

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
    /// What it calls the things that hints and notes of the engine name.
    pub words: &'static Wording,
    /// How it says that arguments were passed over; none: they are refused.
    pub ignored: Option<fn(Reply, &[String]) -> Reply>,
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
    check: fn(Value, bool) -> Result<()>,
    call: fn(Value, bool, &Caller) -> Result<Begun>,
}

/// The first step of a call, and the arguments that were passed over.
type Begun = (Step, Vec<String>);

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

impl Group {
    /// Whether it is switched on.
    pub(crate) fn is_on(self, options: &Options) -> bool {
        options.caps.iter().any(|cap| cap == self.as_str() || cap == "all")
    }

    /// What a caller hears that asks for something of a group that is not.
    pub(crate) fn is_off(self, what: &str) -> Error {
        Error::new(Code::UnknownTool, format!("{what} is not switched on")).with_hint(format!(
            "ask the person who runs webhand to switch it on with --caps {}",
            self.as_str()
        ))
    }
}

/// The arguments of a tool, and what it does with them.
pub(crate) trait Call: DeserializeOwned + JsonSchema {
    /// The first step of it.
    fn call(self, caller: &Caller) -> Result<Step>;
}

fn read<A: Call>(args: Value, forgiving: bool) -> Result<(A, Vec<String>)> {
    match forgiving {
        true => args::read_forgiving(args),
        false => args::read(args).map(|args| (args, Vec::new())),
    }
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
            check: |value, forgiving| read::<A>(value, forgiving).map(drop),
            call: |value, forgiving, caller| {
                let (args, ignored) = read::<A>(value, forgiving)?;
                Ok((args.call(caller)?, ignored))
            },
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

    /// Whether these can be its arguments, before anything is done. Where unknown ones are passed over, they can.
    pub fn check(&self, args: &Value, set: &Toolset) -> Result<()> {
        (self.check)(args.clone(), set.ignored.is_some())
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
        match (tool.and_then(|tool| (tool.call)(args, self.ignored.is_some(), caller)), self.ignored) {
            (Ok((step, names)), Some(ignored)) if !names.is_empty() => {
                self.worded(step).replied(move |reply| ignored(reply, &names))
            }
            (Ok((step, _)), _) => self.worded(step),
            (Err(error), _) => Step::Done(self.refused(error)),
        }
    }

    /// How it says that a call was not understood, in its own words.
    pub fn refused(&self, error: Error) -> Reply {
        (self.refuse)(self.words.error(error))
    }

    /// An error with its hint in the words of this toolset.
    pub fn in_words(&self, error: Error) -> Error {
        self.words.error(error)
    }

    /// The steps with all that the engine answers in the words of this toolset, and errors of its own as well.
    fn worded(&self, step: Step) -> Step {
        let words = self.words;
        step.heard(words).replied(|mut reply| {
            if let Some(hint) = reply.value.pointer_mut("/error/hint")
                && let Some(said) = hint.as_str().map(|hint| words.hint(hint))
            {
                *hint = said.into();
            }
            reply
        })
    }

    /// A tool by its name.
    pub fn tool(&self, name: &str, options: &Options) -> Result<&'static Tool> {
        // A name may stand for another tool in another mode.
        let named = || self.all.iter().filter(|tool| tool.name == name);
        let known = named().find(|tool| (self.offers)(tool, options)).or_else(|| named().next());
        match known {
            Some(tool) if (self.offers)(tool, options) => Ok(tool),
            Some(tool) => Err(match tool.group {
                Some(group) => group.is_off(name),
                None => Error::new(Code::UnknownTool, format!("{name} is not switched on"))
                    .with_hint("it belongs to another mode, or needs a key that is not set"),
            }),
            None => {
                let names: Vec<_> = self.tools(options).iter().map(|tool| tool.name).collect();
                let hint = match nearest(name, &names) {
                    Some(near) => {
                        format!("perhaps {near} is meant; the list of tools has all {}", names.len())
                    }
                    None if names.len() <= FEW => format!("its tools are {}", names.join(", ")),
                    None => format!("the list of tools has all {}", names.len()),
                };
                Err(Error::new(Code::UnknownTool, format!("toolset {} has no tool {name:?}", self.name))
                    .with_hint(hint))
            }
        }
    }
}

/// How many tools are named one by one.
const FEW: usize = 10;

/// The name that another one is most like, if it is like any: some letters differ, or one has the other's words.
fn nearest<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    let words = |name: &str| name.split(['_', '-', '.']).map(str::to_lowercase).collect::<Vec<_>>();
    let score = |other: &str| {
        let (one, two) = (words(name), words(other));
        let shared = one.iter().filter(|word| two.contains(word) && *word != "browser").count();
        let differ = distance(&name.to_lowercase(), &other.to_lowercase());
        (shared > 0 || differ * 3 <= other.len())
            .then_some((shared as isize * 4 - differ as isize, other.len()))
    };
    let scored = names.iter().filter_map(|other| Some((score(other)?, *other)));
    scored.max_by_key(|((score, length), _)| (*score, std::cmp::Reverse(*length))).map(|(_, other)| other)
}

/// How many letters have to be put in, left out or replaced to make one word the other (Levenshtein).
pub(crate) fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, c) in one.chars().take(100).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, d) in other.iter().enumerate() {
            let cost = diagonal + usize::from(c != *d);
            diagonal = row[column + 1];
            row[column + 1] = cost.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name() {
        let names = [
            "browser_click",
            "browser_navigate",
            "browser_navigate_back",
            "browser_take_screenshot",
            "browser_tabs",
        ];
        for (name, near) in [
            ("browser_clik", Some("browser_click")),
            ("click", Some("browser_click")),
            ("browser_screenshot", Some("browser_take_screenshot")),
            ("browser_go_back", Some("browser_navigate_back")),
            ("browser_tab_list", Some("browser_tabs")),
            ("frobnicate", None),
        ] {
            assert_eq!(nearest(name, &names), near, "{name}");
        }
    }
}

//! Why a page does not say what is wanted, and how that is told.

use contract::{Code, Error};

/// Why a page does not say what is wanted.
#[derive(Debug, PartialEq)]
pub(super) enum Problem {
    /// The page has nothing by these names.
    Missing(Vec<String>),
    /// The page may have it, but the instruction also has words that nothing in the page accounts for.
    Condition(Vec<String>),
    /// Nothing in the page is what these words mean.
    Unknown(Vec<String>),
    /// A field by this name is empty, or holds what is never told.
    Empty(String),
    /// The page has all of these, but not side by side.
    Apart(Vec<String>),
    /// The page has it in the first row of a table without headings.
    NoHead(String),
    /// The page has no element of this kind.
    None(&'static str),
    /// The page says several things by this name.
    Unclear(String, Vec<String>),
    /// The same where a list of them can be had.
    Several(String, Vec<String>),
    /// What the page says is not what the schema allows.
    Misfit(String),
    /// No name is asked for, or the shape is none that labels and tables can fill.
    NoShape,
}

const BY_NAMES: &str = "name properties as the page names them, or leave out the schema: the matching parts of the page come as text";
const WITHOUT: &str = "name only what is wanted, as the page names it, and choose from the whole answer yourself, or read the page with ariaTree";
const OF_A_KIND: &str = "ask for all links, headings, images, list items or tables, name columns or labels as the page does, or read it with ariaTree";
const READ: &str = "read the page with ariaTree";

/// How many values an error names.
const SHOWN: usize = 8;

impl From<Problem> for Error {
    fn from(problem: Problem) -> Error {
        let (message, hint) = match problem {
            Problem::Missing(names) if names.is_empty() => return Problem::NoShape.into(),
            Problem::Missing(names) => (
                format!(
                    "the page has no label or column {:?}: to fill it needs a language model, and none is set",
                    names.join(", ")
                ),
                BY_NAMES,
            ),
            // An instruction may hold a secret, so none of it is repeated.
            Problem::Condition(_) => (
                "the instruction has words that are no names of the schema's fields or of the part of the page; to know what they mean needs a language model, and none is set".into(),
                WITHOUT,
            ),
            Problem::Unknown(_) => (
                "no label, column or line of the page is what the instruction says; to know what is meant needs a language model, and none is set".into(),
                OF_A_KIND,
            ),
            Problem::Empty(name) => {
                (format!("a field {name:?} of the page is empty, or holds a password, which is never read"), READ)
            }
            Problem::Apart(names) => (
                format!(
                    "the page has {:?}, but not as columns of one table: to know which belong together needs a language model, and none is set",
                    names.join(", ")
                ),
                "ask for a list of each by itself",
            ),
            Problem::NoHead(name) => (
                format!(
                    "the page has {name:?} in the first row of a table, and does not say whether that is the heading of a column"
                ),
                "ask for all columns of the table as a list of objects, or for all tables",
            ),
            Problem::None(kind) => (
                format!(
                    "the page has no {kind}; to know what else may be meant needs a language model, and none is set"
                ),
                READ,
            ),
            Problem::Unclear(name, found) => {
                return several(&name, &found).with_hint("name the value more exactly, or read the page with ariaTree");
            }
            Problem::Several(name, found) => {
                return several(&name, &found).with_hint(
                    "ask for a list of them, name the value more exactly, or read the page with ariaTree",
                );
            }
            Problem::NoShape => (
                "labels and tables of the page do not fill a schema of this shape: that needs a language model, and none is set"
                    .into(),
                BY_NAMES,
            ),
            Problem::Misfit(why) => (
                format!("what the page says is not what the schema asks for: {why}"),
                "ask for it as a string without format, or read the page with ariaTree",
            ),
        };
        Error::new(Code::Unsupported, message).with_hint(hint)
    }
}

fn several(name: &str, found: &[String]) -> Error {
    let more = found.len().saturating_sub(SHOWN);
    let mut shown: Vec<String> = found.iter().take(SHOWN).map(|text| format!("{text:?}")).collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    let count = found.len();
    Error::new(
        Code::ElementAmbiguous,
        format!("the page has {count} values for {name:?}: {}", shown.join(", ")),
    )
}

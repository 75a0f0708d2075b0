//! `extract` without a model: what can be told apart in every page (links, headings, pictures, lists, tables), the columns, cells and
//! labelled values that the instruction or the schema names, or the lines that have all words of the instruction. What only a model could
//! know is refused: an answer that is incomplete or a guess is worse than none.

mod asked;
mod check;
mod kind;
mod labels;
mod named;
mod page;
mod problem;
mod shaped;
mod table;
mod text;
mod typed;

use contract::{Code, Content, Error, Outcome, Result};
use engine::actions::{Read, ReadFormat};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use self::{
    asked::Asked, check::Fault, kind::Kind, page::Page, problem::Problem, shaped::shaped, text::has_word,
};
use super::answer;
use crate::{Caller, Hints, Reply, Step, Tool, lines, tool::Call};

pub(super) const EXTRACT: Tool = Tool::new::<ExtractArgs>(
    "extract",
    "Read what an instruction is about: all links, headings, pictures, list items or tables; columns, cells and labelled values by their \
     names; or the lines with all its words. What needs a language model is refused",
    Hints::Reads,
);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExtractArgs {
    /// What to read
    instruction: String,
    /// JSON Schema of the result; filled from labels and tables of the page, or refused
    schema: Option<String>,
}

impl Call for ExtractArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let asked = Asked::new(&self.instruction);
        if let Some(schema) = self.schema {
            return of_shape(caller, &schema, asked);
        }
        if asked.words().is_empty() {
            return Ok(main_content(caller));
        }
        let mark = caller.mark.clone();
        Ok(in_page(caller, move |outcome, page| {
            Step::Done(match answered(&page, &asked) {
                Ok((value, what)) => result(&outcome, value, &what, &mark),
                Err(problem) => answer::failed(problem.into(), json!({})),
            })
        }))
    }
}

/// What the page says to an instruction, and what that is. The names that the page has go before the kinds that every page has.
fn answered(page: &Page, asked: &Asked) -> Result<(Value, String), Problem> {
    let words = asked.words();
    let needs_model = || Problem::Unknown(words.clone());
    if asked.needs_thought() {
        let whole = asked.text().to_lowercase();
        let lines = page.lines.iter().filter(|line| line.to_lowercase().contains(&whole));
        return joined(lines.cloned().collect(), LINES).ok_or_else(needs_model);
    }
    if let Some(rows) = named::columns(page, asked)? {
        return Ok((Value::Array(rows), "the columns that the instruction names".into()));
    }
    let kind = match &*words {
        [word] => Kind::of(word).map(|kind| (kind, kind.all_in(page))),
        _ => None,
    };
    if let Some((kind, all)) = &kind
        && asked.is_for_all()
        && !all.is_empty()
    {
        return Ok((all.clone().into(), all_of(*kind)));
    }
    if let Some(found) =
        joined(named::labels(page, asked)?, "the lines with the label that the instruction names")
    {
        return Ok(found);
    }
    match kind {
        Some((kind @ (Kind::Links | Kind::Images), all)) if all.is_empty() => {
            return Ok((all.into(), format!("the page has no {}", kind.name())));
        }
        Some((kind, all)) if all.is_empty() => return Err(Problem::None(kind.name())),
        Some((kind, all)) => return Ok((all.into(), all_of(kind))),
        None if asked.is_for_all() => return Err(needs_model()),
        None => {}
    }
    if let Some(cell) = named::cell(page, asked) {
        return Ok((json!([cell]), "the cell that the instruction names".into()));
    }
    let has_all = |line: &&String| words.iter().all(|word| has_word(line, word));
    joined(page.lines.iter().filter(has_all).cloned().collect(), LINES).ok_or_else(needs_model)
}

const LINES: &str = "the lines that have all words of the instruction";

fn all_of(kind: Kind) -> String {
    format!("all {} of the page", kind.name())
}

fn joined(lines: Vec<String>, what: &str) -> Option<(Value, String)> {
    (!lines.is_empty()).then(|| (lines.join("\n").into(), what.to_owned()))
}

/// Reads the whole page.
fn in_page(caller: &Caller, then: impl FnOnce(Outcome, Page) -> Step + Send + 'static) -> Step {
    let read = Read { whole: true, format: ReadFormat::Html, max_chars: Some(u64::MAX), ..Read::default() };
    caller.perform(caller.request(read), move |result| match result {
        Ok(outcome) => {
            let page = Page::read(outcome.content.as_ref().map_or("", |content| &content.text));
            // How much was read is for people who read pages.
            then(Outcome { notes: Vec::new(), content: None, ..outcome }, page)
        }
        Err(error) => Step::Done(answer::failed(error, json!({}))),
    })
}

/// A result of a certain shape.
fn of_shape(caller: &Caller, schema: &str, asked: Asked) -> Result<Step> {
    let schema = serde_json::from_str::<Value>(schema).unwrap_or_else(|_| schema.into());
    match check::schema(&schema) {
        Ok(()) => {}
        Err(Fault::Invalid(why)) => return Err(Error::invalid(why).with_hint(NO_SCHEMA)),
        Err(Fault::Unread(why)) => {
            return Ok(Step::Done(answer::failed(
                Error::new(Code::Unsupported, why).with_hint(NO_SCHEMA),
                json!({}),
            )));
        }
    }
    let mark = caller.mark.clone();
    Ok(in_page(caller, move |outcome, page| {
        Step::Done(match shaped(&schema, &asked, &page) {
            Ok(value) => result(&outcome, value, "by the labels and tables of the page", &mark),
            Err(problem) => answer::failed(problem.into(), json!({})),
        })
    }))
}

const NO_SCHEMA: &str = "write a JSON Schema of types, properties and items, or leave out the schema: the matching parts of the page come as text";

/// The main content, for instructions that name nothing in particular.
fn main_content(caller: &Caller) -> Step {
    let mark = caller.mark.clone();
    caller.perform(caller.request(Read::default()), move |result| {
        Step::Done(match result {
            Ok(outcome) => {
                let content = outcome.content.clone().unwrap_or_default();
                read(&outcome, &content, "the page's main content", &mark)
            }
            Err(error) => answer::failed(error, json!({})),
        })
    })
}

/// Data from the page.
fn result(outcome: &Outcome, value: Value, what: &str, mark: &str) -> Reply {
    let shown = match &value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(Value::to_string).collect::<Vec<_>>().join("\n"),
        value => value.to_string(),
    };
    let text = format!("{what}:\n{}", lines::from_page(&shown, mark));
    let data = json!({"result": value, "message": format!("{what}; no model took part")});
    Reply { text: Some(text), ..answer::done(data, outcome) }
}

fn read(outcome: &Outcome, content: &Content, what: &str, mark: &str) -> Reply {
    let mut data = json!({"result": content.text, "message": format!("{what}; no model took part")});
    let mut text = format!("{what}:\n{}", lines::from_page(&content.text, mark));
    if let Some(next) = content.next_offset {
        let says = format!("cut: characters {} to {next} of {}", content.offset, content.total);
        text += &format!("\n{says}");
        data["truncated"] = says.into();
    }
    Reply { text: Some(text), ..answer::done(data, outcome) }
}

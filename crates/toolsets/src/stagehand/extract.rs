//! `extract` without a model: what can be told apart in every page (links, headings, pictures, lists, tables), the columns, cells and
//! labelled values that the instruction or the schema names, or the lines that have all words of the instruction. What only a model could
//! know is refused: an answer that is incomplete or a guess is worse than none.

mod check;
mod labels;
mod page;
mod wanted;

use contract::{Code, Content, Error, Outcome, Result};
use engine::actions::{Read, ReadFormat};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use self::{
    check::Fault,
    page::Page,
    wanted::{Kind, Problem, cell_named, columns_named, has_word, shaped},
};
use super::answer;
use crate::{Caller, Hints, Reply, Step, Tool, lines, tool::Call};

pub(super) const EXTRACT: Tool = Tool::new::<ExtractArgs>(
    "extract",
    "Read what an instruction is about: all links, headings, pictures, list items or tables; columns, cells and labelled values by their \
     names; or the lines with all its words. What needs a language model is refused",
    Hints::Reads,
);

/// Words that say what to do and not what about.
const ASKING: [&str; 47] = [
    "extract",
    "get",
    "find",
    "read",
    "give",
    "me",
    "show",
    "list",
    "return",
    "collect",
    "tell",
    "the",
    "a",
    "an",
    "of",
    "on",
    "in",
    "from",
    "for",
    "to",
    "with",
    "and",
    "or",
    "all",
    "every",
    "each",
    "this",
    "that",
    "these",
    "is",
    "are",
    "what",
    "which",
    "how",
    "much",
    "many",
    "please",
    "page",
    "text",
    "content",
    "contents",
    "information",
    "data",
    "value",
    "its",
    "their",
    "whole",
];

/// The same in Chinese, where words are not parted.
const ASKING_CHINESE: [&str; 16] = [
    "提取",
    "获取",
    "读取",
    "请",
    "帮我",
    "查找",
    "找出",
    "列出",
    "页面上",
    "页面",
    "所有",
    "全部",
    "内容",
    "信息",
    "的",
    "中",
];

/// Words that ask for everything of a kind.
const ALL: [&str; 5] = ["all", "every", "each", "list", "both"];
const ALL_CHINESE: [&str; 9] = ["所有", "全部", "每个", "每条", "每一", "各个", "列出", "一切", "逐个"];

/// Words that begin a question to be answered with yes or no.
const YES_OR_NO: [&str; 10] = ["is", "are", "was", "were", "does", "do", "did", "has", "have", "can"];
/// Words that ask for a number of things, or for a judgement.
const THOUGHT: [&str; 6] = ["how many", "number of", "多少个", "几个", "多少条", "是否"];

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
        let words = words_of(&self.instruction);
        if let Some(schema) = self.schema {
            return of_shape(caller, &schema, words);
        }
        if words.is_empty() {
            return Ok(main_content(caller));
        }
        let (mark, instruction) = (caller.mark.clone(), self.instruction);
        Ok(in_page(caller, move |outcome, page| {
            Step::Done(match answered(&page, &words, &instruction) {
                Ok((value, what)) => result(&outcome, value, what, &mark),
                Err(error) => answer::failed(error, json!({})),
            })
        }))
    }
}

/// What the page says to an instruction, and what that is.
fn answered(page: &Page, words: &[String], instruction: &str) -> Result<(Value, &'static str)> {
    if needs_thought(instruction) {
        let lines =
            page.lines.iter().filter(|line| line.to_lowercase().contains(&instruction.to_lowercase()));
        return lines_found(lines.cloned().collect()).ok_or_else(|| needs_model(words));
    }
    if let [word] = words
        && let Some(kind) = Kind::of(word)
    {
        return Ok((Value::Array(kind.all_in(page)), "all that the page has of it"));
    }
    if let Some(rows) = columns_named(page, words).map_err(told)? {
        return Ok((Value::Array(rows), "the columns that the instruction names"));
    }
    if asks_for_all(instruction) {
        return Err(needs_model(words));
    }
    if let Some(cell) = cell_named(page, words) {
        return Ok((json!([cell]), "the cell that the instruction names"));
    }
    let has_all = |line: &&String| words.iter().all(|word| has_word(line, word));
    lines_found(page.lines.iter().filter(has_all).cloned().collect()).ok_or_else(|| needs_model(words))
}

fn lines_found(lines: Vec<String>) -> Option<(Value, &'static str)> {
    (!lines.is_empty()).then(|| (lines.join("\n").into(), "the lines that have all words of the instruction"))
}

/// Whether an answer would have to be counted, judged or put together, and is not in the page as such.
fn needs_thought(instruction: &str) -> bool {
    let text = instruction.trim().to_lowercase();
    let first = parted(&text).next().unwrap_or_default();
    YES_OR_NO.contains(&first) || THOUGHT.iter().any(|words| text.contains(words))
}

/// What an instruction is about, without what it asks to do with it.
fn words_of(instruction: &str) -> Vec<String> {
    let mut text = instruction.to_lowercase();
    for word in ASKING_CHINESE {
        text = text.replace(word, " ");
    }
    parted(&text).filter(|word| !ASKING.contains(word)).map(str::to_owned).collect()
}

fn parted(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| c.is_whitespace() || ",.;:!?\"'“”‘’，。；：！？、()".contains(c));
    parts.filter(|word| !word.is_empty())
}

/// Whether an instruction wants everything of a kind, and not one thing.
fn asks_for_all(instruction: &str) -> bool {
    let text = instruction.to_lowercase();
    parted(&text).any(|word| ALL.contains(&word)) || ALL_CHINESE.iter().any(|word| text.contains(word))
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
fn of_shape(caller: &Caller, schema: &str, words: Vec<String>) -> Result<Step> {
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
        Step::Done(match shaped(&schema, &words, &page) {
            Ok(value) => result(&outcome, value, "by the labels and tables of the page", &mark),
            Err(problem) => answer::failed(told(problem), json!({})),
        })
    }))
}

const NO_SCHEMA: &str = "write a JSON Schema of types, properties and items, or leave out the schema: the matching parts of the page come as text";

/// Why the page does not say what is wanted.
fn told(problem: Problem) -> Error {
    let by_names = "name properties as the page names them, or leave out the schema: the matching parts of the page come as text";
    match problem {
        Problem::Missing(names) if names.is_empty() => told(Problem::NoShape),
        Problem::Missing(names) => Error::new(
            Code::Unsupported,
            format!("the page has no label or column {names:?}: to fill it needs a language model, and none is set"),
        )
        .with_hint(by_names),
        Problem::NoShape => Error::new(
            Code::Unsupported,
            "labels and tables of the page do not fill a schema of this shape: that needs a language model, and none is set",
        )
        .with_hint(by_names),
        Problem::Unclear(name, found) => {
            let more = found.len().saturating_sub(SHOWN);
            let mut shown: Vec<String> = found.iter().take(SHOWN).map(|text| format!("{text:?}")).collect();
            if more > 0 {
                shown.push(format!("{more} more"));
            }
            let count = found.len();
            Error::new(Code::ElementAmbiguous, format!("the page has {count} values for {name:?}: {}", shown.join(", ")))
                .with_hint("ask for a list of them, name the value more exactly, or read the page with ariaTree")
        }
        Problem::Misfit(why) => {
            Error::new(Code::Unsupported, format!("what the page says is not what the schema asks for: {why}"))
                .with_hint("ask for it as a string without format, or read the page with ariaTree")
        }
    }
}

/// How many values an error names.
const SHOWN: usize = 8;

fn needs_model(words: &[String]) -> Error {
    let words = words.join(" ");
    let message = format!(
        "no label, column or line of the page is {words:?}; to know what is meant needs a language model, and none is set"
    );
    Error::new(Code::Unsupported, message).with_hint(
        "ask for all links, headings, images, list items or tables, name columns or labels as the page does, or read it with ariaTree",
    )
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_instruction_is_about() {
        for (instruction, words) in [
            ("Extract the price of the kettle.", "price kettle"),
            ("get all order numbers", "order numbers"),
            ("extract the text of this page", ""),
            ("提取订单的总价", "订单 总价"),
            ("", ""),
        ] {
            assert_eq!(words_of(instruction).join(" "), words, "{instruction}");
        }
        for (instruction, all) in [
            ("提取所有新闻的标题", true),
            ("list the prices", true),
            ("提取订单的总价", false),
            ("the wall clock", false),
        ] {
            assert_eq!(asks_for_all(instruction), all, "{instruction}");
        }
    }
}

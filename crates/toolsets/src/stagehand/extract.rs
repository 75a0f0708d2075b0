//! `extract` without a model: what can be told apart in every page (links, headings, pictures, lists, tables), the columns, cells and
//! labelled values that the instruction or the schema names, or the lines that have all words of the instruction. What only a model could
//! know is refused: an answer that is incomplete or a guess is worse than none.

mod page;
mod wanted;

use contract::{Code, Content, Error, Outcome, Result};
use engine::actions::{Find, FindIn, Read};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use self::{
    page::Page,
    wanted::{Kind, cell_named, columns_named, shaped},
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

/// How many lines around a match belong to it.
const AROUND: usize = 2;

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
        let kind = match &*words {
            [word] => Kind::of(word),
            _ => None,
        };
        if let Some(schema) = self.schema {
            return Ok(of_shape(caller, &schema, kind));
        }
        if words.is_empty() {
            return Ok(main_content(caller));
        }
        let asks_for_all = asks_for_all(&self.instruction);
        let next = caller.clone();
        Ok(in_page(caller, move |outcome, page| {
            if let Some(kind) = kind {
                return Step::Done(match kind.all_in(&page) {
                    all if all.is_empty() => answer::failed(none_of(&words), json!({})),
                    all => listed(&outcome, all, "all that the page has of it", &next.mark),
                });
            }
            if let Some(rows) = columns_named(&page, &words) {
                return Step::Done(listed(
                    &outcome,
                    rows,
                    "the columns that the instruction names",
                    &next.mark,
                ));
            }
            if asks_for_all {
                return Step::Done(answer::failed(needs_model(&words), json!({})));
            }
            match cell_named(&page, &words) {
                Some(cell) => Step::Done(listed(
                    &outcome,
                    vec![cell],
                    "the cell that the instruction names",
                    &next.mark,
                )),
                None => lines_with_all(&next, words),
            }
        }))
    }
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
    let read = Read { whole: true, max_chars: Some(u64::MAX), ..Read::default() };
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
fn of_shape(caller: &Caller, schema: &str, kind: Option<Kind>) -> Step {
    let Ok(schema) = serde_json::from_str::<Value>(schema) else {
        let error = Error::new(Code::Unsupported, "the schema is no JSON Schema, and only those can be read")
            .with_hint("write it as JSON Schema, or leave out the schema: the matching parts of the page come as text");
        return Step::Done(answer::failed(error, json!({})));
    };
    let mark = caller.mark.clone();
    in_page(caller, move |outcome, page| {
        Step::Done(match shaped(&schema, kind, &page) {
            Some(value) => result(&outcome, value, "by the labels and tables of the page", &mark),
            None => {
                let error = Error::new(
                    Code::Unsupported,
                    "the page has no labels or table with the names of the schema: to fill it needs a language model, and none is set",
                )
                .with_hint("name properties as the page names them, or leave out the schema: the matching parts of the page come as text");
                answer::failed(error, json!({}))
            }
        })
    })
}

/// What the page says in one place.
fn lines_with_all(caller: &Caller, words: Vec<String>) -> Step {
    let find = Find { words: words.join(" "), place: FindIn::Text, context: Some(AROUND), ..Find::default() };
    let next = caller.clone();
    let mark = caller.mark.clone();
    caller.perform(caller.request(find), move |result| match result {
        Ok(outcome) => match found(&outcome) {
            Some(content) => {
                Step::Done(told(&outcome, content, "the lines that have all words of the instruction", &mark))
            }
            None => refused(&next, words),
        },
        Err(error) => Step::Done(answer::failed(error, json!({}))),
    })
}

/// Nothing has all of the words. If the page has some of them, a model might make sense of it.
fn refused(caller: &Caller, words: Vec<String>) -> Step {
    let any: Vec<String> = words.iter().map(|word| escaped(word)).collect();
    let find = Find { words: any.join("|"), regex: true, place: FindIn::Text, ..Find::default() };
    caller.perform(caller.request(find), move |result| {
        let error = match result {
            Ok(outcome) if found(&outcome).is_some() => needs_model(&words),
            Ok(_) => none_of(&words),
            Err(error) => error,
        };
        Step::Done(answer::failed(error, json!({})))
    })
}

fn needs_model(words: &[String]) -> Error {
    let message =
        format!("to know what {:?} is in this page needs a language model, and none is set", words.join(" "));
    Error::new(Code::Unsupported, message).with_hint(
        "ask for all links, headings, images, list items or tables, name columns or labels as the page does, or read it with ariaTree",
    )
}

fn none_of(words: &[String]) -> Error {
    Error::new(Code::ElementNotFound, format!("the page has nothing with the words {:?}", words.join(" ")))
        .with_hint("use words that stand in the page; ariaTree shows them")
}

/// The main content, for instructions that name nothing in particular.
fn main_content(caller: &Caller) -> Step {
    let mark = caller.mark.clone();
    caller.perform(caller.request(Read::default()), move |result| {
        Step::Done(match result {
            Ok(outcome) => {
                let content = outcome.content.clone().unwrap_or_default();
                told(&outcome, &content, "the page's main content", &mark)
            }
            Err(error) => answer::failed(error, json!({})),
        })
    })
}

fn found(outcome: &Outcome) -> Option<&Content> {
    outcome.content.as_ref().filter(|content| !content.text.starts_with("0 matches"))
}

fn listed(outcome: &Outcome, all: Vec<Value>, what: &str, mark: &str) -> Reply {
    result(outcome, Value::Array(all), what, mark)
}

/// Data from the page.
fn result(outcome: &Outcome, value: Value, what: &str, mark: &str) -> Reply {
    let shown = match &value {
        Value::Array(all) => all.iter().map(Value::to_string).collect::<Vec<_>>().join("\n"),
        value => value.to_string(),
    };
    let text = format!("{what}:\n{}", lines::from_page(&shown, mark));
    let data = json!({"result": value, "message": format!("{what}; no model took part")});
    Reply { text: Some(text), ..answer::done(data, outcome) }
}

fn told(outcome: &Outcome, content: &Content, what: &str, mark: &str) -> Reply {
    let mut data = json!({"result": content.text, "message": format!("{what}; no model took part")});
    let mut text = format!("{what}:\n{}", lines::from_page(&content.text, mark));
    if let Some(next) = content.next_offset {
        let says = format!("cut: characters {} to {next} of {}", content.offset, content.total);
        text += &format!("\n{says}");
        data["truncated"] = says.into();
    }
    Reply { text: Some(text), ..answer::done(data, outcome) }
}

/// A word as a regular expression that means just that.
fn escaped(word: &str) -> String {
    word.chars().fold(String::new(), |mut text, c| {
        if c.is_ascii_punctuation() {
            text.push('\\');
        }
        text.push(c);
        text
    })
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
        assert_eq!(escaped("a.b-c"), "a\\.b\\-c");
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

//! `extract` without a model: the parts of the page that the words of the instruction are in, or the element that they describe.

use contract::{Code, Content, Error, Outcome, Result, Target};
use engine::actions::{Find, FindIn, Read};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer;
use crate::{Caller, Hints, Reply, Step, Tool, lines, tool::Call};

pub(super) const EXTRACT: Tool = Tool::new::<ExtractArgs>(
    "extract",
    "Read the parts of the page that an instruction is about, as text",
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

/// How many lines around a match belong to it.
const AROUND: usize = 2;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExtractArgs {
    /// What to read
    instruction: String,
    /// JSON Schema of the result; needs a model
    schema: Option<String>,
}

impl Call for ExtractArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        if self.schema.is_some() {
            let error = Error::new(
                Code::Unsupported,
                "a result of a certain shape needs a language model, and none is set",
            )
            .with_hint("leave out the schema: the matching parts of the page come as text");
            return Ok(Step::Done(answer::failed(error, json!({}))));
        }
        let words = words_of(&self.instruction);
        let caller = caller.clone();
        if words.is_empty() {
            return Ok(reading(&caller, None));
        }
        Ok(lines_with_all(&caller, words))
    }
}

/// What an instruction is about, without what it asks to do with it.
fn words_of(instruction: &str) -> Vec<String> {
    let mut text = instruction.to_lowercase();
    for word in ASKING_CHINESE {
        text = text.replace(word, " ");
    }
    let parts = text.split(|c: char| c.is_whitespace() || ",.;:!?\"'“”‘’，。；：！？、()".contains(c));
    parts.filter(|word| !word.is_empty() && !ASKING.contains(word)).map(str::to_owned).collect()
}

/// First what the page says in one place.
fn lines_with_all(caller: &Caller, words: Vec<String>) -> Step {
    let find = Find { words: words.join(" "), place: FindIn::Text, context: Some(AROUND), ..Find::default() };
    let next = caller.clone();
    let mark = caller.mark.clone();
    caller.perform(caller.request(find), move |result| match result {
        Ok(outcome) => match found(&outcome) {
            Some(content) => {
                Step::Done(told(&outcome, content, "the lines that have all words of the instruction", &mark))
            }
            None => described(&next, words),
        },
        Err(error) => Step::Done(answer::failed(error, json!({}))),
    })
}

/// Then the element that the words describe.
fn described(caller: &Caller, words: Vec<String>) -> Step {
    let scope = Target::Words(words.join(" "));
    let (next, mark) = (caller.clone(), caller.mark.clone());
    caller.perform(caller.request(Read { scope: Some(scope), ..Read::default() }), move |result| match result
    {
        Ok(outcome) => match outcome.content.clone().filter(|content| !content.text.trim().is_empty()) {
            Some(content) => {
                Step::Done(told(&outcome, &content, "the element that the instruction describes", &mark))
            }
            None => lines_with_any(&next, &words),
        },
        Err(error) if matches!(error.code, Code::ElementNotFound | Code::ElementAmbiguous) => {
            lines_with_any(&next, &words)
        }
        Err(error) => Step::Done(answer::failed(error, json!({}))),
    })
}

/// At last whatever has one of the words.
fn lines_with_any(caller: &Caller, words: &[String]) -> Step {
    let any: Vec<String> = words.iter().map(|word| escaped(word)).collect();
    let find =
        Find { words: any.join("|"), regex: true, place: FindIn::Text, context: Some(1), ..Find::default() };
    let mark = caller.mark.clone();
    caller.perform(caller.request(find), move |result| {
        Step::Done(match result {
            Ok(outcome) => match found(&outcome) {
                Some(content) => {
                    told(&outcome, content, "the lines that have one of the words of the instruction", &mark)
                }
                None => {
                    let error = Error::new(
                        Code::ElementNotFound,
                        "nothing in the page has the words of the instruction",
                    )
                    .with_hint("use words that stand in the page; ariaTree shows them");
                    answer::failed(error, json!({}))
                }
            },
            Err(error) => answer::failed(error, json!({})),
        })
    })
}

/// The main content, for instructions that name nothing in particular.
fn reading(caller: &Caller, scope: Option<Target>) -> Step {
    let mark = caller.mark.clone();
    caller.perform(caller.request(Read { scope, ..Read::default() }), move |result| {
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
    }
}

//! What a page has written to its console: the last of it, over all documents of the tab. Pure, like the rest of the state.

use std::collections::VecDeque;

use cdp::protocol as p;
use clap::ValueEnum;
use contract::ConsoleMessage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words;

/// How many messages are kept, and how many bytes of them.
const MOST_MESSAGES: usize = 500;
const MOST_BYTES: usize = 512 << 10;

/// How bad a message is. What is worse comes first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Errors, and exceptions that nobody caught.
    Error,
    /// Warnings.
    Warning,
    /// What a page writes in passing.
    #[default]
    Info,
    /// What only its developers want to know.
    Debug,
}

impl Level {
    /// As it is spelled in outcomes.
    pub const fn as_str(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Info => "info",
            Level::Debug => "debug",
        }
    }
}

/// The console of a tab.
#[derive(Debug, Default)]
pub(crate) struct Console {
    messages: VecDeque<Message>,
    /// The number of the last message.
    last: u64,
    bytes: usize,
    /// How many messages there was no room for.
    dropped: u64,
    /// The number of the last message that belongs to an earlier document of the tab.
    earlier: u64,
}

#[derive(Debug)]
struct Message {
    /// The number of its last repetition.
    number: u64,
    level: Level,
    text: String,
    at: String,
    times: u64,
    source: Source,
}

/// Where a message comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// The page wrote it, or the browser about the page.
    Console,
    /// The browser's own words about a request, which the list of requests has too.
    Network,
    /// An exception, by its number in the process that runs the frame. It is taken back if somebody catches it after all.
    Exception { session: Option<String>, id: i64 },
}

impl Console {
    /// To be handed to [`Console::errors_since`] later.
    pub(crate) fn mark(&self) -> u64 {
        self.last
    }

    /// The errors that were written since. What is known from the requests is not among them.
    pub(crate) fn errors_since(&self, mark: u64) -> Vec<ConsoleMessage> {
        self.since(mark, Level::Error)
            .filter(|message| message.source != Source::Network)
            .map(Message::told)
            .collect()
    }

    /// The messages of this level and worse that were written since, the oldest first.
    pub(crate) fn list(&self, mark: u64, level: Level) -> Vec<ConsoleMessage> {
        self.since(mark, level).map(Message::told).collect()
    }

    /// The number of the last message that belongs to an earlier document of the tab.
    pub(crate) fn earlier(&self) -> u64 {
        self.earlier
    }

    /// A new document has taken the page over.
    pub(super) fn new_document(&mut self) {
        self.earlier = self.last;
    }

    /// How many messages there was no room for.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Forgets all messages up to this one.
    pub(crate) fn clear(&mut self, up_to: u64) {
        self.messages.retain(|message| message.number > up_to);
        self.bytes = self.messages.iter().map(Message::bytes).sum();
        self.dropped = 0;
    }

    fn since(&self, mark: u64, level: Level) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(move |message| message.number > mark && message.level <= level)
    }

    /// A call of `console.log` and its like.
    pub(super) fn called(&mut self, event: &p::ConsoleCalled) {
        let level = match &*event.r#type {
            "error" | "assert" => Level::Error,
            "warning" => Level::Warning,
            "debug" => Level::Debug,
            // The log is kept, whatever the page wants; and the end of a group says nothing.
            "clear" | "endGroup" => return,
            _ => Level::Info,
        };
        let mut text = words::of_call(&event.args);
        if event.r#type == "assert" {
            text.insert_str(0, "Assertion failed: ");
        }
        self.write(level, text, place(event.stack_trace.as_ref()), Source::Console);
    }

    /// An exception that nobody caught.
    pub(super) fn thrown(&mut self, details: &p::ExceptionDetails, session: Option<&str>) {
        let thrown = details.exception.as_ref().map(words::of_object).unwrap_or_default();
        let text = format!("{} {thrown}", details.text);
        let at = match place(details.stack_trace.as_ref()) {
            at if at.is_empty() && !details.url.is_empty() => {
                format!("{}:{}:{}", details.url, details.line_number + 1, details.column_number + 1)
            }
            at => at,
        };
        let source = Source::Exception { session: session.map(str::to_owned), id: details.exception_id };
        self.write(Level::Error, text.trim().to_owned(), at, source);
    }

    /// A rejected promise has found somebody who handles it.
    pub(super) fn revoked(&mut self, id: i64, session: Option<&str>) {
        let revoked = Source::Exception { session: session.map(str::to_owned), id };
        self.messages.retain(|message| message.source != revoked);
        self.bytes = self.messages.iter().map(Message::bytes).sum();
    }

    /// Something that the browser has to say about the page.
    pub(super) fn logged(&mut self, entry: p::LogEntry) {
        let level = match &*entry.level {
            "error" => Level::Error,
            "warning" => Level::Warning,
            "verbose" => Level::Debug,
            _ => Level::Info,
        };
        let source = if entry.source == "network" { Source::Network } else { Source::Console };
        let at = match entry.line_number {
            Some(line) if !entry.url.is_empty() => format!("{}:{}", entry.url, line + 1),
            _ => entry.url,
        };
        self.write(level, entry.text, at, source);
    }

    fn write(&mut self, level: Level, text: String, at: String, source: Source) {
        let (text, at) = (words::cut(text, words::LONGEST), words::cut(at, words::LONGEST));
        self.last += 1;
        if let Some(last) = self.messages.back_mut()
            && (last.level, &last.text, &last.at) == (level, &text, &at)
            && last.number > self.earlier
        {
            last.times += 1;
            last.number = self.last;
            last.source = source;
            return;
        }
        let message = Message { number: self.last, level, text, at, times: 1, source };
        self.bytes += message.bytes();
        self.messages.push_back(message);
        while self.messages.len() > MOST_MESSAGES || self.bytes > MOST_BYTES {
            let Some(oldest) = self.messages.pop_front() else { break };
            self.bytes -= oldest.bytes().min(self.bytes);
            self.dropped += oldest.times;
        }
    }
}

impl Message {
    fn bytes(&self) -> usize {
        self.text.len() + self.at.len()
    }

    fn told(&self) -> ConsoleMessage {
        ConsoleMessage {
            number: self.number,
            level: self.level.as_str().into(),
            text: self.text.clone(),
            at: self.at.clone(),
            repeated: if self.times > 1 { self.times } else { 0 },
        }
    }
}

/// Where a script was: address, line and column, as people count them.
fn place(stack: Option<&p::StackTrace>) -> String {
    match stack.and_then(|stack| stack.call_frames.first()) {
        Some(frame) if !frame.url.is_empty() => {
            format!("{}:{}:{}", frame.url, frame.line_number + 1, frame.column_number + 1)
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(kind: &str, text: &str) -> p::ConsoleCalled {
        let args = serde_json::from_value(json!([{"type": "string", "value": text}])).unwrap();
        p::ConsoleCalled { r#type: kind.into(), args, stack_trace: None }
    }

    fn texts(messages: &[ConsoleMessage]) -> Vec<(&str, &str, u64)> {
        messages.iter().map(|message| (&*message.level, &*message.text, message.repeated)).collect()
    }

    #[test]
    fn levels_and_marks() {
        let mut console = Console::default();
        for (kind, text) in [("log", "a"), ("warning", "b"), ("clear", "x"), ("debug", "c"), ("error", "d")] {
            console.called(&call(kind, text));
        }
        assert_eq!(texts(&console.list(0, Level::Debug)).len(), 4);
        assert_eq!(texts(&console.list(0, Level::Warning)), [("warning", "b", 0), ("error", "d", 0)]);
        assert_eq!(console.list(console.mark(), Level::Debug), []);
        let mark = console.mark();
        console.called(&call("error", "d"));
        assert_eq!(texts(&console.errors_since(mark)), [("error", "d", 2)], "the same again is news");
        console.clear(mark);
        assert_eq!(texts(&console.list(0, Level::Debug)), [("error", "d", 2)]);
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_was_dropped_is_counted() {
        let mut console = Console::default();
        for number in 0..MOST_MESSAGES + 20 {
            console.called(&call("log", &number.to_string()));
        }
        assert_eq!((console.list(0, Level::Info).len(), console.dropped()), (MOST_MESSAGES, 20));
        for number in 0..MOST_MESSAGES {
            console.called(&call("log", &format!("{number} {}", "x".repeat(10_000))));
        }
        assert!(console.bytes <= MOST_BYTES);
        let bytes: usize = console.messages.iter().map(Message::bytes).sum();
        assert_eq!(console.bytes, bytes);
    }

    #[test]
    fn an_exception_that_somebody_catches_later_is_taken_back() {
        let mut console = Console::default();
        let details = p::ExceptionDetails {
            exception_id: 3,
            text: "Uncaught".into(),
            ..p::ExceptionDetails::default()
        };
        console.thrown(&details, Some("one"));
        console.revoked(3, Some("other"));
        assert_eq!(console.errors_since(0).len(), 1);
        console.revoked(3, Some("one"));
        assert_eq!(console.errors_since(0), []);
    }
}

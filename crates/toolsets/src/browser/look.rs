//! Tools that look and read.

use std::path::PathBuf;

use contract::{Code, Error, Outcome, Result};
use engine::{
    Action,
    actions::{Console, Eval, Find, Format, Level, Read, Requests, Scale, Screenshot, Snapshot, World},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{act, answer, target::Place};
use crate::{Caller, Hints, Reply, Step, Tool, lines, tool::Call};

pub(super) const SNAPSHOT: Tool = Tool::new::<SnapshotArgs>(
    "browser_snapshot",
    "Show the page as a tree with refs to act on. Actions tell what they change, so this is seldom needed again",
    Hints::Reads,
);
pub(super) const FIND: Tool = Tool::new::<FindArgs>(
    "browser_find",
    "Find text in the snapshot: matching lines with refs",
    Hints::Reads,
);
pub(super) const READ: Tool =
    Tool::new::<ReadArgs>("browser_read", "Read the page's main content as Markdown", Hints::Reads);
pub(super) const SCREENSHOT: Tool = Tool::new::<ScreenshotArgs>(
    "browser_take_screenshot",
    "Take a picture of the page or an element",
    Hints::Reads,
);
pub(super) const EVALUATE: Tool = Tool::new::<EvaluateArgs>(
    "browser_evaluate",
    "Run JavaScript, (element) => … with a target",
    Hints::Destroys,
);
pub(super) const CONSOLE: Tool =
    Tool::new::<ConsoleArgs>("browser_console_messages", "List console messages", Hints::Reads);
pub(super) const REQUESTS: Tool =
    Tool::new::<RequestsArgs>("browser_network_requests", "List network requests", Hints::Reads);
pub(super) const REQUEST: Tool =
    Tool::new::<RequestArgs>("browser_network_request", "Tell all of one request", Hints::Reads);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SnapshotArgs {
    /// Only this element
    target: Option<Place>,
    filename: Option<PathBuf>,
    depth: Option<usize>,
    /// With each element's box
    #[serde(default)]
    boxes: bool,
    /// With the addresses of links
    #[serde(default)]
    urls: bool,
    /// Only what can be acted on
    #[serde(default)]
    interactive: bool,
    /// Only what changed
    #[serde(default)]
    diff: bool,
    #[serde(rename = "maxChars")]
    max_chars: Option<usize>,
}

impl Call for SnapshotArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let action = Snapshot {
            interactive: self.interactive,
            depth: self.depth,
            scope: self.target.map(|place| place.0),
            boxes: self.boxes,
            urls: self.urls,
            max_chars: self.max_chars,
            diff: self.diff,
            ..Snapshot::default()
        };
        let text = |outcome: &Outcome| lines::changes(outcome).to_owned();
        let nothing =
            Nothing::Write(if self.diff { "nothing changed in the page" } else { "the page is empty" });
        Ok(to_file(caller, action.into(), self.filename, text, nothing))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FindArgs {
    text: Option<String>,
    regex: Option<String>,
}

impl Call for FindArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let (words, regex) = match (self.text, self.regex) {
            (Some(text), None) => (text, false),
            (None, Some(regex)) => (without_slashes(regex), true),
            _ => return Err(Error::invalid("name either text or regex")),
        };
        Ok(act(caller, Find { words, regex, context: Some(3), ..Find::default() }))
    }
}

/// A regular expression in the form `/words/i` as one with its flags inside; any other as it is.
fn without_slashes(regex: String) -> String {
    let parts = regex.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
    match parts {
        Some((inner, flags)) if !inner.is_empty() && flags.chars().all(|flag| "dgimsuvy".contains(flag)) => {
            // The others are about how JavaScript goes on from match to match.
            let kept: String = flags.chars().filter(|flag| "ims".contains(*flag)).collect();
            let flags = if kept.is_empty() { String::new() } else { format!("(?{kept})") };
            format!("{flags}{}", inner.replace("\\/", "/"))
        }
        _ => regex,
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadArgs {
    target: Option<Place>,
    #[serde(rename = "maxChars")]
    max_chars: Option<u64>,
    /// Where an earlier reading was cut
    #[serde(default)]
    offset: u64,
}

impl Call for ReadArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let scope = self.target.map(|place| place.0);
        Ok(act(caller, Read { scope, max_chars: self.max_chars, offset: self.offset, ..Read::default() }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScreenshotArgs {
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    element: Option<String>,
    target: Option<Place>,
    r#type: Option<Format>,
    filename: Option<PathBuf>,
    #[serde(default, rename = "fullPage")]
    full_page: bool,
    /// Number what can be acted on
    #[serde(default)]
    labels: bool,
    #[serde(default)]
    scale: Scale,
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "older versions had it for PNG, which is what pictures are anyway")]
    raw: Option<bool>,
}

impl Call for ScreenshotArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let is_for_file = self.filename.is_some();
        let screenshot = Screenshot {
            path: self.filename,
            full: self.full_page,
            target: self.target.map(|place| place.0),
            labels: self.labels,
            format: self.r#type,
            quality: None,
            scale: self.scale,
            fit: !is_for_file,
        };
        // Who wants a file has it there; a model would pay for the picture a second time.
        Ok(act(caller, screenshot).replied(move |reply| match is_for_file {
            true => Reply { picture: None, ..reply },
            false => reply,
        }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EvaluateArgs {
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    element: Option<String>,
    target: Option<Place>,
    /// () => …
    function: String,
    /// isolated: without the page's variables
    #[serde(default)]
    world: EvaluateWorld,
    filename: Option<PathBuf>,
}

/// Whose variables a script sees, in words that say what is there.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum EvaluateWorld {
    #[default]
    Page,
    Isolated,
}

impl Call for EvaluateArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let target = self.target.map(|place| place.0);
        let text = |outcome: &Outcome| serde_json::to_string_pretty(&outcome.value).unwrap_or_default();
        let world = match self.world {
            EvaluateWorld::Isolated => World::Isolated,
            EvaluateWorld::Page => World::Main,
        };
        let eval = Eval { target, world, ..Eval::new(self.function) };
        Ok(to_file(caller, eval.into(), self.filename, text, Nothing::Write("null")))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ConsoleArgs {
    level: Option<Level>,
    /// Those of earlier pages too
    #[serde(default)]
    all: bool,
    filename: Option<PathBuf>,
    /// What older versions had for the level error.
    #[serde(default, rename = "onlyErrors")]
    #[schemars(skip)]
    only_errors: bool,
}

impl Call for ConsoleArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let level = if self.only_errors { Level::Error } else { Level::default() };
        let level = self.level.unwrap_or(level);
        let limit = limit(self.filename.as_ref());
        let console = Console { level, this_page: !self.all, limit, ..Console::default() };
        let text = |outcome: &Outcome| {
            outcome.console.iter().map(lines::message_line).collect::<Vec<_>>().join("\n")
        };
        let nothing = Nothing::Write("nothing was written to the console");
        Ok(list(caller, console.into(), self.filename, text, nothing))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestsArgs {
    /// With images, fonts and styles
    #[serde(default, rename = "static", alias = "includeStatic")]
    with_static: bool,
    /// A regular expression for the URL
    filter: Option<String>,
    /// Those of earlier pages too
    #[serde(default)]
    all: bool,
    filename: Option<PathBuf>,
}

impl Call for RequestsArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let regex = self.filter.is_some();
        let limit = limit(self.filename.as_ref());
        let RequestsArgs { with_static, filter, all, .. } = self;
        let requests =
            Requests { all: with_static, filter, regex, this_page: !all, limit, ..Requests::default() };
        let text = |outcome: &Outcome| {
            outcome.requests.iter().map(lines::request_line).collect::<Vec<_>>().join("\n")
        };
        Ok(list(caller, requests.into(), self.filename, text, Nothing::Write("no requests")))
    }
}

/// How many are listed: into a file all that are kept, elsewhere as many as usual.
fn limit(filename: Option<&PathBuf>) -> Option<u64> {
    filename.map(|_| 500)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestArgs {
    /// Its number in the list
    index: u64,
    part: Option<Part>,
    filename: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Part {
    RequestHeaders,
    RequestBody,
    ResponseHeaders,
    ResponseBody,
}

impl Call for RequestArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let (part, filename) = (self.part, self.filename);
        let of = Requests { number: Some(self.index), ..Requests::default() };
        // Bodies may be bytes, which only the engine has.
        if let (Some(Part::ResponseBody | Part::RequestBody), Some(path)) = (part, &filename) {
            let path = Some(path.clone());
            let sent = part == Some(Part::RequestBody);
            let request = caller.request(Requests { path, sent, ..of });
            let mark = caller.mark.clone();
            return Ok(caller.perform(request, move |result| {
                Step::Done(match result {
                    Ok(outcome) => answer::done(without_lists(outcome), Vec::new(), &mark),
                    Err(error) => answer::failed(error, &mark),
                })
            }));
        }
        let max_chars = filename.as_ref().map(|_| u64::MAX);
        let ask = |body| Requests { body, max_chars, ..of.clone() };
        let text = move |outcome: &Outcome| told(outcome, part);
        let nothing = Nothing::Refuse(match part {
            Some(Part::RequestBody) => "the request sent no body that can be shown",
            Some(Part::ResponseBody) => "the response has no body that can be shown",
            _ => "the browser has no such part of it",
        });
        if part.is_some() {
            return Ok(list(caller, ask(part == Some(Part::ResponseBody)).into(), filename, text, nothing));
        }
        let (caller, without_body) = (caller.clone(), ask(false));
        Ok(caller.clone().perform(caller.request(ask(true)), move |result| match result {
            // Redirects, refusals and answers such as 204 have none, and the browser forgets those of earlier pages.
            Err(error) if error.code == Code::Unsupported => {
                let note = match error.cause {
                    Some(cause) => format!("{}: {cause}", error.message),
                    None => error.message,
                };
                caller.clone().perform(caller.request(without_body), move |result| {
                    let result = result.map(|mut outcome| {
                        outcome.notes.push(note);
                        outcome
                    });
                    tell(&caller, result, filename, text, nothing)
                })
            }
            result => tell(&caller, result, filename, text, nothing),
        }))
    }
}

/// What there is to say of a request, or a part of it.
fn told(outcome: &Outcome, part: Option<Part>) -> String {
    let mut details =
        outcome.requests.first().and_then(|request| request.details.clone()).unwrap_or_default();
    let body = outcome.content.as_ref().map(|content| content.text.clone()).unwrap_or_default();
    let pretty = |value: &serde_json::Value| match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        value => serde_json::to_string_pretty(value).unwrap_or_default(),
    };
    match part {
        None => {
            let line = outcome.requests.first().map(lines::request_line).unwrap_or_default();
            let mut told = vec![line];
            // What was sent stands for itself, as it was sent.
            let sent = details.as_object_mut().and_then(|details| details.remove("post_data"));
            told.push(pretty(&details));
            told.extend(sent.map(|sent| format!("request body:\n{}", pretty(&sent))));
            told.extend(outcome.content.as_ref().map(|_| format!("response body:\n{body}")));
            told.join("\n")
        }
        Some(Part::ResponseBody) => body,
        Some(Part::RequestBody) => pretty(&details["post_data"]),
        Some(Part::RequestHeaders) => pretty(&details["request_headers"]),
        Some(Part::ResponseHeaders) => pretty(&details["response_headers"]),
    }
}

/// What is said where there is nothing to list. A file is never empty, since that could mean anything.
#[derive(Clone, Copy)]
enum Nothing {
    /// A file says so as well.
    Write(&'static str),
    /// No file is written: what was asked for is missing.
    Refuse(&'static str),
}

/// Answers with a text of the page's, or writes it to a file and says where.
fn list(
    caller: &Caller,
    action: Action,
    filename: Option<PathBuf>,
    text: impl Fn(&Outcome) -> String + Send + 'static,
    nothing: Nothing,
) -> Step {
    let caller = caller.clone();
    caller
        .clone()
        .perform(caller.request(action), move |result| tell(&caller, result, filename, text, nothing))
}

/// The same, when the outcome is there.
fn tell(
    caller: &Caller,
    result: Result<Outcome>,
    filename: Option<PathBuf>,
    text: impl Fn(&Outcome) -> String + Send + 'static,
    nothing: Nothing,
) -> Step {
    let mark = caller.mark.clone();
    match (result, filename) {
        (Err(error), _) => Step::Done(answer::failed(error, &mark)),
        (Ok(outcome), Some(path)) => write(outcome, path, text, nothing, mark),
        (Ok(outcome), None) => {
            let text = text(&outcome);
            let (Nothing::Write(none) | Nothing::Refuse(none)) = nothing;
            let said = if text.is_empty() { none.to_owned() } else { lines::from_page(&text, &mark) };
            let mut notes: String = outcome.notes.iter().map(|note| format!("\n- {note}")).collect();
            if let Some(next) = outcome.content.as_ref().and_then(|content| content.next_offset) {
                let total = outcome.content.as_ref().map_or(0, |content| content.total);
                notes += &format!(
                    "\n- cut: the first {next} of {total} characters; with a filename all of it is written to a file"
                );
            }
            let reply = answer::done(outcome, Vec::new(), &mark);
            Step::Done(Reply { text: Some(format!("### Result\n{said}{notes}")), ..reply })
        }
    }
}

/// The same as any action; but with a file's name, what was asked for goes there.
fn to_file(
    caller: &Caller,
    action: Action,
    filename: Option<PathBuf>,
    text: impl Fn(&Outcome) -> String + Send + 'static,
    nothing: Nothing,
) -> Step {
    let Some(path) = filename else { return act(caller, action) };
    let mark = caller.mark.clone();
    caller.perform(caller.request(action), move |result| match result {
        Err(error) => Step::Done(answer::failed(error, &mark)),
        Ok(outcome) => write(outcome, path, text, nothing, mark),
    })
}

/// Writes what was asked for to a file, and says where.
fn write(
    outcome: Outcome,
    path: PathBuf,
    text: impl Fn(&Outcome) -> String,
    nothing: Nothing,
    mark: String,
) -> Step {
    let text = match (text(&outcome), nothing) {
        (text, Nothing::Write(none)) if text.is_empty() => none.to_owned(),
        (text, Nothing::Refuse(none)) if text.is_empty() => {
            let error = Error::new(Code::Unsupported, none).with_hint("no file was written");
            return Step::Done(answer::failed(error, &mark));
        }
        (text, _) => text,
    };
    Step::write(path, text.into_bytes(), move |written| {
        Step::Done(match written {
            Err(error) => answer::failed(error, &mark),
            Ok(path) => {
                let mut outcome = without_lists(outcome);
                outcome.notes.push(format!("written to {}", path.display()));
                answer::done(outcome, Vec::new(), &mark)
            }
        })
    })
}

/// The outcome without what is in a file.
fn without_lists(mut outcome: Outcome) -> Outcome {
    outcome.snapshot = None;
    outcome.delta = None;
    outcome.value = None;
    outcome.console.clear();
    outcome.requests.clear();
    outcome.content = None;
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_expressions_with_slashes() {
        let check = |regex: &str, plain: &str| assert_eq!(without_slashes(regex.into()), plain);
        check("/kettle/i", "(?i)kettle");
        check("/kettle/", "kettle");
        check("/a\\/b/gim", "(?im)a/b");
        for plain in ["kettle", "a/b", "/", "//", "/usr/bin/x", "/api", "^/a$"] {
            check(plain, plain);
        }
    }
}

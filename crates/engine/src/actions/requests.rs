//! `requests`: what the page asked the network for, and what came of it.

use std::{path::PathBuf, time::Duration};

use cdp::protocol as p;
use clap::Args;
use contract::{Effect, Error, NetworkRequest, Outcome, Result};
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::{
    Needs, Run, Verb,
    console::{last_of, left_out},
};
use crate::{
    cut, files, secrets,
    tab::{self, LogEntry, Tab, TabState},
};

mod body;

use body::Body;

/// Kinds that a page has many of and that seldom matter.
const DULL: [&str; 7] = ["image", "font", "stylesheet", "media", "texttrack", "manifest", "preflight"];

/// The longest part of what a request sent, in characters.
const LONGEST_POST: usize = 20_000;

/// How long the end of a request is waited for whose body is wanted.
const ENDING: Duration = Duration::from_millis(500);

/// List the requests of the page, or tell all of one; those of earlier pages of the tab too
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Requests {
    /// The request to tell all of: headers, what was sent, timing
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(value_name = "NUMBER")]
    pub number: Option<u64>,
    /// With the body of the answer
    #[serde(default)]
    #[arg(long, requires = "number")]
    pub body: bool,
    /// At most so many characters of the body; 20000 if none is said
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "N", requires = "body", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_chars: Option<u64>,
    /// The first character of the body: where an earlier reading was cut
    #[serde(default)]
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u64,
    /// The file to write the whole body of the response to, of whatever kind it is
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(short = 'o', long = "output", value_name = "FILE", requires = "number", conflicts_with_all = ["max_chars", "offset"])]
    pub path: Option<PathBuf>,
    /// The file gets the body of the request, and not that of the response
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[arg(long, requires = "path")]
    pub sent: bool,
    /// Only those whose address has this text, or that are of this kind (document, script, fetch, xhr, image …)
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// The filter is a regular expression for the address
    #[serde(default)]
    #[arg(long, short = 'e', requires = "filter")]
    pub regex: bool,
    /// Only those of the page that is there now
    #[serde(default)]
    #[arg(long)]
    pub this_page: bool,
    /// Only those that failed: no answer, or a status of 400 and more
    #[serde(default)]
    #[arg(long)]
    pub failed: bool,
    /// With images, fonts, style sheets and media, which are left out otherwise
    #[serde(default)]
    #[arg(long)]
    pub all: bool,
    /// Only requests after the one with this number
    #[serde(default)]
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub since: u64,
    /// At most so many, the last ones; 50 if none is said
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// Forget all requests that there are, after listing them
    #[serde(default)]
    #[arg(long)]
    pub clear: bool,
}

impl Verb for Requests {
    const NAME: &'static str = "requests";

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn needs(&self) -> Needs {
        Needs::Tab
    }

    fn tells_trouble(&self) -> bool {
        false
    }

    fn files_mut(&mut self) -> Vec<&mut PathBuf> {
        self.path.iter_mut().collect()
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        tab.catch_up(run.deadline).await;
        match self.number {
            Some(_) if self.sent && self.path.is_none() => {
                Err(Error::invalid("the body of a request is written to a file, and none is named"))
            }
            Some(number) => self.tell(run, tab, number).await,
            None if self.body || self.path.is_some() => Err(Error::invalid("a body is asked for, but not of which request")
                .with_hint("name the request by its number")),
            None => self.list(run, tab),
        }
    }
}

impl Requests {
    fn list(&self, run: &Run<'_>, tab: &Tab) -> Result<Outcome> {
        let (mut dull, mut earlier) = (0, 0);
        let regex = match self.filter.as_deref().filter(|_| self.regex) {
            Some(filter) => Some(Regex::new(filter).map_err(|error| {
                Error::invalid(format!("{filter:?} is not a regular expression")).with_cause(error)
            })?),
            None => None,
        };
        let fits = |entry: &LogEntry| match &regex {
            Some(regex) => regex.is_match(entry.url()),
            None => self.filter.as_deref().is_none_or(|filter| entry.matches(filter)),
        };
        // Who asks for a kind by its name wants it.
        let named = self.filter.as_deref().is_some_and(|filter| DULL.contains(&&*filter.to_lowercase()));
        let (wanted, dropped, last) = tab.read(|state| {
            let wanted = state
                .log
                .since(self.since)
                .filter(|entry| !self.failed || entry.has_failed())
                .filter(|entry| fits(entry))
                .filter(|entry| {
                    // What failed matters, whatever it is.
                    let shown = self.all || named || entry.has_failed() || !DULL.contains(&&*entry.kind);
                    let is_here = !self.this_page || entry.number > state.log.earlier();
                    dull += u64::from(is_here && !shown);
                    earlier += usize::from(shown && !is_here);
                    shown && is_here
                });
            (wanted.map(LogEntry::told).collect::<Vec<_>>(), state.log.dropped(), state.log.last())
        });
        if self.clear {
            tab.note(|state| state.log.clear(last));
        }
        let mut notes = Vec::from_iter(left_out(earlier));
        let requests: Vec<NetworkRequest> = last_of(wanted, self.limit, &mut notes);
        let requests = requests.into_iter().map(|request| run.context.egress().explain(request)).collect();
        if dull > 0 {
            notes.push(format!(
                "{dull} for images, fonts, style sheets and the like are not listed; --all lists them"
            ));
        }
        if dropped > 0 {
            notes.push(format!("{dropped} older requests are gone: there is room for the last 500"));
        }
        Ok(Outcome { requests, notes, ..Outcome::default() })
    }

    /// All there is to say of one request.
    async fn tell(&self, run: &Run<'_>, tab: &Tab, number: u64) -> Result<Outcome> {
        let get = || tab.read(|state| state.log.get(number).cloned());
        let gone = || {
            Error::invalid(format!("there is no request {number}, or it is too long ago"))
                .with_hint("list them with `webhand requests --all`")
        };
        let mut entry = get().ok_or_else(gone)?;
        let wants_response = self.body || self.path.is_some() && !self.sent;
        if wants_response && entry.is_under_way() {
            // A page may have read all of an answer before the news of its end is here.
            let ended = |state: &TabState| state.log.get(number).is_none_or(|entry| !entry.is_under_way());
            let _ = tab.until(run.deadline.min(Instant::now() + ENDING), "the end of the request", ended).await;
            entry = get().ok_or_else(gone)?;
        }
        let emulation = run.context.pages.emulation();
        let is_ours = |name: &str| emulation.headers.keys().any(|ours| ours.eq_ignore_ascii_case(name));
        let mut notes = Vec::new();
        let mut details = Map::new();
        details.insert("request_headers".into(), secrets::headers(&entry.request_headers, is_ours).into());
        let sent = match entry.has_post_data {
            true => body::of_request(tab, &entry, run).await?,
            false => None,
        };
        match sent.as_ref().map(|sent| &sent.body) {
            Some(Body::Text(text)) => {
                details.insert("post_data".into(), tab::cut(text.clone(), LONGEST_POST).into());
            }
            Some(Body::Bytes(bytes)) if self.path.is_none() => {
                notes.push(format!("what it sent is not text: {} bytes; --sent writes it to a file", bytes.len()));
            }
            None if entry.has_post_data && self.path.is_none() => {
                notes.push("what it sent is too large, or the browser has forgotten it".into());
            }
            _ => {}
        }
        if let (Some(response), Some(headers)) = (&entry.response, entry.response_headers()) {
            details.insert("response_headers".into(), secrets::headers(headers, is_ours).into());
            details.extend(about(&entry, response));
        }
        let content = match &self.path {
            Some(path) => {
                let body = match self.sent {
                    true => sent.ok_or_else(|| body::of_request_gone(&entry))?.whole(&entry)?,
                    false => body::of_response(tab, &entry, run).await?,
                };
                let reencoded = body::is_reencoded(&body, &entry).filter(|_| !self.sent);
                let bytes = body::for_file(body, run);
                let note = match bytes.len() {
                    0 => format!("the body is empty, and so is {}", path.display()),
                    length => format!("{length} bytes written to {}", path.display()),
                };
                files::write(run, path, bytes).await?;
                notes.push(note);
                notes.extend(reencoded);
                None
            }
            None if self.body => match body::of_response(tab, &entry, run).await? {
                Body::Text(text) => {
                    Some(cut::part(&text, "body", self.offset, self.max_chars.unwrap_or(cut::DEFAULT_CHARS))?)
                }
                Body::Bytes(bytes) => {
                    let kind = entry.response.as_ref().map(|response| &*response.mime_type).unwrap_or_default();
                    let size = bytes.len();
                    notes.push(format!("the body is not text: {size} bytes of {kind}; --output writes it to a file"));
                    None
                }
            },
            None => None,
        };
        let told = run.context.egress().explain(entry.told());
        let request = NetworkRequest { details: Some(details.into()), ..told };
        Ok(Outcome { requests: vec![request], content, notes, ..Outcome::default() })
    }
}

/// Where an answer came from, and what took how long.
fn about(entry: &LogEntry, response: &p::ResponseInfo) -> Map<String, Value> {
    let mut about = Map::new();
    let mut text = |name: &str, text: &str| {
        if !text.is_empty() {
            about.insert(name.into(), text.into());
        }
    };
    text("status_text", &response.status_text);
    text("mime_type", &response.mime_type);
    text("protocol", &response.protocol);
    let from = [
        ("memory cache", entry.from_memory),
        ("service worker", response.from_service_worker),
        ("prefetch cache", response.from_prefetch_cache),
        ("disk cache", response.from_disk_cache),
    ];
    text("from", from.iter().find(|(_, is_from)| *is_from).map_or("", |(from, _)| from));
    if let Some(timing) = &response.timing {
        // Milliseconds since the request was begun; what did not happen is -1.
        let span = |start: f64, end: f64| {
            (start >= 0.0 && end >= start).then(|| json!(((end - start) * 10.0).round() / 10.0))
        };
        let spans = [
            ("dns_ms", span(timing.dns_start, timing.dns_end)),
            ("connect_ms", span(timing.connect_start, timing.connect_end)),
            ("tls_ms", span(timing.ssl_start, timing.ssl_end)),
            ("send_ms", span(timing.send_start, timing.send_end)),
            ("wait_ms", span(timing.send_end, timing.receive_headers_end)),
        ];
        let spans = spans.into_iter().filter_map(|(name, span)| Some((name.to_owned(), span?)));
        about.insert("timing".into(), Value::Object(spans.collect()));
    }
    about
}

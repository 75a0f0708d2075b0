//! The requests of a tab, over all its documents: what was asked for, and what came of it. Pure, like the rest of the state.
//!
//! What is under way right now is counted elsewhere (`requests`); this is for people and agents to read.

use std::collections::VecDeque;

use cdp::protocol as p;
use contract::{NetworkRequest, without_user_info};

use super::{Stopped, words};

/// How many requests are kept.
const MOST: usize = 500;

/// The longest address that is kept, in characters. Some hold whole files.
const LONGEST_ADDRESS: usize = 2_000;

/// How many headers may wait for their request.
const MOST_EARLY: usize = 20;

/// What the browser says of a request that somebody called off.
const ABORTED: &str = "net::ERR_ABORTED";

/// The requests of a tab.
#[derive(Debug, Default)]
pub(crate) struct Log {
    entries: VecDeque<Entry>,
    /// The number of the last request.
    last: u64,
    /// How many have failed.
    failures: u64,
    /// How many requests there was no room for.
    dropped: u64,
    /// The number of the last request that belongs to an earlier document of the tab.
    earlier: u64,
    /// Headers that were told before the request they belong to: they come from another process, in no order.
    early: VecDeque<p::RequestExtraInfo>,
}

/// A request. One that is redirected is followed by an entry of its own for where it went.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) number: u64,
    /// The browser's own id, which the requests of a chain of redirects share.
    pub(crate) id: String,
    /// The session of the process that made it.
    pub(crate) session: Option<String>,
    loader: String,
    frame: String,
    method: String,
    url: String,
    pub(crate) kind: String,
    pub(crate) request_headers: p::Headers,
    /// Whether those are the headers as they went over the network, cookies included.
    headers_are_exact: bool,
    pub(crate) post_data: Option<String>,
    pub(crate) has_post_data: bool,
    pub(crate) response: Option<p::ResponseInfo>,
    /// The headers as they came over the network, cookies included.
    response_headers: Option<p::Headers>,
    pub(crate) from_memory: bool,
    pub(crate) redirected: bool,
    began: f64,
    ended: Option<f64>,
    bytes: Option<u64>,
    error: Option<String>,
    /// What the guard answered in the server's place.
    stopped: Option<Stopped>,
    /// Its place among all that failed.
    failure: Option<u64>,
}

impl Log {
    /// To be handed to [`Log::failed_since`] later.
    pub(crate) fn mark(&self) -> u64 {
        self.failures
    }

    /// The requests that failed since: those that nothing came of, unless the page itself called them off, and those that were
    /// answered with an error.
    pub(crate) fn failed_since(&self, mark: u64) -> Vec<NetworkRequest> {
        let failed = self.entries.iter().filter(|entry| entry.failure.is_some_and(|failure| failure > mark));
        failed.map(Entry::told).collect()
    }

    /// All requests after this number, the oldest first.
    pub(crate) fn since(&self, number: u64) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.number > number)
    }

    pub(crate) fn get(&self, number: u64) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.number == number)
    }

    /// The number of the last request.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// How many requests there was no room for.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The number of the last request that belongs to an earlier document of the tab.
    pub(crate) fn earlier(&self) -> u64 {
        self.earlier
    }

    /// Forgets all requests up to this one.
    pub(crate) fn clear(&mut self, up_to: u64) {
        self.entries.retain(|entry| entry.number > up_to);
        self.dropped = 0;
    }

    pub(super) fn begin(&mut self, event: &p::RequestWillBeSent, session: Option<&str>) {
        if let Some(redirect) = &event.redirect_response {
            self.respond(&event.request_id, redirect.clone());
            if let Some(entry) = self.entry(&event.request_id) {
                entry.redirected = true;
                entry.ended = Some(event.timestamp);
            }
        }
        self.add(Entry {
            id: event.request_id.clone(),
            session: session.map(str::to_owned),
            loader: event.loader_id.clone(),
            frame: event.frame_id.clone(),
            method: event.request.method.clone(),
            url: address(&event.request.url),
            kind: kind(event),
            request_headers: event.request.headers.clone(),
            post_data: event.request.post_data.clone(),
            has_post_data: event.request.has_post_data,
            began: event.timestamp,
            ..Entry::default()
        });
        if let Some(at) = self.early.iter().position(|early| early.request_id == event.request_id)
            && let Some(early) = self.early.remove(at)
        {
            self.sent(early);
        }
    }

    /// The headers as they go over the network, cookies included.
    pub(super) fn sent(&mut self, mut event: p::RequestExtraInfo) {
        // This one is between the browser and our own proxy.
        event.headers.retain(|name, _| !name.eq_ignore_ascii_case("proxy-connection"));
        match self.entry(&event.request_id) {
            Some(entry) if !entry.headers_are_exact => {
                entry.request_headers = event.headers;
                entry.headers_are_exact = true;
            }
            // Of a request, or of where it is redirected to, that is told next.
            _ => {
                self.early.truncate(MOST_EARLY - 1);
                self.early.push_front(event);
            }
        }
    }

    pub(super) fn respond(&mut self, id: &str, response: p::ResponseInfo) {
        let is_error = response.status >= 400;
        if let Some(entry) = self.entry(id) {
            entry.stopped = entry.stopped.take().or_else(|| Stopped::answer(&response));
            entry.response = Some(response).filter(|_| entry.stopped.is_none());
        }
        if is_error {
            self.failed(id);
        }
    }

    pub(super) fn received(&mut self, event: &p::ResponseExtraInfo) {
        // Of a chain of redirects each has its own, in order.
        let mut chain = self.entries.iter_mut().filter(|entry| entry.id == event.request_id);
        if let Some(entry) = chain.find(|entry| entry.response_headers.is_none()) {
            entry.response_headers = Some(event.headers.clone());
            // Of what a page may not read, this is all that there is to see.
            entry.stopped = entry.stopped.take().or_else(|| Stopped::read(&entry.url, &event.headers));
        }
    }

    pub(super) fn remembered(&mut self, id: &str) {
        if let Some(entry) = self.entry(id) {
            entry.from_memory = true;
        }
    }

    pub(super) fn finish(&mut self, event: &p::LoadingFinished) {
        if let Some(entry) = self.entry(&event.request_id) {
            entry.ended = Some(event.timestamp);
            entry.bytes = Some(event.encoded_data_length.max(0.0) as u64);
            entry.error = None;
        }
    }

    pub(super) fn fail(&mut self, event: &p::LoadingFailed) {
        let Some(entry) = self.entry(&event.request_id) else { return };
        let why = match (&event.cors_error_status, &*event.blocked_reason) {
            (Some(cors), _) => format!(" (CORS: {})", cors.cors_error),
            (None, "") => String::new(),
            (None, reason) => format!(" (blocked: {reason})"),
        };
        entry.ended = Some(event.timestamp);
        // An answer without a body is over when its headers are there; the browser then calls off the wait for the rest.
        if event.error_text == ABORTED && why.is_empty() && entry.is_answered_without_body() {
            return;
        }
        entry.error = Some(format!("{}{why}", event.error_text));
        if !event.canceled && event.error_text != ABORTED {
            self.failed(&event.request_id);
        }
    }

    pub(super) fn socket(&mut self, event: p::WebSocketCreated, session: Option<&str>) {
        self.add(Entry {
            id: event.request_id,
            session: session.map(str::to_owned),
            method: "GET".into(),
            url: address(&event.url),
            kind: "websocket".into(),
            ..Entry::default()
        });
    }

    pub(super) fn socket_asks(&mut self, event: p::WebSocketRequest) {
        if let Some(entry) = self.entry(&event.request_id) {
            entry.began = event.timestamp;
            entry.request_headers = event.request.headers;
        }
    }

    pub(super) fn socket_error(&mut self, event: p::WebSocketError) {
        if let Some(entry) = self.entry(&event.request_id) {
            entry.error = Some(event.error_message);
            self.failed(&event.request_id);
        }
    }

    pub(super) fn socket_closed(&mut self, event: &p::WebSocketClosed) {
        if let Some(entry) = self.entry(&event.request_id) {
            entry.ended = Some(event.timestamp);
        }
    }

    /// A new document has taken the page over: of what the old one was loading, no end may ever be told.
    pub(super) fn keep_only_loader(&mut self, loader: &str) {
        self.left(|entry| entry.loader != loader);
        // What brought the document is its first request. One that was kept while others were shown asks for nothing again.
        let first = self.entries.iter().find(|entry| entry.loader == loader).map(|entry| entry.number);
        self.earlier = first.filter(|&first| first > self.earlier).map_or(self.last, |first| first - 1);
    }

    pub(super) fn forget_frame_but(&mut self, frame: &str, loader: &str) {
        self.left(|entry| entry.frame == frame && entry.loader != loader);
    }

    pub(super) fn forget_frame(&mut self, frame: &str) {
        self.left(|entry| entry.frame == frame);
    }

    fn left(&mut self, which: impl Fn(&Entry) -> bool) {
        for entry in self.entries.iter_mut().filter(|entry| entry.is_under_way() && which(entry)) {
            entry.error = Some("its page was left before it ended".into());
        }
    }

    fn add(&mut self, entry: Entry) {
        self.last += 1;
        if self.entries.len() == MOST {
            self.entries.pop_front();
            self.dropped += 1;
        }
        self.entries.push_back(Entry { number: self.last, ..entry });
    }

    fn failed(&mut self, id: &str) {
        let failures = self.failures + 1;
        if let Some(entry) = self.entry(id)
            && entry.failure.is_none()
        {
            entry.failure = Some(failures);
            self.failures = failures;
        }
    }

    /// The request that has this id now.
    fn entry(&mut self, id: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().rev().find(|entry| entry.id == id)
    }
}

impl Entry {
    /// As lists show it.
    pub(crate) fn told(&self) -> NetworkRequest {
        let ms = self.ended.map(|ended| ((ended - self.began).max(0.0) * 1000.0).round() as u64);
        NetworkRequest {
            number: self.number,
            method: self.method.clone(),
            url: self.url.clone(),
            kind: self.kind.clone(),
            // 0 is what the protocol gives for answers that did not come over HTTP.
            status: self.status(),
            error: self.stopped.as_ref().map(Stopped::told).or_else(|| self.error.clone()),
            ms: ms.filter(|_| self.began > 0.0),
            bytes: self.bytes,
            details: None,
        }
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    pub(crate) fn is_under_way(&self) -> bool {
        self.ended.is_none() && self.error.is_none() && self.stopped.is_none()
    }

    /// Where it went.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Whether its kind is this, or its address has it.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.kind == text || self.url.to_lowercase().contains(&text)
    }

    /// The headers of the answer, as they came over the network where that is known.
    pub(crate) fn response_headers(&self) -> Option<&p::Headers> {
        self.response_headers.as_ref().or(self.response.as_ref().map(|response| &response.headers))
    }

    /// How long the body is as the answer says, if it says so.
    pub(crate) fn length(&self) -> Option<u64> {
        let mut headers = self.response_headers().into_iter().flatten();
        let (_, length) = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-length"))?;
        length.as_str()?.trim().parse().ok()
    }

    /// The same for a body that is sent as it is, not compressed.
    pub(crate) fn plain_length(&self) -> Option<u64> {
        let mut headers = self.response_headers().into_iter().flatten();
        let is_encoded = headers.any(|(name, _)| name.eq_ignore_ascii_case("content-encoding"));
        self.length().filter(|_| !is_encoded)
    }

    /// Whether the answer is there and never has a body, by its status or by what was asked (RFC 9110, 6.4.1).
    pub(crate) fn is_answered_without_body(&self) -> bool {
        let status = self.status();
        matches!(status, Some(204 | 205 | 304)) || status.is_some() && self.method == "HEAD"
    }

    fn status(&self) -> Option<u16> {
        u16::try_from(self.response.as_ref()?.status).ok().filter(|&status| status > 0)
    }
}

/// What a request is for, as outcomes spell it. The browser has no word for the icon that it asks for by itself.
fn kind(event: &p::RequestWillBeSent) -> String {
    match &*event.r#type {
        "Other" if event.request.url.ends_with("/favicon.ico") => "image".into(),
        kind => kind.to_ascii_lowercase(),
    }
}

fn address(url: &str) -> String {
    words::cut(without_user_info(url), LONGEST_ADDRESS)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Takes in one event by its JSON form.
    fn begin(log: &mut Log, event: Value) {
        log.begin(&serde_json::from_value(event).unwrap(), None);
    }

    fn sent(log: &mut Log, id: &str, url: &str) {
        begin(
            log,
            json!({"requestId": id, "type": "Fetch", "timestamp": 1.0, "request": {"url": url, "method": "GET"}}),
        );
    }

    fn answered(log: &mut Log, id: &str, status: i64) {
        log.respond(id, p::ResponseInfo { status, ..p::ResponseInfo::default() });
    }

    fn failed(log: &mut Log, id: &str, error: &str, canceled: bool) {
        let (request_id, error_text) = (id.into(), error.into());
        log.fail(&p::LoadingFailed { request_id, error_text, canceled, ..p::LoadingFailed::default() });
    }

    #[test]
    fn what_failed_since_a_mark() {
        let mut log = Log::default();
        sent(&mut log, "early", "http://me:pw@host/early");
        let mark = log.mark();
        for (id, status) in [("fine", 200), ("missing", 404)] {
            sent(&mut log, id, "http://host/");
            answered(&mut log, id, status);
        }
        sent(&mut log, "aborted", "http://host/");
        failed(&mut log, "aborted", "net::ERR_ABORTED", true);
        failed(&mut log, "early", "net::ERR_FAILED", false);
        let failed: Vec<_> =
            log.failed_since(mark).into_iter().map(|request| (request.number, request.url)).collect();
        assert_eq!(failed, [(1, "http://***@host/early".into()), (3, "http://host/".into())]);
        assert_eq!(log.failed_since(log.mark()), []);
    }

    #[test]
    fn an_answer_without_a_body_is_no_failure() {
        let check = |method: &str, status: Option<i64>, error: Option<&str>| {
            let mut log = Log::default();
            let request = json!({"url": "http://host/", "method": method});
            begin(&mut log, json!({"requestId": "a", "type": "Fetch", "timestamp": 1.0, "request": request}));
            status.into_iter().for_each(|status| answered(&mut log, "a", status));
            failed(&mut log, "a", "net::ERR_ABORTED", true);
            let entry = log.get(1).unwrap();
            assert_eq!(entry.told().error.as_deref(), error, "{method} {status:?}");
            assert!(!entry.is_under_way());
        };
        let aborted = Some("net::ERR_ABORTED");
        for status in [204, 205, 304] {
            check("GET", Some(status), None);
        }
        check("HEAD", Some(200), None);
        check("GET", Some(200), aborted);
        check("GET", None, aborted);
        check("HEAD", None, aborted);
    }

    #[test]
    fn what_belongs_to_earlier_documents() {
        let mut log = Log::default();
        let asked = |log: &mut Log, loader: &str| {
            begin(
                log,
                json!({"requestId": "r", "loaderId": loader, "type": "Fetch", "timestamp": 1.0, "request": {}}),
            );
        };
        for loader in ["one", "one", "two", "two"] {
            asked(&mut log, loader);
        }
        log.keep_only_loader("two");
        assert_eq!(log.earlier(), 2);
        log.keep_only_loader("three");
        assert_eq!(log.earlier(), 4);
        asked(&mut log, "three");
        log.keep_only_loader("one");
        assert_eq!(log.earlier(), 5);
    }

    #[test]
    fn every_redirect_is_an_entry() {
        let mut log = Log::default();
        sent(&mut log, "a", "http://host/1");
        begin(
            &mut log,
            json!({"requestId": "a", "type": "Fetch", "timestamp": 1.5, "request": {"url": "http://host/2", "method": "GET"},
                "redirectResponse": {"status": 302}}),
        );
        answered(&mut log, "a", 200);
        for name in ["one", "two"] {
            let headers = serde_json::from_value(json!({"x": name})).unwrap();
            log.received(&p::ResponseExtraInfo { request_id: "a".into(), headers });
        }
        let told: Vec<_> = log.since(0).map(|entry| (entry.told().status, entry.redirected)).collect();
        assert_eq!(told, [(Some(302), true), (Some(200), false)]);
        assert_eq!(log.get(1).unwrap().told().ms, Some(500));
        let headers: Vec<_> =
            log.since(0).map(|entry| entry.response_headers().unwrap()["x"].clone()).collect();
        assert_eq!(headers, ["one", "two"]);
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_was_dropped_is_counted() {
        let mut log = Log::default();
        for number in 0..MOST + 3 {
            sent(&mut log, &number.to_string(), &format!("http://host/{}", "x".repeat(10_000)));
        }
        assert_eq!((log.since(0).count(), log.dropped(), log.last()), (MOST, 3, MOST as u64 + 3));
        assert!(log.since(0).all(|entry| entry.url.len() < LONGEST_ADDRESS + 100));
        log.clear(log.last() - 1);
        assert_eq!((log.since(0).count(), log.dropped()), (1, 0));
    }

    #[test]
    fn a_page_that_is_left_leaves_nothing_under_way() {
        let mut log = Log::default();
        sent(&mut log, "a", "http://host/");
        assert!(log.get(1).unwrap().is_under_way());
        log.keep_only_loader("next");
        assert!(!log.get(1).unwrap().is_under_way() && !log.get(1).unwrap().has_failed());
        log.finish(&p::LoadingFinished { request_id: "a".into(), timestamp: 2.0, encoded_data_length: 5.0 });
        assert_eq!(log.get(1).unwrap().told().error, None, "it ended all the same");
    }
}

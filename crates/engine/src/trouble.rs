//! What went wrong in a page while an action ran: errors in its console, requests that failed. Every outcome tells of it.

use std::time::Duration;

use contract::{Code, ConsoleMessage, Error, NetworkRequest, Outcome};
use guard::{Purpose, proxy::Trouble};
use tokio::time::Instant;
use url::Url;

use crate::{
    actions::Run,
    tab::{self, Tab, TabState},
};

/// How much of it is told. More is in `console` and `requests`.
const MOST: usize = 10;
const LONGEST_TEXT: usize = 300;

/// Requests whose failing matters; a picture that is missing is no trouble.
const MATTER: [&str; 4] = ["document", "fetch", "xhr", "script"];

/// How far a tab was when an action began.
pub(crate) struct Marks {
    target_id: String,
    console: u64,
    log: u64,
    /// The number of the last request.
    requests: u64,
}

impl Marks {
    pub(crate) fn of(tab: &Tab) -> Marks {
        let (console, log, requests) =
            tab.read(|state| (state.console.mark(), state.log.mark(), state.log.last()));
        Marks { target_id: tab.target_id.clone(), console, log, requests }
    }
}

/// How many of the requests that were blocked are told of.
const MOST_BLOCKED: usize = 5;

/// How long the end of a request is waited for that the rules forbid.
const REFUSAL: Duration = Duration::from_secs(1);

impl Run<'_> {
    /// Waits until requests of this action that the rules forbid have been refused, so that its own outcome tells of them. That takes no
    /// server's time; requests that may go on are not waited for.
    pub(crate) async fn wait_for_refusals(&self, marks: &Marks) {
        let Ok((_, tab)) = self.tab() else { return };
        if tab.target_id != marks.target_id {
            return;
        }
        let is_forbidden = |address: &str| {
            Url::parse(address)
                .is_ok_and(|url| self.session.places().check_url(&url, Purpose::Resource).is_err())
        };
        let is_over = |state: &TabState| {
            let mut made = state.log.since(marks.requests).filter(|entry| entry.is_under_way());
            state.stands_still() || !made.any(|entry| is_forbidden(entry.url()))
        };
        let by = self.deadline.min(Instant::now() + REFUSAL);
        drop(tab.until(by, "a request to be refused", is_over).await);
    }

    /// Adds to the error of an action what the rules kept the page from meanwhile: it may be the reason.
    pub(crate) async fn with_blocked(&self, mut error: Error, marks: Option<&Marks>) -> Error {
        if !matches!(error.code, Code::EvaluateFailed | Code::NoEffect | Code::ElementNotFound) {
            return error;
        }
        if let Some(marks) = marks {
            self.wait_for_refusals(marks).await;
        }
        let mut told = Outcome::default();
        self.tell_blocked(&mut told);
        if !told.notes.is_empty() {
            let causes: Vec<String> = error.cause.take().into_iter().chain(told.notes).collect();
            error.cause = Some(causes.join("; "));
            if error.code == Code::EvaluateFailed {
                error = error
                    .with_hint("see the cause: the rules of this session block what the script asked for");
            }
        }
        error
    }

    /// Adds what the rules kept the session's pages from since callers were last told, whichever tab it was in.
    pub(crate) fn tell_blocked(&self, outcome: &mut Outcome) {
        let (blocked, missed) = self.context.egress().take_blocked();
        let mut notes: Vec<String> = Vec::new();
        for incident in blocked {
            let Trouble::Blocked(refusal) = &incident.trouble else { continue };
            let (url, words) = (tab::cut(incident.url.clone(), LONGEST_TEXT), refusal.to_string());
            let note = format!("blocked: {url}: {words}; {}", refusal.hint());
            // A page may ask many times, and whoever was led there has been told.
            let is_told = outcome.notes.iter().any(|note| note.contains(&words)) || notes.contains(&note);
            if !is_told {
                notes.push(note);
            }
        }
        let left = notes.len().saturating_sub(MOST_BLOCKED) as u64 + missed;
        outcome.notes.extend(notes.into_iter().take(MOST_BLOCKED));
        if left > 0 {
            outcome.notes.push(format!("{left} more requests were blocked; see `webhand requests --failed`"));
        }
    }

    /// Adds what went wrong since the marks. A tab that is new, or took the place of one that ended, has been new all the time.
    pub(crate) fn tell_trouble(&self, outcome: &mut Outcome, marks: Option<&Marks>, tabs_before: u32) {
        let id = match &self.tab {
            Some((id, _)) => Some(*id),
            None => outcome.tab.filter(|tab| tab.0 > tabs_before),
        };
        let Some((_, tab)) = id.and_then(|id| self.context.pages.get(Some(id)).ok()) else { return };
        let marks = marks.filter(|marks| marks.target_id == tab.target_id);
        let (console, log) = marks.map_or((0, 0), |marks| (marks.console, marks.log));
        let (errors, mut failed) =
            tab.read(|state| (state.console.errors_since(console), state.log.failed_since(log)));
        failed.retain(|request| MATTER.contains(&&*request.kind));
        let failed: Vec<_> =
            failed.into_iter().map(|request| self.context.egress().explain(request)).collect();
        let (errors_left, failed_left) =
            (errors.len().saturating_sub(MOST), failed.len().saturating_sub(MOST));
        let shorten = |message: ConsoleMessage| {
            let (text, at) = (tab::cut(message.text, LONGEST_TEXT), tab::cut(message.at, LONGEST_TEXT));
            ConsoleMessage { text, at, ..message }
        };
        outcome.console = errors.into_iter().take(MOST).map(shorten).collect();
        let shorten =
            |request: NetworkRequest| NetworkRequest { url: tab::cut(request.url, LONGEST_TEXT), ..request };
        outcome.requests = failed.into_iter().take(MOST).map(shorten).collect();
        if errors_left > 0 {
            outcome.notes.push(format!("{errors_left} more errors are in `webhand console`"));
        }
        if failed_left > 0 {
            outcome
                .notes
                .push(format!("{failed_left} more requests failed; see `webhand requests --failed`"));
        }
    }
}

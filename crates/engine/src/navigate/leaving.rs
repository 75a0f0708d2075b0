//! The page that a navigation leaves. A script in it that never ends keeps the next page from being shown, and once a navigation has
//! sent its request, Chromium holds back every command to the page until the server answers: from then on a page that hangs and a
//! server that is slow look alike. So the page is asked for a sign of life before anything is requested, and after that only the
//! request tells the two apart: no response means a slow server, a response without a new document means a page that hangs.

use std::time::Duration;

use cdp::protocol as p;
use contract::{Code, Error, Result};
use tokio::time::Instant;

use crate::{
    actions::Run,
    lift::timed_out,
    tab::{Tab, TabState},
};

/// How long a page may take to answer once its script was stopped. It has nothing else to do, but the machine may.
const STOPPED: Duration = Duration::from_secs(3);

/// How the page that is shown takes being left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    /// It answers.
    Ready,
    /// It answers since a script in it was stopped that did not end.
    ScriptStopped,
    /// It does not answer, whatever is tried. Nothing has been requested yet.
    Unresponsive,
}

impl Leaving {
    /// Asks the page for a sign of life. If it gives none, stops the script that runs in it and asks once more.
    pub(super) async fn prepare(run: &Run<'_>, tab: &Tab) -> Result<Leaving> {
        if is_responsive(run, tab, run.session.shared().unresponsive_after).await? {
            return Ok(Leaving::Ready);
        }
        drop(tab.channel.post(p::TerminateExecution {}));
        let answers = is_responsive(run, tab, STOPPED).await?;
        Ok(if answers { Leaving::ScriptStopped } else { Leaving::Unresponsive })
    }

    /// The note for the outcome.
    pub(super) fn note(self) -> Option<String> {
        (self == Leaving::ScriptStopped)
            .then(|| "a script in the page before did not end, and was stopped".to_owned())
    }
}

/// Returns whether the page answers in time.
async fn is_responsive(run: &Run<'_>, tab: &Tab, limit: Duration) -> Result<bool> {
    // With little time, half of it is kept for what comes after.
    let now = Instant::now();
    let by = now + limit.min(run.deadline.saturating_duration_since(now) / 2);
    let ping = tab.channel.post(p::Evaluate { expression: "0".into(), ..p::Evaluate::default() });
    // A page that is on its way elsewhere already gets no commands, and one with a dialog runs nothing.
    let is_held = |state: &TabState| state.unanswered_page().is_some() || state.stands_still();
    tokio::select! {
        biased;
        // That it has no script to run is an answer, too.
        answer = ping.by(by) => match answer {
            Err(cdp::Error::Timeout { .. }) => Ok(false),
            _ => Ok(true),
        },
        held = tab.until(run.deadline, "the page to answer", is_held) => held.map(|()| true),
    }
}

/// Waits for a navigation, but not if the page that is shown hangs while the navigation is under way. Returns none when the server has
/// answered and the page that is shown still does not make room.
pub(super) async fn unless_stuck<T>(
    run: &Run<'_>,
    tab: &Tab,
    navigating: impl Future<Output = Result<T>>,
) -> Result<Option<T>> {
    let limit = run.session.shared().unresponsive_after;
    let asked = tab.read(|state| state.requests.pages_asked());
    tokio::select! {
        biased;
        navigated = navigating => navigated.map(Some),
        () = stuck(tab, asked, limit) => Ok(None),
    }
}

/// Returns when the answer to a request for a page is there, but not the page, nor within the limit.
async fn stuck(tab: &Tab, asked: u64, limit: Duration) {
    // A `beforeunload` handler that never ends keeps the request from being sent. Commands still reach the page then.
    let requested = |state: &TabState| state.requests.page_since(asked).is_some() || state.stands_still();
    let by = Instant::now() + limit;
    if let Err(error) = tab.until(by, "the request", requested).await
        && error.code == Code::Timeout
    {
        drop(tab.channel.post(p::TerminateExecution {}));
    }
    loop {
        let answered = |state: &TabState| {
            let page = state.requests.page_since(asked)?;
            (page.is_answered && page.error.is_none() && !state.has_shown(&page.loader))
                .then(|| page.loader.clone())
        };
        let Ok(loader) = tab.until_some(far_off(), "the answer", answered).await else { break };
        let is_over = |state: &TabState| {
            state.has_shown(&loader)
                || state.stands_still()
                || state.requests.page(&loader).is_none_or(|page| page.error.is_some())
        };
        match tab.until(Instant::now() + limit, "the page to begin", is_over).await {
            Err(error) if error.code == Code::Timeout => return,
            Err(_) => break,
            Ok(()) if tab.read(TabState::stands_still) => break,
            Ok(()) => {}
        }
    }
    // The navigation itself finds out how it ends.
    std::future::pending::<()>().await;
}

fn far_off() -> Instant {
    Instant::now() + Duration::from_secs(24 * 60 * 60)
}

/// The error of a navigation whose time ran out, by what it was waiting for. Other errors stay as they are.
pub(super) fn timed_out_for(tab: &Tab, address: &str, asked: u64, error: Error) -> Error {
    if error.code != Code::Timeout {
        return error;
    }
    let page = tab.read(|state| state.requests.page_since(asked).cloned());
    match page {
        None => timed_out(format_args!("the page that is shown to make room for {address}"))
            .with_hint("what it does as it is left takes long; allow more time"),
        Some(page) if page.is_answered => {
            timed_out(format_args!("{address} to be shown; its server has answered"))
                .with_hint("allow more time")
        }
        Some(page) => {
            let redirected = page.redirects.last().map(|_| format!(", redirected to {}", page.url));
            let redirected = redirected.unwrap_or_default();
            timed_out(format_args!("the server's answer to {address}{redirected}")).with_hint(
                "the page that was shown before is still there; allow more time, or try again later",
            )
        }
    }
}

/// The error of an action whose time ran out because its page had to wait for a server: says so in place of what the action waited for.
pub(crate) fn blame_server(tab: &Tab, error: Error) -> Error {
    let address = tab.read(|state| state.unanswered_page().map(str::to_owned));
    match address {
        Some(address) if error.code == Code::Timeout => timed_out(format_args!(
            "the server's answer to {address}, where the tab is going"
        ))
        .with_hint("until the server answers, the page takes no commands; wait longer, or go elsewhere"),
        _ => error,
    }
}

/// The error of an action that first had to load its page again, since the page or the browser had ended.
pub(crate) fn not_loaded_again(tab: &Tab, error: Error) -> Error {
    if error.code != Code::Timeout {
        return error;
    }
    let address = tab.read(|state| state.document.address().to_owned());
    blame_server(tab, timed_out(format_args!("{address} to load again"))).with_hint(
        "the page had ended, and its server takes long to bring it back; allow more time, or go elsewhere",
    )
}

//! Loading pages: by address, through history, again. What came of it is read from the browser's events, never guessed.

mod leaving;
mod net_errors;

use std::{sync::Arc, time::Duration};

use cdp::{Channel, protocol as p};
use contract::{Code, Effect, Error, Navigation, NavigationKind, Outcome, Result, TabId};
use tokio::time::Instant;

use self::leaving::Leaving;
pub(crate) use self::leaving::{blame_server, not_loaded_again};
use crate::{
    Until,
    actions::Run,
    consent::without_secrets,
    downloads::Whose,
    lift::{lift, timed_out},
    page,
    tab::{ABORTED, Tab, TabState},
};

/// Events that follow an answer within a moment, if they come at all, are not waited for longer than this.
const MOMENT: Duration = Duration::from_secs(1);

/// What is left of an action's time for its outcome.
const TO_ANSWER: Duration = Duration::from_secs(1);

/// How long a page takes to take the place of another.
const SHOWN: Duration = Duration::from_millis(20);

/// How long a page that can be read already may go on loading, when nobody asked to wait for all of it.
const LOAD: Duration = Duration::from_secs(2);

/// How long a page may take to tell its title. One that is too busy to answer has been loaded all the same.
const TITLE: Duration = Duration::from_secs(2);

/// What came of asking for an address.
enum Begun {
    /// The same document moved.
    Moved,
    /// Nothing at all: the browser was just calling off another navigation, and dropped this one with it.
    Dropped,
    /// The answer is a file.
    Download { loader: String },
    /// There is no new document, and this is why.
    Failed { loader: String, error: String },
    /// A new document has begun.
    Document { loader: String },
}

/// Loads an address that the guard has allowed.
pub(crate) async fn to_address(run: &Run<'_>, address: &str, until: Until) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let _turn = tab.turn(run.deadline).await?;
    let downloads = run.context.pages.downloads.count();
    let leaving = Leaving::prepare(run, tab).await?;
    if leaving == Leaving::Unresponsive {
        return in_place_of(run, address, until).await;
    }
    let asked = tab.read(|state| state.requests.pages_asked());
    let asking = async {
        match begin(run, tab, address).await {
            Ok(Begun::Dropped) => begin(run, tab, address).await,
            begun => begun,
        }
    };
    let begun = leaving::unless_stuck(run, tab, asking).await;
    let begun = match begun.map_err(|error| leaving::timed_out_for(tab, address, asked, error))? {
        Some(begun) => begun,
        None => return Err(give_up(run, address).await),
    };
    let mut outcome = begun_to_outcome(run, address, until, downloads, begun).await?;
    outcome.notes.extend(leaving.note());
    Ok(outcome)
}

/// Waits for what a navigation to an address has begun.
async fn begun_to_outcome(
    run: &Run<'_>,
    address: &str,
    until: Until,
    downloads: usize,
    begun: Begun,
) -> Result<Outcome> {
    match begun {
        Begun::Moved => finish(run, NavigationKind::SameDocument, None).await,
        Begun::Dropped => {
            Err(Error::new(Code::NavigationFailed, format!("the browser did not go to {address}"))
                .with_hint("wait for what the page is doing, then try again"))
        }
        Begun::Download { loader } => downloaded(run, downloads, &loader).await,
        Begun::Failed { loader, error } => failed_or_empty(run, address, &loader, error, downloads).await,
        Begun::Document { loader } => arrived(run, until, &loader).await,
    }
}

/// Asks for the address, and waits until it is known what comes of it.
async fn begin(run: &Run<'_>, tab: &Tab, address: &str) -> Result<Begun> {
    let (moves, at) = tab.read(|state| (state.moves, state.document.address().to_owned()));
    let under_way = UnderWay::new(&tab.channel);
    let navigate = p::Navigate { url: address.into(), transition_type: Some("typed".into()) };
    let asking = load(run, tab, navigate);
    let reply = tab.unless_dialog(asking, run.deadline).await;
    under_way.over(&reply);
    let p::Navigated { loader_id, error_text, is_download, .. } = reply?;
    Ok(match (loader_id, error_text) {
        (None, _) => {
            // No loader: the document is the same and only moved, unless it did not even that.
            let moved = tab.until(moment(run), "the page to move", |state| state.moves > moves).await;
            let is_same = |one: &str, other: &str| one.split('#').next() == other.split('#').next();
            match moved {
                Err(error) if error.code != Code::Timeout => return Err(error),
                Err(_) if !is_same(&at, address) => Begun::Dropped,
                _ => Begun::Moved,
            }
        }
        (Some(loader), _) if is_download => Begun::Download { loader },
        (Some(loader), Some(error)) => Begun::Failed { loader, error },
        (Some(loader), None) => {
            tab.until(run.deadline, "the page to begin", |state| state.has_shown(&loader)).await?;
            Begun::Document { loader }
        }
    })
}

/// Gives up a page that does not answer, before anything was requested: a new page takes its tab over and goes to the address.
async fn in_place_of(run: &Run<'_>, address: &str, until: Until) -> Result<Outcome> {
    let (id, new) = take_over(run).await?;
    let in_new = run.in_tab(id, new.clone());
    let mut outcome = Box::pin(to_address(&in_new, address, until)).await?;
    let (url, status) = new.read(|state| (state.document.address().to_owned(), state.status()));
    outcome.notes.push("the page before did not answer and was given up, with the tab's history".into());
    Ok(Outcome { url: Some(url), status, ..outcome })
}

/// Gives up a page that hangs after the server has answered. The request is not repeated: the server may have acted on it.
async fn give_up(run: &Run<'_>, address: &str) -> Error {
    if let Err(error) = take_over(run).await {
        return error;
    }
    let message = format!("{address} answered, but the page before it hangs and kept it from being shown");
    Error::new(Code::NavigationFailed, message).with_hint(
        "that page was given up, and the tab is blank now; go to the address again if the server may be asked twice",
    )
}

/// Has a new blank page take over the tab, and gives up the page that was there.
async fn take_over(run: &Run<'_>) -> Result<(TabId, Arc<Tab>)> {
    let (id, old) = run.tab()?;
    let (_, new) = run.context.open_tab("about:blank", run.deadline).await?;
    run.context.replace(old, &new, id, run.deadline).await?;
    Ok((id, new))
}

/// What the browser says while one page takes the place of another. It has done nothing then, and will in a moment.
const BETWEEN_PAGES: &str = "Not attached to an active page";

/// Has the browser load something in the tab.
async fn load<C: p::CommandRow + Clone>(run: &Run<'_>, tab: &Tab, command: C) -> Result<C::Reply> {
    let by = moment(run);
    loop {
        let loader = tab.read(|state| state.document.loader.clone());
        match tab.channel.call(command.clone(), run.deadline).await {
            Err(cdp::Error::Refused { message, .. }) if message == BETWEEN_PAGES && Instant::now() < by => {
                let soon = by.min(Instant::now() + SHOWN);
                let shown =
                    tab.until(soon, "the page to be shown", |state| state.document.loader != loader).await;
                // The news of it may have come before we asked.
                if let Err(error) = shown
                    && error.code != Code::Timeout
                {
                    return Err(error);
                }
            }
            answer => return answer.map_err(refused),
        }
    }
}

/// The browser would not even try.
fn refused(error: cdp::Error) -> Error {
    match error {
        cdp::Error::Refused { .. } => {
            Error::new(Code::NavigationFailed, "the browser refused to load anything in this tab")
                .with_cause(error)
        }
        other => lift(other),
    }
}

/// Whether [`through_history`] may go there.
pub(crate) async fn may_go_through_history(run: &Run<'_>, steps: i64) -> Result<()> {
    run.may_go(&history_entry(run, steps).await?.url)
}

/// The page that is `steps` pages forward in the tab's history, backward if negative.
async fn history_entry(run: &Run<'_>, steps: i64) -> Result<p::HistoryEntry> {
    let (_, tab) = run.tab()?;
    let history = tab.channel.call(p::GetNavigationHistory {}, run.deadline).await.map_err(lift)?;
    let wanted = usize::try_from(history.current_index + steps).ok();
    // Every tab begins blank; that is no page that anybody was on.
    let is_page = |(index, entry): &(usize, p::HistoryEntry)| *index > 0 || entry.url != "about:blank";
    let entry = wanted.and_then(|index| Some((index, history.entries.into_iter().nth(index)?)));
    entry.filter(is_page).map(|(_, entry)| entry).ok_or_else(|| {
        let (direction, other) = if steps < 0 { ("back", "earlier") } else { ("forward", "later") };
        Error::new(Code::NavigationFailed, format!("the tab has no {other} page to go {direction} to"))
            .with_hint("use `webhand goto URL`")
    })
}

/// Goes `steps` pages forward in the tab's history, backward if negative.
pub(crate) async fn through_history(run: &Run<'_>, steps: i64, until: Until) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let _turn = tab.turn(run.deadline).await?;
    let entry = history_entry(run, steps).await?;
    run.may_go(&entry.url)?;
    let going = p::NavigateToHistoryEntry { entry_id: entry.id };
    leave(run, tab, until, Some(&entry.url), async { load(run, tab, going).await.map(drop) }).await
}

/// Loads the tab's page again. One that came of a form is left as it is, unless sending that again is what the caller wants.
pub(crate) async fn again(
    run: &Run<'_>,
    ignore_cache: bool,
    resubmit: bool,
    until: Until,
) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let address = tab.read(|state| state.document.address().to_owned());
    run.may_go(&address)?;
    let _turn = tab.turn(run.deadline).await?;
    may_send_again(run, &address, resubmit)?;
    let reload = p::Reload { ignore_cache: Some(ignore_cache) };
    leave(run, tab, until, None, async { load(run, tab, reload).await.map(drop) }).await
}

/// Whether [`again`] may load the tab's page, for a dry run. What would be refused is told as that.
pub(crate) fn plan_again(run: &Run<'_>, resubmit: bool) -> Result<()> {
    let (_, tab) = run.tab()?;
    let address = tab.read(|state| state.document.address().to_owned());
    run.may_go(&address)?;
    match (may_send_again(run, &address, resubmit), run.gate.draft()) {
        (Err(error), Some(draft)) if error.code == Code::ActionDenied => {
            draft.refuse(Effect::Submit, address.parse().ok().as_ref(), &error);
            Ok(())
        }
        (sent, _) => sent,
    }
}

/// Whether a page that came of a form may be loaded again, which sends that again.
fn may_send_again(run: &Run<'_>, address: &str, resubmit: bool) -> Result<()> {
    let (_, tab) = run.tab()?;
    let sent_by =
        tab.read(|state| state.requests.page(&state.document.loader).and_then(|page| page.sends_by()));
    match sent_by {
        Some(method) if !resubmit => {
            let message = format!(
                "{address} came of a form that was sent ({method}); to load it again would send that again"
            );
            Err(Error::new(Code::ActionDenied, message).with_hint(
                "to send it again use --resubmit; to ask for the address alone use `webhand goto URL`",
            ))
        }
        Some(_) => {
            let to: Option<url::Url> = address.parse().ok();
            let what = || {
                format!(
                    "sends the form again that led to {}",
                    to.as_ref().map(without_secrets).unwrap_or_default()
                )
            };
            run.may(run.deed(Effect::Submit, None, to.clone()), what)
        }
        None => Ok(()),
    }
}

/// Starts a navigation whose command is answered before it happens, and waits for what comes of it. `moves_to` is the address
/// that the same document may move to instead of loading another.
async fn leave(
    run: &Run<'_>,
    tab: &Tab,
    until: Until,
    moves_to: Option<&str>,
    starting: impl Future<Output = Result<()>>,
) -> Result<Outcome> {
    let (left, moves, asked, address) = tab.read(|state| {
        let address = moves_to.unwrap_or(state.document.address()).to_owned();
        (state.document.loader.clone(), state.moves, state.requests.pages_asked(), address)
    });
    let downloads = run.context.pages.downloads.count();
    let leaving = Leaving::prepare(run, tab).await?;
    if leaving == Leaving::Unresponsive {
        let message = format!("the page does not answer, and cannot make room for {address}");
        return Err(Error::new(Code::NavigationFailed, message)
            .with_hint("go to an address: that gives the page up, with the tab's history"));
    }
    let under_way = UnderWay::new(&tab.channel);
    let going = async {
        starting.await?;
        tab.until_some(run.deadline, "the page to begin", |state| {
            let loader = &state.document.loader;
            if *loader != left {
                return Some(Begun::Document { loader: loader.clone() });
            }
            if state.moves > moves && moves_to == Some(state.document.address()) {
                return Some(Begun::Moved);
            }
            // A request for the page that is over without a page: there was nothing to show, or it is a file.
            let page = state
                .requests
                .page_since(asked)
                .filter(|page| page.over && !state.has_shown(&page.loader))?;
            let error = page.error.clone().filter(|error| error == ABORTED)?;
            Some(Begun::Failed { loader: page.loader.clone(), error })
        })
        .await
    };
    let going = tab.unless_dialog(going, run.deadline);
    let went = leaving::unless_stuck(run, tab, going).await;
    under_way.over(&went);
    let mut outcome = match went.map_err(|error| leaving::timed_out_for(tab, &address, asked, error))? {
        Some(Begun::Document { loader }) => arrived(run, until, &loader).await,
        Some(Begun::Failed { loader, error }) => {
            failed_or_empty(run, &address, &loader, error, downloads).await
        }
        Some(_) => finish(run, NavigationKind::SameDocument, None).await,
        None => Err(give_up(run, &address).await),
    }?;
    outcome.notes.extend(leaving.note());
    Ok(outcome)
}

/// The same document has moved, by a fragment or by its own doing.
pub(crate) fn moved() -> Navigation {
    Navigation { kind: NavigationKind::SameDocument, redirects: Vec::new() }
}

/// What came of a navigation that the page itself began, while something was done in it. That it failed or took too long is told in a
/// note: what was done has been done.
pub(crate) async fn after_action(
    run: &Run<'_>,
    left: &str,
    moves: u64,
    downloads: usize,
    by: Instant,
) -> Result<Outcome> {
    let (id, tab) = run.tab()?;
    let went = |state: &TabState| {
        let loader = &state.document.loader;
        if loader != left {
            return Some(Some(loader.clone()));
        }
        let stays = !state.loading || state.stands_still();
        stays.then_some(None)
    };
    let mut begun = tab.until_some(by, "the page to begin", went).await;
    let mut by = by;
    if begun.is_err() && tab.read(|state| state.unanswered_page().is_some()) {
        // Until the server answers, the page takes no commands: nothing else could be done in the tab.
        by = by.max(run.deadline - TO_ANSWER.min(run.deadline.saturating_duration_since(Instant::now()) / 2));
        begun = tab.until_some(by, "the page to begin", went).await;
    }
    let note = |note: &str| Ok(Outcome { notes: vec![note.to_owned()], ..Outcome::default() });
    let loader = match begun {
        Ok(Some(loader)) => loader,
        Ok(None) => {
            let page = tab.read(|state| state.requests.page_since(0).cloned());
            return match page.and_then(|page| page.status) {
                _ if tab.read(|state| state.moves > moves) => {
                    Ok(Outcome { navigation: Some(moved()), ..Outcome::default() })
                }
                Some(204 | 205) => note("the server had nothing to show; the tab stays where it was"),
                // What became a file is told of by the browser in its own time.
                Some(200..300) => {
                    run.context.pages.downloads.begun(Whose::Tab(id), downloads, moment(run).min(by)).await;
                    Ok(Outcome::default())
                }
                _ => Ok(Outcome::default()),
            };
        }
        Err(error) if error.code == Code::Timeout => {
            let waits_for = tab.read(|state| state.unanswered_page().map(str::to_owned));
            return note(&match waits_for {
                Some(address) => format!(
                    "the server has not answered {address} yet; until it does, the tab stays where it is and takes no commands"
                ),
                None => "the page is still on its way to another one".into(),
            });
        }
        // A tab that ended says so elsewhere.
        Err(_) => return Ok(Outcome::default()),
    };
    let mut notes = Vec::new();
    if Until::DomContentLoaded.wait(tab, by).await.is_err()
        || Until::Load.wait(tab, by.min(Instant::now() + LOAD)).await.is_err()
    {
        notes.push("the new page is still loading".into());
    }
    if let Some(error) = missing(run, tab, &loader) {
        notes.push(error.to_string());
    }
    let outcome = finish(run, NavigationKind::Document, Some(&loader)).await?;
    Ok(Outcome { notes, ..outcome })
}

/// The answer was a file, which is waited for.
async fn downloaded(run: &Run<'_>, downloads_before: usize, loader: &str) -> Result<Outcome> {
    let (id, _) = run.tab()?;
    let file = run.context.pages.downloads.finished(Whose::Tab(id), downloads_before, run.deadline).await?;
    let outcome = finish(run, NavigationKind::Download, Some(loader)).await?;
    Ok(Outcome { downloads: vec![file], ..outcome })
}

/// A new document is there: waits for as much of it as was asked for.
async fn arrived(run: &Run<'_>, until: Until, loader: &str) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    until.wait(tab, run.deadline).await.map_err(|error| match error.code {
        Code::Timeout => not_done(tab, until),
        _ => error,
    })?;
    match missing(run, tab, loader) {
        Some(error) => Err(error),
        None => {
            let mut outcome = finish(run, NavigationKind::Document, Some(loader)).await?;
            let is_loading = |state: &TabState| !state.document.load && !state.stands_still();
            if until == Until::Usual && tab.read(is_loading) {
                outcome.notes.push("the page is still loading".into());
            }
            Ok(outcome)
        }
    }
}

/// The error of a page that has begun, and has not come as far as was asked for.
fn not_done(tab: &Tab, until: Until) -> Error {
    let (address, is_read) = tab.read(|state| (state.document.address().to_owned(), state.document.dom));
    let waited_for = match is_read {
        false => format!("the rest of {address}; its server has begun to answer"),
        true => format!("{until} of {address}"),
    };
    timed_out(waited_for)
        .with_hint("the page is there but not done; wait for less with --until, or longer with --timeout")
}

/// The navigation ended without a document. A 204 is an answer; anything else is a failure.
async fn failed_or_empty(
    run: &Run<'_>,
    address: &str,
    loader: &str,
    error: String,
    downloads_before: usize,
) -> Result<Outcome> {
    let (id, tab) = run.tab()?;
    if error == ABORTED {
        let over = |page: &crate::tab::PageRequest| page.over || page.status.is_some();
        let _ =
            tab.until(moment(run), "the answer", |state| state.requests.page(loader).is_some_and(over)).await;
        let status = tab.read(|state| state.requests.page(loader).and_then(|page| page.status));
        if let Some(status @ (204 | 205)) = status {
            let mut outcome = finish(run, NavigationKind::NoContent, Some(loader)).await?;
            outcome.status = Some(status);
            outcome.notes.push("the server had nothing to show; the tab stays where it was".into());
            return Ok(outcome);
        }
        // An answer that was called off although it came well may have become a file; the news of that comes by another way.
        let is_good = status.is_some_and(|status| (200..300).contains(&status));
        if is_good && run.context.pages.downloads.begun(Whose::Tab(id), downloads_before, moment(run)).await {
            return downloaded(run, downloads_before, loader).await;
        }
    } else {
        // Chromium now shows a page that says so; the next action should find that one, not the change to it.
        let _ = tab.until(moment(run), "the error page", |state| state.has_shown(loader)).await;
    }
    Err(not_loaded(run, address, loader, Some(error)))
}

/// Why the document that is there is not the page that was asked for: it is the browser's own, or the guard's.
fn missing(run: &Run<'_>, tab: &Tab, loader: &str) -> Option<Error> {
    let unreachable = tab.read(|state| state.document.unreachable.clone());
    if let Some(address) = unreachable {
        return Some(not_loaded(run, &address, loader, None));
    }
    let (page, broken_off) = tab.read(|state| {
        let broken_off = state.broken_off().filter(|_| state.document.loader == loader);
        (state.requests.page(loader).cloned(), broken_off.map(str::to_owned))
    });
    if let Some(cause) = broken_off {
        let address = tab.read(|state| state.document.address().to_owned());
        let message = format!("{address} is not whole: the connection ended in the middle of it");
        return Some(
            Error::new(Code::NavigationFailed, message)
                .with_cause(cause)
                .with_hint("what had come by then is shown; reload it if the server may be asked once more"),
        );
    }
    let page = page?;
    let mut error = run.context.egress().error(&page.url, Some(page.stopped.as_ref()?), None)?;
    if !page.redirects.is_empty() {
        error.message += ", where the server redirected to; the tab shows a page of webhand's that says so";
    }
    Some(error)
}

fn not_loaded(run: &Run<'_>, address: &str, loader: &str, error: Option<String>) -> Error {
    let (known, page) = match run.tab() {
        Ok((_, tab)) => {
            tab.read(|state| (state.requests.error_of(loader), state.requests.page(loader).cloned()))
        }
        Err(_) => (None, None),
    };
    let said = error.or(known);
    // Redirects may have led elsewhere.
    let at = page.map(|page| page.url).filter(|url| !url.is_empty());
    if let Some(error) = run.context.egress().error(at.as_deref().unwrap_or(address), None, said.as_deref()) {
        return error;
    }
    failed(address, said.as_deref().unwrap_or("the browser gave no reason"))
}

/// The error of a page that could not be loaded, with the hint that fits the browser's reason.
pub(crate) fn failed(address: &str, cause: &str) -> Error {
    let error =
        Error::new(Code::NavigationFailed, format!("{address} could not be loaded")).with_cause(cause);
    match net_errors::hint(cause) {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

/// What came of it: with the title as it is now, and the cookies put by, asked for together.
async fn finish(run: &Run<'_>, kind: NavigationKind, loader: Option<&str>) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let redirects = tab.read(|state| {
        loader
            .and_then(|loader| state.requests.page(loader))
            .map(|page| page.redirects.clone())
            .unwrap_or_default()
    });
    let deadline = run.deadline.min(Instant::now() + TITLE);
    if kind == NavigationKind::Document {
        page::prepare(tab);
    }
    let title = async {
        match kind {
            NavigationKind::Document => run.context.title(tab, deadline).await,
            _ => None,
        }
    };
    let (title, cookies) = tokio::join!(title, run.context.cookies(deadline));
    if let Ok(cookies) = cookies {
        run.session.memory().set_cookies(cookies);
    }
    if let Some(title) = &title {
        tab.note(|state| state.title.clone_from(title));
    }
    Ok(Outcome { title, navigation: Some(Navigation { kind, redirects }), ..Outcome::default() })
}

fn moment(run: &Run<'_>) -> Instant {
    run.deadline.min(Instant::now() + MOMENT)
}

/// A navigation that has been asked for. If whoever asked goes away or runs out of time, it is called off, so that it does not
/// take the page from the next action.
struct UnderWay<'a>(Option<&'a Channel>);

impl<'a> UnderWay<'a> {
    fn new(channel: &'a Channel) -> Self {
        UnderWay(Some(channel))
    }

    fn over<T>(mut self, result: &Result<T>) {
        if !matches!(result, Err(error) if error.code == Code::Timeout) {
            self.0 = None;
        }
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        if let Some(channel) = self.0 {
            drop(channel.post(p::StopLoading {}));
        }
    }
}

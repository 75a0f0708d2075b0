//! Waiting for what an action set going, and no longer: timers that it started, requests, pages, windows, files. Nothing here waits for a
//! length of time; every wait is for an event and has an end.

use std::{
    pin::{Pin, pin},
    sync::{PoisonError, atomic::Ordering},
    time::Duration,
};

use contract::{Code, FrameId, Outcome, Result};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use crate::{
    Until,
    actions::Run,
    downloads::Whose,
    navigate, page,
    tab::{self, Tab, TabState},
    telling::CHANGES,
};

/// How long a window that is about to close may take.
const CLOSING: Duration = Duration::from_secs(2);

/// How long requests are waited for that an action made. Some are meant to stay open.
const REQUESTS: Duration = Duration::from_secs(3);

/// How long a navigation may take to begin after it was asked for.
const BEGINNING: Duration = Duration::from_millis(100);

/// How long a page that an action leads to may take to be there.
const NAVIGATION: Duration = Duration::from_secs(10);

/// How long a new window, or a file, is waited for.
const BESIDES: Duration = Duration::from_secs(3);

/// How often the page is asked whether it is done, each time after requests have ended.
const ROUNDS: usize = 6;

/// What is told of a file chooser that opened.
const ASKS_FOR_FILES: &str =
    "the page asks for files; upload them to what was clicked, or by a tool without a target";

/// What is said of a file that takes longer.
pub(crate) const STILL_DOWNLOADING: &str =
    "a download is still under way; `webhand download` without a target waits for it";

/// What was there before an action, to know what came of it.
pub(crate) struct Before {
    loader: String,
    moves: u64,
    leaves: u64,
    windows: u64,
    requests: u64,
    downloads: usize,
    choosers: u64,
    tabs: u32,
}

impl Before {
    /// Waits until a navigation that was just asked for has begun. One that was called off never does.
    pub(crate) async fn begun(&self, tab: &Tab, deadline: Instant) {
        let asked = |state: &TabState| state.leaves > self.leaves && state.document.loader == self.loader;
        tab.catch_up(deadline.min(Instant::now() + BEGINNING)).await;
        if tab.read(asked) {
            let begun = |state: &TabState| state.loading || state.moves > self.moves || !asked(state);
            let _ = tab.until(deadline.min(Instant::now() + BEGINNING), "a navigation to begin", begun).await;
        }
    }

    /// Notes what is there now.
    pub(crate) fn note(run: &Run<'_>) -> Result<Before> {
        let (_, tab) = run.tab()?;
        Ok(tab.read(|state| Before {
            loader: state.document.loader.clone(),
            moves: state.moves,
            leaves: state.leaves,
            windows: state.windows,
            requests: state.requests.mark(),
            downloads: run.context.pages.downloads.count(),
            choosers: state.choosers,
            tabs: run.context.pages.last(),
        }))
    }

    /// Whether the page is going elsewhere, or is there.
    fn leaves(&self, state: &TabState) -> bool {
        state.leaves > self.leaves || state.document.loader != self.loader
    }

    /// Whether requests are under way whose answers matter. `reads` is whether this frame reads an answer; of others that is not known.
    fn awaits(&self, state: &TabState, frame: FrameId, reads: bool) -> bool {
        let reads = |owner: &str| reads || state.frame_number(owner) != Some(frame);
        state.requests.is_awaited_since(self.requests, reads)
    }

    fn progress(&self, tab: &Tab, frame: FrameId, reads: bool) -> Progress {
        tab.read(|state| {
            if self.leaves(state) || state.stands_still() || state.end.is_some() {
                Progress::Over
            } else if self.awaits(state, frame, reads) {
                Progress::Requests
            } else {
                Progress::Nothing
            }
        })
    }

    /// Waits until another document is there, for a page that has just been allowed to leave. It may stay all the same: what it
    /// leaves for can turn out to be a file.
    pub(crate) async fn left(&self, run: &Run<'_>) {
        let Ok((_, tab)) = run.tab() else { return };
        let waited = tab.until(soon(run, BESIDES), "the page to leave", |state| {
            state.document.loader != self.loader || state.stands_still()
        });
        let _ = waited.await;
    }
}

/// What is under way because of an action.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Nothing,
    Requests,
    /// The page is left, or gone, or a dialog holds it.
    Over,
}

/// What came of an action.
#[derive(Default)]
pub(crate) struct Settled {
    /// What became of a click; none if there was no page left to tell.
    pub(crate) verdict: Option<String>,
    pub(crate) outcome: Outcome,
    /// What was said of the end of it, if something was to be done then and the page was there to do it.
    pub(crate) ended: Option<Value>,
}

/// What our script in the page does when all is over: a function of its own, and a text for it.
#[derive(Clone, Copy)]
pub(crate) struct End<'a> {
    pub(crate) function: &'static str,
    pub(crate) text: &'a str,
}

/// What the page's script answers.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Answer {
    verdict: String,
    saves_file: bool,
    /// The window is about to close.
    closes: bool,
    /// A link was clicked so that it leads to a tab of its own.
    opens_tab: bool,
    /// The page is reading what it was answered.
    reads: bool,
    title: String,
    faults: Vec<String>,
    /// What changed in the page, if nothing was waited for.
    changes: Option<String>,
    ended: Option<Value>,
}

/// Waits until what an action in this frame set going is over.
pub(crate) async fn settle(run: &Run<'_>, before: &Before, frame: FrameId) -> Result<Settled> {
    settle_from(run, before, frame, None, Came::AtOnce).await
}

/// The same after something that reaches the page from outside, in its own time.
pub(crate) async fn settle_outside(run: &Run<'_>, before: &Before, frame: FrameId) -> Result<Settled> {
    settle_from(run, before, frame, None, Came::FromOutside).await
}

/// A page that will answer when what is typed has come to it: it knows that sooner than the browser says so, and answers before it draws.
pub(crate) struct Answering<'a> {
    pub(crate) answer: Pin<Box<dyn Future<Output = Option<Value>> + Send + 'a>>,
    /// Which state of the page had been seen when it was asked.
    pub(crate) seen: Option<u64>,
}

impl<'a> Answering<'a> {
    /// Asks the page.
    pub(crate) fn ask(run: &'a Run<'_>, frame: FrameId, end: End<'a>) -> Result<Answering<'a>> {
        let (_, tab) = run.tab()?;
        let seen = seen(tab, frame);
        let answer = async move {
            let arguments = (0, seen, end.function, end.text);
            page::ask(tab, frame, "settleOnInput", &arguments, run.deadline).await.ok()
        };
        Ok(Answering { answer: Box::pin(answer), seen })
    }
}

/// Types something, waits until what that set going is over, and then does something in the page.
pub(crate) async fn settle_typing(
    run: &Run<'_>,
    before: &Before,
    frame: FrameId,
    end: End<'_>,
    answering: Answering<'_>,
    typing: impl Future<Output = Result<()>>,
) -> Result<Settled> {
    let (_, tab) = run.tab()?;
    let mut settling = pin!(settle_from(run, before, frame, Some(end), Came::AsTyped(answering)));
    let mut typing = pin!(tab.unless_dialog(typing, run.deadline));
    tokio::select! {
        biased;
        settled = &mut settling => {
            let settled = settled?;
            // A page that says nothing has not said that the text has come; one that is left cannot.
            if settled.verdict.is_none() && settled.outcome.navigation.is_none() {
                typing.await?;
            }
            return Ok(settled);
        }
        typed = &mut typing => typed?,
    }
    page::tell(tab, frame, "inputIsOver");
    settling.await
}

/// Which state of the page has been seen, if the caller will be told what changed since.
pub(crate) fn seen(tab: &Tab, frame: FrameId) -> Option<u64> {
    if frame == FrameId(0) { tab.seen() } else { None }
}

/// When what was done is known to the page.
enum Came<'a> {
    AtOnce,
    /// When it is typed, which is just being done.
    AsTyped(Answering<'a>),
    FromOutside,
}

impl Came<'_> {
    /// How many frames a change is waited for at most at first: files have a way to go, and folders a longer one.
    fn frames(&self) -> u32 {
        if let Came::FromOutside = self { 12 } else { 0 }
    }
}

/// The same after requests have ended: what they brought is there soon, or the page takes no notice of it.
const FRAMES_AGAIN: u32 = 3;

async fn settle_from(
    run: &Run<'_>,
    before: &Before,
    frame: FrameId,
    end: Option<End<'_>>,
    came: Came<'_>,
) -> Result<Settled> {
    let (_, tab) = run.tab()?;
    let mut settled = Settled::default();
    let requests_until = soon(run, REQUESTS);
    let (mut saves_file, mut opens_tab, mut closes) = (false, false, false);
    run.looked.store(false, Ordering::Relaxed);
    let mut frames = came.frames();
    let mut answering = if let Came::AsTyped(answering) = came { Some(answering) } else { None };
    for round in 0..ROUNDS {
        let interrupted = tab.until(run.deadline, "the page to settle", |state| {
            state.stands_still() || state.document.loader != before.loader || state.end.is_some()
        });
        // The page tells in the same breath what changed in it, if anybody will be told.
        let Answering { answer, seen } = answering.take().unwrap_or_else(|| {
            let seen = seen(tab, frame);
            let answer = async move {
                let arguments = (frames, seen, end.map(|end| end.function), end.map(|end| end.text));
                page::ask(tab, frame, "settle", &arguments, run.deadline).await.ok()
            };
            Answering { answer: Box::pin(answer), seen }
        });
        let asked = tokio::select! {
            biased;
            asked = answer => asked,
            _ = interrupted => None,
        };
        frames = FRAMES_AGAIN;
        tab.catch_up(soon(run, Duration::from_secs(1))).await;
        let mut has_looked = false;
        let mut reads = true;
        // Who does not answer is on the way to another page, or nowhere.
        closes |= asked.is_none() && frame == FrameId(0);
        if let Some(answer) = asked.and_then(|answer| serde_json::from_value::<Answer>(answer).ok()) {
            saves_file |= answer.saves_file;
            closes |= answer.closes && frame == FrameId(0);
            opens_tab |= answer.opens_tab;
            reads = answer.reads;
            has_looked = take_in(run, seen, answer.changes).await;
            settled.ended = answer.ended;
            if round == 0 && !answer.faults.is_empty() {
                let faults = answer.faults.join(", ");
                settled
                    .outcome
                    .notes
                    .push(format!("the form was not sent; the browser found fault with {faults}"));
            }
            if frame == FrameId(0) {
                tab.note(|state| state.title = answer.title);
            }
            if settled.verdict.is_none() {
                settled.verdict = Some(answer.verdict);
            }
        }
        // What had only just begun then has shown by now.
        let now = before.progress(tab, frame, reads);
        run.looked.store(has_looked && now == Progress::Nothing, Ordering::Relaxed);
        if now != Progress::Requests {
            break;
        }
        let quiet = tab.until(requests_until, "requests", |state| {
            before.leaves(state) || state.stands_still() || !before.awaits(state, frame, reads)
        });
        match quiet.await {
            Err(error) if error.code == Code::Timeout => {
                settled.outcome.notes.push("requests that the action made are still under way".into());
                *run.unfinished.lock().unwrap_or_else(PoisonError::into_inner) = Some(before.requests);
                break;
            }
            // A tab that ended is told below.
            Err(_) => break,
            Ok(()) => {}
        }
    }
    if tab
        .read(|state| state.end.is_none() && !state.stands_still() && state.document.loader == before.loader)
    {
        page::tell(tab, frame, "unwatchEffects");
    }
    navigation(run, before, &mut settled.outcome).await?;
    windows(run, before, opens_tab).await;
    files(run, before, saves_file, &mut settled.outcome).await;
    if closes {
        let is_clear = |state: &TabState| {
            state.end.is_some()
                || state.stands_still()
                || state.document.loader != before.loader
                || before.leaves(state)
        };
        drop(tab.until(soon(run, CLOSING), "the tab to close", is_clear).await);
    }
    if tab.read(|state| state.end == Some(tab::End::Closed)) {
        settled.outcome.notes.push("the tab closed".into());
        run.tell_closed();
    }
    Ok(settled)
}

/// Does something that the page answers at once, and has it looked at in the same breath: the look comes after the question. If the answer
/// takes its time, the look came too early, and another one has to be taken.
pub(crate) async fn looking_along<T>(run: &Run<'_>, asking: impl Future<Output = T>) -> Result<T> {
    let (_, tab) = run.tab()?;
    let (mut asking, mut looking) = (pin!(asking), pin!(look_along(run, tab)));
    let answer = tokio::select! {
        biased;
        answer = &mut asking => answer,
        _ = &mut looking => return Ok(asking.await),
    };
    run.looked.store(looking.await, Ordering::Relaxed);
    Ok(answer)
}

/// Looks at the page, if the caller will be told what changed in it. Returns whether it did.
async fn look_along(run: &Run<'_>, tab: &Tab) -> bool {
    // A page that hangs by now must not make a failure of what has been done.
    let deadline = run.deadline.min(Instant::now() + CHANGES);
    let Ok(mut eyes) = tab.eyes(deadline).await else { return false };
    eyes.has_told(tab) && eyes.glance(tab, deadline).await.is_ok()
}

/// Takes in what the page told of itself. Returns whether it did.
async fn take_in(run: &Run<'_>, seen: Option<u64>, changes: Option<String>) -> bool {
    let (Ok((_, tab)), Some(seen), Some(changes)) = (run.tab(), seen, changes) else { return false };
    let Ok(mut eyes) = tab.eyes(run.deadline).await else { return false };
    eyes.take_in_changes(tab, seen, changes, run.deadline).await.unwrap_or(false)
}

fn soon(run: &Run<'_>, time: Duration) -> Instant {
    // What has been done has been done: the outcome must get out before the deadline ends the action.
    (run.deadline - Duration::from_millis(200)).min(Instant::now() + time)
}

/// If the page is going elsewhere, waits until it is there.
pub(crate) async fn navigation(run: &Run<'_>, before: &Before, outcome: &mut Outcome) -> Result<()> {
    let (_, tab) = run.tab()?;
    let (leaves, moved) = tab.read(|state| {
        let is_new = state.document.loader != before.loader;
        (is_new || state.leaves > before.leaves, state.moves > before.moves)
    });
    if leaves {
        let by = soon(run, NAVIGATION);
        let came = navigate::after_action(run, &before.loader, before.moves, before.downloads, by).await?;
        outcome.notes.extend(came.notes);
        outcome.navigation = came.navigation;
        outcome.title = came.title;
    } else if moved {
        outcome.navigation = Some(navigate::moved());
    }
    Ok(())
}

/// If the page opened windows, waits until something is in them.
async fn windows(run: &Run<'_>, before: &Before, opens_tab: bool) {
    let Ok((id, tab)) = run.tab() else { return };
    let deadline = soon(run, BESIDES);
    if opens_tab || tab.read(|state| state.windows > before.windows) {
        run.context.pages.grown(before.tabs, deadline).await;
    }
    if opens_tab {
        run.context.pages.led_to(id, before.tabs);
    }
    for info in run.context.pages.opened_since(before.tabs) {
        let Ok((_, opened)) = run.context.pages.get(Some(info.tab)) else { continue };
        if run.context.pages.ready(&opened.target_id, deadline).await.is_err() {
            continue;
        }
        // A window may stay blank; one that is on its way somewhere is waited for.
        if Until::Load.wait(&opened, deadline).await.is_ok()
            && let Some(title) = run.context.title(&opened, deadline).await
        {
            opened.note(|state| state.title = title);
        }
    }
}

/// If the page is saving a file, waits for it, but not for a long one.
async fn files(run: &Run<'_>, before: &Before, saves_file: bool, outcome: &mut Outcome) {
    let Ok((id, tab)) = run.tab() else { return };
    if tab.read(|state| state.choosers > before.choosers && state.chooser.is_some()) {
        outcome.notes.push(ASKS_FOR_FILES.into());
    }
    let downloads = &run.context.pages.downloads;
    let deadline = soon(run, BESIDES);
    // A window that is gone again was probably one for a file; where a rule may deny that, it is worth waiting to know.
    let pages = &run.context.pages;
    let has_gone = pages.last() > before.tabs && pages.opened_since(before.tabs).is_empty();
    if saves_file || (has_gone && run.gate.cares()) {
        let whose = Whose::TabAndNewer(id, before.tabs);
        downloads.begun(whose, before.downloads, deadline).await;
    }
    if !downloads.quiet(before.downloads, deadline).await {
        outcome.notes.push(STILL_DOWNLOADING.into());
    }
}

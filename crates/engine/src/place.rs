//! Which page an action is meant for, and whether the tab still shows it. A page that comes between two actions must not get what was meant
//! for the one before.

use std::{sync::PoisonError, time::Duration};

use contract::{Code, Effect, Error, FrameId, Outcome, Place, Result};
use tokio::time::{Instant, timeout_at};

use crate::{
    Action,
    actions::Run,
    keyboard, page,
    tab::{End, TabState},
};

/// How long what the action before left unfinished is waited for, before keys go to whatever has the focus then.
const UNFINISHED: Duration = Duration::from_secs(3);

/// How long a page may take to say what has the focus.
const FOCUS: Duration = Duration::from_secs(2);

/// How many frames a page may take to react to an answer.
const FRAMES: u32 = 3;

/// What is said of a page that came between two answers.
pub(crate) const WENT_ON: &str = "the page had changed to another one since the last answer";

/// The error of something that was done to a page or a browser that then crashed.
fn unknown(crash: &Error) -> Error {
    let message = format!("{} when this had been done; what came of it is not known", crash.message);
    Error::new(crash.code, message).with_hint("look at what there is now before you do it again").once_only()
}

impl Run<'_> {
    /// The page that the tab shows now.
    pub(crate) fn place(&self) -> Option<Place> {
        let (_, tab) = self.tab.as_ref()?;
        let unfinished = *self.unfinished.lock().unwrap_or_else(PoisonError::into_inner);
        let tabs = self.context.pages.last();
        Some(tab.read(|state| Place {
            tab: tab.target_id.clone(),
            arrivals: state.arrivals,
            windows: state.windows,
            tabs,
            leaves: state.leaves,
            unfinished,
        }))
    }

    /// Whether the tab shows another page than it did, in itself or in the frame that has the focus, or the page has opened a tab.
    pub(crate) async fn has_left(&self, place: &Place) -> bool {
        let Some((id, tab)) = &self.tab else { return false };
        let has_come = |frame| tab.read(|state| state.has_come(frame, place.arrivals));
        if tab.target_id != place.tab
            || has_come(FrameId(0))
            || tab.read(|state| state.windows > place.windows)
        {
            return true;
        }
        let opened = self.context.pages.opened_since(place.tabs);
        if opened.iter().any(|opened| opened.opener == Some(*id)) {
            return true;
        }
        // Only now it matters which frame has the focus: some frame has another page.
        if tab.read(|state| state.arrivals == place.arrivals || state.stands_still() || state.end.is_some()) {
            return false;
        }
        let by = self.deadline.min(Instant::now() + FOCUS);
        let focus = timeout_at(by, tab.unless_dialog(keyboard::focus(self), by)).await;
        matches!(focus, Ok(Ok(focus)) if has_come(focus.frame)) || has_come(FrameId(0))
    }

    /// Fails if the page or the browser crashed while something was done. That may show first when the page is looked at.
    pub(crate) fn check_end(&self, effect: Effect, looked: Result<()>) -> Result<()> {
        let Some((_, tab)) = self.tab.as_ref().filter(|_| effect != Effect::Read) else { return Ok(()) };
        match tab.read(|state| (state.end, state.over())) {
            (Some(End::Crashed | End::BrowserGone), Some(error)) => Err(unknown(&error)),
            _ => looked.map_err(|error| unknown(&error)),
        }
    }

    /// The outcome says that the tab has closed, so the caller knows.
    pub(crate) fn tell_closed(&self) {
        if let Some((id, tab)) = &self.tab {
            self.context.pages.tell_closed(*id, tab);
        }
    }

    /// Whether another tab is active than the caller knows, since the one that was has closed by itself. Fails if the action names no tab and
    /// would use something there; otherwise returns a note for its outcome.
    pub(crate) fn check_active(&self, action: &Action) -> Result<Option<String>> {
        let (None, Some((now, tab))) = (self.wanted_tab, &self.tab) else { return Ok(None) };
        let pages = &self.context.pages;
        let Some(closed) = (if self.gate.is_dry() { pages.closed() } else { pages.take_closed() }) else {
            return Ok(None);
        };
        if !self.gate.is_dry() {
            tab.shown_refs.lock().unwrap_or_else(PoisonError::into_inner).follow(closed);
        }
        let message =
            format!("{closed}, which was the active tab, has closed by itself; {now} is the active one now");
        match action.targets().is_empty() && !action.goes_to_focus() {
            true => Ok(Some(message)),
            false => Err(Error::new(Code::TabNotFound, format!("{message}; nothing was done"))
                .with_hint("look at that tab before anything is done there")),
        }
    }

    /// Says in the outcome if the tab shows another page than when the action began.
    pub(crate) async fn tell_another_page(&self, begun: &Place, effect: Effect, outcome: &mut Outcome) {
        outcome.left = self.has_left(begun).await;
        let has_come = |state: &TabState| state.has_come(FrameId(0), begun.arrivals);
        let is_told = outcome.navigation.is_some() || effect == Effect::Navigate;
        if !is_told && self.tab.as_ref().is_some_and(|(_, tab)| tab.read(has_come)) {
            outcome.notes.push("the tab shows another page now".into());
        }
    }

    /// Fails if the tab shows another page than this action is meant for. What is typed without a target goes to whatever has the
    /// focus, so that is asked again at the last moment.
    pub(crate) async fn check_place(&self) -> Result<()> {
        let Some(place) = &self.from else { return Ok(()) };
        if !self.has_left(place).await {
            return Ok(());
        }
        Err(Error::new(
            Code::BatchStopped,
            "the tab had come to another page, or opened one, before this was done",
        ))
    }

    /// Before keys go to whatever has the focus: waits for what the action before left unfinished, which may lead to another page.
    pub(crate) async fn let_finish(&self, action: &Action) {
        let (Some(place), Some((_, tab))) = (&self.from, &self.tab) else { return };
        let Some(mark) = place.unfinished.filter(|_| action.goes_to_focus()) else { return };
        let by = self.deadline.min(Instant::now() + UNFINISHED);
        let is_over = |state: &TabState| state.has_come(FrameId(0), place.arrivals) || state.stands_still();
        let is_quiet = |state: &TabState| is_over(state) || !state.requests.has_work_since(mark);
        if tab.until(by, "requests", is_quiet).await.is_err() || tab.read(is_over) {
            return;
        }
        // What came reaches the page's scripts in its own time.
        drop(page::ask(tab, FrameId(0), "loadIsOver", &(FRAMES,), by).await);
        if tab.read(|state| state.leaves > place.leaves) {
            let has_gone = |state: &TabState| is_over(state) || !state.loading;
            let _ = tab.until(by, "the page to leave", has_gone).await;
        }
    }
}

//! The tabs of a session: short ids that stay, which one is active, who opened whom.

use std::{collections::HashMap, sync::Arc, time::Duration};

use cdp::{Channel, Connection, protocol as p};
use contract::{Code, Error, Result, TabId, TabInfo};
use futures_util::future::join_all;
use tokio::{
    sync::{Mutex, Notify, watch},
    time::{Instant, timeout_at},
};

use crate::{
    downloads::Downloads,
    emulation::{Emulated, Emulation, Receiver},
    lift::timed_out,
    tab::{End, Tab},
};

/// How long pages that nobody acts on may take to change. They change later if they cannot now.
const PATIENCE: Duration = Duration::from_secs(5);

/// The tabs of one browsing context.
pub(crate) struct Pages {
    list: watch::Sender<List>,
    emulated: Emulated,
    /// Whoever changes what pages are made to believe holds the turn.
    turn: Mutex<()>,
    hidden: watch::Sender<Hidden>,
    /// Told when cookies may have changed.
    pub(crate) cookies: Arc<Notify>,
    pub(crate) downloads: Downloads,
    /// One tab at a time is made: that is how a hidden one is known.
    making: Mutex<()>,
}

/// Pages that nobody sees.
#[derive(Default)]
struct Hidden {
    /// How many are on their way.
    expected: usize,
    /// The sessions of those that came, by target.
    sessions: HashMap<String, String>,
}

#[derive(Default)]
struct List {
    entries: Vec<Entry>,
    last: u32,
    active: Option<TabId>,
    hidden: HiddenTabs,
}

/// Tabs that webhand made for itself, and that nobody is told of.
#[derive(Default)]
struct HiddenTabs {
    last: u32,
    /// The next tab that no page opened is one.
    is_next: bool,
    /// The last one that was taken for one.
    newest: Option<TabId>,
}

/// The ids of hidden tabs begin here.
const FIRST_HIDDEN: u32 = 1 << 31;

/// Whether webhand made this tab for itself.
pub(crate) fn is_hidden(tab: TabId) -> bool {
    tab.0 >= FIRST_HIDDEN
}

#[derive(Clone)]
struct Entry {
    id: TabId,
    tab: Arc<Tab>,
    opener: Option<TabId>,
}

impl List {
    /// The tabs that people know.
    fn shown(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| !is_hidden(entry.id))
    }

    fn next_hidden(&mut self) -> TabId {
        self.hidden.last = (self.hidden.last + 1) % FIRST_HIDDEN;
        TabId(FIRST_HIDDEN + self.hidden.last)
    }
}

/// While this lives, the next tab that no page opens is hidden.
struct HideNext<'a>(&'a Pages);

impl Drop for HideNext<'_> {
    fn drop(&mut self) {
        self.0.list.send_if_modified(|list| {
            list.hidden.is_next = false;
            false
        });
    }
}

/// What is kept of a tab when its browser ends.
#[derive(Clone, Debug)]
pub(crate) struct TabRecord {
    pub(crate) id: TabId,
    pub(crate) url: String,
    pub(crate) active: bool,
}

impl Pages {
    /// No tabs yet. The emulation is what all of them will get.
    pub(crate) fn new(emulation: Emulation) -> Arc<Pages> {
        Arc::new(Pages {
            list: watch::Sender::default(),
            emulated: Emulated::new(emulation),
            turn: Mutex::default(),
            hidden: watch::Sender::default(),
            cookies: Arc::default(),
            downloads: Downloads::default(),
            making: Mutex::default(),
        })
    }

    /// Takes in a page that the browser attached us to.
    pub(crate) fn adopt(&self, connection: &Connection, attached: &p::AttachedToTarget) {
        // Nobody changes what holds for all tabs until this one is among them.
        let _held = self.emulated.lock();
        let tab = Tab::start(connection, attached, &self.emulated, self.cookies.clone());
        self.list.send_modify(|list| {
            let opener = attached.target_info.opener_id.as_deref();
            if opener.is_none() && list.hidden.is_next {
                let id = list.next_hidden();
                list.hidden.is_next = false;
                list.hidden.newest = Some(id);
                list.entries.push(Entry { id, tab, opener: None });
                return;
            }
            list.last += 1;
            let id = TabId(list.last);
            let opener =
                list.entries.iter().find(|entry| Some(&*entry.tab.target_id) == opener).map(|entry| entry.id);
            list.entries.push(Entry { id, tab, opener });
            list.active.get_or_insert(id);
        });
    }

    /// A hidden page will come, as long as what this returns is there.
    pub(crate) fn expect_hidden(&self) -> Expected<'_> {
        self.hidden.send_modify(|hidden| hidden.expected += 1);
        Expected(self)
    }

    /// Takes in a hidden page, if one is expected. It is held back until it is told to go on.
    pub(crate) fn adopt_hidden(&self, attached: &p::AttachedToTarget) -> bool {
        self.hidden.send_if_modified(|hidden| {
            if hidden.expected > 0 {
                let target_id = attached.target_info.target_id.clone();
                hidden.sessions.insert(target_id, attached.session_id.clone());
            }
            hidden.expected > 0
        })
    }

    /// Waits for the turn to make a tab.
    pub(crate) async fn making(&self, deadline: Instant) -> Result<impl Drop> {
        timeout_at(deadline, self.making.lock()).await.map_err(|_| timed_out("another tab to be made"))
    }

    /// The next tab that no page opens is hidden, until what this returns is dropped. Whoever calls it has the turn to make one.
    pub(crate) fn hide_next(&self) -> impl Drop {
        self.list.send_if_modified(|list| {
            list.hidden.is_next = true;
            false
        });
        HideNext(self)
    }

    /// Waits until the tab of this target is here.
    pub(crate) async fn arrived(&self, target_id: &str, deadline: Instant) -> Result<()> {
        let mut list = self.list.subscribe();
        let here = list.wait_for(|list| list.entries.iter().any(|entry| entry.tab.target_id == target_id));
        timeout_at(deadline, here).await.map(drop).map_err(|_| timed_out("the new tab"))
    }

    /// The tab of this target is one that nobody is told of. Should another one have been taken for it, that one is shown.
    pub(crate) fn hide(&self, target_id: &str) {
        self.list.send_if_modified(|list| {
            let Some(at) = list.entries.iter().position(|entry| entry.tab.target_id == target_id) else {
                return false;
            };
            if is_hidden(list.entries[at].id) {
                return false;
            }
            let taken = list.entries.iter().position(|entry| Some(entry.id) == list.hidden.newest);
            let shown = list.entries[at].id;
            list.entries[at].id = list.next_hidden();
            match taken {
                Some(taken) => list.entries[taken].id = shown,
                None if list.active == Some(shown) => list.active = None,
                None => {}
            }
            true
        });
    }

    /// Waits until the page of this target is ready to be used.
    pub(crate) async fn ready(&self, target_id: &str, deadline: Instant) -> Result<(TabId, Arc<Tab>)> {
        let mut list = self.list.subscribe();
        let found = list.wait_for(|list| list.entries.iter().any(|entry| entry.tab.target_id == target_id));
        let entry = timeout_at(deadline, found)
            .await
            .map_err(|_| timed_out("the new tab"))?
            .ok()
            .and_then(|list| list.entries.iter().find(|entry| entry.tab.target_id == target_id).cloned())
            .ok_or_else(|| Error::new(Code::TabNotFound, "the new tab was closed at once"))?;
        let started = entry.tab.until_some(deadline, "the new tab", |state| match &state.failure {
            Some(error) => Some(Err(error.clone())),
            None => state.ready.then_some(Ok(())),
        });
        started.await??;
        Ok((entry.id, entry.tab))
    }

    /// A tab by its id, or the active one.
    pub(crate) fn get(&self, id: Option<TabId>) -> Result<(TabId, Arc<Tab>)> {
        let list = self.list.borrow();
        let wanted = id.or(list.active);
        match list.shown().find(|entry| Some(entry.id) == wanted) {
            Some(entry) => Ok((entry.id, entry.tab.clone())),
            None => Err(not_found(id, &list)),
        }
    }

    /// What pages are made to believe.
    pub(crate) fn emulation(&self) -> Emulation {
        self.emulated.lock().clone()
    }

    /// Waits for the turn to change what pages are made to believe.
    pub(crate) async fn turn(&self, deadline: Instant) -> Result<impl Drop> {
        timeout_at(deadline, self.turn.lock()).await.map_err(|_| timed_out("another change of the session"))
    }

    /// Makes all pages believe something else, those to come included. If one of them refuses, all stay as they were. Pages that do not
    /// answer change when they can, which is said; the one that is acted on has to answer.
    pub(crate) async fn set_emulation(
        &self,
        now: &Emulation,
        acted_on: Option<TabId>,
        deadline: Instant,
    ) -> Result<Vec<String>> {
        let mut undo = Undo { pages: self, before: Some(self.emulation()) };
        let mut tabs = Vec::new();
        let answers = self.emulated.change(now, || {
            let targets = self.targets();
            tabs = targets.iter().map(|(id, ..)| *id).collect();
            targets.into_iter().map(|(_, channel, receiver)| (channel, receiver)).collect()
        });
        let patience = deadline.min(Instant::now() + PATIENCE);
        let waiting = tabs
            .iter()
            .zip(answers)
            .map(|(id, answers)| answers.by(if Some(*id) == acted_on { deadline } else { patience }));
        let mut notes = Vec::new();
        for (id, answer) in tabs.iter().zip(join_all(waiting).await) {
            match answer {
                Err(error) if error.code == Code::Timeout && Some(*id) != acted_on => {
                    notes.push(format!("{id} does not answer; it changes when it does"));
                }
                Err(error) if Some(*id) == acted_on || error.code == Code::Internal => return Err(error),
                // A tab that went meanwhile is no news.
                Ok(()) | Err(_) => {}
            }
        }
        notes.dedup();
        undo.before = None;
        Ok(notes)
    }

    fn targets(&self) -> Vec<(TabId, Channel, Receiver)> {
        let list = self.list.borrow();
        let targets = |entry: &Entry| {
            let id = entry.id;
            entry.tab.targets().into_iter().map(move |(channel, receiver)| (id, channel, receiver))
        };
        list.entries.iter().flat_map(targets).collect()
    }

    /// All tabs.
    pub(crate) fn all(&self) -> Vec<Arc<Tab>> {
        self.list.borrow().entries.iter().map(|entry| entry.tab.clone()).collect()
    }

    /// All tabs, as lists show them.
    pub(crate) fn infos(&self) -> Vec<TabInfo> {
        let list = self.list.borrow();
        let info = |entry: &Entry| {
            entry.tab.read(|state| TabInfo {
                tab: entry.id,
                target_id: entry.tab.target_id.clone(),
                url: state.document.address().to_owned(),
                title: state.title.clone(),
                active: Some(entry.id) == list.active,
                opener: entry.opener,
            })
        };
        list.shown().map(info).collect()
    }

    /// The highest number given so far: tabs above it are new.
    pub(crate) fn last(&self) -> u32 {
        self.list.borrow().last
    }

    /// Waits until there are tabs above this number.
    pub(crate) async fn grown(&self, last: u32, deadline: Instant) {
        let mut list = self.list.subscribe();
        let _ = timeout_at(deadline, list.wait_for(|list| list.last > last)).await;
    }

    /// Makes a tab the one that actions go to.
    pub(crate) fn focus(&self, id: TabId) -> Result<()> {
        self.get(Some(id))?;
        self.list.send_modify(|list| list.active = Some(id));
        Ok(())
    }

    /// The tab of this target is gone. If it was the active one, its opener is next, else the one before it.
    pub(crate) fn remove(&self, target_id: &str) {
        self.list.send_if_modified(|list| {
            let Some(at) = list.entries.iter().position(|entry| entry.tab.target_id == target_id) else {
                return false;
            };
            let gone = list.entries.remove(at);
            gone.tab.note(|state| {
                state.end.get_or_insert(End::Closed);
            });
            if list.active == Some(gone.id) {
                let opener = list.entries.iter().find(|entry| Some(entry.id) == gone.opener);
                let mut others = list.entries[..at].iter().rev().chain(&list.entries[at..]);
                list.active = opener.or(others.find(|entry| !is_hidden(entry.id))).map(|entry| entry.id);
            }
            true
        });
    }

    /// Gives a tab that was opened anew the id that it had before.
    pub(crate) fn rename(&self, target_id: &str, id: TabId) {
        self.list.send_modify(|list| {
            if let Some(at) = list.entries.iter().position(|entry| entry.tab.target_id == target_id) {
                let before = list.entries[at].id;
                list.entries[at].id = id;
                if list.active == Some(before) {
                    list.active = Some(id);
                }
            }
            list.last = list.last.max(id.0);
        });
    }

    /// Tab numbers up to this one are taken.
    pub(crate) fn reserve(&self, last: u32) {
        self.list.send_modify(|list| list.last = list.last.max(last));
    }

    /// What to reopen after the browser has ended.
    pub(crate) fn records(&self) -> Vec<TabRecord> {
        let infos = self.infos().into_iter();
        infos.map(|info| TabRecord { id: info.tab, url: info.url, active: info.active }).collect()
    }

    /// Waits until a tab is no longer there.
    pub(crate) async fn gone(&self, target_id: &str, deadline: Instant) -> Result<()> {
        let mut list = self.list.subscribe();
        let gone = list.wait_for(|list| list.entries.iter().all(|entry| entry.tab.target_id != target_id));
        timeout_at(deadline, gone).await.map(drop).map_err(|_| timed_out("the tab to close"))
    }

    /// The browser tells of a target. The title that it makes up from the address of a page without one is no news.
    pub(crate) fn note_title(&self, info: &p::TargetInfo) {
        let list = self.list.borrow();
        let entry = list.entries.iter().find(|entry| entry.tab.target_id == info.target_id);
        if let Some(entry) = entry.filter(|_| !info.url.contains(&*info.title)) {
            entry.tab.note(|state| state.title.clone_from(&info.title));
        }
    }

    /// Whether a page opened it.
    pub(crate) fn is_popup(&self, target_id: &str) -> bool {
        self.list
            .borrow()
            .entries
            .iter()
            .any(|entry| entry.tab.target_id == target_id && entry.opener.is_some())
    }

    /// The tab that holds a frame.
    pub(crate) fn tab_of_frame(&self, frame: &str) -> Option<TabId> {
        let list = self.list.borrow();
        list.entries
            .iter()
            .find(|entry| entry.tab.read(|state| state.owns_frame(frame)))
            .map(|entry| entry.id)
    }

    /// Stops following all of them.
    pub(crate) fn forget(&self) {
        for entry in &self.list.borrow().entries {
            entry.tab.forget();
        }
    }
}

/// A hidden page that is on its way.
pub(crate) struct Expected<'a>(&'a Pages);

impl Expected<'_> {
    /// The session of the hidden page, when it is there. A browser that knows no hidden pages makes a tab of it.
    pub(crate) async fn session(&self, target_id: &str, deadline: Instant) -> Result<String> {
        let mut hidden = self.0.hidden.subscribe();
        let mut list = self.0.list.subscribe();
        let came = hidden.wait_for(|hidden| hidden.sessions.contains_key(target_id));
        let shown = list.wait_for(|list| list.entries.iter().any(|entry| entry.tab.target_id == target_id));
        let session = timeout_at(deadline, async {
            tokio::select! {
                hidden = came => hidden.ok().and_then(|hidden| hidden.sessions.get(target_id).cloned()),
                _ = shown => None,
            }
        });
        let session = session.await.map_err(|_| timed_out("a hidden page"))?;
        session.ok_or_else(|| Error::new(Code::Unsupported, "the browser has no hidden pages"))
    }
}

impl Drop for Expected<'_> {
    fn drop(&mut self) {
        self.0.hidden.send_modify(|hidden| {
            hidden.expected -= 1;
            if hidden.expected == 0 {
                hidden.sessions.clear();
            }
        });
    }
}

/// Takes back what pages were told, unless all of them took it.
struct Undo<'a> {
    pages: &'a Pages,
    before: Option<Emulation>,
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            let targets =
                || self.pages.targets().into_iter().map(|(_, channel, receiver)| (channel, receiver));
            drop(self.pages.emulated.change(&before, || targets().collect()));
        }
    }
}

fn not_found(id: Option<TabId>, list: &List) -> Error {
    let tabs: Vec<String> = list.shown().map(|entry| entry.id.to_string()).collect();
    match (id, tabs.is_empty()) {
        (_, true) => Error::new(Code::TabNotFound, "the session has no tab left")
            .with_hint("open one with `webhand goto URL`"),
        (Some(id), false) => {
            Error::new(Code::TabNotFound, format!("there is no tab {id}; there is {}", tabs.join(", ")))
        }
        (None, false) => Error::new(Code::TabNotFound, "no tab is active"),
    }
}

/// Which pages belong to which browsing context; what belongs to none of them goes to the default.
#[derive(Default)]
pub(crate) struct Directory {
    contexts: HashMap<String, std::sync::Weak<Pages>>,
    default: std::sync::Weak<Pages>,
}

impl Directory {
    pub(crate) fn add(&mut self, context: Option<&str>, pages: &Arc<Pages>) {
        match context {
            Some(context) => drop(self.contexts.insert(context.into(), Arc::downgrade(pages))),
            None => self.default = Arc::downgrade(pages),
        }
    }

    pub(crate) fn find(&self, context: Option<&str>) -> Option<Arc<Pages>> {
        let known = context.and_then(|context| self.contexts.get(context));
        known.unwrap_or(&self.default).upgrade()
    }

    pub(crate) fn all(&mut self) -> Vec<Arc<Pages>> {
        self.contexts.retain(|_, pages| pages.strong_count() > 0);
        self.contexts.values().chain([&self.default]).filter_map(std::sync::Weak::upgrade).collect()
    }
}

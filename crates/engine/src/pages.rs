//! The tabs of a session: short ids that stay, which one is active, who opened whom.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use cdp::{Connection, protocol as p};
use contract::{Code, Error, Result, TabId, TabInfo};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, timeout_at},
};

use crate::{
    Viewport,
    downloads::Downloads,
    lift::{lift, timed_out},
    tab::{End, Tab},
};

/// The tabs of one browsing context.
pub(crate) struct Pages {
    list: watch::Sender<List>,
    viewport: Mutex<Option<Viewport>>,
    /// Told when cookies may have changed.
    pub(crate) cookies: Arc<Notify>,
    pub(crate) downloads: Downloads,
    /// One tab at a time is made: that is how a hidden one is known.
    making: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct List {
    entries: Vec<Entry>,
    last: u32,
    active: Option<TabId>,
    hidden: Hidden,
}

/// Tabs that webhand made for itself, and that nobody is told of.
#[derive(Default)]
struct Hidden {
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
    /// No tabs yet. `viewport` is what new ones get; none leaves them as the browser makes them.
    pub(crate) fn new(viewport: Option<Viewport>) -> Arc<Pages> {
        Arc::new(Pages {
            list: watch::Sender::default(),
            viewport: Mutex::new(viewport),
            cookies: Arc::default(),
            downloads: Downloads::default(),
            making: tokio::sync::Mutex::default(),
        })
    }

    /// Takes in a page that the browser attached us to.
    pub(crate) fn adopt(&self, connection: &Connection, attached: &p::AttachedToTarget) {
        let viewport = *self.viewport.lock().unwrap_or_else(PoisonError::into_inner);
        let tab = Tab::start(connection, attached, viewport, self.cookies.clone());
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

    /// Gives all tabs another size, those to come included.
    pub(crate) async fn set_viewport(&self, viewport: Viewport, deadline: Instant) -> Result<()> {
        *self.viewport.lock().unwrap_or_else(PoisonError::into_inner) = Some(viewport);
        let tabs: Vec<_> = self.list.borrow().entries.iter().map(|entry| entry.tab.clone()).collect();
        for tab in tabs {
            let Viewport { width, height, scale } = viewport;
            let metrics = p::SetDeviceMetrics { width, height, device_scale_factor: scale, mobile: false };
            tab.channel.call(metrics, deadline).await.map_err(lift)?;
        }
        Ok(())
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

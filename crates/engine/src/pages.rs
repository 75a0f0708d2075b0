//! The tabs of a session: short ids that stay, which one is active, who opened whom.

mod directory;
mod emulate;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, PoisonError, atomic::Ordering},
};

use cdp::{Connection, protocol as p};
use contract::{Code, Error, Result, TabId, TabInfo};
use tokio::{
    sync::{Mutex, Notify, watch},
    time::{Instant, timeout_at},
};
use url::Url;

pub(crate) use self::directory::Directory;
use crate::{
    downloads::{Downloads, News},
    egress::Egress,
    emulation::{Emulated, Emulation},
    hidden::HiddenPages,
    lift::timed_out,
    tab::{End, Tab},
};

/// How many tabs are remembered that have closed.
const REMEMBERED: usize = 8;

/// The tabs of one browsing context.
pub(crate) struct Pages {
    list: watch::Sender<List>,
    pub(crate) emulated: Emulated,
    /// Whether file choosers wait for files instead of being shown.
    pub(crate) catches_choosers: bool,
    /// Their way to networks.
    pub(crate) egress: Arc<Egress>,
    /// The targets of those that we had opened ourselves.
    own: std::sync::Mutex<HashSet<String>>,
    /// Whoever changes what pages are made to believe holds the turn.
    turn: Mutex<()>,
    /// Held by whoever needs a tab to stay in front of the others.
    pub(crate) front: Mutex<()>,
    pub(crate) hidden: HiddenPages,
    /// Told when cookies may have changed.
    pub(crate) cookies: Arc<Notify>,
    pub(crate) downloads: Downloads,
}

#[derive(Default)]
struct List {
    entries: Vec<Entry>,
    /// The last ones that closed: a window that turns out to be a file closes, and may do so before the browser tells of the file.
    gone: VecDeque<Entry>,
    last: u32,
    active: Option<TabId>,
    /// The active tab that closed by itself, so that another one became active. None once a caller has been told.
    closed: Option<TabId>,
    /// Names that callers gave to tabs. Ids are never used again, so those of tabs that are gone do no harm.
    labels: HashMap<TabId, String>,
}

#[derive(Clone)]
struct Entry {
    id: TabId,
    tab: Arc<Tab>,
    opener: Option<TabId>,
}

/// What is kept of a tab when its browser ends.
#[derive(Clone, Debug)]
pub(crate) struct TabRecord {
    pub(crate) id: TabId,
    pub(crate) url: String,
    pub(crate) active: bool,
    pub(crate) label: Option<String>,
}

impl Pages {
    /// No tabs yet. The emulation is what all of them will get. Where nobody sees them, file choosers are caught.
    pub(crate) fn new(emulation: Emulation, egress: Arc<Egress>, catches_choosers: bool) -> Arc<Pages> {
        Arc::new(Pages {
            catches_choosers,
            list: watch::Sender::default(),
            emulated: Emulated::new(emulation),
            egress,
            own: std::sync::Mutex::default(),
            turn: Mutex::default(),
            front: Mutex::default(),
            hidden: HiddenPages::default(),
            cookies: Arc::default(),
            downloads: Downloads::default(),
        })
    }

    /// Takes in a page that the browser attached us to.
    pub(crate) fn adopt(&self, connection: &Connection, attached: &p::AttachedToTarget) {
        // Nobody changes what holds for all tabs until this one is among them.
        let _held = self.emulated.lock();
        let tab = Tab::start(connection, attached, self);
        self.list.send_modify(|list| {
            let opener = attached.target_info.opener_id.as_deref();
            let opener =
                list.entries.iter().find(|entry| Some(&*entry.tab.target_id) == opener).map(|entry| entry.id);
            list.last += 1;
            let id = TabId(list.last);
            list.entries.push(Entry { id, tab, opener });
            list.active.get_or_insert(id);
        });
    }

    /// Waits until the page of this target is ready to be used.
    pub(crate) async fn ready(&self, target_id: &str, deadline: Instant) -> Result<(TabId, Arc<Tab>)> {
        let (id, tab) = self.arrived(target_id, deadline).await?;
        let started = tab.until_some(deadline, "the new tab", |state| match &state.failure {
            Some(error) => Some(Err(error.clone())),
            None => state.ready.then_some(Ok(())),
        });
        started.await??;
        Ok((id, tab))
    }

    /// Waits until the page of this target is among the tabs.
    pub(crate) async fn arrived(&self, target_id: &str, deadline: Instant) -> Result<(TabId, Arc<Tab>)> {
        let mut list = self.list.subscribe();
        let found = list.wait_for(|list| list.entries.iter().any(|entry| entry.tab.target_id == target_id));
        let list = timeout_at(deadline, found).await.map_err(|_| timed_out("the new tab"))?;
        list.ok()
            .and_then(|list| list.entries.iter().find(|entry| entry.tab.target_id == target_id).cloned())
            .map(|entry| (entry.id, entry.tab))
            .ok_or_else(|| Error::new(Code::TabNotFound, "the new tab was closed at once"))
    }

    /// A tab by its id, or the active one.
    pub(crate) fn get(&self, id: Option<TabId>) -> Result<(TabId, Arc<Tab>)> {
        let list = self.list.borrow();
        let wanted = id.or(list.active);
        match list.entries.iter().find(|entry| Some(entry.id) == wanted) {
            Some(entry) => Ok((entry.id, entry.tab.clone())),
            None => Err(not_found(id, &list)),
        }
    }

    /// All tabs.
    pub(crate) fn all(&self) -> Vec<Arc<Tab>> {
        self.list.borrow().entries.iter().map(|entry| entry.tab.clone()).collect()
    }

    /// Tells when tabs come or go.
    pub(crate) fn changes(&self) -> watch::Receiver<impl Sized + use<>> {
        self.list.subscribe()
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
                label: list.labels.get(&entry.id).cloned(),
            })
        };
        list.entries.iter().map(info).collect()
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

    /// We had this tab opened.
    pub(crate) fn note_own(&self, target_id: &str) {
        self.own().insert(target_id.to_owned());
    }

    /// The tabs that we had opened, from now on nobody's.
    pub(crate) fn take_own(&self) -> HashSet<String> {
        std::mem::take(&mut self.own())
    }

    pub(crate) fn is_own(&self, target_id: &str) -> bool {
        self.own().contains(target_id)
    }

    fn own(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tabs that pages opened after the one of this number.
    pub(crate) fn opened_since(&self, last: u32) -> Vec<TabInfo> {
        self.infos().into_iter().filter(|info| info.tab.0 > last && info.opener.is_some()).collect()
    }

    /// A link in this tab was clicked so that it leads to a tab of its own, which the browser does not say: it is one that came since.
    pub(crate) fn led_to(&self, from: TabId, last: u32) {
        self.list.send_modify(|list| {
            let is_it = |entry: &&mut Entry| {
                entry.id.0 > last && entry.opener.is_none() && !self.is_own(&entry.tab.target_id)
            };
            if let Some(entry) = list.entries.iter_mut().find(is_it) {
                entry.opener = Some(from);
            }
        });
    }

    /// Makes a tab the one that actions go to.
    pub(crate) fn focus(&self, id: TabId) -> Result<()> {
        self.get(Some(id))?;
        self.list.send_modify(|list| {
            list.active = Some(id);
            list.closed = None;
        });
        Ok(())
    }

    /// The tab that was active until it closed by itself, if no caller has been told.
    pub(crate) fn take_closed(&self) -> Option<TabId> {
        let mut closed = None;
        self.list.send_if_modified(|list| {
            closed = list.closed.take();
            false
        });
        closed
    }

    /// The same, which stays to be told.
    pub(crate) fn closed(&self) -> Option<TabId> {
        self.list.borrow().closed
    }

    /// A caller has been told that this tab closed, or is just being told.
    pub(crate) fn tell_closed(&self, id: TabId, tab: &Tab) {
        tab.is_end_told.store(true, Ordering::Relaxed);
        self.list.send_if_modified(|list| {
            list.closed = list.closed.filter(|closed| *closed != id);
            false
        });
    }

    /// Gives a tab a name, which no other tab may have.
    pub(crate) fn label(&self, id: TabId, label: &str) -> Result<()> {
        self.get(Some(id))?;
        let taken =
            self.infos().into_iter().find(|info| info.label.as_deref() == Some(label) && info.tab != id);
        if let Some(other) = taken {
            return Err(Error::invalid(format!("{} is called {label:?} already", other.tab))
                .with_hint("use another name, or close that tab first"));
        }
        self.list.send_modify(|list| drop(list.labels.insert(id, label.to_owned())));
        Ok(())
    }

    /// The tab of this target is gone. If it was the active one, its opener is next, else the one before it.
    pub(crate) fn remove(&self, target_id: &str) {
        self.list.send_if_modified(|list| {
            let Some(at) = list.entries.iter().position(|entry| entry.tab.target_id == target_id) else {
                return false;
            };
            let gone = list.entries.remove(at);
            list.gone.truncate(REMEMBERED - 1);
            list.gone.push_front(gone.clone());
            gone.tab.note(|state| {
                state.end.get_or_insert(End::Closed);
            });
            if list.active == Some(gone.id) {
                let opener = list.entries.iter().find(|entry| Some(entry.id) == gone.opener);
                list.active = opener.or(list.entries.get(at.saturating_sub(1))).map(|entry| entry.id);
                let is_told = list.active.is_none() || gone.tab.is_end_told.load(Ordering::Relaxed);
                list.closed = (!is_told).then_some(gone.id);
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
        infos
            .map(|info| TabRecord { id: info.tab, url: info.url, active: info.active, label: info.label })
            .collect()
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
        if let Some(entry) = entry.filter(|_| !is_made_up(&info.title, &info.url)) {
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

    /// Takes in a download, if it is one of these pages that began it.
    pub(crate) fn begin_download(&self, event: &p::DownloadWillBegin) -> News {
        let frame = &event.frame_id;
        let tab = self.tab_of_frame(frame);
        if tab.is_none() && !self.hidden.has(frame) {
            return News::OfOthers;
        }
        let pages = tab.map(|tab| self.pages_of(tab, frame)).unwrap_or_default();
        match self.downloads.begin(event, tab, &pages) {
            Some(cancel) => News::CallOff(cancel),
            None => News::Taken,
        }
    }

    /// The addresses of a tab and of a frame in it. A window that is still blank is where the page is that opened it.
    fn pages_of(&self, tab: TabId, frame: &str) -> Vec<Url> {
        let list = self.list.borrow();
        let entry = |id: TabId| list.entries.iter().chain(&list.gone).find(|entry| entry.id == id);
        let address =
            |entry: &Entry| Url::parse(&entry.tab.read(|state| state.document.address().to_owned())).ok();
        let Some(own) = entry(tab) else { return Vec::new() };
        let opener = || own.opener.and_then(entry).and_then(address);
        let top = address(own).filter(|top| top.scheme() != "about").or_else(opener).or_else(|| address(own));
        let inner =
            own.tab.read(|state| state.frame_address(frame)).and_then(|inner| Url::parse(&inner).ok());
        let mut pages: Vec<Url> = top.into_iter().collect();
        // A frame without an address of its own is its page's.
        pages.extend(inner.filter(|inner| inner.scheme() != "about" && !pages.contains(inner)));
        pages
    }

    /// The tab that holds a frame, or held it before it closed.
    fn tab_of_frame(&self, frame: &str) -> Option<TabId> {
        let list = self.list.borrow();
        list.entries
            .iter()
            .chain(&list.gone)
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
    let tabs: Vec<String> = list.entries.iter().map(|entry| entry.id.to_string()).collect();
    match (id, tabs.is_empty()) {
        (_, true) => Error::new(Code::TabNotFound, "the session has no tab left")
            .with_hint("open one with `webhand goto URL`"),
        (Some(id), false) => {
            Error::new(Code::TabNotFound, format!("there is no tab {id}; there is {}", tabs.join(", ")))
        }
        (None, false) => Error::new(Code::TabNotFound, "no tab is active"),
    }
}

/// Whether a title is none of the page's: the browser makes one up from the address of a page without one, as people read addresses
/// (without `http://`, with escapes undone), and has that of the blank page until it knows of another. A title that merely occurs in
/// the address is the page's own.
pub(crate) fn is_made_up(title: &str, url: &str) -> bool {
    if title.is_empty() || title == "about:blank" {
        return true;
    }
    // What comes before the first slash has no escapes.
    let start = without_scheme(url).split(['/', '?', '#']).next().unwrap_or_default();
    without_scheme(title).starts_with(start)
}

fn without_scheme(address: &str) -> &str {
    let web = ["http://", "https://"].iter().find_map(|scheme| address.strip_prefix(scheme));
    web.unwrap_or(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_pages_are_told_from_those_of_the_browser() {
        let url = "http://127.0.0.1:8000/page?title=form&body=%3Cp%3E";
        for title in ["", "about:blank", "127.0.0.1:8000/page?title=form&body=<p>", url] {
            assert!(is_made_up(title, url), "{title}");
        }
        for title in ["form", "page", "127.0.0.1", "Form at 127.0.0.1:8000"] {
            assert!(!is_made_up(title, url), "{title}");
        }
        assert!(is_made_up("example.com", "https://example.com/"));
        assert!(is_made_up("data:text/html,<p>x", "data:text/html,%3Cp%3Ex"));
        assert!(!is_made_up("x", "data:text/html,<title>x</title>"));
        assert!(is_made_up("file:///tmp/a b.html", "file:///tmp/a%20b.html"));
        assert!(!is_made_up("b", "file:///tmp/a%20b.html"));
    }
}

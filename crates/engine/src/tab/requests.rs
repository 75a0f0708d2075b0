//! The requests of a page: which are under way, and what came of those for the page itself.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use cdp::protocol as p;
use tokio::time::Instant;

use super::Stopped;

/// Requests for pages that are remembered after they are answered; a page asks for its own once.
const REMEMBERED: usize = 16;

/// A request that takes longer than this is one that the server leaves open until there is news.
const RECENT: Duration = Duration::from_secs(3);

/// The browser's words for a navigation that the server or the page called off.
pub(crate) const ABORTED: &str = "net::ERR_ABORTED";

/// What is under way, and when something last began or ended.
#[derive(Debug)]
pub(crate) struct Requests {
    under_way: HashMap<String, Owner>,
    last_activity: Instant,
    pages: VecDeque<PageRequest>,
    pages_asked: u64,
    begun: u64,
}

#[derive(Debug)]
struct Owner {
    /// Its place among all that there were.
    number: u64,
    loader: String,
    frame: String,
    /// The address of the document that it is for, if it is for one.
    document: Option<String>,
    /// Whether the page is likely to change when it is over.
    matters: bool,
    /// A script asked for it: if that does not read the answer, the browser never says that it is over.
    is_fetch: bool,
    is_answered: bool,
    began: Instant,
}

/// The request for a page, by the loader id that its document will have.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageRequest {
    /// Its place among all that there were, the first being 0.
    number: u64,
    pub(crate) loader: String,
    /// Where it went last.
    pub(crate) url: String,
    /// How it was asked for there: GET, or POST for a form that is sent.
    method: String,
    pub(crate) redirects: Vec<String>,
    pub(crate) status: Option<u16>,
    /// The server, or the guard in its place, has answered.
    pub(crate) is_answered: bool,
    /// What came is a PDF, which the browser shows in a viewer of its own.
    pub(crate) is_pdf: bool,
    pub(crate) over: bool,
    /// The browser's own words, when it failed.
    pub(crate) error: Option<String>,
    /// What the guard answered in the server's place.
    pub(crate) stopped: Option<Stopped>,
}

impl PageRequest {
    /// How it sent something, if to ask for it again would send that again.
    pub(crate) fn sends_by(&self) -> Option<String> {
        let is_safe = matches!(&*self.method, "" | "GET" | "HEAD");
        (!is_safe).then(|| self.method.clone())
    }
}

impl Default for Requests {
    fn default() -> Self {
        Requests {
            under_way: HashMap::new(),
            last_activity: Instant::now(),
            pages: VecDeque::new(),
            pages_asked: 0,
            begun: 0,
        }
    }
}

impl Requests {
    pub(crate) fn is_idle(&self) -> bool {
        self.under_way.is_empty()
    }

    /// How many there have been: those that follow are newer.
    pub(crate) fn mark(&self) -> u64 {
        self.begun
    }

    /// Whether something is under way that began after the mark, and that the page waits for in order to go on.
    pub(crate) fn has_work_since(&self, mark: u64) -> bool {
        self.under_way.values().any(|owner| owner.matters && owner.number >= mark)
    }

    /// The same without answers that nobody reads. `reads` says whether a frame reads what it was answered.
    pub(crate) fn is_awaited_since(&self, mark: u64, reads: impl Fn(&str) -> bool) -> bool {
        let is_awaited = |owner: &Owner| !owner.is_answered || reads(&owner.frame);
        self.under_way.values().any(|owner| owner.matters && owner.number >= mark && is_awaited(owner))
    }

    /// The documents that are under way: by the frame that they are for, with their address.
    pub(super) fn documents(&self) -> impl Iterator<Item = (&str, &str)> {
        self.under_way.values().filter_map(|owner| Some((&*owner.frame, owner.document.as_deref()?)))
    }

    /// Whether something is under way that the page waits for in order to go on, and that has not taken long so far.
    pub(crate) fn has_recent_work(&self, now: Instant) -> bool {
        self.under_way.values().any(|owner| owner.matters && now < owner.began + RECENT)
    }

    pub(crate) fn last_activity(&self) -> Instant {
        self.last_activity
    }

    /// The request that brought the document of this loader.
    pub(crate) fn page(&self, loader: &str) -> Option<&PageRequest> {
        self.pages.iter().find(|page| page.loader == loader)
    }

    /// How many pages have been asked for here.
    pub(crate) fn pages_asked(&self) -> u64 {
        self.pages_asked
    }

    /// The last request for a page, if it was made after that many others.
    pub(crate) fn page_since(&self, asked: u64) -> Option<&PageRequest> {
        self.pages.back().filter(|page| page.number >= asked)
    }

    /// Why the page of this loader is one that says that it could not be loaded. Going through history, Chromium shows that
    /// page under another loader than it made the request; then it is the last request for a page.
    pub(crate) fn error_of(&self, loader: &str) -> Option<String> {
        let own = self.page(loader).and_then(|page| page.error.as_ref());
        own.or_else(|| self.pages.back()?.error.as_ref()).cloned()
    }

    pub(super) fn begin(&mut self, event: p::RequestWillBeSent, is_main: bool) {
        // Streams stay open as long as the page; a page that has one would never be idle.
        if matches!(&*event.r#type, "EventSource" | "WebSocket" | "Ping") {
            return;
        }
        self.last_activity = Instant::now();
        if is_main && event.r#type == "Document" && event.request_id == event.loader_id {
            let page = self.page_request(&event.loader_id);
            page.url.clone_from(&event.request.url);
            page.method.clone_from(&event.request.method);
            page.redirects.extend(event.redirect_response.map(|response| response.url));
        }
        let matters = matches!(&*event.r#type, "Document" | "XHR" | "Fetch" | "Script");
        let is_fetch = event.r#type == "Fetch";
        let document = (event.r#type == "Document").then_some(event.request.url);
        let (loader, frame) = (event.loader_id, event.frame_id);
        let owner = Owner {
            number: self.begun,
            loader,
            frame,
            document,
            matters,
            is_fetch,
            is_answered: false,
            began: self.last_activity,
        };
        self.begun += 1;
        self.under_way.insert(event.request_id, owner);
    }

    pub(super) fn respond(&mut self, event: &p::ResponseReceived) {
        if let Some(page) = self.pages.iter_mut().find(|page| page.loader == event.request_id) {
            page.is_answered = true;
            // 0 is what the protocol gives for answers that did not come over HTTP.
            page.stopped = Stopped::answer(&event.response);
            page.is_pdf = event.response.mime_type == "application/pdf";
            let status = u16::try_from(event.response.status).ok().filter(|&s| s > 0);
            page.status = status.filter(|_| page.stopped.is_none());
        }
        if let Some(owner) = self.under_way.get_mut(&event.request_id) {
            owner.is_answered = owner.is_fetch;
            // A stream has no end that one could wait for.
            owner.matters &= event.response.mime_type != "text/event-stream";
        }
    }

    pub(super) fn end(&mut self, request: &str, error: Option<String>) {
        if self.under_way.remove(request).is_some() {
            self.last_activity = Instant::now();
        }
        if let Some(page) = self.pages.iter_mut().find(|page| page.loader == request) {
            page.over = true;
            page.error = error;
        }
    }

    /// A new document has taken the page over: what the old one was loading is nobody's business any more, and its
    /// endings may never be told.
    pub(super) fn keep_only_loader(&mut self, loader: &str) {
        self.under_way.retain(|_, owner| owner.loader == loader);
    }

    /// A frame shows another document, perhaps in another process, which does not tell how the old one's requests end.
    pub(super) fn forget_frame_but(&mut self, frame: &str, loader: &str) {
        self.under_way.retain(|_, owner| owner.frame != frame || owner.loader == loader);
    }

    pub(super) fn forget_frame(&mut self, frame: &str) {
        self.under_way.retain(|_, owner| owner.frame != frame);
    }

    fn page_request(&mut self, loader: &str) -> &mut PageRequest {
        let at = self.pages.iter().position(|page| page.loader == loader).unwrap_or_else(|| {
            if self.pages.len() == REMEMBERED {
                self.pages.pop_front();
            }
            let number = self.pages_asked;
            self.pages_asked += 1;
            self.pages.push_back(PageRequest { number, loader: loader.into(), ..PageRequest::default() });
            self.pages.len() - 1
        });
        &mut self.pages[at]
    }
}

//! The world that attempts have their effects in: a server that counts every request at its socket, and pages that stay in touch with it.
//!
//! Every page has an id, the first part of its path and of all that it leads to, so that what comes late is still known to be its. A page
//! holds a stream of events open (its agent), over which the test asks it what has happened to it. So nobody needs a verb, a tool or a leave
//! of the rules to see what came of an attempt.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    net::{Ipv4Addr, TcpListener},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::stream;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Long enough for a loaded machine; a page that never answers fails the test after it.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a page may take from its request until it is in touch. What takes longer is only noticed later.
const LOADING: Duration = Duration::from_secs(2);

/// The largest body that a page sends.
const LARGEST_BODY: usize = 1 << 20;

/// What cookies begin with that no script can read, and what files begin with. The id of the page follows.
pub(super) const CREDENTIAL: &str = "CREDENTIAL-";
pub(super) const BYTES: &str = "FILE-BYTES-";

/// A request that came for a page's address, or for one that the page or an attempt leads to.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// What follows the page's id, with the query.
    pub path: String,
    /// What the browser says that it is for: `document`, `iframe`, `empty` …
    pub dest: String,
    pub body: Vec<u8>,
}

/// What is known of one page.
#[derive(Default)]
struct Page {
    seen: Vec<Seen>,
    agents: BTreeMap<String, UnboundedSender<String>>,
    /// How many agents there were.
    met: usize,
    /// By the number of the question and the agent.
    reports: BTreeMap<(usize, String), Value>,
}

#[derive(Default)]
struct Shared {
    pages: Mutex<BTreeMap<String, Page>>,
    changed: Condvar,
}

pub(super) struct World {
    port: u16,
    shared: Arc<Shared>,
    next: AtomicUsize,
}

pub(super) fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(World::start)
}

impl World {
    fn start() -> World {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let router = Router::new().fallback(serve).with_state(shared.clone());
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                axum::serve(listener, router).await.unwrap();
            });
        });
        World { port, shared, next: AtomicUsize::new(0) }
    }

    /// The id of a page that nobody has been to.
    pub(super) fn new_page(&self) -> String {
        format!("p{}q", self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Where a page and all that belongs to it is.
    pub(super) fn base(&self, page: &str) -> String {
        format!("http://127.0.0.1:{}/{page}", self.port)
    }

    /// The requests that came for a page so far.
    pub(super) fn seen(&self, page: &str) -> Vec<Seen> {
        self.shared.pages().get(page).map(|page| page.seen.clone()).unwrap_or_default()
    }

    /// Waits until a page of this id is in touch, at this path.
    #[track_caller]
    pub(super) fn until_shown(&self, page: &str) {
        self.shared.wait(&format!("{page} is shown"), |pages| {
            pages.get(page).is_some_and(|page| !page.agents.is_empty())
        });
    }

    /// Has a page ask its user something, which holds it up.
    pub(super) fn ask(&self, page: &str) {
        for agent in self.shared.pages()[page].agents.values() {
            let _ = agent.send("ask".into());
        }
    }

    /// Waits for a page that is being loaded to be in touch, unless it takes too long: what was asked for may never be shown.
    pub(super) fn until_loaded(&self, page: &str, is_expected: bool) {
        let limit = Instant::now() + LOADING;
        let mut pages = self.shared.pages();
        while let Some(page) = pages.get(page) {
            let shown = page.seen.iter().filter(|seen| seen.dest == "document").count();
            let left = limit.saturating_duration_since(Instant::now());
            if !page.agents.is_empty() || (page.met >= shown && !is_expected) || left.is_zero() {
                return;
            }
            pages = self.shared.changed.wait_timeout(pages, left).unwrap().0;
        }
    }

    /// What every page of this id that is still there says of itself. When it has, all that reached it before has been dealt with.
    #[track_caller]
    pub(super) fn reports(&self, page: &str) -> Vec<Value> {
        let question = self.next.fetch_add(1, Ordering::Relaxed);
        let asked: Vec<String> = {
            let pages = self.shared.pages();
            let Some(page) = pages.get(page) else { return Vec::new() };
            let reached = page.agents.iter().filter(|(_, agent)| agent.send(question.to_string()).is_ok());
            reached.map(|(name, _)| name.clone()).collect()
        };
        let mut reports = Vec::new();
        self.shared.wait(&format!("{page} says how it is"), |pages| {
            let page = &pages[page];
            let answered = |name: &String| page.reports.get(&(question, name.clone())).cloned();
            reports = asked.iter().filter_map(answered).collect();
            asked.iter().all(|name| answered(name).is_some() || !page.agents.contains_key(name))
        });
        reports
    }
}

impl Shared {
    fn pages(&self) -> MutexGuard<'_, BTreeMap<String, Page>> {
        self.pages.lock().unwrap()
    }

    /// Changes what is known of a page.
    fn note(&self, page: &str, change: impl FnOnce(&mut Page)) {
        change(self.pages().entry(page.to_owned()).or_default());
        self.changed.notify_all();
    }

    #[track_caller]
    fn wait(&self, what: &str, mut holds: impl FnMut(&BTreeMap<String, Page>) -> bool) {
        let limit = Instant::now() + PATIENCE;
        let mut pages = self.pages();
        while !holds(&pages) {
            let left = limit.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "waited in vain: {what}");
            pages = self.changed.wait_timeout(pages, left).unwrap().0;
        }
    }
}

/// The stream of a page. It ends with the page, and is then forgotten.
struct Agent {
    shared: Arc<Shared>,
    page: String,
    name: String,
    said: UnboundedReceiver<String>,
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.shared.note(&self.page, |page| {
            page.agents.remove(&self.name);
        });
    }
}

async fn serve(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let whole = head.uri.path_and_query().map_or("", |path| path.as_str()).trim_start_matches('/').to_owned();
    let (page, path) = whole.split_once('/').unwrap_or((&whole, ""));
    let body = to_bytes(body, LARGEST_BODY).await.unwrap_or_default().to_vec();
    let header =
        |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (name, query) = path.split_once('?').unwrap_or((path, ""));
    match name {
        "agent" => return agent(shared.clone(), page, query),
        "report" => {
            let report: Value = serde_json::from_slice(&body).unwrap_or_default();
            let by = (query.parse().unwrap_or(0), report["agent"].as_str().unwrap_or_default().to_owned());
            shared.note(page, |page| {
                page.reports.insert(by, report);
            });
            return StatusCode::NO_CONTENT.into_response();
        }
        _ => {}
    }
    let added = if header("x-probe").is_empty() { "" } else { " with x-probe" };
    let seen = Seen { path: format!("{path}{added}"), dest: header("sec-fetch-dest").to_owned(), body };
    shared.note(page, |page| page.seen.push(seen));
    let cookie = format!("session={CREDENTIAL}{page}; Path=/; HttpOnly");
    match name {
        "attack" | "elsewhere" | "named" | "submitted" => {
            let html = include_str!("page.html").replace("ID", page).replace("TITLE", name);
            let headers = [(header::CONTENT_TYPE, "text/html".to_owned()), (header::SET_COOKIE, cookie)];
            (headers, html).into_response()
        }
        "attached" | "file.bin" => {
            let headers = [
                (header::CONTENT_TYPE, "application/octet-stream"),
                (header::CONTENT_DISPOSITION, "attachment; filename=\"file.bin\""),
            ];
            (headers, format!("{BYTES}{page}")).into_response()
        }
        _ => StatusCode::NO_CONTENT.into_response(),
    }
}

fn agent(shared: Arc<Shared>, page: &str, name: &str) -> Response {
    let (sender, said) = unbounded_channel();
    let agent = Agent { shared: shared.clone(), page: page.to_owned(), name: name.to_owned(), said };
    shared.note(page, |page| {
        page.agents.insert(name.to_owned(), sender);
        page.met += 1;
    });
    let lines = stream::unfold(agent, async |mut agent| {
        let line = agent.said.recv().await?;
        // Should the connection break, it is made again at once.
        Some((Ok::<_, Infallible>(format!("retry: 50\ndata: {line}\n\n")), agent))
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(lines)).into_response()
}

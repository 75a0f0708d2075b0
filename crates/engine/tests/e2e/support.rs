//! What every test needs: a session of its own in one shared engine, and the fixture site.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use contract::{Code, Error, Outcome, Ref, SessionName, Span, TabId};
use engine::{
    Action, Config, Engine, Front, Request, SessionOptions, Until,
    actions::{Eval, Goto, Open, Snapshot, World},
};
use serde_json::Value;
use testkit::Site;
use tokio::runtime::Runtime;

/// Long enough for a loaded machine; no test waits for it unless something is broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// One runtime for all tests: the shared browser's tasks must outlive the test that started it.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap())
}

pub(crate) fn site() -> &'static Site {
    static SITE: OnceLock<Site> = OnceLock::new();
    SITE.get_or_init(Site::start)
}

/// One engine for all tests that share browsers: the whole Chromium, and its headless shell.
fn shared_engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| new_engine(|_| {}))
}

/// An engine of its own, for tests that break its browser.
pub(crate) fn new_engine(change: impl FnOnce(&mut Config)) -> Engine {
    testkit::browser();
    let home = tempfile::tempdir().unwrap();
    let mut config = Config::new(home.path());
    config.timeout = PATIENCE;
    config.allow = vec![testkit::ALLOW.parse().unwrap()];
    change(&mut config);
    // Left for the system to clean up: the engine writes to it until the process ends.
    std::mem::forget(home);
    Engine::new(config).unwrap()
}

pub(crate) fn options() -> SessionOptions {
    SessionOptions { browser: Some(testkit::browser()), ..SessionOptions::default() }
}

/// A session in an engine, by the name of its test.
#[derive(Clone)]
pub(crate) struct Fixture {
    pub engine: Engine,
    pub name: SessionName,
    pub options: SessionOptions,
    /// How long elements are waited for, where a request does not say; none: as usual.
    pub element_timeout: Option<Span>,
}

impl Fixture {
    pub(crate) fn new(engine: Engine) -> Fixture {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("s{}", COUNT.fetch_add(1, Ordering::Relaxed)).parse().unwrap();
        Fixture { engine, name, options: options(), element_timeout: None }
    }

    /// The same session in Chromium's headless shell.
    pub(crate) fn in_shell(mut self) -> Fixture {
        self.options.browser = Some(testkit::shell());
        self
    }

    pub(crate) async fn perform(&self, action: impl Into<Action>) -> Result<Outcome, Error> {
        self.request(Request::new(action)).await
    }

    pub(crate) async fn within(&self, time: Duration, action: impl Into<Action>) -> Result<Outcome, Error> {
        self.request(Request { timeout: Some(Span(time)), ..Request::new(action) }).await
    }

    pub(crate) async fn in_tab(&self, tab: u32, action: impl Into<Action>) -> Result<Outcome, Error> {
        self.request(Request { tab: Some(TabId(tab)), ..Request::new(action) }).await
    }

    pub(crate) async fn request(&self, request: Request) -> Result<Outcome, Error> {
        let element_timeout = request.element_timeout.or(self.element_timeout);
        let request = Request { element_timeout, ..request };
        self.engine.perform(&self.name, &self.options, request).await
    }

    pub(crate) async fn open(&self, url: &str) -> Outcome {
        self.perform(Open { url: Some(url.into()), until: Until::Load }).await.unwrap()
    }

    pub(crate) async fn eval(&self, js: &str) -> Value {
        self.perform(eval(js)).await.unwrap().value.unwrap()
    }

    pub(crate) async fn close(&self) {
        self.perform(engine::actions::Close {}).await.unwrap();
    }
}

pub(crate) fn eval(js: &str) -> Eval {
    Eval::new(js)
}

pub(crate) fn goto(url: &str) -> Goto {
    Goto { url: url.into(), until: Until::Load }
}

/// Runs a test in a session of its own in the shared browser.
pub(crate) fn run<F: Future<Output = ()>>(test: impl FnOnce(Fixture) -> F) {
    run_shared(Fixture::new(shared_engine().clone()), test);
}

/// Does the same in Chromium's headless shell, which costs half as much. For tests of what pages contain and of how controls take values:
/// the shell has the same pages and the same input, but neither windows nor hidden pages.
pub(crate) fn run_in_shell<F: Future<Output = ()>>(test: impl FnOnce(Fixture) -> F) {
    run_shared(Fixture::new(shared_engine().clone()).in_shell(), test);
}

fn run_shared<F: Future<Output = ()>>(fixture: Fixture, test: impl FnOnce(Fixture) -> F) {
    runtime().block_on(async {
        test(fixture.clone()).await;
        fixture.close().await;
    });
}

/// Runs a test in an engine with a browser of its own.
pub(crate) fn run_alone<F: Future<Output = ()>>(test: impl FnOnce(Fixture) -> F) {
    let engine = new_engine(|_| {});
    runtime().block_on(async {
        test(Fixture::new(engine.clone())).await;
        engine.close(Front::Library).await;
    });
}

#[track_caller]
pub(crate) fn code(result: Result<Outcome, Error>) -> Code {
    result.expect_err("this should have failed").code
}

/// Goes to a page made of this markup.
pub(crate) async fn show(s: &Fixture, body: &str) {
    s.perform(goto(&site().page("page", body))).await.unwrap();
}

/// The whole page as text.
pub(crate) async fn look(s: &Fixture) -> String {
    s.perform(Snapshot::default()).await.unwrap().snapshot.unwrap().text
}

/// Runs a script in the page's own world.
pub(crate) async fn eval_main(s: &Fixture, js: &str) -> Outcome {
    s.perform(Eval { world: World::Main, ..eval(js) }).await.unwrap()
}

/// The ref in the one line of a snapshot that begins like this.
#[track_caller]
pub(crate) fn ref_of(text: &str, line: &str) -> Ref {
    let found: Vec<&str> =
        text.lines().filter(|candidate| candidate.trim_start().starts_with(line)).collect();
    assert_eq!(found.len(), 1, "{line:?} in:\n{text}");
    let (_, rest) = found[0].split_once("[ref=").unwrap_or_else(|| panic!("{:?} has no ref", found[0]));
    rest.split_once(']').unwrap().0.parse().unwrap()
}

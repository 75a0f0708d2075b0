//! A host application that shows pages itself, such as one made with Electron, and lets tools act on them.
//!
//! The host listens to `/v1/events`. Asked to open a page (`data-open-browser`), it shows it and tells which CDP targets the page has
//! (`tab.upsertSnapshot`, at `/v1/host/tab.upsertSnapshot`). From then on the session acts on those targets, over the debugging port of
//! the host, and on no others: the rest of the host's browser is the application itself.

mod kept;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use contract::{Code, Error, Outcome, PageUrl, Result, SessionName, TabId};
use engine::{
    Action, Budget, Engine, Front, Request, SessionOptions, Until,
    actions::{Tabs, TabsOp, Wait},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};

use self::kept::Kept;
use crate::hub::Hub;

/// How long a host may take to show a page and tell of it.
const OPENING: Duration = Duration::from_secs(30);

/// How many tabs of hosts are remembered. Those that were told of longest ago go first.
const MOST_TABS: usize = 256;

/// The host application, if there is one. Cloning is cheap; all clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Host(Option<Arc<Bridge>>);

struct Bridge {
    hub: Hub,
    /// The debugging port of the host.
    browser: String,
    tabs: watch::Sender<Told>,
    views: AtomicU64,
    kept: Kept,
    /// Sessions that had pages of the host when the server ended, and have not been used since.
    left: Mutex<BTreeSet<SessionName>>,
}

/// What a host tells of one of its tabs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TabSnapshot {
    /// The host's own session
    session_id: String,
    /// Which of its windows tells
    client_id: String,
    /// The tab
    tab_id: String,
    /// Grows with every snapshot of the tab; older ones are left aside
    seq: u64,
    /// The tab itself. In its stack, at any depth, are browserTabs with viewKey and cdpTargetIds
    #[schemars(with = "serde_json::Map<String, Value>")]
    tab: Value,
}

/// All tabs that were told of, by who told.
#[derive(Default)]
struct Told {
    tabs: BTreeMap<(String, String, String), Tab>,
    count: u64,
}

#[derive(Clone, Serialize, Deserialize)]
struct Tab {
    seq: u64,
    /// When it was told, among all.
    order: u64,
    views: BTreeMap<String, Vec<String>>,
}

/// A page to be opened.
pub(crate) struct Page {
    pub(crate) url: PageUrl,
    /// What the host may call it.
    pub(crate) title: Option<String>,
    /// The same as a navigation.
    pub(crate) request: Request,
}

/// What came of a snapshot.
pub(crate) struct Taken {
    /// A newer one was there already.
    pub(crate) stale: bool,
    /// The targets of all views of the tab.
    pub(crate) targets: Vec<String>,
}

impl Host {
    /// A host whose browser can be reached at this address. What it tells of its tabs is kept in `file`.
    pub(crate) fn new(browser: Option<String>, hub: Hub, file: Option<PathBuf>) -> Host {
        Host(browser.map(|browser| {
            let kept = Kept(file);
            let told = kept.load();
            let known: Vec<_> = told
                .tabs
                .values()
                .flat_map(|tab| tab.views.keys())
                .filter_map(|key| of_session(key))
                .collect();
            // A number that was used before would name a page that is there already.
            let last = known.iter().map(|(_, number)| *number).max().unwrap_or_default();
            let left = Mutex::new(known.into_iter().map(|(session, _)| session).collect());
            Arc::new(Bridge {
                hub,
                browser,
                tabs: watch::Sender::new(told),
                views: AtomicU64::new(last),
                kept,
                left,
            })
        }))
    }

    /// Takes the pages that the host showed for a session before the server was started again into that session.
    pub(crate) async fn restore(
        &self,
        engine: &Engine,
        session: &SessionName,
        options: &SessionOptions,
        front: Front,
    ) {
        let Some(bridge) = &self.0 else { return };
        if !bridge.left.lock().unwrap_or_else(PoisonError::into_inner).remove(session) || engine.has(session)
        {
            return;
        }
        let options = bridge.options(&engine.narrow(session, options));
        for target_id in bridge.targets_of(session) {
            let adopt = Tabs { op: Some(TabsOp::Adopt { target_id }) };
            // The host may have closed it, or may not be there; then the session starts as any other.
            if let Err(error) =
                engine.perform(session, &options, Request { front, ..Request::new(adopt) }).await
            {
                tracing::info!(%session, %error, "a page of the host is not there any more");
            }
        }
    }

    /// Takes in what the host tells of a tab.
    pub(crate) fn take_in(&self, snapshot: TabSnapshot) -> Result<Taken> {
        let bridge = self.0.as_ref().ok_or_else(|| {
            Error::new(Code::Unsupported, "webhand was not told of a host application")
                .with_hint("start it with --host-browser and the address of the host's debugging port")
        })?;
        let views = views(&snapshot.tab);
        let targets = views.values().flatten().cloned().collect();
        let key = (snapshot.session_id, snapshot.client_id, snapshot.tab_id);
        let stale = !bridge.tabs.send_if_modified(|told| {
            if told.tabs.get(&key).is_some_and(|tab| tab.seq >= snapshot.seq) {
                return false;
            }
            told.count += 1;
            told.tabs.insert(key, Tab { seq: snapshot.seq, order: told.count, views });
            if told.tabs.len() > MOST_TABS
                && let Some(oldest) =
                    told.tabs.iter().min_by_key(|(_, tab)| tab.order).map(|(key, _)| key.clone())
            {
                told.tabs.remove(&oldest);
            }
            bridge.kept.save(told);
            true
        });
        Ok(Taken { stale, targets })
    }

    /// Has a page opened by the host, and makes it a tab of the session. None if there is no host.
    pub(crate) async fn open(
        &self,
        engine: &Engine,
        session: &SessionName,
        options: &SessionOptions,
        front: Front,
        page: &Page,
        budget: &Budget,
    ) -> Result<Option<TabId>> {
        let Some(bridge) = &self.0 else { return Ok(None) };
        let options = &bridge.options(&engine.narrow(session, options));
        // Before the host shows anything: a session that runs in another browser cannot have the page.
        engine.check(session, options)?;
        // Where nobody can open anything, no person is asked about it.
        bridge.check_heard()?;
        // The host's browser is not ours to hold back, so what may be loaded is decided before it is asked.
        let url = engine.may_be_opened(session, options, &page.request).await?;
        let url = url.map_or_else(|| page.url.expose().to_owned(), String::from);
        let targets = bridge.opened(session, &url, page.title.as_deref(), budget).await?;
        let asked = |action: Action| Request { front, budget: Some(budget.clone()), ..Request::new(action) };
        let mut last = None;
        // A view has one target or several; the first that is a page is the one to act on.
        for target_id in targets {
            let adopt = Tabs { op: Some(TabsOp::Adopt { target_id }) };
            match engine.perform(session, options, asked(adopt.into())).await {
                Ok(outcome) => {
                    // The host may tell of a view while its page is still to come.
                    for wait in [
                        Wait { url: Some("http*".into()), ..Wait::default() },
                        Wait::until(Until::DomContentLoaded),
                    ] {
                        let request = Request { tab: outcome.tab, ..asked(wait.into()) };
                        engine.perform(session, options, request).await?;
                    }
                    return Ok(outcome.tab);
                }
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| Error::new(Code::TabNotFound, "the host told of no target")))
    }
}

impl Host {
    /// What would come of having a page opened by the host, for a dry run: the host is told nothing. None if there is no host.
    pub(crate) async fn plan(
        &self,
        engine: &Engine,
        session: &SessionName,
        options: &SessionOptions,
        request: &Request,
    ) -> Result<Option<Outcome>> {
        let Some(bridge) = &self.0 else { return Ok(None) };
        let options = &bridge.options(&engine.narrow(session, options));
        engine.check(session, options)?;
        bridge.check_heard()?;
        let mut outcome = engine.plan_to_be_opened(session, options, request).await?;
        if let Some(plan) = &mut outcome.plan {
            plan.add_note("the host application would be asked to open it");
        }
        Ok(Some(outcome))
    }
}

/// The session and the number in the key of a view that webhand asked for.
fn of_session(view: &str) -> Option<(SessionName, u64)> {
    let (session, number) = view.strip_prefix("webhand:")?.rsplit_once(':')?;
    Some((session.parse().ok()?, number.parse().ok()?))
}

impl Bridge {
    /// How a session has to be that acts on pages of the host.
    fn options(&self, options: &SessionOptions) -> SessionOptions {
        SessionOptions {
            attach: Some(self.browser.clone()),
            targets: Some(Vec::new()),
            browser: None,
            headed: None,
            profile: None,
            upstream_proxy: None,
            ..options.clone()
        }
    }

    /// The targets of the pages that were opened for a session, the newest last.
    fn targets_of(&self, session: &SessionName) -> Vec<String> {
        let told = self.tabs.borrow();
        let views = told.tabs.values().flat_map(|tab| &tab.views);
        let mut own: Vec<_> = views
            .filter_map(|(key, targets)| {
                Some((of_session(key).filter(|(name, _)| name == session)?.1, targets.first()?))
            })
            .collect();
        own.sort_unstable();
        own.into_iter().map(|(_, target)| target.clone()).collect()
    }

    fn check_heard(&self) -> Result<()> {
        if self.hub.is_heard() {
            return Ok(());
        }
        Err(Error::new(Code::BrowserNotRunning, "no host application listens to /v1/events")
            .with_hint("start the host application, then try again"))
    }

    /// Asks the host to show a page, and waits for its targets.
    async fn opened(
        &self,
        session: &SessionName,
        url: &str,
        title: Option<&str>,
        budget: &Budget,
    ) -> Result<Vec<String>> {
        self.check_heard()?;
        let number = self.views.fetch_add(1, Ordering::Relaxed) + 1;
        let view = format!("webhand:{session}:{number}");
        let mut tabs = self.tabs.subscribe();
        // The tab that the host told of last is the one that its user looks at.
        let tab =
            tabs.borrow().tabs.iter().max_by_key(|(_, tab)| tab.order).map(|((_, _, tab), _)| tab.clone());
        let mut payload =
            json!({"tabId": tab, "url": url, "viewKey": view, "panelKey": format!("webhand:{session}")});
        if let Some(title) = title {
            payload["title"] = title.into();
        }
        self.hub.publish("data-open-browser", payload);
        let find = |told: &Told| {
            let mut views = told.tabs.values().filter_map(|tab| tab.views.get(&view));
            views.find(|targets| !targets.is_empty()).cloned()
        };
        let time = budget.remaining().map_or(OPENING, |left| left.min(OPENING));
        let told = timeout_at(Instant::now() + time, tabs.wait_for(|told| find(told).is_some())).await;
        told.ok().and_then(|told| told.ok().and_then(|told| find(&told))).ok_or_else(|| {
            Error::new(Code::Timeout, "the host application was asked to open the page and told of no target")
                .with_hint(
                    "it has to answer data-open-browser with tab.upsertSnapshot, with the same viewKey",
                )
        })
    }
}

/// The views in a tab, wherever they are in its stack, with their targets.
fn views(tab: &Value) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    collect(tab, &mut found);
    found
}

fn collect(value: &Value, found: &mut BTreeMap<String, Vec<String>>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(object) => {
            for item in object.get("browserTabs").and_then(Value::as_array).into_iter().flatten() {
                let ids = item["cdpTargetIds"].as_array().into_iter().flatten();
                let ids: Vec<String> = ids.filter_map(Value::as_str).map(str::to_owned).collect();
                if let Some(view) = item["viewKey"].as_str() {
                    found.insert(view.to_owned(), ids);
                }
            }
            object.values().for_each(|value| collect(value, found));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(seq: u64, view: &str, targets: &[&str]) -> TabSnapshot {
        let browser =
            json!({"id": "browser", "params": {"browserTabs": [{"viewKey": view, "cdpTargetIds": targets}]}});
        serde_json::from_value(json!({
            "sessionId": "s", "clientId": "c", "tabId": "tab-1", "seq": seq, "tab": {"id": "tab-1", "stack": [browser]},
        }))
        .unwrap()
    }

    #[test]
    fn the_newest_snapshot_counts() {
        let host = Host::new(Some("http://127.0.0.1:1".into()), Hub::default(), None);
        assert_eq!(host.take_in(snapshot(2, "v", &["a", "b"])).unwrap().targets, ["a", "b"]);
        assert!(host.take_in(snapshot(1, "v", &["old"])).unwrap().stale);
        assert!(host.take_in(snapshot(2, "v", &["same"])).unwrap().stale);
        assert!(!host.take_in(snapshot(3, "w", &[])).unwrap().stale);
        assert_eq!(Host::default().take_in(snapshot(1, "v", &[])).err().unwrap().code, Code::Unsupported);
    }

    #[test]
    fn tabs_are_not_remembered_for_ever() {
        let host = Host::new(Some("http://127.0.0.1:1".into()), Hub::default(), None);
        for number in 0..MOST_TABS as u64 + 10 {
            let tab = TabSnapshot { tab_id: number.to_string(), ..snapshot(number, "v", &["a"]) };
            host.take_in(tab).unwrap();
        }
        let told = host.0.as_ref().unwrap().tabs.borrow();
        assert_eq!(told.tabs.len(), MOST_TABS);
        assert!(told.tabs.keys().all(|(_, _, tab)| tab != "0"));
    }

    #[tokio::test]
    async fn without_a_listener_nobody_is_asked() {
        let bridge = Host::new(Some("http://127.0.0.1:1".into()), Hub::default(), None).0.unwrap();
        let error =
            bridge.opened(&SessionName::default(), "http://x/", None, &Budget::new(None)).await.unwrap_err();
        assert_eq!(error.code, Code::BrowserNotRunning);
    }

    #[tokio::test]
    async fn the_page_is_the_one_with_the_key_that_was_asked_for() {
        let hub = Hub::default();
        let host = Host::new(Some("http://127.0.0.1:1".into()), hub.clone(), None);
        let mut listener = hub.subscribe();
        host.take_in(snapshot(1, "another", &["x"])).unwrap();
        let bridge = host.0.clone().unwrap();
        let asked = tokio::spawn(async move {
            bridge.opened(&SessionName::default(), "http://x/", Some("X"), &Budget::new(None)).await
        });
        let event = listener.next().await.unwrap();
        assert_eq!(event.kind, "data-open-browser");
        assert_eq!(event.data["tabId"], "tab-1");
        assert_eq!(
            (event.data["url"].as_str(), event.data["title"].as_str()),
            (Some("http://x/"), Some("X"))
        );
        let view = event.data["viewKey"].as_str().unwrap();
        host.take_in(snapshot(2, view, &[])).unwrap();
        host.take_in(snapshot(3, view, &["t1", "t2"])).unwrap();
        assert_eq!(asked.await.unwrap().unwrap(), ["t1", "t2"]);
    }
}

//! A browsing context: the live half of a session. It goes when its browser does; the session makes another.

use std::{sync::Arc, time::Duration};

use cdp::{Channel, protocol as p};
use contract::{Code, Error, FrameId, Result, TabId};
use futures_util::future::join_all;
use guard::proxy::Rules;
use serde_json::Value;
use tokio::{
    runtime::Handle,
    time::{Instant, sleep_until},
};

use crate::{
    Viewport,
    browser::Browser,
    downloads::Saving,
    egress::Egress,
    emulation::Emulation,
    lift::lift,
    page,
    pages::{Pages, TabRecord, is_made_up},
    tab::Tab,
};

/// How long a page of somebody else's browser may take to answer, and one of ours to go.
const PATIENCE: Duration = Duration::from_secs(3);

/// A context in a browser, with its tabs.
pub(crate) struct Context {
    pub(crate) browser: Arc<Browser>,
    pub(crate) pages: Arc<Pages>,
    kind: Kind,
}

enum Kind {
    /// One of many in a shared browser: gone with all it holds when the session closes.
    Isolated(String),
    /// The only one of a browser of its own, whose profile stays.
    Profile,
    /// Somebody else's. Only the tabs that we opened are ours to close.
    Attached,
    /// A few pages of somebody else's, who alone opens and closes them.
    Hosted,
}

impl Context {
    /// A new isolated context with one tab.
    pub(crate) async fn isolated(
        browser: &Arc<Browser>,
        egress: Arc<Egress>,
        deadline: Instant,
    ) -> Result<Context> {
        let command = p::CreateBrowserContext {
            dispose_on_detach: true,
            proxy_server: egress.proxy_server(),
            // Not even what is on this computer goes past it.
            proxy_bypass_list: Some("<-loopback>".into()),
        };
        let id = browser.root.call(command, deadline).await.map_err(lift)?.browser_context_id;
        let emulation = Emulation { viewport: Some(Viewport::default()), ..Emulation::default() };
        let pages = Pages::new(emulation, egress, browser.is_headless);
        browser.register(Some(&id), &pages);
        let context = Context { browser: browser.clone(), pages, kind: Kind::Isolated(id) };
        context.open_tab("about:blank", deadline).await?;
        Ok(context)
    }

    /// The whole of a browser that was started for one profile.
    pub(crate) async fn profile(
        browser: Arc<Browser>,
        egress: Arc<Egress>,
        emulation: Emulation,
        deadline: Instant,
    ) -> Result<Context> {
        let pages = Pages::new(emulation, egress, browser.is_headless);
        browser.register(None, &pages);
        browser.attach_to_pages(deadline).await?;
        let context = Context { browser, pages, kind: Kind::Profile };
        context.open_tab("about:blank", deadline).await?;
        Ok(context)
    }

    /// The tabs of somebody else's browser; one of ours if it has none. With `only`, those and no others: the rest of the browser may
    /// be an application that wants no hands in it.
    pub(crate) async fn attached(
        browser: Arc<Browser>,
        egress: Arc<Egress>,
        emulation: Emulation,
        only: Option<&[String]>,
        deadline: Instant,
    ) -> Result<Context> {
        let pages = Pages::new(emulation, egress, browser.is_headless);
        browser.register(None, &pages);
        if let Some(targets) = only {
            let context = Context { browser, pages, kind: Kind::Hosted };
            for target in targets {
                context.adopt(target, deadline).await?;
            }
            return Ok(context);
        }
        browser.attach_to_pages(deadline).await?;
        let targets = browser.root.call(p::GetTargets {}, deadline).await.map_err(lift)?.target_infos;
        let context = Context { browser, pages, kind: Kind::Attached };
        // A page that cannot be used (one that has crashed or is just closing) is none of ours; the others still are.
        let patience = deadline.min(Instant::now() + PATIENCE);
        let pages = targets.iter().filter(|target| target.r#type == "page");
        let ready = pages.map(|target| context.pages.ready(&target.target_id, patience));
        let found = join_all(ready).await.iter().any(Result::is_ok);
        if !found {
            context.open_tab("about:blank", deadline).await?;
        }
        Ok(context)
    }

    /// Its way to networks.
    pub(crate) fn egress(&self) -> &Arc<Egress> {
        &self.pages.egress
    }

    /// A context that nobody had is for a session from now on: its rules hold, and until now nothing was allowed.
    pub(crate) async fn claim(&self, rules: Rules, deadline: Instant) -> Result<()> {
        self.egress().set_rules(rules);
        for tab in self.pages.all() {
            tab.hold(deadline).await?;
        }
        // What was asked for until now was nobody's.
        drop(self.egress().take_blocked());
        Ok(())
    }

    /// Takes in a page of somebody else's browser, if it is not there already.
    pub(crate) async fn adopt(&self, target_id: &str, deadline: Instant) -> Result<(TabId, Arc<Tab>)> {
        let (Kind::Attached | Kind::Hosted) = &self.kind else {
            return Err(Error::new(
                Code::Unsupported,
                "the session is not attached to somebody else's browser",
            )
            .with_hint("start a session with --attach and the browser's address"));
        };
        if self.pages.infos().iter().all(|tab| tab.target_id != target_id) {
            let attach = p::AttachToTarget { target_id: target_id.into(), flatten: true };
            self.browser.root.call(attach, deadline).await.map_err(|error| match error {
                cdp::Error::Refused { .. } => {
                    Error::new(Code::TabNotFound, format!("the browser has no page {target_id}"))
                        .with_cause(error)
                }
                error => lift(error),
            })?;
        }
        self.pages.ready(target_id, deadline).await
    }

    /// Opens a tab and waits until it can be used, not until it is loaded. The browser keeps a process ready for new tabs; that
    /// one may have died before it is needed, and then the next is a new one.
    pub(crate) async fn open_tab(&self, url: &str, deadline: Instant) -> Result<(TabId, Arc<Tab>)> {
        match self.try_open_tab(url, deadline).await {
            Err(error) if error.code == Code::PageCrashed => self.try_open_tab(url, deadline).await,
            opened => opened,
        }
    }

    async fn try_open_tab(&self, url: &str, deadline: Instant) -> Result<(TabId, Arc<Tab>)> {
        if let Kind::Hosted = &self.kind {
            return Err(Error::new(
                Code::Unsupported,
                "the host application alone opens pages in its browser",
            )
            .with_hint("have it open the page (`open-url`), or act in a page that it has opened"));
        }
        let target_id = self.create_target(url, deadline).await?;
        let mut opening = Opening { root: &self.browser.root, target_id: Some(target_id.clone()) };
        self.pages.note_own(&target_id);
        let ready = self.pages.ready(&target_id, deadline).await;
        match &ready {
            Ok(_) => opening.target_id = None,
            // It is closed, and nobody is to see it until the browser says so.
            Err(_) => self.pages.remove(&target_id),
        }
        ready
    }

    /// A new page. The window of the first one fills the screen if nobody sees it: drawing tabs and toolbars as pages load would
    /// take turns from the pages themselves, a frame of a screenshot's time for one.
    async fn create_target(&self, url: &str, deadline: Instant) -> Result<String> {
        let create = |window_state: Option<&str>| {
            let window_state = window_state.map(Into::into);
            let create = p::CreateTarget {
                url: url.into(),
                browser_context_id: self.id(),
                hidden: None,
                window_state,
            };
            self.browser.root.call(create, deadline)
        };
        if self.browser.is_headless && self.pages.all().is_empty() {
            match create(Some("fullscreen")).await {
                // There is a window after all, of a page that is just closing.
                Err(cdp::Error::Refused { .. }) => {}
                created => return created.map(|created| created.target_id).map_err(lift),
            }
        }
        create(None).await.map(|created| created.target_id).map_err(lift)
    }

    /// Whether an application of somebody else's shows the pages.
    pub(crate) fn is_hosted(&self) -> bool {
        matches!(self.kind, Kind::Hosted)
    }

    /// Calls off downloads.
    pub(crate) fn cancel_downloads(&self, guids: Vec<String>) {
        for guid in guids {
            drop(self.browser.root.post(p::CancelDownload { guid, browser_context_id: self.id() }));
        }
    }

    /// The title of a tab's page. The browser is asked rather than the page, which is busy drawing itself when it has just
    /// loaded; but for a page without a title the browser makes one up from its address, and then the page is asked.
    pub(crate) async fn title(&self, tab: &Tab, deadline: Instant) -> Option<String> {
        let get = p::GetTargetInfo { target_id: tab.target_id.clone() };
        let info = self.browser.root.call(get, deadline).await.ok()?.target_info;
        if !is_made_up(&info.title, &info.url) {
            return Some(info.title);
        }
        let title = page::ask(tab, FrameId(0), "title", &page::NO_ARGUMENTS, deadline).await.ok()?;
        Some(title.as_str().unwrap_or_default().to_owned())
    }

    /// Where downloads go.
    pub(crate) async fn set_downloads(&self, saving: Saving, deadline: Instant) -> Result<()> {
        let incoming = saving.incoming.clone();
        self.pages.downloads.set_saving(saving, self.id());
        let behavior = p::SetDownloadBehavior {
            behavior: "allowAndName".into(),
            browser_context_id: self.id(),
            download_path: Some(incoming.to_string_lossy().into_owned()),
            events_enabled: true,
        };
        self.browser.root.call(behavior, deadline).await.map_err(lift).map(drop)
    }

    /// Makes all pages believe something else, those to come included.
    pub(crate) async fn set_emulation(
        &self,
        now: &Emulation,
        acted_on: Option<TabId>,
        deadline: Instant,
    ) -> Result<Vec<String>> {
        let before = self.pages.emulation();
        let moves = before.geolocation.is_some() != now.geolocation.is_some();
        if moves {
            self.browser.root.call(self.permit_geolocation(now), deadline).await.map_err(lift)?;
        }
        let changed = self.pages.set_emulation(now, acted_on, deadline).await;
        if moves && changed.is_err() {
            drop(self.browser.root.post(self.permit_geolocation(&before)));
        }
        changed
    }

    /// Pages may ask where the browser is if a place was named, and nobody has to say yes to it.
    fn permit_geolocation(&self, emulation: &Emulation) -> p::SetPermission {
        let setting = if emulation.geolocation.is_some() { "granted" } else { "prompt" };
        p::SetPermission {
            permission: p::PermissionDescriptor { name: "geolocation".into() },
            setting: setting.into(),
            browser_context_id: self.id(),
        }
    }

    /// All cookies of the context.
    pub(crate) async fn cookies(&self, deadline: Instant) -> Result<Vec<Value>> {
        let get = p::GetCookies { browser_context_id: self.id() };
        Ok(self.browser.root.call(get, deadline).await.map_err(lift)?.cookies)
    }

    /// Sets cookies, as the protocol takes them: all or none.
    pub(crate) async fn set_cookies(&self, cookies: Vec<Value>, deadline: Instant) -> Result<()> {
        let set = p::SetCookies { cookies, browser_context_id: self.id() };
        self.browser.root.call(set, deadline).await.map(drop).map_err(|error| match error {
            cdp::Error::Refused { message, .. } => Error::invalid("the browser does not take the cookie")
                .with_cause(message)
                .with_hint("check its name, domain, path and that SameSite=None goes with secure"),
            error => lift(error),
        })
    }

    pub(crate) async fn clear_cookies(&self, deadline: Instant) -> Result<()> {
        let clear = p::ClearCookies { browser_context_id: self.id() };
        self.browser.root.call(clear, deadline).await.map(drop).map_err(lift)
    }

    /// Deletes these cookies. The protocol has that only where there is a page.
    pub(crate) async fn delete_cookies(&self, cookies: &[Value], deadline: Instant) -> Result<()> {
        if cookies.is_empty() {
            return Ok(());
        }
        let (_, tab) = self.pages.get(None)?;
        for cookie in cookies {
            let text = |name: &str| cookie[name].as_str().map(str::to_owned);
            let delete = p::DeleteCookies {
                name: text("name").unwrap_or_default(),
                domain: text("domain"),
                path: text("path"),
                partition_key: Some(cookie["partitionKey"].clone()).filter(|key| !key.is_null()),
            };
            tab.channel.call(delete, deadline).await.map_err(lift)?;
        }
        Ok(())
    }

    /// Puts back the cookies and tabs of a context whose browser has ended.
    pub(crate) async fn restore(
        &self,
        cookies: Vec<Value>,
        tabs: &[TabRecord],
        last: u32,
        deadline: Instant,
    ) -> Result<()> {
        if !cookies.is_empty() {
            self.set_cookies(cookies, deadline).await?;
        }
        self.pages.reserve(last);
        if tabs.is_empty() {
            return Ok(());
        }
        // The tab that a new context comes with makes room for those that there were.
        let (_, blank) = self.pages.get(None)?;
        self.pages.remove(&blank.target_id);
        for record in tabs {
            let (_, tab) = self.open_tab(&record.url, deadline).await?;
            self.pages.rename(&tab.target_id, record.id);
            if let Some(label) = &record.label {
                self.pages.label(record.id, label)?;
            }
            // Until its page begins, the tab is where it was.
            tab.note(|state| state.document.expect(&record.url));
        }
        if let Some(record) = tabs.iter().find(|record| record.active) {
            self.pages.focus(record.id)?;
        }
        let close = p::CloseTarget { target_id: blank.target_id.clone() };
        self.browser.root.call(close, deadline).await.map_err(lift).map(drop)
    }

    /// Whether the tab is ours to close: in somebody else's browser only those are that came of our doing.
    pub(crate) fn may_close(&self, target_id: &str) -> bool {
        match &self.kind {
            Kind::Isolated(_) | Kind::Profile => true,
            Kind::Hosted => false,
            Kind::Attached => self.pages.is_own(target_id) || self.pages.is_popup(target_id),
        }
    }

    /// Lets a new tab take the place and the id of one that crashed.
    pub(crate) async fn replace(&self, old: &Tab, new: &Tab, id: TabId, deadline: Instant) -> Result<()> {
        let active = self.pages.get(None).is_ok_and(|(active, _)| active == id);
        // A crashed target may not answer; that it is taken off the list is what counts.
        if self.may_close(&old.target_id) {
            drop(self.browser.root.post(p::CloseTarget { target_id: old.target_id.clone() }));
        }
        self.pages.remove(&old.target_id);
        self.pages.rename(&new.target_id, id);
        if active {
            self.pages.focus(id)?;
        }
        self.pages.ready(&new.target_id, deadline).await.map(drop)
    }

    /// Ends the context and waits until it has ended, and nothing goes out any more that it had asked for.
    pub(crate) async fn close(&self, deadline: Instant) {
        self.pages.forget();
        match &self.kind {
            Kind::Isolated(id) => {
                let dispose = p::DisposeBrowserContext { browser_context_id: id.clone() };
                let _ = self.browser.root.call(dispose, deadline).await;
            }
            Kind::Profile | Kind::Hosted => self.browser.end().await,
            Kind::Attached => {
                for target_id in self.pages.take_own() {
                    let close = p::CloseTarget { target_id: target_id.clone() };
                    let _ = self.browser.root.call(close, deadline).await;
                    let _ = self.pages.gone(&target_id, deadline.min(Instant::now() + PATIENCE)).await;
                }
                self.browser.end().await;
            }
        }
        // Workers may outlive their context for a moment.
        self.egress().end().await;
    }

    /// What the browser calls it; none for the context that a browser has by itself.
    pub(crate) fn id(&self) -> Option<String> {
        match &self.kind {
            Kind::Isolated(id) => Some(id.clone()),
            Kind::Profile | Kind::Attached | Kind::Hosted => None,
        }
    }
}

/// A tab that is being opened. If it does not become usable, or nobody waits for it any more, it is closed again.
struct Opening<'a> {
    root: &'a Channel,
    target_id: Option<String>,
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        if let Some(target_id) = self.target_id.take() {
            drop(self.root.post(p::CloseTarget { target_id }));
        }
    }
}

impl Drop for Context {
    /// A context that nobody closed, because whoever wanted it went away, still goes.
    fn drop(&mut self) {
        self.pages.forget();
        // Whoever copies the cookies finds that there is nothing to copy any more.
        self.pages.cookies.notify_one();
        if let Kind::Isolated(id) = &self.kind {
            let disposing =
                self.browser.root.post(p::DisposeBrowserContext { browser_context_id: id.clone() });
            let egress = self.egress().clone();
            // Until all of it is gone, which the browser does not tell, the port of its proxy must not be somebody else's.
            if let Ok(runtime) = Handle::try_current() {
                runtime.spawn(async move {
                    let gone = Instant::now() + PATIENCE;
                    let _ = disposing.by(gone).await;
                    egress.end().await;
                    sleep_until(gone).await;
                });
            }
        }
    }
}

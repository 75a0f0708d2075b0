//! The live half of a session: its browser and its tabs, and what is remembered to bring them back when they have ended.

use std::{
    fs::DirBuilder,
    os::unix::fs::DirBuilderExt,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use contract::{Code, Error, Result, SessionName, TabId};
use guard::proxy::Rules;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::Session;
use crate::{
    actions::{Needs, Run},
    context::Context,
    cookies,
    downloads::{DownloadJudge, Saving},
    egress::Egress,
    emulation::Emulation,
    pages::TabRecord,
    profile::ProfileLock,
    tab::{End, Tab},
};

/// What a session remembers while it has no browser.
#[derive(Default)]
pub(crate) struct Memory {
    cookies: Mutex<Vec<Value>>,
    /// What pages are made to believe; none before anybody has said something about it.
    emulation: Mutex<Option<Emulation>>,
}

impl Memory {
    pub(crate) fn set_cookies(&self, cookies: Vec<Value>) {
        *self.cookies.lock().unwrap_or_else(PoisonError::into_inner) = cookies;
    }

    fn cookies(&self) -> Vec<Value> {
        self.cookies.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn emulation(&self) -> Option<Emulation> {
        self.emulation.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Session {
    /// The tab to act on, usable: a crashed one is opened anew, an open dialog is an error unless the verb can do with it.
    pub(super) async fn tab(
        &self,
        context: &Context,
        wanted: Option<TabId>,
        needs: Needs,
        leaves: bool,
        deadline: Instant,
    ) -> Result<(TabId, Arc<Tab>, bool)> {
        let found = context.pages.get(wanted);
        let (id, tab) = match found {
            Err(_) if wanted.is_none() && needs == Needs::PageOrNew => {
                let (id, tab) = context.open_tab("about:blank", deadline).await?;
                context.pages.focus(id)?;
                (id, tab)
            }
            found => found?,
        };
        let (id, tab) =
            context.pages.ready(&tab.target_id, deadline).await.map(|_| (id, tab.clone())).or_else(
                |error| {
                    // A crashed tab is never ready; what comes next opens it anew.
                    if tab.read(|state| state.end == Some(End::Crashed)) { Ok((id, tab)) } else { Err(error) }
                },
            )?;
        if tab.read(|state| state.end == Some(End::Crashed)) {
            // One at a time: whoever comes second finds what the first has opened.
            let _turn = tab.turn(deadline).await?;
            let (_, current) = context.pages.get(Some(id))?;
            if !Arc::ptr_eq(&current, &tab) {
                context.pages.ready(&current.target_id, deadline).await?;
                return Ok((id, current, true));
            }
            // Who goes elsewhere must not be held up by the page that crashed.
            let url = tab.read(|state| state.document.address().to_owned());
            let url = if leaves { "about:blank".to_owned() } else { url };
            let (_, new) = context.open_tab(&url, deadline).await?;
            context.replace(&tab, &new, id, deadline).await?;
            return Ok((id, new, true));
        }
        if needs != Needs::Tab {
            unless_dialog_open(id, &tab)?;
        }
        Ok((id, tab, false))
    }

    /// The live half of the session, and whether it had to be brought back. Started only by actions that may.
    pub(super) async fn context(
        self: &Arc<Self>,
        may_start: bool,
        deadline: Instant,
    ) -> Result<(Arc<Context>, bool)> {
        let mut slot = timeout_at(deadline, self.context.lock())
            .await
            .map_err(|_| crate::lift::timed_out("the session to start"))?;
        if let Some(context) = slot.as_ref().filter(|context| context.browser.is_alive()) {
            return Ok((context.clone(), false));
        }
        let before = slot.as_ref().map(|context| (context.pages.records(), context.pages.last()));
        if let (Some(old), Some(_)) = (slot.as_ref(), &self.options.profile) {
            // Two browsers cannot have one profile; the old one may take a moment to be gone for good.
            old.browser.end().await;
        }
        if before.is_none() && !may_start {
            return Err(Error::new(Code::SessionNotFound, format!("there is no session {}", self.name)));
        }
        let context = Arc::new(self.open_context(deadline).await?);
        let folder = self.downloads_folder()?;
        self.incoming.make(self.incoming.path()).map_err(|error| {
            Error::new(Code::Internal, format!("{} cannot be made", self.incoming.path().display()))
                .with_cause(error)
        })?;
        let saving = Saving {
            folder,
            incoming: self.incoming.path().to_owned(),
            largest: self.options.largest_file(),
            secrets: self.secrets.clone(),
            judge: self.download_judge(),
        };
        context.set_downloads(saving, deadline).await?;
        let lost = before.is_some();
        if let Some((tabs, last)) = before {
            self.restore(&context, &tabs, last, deadline).await?;
        }
        tokio::spawn(cookies::keep(Arc::downgrade(&context), self.memory.clone()));
        *slot = Some(context.clone());
        Ok((context, lost))
    }

    /// Who is asked about downloads as they begin. A session that is gone has nobody who wants any.
    fn download_judge(self: &Arc<Self>) -> DownloadJudge {
        let session = Arc::downgrade(self);
        DownloadJudge(Arc::new(move |pages, to| match session.upgrade() {
            Some(session) => session.may_download(pages, to),
            None => Err(Error::new(Code::ActionDenied, "the session has ended")),
        }))
    }

    async fn open_context(&self, deadline: Instant) -> Result<Context> {
        let first = self.first_emulation();
        let wanted = self.memory.emulation().unwrap_or_else(|| first.clone());
        let rules = Rules { places: self.places.clone(), upstream: self.options.upstream()? };
        let resolver = self.engine.resolver.clone();
        let context = if let Some(address) = &self.options.attach {
            let browser = crate::browser::Browser::attach(address).await?;
            let egress = Egress::watched(rules, resolver);
            Context::attached(browser, egress, first, self.options.targets.as_deref(), deadline).await?
        } else if let Some(profile) = &self.options.profile {
            let folder = self.profile_folder(profile)?;
            let egress = Egress::through_proxy(rules, resolver).await?;
            let browser = self.engine.launch_profile(folder, &self.options, egress.clone()).await?;
            Context::profile(browser, egress, first, deadline).await?
        } else {
            self.engine.slot(&self.options)?.context(rules, deadline).await?
        };
        if context.pages.emulation() != wanted {
            context.set_emulation(&wanted, None, deadline).await?;
        }
        Ok(context)
    }

    /// What pages are made to believe when the session starts: their size, unless the browser is somebody else's.
    pub(crate) fn first_emulation(&self) -> Emulation {
        let viewport = match self.options.attach {
            Some(_) => self.options.viewport,
            None => Some(self.options.viewport.unwrap_or_default()),
        };
        Emulation { viewport, ..Emulation::default() }
    }

    /// Brings back what the session had: its cookies, and its tabs where they were. Somebody else's browser keeps its own.
    async fn restore(
        &self,
        context: &Context,
        tabs: &[TabRecord],
        last: u32,
        deadline: Instant,
    ) -> Result<()> {
        match self.options.attach {
            Some(_) => Ok(()),
            None => context.restore(self.memory.cookies(), tabs, last, deadline).await,
        }
    }

    fn profile_folder(&self, profile: &SessionName) -> Result<PathBuf> {
        let mut held = self.profile.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = &*held {
            return Ok(lock.folder.clone());
        }
        let folder = self.engine.home.join("profiles").join(profile.as_str());
        let lock = ProfileLock::take(&folder, profile, &self.name)?;
        Ok(held.insert(lock).folder.clone())
    }

    pub(crate) fn downloads_folder(&self) -> Result<PathBuf> {
        let folder = self.engine.home.join("downloads").join(self.name.as_str());
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(|error| {
            Error::new(Code::Internal, format!("{} cannot be made", folder.display())).with_cause(error)
        })?;
        Ok(folder)
    }
}

/// Fails if a dialog holds the tab's page.
pub(super) fn unless_dialog_open(id: TabId, tab: &Tab) -> Result<()> {
    tab.read(|state| match &state.dialog {
        Some(dialog) => Err(Error::new(
            Code::DialogOpen,
            format!("the {} dialog {:?} is open in {id}", dialog.kind, dialog.message),
        )),
        None => Ok(()),
    })
}

impl Run<'_> {
    /// Makes all pages of the session believe something else, also after the browser has ended.
    pub(crate) async fn emulate(&self, emulation: Emulation) -> Result<Vec<String>> {
        self.session.secrets.sent(&emulation);
        let acted_on = self.tab.as_ref().map(|(id, _)| *id);
        let notes = self.context.set_emulation(&emulation, acted_on, self.deadline).await?;
        let mut remembered = self.session.memory.emulation.lock().unwrap_or_else(PoisonError::into_inner);
        *remembered = Some(emulation);
        Ok(notes)
    }
}

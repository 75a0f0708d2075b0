//! Pages that nobody sees and nobody is told of: Chromium's own hidden targets, in the session's context like any tab, but in no list.
//!
//! The browser tells of one before it says which one it made. So whoever makes one expects it first; other targets of that kind go on
//! without us.

use std::collections::HashMap;

use cdp::{Channel, Events, protocol as p};
use contract::{Code, Error, Result};
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};

use crate::{
    context::Context,
    emulation::Receiver,
    lift::{lift, timed_out},
};

/// A hidden page. It is closed when it is dropped.
pub(crate) struct HiddenPage<'a> {
    pub(crate) channel: Channel,
    events: Events,
    target: Target<'a>,
}

impl<'a> HiddenPage<'a> {
    /// A blank page that believes what the tabs of the session believe.
    pub(crate) async fn open(context: &'a Context, deadline: Instant) -> Result<HiddenPage<'a>> {
        let expected = Expected::new(context);
        let create = p::CreateTarget {
            url: "about:blank".into(),
            browser_context_id: context.id(),
            hidden: Some(true),
            window_state: None,
        };
        let id = context.browser.root.call(create, deadline).await.map_err(lift)?.target_id;
        let target = Target::new(context, id);
        let session = expected.session(&target.id, deadline).await?;
        drop(expected);
        let (channel, events) = context.browser.connection.open(&session);
        let network = channel.post(p::NetworkEnable::default());
        let emulation = context.pages.emulated().tell(&channel, Receiver::Page);
        let go = channel.post(p::RunIfWaitingForDebugger {});
        network.by(deadline).await.map_err(lift)?;
        emulation.by(deadline).await?;
        go.by(deadline).await.map_err(lift)?;
        Ok(HiddenPage { channel, events, target })
    }

    /// What the browser calls it, and its main frame.
    pub(crate) fn target_id(&self) -> &str {
        &self.target.id
    }

    /// The next request that is held back for us, if there is to be one.
    pub(crate) async fn paused(&mut self, deadline: Instant) -> Result<p::RequestPaused> {
        loop {
            let event = timeout_at(deadline, self.events.next()).await.map_err(|_| timed_out("an answer"))?;
            let Some(event) = event else { return Err(self.ended()) };
            if let Some(paused) = event.read() {
                return Ok(paused);
            }
        }
    }

    fn ended(&self) -> Error {
        match self.target.context.browser.is_alive() {
            true => Error::new(Code::TabNotFound, "the hidden page was closed"),
            false => Error::new(Code::BrowserCrashed, "the browser ended"),
        }
    }
}

/// The target of a hidden page, for as long as somebody has a use for it.
struct Target<'a> {
    context: &'a Context,
    id: String,
}

impl<'a> Target<'a> {
    fn new(context: &'a Context, id: String) -> Target<'a> {
        context.pages.hidden.0.send_modify(|known| known.in_use.push(id.clone()));
        Target { context, id }
    }
}

impl Drop for Target<'_> {
    fn drop(&mut self) {
        let Context { browser, pages, .. } = self.context;
        pages.hidden.0.send_modify(|known| known.in_use.retain(|id| *id != self.id));
        drop(browser.root.post(p::CloseTarget { target_id: self.id.clone() }));
    }
}

/// The hidden pages of a session.
#[derive(Default)]
pub(crate) struct HiddenPages(watch::Sender<Known>);

#[derive(Default)]
struct Known {
    /// How many are on their way.
    expected: usize,
    /// The sessions of those that have come meanwhile, by target.
    came: HashMap<String, String>,
    /// The targets of those that are used.
    in_use: Vec<String>,
}

impl HiddenPages {
    /// Takes in a hidden page, if one is expected. It is held back until it is told to go on.
    pub(crate) fn adopt(&self, attached: &p::AttachedToTarget) -> bool {
        self.0.send_if_modified(|known| {
            if known.expected > 0 {
                let target_id = attached.target_info.target_id.clone();
                known.came.insert(target_id, attached.session_id.clone());
            }
            known.expected > 0
        })
    }

    /// Whether this is the main frame of one of them.
    pub(crate) fn has(&self, frame: &str) -> bool {
        self.0.borrow().in_use.iter().any(|id| id == frame)
    }

    /// The session of one that is on its way, when it is there.
    async fn came(&self, target_id: &str) -> Option<String> {
        let _ = self.0.subscribe().wait_for(|known| known.came.contains_key(target_id)).await;
        let mut session = None;
        self.0.send_modify(|known| session = known.came.remove(target_id));
        session
    }
}

/// A hidden page that is on its way.
struct Expected<'a>(&'a Context);

impl<'a> Expected<'a> {
    fn new(context: &'a Context) -> Expected<'a> {
        context.pages.hidden.0.send_modify(|known| known.expected += 1);
        Expected(context)
    }

    /// The session of the hidden page, when it is there. A browser that knows no hidden pages makes a tab of it.
    async fn session(&self, target_id: &str, deadline: Instant) -> Result<String> {
        let pages = &self.0.pages;
        let session = tokio::select! {
            session = timeout_at(deadline, pages.hidden.came(target_id)) => {
                session.map_err(|_| timed_out("a hidden page"))?
            }
            tab = pages.arrived(target_id, deadline) => tab.map(|_| None)?,
        };
        session.ok_or_else(|| {
            Error::new(Code::Unsupported, "the browser has no hidden pages")
                .with_hint("attach to a newer Chromium, or leave out --attach")
        })
    }
}

impl Drop for Expected<'_> {
    fn drop(&mut self) {
        let mut others = HashMap::new();
        self.0.pages.hidden.0.send_modify(|known| {
            known.expected -= 1;
            if known.expected == 0 {
                others = std::mem::take(&mut known.came);
            }
        });
        // What somebody else made at the same time is not to wait for us.
        others.into_values().for_each(|session| self.0.browser.let_go(session));
    }
}

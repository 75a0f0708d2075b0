//! The way to what origins keep: through a tab that is there, or else through a hidden page that is at any origin it is told to be,
//! without a request leaving the browser.

use std::{collections::BTreeMap, sync::Arc};

use cdp::protocol as p;
use contract::{Code, Error, Result};
use serde_json::json;
use tokio::time::Instant;

use crate::{
    context::Context,
    hidden::HiddenPage,
    lift::lift,
    saved::origin_of,
    storage::{self, Area, Stored, What},
    tab::Tab,
};

/// The tabs by their origin, and one hidden page for all other origins.
pub(crate) struct Reach<'a> {
    context: &'a Context,
    deadline: Instant,
    tabs: BTreeMap<String, Arc<Tab>>,
    hidden: Option<HiddenPage<'a>>,
}

impl<'a> Reach<'a> {
    pub(crate) fn new(context: &'a Context, deadline: Instant) -> Reach<'a> {
        let usable = |tab: &Arc<Tab>| {
            tab.read(|state| match state.stands_still() || state.end.is_some() || !state.ready {
                true => None,
                false => origin_of(state.document.address()),
            })
        };
        let tabs = context.pages.all().into_iter().filter_map(|tab| Some((usable(&tab)?, tab))).collect();
        Reach { context, deadline, tabs, hidden: None }
    }

    /// The origins that tabs are at.
    pub(crate) fn origins(&self) -> impl Iterator<Item = &String> {
        self.tabs.keys()
    }

    /// Asks for what an origin keeps in its `localStorage`, or changes it.
    pub(crate) async fn ask(&mut self, origin: &str, what: What, items: &[(&str, &str)]) -> Result<Stored> {
        let deadline = self.deadline;
        if let Some(tab) = self.tabs.get(origin) {
            // A page that could not be loaded, or is sandboxed, is not of the origin that its address says.
            match storage::ask(tab, Area::Local, what, items, deadline).await {
                Ok(stored) if stored.origin == origin => return Ok(stored),
                Err(error) if error.code == Code::InvalidInput => return Err(error),
                _ => {}
            }
        }
        let hidden = match &mut self.hidden {
            Some(hidden) => hidden,
            none => none.insert(cut_off(self.context, deadline).await?),
        };
        go_to(hidden, origin, deadline).await?;
        let stored = storage::ask_in(&hidden.channel, None, Area::Local, what, items, deadline).await?;
        match stored.origin == origin {
            true => Ok(stored),
            false => Err(Error::new(Code::Internal, format!("the hidden page is at {}", stored.origin))),
        }
    }
}

/// A hidden page of which no request leaves the browser.
async fn cut_off(context: &Context, deadline: Instant) -> Result<HiddenPage<'_>> {
    let page = HiddenPage::open(context, deadline).await?;
    let intercept = page.channel.post(p::FetchEnable { patterns: vec![json!({"urlPattern": "*"})] });
    // A service worker of the origin would answer in our place, and could ask the network.
    let bypass = page.channel.post(p::SetBypassServiceWorker { bypass: true });
    intercept.by(deadline).await.map_err(lift)?;
    bypass.by(deadline).await.map_err(lift)?;
    Ok(page)
}

/// Goes to an empty page of the origin.
async fn go_to(page: &mut HiddenPage<'_>, origin: &str, deadline: Instant) -> Result<()> {
    let navigate = p::Navigate { url: format!("{origin}/"), transition_type: None };
    let navigated = page.channel.post(navigate).by(deadline);
    tokio::pin!(navigated);
    loop {
        tokio::select! {
            // Its answer is the end of the navigation.
            navigated = &mut navigated => return match navigated.map_err(lift)?.error_text {
                Some(error) => Err(Error::new(Code::Internal, format!("what {origin} keeps cannot be reached"))
                    .with_cause(error)),
                None => Ok(()),
            },
            paused = page.paused(deadline) => drop(page.channel.post(empty(paused?.request_id))),
        }
    }
}

/// An empty page, with an empty icon so that none is asked for.
fn empty(request_id: String) -> p::FulfillRequest {
    p::FulfillRequest {
        request_id,
        response_code: 200,
        response_headers: vec![
            json!({"name": "content-type", "value": "text/html"}),
            json!({"name": "content-security-policy", "value": "default-src 'none'"}),
        ],
        body: None,
    }
}

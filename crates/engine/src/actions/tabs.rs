//! `tabs`: the session's tabs, listed, opened, focused, closed.

use std::{sync::Arc, time::Duration};

use cdp::protocol as p;
use clap::{Args, Subcommand};
use contract::{Code, Effect, Error, Outcome, PageUrl, Result, TabId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Needs, Run, Verb};
use crate::{Until, lift::lift, navigate, tab::Tab};

/// The longest name of a tab.
const LONGEST_LABEL: usize = 64;

/// List, open, name, focus or close tabs
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Tabs {
    /// What to do with them; without it they are listed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[command(subcommand)]
    pub op: Option<TabsOp>,
}

/// What to do with tabs.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Subcommand)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TabsOp {
    /// Open a new tab and make it the active one
    Open {
        /// An http:// or https:// address; without one the tab is blank
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<PageUrl>,
        /// Wait for commit, domcontentloaded, load, network_idle or a time such as 2s; usually for load, but not for long
        #[serde(default)]
        #[arg(long, default_value_t)]
        until: Until,
    },
    /// Make a tab the active one
    Focus {
        /// The tab, such as t2
        tab: TabId,
    },
    /// Take in a page of the browser that the session is attached to, and make it the active tab
    Adopt {
        /// The browser's own id of the page's target
        #[arg(value_name = "TARGET_ID")]
        target_id: String,
    },
    /// Give a tab a name to be known by
    Label {
        /// The tab, such as t2
        tab: TabId,
        /// The name
        label: String,
    },
    /// Close a tab
    Close {
        /// The tab, such as t2; without one the active tab
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tab: Option<TabId>,
    },
}

impl Verb for Tabs {
    const NAME: &'static str = "tabs";

    fn effect(&self) -> Effect {
        match self.op {
            Some(TabsOp::Open { .. }) => Effect::Navigate,
            _ => Effect::Read,
        }
    }

    fn needs(&self) -> Needs {
        Needs::Session
    }

    fn starts_session(&self) -> bool {
        matches!(self.op, Some(TabsOp::Open { .. } | TabsOp::Adopt { .. }))
    }

    fn destination(&self) -> Option<&PageUrl> {
        match &self.op {
            Some(TabsOp::Open { url, .. }) => url.as_ref(),
            _ => None,
        }
    }

    fn own_time(&self) -> Duration {
        match &self.op {
            Some(TabsOp::Open { until, .. }) => until.own_time(),
            _ => Duration::ZERO,
        }
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        let pages = &run.context.pages;
        match &self.op {
            None | Some(TabsOp::Open { .. } | TabsOp::Adopt { .. }) => {}
            Some(TabsOp::Focus { tab }) => drop(pages.get(Some(*tab))?),
            Some(TabsOp::Label { tab, label }) => {
                check_label(label)?;
                pages.get(Some(*tab))?;
            }
            Some(TabsOp::Close { tab }) => drop(may_close(run, *tab)?),
        }
        Ok(())
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let pages = &run.context.pages;
        let mut outcome = match &self.op {
            None => Outcome::default(),
            Some(TabsOp::Open { until, .. }) => open(run, *until).await?,
            Some(TabsOp::Focus { tab: id }) => {
                let (_, tab) = pages.get(Some(*id))?;
                pages.focus(*id)?;
                let activate = p::ActivateTarget { target_id: tab.target_id.clone() };
                run.context.browser.root.call(activate, run.deadline).await.map_err(lift)?;
                Outcome { tab: Some(*id), ..Outcome::default() }
            }
            Some(TabsOp::Adopt { target_id }) => {
                let (id, tab) = run.context.adopt(target_id, run.deadline).await?;
                pages.focus(id)?;
                let (url, title) = tab.read(|state| (state.document.address().to_owned(), state.title.clone()));
                Outcome { tab: Some(id), url: Some(url), title: Some(title), ..Outcome::default() }
            }
            Some(TabsOp::Label { tab: id, label }) => {
                check_label(label)?;
                pages.label(*id, label.trim())?;
                Outcome { tab: Some(*id), ..Outcome::default() }
            }
            Some(TabsOp::Close { tab }) => {
                let (id, tab) = may_close(run, *tab)?;
                let close = p::CloseTarget { target_id: tab.target_id.clone() };
                run.context.browser.root.call(close, run.deadline).await.map_err(lift)?;
                pages.gone(&tab.target_id, run.deadline).await?;
                Outcome { tab: Some(id), ..Outcome::default() }
            }
        };
        // The browser does not tell of every change of a title, so it is asked.
        let targets = run.context.browser.root.call(p::GetTargets {}, run.deadline).await.map_err(lift)?;
        targets.target_infos.iter().for_each(|info| pages.note_title(info));
        outcome.tabs = Some(pages.infos());
        // The caller sees which one is active.
        pages.take_closed();
        Ok(outcome)
    }
}

/// Refuses what cannot be a tab's name.
fn check_label(label: &str) -> Result<()> {
    match (1..=LONGEST_LABEL).contains(&label.trim().chars().count()) && label.parse::<TabId>().is_err() {
        true => Ok(()),
        false => Err(Error::invalid("this cannot be a tab's name")
            .with_hint("use 1 to 64 characters that are no id such as t2")),
    }
}

/// The tab that is to be closed, if it is one that may be.
fn may_close(run: &Run<'_>, tab: Option<TabId>) -> Result<(TabId, Arc<Tab>)> {
    let (id, tab) = run.context.pages.get(tab)?;
    match run.context.may_close(&tab.target_id) {
        true => Ok((id, tab)),
        false => {
            let message = format!("{id} was there before webhand, which closes only what it opened");
            Err(Error::new(Code::ActionDenied, message).with_hint("close it in the browser itself"))
        }
    }
}

/// A new tab, which is closed again if its page cannot be loaded: what failed leaves nothing behind.
async fn open(run: &Run<'_>, until: Until) -> Result<Outcome> {
    let before = run.context.pages.get(None).ok();
    let (id, tab) = run.context.open_tab("about:blank", run.deadline).await?;
    run.context.pages.focus(id)?;
    let Some(address) = &run.destination else { return Ok(Outcome { tab: Some(id), ..Outcome::default() }) };
    let in_tab = run.in_tab(id, tab.clone());
    let loaded = navigate::to_address(&in_tab, address.as_str(), until).await;
    if loaded.is_err() {
        drop(run.context.browser.root.post(p::CloseTarget { target_id: tab.target_id.clone() }));
        if let Some((before, _)) = before {
            let _ = run.context.pages.focus(before);
        }
    }
    let (url, status) = tab.read(|state| (state.document.address().to_owned(), state.status()));
    Ok(Outcome { tab: Some(id), url: Some(url), status, ..loaded? })
}

//! Tabs and where they go.

use contract::{Outcome, PageUrl, Result, TabInfo};
use engine::{
    Action, Until,
    actions::{Goto, Open, Tabs, TabsOp},
};
use serde_json::{Value, json};

use super::{
    answer,
    args::{Args, missing},
    seat::{Patience, Seat, To},
};
use crate::Step;

/// A tab as lists show it. What is to be used as its id is the shortest that is certain.
pub(super) fn told(tab: &TabInfo) -> Value {
    let suggested = tab.label.clone().unwrap_or_else(|| tab.tab.to_string());
    let mut told = json!({
        "suggestedTargetId": suggested,
        "tabId": tab.tab,
        "targetId": tab.target_id,
        "title": tab.title,
        "url": tab.url,
        "type": "page",
        "active": tab.active,
    });
    if let Some(label) = &tab.label {
        told["label"] = json!(label);
    }
    told
}

/// The tabs of a profile; none if it does not run.
pub(super) fn list(seat: Seat) -> Step {
    Step::sessions(move |sessions| {
        let info = sessions.into_iter().find(|info| info.session == seat.caller.session);
        let Some(_) = info else {
            let fields = json!({"profile": seat.profile, "running": false, "tabs": []});
            return Step::Done(answer::ok(fields, None, ""));
        };
        let to = To { tab: None, time: contract::Span::seconds(8) };
        let profile = seat.profile.clone();
        seat.reply(to, Tabs::default(), move |outcome, mark| {
            let tabs: Vec<Value> = outcome.tabs.iter().flatten().map(told).collect();
            answer::ok(json!({"profile": profile, "running": true, "tabs": tabs}), None, mark)
        })
    })
}

/// The address of a call, which goes by two names.
fn address(args: &Args) -> Result<PageUrl> {
    let url = args.target_url.clone().or_else(|| args.url.as_deref().map(PageUrl::from));
    url.ok_or_else(|| missing("targetUrl"))
}

/// Opens a page in a new tab, perhaps with a name. The tab that a new profile begins with is as good as a new one.
pub(super) fn open(seat: Seat, args: Args) -> Result<Step> {
    let to = To { tab: None, time: Patience::Go.or(args.timeout_ms)? };
    let (url, until) = (Some(address(&args)?), Until::Usual);
    Ok(Step::sessions(move |sessions| {
        let is_new = sessions.iter().all(|info| info.session != seat.caller.session);
        let first: Action = if is_new && seat.caller.options.attach.is_none() {
            Open { url, until }.into()
        } else {
            Tabs { op: Some(TabsOp::Open { url, until }) }.into()
        };
        seat.clone().reply_then(to, first, move |outcome, _| named(&seat, to, outcome, args.label))
    }))
}

/// Gives a tab its name, if it is to have one, and tells of it.
fn named(seat: &Seat, to: To, outcome: Outcome, label: Option<String>) -> Step {
    let label = label.zip(outcome.tab).map(|(label, tab)| TabsOp::Label { tab, label });
    let is_named = label.is_some();
    let after = seat.clone();
    seat.perform(to, Tabs { op: label }, move |listed| match listed {
        Ok(listed) => {
            let outcome = Outcome { tabs: listed.tabs, ..outcome };
            Step::Done(answer::ok(opened(&outcome), None, &after.caller.mark))
        }
        // Half of what was asked for is not what was asked for.
        Err(error) if is_named => {
            let close = Tabs { op: Some(TabsOp::Close { tab: outcome.tab }) };
            after.perform(to, close, move |_| Step::Done(answer::failed(error)))
        }
        Err(error) => Step::Done(answer::failed(error)),
    })
}

/// The tab that an outcome is about, with what happened.
fn opened(outcome: &Outcome) -> Value {
    let tab = outcome.tabs.iter().flatten().find(|tab| Some(tab.tab) == outcome.tab);
    let mut all = answer::told(outcome);
    if let (Some(tab), Some(fields)) = (tab.map(told), all.as_object_mut())
        && let Value::Object(tab) = tab
    {
        fields.extend(tab);
    }
    all
}

pub(super) fn focus(seat: Seat, args: Args) -> Result<Step> {
    let time = Patience::Act.or(args.timeout_ms)?;
    let target = args.target_id.ok_or_else(|| missing("targetId"))?;
    Ok(seat.in_tab(Some(target), time, |seat, to| {
        let Some(tab) = to.tab else { return Step::Done(answer::failed(missing("targetId"))) };
        let to = To { tab: None, ..to };
        seat.reply(to, Tabs { op: Some(TabsOp::Focus { tab }) }, |outcome, mark| {
            answer::ok(opened(&outcome), None, mark)
        })
    }))
}

/// Closes a tab, not the profile.
pub(super) fn close(seat: Seat, args: Args) -> Step {
    let time = contract::Span::seconds(8);
    seat.in_tab(args.target_id, time, |seat, to| {
        let op = TabsOp::Close { tab: to.tab };
        seat.reply(To { tab: None, ..to }, Tabs { op: Some(op) }, |outcome, mark| {
            let left: Vec<Value> = outcome.tabs.iter().flatten().map(told).collect();
            answer::ok(json!({"closed": outcome.tab, "tabs": left}), None, mark)
        })
    })
}

pub(super) fn navigate(seat: Seat, args: Args) -> Result<Step> {
    let time = Patience::Go.or(args.timeout_ms)?;
    let goto = Goto { url: address(&args)?, until: Until::Usual };
    Ok(seat.in_tab(args.target_id, time, |seat, to| {
        seat.reply(to, goto, |outcome, mark| answer::ok(answer::told(&outcome), None, mark))
    }))
}

//! What profiles there are, whether they run, and starting and stopping them.

use contract::{Outcome, Result, Span};
use engine::{
    SessionInfo,
    actions::{Close, Eval, Open},
};
use serde_json::{Value, json};

use super::{
    answer,
    seat::{OWN, Patience, Seat, To, USERS},
};
use crate::{Caller, Reply, Step};

/// The session of a profile, if it runs.
fn running(seat: &Seat, sessions: Vec<SessionInfo>) -> Option<SessionInfo> {
    sessions.into_iter().find(|info| info.session == seat.caller.session)
}

fn described(seat: &Seat, info: Option<&SessionInfo>) -> Value {
    json!({
        "profile": seat.profile,
        "running": info.is_some(),
        "kind": kind(seat),
        "headless": info.map(|info| !info.options.headed.unwrap_or(false)),
        "browser": info.and_then(|info| info.browser.as_ref()),
        "cdpUrl": seat.caller.options.attach,
        "tabs": info.map(|info| info.tabs.len()),
    })
}

fn kind(seat: &Seat) -> &'static str {
    match (&seat.caller.options.attach, &seat.caller.options.profile) {
        (Some(_), _) => "attached",
        (None, Some(_)) => "persistent",
        (None, None) => "isolated",
    }
}

/// Whether a profile runs.
pub(super) fn status(seat: Seat) -> Step {
    Step::sessions(move |sessions| {
        let info = running(&seat, sessions);
        Step::Done(answer::ok(described(&seat, info.as_ref()), None, ""))
    })
}

/// Starts a profile; one that runs stays as it is.
pub(super) fn start(seat: Seat) -> Step {
    let to = To { tab: None, time: Patience::Go.or(None).unwrap_or(Span::seconds(20)) };
    seat.clone().perform(to, Open::default(), move |result| match result {
        Ok(_) => status(seat),
        Err(error) => Step::Done(answer::failed(error)),
    })
}

/// Stops a profile. One that does not run is stopped already.
pub(super) fn stop(seat: Seat) -> Step {
    Step::sessions(move |sessions| {
        let stopped = |was: bool| {
            move |seat: &Seat| {
                let note = match (was, kind(seat)) {
                    (false, _) => "it was not running",
                    (true, "attached") => "let go of; the browser itself goes on",
                    (true, _) => "stopped",
                };
                answer::ok(
                    json!({"profile": seat.profile, "running": false, "stopped": was, "message": note}),
                    None,
                    "",
                )
            }
        };
        if running(&seat, sessions).is_none() {
            return Step::Done(stopped(false)(&seat));
        }
        let Caller { session, options, .. } = seat.caller.clone();
        Step::perform(session, options, seat.caller.request(Close {}), move |result: Result<Outcome>| {
            Step::Done(match result {
                Ok(_) => stopped(true)(&seat),
                Err(error) => answer::failed(error),
            })
        })
    })
}

/// The profiles that are always there, and those that run.
pub(super) fn profiles(caller: &Caller) -> Step {
    let caller = caller.clone();
    Step::sessions(move |sessions| {
        let known = |info: &SessionInfo| {
            let is_profile = info.options.profile.is_some() || info.options.attach.is_some();
            caller.id_for(&info.session).filter(|id| id != "default" && is_profile)
        };
        let mut names = vec![OWN.to_owned(), USERS.to_owned()];
        names.extend(sessions.iter().filter_map(known).filter(|name| name != OWN && name != USERS));
        let list: Vec<Value> = names
            .iter()
            .filter_map(|name| {
                let seat = Seat::of(Some(name), &caller).ok()?;
                let info = running(&seat, sessions.clone());
                let mut told = described(&seat, info.as_ref());
                told["name"] = json!(name);
                told["isDefault"] = json!(name == OWN);
                told.as_object_mut()?.retain(|field, value| !value.is_null() && field != "profile");
                Some(told)
            })
            .collect();
        let note =
            "any other name is a profile of its own, which keeps its logins; it is listed while it runs";
        Step::Done(answer::ok(json!({"profiles": list, "message": note}), None, ""))
    })
}

/// Whether a profile can be used, and if not, why.
pub(super) fn doctor(seat: Seat) -> Step {
    Step::sessions(move |sessions| {
        let info = running(&seat, sessions);
        let fine = |name: &str, detail: &str| json!({"name": name, "ok": true, "detail": detail});
        let Some(info) = info else {
            let checks = vec![fine("profile", "not running; it starts with the first action that needs it")];
            return Step::Done(checked(&seat, None, checks));
        };
        let to = To { tab: None, time: Patience::Act.or(None).unwrap_or(Span::seconds(8)) };
        seat.clone().perform(to, Eval::new("1 + 1"), move |answered| {
            let page = match answered {
                Ok(_) => fine("page", "the active tab answers"),
                Err(error) => json!({"name": "page", "ok": false, "error": answer::why(error)}),
            };
            Step::Done(checked(&seat, Some(&info), vec![fine("profile", "running"), page]))
        })
    })
}

fn checked(seat: &Seat, info: Option<&SessionInfo>, checks: Vec<Value>) -> Reply {
    let mut all = described(seat, info);
    all["healthy"] = checks.iter().all(|check| check["ok"] == true).into();
    all["checks"] = checks.into();
    all["message"] = "the person who runs webhand can have the machine and its browsers looked at".into();
    answer::ok(all, None, "")
}

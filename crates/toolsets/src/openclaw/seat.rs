//! Where a call goes: the session of its profile, and the tab in it.

use std::{collections::BTreeMap, time::Duration};

use contract::{Code, Error, Outcome, Place, Result, Span, TabId, TabInfo};
use engine::{Action, Request, SessionOptions, actions::Tabs};

use super::answer;
use crate::{Caller, Reply, Step, caller::profile_for};

/// The profile of calls that name none: isolated, and gone with its session.
pub(super) const OWN: &str = "openclaw";

/// The profile that is the user's own browser, where the operator has said which that is.
pub(super) const USERS: &str = "chrome";

/// How long elements are waited for that are not there, as everywhere, if the call does not say how long it may take.
const ELEMENT_TIMEOUT: Span = Span::seconds(5);

/// A profile, and the caller in it.
#[derive(Clone)]
pub(super) struct Seat {
    pub(super) profile: String,
    pub(super) caller: Caller,
    /// The page that what it does is meant for; none: any.
    pub(super) from: Option<Place>,
    /// Whether the call says how long it may take; elements are then waited for as long.
    pub(super) has_time: bool,
}

impl Seat {
    /// The seat of a profile.
    pub(super) fn of(profile: Option<&str>, caller: &Caller) -> Result<Seat> {
        let profile = profile.unwrap_or(OWN);
        let session = caller.session_for(profile)?;
        let options = options(profile, &caller.options, &caller.tools.attached)?;
        Ok(Seat {
            profile: profile.to_owned(),
            caller: Caller { session, options, ..caller.clone() },
            from: None,
            has_time: false,
        })
    }

    /// Does something in a tab of the profile, which is started if it is not running.
    pub(super) fn perform(
        &self,
        to: To,
        action: impl Into<Action>,
        then: impl FnOnce(Result<Outcome>) -> Step + Send + 'static,
    ) -> Step {
        let elements = self.caller.tools.element_timeout.unwrap_or(ELEMENT_TIMEOUT);
        let request = Request {
            tab: to.tab,
            timeout: Some(to.time),
            element_timeout: (!self.has_time).then_some(elements),
            from: self.from.clone(),
            ..self.caller.request(action)
        };
        self.caller.perform(request, then)
    }

    /// The same, with the reply of a success.
    pub(super) fn reply(
        &self,
        to: To,
        action: impl Into<Action>,
        told: impl FnOnce(Outcome, &str) -> Reply + Send + 'static,
    ) -> Step {
        let mark = self.caller.mark.clone();
        self.perform(to, action, move |result| {
            Step::Done(match result {
                Ok(outcome) => told(outcome, &mark),
                Err(error) => answer::failed(error),
            })
        })
    }

    /// The same, with the next step after a success.
    pub(super) fn reply_then(
        &self,
        to: To,
        action: impl Into<Action>,
        then: impl FnOnce(Outcome, &str) -> Step + Send + 'static,
    ) -> Step {
        let mark = self.caller.mark.clone();
        self.perform(to, action, move |result| match result {
            Ok(outcome) => then(outcome, &mark),
            Err(error) => Step::Done(answer::failed(error)),
        })
    }

    /// Goes on in the tab that an id means.
    pub(super) fn in_tab(
        self,
        target: Option<String>,
        time: Span,
        then: impl FnOnce(Seat, To) -> Step + Send + 'static,
    ) -> Step {
        let Some(id) = target else { return then(self, To { tab: None, time }) };
        if let Ok(tab) = id.parse() {
            return then(self, To { tab: Some(tab), time });
        }
        let to = To { tab: None, time };
        self.clone().perform(to, Tabs::default(), move |listed| {
            match listed.and_then(|outcome| tab_of(&id, &outcome.tabs.unwrap_or_default())) {
                Ok(tab) => then(self, To { tab: Some(tab), time }),
                Err(error) => Step::Done(answer::failed(error)),
            }
        })
    }
}

/// Where in a session something is to be done, and how long it may take.
#[derive(Clone, Copy)]
pub(super) struct To {
    pub(super) tab: Option<TabId>,
    pub(super) time: Span,
}

/// How long a call may take that says nothing of it.
pub(super) enum Patience {
    Act,
    Wait,
    Go,
}

impl Patience {
    /// The time that a call has.
    pub(super) fn or(self, said: Option<u64>) -> Result<Span> {
        let usual = match self {
            Patience::Act => 8_000,
            Patience::Wait | Patience::Go => 20_000,
        };
        let milliseconds = said.unwrap_or(usual);
        if !(1..=3_600_000).contains(&milliseconds) {
            return Err(Error::invalid("timeoutMs is not between 1 and 3600000"));
        }
        Ok(Span(Duration::from_millis(milliseconds)))
    }
}

/// How the session of a profile is to be. Which names are browsers that run already, and where, is the operator's to say and never the
/// caller's: such a browser has its user's cookies.
fn options(
    profile: &str,
    given: &SessionOptions,
    attached: &BTreeMap<String, String>,
) -> Result<SessionOptions> {
    let plain = SessionOptions { profile: None, attach: None, ..given.clone() };
    let address = attached.get(profile).or(given.attach.as_ref().filter(|_| profile == USERS));
    Ok(match (profile, address) {
        (OWN, _) => plain,
        (_, Some(address)) => {
            SessionOptions { attach: Some(address.clone()), headed: None, browser: None, ..plain }
        }
        (USERS, None) => {
            return Err(Error::new(
                Code::ActionDenied,
                "profile chrome is the user's own browser, which webhand was not given",
            )
            .with_hint(
                "ask the person who runs webhand to start it with --attach URL, or to write attach = URL into [profiles.chrome] of \
                 config.toml",
            ));
        }
        (name, None) => {
            let profile = profile_for(name, given).map_err(|_| {
                Error::invalid("this cannot be the name of a profile")
                    .with_hint("use 1 to 64 letters, digits, dots, dashes or underscores")
            })?;
            SessionOptions { profile: Some(profile), ..plain }
        }
    })
}

/// The tab that an id means: its label, its target id, or the start of that if no other starts like it.
fn tab_of(id: &str, tabs: &[TabInfo]) -> Result<TabId> {
    let exact = tabs.iter().find(|tab| tab.label.as_deref() == Some(id) || tab.target_id == id);
    let starts =
        |tab: &&TabInfo| tab.target_id.get(..id.len()).is_some_and(|start| start.eq_ignore_ascii_case(id));
    let alike: Vec<&TabInfo> = tabs.iter().filter(starts).collect();
    let not_found = |message: String| {
        Error::new(Code::TabNotFound, message)
            .with_hint("list the tabs with action tabs, and use their suggestedTargetId")
    };
    match (exact, &*alike) {
        (Some(tab), _) => Ok(tab.tab),
        (None, [tab]) if !id.is_empty() => Ok(tab.tab),
        (None, [_, ..]) if !id.is_empty() => {
            Err(not_found(format!("{} tabs have a target id that starts with {id:?}", alike.len())))
        }
        _ => Err(not_found(format!("there is no tab {id:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_by_label_target_or_its_start() {
        let tab = |tab, target: &str, label: Option<&str>| TabInfo {
            tab: TabId(tab),
            target_id: target.into(),
            url: String::new(),
            title: String::new(),
            active: false,
            opener: None,
            label: label.map(Into::into),
        };
        let tabs = [tab(1, "ABCD12", Some("docs")), tab(2, "ABEF34", None), tab(3, "9F", Some("AB"))];
        let check =
            |id: &str, expected: Option<u32>| assert_eq!(tab_of(id, &tabs).ok(), expected.map(TabId), "{id}");
        check("docs", Some(1));
        check("ABCD12", Some(1));
        check("abe", Some(2));
        check("AB", Some(3));
        check("A", None);
        check("", None);
        check("doc", None);
        check("ABCD123", None);
    }

    #[test]
    fn profiles_are_sessions() {
        let given = SessionOptions { attach: Some("http://127.0.0.1:1".into()), ..SessionOptions::default() };
        let (nothing, none) = (SessionOptions::default(), BTreeMap::new());
        assert_eq!(options(OWN, &given, &none).unwrap(), nothing);
        assert_eq!(options(USERS, &given, &none).unwrap(), given);
        assert_eq!(options(USERS, &nothing, &none).unwrap_err().code, Code::ActionDenied);
        let named: BTreeMap<_, _> =
            [USERS, "second", OWN].map(|name| (name.to_owned(), format!("http://{name}"))).into();
        for profile in [USERS, "second"] {
            let attach = options(profile, &given, &named).unwrap().attach;
            assert_eq!(attach, Some(format!("http://{profile}")));
        }
        assert_eq!(options(OWN, &nothing, &named).unwrap(), nothing, "the default one is always isolated");
        let work = options("work", &given, &none).unwrap();
        assert_eq!((work.profile.unwrap().as_str(), work.attach), ("work", None));
        for bad in ["../etc", "", "a b", "名"] {
            assert!(options(bad, &given, &none).is_err(), "{bad:?}");
        }
    }
}

//! One action in a session that runs, kept to the domains that are allowed: looked at before, and again afterwards, since pages go
//! elsewhere by themselves.

use contract::{Code, Error, Outcome, PageUrl, Result};
use engine::{Request, SessionInfo};
use guard::Domains;
use serde_json::json;
use url::Url;

use super::answer::{self, Allowed};
use crate::{
    Caller, Reply, Step,
    dialogs::{self, Doer, Done},
};

pub(super) struct Work {
    doer: Doer,
    /// The domains that are set for this toolset.
    set: Option<Domains>,
    /// Whether it is about the page that is there, which then has to be an allowed one.
    needs_page: bool,
}

impl Work {
    pub(super) fn new(caller: &Caller, set: Option<Domains>, needs_page: bool) -> Work {
        // How it is, was said at the start.
        let options = engine::SessionOptions::default();
        Work { doer: Doer { options, starts: false, ..Doer::of(caller) }, set, needs_page }
    }

    /// Answers from what is known of the session.
    pub(super) fn only(self, tell: impl FnOnce(&SessionInfo) -> Reply + Send + 'static) -> Step {
        self.in_session(move |_, info, _| Step::Done(tell(&info)))
    }

    /// Goes to an address.
    pub(super) fn going_to(
        self,
        url: PageUrl,
        request: Request,
        tell: impl FnOnce(&Outcome) -> Reply + Send + 'static,
    ) -> Step {
        self.in_session(move |work, info, domains| {
            let may = guard::check_address(&url).and_then(|url| match &domains {
                Some(domains) => domains.check(&url),
                None => Ok(()),
            });
            match may {
                Ok(()) => work.run(request, domains, tell),
                Err(error) if domains.is_some_and(|domains| domains.0.is_empty()) => {
                    let allowed = Allowed { set: work.set, asked: None };
                    Step::Done(answer::failed(error.with_hint(allowed.why_none(&info.options))))
                }
                Err(error) => Step::Done(answer::failed(error)),
            }
        })
    }

    /// Does something in the page.
    pub(super) fn act(self, request: Request, tell: impl FnOnce(&Outcome) -> Reply + Send + 'static) -> Step {
        self.in_session(move |work, _, domains| work.run(request, domains, tell))
    }

    /// Finds the session and the domains that it is kept to.
    fn in_session(
        self,
        then: impl FnOnce(Work, SessionInfo, Option<Domains>) -> Step + Send + 'static,
    ) -> Step {
        Step::sessions(move |list| {
            let Some(info) = list.into_iter().find(|info| info.session == self.doer.session) else {
                return Step::Done(answer::failed(not_started()));
            };
            let allowed = Allowed { set: self.set.clone(), asked: None };
            let domains = allowed.of(&info.options);
            if let (true, Some(domains), Some(here)) = (self.needs_page, &domains, at(&info))
                && let Err(error) = may_be_at(domains, here)
            {
                return Step::Done(left(error, here));
            }
            then(self, info, domains)
        })
    }

    fn run(
        self,
        request: Request,
        domains: Option<Domains>,
        tell: impl FnOnce(&Outcome) -> Reply + Send + 'static,
    ) -> Step {
        let session = self.doer.session.clone();
        self.doer.perform(request, move |Done { result, dialogs }| {
            let mut outcome = match (result, domains.clone()) {
                (Ok(outcome), _) => outcome,
                (Err(error), None) => return Step::Done(failed(error)),
                // An error may tell of the page as well.
                (Err(error), Some(domains)) => {
                    return Step::sessions(move |list| {
                        let info = list.iter().find(|info| info.session == session);
                        let here = info.and_then(at).unwrap_or_default();
                        Step::Done(match may_be_at(&domains, here) {
                            Ok(()) => failed(error),
                            Err(error) => left(error, here),
                        })
                    });
                }
            };
            outcome.notes.extend(dialogs.iter().map(dialogs::told));
            if let Some(domains) = &domains {
                let here = outcome.url.clone().unwrap_or_default();
                if let Err(error) = may_be_at(domains, &here) {
                    return Step::Done(left(error, &here));
                }
                if let Some(reply) = foreign_file(domains, &outcome) {
                    return Step::Done(reply);
                }
            }
            Step::Done(tell(&outcome))
        })
    }
}

/// Where the session's page is.
fn at(info: &SessionInfo) -> Option<&str> {
    info.tabs.iter().find(|tab| tab.active).map(|tab| &*tab.url)
}

fn failed(error: Error) -> Reply {
    answer::failed(if error.code == Code::SessionNotFound { not_started() } else { error })
}

/// Whether a page may be looked at. A blank one has nothing to show.
fn may_be_at(domains: &Domains, address: &str) -> Result<()> {
    if address.is_empty() || address == "about:blank" {
        return Ok(());
    }
    let url = Url::parse(address).map_err(|error| {
        Error::new(Code::NavigationBlocked, "nobody can say where the page is").with_cause(error)
    })?;
    domains.check(&url)
}

/// The page is where it may not be. What is on it is not told.
fn left(error: Error, here: &str) -> Reply {
    let message = format!("the page is at another domain now: {}; what is on it is not told", error.message);
    let hint = format!("{}; navigate works from here", error.hint());
    let error = Error::new(Code::NavigationBlocked, message).with_hint(hint);
    answer::failed_with(error, json!({"url": here}))
}

/// A file that came from elsewhere. It is there already, so that is said.
fn foreign_file(domains: &Domains, outcome: &Outcome) -> Option<Reply> {
    let is_foreign = |address: &str| {
        // What a page made itself is the page's.
        let url = Url::parse(address).ok().filter(|url| url.scheme() != "data");
        url.and_then(|url| domains.check(&url).err())
    };
    let (file, error) =
        outcome.downloads.iter().find_map(|file| is_foreign(&file.url).map(|error| (file, error)))?;
    let message =
        format!("a file came from another domain: {}; it is at {}", error.message, file.path.display());
    let error =
        Error::new(Code::NavigationBlocked, message).with_hint("have the file removed if it is not wanted");
    Some(answer::failed_with(error, json!({"url": outcome.url, "downloads": outcome.downloads})))
}

fn not_started() -> Error {
    Error::new(Code::SessionNotFound, "the browser is not started").with_hint("use action start first")
}

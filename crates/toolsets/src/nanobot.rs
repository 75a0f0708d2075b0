//! `nanobot`: one tool, `browser`, that is started and stopped, keeps a profile for a domain, and goes nowhere but to the domains that
//! it is allowed. Arguments are flat; answers are `ToolResult`s.

mod answer;
mod args;
mod work;

use contract::{Code, Error, Result, SessionName};
use engine::{
    Request, SessionInfo, SessionOptions,
    actions::{Click, Close, Download, Fill, Goto, Open, Snapshot},
};
use guard::Domains;
use serde_json::json;
use url::Url;

use self::{
    args::{Action, Args, LoginStrategy},
    work::Work,
};
use crate::{Caller, Hints, Reply, Step, Tool, Toolset, tool::Call};

/// The toolset.
pub const TOOLSET: Toolset = Toolset {
    name: "nanobot",
    about: "One tool, browser: sessions with a profile for a domain, and a list of domains it may go to",
    all: &[BROWSER],
    offers: |_, _| true,
    refuse: answer::failed,
    ignored: None,
};

const BROWSER: Tool = Tool::new::<Args>(
    "browser",
    "Control a browser: start it, go to pages on allowed domains, read them as a tree with refs, click, type, wait, log in, \
     download, stop it",
    Hints::Acts,
);

impl Call for Args {
    fn call(self, caller: &Caller) -> Result<Step> {
        // A list that cannot be read allows nothing, not everything.
        let set = caller.tools.allowed_domains.as_deref().map(Domains::read).transpose()?;
        match self.action {
            Action::Start => start(caller, &self, set),
            Action::Stop => Ok(stop(caller)),
            _ => self.in_session(caller, set),
        }
    }
}

impl Args {
    /// What needs a browser that was started.
    fn in_session(self, caller: &Caller, set: Option<Domains>) -> Result<Step> {
        let timeout = self.timeout()?;
        let request = |action: engine::Action| Request { timeout, ..Request::new(action) };
        let work = |needs_page| Work::new(caller, set, needs_page);
        Ok(match self.action {
            Action::Start | Action::Stop => return Err(Error::new(Code::Internal, "it needs no session")),
            Action::Navigate => {
                let url = self.url()?;
                let goto =
                    request(Goto { url: url.clone(), until: self.wait_until.unwrap_or_default() }.into());
                work(false).going_to(url, goto, |outcome| answer::done(outcome, json!({})))
            }
            Action::Snapshot => {
                let snapshot = Snapshot {
                    interactive: self.interactive,
                    max_chars: self.max_chars,
                    ..Snapshot::default()
                };
                let mark = caller.mark.clone();
                work(true).act(request(snapshot.into()), move |outcome| answer::snapshot(outcome, &mark))
            }
            Action::Click => {
                let click = request(Click::new(self.target()?).into());
                work(true).act(click, |outcome| answer::done(outcome, json!({})))
            }
            Action::Type => {
                let text = self.typed()?;
                let length = text.chars();
                let fill = Fill { submit: self.submit, ..Fill::new(self.target()?, text) };
                work(true).act(request(fill.into()), move |outcome| {
                    answer::done(outcome, json!({"textLength": length}))
                })
            }
            Action::Wait => {
                work(true).act(request(self.wait()?.into()), |outcome| answer::done(outcome, json!({})))
            }
            Action::Login => {
                let (domain, strategy) = (self.domain()?, self.login_strategy);
                work(false).only(move |info| login(info, domain.as_deref(), strategy))
            }
            Action::Download => match (&self.url, &self.selector) {
                (Some(_), None) => {
                    let url = self.url()?;
                    let download =
                        Download { url: Some(url.clone()), path: self.path, ..Download::default() };
                    work(false).going_to(url, request(download.into()), answer::downloaded)
                }
                (None, Some(_)) => {
                    let download = Download {
                        target: Some(self.target()?),
                        path: self.path.clone(),
                        ..Download::default()
                    };
                    work(true).act(request(download.into()), answer::downloaded)
                }
                _ => return Err(Error::invalid("download needs either a selector to click or a url")),
            },
        })
    }
}

/// Starts the session. One that runs as wanted stays; one that runs otherwise is stopped first.
fn start(caller: &Caller, args: &Args, set: Option<Domains>) -> Result<Step> {
    let said = args.allowed_domains.as_deref().map(Domains::read).transpose()?;
    // Who says which domains are allowed is the user; the model can only ask for fewer.
    let allowed_domains = match (set, said) {
        (Some(set), Some(said)) => Some(set.and(&said)),
        (set, said) => set.or(said),
    };
    let profile = match args.domain()? {
        Some(domain) => Some(domain.parse()?),
        None => caller.options.profile.clone(),
    };
    let headed = args.headless.map(|headless| !headless).or(caller.options.headed);
    let headed = Some(headed.unwrap_or(false));
    let options = SessionOptions { allowed_domains, profile, headed, ..caller.options.clone() };
    let request = Request { timeout: args.timeout()?, ..caller.request(Open::default()) };
    let (session, close) = (caller.session.clone(), caller.request(Close {}));
    Ok(Step::sessions(move |list| match list.into_iter().find(|info| info.session == session) {
        None => open(session, options, request, "started"),
        Some(info) if is_alike(&info.options, &options) => {
            open(session, info.options, request, "already_running")
        }
        Some(_) => {
            Step::perform(session.clone(), SessionOptions::default(), close, move |closed| match closed {
                Ok(_) => open(session, options, request, "restarted"),
                Err(error) => Step::Done(answer::failed(error)),
            })
        }
    }))
}

fn open(session: SessionName, options: SessionOptions, request: Request, status: &'static str) -> Step {
    let wanted = options.clone();
    Step::perform(session, options, request, move |opened| {
        Step::Done(match opened {
            Ok(outcome) => answer::started(&outcome, &wanted, status),
            Err(error) => answer::failed(error),
        })
    })
}

/// Whether a session that runs is what is wanted.
fn is_alike(running: &SessionOptions, wanted: &SessionOptions) -> bool {
    running.profile == wanted.profile
        && running.headed.unwrap_or(false) == wanted.headed.unwrap_or(false)
        && running.allowed_domains == wanted.allowed_domains
}

fn stop(caller: &Caller) -> Step {
    let (session, close) = (caller.session.clone(), caller.request(Close {}));
    Step::sessions(move |list| {
        if !list.iter().any(|info| info.session == session) {
            return Step::Done(answer::status("not_running"));
        }
        Step::perform(session, SessionOptions::default(), close, |closed| {
            Step::Done(match closed {
                Ok(_) => answer::status("stopped"),
                Err(error) => answer::failed(error),
            })
        })
    })
}

/// Nothing is stored to log in with yet, and that is what is said. A person can log in, and the profile keeps it.
fn login(info: &SessionInfo, domain: Option<&str>, strategy: LoginStrategy) -> Reply {
    let here = info.tabs.iter().find(|tab| tab.active).and_then(|tab| Url::parse(&tab.url).ok());
    let here = here.and_then(|url| url.host_str().map(str::to_owned));
    let domain = domain.map(str::to_owned).or(here).unwrap_or_else(|| "this page".into());
    let by_hand = "start with headless: false and the domain, let a person log in in the window, and go on: the profile keeps it";
    let (code, status, message) = match strategy {
        LoginStrategy::Manual => (
            Code::LoginNeedsHuman,
            "requires_user_input",
            format!("logging in to {domain} by hand needs a person at the window"),
        ),
        LoginStrategy::Auto | LoginStrategy::Adapter | LoginStrategy::Generic => (
            Code::CredentialNotFound,
            "requires_credentials",
            format!("there is no stored credential for {domain}: webhand cannot store any yet"),
        ),
    };
    answer::failed_with(
        Error::new(code, message).with_hint(by_hand),
        json!({"status": status, "domain": domain}),
    )
}

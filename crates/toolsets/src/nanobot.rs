//! `nanobot`: one tool, `browser`, that is started and stopped, keeps a profile for a domain, and goes nowhere but to the domains that
//! it is allowed. Arguments are flat; answers are `ToolResult`s.

mod answer;
mod args;
mod work;

use contract::{Code, Error, Outcome, Result};
use engine::{
    Request, SessionInfo, SessionOptions,
    actions::{Click, Close, Download, Fill, Goto, Open, Snapshot},
};
use guard::Domains;
use serde_json::json;
use url::Url;

use self::{
    answer::Allowed,
    args::{Action, Args, LoginStrategy},
    work::Work,
};
use crate::{Caller, Hints, Reply, Step, Tool, Toolset, caller::profile_for, tool::Call};

/// The toolset.
pub const TOOLSET: Toolset = Toolset {
    name: "nanobot",
    about: "One tool, browser: sessions with a profile for a domain, and a list of domains it may go to",
    all: &[BROWSER],
    offers: |_, _| true,
    refuse: answer::failed,
    words: &crate::wording::NANOBOT,
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
        if !caller.tools.nanobot_enabled {
            return Ok(Step::Done(answer::failed(disabled())));
        }
        // A list that cannot be read allows nothing, not everything. Without a list nothing is allowed either, whatever the model says.
        let set = match caller.tools.allowed_domains.as_deref() {
            Some(list) => Some(Domains::read(list)?),
            None if caller.tools.nanobot_open => None,
            None => Some(Domains::default()),
        };
        let time = self.timeout()?;
        let step = match self.action {
            Action::Start => start(caller, &self, set),
            Action::Stop => Ok(stop(caller)),
            _ => self.in_session(caller, set),
        };
        step.map(|step| step.within(time))
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
    // The operator says which domains are allowed; the model can only ask for fewer, and the engine keeps the session to those.
    let narrowed_domains = args.allowed_domains.as_deref().map(Domains::read).transpose()?;
    let profile = match args.domain()? {
        Some(domain) => Some(profile_for(&domain, &caller.options)?),
        None => caller.options.profile.clone(),
    };
    let headed = args.headless.map(|headless| !headless).or(caller.options.headed);
    let headed = Some(headed.unwrap_or(false));
    let options = SessionOptions { narrowed_domains, profile, headed, ..caller.options.clone() };
    let request = Request { timeout: args.timeout()?, ..caller.request(Open::default()) };
    let session = caller.session.clone();
    let asked = options.narrowed_domains.clone();
    Ok(Step::sessions(move |list| {
        let running = list.into_iter().find(|info| info.session == session);
        let status = match &running {
            None => "started",
            Some(info) if is_alike(&info.options, &options) => "already_running",
            Some(_) => "restarted",
        };
        let name = session.clone();
        let tell = move |opened: Result<Outcome>| match opened {
            // How it is now is for the engine to say: it may have been narrowed before.
            Ok(outcome) => Step::sessions(move |list| {
                let options = list.into_iter().find(|info| info.session == name).map(|info| info.options);
                let allowed = Allowed { set, asked };
                Step::Done(answer::started(&outcome, &options.unwrap_or_default(), &allowed, status))
            }),
            Err(error) => Step::Done(answer::failed(error)),
        };
        match running {
            Some(info) if status == "already_running" => Step::perform(session, info.options, request, tell),
            Some(_) => Step::restart(session, options, request, tell),
            None => Step::perform(session, options, request, tell),
        }
    }))
}

/// Whether a session that runs is what is wanted.
fn is_alike(running: &SessionOptions, wanted: &SessionOptions) -> bool {
    running.profile == wanted.profile
        && running.headed.unwrap_or(false) == wanted.headed.unwrap_or(false)
        && running.narrowed_to(wanted.narrowed_domains.as_ref()).domains() == running.domains()
}

fn disabled() -> Error {
    Error::new(Code::Unsupported, "the nanobot tools are switched off")
        .with_hint("the person who runs webhand can switch them on: nanobot_enabled = true in config.toml")
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
    let domain = domain.map(str::to_owned).or(here.filter(|host| !host.is_empty()));
    let named = domain.as_deref().unwrap_or("this page");
    let by_hand = "start with headless: false and the domain, let a person log in in the window, and go on: the profile keeps it";
    let (code, status, message) = match strategy {
        LoginStrategy::Manual => (
            Code::LoginNeedsHuman,
            "requires_user_input",
            format!("logging in to {named} by hand needs a person at the window"),
        ),
        LoginStrategy::Auto | LoginStrategy::Adapter | LoginStrategy::Generic => (
            Code::CredentialNotFound,
            "requires_credentials",
            format!("there is no stored credential for {named}: webhand cannot store any yet"),
        ),
    };
    answer::failed_with(
        Error::new(code, message).with_hint(by_hand),
        json!({"status": status, "domain": domain}),
    )
}

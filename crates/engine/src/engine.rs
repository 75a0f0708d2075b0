//! The engine: the sessions there are, and the browsers they share.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    time::Duration,
};

use cdp::{fault::Faults, launch::Launch};
use contract::{Code, Error, Outcome, Result, SessionName, TabInfo};
use guard::{
    Allow, Domains,
    approvals::Approvals,
    proxy::{Counts, Resolve, System},
    rules::Rules,
};
use journal::Journal;
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;
use url::Url;

use crate::{
    Event, Request, Session, SessionOptions,
    actions::{Close, Open},
    browser::{self, Browser},
    egress::Egress,
    events::Events,
    slot::{Key, Slot},
    unheard::Unheard,
};

/// How long a person may take to answer who is asked for an approval.
const APPROVAL: Duration = Duration::from_secs(120);

/// How long a page may leave a question without an answer before it counts as hung.
const UNRESPONSIVE: Duration = Duration::from_secs(5);

/// How an engine is set up.
pub struct Config {
    /// The folder that holds all state.
    pub home: PathBuf,
    /// How long an action may take that says nothing of it.
    pub timeout: Duration,
    /// What is allowed, asked about or denied in all sessions.
    pub rules: Rules,
    /// How long a person may take to answer.
    pub approval_time: Duration,
    /// Further flags for every browser that is started.
    pub browser_flags: Vec<String>,
    /// Private places that every session may reach, besides those that it is started with.
    pub allow: Vec<Allow>,
    /// Who knows where names lead: the operating system, except in tests.
    pub resolver: Arc<dyn Resolve>,
    /// How long a page that is to be left may take to answer before it counts as hung. Tests set it lower.
    pub unresponsive_after: Duration,
    /// Faults between us and the browsers, for tests.
    pub faults: Option<Faults>,
}

impl Config {
    /// The defaults, with all state in `home`.
    pub fn new(home: impl Into<PathBuf>) -> Config {
        Config {
            home: home.into(),
            timeout: Duration::from_secs(30),
            rules: Rules::default(),
            approval_time: APPROVAL,
            browser_flags: Vec::new(),
            allow: Vec::new(),
            resolver: Arc::new(System),
            unresponsive_after: UNRESPONSIVE,
            faults: None,
        }
    }
}

/// Sessions and their browsers. Cloning is cheap; all clones are the same engine.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
    sessions: Arc<Mutex<BTreeMap<SessionName, Arc<Session>>>>,
    /// The domains that sessions were narrowed to, by name, also those of sessions that have ended: an agent that narrowed its session must
    /// not get out of that by closing it.
    narrowed: Arc<Mutex<BTreeMap<SessionName, Domains>>>,
    /// The tokens of agents that count no longer.
    revoked: Arc<Mutex<BTreeSet<String>>>,
}

/// What sessions need of the engine.
pub(crate) struct Shared {
    pub(crate) home: PathBuf,
    pub(crate) timeout: Duration,
    pub(crate) journal: Journal,
    pub(crate) events: Events,
    pub(crate) approvals: Approvals,
    pub(crate) approval_time: Duration,
    pub(crate) unheard: Unheard,
    rules: RwLock<Arc<Rules>>,
    browser_flags: Vec<String>,
    pub(crate) allow: Vec<Allow>,
    pub(crate) resolver: Arc<dyn Resolve>,
    pub(crate) unresponsive_after: Duration,
    faults: Option<Faults>,
    slots: Mutex<HashMap<Key, Arc<Slot>>>,
}

/// A session as lists show it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SessionInfo {
    /// Its name.
    pub session: SessionName,
    /// `isolated`, `profile` or `attached`.
    pub kind: String,
    /// How it was started.
    pub options: SessionOptions,
    /// How its pages are kept from what they may not reach: `enforced` by a proxy that there is no way round, or, in somebody else's browser,
    /// `intercepted`.
    #[serde(default)]
    pub egress: String,
    /// The browser that it is in, when it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<BrowserInfo>,
    /// Its tabs.
    pub tabs: Vec<TabInfo>,
}

/// A browser as lists show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrowserInfo {
    /// Product and version.
    pub version: String,
    /// Its process, if it is ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
}

impl Engine {
    /// An engine without sessions or browsers; both come when they are asked for.
    pub fn new(config: Config) -> Result<Engine> {
        let Config {
            home,
            timeout,
            rules,
            approval_time,
            browser_flags,
            allow,
            resolver,
            unresponsive_after,
            faults,
        } = config;
        make_private(&home)?;
        let journal = Journal::open(&home.join("journal.db"), journal::Limits::default());
        let shared = Shared {
            approvals: Approvals::new(home.join("always-allowed.json")),
            approval_time,
            unheard: Unheard::default(),
            rules: RwLock::new(Arc::new(rules)),
            home,
            timeout,
            journal,
            events: Events::default(),
            browser_flags,
            allow,
            resolver,
            unresponsive_after,
            faults,
            slots: Mutex::default(),
        };
        Ok(Engine {
            shared: Arc::new(shared),
            sessions: Arc::default(),
            narrowed: Arc::default(),
            revoked: Arc::default(),
        })
    }

    /// Does something in a session. One that does not exist is made if the action starts sessions, such as `open`.
    pub async fn perform(
        &self,
        name: &SessionName,
        options: &SessionOptions,
        request: Request,
    ) -> Result<Outcome> {
        let request = by_agent(request, options);
        let starts = request.action.starts_session() && !request.dry_run;
        if request.dry_run && request.action.starts_session() && !self.has(name) {
            check_number(&self.sessions(), options)?;
        }
        let session = self.session(name, options, starts)?;
        // Also when nobody waits for the end: a session that is over must not keep its name.
        let _forget = Forget { engine: self, session: &session };
        session.perform(request).await
    }

    /// Whether somebody else, such as a host application, may go where the request goes in a session's name: judged by all its rules, and
    /// asked about, as if the session went there. Returns the address that may be loaded.
    pub async fn may_be_opened(
        &self,
        name: &SessionName,
        options: &SessionOptions,
        request: &Request,
    ) -> Result<Option<Url>> {
        let request = by_agent(request.clone(), options);
        let session = self.session(name, options, true)?;
        let _forget = Forget { engine: self, session: &session };
        session.may_be_opened(&request).await
    }

    /// A dry run of [`Engine::may_be_opened`]: what the rules decide on it. Nobody is asked.
    pub async fn plan_to_be_opened(
        &self,
        name: &SessionName,
        options: &SessionOptions,
        request: &Request,
    ) -> Result<Outcome> {
        let request = by_agent(request.clone(), options);
        self.session(name, options, false)?.dry_run_elsewhere(&request).await
    }

    /// A session by name, made if there is none. It has no browser before the first action that needs one.
    pub(crate) fn session(
        &self,
        name: &SessionName,
        options: &SessionOptions,
        starts: bool,
    ) -> Result<Arc<Session>> {
        options.check()?;
        let mut sessions = self.sessions();
        self.check_token(options)?;
        if let Some(session) = sessions.get(name).filter(|session| !session.is_closed()) {
            options.check_against(session.options(), name)?;
            return Ok(session.clone());
        }
        let options = self.narrow(name, options);
        let session = Session::new(name.clone(), options.clone(), self.shared.clone());
        // One that is not started is only the place where the gate says so.
        if starts {
            check_number(&sessions, &options)?;
            self.remember_narrowing(name, &options);
            sessions.insert(name.clone(), session.clone());
        }
        Ok(session)
    }

    /// Starts a session anew with other options. The session that runs under that name ends when the new one has started; if that
    /// fails, it stays as it is.
    pub async fn restart(
        &self,
        name: &SessionName,
        options: &SessionOptions,
        request: Request,
    ) -> Result<Outcome> {
        options.check()?;
        let request = by_agent(request, options);
        let old = self.sessions().get(name).filter(|session| !session.is_closed()).cloned();
        let Some(old) = old else { return self.perform(name, options, request).await };
        options.check_owner(old.options(), name)?;
        let options = self.narrow(name, options);
        let close = Request { front: request.front, agent: request.agent.clone(), ..Request::new(Close {}) };
        let new = Session::new(name.clone(), options.clone(), self.shared.clone());
        if request.dry_run {
            let mut outcome = new.perform(request).await?;
            if let Some(plan) = &mut outcome.plan {
                plan.add_note("the session that runs under this name would end when the new one has started");
            }
            // The new one knows no secrets so far.
            old.secrets().redactor().mask_outcome(&mut outcome);
            return Ok(outcome);
        }
        if options.profile.is_some() && options.profile == old.options().profile {
            // Two browsers cannot have one profile, so a browser without it shows whether one can be started like this.
            let plain = SessionOptions { profile: None, ..options.clone() };
            let trial = Session::new(name.clone(), plain, self.shared.clone());
            let started = trial.perform(Request { action: Open::default().into(), ..request.clone() }).await;
            trial.perform(close.clone()).await?;
            started?;
            old.perform(close).await?;
            {
                let mut sessions = self.sessions();
                self.check_token(&options)?;
                self.remember_narrowing(name, &options);
                sessions.insert(name.clone(), new.clone());
            }
            let _forget = Forget { engine: self, session: &new };
            return new.perform(request).await;
        }
        let started = new.perform(request).await.and_then(|outcome| {
            let mut sessions = self.sessions();
            self.check_token(&options)?;
            self.remember_narrowing(name, &options);
            sessions.insert(name.clone(), new.clone());
            Ok(outcome)
        });
        match started {
            Ok(outcome) => {
                old.perform(close).await?;
                Ok(outcome)
            }
            Err(error) => {
                new.perform(close).await?;
                Err(error)
            }
        }
    }

    /// Makes an agent's token worthless: whoever came with it can neither use nor start a session from now on, and its sessions are closed.
    /// Returns their names.
    pub async fn revoke(&self, token: &str) -> Vec<SessionName> {
        let its: Vec<_> = {
            let sessions = self.sessions();
            self.revoked().insert(token.to_owned());
            let is_its = |session: &&Arc<Session>| {
                session.options().agent.as_ref().is_some_and(|agent| agent.token == token)
            };
            sessions.values().filter(is_its).cloned().collect()
        };
        let closing = its.iter().map(|session| async move {
            let _forget = Forget { engine: self, session };
            let close = Request { front: crate::Front::Cli, ..Request::new(Close {}) };
            session.perform(close).await.map(drop)
        });
        futures_util::future::join_all(closing).await;
        its.iter().map(|session| session.name().clone()).collect()
    }

    fn check_token(&self, options: &SessionOptions) -> Result<()> {
        match &options.agent {
            Some(agent) if self.revoked().contains(&agent.token) => {
                Err(Error::new(Code::ActionDenied, format!("the token of {} was revoked", agent.name))
                    .with_hint("ask the person who runs webhand for another one"))
            }
            _ => Ok(()),
        }
    }

    fn revoked(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.revoked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses options that a session of this name cannot have: it runs with others, or they contradict each other.
    pub fn check(&self, name: &SessionName, options: &SessionOptions) -> Result<()> {
        options.check()?;
        match self.sessions().get(name).filter(|session| !session.is_closed()) {
            Some(session) => options.check_against(session.options(), name),
            None => Ok(()),
        }
    }

    /// The options that a session of this name gets: never more domains than it was narrowed to before.
    pub fn narrow(&self, name: &SessionName, options: &SessionOptions) -> SessionOptions {
        options.narrowed_to(self.narrowed().get(name))
    }

    fn remember_narrowing(&self, name: &SessionName, options: &SessionOptions) {
        if let Some(domains) = &options.narrowed_domains {
            self.narrowed().insert(name.clone(), domains.clone());
        }
    }

    fn narrowed(&self) -> MutexGuard<'_, BTreeMap<SessionName, Domains>> {
        self.narrowed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sessions there are.
    pub fn list(&self) -> Vec<SessionInfo> {
        let sessions: Vec<_> = self.sessions().values().cloned().collect();
        sessions.iter().map(|session| describe(session)).collect()
    }

    /// Whether a session of that name exists.
    pub fn has(&self, name: &SessionName) -> bool {
        self.sessions().contains_key(name)
    }

    /// The shared browsers that run.
    pub fn browsers(&self) -> Vec<BrowserInfo> {
        self.shared.slots().values().filter_map(|slot| Some(about(&*slot.running()?))).collect()
    }

    /// What went through the proxies of the sessions that there are.
    pub fn traffic(&self) -> Vec<(SessionName, Counts)> {
        let sessions: Vec<_> = self.sessions().values().cloned().collect();
        let counts =
            |session: &Arc<Session>| Some((session.name().clone(), session.live()?.egress().counts()?));
        sessions.iter().filter_map(counts).collect()
    }

    /// The journal of everything that is done.
    pub fn journal(&self) -> &Journal {
        &self.shared.journal
    }

    /// Hears of every action from now on: when it begins and how it ends. Who falls far behind misses some and is told so.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.shared.events.subscribe()
    }

    /// What waits for a person's approval.
    pub fn approvals(&self) -> &Approvals {
        &self.shared.approvals
    }

    /// From now on these rules hold, also in sessions that there are already.
    pub fn set_rules(&self, rules: Rules) {
        *self.shared.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
    }

    /// How long an action may take that says nothing of it.
    pub fn timeout(&self) -> Duration {
        self.shared.timeout
    }

    /// Closes every session and ends every browser. Returns the names of the sessions that there were.
    pub async fn close(&self, front: crate::Front) -> Vec<SessionName> {
        self.approvals().cancel_all();
        let sessions: Vec<_> = std::mem::take(&mut *self.sessions()).into_values().collect();
        let closing = sessions.iter().map(|session| {
            let request = Request { front, ..Request::new(Close {}) };
            async move { session.perform(request).await.map(drop) }
        });
        futures_util::future::join_all(closing).await;
        let slots: Vec<_> = self.shared.slots().drain().map(|(_, slot)| slot).collect();
        futures_util::future::join_all(slots.iter().map(|slot| slot.end())).await;
        sessions.iter().map(|session| session.name().clone()).collect()
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<SessionName, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The request as that of the agent that calls.
fn by_agent(request: Request, options: &SessionOptions) -> Request {
    let agent = options.agent.as_ref().map(|agent| agent.name.clone());
    Request { agent: agent.or(request.agent), ..request }
}

/// Refuses one session more to an agent that has as many as its token allows.
fn check_number(sessions: &BTreeMap<SessionName, Arc<Session>>, options: &SessionOptions) -> Result<()> {
    let Some((agent, most)) = options.owner().and_then(|agent| Some((&agent.name, agent.sessions?))) else {
        return Ok(());
    };
    let is_its = |session: &&Arc<Session>| {
        !session.is_closed() && session.options().owner().is_some_and(|owner| owner.name == *agent)
    };
    let its: Vec<_> = sessions.values().filter(is_its).map(|session| session.name().as_str()).collect();
    if its.len() < most as usize {
        return Ok(());
    }
    let message =
        format!("the token of {agent} allows {most} sessions at the same time, and it has {}", its.len());
    Err(Error::new(Code::ActionDenied, message)
        .with_hint(format!("use or close one of them first: {}", its.join(", "))))
}

/// Takes a session that is over off the list.
struct Forget<'a> {
    engine: &'a Engine,
    session: &'a Arc<Session>,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        if self.session.is_over() {
            self.engine.sessions().retain(|_, kept| !Arc::ptr_eq(kept, self.session));
        }
    }
}

impl Shared {
    /// The place of the shared browser that these options ask for.
    pub(crate) fn slot(&self, options: &SessionOptions) -> Result<Arc<Slot>> {
        let key = self.key(options)?;
        let launch = self.launch(key.executable.clone(), None, key.headed);
        Ok(self
            .slots()
            .entry(key)
            .or_insert_with(|| Slot::new(launch, self.faults.clone(), self.resolver.clone()))
            .clone())
    }

    /// After an action, when nobody waits: the next session's context is made ready in the same browser, if that is a shared one.
    pub(crate) fn prepare_spare(&self, browser: &Arc<Browser>) {
        let slots = self.slots();
        let is_its = |slot: &&Arc<Slot>| slot.running().is_some_and(|running| Arc::ptr_eq(&running, browser));
        if let Some(slot) = slots.values().find(is_its) {
            slot.prepare();
        }
    }

    /// A browser of its own for a profile.
    pub(crate) async fn launch_profile(
        &self,
        folder: PathBuf,
        options: &SessionOptions,
        egress: Arc<Egress>,
    ) -> Result<Arc<Browser>> {
        let key = self.key(options)?;
        let launch = self.launch(key.executable, Some(folder), key.headed);
        Browser::launch(&launch, self.faults.as_ref(), egress).await
    }

    pub(crate) fn rules(&self) -> Arc<Rules> {
        self.rules.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn key(&self, options: &SessionOptions) -> Result<Key> {
        let executable = browser::executable(options.browser.as_ref())?;
        Ok(Key { executable, headed: options.headed.unwrap_or(false) })
    }

    fn launch(&self, executable: PathBuf, profile: Option<PathBuf>, headed: bool) -> Launch {
        Launch { executable, profile, headed, flags: self.browser_flags.clone() }
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<Key, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn describe(session: &Session) -> SessionInfo {
    let context = session.live();
    let mut options = session.options().clone();
    options.attach = options.attach.as_deref().map(browser::without_secrets);
    let kind = match (&options.profile, &options.attach) {
        (Some(_), _) => "profile",
        (_, Some(_)) => "attached",
        _ => "isolated",
    };
    let egress = if options.attach.is_some() { "intercepted" } else { "enforced" };
    let mut tabs = context.as_ref().map(|context| context.pages.infos()).unwrap_or_default();
    // Lists do not pass the gate, and pages put what they were told into their titles and addresses.
    for told in tabs.iter_mut().flat_map(|tab| [&mut tab.title, &mut tab.url]) {
        session.secrets().redactor().mask(told);
    }
    SessionInfo {
        session: session.name().clone(),
        kind: kind.into(),
        options,
        egress: egress.into(),
        browser: context
            .as_ref()
            .filter(|context| context.browser.is_alive())
            .map(|context| about(&context.browser)),
        tabs,
    }
}

fn about(browser: &Browser) -> BrowserInfo {
    BrowserInfo { version: browser.version.clone(), pid: browser.process_id }
}

/// Makes the folder of all state, for this user's eyes only.
fn make_private(home: &PathBuf) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(home).map_err(|error| {
        Error::new(Code::Internal, format!("{} cannot be used as webhand's folder", home.display()))
            .with_cause(error)
            .with_hint("set WEBHAND_HOME to a folder that can be written")
    })
}

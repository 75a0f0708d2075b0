//! A session, and the gate that every action passes: [`Session::perform`].
//!
//! Because there is no way round it, deadlines, policy and the journal hold for every front and every verb, and a new verb
//! gets them for free.

use std::{
    path::PathBuf,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use contract::{Code, Effect, Error, Outcome, Result, SessionName, TabId};
use guard::{
    Decision, Places, Policy, Purpose,
    proxy::Rules,
    rules::{Deed, Ruling},
};
use journal::Entry;
use serde_json::{Value, json};
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};
use url::Url;

use crate::{
    Action, Event, Phase, Request, SessionOptions, Until,
    actions::{Needs, Run},
    consent::{Gate, in_words},
    context::Context,
    cookies,
    downloads::Saving,
    egress::Egress,
    emulation::Emulation,
    engine::Shared,
    known_secrets::KnownSecrets,
    outgoing,
    pages::TabRecord,
    profile::ProfileLock,
    record::record,
    tab::{End, Tab},
    trouble::Marks,
    waited::Waited,
};

/// How long an element is waited for that cannot be used yet, unless the caller says how long the action may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long an action may take at the most, whatever is asked for: a moment further off than the clock reaches is none.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// How much of an action's time is left for saying why it could not be done.
const REPORT: Duration = Duration::from_millis(500);

/// Until when an action may take, and until when it waits for an element that cannot be used yet.
#[derive(Clone, Copy)]
struct Times {
    deadline: Instant,
    patience: Instant,
}

impl Times {
    /// The same, as much later.
    fn moved(self, by: Duration) -> Times {
        Times { deadline: self.deadline + by, patience: self.patience + by }
    }
}

/// A named, isolated browsing state: cookies, tabs, downloads. It outlives its browser.
pub struct Session {
    name: SessionName,
    options: SessionOptions,
    policy: Policy,
    places: Arc<Places>,
    engine: Arc<Shared>,
    /// The live half; none before the first action that needs a browser, and after the browser has ended.
    context: tokio::sync::Mutex<Option<Arc<Context>>>,
    memory: Arc<Memory>,
    secrets: Arc<KnownSecrets>,
    profile: Mutex<Option<ProfileLock>>,
    closed: watch::Sender<bool>,
    /// How often what runs has been ended.
    halts: watch::Sender<u64>,
    /// How many actions run, steps of others not counted.
    running: AtomicUsize,
}

/// While it lives, an action runs.
struct Running<'a>(&'a AtomicUsize);

impl<'a> Running<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Running(count)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a session remembers while it has no browser.
#[derive(Default)]
pub(crate) struct Memory {
    cookies: Mutex<Vec<Value>>,
    /// What pages are made to believe; none before anybody has said something about it.
    emulation: Mutex<Option<Emulation>>,
}

impl Memory {
    pub(crate) fn set_cookies(&self, cookies: Vec<Value>) {
        *self.cookies.lock().unwrap_or_else(PoisonError::into_inner) = cookies;
    }

    fn cookies(&self) -> Vec<Value> {
        self.cookies.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn emulation(&self) -> Option<Emulation> {
        self.emulation.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Session {
    pub(crate) fn new(name: SessionName, options: SessionOptions, engine: Arc<Shared>) -> Arc<Session> {
        Arc::new(Session {
            name,
            policy: options.policy(),
            places: Arc::new(options.places(&engine.allow)),
            options,
            engine,
            context: tokio::sync::Mutex::default(),
            memory: Arc::default(),
            secrets: Arc::default(),
            profile: Mutex::default(),
            closed: watch::Sender::new(false),
            halts: watch::Sender::new(0),
            running: AtomicUsize::new(0),
        })
    }

    /// Its name.
    pub fn name(&self) -> &SessionName {
        &self.name
    }

    /// How it was started.
    pub fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// Does what is asked, or says why not. Every action has a deadline, passes the guard and is written to the journal.
    ///
    /// Dropping the future cancels the action; the journal records that as well.
    pub async fn perform(self: &Arc<Self>, request: Request) -> Result<Outcome> {
        let time = self.time_of(&request);
        // Who sets a time is willing to wait so long; everybody else would rather hear soon that an element cannot be used.
        let patience =
            if request.timeout.is_some() { time - REPORT.min(time / 4) } else { self.patience_of(&request) };
        let _running = Running::new(&self.running);
        let now = Instant::now();
        self.perform_by(request, Times { deadline: now + time, patience: now + patience }, Waited::default())
            .await
    }

    /// The same as a part of another action, which ends at `deadline` and stands still while this one waits for a person.
    pub(crate) fn step(
        self: &Arc<Self>,
        request: Request,
        deadline: Instant,
        waited: Waited,
    ) -> Pin<Box<dyn Future<Output = Result<Outcome>> + Send + '_>> {
        let now = Instant::now();
        let deadline = deadline.min(now + self.time_of(&request));
        let patience = deadline.min(now + self.patience_of(&request));
        Box::pin(self.perform_by(request, Times { deadline, patience }, waited))
    }

    fn time_of(&self, request: &Request) -> Duration {
        let said = request.timeout.map(|span| span.0);
        let time = said.unwrap_or_else(|| self.engine.timeout.saturating_add(request.action.own_time()));
        time.min(LONGEST)
    }

    fn patience_of(&self, request: &Request) -> Duration {
        self.time_of(request).min(PATIENCE.saturating_add(request.action.own_time()))
    }

    async fn perform_by(self: &Arc<Self>, request: Request, times: Times, waited: Waited) -> Result<Outcome> {
        let Request { action, tab, front, .. } = &request;
        let mut recording = self.engine.journal.begin(Entry {
            session: self.name.clone(),
            tab: *tab,
            front: front.as_str().into(),
            verb: action.name().into(),
            effect: action.effect(),
            action: self.written(action),
            url: self.current_url(*tab),
        });
        let telling = self.engine.events.begin(Event {
            session: self.name.clone(),
            tab: *tab,
            verb: action.name(),
            effect: action.effect(),
            front: *front,
            phase: Phase::Started { limit_ms: (times.deadline - Instant::now()).as_millis() as u64 },
        });
        let mut acted_in = None;
        let gate = Gate::new(self.cares(), waited);
        let result = self.run_until_closed(&request, times, &gate, &mut acted_in).await;
        if let Some(tab) = acted_in {
            recording.set_tab(tab);
        }
        let result = outgoing::told(self.secrets.redactor(), result);
        telling.end(acted_in, &result);
        record(recording, &result);
        result
    }

    async fn run_until_closed(
        self: &Arc<Self>,
        request: &Request,
        times: Times,
        gate: &Gate,
        acted_in: &mut Option<TabId>,
    ) -> Result<Outcome> {
        match &request.action {
            Action::Close(_) => return Ok(self.close(times.deadline).await),
            Action::Halt(_) => return self.halt(),
            _ => {}
        }
        let mut closed = self.closed.subscribe();
        let mut halts = self.halts.subscribe();
        let halted = *halts.borrow_and_update();
        let cancelled = |why: &str| {
            Err(Error::new(Code::Cancelled, format!("session {} was {why} meanwhile", self.name)))
        };
        tokio::select! {
            biased;
            _ = closed.wait_for(|closed| *closed) => cancelled("closed"),
            _ = halts.wait_for(|now| *now != halted) => cancelled("halted"),
            result = Box::pin(self.run_or_ask(request, times, gate, acted_in)) => result,
        }
    }

    /// Runs the action, and if a person has to be asked first, asks and runs it anew. Only the running has a deadline.
    async fn run_or_ask(
        self: &Arc<Self>,
        request: &Request,
        times: Times,
        gate: &Gate,
        acted_in: &mut Option<TabId>,
    ) -> Result<Outcome> {
        let before = gate.waited.total();
        loop {
            let waited = gate.waited.total();
            let times = times.moved(waited - before);
            let result = tokio::select! {
                result = Box::pin(self.run(request, times, gate, acted_in)) => result,
                () = gate.waited.reach(times.deadline, waited) => {
                    Err(crate::lift::timed_out(format_args!("{} to finish", request.action.name())))
                }
            };
            match (gate.take_wish(), result) {
                (Some(wish), Err(_)) => self.ask(request, *acted_in, wish, gate).await?,
                (_, result) => return result,
            }
        }
    }

    /// Ends what runs in the session; the session itself stays.
    fn halt(&self) -> Result<Outcome> {
        // This one runs as well.
        let others = self.running.load(Ordering::Relaxed).saturating_sub(1);
        if others == 0 && self.context.try_lock().is_ok_and(|context| context.is_none()) {
            return Err(Error::new(Code::SessionNotFound, format!("there is no session {}", self.name)));
        }
        self.halts.send_modify(|halts| *halts += 1);
        Ok(Outcome {
            session: self.name.clone(),
            value: Some(json!({"halted": others})),
            ..Outcome::default()
        })
    }

    /// What the action is known to do before its page is: whether it may go to where it wants to go.
    fn may_go(&self, request: &Request, destination: Option<&Url>, gate: &Gate) -> Result<()> {
        let Some(to) = destination else { return Ok(()) };
        let page = self.current_url(request.tab).and_then(|page| Url::parse(&page).ok());
        let (effect, front) = (request.action.effect(), request.front.as_str());
        let deed = Deed { effect, front, pages: page.into_iter().collect(), to: Some(to.clone()) };
        self.may(gate, deed, || in_words(request))
    }

    async fn run(
        self: &Arc<Self>,
        request: &Request,
        Times { deadline, patience }: Times,
        gate: &Gate,
        acted_in: &mut Option<TabId>,
    ) -> Result<Outcome> {
        let Request { action, tab: wanted_tab, front, files, .. } = request;
        let Decision::Allow(destination) = self.policy.decide(action.effect(), action.destination())?;
        if let Some(url) = &destination {
            self.places.check_url(url, Purpose::Navigation)?;
        }
        self.may_go(request, destination.as_ref(), gate)?;
        let (context, mut recovered) = self.context(action.starts_session(), deadline).await?;
        let tabs_before = context.pages.last();
        let tab = match action.needs() {
            Needs::Session => None,
            needs => {
                let leaves = destination.is_some();
                let (id, tab, revived) = self.tab(&context, *wanted_tab, needs, leaves, deadline).await?;
                recovered |= revived;
                *acted_in = Some(id);
                if recovered && destination.is_none() {
                    Until::Load.wait(&tab, deadline).await?;
                    if let Some(title) = context.title(&tab, deadline).await {
                        tab.note(|state| state.title = title);
                    }
                }
                Some((id, tab))
            }
        };
        let run = Run {
            session: self,
            context: &context,
            tab,
            wanted_tab: *wanted_tab,
            front: *front,
            effect: action.effect(),
            gate,
            files,
            deadline,
            patience,
            destination,
            healed: Mutex::default(),
            looked: AtomicBool::default(),
        };
        self.may_begin(request, &run)?;
        let marks = run.tab.as_ref().map(|(_, tab)| Marks::of(tab));
        let result = action.run(&run).await;
        // When nobody waits any more. Whoever loaded a page has put its cookies by already.
        let has_kept_cookies = matches!(&result, Ok(outcome) if outcome.navigation.is_some());
        let _afterwards = Afterwards { session: self, context: &context, has_kept_cookies };
        let mut outcome = result.inspect_err(|error| context.egress().told(error))?;
        run.catch_up().await;
        if action.tells_changes() {
            run.tell_changes(action.effect(), &mut outcome).await;
        }
        if action.tells_trouble() {
            run.tell_trouble(&mut outcome, marks.as_ref(), tabs_before);
        }
        run.tell_blocked(&mut outcome);
        run.complete(&mut outcome, tabs_before);
        outcome.session = self.name.clone();
        outcome.recovered = recovered;
        Ok(outcome)
    }

    /// What the action is known to do in the page that it acts on.
    fn may_begin(&self, request: &Request, run: &Run<'_>) -> Result<()> {
        let effect = request.action.effect();
        let deed = run.deed(effect, None, run.destination.clone());
        match (&request.action, effect) {
            // Its steps are judged one by one.
            (Action::Batch(_), _) => Ok(()),
            // Where it leads is not known yet; its verb asks when it is.
            (_, Effect::Navigate) if run.destination.is_none() => Ok(()),
            // Its verb asks when it is known what is sent, and before anything is.
            (_, Effect::Submit) if self.judge(&deed).ruling != Ruling::Deny => Ok(()),
            _ => run.may(deed, || in_words(request)),
        }
    }

    /// The tab to act on, usable: a crashed one is opened anew, an open dialog is an error unless the verb can do with it.
    async fn tab(
        &self,
        context: &Context,
        wanted: Option<TabId>,
        needs: Needs,
        leaves: bool,
        deadline: Instant,
    ) -> Result<(TabId, Arc<Tab>, bool)> {
        let found = context.pages.get(wanted);
        let (id, tab) = match found {
            Err(_) if wanted.is_none() && needs == Needs::PageOrNew => {
                let (id, tab) = context.open_tab("about:blank", deadline).await?;
                context.pages.focus(id)?;
                (id, tab)
            }
            found => found?,
        };
        let (id, tab) =
            context.pages.ready(&tab.target_id, deadline).await.map(|_| (id, tab.clone())).or_else(
                |error| {
                    // A crashed tab is never ready; what comes next opens it anew.
                    if tab.read(|state| state.end == Some(End::Crashed)) { Ok((id, tab)) } else { Err(error) }
                },
            )?;
        if tab.read(|state| state.end == Some(End::Crashed)) {
            // One at a time: whoever comes second finds what the first has opened.
            let _turn = tab.turn(deadline).await?;
            let (_, current) = context.pages.get(Some(id))?;
            if !Arc::ptr_eq(&current, &tab) {
                context.pages.ready(&current.target_id, deadline).await?;
                return Ok((id, current, true));
            }
            // Who goes elsewhere must not be held up by the page that crashed.
            let url = tab.read(|state| state.document.address().to_owned());
            let url = if leaves { "about:blank".to_owned() } else { url };
            let (_, new) = context.open_tab(&url, deadline).await?;
            context.replace(&tab, &new, id, deadline).await?;
            return Ok((id, new, true));
        }
        if needs != Needs::Tab {
            tab.read(|state| match &state.dialog {
                Some(dialog) => Err(Error::new(
                    Code::DialogOpen,
                    format!("the {} dialog {:?} is open in {id}", dialog.kind, dialog.message),
                )),
                None => Ok(()),
            })?;
        }
        Ok((id, tab, false))
    }

    /// The live half of the session, and whether it had to be brought back. Started only by actions that may.
    async fn context(self: &Arc<Self>, may_start: bool, deadline: Instant) -> Result<(Arc<Context>, bool)> {
        let mut slot = timeout_at(deadline, self.context.lock())
            .await
            .map_err(|_| crate::lift::timed_out("the session to start"))?;
        if let Some(context) = slot.as_ref().filter(|context| context.browser.is_alive()) {
            return Ok((context.clone(), false));
        }
        let before = slot.as_ref().map(|context| (context.pages.records(), context.pages.last()));
        if let (Some(old), Some(_)) = (slot.as_ref(), &self.options.profile) {
            // Two browsers cannot have one profile; the old one may take a moment to be gone for good.
            old.browser.end().await;
        }
        if before.is_none() && !may_start {
            return Err(Error::new(Code::SessionNotFound, format!("there is no session {}", self.name)));
        }
        let context = Arc::new(self.open_context(deadline).await?);
        let folder = self.downloads_folder()?;
        let saving = Saving { folder, largest: self.options.largest_file(), secrets: self.secrets.clone() };
        context.set_downloads(saving, deadline).await?;
        let lost = before.is_some();
        if let Some((tabs, last)) = before {
            self.restore(&context, &tabs, last, deadline).await?;
        }
        tokio::spawn(cookies::keep(Arc::downgrade(&context), self.memory.clone()));
        *slot = Some(context.clone());
        Ok((context, lost))
    }

    async fn open_context(&self, deadline: Instant) -> Result<Context> {
        let first = self.first_emulation();
        let wanted = self.memory.emulation().unwrap_or_else(|| first.clone());
        let rules = Rules { places: self.places.clone(), upstream: self.options.upstream()? };
        let resolver = self.engine.resolver.clone();
        let context = if let Some(address) = &self.options.attach {
            let browser = crate::browser::Browser::attach(address).await?;
            let egress = Egress::watched(rules, resolver);
            Context::attached(browser, egress, first, self.options.targets.as_deref(), deadline).await?
        } else if let Some(profile) = &self.options.profile {
            let folder = self.profile_folder(profile)?;
            let egress = Egress::through_proxy(rules, resolver).await?;
            let browser = self.engine.launch_profile(folder, &self.options, egress.clone()).await?;
            Context::profile(browser, egress, first, deadline).await?
        } else {
            self.engine.slot(&self.options)?.context(rules, deadline).await?
        };
        if context.pages.emulation() != wanted {
            context.set_emulation(&wanted, None, deadline).await?;
        }
        Ok(context)
    }

    /// What pages are made to believe when the session starts: their size, unless the browser is somebody else's.
    pub(crate) fn first_emulation(&self) -> Emulation {
        let viewport = match self.options.attach {
            Some(_) => self.options.viewport,
            None => Some(self.options.viewport.unwrap_or_default()),
        };
        Emulation { viewport, ..Emulation::default() }
    }

    /// Brings back what the session had: its cookies, and its tabs where they were. Somebody else's browser keeps its own.
    async fn restore(
        &self,
        context: &Context,
        tabs: &[TabRecord],
        last: u32,
        deadline: Instant,
    ) -> Result<()> {
        match self.options.attach {
            Some(_) => Ok(()),
            None => context.restore(self.memory.cookies(), tabs, last, deadline).await,
        }
    }

    fn profile_folder(&self, profile: &SessionName) -> Result<PathBuf> {
        let mut held = self.profile.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = &*held {
            return Ok(lock.folder.clone());
        }
        let folder = self.engine.home.join("profiles").join(profile.as_str());
        let lock = ProfileLock::take(&folder, profile, &self.name)?;
        Ok(held.insert(lock).folder.clone())
    }

    /// The folder that holds what belongs to no session.
    pub(crate) fn home(&self) -> &std::path::Path {
        &self.engine.home
    }

    pub(crate) fn downloads_folder(&self) -> Result<PathBuf> {
        let folder = self.engine.home.join("downloads").join(self.name.as_str());
        std::fs::create_dir_all(&folder).map_err(|error| {
            Error::new(Code::Internal, format!("{} cannot be made", folder.display())).with_cause(error)
        })?;
        Ok(folder)
    }

    /// Ends the session: what runs in it ends with `CANCELLED`, its tabs and cookies go.
    async fn close(&self, deadline: Instant) -> Outcome {
        self.closed.send_replace(true);
        self.engine.approvals.end_session(&self.name);
        // Whoever held the context has just been cancelled, so this waits for nobody.
        let context = self.context.lock().await.take();
        if let Some(context) = context {
            let time_left = deadline.max(Instant::now() + Duration::from_secs(1));
            context.close(time_left).await;
        }
        drop(self.profile.lock().unwrap_or_else(PoisonError::into_inner).take());
        Outcome { session: self.name.clone(), ..Outcome::default() }
    }

    /// Whether the session has been closed, or was never started.
    pub(crate) fn is_over(&self) -> bool {
        // One that waits for a person has not started, but is not over either.
        self.is_closed()
            || (self.running.load(Ordering::Relaxed) == 0
                && self.context.try_lock().is_ok_and(|context| context.is_none()))
    }

    /// Whether it has been closed.
    pub(crate) fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    /// The live half, if there is one and nobody is just making it.
    pub(crate) fn live(&self) -> Option<Arc<Context>> {
        self.context.try_lock().ok()?.clone()
    }

    fn current_url(&self, tab: Option<TabId>) -> Option<String> {
        let (_, tab) = self.live()?.pages.get(tab).ok()?;
        let mut address = tab.read(|state| state.document.address().to_owned());
        self.secrets.redactor().mask(&mut address);
        Some(address)
    }

    /// The action as the journal keeps it. Serialising masks what was typed; a secret may be elsewhere in it as well.
    fn written(&self, action: &Action) -> Value {
        let mut written = serde_json::to_value(action).unwrap_or_default();
        self.secrets.redactor().mask_data(&mut written);
        written
    }

    /// What is secret in this session.
    pub(crate) fn secrets(&self) -> &KnownSecrets {
        &self.secrets
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.engine
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }
}

/// What is done when an action has its outcome, of whatever kind.
struct Afterwards<'a> {
    session: &'a Session,
    context: &'a Context,
    has_kept_cookies: bool,
}

impl Drop for Afterwards<'_> {
    fn drop(&mut self) {
        if !self.has_kept_cookies {
            self.context.pages.cookies.notify_one();
        }
        self.session.engine.prepare_spare(&self.context.browser);
    }
}

impl Run<'_> {
    /// Makes all pages of the session believe something else, also after the browser has ended.
    pub(crate) async fn emulate(&self, emulation: Emulation) -> Result<Vec<String>> {
        self.session.secrets.sent(&emulation);
        let acted_on = self.tab.as_ref().map(|(id, _)| *id);
        let notes = self.context.set_emulation(&emulation, acted_on, self.deadline).await?;
        let mut remembered = self.session.memory.emulation.lock().unwrap_or_else(PoisonError::into_inner);
        *remembered = Some(emulation);
        Ok(notes)
    }
}

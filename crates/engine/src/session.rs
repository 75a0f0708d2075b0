//! A session, and the gate that every action passes: [`Session::perform`].
//!
//! Because there is no way round it, deadlines, policy and the journal hold for every front and every verb, and a new verb
//! gets them for free.

use std::{
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
    rules::{Deed, Ruling},
};
use journal::Entry;
use serde_json::{Value, json};
use tokio::{sync::watch, time::Instant};
use url::Url;

use crate::{
    Action, Budget, Event, Phase, Request, SessionOptions, Until,
    actions::{self, Needs, Run},
    anew::Attempt,
    consent::{Exactly, Gate, in_words},
    context::Context,
    copies::Copies,
    download_gate::Callers,
    engine::Shared,
    known_secrets::KnownSecrets,
    navigate, outgoing,
    place::WENT_ON,
    profile::ProfileLock,
    record::record,
    session_folder::SessionFolder,
    tab::Tab,
    trouble::Marks,
    waited::Waited,
};

mod dry_run;
mod elsewhere;
mod live;

pub(crate) use live::Memory;

/// How long an element is waited for that cannot be used yet, unless the caller says how long the action may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long an action may take at the most, whatever is asked for: a moment further off than the clock reaches is none.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// How much of an action's time is left for saying why it could not be done.
const REPORT: Duration = Duration::from_secs(1);

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
    callers: Callers,
    /// What its pages were given.
    copies: Arc<Copies>,
    /// Where the browser writes downloads that are under way.
    incoming: SessionFolder,
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

/// The scheme of an address that has one.
fn scheme_of(address: String) -> Option<String> {
    address.split_once("://").map(|(scheme, _)| scheme.to_owned())
}

impl Session {
    pub(crate) fn new(name: SessionName, options: SessionOptions, engine: Arc<Shared>) -> Arc<Session> {
        let copies = Copies::new(&engine.home);
        let incoming = SessionFolder::new(&engine.home, "incoming");
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
            callers: Callers::default(),
            copies: Arc::new(copies),
            incoming,
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
        let left = request.budget.as_ref().and_then(Budget::remaining);
        let time = self.time_of(&request).min(left.unwrap_or(LONGEST));
        let for_report = REPORT.min(time / 4);
        // Who sets a time is willing to wait so long; everybody else would rather hear soon that an element cannot be used.
        let patience = match request.element_timeout {
            None if request.timeout.is_some() => LONGEST,
            _ => self.patience_of(&request),
        };
        let patience = patience.min(time - for_report);
        let waited = request.budget.as_ref().map(Budget::waited).unwrap_or_default();
        let _running = Running::new(&self.running);
        let now = Instant::now();
        self.perform_by(request, Times { deadline: now + time, patience: now + patience }, waited).await
    }

    /// The same as a part of another action, which ends at `deadline` and stands still while this one waits for a person. `patience` is that of
    /// the other action, if its caller set one.
    pub(crate) fn step(
        self: &Arc<Self>,
        request: Request,
        deadline: Instant,
        patience: Option<Instant>,
        waited: Waited,
    ) -> Pin<Box<dyn Future<Output = Result<Outcome>> + Send + '_>> {
        let now = Instant::now();
        let deadline = deadline.min(now + self.time_of(&request));
        let patience = deadline.min(patience.unwrap_or_else(|| now + self.patience_of(&request)));
        Box::pin(self.perform_by(request, Times { deadline, patience }, waited))
    }

    fn time_of(&self, request: &Request) -> Duration {
        let said = request.timeout.map(|span| span.0);
        let time = said.unwrap_or_else(|| self.engine.timeout.saturating_add(request.action.own_time()));
        time.min(LONGEST)
    }

    fn patience_of(&self, request: &Request) -> Duration {
        let patience = request.element_timeout.map_or(PATIENCE, |span| span.0);
        self.time_of(request).min(patience.saturating_add(request.action.own_time()))
    }

    async fn perform_by(self: &Arc<Self>, request: Request, times: Times, waited: Waited) -> Result<Outcome> {
        if request.dry_run {
            return Box::pin(self.dry_run(&request, times)).await;
        }
        let Request { action, tab, front, agent, .. } = &request;
        let mut recording = self.engine.journal.begin(Entry {
            session: self.name.clone(),
            tab: *tab,
            front: front.as_str().into(),
            agent: agent.clone(),
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
            agent: agent.clone(),
            phase: Phase::Started { limit_ms: (times.deadline - Instant::now()).as_millis() as u64 },
        });
        let mut acted_in = None;
        let mut gate = Gate::new(self.cares(), waited);
        if gate.cares() {
            gate = gate.after(self.engine.unheard.asked_before(&self.name, &request));
        }
        let _acting = self.callers.begin(*front, agent.clone(), gate.shared_permits());
        let mut result = self.run_until_closed(&request, times, &gate, &mut acted_in).await;
        if let Err(error) = &mut result
            && let Some(outcome) = &mut error.outcome
        {
            outcome.session = self.name.clone();
        }
        if let Some(tab) = acted_in {
            recording.set_tab(tab);
        }
        let result = outgoing::told(self.secrets.redactor(), result);
        let effect = gate.effect(action.effect());
        recording.set_effect(effect);
        telling.end(acted_in, effect, &result);
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
        self.until_ended(Box::pin(self.run_or_ask(request, times, gate, acted_in))).await
    }

    /// What comes of something, or `CANCELLED` if the session is closed or halted meanwhile.
    async fn until_ended<T>(&self, doing: impl Future<Output = Result<T>>) -> Result<T> {
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
            result = doing => result,
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
                // Whatever it waits for at the deadline can say what that was.
                biased;
                result = Box::pin(self.run(request, times, gate, acted_in)) => result,
                () = gate.waited.reach(times.deadline, waited) => {
                    Err(crate::lift::timed_out(format_args!("{} to finish", request.action.name())))
                }
            };
            match (gate.take_wish(), result) {
                (Some(wish), Err(_)) => {
                    let is_script = gate.effect(request.action.effect()) == Effect::Execute;
                    let asked = self.ask(request, *acted_in, wish, gate).await;
                    asked.map_err(|error| if is_script { actions::explained(error) } else { error })?;
                }
                // Navigations say themselves what they waited for.
                (_, Err(error)) if request.action.effect() != Effect::Navigate => {
                    let error = gate.told(error);
                    let repeats = error.repeats;
                    let mut error = self.blame_server(*acted_in, error);
                    error.repeats |= repeats;
                    return Err(error);
                }
                (_, result) => return result,
            }
        }
    }

    /// Says of an action that timed out that it waited for a server, if that is so.
    fn blame_server(&self, acted_in: Option<TabId>, error: Error) -> Error {
        match self.live().and_then(|context| context.pages.get(Some(acted_in?)).ok()) {
            Some((_, tab)) => navigate::blame_server(&tab, error),
            None => error,
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
        let deed = Deed {
            effect: request.action.effect(),
            front: request.front.as_str(),
            agent: request.agent.clone(),
            pages: page.into_iter().collect(),
            to: Some(to.clone()),
        };
        let exactly = || Exactly::going_to(to);
        self.may(gate, deed, exactly, || in_words(request))
    }

    /// What the verb of a request has to work with.
    fn run_of<'a>(
        self: &'a Arc<Self>,
        request: &'a Request,
        Times { deadline, patience }: Times,
        gate: &'a Gate,
        context: &'a Context,
        tab: Option<(TabId, Arc<Tab>)>,
        destination: Option<Url>,
    ) -> Run<'a> {
        let action = &request.action;
        Run {
            session: self,
            context,
            tab,
            wanted_tab: request.tab,
            front: request.front,
            agent: request.agent.as_ref(),
            effect: action.effect(),
            gate,
            files: &request.files,
            began: Instant::now(),
            deadline,
            patience,
            has_timeout: request.timeout.is_some() && request.element_timeout.is_none(),
            element_timeout: request.element_timeout,
            from: request.from.clone().filter(|_| !action.means_to_leave()),
            points_in_picture: request.points_in_picture,
            unfinished: Mutex::default(),
            destination,
            healed: Mutex::default(),
            looked: AtomicBool::default(),
            only_read: AtomicBool::new(action.effect() == Effect::Read && !action.tells_changes()),
        }
    }

    async fn run(
        self: &Arc<Self>,
        request: &Request,
        Times { deadline, patience }: Times,
        gate: &Gate,
        acted_in: &mut Option<TabId>,
    ) -> Result<Outcome> {
        let Request { action, tab: wanted_tab, .. } = request;
        let Decision::Allow(destination) = self.policy.decide(action.effect(), action.destination())?;
        if let Some(url) = &destination {
            self.places.check_url(url, Purpose::Navigation)?;
        }
        self.may_go(request, destination.as_ref(), gate)?;
        let (context, mut recovered) = self.context(action.starts_session(), deadline).await?;
        let (tabs_before, downloads_before) = (context.pages.last(), context.pages.downloads.count());
        let tab = match action.needs() {
            Needs::Session => None,
            needs => {
                let leaves = destination.is_some();
                let (id, tab, revived) = self.tab(&context, *wanted_tab, needs, leaves, deadline).await?;
                recovered |= revived;
                *acted_in = Some(id);
                if recovered && destination.is_none() {
                    let loaded = Until::Load.wait(&tab, deadline).await;
                    loaded.map_err(|error| navigate::not_loaded_again(&tab, error))?;
                    if let Some(title) = context.title(&tab, deadline).await {
                        tab.note(|state| state.title = title);
                    }
                }
                Some((id, tab))
            }
        };
        let run = self.run_of(request, Times { deadline, patience }, gate, &context, tab, destination);
        run.let_finish(action).await;
        run.check_place().await?;
        run.check_domain()?;
        let another_tab = run.check_active(action)?;
        run.check_refs(action)?;
        self.may_begin(request, &run).await?;
        let marks = run.tab.as_ref().map(|(_, tab)| Marks::of(tab));
        let begun = request.from.clone().or_else(|| run.place());
        let went_on = run.tab.as_ref().is_some_and(|(_, tab)| tab.went_on());
        let mut attempt = Attempt::new(&run);
        let mut result = loop {
            match action.run(&run).await {
                Err(error) => match attempt.again(&run, &action.targets(), error).await {
                    Ok(()) => {}
                    Err(error) => break Err(error),
                },
                done => break done,
            }
        };
        if result.is_err() {
            run.note_refs(&mut result);
        }
        // When nobody waits any more. Whoever loaded a page has put its cookies by already; whoever only read has set none.
        let has_kept_cookies = matches!(&result, Ok(outcome) if outcome.navigation.is_some())
            || run.only_read.load(Ordering::Relaxed);
        let _afterwards = Afterwards { session: self, context: &context, has_kept_cookies };
        let mut outcome = match result {
            Ok(outcome) => outcome,
            Err(error) => {
                context.egress().told(&error);
                return Err(run.with_blocked(error, marks.as_ref()).await);
            }
        };
        run.catch_up().await;
        if let Some(marks) = &marks {
            run.wait_for_refusals(marks).await;
        }
        if went_on && !matches!(action.effect(), Effect::Read | Effect::Navigate) {
            outcome.notes.push(WENT_ON.into());
        }
        let looked = match action.tells_changes() && !run.only_read.load(Ordering::Relaxed) {
            true => run.tell_changes(action.effect(), &mut outcome).await,
            false => Ok(()),
        };
        run.check_end(action.effect(), looked)?;
        if action.tells_trouble() {
            run.tell_trouble(&mut outcome, marks.as_ref(), tabs_before);
        }
        run.tell_blocked(&mut outcome);
        let refused = match action.effect() {
            // Who only looks has led to nothing; it is told in a note.
            Effect::Read => None,
            _ => context.pages.downloads.take_refused(downloads_before),
        };
        run.complete(&mut outcome, tabs_before);
        if let Some(begun) = begun {
            run.tell_another_page(&begun, action.effect(), &mut outcome).await;
        }
        outcome.place = run.place();
        if let Some(scheme) =
            action.destination().and_then(|to| guard::completed(to.expose())).and_then(scheme_of)
        {
            outcome.notes.push(format!("{scheme}:// was put before the address"));
        }
        outcome.notes.extend(another_tab);
        outcome.session = self.name.clone();
        outcome.recovered = recovered;
        if let Some((_, tab)) = &run.tab {
            tab.note_told();
        }
        let mut result = match refused {
            // What was done has been done, except for the file.
            Some(error) => Err(error.with_outcome(outcome).once_only()),
            None => Ok(outcome),
        };
        run.note_refs(&mut result);
        result
    }

    /// What the action is known to do in the page that it acts on.
    async fn may_begin(&self, request: &Request, run: &Run<'_>) -> Result<()> {
        let effect = request.action.effect();
        let deed = run.deed(effect, None, run.destination.clone());
        match (&request.action, effect) {
            // Its steps are judged one by one.
            (Action::Batch(_), _) => Ok(()),
            // Where it leads is not known yet; its verb asks when it is.
            (_, Effect::Navigate) if run.destination.is_none() => Ok(()),
            // Its verb asks when the script is about to do more than read.
            (_, Effect::Execute) => run.may(run.deed(Effect::Read, None, None), || in_words(request)),
            // Its verb asks when it is known what is sent, and before anything is.
            (_, Effect::Submit) if self.judge(&deed).ruling != Ruling::Deny => Ok(()),
            // So does a click, which says then what it would click.
            (Action::Click(_), _) if self.judge(&deed).ruling == Ruling::Ask => {
                run.gate.leave_to_use();
                Ok(())
            }
            _ if run.destination.is_none() && !run.gate.is_dry() && self.asks(&deed) => {
                let (words, about) = run.described(request).await?;
                run.may_with(deed, &about, || in_words(request) + &words)
            }
            _ => run.may(deed, || in_words(request)),
        }
    }

    /// The folder that holds what belongs to no session.
    pub(crate) fn home(&self) -> &std::path::Path {
        &self.engine.home
    }

    /// Ends the session: what runs in it ends with `CANCELLED`, its tabs and cookies go.
    async fn close(&self, deadline: Instant) -> Outcome {
        self.closed.send_replace(true);
        self.engine.approvals.end_session(&self.name);
        self.engine.unheard.end_session(&self.name);
        // Whoever held the context has just been cancelled, so this waits for nobody.
        let context = self.context.lock().await.take();
        if let Some(context) = context {
            let time_left = deadline.max(Instant::now() + Duration::from_secs(1));
            context.close(time_left).await;
        }
        drop(self.profile.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.copies.forget();
        self.incoming.remove();
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

    /// The copies of files that its pages were given.
    pub(crate) fn copies(&self) -> Arc<Copies> {
        self.copies.clone()
    }

    /// Who acts in it.
    pub(crate) fn callers(&self) -> &Callers {
        &self.callers
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.engine
    }

    /// Where its pages may connect to.
    pub(crate) fn places(&self) -> &Places {
        &self.places
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

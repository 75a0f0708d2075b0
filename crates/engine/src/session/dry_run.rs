//! Dry runs: what an action would do and what the rules decide on it, told without doing anything. No browser is started, no page is used,
//! nobody is asked, and no approval is used up. Like every action it has a deadline, ends with its session, and is in the journal.

use std::sync::{Arc, PoisonError};

use contract::{Code, Effect, Error, Outcome, Plan, Result, Ruling, TabId};
use guard::{Decision, Purpose, rules::Deed};
use journal::Entry;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{Session, Times, live::unless_dialog_open};
use crate::{
    Action, Event, Phase, Request,
    actions::{Batch, Needs},
    consent::{Draft, Gate},
    context::Context,
    lift, outgoing,
    record::{record, without_words_of_page},
    tab::{End, Tab},
};

/// Whether an action may go to the address that it names.
enum Destination {
    Refused,
    /// It may, or names none.
    Allowed(Option<Url>),
}

/// Where a tab is that has just been opened.
const BLANK: &str = "about:blank";

impl Session {
    /// Tells what a request would do. What is refused is told in the plan; only what the verb itself could not do fails.
    pub(super) async fn dry_run(self: &Arc<Self>, request: &Request, times: Times) -> Result<Outcome> {
        self.recorded_dry_run(request, times, self.outcome_of_plan(request, times)).await
    }

    /// The same for a page that somebody else is to open, such as a host application: judged like [`Session::may_be_opened`].
    pub(crate) async fn dry_run_elsewhere(self: &Arc<Self>, request: &Request) -> Result<Outcome> {
        let now = Instant::now();
        let times = Times { deadline: now + self.time_of(request), patience: now };
        let judging = async {
            let gate = Gate::of_dry_run();
            let draft = draft_of(&gate)?;
            if let Destination::Allowed(destination) = self.planned_destination(&request.action, draft)? {
                self.may_go(request, destination.as_ref(), &gate)?;
            }
            Ok(Outcome { plan: Some(finished(request, draft.take())), ..Outcome::default() })
        };
        self.recorded_dry_run(request, times, judging).await
    }

    /// Runs it as the gate runs an action: in the journal and in events, until its deadline or the end of the session, and with all that is
    /// secret masked.
    async fn recorded_dry_run(
        &self,
        request: &Request,
        times: Times,
        planning: impl Future<Output = Result<Outcome>> + Send,
    ) -> Result<Outcome> {
        let Request { action, tab, front, agent, .. } = request;
        let mut written = self.written(action);
        written["dry_run"] = true.into();
        let recording = self.engine.journal.begin(Entry {
            session: self.name.clone(),
            tab: *tab,
            front: front.as_str().into(),
            agent: agent.clone(),
            verb: action.name().into(),
            effect: Effect::Read,
            action: written,
            url: self.current_url(*tab),
        });
        let telling = self.engine.events.begin(Event {
            session: self.name.clone(),
            tab: *tab,
            verb: action.name(),
            effect: Effect::Read,
            front: *front,
            agent: agent.clone(),
            phase: Phase::Started { limit_ms: (times.deadline - Instant::now()).as_millis() as u64 },
        });
        let late = || lift::timed_out(format_args!("the dry run of {} to finish", action.name()));
        let planned = async { timeout_at(times.deadline, planning).await.unwrap_or_else(|_| Err(late())) };
        let result = self.until_ended(Box::pin(planned)).await;
        let result = result.map(|outcome| Outcome { session: self.name.clone(), ..outcome });
        let result = outgoing::told(self.secrets.redactor(), result);
        telling.end(result.as_ref().ok().and_then(|outcome| outcome.tab), Effect::Read, &result);
        record(recording, &result);
        result
    }

    async fn outcome_of_plan(self: &Arc<Self>, request: &Request, times: Times) -> Result<Outcome> {
        match &request.action {
            Action::Batch(batch) => self.plan_batch(request, batch, times).await,
            Action::Close(_) | Action::Halt(_) => self.plan_end(request),
            _ => self.plan_action(request, times, None).await,
        }
    }

    /// The plan of one action. `from` is the page that it is for, if that is another one than the tab shows: then its elements cannot be
    /// looked for.
    async fn plan_action(
        self: &Arc<Self>,
        request: &Request,
        times: Times,
        from: Option<&Url>,
    ) -> Result<Outcome> {
        let gate = Gate::of_dry_run();
        let draft = draft_of(&gate)?;
        let outcome = self.place_of_plan(request, times, from, &gate, draft).await?;
        let plan = outcome.plan.unwrap_or_else(|| draft.take());
        Ok(Outcome { plan: Some(finished(request, plan)), ..outcome })
    }

    /// Drafts the plan of one action. Returns where it would be done, and the plan itself if it names elements.
    async fn place_of_plan(
        self: &Arc<Self>,
        request: &Request,
        times: Times,
        from: Option<&Url>,
        gate: &Gate,
        draft: &Draft,
    ) -> Result<Outcome> {
        let action = &request.action;
        let Destination::Allowed(destination) = self.planned_destination(action, draft)? else {
            return Ok(Outcome::default());
        };
        if let Some(page) = from {
            if !action.targets().is_empty() || action.goes_to_focus() {
                draft.add_note(format!(
                    "{}: the page that a step before leads to is not there, so its elements are not known",
                    Code::ElementNotFound
                ));
            }
            self.plan_unseen(request, draft, Some(page.clone()), destination);
            return Ok(Outcome::default());
        }
        let context = self.running_context(times.deadline).await?;
        let Some(context) = context.filter(|context| context.browser.is_alive()) else {
            draft.add_note(self.note_of_start(action).await?);
            self.plan_unseen(request, draft, Url::parse(BLANK).ok(), destination);
            return Ok(Outcome::default());
        };
        self.may_go(request, destination.as_ref(), gate)?;
        let tab = match action.needs() {
            Needs::Session => None,
            needs => match self.tab_as_it_is(&context, request.tab, needs, times.deadline).await? {
                Some(found) => Some(found),
                None => {
                    draft.add_note("there is no tab; one would be opened");
                    self.plan_unseen(request, draft, Url::parse(BLANK).ok(), destination);
                    return Ok(Outcome::default());
                }
            },
        };
        if let Some((id, tab)) = &tab
            && tab.read(|state| state.end == Some(End::Crashed))
        {
            if destination.is_none() {
                let message = format!("the page in {id} has crashed, and a dry run does not load it again");
                return Err(Error::new(Code::PageCrashed, message)
                    .with_hint("do something that is no dry run first; it brings the page back"));
            }
            draft.add_note(format!("the page in {id} has crashed; the tab would be opened anew"));
            return Ok(place_of(Some((*id, tab))));
        }
        let run = self.run_of(request, times, gate, &context, tab, destination);
        run.check_domain()?;
        let another_tab = run.check_active(action)?;
        another_tab.into_iter().for_each(|note| draft.add_note(note));
        run.check_refs(action)?;
        self.may_begin(request, &run).await?;
        let place = || place_of(run.tab.as_ref().map(|(id, tab)| (*id, tab)));
        let mut planned = action.plan(&run).await;
        if !run.may_read() {
            draft.leave_out_words();
            planned = planned.map_err(|error| {
                let kept = without_words_of_page(&error);
                Error::new(kept.code, kept.message)
            });
        }
        let mut planned = planned.map(|()| Outcome { plan: Some(draft.take()), ..place() });
        // The elements that the caller is told of can be named by their refs from now on.
        run.note_refs(&mut planned);
        let healed = *run.healed.lock().unwrap_or_else(PoisonError::into_inner);
        planned.map(|outcome| Outcome { healed, ..outcome })
    }

    /// What an action does by its declarations, in a page that cannot be looked at.
    fn plan_unseen(&self, request: &Request, draft: &Draft, page: Option<Url>, to: Option<Url>) {
        let action = &request.action;
        let pages = page.filter(|_| action.needs() != Needs::Session).into_iter().collect();
        let deed = Deed {
            effect: action.effect(),
            front: request.front.as_str(),
            agent: request.agent.clone(),
            pages,
            to,
        };
        self.plan_deed(draft, &deed);
    }

    /// That the session or its browser would be started for an action; fails if it would not.
    async fn note_of_start(&self, action: &Action) -> Result<String> {
        match (action.starts_session(), self.context.lock().await.is_some()) {
            (true, false) => Ok(format!("session {} does not run; it would be started", self.name)),
            (true, true) => Ok("the browser has ended; it would be started anew".into()),
            (false, false) => {
                Err(Error::new(Code::SessionNotFound, format!("there is no session {}", self.name)))
            }
            (false, true) => {
                Err(Error::new(Code::BrowserCrashed, "the browser has ended, and a dry run starts none")
                    .with_hint("do something that is no dry run first; it brings the session back"))
            }
        }
    }

    /// The address that an action wants to go to, as it would be loaded. That one may not be gone to is told in the plan.
    fn planned_destination(&self, action: &Action, draft: &Draft) -> Result<Destination> {
        let checked = || -> Result<Option<Url>> {
            let Decision::Allow(url) = self.policy.decide(action.effect(), action.destination())?;
            if let Some(url) = &url {
                self.places.check_url(url, Purpose::Navigation)?;
            }
            Ok(url)
        };
        match checked() {
            Ok(url) => Ok(Destination::Allowed(url)),
            Err(error) if error.code == Code::InvalidInput => Err(error),
            Err(error) => {
                let to = action.destination().and_then(|to| Url::parse(to.expose()).ok());
                draft.refuse(action.effect(), to.as_ref(), &error);
                Ok(Destination::Refused)
            }
        }
    }

    /// The live half of the session, dead or alive; none if it was never started.
    async fn running_context(&self, deadline: Instant) -> Result<Option<Arc<Context>>> {
        let context = timeout_at(deadline, self.context.lock()).await;
        Ok(context.map_err(|_| lift::timed_out("the session to start"))?.clone())
    }

    /// The tab that an action would go to; none if one would be opened.
    async fn tab_as_it_is(
        &self,
        context: &Context,
        wanted: Option<TabId>,
        needs: Needs,
        deadline: Instant,
    ) -> Result<Option<(TabId, Arc<Tab>)>> {
        let (id, tab) = match context.pages.get(wanted) {
            Err(_) if wanted.is_none() && needs == Needs::PageOrNew => return Ok(None),
            found => found?,
        };
        let is_crashed = || tab.read(|state| state.end == Some(End::Crashed));
        match context.pages.ready(&tab.target_id, deadline).await {
            Err(error) if !is_crashed() => return Err(error),
            _ => {}
        }
        if needs != Needs::Tab {
            unless_dialog_open(id, &tab)?;
        }
        Ok(Some((id, tab)))
    }

    /// The plan of `close` or `halt`, which the gate itself does.
    fn plan_end(&self, request: &Request) -> Result<Outcome> {
        let draft = Draft::default();
        let is_there = !self.context.try_lock().is_ok_and(|context| context.is_none());
        match (&request.action, is_there) {
            (Action::Halt(_), false) => {
                return Err(Error::new(Code::SessionNotFound, format!("there is no session {}", self.name)));
            }
            (Action::Halt(_), true) => draft.add_note("ends what runs in the session; the session stays"),
            (_, true) => {
                draft.add_note("ends the session: its tabs and cookies go, and what runs in it is cancelled");
            }
            (_, false) => {
                draft.add_note(format!("session {} does not run; there is nothing to close", self.name));
            }
        }
        draft.allow(request.action.effect(), "no rule is about it");
        Ok(Outcome { plan: Some(finished(request, draft.take())), ..Outcome::default() })
    }

    /// The plans of all steps. What a step cannot be told of is in its notes, and the rest goes on.
    async fn plan_batch(self: &Arc<Self>, request: &Request, batch: &Batch, times: Times) -> Result<Outcome> {
        batch.check()?;
        if !request.action.starts_session() && self.running_context(times.deadline).await?.is_none() {
            return Err(Error::new(Code::SessionNotFound, format!("there is no session {}", self.name)));
        }
        let draft = Draft::default();
        let mut place = Outcome::default();
        let mut ahead: Option<Url> = None;
        for (at, action) in batch.actions.iter().enumerate() {
            let step = Request {
                tab: request.tab,
                front: request.front,
                files: request.files.clone(),
                points_in_picture: request.points_in_picture,
                ..Request::new(action.clone())
            };
            // What a step before it does is not done, so nothing is waited for that may come of it.
            let patience = if at == 0 { times.patience } else { Instant::now() };
            let planned = self.plan_action(&step, Times { patience, ..times }, ahead.as_ref()).await;
            let plan = match planned {
                Ok(mut outcome) => {
                    let plan = outcome.plan.take().unwrap_or_default();
                    if ahead.is_none() {
                        place = outcome;
                    }
                    plan
                }
                Err(error) => self.plan_of_failed(&step, &error),
            };
            let leads = plan.effects.iter().any(|done| {
                matches!(done.effect, Effect::Navigate | Effect::Submit) && done.decide != Ruling::Deny
            });
            if leads && at + 1 < batch.actions.len() {
                match action.destination().and_then(|to| guard::check_address(to).ok()) {
                    Some(to) => ahead = Some(to),
                    None => draft.add_note(format!(
                        "step {} may lead to another page; the steps after it are told for the page as it is now",
                        at + 1
                    )),
                }
            }
            draft.add_step(plan);
        }
        Ok(Outcome { plan: Some(finished(request, draft.take())), ..place })
    }

    /// The plan of a step that cannot be told of: its effect where it would be, and why no more is known.
    fn plan_of_failed(&self, step: &Request, error: &Error) -> Plan {
        let draft = Draft::default();
        let page = self.current_url(step.tab).and_then(|page| Url::parse(&page).ok());
        self.plan_unseen(step, &draft, page, None);
        draft.add_note(format!("{}: {}", error.code, error.message));
        finished(step, draft.take())
    }
}

/// A plan with what the request says of itself.
fn finished(request: &Request, plan: Plan) -> Plan {
    let mut action = request.action.clone();
    let files = match &action {
        // Each step tells its own.
        Action::Batch(_) => Vec::new(),
        _ => action.files_mut().into_iter().map(|file| file.clone()).collect(),
    };
    Plan { verb: request.action.name().into(), files, ..plan }
}

/// What a dry run is written down in.
fn draft_of(gate: &Gate) -> Result<&Draft> {
    gate.draft().ok_or_else(|| Error::new(Code::Internal, "this is no dry run"))
}

/// The tab that it would be done in, and where that is.
fn place_of(tab: Option<(TabId, &Arc<Tab>)>) -> Outcome {
    let Some((id, tab)) = tab else { return Outcome::default() };
    tab.read(|state| Outcome {
        tab: Some(id),
        url: Some(state.document.address().to_owned()),
        title: Some(state.title.clone()),
        dialog: state.dialog.clone(),
        ..Outcome::default()
    })
}

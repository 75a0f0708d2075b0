//! The part of the gate that rules and people have a say in. A verb says what it is about to do ([`Run::may`](crate::actions::Run::may)); what is denied ends it,
//! what is to be asked about ends it as well, before anything has been done. Then a person is asked, outside of the action's deadline and
//! without holding the tab, and the action is begun anew with the permit. So nothing stands half done while somebody thinks.
//!
//! In a dry run nothing ends the action: what the rules decide is written down instead (`draft`).
//!
//! `identity` is what a permit holds for, `intent` what using an element would do, `words` how a question is put to a person.

mod draft;
mod identity;
mod intent;
mod picture;
mod words;

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use contract::{Code, Effect, Error, Ref, Result, Span, TabId};
use guard::{
    approvals::{Approval, Approvals, End, Reply, Scope, now_ms},
    rules::{Deed, Judgement, Ruling},
};
use journal::Entry;
use serde_json::json;

use self::{
    picture::Picture,
    words::{check_length, one_line},
};
use crate::{
    Request, Session,
    download_gate::Permits,
    record::without_quoted,
    unheard::{Answered, Earlier, Question},
    waited::Waited,
};

pub(crate) use self::{
    draft::Draft,
    identity::{Identity, Permit},
    intent::Intent,
    words::{in_words, without_secrets},
};

/// What an element may do when it is used.
pub(crate) const BY_USE: [Effect; 4] = [Effect::Input, Effect::Submit, Effect::Navigate, Effect::Download];

/// Where one action stands with rules and people.
#[derive(Default)]
pub(crate) struct Gate {
    /// Whether any rule is about what elements do.
    cares: bool,
    /// What people have allowed for this action.
    permits: Permits,
    /// What the same caller was asked about earlier for the same, and has not heard the answer.
    earlier: Vec<Permit>,
    /// What is to be asked for.
    wish: Mutex<Option<Wish>>,
    /// Something has been done already, so that the action cannot be begun anew.
    begun: AtomicBool,
    /// The page has been given input, or was told to set a field.
    given: AtomicBool,
    /// A script was about to do more than read.
    executes: AtomicBool,
    /// That input is given is judged when it is known to what, not before.
    left_to_use: AtomicBool,
    /// The fields that the action fills: what they hold changes by what is allowed.
    filled: Mutex<Vec<Ref>>,
    /// What a dry run has found out; none: it is no dry run.
    draft: Option<Draft>,
    pub(crate) waited: Waited,
}

/// Something that somebody has to allow.
pub(crate) struct Wish {
    deed: Deed,
    permit: Permit,
    what: String,
    why: String,
    /// Something else was allowed, and it is no longer that.
    changed: bool,
}

/// What makes a deed this one; see [`Permit`].
pub(crate) struct Exactly {
    identity: Identity,
    used: Option<String>,
}

impl Exactly {
    /// Going to an address that the caller named, from wherever that is.
    pub(crate) fn going_to(to: &url::Url) -> Exactly {
        let from: Option<Option<String>> = None;
        Exactly { identity: Identity::of(&(Some(to), from, intent::NOTHING)), used: None }
    }
}

impl Gate {
    pub(crate) fn new(cares: bool, waited: Waited) -> Gate {
        Gate { cares, waited, ..Gate::default() }
    }

    /// The same for one that follows others, which a person was asked about.
    pub(crate) fn after(self, earlier: Vec<Permit>) -> Gate {
        Gate { earlier, ..self }
    }

    pub(crate) fn cares(&self) -> bool {
        self.cares
    }

    /// Something is being done: from now on it is too late to ask.
    pub(crate) fn begin(&self) {
        self.begun.store(true, Ordering::Relaxed);
    }

    /// The page is being given input.
    pub(crate) fn give(&self) {
        self.given.store(true, Ordering::Relaxed);
    }

    /// A script is not proved to only read.
    pub(crate) fn execute(&self) {
        self.executes.store(true, Ordering::Relaxed);
    }

    /// What an action of this effect turned out to be: a script that only read is no more than that.
    pub(crate) fn effect(&self, effect: Effect) -> Effect {
        match effect {
            Effect::Execute if !self.executes.load(Ordering::Relaxed) => Effect::Read,
            effect => effect,
        }
    }

    /// Says of an action that timed out that the page has its input, if that is so: the same again may do it twice.
    pub(crate) fn told(&self, mut error: Error) -> Error {
        if error.code != Code::Timeout || !self.given.load(Ordering::Relaxed) {
            return error;
        }
        error
            .message
            .push_str("; the page had been given the input by then, and what came of it is not known");
        error.once_only().with_hint("look at the page before doing it again: it may have been done")
    }

    /// What has to be asked for before the action can be done.
    pub(crate) fn take_wish(&self) -> Option<Wish> {
        self.begun.store(false, Ordering::Relaxed);
        self.wish.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What people have allowed for it, shared with what judges downloads.
    pub(crate) fn shared_permits(&self) -> Permits {
        self.permits.clone()
    }

    /// Whether somebody was asked and said yes, so that what is done has to be exactly that.
    pub(crate) fn has_permits(&self) -> bool {
        !self.permits().is_empty()
    }

    /// Whether somebody was asked about this action and allowed it the same effect between the same origins.
    pub(crate) fn was_allowed(&self, scope: &Scope) -> bool {
        self.permits().iter().any(|permit| permit.scope == *scope)
    }

    /// Notes that the action fills this field.
    pub(crate) fn fills(&self, field: Ref) {
        self.filled.lock().unwrap_or_else(PoisonError::into_inner).push(field);
    }

    /// Leaves it to [`Run::may_use`](crate::actions::Run::may_use) to judge that input is given.
    pub(crate) fn leave_to_use(&self) {
        self.left_to_use.store(true, Ordering::Relaxed);
    }

    fn is_left_to_use(&self) -> bool {
        self.left_to_use.load(Ordering::Relaxed)
    }

    fn filled(&self) -> Vec<Ref> {
        self.filled.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn permits(&self) -> std::sync::MutexGuard<'_, Vec<Permit>> {
        self.permits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// What the rules say: the engine's, and those of the session and of the agent whose session it is, which can only be stricter.
    pub(crate) fn judge(&self, deed: &Deed) -> Judgement {
        self.judged_by(deed).0
    }

    /// The same, and whose rules say so.
    fn judged_by(&self, deed: &Deed) -> (Judgement, String) {
        let (general, own) = (self.shared().rules().judge(deed), self.options().policy.narrow(deed));
        let is_own = own.ruling > general.ruling;
        let judged = match is_own {
            true => (own, "the session's policy".to_owned()),
            false => (general, "config.toml".to_owned()),
        };
        let Some(agent) = self.options().owner() else { return judged };
        let narrowed = agent.policy.narrow(deed);
        if narrowed.ruling <= judged.0.ruling {
            return judged;
        }
        let token = format!("the token {}", agent.name);
        (Judgement { why: format!("{} of {token}", narrowed.why), ..narrowed }, token)
    }

    /// Whether anybody has to look what an element would do.
    pub(crate) fn cares(&self) -> bool {
        self.cares_for(&BY_USE)
    }

    /// Whether any rule does more than allow one of these effects.
    pub(crate) fn cares_for(&self, effects: &[Effect]) -> bool {
        let of_agent = self.options().owner().is_some_and(|agent| agent.policy.care_for(effects));
        of_agent || self.shared().rules().care_for(effects) || self.options().policy.care_for(effects)
    }

    /// Whether somebody has to be asked about a deed, and nothing was allowed for longer than once.
    pub(crate) fn asks(&self, deed: &Deed) -> bool {
        self.judge(deed).ruling == Ruling::Ask && !self.is_granted(deed, &Scope::of(deed))
    }

    /// Whether the caller was allowed this for longer than once.
    pub(crate) fn is_granted(&self, deed: &Deed, scope: &Scope) -> bool {
        self.shared().approvals.is_granted(self.name(), deed.front, deed.agent.as_ref(), scope)
    }

    /// Lets a deed pass, or says why not. What is to be asked about is noted for whoever began the action. A permit holds for this deed
    /// and no other, so it is asked for what makes it this one, if it comes to that.
    pub(crate) fn may(
        &self,
        gate: &Gate,
        deed: Deed,
        exactly: impl FnOnce() -> Exactly,
        what: impl FnOnce() -> String,
    ) -> Result<()> {
        if let Some(draft) = gate.draft() {
            self.plan_deed(draft, &deed);
            return Ok(());
        }
        let Judgement { ruling, why, .. } = self.judge(&deed);
        match ruling {
            Ruling::Allow => Ok(()),
            Ruling::Deny => {
                let message = format!(
                    "the policy denies {} at {}: {why}",
                    deed.effect.as_str(),
                    place(&Scope::of(&deed))
                );
                Err(Error::new(Code::ActionDenied, message).with_hint(format!(
                    "do without it, or ask for the policy to be changed; `webhand policy check {} URL --front {}` explains it",
                    deed.effect.as_str(),
                    deed.front,
                )))
            }
            Ruling::Ask => {
                let scope = Scope::of(&deed);
                if self.is_granted(&deed, &scope) {
                    return Ok(());
                }
                let Exactly { identity, used } = exactly();
                let permit = Permit { scope, identity, used };
                let changed = {
                    let permits = gate.permits();
                    if permits.contains(&permit) {
                        return Ok(());
                    }
                    permits.iter().any(|other| other.scope == permit.scope && other.used == permit.used)
                };
                self.wish(gate, Wish { deed, permit, what: what(), why, changed })
            }
        }
    }

    /// Has it asked for, unless it is too late for that.
    fn wish(&self, gate: &Gate, wish: Wish) -> Result<()> {
        if gate.begun.load(Ordering::Relaxed) {
            let message = format!(
                "{} at {} needs a person's approval, and this action is in the middle of something",
                wish.deed.effect.as_str(),
                place(&wish.permit.scope),
            );
            return Err(Error::new(Code::ActionDenied, message).with_hint(
                "do it in an action of its own, such as `webhand press Enter`; that is asked about",
            ));
        }
        check_length(&wish.what)?;
        *gate.wish.lock().unwrap_or_else(PoisonError::into_inner) = Some(wish);
        Err(Error::new(Code::ApprovalExpired, "a person has to be asked first"))
    }

    /// Asks a person, and waits for the answer.
    pub(crate) async fn ask(
        &self,
        request: &Request,
        tab: Option<TabId>,
        wish: Wish,
        gate: &Gate,
    ) -> Result<()> {
        let _pause = gate.waited.pause();
        let Wish { deed, permit, mut what, why, mut changed } = wish;
        let mut url = deed.to.as_ref().or(deed.pages.last()).map(without_secrets);
        // The page may repeat in a name or a path what it was told, and so may a script.
        for told in [Some(&mut what), url.as_mut()].into_iter().flatten() {
            self.secrets().redactor().mask(told);
            *told = one_line(told);
        }
        let why = one_line(&why);
        let (scope, time) = (permit.scope.clone(), self.shared().approval_time);
        let question = Question {
            session: self.name().clone(),
            front: request.front,
            tab,
            action: Identity::of_request(request),
            permit: permit.clone(),
        };
        let (id, end) = loop {
            match self.shared().unheard.find(&question) {
                Earlier::Same(asked) => {
                    let patience = request.patience.map_or(time, |patience| patience.0);
                    match asked.end(patience, false).await {
                        Answered::ByEnd(end) => break (asked.id().to_owned(), Some(end)),
                        Answered::NotYet => break (asked.id().to_owned(), None),
                        // Somebody else, who asked the same, has used it up.
                        Answered::ForAnother if self.is_granted(&deed, &scope) => {
                            return Ok(());
                        }
                        Answered::ForAnother => continue,
                    }
                }
                Earlier::Changed => changed = true,
                Earlier::None => {}
            }
            if changed {
                what.insert_str(0, CHANGED);
            }
            let id = Approvals::new_id();
            let approval = self.approval(&id, request, tab, what, &scope, url, why).await;
            let answering = self.put(approval, time);
            let Some(Span(patience)) = request.patience.filter(|patience| patience.0 < time) else {
                break (id, Some(answering.await));
            };
            let asked = self.shared().unheard.begin(question, &id, time, answering);
            break match asked.end(patience, true).await {
                Answered::ByEnd(end) => (id, Some(end)),
                Answered::NotYet => (id, None),
                Answered::ForAnother => {
                    let message = format!("another call of the same used the answer to {id}");
                    return Err(
                        Error::new(Code::ApprovalExpired, message).with_hint("do it again to be asked again")
                    );
                }
            };
        };
        let Some(end) = end else {
            let message = format!("a person was asked ({id}) and has not answered yet; nothing was done");
            return Err(Error::new(Code::ApprovalPending, message).with_hint(format!(
                "do the same again when somebody has answered, with `webhand approvals allow {id}` in a terminal; the rule \
                 `effect = \"{effect}\", decide = \"allow\"` in config.toml allows it without asking",
                effect = scope.effect.as_str(),
            )));
        };
        told(&id, end, time)?;
        gate.permits().push(permit);
        Ok(())
    }

    /// What a person is to be asked.
    #[expect(clippy::too_many_arguments, reason = "it is put together from all of them")]
    async fn approval(
        &self,
        id: &str,
        request: &Request,
        tab: Option<TabId>,
        what: String,
        scope: &Scope,
        url: Option<String>,
        why: String,
    ) -> (Approval, Option<Picture>) {
        let asked_at = now_ms();
        let picture = Picture::take(self, tab, id).await;
        let approval = Approval {
            id: id.to_owned(),
            session: self.name().clone(),
            tab,
            verb: request.action.name().into(),
            what,
            scope: scope.clone(),
            url,
            screenshot: picture.as_ref().map(|Picture(file)| file.clone()),
            front: request.front.as_str().into(),
            agent: request.agent.clone(),
            why,
            asked_at,
            expires_at: asked_at + self.shared().approval_time.as_millis() as u64,
        };
        (approval, picture)
    }

    /// Puts a question and writes down how it ends. Who drops it asks no more.
    fn put(
        &self,
        (approval, picture): (Approval, Option<Picture>),
        time: Duration,
    ) -> impl Future<Output = End> + Send + use<> {
        let Approval { id, scope, why, .. } = &approval;
        let recording = self.shared().journal.begin(Entry {
            session: self.name().clone(),
            tab: approval.tab,
            front: approval.front.clone().into(),
            agent: approval.agent.clone(),
            verb: "approval".into(),
            effect: scope.effect,
            // Words of the page stand in quotes.
            action: json!({"action": "approval", "id": id, "what": without_quoted(&approval.what), "scope": scope, "why": why}),
            url: approval.url.clone(),
        });
        tracing::info!(id, session = %self.name(), effect = scope.effect.as_str(), origin = scope.origin, "waits for an approval");
        let id = id.clone();
        let waiting = self.shared().approvals.ask(approval);
        async move {
            let _picture = picture;
            let end = waiting.end(time).await;
            match (end, told(&id, end, time)) {
                (End::Answered { reply, by }, _) => recording.finish(Ok(&json!({"reply": reply, "by": by}))),
                (_, Err(error)) => recording.finish(Err(&error)),
                (_, Ok(())) => {}
            }
            end
        }
    }
}

/// Begins a question that was put before, about something else.
const CHANGED: &str = "asked again, since it has changed: it ";

/// Where a deed is done, and what else is involved.
fn place(scope: &Scope) -> String {
    [std::slice::from_ref(&scope.origin), &*scope.with].concat().join(" and ")
}

/// What an answer means for the action.
fn told(id: &str, end: End, time: Duration) -> Result<()> {
    Err(match end {
        End::Answered { reply: Reply::Deny, .. } => {
            Error::new(Code::ApprovalDenied, format!("a person was asked ({id}) and said no"))
        }
        End::Answered { .. } => return Ok(()),
        End::Expired => {
            let message =
                format!("a person was asked ({id}) and nobody answered within {} s", time.as_secs());
            Error::new(Code::ApprovalExpired, message).with_hint(
                "ask again when somebody is there; they answer with `webhand approvals allow ID` in a terminal, and `webhand approvals` lists the ids",
            )
        }
        End::Cancelled => {
            Error::new(Code::Cancelled, format!("the approval {id} was given up: webhand is ending"))
        }
    })
}

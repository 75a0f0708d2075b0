//! Dry runs: what the gate is asked for is judged as ever and written down, and nobody is asked, denied or let do anything.

use std::sync::{Mutex, MutexGuard, PoisonError};

use contract::{Effect, Error, Named, Plan, PlannedEffect, Ruling};
use guard::{
    Purpose,
    approvals::Scope,
    rules::{Deed, Judgement},
};
use url::Url;

use super::{Gate, without_secrets};
use crate::{Session, actions::Run};

/// The plan of a dry run, as far as it is known.
#[derive(Default)]
pub(crate) struct Draft(Mutex<Plan>);

impl Draft {
    pub(crate) fn add_element(&self, element: Named) {
        self.plan().add_element(element);
    }

    pub(crate) fn add_note(&self, note: impl Into<String>) {
        self.plan().add_note(note);
    }

    pub(crate) fn add_step(&self, step: Plan) {
        self.plan().add_step(step);
    }

    /// Adds an effect that no rule decides on.
    pub(crate) fn allow(&self, effect: Effect, why: &str) {
        self.decide(effect, None, Ruling::Allow, why);
    }

    /// Adds an effect that is refused by something else than a rule: an address that the session may not go to, for example.
    pub(crate) fn refuse(&self, effect: Effect, to: Option<&Url>, why: &Error) {
        self.decide(effect, to, Ruling::Deny, &why.message);
    }

    fn decide(&self, effect: Effect, to: Option<&Url>, decide: Ruling, why: &str) {
        self.plan().add_effect(PlannedEffect {
            effect,
            origins: to.and_then(guard::origin_of).into_iter().collect(),
            to: to.map(without_secrets),
            decide,
            granted: false,
            rule: None,
            of: None,
            why: why.to_owned(),
        });
    }

    /// Leaves out what the page says of itself, and says why.
    pub(crate) fn leave_out_words(&self) {
        let mut plan = self.plan();
        plan.elements.iter_mut().for_each(|element| element.name.clear());
        plan.notes = vec!["what is in the page is not told: reading it is not allowed without asking".into()];
    }

    /// The plan as it is now.
    pub(crate) fn take(&self) -> Plan {
        std::mem::take(&mut *self.plan())
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gate {
    /// The gate of a dry run: it looks into everything, and lets everything be told.
    pub(crate) fn of_dry_run() -> Gate {
        Gate { cares: true, draft: Some(Draft::default()), ..Gate::default() }
    }

    /// Where the plan is written down, if this is a dry run.
    pub(crate) fn draft(&self) -> Option<&Draft> {
        self.draft.as_ref()
    }

    pub(crate) fn is_dry(&self) -> bool {
        self.draft.is_some()
    }

    /// Notes something that is worth knowing about a plan; of no use without one.
    pub(crate) fn note(&self, note: impl Into<String>) {
        if let Some(draft) = &self.draft {
            draft.add_note(note);
        }
    }
}

impl Run<'_> {
    /// Whether the page that is acted in may be read, without anybody being asked: only then a dry run tells what is in it.
    pub(crate) fn may_read(&self) -> bool {
        let deed = self.deed(Effect::Read, None, None);
        self.session.judge(&deed).ruling != Ruling::Deny && !self.session.asks(&deed)
    }
}

impl Session {
    /// Writes down what the rules decide on a deed.
    pub(crate) fn plan_deed(&self, draft: &Draft, deed: &Deed) {
        let leads = matches!(deed.effect, Effect::Navigate | Effect::Submit | Effect::Download);
        if let Some(to) = deed.to.as_ref().filter(|to| leads && matches!(to.scheme(), "http" | "https"))
            && let Err(refusal) = self.places().check_url(to, Purpose::Navigation)
        {
            draft.refuse(deed.effect, Some(to), &refusal.into());
            return;
        }
        let (Judgement { ruling, rule, why }, of) = self.judged_by(deed);
        let scope = Scope::of(deed);
        let is_asked = ruling == Ruling::Ask;
        let granted = is_asked && self.is_granted(deed, &scope);
        let concerns_a_page =
            deed.to.is_some() || (deed.effect != Effect::Navigate && !deed.pages.is_empty());
        draft.plan().add_effect(PlannedEffect {
            effect: deed.effect,
            origins: if concerns_a_page { [vec![scope.origin], scope.with].concat() } else { Vec::new() },
            to: deed.to.as_ref().map(without_secrets),
            decide: ruling,
            granted,
            rule,
            of: rule.map(|_| of),
            why,
        });
    }
}

//! Plans: what an action would do, and what the rules decide on that, found out without doing anything.

use std::{fmt, path::PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Effect, Named};

/// What becomes of a deed. The later, the stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// It is done.
    #[default]
    Allow,
    /// A person is asked first.
    Ask,
    /// It is not done.
    Deny,
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ruling::Allow => "allow",
            Ruling::Ask => "ask",
            Ruling::Deny => "deny",
        })
    }
}

/// What an action would do. It is the answer to a dry run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Plan {
    /// The verb.
    pub verb: String,
    /// The elements that it would use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elements: Vec<Named>,
    /// What it would do to the world, in the order in which it is judged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<PlannedEffect>,
    /// The files that it would read or write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
    /// The strictest of what is decided on its effects and on its steps.
    pub decide: Ruling,
    /// What else there is to know about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The plans of its steps, if it has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Plan>,
}

/// One effect of an action, and what the rules decide on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedEffect {
    /// What is done.
    pub effect: Effect,
    /// The origins that it concerns: the page, the frame in it, where it leads. None: no page in particular.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<String>,
    /// The address that it leads to, without what may be secret in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// What is decided.
    pub decide: Ruling,
    /// A person would be asked, and has said yes to this for longer than once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub granted: bool,
    /// The rule that decides, counted from 1; none: what holds without rules, or something else than a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<usize>,
    /// Where that rule is: `config.toml`, or the session's own policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Why it is decided so.
    pub why: String,
}

impl PlannedEffect {
    /// Whether the other one says nothing that this one does not say.
    fn includes(&self, other: &PlannedEffect) -> bool {
        let is_same = (self.effect, &self.to, self.decide, self.rule, &self.of)
            == (other.effect, &other.to, other.decide, other.rule, &other.of);
        is_same && other.origins.iter().all(|origin| self.origins.contains(origin))
    }
}

impl Plan {
    /// Adds an effect, unless the plan has it already.
    pub fn add_effect(&mut self, effect: PlannedEffect) {
        self.decide = self.decide.max(effect.decide);
        if self.effects.iter().any(|known| known.includes(&effect)) {
            return;
        }
        self.effects.retain(|known| !effect.includes(known));
        self.effects.push(effect);
    }

    /// Adds an element, unless the plan has it already.
    pub fn add_element(&mut self, element: Named) {
        if !self.elements.iter().any(|known| known.reference == element.reference) {
            self.elements.push(element);
        }
    }

    /// Adds a note, unless the plan has it already.
    pub fn add_note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds the plan of a step.
    pub fn add_step(&mut self, step: Plan) {
        self.decide = self.decide.max(step.decide);
        self.steps.push(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(effect: Effect, origins: &[&str], decide: Ruling) -> PlannedEffect {
        PlannedEffect {
            effect,
            origins: origins.iter().map(|origin| (*origin).into()).collect(),
            to: None,
            decide,
            granted: false,
            rule: None,
            of: None,
            why: "no rule fits".into(),
        }
    }

    #[test]
    fn the_strictest_decides() {
        let mut plan = Plan::default();
        plan.add_effect(effect(Effect::Submit, &["a"], Ruling::Ask));
        plan.add_effect(effect(Effect::Input, &["a"], Ruling::Allow));
        assert_eq!(plan.decide, Ruling::Ask);
        plan.add_step(Plan { decide: Ruling::Deny, ..Plan::default() });
        assert_eq!(plan.decide, Ruling::Deny);
    }

    #[test]
    fn what_is_known_already_is_not_said_again() {
        let mut plan = Plan::default();
        plan.add_effect(effect(Effect::Input, &["a"], Ruling::Allow));
        plan.add_effect(effect(Effect::Input, &["a", "b"], Ruling::Allow));
        plan.add_effect(effect(Effect::Input, &["a"], Ruling::Allow));
        plan.add_effect(effect(Effect::Input, &["a"], Ruling::Ask));
        let said: Vec<_> = plan.effects.iter().map(|effect| (effect.origins.len(), effect.decide)).collect();
        assert_eq!(said, [(2, Ruling::Allow), (1, Ruling::Ask)]);
    }
}

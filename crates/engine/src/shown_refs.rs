//! The refs that callers were given: in snapshots, deltas, answers and errors. Every element of a page has a number, but one that no caller
//! was given is a guess, and guesses are refused.

use std::collections::HashSet;

use contract::{Code, Error, Outcome, Ref, Result, TabId, Target, Told};
use serde_json::Value;

/// The refs of one tab that callers were given.
#[derive(Debug, Default)]
pub(crate) struct ShownRefs {
    refs: HashSet<Ref>,
    /// The tab that was active until it closed, if nothing of this one was shown since it became the active one: a ref that names no tab may
    /// mean an element of that one.
    follows: Option<TabId>,
}

impl ShownRefs {
    /// Takes in what the caller is about to be given. It has to be complete: what is missing here is refused later. Words of the page or
    /// of the caller do not count: a title that reads "e9" gives nobody a ref.
    pub(crate) fn add(&mut self, result: &mut Result<Outcome>) {
        let outcome = match result {
            Ok(outcome) => Some(outcome),
            Err(error) => {
                self.add_sentence(&error.message);
                error.cause.iter().for_each(|text| self.add_sentence(text));
                self.add_sentence(error.hint());
                error.outcome.as_deref_mut()
            }
        };
        let Some(outcome) = outcome else { return };
        let known = self.refs.len();
        self.add_notes(outcome);
        outcome.each_told(&mut |told| match told {
            Told::Ref(reference) => drop(self.refs.insert(reference)),
            Told::Text(text) => self.add_marks(text),
            Told::Data(value) => self.add_data(value),
            Told::Line(_) | Told::Markup(_) => {}
        });
        if outcome.snapshot.is_some() || self.refs.len() > known {
            self.follows = None;
        }
    }

    /// This tab is the active one now, since that one has closed by itself.
    pub(crate) fn follow(&mut self, closed: TabId) {
        self.follows = Some(closed);
    }

    fn add_notes(&mut self, outcome: &Outcome) {
        outcome.notes.iter().for_each(|note| self.add_sentence(note));
        let plans = outcome.plan.iter().flat_map(|plan| plan.steps.iter().chain([plan]));
        plans.flat_map(|plan| &plan.notes).for_each(|note| self.add_sentence(note));
        for step in &outcome.steps {
            self.add_sentence(&step.message);
            step.outcome.iter().for_each(|outcome| self.add_notes(outcome));
        }
    }

    /// The marks of a snapshot or of a list of controls. Words of the page cannot pass for one of a snapshot.
    fn add_marks(&mut self, text: &str) {
        let marks = text.split("[ref=").skip(1).filter_map(|rest| rest.split_once(']')).map(|(mark, _)| mark);
        // A list of controls ends the line of one that no selector names with its ref.
        let of_controls = text.lines().filter(|line| line.starts_with('['));
        let of_controls = of_controls.filter_map(|line| line.rsplit_once(" -> ")).map(|(_, mark)| mark);
        self.refs.extend(marks.chain(of_controls).filter_map(|mark| mark.parse::<Ref>().ok()));
    }

    /// The refs that a sentence of ours names. What it quotes is of the page or of the caller.
    fn add_sentence(&mut self, text: &str) {
        let is_between = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let ours = text.split('"').step_by(2).flat_map(|part| part.split(is_between));
        self.refs.extend(ours.filter_map(|word| word.parse::<Ref>().ok()));
    }

    fn add_data(&mut self, value: &Value) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.add_data(value)),
            Value::Object(fields) => {
                let named =
                    fields.get("ref").and_then(Value::as_str).and_then(|text| text.parse::<Ref>().ok());
                self.refs.extend(named);
                fields.values().for_each(|value| self.add_data(value));
            }
            _ => {}
        }
    }

    /// Fails with `STALE_REF` if one of the targets is a ref that no caller was given, or may have been given for another tab: `names_tab` says
    /// whether the caller says which tab is meant.
    pub(crate) fn check<'t>(
        &self,
        targets: impl IntoIterator<Item = &'t Target>,
        names_tab: bool,
    ) -> Result<()> {
        let refs = targets.into_iter().filter_map(|target| match target {
            Target::Ref(named) => Some(named),
            _ => None,
        });
        for named in refs {
            if !self.refs.contains(named) {
                return Err(Error::new(
                    Code::StaleRef,
                    format!("{named} is in no snapshot of this tab so far"),
                ));
            }
            if let Some(closed) = self.follows.filter(|_| !names_tab) {
                let message = format!("{named} may be of {closed}, which has closed; this is another tab");
                return Err(Error::new(Code::StaleRef, message).with_hint("look at this tab first"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use contract::{Candidate, Delta, Named, Snapshot, Step};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_ref_is_known_wherever_it_was_given() {
        let named =
            |number: u32| Named { reference: Ref { frame: None, element: number }, ..Named::default() };
        let text = |text: &str| Snapshot { text: text.into(), ..Snapshot::default() };
        let known = |result: Result<Outcome>, target: &str| {
            let mut shown = ShownRefs::default();
            shown.add(&mut { result });
            shown.check([&target.parse().unwrap()], false).is_ok()
        };
        let in_text = Outcome {
            snapshot: Some(text("- button \"page3\" [ref=e12]\n- link [ref=f1e7]")),
            ..Outcome::default()
        };
        for (target, expected) in
            [("e12", true), ("f1e7", true), ("e3", false), ("e1", false), ("css=b", true)]
        {
            assert_eq!(known(Ok(in_text.clone()), target), expected, "{target}");
        }
        let candidates = vec![Candidate { element: named(5), ..Candidate::default() }];
        assert!(known(Ok(Outcome { candidates, ..Outcome::default() }), "e5"));
        let delta = Some(Delta { appeared: vec![named(6).reference], ..Delta::default() });
        assert!(known(Ok(Outcome { delta, ..Outcome::default() }), "e6"));
        for words in ["see e7 and [ref=e9] e12", "e7", "[ref\\=e7]"] {
            let title = Some(words.to_owned());
            assert!(!known(Ok(Outcome { title, ..Outcome::default() }), "e7"), "{words}");
        }
        let nothing =
            Error::new(Code::ElementNotFound, "nothing in the page is \"ref=e4\"; the nearest: f1e3");
        assert!(known(Err(nothing.clone()), "f1e3"));
        assert!(!known(Err(nothing.clone()), "e4") && !known(Err(nothing), "e3"));
        let value = Some(json!({"controls": [{"ref": "e8"}]}));
        assert!(known(Ok(Outcome { value, ..Outcome::default() }), "e8"));
        let inner = Outcome { target: Some(named(9)), ..Outcome::default() };
        let steps = vec![Step { outcome: Some(Box::new(inner)), ..Step::default() }];
        assert!(known(Ok(Outcome { steps, ..Outcome::default() }), "e9"));
        let error = Error::new(Code::ElementAmbiguous, "2 elements match css=b").with_cause("e10, e11");
        assert!(known(Err(error.clone()), "e10") && known(Err(error), "e11"));
    }
}

//! Comparing one element, and collecting what differs.

use std::collections::BTreeSet;

use crate::{
    chromium::{AxNode, Element},
    differences::{DIFFERENCES, RULES},
    vocabulary::{self, in_our_words},
};

/// What differs, and which of the differences that are meant to be there were met.
#[derive(Default)]
pub(crate) struct Report {
    unlisted: Vec<String>,
    met: BTreeSet<usize>,
    rules_met: BTreeSet<usize>,
    words_met: BTreeSet<String>,
}

/// One thing that both say of an element.
#[derive(Debug)]
pub(crate) struct Difference<'a> {
    pub element: &'a Element,
    /// `role`, `name`, or the name of a state.
    pub what: &'a str,
    pub ours: &'a str,
    pub chromiums: &'a str,
}

impl Report {
    pub(crate) fn unlisted(self) -> Result<(), String> {
        if self.unlisted.is_empty() { Ok(()) } else { Err(self.unlisted.join("\n")) }
    }

    pub(crate) fn unlisted_or_outdated(mut self) -> Result<(), String> {
        for (at, (place, what, ..)) in DIFFERENCES.iter().enumerate() {
            if !self.met.contains(&at) {
                self.unlisted.push(format!("no longer different, take it off the list: {place}, {what}"));
            }
        }
        for (at, rule) in RULES.iter().enumerate() {
            if !self.rules_met.contains(&at) {
                self.unlisted.push(format!("no longer different, take the rule away: {}", rule.why));
            }
        }
        let unused = vocabulary::unused(&self.words_met);
        self.unlisted.extend(unused.map(|word| format!("no element has this role: {word}")));
        self.unlisted()
    }

    fn add(&mut self, subject: &str, difference: &Difference<'_>) {
        let Difference { element, what, ours, chromiums } = difference;
        if let Some(at) = RULES.iter().position(|rule| (rule.holds)(difference)) {
            self.rules_met.insert(at);
            return;
        }
        let inside = if element.is_case { String::new() } else { format!(" > {}", element.tag) };
        let place = format!("{subject}: {}{inside}", element.case);
        let listed = |row: &&(usize, &(&str, &str, &str, &str, &str))| {
            let (_, row) = row;
            row.0 == place && row.1 == *what && row.2 == *ours && row.3 == *chromiums
        };
        match DIFFERENCES.iter().enumerate().find(|row| listed(&row)) {
            Some((at, _)) => {
                self.met.insert(at);
            }
            None => self.unlisted.push(format!("({place:?}, {what:?}, {ours:?}, {chromiums:?}, \"\"),")),
        }
    }
}

/// Compares what both say of an element.
pub(crate) fn compare(subject: &str, element: &Element, report: &mut Report) {
    if let Some(node) = &element.chromiums {
        report.words_met.insert(node.role().to_owned());
    }
    let mut check = |what: &str, ours: &str, chromiums: &str| {
        if ours != chromiums {
            report.add(subject, &Difference { element, what, ours, chromiums });
        }
    };
    let ours = &element.ours;
    match &element.chromiums {
        Some(node) if !node.ignored => {
            // Two words for no role; which one it is makes no difference to anybody.
            let role = if ours.role == "none" { "generic" } else { &ours.role };
            check("role", role, in_our_words(node.role()));
            check("name", &ours.name, &node.name());
            check("description", &ours.description, &node.description());
            for (state, chromiums) in states_of(node) {
                check(state, our_state(&ours.states, state), &chromiums);
            }
        }
        // What is no part of Chromium's tree has no role with us either, unless nobody is shown it anyway.
        _ if ours.hidden || ours.role == "generic" => {}
        _ => check("role", &ours.role, "none"),
    }
}

/// The states that both know, with the value that means nothing as nothing.
fn states_of(node: &AxNode) -> impl Iterator<Item = (&'static str, String)> {
    const STATES: [&str; 9] = [
        "checked", "pressed", "selected", "expanded", "disabled", "required", "readonly", "invalid", "level",
    ];
    STATES.into_iter().map(|state| {
        let value = node.property(state).unwrap_or_default();
        let usual = value == "false" && state != "expanded";
        (state, if usual { String::new() } else { value })
    })
}

/// `true` for a bare word, what follows the `=` otherwise, nothing where the state is not said.
fn our_state<'a>(states: &'a [String], name: &str) -> &'a str {
    let find = |state: &'a String| match state.split_once('=') {
        Some((key, value)) => (key == name).then_some(value),
        None => (state == name).then_some("true"),
    };
    states.iter().find_map(find).unwrap_or_default()
}

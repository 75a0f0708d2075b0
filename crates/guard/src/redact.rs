//! Secrets that a session knows, and masking them wherever they turn up: as they are, in addresses, in base64, escaped, broken over
//! lines. What nobody registered is not known here; typed texts and the like mask themselves, see `contract::Typed`.

mod needles;
mod view;

use std::sync::{
    Mutex, PoisonError, RwLock,
    atomic::{AtomicBool, Ordering},
};

use aho_corasick::{AhoCorasick, MatchKind};
use contract::{Error, Outcome, Told};
use serde_json::Value;

use needles::{Needle, SHORTEST, SHORTEST_SPLIT};
use view::{Decoder, View};

/// What stands where a secret was.
pub const MASK: &str = "[secret]";

/// How many secrets are remembered. A session has a handful; a page that is filled in a loop must not use up the memory.
const MOST: usize = 1_000;

/// How many encodings are undone one after the other: an address in JSON in an address is as far as it goes.
const DEPTH: usize = 2;

/// The secrets of one session. Costs nothing while there are none.
#[derive(Default)]
pub struct Redactor {
    is_used: AtomicBool,
    secrets: Mutex<Vec<String>>,
    /// None when a secret was added since.
    search: RwLock<Option<Search>>,
}

/// What is searched for, put together from all secrets.
struct Search {
    /// In a text without white space.
    split: Finder,
    /// In a text as it is.
    whole: Finder,
}

struct Finder {
    automaton: Option<AhoCorasick>,
    needles: Vec<Needle>,
}

impl Redactor {
    /// Registers a secret. One of less than four characters is not searched for, since it would be found in everything.
    pub fn add(&self, secret: &str) {
        self.replace("", secret);
    }

    /// Registers a secret in place of one that was only the beginning of it.
    pub fn replace(&self, before: &str, secret: &str) {
        if needles::length(secret) < SHORTEST {
            return;
        }
        let mut secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        if secrets.iter().any(|known| known == secret) {
            return;
        }
        secrets.retain(|known| known != before);
        if secrets.len() >= MOST {
            secrets.remove(0);
        }
        secrets.push(secret.to_owned());
        *self.search.write().unwrap_or_else(PoisonError::into_inner) = None;
        self.is_used.store(true, Ordering::Release);
    }

    /// Whether no secret is known.
    pub fn is_empty(&self) -> bool {
        !self.is_used.load(Ordering::Acquire)
    }

    /// The text without secrets; none if there are none in it.
    pub fn masked(&self, text: &str) -> Option<String> {
        if self.is_empty() || text.is_empty() {
            return None;
        }
        let mut found = self.with_search(|search| search.found(text));
        if found.is_empty() {
            return None;
        }
        found.sort_unstable();
        let (mut masked, mut end) = (String::with_capacity(text.len()), 0);
        for (from, to) in found {
            let (from, to) = (text.floor_char_boundary(from), text.ceil_char_boundary(to));
            if from >= end {
                masked.push_str(&text[end..from]);
                masked.push_str(MASK);
            }
            end = end.max(to);
        }
        masked.push_str(&text[end..]);
        Some(masked)
    }

    /// Masks secrets in a text.
    pub fn mask(&self, text: &mut String) {
        if let Some(masked) = self.masked(text) {
            *text = masked;
        }
    }

    /// Masks secrets in data: in texts, names of fields and numbers.
    pub fn mask_data(&self, value: &mut Value) {
        if self.is_empty() {
            return;
        }
        match value {
            Value::String(text) => self.mask(text),
            Value::Number(number) => {
                if let Some(masked) = self.masked(&number.to_string()) {
                    *value = masked.into();
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.mask_data(value)),
            Value::Object(fields) => {
                for (name, mut value) in std::mem::take(fields) {
                    self.mask_data(&mut value);
                    fields.insert(self.masked(&name).unwrap_or(name), value);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Masks secrets in all that an outcome says.
    pub fn mask_outcome(&self, outcome: &mut Outcome) {
        if !self.is_empty() {
            outcome.each_told(&mut |told| self.mask_told(told));
        }
    }

    /// Masks secrets in all that an error says.
    pub fn mask_error(&self, error: &mut Error) {
        if !self.is_empty() {
            error.each_told(&mut |told| self.mask_told(told));
        }
    }

    fn mask_told(&self, told: Told<'_>) {
        match told {
            Told::Line(text) | Told::Text(text) | Told::Markup(text) => self.mask(text),
            Told::Data(value) => self.mask_data(value),
            Told::Ref(_) => {}
        }
    }

    fn with_search<T>(&self, use_it: impl FnOnce(&Search) -> T) -> T {
        if let Some(search) = &*self.search.read().unwrap_or_else(PoisonError::into_inner) {
            return use_it(search);
        }
        let secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        let search = Search::of(&secrets);
        use_it(self.search.write().unwrap_or_else(PoisonError::into_inner).insert(search))
    }
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Redactor(…)")
    }
}

impl Search {
    fn of(secrets: &[String]) -> Search {
        let is_split = |secret: &&String| needles::length(secret) >= SHORTEST_SPLIT;
        let (split, whole): (Vec<_>, Vec<_>) = secrets.iter().partition(is_split);
        Search { split: Finder::of(&split), whole: Finder::of(&whole) }
    }

    /// Where in a text secrets are.
    fn found(&self, text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        if self.whole.automaton.is_some() {
            look_through(View::of(text), DEPTH, &self.whole, &|view| view, &mut found);
        }
        if self.split.automaton.is_some() {
            let squeeze = |view: View| view.squeezed();
            look_through(View::of(text).squeezed(), DEPTH, &self.split, &squeeze, &mut found);
        }
        found
    }
}

/// Searches a text, and what it reads as when encodings are undone.
fn look_through(
    view: View,
    depth: usize,
    finder: &Finder,
    prepare: &dyn Fn(View) -> View,
    found: &mut Vec<(usize, usize)>,
) {
    finder.find(&view, found);
    if depth == 0 {
        return;
    }
    for decoder in Decoder::ALL {
        if let Some(decoded) = view.decoded(decoder) {
            look_through(prepare(decoded), depth - 1, finder, prepare, found);
        }
    }
}

impl Finder {
    fn of(secrets: &[&String]) -> Finder {
        let needles: Vec<_> = secrets.iter().flat_map(|secret| needles::needles(secret)).collect();
        let automaton = match needles.is_empty() {
            true => None,
            false => AhoCorasick::builder()
                .match_kind(MatchKind::Standard)
                .build(needles.iter().map(|needle| &needle.bytes))
                .ok(),
        };
        Finder { automaton, needles }
    }

    fn find(&self, view: &View, found: &mut Vec<(usize, usize)>) {
        let Some(automaton) = &self.automaton else { return };
        for found_here in automaton.find_overlapping_iter(&view.bytes) {
            let (mut start, mut end) = (found_here.start(), found_here.end());
            if self.needles[found_here.pattern().as_usize()].is_base64 {
                // The characters beside it have some bits of the secret.
                let is_base64 = |at: usize| {
                    let byte = view.bytes.get(at);
                    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte))
                };
                start -= usize::from(start > 0 && is_base64(start - 1));
                end += usize::from(is_base64(end));
            }
            found.push(view.origin(start, end));
        }
    }
}

#[cfg(test)]
mod tests;

//! The secrets of a session: what was typed into secret fields, what callers call secret, headers and cookies that they set. What
//! leaves the gate is searched for them; `secrets` knows which parts of a request are secrets by their names.

use std::sync::{Mutex, PoisonError};

use contract::{Ref, TabId};
use guard::Redactor;

use crate::{emulation::Emulation, secrets};

/// Values of headers that nobody named a secret, and beginnings of what is typed, are searched for only if they are long enough to be one.
const LONG_ENOUGH: usize = 8;

/// Longer beginnings of what is typed are not kept: no password is so long, and there is not room for everything.
const LONGEST_BEGINNING: usize = 64;

/// Headers that everybody sends, whose values are in every page.
const PLAIN_HEADERS: [&str; 9] =
    ["accept", "cache-control", "content-", "dnt", "origin", "pragma", "referer", "sec-", "user-agent"];

/// A field of a page.
pub(crate) type Place = (TabId, Ref);

/// What a session knows to be secret.
#[derive(Debug, Default)]
pub(crate) struct KnownSecrets {
    redactor: Redactor,
    /// The secret field that was typed into last, and what was typed there so far.
    typed: Mutex<Option<Typing>>,
}

struct Typing {
    place: Place,
    text: String,
}

impl std::fmt::Debug for Typing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

impl KnownSecrets {
    /// Masks what is known to be secret.
    pub(crate) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// A secret field was filled with a text.
    pub(crate) fn filled(&self, place: Place, text: &str) {
        self.redactor.add(text);
        self.note(Typing { place, text: text.to_owned() });
    }

    /// A text was typed into a secret field, behind what is there. What is typed bit by bit is one secret in the end. Its beginnings are
    /// secrets as well once they are long enough: a page may have said them already, and the last key may be taken back.
    pub(crate) fn typed(&self, place: Place, text: &str) {
        let before = {
            let typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner);
            typed.as_ref().filter(|typed| typed.place == place).map(|typed| typed.text.clone())
        };
        let before = before.unwrap_or_default();
        let all = format!("{before}{text}");
        self.redactor.add(text);
        for beginning in [text, &*all].into_iter().flat_map(beginnings) {
            self.redactor.add(beginning);
        }
        if (LONG_ENOUGH..=LONGEST_BEGINNING).contains(&before.chars().count()) {
            self.redactor.add(&all);
        } else {
            self.redactor.replace(&before, &all);
        }
        self.note(Typing { place, text: all });
    }

    fn note(&self, typing: Typing) {
        *self.typed.lock().unwrap_or_else(PoisonError::into_inner) = Some(typing);
    }

    /// Headers that a caller set: those that are secret by their name, and all others that look like one.
    pub(crate) fn sent(&self, emulation: &Emulation) {
        for (name, value) in &emulation.headers {
            let value = value.expose();
            let is_plain = PLAIN_HEADERS.iter().any(|plain| name.starts_with(plain));
            if secrets::is_secret_header(name) || (!is_plain && value.chars().count() >= LONG_ENOUGH) {
                self.redactor.add(value);
                // `Bearer …`, `Basic …`: the scheme is none (RFC 9110, 11.4).
                if let Some((_, credentials)) = value.split_once(' ') {
                    self.redactor.add(credentials);
                }
            }
        }
    }

    /// Something was stored in the browser under a name, out of reach of scripts or not.
    pub(crate) fn stored(&self, name: &str, value: &str, is_out_of_reach: bool) {
        if is_out_of_reach || secrets::is_secret_name(name) {
            self.redactor.add(value);
        }
    }
}

/// What a text begins with, as far as that is worth hiding.
fn beginnings(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.char_indices().map(|(end, _)| &text[..end]);
    ends.take(LONGEST_BEGINNING + 1).skip(LONG_ENOUGH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_bit_by_bit_is_one_secret() {
        let known = KnownSecrets::default();
        let place = (TabId(1), "e1".parse().unwrap());
        for key in ["h", "u", "n", "t", "e", "r", "2"] {
            known.typed(place, key);
        }
        assert_eq!(known.redactor().masked("a hunt for hunter2").unwrap(), "a hunt for [secret]");
        known.filled(place, "first");
        known.typed(place, "second");
        assert_eq!(known.redactor().masked("firstsecond").unwrap(), "[secret]");
        known.typed((TabId(2), place.1), "third");
        assert_eq!(known.redactor().masked("firstsecondthird").unwrap(), "[secret][secret]");
    }

    #[test]
    fn what_was_there_before_stays_a_secret() {
        let known = KnownSecrets::default();
        let place = (TabId(1), "e1".parse().unwrap());
        let masked = |text: &str| known.redactor().masked(text);
        // The same twice, as when somebody does not see that it is there already.
        known.typed(place, "correct-horse");
        known.typed(place, "correct-horse");
        assert_eq!(masked("correct-horse").unwrap(), "[secret]");
        assert_eq!(masked("correct-horsecorrect-horse").unwrap(), "[secret]");
        // On the way there, and with one key taken back.
        assert_eq!(masked("correct-hors").unwrap(), "[secret]");
        assert_eq!(masked("a correct answer"), None);
        for key in ["b", "a", "t", "t", "e", "r", "y", "-", "s", "t"] {
            known.typed((TabId(2), place.1), key);
        }
        assert_eq!(masked("battery-s and battery-st").unwrap(), "[secret] and [secret]");
        assert_eq!(masked("a battery"), None);
        known.typed(place, &"x".repeat(5_000));
        known.typed(place, "y");
        assert_eq!(masked("battery-st").unwrap(), "[secret]", "what is very long leaves room for the others");
    }

    #[test]
    fn which_headers_and_names_are_secret() {
        let known = KnownSecrets::default();
        let mut emulation = Emulation::default();
        for (name, value) in [
            ("authorization", "Bearer abc123"),
            ("x-tenant", "tenant-4711"),
            ("x-test", "on"),
            ("accept-language", "de-DE,de;q=0.9"),
        ] {
            emulation.headers.insert(name.into(), value.into());
        }
        known.sent(&emulation);
        known.stored("sid", "s-1234", true);
        known.stored("api_token", "t-1234", false);
        known.stored("theme", "darkness", false);
        let text = "abc123 tenant-4711 on de-DE,de;q=0.9 s-1234 t-1234 darkness";
        let masked = "[secret] [secret] on de-DE,de;q=0.9 [secret] [secret] darkness";
        assert_eq!(known.redactor().masked(text).unwrap(), masked);
    }
}

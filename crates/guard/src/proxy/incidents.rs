//! What went wrong on the way: connections that were refused by the rules, and those that could not be made. Kept so that the outcome of
//! an action can name them, since a browser says of a tunnel no more than that it failed.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use contract::{Code, Error};
use tokio::sync::broadcast;

use crate::{Place, Refusal};

/// How many are kept. A page can make as many as it likes.
const KEPT: usize = 256;

/// How much of an address is kept. A page can make them as long as a whole request.
const LONGEST_URL: usize = 2048;

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The rules forbid it.
    Blocked(Refusal),
    /// The name leads nowhere.
    NameNotFound(String),
    /// Nobody listens there.
    Refused(String),
    /// There is no way there.
    Unreachable(String),
    /// It took too long.
    Timeout(String),
    /// The request was sent, and the connection ended without an answer.
    NoAnswer(String),
    /// What answered does not speak as it should.
    BadAnswer(String),
}

impl Trouble {
    /// The trouble as one word: what the header `x-webhand-error` says.
    pub fn word(&self) -> &'static str {
        match self {
            Trouble::Blocked(_) => "blocked",
            Trouble::NameNotFound(_) => "name-not-found",
            Trouble::Refused(_) => "refused",
            Trouble::Unreachable(_) => "unreachable",
            Trouble::Timeout(_) => "timeout",
            Trouble::NoAnswer(_) => "no-answer",
            Trouble::BadAnswer(_) => "bad-answer",
        }
    }

    /// What a browser that goes there by itself would say of it, by [its word](Trouble::word). Of what the rules forbid it has nothing to
    /// say.
    pub fn in_browsers_words(word: &str) -> Option<&'static str> {
        Some(match word {
            "name-not-found" => "net::ERR_NAME_NOT_RESOLVED",
            "refused" => "net::ERR_CONNECTION_REFUSED",
            "unreachable" => "net::ERR_ADDRESS_UNREACHABLE",
            "timeout" => "net::ERR_CONNECTION_TIMED_OUT",
            "no-answer" => "net::ERR_EMPTY_RESPONSE",
            "bad-answer" => "net::ERR_INVALID_HTTP_RESPONSE",
            _ => return None,
        })
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Trouble::Blocked(refusal) => refusal.hint(),
            _ => Code::NavigationFailed.hint().into(),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Blocked(refusal) => refusal.fmt(f),
            Trouble::NameNotFound(text)
            | Trouble::Refused(text)
            | Trouble::Unreachable(text)
            | Trouble::Timeout(text)
            | Trouble::NoAnswer(text)
            | Trouble::BadAnswer(text) => f.write_str(text),
        }
    }
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Trouble {
        Trouble::Blocked(refusal)
    }
}

/// A connection that there is none of.
#[derive(Clone, Debug)]
pub struct Incident {
    /// Where it was to go. Nothing, where that could not be read.
    pub place: Option<Place>,
    /// What was asked for, without user-info, query and fragment. Of a tunnel only the place is known.
    pub url: String,
    /// Why.
    pub trouble: Trouble,
    /// When.
    pub at: SystemTime,
}

impl Incident {
    /// Whether the rules forbade it.
    pub fn is_blocked(&self) -> bool {
        matches!(self.trouble, Trouble::Blocked(_))
    }

    /// The same as an error of an action that came to nothing by it.
    pub fn error(&self) -> Error {
        match &self.trouble {
            Trouble::Blocked(refusal) => refusal.clone().into(),
            trouble => Error::new(Code::NavigationFailed, trouble.to_string()).with_hint(trouble.hint()),
        }
    }
}

/// A point in time, to ask for what came after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark(u64);

/// What there was since a [`Mark`].
#[derive(Clone, Debug)]
pub struct Since {
    /// The incidents, oldest first.
    pub incidents: Vec<Incident>,
    /// How many more there were that are no longer kept.
    pub missed: u64,
}

/// The newest incidents, and who is told of them.
#[derive(Debug)]
pub struct Incidents {
    kept: Mutex<Kept>,
    told: broadcast::Sender<Incident>,
}

#[derive(Debug, Default)]
struct Kept {
    next: u64,
    newest: VecDeque<Incident>,
}

impl Default for Incidents {
    fn default() -> Incidents {
        Incidents { kept: Mutex::default(), told: broadcast::Sender::new(KEPT) }
    }
}

impl Incidents {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// There is one more.
    pub fn add(&self, mut incident: Incident) {
        if incident.url.len() > LONGEST_URL {
            incident.url = start_of(&incident.url).to_owned();
        }
        let mut kept = self.kept();
        if kept.newest.len() == KEPT {
            kept.newest.pop_front();
        }
        kept.next += 1;
        kept.newest.push_back(incident.clone());
        drop(kept);
        // Nobody has to listen.
        _ = self.told.send(incident);
    }

    /// Now, for [`Incidents::since`].
    pub fn mark(&self) -> Mark {
        Mark(self.kept().next)
    }

    /// The newest at a place.
    pub fn newest_at(&self, place: &Place) -> Option<Incident> {
        let kept = self.kept();
        kept.newest.iter().rev().find(|incident| incident.place.as_ref() == Some(place)).cloned()
    }

    /// The newest of what was asked for under this address, which has no query.
    pub fn newest_of(&self, url: &str) -> Option<Incident> {
        let (kept, url) = (self.kept(), start_of(url));
        kept.newest.iter().rev().find(|incident| incident.url == url).cloned()
    }

    /// What there was since then.
    pub fn since(&self, mark: Mark) -> Since {
        let kept = self.kept();
        let wanted = kept.next.saturating_sub(mark.0);
        let held = (kept.newest.len() as u64).min(wanted);
        let skipped = kept.newest.len() - held as usize;
        Since { incidents: kept.newest.iter().skip(skipped).cloned().collect(), missed: wanted - held }
    }

    /// The same as it happens.
    pub fn subscribe(&self) -> broadcast::Receiver<Incident> {
        self.told.subscribe()
    }
}

fn start_of(url: &str) -> &str {
    url.get(..url.floor_char_boundary(LONGEST_URL)).unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_longer_kept_is_counted() {
        let log = Incidents::default();
        let add = |text: &str| {
            log.add(Incident {
                place: None,
                url: text.into(),
                trouble: Trouble::Timeout(text.into()),
                at: SystemTime::now(),
            });
        };
        add("before");
        let mark = log.mark();
        assert!(log.since(mark).incidents.is_empty());
        add("one");
        add("two");
        let since = log.since(mark);
        assert_eq!(since.incidents.iter().map(|it| &*it.url).collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(since.missed, 0);
        for _ in 0..KEPT {
            add("more");
        }
        let since = log.since(mark);
        assert_eq!((since.incidents.len(), since.missed), (KEPT, 2));
        let long = "ü".repeat(LONGEST_URL * 50);
        add(&long);
        let kept = log.newest_of(&long).unwrap();
        assert_eq!(
            kept.url,
            long[..LONGEST_URL],
            "a page decides how long addresses are, not how much is kept"
        );
    }
}

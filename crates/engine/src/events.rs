//! What is told of every action while it happens: that it has begun and how it ended. Never what was typed or read.

use std::time::Duration;

use contract::{AgentName, Code, Effect, Error, Outcome, SessionName, TabId};
use serde::Serialize;
use tokio::{sync::broadcast, time::Instant};

use crate::Front;

/// How many events a listener may fall behind before it misses some.
const KEPT: usize = 4096;

/// An action has begun, or has ended.
#[derive(Clone, Debug, Serialize)]
pub struct Event {
    /// The session that it is in.
    pub session: SessionName,
    /// The tab, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<TabId>,
    /// The verb.
    pub verb: &'static str,
    /// What it does to the world. A script may begin as `execute`, and turn out to have only read.
    pub effect: Effect,
    /// Which way it came in.
    pub front: Front,
    /// The agent whose token the caller has, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// Whether it has begun or ended.
    #[serde(flatten)]
    pub phase: Phase,
}

/// Where an action is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// It has begun.
    Started {
        /// How long it may take, in milliseconds.
        limit_ms: u64,
    },
    /// It is over.
    Ended {
        /// What went wrong, if something did.
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
        /// How long it took, in milliseconds.
        ms: f64,
    },
}

/// Where events are told.
#[derive(Clone)]
pub(crate) struct Events(broadcast::Sender<Event>);

impl Default for Events {
    fn default() -> Self {
        Events(broadcast::Sender::new(KEPT))
    }
}

impl Events {
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.0.subscribe()
    }

    /// Tells that an action has begun. That it has ended is told by what is returned, also if nobody waits for the end.
    pub(crate) fn begin(&self, event: Event) -> Telling {
        // Nobody listens most of the time, which is no error.
        let _ = self.0.send(event.clone());
        Telling { events: self.clone(), event, started: Instant::now(), code: Some(Code::Cancelled) }
    }
}

/// An action under way. Dropped before its end is known, as when its future is cancelled, it tells of `CANCELLED`.
pub(crate) struct Telling {
    events: Events,
    event: Event,
    started: Instant,
    code: Option<Code>,
}

impl Telling {
    /// Tells of the end.
    pub(crate) fn end(mut self, tab: Option<TabId>, effect: Effect, result: &Result<Outcome, Error>) {
        self.event.effect = effect;
        self.event.tab = tab.or(result.as_ref().ok().and_then(|outcome| outcome.tab)).or(self.event.tab);
        self.code = result.as_ref().err().map(|error| error.code);
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        let ms = milliseconds(self.started.elapsed());
        self.event.phase = Phase::Ended { code: self.code, ms };
        let _ = self.events.0.send(self.event.clone());
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> Event {
        Event {
            session: SessionName::default(),
            tab: None,
            verb: "click",
            effect: Effect::Input,
            front: Front::Library,
            agent: None,
            phase: Phase::Started { limit_ms: 30_000 },
        }
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_told_as_cancelled() {
        let events = Events::default();
        let mut heard = events.subscribe();
        drop(events.begin(event()));
        events.begin(event()).end(Some(TabId(2)), Effect::Input, &Ok(Outcome::default()));
        events.begin(event()).end(None, Effect::Input, &Err(Error::invalid("no")));
        let mut ends = Vec::new();
        while let Ok(event) = heard.try_recv() {
            if let Phase::Ended { code, .. } = event.phase {
                ends.push((event.tab, code));
            }
        }
        assert_eq!(
            ends,
            [(None, Some(Code::Cancelled)), (Some(TabId(2)), None), (None, Some(Code::InvalidInput))]
        );
    }

    #[test]
    fn an_event_as_others_read_it() {
        let mut written = serde_json::to_value(event()).unwrap();
        assert_eq!(written["phase"], "started");
        assert_eq!(written["limit_ms"], 30_000);
        let ended = Event { phase: Phase::Ended { code: Some(Code::Timeout), ms: 1.5 }, ..event() };
        written = serde_json::to_value(ended).unwrap();
        assert_eq!((&written["code"], &written["ms"]), (&"TIMEOUT".into(), &1.5.into()));
    }
}

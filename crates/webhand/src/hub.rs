//! Where everything that happens can be heard: actions of the engine, and whatever else publishes here. `/v1/events` passes it on.

use std::sync::Arc;

use engine::{Engine, Event, Phase};
use guard::approvals::Approvals;
use serde_json::{Value, json};
use tokio::sync::broadcast;

/// How many events a listener may fall behind before it misses some.
const KEPT: usize = 1024;

/// Something that happened.
#[derive(Debug)]
pub(crate) struct Happening {
    /// What kind of thing, such as `action`.
    pub(crate) kind: String,
    /// What is to be known of it.
    pub(crate) data: Value,
}

/// Where things are told. Cloning is cheap; all clones are the same hub.
#[derive(Clone)]
pub(crate) struct Hub(broadcast::Sender<Arc<Happening>>);

impl Default for Hub {
    fn default() -> Self {
        Hub(broadcast::Sender::new(KEPT))
    }
}

impl Hub {
    /// Tells all who listen. That nobody does is no error.
    pub(crate) fn publish(&self, kind: &str, data: Value) {
        let _ = self.0.send(Arc::new(Happening { kind: kind.into(), data }));
    }

    /// Whether anybody listens.
    pub(crate) fn is_heard(&self) -> bool {
        self.0.receiver_count() > 0
    }

    /// Hears everything from now on.
    pub(crate) fn subscribe(&self) -> Listener {
        Listener(self.0.subscribe())
    }

    /// Passes on what the engine tells of actions, as `action`, for as long as there is an engine.
    pub(crate) async fn follow(&self, engine: &Engine) {
        let mut events = engine.subscribe();
        loop {
            match events.recv().await {
                Ok(event) => {
                    let is_halt =
                        event.verb == "halt" && matches!(event.phase, Phase::Ended { code: None, .. });
                    let stopped = is_halt.then(|| manual_stop(&event));
                    self.publish("action", serde_json::to_value(event).unwrap_or_default());
                    if let Some(stopped) = stopped {
                        self.publish("data-manual-stop", stopped);
                    }
                }
                Err(broadcast::error::RecvError::Lagged(missed)) => {
                    self.publish("missed", json!({"events": missed}));
                }
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    }
}

/// That a person halted a session, for the user interface of a host application.
fn manual_stop(event: &Event) -> Value {
    let session = &event.session;
    json!({"session": session, "panelKey": format!("webhand:{session}"), "front": event.front})
}

impl Hub {
    /// Passes on what waits for an approval and how that ends, as `approval`.
    pub(crate) async fn follow_approvals(&self, approvals: &Approvals) {
        let mut changes = approvals.subscribe();
        loop {
            match changes.recv().await {
                Ok(change) => self.publish("approval", serde_json::to_value(change).unwrap_or_default()),
                Err(broadcast::error::RecvError::Lagged(missed)) => {
                    self.publish("missed", json!({"events": missed}));
                }
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    }
}

/// One who listens.
pub(crate) struct Listener(broadcast::Receiver<Arc<Happening>>);

impl Listener {
    /// What happens next. Who falls behind is told how much was missed; none when there is nobody left to tell anything.
    pub(crate) async fn next(&mut self) -> Option<Arc<Happening>> {
        match self.0.recv().await {
            Ok(happening) => Some(happening),
            Err(broadcast::error::RecvError::Lagged(missed)) => {
                Some(Arc::new(Happening { kind: "missed".into(), data: json!({"events": missed}) }))
            }
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_falls_behind_is_told() {
        let hub = Hub::default();
        hub.publish("before", Value::Null);
        let mut listener = hub.subscribe();
        for number in 0..KEPT + 3 {
            hub.publish("number", json!(number));
        }
        let first = listener.next().await.unwrap();
        assert_eq!((first.kind.as_str(), &first.data), ("missed", &json!({"events": 3})));
        assert_eq!(listener.next().await.unwrap().data, json!(3));
        drop(hub);
        let mut left = 0;
        while listener.next().await.is_some() {
            left += 1;
        }
        assert_eq!(left, KEPT - 1);
    }
}

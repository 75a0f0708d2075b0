//! The connection: answers go to whoever asked, events to the queue of the target they belong to.
//!
//! One task reads. It parses the envelope of a message and nothing else; `params` and `result` stay raw until someone
//! asks for them. Queues are unbounded and each has one consumer, so a slow consumer delays nobody but itself.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot, watch};

use crate::{
    Channel, Error, Transport,
    protocol::{AttachedToTarget, DetachedFromTarget, EventRow, TargetCrashed},
    tolerant,
    transport::Incoming,
};

/// A connection to one browser. Cloning it is cheap; it closes when the last clone and channel are gone.
#[derive(Clone)]
pub struct Connection {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    last_id: AtomicU64,
    state: Mutex<State>,
    ended: watch::Sender<Option<Arc<str>>>,
}

#[derive(Default)]
struct State {
    calls: HashMap<u64, Call>,
    /// Queues by session id; the browser's own is "".
    queues: HashMap<Box<str>, Queue>,
}

pub(crate) struct Call {
    pub(crate) method: &'static str,
    pub(crate) session: Option<Arc<str>>,
    pub(crate) answer: oneshot::Sender<Result<Box<RawValue>, Error>>,
}

struct Queue {
    sender: mpsc::UnboundedSender<Event>,
    /// How many events have been put in.
    delivered: u64,
    /// Kept here until somebody opens the channel, so that no event before that is lost.
    receiver: Option<mpsc::UnboundedReceiver<Event>>,
}

impl Default for Queue {
    fn default() -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        Queue { sender, delivered: 0, receiver: Some(receiver) }
    }
}

/// An event as it arrived; [`Event::read`] decodes it.
#[derive(Clone, Debug)]
pub struct Event {
    /// For example `Page.loadEventFired`.
    pub method: Box<str>,
    params: Arc<RawValue>,
}

impl Event {
    /// Decodes the event if it is an `E`. One that cannot be decoded is none, with a line in the log: a browser newer
    /// than we are must not stop us.
    pub fn read<E: EventRow + DeserializeOwned>(&self) -> Option<E> {
        if *self.method != *E::METHOD {
            return None;
        }
        tolerant::decode(&self.params)
            .inspect_err(|error| tracing::warn!(method = E::METHOD, %error, "an event could not be read"))
            .ok()
    }
}

/// The events of one channel, in order. Ends when the target or the connection does.
pub struct Events(mpsc::UnboundedReceiver<Event>);

impl Events {
    /// The next event, or none when there will be no more.
    pub async fn next(&mut self) -> Option<Event> {
        self.0.recv().await
    }
}

impl Connection {
    /// Starts reading from the transport. Returns the browser's own events beside the connection.
    pub fn start(transport: Transport) -> (Connection, Events) {
        let Transport { outgoing, mut incoming } = transport;
        let shared = Arc::new(Shared {
            outgoing,
            last_id: AtomicU64::new(0),
            state: Mutex::default(),
            ended: watch::Sender::new(None),
        });
        let events = shared.open_queue("");
        // The reader must not keep the connection alive: it holds on to it only while it handles a message.
        let weak = Arc::downgrade(&shared);
        tokio::spawn(async move {
            while let Some(item) = incoming.recv().await {
                let Some(shared) = weak.upgrade() else { return };
                match item {
                    Incoming::Message(message) => shared.route(&message),
                    Incoming::Ended(reason) => shared.end(reason.into()),
                }
            }
            if let Some(shared) = weak.upgrade() {
                shared.end("the transport ended".into());
            }
        });
        (Connection { shared }, events)
    }

    /// The browser itself as a target.
    pub fn root(&self) -> Channel {
        Channel::new(self.shared.clone(), None)
    }

    /// The target behind a session id of `Target.attachToTarget` or `Target.attachedToTarget`, and all events that came
    /// from it so far and will come.
    pub fn open(&self, session_id: &str) -> (Channel, Events) {
        (Channel::new(self.shared.clone(), Some(session_id.into())), self.shared.open_queue(session_id))
    }

    /// The target behind a session id whose events somebody else reads.
    pub fn channel(&self, session_id: &str) -> Channel {
        Channel::new(self.shared.clone(), Some(session_id.into()))
    }

    /// How many events a target has sent so far; none for one that is gone. Who has taken in as many knows all that the
    /// browser said before its last answer.
    pub fn delivered(&self, session_id: Option<&str>) -> Option<u64> {
        Some(self.shared.state().queues.get(session_id.unwrap_or_default())?.delivered)
    }

    /// Ends every pending call and every queue now, as when the browser ends.
    pub fn close(&self, reason: &str) {
        self.shared.end(reason.into());
    }

    /// Waits until the connection has ended; says why.
    pub async fn ended(&self) -> Arc<str> {
        let mut ended = self.shared.ended.subscribe();
        match ended.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or_default(),
            Err(_) => "the connection was dropped".into(),
        }
    }

    /// Whether the connection has ended.
    pub fn has_ended(&self) -> bool {
        self.shared.ended.borrow().is_some()
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "sessionId")]
    session: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    message: String,
}

impl Shared {
    /// Sends a call, whose answer goes to `call.answer`. Returns its id.
    pub(crate) fn send(&self, id: u64, call: Call, message: Vec<u8>) {
        let mut state = self.state();
        if let Some(reason) = &*self.ended.borrow() {
            let _ = call.answer.send(Err(Error::Disconnected { reason: reason.clone() }));
            return;
        }
        // Never what is said: it may hold what was typed.
        tracing::trace!(id, method = call.method, bytes = message.len(), "call");
        state.calls.insert(id, call);
        drop(state);
        // A transport that no longer takes messages has ended or is about to; the reader says so to every call.
        let _ = self.outgoing.send(message);
    }

    pub(crate) fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn forget(&self, id: u64) {
        self.state().calls.remove(&id);
    }

    fn open_queue(&self, session: &str) -> Events {
        let mut state = self.state();
        if self.ended.borrow().is_some() {
            return Events(mpsc::unbounded_channel().1);
        }
        let queue = state.queues.entry(session.into()).or_default();
        // A queue that is opened a second time has no events left: the first opener has them.
        Events(queue.receiver.take().unwrap_or_else(|| mpsc::unbounded_channel().1))
    }

    fn route(&self, message: &[u8]) {
        let envelope: Envelope<'_> = match serde_json::from_slice(message) {
            Ok(envelope) => envelope,
            Err(error) => {
                tracing::warn!(%error, bytes = message.len(), "a message from the browser could not be read");
                return;
            }
        };
        if let Some(id) = envelope.id {
            let Some(call) = self.state().calls.remove(&id) else { return };
            tracing::trace!(id, method = call.method, bytes = message.len(), "answer");
            let answer = match (envelope.result, envelope.error) {
                (_, Some(Refusal { code, message })) => {
                    Err(Error::Refused { method: call.method, code, message })
                }
                (Some(result), None) => Ok(result.to_owned()),
                (None, None) => {
                    Err(Error::Unreadable { method: call.method, reason: "neither result nor error".into() })
                }
            };
            let _ = call.answer.send(answer);
            return;
        }
        let (Some(method), Some(params)) = (envelope.method, envelope.params) else { return };
        tracing::trace!(%method, bytes = message.len(), "event");
        let event = Event { method: method.into(), params: params.to_owned().into() };
        self.deliver(envelope.session.as_deref().unwrap_or_default(), event);
    }

    fn deliver(&self, session: &str, event: Event) {
        let mut state = self.state();
        if let Some(attached) = event.read::<AttachedToTarget>() {
            state.queues.entry(attached.session_id.into()).or_default();
        }
        let crashed = event.read::<TargetCrashed>().is_some();
        let gone = event.read::<DetachedFromTarget>().map(|detached| detached.session_id);
        if let Some(queue) = state.queues.get_mut(session) {
            queue.delivered += 1;
            let _ = queue.sender.send(event);
        }
        if crashed {
            state.fail_calls(session, |method| Error::TargetCrashed { method });
        }
        if let Some(gone) = gone {
            state.queues.remove(&*gone);
            state.fail_calls(&gone, |method| Error::TargetGone { method });
        }
    }

    fn end(&self, reason: Arc<str>) {
        let mut state = self.state();
        let first = self.ended.send_if_modified(|ended| {
            let first = ended.is_none();
            ended.get_or_insert(reason.clone());
            first
        });
        if !first {
            return;
        }
        let State { calls, queues } = std::mem::take(&mut *state);
        drop(state);
        drop(queues);
        for call in calls.into_values() {
            let _ = call.answer.send(Err(Error::Disconnected { reason: reason.clone() }));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn fail_calls(&mut self, session: &str, error: impl Fn(&'static str) -> Error) {
        let failed = self.calls.extract_if(|_, call| call.session.as_deref() == Some(session));
        for (_, call) in failed {
            let _ = call.answer.send(Err(error(call.method)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};
    use tokio::time::Instant;

    use super::*;
    use crate::protocol::{Evaluate, GetVersion};

    /// A connection, and the browser's ends of its queues.
    struct Wire {
        connection: Connection,
        events: Events,
        sent: mpsc::UnboundedReceiver<Vec<u8>>,
        browser: mpsc::UnboundedSender<Incoming>,
    }

    fn wire() -> Wire {
        let (outgoing, sent) = mpsc::unbounded_channel();
        let (browser, incoming) = mpsc::unbounded_channel();
        let (connection, events) = Connection::start(Transport { outgoing, incoming });
        Wire { connection, events, sent, browser }
    }

    impl Wire {
        async fn next_call(&mut self) -> Value {
            serde_json::from_slice(&self.sent.recv().await.unwrap()).unwrap()
        }

        fn says(&self, message: Value) {
            self.browser.send(Incoming::Message(message.to_string().into_bytes())).unwrap();
        }
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(30)
    }

    #[tokio::test]
    async fn answers_reach_whoever_asked_in_any_order() {
        let mut wire = wire();
        let root = wire.connection.root();
        let (first, second) = (root.post(GetVersion {}), root.post(GetVersion {}));
        let (a, b) = (wire.next_call().await, wire.next_call().await);
        wire.says(json!({"id": b["id"], "result": {"product": "second", "unheardOf": [1]}}));
        wire.says(json!({"id": a["id"], "error": {"code": -32000, "message": "no"}}));
        assert_eq!(second.by(soon()).await.unwrap().product, "second");
        assert!(matches!(first.by(soon()).await, Err(Error::Refused { code: -32000, .. })));
    }

    #[tokio::test]
    async fn events_go_to_their_own_target_even_before_it_is_opened() {
        let mut wire = wire();
        let attached = json!({"sessionId": "S", "targetInfo": {"type": "page", "newField": 1}});
        wire.says(json!({"method": "Target.attachedToTarget", "params": attached}));
        wire.says(json!({"method": "Inspector.other", "params": {}, "sessionId": "S"}));
        wire.says(json!({"method": "Nobody.cares", "params": {}, "sessionId": "unknown"}));
        wire.says(json!({"method": "Root.event", "params": {}}));
        assert!(wire.events.next().await.unwrap().read::<AttachedToTarget>().is_some());
        assert_eq!(&*wire.events.next().await.unwrap().method, "Root.event");
        let (_, mut events) = wire.connection.open("S");
        assert_eq!(&*events.next().await.unwrap().method, "Inspector.other");
    }

    #[tokio::test]
    async fn a_target_that_goes_takes_its_calls_and_events_along_and_no_others() {
        let mut wire = wire();
        let (channel, mut events) = wire.connection.open("S");
        let (theirs, ours) = (channel.post(Evaluate::default()), wire.connection.root().post(GetVersion {}));
        wire.next_call().await;
        let call = wire.next_call().await;
        wire.says(json!({"method": "Target.detachedFromTarget", "params": {"sessionId": "S"}}));
        assert!(matches!(theirs.by(soon()).await, Err(Error::TargetGone { method: "Runtime.evaluate" })));
        assert!(events.next().await.is_none());
        wire.says(json!({"id": call["id"], "result": {}}));
        ours.by(soon()).await.unwrap();
    }

    #[tokio::test]
    async fn a_crashed_target_fails_its_calls_at_once() {
        let wire = wire();
        let (channel, _events) = wire.connection.open("S");
        let call = channel.post(Evaluate::default());
        wire.says(json!({"method": "Inspector.targetCrashed", "params": {}, "sessionId": "S"}));
        assert!(matches!(call.by(soon()).await, Err(Error::TargetCrashed { .. })));
    }

    #[tokio::test]
    async fn the_end_of_the_connection_ends_everything() {
        let mut wire = wire();
        let call = wire.connection.root().post(GetVersion {});
        wire.browser.send(Incoming::Ended("gone".into())).unwrap();
        assert!(matches!(call.by(soon()).await, Err(Error::Disconnected { reason }) if &*reason == "gone"));
        assert_eq!(&*wire.connection.ended().await, "gone");
        assert!(wire.events.next().await.is_none());
        let late = wire.connection.root().call(GetVersion {}, soon()).await;
        assert!(matches!(late, Err(Error::Disconnected { .. })));
    }

    #[tokio::test]
    async fn a_call_ends_at_its_deadline_and_is_forgotten() {
        let mut wire = wire();
        let now = Instant::now();
        let error = wire.connection.root().call(GetVersion {}, now).await.unwrap_err();
        assert!(matches!(error, Error::Timeout { method: "Browser.getVersion" }));
        assert!(wire.connection.shared.state().calls.is_empty());
        let call = wire.next_call().await;
        wire.says(json!({"id": call["id"], "result": {}}));
        wire.says(json!({"method": "Still.alive", "params": {}}));
        assert_eq!(
            &*wire.events.next().await.unwrap().method,
            "Still.alive",
            "a late answer disturbs nobody"
        );
    }

    #[tokio::test]
    async fn what_cannot_be_read_is_passed_over() {
        let mut wire = wire();
        wire.browser.send(Incoming::Message(b"not json".to_vec())).unwrap();
        wire.says(json!({"strange": true}));
        wire.says(json!({"method": "Still.alive", "params": {}}));
        assert_eq!(&*wire.events.next().await.unwrap().method, "Still.alive");
    }
}

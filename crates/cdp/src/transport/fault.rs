//! A transport for tests that fails, delays or drops a chosen call, or ends the connection at it.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde::Deserialize;
use tokio::sync::mpsc;

use super::{Incoming, Transport};

/// What happens to the chosen call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The browser seems to refuse it.
    Fail,
    /// It reaches the browser late.
    Delay(Duration),
    /// It never reaches the browser, and there is never an answer.
    Drop,
    /// The connection ends instead.
    Close,
}

/// A handle on the faults of every transport that it wraps.
#[derive(Clone, Default)]
pub struct Faults(Arc<Mutex<Plan>>);

#[derive(Default)]
struct Plan {
    armed: Option<(usize, Fault)>,
    /// The methods called since arming.
    calls: Vec<String>,
}

impl Faults {
    /// From now on counts calls, and lets `fault` happen at the `nth`, the first being 0.
    pub fn arm(&self, nth: usize, fault: Fault) {
        *self.plan() = Plan { armed: Some((nth, fault)), calls: Vec::new() };
    }

    /// No more faults. Returns the methods called since arming.
    pub fn disarm(&self) -> Vec<String> {
        let mut plan = self.plan();
        plan.armed = None;
        std::mem::take(&mut plan.calls)
    }

    /// Puts the faults between the transport and whoever uses it.
    pub fn wrap(&self, inner: Transport) -> Transport {
        let (outgoing, mut to_check) = mpsc::unbounded_channel::<Vec<u8>>();
        let (received, incoming) = mpsc::unbounded_channel();
        let Transport { outgoing: forward, incoming: mut from_browser } = inner;
        let plan = self.clone();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    message = to_check.recv() => match message {
                        None => return,
                        Some(message) => match plan.next(&message) {
                            None => { let _ = forward.send(message); }
                            Some(Fault::Drop) => {}
                            Some(Fault::Fail) => {
                                let _ = received.send(Incoming::Message(refusal(&message)));
                            }
                            Some(Fault::Delay(time)) => {
                                let forward = forward.clone();
                                tokio::spawn(async move {
                                    tokio::time::sleep(time).await;
                                    let _ = forward.send(message);
                                });
                            }
                            Some(Fault::Close) => {
                                let _ = received.send(Incoming::Ended("closed by a test".into()));
                                return;
                            }
                        },
                    },
                    item = from_browser.recv() => match item {
                        None => return,
                        Some(item) => { let _ = received.send(item); }
                    },
                }
            }
        });
        Transport { outgoing, incoming }
    }

    fn next(&self, message: &[u8]) -> Option<Fault> {
        let mut plan = self.plan();
        let (nth, fault) = plan.armed?;
        plan.calls.push(Call::read(message).method);
        (plan.calls.len() - 1 == nth).then_some(fault)
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default, Deserialize)]
struct Call {
    id: u64,
    method: String,
    #[serde(rename = "sessionId")]
    session_id: Option<String>,
}

impl Call {
    fn read(message: &[u8]) -> Call {
        serde_json::from_slice(message).unwrap_or_default()
    }
}

fn refusal(message: &[u8]) -> Vec<u8> {
    let call = Call::read(message);
    let mut answer =
        serde_json::json!({"id": call.id, "error": {"code": -32000, "message": "refused by a test"}});
    if let Some(session) = call.session_id {
        answer["sessionId"] = session.into();
    }
    answer.to_string().into_bytes()
}

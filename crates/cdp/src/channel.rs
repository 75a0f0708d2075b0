//! A channel: one target to send commands to, with deadlines.

use std::{
    future::Future,
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::{
    sync::oneshot,
    time::{Instant, timeout_at},
};

use crate::{
    Error, Result,
    connection::{Call, Shared},
    protocol::CommandRow,
    tolerant,
};

/// One target: the browser itself, a tab, or a frame in a process of its own.
#[derive(Clone)]
pub struct Channel {
    shared: Arc<Shared>,
    session: Option<Arc<str>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a, C> {
    id: u64,
    method: &'static str,
    params: &'a C,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
}

impl Channel {
    pub(crate) fn new(shared: Arc<Shared>, session: Option<Arc<str>>) -> Self {
        Channel { shared, session }
    }

    /// The session id of the target; none for the browser itself.
    pub fn session_id(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Sends a command and waits for its answer, until the deadline at most.
    pub async fn call<C: CommandRow>(&self, command: C, deadline: Instant) -> Result<C::Reply> {
        self.post(command).by(deadline).await
    }

    /// Sends a command at once, without waiting. Commands posted one after the other reach the target in that order.
    /// Dropping what it returns does not take the command back; it only ignores the answer.
    pub fn post<C: CommandRow>(&self, command: C) -> Pending<C> {
        let id = self.shared.next_id();
        let (answer, receiver) = oneshot::channel();
        let message = Message { id, method: C::METHOD, params: &command, session_id: self.session_id() };
        match serde_json::to_vec(&message) {
            Ok(message) => {
                self.shared.send(
                    id,
                    Call { method: C::METHOD, session: self.session.clone(), answer },
                    message,
                );
            }
            Err(error) => {
                let _ = answer.send(Err(Error::Unreadable { method: C::METHOD, reason: error.to_string() }));
            }
        }
        Pending { id, answer: receiver, shared: self.shared.clone(), command: PhantomData }
    }
}

/// An answer that is on its way.
#[must_use = "an answer that nobody waits for may be an error that nobody sees"]
pub struct Pending<C> {
    id: u64,
    answer: oneshot::Receiver<Result<Box<RawValue>>>,
    shared: Arc<Shared>,
    command: PhantomData<fn() -> C>,
}

impl<C: CommandRow> Pending<C> {
    /// Waits for the answer, until the deadline at most.
    pub async fn by(self, deadline: Instant) -> Result<C::Reply> {
        timeout_at(deadline, self).await.unwrap_or(Err(Error::Timeout { method: C::METHOD }))
    }
}

impl<C: CommandRow> Future for Pending<C> {
    type Output = Result<C::Reply>;

    /// Waits without a deadline of its own, for callers that have one around it.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = ready!(Pin::new(&mut self.answer).poll(context));
        Poll::Ready(match answer {
            Ok(Ok(result)) => tolerant::decode(&result)
                .map_err(|error| Error::Unreadable { method: C::METHOD, reason: error.to_string() }),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(Error::Disconnected { reason: "the connection was dropped".into() }),
        })
    }
}

impl<C> Drop for Pending<C> {
    fn drop(&mut self) {
        self.shared.forget(self.id);
    }
}

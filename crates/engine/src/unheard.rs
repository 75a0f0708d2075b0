//! Questions that go on although who asked cannot wait that long: an MCP client gives a call up after a minute. Nothing is done when
//! the answer comes; it is kept for the same action, should that come again.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use contract::{SessionName, TabId};
use guard::approvals::{End, Reply};
use tokio::{
    sync::watch,
    task::AbortHandle,
    time::{Instant, timeout},
};

use crate::{
    Front, Request,
    consent::{Identity, Permit},
};

/// What was asked, by whom.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) session: SessionName,
    pub(crate) front: Front,
    pub(crate) tab: Option<TabId>,
    /// What the caller wants, with all that it typed.
    pub(crate) action: Identity,
    /// What that comes to in the page as it is: an answer holds for nothing else.
    pub(crate) permit: Permit,
}

impl Question {
    /// Whether the same caller wants the same, which comes to something else in the page by now.
    fn is_changed(&self, other: &Question) -> bool {
        let without_page = |question: &Question| Question { permit: self.permit.clone(), ..question.clone() };
        self.permit.scope == other.permit.scope
            && self.permit.identity != other.permit.identity
            && *self == without_page(other)
    }
}

/// What was asked before.
pub(crate) enum Earlier {
    /// Nothing of this kind.
    None,
    /// The same, whose answer nobody has heard.
    Same(Box<Asked>),
    /// The same before the page changed. It is asked no longer, and what was answered does not count.
    Changed,
}

/// What came of waiting for an answer.
pub(crate) enum Answered {
    /// The question is over.
    ByEnd(End),
    /// Nobody has answered so far.
    NotYet,
    /// Somebody said yes, and another call of the same has done it: one yes is for one deed.
    ForAnother,
}

/// All that were asked so.
#[derive(Clone, Default)]
pub(crate) struct Unheard(Arc<Mutex<Vec<Open>>>);

#[derive(Clone)]
struct Open {
    question: Question,
    id: String,
    answered: watch::Receiver<Option<End>>,
    asking: AbortHandle,
    /// An answer is kept no longer than that.
    until: Instant,
}

/// One of them, for who waits for it.
pub(crate) struct Asked {
    all: Unheard,
    open: Open,
}

impl Unheard {
    /// Lets a question go on by itself.
    pub(crate) fn begin(
        &self,
        question: Question,
        id: &str,
        time: Duration,
        answering: impl Future<Output = End> + Send + 'static,
    ) -> Asked {
        let (answer, answered) = watch::channel(None);
        let asking = tokio::spawn(async move {
            answer.send_replace(Some(answering.await));
        });
        let asking = asking.abort_handle();
        let open = Open { question, id: id.to_owned(), answered, asking, until: Instant::now() + time * 2 };
        self.change(|all| all.push(open.clone()));
        Asked { all: self.clone(), open }
    }

    /// The same question, if it was asked before and its answer has not been heard.
    pub(crate) fn find(&self, question: &Question) -> Earlier {
        self.change(|all| {
            all.retain(|open| Instant::now() < open.until);
            if let Some(open) = all.iter().find(|open| open.question == *question) {
                return Earlier::Same(Box::new(Asked { all: self.clone(), open: open.clone() }));
            }
            let Some(changed) = all.iter().position(|open| question.is_changed(&open.question)) else {
                return Earlier::None;
            };
            all.remove(changed).asking.abort();
            Earlier::Changed
        })
    }

    /// What this caller was asked about for the same action, in whatever state the page was then.
    pub(crate) fn asked_before(&self, session: &SessionName, request: &Request) -> Vec<Permit> {
        self.change(|all| {
            if all.is_empty() {
                return Vec::new();
            }
            let action = Identity::of_request(request);
            let is_same = |asked: &Question| {
                asked.session == *session && asked.front == request.front && asked.action == action
            };
            let asked = all.iter().map(|open| &open.question).filter(|asked| is_same(asked));
            asked.map(|asked| asked.permit.clone()).collect()
        })
    }

    /// A session has ended, and what it asked with it.
    pub(crate) fn end_session(&self, session: &SessionName) {
        self.change(|all| {
            all.retain(|open| {
                let stays = open.question.session != *session;
                if !stays {
                    open.asking.abort();
                }
                stays
            });
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut Vec<Open>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Asked {
    /// By which it is answered.
    pub(crate) fn id(&self) -> &str {
        &self.open.id
    }

    /// How it ended. A yes is for one of those who wait for it, and kept no longer. Whoever asked first takes the question along when they
    /// go.
    pub(crate) async fn end(&self, patience: Duration, first: bool) -> Answered {
        let mut leaving = Leaving { asked: self, gives_up: first };
        let mut answered = self.open.answered.clone();
        let end = match timeout(patience, answered.wait_for(Option::is_some)).await {
            Ok(Ok(end)) => (*end).unwrap_or(End::Cancelled),
            // The task that asks has ended without an answer.
            Ok(Err(_)) => End::Cancelled,
            Err(_) => {
                leaving.gives_up = false;
                return Answered::NotYet;
            }
        };
        leaving.gives_up = false;
        let is_yes = matches!(end, End::Answered { reply, .. } if reply != Reply::Deny);
        match self.take() || !is_yes {
            true => Answered::ByEnd(end),
            false => Answered::ForAnother,
        }
    }

    /// Whether it was still there to be taken.
    fn take(&self) -> bool {
        self.all.change(|all| {
            let before = all.len();
            all.retain(|one| one.id != self.open.id);
            all.len() < before
        })
    }
}

/// Somebody waits, and may go away in the middle of it.
struct Leaving<'a> {
    asked: &'a Asked,
    gives_up: bool,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if self.gives_up {
            self.asked.open.asking.abort();
            self.asked.take();
        }
    }
}

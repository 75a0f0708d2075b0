//! Questions that go on although who asked cannot wait that long: an MCP client gives a call up after a minute. Nothing is done when
//! the answer comes; it is kept for the same action, should that come again.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use contract::SessionName;
use guard::approvals::{End, Scope};
use tokio::{
    sync::watch,
    task::AbortHandle,
    time::{Instant, timeout},
};

/// What was asked, by whom. Typed text is masked in the action, as it is for the person who answers.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) session: SessionName,
    pub(crate) scope: Scope,
    pub(crate) action: String,
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
    pub(crate) fn find(&self, question: &Question) -> Option<Asked> {
        let open = self.change(|all| {
            all.retain(|open| Instant::now() < open.until);
            all.iter().find(|open| open.question == *question).cloned()
        })?;
        Some(Asked { all: self.clone(), open })
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

    /// How it ended; none if that takes longer than this. An answer that was heard is kept no longer. Whoever asked first takes the
    /// question along when they go.
    pub(crate) async fn end(&self, patience: Duration, first: bool) -> Option<End> {
        let mut leaving = Leaving { asked: self, gives_up: first, heard: first };
        let mut answered = self.open.answered.clone();
        let end = match timeout(patience, answered.wait_for(Option::is_some)).await {
            Ok(Ok(end)) => Some((*end).unwrap_or(End::Cancelled)),
            // The task that asks has ended without an answer.
            Ok(Err(_)) => Some(End::Cancelled),
            Err(_) => None,
        };
        leaving.gives_up = false;
        leaving.heard = end.is_some();
        end
    }
}

/// Somebody waits, and may go away in the middle of it.
struct Leaving<'a> {
    asked: &'a Asked,
    gives_up: bool,
    heard: bool,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let Asked { all, open } = self.asked;
        if self.gives_up {
            open.asking.abort();
        }
        if self.heard {
            all.change(|all| all.retain(|one| one.id != open.id));
        }
    }
}

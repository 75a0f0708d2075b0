//! A call as a chain of steps: what is asked for next, and what to do with the answer.

use std::path::PathBuf;

use contract::{Outcome, PageUrl, Result, SessionName, Span, TabId};
use engine::{Request, SessionInfo, SessionOptions};
use serde_json::Value;

use crate::{Reply, Wording};

/// Where a call is: it needs an answer to go on, or is done.
pub enum Step {
    /// Something is asked for; the answer leads to the next step.
    Ask(Box<Ask>, Box<dyn FnOnce(Answer) -> Step + Send>),
    /// From here on the call has to end within this time from its beginning, whatever was said before; then the next step follows.
    Limit(Span, Box<Step>),
    /// The reply.
    Done(Reply),
}

/// What a tool can ask for.
#[derive(Debug)]
pub enum Ask {
    /// Do something in a session. Answered with [`Answer::Outcome`].
    Perform {
        /// The session.
        session: SessionName,
        /// How it is to be, if it has to be started.
        options: SessionOptions,
        /// What to do in it.
        request: Request,
    },
    /// Start a session anew with other options; the one that runs ends when the new one has started. Answered with
    /// [`Answer::Outcome`].
    Restart {
        /// The session.
        session: SessionName,
        /// How it is to be.
        options: SessionOptions,
        /// What starts it.
        request: Request,
    },
    /// List the sessions. Answered with [`Answer::Sessions`].
    Sessions,
    /// Write a file. Answered with [`Answer::Written`].
    Write {
        /// Where to; a name that is taken gets a number.
        path: PathBuf,
        /// What is in it.
        bytes: Vec<u8>,
        /// Who may read it.
        readers: Readers,
    },
    /// Take a picture and write it to a new file that only the user may read. Answered with [`Answer::Outcome`].
    Picture {
        /// The session.
        session: SessionName,
        /// How it is to be, if it has to be started.
        options: SessionOptions,
        /// What picture to take.
        request: Request,
        /// Where to; a name that is taken gets a number.
        path: PathBuf,
    },
    /// Ask the host application to open a page, and wait until it says which targets that has. Answered with
    /// [`Answer::Opened`].
    OpenInHost {
        /// The session that is to act on the page.
        session: SessionName,
        /// How it is to be; its policy decides on the page.
        options: SessionOptions,
        /// The page.
        url: PageUrl,
        /// What the host may call it.
        title: Option<String>,
        /// The same as a navigation, by which it is judged before the host hears of it.
        request: Request,
    },
    /// Search the web with the key that is set. Answered with [`Answer::Found`].
    Search {
        /// What for.
        query: String,
    },
}

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Whoever the user's umask lets.
    ByUmask,
    /// Only the user, and the folder has to be the user's own as well.
    OnlyUser,
}

/// What comes back.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and nobody keeps it")]
pub enum Answer {
    /// What came of an action.
    Outcome(Result<Outcome>),
    /// The sessions there are.
    Sessions(Vec<SessionInfo>),
    /// Where a file was written.
    Written(Result<PathBuf>),
    /// The tab that the host's page is in the session, or none if no host is there to open pages.
    Opened(Result<Option<TabId>>),
    /// What a search found.
    Found(Result<Value>),
}

impl Answer {
    fn worded(self, words: &Wording) -> Answer {
        let error = |error| words.error(error);
        match self {
            Answer::Outcome(result) => {
                Answer::Outcome(result.map(|outcome| words.outcome(outcome)).map_err(error))
            }
            Answer::Sessions(list) => Answer::Sessions(list),
            Answer::Written(result) => Answer::Written(result.map_err(error)),
            Answer::Opened(result) => Answer::Opened(result.map_err(error)),
            Answer::Found(result) => Answer::Found(result.map_err(error)),
        }
    }
}

impl Ask {
    /// The session that it is about, if it is about one.
    pub fn session(&self) -> Option<&SessionName> {
        match self {
            Ask::Perform { session, .. }
            | Ask::Restart { session, .. }
            | Ask::Picture { session, .. }
            | Ask::OpenInHost { session, .. } => Some(session),
            Ask::Sessions | Ask::Write { .. } | Ask::Search { .. } => None,
        }
    }
}

impl Ask {
    /// How the session is to be that it is about.
    pub fn options_mut(&mut self) -> Option<&mut SessionOptions> {
        match self {
            Ask::Perform { options, .. }
            | Ask::Restart { options, .. }
            | Ask::Picture { options, .. }
            | Ask::OpenInHost { options, .. } => Some(options),
            Ask::Sessions | Ask::Write { .. } | Ask::Search { .. } => None,
        }
    }
}

impl Step {
    /// The same, with its reply changed in the end.
    pub(crate) fn replied(self, change: impl FnOnce(Reply) -> Reply + Send + 'static) -> Step {
        match self {
            Step::Done(reply) => Step::Done(change(reply)),
            Step::Limit(limit, next) => Step::Limit(limit, Box::new(next.replied(change))),
            Step::Ask(ask, then) => Step::Ask(ask, Box::new(move |answer| then(answer).replied(change))),
        }
    }

    /// The same, within a time from the beginning of the call; none: as before.
    pub(crate) fn within(self, time: Option<Span>) -> Step {
        match time {
            Some(time) => Step::Limit(time, Box::new(self)),
            None => self,
        }
    }

    /// The same, with every answer in these words before the call goes on with it.
    pub(crate) fn heard(self, words: &'static Wording) -> Step {
        match self {
            Step::Done(reply) => Step::Done(reply),
            Step::Limit(limit, next) => Step::Limit(limit, Box::new(next.heard(words))),
            Step::Ask(ask, then) => {
                Step::Ask(ask, Box::new(move |answer| then(answer.worded(words)).heard(words)))
            }
        }
    }

    /// Does something in a session.
    pub(crate) fn perform(
        session: SessionName,
        options: SessionOptions,
        request: Request,
        then: impl FnOnce(Result<Outcome>) -> Step + Send + 'static,
    ) -> Step {
        let request = Request { points_in_picture: true, ..request };
        let ask = Ask::Perform { session, options, request };
        Step::Ask(
            Box::new(ask),
            Box::new(move |answer| match answer {
                Answer::Outcome(result) => then(result),
                other => mixed_up(&other),
            }),
        )
    }

    /// Starts a session anew with other options.
    pub(crate) fn restart(
        session: SessionName,
        options: SessionOptions,
        request: Request,
        then: impl FnOnce(Result<Outcome>) -> Step + Send + 'static,
    ) -> Step {
        Step::Ask(
            Box::new(Ask::Restart { session, options, request }),
            Box::new(move |answer| match answer {
                Answer::Outcome(result) => then(result),
                other => mixed_up(&other),
            }),
        )
    }

    /// Takes a picture and writes it to a new file.
    pub(crate) fn picture(
        session: SessionName,
        options: SessionOptions,
        request: Request,
        path: PathBuf,
        then: impl FnOnce(Result<Outcome>) -> Step + Send + 'static,
    ) -> Step {
        Step::Ask(
            Box::new(Ask::Picture { session, options, request, path }),
            Box::new(move |answer| match answer {
                Answer::Outcome(result) => then(result),
                other => mixed_up(&other),
            }),
        )
    }

    /// Writes a file.
    pub(crate) fn write(
        path: PathBuf,
        bytes: Vec<u8>,
        then: impl FnOnce(Result<PathBuf>) -> Step + Send + 'static,
    ) -> Step {
        Step::written(Ask::Write { path, bytes, readers: Readers::ByUmask }, then)
    }

    /// Writes a file that only the user may read.
    pub(crate) fn write_private(
        path: PathBuf,
        bytes: Vec<u8>,
        then: impl FnOnce(Result<PathBuf>) -> Step + Send + 'static,
    ) -> Step {
        Step::written(Ask::Write { path, bytes, readers: Readers::OnlyUser }, then)
    }

    fn written(ask: Ask, then: impl FnOnce(Result<PathBuf>) -> Step + Send + 'static) -> Step {
        Step::Ask(
            Box::new(ask),
            Box::new(move |answer| match answer {
                Answer::Written(result) => then(result),
                other => mixed_up(&other),
            }),
        )
    }

    /// Lists the sessions.
    pub(crate) fn sessions(then: impl FnOnce(Vec<SessionInfo>) -> Step + Send + 'static) -> Step {
        Step::Ask(
            Box::new(Ask::Sessions),
            Box::new(move |answer| match answer {
                Answer::Sessions(list) => then(list),
                other => mixed_up(&other),
            }),
        )
    }

    /// Asks the host application to open a page.
    pub(crate) fn open_in_host(
        session: SessionName,
        options: SessionOptions,
        url: PageUrl,
        title: Option<String>,
        request: Request,
        then: impl FnOnce(Result<Option<TabId>>) -> Step + Send + 'static,
    ) -> Step {
        Step::Ask(
            Box::new(Ask::OpenInHost { session, options, url, title, request }),
            Box::new(move |answer| match answer {
                Answer::Opened(result) => then(result),
                other => mixed_up(&other),
            }),
        )
    }

    /// Searches the web.
    pub(crate) fn search(query: String, then: impl FnOnce(Result<Value>) -> Step + Send + 'static) -> Step {
        Step::Ask(
            Box::new(Ask::Search { query }),
            Box::new(move |answer| match answer {
                Answer::Found(result) => then(result),
                other => mixed_up(&other),
            }),
        )
    }
}

/// What a front that answers another question than the one asked gets: an error, and no panic.
fn mixed_up(answer: &Answer) -> Step {
    let error =
        contract::Error::new(contract::Code::Internal, format!("an answer to another question: {answer:?}"));
    Step::Done(Reply::of(contract::ToolResult::from(error)))
}

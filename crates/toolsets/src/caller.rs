//! Who calls, and how the tools are set.

use std::{collections::BTreeMap, path::PathBuf, str::FromStr, sync::Arc};

use contract::{Code, Error, Outcome, Result, SessionName, Span};
use engine::{Action, Front, Request, SessionOptions, actions::Open};
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};

use crate::{Step, ids};

/// Who calls a tool, and when.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Which way the call came in.
    pub front: Front,
    /// The session of tools that name none.
    pub session: SessionName,
    /// Whether every session of this caller is its own: their names then start with that of its first.
    pub private: bool,
    /// How its sessions are to be.
    pub options: SessionOptions,
    /// How the tools are set.
    pub tools: Arc<Options>,
    /// What time it is where the caller is.
    pub now: DateTime,
    /// A word that no page can know, to mark where a page's text begins and ends.
    pub mark: String,
    /// How long it can wait for a person's approval; none: as long as the person has.
    pub patience: Option<Span>,
    /// How long a call may take, with all of its steps; none: each step has the usual time.
    pub limit: Option<TimeLimit>,
}

/// How long a call may take, whatever its arguments say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeLimit {
    /// The caller said so for this call.
    ByCaller(Span),
    /// The server was started with it. Time that a call asks to wait for comes on top.
    ByServer(Span),
}

/// How tools are set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The groups that are switched on.
    pub caps: Vec<String>,
    /// Whether coordinates are used, in the toolset that has both ways.
    pub mode: Mode,
    /// Where `playwright_browser` writes its files.
    pub files: PathBuf,
    /// What relative addresses are relative to.
    pub base_url: Option<String>,
    /// The only domains that may be gone to; none: all that the policy allows.
    pub allowed_domains: Option<Vec<String>>,
    /// Whether the `nanobot` toolset may be used.
    pub nanobot_enabled: bool,
    /// Whether `nanobot` may go anywhere if no domains are set; otherwise it then goes nowhere.
    pub nanobot_open: bool,
    /// Profiles that stand for a browser that runs already, with its address. Only the operator names them.
    pub attached: BTreeMap<String, String>,
    /// How long elements are waited for; none: as long as usual.
    pub element_timeout: Option<Span>,
    /// Whether there is a key for web searches.
    pub can_search: bool,
}

/// How elements are named in the `stagehand` toolset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// By words.
    #[default]
    Dom,
    /// By words, and by places in a picture.
    Hybrid,
}

impl FromStr for Mode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "dom" => Ok(Mode::Dom),
            "hybrid" => Ok(Mode::Hybrid),
            _ => {
                Err(Error::invalid(format!("{text:?} is no mode")).with_hint("the modes are dom and hybrid"))
            }
        }
    }
}

/// The profile that a name means to whoever has these options. Those of an agent with a token of its own are its own: others may have the
/// logins of people.
pub(crate) fn profile_for(name: &str, options: &SessionOptions) -> Result<SessionName> {
    match options.owner() {
        Some(agent) => format!("agent-{}.{name}", agent.name).parse(),
        None => name.parse(),
    }
}

impl Caller {
    /// An action of this caller.
    pub(crate) fn request(&self, action: impl Into<Action>) -> Request {
        Request { front: self.front, patience: self.patience, ..Request::new(action) }
    }

    /// Does something in the caller's session. One that is not there is started.
    pub(crate) fn perform(
        &self,
        request: Request,
        then: impl FnOnce(Result<Outcome>) -> Step + Send + 'static,
    ) -> Step {
        let (session, options, caller) = (self.session.clone(), self.options.clone(), self.clone());
        let again = request.clone();
        Step::perform(session, options, request, move |result| match result {
            Err(error) if error.code == Code::SessionNotFound => caller.started(again, then),
            result => then(result),
        })
    }

    fn started(&self, request: Request, then: impl FnOnce(Result<Outcome>) -> Step + Send + 'static) -> Step {
        let (session, options) = (self.session.clone(), self.options.clone());
        let open = self.request(Open::default());
        Step::perform(session.clone(), options.clone(), open, move |opened| match opened {
            Ok(_) => Step::perform(session, options, request, then),
            Err(error) => then(Err(error)),
        })
    }

    /// The session that an id of the dialect means.
    pub(crate) fn session_for(&self, id: &str) -> Result<SessionName> {
        ids::session_of(id, &self.session, self.private)
    }

    /// The id by which the dialect knows a session, if it is one of this caller's.
    pub(crate) fn id_for(&self, session: &SessionName) -> Option<String> {
        ids::id_of(session, &self.session, self.private)
    }
}

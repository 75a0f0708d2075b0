//! Who asks over HTTP, by the token of the request, and what of all that there is belongs to whom.

use std::sync::Arc;

use axum::{
    body::Body,
    http::{HeaderMap, header},
    response::Response,
};
use contract::{AgentName, SessionName};
use engine::{Agent, SessionInfo};
use futures_util::StreamExt;
use serde_json::Value;
use subtle::ConstantTimeEq;
use tokio::sync::watch;

use crate::{
    client_sessions,
    home::Home,
    tokens::{Known, Tokens},
};

/// The tokens that open the door.
pub(crate) struct Agents {
    tokens: Tokens,
    /// What those have to know who answer approvals.
    approver: String,
    /// Changes whenever a token was revoked.
    revoked: watch::Sender<u64>,
}

/// Who a request comes from.
#[derive(Clone, Debug)]
pub(crate) enum Asker {
    /// An agent.
    Agent(Arc<Known>),
    /// Somebody who has the approvers' token alone.
    Approver,
}

/// The token that a request has.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim_ascii().as_bytes())
}

impl Agents {
    pub(crate) fn new(home: &Home, approver: String) -> Agents {
        Agents { tokens: Tokens::new(home), approver, revoked: watch::Sender::new(0) }
    }

    /// Who has the token of a request.
    pub(crate) fn asker(&self, headers: &HeaderMap) -> Option<Asker> {
        let token = bearer(headers)?;
        if self.is_approvers(token) {
            return Some(Asker::Approver);
        }
        self.tokens.find(token).map(|known| Asker::Agent(Arc::new(known)))
    }

    /// Whether this is the approvers' token.
    pub(crate) fn is_approvers(&self, said: &[u8]) -> bool {
        // How long the comparison takes must not tell how much of a guess was right.
        bool::from(said.trim_ascii().ct_eq(self.approver.as_bytes()))
    }

    /// Ends what is being told to agents whose tokens are worthless by now.
    pub(crate) fn note_revoked(&self) {
        self.revoked.send_modify(|count| *count += 1);
    }

    /// A response that goes on for long, which ends when the token that it was asked for with is revoked.
    pub(crate) fn until_revoked(self: &Arc<Self>, token: &[u8], response: Response) -> Response {
        let (agents, token, mut revoked) = (self.clone(), token.to_vec(), self.revoked.subscribe());
        let over = async move {
            // The server itself goes when nobody can revoke anything any more.
            while revoked.changed().await.is_ok() && agents.is_known(&token) {}
        };
        let (head, body) = response.into_parts();
        let body = body.into_data_stream().take_until(Box::pin(over));
        Response::from_parts(head, Body::from_stream(body))
    }

    fn is_known(&self, token: &[u8]) -> bool {
        self.is_approvers(token) || self.tokens.find(token).is_some()
    }
}

impl Asker {
    /// The agent, if it is one.
    pub(crate) fn agent(&self) -> Option<&Agent> {
        match self {
            Asker::Agent(known) => Some(&known.agent),
            Asker::Approver => None,
        }
    }

    /// The agent, if it has a token of its own.
    pub(crate) fn named(&self) -> Option<&Agent> {
        self.agent().filter(|agent| !agent.name.is_default())
    }

    /// Whether it may use a toolset.
    pub(crate) fn may_use(&self, toolset: &str) -> bool {
        match self {
            Asker::Agent(known) => known.may_use(toolset),
            Asker::Approver => false,
        }
    }

    /// Whether it may know of a session: its own, or those of all who have no token of their own.
    pub(crate) fn may_see(&self, session: &SessionName) -> bool {
        match self {
            Asker::Approver => true,
            Asker::Agent(_) => {
                client_sessions::agent_of(session) == self.named().map(|agent| agent.name.as_str())
            }
        }
    }

    /// Whether it may know of something that says in which session it is. What says nothing of that is about the server.
    pub(crate) fn may_hear(&self, data: &Value) -> bool {
        data["session"].as_str().is_none_or(|name| name.parse().is_ok_and(|session| self.may_see(&session)))
    }

    /// Whether something that was always allowed was allowed to it.
    pub(crate) fn has_grant(&self, grant: &Value) -> bool {
        let whose = grant["agent"].as_str().filter(|agent| *agent != AgentName::default().as_str());
        matches!(self, Asker::Approver) || whose == self.named().map(|agent| agent.name.as_str())
    }

    /// Whether a session is one that it may know of and end: a person may have given theirs a name that is like an agent's.
    pub(crate) fn may_use_session(&self, info: &SessionInfo) -> bool {
        let owner = info.options.owner().map(|agent| &agent.name);
        self.may_see(&info.session) && owner == self.named().map(|agent| &agent.name)
    }
}

//! Asks the user of an MCP client, through the client, about what waits for an approval: `elicitation/create`. The model that called the
//! tool has no part in it; how the client shows the question, and that it is a person who answers, is the client's to keep.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use contract::SessionName;
use futures_util::{StreamExt, stream::FuturesUnordered};
use guard::approvals::{Approval, Approvals, By, Change, Reply};
use rmcp::{
    RoleServer,
    model::{ClientResult, ElicitRequest, ElicitationAction, ServerRequest},
    service::{Peer, PeerRequestOptions},
};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

/// What one client is being asked about now: two of its calls may wait at the same time.
#[derive(Default)]
pub(crate) struct Asked(Mutex<HashSet<String>>);

/// Asks the client's user about everything that waits in its sessions, until it is dropped. Only for a client whose word counts and that
/// [is able](is_able) to ask; for others there is `webhand approvals`.
pub(crate) async fn attend(
    peer: &Peer<RoleServer>,
    approvals: &Approvals,
    asked: &Asked,
    is_own: impl Fn(&SessionName) -> bool,
) {
    let mut changes = approvals.subscribe();
    let mut asking = FuturesUnordered::new();
    loop {
        // Also what was there before we listened, and what was missed.
        for approval in approvals.list() {
            let mine = approval.front == "mcp" && is_own(&approval.session);
            if mine && asked.0.lock().unwrap_or_else(PoisonError::into_inner).insert(approval.id.clone()) {
                asking.push(ask(peer, approvals, approval));
            }
        }
        tokio::select! {
            change = changes.recv() => if let Err(RecvError::Closed) = change {
                return std::future::pending().await;
            },
            Some(()) = asking.next() => {}
        }
    }
}

/// Whether the client can ask its user.
pub(crate) fn is_able(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info().is_some_and(|client| {
        // One that names no way of asking knows forms, which is how it began.
        let ways = client.capabilities.elicitation.as_ref();
        ways.is_some_and(|ways| ways.form.is_some() || ways.url.is_none())
    })
}

async fn ask(peer: &Peer<RoleServer>, approvals: &Approvals, approval: std::sync::Arc<Approval>) {
    let mut changes = approvals.subscribe();
    let Ok(params) = serde_json::from_value(question(&approval)) else {
        tracing::error!("the question for an approval has not the form that it must have");
        return;
    };
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
    let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
    let mut handle = match sent {
        Ok(handle) => handle,
        Err(error) => return tracing::warn!(%error, "the client could not be asked for an approval"),
    };
    let answered = loop {
        tokio::select! {
            answered = &mut handle.rx => break answered,
            change = changes.recv() => match change {
                Ok(Change::Over { id, .. }) if id == approval.id => {
                    let _ = handle.cancel(Some("it is no longer asked for".into())).await;
                    return;
                }
                Err(RecvError::Closed) => return,
                _ => {}
            },
        }
    };
    let reply = match answered {
        Ok(Ok(ClientResult::ElicitResult(result))) => match result.action {
            ElicitationAction::Accept => {
                let said =
                    result.content.and_then(|content| content.get("answer").cloned()).unwrap_or(Value::Null);
                // What is not understood is no yes.
                serde_json::from_value(said).unwrap_or(Reply::Deny)
            }
            ElicitationAction::Decline => Reply::Deny,
            // Dismissed without an answer: somebody else may still give one.
            _ => return,
        },
        Ok(Ok(_)) => return tracing::warn!("the client answered something else than it was asked"),
        Ok(Err(error)) => return tracing::warn!(%error, "the client could not ask for an approval"),
        Err(_) => return,
    };
    let answer = match approvals.answer(&approval.id, reply, By::Elicitation) {
        // There is nothing that could be remembered, but a yes is a yes.
        Err(_) if reply != Reply::Deny => approvals.answer(&approval.id, Reply::Once, By::Elicitation),
        answer => answer,
    };
    if let Err(error) = answer {
        tracing::warn!(%error, "an answer came too late");
    }
}

fn question(approval: &Approval) -> Value {
    let Approval { what, scope, url, screenshot, why, id, agent, .. } = approval;
    let agent = agent.as_ref().filter(|agent| !agent.is_default());
    let name = agent.map(|agent| format!(" {agent}")).unwrap_or_default();
    let mut message = format!(
        "webhand: may the agent{name} do this?\n{what}\neffect: {} at {}",
        scope.effect.as_str(),
        scope.origin
    );
    for other in &scope.with {
        message += &format!(" and {other}");
    }
    if let Some(url) = url {
        message += &format!("\naddress: {url}");
    }
    if let Some(screenshot) = screenshot {
        message += &format!("\npicture: {}", screenshot.display());
    }
    message += &format!("\nwhy it is asked: {why}\n(words in quotes are the page's own; approval {id})");
    json!({
        "mode": "form",
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": {"answer": {
                "type": "string",
                "title": "Allow it?",
                "description": "once; session: for as long as this session lasts; always: always for this origin; deny",
                "enum": ["once", "session", "always", "deny"],
            }},
            "required": ["answer"],
        },
    })
}

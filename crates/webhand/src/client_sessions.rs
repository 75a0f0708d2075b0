//! Whose sessions are, by their names. Those of MCP clients over HTTP are `mcp-1` and so on, and below each those that ids and profiles of
//! a dialect mean (`mcp-1.second`). They are their client's alone. Those of an agent with a token of its own begin with `agent-NAME`, also
//! those of its MCP clients (`agent-ada.mcp-1`). Nobody else can ask for one by its name, whichever way a name can be said.

use contract::{AgentName, Error, Result, SessionName};
use engine::{Agent, Front};
use toolsets::Caller;

/// How the names of MCP clients' sessions begin.
const CLIENT: &str = "mcp-";

/// How the names of sessions begin that belong to agents with tokens of their own.
const AGENT: &str = "agent-";

/// The session of the client with this number, of this agent.
pub(crate) fn of_client(number: u64, agent: Option<&Agent>) -> SessionName {
    let name = format!("{CLIENT}{number}");
    let name = owner(agent).map_or(name.clone(), |agent| format!("{AGENT}{agent}.{name}"));
    name.parse().unwrap_or_default()
}

/// The session that an agent means by a name, or by none. One with a token of its own means one of its own by any name.
pub(crate) fn named(name: &str, agent: Option<&Agent>) -> Result<SessionName> {
    let session: SessionName = match owner(agent) {
        None => name.parse()?,
        Some(agent) => {
            let own = of_agent(agent);
            let is_whole = name == own.as_str()
                || name.strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with('.'));
            match name {
                "default" => own,
                _ if is_whole => name.parse()?,
                _ => format!("{own}.{name}").parse()?,
            }
        }
    };
    let is_others = agent_of(&session) != owner(agent).map(AgentName::as_str);
    if is_others || is_clients(&session) { Err(refused(&session)) } else { Ok(session) }
}

/// The first session of an agent with a token of its own.
pub(crate) fn of_agent(agent: &AgentName) -> SessionName {
    format!("{AGENT}{agent}").parse().unwrap_or_default()
}

fn owner(agent: Option<&Agent>) -> Option<&AgentName> {
    agent.map(|agent| &agent.name).filter(|name| !name.is_default())
}

/// The name without how it begins. Folders are named after sessions, and some systems do not tell letters by their case.
fn after<'a>(name: &'a str, prefix: &str) -> Option<&'a str> {
    let (begin, rest) = name.split_at_checked(prefix.len())?;
    begin.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// The agent with a token of its own that a session belongs to.
pub(crate) fn agent_of(session: &SessionName) -> Option<&str> {
    after(session.as_str(), AGENT)?.split('.').next().filter(|agent| !agent.is_empty())
}

/// Whether a session is an MCP client's.
pub(crate) fn is_clients(session: &SessionName) -> bool {
    let name = session.as_str();
    let name =
        if agent_of(session).is_some() { name.split_once('.').map_or("", |(_, rest)| rest) } else { name };
    let number = after(name, CLIENT).and_then(|rest| rest.split('.').next()).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a caller may act in a session and see it. A person at the command line may in all of them.
pub(crate) fn is_open_to(session: &SessionName, caller: &Caller) -> bool {
    let own = &caller.session;
    let is_own = session == own
        || session.as_str().strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with('.'));
    let is_agents = agent_of(session) == owner(caller.options.agent.as_ref()).map(AgentName::as_str);
    is_own || caller.front == Front::Cli || (is_agents && !is_clients(session))
}

/// What a caller hears that asks for another one's.
pub(crate) fn refused(session: &SessionName) -> Error {
    match agent_of(session).filter(|_| !is_clients(session)) {
        None => Error::invalid(format!("the session {session} belongs to an MCP client"))
            .with_hint("use another name; names like mcp-1 are kept for MCP clients"),
        Some(_) => Error::invalid(format!("the session {session} belongs to another agent"))
            .with_hint("use another name; names like agent-x are kept for agents with tokens of their own"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_clients_sessions() {
        for (session, expected) in [
            ("mcp-1", true),
            ("mcp-1.second", true),
            ("MCP-12.x-61", true),
            ("mcp-007", true),
            ("mcp-", false),
            ("mcp-one", false),
            ("mcp-1a", false),
            ("mcp", false),
            ("my.mcp-1", false),
            ("default", false),
            ("agent-ada.mcp-1", true),
            ("Agent-ada.MCP-1.x", true),
            ("agent-ada", false),
            ("agent-ada.x.mcp-1", false),
            ("agent-.mcp-1", false),
        ] {
            assert_eq!(is_clients(&session.parse().unwrap()), expected, "{session}");
        }
        assert!(is_clients(&of_client(3, None)));
    }

    #[test]
    fn an_agent_means_its_own_by_any_name() {
        let ada = Agent { name: "ada".parse().unwrap(), ..Agent::default() };
        let default = Agent::default();
        let long = "x".repeat(64);
        for (name, of_ada, of_default) in [
            ("default", Some("agent-ada"), Some("default")),
            ("work", Some("agent-ada.work"), Some("work")),
            ("agent-ada", Some("agent-ada"), None),
            ("agent-ada.work", Some("agent-ada.work"), None),
            ("agent-bob", Some("agent-ada.agent-bob"), None),
            ("AGENT-ada", Some("agent-ada.AGENT-ada"), None),
            ("mcp-1", None, None),
            ("agent-ada.mcp-1", None, None),
            ("agent-", Some("agent-ada.agent-"), Some("agent-")),
            ("../x", None, None),
            (&long, None, Some(&*long)),
        ] {
            let means = |agent| named(name, Some(agent)).ok().map(|session| session.to_string());
            assert_eq!(means(&ada).as_deref(), of_ada, "{name}");
            assert_eq!(means(&default).as_deref(), of_default, "{name}");
        }
        assert_eq!(of_client(2, Some(&ada)).as_str(), "agent-ada.mcp-2");
        assert_eq!(of_client(2, Some(&default)).as_str(), "mcp-2");
    }
}

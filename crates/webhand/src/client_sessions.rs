//! Sessions of MCP clients over HTTP: `mcp-1` and so on, and below each those that ids and profiles of a dialect mean (`mcp-1.second`). They
//! are their client's alone. Nobody else can ask for one by its name, whichever way a name can be said.

use contract::{Error, Result, SessionName};
use engine::Front;
use toolsets::Caller;

/// How their names begin.
const PREFIX: &str = "mcp-";

/// The session of the client with this number.
pub(crate) fn name(number: u64) -> SessionName {
    format!("{PREFIX}{number}").parse().unwrap_or_default()
}

/// Whether a session is an MCP client's. Folders are named after sessions, and some systems do not tell letters by their case.
pub(crate) fn is_clients(session: &SessionName) -> bool {
    let name = session.as_str();
    let Some((prefix, rest)) = name.split_at_checked(PREFIX.len()) else { return false };
    let number = rest.split('.').next().unwrap_or_default();
    prefix.eq_ignore_ascii_case(PREFIX) && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a caller may act in a session and see it. A person at the command line may in all of them.
pub(crate) fn is_open_to(session: &SessionName, caller: &Caller) -> bool {
    let own = &caller.session;
    let is_own = session == own
        || session.as_str().strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with('.'));
    is_own || caller.front == Front::Cli || !is_clients(session)
}

/// Refuses a session that is an MCP client's.
pub(crate) fn check(session: &SessionName) -> Result<()> {
    if is_clients(session) { Err(refused(session)) } else { Ok(()) }
}

/// What a caller hears that asks for another one's.
pub(crate) fn refused(session: &SessionName) -> Error {
    Error::invalid(format!("the session {session} belongs to an MCP client"))
        .with_hint("use another name; names like mcp-1 are kept for MCP clients")
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
        ] {
            assert_eq!(is_clients(&session.parse().unwrap()), expected, "{session}");
        }
        assert!(is_clients(&name(3)));
    }
}

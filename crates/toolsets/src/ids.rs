//! The ids that dialects give to browsers and profiles, and the sessions that they mean.
//!
//! An id can be any text, the name of a session cannot. Those that can be both are the same; the others are spelled in hex.

use contract::{Error, Result, SessionName};

/// The id that means the caller's own session.
const OWN: &str = "default";

/// What marks an id that is spelled in hex.
const HEX: &str = "x-";

/// The session that an id means. Those of a private caller start with the name of its own.
pub fn session_of(id: &str, own: &SessionName, private: bool) -> Result<SessionName> {
    if id == OWN {
        return Ok(own.clone());
    }
    let plain = id.parse::<SessionName>().is_ok() && !id.starts_with(HEX);
    let spelled = if plain { id.to_owned() } else { hex(id) };
    if id.is_empty() {
        return Err(Error::invalid("the id is empty").with_hint("leave it out for the default one"));
    }
    let name = if private { format!("{own}.{spelled}") } else { spelled };
    name.parse().map_err(|_| {
        Error::invalid(format!("the id {id:?} is too long"))
            .with_hint("use a shorter one, of letters and digits")
    })
}

/// The id by which a caller knows a session, if it can know it at all.
pub fn id_of(session: &SessionName, own: &SessionName, private: bool) -> Option<String> {
    if session == own {
        return Some(OWN.into());
    }
    let name = session.as_str();
    let spelled = if private { name.strip_prefix(own.as_str())?.strip_prefix('.')? } else { name };
    Some(spelled.strip_prefix(HEX).and_then(unhex).unwrap_or_else(|| spelled.to_owned()))
}

fn hex(id: &str) -> String {
    id.bytes().fold(HEX.to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

fn unhex(text: &str) -> Option<String> {
    let digits: Vec<u8> =
        text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    String::from_utf8(pairs.iter().map(|[high, low]| high << 4 | low).collect()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_again() {
        let own: SessionName = "mcp-1".parse().unwrap();
        for private in [true, false] {
            for id in ["default", "second", "a.b_c-d", "浏览器", "a b", "x-61", "-", "../etc"] {
                let session = session_of(id, &own, private).unwrap();
                assert_eq!(id_of(&session, &own, private).as_deref(), Some(id), "{session}");
                assert_eq!(session.as_str().starts_with("mcp-1"), private || id == "default", "{session}");
            }
        }
        assert!(session_of("", &own, false).is_err());
        assert!(session_of(&"长".repeat(40), &own, false).is_err());
    }

    #[test]
    fn nobody_sees_the_sessions_of_others() {
        let own: SessionName = "mcp-1".parse().unwrap();
        for other in ["default", "mcp-2", "mcp-12", "mcp-2.second"] {
            assert_eq!(id_of(&other.parse().unwrap(), &own, true), None, "{other}");
        }
    }
}

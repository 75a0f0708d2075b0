//! Where a request is to go, by its first line. Hosts are read as browsers read them, whatever their spelling.

use hyper::Uri;

use crate::{Place, Reason, Refusal};

/// Why it is not known where a request is to go.
pub(crate) enum Misread {
    /// It is no request for a proxy.
    Nonsense(&'static str),
    /// It is one, for a place that cannot be.
    Refused(Refusal),
}

/// The place that a request is for: a whole address, or a host and port for a tunnel (RFC 9112, 3.2).
pub(crate) fn place_of(uri: &Uri, is_tunnel: bool) -> Result<Place, Misread> {
    let Some(authority) = uri.authority() else {
        return Err(Misread::Nonsense("This is a proxy, not a web server."));
    };
    let default_port = match (uri.scheme_str(), is_tunnel) {
        (None, true) => None,
        (Some("http"), false) => Some(80),
        _ => {
            return Err(Misread::Nonsense(
                "Only http: addresses are asked for here; others go through a tunnel.",
            ));
        }
    };
    let Some(port) = port_of(authority.as_str(), authority.port_u16(), default_port) else {
        return Err(Misread::Nonsense("The port is missing or is none."));
    };
    let place = Place::read(uri.host().unwrap_or_default(), port).map_err(Misread::Refused)?;
    if authority.as_str().contains('@') {
        return Err(Misread::Refused(Refusal { place: place.to_string(), reason: Reason::UserInfo }));
    }
    Ok(place)
}

/// The port, unless there is something behind the colon that is none.
fn port_of(authority: &str, port: Option<u16>, default_port: Option<u16>) -> Option<u16> {
    let authority = authority.rsplit('@').next().unwrap_or_default();
    let last = authority.rsplit(':').next().unwrap_or_default();
    let has_port = authority.contains(':') && !last.contains(']') && !last.is_empty();
    if has_port { port } else { default_port }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_request_is_to_go() {
        let check = |text: &str, is_tunnel: bool| match place_of(&text.parse().unwrap(), is_tunnel) {
            Ok(place) => place.to_string(),
            Err(Misread::Nonsense(_)) => "nonsense".into(),
            Err(Misread::Refused(refusal)) => refusal.reason.word().into(),
        };
        for (text, place) in [
            ("http://example.com/x", "example.com:80"),
            ("http://EXAMPLE.com.:8080/x", "example.com:8080"),
            ("http://example.com:/x", "example.com:80"),
            ("http://[::1]/x", "[::1]:80"),
            ("http://[::1]:81/x", "[::1]:81"),
            ("http://127.1/x", "127.0.0.1:80"),
            ("http://0x7f000001:3000/", "127.0.0.1:3000"),
            ("http://me:hunter2@example.com/x", "user-info"),
            ("http://example.com:99999/", "nonsense"),
            ("https://example.com/x", "nonsense"),
            ("ftp://example.com/x", "nonsense"),
            ("/x", "nonsense"),
            ("*", "nonsense"),
            ("http://a..b/", "malformed"),
            ("http://256.256.256.256/", "malformed"),
        ] {
            assert_eq!(check(text, false), place, "{text}");
        }
        let longest = format!("http://{}x.example/", "a.".repeat(122));
        assert_eq!(check(&longest, false), format!("{}:80", &longest[7..longest.len() - 1]));
        assert_eq!(check(&longest.replace("a.", "aa."), false), "malformed", "no name is so long");
        for (text, place) in [
            ("example.com:443", "example.com:443"),
            ("[::1]:443", "[::1]:443"),
            ("0177.1:443", "127.0.0.1:443"),
            ("example.com", "nonsense"),
            ("[::1]", "nonsense"),
            ("example.com:", "nonsense"),
            ("me:hunter2@example.com:443", "user-info"),
            ("http://example.com/", "nonsense"),
        ] {
            assert_eq!(check(text, true), place, "{text}");
        }
    }
}

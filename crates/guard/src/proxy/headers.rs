//! Which headers go on to the other side. Those that are about one connection do not (RFC 9110, 7.6.1).

use hyper::{
    HeaderMap,
    header::{
        CONNECTION, CONTENT_LENGTH, EXPECT, HeaderName, HeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION,
        TE, TRANSFER_ENCODING, UPGRADE,
    },
};

/// Marks answers that are ours, with the word of the [`Trouble`](super::Trouble). Servers cannot set it.
pub const ERROR_HEADER: &str = "x-webhand-error";
/// The same in a sentence.
pub const REASON_HEADER: &str = "x-webhand-reason";

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");
const HTTP2_SETTINGS: HeaderName = HeaderName::from_static("http2-settings");

/// Whether somebody wants to speak websocket from here on. Nothing else is switched to: what a proxy does not understand can be used to
/// get past it.
pub(crate) fn wants_websocket(headers: &HeaderMap) -> bool {
    let is_said = headers.get_all(CONNECTION).iter().flat_map(tokens).any(|token| token == "upgrade");
    let all: Vec<_> = headers.get_all(UPGRADE).iter().flat_map(tokens).collect();
    is_said && all == ["websocket"]
}

/// Leaves out what is not for the server.
pub(crate) fn for_server(headers: &mut HeaderMap) {
    let is_websocket = wants_websocket(headers);
    leave_out_what_is_ours(headers);
    // Bodies are sent when they come; whoever waits to be told to go on is told by us.
    headers.remove(EXPECT);
    headers.remove(PROXY_AUTHORIZATION);
    headers.remove(HTTP2_SETTINGS);
    if is_websocket {
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    }
}

/// Leaves out what is not for the browser.
pub(crate) fn for_browser(headers: &mut HeaderMap, is_switching: bool) {
    let is_websocket = is_switching && wants_websocket(headers);
    leave_out_what_is_ours(headers);
    headers.remove(PROXY_AUTHENTICATE);
    headers.remove(ERROR_HEADER);
    headers.remove(REASON_HEADER);
    if is_websocket {
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    }
}

/// Whether a body comes in a way that we do not know how to hand on. What is compressed for the way would arrive compressed.
pub(crate) fn has_unknown_coding(headers: &HeaderMap) -> bool {
    headers.get_all(TRANSFER_ENCODING).iter().flat_map(tokens).any(|token| token != "chunked")
}

fn leave_out_what_is_ours(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .flat_map(tokens)
        .filter_map(|token| token.parse().ok())
        // It says how long the body is, which nobody may take away.
        .filter(|name| *name != CONTENT_LENGTH)
        .collect();
    // Where both are given, the length is not the body's (RFC 9112, 6.3).
    if headers.contains_key(TRANSFER_ENCODING) {
        headers.remove(CONTENT_LENGTH);
    }
    for name in
        named.into_iter().chain([CONNECTION, KEEP_ALIVE, PROXY_CONNECTION, TE, TRANSFER_ENCODING, UPGRADE])
    {
        headers.remove(name);
    }
}

fn tokens(value: &HeaderValue) -> impl Iterator<Item = String> {
    let text = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
    let tokens: Vec<_> =
        text.split(',').map(|token| token.trim().to_owned()).filter(|it| !it.is_empty()).collect();
    tokens.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &str) -> HeaderMap {
        let lines = lines.split(" | ").filter(|line| !line.is_empty());
        let pair = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap())
        };
        let mut map = HeaderMap::new();
        lines.map(pair).for_each(|(name, value)| {
            map.append(name, value);
        });
        map
    }

    #[test]
    fn rows() {
        for (before, after) in [
            ("accept: x | connection: close", "accept: x"),
            ("connection: x-a, keep-alive | x-a: 1 | x-b: 2 | keep-alive: 5", "x-b: 2"),
            ("connection: x-a | connection: X-B | x-a: 1 | x-b: 2", ""),
            (
                "proxy-connection: keep-alive | proxy-authorization: Basic x | te: trailers | expect: 100-continue",
                "",
            ),
            ("transfer-encoding: chunked | content-length: 5", ""),
            ("connection: content-length | content-length: 5", "content-length: 5"),
            ("connection: Upgrade | upgrade: websocket", "connection: Upgrade | upgrade: websocket"),
            (
                "connection: keep-alive, Upgrade | upgrade: WebSocket",
                "connection: Upgrade | upgrade: websocket",
            ),
            ("connection: upgrade, http2-settings | upgrade: h2c | http2-settings: x", ""),
            ("connection: upgrade | upgrade: websocket, h2c", ""),
            ("upgrade: websocket", ""),
            ("trailer: x-sum", "trailer: x-sum"),
        ] {
            let mut map = headers(before);
            for_server(&mut map);
            assert_eq!(map, headers(after), "{before}");
        }
    }

    #[test]
    fn a_server_cannot_pass_for_us() {
        let mut map =
            headers("x-webhand-error: blocked | X-Webhand-Reason: x | proxy-authenticate: Basic | a: b");
        for_browser(&mut map, false);
        assert_eq!(map, headers("a: b"));
    }
}

//! Finding the websocket of a browser that somebody else started with `--remote-debugging-port`.

use serde::Deserialize;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Why no websocket was found.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// The address is not `http://host:port` or `ws://…`.
    #[error("{0:?} is neither http://host:port nor ws://…")]
    BadAddress(String),
    /// Nobody listens there.
    #[error("no browser answers at {address}: {source}")]
    NotThere {
        /// Where it was looked for.
        address: String,
        /// The system's own words.
        source: std::io::Error,
    },
    /// Something listens there that is not a browser.
    #[error("what answers at {address} is not a browser with remote debugging on")]
    NotABrowser {
        /// Where it was looked for.
        address: String,
    },
}

/// Far more than a browser has to say about itself.
const LARGEST_ANSWER: usize = 64 << 10;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VersionAnswer {
    web_socket_debugger_url: String,
}

/// The websocket address behind `http://host:port`; a `ws://` address is its own answer.
///
/// The request is written by hand: it is one line to a debugging port, for which no HTTP client needs to be built in.
pub async fn websocket_of(address: &str) -> Result<String, DiscoverError> {
    if address.starts_with("ws://") {
        return Ok(address.into());
    }
    let bad = || DiscoverError::BadAddress(address.into());
    let host = address.strip_prefix("http://").ok_or_else(bad)?.trim_end_matches('/');
    if host.is_empty() || host.contains(['/', '?', '#', '@', '\r', '\n', ' ']) {
        return Err(bad());
    }
    let with_port = if host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok()) {
        host.to_owned()
    } else {
        format!("{host}:9222")
    };
    let not_there = |source| DiscoverError::NotThere { address: address.into(), source };
    let mut stream = TcpStream::connect(&with_port).await.map_err(not_there)?;
    let request = format!("GET /json/version HTTP/1.1\r\nHost: {with_port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.map_err(not_there)?;
    let mut answer = Vec::new();
    let version: Option<VersionAnswer> = loop {
        // The debugging server keeps the connection open, so the answer is read until it is whole.
        if let Some(version) = body_of(&answer).and_then(|body| serde_json::from_slice(body).ok()) {
            break Some(version);
        }
        if answer.len() > LARGEST_ANSWER || stream.read_buf(&mut answer).await.map_err(not_there)? == 0 {
            break None;
        }
    };
    let found = version.ok_or_else(|| DiscoverError::NotABrowser { address: address.into() })?;
    // The browser names itself by its own view of its address; behind a tunnel or in a container that is not ours.
    let path = found.web_socket_debugger_url.splitn(4, '/').nth(3).map(str::to_owned);
    let path = path.ok_or_else(|| DiscoverError::NotABrowser { address: address.into() })?;
    Ok(format!("ws://{with_port}/{path}"))
}

/// What follows the headers.
fn body_of(answer: &[u8]) -> Option<&[u8]> {
    answer.windows(4).position(|window| window == b"\r\n\r\n").map(|at| &answer[at + 4..])
}

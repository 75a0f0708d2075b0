//! One request of the browser: read where it is to go, have that checked, send it there, hand the answer back.
//!
//! hyper reads and writes both sides, so what goes on is what was understood, and lengths of bodies are its own: no request can hide in
//! another one.

use std::{
    pin::Pin,
    sync::{Arc, atomic::Ordering::Relaxed},
    task::{Context, Poll},
    time::SystemTime,
};

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode, Uri, Version,
    body::{Body, Frame, Incoming, SizeHint},
    client::conn::http1::{self, SendRequest},
    header::{HOST, HeaderValue, ORIGIN, PROXY_AUTHORIZATION, REFERER, UPGRADE_INSECURE_REQUESTS},
    http::uri::PathAndQuery,
};
use hyper_util::rt::TokioIo;

use super::{
    Incident, Trouble, answer,
    asked::{Misread, place_of},
    connection::{Busy, Connection, Origin, Tunnel},
    dial::Want,
    headers,
    meter::Metered,
};
use crate::Place;

/// The most headers that a message may have, and their size: about what Chromium takes itself.
pub(crate) const MOST_HEADERS: usize = 256;
pub(crate) const LARGEST_HEAD: usize = 256 * 1024;

/// The body of an answer: our own page, or what the server sends.
pub(crate) type Answer = Either<Full<Bytes>, Relayed>;

/// The browser's connection ends without an answer, and so the browser does what it would have done by itself: it knows what to tell the
/// page. It may send the request again, so this is only for what has reached no server, or changes nothing there.
#[derive(Debug)]
pub(crate) struct Gone;

impl std::fmt::Display for Gone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the server closed the connection")
    }
}

impl std::error::Error for Gone {}

/// What a server sends. The connection is busy for as long as it lasts.
pub(crate) struct Relayed {
    incoming: Incoming,
    _busy: Busy,
}

impl Body for Relayed {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.incoming).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

/// Answers one request.
pub(crate) async fn answer(
    connection: Arc<Connection>,
    request: Request<Incoming>,
) -> Result<Response<Answer>, Gone> {
    let busy = connection.busy();
    connection.proxy.counters.requests.fetch_add(1, Relaxed);
    let is_tunnel = request.method() == Method::CONNECT;
    let place = match place_of(request.uri(), is_tunnel) {
        Ok(place) => place,
        Err(Misread::Nonsense(words)) => return Ok(answer::of_nonsense(words).map(Either::Left)),
        Err(Misread::Refused(refusal)) => {
            return Ok(report(&connection, None, String::new(), refusal.into()));
        }
    };
    let url = if is_tunnel { place.to_string() } else { without_query(request.uri(), &place) };
    let is_part = is_part(request.headers());
    let answered = if is_tunnel {
        open_tunnel(&connection, request, &place).await.map_err(Failed::With)
    } else {
        forward(&connection, request, &place, busy).await
    };
    match answered {
        Ok(response) => Ok(response),
        Err(Failed::Gone) => Err(Gone),
        Err(Failed::With(trouble)) => {
            // A page that is told of a server that is not there in the words of a server would take us for that.
            // Only where nothing has reached a server: browsers send again what gets no answer.
            let is_unreached =
                matches!(trouble, Trouble::NameNotFound(_) | Trouble::Refused(_) | Trouble::Unreachable(_));
            let is_unsaid = is_part && !is_tunnel && is_unreached;
            let is_unanswered = is_part && matches!(trouble, Trouble::NoAnswer(_));
            let response = report(&connection, Some(place), url, trouble);
            if is_unanswered {
                return Ok(answer::unreadable(response));
            }
            if is_unsaid { Err(Gone) } else { Ok(response) }
        }
    }
}

/// Whether a page asks for something, rather than a person for a page.
fn is_part(headers: &HeaderMap) -> bool {
    match headers.get("sec-fetch-mode") {
        Some(mode) => mode != "navigate",
        // Browsers tell that only to some servers.
        None => {
            let is_from_page = headers.contains_key(REFERER) || headers.contains_key(ORIGIN);
            is_from_page && !headers.contains_key(UPGRADE_INSECURE_REQUESTS)
        }
    }
}

enum Failed {
    With(Trouble),
    Gone,
}

impl From<Trouble> for Failed {
    fn from(trouble: Trouble) -> Failed {
        Failed::With(trouble)
    }
}

/// The address as browsers write it: without the port that goes without saying.
fn without_query(uri: &Uri, place: &Place) -> String {
    let place = place.to_string();
    format!("http://{}{}", place.strip_suffix(":80").unwrap_or(&place), uri.path())
}

fn report(connection: &Connection, place: Option<Place>, url: String, trouble: Trouble) -> Response<Answer> {
    let counters = &connection.proxy.counters;
    let counter = if matches!(trouble, Trouble::Blocked(_)) { &counters.blocked } else { &counters.failed };
    counter.fetch_add(1, Relaxed);
    tracing::debug!(word = trouble.word(), "not connected: {trouble}");
    let response = answer::of_trouble(&trouble).map(Either::Left);
    connection.proxy.incidents.add(Incident { place, url, trouble, at: SystemTime::now() });
    response
}

async fn open_tunnel(
    connection: &Connection,
    mut request: Request<Incoming>,
    place: &Place,
) -> Result<Response<Answer>, Trouble> {
    let reached = connection.proxy.dialer.reach(place, Want::Tunnel).await?;
    connection.proxy.counters.tunnels.fetch_add(1, Relaxed);
    let server = Metered::new(reached.stream, connection.meter.clone());
    connection.switch_to(Tunnel::Opened { browser: hyper::upgrade::on(&mut request), server });
    Ok(Response::new(Either::Left(Full::default())))
}

async fn forward(
    connection: &Connection,
    mut request: Request<Incoming>,
    place: &Place,
    busy: Busy,
) -> Result<Response<Answer>, Failed> {
    if headers::has_unknown_coding(request.headers()) {
        return Ok(
            answer::of_nonsense("The body is encoded in a way that is not known here.").map(Either::Left)
        );
    }
    let wants_websocket = headers::wants_websocket(request.headers());
    let browser = wants_websocket.then(|| hyper::upgrade::on(&mut request));
    let host = host_header(request.uri());
    headers::for_server(request.headers_mut());
    request.headers_mut().insert(HOST, host);
    *request.version_mut() = Version::HTTP_11;

    let sending = send(connection, request, place);
    let Some(sent) = connection.meter.unless_silent(connection.proxy.limits.silence, sending).await else {
        return Err(Trouble::Timeout(format!("{place} did not answer in time")).into());
    };
    let mut response = sent?;
    let is_switching = response.status() == StatusCode::SWITCHING_PROTOCOLS;
    if is_switching && (!wants_websocket || !headers::wants_websocket(response.headers())) {
        return Err(bad_answer(place, "it switched to something that nobody asked for"));
    }
    if response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
        // To a browser these would be our words, and it would ask for credentials for us.
        return Err(bad_answer(place, "it asked for credentials as only a proxy may"));
    }
    if headers::has_unknown_coding(response.headers()) {
        return Err(bad_answer(place, "its answer is encoded in a way that is not known"));
    }
    headers::for_browser(response.headers_mut(), is_switching);
    *response.version_mut() = Version::HTTP_11;
    if let (true, Some(browser)) = (is_switching, browser) {
        let server = hyper::upgrade::on(&mut response);
        connection.switch_to(Tunnel::Switched { browser, server });
        return Ok(response.map(|_| Either::Left(Full::default())));
    }
    Ok(response.map(|incoming| Either::Right(Relayed { incoming, _busy: busy })))
}

/// Sends a request over the connection that there is to this place, or a new one.
async fn send(
    connection: &Connection,
    mut request: Request<Incoming>,
    place: &Place,
) -> Result<Response<Incoming>, Failed> {
    let whole = request.uri().clone();
    let is_safe = request.method().is_safe();
    loop {
        let (mut origin, is_used) = match connection.take_origin(place) {
            Some(mut origin) => match origin.sender.ready().await {
                Ok(()) => (origin, true),
                Err(_) => continue,
            },
            None => (connect(connection, place).await?, false),
        };
        write_for(&origin, &mut request, &whole, place);
        let sent = origin.sender.try_send_request(request).await;
        match sent {
            Ok(response) => {
                connection.keep_origin(origin);
                return Ok(response);
            }
            // It was not sent, so it can be.
            Err(mut failed) if is_used && failed.message().is_some() => match failed.take_message() {
                Some(unsent) => request = unsent,
                None => return Err(Failed::Gone),
            },
            // The server may close a connection that it kept just when the next request is on its way. What changes nothing may be
            // sent again by the browser. Everything else may have arrived, and is not.
            Err(failed) if is_gone(failed.error()) && is_used && is_safe => return Err(Failed::Gone),
            Err(failed) if is_gone(failed.error()) => {
                return Err(
                    Trouble::NoAnswer(format!("{place} closed the connection without an answer")).into()
                );
            }
            Err(failed) => {
                return Err(bad_answer(place, &format!("{}", Causes(failed.error()))));
            }
        }
    }
}

async fn connect(connection: &Connection, place: &Place) -> Result<Origin, Failed> {
    let reached = connection.proxy.dialer.reach(place, Want::Requests).await?;
    let stream = TokioIo::new(Metered::new(reached.stream, connection.meter.clone()));
    let (sender, driver): (SendRequest<Incoming>, _) = http1::Builder::new()
        .preserve_header_case(true)
        .max_headers(MOST_HEADERS)
        .max_header_size(LARGEST_HEAD)
        .allow_spaces_after_header_name_in_responses(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .ignore_invalid_headers_in_responses(true)
        .handshake(stream)
        .await
        .map_err(|error| bad_answer(place, &error.to_string()))?;
    connection.drive(Box::pin(driver.with_upgrades()));
    Ok(Origin { place: place.clone(), sender, for_proxy: reached.for_proxy })
}

/// Writes the first line as the other side wants it: a server only the path, a proxy the whole address and who we are.
fn write_for(origin: &Origin, request: &mut Request<Incoming>, whole: &Uri, place: &Place) {
    let path = whole.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
    match &origin.for_proxy {
        None => *request.uri_mut() = Uri::from(path),
        Some(proxy) => {
            let text = format!("http://{place}{path}");
            if let Ok(uri) = text.parse() {
                *request.uri_mut() = uri;
            }
            let credentials = proxy.authorization.as_ref().and_then(|it| HeaderValue::from_str(it).ok());
            if let Some(mut value) = credentials {
                value.set_sensitive(true);
                request.headers_mut().insert(PROXY_AUTHORIZATION, value);
            }
        }
    }
}

/// What the address says, whatever the browser's own header did.
fn host_header(uri: &Uri) -> HeaderValue {
    let authority = uri.authority().map(|it| it.as_str()).unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    HeaderValue::from_str(host).unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// Whether a connection ended before there was a word of an answer.
fn is_gone(error: &hyper::Error) -> bool {
    let is_reset = || {
        let cause = std::error::Error::source(error).and_then(|it| it.downcast_ref::<std::io::Error>());
        cause.is_some_and(|it| {
            use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected};
            matches!(it.kind(), ConnectionReset | BrokenPipe | ConnectionAborted | NotConnected)
        })
    };
    error.is_incomplete_message() || error.is_canceled() || error.is_closed() || is_reset()
}

fn bad_answer(place: &Place, words: &str) -> Failed {
    Trouble::BadAnswer(format!("{place} did not answer as a web server: {words}")).into()
}

/// An error with what it comes from.
struct Causes<'a>(&'a hyper::Error);

impl std::fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)?;
        match std::error::Error::source(self.0) {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

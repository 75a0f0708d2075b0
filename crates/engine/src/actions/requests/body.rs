//! The bodies of a request and of its response, as the browser has them, and what of them a file gets.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use cdp::protocol as p;
use contract::{Code, Error, Result};

use super::Run;
use crate::{
    lift::lift,
    secrets,
    tab::{LARGEST_BODY, LogEntry, Tab},
};

/// A body: text, or bytes that are none.
pub(super) enum Body {
    Text(String),
    Bytes(Vec<u8>),
}

impl Body {
    /// Bytes that read as text are text, also those of a kind that the browser does not know to be text.
    fn of(bytes: Vec<u8>) -> Body {
        match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => Body::Text(text),
            Ok(text) => Body::Bytes(text.into_bytes()),
            Err(error) => Body::Bytes(error.into_bytes()),
        }
    }

    fn from_protocol(body: String, is_base64: bool) -> Result<Body> {
        if !is_base64 {
            return Ok(Body::Text(body));
        }
        STANDARD.decode(body).map(Body::of).map_err(|error| {
            Error::new(Code::Internal, "the browser sent a body that cannot be decoded").with_cause(error)
        })
    }
}

/// The body of the response; fails with UNSUPPORTED if the browser has none, or not any more.
pub(super) async fn of_response(tab: &Tab, entry: &LogEntry, run: &Run<'_>) -> Result<Body> {
    let number = entry.number;
    if entry.is_under_way() {
        return Err(Error::new(Code::Unsupported, format!("request {number} is still under way"))
            .with_hint("wait for it with `webhand wait network_idle`, then ask again"));
    }
    let none = |why: &str| {
        let message = format!("request {number} has no body: {why}");
        Err(Error::new(Code::Unsupported, message).with_hint("no file was written; look at its headers and its status instead"))
    };
    if entry.redirected {
        return none("it was redirected; ask for the request that followed it");
    }
    if let Some(error) = run.context.egress().explain(entry.told()).error {
        return none(&error);
    }
    if entry.is_answered_without_body() {
        return none("responses of this status, or to this method, have none");
    }
    if entry.length() == Some(0) {
        return Ok(Body::Text(String::new()));
    }
    let is_large = entry.length().max(entry.told().bytes).is_some_and(|bytes| bytes > LARGEST_BODY as u64);
    let gone = |cause: String| {
        let hint = match is_large {
            true => format!("bodies above {} MB are not kept; save the address as a file with `webhand download --url URL`", LARGEST_BODY >> 20),
            false => "make the request again, and ask before its page is left".into(),
        };
        Error::new(Code::Unsupported, format!("the browser has no body of request {number} (any more)"))
            .with_cause(cause)
            .with_hint(hint)
    };
    let channel = tab.channel_of(entry.session.as_deref());
    let get = p::GetResponseBody { request_id: entry.id.clone() };
    let body = channel.call(get, run.deadline).await.map_err(|error| match error {
        cdp::Error::Refused { message, .. } => gone(message),
        cdp::Error::TargetGone { .. } => gone("the frame that made it is gone".into()),
        error => lift(error),
    })?;
    if body.body.is_empty() && (entry.length().is_some() || is_large) {
        return Err(gone("it kept no copy".into()));
    }
    Body::from_protocol(body.body, body.base64_encoded)
}

/// The body of a request.
pub(super) struct Sent {
    /// Without secrets.
    pub(super) body: Body,
    /// Whether it is all that went over the network. The browser leaves files out of forms.
    is_whole: bool,
}

impl Sent {
    /// The body, if it is all that was sent.
    pub(super) fn whole(self, entry: &LogEntry) -> Result<Body> {
        let number = entry.number;
        match self.is_whole {
            true => Ok(self.body),
            false => Err(Error::new(Code::Unsupported, format!("the browser has only a part of what request {number} sent"))
                .with_hint("it leaves out files that a form uploads; the details of the request show the rest")),
        }
    }
}

/// The body of the request; none if the browser has forgotten it.
pub(super) async fn of_request(tab: &Tab, entry: &LogEntry, run: &Run<'_>) -> Result<Option<Sent>> {
    // What came with the news of the request is a text, whatever was sent; the browser itself may know better.
    let get = p::GetRequestPostData { request_id: entry.id.clone() };
    let body = match tab.channel_of(entry.session.as_deref()).call(get, run.deadline).await {
        Ok(data) => Body::from_protocol(data.post_data, data.base64_encoded)?,
        Err(cdp::Error::Refused { .. } | cdp::Error::TargetGone { .. }) => match &entry.post_data {
            // A replacement character stands for bytes that are lost.
            Some(data) if !data.contains('\u{fffd}') => Body::Text(data.clone()),
            _ => return Ok(None),
        },
        Err(error) => return Err(lift(error)),
    };
    let header = |wanted: &str| {
        let header = entry.request_headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        header.and_then(|(_, value)| value.as_str()).unwrap_or_default()
    };
    let kind = header("content-type");
    let length = match &body {
        Body::Text(text) => text.len(),
        Body::Bytes(bytes) => bytes.len(),
    };
    let is_whole = header("content-length").parse().map_or(true, |sent: usize| sent == length);
    let body = match body {
        Body::Text(text) => Body::Text(secrets::post_data(&text, kind)),
        // A form may hold a file beside a password. Read byte by byte, its fields are found by their names all the same.
        Body::Bytes(bytes) if kind.contains("boundary=") => {
            let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            Body::Bytes(secrets::post_data(&text, kind).chars().map(|c| c as u8).collect())
        }
        bytes => bytes,
    };
    Ok(Some(Sent { body, is_whole }))
}

/// The error for a request whose body is not there to be written.
pub(super) fn of_request_gone(entry: &LogEntry) -> Error {
    let number = entry.number;
    match entry.has_post_data {
        true => Error::new(Code::Unsupported, format!("the browser has no body of request {number} (any more)"))
            .with_cause("what it sent is too large, or the browser has forgotten it"),
        false => Error::new(Code::Unsupported, format!("request {number} sent no body")),
    }
    .with_hint("look at its headers and its status instead")
}

/// What a file gets of a body.
pub(super) fn for_file(body: Body, run: &Run<'_>) -> Vec<u8> {
    match body {
        Body::Text(text) => run.session.secrets().redactor().masked(&text).unwrap_or(text).into_bytes(),
        Body::Bytes(bytes) => bytes,
    }
}

/// Why a file is not byte for byte what the server sent, if that is so: the browser keeps text only as the letters that it read.
pub(super) fn is_reencoded(body: &Body, entry: &LogEntry) -> Option<String> {
    let Body::Text(text) = body else { return None };
    // As the browser read it, whatever the server said.
    let charset = entry.response.as_ref().map(|response| &*response.charset).unwrap_or_default();
    let is_utf8 = charset.is_empty() || charset.eq_ignore_ascii_case("utf-8");
    let why = match (is_utf8, text.contains('\u{fffd}')) {
        (false, _) if !text.is_ascii() => format!("was read as {charset}"),
        (_, true) => "has bytes that are no text".to_owned(),
        _ if entry.plain_length().is_some_and(|sent| sent != text.len() as u64) => {
            "names no encoding of its letters".to_owned()
        }
        _ => return None,
    };
    Some(format!("the file is not byte for byte what was sent: the response {why}, and the browser keeps only its text, which was written as UTF-8"))
}

//! What there is to read on a page: clean HTML from each frame, put together, and turned into Markdown or text.
//!
//! - `frames`: which frame is inside of which element.
//! - `convert`: the main content, Markdown and text. Pure.

mod convert;

use std::fmt;

use contract::{Code, Error, FrameId, Ref, Result};
use futures_util::future::join_all;
use serde::Deserialize;
use tokio::{
    sync::{Mutex, oneshot},
    time::Instant,
};

pub(crate) use self::convert::{Form, Part, Text};
use crate::{frames, page, tab::Tab};

/// Room for parsers that call themselves for every level of a page.
const STACK: usize = 64 << 20;

/// What a frame's script says.
#[derive(Debug, Deserialize)]
struct Said {
    html: String,
    /// The elements that hold frames; each has a mark in the HTML.
    frames: Vec<u32>,
    headline: String,
}

/// The clean HTML of a page with all its frames.
pub(crate) struct Page {
    pub(crate) html: String,
    pub(crate) headline: String,
    /// What could not be read.
    pub(crate) notes: Vec<String>,
}

/// Reads the page, or the element that is named.
pub(crate) async fn gather(tab: &Tab, scope: Option<Ref>, form: Form, deadline: Instant) -> Result<Page> {
    let frame = scope.and_then(|scope| scope.frame).unwrap_or(FrameId(0));
    let notes = Mutex::new(tab.read(|state| state.blank()).map(str::to_owned).into_iter().collect());
    let said = read_frame(tab, frame, scope.map(|scope| scope.element), form, &notes, deadline).await?;
    Ok(Page { html: said.html, headline: said.headline, notes: notes.into_inner() })
}

/// Turns it into text, on a thread of its own: large pages take long, and deep ones much stack.
pub(crate) async fn convert(page: Page, part: Part, form: Form) -> Result<(Text, Vec<String>)> {
    let Page { html, headline, notes } = page;
    let (send, receive) = oneshot::channel();
    let job = move || drop(send.send(convert::convert(&html, &headline, part, form)));
    let spawned = std::thread::Builder::new().name("read".into()).stack_size(STACK).spawn(job);
    spawned.map_err(failed)?;
    let text = receive.await.map_err(|_| failed("its HTML is stranger than we knew"))??;
    Ok((text, notes))
}

fn failed(cause: impl fmt::Display) -> Error {
    Error::new(Code::Internal, "the page cannot be turned into text").with_cause(cause)
}

async fn read_frame(
    tab: &Tab,
    frame: FrameId,
    element: Option<u32>,
    form: Form,
    notes: &Mutex<Vec<String>>,
    deadline: Instant,
) -> Result<Said> {
    let said = page::ask(tab, frame, "content", &(element, form == Form::Html), deadline).await?;
    let said: Option<Said> = serde_json::from_value(said).map_err(failed)?;
    let mut said = said.ok_or_else(|| gone(frame, element))?;
    let inner = said.frames.iter().map(async |&holder| {
        let reading = async {
            let inner = frames::inside(tab, frame, holder, deadline).await?;
            let deadline = page::frame_deadline(tab, inner, deadline);
            Box::pin(read_frame(tab, inner, None, form, notes, deadline)).await
        };
        (holder, reading.await)
    });
    for (holder, inner) in join_all(inner).await {
        let html = match inner {
            Ok(inner) => format!("<div>{}</div>", inner.html),
            Err(error) => {
                notes.lock().await.push(format!("a frame could not be read: {error}"));
                String::new()
            }
        };
        said.html = said.html.replacen(&mark(holder), &html, 1);
    }
    Ok(said)
}

/// What stands in the HTML for a frame. No page can write it: its own tags are never copied.
fn mark(holder: u32) -> String {
    format!("<webhand-frame n=\"{holder}\"></webhand-frame>")
}

/// The error for an element that is not in the page any more.
pub(crate) fn gone(frame: FrameId, element: Option<u32>) -> Error {
    let element =
        Ref { frame: Some(frame).filter(|frame| frame.0 > 0), element: element.unwrap_or_default() };
    Error::new(Code::StaleRef, format!("{element} is not in the page any more"))
}

//! Answers that come late, in part, or not at all. What hangs does so until the client leaves or the site stops.

use std::convert::Infallible;
use std::future;
use std::time::Duration;

use axum::body::Body;
use axum::extract::RawQuery;
use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse};
use futures_util::{StreamExt, stream};

use super::Rejection;
use super::params::{self, Params};
use crate::html;

/// `/slow?ms=N`: a page, after the delay.
pub(super) async fn slow(params: Params) -> Result<Html<String>, Rejection> {
    tokio::time::sleep(params::delay(&params)?).await;
    Ok(Html(html::page("slow", "<h1>slow</h1>")))
}

/// `/hang`: never an answer, not even headers.
pub(super) async fn hang() {
    future::pending::<()>().await;
}

/// `/slow-image.html?ms=N`: its image comes that late, so `DOMContentLoaded` is well before `load`. The whole query
/// goes along to `/image.png`.
pub(super) async fn slow_image(RawQuery(query): RawQuery) -> Html<String> {
    Html(image_page("slow image", "/image.png", query))
}

/// `/hang-image.html`: its image never comes, so `load` never fires. The whole query goes along to `/hang`.
pub(super) async fn hang_image(RawQuery(query): RawQuery) -> Html<String> {
    Html(image_page("hang image", "/hang", query))
}

/// `/stream`: headers and half a page; the rest never comes.
pub(super) async fn stream() -> Html<Body> {
    Html(then_silence(html::page("stream", "<h1>first half</h1>\n<p>the second half never")))
}

/// `/trickle?pieces=N&ms=M&kb=K`: headers at once, and then so many pieces of K kilobytes, each after the delay.
pub(super) async fn trickle(params: Params) -> Result<Html<Body>, Rejection> {
    let (pieces, kilobytes) = (params::number(&params, "pieces", 3)?, params::number(&params, "kb", 1)?);
    let delay = params::delay(&params)?;
    let piece = "<!-- filler for a piece of the page -->".repeat((kilobytes as usize * 1024).div_ceil(39));
    let start = stream::once(future::ready(html::page("trickle", "<h1>first piece</h1>")));
    let rest = stream::iter(0..pieces).then(move |number| {
        let piece = format!("<p>piece {number}</p>{piece}");
        async move {
            tokio::time::sleep(delay).await;
            piece
        }
    });
    Ok(Html(Body::from_stream(start.chain(rest).map(Ok::<_, Infallible>))))
}

/// `/broken`: the beginning of a page, of which the server says that more comes, and then the connection ends.
pub(super) async fn broken() -> impl IntoResponse {
    let page = html::page(
        "broken",
        "<h1>the beginning</h1><button onclick=\"this.textContent = 'pressed'\">Press</button>",
    );
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html")),
        (header::CONTENT_LENGTH, 9000.into()),
    ];
    let end = async {
        // What was sent before has to be out first, or the answer itself never arrives.
        tokio::time::sleep(Duration::from_millis(300)).await;
        Err(std::io::Error::other("broken on request"))
    };
    (headers, Body::from_stream(stream::once(future::ready(Ok(page))).chain(stream::once(end))))
}

/// `/sse`: one event, and then an open stream.
pub(super) async fn sse() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/event-stream")], then_silence("data: hello\n\n".to_owned()))
}

/// `/close`: the connection ends without an answer (`ERR_EMPTY_RESPONSE`). Chromium tries once more when the connection
/// was used before, so this may count twice.
pub(super) async fn close() {
    // axum has no word for this. Unwinding ends the task that owns the connection, and no other; resume_unwind skips
    // the panic hook, so the tests' output stays clean.
    std::panic::resume_unwind(Box::new("closed on request"))
}

fn image_page(title: &str, image: &str, query: Option<String>) -> String {
    let query = html::escape(&query.unwrap_or_default());
    html::page(
        title,
        &format!("<p id=\"out\">loading</p>\n<img src=\"{image}?{query}\" alt=\"pixel\">\n{LOADED}"),
    )
}

/// Tells a reader of the page, too, whether `load` has fired.
const LOADED: &str = "<script>addEventListener('load', () => { document.querySelector('#out').textContent = 'loaded'; });</script>";

fn then_silence(start: String) -> Body {
    let start = stream::once(future::ready(Ok::<_, Infallible>(start)));
    Body::from_stream(start.chain(stream::pending()))
}

//! Pages that answer at once.

use axum::body::Bytes;
use axum::extract::Path;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use super::Rejection;
use super::params::{self, Params};
use crate::{FIXTURES, html};

/// A PNG of one grey pixel.
const PIXEL: &[u8] = include_bytes!("../../fixtures/pixel.png");

/// `/`: a link to every static page.
pub(super) async fn index() -> Html<String> {
    let links: String =
        FIXTURES.iter().map(|(path, _)| format!("<li><a href=\"{path}\">{path}</a></li>\n")).collect();
    Html(html::page("fixtures", &format!("<h1>Fixtures</h1>\n<ul>\n{links}</ul>")))
}

/// `/page?title=T&body=B`: the title is text, the body is markup.
pub(super) async fn page(params: Params) -> Html<String> {
    let title = params::text(&params, "title", "page");
    let heading = format!("<h1>{}</h1>", html::escape(title));
    Html(html::page(title, params::text(&params, "body", &heading)))
}

/// `/status/{code}`: a page with that status; without a body where HTTP forbids one.
pub(super) async fn status(Path(code): Path<u16>) -> Result<Response, Rejection> {
    let status = StatusCode::from_u16(code)
        .ok()
        .filter(|status| !status.is_informational())
        .ok_or_else(|| Rejection(format!("not a final status: {code}")))?;
    if matches!(status, StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::NOT_MODIFIED) {
        return Ok(status.into_response());
    }
    let title = format!("status {code}");
    Ok((status, Html(html::page(&title, &format!("<h1>{title}</h1>")))).into_response())
}

/// `/auth`: asks for a user name and password (HTTP Basic), with a page that says so.
pub(super) async fn auth() -> impl IntoResponse {
    let page = html::page(
        "auth",
        "<h1>Who are you?</h1><button onclick=\"this.textContent = 'pressed'\">Press</button>",
    );
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Basic realm=\"fixtures\"")], Html(page))
}

/// `/echo`: method, headers and body of the request, as JSON.
pub(super) async fn echo(method: Method, headers: HeaderMap, body: Bytes) -> Html<String> {
    let headers: serde_json::Map<_, _> = headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()))
        .collect();
    let echo = serde_json::json!({
        "method": method.as_str(),
        "headers": headers,
        "body": String::from_utf8_lossy(&body),
    });
    Html(html::page("echo", &format!("<pre id=\"echo\">{}</pre>", html::escape(&format!("{echo:#}")))))
}

/// `/bytes?count=N&type=T`: the bytes from 0 on, again and again, as whatever kind.
pub(super) async fn bytes(params: Params) -> Result<impl IntoResponse, Rejection> {
    let count = params::number(&params, "count", 256)?;
    let kind = super::header_value(params::text(&params, "type", "application/octet-stream"))?;
    let bytes: Vec<u8> = (0..count).map(|number| (number % 256) as u8).collect();
    Ok(([(header::CONTENT_TYPE, kind)], bytes))
}

/// `/document.pdf`: one page with nothing on it.
pub(super) async fn document() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/pdf")], DOCUMENT)
}

const DOCUMENT: &str = "%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200]>> endobj
trailer <</Root 1 0 R>>
%%EOF
";

/// `/image.png?ms=N`: one pixel, after the delay.
pub(super) async fn image(params: Params) -> Result<impl IntoResponse, Rejection> {
    tokio::time::sleep(params::delay(&params)?).await;
    Ok(([(header::CONTENT_TYPE, "image/png")], PIXEL))
}

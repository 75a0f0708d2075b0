//! Setting cookies by header and by script, and seeing which came back.

use axum::extract::Query;
use axum::http::{HeaderMap, header};
use axum::response::{AppendHeaders, Html, IntoResponse};

use super::{Rejection, header_value};
use crate::html;

/// `/cookies`: the request's `Cookie` header, empty when there is none.
pub(super) async fn show(headers: HeaderMap) -> Html<String> {
    let cookies = headers.get(header::COOKIE).map_or(&b""[..], |value| value.as_bytes());
    let cookies = html::escape(&String::from_utf8_lossy(cookies));
    Html(html::page("cookies", &format!("<pre id=\"cookies\">{cookies}</pre>")))
}

/// `/cookies/set?k=v&…`: sets each for the whole site.
pub(super) async fn set(
    Query(cookies): Query<Vec<(String, String)>>,
) -> Result<impl IntoResponse, Rejection> {
    let headers = cookies
        .iter()
        .map(|(name, value)| Ok((header::SET_COOKIE, header_value(&format!("{name}={value}; Path=/"))?)))
        .collect::<Result<Vec<_>, Rejection>>()?;
    Ok((AppendHeaders(headers), Html(html::page("cookies set", "<a href=\"/cookies\">Show</a>"))))
}

/// `/cookies/set-script`: the page sets `script=1` and shows what it can read.
pub(super) async fn set_script() -> Html<String> {
    Html(html::page("cookies by script", SET_SCRIPT))
}

const SET_SCRIPT: &str = "<pre id=\"cookies\"></pre>
<script>
  document.cookie = 'script=1; path=/';
  document.querySelector('#cookies').textContent = document.cookie;
</script>";

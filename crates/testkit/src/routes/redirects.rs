//! Redirects by status. Those by script and by `<meta>` are static pages.

use axum::extract::Path;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use super::params::{self, Params};
use super::{Rejection, header_value};
use crate::html;

/// `/redirect?to=URL&code=302`: the URL goes into `Location` as it is.
pub(super) async fn redirect(params: Params) -> Result<Response, Rejection> {
    let code = params::number(&params, "code", 302)?;
    let status = u16::try_from(code).ok().and_then(|code| StatusCode::from_u16(code).ok());
    let status = status
        .filter(StatusCode::is_redirection)
        .ok_or_else(|| Rejection(format!("not a redirect status: {code}")))?;
    let to = header_value(params::text(&params, "to", "/page?title=redirected"))?;
    Ok(location(status, to))
}

/// `/redirect-chain/{left}`: so many redirects, and then the page `end`.
pub(super) async fn chain(Path(left): Path<u32>) -> Result<Response, Rejection> {
    let next = match left {
        0 => return Ok(Html(html::page("end", "<h1>end</h1>")).into_response()),
        1 => "/page?title=end".to_owned(),
        _ => format!("/redirect-chain/{}", left - 1),
    };
    Ok(location(StatusCode::FOUND, header_value(&next)?))
}

fn location(status: StatusCode, to: HeaderValue) -> Response {
    (status, [(header::LOCATION, to)]).into_response()
}

//! The pages that need a server with a will of its own. One table of routes here, their handlers by theme in the
//! modules below; everything else is a static page.

mod cookies;
mod downloads;
mod pages;
mod params;
mod redirects;
mod search;
mod stalls;

use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Router, body::Body};

pub use downloads::download_bytes;

use crate::hits::{self, Hits};
use crate::{fixtures, frameworks};

pub(crate) fn router(hits: Hits) -> Router {
    Router::new()
        .route("/", get(pages::index))
        .route("/page", get(pages::page))
        .route("/status/{code}", get(pages::status))
        .route("/auth", get(pages::auth))
        .route("/echo", any(pages::echo))
        .route("/bytes", get(pages::bytes))
        .route("/image.png", get(pages::image))
        .route("/document.pdf", get(pages::document))
        .route("/favicon.ico", get(StatusCode::NO_CONTENT))
        .route("/redirect", any(redirects::redirect))
        .route("/redirect-chain/{left}", get(redirects::chain))
        .route("/slow", any(stalls::slow))
        .route("/slow-image.html", get(stalls::slow_image))
        .route("/hang", any(stalls::hang))
        .route("/hang-image.html", get(stalls::hang_image))
        .route("/stream", get(stalls::stream))
        .route("/trickle", get(stalls::trickle))
        .route("/broken", any(stalls::broken))
        .route("/sse", get(stalls::sse))
        .route("/close", any(stalls::close))
        .route("/download", get(downloads::download))
        .route("/download-slow", get(downloads::download_slow))
        .route("/search", get(search::search))
        .route("/frameworks/{*path}", get(frameworks::serve))
        .route("/download-broken", any(downloads::download_broken))
        .route("/cookies", get(cookies::show))
        .route("/cookies/set", get(cookies::set))
        .route("/cookies/set-script", get(cookies::set_script))
        .fallback(fixtures::serve)
        .layer(middleware::map_response(revalidate))
        .layer(middleware::from_fn_with_state(hits, hits::count))
}

/// Every visit asks the server, so counts are exact; `no-store` would do that too, but would keep the pages out of the
/// back-forward cache that real pages live in.
async fn revalidate(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// A header value from what a test passed in, raw: anything but control characters.
fn header_value(raw: &str) -> Result<HeaderValue, Rejection> {
    HeaderValue::from_bytes(raw.as_bytes()).map_err(|_| Rejection(format!("not a header value: {raw:?}")))
}

/// A request the fixture site was not made for: 400, with the reason in the body.
struct Rejection(String);

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        (StatusCode::BAD_REQUEST, Body::from(self.0)).into_response()
    }
}

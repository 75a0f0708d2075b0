//! The static pages, one file per behaviour, served at `/<name>.html` whatever the query.

use axum::http::{StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};

use crate::html;

/// A list of names becomes a table of (path, html); the files are compiled in, so tests run from any folder.
macro_rules! fixtures {
    ($($name:literal)*) => {
        /// Every static page as (path, html), sorted by path, for tests that go over all of them.
        pub const FIXTURES: &[(&str, &str)] = &[$((
            concat!("/", $name, ".html"),
            include_str!(concat!("../fixtures/", $name, ".html")),
        )),*];
    };
}

fixtures! {
    "alert-on-load"
    "beforeunload"
    "busy-loop"
    "closes-itself"
    "confirm"
    "controls-duplicates"
    "controls"
    "csp-strict"
    "endless-mutation"
    "fetch-chain"
    "fetch-later"
    "frame-removed"
    "frames-cross-inner"
    "frames-cross-middle"
    "frames-cross"
    "frames-same-inner"
    "frames-same-middle"
    "frames-same"
    "globals-clobbered"
    "hash"
    "js-redirect"
    "meta-refresh"
    "opener-closes"
    "popup-named"
    "popup"
    "prompt"
    "read-app"
    "read-article"
    "read-chinese"
    "read-frames"
    "read-hidden"
    "read-shadow"
    "self-reload-once"
    "spa-history"
    "storage"
    "tall"
    "title-changes"
    "unicode"
    "very-tall"
}

/// Answers what no route claims: a static page, or 404.
pub(crate) async fn serve(uri: Uri) -> Response {
    let Some((path, html)) = FIXTURES.iter().find(|(path, _)| *path == uri.path()) else {
        let body = format!("<h1>Not found: {}</h1>", html::escape(uri.path()));
        return (StatusCode::NOT_FOUND, Html(html::page("not found", &body))).into_response();
    };
    let mut response = Html(*html).into_response();
    if *path == "/csp-strict.html" {
        let policy = header::HeaderValue::from_static("default-src 'none'");
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::FIXTURES;

    #[test]
    fn the_list_is_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let paths = files.map(|name| format!("/{}", name.to_str().unwrap()));
        let mut on_disk: Vec<String> = paths.filter(|path| path.ends_with(".html")).collect();
        on_disk.sort();
        let listed: Vec<&str> = FIXTURES.iter().map(|(path, _)| *path).collect();
        assert_eq!(listed, on_disk);
    }

    #[test]
    fn every_page_is_small_and_titled() {
        for (path, html) in FIXTURES {
            assert!(html.lines().count() <= 25, "{path} has outgrown its one behaviour");
            assert!(html.contains("<title>") && html.contains("charset=\"utf-8\""), "{path} lacks its head");
        }
    }
}

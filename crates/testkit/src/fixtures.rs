//! The static pages, one file per behaviour, served at `/<name>.html` whatever the query.

use axum::http::{StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};

use crate::html;

/// A list of names becomes a table of (path, html); the files are compiled in, so tests run from any folder.
macro_rules! fixtures {
    ($(#[$doc:meta])* $list:ident: $($name:literal)*) => {
        $(#[$doc])*
        pub const $list: &[(&str, &str)] = &[$((
            concat!("/", $name, ".html"),
            include_str!(concat!("../fixtures/", $name, ".html")),
        )),*];
    };
}

fixtures! {
    /// Every static page as (path, html), sorted by path, for tests that go over all of them.
    FIXTURES:
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
    "orders"
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

fixtures! {
    /// Pages of the kinds that the web is made of, each as small as it can be, in the folder `/golden/`.
    GOLDEN:
    "golden/accordion"
    "golden/app-rerenders"
    "golden/aria-owns"
    "golden/article"
    "golden/calendar"
    "golden/canvas-app"
    "golden/carousel"
    "golden/chinese"
    "golden/combobox-portal"
    "golden/custom-checkboxes"
    "golden/data-grid"
    "golden/dialog-aria"
    "golden/dialog-modal"
    "golden/drag-board"
    "golden/emoji"
    "golden/forgery"
    "golden/frame-in-shadow"
    "golden/frames-cross-inner"
    "golden/frames-cross-middle"
    "golden/frames-cross"
    "golden/frames-same-inner"
    "golden/frames-same"
    "golden/hidden-text"
    "golden/icon-buttons"
    "golden/image-map"
    "golden/inline-links"
    "golden/japanese"
    "golden/large-table"
    "golden/lists"
    "golden/menu-bar"
    "golden/pseudo-text"
    "golden/radio-groups"
    "golden/rich-text"
    "golden/right-to-left"
    "golden/search-results"
    "golden/settings-form"
    "golden/shadow-dom"
    "golden/shop-list"
    "golden/sign-in"
    "golden/svg-chart"
    "golden/tables"
    "golden/tabs"
    "golden/toast"
    "golden/tree-view"
    "golden/values"
    "golden/virtual-list"
    "golden/web-components"
}

fixtures! {
    /// Pages that are hard to act on, in the folder `/hands/`. Each writes what happened to it into `window.log`.
    HANDS:
    "hands/beforeunload-form"
    "hands/click-fails"
    "hands/click-through-layer"
    "hands/combobox-portal"
    "hands/context-menu"
    "hands/dialogs"
    "hands/disabled-then-enabled"
    "hands/double-click-edit"
    "hands/download-links"
    "hands/drag-html5"
    "hands/drag-pointer"
    "hands/dropdown-divs"
    "hands/editor-model"
    "hands/editor-toolbar"
    "hands/file-inputs"
    "hands/frame-inside-inner"
    "hands/frame-inside"
    "hands/frames-cross-inner"
    "hands/frames-cross-middle"
    "hands/frames-cross"
    "hands/hover-menu"
    "hands/keyboard-widget"
    "hands/label-checkbox"
    "hands/long-anchor"
    "hands/long-press"
    "hands/moving-css"
    "hands/moving-script"
    "hands/overlay-fades"
    "hands/overlay-stays"
    "hands/popups"
    "hands/quirks-body-scrolls"
    "hands/quirks"
    "hands/replaced-button"
    "hands/row-nested-button"
    "hands/scroll-list-endless"
    "hands/scroll-page-endless"
    "hands/scrolled-nested"
    "hands/select-groups"
    "hands/shadow-closed"
    "hands/slider-mouse"
    "hands/slider-release"
    "hands/sticky-bars"
}

fixtures! {
    /// Pages as sites really make them, for the same; in the folder `/sites/`.
    SITES:
    "sites/answers-zh"
    "sites/articles-zh"
    "sites/board"
    "sites/cart-zh"
    "sites/cart"
    "sites/chat-zh"
    "sites/flights-zh"
    "sites/food-zh"
    "sites/gadget"
    "sites/goods-zh"
    "sites/issues"
    "sites/lead"
    "sites/mailbox"
    "sites/month"
    "sites/orders-zh"
    "sites/pay"
    "sites/people"
    "sites/repository"
    "sites/results-zh"
    "sites/results"
    "sites/seats"
    "sites/settings-zh"
    "sites/sign-in"
    "sites/songs-zh"
    "sites/songs"
    "sites/stays"
    "sites/trains-zh"
    "sites/transfer-zh"
    "sites/video-zh"
}

fixtures! {
    /// Pages as people meet them, with much on them that is alike, for descriptions in plain words; in the folder `/words/`.
    WORDS:
    "words/addresses"
    "words/admin-zh"
    "words/calendar"
    "words/checkout"
    "words/colours"
    "words/dashboard"
    "words/denials"
    "words/dialog"
    "words/embedded"
    "words/feed"
    "words/files-zh"
    "words/filters-zh"
    "words/flights"
    "words/handmade"
    "words/inbox"
    "words/kanban"
    "words/login-zh"
    "words/login"
    "words/lone-button"
    "words/mail-rows"
    "words/numbers"
    "words/player"
    "words/product"
    "words/search"
    "words/settings"
    "words/shapes"
    "words/shop-zh"
    "words/shop"
    "words/sloppy"
    "words/users"
}

/// Answers what no route claims: a static page, or 404.
pub(crate) async fn serve(uri: Uri) -> Response {
    let Some((path, html)) = FIXTURES
        .iter()
        .chain(GOLDEN)
        .chain(HANDS)
        .chain(WORDS)
        .chain(SITES)
        .find(|(path, _)| *path == uri.path())
    else {
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
    use super::{FIXTURES, GOLDEN, HANDS, SITES, WORDS};

    #[test]
    fn the_lists_are_the_folders() {
        for (list, folder) in [
            (FIXTURES, "/"),
            (GOLDEN, "/golden/"),
            (HANDS, "/hands/"),
            (SITES, "/sites/"),
            (WORDS, "/words/"),
        ] {
            let on_disk = format!("{}/fixtures{folder}", env!("CARGO_MANIFEST_DIR"));
            let files = std::fs::read_dir(on_disk).unwrap().map(|entry| entry.unwrap().file_name());
            let paths = files.map(|name| format!("{folder}{}", name.to_str().unwrap()));
            let mut on_disk: Vec<String> = paths.filter(|path| path.ends_with(".html")).collect();
            on_disk.sort();
            let listed: Vec<&str> = list.iter().map(|(path, _)| *path).collect();
            assert_eq!(listed, on_disk);
        }
    }

    #[test]
    fn every_page_is_small_and_titled() {
        for (path, html) in FIXTURES.iter().chain(GOLDEN).chain(HANDS).chain(WORDS) {
            let most = match path.rsplit_once('/') {
                Some(("/words", _)) => 120,
                Some(("/golden", _)) => 40,
                _ => 25,
            };
            assert!(html.lines().count() <= most, "{path} has outgrown its one behaviour");
            if path.starts_with("/hands/") && !path.contains("-inner") && !path.contains("-middle") {
                assert!(html.contains("log = window.log = []"), "{path} does not tell what happened to it");
            }
            assert!(html.contains("<title>") && html.contains("charset=\"utf-8\""), "{path} lacks its head");
        }
    }

    /// Whoever expects an element of such a page names it by its `data-case`.
    #[test]
    fn no_case_is_there_twice() {
        for (path, html) in WORDS {
            let cases = html.split("data-case=").skip(1).map(|rest| rest[1..].split(['"', '\'']).next());
            let mut seen = std::collections::HashSet::new();
            for case in cases {
                assert!(seen.insert(case), "{path} has {case:?} twice");
            }
        }
    }
}

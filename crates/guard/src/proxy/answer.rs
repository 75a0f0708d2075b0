//! The answers that are the proxy's own: small pages that say what was blocked, or what failed, and why.

use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    Response, StatusCode,
    header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, LOCATION, X_CONTENT_TYPE_OPTIONS,
    },
};

use super::{
    Trouble,
    headers::{ERROR_HEADER, REASON_HEADER},
};

/// What a browser is told instead of the page that it asked for.
pub(crate) fn of_trouble(trouble: &Trouble) -> Response<Full<Bytes>> {
    let (status, title) = match trouble {
        Trouble::Blocked(_) => (StatusCode::FORBIDDEN, "Blocked by webhand"),
        Trouble::Timeout(_) => (StatusCode::GATEWAY_TIMEOUT, "No answer in time"),
        _ => (StatusCode::BAD_GATEWAY, "Not reachable"),
    };
    let mut hint = trouble.hint();
    if hint.contains(" --") {
        // Who reads the page may be a model, which has no command line.
        hint = format!("the person who runs webhand can {hint}");
    }
    let mut response = page(status, title, &trouble.to_string(), &hint);
    response.headers_mut().insert(ERROR_HEADER, HeaderValue::from_static(trouble.word()));
    if let Ok(reason) = HeaderValue::from_str(&in_ascii(&trouble.to_string())) {
        response.headers_mut().insert(REASON_HEADER, reason);
    }
    response
}

/// The same answer as one that no browser takes, by two places to go on to: a page that asked for a part gets a network error, as if there
/// was no answer, and the browser does not ask again.
pub(crate) fn unreadable<B>(mut response: Response<B>) -> Response<B> {
    for place in ["/1", "/2"] {
        response.headers_mut().append(LOCATION, HeaderValue::from_static(place));
    }
    response
}

/// What a program is told that does not speak to it as to a proxy.
pub(crate) fn of_nonsense(words: &str) -> Response<Full<Bytes>> {
    page(
        StatusCode::BAD_REQUEST,
        "Not a request for a proxy",
        words,
        "ask for a whole address, like http://example.com/",
    )
}

fn page(status: StatusCode, title: &str, words: &str, hint: &str) -> Response<Full<Bytes>> {
    let (words, hint) = (escaped(words), escaped(hint));
    let html = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>{title}</title><h1>{title}</h1><p>{words}</p><p>{hint}</p>\n"
    );
    let mut response = Response::new(Full::from(html));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

fn in_ascii(text: &str) -> String {
    text.chars().map(|letter| if letter == ' ' || letter.is_ascii_graphic() { letter } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;
    use crate::{Reason, Refusal};

    #[tokio::test]
    async fn what_was_asked_for_is_not_markup() {
        let place = "<img src=x onerror=alert(1)>&\"'\r\nx-evil: 1".to_owned();
        let response = of_trouble(&Trouble::Blocked(Refusal { place, reason: Reason::Port }));
        assert_eq!(response.status(), 403);
        assert_eq!(response.headers()[ERROR_HEADER], "blocked");
        assert!(
            response.headers()[REASON_HEADER]
                .to_str()
                .unwrap()
                .starts_with("<img src=x onerror=alert(1)>&\"'??x-evil")
        );
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let html = String::from_utf8(body.to_vec()).unwrap();
        assert!(html.contains("<p>&lt;img src=x onerror=alert(1)&gt;&amp;&quot;&#39;"), "{html}");
    }
}

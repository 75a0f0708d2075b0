//! The fixture site as its clients see it, through a bare TCP socket: what a browser might smooth over shows here.

#![expect(clippy::unwrap_used, reason = "the helpers are test code too, which clippy.toml cannot see")]

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::OnceLock;
use std::time::Duration;

use futures_util::FutureExt;
use testkit::{FIXTURES, FRAMEWORKS, HANDS, Site, download_bytes};

fn site() -> &'static Site {
    static SITE: OnceLock<Site> = OnceLock::new();
    SITE.get_or_init(Site::start)
}

fn send(site: &Site, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", site.port())).unwrap();
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{headers}");
    write!(stream, "{head}Content-Length: {length}\r\n\r\n{body}").unwrap();
    stream
}

/// The whole answer, head and body, as it came over the wire.
fn get(path: &str) -> String {
    answer(send(site(), "GET", path, "", ""))
}

fn answer(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

/// Reads until `text` has come, from an answer that never ends.
fn read_until(stream: &mut TcpStream, text: &str) {
    let (mut seen, mut chunk) = (String::new(), [0; 512]);
    while !seen.contains(text) {
        let length = stream.read(&mut chunk).unwrap();
        assert_ne!(length, 0, "ended before {text:?}: {seen}");
        seen.push_str(std::str::from_utf8(&chunk[..length]).unwrap());
    }
}

#[track_caller]
fn check(path: &str, status: &str, parts: &[&str]) {
    let answer = get(path);
    assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{path}: {answer}");
    for part in parts {
        assert!(answer.contains(part), "{path} lacks {part:?}: {answer}");
    }
}

#[test]
fn the_pages_of_frameworks_are_served() {
    testkit::frameworks();
    for framework in FRAMEWORKS {
        let path = |file: &str| format!("/frameworks/{framework}/{file}");
        check(&path("form.html"), "200", &["content-type: text/html; charset=utf-8", "<div id=\"app\">"]);
        check(&path("form.js"), "200", &["content-type: text/javascript; charset=utf-8"]);
    }
    check("/frameworks/form.css", "200", &["content-type: text/css; charset=utf-8"]);
    for path in [
        "/frameworks/none.html",
        "/frameworks/react",
        "/frameworks/..%2Flock",
        "/frameworks/react/..%2F..%2Fx.html",
    ] {
        check(path, "404", &[]);
    }
}

#[test]
fn a_search_finds_by_what_was_asked() {
    check("/search?q=BER", "200", &["content-type: application/json", "[\"Berlin\",\"Bergen\",\"Bern\"]"]);
    check("/search?q=nowhere", "200", &["[]"]);
}

#[test]
fn routes_answer() {
    check("/", "200", &["content-type: text/html; charset=utf-8", "<a href=\"/tall.html\">"]);
    check("/page?title=a%3Cb&body=%3Cp%3Ehi", "200", &["<title>a&lt;b</title>", "\n<p>hi"]);
    check("/page?title=plain", "200", &["<h1>plain</h1>", "cache-control: no-cache"]);
    check("/status/200", "200", &["<h1>status 200</h1>"]);
    check("/status/404", "404", &["<h1>status 404</h1>"]);
    check("/status/503", "503", &["<h1>status 503</h1>"]);
    check("/status/100", "400", &["not a final status"]);
    check("/redirect?to=/page?title=x%26y", "302", &["location: /page?title=x&y\r\n"]);
    check("/redirect?to=http://a.localhost/&code=308", "308", &["location: http://a.localhost/\r\n"]);
    check("/redirect?code=200", "400", &["not a redirect status"]);
    check("/redirect?to=a%0d%0ab", "400", &["not a header value"]);
    check("/slow?ms=1", "200", &["<h1>slow</h1>"]);
    check("/slow?ms=soon", "400", &["ms is not a number"]);
    check("/slow-image.html?ms=7", "200", &["src=\"/image.png?ms=7\""]);
    check("/hang-image.html?test=a", "200", &["src=\"/hang?test=a\""]);
    check("/cookies/set?a=1&b=2", "200", &["set-cookie: a=1; Path=/\r\n", "set-cookie: b=2; Path=/\r\n"]);
    check("/cookies", "200", &["<pre id=\"cookies\"></pre>"]);
    check("/cookies/set-script", "200", &["document.cookie ="]);
    check("/tall.html?whatever", "200", &["<title>tall</title>"]);
    check("/csp-strict.html", "200", &["content-security-policy: default-src 'none'\r\n"]);
    check("/no-such-page", "404", &["Not found: /no-such-page"]);
}

#[test]
fn every_fixture_is_served() {
    for (path, html) in FIXTURES.iter().chain(HANDS) {
        check(path, "200", &[html]);
    }
}

#[test]
fn an_empty_status_has_no_body() {
    let answer = get("/status/204");
    assert!(answer.starts_with("HTTP/1.1 204 ") && answer.ends_with("\r\n\r\n"), "{answer}");
}

#[test]
fn a_chain_redirects_as_often_as_it_says() {
    let mut path = "/redirect-chain/3".to_owned();
    for _ in 0..3 {
        let answer = get(&path);
        let (_, location) = answer.split_once("location: ").unwrap();
        location.lines().next().unwrap().clone_into(&mut path);
    }
    check(&path, "200", &["<title>end</title>"]);
    check("/redirect-chain/0", "200", &["<title>end</title>"]);
}

#[test]
fn cookies_come_back_escaped() {
    let answer = answer(send(site(), "GET", "/cookies", "Cookie: a=1; b=<i>\r\n", ""));
    assert!(answer.contains("<pre id=\"cookies\">a=1; b=&lt;i&gt;</pre>"), "{answer}");
}

#[test]
fn echo_shows_the_request() {
    let answer = answer(send(site(), "POST", "/echo", "X-Test: yes\r\n", "\"hi\" & bye"));
    for part in [
        "&quot;method&quot;: &quot;POST&quot;",
        "&quot;x-test&quot;: &quot;yes&quot;",
        "&quot;body&quot;: &quot;\\&quot;hi\\&quot; &amp; bye&quot;",
    ] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
}

#[test]
fn downloads_are_named_raw_and_predictable() {
    let content = String::from_utf8(download_bytes(30)).unwrap();
    assert_eq!(content, "abcdefghijklmnopqrstuvwxyzabcd");
    let name = "content-disposition: attachment; filename=\"../../evil\"\r\n";
    for path in ["/download?name=../../evil&bytes=30", "/download-slow?name=..%2F..%2Fevil&bytes=30&ms=1"] {
        check(path, "200", &[name, "content-length: 30\r\n", &format!("\r\n\r\n{content}")]);
    }
    check("/download?bytes=1", "200", &["filename=\"file.txt\"", "\r\n\r\na"]);
}

#[test]
fn close_gives_no_answer_and_the_site_goes_on() {
    assert_eq!(get("/close"), "");
    check("/page", "200", &[]);
}

#[test]
fn refused_url_refuses() {
    let url = site().refused_url();
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    assert_eq!(TcpStream::connect(address).unwrap_err().kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn half_an_answer_comes_and_stays_open() {
    for (path, start) in [("/stream", "<h1>first half</h1>"), ("/sse", "data: hello\n\n")] {
        let mut stream = send(site(), "GET", path, "", "");
        read_until(&mut stream, start);
        stream.set_nonblocking(true).unwrap();
        // Either nothing more for now, or the rest of the chunk just read; never the end.
        match stream.read(&mut [0; 512]) {
            Ok(length) => assert_ne!(length, 0, "{path} ended"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock, "{path}"),
        }
    }
}

#[test]
fn hosts_differ_and_the_port_does_not() {
    let port = site().port();
    assert_eq!(site().url("/x"), format!("http://127.0.0.1:{port}/x"));
    assert_eq!(site().on("a.localhost", "/x"), format!("http://a.localhost:{port}/x"));
}

#[test]
fn an_inline_page_survives_its_url() {
    let body = "<p title='a&b'>50% of 购物车 + \"#1\"?</p>";
    let url = site().page("标题 & more", body);
    let path = url.strip_prefix(&site().url("")).unwrap();
    check(path, "200", &["<title>标题 &amp; more</title>", body]);
}

#[test]
fn hits_count_path_and_query() {
    let site = Site::start();
    for path in ["/page?a", "/page?a", "/page?b", "/gone"] {
        answer(send(&site, "GET", path, "", ""));
    }
    for (path, hits) in [("/page?a", 2), ("/page?b", 1), ("/page", 0), ("/gone", 1), ("/never", 0)] {
        assert_eq!(site.hits(path), hits, "{path}");
    }
}

#[tokio::test]
async fn hit_waits_for_requests_that_hang() {
    let site = Site::start();
    site.hit("/hang", 0).await;
    let first = send(&site, "GET", "/hang", "", "");
    site.hit("/hang", 1).await;
    let mut both = Box::pin(site.hit("/hang", 2));
    assert!((&mut both).now_or_never().is_none(), "one request is not two");
    let second = send(&site, "GET", "/hang", "", "");
    both.await;
    assert_eq!(site.hits("/hang"), 2);
    drop((first, second));
}

#[test]
fn dropping_the_site_ends_what_hangs() {
    let site = Site::start();
    let mut hanging = send(&site, "GET", "/stream", "", "");
    read_until(&mut hanging, "never");
    drop(site);
    // A bound for the failing case only. A clean close and a reset are both an end; a time-out is not.
    hanging.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let end = hanging.read_to_end(&mut Vec::new()).map_err(|error| error.kind());
    assert_ne!(end, Err(ErrorKind::WouldBlock), "still open");
}

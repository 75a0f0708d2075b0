//! `webhand serve`: who is let in, and what those get who are not.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::json;

use crate::server::{Answer, Server};
use crate::support::Home;

#[test]
fn strangers_stay_outside() {
    let home = Home::new();
    let server = Server::start(&home);
    let without = |path: &str| server.send("GET", path, b"", &[("host", &server.address)]).answer();
    for path in
        ["/v1/tools", "/v1/sessions", "/openapi.json", "/metrics", "/v1/events", "/mcp", "/nothing", "/"]
    {
        let answer = without(path);
        assert_eq!((answer.status, &*answer.code()), (401, "ACTION_DENIED"), "{path}");
        assert!(answer.headers["www-authenticate"].starts_with("Bearer"));
    }
    assert_eq!(without("/healthz").status, 200);
    let status = |headers: &[(&str, &str)]| server.ask("GET", "/v1/tools", b"", headers).status;
    assert_eq!(status(&[]), 200);
    assert_eq!(status(&[("authorization", "Bearer 0")]), 401);
    assert_eq!(status(&[("authorization", &server.token)]), 401);
    assert_eq!(status(&[("host", "evil.example")]), 403);
    assert_eq!(status(&[("host", "127.0.0.1.evil.example")]), 403);
    assert_eq!(status(&[("origin", "http://evil.example")]), 403);
    assert_eq!(status(&[("origin", "null")]), 403);
    assert_eq!(status(&[("origin", &format!("http://{}", server.address))]), 200);
    // Neither is told apart by whether there is a token.
    let foreign = [("host", "evil.example")];
    assert_eq!(server.send("GET", "/healthz", b"", &foreign).answer().status, 403);
    assert_eq!(server.ask("POST", "/mcp", b"{}", &foreign).status, 403);
}

#[test]
fn the_token_is_its_owners_and_stays() {
    let home = Home::new();
    let first = Server::start(&home);
    let file = home.path().join("token");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(first.token.len(), 64);
    let token = first.token.clone();
    drop(first);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let second = Server::start(&home);
    assert_eq!(second.token, token);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_is_not_understood_is_a_result_too() {
    let home = Home::new();
    let server = Server::start(&home);
    let check = |answer: Answer, status: u16, code: &str| {
        assert_eq!((answer.status, &*answer.code()), (status, code), "{}", answer.body);
        assert_eq!(answer.headers["content-type"], "application/json");
    };
    let post = |path: &str, body: &str| server.ask("POST", path, body.as_bytes(), &[]);
    check(server.get("/nothing"), 404, "UNKNOWN_TOOL");
    check(server.get("/v1/tools/nothing"), 404, "UNKNOWN_TOOL");
    check(server.get("/v1/tools/%ff"), 404, "UNKNOWN_TOOL");
    check(server.ask("PUT", "/v1/tools", b"", &[]), 405, "UNSUPPORTED");
    check(server.get("/v1/tools/browser/browser_click"), 405, "UNSUPPORTED");
    check(post("/v1/tools/nothing/browser_click", "{}"), 404, "UNKNOWN_TOOL");
    check(post("/v1/tools/browser/nothing", "{}"), 404, "UNKNOWN_TOOL");
    check(post("/v1/tools/browser/browser_pdf_save", "{}"), 404, "UNKNOWN_TOOL");
    let navigate = "/v1/tools/browser/browser_navigate";
    for body in ["", "{}", "[]", "7", "{\"url\": 7}", "{\"uri\": \"\"}", "not json", "{\"url\": \"\\ud800\"}"]
    {
        check(post(navigate, body), 400, "INVALID_INPUT");
    }
    check(post(&format!("{navigate}?session=../x"), "{\"url\": \"http://x\"}"), 400, "INVALID_INPUT");
    // The tool has looked at it and will not.
    check(post(navigate, "{\"url\": \"ftp://x\"}"), 200, "NAVIGATION_BLOCKED");
    check(server.ask("DELETE", "/v1/sessions/nothing", b"", &[]), 404, "SESSION_NOT_FOUND");
    check(server.ask("DELETE", "/v1/sessions/%2e%2e", b"", &[]), 404, "SESSION_NOT_FOUND");
}

#[test]
fn a_hundred_megabytes_are_too_many() {
    let home = Home::new();
    let server = Server::start(&home);
    let large = vec![b' '; 100_000_000];
    let answer = server.ask("POST", "/v1/tools/browser/browser_click", &large, &[]);
    assert_eq!((answer.status, &*answer.code()), (413, "INVALID_INPUT"));
    let accepts = [("accept", "application/json, text/event-stream"), ("content-type", "application/json")];
    let just_enough = json!({"url": "x".repeat(7 << 20)}).to_string();
    assert_ne!(
        server.ask("POST", "/v1/tools/browser/browser_navigate", just_enough.as_bytes(), &[]).status,
        413
    );
    assert_eq!(server.ask("POST", "/mcp", &vec![b' '; 9 << 20], &accepts).status, 413);
    assert_eq!(server.get("/healthz").status, 200);
}

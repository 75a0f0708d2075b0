//! `open`: what it answers, and what it refuses.

use crate::support::{Home, code, data, site};

#[test]
fn the_answer_tells_where_the_tab_is() {
    let home = Home::whole();
    let url = site().page("Opened", "<p>hello</p>");
    let answer = home.data(&["open", &url]);
    assert_eq!(answer["session"], "default");
    assert_eq!(answer["tab"], "t1");
    assert_eq!(answer["url"], url);
    assert_eq!(answer["title"], "Opened");
    assert_eq!(answer["status"], 200);

    let missing = home.data(&["open", &site().url("/nothing-here")]);
    assert_eq!((&missing["status"], &missing["title"]), (&404.into(), &"not found".into()));

    let target = site().url("/redirect?to=/page%3Ftitle%3DEnd");
    let redirected = home.data(&["open", &target]);
    assert_eq!(redirected["url"], site().url("/page?title=End"));
    assert_eq!(redirected["navigation"]["redirects"][0], target);

    let people = home.run(&["open", &url]).text();
    assert_eq!(people, format!("t1  Opened\n    {url}  200\n"));

    the_browsers_own_words_are_the_cause(&home);
}

fn the_browsers_own_words_are_the_cause(home: &Home) {
    let refused = home.ask(&["open", &site().refused_url()]);
    assert_eq!(code(&refused), "NAVIGATION_FAILED");
    assert_eq!(refused["error"]["cause"], "net::ERR_CONNECTION_REFUSED");

    let unknown = home.ask(&["open", "http://nobody.invalid/"]);
    assert_eq!(code(&unknown), "NAVIGATION_FAILED");
    let cause = unknown["error"]["cause"].as_str().unwrap();
    assert!(cause.starts_with("net::ERR_"), "{cause}");

    assert_eq!(home.data(&["open", &site().url("/")])["title"], "fixtures", "and the session goes on");
}

/// Needs no browser: nothing is started for an address that is refused.
#[test]
fn what_is_no_address_is_refused() {
    let home = Home::whole();
    let check = |address: &str, expected: &str| {
        let answer = home.ask(&["open", address]);
        assert_eq!(code(&answer), expected, "{address}");
        assert!(!answer.to_string().contains("hunter2"), "{answer}");
    };
    check("ftp://x", "NAVIGATION_BLOCKED");
    check("file:///etc/passwd", "NAVIGATION_BLOCKED");
    check("javascript:alert(1)", "NAVIGATION_BLOCKED");
    check("http://user:hunter2@host/", "NAVIGATION_BLOCKED");
    check("http://user:hunter2@host:99999/", "INVALID_INPUT");
    check("nonsense", "INVALID_INPUT");
    check("", "INVALID_INPUT");

    assert_eq!(home.data(&["sessions"])["sessions"], serde_json::json!([]), "no session has come of it");
    assert!(!home.run(&["history", "--json"]).text().contains("hunter2"));
}

#[test]
fn errors_for_people_go_to_standard_error() {
    let home = Home::whole();
    let ran = home.run(&["open", "http://user:hunter2@host/"]);
    assert_eq!((ran.exit, &*ran.stdout), (Some(1), ""));
    assert!(ran.stderr.starts_with("error NAVIGATION_BLOCKED: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("\n  hint:  "), "{}", ran.stderr);
    assert!(!ran.stderr.contains("hunter2"), "{}", ran.stderr);

    let ran = home.run(&["open", "nonsense"]);
    assert_eq!((ran.exit, &*ran.stdout), (Some(1), ""));
    assert!(ran.stderr.contains("INVALID_INPUT") && ran.stderr.contains("\n  cause: "), "{}", ran.stderr);
}

#[test]
fn a_mistake_on_the_command_line_exits_with_2() {
    let home = Home::whole();
    let mistakes: &[&[&str]] = &[
        &[],
        &["fly"],
        &["goto"],
        &["open", "http://a/", "http://b/"],
        &["wait", "soon"],
        &["--tab", "two", "tabs"],
        &["--session", "../x", "tabs"],
        &["--timeout", "later", "tabs"],
        &["dialog", "ignore"],
    ];
    for args in mistakes {
        let ran = home.run(args);
        assert_eq!((ran.exit, &*ran.stdout), (Some(2), ""), "{args:?}");
        assert!(!ran.stderr.is_empty(), "{args:?}");
    }
    assert_eq!(data(home.ask(&["status"]))["running"], false, "none of them reached a daemon");
}

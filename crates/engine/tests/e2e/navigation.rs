//! Loading pages, and what is said of what came of it.

use std::time::Duration;

use contract::{Code, NavigationKind};
use engine::{
    Until,
    actions::{Back, Forward, Goto, Open, Reload, Tabs, TabsOp},
};

use crate::{
    clicking::click,
    support::{code, goto, run, site},
};

fn kind(outcome: &contract::Outcome) -> NavigationKind {
    outcome.navigation.as_ref().unwrap().kind
}

#[test]
fn a_page_comes_with_tab_address_title_and_status() {
    run(async |s| {
        let outcome = s.open(&site().url("/page?title=Hello")).await;
        assert_eq!(outcome.tab.unwrap().to_string(), "t1");
        assert_eq!(outcome.url.as_deref(), Some(&*site().url("/page?title=Hello")));
        assert_eq!(outcome.title.as_deref(), Some("Hello"));
        assert_eq!(outcome.status, Some(200));
        assert_eq!(kind(&outcome), NavigationKind::Document);
    });
}

#[test]
fn an_error_status_is_an_answer_not_a_failure() {
    run(async |s| {
        assert_eq!(s.open(&site().url("/status/404")).await.status, Some(404));
        assert_eq!(s.open(&site().url("/status/500")).await.status, Some(500));
    });
}

#[test]
fn redirects_are_followed_and_told() {
    run(async |s| {
        let outcome = s.open(&site().url("/redirect-chain/3")).await;
        assert_eq!(outcome.title.as_deref(), Some("end"));
        let redirects = outcome.navigation.unwrap().redirects;
        assert_eq!(redirects.len(), 3, "{redirects:?}");
        assert_eq!(redirects[0], site().url("/redirect-chain/3"));
    });
}

#[test]
fn a_script_that_redirects_at_once_ends_at_the_new_page() {
    run(async |s| {
        let target = site().url("/page?title=there");
        let outcome = s.open(&site().url(&format!("/js-redirect.html?to={target}"))).await;
        // Either the redirect came before `load`, or it is under way; the page it leads to is reached in both cases.
        if outcome.title.as_deref() != Some("there") {
            s.perform(engine::actions::Wait::until(Until::NetworkIdle)).await.unwrap();
        }
        assert_eq!(s.eval("document.title").await, "there");
    });
}

#[test]
fn nothing_to_show_leaves_the_tab_where_it_was() {
    run(async |s| {
        let before = site().url("/page?title=before");
        s.open(&before).await;
        let outcome = s.perform(goto(&site().url("/status/204"))).await.unwrap();
        assert_eq!(kind(&outcome), NavigationKind::NoContent);
        assert_eq!((outcome.status, outcome.url.as_deref()), (Some(204), Some(&*before)));
        assert_eq!(s.eval("document.title").await, "before");
    });
}

#[test]
fn a_fragment_moves_within_the_document() {
    run(async |s| {
        s.open(&site().url("/hash.html")).await;
        s.eval("document.body.dataset.mark = 'same'").await;
        let outcome = s.perform(goto(&site().url("/hash.html#b"))).await.unwrap();
        assert_eq!(kind(&outcome), NavigationKind::SameDocument);
        assert!(outcome.url.unwrap().ends_with("/hash.html#b"));
        assert_eq!(s.eval("document.body.dataset.mark").await, "same");
        // The same address once more is no hang either.
        let again = s.perform(goto(&site().url("/hash.html#b"))).await.unwrap();
        assert!(again.url.unwrap().ends_with("#b"));
    });
}

#[test]
fn an_unreachable_host_fails_with_the_browsers_own_words() {
    run(async |s| {
        let error = s.perform(goto(&site().refused_url())).await.unwrap_err();
        assert_eq!(error.code, Code::NavigationFailed);
        assert_eq!(error.cause.as_deref(), Some("net::ERR_CONNECTION_REFUSED"));
        let tabs = s.perform(Tabs::default()).await.unwrap().tabs.unwrap();
        assert_eq!(tabs[0].url, site().refused_url(), "the tab is at the address that did not answer");
        let error = s.perform(goto(&site().url("/close"))).await.unwrap_err();
        assert_eq!(error.cause.as_deref(), Some("net::ERR_EMPTY_RESPONSE"));
        s.open(&site().url("/page?title=fine")).await;
    });
}

#[test]
fn bad_addresses_are_refused_before_any_browser_is_asked() {
    run(async |s| {
        for (address, expected) in [
            ("ftp://x", Code::NavigationBlocked),
            ("http://user:pw@host/", Code::NavigationBlocked),
            ("file:///etc/passwd", Code::NavigationBlocked),
            ("nonsense", Code::InvalidInput),
        ] {
            let open = Open { url: Some(address.into()), until: Until::Load };
            assert_eq!(code(s.perform(open).await), expected, "{address}");
        }
        assert!(!s.engine.has(&s.name), "a session that never started is not kept");
        s.open(&site().url("/")).await;
    });
}

#[test]
fn back_forward_and_reload() {
    run(async |s| {
        s.open(&site().url("/page?title=one")).await;
        assert_eq!(
            code(s.perform(Back::default()).await),
            Code::NavigationFailed,
            "the blank page is no page"
        );
        s.open(&site().url("/page?title=two")).await;
        assert_eq!(s.perform(Back::default()).await.unwrap().title.as_deref(), Some("one"));
        assert_eq!(s.perform(Forward::default()).await.unwrap().title.as_deref(), Some("two"));
        assert_eq!(code(s.perform(Forward::default()).await), Code::NavigationFailed);
        s.eval("document.body.dataset.mark = 'old'").await;
        let reloaded = s.perform(Reload::default()).await.unwrap();
        assert_eq!(reloaded.status, Some(200));
        assert_eq!(s.eval("document.body.dataset.mark === undefined").await, true);
    });
}

#[test]
fn back_within_a_document() {
    run(async |s| {
        s.open(&site().url("/hash.html")).await;
        s.perform(goto(&site().url("/hash.html#a"))).await.unwrap();
        let outcome = s.perform(Back::default()).await.unwrap();
        assert_eq!(kind(&outcome), NavigationKind::SameDocument);
        assert!(outcome.url.unwrap().ends_with("/hash.html"));
    });
}

#[test]
fn waiting_for_less_returns_earlier() {
    run(async |s| {
        // The image never comes: `load` never happens, the rest does.
        let page = site().url("/hang-image.html?test=less");
        for until in [Until::Commit, Until::DomContentLoaded] {
            s.perform(Goto { url: (&*page).into(), until }).await.unwrap();
        }
        let usual = Goto { url: (&*page).into(), until: Until::default() };
        let outcome = s.within(Duration::from_secs(2), usual).await.unwrap();
        assert_eq!(outcome.notes, ["the page is still loading"], "nobody asked to wait for all of it");
        let all = Goto { url: (&*page).into(), until: Until::Load };
        let error = s.within(Duration::from_secs(2), all).await.unwrap_err();
        assert_eq!(error.code, Code::Timeout);
        assert!(error.hint().contains("--until"), "{}", error.hint());
        assert!(s.eval("document.title").await.is_string(), "the page is there and can be used");
    });
}

#[test]
fn a_server_that_never_answers_times_out_and_leaves_the_session_usable() {
    run(async |s| {
        s.open(&site().url("/page?title=before")).await;
        assert_eq!(
            code(s.within(Duration::from_millis(400), goto(&site().url("/hang"))).await),
            Code::Timeout
        );
        assert_eq!(s.eval("document.title").await, "before");
        assert_eq!(s.open(&site().url("/page?title=after")).await.title.as_deref(), Some("after"));
    });
}

#[test]
fn a_caller_that_goes_away_calls_its_navigation_off() {
    run(async |s| {
        s.open(&site().url("/page?title=before")).await;
        let hang = "/hang?test=goes-away";
        let going = {
            let (s, url) = (s.clone(), site().url(hang));
            tokio::spawn(async move { s.perform(goto(&url)).await })
        };
        site().hit(hang, 1).await;
        going.abort();
        assert!(going.await.unwrap_err().is_cancelled());
        assert_eq!(s.open(&site().url("/page?title=after")).await.title.as_deref(), Some("after"));
    });
}

#[test]
fn a_page_that_never_lets_go_is_stopped_and_left() {
    run(async |s| {
        for host in ["127.0.0.1", "localhost"] {
            s.open(&site().url("/busy-loop.html")).await;
            // The page says that it hangs, on a way that does not need it any more.
            let last_word = format!("/page?title=last-word-on-{host}");
            let hang = engine::actions::Eval {
                world: engine::actions::World::Main,
                ..engine::actions::Eval::new(format!(
                    "setTimeout(() => {{ navigator.sendBeacon('{last_word}'); while (true) {{}} }}, 0), 1"
                ))
            };
            s.perform(hang).await.unwrap();
            site().hit(&last_word, 1).await;
            let free = format!("/page?title=free&test=never-lets-go-{host}");
            let outcome = s.perform(goto(&site().on(host, &free))).await.unwrap();
            assert_eq!((outcome.title.as_deref(), outcome.status), (Some("free"), Some(200)));
            assert_eq!((outcome.tab.unwrap().0, site().hits(&free)), (1, 1), "the same tab, one request");
            assert!(outcome.notes.iter().any(|note| note.contains("was stopped")), "{:?}", outcome.notes);
            assert_eq!(s.eval("document.title").await, "free");
        }
    });
}

#[test]
fn a_reload_is_not_mistaken_for_what_the_page_does_meanwhile() {
    run(async |s| {
        s.open(&site().url("/slow?ms=300&test=reload")).await;
        s.eval("setInterval(() => history.replaceState(null, '', '#' + Math.random()), 10), 1").await;
        let outcome = s.perform(Reload::default()).await.unwrap();
        assert_eq!(kind(&outcome), NavigationKind::Document);
        assert_eq!(site().hits("/slow?ms=300&test=reload"), 2);
    });
}

#[test]
fn a_page_that_a_form_led_to_is_not_sent_for_again_unasked() {
    run(async |s| {
        let form = "<form method=post action='/echo?posted'><button name=b value=1>Send</button></form>";
        s.open(&site().page("form", form)).await;
        s.perform(click("Send")).await.unwrap();
        let error = s.perform(Reload::default()).await.unwrap_err();
        assert_eq!((error.code, site().hits("/echo?posted")), (Code::ActionDenied, 1), "{error}");
        let outcome = s.perform(Reload { resubmit: true, ..Reload::default() }).await.unwrap();
        assert_eq!((outcome.title.as_deref(), site().hits("/echo?posted")), (Some("echo"), 2));
        // Going back does not send it, and what is not kept is said to be.
        s.perform(goto(&site().url("/page?title=elsewhere"))).await.unwrap();
        let back = s.perform(Back::default()).await;
        assert_eq!(site().hits("/echo?posted"), 2, "{back:?}");
        if let Err(error) = back {
            assert!(error.hint().contains("form"), "{error}");
        }
        s.perform(goto(&site().url("/echo?posted"))).await.unwrap();
        s.perform(Reload::default()).await.unwrap();
    });
}

#[test]
fn a_page_of_which_only_a_part_comes_is_named() {
    run(async |s| {
        s.open(&site().url("/page?title=before")).await;
        let error = s.within(Duration::from_secs(3), goto(&site().url("/stream"))).await.unwrap_err();
        assert_eq!(error.code, Code::Timeout);
        assert!(
            error.message.contains(&site().url("/stream")) && error.message.contains("server"),
            "{error}"
        );
        let load = Goto { url: (&*site().url("/hang-image.html")).into(), until: Until::Load };
        let error = s.within(Duration::from_secs(3), load).await.unwrap_err();
        assert!(error.message.contains(&site().url("/hang-image.html")), "{error}");
    });
}

#[test]
fn a_reload_that_has_nothing_to_show_or_is_a_file_is_no_hang() {
    run(async |s| {
        for (path, expected) in [
            ("/status/204?test=reload", NavigationKind::NoContent),
            ("/download?name=again.txt&bytes=9", NavigationKind::Download),
        ] {
            s.open(&site().url("/page?title=here")).await;
            // The page stays, and has another address from now on.
            s.eval(&format!("history.replaceState(null, '', '{path}'), 1")).await;
            let outcome = s.perform(Reload::default()).await.unwrap();
            assert_eq!(kind(&outcome), expected, "{path}");
            assert_eq!(outcome.downloads.len(), usize::from(expected == NavigationKind::Download));
            assert_eq!(s.eval("document.title").await, "here");
        }
    });
}

#[test]
fn the_outcome_is_not_older_than_the_action() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        for n in 0..40 {
            let outcome = s.perform(crate::support::eval(&format!("location.hash = 'h{n}'"))).await.unwrap();
            assert!(outcome.url.as_ref().is_some_and(|url| url.ends_with(&format!("#h{n}"))), "{outcome:?}");
        }
    });
}

#[test]
fn two_navigations_of_one_tab_take_turns() {
    run(async |s| {
        s.open(&site().url("/")).await;
        let (one, two) = (goto(&site().url("/slow?ms=100&n=1")), goto(&site().url("/slow?ms=100&n=2")));
        let (one, two) = tokio::join!(s.perform(one), s.perform(two));
        assert!(one.unwrap().url.unwrap().ends_with("n=1"));
        assert!(two.unwrap().url.unwrap().ends_with("n=2"));
    });
}

#[test]
fn an_address_without_its_scheme_is_completed() {
    run(async |s| {
        let whole = site().url("/page?title=short");
        let outcome = s.perform(goto(whole.strip_prefix("http://").unwrap())).await.unwrap();
        assert_eq!((outcome.title.as_deref(), outcome.url.as_deref()), (Some("short"), Some(&*whole)));
        assert!(
            outcome.notes.iter().any(|note| note.contains("http:// was put before")),
            "{:?}",
            outcome.notes
        );
        assert!(s.perform(goto(&whole)).await.unwrap().notes.is_empty());
    });
}

const BUTTON: &str = "<button onclick=\"this.textContent = 'pressed'\">Press</button>";

#[test]
fn a_page_that_asks_for_a_password_is_an_answer_and_takes_no_clicks_from_the_next() {
    run(async |s| {
        for number in 0..8 {
            let outcome = s.perform(goto(&site().url("/auth"))).await.unwrap();
            assert_eq!((outcome.status, outcome.title.as_deref()), (Some(401), Some("auth")));
            if number % 2 == 0 {
                s.open(&site().page("after", BUTTON)).await;
            }
            s.perform(click("css=button")).await.unwrap();
            assert_eq!(s.eval("document.querySelector('button').textContent").await, "pressed");
        }
        // Nor does a part of a page that asks for one.
        s.open(&site().page("part", &format!("{BUTTON}<script>fetch('/auth')</script><img src='/auth'>")))
            .await;
        s.perform(click("css=button")).await.unwrap();
        assert_eq!(s.eval("document.querySelector('button').textContent").await, "pressed");
    });
}

#[test]
fn clicks_land_right_after_navigations_that_failed() {
    run(async |s| {
        let after = site().page("after", BUTTON);
        for (address, stays) in [
            (site().refused_url(), false),
            (site().url("/close"), false),
            (site().url("/redirect-chain/30"), false),
            (site().url("/").replace("http://", "https://"), false),
            (site().url("/status/204"), true),
            (site().url("/download?name=left.txt&bytes=9"), true),
        ] {
            s.open(&after).await;
            drop(s.perform(goto(&address)).await);
            if !stays {
                s.open(&after).await;
            }
            s.perform(click("css=button")).await.unwrap_or_else(|error| panic!("{address}: {error}"));
            assert_eq!(s.eval("document.querySelector('button').textContent").await, "pressed", "{address}");
        }
    });
}

#[test]
fn a_failed_navigation_has_the_hint_that_fits_its_reason() {
    run(async |s| {
        for (address, cause, word) in [
            (site().refused_url(), "net::ERR_CONNECTION_REFUSED", "server is running"),
            (site().url("/close"), "net::ERR_EMPTY_RESPONSE", "without an answer"),
            (site().url("/redirect-chain/30"), "net::ERR_TOO_MANY_REDIRECTS", "redirects"),
            (site().url("/").replace("http://", "https://"), "net::ERR_SSL_PROTOCOL_ERROR", "http://"),
            ("http://no-such-name.invalid/".into(), "net::ERR_NAME_NOT_RESOLVED", "spelling"),
        ] {
            let error = s.perform(goto(&address)).await.unwrap_err();
            assert_eq!(
                (error.code, error.cause.as_deref()),
                (Code::NavigationFailed, Some(cause)),
                "{address}"
            );
            assert!(error.hint().contains(word), "{address}: {}", error.hint());
        }
    });
}

#[test]
fn the_blank_page_opens_in_the_tab_and_in_a_new_one() {
    run(async |s| {
        s.open(&site().url("/page?title=before")).await;
        let outcome = s.perform(goto("about:blank")).await.unwrap();
        assert_eq!((outcome.url.as_deref(), outcome.status), (Some("about:blank"), None));
        assert_eq!(s.perform(Back::default()).await.unwrap().title.as_deref(), Some("before"));
        let blank = TabsOp::Open { url: Some("about:blank".into()), until: Until::Load };
        let outcome = s.perform(Tabs { op: Some(blank) }).await.unwrap();
        assert_eq!((outcome.tab.unwrap().0, outcome.url.as_deref()), (2, Some("about:blank")));
        let open = Open { url: Some("about:blank".into()), until: Until::Load };
        assert_eq!(s.perform(open).await.unwrap().url.as_deref(), Some("about:blank"));
        assert_eq!(code(s.perform(goto("about:version")).await), Code::NavigationBlocked);
    });
}

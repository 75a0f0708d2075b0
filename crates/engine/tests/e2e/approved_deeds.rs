//! An approval is for one deed. A page that changes between the question and the deed gets no other done: the person is asked again, or
//! nothing happens. Counted at the server that the forms go to.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use contract::{Code, Error, Outcome, Span};
use engine::{
    Action, Front, Request,
    actions::{Click, Fill, Press, Snapshot},
};
use guard::approvals::{Approval, By, Reply};
use tokio::task::JoinHandle;

use crate::support::{Fixture, code, goto, run_in_shell, runtime, site};

/// The session of a test, where sending forms is asked about.
fn asking(test: impl AsyncFnOnce(Fixture)) {
    // Tests change the page by scripts, which the rule would be about as well.
    asking_about(r#"{"effect": "submit", "decide": "ask", "front": ["mcp", "http"]}"#, test);
}

fn asking_about(rules: &str, test: impl AsyncFnOnce(Fixture)) {
    let rules = rules.parse().unwrap();
    run_in_shell(async move |mut s| {
        s.options.policy = rules;
        test(s).await;
    });
}

/// Where a form goes that no other test sends.
fn path() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!("/echo?deed{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

fn hits(path: &str) -> usize {
    site().hits(path) + site().hits(&format!("{path}-bad"))
}

/// A page with a form that goes to the path, and another form that would go elsewhere.
fn page(path: &str) -> String {
    site().page(
        "deed",
        &format!(
            "<form id=f method=post action='{path}'><input name=to value=alice aria-label=To>\
             <input type=hidden name=sum value=100><button id=b>Send</button></form>\
             <form id=evil method=post action='{path}-bad'><input type=hidden name=to value=mallory>\
             <button id=other style='position:fixed;left:600px;top:300px'>Other</button></form>"
        ),
    )
}

fn waiting(s: &Fixture) -> Vec<Arc<Approval>> {
    let list = s.engine.approvals().list();
    list.into_iter().filter(|approval| approval.session == s.name).collect()
}

/// Waits until exactly something is asked.
async fn asked(s: &Fixture) -> Arc<Approval> {
    let mut changes = s.engine.approvals().subscribe();
    loop {
        if let [approval] = &*waiting(s) {
            return approval.clone();
        }
        changes.recv().await.unwrap();
    }
}

fn answer(s: &Fixture, approval: &Approval, reply: Reply) {
    s.engine.approvals().answer(&approval.id, reply, By::Library).unwrap();
}

fn begin(s: &Fixture, request: Request) -> JoinHandle<Result<Outcome, Error>> {
    let s = s.clone();
    runtime().spawn(async move { s.request(request).await })
}

fn click(target: &str) -> Request {
    Request { front: Front::Mcp, ..Request::new(Click::new(target.parse().unwrap())) }
}

/// One that cannot wait for a person.
fn late(request: Request) -> Request {
    Request { patience: Some(Span(Duration::from_millis(50))), ..request }
}

async fn show_frame(s: &Fixture) -> String {
    s.perform(Snapshot::default()).await.unwrap().snapshot.unwrap().text
}

/// What a page does between the question and the deed.
const CHANGES: [(&str, &str); 14] = [
    ("label", "b.textContent = 'Delete everything'"),
    ("form action", "f.action += '-bad'"),
    ("action of the button", "b.setAttribute('formaction', f.action + '-bad')"),
    ("method", "f.method = 'get'"),
    ("target", "f.target = 'another'"),
    ("a hidden field, no longer than before", "f.elements.sum.value = '999'"),
    ("a field, no longer than before", "f.elements.to.value = 'mallo'"),
    ("another hidden field", "f.insertAdjacentHTML('beforeend', '<input type=hidden name=extra value=1>')"),
    ("the form of the button", "b.setAttribute('form', 'evil')"),
    ("a copy in its place", "b.outerHTML = b.outerHTML"),
    (
        "a script that sends",
        "b.outerHTML = '<button id=b type=button onclick=\"evil.submit()\">Send</button>'",
    ),
    (
        "the same button, which no longer sends by itself",
        "b.type = 'button'; b.setAttribute('onclick', 'evil.submit()')",
    ),
    ("a link", "b.outerHTML = '<a id=b href=\"/echo?away\">Send</a>'"),
    ("gone", "b.remove()"),
];

/// Nothing has been done with what was allowed: another question waits, which says why, or the call has failed.
async fn no_other_deed(s: &Fixture, what: &str, call: JoinHandle<Result<Outcome, Error>>, path: &str) {
    let mut call = call;
    tokio::select! {
        result = &mut call => {
            let error = result.unwrap().expect_err(what);
            assert!(
                matches!(error.code, Code::StaleRef | Code::ElementNotFound | Code::ElementAmbiguous | Code::ApprovalPending),
                "{what}: {error}"
            );
            for again in waiting(s) {
                assert!(again.what.contains("changed"), "{what}: {}", again.what);
                answer(s, &again, Reply::Deny);
            }
        }
        again = asked(s) => {
            assert!(again.what.contains("changed"), "{what}: {}", again.what);
            answer(s, &again, Reply::Deny);
            let ended = code(call.await.unwrap());
            assert!(matches!(ended, Code::ApprovalDenied | Code::ApprovalPending), "{what}: {ended:?}");
        }
    }
    assert_eq!(hits(path), 0, "{what}");
}

#[test]
fn whatever_a_page_changes_while_a_person_thinks_is_asked_about_again() {
    asking(async |s| {
        for (what, change) in CHANGES {
            let path = path();
            s.open(&page(&path)).await;
            let mut request = click("css=#b");
            request.element_timeout = Some(Span(Duration::from_millis(300)));
            let call = begin(&s, request);
            let first = asked(&s).await;
            assert!(!first.what.contains("changed"), "{what}: {}", first.what);
            s.eval(change).await;
            answer(&s, &first, Reply::Once);
            no_other_deed(&s, what, call, &path).await;
        }
    });
}

#[test]
fn an_answer_that_comes_late_holds_for_nothing_else_either() {
    asking(async |s| {
        for (what, change) in CHANGES {
            let path = path();
            s.open(&page(&path)).await;
            let mut request = late(click("css=#b"));
            request.element_timeout = Some(Span(Duration::from_millis(300)));
            assert_eq!(code(s.request(request.clone()).await), Code::ApprovalPending, "{what}");
            answer(&s, &*asked(&s).await, Reply::Once);
            s.eval(change).await;
            let call = begin(&s, request);
            no_other_deed(&s, what, call, &path).await;
        }
    });
}

#[test]
fn another_document_is_another_page() {
    asking(async |s| {
        let path = path();
        let there = page(&path);
        let elsewhere = there.replace("127.0.0.1", "localhost");
        for (what, to) in [("reload", &there), ("origin", &elsewhere)] {
            for is_late in [false, true] {
                s.open(&there).await;
                let request = if is_late { late(click("css=#b")) } else { click("css=#b") };
                let mut call = begin(&s, request.clone());
                let first = asked(&s).await;
                if is_late {
                    assert_eq!(code((&mut call).await.unwrap()), Code::ApprovalPending);
                    answer(&s, &first, Reply::Once);
                }
                s.perform(goto(to)).await.unwrap();
                if is_late {
                    call = begin(&s, request);
                } else {
                    answer(&s, &first, Reply::Once);
                }
                let again = asked(&s).await;
                assert_ne!(again.id, first.id, "{what}");
                answer(&s, &again, Reply::Deny);
                let ended = code(call.await.unwrap());
                assert!(matches!(ended, Code::ApprovalDenied | Code::ApprovalPending), "{what}: {ended:?}");
                assert_eq!(hits(&path), 0, "{what}");
            }
        }
    });
}

#[test]
fn what_stays_as_it_was_is_done_once() {
    asking(async |s| {
        let path = path();
        s.open(&page(&path)).await;
        // Where the button is has no part in what it does.
        for (at, request) in [click("css=#b"), late(click("css=#b"))].into_iter().enumerate() {
            let mut call = begin(&s, request.clone());
            let first = asked(&s).await;
            let words = "\"to\": 5 characters, hidden \"sum\": 3 characters";
            assert!(
                first.what.contains("\"Send\", which sends a form to") && first.what.contains(words),
                "{}",
                first.what
            );
            s.eval("b.style.marginLeft = '50px'").await;
            if request.patience.is_some() {
                assert_eq!(code((&mut call).await.unwrap()), Code::ApprovalPending);
                answer(&s, &first, Reply::Once);
                call = begin(&s, request);
            } else {
                answer(&s, &first, Reply::Once);
                // Who answers twice is told that it is over.
                assert!(s.engine.approvals().answer(&first.id, Reply::Always, By::Library).is_err());
            }
            call.await.unwrap().unwrap();
            assert_eq!(hits(&path), at + 1);
            s.open(&page(&path)).await;
        }
    });
}

#[test]
fn one_yes_is_for_one_of_two_that_ask_the_same() {
    asking(async |s| {
        let path = path();
        // The page stays where it is, so that both could be done.
        s.open(&page(&path)).await;
        s.eval("f.target = 'frame'; document.body.insertAdjacentHTML('beforeend', '<iframe name=frame></iframe>')").await;
        let patience = Some(Span(Duration::from_secs(30)));
        let request = Request { patience, ..click("css=#b") };
        let one = begin(&s, request.clone());
        let first = asked(&s).await;
        let two = begin(&s, request);
        // The second one waits with the first, or asks by itself if it came later.
        answer(&s, &first, Reply::Once);
        let again = asked(&s).await;
        answer(&s, &again, Reply::Deny);
        let mut codes = Vec::new();
        for call in [one, two] {
            codes.push(call.await.unwrap().map(drop).map_err(|error| error.code));
        }
        assert_eq!(codes.iter().filter(|ended| ended.is_ok()).count(), 1, "{codes:?}");
        assert!(codes.contains(&Err(Code::ApprovalDenied)), "{codes:?}");
        assert_eq!(hits(&path), 1);
    });
}

#[test]
fn another_front_does_not_inherit_a_late_answer() {
    asking(async |s| {
        let path = path();
        s.open(&page(&path)).await;
        assert_eq!(code(s.request(late(click("css=#b"))).await), Code::ApprovalPending);
        let first = asked(&s).await;
        answer(&s, &first, Reply::Once);
        let other = late(Request { front: Front::Http, ..click("css=#b") });
        assert_eq!(code(s.request(other).await), Code::ApprovalPending);
        assert_ne!(asked(&s).await.id, first.id);
        assert_eq!(hits(&path), 0);
    });
}

#[test]
fn typed_texts_of_the_same_length_are_two_deeds() {
    asking_about(r#"{"effect": ["input", "submit"], "front": "mcp", "decide": "ask"}"#, async |s| {
        s.open(&page(&path())).await;
        let fill = |text: &str| {
            let fill = Fill::new("css=#f [name=to]".parse().unwrap(), text.into());
            late(Request { front: Front::Mcp, ..Request::new(fill) })
        };
        assert_eq!(code(s.request(fill("carol")).await), Code::ApprovalPending);
        let first = asked(&s).await;
        assert!(first.what.contains("\"To\"") && !first.what.contains("carol"), "{}", first.what);
        answer(&s, &first, Reply::Once);
        assert_eq!(code(s.request(fill("david")).await), Code::ApprovalPending);
        answer(&s, &*asked(&s).await, Reply::Deny);
        // The field is another one by its name.
        s.eval("f.elements.to.setAttribute('aria-label', 'Account')").await;
        assert_eq!(code(s.request(fill("carol")).await), Code::ApprovalPending);
        answer(&s, &*asked(&s).await, Reply::Deny);
        assert_eq!(s.eval("f.elements.to.value").await, "alice");
    });
}

#[test]
fn points_keys_and_frames_are_bound_as_elements_are() {
    asking(async |s| {
        type Way = (&'static str, fn() -> Action, &'static str);
        let ways: [Way; 4] = [
            (
                "a point",
                || Click::new("605,305".parse().unwrap()).into(),
                "other.replaceWith(Object.assign(b, {style: other.style.cssText}))",
            ),
            ("a key", || Press::new("Enter".into()).into(), "evil.action += '-more'"),
            ("a key, elsewhere", || Press::new("Enter".into()).into(), "b.focus()"),
            ("a point, covered", || Click::new("605,305".parse().unwrap()).into(), "f.append(other)"),
        ];
        for (what, action, change) in ways {
            let path = path();
            s.open(&page(&path)).await;
            s.eval("other.focus()").await;
            let call = begin(&s, Request { front: Front::Mcp, ..Request::new(action()) });
            let first = asked(&s).await;
            s.eval(change).await;
            answer(&s, &first, Reply::Once);
            let again = asked(&s).await;
            assert_ne!(again.id, first.id, "{what}");
            answer(&s, &again, Reply::Deny);
            assert_eq!(code(call.await.unwrap()), Code::ApprovalDenied, "{what}");
            assert_eq!(hits(&path) + site().hits(&format!("{path}-bad-more")), 0, "{what}");
        }
        // A frame that loads another document of its origin.
        let path = path();
        let inner = page(&path);
        s.open(&site().page("outer", &format!("<iframe id=i src='{inner}' width=900 height=500></iframe>")))
            .await;
        let text = show_frame(&s).await;
        let line = text.lines().find(|line| line.contains("Send")).unwrap();
        let is_ref =
            |word: &&str| word.starts_with('f') && word[1..].starts_with(|c: char| c.is_ascii_digit());
        let reference = line.split(|c: char| !c.is_ascii_alphanumeric()).find(is_ref).unwrap();
        let call = begin(&s, click(reference));
        let first = asked(&s).await;
        s.eval("new Promise(done => { i.onload = () => done(); i.contentWindow.location.reload() })").await;
        answer(&s, &first, Reply::Once);
        no_other_deed(&s, "frame", call, &path).await;
    });
}

#[test]
fn a_press_that_changes_what_the_click_does_is_kept_from_it() {
    asking(async |s| {
        for change in ["f.action += '-bad'", "f.elements.sum.value = '999'"] {
            let path = path();
            s.open(&page(&path)).await;
            let js = format!(
                "b.setAttribute('onmousedown', {:?} + '; b.removeAttribute(\"onmousedown\")')",
                change
            );
            s.eval(&js).await;
            let call = begin(&s, click("css=#b"));
            answer(&s, &*asked(&s).await, Reply::Once);
            no_other_deed(&s, change, call, &path).await;
        }
    });
}

#[test]
fn a_press_at_a_point_that_changes_what_the_click_does_is_kept_from_it() {
    asking(async |s| {
        for change in
            ["evil.action += '-more'", "other.textContent = 'Delete'", "evil.elements[0].value = 'nobody!'"]
        {
            let path = path();
            s.open(&page(&path)).await;
            let js = format!(
                "other.setAttribute('onmousedown', {change:?} + '; other.removeAttribute(\"onmousedown\")')"
            );
            s.eval(&js).await;
            let call = begin(&s, click("605,305"));
            answer(&s, &*asked(&s).await, Reply::Once);
            no_other_deed(&s, change, call, &path).await;
            assert_eq!(site().hits(&format!("{path}-bad-more")), 0);
        }
        // What stays as it is gets its click.
        let path = path();
        s.open(&page(&path)).await;
        let call = begin(&s, click("605,305"));
        answer(&s, &*asked(&s).await, Reply::Once);
        call.await.unwrap().unwrap();
        assert_eq!(site().hits(&format!("{path}-bad")), 1);
    });
}

#[test]
fn a_name_made_to_look_like_the_end_of_the_question_stays_in_its_quotes() {
    asking(async |s| {
        for (name, shown) in [
            (
                r#"Cancel", which leads to https://good.example/ (safe)"#,
                r#""Cancel\", which leads to https://good.example/ (safe)", which sends"#,
            ),
            ("Cancel\u{201d}, which does nothing", "\"Cancel\\\u{201d}, which does nothing\", which sends"),
            ("Pay\u{202e}live\u{202c}\u{200b}", "\"Pay"),
            ("Cancel\u{1b}[2J\u{9b}0m", "\"Cancel"),
        ] {
            let path = path();
            s.open(&page(&path)).await;
            s.eval(&format!("b.setAttribute('aria-label', {})", serde_json::to_string(name).unwrap())).await;
            let call = begin(&s, click("css=#b"));
            let first = asked(&s).await;
            assert!(first.what.contains(shown), "{}", first.what);
            assert!(
                !first.what.contains(|c: char| c.is_control() || contract::is_unseen(c)),
                "{:?}",
                first.what
            );
            assert!(first.what.contains("/echo?…"), "{}", first.what);
            answer(&s, &first, Reply::Deny);
            assert_eq!(code(call.await.unwrap()), Code::ApprovalDenied);
        }
        // Of a long one both ends are shown, and how long it is.
        s.open(&page(&path())).await;
        s.eval("b.setAttribute('aria-label', 'Start ' + 'x'.repeat(5000) + ' and delete all')").await;
        let call = begin(&s, click("css=#b"));
        let first = asked(&s).await;
        assert!(first.what.contains("\"Start ") && first.what.contains("and delete all\""), "{}", first.what);
        assert!(first.what.contains("5021 characters"), "{}", first.what);
        answer(&s, &first, Reply::Deny);
        let _ = call.await;
    });
}

#[test]
fn the_deadline_stands_still_while_a_person_thinks_twice() {
    asking(async |s| {
        let path = path();
        s.open(&page(&path)).await;
        let time = Duration::from_secs(20);
        let call = begin(&s, Request { timeout: Some(Span(time)), ..click("css=#b") });
        let first = asked(&s).await;
        s.eval("b.textContent = 'Send now'").await;
        answer(&s, &first, Reply::Once);
        let again = asked(&s).await;
        assert!(again.what.contains("changed") && again.what.contains("\"Send now\""), "{}", again.what);
        answer(&s, &again, Reply::Once);
        call.await.unwrap().unwrap();
        assert_eq!(hits(&path), 1);
    });
}

#[test]
fn a_yes_for_longer_holds_for_the_same_between_the_same_origins() {
    asking(async |s| {
        let path = path();
        s.open(&page(&path)).await;
        let call = begin(&s, click("css=#b"));
        let first = asked(&s).await;
        s.eval("b.textContent = 'Send now'").await;
        answer(&s, &first, Reply::Session);
        call.await.unwrap().unwrap();
        assert_eq!(hits(&path), 1);
    });
}

#[test]
fn a_form_that_the_action_itself_fills_is_the_same_form() {
    asking(async |s| {
        let path = path();
        s.open(&page(&path)).await;
        let fill = Fill { submit: true, ..Fill::new("css=#f [name=to]".parse().unwrap(), "bob".into()) };
        let mut call = begin(&s, Request { front: Front::Mcp, ..Request::new(fill) });
        let first = tokio::select! {
            first = asked(&s) => first,
            result = &mut call => panic!("{result:?}"),
        };
        answer(&s, &first, Reply::Once);
        tokio::select! {
            again = async { s.engine.approvals().subscribe().recv().await.unwrap(); asked(&s).await } => panic!("{again:?}"),
            result = &mut call => drop(result.unwrap().unwrap()),
        }
        assert_eq!(hits(&path), 1);
    });
}

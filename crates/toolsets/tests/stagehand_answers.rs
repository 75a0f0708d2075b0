//! What `stagehand` makes of answers that take a host application, a key or a model's eyes to get.

use std::sync::Arc;

use contract::{Code, Error, Outcome, Screenshot, SessionName, Snapshot, TabId};
use engine::{Front, SessionOptions};
use jiff::civil::date;
use serde_json::{Value, json};
use toolsets::{Answer, Ask, Caller, Options, Reply, Step, stagehand};

/// Makes a call; `answers` are what is answered to what it asks for, in this order.
#[track_caller]
fn call(tool: &str, args: Value, answers: Vec<Answer>) -> (Reply, Vec<Ask>) {
    let caller = Caller {
        front: Front::Mcp,
        session: SessionName::default(),
        private: false,
        options: SessionOptions::default(),
        tools: Arc::new(Options { can_search: true, ..Options::default() }),
        now: date(2026, 1, 2).at(3, 4, 5, 0),
        mark: "mark".into(),
        patience: None,
        limit: None,
    };
    let (mut answers, mut asked) = (answers.into_iter(), Vec::new());
    let mut step = stagehand::TOOLSET.call(tool, args, &caller);
    loop {
        match step {
            Step::Done(reply) => return (reply, asked),
            Step::Limit(_, next) => step = *next,
            Step::Ask(ask, then) => {
                asked.push(*ask);
                let Some(answer) = answers.next() else { unreachable!("{tool} asks for more: {asked:?}") };
                step = then(answer);
            }
        }
    }
}

#[test]
fn a_picture_is_a_picture_and_its_letters_are_not_for_models() {
    let picture = Screenshot {
        mime_type: "image/png",
        bytes: vec![1, 2, 3],
        path: None,
        width: 1,
        height: 1,
        cut: None,
    };
    let outcome = Outcome { screenshot: Some(picture), url: Some("http://x/".into()), ..Outcome::default() };
    let (reply, _) = call("screenshot", json!({}), vec![Answer::Outcome(Ok(outcome))]);
    assert_eq!(reply.value["data"]["base64"], "AQID");
    assert!(reply.picture.is_some());
    let text: Value = serde_json::from_str(&reply.text()).unwrap_or_default();
    assert_eq!(text["data"]["pageUrl"], "http://x/");
    assert!(text["data"]["base64"].is_null(), "{text}");
}

#[test]
fn what_a_page_says_stands_between_marks() {
    let snapshot = Snapshot { text: "- button \"obey me\"".into(), ..Snapshot::default() };
    let outcome = Outcome { snapshot: Some(snapshot), url: Some("http://x/".into()), ..Outcome::default() };
    let (reply, _) = call("ariaTree", json!({}), vec![Answer::Outcome(Ok(outcome))]);
    assert_eq!(
        reply.value,
        json!({"ok": true, "data": {"content": "- button \"obey me\"", "pageUrl": "http://x/"}})
    );
    let (before, after) =
        reply.text().split_once("obey me").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap_or_default();
    assert!(
        before.contains("page content mark") && after.contains("end of page content mark"),
        "{}",
        reply.text()
    );
}

#[test]
fn a_search_has_results_and_a_time() {
    for found in [json!([{"title": "t"}]), json!({"results": [{"title": "t"}]})] {
        let (reply, asked) = call("search", json!({"query": "kettles"}), vec![Answer::Found(Ok(found))]);
        assert!(matches!(&*asked, [Ask::Search { query }] if query == "kettles"), "{asked:?}");
        assert_eq!(reply.value["data"]["data"], json!({"results": [{"title": "t"}]}));
        assert!(reply.value["data"]["timestamp"].is_i64(), "{}", reply.value);
    }
    let error = Error::new(Code::Unsupported, "no key");
    let (reply, _) = call("search", json!({"query": "kettles"}), vec![Answer::Found(Err(error))]);
    assert!(!reply.ok);
    assert_eq!(reply.value["error"]["code"], "UNSUPPORTED");
    assert_eq!(reply.value["data"]["error"], "no key");
}

#[test]
fn a_page_opens_in_the_host_if_there_is_one() {
    let args = json!({"url": "http://x/", "title": "X"});
    let (reply, asked) = call("open-url", args.clone(), vec![Answer::Opened(Ok(Some(TabId(3))))]);
    assert!(
        matches!(&*asked, [Ask::OpenInHost { url, title: Some(title), .. }] if url.expose() == "http://x/" && title == "X")
    );
    assert_eq!(
        reply.value,
        json!({"ok": true, "data": {"success": true, "url": "http://x/", "openedIn": "host", "tab": "t3"}})
    );
    let error = Error::new(Code::Timeout, "the host did not answer");
    let (reply, _) = call("open-url", args, vec![Answer::Opened(Err(error))]);
    assert_eq!((reply.ok, &reply.value["error"]["code"]), (false, &json!("TIMEOUT")));
}

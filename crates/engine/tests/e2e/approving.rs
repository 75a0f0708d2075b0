//! Approvals that come later than who asked can wait.

use std::time::Duration;

use contract::{Code, Span};
use engine::{Front, Request, actions::Eval};
use guard::approvals::{By, Reply};

use crate::support::{Fixture, code, run_in_shell, show};

/// A script that has to be asked about, from somebody who cannot wait.
fn script(js: &str) -> Request {
    let eval = Eval::new(js);
    Request { front: Front::Mcp, patience: Some(Span(Duration::from_millis(50))), ..Request::new(eval) }
}

fn waiting(s: &Fixture) -> Vec<String> {
    let mine = s.engine.approvals().list().into_iter().filter(|approval| approval.session == s.name);
    mine.map(|approval| approval.id.clone()).collect()
}

#[test]
fn an_answer_holds_for_the_same_action_when_that_comes_again() {
    run_in_shell(async |s| {
        show(&s, "<script>var done = 0</script>").await;
        let answer = |reply| s.engine.approvals().answer(&waiting(&s)[0], reply, By::Library).unwrap();
        let error = s.request(script("done++")).await.unwrap_err();
        let [id] = &*waiting(&s) else { panic!("it waits") };
        assert_eq!(error.code, Code::ApprovalPending);
        assert!(error.message.contains(id) && error.hint().contains(id), "{error}");
        // Asked again, it is the same question.
        assert_eq!(code(s.request(script("done++")).await), Code::ApprovalPending);
        assert_eq!(waiting(&s), std::slice::from_ref(id));

        answer(Reply::Once);
        assert_eq!(s.eval("done").await, 0, "nothing is done behind the caller's back");
        // Another one has to be asked about by itself.
        assert_eq!(code(s.request(script("done += 2")).await), Code::ApprovalPending);
        s.request(script("done++")).await.unwrap();
        assert_eq!(s.eval("done").await, 1);
        assert_eq!(code(s.request(script("done++")).await), Code::ApprovalPending, "once is once");
        for _ in waiting(&s) {
            answer(Reply::Deny);
        }
        assert_eq!(code(s.request(script("done++")).await), Code::ApprovalDenied);
        assert_eq!(s.eval("done").await, 1);
    });
}

#[test]
fn a_question_goes_with_who_asked_it() {
    run_in_shell(async |s| {
        show(&s, "").await;
        let asking = {
            let s = s.clone();
            let request = Request { patience: Some(Span::seconds(60)), ..script("done = 1") };
            tokio::spawn(async move { s.request(request).await })
        };
        let mut changes = s.engine.approvals().subscribe();
        while waiting(&s).is_empty() {
            changes.recv().await.unwrap();
        }
        asking.abort();
        let _ = asking.await;
        while !waiting(&s).is_empty() {
            changes.recv().await.unwrap();
        }
        assert_eq!(code(s.request(script("done = 2")).await), Code::ApprovalPending);
        s.close().await;
        while !waiting(&s).is_empty() {
            changes.recv().await.unwrap();
        }
        show(&s, "").await;
    });
}

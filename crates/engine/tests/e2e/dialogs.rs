//! JavaScript dialogs: seen at once, told, answered.

use contract::{Code, Span, Typed};
use engine::{
    Until,
    actions::{Answer, Dialog, Eval, Reload, Screenshot, Wait, World},
};

use crate::support::{Fixture, code, eval, goto, run, site};

fn accept(text: Option<&str>) -> Dialog {
    Dialog { answer: Answer::Accept, text: text.map(Typed::from) }
}

const DISMISS: Dialog = Dialog { answer: Answer::Dismiss, text: None };

async fn ask(s: &Fixture, js: &str) {
    assert_eq!(code(s.perform(eval(js)).await), Code::DialogOpen, "{js}");
}

#[test]
fn a_page_that_alerts_while_it_loads_is_told_and_not_a_hang() {
    run(async |s| {
        let outcome = s.open(&site().url("/alert-on-load.html")).await;
        let dialog = outcome.dialog.expect("the dialog is in the outcome");
        assert_eq!(dialog.kind, "alert");
        assert_eq!(code(s.perform(eval("1")).await), Code::DialogOpen);
        assert_eq!(code(s.perform(Screenshot::default()).await), Code::DialogOpen);
        s.perform(Wait::until(Until::Time(Span(std::time::Duration::ZERO)))).await.unwrap();
        let answered = s.perform(accept(None)).await.unwrap().dialog.unwrap();
        assert_eq!(answered.accepted, Some(true));
        s.perform(Wait::until(Until::Load)).await.unwrap();
        assert_eq!(s.eval("1").await, 1);
        assert_eq!(code(s.perform(accept(None)).await), Code::InvalidInput, "there is none any more");
    });
}

#[test]
fn answers_reach_the_script_that_asked() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        let keep = |ask: &str| format!("document.body.dataset.answer = String({ask})");
        for (question, answer, heard) in [
            ("confirm('sure?')", accept(None), "true"),
            ("confirm('sure?')", DISMISS, "false"),
            ("prompt('name?', 'nobody')", accept(Some("Ada")), "Ada"),
            ("prompt('name?')", DISMISS, "null"),
        ] {
            ask(&s, &keep(question)).await;
            s.perform(answer).await.unwrap();
            assert_eq!(s.eval("document.body.dataset.answer").await, heard, "{question}");
        }
    });
}

#[test]
fn the_same_dialog_twice_in_a_row_is_two_dialogs() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        ask(&s, "alert('again'); alert('again'); document.body.dataset.done = 'yes'").await;
        s.perform(accept(None)).await.unwrap();
        ask(&s, "1").await;
        s.perform(accept(None)).await.unwrap();
        assert_eq!(s.eval("document.body.dataset.done").await, "yes");
    });
}

#[test]
fn a_text_fits_only_a_prompt() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        ask(&s, "alert('x')").await;
        assert_eq!(code(s.perform(accept(Some("text"))).await), Code::InvalidInput);
        s.perform(DISMISS).await.unwrap();
    });
}

#[test]
fn a_page_that_asks_before_it_is_left() {
    run(async |s| {
        let page = site().url("/beforeunload.html");
        s.open(&page).await;
        // Chromium asks only when the page has been touched; a script with a user gesture counts.
        s.perform(Eval { js: "1".into(), world: World::Main, ..Eval::new("") }).await.unwrap();
        let away = goto(&site().url("/page?title=away"));
        let error = s.perform(away.clone()).await.unwrap_err();
        assert_eq!(error.code, Code::DialogOpen);
        assert!(error.message.contains("beforeunload"), "{}", error.message);
        s.perform(DISMISS).await.unwrap();
        assert_eq!(s.eval("document.title").await, "beforeunload", "dismissing stays");
        assert_eq!(code(s.perform(Reload::default()).await), Code::DialogOpen);
        s.perform(DISMISS).await.unwrap();
        assert_eq!(code(s.perform(away).await), Code::DialogOpen);
        s.perform(accept(None)).await.unwrap();
        s.perform(Wait::until(Until::NetworkIdle)).await.unwrap();
        assert_eq!(s.eval("document.title").await, "away", "accepting leaves");
    });
}

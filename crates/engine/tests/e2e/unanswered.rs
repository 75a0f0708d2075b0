//! Input that reached the page, and an answer that did not come in time.

use std::time::Duration;

use contract::{Code, Error, Outcome};
use engine::{Action, actions::Drag};

use crate::{
    hands_support::{click, fill, press_in, select, type_into},
    support::{Fixture, eval_main, run_in_shell, show},
};

/// Keeps the page busy for longer than the action may take.
const BUSY: &str = "<script>
    done = 0;
    const busy = () => { done++; const began = Date.now(); while (Date.now() - began < 6000); };
</script>";

#[track_caller]
fn is_unknown(result: Result<Outcome, Error>, what: &str) {
    let error = result.expect_err(what);
    assert_eq!(error.code, Code::Timeout, "{what}: {error}");
    assert!(!error.retriable(), "{what}: {error}");
    assert!(error.message.contains("had been given the input"), "{what}: {error}");
    assert!(error.hint().contains("before doing it again"), "{what}: {}", error.hint());
}

/// Does something that the page does not answer in time, and sees that it was done once.
async fn once(s: &Fixture, body: &str, action: impl Into<Action>) {
    show(s, &format!("{BUSY}{body}")).await;
    is_unknown(s.within(Duration::from_secs(3), action).await, body);
    s.eval("1").await;
    let done = eval_main(s, "done").await.value.unwrap();
    assert_eq!(done, 1, "{body}");
}

#[test]
fn a_click_that_was_given_to_a_busy_page_is_not_to_be_repeated() {
    run_in_shell(
        |s| async move { once(&s, "<button onclick=busy()>Busy</button>", click("css=button")).await },
    );
}

#[test]
fn a_key_that_was_given_to_a_busy_page_is_not_to_be_repeated() {
    run_in_shell(|s| async move {
        once(&s, "<input onkeydown=busy()>", press_in("css=input", "a")).await;
        once(&s, "<input onkeydown=busy()>", type_into("css=input", "a")).await;
    });
}

#[test]
fn a_text_that_was_given_to_a_busy_page_is_not_to_be_repeated() {
    run_in_shell(|s| async move {
        once(&s, "<input oninput=busy()>", fill("css=input", "a")).await;
        once(&s, "<input type=date onchange=busy()>", fill("css=input", "2026-03-31")).await;
    });
}

#[test]
fn a_choice_that_was_given_to_a_busy_page_is_not_to_be_repeated() {
    run_in_shell(|s| async move {
        let list = "<select onchange=busy()><option>a<option>b</select>";
        once(&s, list, select("css=select", &["b"])).await;
        let things = "<p id=from onmousedown=busy()>from</p><p id=to>to</p>";
        once(&s, things, Drag::new("css=#from".parse().unwrap(), "css=#to".parse().unwrap())).await;
    });
}

#[test]
fn what_was_never_given_to_the_page_may_be_repeated() {
    run_in_shell(|s| async move {
        show(&s, &format!("{BUSY}<button>A</button>")).await;
        eval_main(&s, "void setTimeout(busy)").await;
        let error = s.within(Duration::from_secs(2), click("css=button")).await.unwrap_err();
        assert_eq!(error.code, Code::Timeout, "{error}");
        assert!(error.retriable() && !error.message.contains("given"), "{error}");
    });
}

//! Several actions in one call.

use std::time::Duration;

use contract::Code;
use engine::{
    Action,
    actions::{Batch, OnNavigation, Snapshot},
};

use crate::{
    clicking::click,
    support::{eval, run, show, site},
};

fn batch(actions: Vec<Action>) -> Batch {
    Batch { actions, on_navigation: OnNavigation::Stop }
}

#[test]
fn each_step_is_told_of() {
    run(async |s| {
        show(&s, "<button onclick=\"this.textContent += '!'\">Go</button>").await;
        let steps = vec![Snapshot::default().into(), click("css=button").into(), click("css=button").into()];
        let outcome = s.perform(batch(steps)).await.unwrap();
        assert_eq!(
            outcome.steps.iter().map(|step| (&*step.what, step.ok)).collect::<Vec<_>>(),
            [("snapshot", true), ("click", true), ("click", true)]
        );
        let last = outcome.steps[2].outcome.as_ref().unwrap();
        assert!(last.delta.as_ref().unwrap().text.contains("Go!!"));
    });
}

#[test]
fn the_first_failure_is_the_last_step() {
    run(async |s| {
        show(&s, "<button onclick='window.n = (window.n ?? 0) + 1'>Go</button>").await;
        let steps =
            vec![click("css=button").into(), click("css=.nowhere").into(), click("css=button").into()];
        let error = s.within(Duration::from_secs(3), batch(steps)).await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotFound);
        assert!(error.message.contains("step 2"), "{error}");
        let steps = error.outcome.unwrap().steps;
        assert_eq!(steps.iter().map(|step| step.ok).collect::<Vec<_>>(), [true, false, false]);
        assert_eq!(steps[1].code.as_deref(), Some("ELEMENT_NOT_FOUND"));
        assert_eq!(steps[2].message, "not tried");
        assert_eq!(crate::support::eval_main(&s, "window.n").await.value.unwrap(), 1);
    });
}

#[test]
fn another_page_ends_it_unless_that_was_wanted() {
    run(async |s| {
        let page = format!("<a href='{}'>Go</a>", site().url("/page?title=There"));
        show(&s, &page).await;
        let steps: Vec<Action> = vec![click("css=a").into(), eval("document.title").into()];
        let error = s.perform(batch(steps.clone())).await.unwrap_err();
        assert_eq!(error.code, Code::BatchStopped);
        assert_eq!(error.outcome.unwrap().title.as_deref(), Some("There"));
        show(&s, &page).await;
        let going_on = Batch { on_navigation: OnNavigation::Continue, ..batch(steps) };
        let outcome = s.perform(going_on).await.unwrap();
        assert_eq!(outcome.steps[1].outcome.as_ref().unwrap().value.as_ref().unwrap(), "There");
    });
}

#[test]
fn nothing_and_batches_of_batches_are_refused() {
    run(async |s| {
        show(&s, "<p>x</p>").await;
        for actions in [vec![], vec![batch(vec![click("css=p").into()]).into()]] {
            assert_eq!(s.perform(batch(actions)).await.unwrap_err().code, Code::InvalidInput);
        }
    });
}

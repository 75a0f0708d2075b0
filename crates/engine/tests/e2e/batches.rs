//! Several actions in one call.

use std::time::Duration;

use contract::Code;
use engine::{
    Action,
    actions::{Batch, FillForm, FormField, OnNavigation, Press, Snapshot},
};

use crate::{
    clicking::click,
    support::{Fixture, code, eval, run_in_shell, show, site},
};

fn batch(actions: Vec<Action>) -> Batch {
    Batch { actions, on_navigation: OnNavigation::Stop }
}

#[test]
fn each_step_is_told_of() {
    run_in_shell(async |s| {
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
    run_in_shell(async |s| {
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
    run_in_shell(async |s| {
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
    run_in_shell(async |s| {
        show(&s, "<p>x</p>").await;
        for actions in [vec![], vec![batch(vec![click("css=p").into()]).into()]] {
            assert_eq!(s.perform(batch(actions)).await.unwrap_err().code, Code::InvalidInput);
        }
    });
}

/// A page whose one button is pressed at once by whoever presses Enter.
fn trap() -> String {
    site().page("trap", "<button autofocus onclick=\"fetch('/count?trap')\">Buy</button>")
}

/// What a batch of a click on the button and Enter came to, and whether Enter reached `window.bought` of the page that came.
async fn click_and_enter(s: &Fixture, page: &str) -> (Result<contract::Outcome, contract::Error>, bool) {
    show(s, page).await;
    let result = s.perform(batch(vec![click("css=button, a").into(), press("Enter")])).await;
    let bought = crate::support::eval_main(s, "!!window.bought").await.value.unwrap();
    (result, bought == true)
}

fn press(keys: &str) -> Action {
    Press::new(keys.into()).into()
}

#[test]
fn a_page_that_comes_between_two_steps_gets_no_key() {
    run_in_shell(async |s| {
        let next = site().page(
            "next",
            "<button autofocus onclick='window.bought = true'>Buy</button><script>addEventListener('keydown', () => window.bought = true)</script>",
        );
        // The answer comes when waiting for it has just been given up, or a while later.
        for (ms, steps) in [(3000, 1), (3100, 6), (3600, 8)] {
            show(
                &s,
                &format!(
                    "<button onclick=\"fetch('/slow?ms={ms}').then(() => location = '{next}')\">Slow</button>"
                ),
            )
            .await;
            let mut actions: Vec<Action> = vec![click("css=button").into()];
            actions.extend((1..steps).map(|_| press("Shift")));
            actions.push(press("Enter"));
            let result = s.perform(batch(actions)).await;
            let at = s.eval("document.title").await;
            let bought = crate::support::eval_main(&s, "!!window.bought").await.value.unwrap();
            assert_eq!(bought, false, "{ms}: {result:?}");
            assert_eq!(at, "next", "{ms}: {result:?}");
            assert_eq!(code(result), Code::BatchStopped, "{ms}");
        }
    });
}

#[test]
fn a_view_that_takes_the_place_of_another_gets_no_key() {
    run_in_shell(async |s| {
        let next = "document.body.innerHTML = '<button id=q onclick=bought=true>Buy</button>'; q.focus()";
        for (how, script) in [
            ("pushed", format!("history.pushState({{}}, '', '/pushed'); {next}")),
            ("pushed later", format!("setTimeout(() => {{ history.pushState({{}}, '', '/pushed'); {next} }}, 100)")),
            ("rewritten", "document.open(); document.write('<button autofocus onclick=window.bought=true>Buy</button>'); document.close()".to_owned()),
        ] {
            let page = format!("<script>const go = () => {{ {script} }}</script><button onclick='go()'>Go</button>");
            let (result, bought) = click_and_enter(&s, &page).await;
            assert!(!bought, "{how}");
            assert_eq!(code(result), Code::BatchStopped, "{how}");
        }
        for (how, script) in [
            ("replaced", "history.replaceState({}, '', '/replaced')"),
            ("a fragment", "location.hash = 'x'"),
            ("a query", "history.pushState({}, '', '?q=1')"),
            ("nothing", "0"),
        ] {
            let page = format!(
                "<script>const go = () => {{ if (window.went) window.bought = true; window.went = true; {script} }}</script><button onclick='go()'>Go</button>"
            );
            let (result, bought) = click_and_enter(&s, &page).await;
            assert!(result.is_ok() && bought, "{how}: {result:?}");
        }
    });
}

#[test]
fn a_frame_or_a_tab_that_a_step_leads_to_gets_no_key() {
    run_in_shell(async |s| {
        let inner = "<button autofocus onclick=\"parent.bought = true\">Buy</button><script>document.querySelector('button').focus()</script>";
        let inner = site().page("inner", inner);
        let page = format!(
            "<button onclick=\"f.src = '{inner}'; f.focus()\">Go</button><iframe id=f src='/page?title=a'></iframe>"
        );
        show(&s, &page).await;
        let until = "new Promise(r => { const t = () => { f.focus(); f.contentDocument.querySelector('button') ? r(1) : setTimeout(t, 50); }; t(); })";
        let steps = vec![click("css=button").into(), eval(until).into(), press("Enter")];
        let result = s.perform(batch(steps)).await;
        assert_eq!(
            crate::support::eval_main(&s, "!!window.bought").await.value.unwrap(),
            false,
            "{result:?}"
        );
        assert_eq!(code(result), Code::BatchStopped);
        for page in [
            "<button onclick=\"window.n = (window.n ?? 0) + 1; if (window.n > 1) window.bought = true; open('/page?title=pop')\">Pop</button>",
            "<a href='/page?title=pop' target=_blank onclick='if (window.n) bought = true; window.n = 1'>Pop</a>",
            "<form target=_blank action='/page' onsubmit='if (window.n) bought = true; window.n = 1'><button>Pop</button></form>",
        ] {
            let (result, bought) = click_and_enter(&s, page).await;
            assert!(!bought, "{page}: {result:?}");
            assert_eq!(code(result), Code::BatchStopped, "{page}");
        }
    });
}

#[test]
fn a_form_that_changes_its_view_is_not_filled_on() {
    run_in_shell(async |s| {
        show(
            &s,
            "<select aria-label=Kind onchange=\"history.pushState({}, '', '/company'); a.hidden = true; b.value = ''; b.setAttribute('aria-label', 'Password of company')\"><option>Person<option>Company</select><p id=a>Person</p><input id=b aria-label=Name>",
        )
        .await;
        let fields = [("css=select", "Company"), ("css=input", "Ada")]
            .map(|(target, value)| FormField { target: target.parse().unwrap(), value: value.into() });
        let error = s.perform(FillForm::new(fields.into())).await.unwrap_err();
        assert_eq!(error.code, Code::BatchStopped);
        assert_eq!(s.eval("document.querySelector('input').value").await, "");
    });
}

#[test]
fn a_page_that_came_since_the_last_answer_is_told_of() {
    run_in_shell(async |s| {
        show(&s, &format!("<button onclick=\"setTimeout(() => location = '{}', 900)\">Go</button>", trap()))
            .await;
        s.perform(click("css=button")).await.unwrap();
        let arrived = engine::actions::Wait { url: Some("trap".into()), ..Default::default() };
        let waited = s.perform(arrived).await.unwrap();
        assert!(waited.url.unwrap().contains("trap"));
        show(&s, &format!("<button onclick=\"setTimeout(() => location = '{}', 900)\">Go</button>", trap()))
            .await;
        s.perform(click("css=button")).await.unwrap();
        // An action that fails tells nothing of the page.
        s.within(Duration::from_secs(4), click("css=#none")).await.unwrap_err();
        let pressed = s.perform(Press::new("Shift".into())).await.unwrap();
        assert!(pressed.notes.iter().any(|note| note.contains("since the last answer")), "{pressed:?}");
        let pressed = s.perform(Press::new("Shift".into())).await.unwrap();
        assert!(!pressed.notes.iter().any(|note| note.contains("since the last answer")), "{pressed:?}");
    });
}

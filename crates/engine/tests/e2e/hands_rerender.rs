//! A page that makes its buttons anew all the time, beside a twin of the one that is wanted: every click lands in the right one or is
//! an error with a code. The page counts, and its count is compared with what we said.

use std::time::Duration;

use contract::{Code, Span};
use engine::actions::Click;

use crate::{
    hands_support::click,
    support::{Fixture, code, eval_main, goto, look, ref_of, run_in_shell, show, site},
};

/// How many clicks are tried.
const TRIES: usize = 1000;

/// The ref of the wanted button; a moment later its element is gone.
async fn wanted(s: &Fixture) -> String {
    let text = look(s).await;
    let (_, row) = text.split_once("Draft").unwrap();
    let line = row.lines().find(|line| line.contains("button")).unwrap();
    ref_of(line, "- button \"Delete\"").to_string()
}

/// Clicks the button again and again: by a ref that it had once, and by what it is.
fn check(query: &str) {
    run_in_shell(async |s| {
        s.perform(goto(&site().url(&format!("/hands/replaced-button.html{query}")))).await.unwrap();
        let mut reference = wanted(&s).await;
        let mut landed = 0;
        for nth in 0..TRIES {
            let target = if nth % 2 == 0 { &reference } else { "//li[span = 'Draft']/button" };
            let result = s.within(Duration::from_secs(20), click(target)).await;
            let counts = eval_main(&s, "counts").await.value.unwrap();
            landed += usize::from(result.is_ok());
            assert_eq!(counts["twin"], 0, "try {nth} of {target} clicked the twin");
            assert_eq!(counts["wanted"], landed, "try {nth} of {target} is not what happened: {result:?}");
            if let Err(error) = result {
                let expected =
                    [Code::StaleRef, Code::ElementNotFound, Code::ElementCovered, Code::ElementNotVisible];
                assert!(expected.contains(&error.code), "try {nth} of {target}: {error}");
                // Only so many elements that are gone are remembered.
                reference = wanted(&s).await;
            }
        }
        // Giving up each time would be safe, and of no use.
        assert!(landed > TRIES * 95 / 100, "only {landed} of {TRIES} clicks landed");
    });
}

#[test]
fn a_thousand_clicks_while_the_button_is_replaced() {
    check("");
}

#[test]
fn a_thousand_clicks_while_the_button_and_its_twin_change_places() {
    check("?swap");
}

/// A page that makes its button anew when that is pressed: at once, or a moment later, before it is released.
async fn press(s: &Fixture, when: &str) -> Result<contract::Outcome, contract::Error> {
    let page = "<main id=main><button>Go</button></main><script>
        const renew = () => { main.innerHTML = '<button>Go</button>'; };
        main.addEventListener('click', () => { window.clicked = true; });
        main.addEventListener('mousedown', () => WHEN);</script>";
    show(s, &page.replace("WHEN", when)).await;
    // Long enough for the page, and too short to be meant.
    let hold = Some(Span(Duration::from_millis(50)));
    s.perform(Click { hold, ..click("css=button") }).await
}

#[test]
fn a_button_that_goes_between_press_and_release_has_not_been_clicked() {
    run_in_shell(async |s| {
        assert_eq!(code(press(&s, "setTimeout(renew)").await), Code::StaleRef);
        assert_eq!(eval_main(&s, "window.clicked ?? false").await.value.unwrap(), false);
    });
}

#[test]
fn a_button_that_goes_because_it_was_pressed_has_been_used() {
    run_in_shell(async |s| {
        press(&s, "renew()").await.unwrap();
        press(&s, "Promise.resolve().then(renew)").await.unwrap();
    });
}

#[test]
fn names_that_stand_in_for_the_documents_own_do_not_hold_up_a_click() {
    run_in_shell(async |s| {
        show(&s, "<img name=host><img name=parentNode><button onclick='window.clicked = true'>Go</button>")
            .await;
        s.within(Duration::from_secs(10), click("css=button")).await.unwrap();
        assert_eq!(eval_main(&s, "window.clicked").await.value.unwrap(), true);
    });
}

//! The first look at a page that draws itself after its load event, or whose frames are still loading.

use std::time::Duration;

use contract::{Outcome, Span};
use engine::{
    Request,
    actions::{Read, Snapshot},
};

use crate::support::{Fixture, goto, run_in_shell, show, site};

/// A page whose script runs at its load event.
fn at_load(script: &str) -> String {
    format!("<div id=app></div><script>addEventListener('load', () => {{ {script} }});</script>")
}

const DRAW: &str = "document.querySelector('#app').innerHTML = '<button>Drawn</button>'";

async fn snapshot(s: &Fixture) -> Outcome {
    s.perform(Snapshot::default()).await.unwrap()
}

#[test]
fn a_page_that_draws_itself_after_its_load_is_seen_drawn() {
    run_in_shell(async |s| {
        let turns = format!(
            "const {{ port1, port2 }} = new MessageChannel(); port1.onmessage = () => {{ {DRAW} }}; port2.postMessage(0)"
        );
        for (name, script) in [
            ("a request", format!("fetch('/slow?ms=300&test=draw').then(() => {{ {DRAW} }})")),
            (
                "two requests",
                format!(
                    "fetch('/slow?ms=150&test=one').then(() => fetch('/slow?ms=150&test=two')).then(() => {{ {DRAW} }})"
                ),
            ),
            ("a frame", format!("requestAnimationFrame(() => {{ {DRAW} }})")),
            ("timers", format!("setTimeout(() => setTimeout(() => {{ {DRAW} }}))")),
            ("a message", turns),
            ("a timer in an empty page", format!("setTimeout(() => {{ {DRAW} }}, 250)")),
        ] {
            show(&s, &at_load(&script)).await;
            let outcome = snapshot(&s).await;
            let text = outcome.snapshot.unwrap().text;
            assert!(text.contains("button \"Drawn\""), "{name}:\n{text}");
            assert_eq!(outcome.notes, Vec::<String>::new(), "{name}");
            show(&s, &at_load(&script)).await;
            let read = s.perform(Read { whole: true, ..Read::default() }).await.unwrap();
            assert!(read.content.unwrap().text.contains("Drawn"), "{name}");
        }
    });
}

#[test]
fn a_frame_that_is_still_loading_is_waited_for_or_named() {
    run_in_shell(async |s| {
        let frame = |path: &str| {
            let add = "const frame = document.createElement('iframe'); frame.src = SRC; document.body.append(frame)";
            at_load(&format!(
                "document.querySelector('#app').textContent = 'Here'; {}",
                add.replace("SRC", &format!("'{path}'"))
            ))
        };
        show(&s, &frame("/slow?ms=400&test=frame")).await;
        let outcome = snapshot(&s).await;
        assert!(outcome.snapshot.unwrap().text.contains("heading \"slow\""), "the frame has come meanwhile");
        assert_eq!(outcome.notes, Vec::<String>::new());

        show(&s, &frame("/hang?test=frame")).await;
        let outcome = snapshot(&s).await;
        let is_named = |note: &String| note.contains("is still loading") && note.contains("/hang?test=frame");
        assert!(outcome.notes.iter().any(is_named), "{:?}", outcome.notes);
        // Later looks say so, too, and do not wait for it.
        let outcome = snapshot(&s).await;
        assert!(outcome.notes.iter().any(is_named), "{:?}", outcome.notes);
    });
}

#[test]
fn a_request_that_stays_open_is_not_waited_for_long() {
    run_in_shell(async |s| {
        let page =
            site().page("open", &at_load("document.body.append('Here'); fetch('/hang?test=stays-open')"));
        s.perform(goto(&page)).await.unwrap();
        let look =
            Request { timeout: Some(Span(Duration::from_secs(20))), ..Request::new(Snapshot::default()) };
        let outcome = s.request(look).await.unwrap();
        assert!(outcome.snapshot.unwrap().text.contains("Here"));
        assert!(outcome.notes.iter().any(|note| note.contains("still under way")), "{:?}", outcome.notes);
    });
}

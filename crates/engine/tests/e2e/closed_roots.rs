//! Closed shadow roots that come, or get what is in them, long after their host.

use std::time::Duration;

use engine::{Action, actions::step_from};
use serde_json::json;

use crate::support::{Fixture, look, run_in_shell, show, site};

/// No test waits so long unless something is broken.
const PATIENT: Duration = Duration::from_secs(40);

/// Late enough that a look at the page when it has loaded, and a moment later, finds nothing.
const LATE: u32 = 1200;

const BUTTON: &str = "'<button id=go onclick=document.title=1>Go now</button>'";

/// Pages with a host that is there from the beginning.
fn pages() -> Vec<String> {
    let hosts = [
        "<div id=h></div>",
        "<div id=h style='width: 200px; height: 60px'></div>",
        "<p>Text before <span id=h></span></p>",
        "<x-late id=h></x-late>",
    ];
    let ways = [
        format!(
            "const r = h.attachShadow({{ mode: 'closed' }}); setTimeout(() => r.innerHTML = {BUTTON}, {LATE})"
        ),
        format!("setTimeout(() => h.attachShadow({{ mode: 'closed' }}).innerHTML = {BUTTON}, {LATE})"),
    ];
    hosts
        .iter()
        .flat_map(|host| ways.iter().map(move |way| format!("{host}<script>{way}</script>")))
        .collect()
}

async fn patient(s: &Fixture, command: &str) {
    let action: Action = step_from(json!(command)).unwrap();
    let done = s.within(PATIENT, action).await;
    assert!(done.is_ok(), "{command}: {}", done.unwrap_err());
}

#[test]
fn what_comes_late_in_a_closed_root_is_waited_for() {
    run_in_shell(async |s| {
        for page in pages() {
            for target in ["css=#go", "'Go now'"] {
                s.open(&site().page("closed", &page)).await;
                // What nothing was seen of at the first look is seen at a later one.
                look(&s).await;
                let action: Action = step_from(json!(format!("click {target}"))).unwrap();
                let done = s.within(PATIENT, action).await;
                assert!(done.is_ok(), "{page} {target}: {}", done.unwrap_err());
                assert_eq!(s.eval("document.title").await, "1", "{page} {target}");
            }
        }
    });
}

#[test]
fn a_late_closed_root_is_in_the_next_snapshot() {
    run_in_shell(async |s| {
        for page in pages() {
            // The same at a word of ours.
            let page = page.replace("setTimeout(", "late = (").replace(&format!(", {LATE})"), ")");
            show(&s, &page).await;
            assert!(!look(&s).await.contains("Go now"), "{page}");
            crate::support::eval_main(&s, "late()").await;
            patient(&s, "wait --text 'Go now'").await;
            assert!(look(&s).await.contains("Go now"), "{page}");
        }
    });
}

/// Verbs that read the page by other means than a snapshot see what is in one as well, also if nothing looked before.
#[test]
fn what_is_in_a_closed_root_is_read_at_once() {
    run_in_shell(async |s| {
        let page = format!(
            "<p>Light text</p><x-box id=h></x-box><script>h.attachShadow({{ mode: 'closed' }}).innerHTML = {BUTTON}</script>"
        );
        for command in ["read --whole", "html", "controls", "find 'Go now' --in text"] {
            show(&s, &page).await;
            let action: Action = step_from(json!(command)).unwrap();
            let content = s.perform(action).await.unwrap().content.unwrap();
            assert!(content.text.contains("Go now"), "{command}: {}", content.text);
        }
    });
}

//! Elements that are not there yet are waited for, by every verb and every grammar of targets, for as long as the caller has patience.

use std::time::{Duration, Instant};

use contract::{Code, Error};
use engine::{Action, actions::step_from};
use futures_util::future::join_all;
use serde_json::json;

use crate::support::{Fixture, code, goto, run_in_shell, show, site};

/// Late enough that a look at the page when it has loaded, and a moment later, finds nothing.
const LATE: u32 = 700;
/// No test waits so long unless something is broken.
const PATIENT: Duration = Duration::from_secs(30);

fn action(command: &str) -> Action {
    step_from(json!(command)).unwrap()
}

async fn patient(s: &Fixture, command: &str) -> Result<contract::Outcome, Error> {
    s.within(PATIENT, action(command)).await
}

/// A page that runs a script some time after it was read.
fn later(markup: &str, script: &str) -> String {
    format!("<p>Nothing yet</p>{markup}<script>setTimeout(() => {{ {script} }}, {LATE})</script>")
}

/// Adds the markup to a page that was at rest.
fn added(markup: &str) -> String {
    later(
        &format!("<template>{markup}</template>"),
        "document.body.append(document.querySelector('template').content)",
    )
}

/// Does each thing to what a page adds late, each in a session of its own.
async fn each(s: &Fixture, rows: &[(&str, &str)]) {
    let doing = rows.iter().map(|(markup, command)| {
        let s = Fixture::new(s.engine.clone());
        async move {
            s.open(&site().page("late", &added(markup))).await;
            let done = patient(&s, command).await;
            assert!(done.is_ok(), "{command}: {}", done.unwrap_err());
            s.close().await;
        }
    });
    join_all(doing).await;
}

#[test]
fn every_verb_that_acts_waits_for_its_element() {
    run_in_shell(async |s| {
        let (button, field) = ("<button id=b>Send it</button>", "<input id=f aria-label=Name>");
        let list = "<select id=l aria-label=List><option>One<option>Two</select>";
        let (open, ticked) = ("<input type=checkbox id=c>", "<input type=checkbox id=c checked>");
        each(
            &s,
            &[
                (button, "click css=#b"),
                (button, "click //button"),
                (button, "click 'Send it'"),
                (button, "hover css=#b"),
                (field, "fill css=#f x"),
                (field, "fill Name x"),
                (field, "type x --target css=#f"),
                (field, "press a --target css=#f"),
            ],
        )
        .await;
        let both = "<div id=from draggable=true>From</div><div id=to ondragover=event.preventDefault() ondrop=event.preventDefault()>To</div>";
        each(
            &s,
            &[
                (field, "fill-form css=#f x"),
                (list, "select css=#l Two"),
                (open, "check css=#c"),
                (ticked, "uncheck css=#c"),
                (both, "drag css=#from css=#to"),
                (button, "scroll css=#b"),
                (button, "scroll css=#b --by 10"),
                ("<a id=d download=x href='data:text/plain,x'>File</a>", "download css=#d"),
            ],
        )
        .await;
    });
}

#[test]
fn every_verb_that_looks_waits_for_its_element_but_locate_answers_at_once() {
    run_in_shell(async |s| {
        let part = "<section id=s aria-label=Part><button>In it</button></section>";
        each(
            &s,
            &[
                (part, "read --scope css=#s"),
                (part, "html --scope css=#s"),
                (part, "snapshot --scope css=#s"),
                (part, "screenshot --target css=#s"),
                (part, "eval 'element => element.id' --target css=#s"),
                (part, "wait --target css=#s"),
                (part, "wait --target 'In it'"),
            ],
        )
        .await;
        show(&s, &later("", "")).await;
        let error = patient(&s, "locate css=#none").await.unwrap_err();
        assert_eq!((error.code, &*error.message), (Code::ElementNotFound, "no element matches css=#none"));
    });
}

#[test]
fn elements_come_in_frames_and_shadow_roots_and_with_another_page() {
    run_in_shell(async |s| {
        let button = "<button>Late one</button>";
        let next = site().page("next", button);
        let other = site().on("late.localhost", "/page?body=<button>Late%20one</button>");
        let frame = |source: &str| {
            later(
                "",
                &format!("const f = document.createElement('iframe'); {source}; document.body.append(f)"),
            )
        };
        let pages = [
            frame(&format!("f.srcdoc = '{button}'")),
            frame(&format!("f.src = '{other}'")),
            later(
                "<iframe></iframe>",
                &format!("document.querySelector('iframe').contentDocument.body.innerHTML = '{button}'"),
            ),
            later(
                "<div id=host></div>",
                &format!("host.attachShadow({{ mode: 'open' }}).innerHTML = '{button}'"),
            ),
            later(
                "<div id=host></div><script>root = host.attachShadow({ mode: 'open' })</script>",
                &format!("root.innerHTML = '{button}'"),
            ),
            later("", &format!("location = '{next}'")),
            format!("<meta http-equiv=refresh content='1;url={}'><p>Wait</p>", next.replace('&', "&amp;")),
            // There, but of no use yet.
            later(&format!("<div id=box style='display: none'>{button}</div>"), "box.style.display = ''"),
            later("<button disabled>Late one</button>", "document.querySelector('button').disabled = false"),
            // Replaced before it is what was meant.
            later(
                "<button>Early</button>",
                "document.querySelector('button').outerHTML = '<button>Late one</button>'",
            ),
        ];
        let doing = pages.iter().map(|page| {
            let s = Fixture::new(s.engine.clone());
            async move {
                s.open(&site().page("late", page)).await;
                let clicked = patient(&s, "click 'Late one'").await;
                assert!(clicked.is_ok(), "{page}: {}", clicked.unwrap_err());
                s.close().await;
            }
        });
        join_all(doing).await;
        // The same by a selector.
        let by_selector = pages[..7].iter().map(|page| {
            let s = Fixture::new(s.engine.clone());
            async move {
                s.open(&site().page("late", page)).await;
                let clicked = patient(&s, "click css=button").await;
                assert!(clicked.is_ok(), "{page}: {}", clicked.unwrap_err());
                s.close().await;
            }
        });
        join_all(by_selector).await;
    });
}

#[test]
fn what_never_comes_is_waited_for_as_long_as_the_caller_has_patience() {
    run_in_shell(async |s| {
        show(&s, "<button>Here</button>").await;
        for command in
            ["click css=#none", "click 'the unicorn'", "fill css=#none x", "read --scope css=#none"]
        {
            let began = Instant::now();
            let error = s.within(Duration::from_secs(3), action(command)).await.unwrap_err();
            assert_eq!(error.code, Code::ElementNotFound, "{command}: {error}");
            assert!(error.message.contains("(waited "), "{command}: {error}");
            assert!(began.elapsed() >= Duration::from_millis(500), "{command}");
        }
        // Five seconds without a timeout, also in a batch; with one, the batch has that.
        let began = Instant::now();
        let error = s.perform(action("click css=#none")).await.unwrap_err();
        assert!(error.message.contains("(waited "), "{error}");
        assert!((5..25).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
        let batch = || {
            step_from(json!({"action": "batch", "actions": [{"action": "click", "target": "css=#none"}]}))
                .unwrap()
        };
        let error = s.within(Duration::from_secs(3), batch()).await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotFound, "{error}");
    });
}

#[test]
fn a_batch_has_the_patience_of_its_timeout_and_a_form_one_for_all_fields() {
    run_in_shell(async |s| {
        s.open(&site().page("late", &added("<button id=b>B</button>").replace("700", "5600"))).await;
        let batch = json!({"action": "batch", "actions": [{"action": "click", "target": "css=#b"}]});
        s.within(PATIENT, step_from(batch).unwrap()).await.unwrap();
        let fields = "<input id=one><template><input id=two></template><script>setTimeout(() => document.body.append(document.querySelector('template').content), 700)</script>";
        show(&s, fields).await;
        patient(&s, "fill-form css=#one 1 css=#two 2").await.unwrap();
        assert_eq!(s.eval("[one.value, two.value]").await, json!(["1", "2"]));
        // Nothing is typed as long as one is missing.
        show(&s, "<input id=one>").await;
        let error =
            s.within(Duration::from_secs(3), action("fill-form css=#one 1 css=#two 2")).await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotFound, "{error}");
        assert_eq!(s.eval("one.value").await, "");
    });
}

#[test]
fn of_several_one_may_go_while_the_page_loads() {
    run_in_shell(async |s| {
        let twins = "<button>Same</button><button id=second>Same</button>";
        let goes = format!(
            "{twins}<script>fetch('/slow?ms={LATE}&test=twins').then(() => second.remove())</script>"
        );
        for target in ["css=button", "Same"] {
            s.open(&site().page("twins", &goes)).await;
            patient(&s, &format!("click {target}")).await.unwrap();
        }
        // One that is at rest is not waited for.
        show(&s, twins).await;
        let error = patient(&s, "click css=button").await.unwrap_err();
        assert_eq!(
            (error.code, error.message.contains("waited")),
            (Code::ElementAmbiguous, false),
            "{error}"
        );
    });
}

#[test]
fn a_dialog_or_the_end_of_the_tab_ends_the_wait_at_once() {
    run_in_shell(async |s| {
        s.open(&site().page("dialog", &later("", "alert('stop')"))).await;
        assert_eq!(code(patient(&s, "click css=#none").await), Code::DialogOpen);
        patient(&s, "dialog accept").await.unwrap();
        s.perform(goto(&site().page("closes", "<p>Here</p>"))).await.unwrap();
        let waiting = patient(&s, "click css=#none");
        let closing = async {
            // Whether it waits already or not, it ends.
            s.perform(action("wait 300ms")).await.unwrap();
            s.perform(action("tabs close t1")).await
        };
        let (waited, closed) = tokio::join!(waiting, closing);
        closed.unwrap();
        assert_eq!(code(waited), Code::TabNotFound);
    });
}

#[test]
fn targets_in_frames_are_found_after_a_reload() {
    run_in_shell(async |s| {
        let inner = site().page("inner", "<input name=same>");
        let other = site().on("inner.localhost", "/page?body=<input%20name=other>");
        let page = format!(
            "<iframe src='{inner}'></iframe><iframe src='{other}'></iframe><iframe srcdoc='<input name=doc>'></iframe>"
        );
        for _ in 0..3 {
            show(&s, &page).await;
            for name in ["same", "other", "doc"] {
                for verb in ["click", "hover"] {
                    s.perform(action(&format!("{verb} css=input[name={name}]"))).await.unwrap();
                }
            }
        }
        s.perform(action("reload")).await.unwrap();
        s.perform(action("fill css=input[name=doc] x")).await.unwrap();
    });
}

#[test]
fn refs_that_no_caller_was_given_are_refused() {
    run_in_shell(async |s| {
        show(&s, "<main><h1>Hi</h1><p>Some text</p><button>Go</button></main>").await;
        let text = s.perform(action("snapshot")).await.unwrap().snapshot.unwrap().text;
        let given: Vec<u32> = text
            .split("[ref=e")
            .skip(1)
            .map(|rest| rest.split(']').next().unwrap().parse().unwrap())
            .collect();
        let last = *given.iter().max().unwrap();
        let refused = (1..=last).filter(|number| !given.contains(number));
        assert!(refused.clone().count() > 1, "{text}");
        for number in refused {
            for verb in ["click", "hover", "locate", "read --scope", "scroll", "eval 'e => e.id' --target"] {
                let error = patient(&s, &format!("{verb} e{number}")).await.unwrap_err();
                assert_eq!(error.code, Code::StaleRef, "{verb} e{number}: {error}");
            }
        }
        for number in given {
            patient(&s, &format!("hover e{number}")).await.unwrap();
        }
        // What an answer or an error gives is known, whatever it was asked with.
        let found = patient(&s, "locate css=h1").await.unwrap().target.unwrap().reference;
        patient(&s, &format!("click {found}")).await.unwrap();
        let error = patient(&s, "click 'css=h1, p'").await.unwrap_err();
        let candidate = error.cause.unwrap().split(", ").last().unwrap().to_owned();
        patient(&s, &format!("click {candidate}")).await.unwrap();
    });
}

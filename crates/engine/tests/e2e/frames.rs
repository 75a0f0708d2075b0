//! Frames, in the page's process and in others.

use std::time::{Duration, Instant};

use contract::FrameId;
use engine::{
    Action, Until,
    actions::{Eval, Frames, Goto, step_from},
};
use serde_json::json;

use crate::support::{Fixture, code, goto, look, ref_of, run_in_shell, show, site};

async fn in_frame(s: &Fixture, frame: u32, js: &str) -> serde_json::Value {
    let eval = Eval { frame: Some(FrameId(frame)), ..Eval::new(js) };
    s.perform(eval).await.unwrap().value.unwrap()
}

#[test]
fn frames_of_other_origins_are_reached_three_deep() {
    run_in_shell(async |s| {
        let host = format!("b.localhost:{}", site().port());
        let page = site().on("a.localhost", &format!("/frames-cross.html?host={host}"));
        s.perform(Goto { url: (&*page).into(), until: Until::NetworkIdle }).await.unwrap();
        let frames = s.perform(Frames {}).await.unwrap().frames.unwrap();
        assert_eq!(frames.len(), 3, "{frames:?}");
        assert_eq!(frames[2].parent, Some(FrameId(1)));
        assert!(
            frames[1].url.contains("//b.localhost") && frames[2].url.contains("//c.localhost"),
            "{frames:?}"
        );
        assert!(
            frames[1].out_of_process && frames[2].out_of_process && !frames[0].out_of_process,
            "{frames:?}"
        );
        for (frame, host) in [(0, "a.localhost"), (1, "b.localhost"), (2, "c.localhost")] {
            assert_eq!(in_frame(&s, frame, "location.hostname").await, host);
        }
    });
}

#[test]
fn frames_of_the_same_origin_are_in_the_same_process() {
    run_in_shell(async |s| {
        s.open(&site().url("/frames-same.html")).await;
        let frames = s.perform(Frames {}).await.unwrap().frames.unwrap();
        assert!(frames.len() >= 3 && frames.iter().all(|frame| !frame.out_of_process), "{frames:?}");
        assert_eq!(in_frame(&s, 1, "window !== top").await, true);
    });
}

#[test]
fn frames_go_with_their_page_and_numbers_begin_anew() {
    run_in_shell(async |s| {
        s.open(&site().url("/frames-same.html")).await;
        s.perform(goto(&site().url("/page"))).await.unwrap();
        assert_eq!(s.perform(Frames {}).await.unwrap().frames.unwrap().len(), 1);
        let missing = Eval { frame: Some(FrameId(1)), ..Eval::new("1") };
        assert_eq!(code(s.perform(missing).await), contract::Code::InvalidInput);
        s.open(&site().url("/frames-same.html")).await;
        assert_eq!(s.perform(Frames {}).await.unwrap().frames.unwrap()[1].frame, FrameId(1));
    });
}

#[test]
fn a_removed_frame_is_gone() {
    run_in_shell(async |s| {
        s.open(&site().url("/frame-removed.html")).await;
        assert_eq!(s.perform(Frames {}).await.unwrap().frames.unwrap().len(), 2);
        s.eval("document.querySelector('iframe').remove()").await;
        assert_eq!(s.perform(Frames {}).await.unwrap().frames.unwrap().len(), 1);
    });
}

#[test]
fn frames_inside_of_named_controls_are_seen_and_used() {
    run_in_shell(async |s| {
        let frame = "<iframe srcdoc='<button id=n onclick=document.title=1>Inner</button>'></iframe>";
        for outer in [
            format!("<button aria-label=Outer>{frame}</button>"),
            format!("<a href='#x' aria-label=Outer>{frame}</a>"),
            format!("<div role=button aria-label=Outer>{frame}</div>"),
            format!("<div role=link aria-label=Outer>{frame}</div>"),
            format!("<div role=tab aria-label=Outer>{frame}</div>"),
            format!("<label>Outer {frame}<input></label>"),
            format!("<div aria-hidden=true>{frame}</div>"),
        ] {
            show(&s, &outer).await;
            let text = look(&s).await;
            assert!(text.contains("\"Inner\"") || outer.contains("aria-hidden"), "{outer}\n{text}");
            for verb in ["hover", "click"] {
                let action: Action = step_from(json!(format!("{verb} css=#n"))).unwrap();
                let done = s.perform(action).await;
                assert!(done.is_ok(), "{verb} {outer}: {}", done.unwrap_err());
            }
            assert_eq!(in_frame(&s, 1, "document.title").await, "1", "{outer}");
        }
    });
}

#[test]
fn a_named_control_that_its_frame_covers_is_used_through_the_frame() {
    run_in_shell(async |s| {
        let page = "<div role=button aria-label=Full style='position: relative; width: 300px; height: 150px'><iframe srcdoc='<body onclick=document.title=1><p>all' style='position: absolute; inset: 0; width: 100%; height: 100%'></iframe></div>";
        show(&s, page).await;
        let full = ref_of(&look(&s).await, "- button \"Full\"");
        for target in [full.to_string(), "Full".into(), "css=[role=button]".into()] {
            let action: Action = step_from(json!(format!("click {target}"))).unwrap();
            s.perform(action).await.unwrap();
        }
        assert_eq!(in_frame(&s, 1, "document.title").await, "1");
    });
}

#[test]
fn a_selector_in_a_frame_that_is_not_there_says_so() {
    run_in_shell(async |s| {
        show(&s, "<iframe srcdoc='<button id=pay>Pay</button>'></iframe>").await;
        let action: Action = step_from(json!("locate 'f2 >> css=#pay'")).unwrap();
        let error = s.perform(action).await.unwrap_err();
        assert_eq!(error.code, contract::Code::ElementNotFound, "{error}");
        assert!(error.message.starts_with("there is no frame f2"), "{error}");
        assert!(error.message.contains("f1") || error.hint().contains("f1"), "{error} {}", error.hint());
        let action: Action = step_from(json!("locate 'f1 >> css=#pay'")).unwrap();
        s.perform(action).await.unwrap();
    });
}

#[test]
fn what_was_just_shown_in_a_frame_can_be_clicked() {
    run_in_shell(async |s| {
        let next = site().page("next", "<p>Next");
        let frame = format!(
            "<iframe srcdoc='<button onclick=&quot;location=`{next}`&quot;>InFrame</button>'></iframe>"
        );
        let page = site().page("frame", &format!("<button>One</button>{frame}<form><input></form>"));
        for round in 0..60 {
            s.perform(goto(&page)).await.unwrap();
            let inner = ref_of(&look(&s).await, "- button \"InFrame\"");
            let action: Action = step_from(json!(format!("click {inner}"))).unwrap();
            let clicked = s.perform(action).await;
            assert!(clicked.is_ok(), "{round}: {}", clicked.unwrap_err());
        }
    });
}

/// A frame that goes away in the middle of a question leaves it without an answer, which must not be waited for.
#[test]
fn an_action_that_removes_its_own_frame_is_over_at_once() {
    run_in_shell(async |s| {
        let remove = "parent.document.querySelector('iframe').remove()";
        let rows = [
            (format!("<button onclick=\"{remove}\">Close me</button>"), "click 'Close me'"),
            (format!("<input aria-label=Field onkeydown=\"{remove}\">"), "press a --target Field"),
            (format!("<input aria-label=Field oninput=\"{remove}\">"), "fill Field x"),
            (
                format!("<button onclick=\"setTimeout(() => {remove}, 50)\">Close me</button>"),
                "click 'Close me'",
            ),
        ];
        for (inner, command) in rows {
            let inner = inner.replace('&', "&amp;").replace('"', "&quot;");
            show(&s, &format!("<h1>Around</h1><iframe title=Inner srcdoc=\"{inner}\"></iframe>")).await;
            look(&s).await;
            let began = Instant::now();
            let outcome = s.within(Duration::from_secs(60), step_from(json!(command)).unwrap()).await;
            assert!(began.elapsed() < Duration::from_secs(20), "{command}: {:?}", began.elapsed());
            let outcome = outcome.unwrap_or_else(|error| panic!("{command}: {error}"));
            let changes = outcome.delta.unwrap_or_default().text;
            assert!(changes.contains("- iframe \"Inner\""), "{command}: {changes} {:?}", outcome.notes);
        }
    });
}

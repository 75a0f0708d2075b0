//! Frames, in the page's process and in others.

use contract::FrameId;
use engine::{
    Until,
    actions::{Eval, Frames, Goto},
};

use crate::support::{Fixture, code, goto, run, site};

async fn in_frame(s: &Fixture, frame: u32, js: &str) -> serde_json::Value {
    let eval = Eval { frame: Some(FrameId(frame)), ..Eval::new(js) };
    s.perform(eval).await.unwrap().value.unwrap()
}

#[test]
fn frames_of_other_origins_are_reached_three_deep() {
    run(async |s| {
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
    run(async |s| {
        s.open(&site().url("/frames-same.html")).await;
        let frames = s.perform(Frames {}).await.unwrap().frames.unwrap();
        assert!(frames.len() >= 3 && frames.iter().all(|frame| !frame.out_of_process), "{frames:?}");
        assert_eq!(in_frame(&s, 1, "window !== top").await, true);
    });
}

#[test]
fn frames_go_with_their_page_and_numbers_begin_anew() {
    run(async |s| {
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
    run(async |s| {
        s.open(&site().url("/frame-removed.html")).await;
        assert_eq!(s.perform(Frames {}).await.unwrap().frames.unwrap().len(), 2);
        s.eval("document.querySelector('iframe').remove()").await;
        assert_eq!(s.perform(Frames {}).await.unwrap().frames.unwrap().len(), 1);
    });
}

//! Pages without a doctype: quirks mode changes what selectors mean and which element scrolls.

use contract::Code;
use engine::actions::{Controls, Edge, Screenshot, Scroll};

use crate::{
    hands_support::{check, clicked, done, hover, log, open},
    support::{code, run_in_shell},
};

#[test]
fn hovering_and_clicking() {
    run_in_shell(async |s| {
        open(&s, "quirks").await;
        done(&s, hover("css=#card")).await;
        let delta = done(&s, hover("css=#menu")).await.delta.unwrap().text;
        assert!(delta.contains("Kettles"), "{delta}");
        clicked(&s, "css=#card").await;
        done(&s, check("css=#hidden")).await;
        let log = log(&s).await;
        assert_eq!(log[0], "BackCompat");
        let expected = ["entered card", "entered menu", "entered card", "click card", "click hidden"];
        // The pointer may have been over the menu from the beginning.
        assert!(log.ends_with(&expected.map(String::from)), "{log:?}");
        assert_eq!(
            code(s.perform(hover("css=#save")).await),
            Code::ElementAmbiguous,
            "the case of ids does not count"
        );
    });
}

#[test]
fn selectors_of_controls_mean_one_element_each() {
    run_in_shell(async |s| {
        open(&s, "quirks").await;
        let list = s.perform(Controls::default()).await.unwrap().content.unwrap().text;
        for (line, clicks) in [("Save", 2), ("Last", 1)] {
            let selectors: Vec<&str> = list
                .lines()
                .filter(|row| row.contains(&format!("] {line} ->")))
                .filter_map(|row| row.rsplit(" -> ").next())
                .collect();
            assert_eq!(selectors.len(), clicks, "{list}");
            for selector in selectors {
                clicked(&s, &format!("css={selector}")).await;
            }
        }
        let log = log(&s).await;
        assert!(log.ends_with(&["click Save", "click save", "click last"].map(String::from)), "{log:?}");
    });
}

#[test]
fn scrolling_and_pictures_of_the_whole_page() {
    run_in_shell(async |s| {
        open(&s, "quirks").await;
        let height = s.eval("document.body.scrollHeight").await.as_u64().unwrap();
        let to_end = || Scroll { to: Some(Edge::Bottom), ..Scroll::default() };
        let scrolled = done(&s, to_end()).await.scrolled.unwrap();
        assert_eq!(scrolled.left_y, 0.0);
        assert_eq!(s.eval("Math.round(scrollY + innerHeight)").await.as_u64(), Some(height));
        let picture = done(&s, Screenshot { full: true, ..Screenshot::default() }).await.screenshot.unwrap();
        assert_eq!(u64::from(picture.height), height);
        let list = Scroll { to: Some(Edge::Bottom), ..Scroll::new("css=#list".parse().unwrap()) };
        assert!(done(&s, list).await.scrolled.unwrap().y > 100.0);
        done(&s, Scroll { to: Some(Edge::Top), ..Scroll::default() }).await;
        assert_eq!(s.eval("scrollY").await, 0);
        clicked(&s, "css=#last").await;
    });
}

#[test]
fn a_body_that_scrolls_by_itself() {
    run_in_shell(async |s| {
        open(&s, "quirks-body-scrolls").await;
        let outcome = done(&s, Scroll { to: Some(Edge::Bottom), ..Scroll::default() }).await;
        assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
        let scrolled = outcome.scrolled.unwrap();
        assert_eq!((scrolled.left_y, scrolled.y > 1000.0), (0.0, true));
        clicked(&s, "Last").await;
        done(&s, Scroll { by: Some(-300.0), ..Scroll::default() }).await;
        assert_eq!(log(&s).await, ["BackCompat", "click"]);
    });
}

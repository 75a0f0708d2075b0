//! Clicking and hovering on pages that are hard to act on. Each page keeps a log of what really happened to it, and that is what counts.

use std::time::Duration;

use contract::{Code, NavigationKind, Span};
use engine::actions::{Answer, Button, Click, Dialog};
use testkit::HANDS;

use crate::{
    hands_support::{click, clicked, hover, log, logged, open},
    support::{code, eval_main, goto, look, ref_of, run_in_shell, show, site},
};

#[test]
fn every_page_loads_and_keeps_a_log() {
    run_in_shell(async |s| {
        for (path, _) in
            HANDS.iter().filter(|(path, _)| !path.contains("-middle") && !path.contains("-inner"))
        {
            let outcome = s.perform(goto(&site().url(path))).await.unwrap();
            assert_eq!(outcome.status, Some(200), "{path}");
            assert!(eval_main(&s, "Array.isArray(log)").await.value.unwrap() == true, "{path}");
            look(&s).await;
        }
    });
}

#[test]
fn a_dropdown_made_of_divs() {
    run_in_shell(async |s| {
        let text = open(&s, "dropdown-divs").await;
        let delta =
            clicked(&s, &ref_of(&text, "- generic \"Choose…\"").to_string()).await.delta.unwrap().text;
        clicked(&s, &ref_of(&delta.replace("+ ", "- "), "- generic \"Green\"").to_string()).await;
        assert_eq!(log(&s).await, ["toggle", "chose Green"]);
    });
}

#[test]
fn a_layer_that_lets_clicks_through() {
    run_in_shell(async |s| {
        let text = open(&s, "click-through-layer").await;
        clicked(&s, &ref_of(&text, "- button \"Under glass\"").to_string()).await;
        assert_eq!(log(&s).await, ["click button"]);
    });
}

#[test]
fn a_row_and_the_button_in_it() {
    run_in_shell(async |s| {
        open(&s, "row-nested-button").await;
        clicked(&s, "css=tr:nth-child(2)").await;
        clicked(&s, "css=tr:nth-child(1) button").await;
        assert_eq!(log(&s).await, ["open Invoice 8", "archive Invoice 7"]);
    });
}

#[test]
fn boxes_that_only_their_labels_show() {
    run_in_shell(async |s| {
        open(&s, "label-checkbox").await;
        for target in ["css=#news input", "css=#news", "css=#left input", "css=#right"] {
            clicked(&s, target).await;
        }
        assert_eq!(log(&s).await, ["news true", "news false", "left true", "right true"]);
    });
}

#[test]
fn bars_that_stick_to_the_edges_are_not_clicked() {
    run_in_shell(async |s| {
        open(&s, "sticky-bars").await;
        let order = [1, 60, 30, 2, 59, 31, 3, 12, 11];
        for number in order {
            clicked(&s, &format!("css=#b{number}")).await;
        }
        assert_eq!(log(&s).await, order.map(|number| format!("click {number}")));
    });
}

#[test]
fn a_button_that_an_animation_moves_is_clicked_when_it_stands_still() {
    run_in_shell(async |s| {
        open(&s, "moving-css").await;
        clicked(&s, "css=#stops").await;
        assert_eq!(log(&s).await, ["stops still"]);
    });
}

#[test]
fn a_button_that_never_stands_still_is_clicked_or_refused_and_never_missed() {
    run_in_shell(async |s| {
        open(&s, "moving-css").await;
        match s.within(Duration::from_secs(3), click("css=#never")).await {
            Ok(_) => assert_eq!(log(&s).await, ["never moving"]),
            Err(_) => assert!(log(&s).await.is_empty()),
        }
    });
}

#[test]
fn a_button_that_a_script_moves_is_not_missed() {
    run_in_shell(async |s| {
        open(&s, "moving-script").await;
        clicked(&s, "css=#button").await;
        let log = log(&s).await;
        assert!(log.len() == 1 && log[0].starts_with("click"), "{log:?}");
    });
}

#[test]
fn a_disabled_button_is_waited_for() {
    run_in_shell(async |s| {
        open(&s, "disabled-then-enabled").await;
        clicked(&s, "css=#button").await;
        assert_eq!(log(&s).await, ["enabled", "paid"]);
        let refused = s.perform(click("css=#never")).await;
        assert_eq!(code(refused), Code::ElementNotEnabled);
    });
}

#[test]
fn what_covers_is_waited_for_and_never_clicked() {
    run_in_shell(async |s| {
        open(&s, "overlay-fades").await;
        clicked(&s, "css=#button").await;
        assert_eq!(log(&s).await, ["uncovered", "click"]);
    });
}

#[test]
fn what_covers_for_good_is_named() {
    run_in_shell(async |s| {
        open(&s, "overlay-stays").await;
        let error = s.perform(click("css=#button")).await.unwrap_err();
        assert_eq!(error.code, Code::ElementCovered);
        assert!(error.message.contains("cookie-wall"), "{error}");
        assert!(log(&s).await.is_empty());
    });
}

#[test]
fn frames_of_other_origins_two_deep_and_out_of_view() {
    run_in_shell(async |s| {
        let text = open(&s, "frames-cross").await;
        clicked(&s, &ref_of(&text, "- button \"Pay\"").to_string()).await;
        logged(&s, "pay true").await;
        clicked(&s, &ref_of(&text, "- checkbox \"Save card\"").to_string()).await;
        logged(&s, "save true").await;
        assert_eq!(log(&s).await, ["pay true", "save true"]);
    });
}

#[test]
fn controls_in_a_closed_shadow_root() {
    run_in_shell(async |s| {
        let text = open(&s, "shadow-closed").await;
        clicked(&s, &ref_of(&text, "- checkbox \"Agree\"").to_string()).await;
        clicked(&s, &ref_of(&text, "- button \"Send\"").to_string()).await;
        assert_eq!(log(&s).await, ["agree true", "sent"]);
    });
}

#[test]
fn a_menu_that_opens_under_the_pointer() {
    run_in_shell(async |s| {
        open(&s, "hover-menu").await;
        s.perform(hover("css=#menu")).await.unwrap();
        clicked(&s, "css=a[href='#pans']").await;
        assert_eq!(log(&s).await, ["menu entered", "click Pans"]);
    });
}

#[test]
fn what_hovering_shows_is_in_the_outcome() {
    run_in_shell(async |s| {
        open(&s, "hover-menu").await;
        let outcome = s.perform(hover("css=#tip")).await.unwrap();
        assert!(outcome.delta.unwrap().text.contains("Without tax"));
        let outcome = s.perform(hover("css=#menu")).await.unwrap();
        assert!(outcome.delta.unwrap().text.contains("- paragraph: Without tax"));
        assert_eq!(log(&s).await, ["tip shown", "tip hidden", "menu entered"]);
    });
}

#[test]
fn a_menu_for_the_right_button() {
    run_in_shell(async |s| {
        open(&s, "context-menu").await;
        s.perform(Click { button: Button::Right, ..click("css=#file") }).await.unwrap();
        clicked(&s, "css=[role=menuitem]:last-child").await;
        assert_eq!(log(&s).await, ["menu", "Delete"]);
    });
}

#[test]
fn a_double_click() {
    run_in_shell(async |s| {
        open(&s, "double-click-edit").await;
        let outcome = s.perform(Click { double: true, ..click("css=#title") }).await.unwrap();
        assert_eq!(log(&s).await, ["click 1", "click 2", "edit"]);
        assert!(outcome.delta.unwrap().text.contains("+ textbox \"Title\""));
    });
}

#[test]
fn two_clicks_are_not_a_double_click() {
    run_in_shell(async |s| {
        open(&s, "double-click-edit").await;
        clicked(&s, "css=#title").await;
        clicked(&s, "css=#title").await;
        assert_eq!(log(&s).await, ["click 1", "click 1"]);
    });
}

#[test]
fn a_button_that_is_held_down() {
    run_in_shell(async |s| {
        open(&s, "long-press").await;
        clicked(&s, "css=#button").await;
        let hold = Some(Span(Duration::from_millis(900)));
        s.perform(Click { hold, ..click("css=#button") }).await.unwrap();
        assert_eq!(log(&s).await, ["down", "up", "down", "held", "up"]);
    });
}

#[test]
fn files_that_a_click_saves_are_in_its_outcome() {
    run_in_shell(async |s| {
        open(&s, "download-links").await;
        for (target, name, bytes) in [
            ("css=#header", "report.txt", 100),
            ("css=#blob", "export.csv", 8),
            ("css=#event", "event.csv", 8),
            ("css=#later", "later.csv", 8),
            ("css=#slow", "slow.txt", 100),
        ] {
            let outcome = clicked(&s, target).await;
            let saved: Vec<_> =
                outcome.downloads.iter().map(|file| (file.name.as_str(), file.bytes)).collect();
            assert_eq!(saved, [(name, bytes)], "{target}: {:?}", outcome.notes);
        }
        let outcome = clicked(&s, "css=#attribute").await;
        assert_eq!(outcome.downloads[0].name, "saved.html");
        assert!(outcome.url.unwrap().ends_with("/hands/download-links.html"));
    });
}

#[test]
fn windows_that_a_click_opens_are_in_its_outcome() {
    run_in_shell(async |s| {
        open(&s, "popups").await;
        for (target, title) in [("css=#blank", "blank"), ("css=#window", "window")] {
            let opened = s.in_tab(1, click(target)).await.unwrap().opened;
            let titles: Vec<_> = opened.iter().map(|tab| tab.title.as_str()).collect();
            assert_eq!(titles, [title], "{target}");
        }
    });
}

#[test]
fn dialogs_that_a_click_opens() {
    run_in_shell(async |s| {
        open(&s, "dialogs").await;
        let answer = |answer| Dialog { answer, text: None };
        for (target, kind, say) in [
            ("css=#alert", "alert", answer(Answer::Accept)),
            ("css=#confirm", "confirm", answer(Answer::Dismiss)),
            ("css=#prompt", "prompt", Dialog { answer: Answer::Accept, text: Some("Ada".into()) }),
        ] {
            assert_eq!(clicked(&s, target).await.dialog.unwrap().kind, kind);
            assert_eq!(code(s.perform(click("css=#alert")).await), Code::DialogOpen);
            s.perform(say).await.unwrap();
        }
        assert_eq!(log(&s).await, ["alerted", "confirmed false", "prompted Ada"]);
    });
}

#[test]
fn what_follows_an_answer_is_in_its_outcome() {
    run_in_shell(async |s| {
        let page = "<button onclick='ask()'>Delete</button><p id=told>here</p><script>
            async function ask() {
                if (!confirm('sure?')) return;
                await fetch('/slow?ms=100');
                told.textContent = 'deleted';
            }</script>";
        show(&s, page).await;
        look(&s).await;
        assert!(clicked(&s, "css=button").await.dialog.is_some());
        let outcome = s.perform(Dialog { answer: Answer::Accept, text: None }).await.unwrap();
        assert!(outcome.delta.unwrap().text.contains("deleted"));
    });
}

#[test]
fn a_page_that_asks_before_it_is_left() {
    run_in_shell(async |s| {
        open(&s, "beforeunload-form").await;
        clicked(&s, "css=#comment").await;
        s.eval("document.querySelector('#comment').value = 'unsaved'").await;
        assert_eq!(clicked(&s, "css=#away").await.dialog.unwrap().kind, "beforeunload");
        s.perform(Dialog { answer: Answer::Dismiss, text: None }).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#comment').value").await, "unsaved");
        clicked(&s, "css=#away").await;
        let left = s.perform(Dialog { answer: Answer::Accept, text: None }).await.unwrap();
        assert_eq!(left.title.as_deref(), Some("away"));
    });
}

#[test]
fn a_click_whose_handler_fails_has_still_been_done() {
    run_in_shell(async |s| {
        open(&s, "click-fails").await;
        for id in ["throws", "rejects", "logs", "refused", "cut"] {
            clicked(&s, &format!("css=#{id}")).await;
        }
        let expected = ["throws", "rejects", "logs", "refused", "cut"].map(|id| format!("click {id}"));
        let log = log(&s).await;
        assert_eq!(
            log.iter().filter(|line| line.starts_with("click")).cloned().collect::<Vec<_>>(),
            expected
        );
        // What the handlers asked for was waited for.
        assert!(log.contains(&"status 500".into()) && log.contains(&"no answer".into()), "{log:?}");
    });
}

#[test]
fn a_button_in_a_scrolled_area_in_a_scrolled_area_in_a_scrolled_page() {
    run_in_shell(async |s| {
        open(&s, "scrolled-nested").await;
        clicked(&s, "css=#deep").await;
        assert_eq!(log(&s).await, ["click deep"]);
    });
}

#[test]
fn a_very_long_page_and_its_anchors() {
    run_in_shell(async |s| {
        open(&s, "long-anchor").await;
        let moved = clicked(&s, "css=#down").await.navigation.unwrap();
        assert_eq!(moved.kind, NavigationKind::SameDocument);
        clicked(&s, "css=#last").await;
        clicked(&s, "css=#up").await;
        clicked(&s, "css=#last").await;
        let expected = ["click down", "at #bottom", "click last", "click up", "at #top", "click last"];
        assert_eq!(log(&s).await, expected);
    });
}

#[test]
fn a_feed_that_grows_while_it_is_clicked() {
    run_in_shell(async |s| {
        open(&s, "scroll-page-endless").await;
        logged(&s, "loaded 20").await;
        clicked(&s, "css=article:nth-child(20) button").await;
        logged(&s, "loaded 40").await;
        clicked(&s, "css=article:nth-child(40) button").await;
        logged(&s, "liked 40").await;
        let liked: Vec<String> = log(&s).await.into_iter().filter(|line| line.starts_with("liked")).collect();
        assert_eq!(liked, ["liked 20", "liked 40"]);
    });
}

#[test]
fn a_frame_inside_of_what_is_clicked() {
    run_in_shell(async |s| {
        open(&s, "frame-inside").await;
        // Beside the frame there is room, so the frame is not clicked.
        clicked(&s, "css=#card").await;
        // A frame that leaves no room is part of what it is in: a person clicks it there.
        let outcome = clicked(&s, "css=#framed").await;
        assert_eq!(outcome.target.unwrap().name, "Play");
        assert!(outcome.notes.iter().any(|note| note.contains("frame")), "{:?}", outcome.notes);
        logged(&s, "play in the frame?clip").await;
        clicked(&s, "css=#framed iframe").await;
        s.perform(hover("css=#card")).await.unwrap();
        s.perform(hover("css=#framed")).await.unwrap();
        let log = log(&s).await;
        let clicks: Vec<&String> = log.iter().filter(|row| !row.contains("entered")).collect();
        assert_eq!(clicks, ["click card", "play in the frame?clip", "play in the frame?clip"]);
        assert!(log.iter().any(|row| row == "entered framed"), "{log:?}");
        assert!(
            !log.iter().any(|row| row == "play in the frame" || row == "entered in the frame"),
            "{log:?}"
        );
    });
}

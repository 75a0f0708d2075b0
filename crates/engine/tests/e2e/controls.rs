//! The list of controls: its exact form in both languages, and selectors that mean one element each.

use contract::{Code, FrameId};
use engine::{
    Until,
    actions::{Controls, Goto, Lang},
};
use serde_json::Value;

use crate::support::{Fixture, code, run_in_shell, site};

async fn list(s: &Fixture, lang: Lang) -> String {
    s.perform(Controls { lang, ..Controls::default() }).await.unwrap().content.unwrap().text
}

/// The list with the site and the time made the same for every run.
fn stable(text: &str) -> String {
    let mut lines: Vec<String> = text.replace(&site().url(""), "SITE").lines().map(str::to_owned).collect();
    let (name, time) = lines[2].split_once(": ").unwrap();
    assert_eq!(time.len(), "2024-01-01 12:00:00".len(), "{time}");
    assert!(time.chars().all(|c| c.is_ascii_digit() || "-: ".contains(c)), "{time}");
    lines[2] = format!("{name}: TIME");
    lines.join("\n") + "\n"
}

/// For each control of a frame its selector, its own number, and the numbers of what the selector means.
async fn selectors(s: &Fixture, frame: u32) -> Vec<(Option<String>, Value, Value)> {
    let js = "webhand.controls().map(c => [c.selector, [c.number], c.selector && webhand.locate('css', c.selector)])";
    let found =
        engine::testing::in_own_world(&s.engine, (&s.name, &s.options), FrameId(frame), js).await.unwrap();
    let triple = |row: &Value| (row[0].as_str().map(str::to_owned), row[1].clone(), row[2].clone());
    found.as_array().unwrap().iter().map(triple).collect()
}

#[test]
fn every_kind_in_the_exact_form_of_the_document() {
    run_in_shell(async |s| {
        s.open(&site().url("/controls.html")).await;
        assert_eq!(stable(&list(&s, Lang::Zh).await), include_str!("golden/controls.zh.txt"));
        assert_eq!(stable(&list(&s, Lang::En).await), include_str!("golden/controls.en.txt"));
    });
}

#[test]
fn every_selector_means_its_control_and_no_other() {
    run_in_shell(async |s| {
        for (page, controls, without) in
            [("/controls.html", 19, 0), ("/controls-duplicates.html", 37, 4), ("/read-app.html", 13, 0)]
        {
            s.open(&site().url(page)).await;
            let found = selectors(&s, 0).await;
            assert_eq!(found.len(), controls, "{found:?}");
            // What is the same in every shadow root has no selector; it has a ref.
            assert_eq!(
                found.iter().filter(|(selector, ..)| selector.is_none()).count(),
                without,
                "{found:?}"
            );
            for (selector, own, meant) in found.iter().filter(|(selector, ..)| selector.is_some()) {
                assert_eq!(own, meant, "{selector:?} on {page}");
            }
        }
    });
}

#[test]
fn names_that_programs_made_up_are_not_used() {
    run_in_shell(async |s| {
        s.open(&site().url("/controls-duplicates.html")).await;
        let text = list(&s, Lang::En).await;
        for part in ["ember1234", "550e8400", "#twice", "1st"] {
            assert!(!text.contains(part), "{part} is used: {text}");
        }
        for part in [
            "[Link] three -> a[title=\"three\"]",
            "[Link] quotes -> a[href=\"/q?a=\\\"b\\\"&c=\\\\d\"]",
            "[Button] Edit -> div#list > ul > li:nth-of-type(2) > button:nth-of-type(2)",
            "[Radio] x -> input[name=\"x\"][value=\"1\"]",
            "[Button] No -> :host(my-card#fourth) div > button:nth-of-type(2)",
        ] {
            assert!(text.contains(part), "{part} is missing: {text}");
        }
    });
}

#[test]
fn what_has_no_selector_is_named_by_a_ref_that_works() {
    run_in_shell(async |s| {
        s.open(&site().url("/controls-duplicates.html")).await;
        let text = list(&s, Lang::En).await;
        let line = text.lines().find(|line| line.contains("-> e")).unwrap();
        let reference = line.rsplit(' ').next().unwrap().parse().unwrap();
        let html =
            engine::actions::Html { scope: Some(contract::Target::Ref(reference)), ..Default::default() };
        let html = s.perform(html).await.unwrap().content.unwrap().text;
        assert_eq!(html, "<a href=\"/same\">in</a>");
    });
}

#[test]
fn frames_have_a_section_each() {
    run_in_shell(async |s| {
        let page = format!("/frames-cross.html?host=b.localhost:{}", site().port());
        let url = site().on("a.localhost", &page);
        s.perform(Goto { url: (&*url).into(), until: Until::NetworkIdle }).await.unwrap();
        let text = list(&s, Lang::En).await;
        assert!(text.starts_with(&format!("Action: controls\nURL: {url}\nTime: ")), "{text}");
        let (_, sections) = text.split_once("=== Interactive controls ===\n\n").unwrap();
        let (top, frames) = sections.split_once(" ---\n\n").unwrap();
        assert!(
            top.starts_with("[Button] Top button -> f0 >> html > body > button\n  Text: \"Top button\"\n\n"),
            "{top}"
        );
        assert!(top.contains("--- f1 http://b.localhost:"), "{text}");
        assert!(frames.contains("--- f2 http://c.localhost:"), "{text}");
        for frame in 0..3 {
            for (selector, own, meant) in selectors(&s, frame).await {
                assert_eq!(own, meant, "{selector:?} in f{frame}");
            }
        }
    });
}

#[test]
fn a_hidden_mark_with_a_visible_label_and_a_frame_of_no_size() {
    run_in_shell(async |s| {
        let page = "<label><input type=checkbox name=on style='opacity: 0; position: absolute'>Switch</label>\
            <input type=checkbox name=off style='opacity: 0'><iframe hidden srcdoc='<button>no</button>'></iframe>";
        s.open(&site().page("marks", page)).await;
        let text = list(&s, Lang::En).await;
        assert!(
            text.ends_with("===\n\n[Checkbox] Switch -> input[name=\"on\"]\n  State: unchecked"),
            "{text}"
        );
    });
}

#[test]
fn a_long_list_is_cut_and_goes_on() {
    run_in_shell(async |s| {
        s.open(&site().url("/controls.html")).await;
        let first = Controls { max_chars: Some(200), ..Controls::default() };
        let first = s.perform(first).await.unwrap().content.unwrap();
        assert_eq!((&*first.format, first.text.ends_with('\n')), ("controls", true));
        let next = Controls { offset: first.next_offset.unwrap(), ..Controls::default() };
        let next = s.perform(next).await.unwrap().content.unwrap();
        assert_eq!((first.text + &next.text).chars().count() as u64, next.total);
        let past = Controls { offset: next.total, ..Controls::default() };
        assert_eq!(code(s.perform(past).await), Code::InvalidInput);
    });
}

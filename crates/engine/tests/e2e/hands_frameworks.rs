//! Acting on pages made with real frameworks. The page is the same in each; what counts is what the framework's own state says, which
//! stands beside each field.

use contract::Code;
use testkit::FRAMEWORKS;

use crate::{
    hands_support::{click, clicked, text_of},
    support::{Fixture, code, goto, look, ref_of, run_in_shell, site},
};

/// Runs a test on the page of each framework; it gets the framework's name and what the page looks like.
pub(crate) fn in_each<F: Future<Output = ()>>(test: impl Fn(Fixture, &'static str, String) -> F) {
    testkit::frameworks();
    run_in_shell(async |s| {
        for framework in FRAMEWORKS {
            s.perform(goto(&site().url(&format!("/frameworks/{framework}/form.html")))).await.unwrap();
            let text = look(&s).await;
            test(s.clone(), framework, text).await;
        }
    });
}

#[test]
fn boxes_and_radios() {
    in_each(async |s, framework, _| {
        for (target, state, expected) in [
            ("css=#agree", "#agree-state", "true"),
            ("css=label[for=agree]", "#agree-state", "false"),
            ("css=#size-large", "#size-state", "large"),
            ("css=label:has(#size-medium)", "#size-state", "medium"),
        ] {
            clicked(&s, target).await;
            assert_eq!(text_of(&s, state).await, expected, "{framework} {target}");
        }
    });
}

#[test]
fn items_of_a_list_keep_their_refs() {
    in_each(async |s, framework, text| {
        let remove = |item: &str| ref_of(&text, &format!("- button \"Remove {item}\"")).to_string();
        clicked(&s, &remove("Bread")).await;
        clicked(&s, &remove("Salt")).await;
        let left = s.eval("document.querySelector('#items').innerText").await;
        assert!(left.as_str().unwrap().starts_with("Milk Remove Milk"), "{framework} {left}");
        assert_eq!(code(s.perform(click(&remove("Bread"))).await), Code::StaleRef, "{framework}");
    });
}

#[test]
fn what_a_click_fetches_is_in_its_outcome() {
    in_each(async |s, framework, text| {
        let outcome = clicked(&s, &ref_of(&text, "- button \"Load\"").to_string()).await;
        let delta = outcome.delta.unwrap().text;
        assert!(delta.contains("Cherry Hill"), "{framework} {delta}");
        assert_eq!(text_of(&s, "#loaded").await, "Cherry Hill", "{framework}");
    });
}

#[test]
fn options_that_open_at_the_end_of_the_body() {
    in_each(async |s, framework, text| {
        let delta = clicked(&s, &ref_of(&text, "- combobox \"Fruit\"").to_string()).await.delta.unwrap().text;
        clicked(&s, &ref_of(&delta, "- option \"Cherry\"").to_string()).await;
        assert_eq!(text_of(&s, "#fruit-state").await, "Cherry", "{framework}");
        assert_eq!(s.eval("document.querySelector('#fruits')").await, serde_json::Value::Null, "{framework}");
    });
}

#[test]
fn a_modal_dialog_covers_the_page() {
    in_each(async |s, framework, text| {
        let load = ref_of(&text, "- button \"Load\"").to_string();
        let delta =
            clicked(&s, &ref_of(&text, "- button \"Delete all\"").to_string()).await.delta.unwrap().text;
        let covered = s.perform(click(&load)).await;
        assert_eq!(code(covered), Code::ElementCovered, "{framework}");
        clicked(&s, &ref_of(&delta, "- button \"Yes\"").to_string()).await;
        assert_eq!(text_of(&s, "#answer").await, "yes", "{framework}");
        assert_eq!(text_of(&s, "#loaded").await, "nothing", "{framework}");
    });
}

#[test]
fn tabs_of_a_panel() {
    in_each(async |s, framework, text| {
        for (name, panel) in [("Three", "Panel 3"), ("Two", "Panel 2"), ("One", "Panel 1")] {
            let delta = clicked(&s, &ref_of(&text, &format!("- tab \"{name}\"")).to_string()).await.delta;
            assert!(delta.is_some_and(|delta| delta.text.contains(panel)), "{framework} {name}");
            assert_eq!(text_of(&s, "#panel").await, panel, "{framework}");
        }
    });
}

#[test]
fn a_form_that_the_browser_refuses_is_not_submitted() {
    in_each(async |s, framework, text| {
        clicked(&s, &ref_of(&text, "- button \"Sign up\"").to_string()).await;
        assert_eq!(text_of(&s, "#submitted").await, "", "{framework}");
    });
}

/// The pages themselves, as far as that needs no verb: what is inserted reaches the state, in each framework alike.
#[test]
fn the_state_follows_the_fields() {
    in_each(async |s, framework, _| {
        for (field, inserted, state, expected) in [
            ("#text", "Ada", "#text-state", "Ada"),
            ("#area", "one", "#area-state", "one"),
            ("#number", "42", "#number-state", "42"),
            ("#upper", "abc", "#upper-state", "ABC"),
            ("#digits", "3", "#digits-state", "123"),
            ("#digits", "x", "#digits-state", "123"),
        ] {
            let script = format!(
                "var field = document.querySelector('{field}'); field.focus(); document.execCommand('insertText', false, '{inserted}');
                 await new Promise(requestAnimationFrame); field.value"
            );
            let value = s.eval(&script).await;
            assert_eq!(text_of(&s, state).await, expected, "{framework} {field}");
            assert_eq!(value, expected, "{framework} {field}");
        }
        let search = "document.querySelector('#search').focus(); document.execCommand('insertText', false, 'berl');
            var found = document.querySelector('#found');
            await new Promise(done => new MutationObserver(done).observe(found, { childList: true })); found.innerText";
        assert_eq!(s.eval(search).await, "Berlin", "{framework}");
    });
}

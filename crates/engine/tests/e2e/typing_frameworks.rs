//! Typing, choosing and whole forms on pages made with real frameworks. What counts is the framework's own state, which stands beside
//! each field.

use contract::Code;
use engine::actions::FillForm;
use serde_json::{Value, json};

use crate::{
    hands_frameworks::in_each,
    hands_support::{
        check, click, clicked, done, fill, form, press, press_in, select, text_of, type_into, uncheck,
    },
    support::{Fixture, look, ref_of},
};

/// What is in a field, as its page would read it.
async fn value_of(s: &Fixture, css: &str) -> Value {
    s.eval(&format!("document.querySelector({}).value", Value::from(css))).await
}

#[test]
fn filling_fields_of_every_kind() {
    in_each(async |s, framework, _| {
        for (field, given, state) in [
            ("text", "Ada Lovelace", "Ada Lovelace"),
            ("text", "Grace 霍珀 👩‍👧", "Grace 霍珀 👩‍👧"),
            ("area", "one\ntwo", "one\ntwo"),
            ("number", "42", "42"),
            ("number", "-3.5", "-3.5"),
            ("agree", "yes", "true"),
            ("country", "Italy", "it"),
            ("date", "2028-02-29", "2028-02-29"),
            ("volume", "70", "70"),
            ("digits", "456", "456"),
            // What is there is cleared, in the state as well.
            ("text", "", ""),
            ("area", "", ""),
            ("number", "", ""),
            ("date", "", ""),
            ("agree", "no", "false"),
        ] {
            let outcome = done(&s, fill(&format!("css=#{field}"), given)).await;
            assert_eq!(outcome.notes, [""; 0], "{framework} {field}");
            assert_eq!(text_of(&s, &format!("#{field}-state")).await, state, "{framework} {field}");
        }
    });
}

#[test]
fn typing_goes_on_behind_what_is_there() {
    in_each(async |s, framework, _| {
        for (field, first, then, state) in [
            ("text", "Ada", " Lovelace", "Ada Lovelace"),
            ("area", "one", "\ntwo", "one\ntwo"),
            ("number", "4", "2", "42"),
            ("digits", "34", "56", "3456"),
        ] {
            let target = format!("css=#{field}");
            done(&s, fill(&target, first)).await;
            done(&s, type_into(&target, then)).await;
            assert_eq!(text_of(&s, &format!("#{field}-state")).await, state, "{framework} {field}");
            assert_eq!(value_of(&s, &format!("#{field}")).await, state, "{framework} {field}");
        }
    });
}

#[test]
fn a_field_that_makes_something_else_of_it_is_told() {
    in_each(async |s, framework, _| {
        let outcome = done(&s, fill("css=#upper", "abc")).await;
        assert_eq!(outcome.notes, ["the field holds another text than it was given"], "{framework}");
        assert_eq!(text_of(&s, "#upper-state").await, "ABC", "{framework}");
        done(&s, type_into("css=#upper", "def")).await;
        assert_eq!(value_of(&s, "#upper").await, "ABCDEF", "{framework}");
        assert_eq!(done(&s, fill("css=#upper", "XYZ")).await.notes, [""; 0], "{framework}");
    });
}

#[test]
fn a_field_that_refuses_is_told() {
    in_each(async |s, framework, _| {
        let error = s.perform(fill("css=#digits", "letters")).await.unwrap_err();
        assert_eq!(error.code, Code::NoEffect, "{framework}");
        assert!(!format!("{error:?}").contains("letters"), "{framework} {error:?}");
        // Nobody can tell whether it was refused or cut: what was there is how it begins.
        let outcome = done(&s, fill("css=#digits", "12a")).await;
        assert_eq!(outcome.notes, ["the field holds 2 characters instead of 3"], "{framework}");
        assert_eq!(text_of(&s, "#digits-state").await, "12", "{framework}");
        assert_eq!(value_of(&s, "#digits").await, "12", "{framework}");
        // Key by key it takes those that it knows.
        done(&s, type_into("css=#digits", "3x4")).await;
        assert_eq!(text_of(&s, "#digits-state").await, "1234", "{framework}");
    });
}

#[test]
fn boxes_radios_and_lists() {
    in_each(async |s, framework, _| {
        let state = async |id: &str| text_of(&s, &format!("#{id}-state")).await;
        done(&s, check("css=#agree")).await;
        assert_eq!(state("agree").await, "true", "{framework}");
        assert_eq!(done(&s, check("css=#agree")).await.notes, ["it was checked already"], "{framework}");
        done(&s, uncheck("css=label[for=agree]")).await;
        assert_eq!(state("agree").await, "false", "{framework}");
        done(&s, check("css=#size-large")).await;
        assert_eq!(state("size").await, "large", "{framework}");
        done(&s, check("the medium radio button")).await;
        assert_eq!(state("size").await, "medium", "{framework}");
        done(&s, select("css=#country", &["Japan"])).await;
        assert_eq!(state("country").await, "jp", "{framework}");
        done(&s, select("Country", &["is"])).await;
        assert_eq!(state("country").await, "is", "{framework}");
        done(&s, select("css=#languages", &["English", "Chinese"])).await;
        assert_eq!(state("languages").await, "en zh", "{framework}");
        done(&s, select("css=#languages", &["French"])).await;
        assert_eq!(state("languages").await, "fr", "{framework}");
    });
}

#[test]
fn a_whole_form_shows_exactly_what_was_submitted() {
    in_each(async |s, framework, _| {
        let fields = [
            ("Name", "Ada Lovelace", "text", "Ada Lovelace"),
            ("About", "first line\nsecond line", "area", "first line\nsecond line"),
            ("Age", "36", "number", "36"),
            ("the Agree checkbox", "true", "agree", "true"),
            ("css=#size-large", "true", "size", "large"),
            ("Country", "Italy", "country", "it"),
            ("Languages", "French", "languages", "fr"),
            ("Birthday", "1815-12-10", "date", "1815-12-10"),
            ("Volume", "35", "volume", "35"),
        ];
        let mut given: Vec<_> = fields.iter().map(|(target, value, ..)| (*target, *value)).collect();
        given.extend([("Email", "ada+1@example.test"), ("Password", "p&=% 密")]);
        let outcome = done(&s, FillForm { submit: true, ..form(&given) }).await;
        assert!(outcome.steps.len() == 11 && outcome.steps.iter().all(|step| step.ok), "{:?}", outcome.steps);
        for (_, _, id, state) in fields {
            assert_eq!(text_of(&s, &format!("#{id}-state")).await, state, "{framework} {id}");
        }
        // What comes out of the page is masked, so the page is asked whether it has the secret.
        let submitted: Value = serde_json::from_str(&text_of(&s, "#submitted").await).unwrap();
        assert_eq!(
            submitted,
            json!({ "email": "ada+1@example.test", "password": "[secret]" }),
            "{framework}"
        );
        let is_whole = "JSON.parse(document.querySelector('#submitted').textContent).password === 'p&=% 密'";
        assert_eq!(s.eval(is_whole).await, true, "{framework}");
    });
}

#[test]
fn what_a_search_finds_is_in_the_outcome_of_typing_its_words() {
    in_each(async |s, framework, _| {
        let delta = done(&s, fill("css=#search", "berl")).await.delta.unwrap().text;
        assert!(delta.contains("Berlin"), "{framework} {delta}");
        let delta = done(&s, fill("css=#search", "")).await.delta.unwrap().text;
        assert!(delta.contains("Berlin"), "it went: {framework} {delta}");
        let delta = done(&s, type_into("css=#search", "cherry")).await.delta.unwrap().text;
        assert!(delta.contains("Cherry Hill"), "{framework} {delta}");
        // The last key decides.
        let delta = done(&s, press("Control+a Delete l o n d")).await.delta.unwrap().text;
        assert!(delta.contains("London"), "{framework} {delta}");
    });
}

#[test]
fn options_at_the_end_of_the_body_are_selected() {
    in_each(async |s, framework, _| {
        let outcome = done(&s, select("css=#fruit", &["Cherry"])).await;
        assert_eq!(outcome.target.unwrap().role, "combobox", "{framework}");
        assert_eq!(text_of(&s, "#fruit-state").await, "Cherry", "{framework}");
        // Only the chosen one is left to choose from, until something else is typed.
        done(&s, select("Fruit", &["banana"])).await;
        assert_eq!(text_of(&s, "#fruit-state").await, "Banana", "{framework}");
        let error = s.perform(select("css=#fruit", &["Durian"])).await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotFound, "{framework} {error}");
        assert_eq!(text_of(&s, "#fruit-state").await, "Banana", "{framework}");
        // The same by hand.
        let delta = done(&s, fill("css=#fruit", "gr")).await.delta.unwrap().text;
        clicked(&s, &ref_of(&delta.replace("+ ", "- "), "- option \"Grape\"").to_string()).await;
        assert_eq!(text_of(&s, "#fruit-state").await, "Grape", "{framework}");
    });
}

#[test]
fn a_list_that_is_added_to_and_removed_from_in_plain_words() {
    in_each(async |s, framework, text| {
        let add = ref_of(&text, "- button \"Add\"").to_string();
        for item in ["Tea", "Milk powder"] {
            done(&s, fill("New item", item)).await;
            let delta = clicked(&s, &add).await.delta.unwrap().text;
            assert!(delta.contains(&format!("Remove {item}")), "{framework} {delta}");
        }
        assert_eq!(value_of(&s, "#new").await, "", "{framework}");
        for target in
            ["Remove Tea", "the Remove button in the row of Bread", "css=#items li:first-child button"]
        {
            clicked(&s, target).await;
        }
        let left = s.eval("[...document.querySelectorAll('#items li')].map(item => item.innerText.split(' Remove')[0].trim())").await;
        assert_eq!(left, json!(["Salt", "Milk powder"]), "{framework}");
        // Enter in the field of the button that it belongs to is nothing here: there is no form.
        done(&s, fill("New item", "x")).await;
        done(&s, press("Tab Enter")).await;
        let count = s.eval("document.querySelectorAll('#items li').length").await;
        assert_eq!(count, 3, "{framework}");
    });
}

#[test]
fn dialogs_and_tabs_by_keyboard() {
    in_each(async |s, framework, text| {
        let delta = done(&s, press_in("the Delete all button", "Enter")).await.delta.unwrap().text;
        assert!(delta.contains("dialog \"Sure?\""), "{framework} {delta}");
        done(&s, press_in("the No button", "Space")).await;
        assert_eq!(text_of(&s, "#answer").await, "no", "{framework}");
        let three = ref_of(&text, "- tab \"Three\"").to_string();
        let delta = done(&s, press_in(&three, "Enter")).await.delta.unwrap().text;
        assert!(delta.contains("Panel 3"), "{framework} {delta}");
        let delta = done(&s, press("Shift+Tab Space")).await.delta.unwrap().text;
        assert!(delta.contains("Panel 2"), "{framework} {delta}");
        assert!(look(&s).await.contains("tab \"Two\" [selected]"), "{framework}");
    });
}

#[test]
fn a_form_that_the_browser_refuses_says_nothing_was_submitted() {
    in_each(async |s, framework, _| {
        done(
            &s,
            FillForm {
                submit: true,
                ..form(&[("css=[name=email]", "no address"), ("css=[name=password]", "x")])
            },
        )
        .await;
        assert_eq!(text_of(&s, "#submitted").await, "", "{framework}");
        done(&s, fill("css=[name=email]", "an@address.test")).await;
        done(&s, click("the Sign up button")).await;
        let submitted: Value = serde_json::from_str(&text_of(&s, "#submitted").await).unwrap();
        assert_eq!(submitted, json!({ "email": "an@address.test", "password": "x" }), "{framework}");
    });
}

//! `type`: fields that lose the focus, or go, while a text is typed into them. No key may reach the page then.

use std::time::Duration;

use contract::{Code, Error, Span};
use engine::actions::Type;
use serde_json::json;

use crate::{
    hands_support::{done, fill, press, type_into},
    support::{Fixture, eval_main, run_in_shell, show, site},
};

/// Notes the keys that reach the page outside of fields.
const LOGGER: &str = "<script>
    log = [];
    for (const type of ['keydown', 'keypress', 'keyup']) document.addEventListener(type, event => {
      if (!event.target.matches('input, textarea, [contenteditable]')) log.push(type + ' ' + event.key);
    });
</script>";

/// Types into the first thing in a page that takes text, which has to stop after so many characters.
async fn stops(s: &Fixture, body: &str, text: &str, typed: u64, why: &str) -> Error {
    show(s, &format!("{LOGGER}{body}")).await;
    let error = s.perform(type_into("css=input, div", text)).await.unwrap_err();
    let all = text.chars().count();
    assert_eq!(error.code, Code::NoEffect, "{body}: {error}");
    assert!(error.message.contains(why), "{body}: {error}");
    assert!(error.message.contains(&format!("after {typed} of {all} characters")), "{body}: {error}");
    assert_eq!(error.outcome.as_ref().unwrap().typed, Some(typed), "{body}");
    assert!(!error.retriable(), "the same again would type the beginning twice");
    error
}

async fn no_key_went_to_the_page(s: &Fixture, but: serde_json::Value) {
    assert_eq!(eval_main(s, "log").await.value.unwrap(), but);
}

#[test]
fn typing_stops_when_the_field_loses_the_focus() {
    run_in_shell(|s| async move {
        let field = "<input oninput='if (value.length === 3) blur()'>";
        stops(&s, field, "abcdef", 3, "lost the focus").await;
        assert_eq!(s.eval("document.querySelector('input').value").await, "abc");
        // The key that had been pressed is let go of.
        no_key_went_to_the_page(&s, json!(["keyup c"])).await;
        // More than is sent at once, and characters that no key writes.
        stops(&s, field, &"abcdefghij".repeat(10), 3, "lost the focus").await;
        no_key_went_to_the_page(&s, json!(["keyup c"])).await;
        stops(&s, field, "abc字字", 3, "lost the focus").await;
        assert_eq!(s.eval("document.querySelector('input').value").await, "abc");
        // Keys are for everybody again.
        done(&s, press("x")).await;
        assert_eq!(eval_main(&s, "log.at(-1)").await.value.unwrap(), "keyup x");
        show(&s, &format!("{LOGGER}{field}")).await;
        let slowly =
            Type { delay: Some(Span(Duration::from_millis(30))), ..type_into("css=input", "abcdef") };
        let error = s.perform(slowly).await.unwrap_err();
        assert!(error.message.contains("after 3 of 6 characters"), "{error}");
        no_key_went_to_the_page(&s, json!(["keyup c"])).await;
    });
}

#[test]
fn typing_stops_when_the_field_goes() {
    run_in_shell(|s| async move {
        for field in [
            "<input oninput='if (value.length === 3) this.remove()'>",
            "<div contenteditable oninput='if (this.textContent.length === 3) this.outerHTML = this.outerHTML'></div>",
        ] {
            stops(&s, field, "abcdef", 3, "was taken out of the page").await;
            no_key_went_to_the_page(&s, json!(["keyup c"])).await;
        }
    });
}

#[test]
fn typing_stops_when_the_page_is_left() {
    run_in_shell(|s| async move {
        let next = site().page("next", LOGGER);
        let leaves = format!("<input oninput=\"if (value.length === 3) location.href = '{next}'\">");
        let error = stops(&s, &leaves, "abcdef", 3, "the page was left").await;
        assert!(error.outcome.unwrap().navigation.is_some());
        no_key_went_to_the_page(&s, json!([])).await;
        // A line end that sends the form, with more behind it.
        let form = format!("<form action='{next}'><input name=a></form>");
        stops(&s, &form, "ab\ncd", 3, "the page was left").await;
        // As the last key it is what was asked for.
        show(&s, &form).await;
        let outcome = done(&s, type_into("css=input", "ab\n")).await;
        assert!(outcome.navigation.is_some() && outcome.typed == Some(3), "{outcome:?}");
    });
}

#[test]
fn typing_goes_on_where_the_page_or_a_key_takes_the_focus() {
    run_in_shell(|s| async move {
        let values = "[...document.querySelectorAll('input')].map(input => input.type === 'checkbox' ? input.checked : input.value)";
        let boxes = [1, 2, 3]
            .map(|at| format!("<input id=i{at} maxlength=1 oninput='nextElementSibling.focus()'>"))
            .concat();
        show(&s, &format!("{LOGGER}{boxes}<button>Send</button>")).await;
        done(&s, type_into("css=#i1", "123")).await;
        assert_eq!(s.eval(values).await, json!(["1", "2", "3"]));
        // Not into a button, which a blank would press.
        s.eval("void (document.querySelector('#i3').value = '')").await;
        let error = s.perform(type_into("css=#i3", "4 5")).await.unwrap_err();
        assert!(error.message.contains("after 1 of 3 characters"), "{error}");
        show(&s, &format!("{LOGGER}<input id=i1><input type=checkbox><input>")).await;
        done(&s, type_into("css=#i1", "a\t \tb")).await;
        assert_eq!(s.eval(values).await, json!(["a", true, "b"]));
        // What takes keys without being a field may pass them on.
        let cells = "<div tabindex=0 style='height:20px' onkeydown=\"if (event.key === 'Enter') nextElementSibling.focus(); else textContent += event.key\"></div>";
        show(&s, &format!("{}<p tabindex=0></p>", cells.repeat(3))).await;
        done(&s, type_into("css=div:first-of-type", "1\n2\n3")).await;
        let texts = s.eval("[...document.querySelectorAll('div')].map(cell => cell.textContent)").await;
        assert_eq!(texts, json!(["1", "2", "3"]));
    });
}

#[test]
fn keys_that_fill_presses_stop_as_well() {
    run_in_shell(|s| async move {
        // It takes keys only, and loses the focus after the second one.
        let field = "<input onbeforeinput=\"if (!heard) event.preventDefault()\" onkeydown='heard = true' oninput='if (value.length === 2) blur()'>";
        show(&s, &format!("{LOGGER}<script>heard = false</script>{field}")).await;
        let error = s.perform(fill("css=input", "abcd")).await.unwrap_err();
        assert!(error.message.contains("after 2 of 4 characters"), "{error}");
        no_key_went_to_the_page(&s, json!(["keyup b"])).await;
    });
}

//! Typing, keys and choosing on pages that are hard to act on. Each page keeps a log of what really happened to it, and that is what counts.

use std::time::Duration;

use contract::Code;
use engine::actions::{Answer, Click, Dialog, Fill};
use serde_json::json;

use crate::{
    hands_support::{
        check, click, clicked, done, fill, form, log, logged, open, press, press_in, select, text_of,
        type_into, uncheck,
    },
    support::{code, eval_main, look, ref_of, run_in_shell, show},
};

/// For what is expected to fail when its time is over.
const A_WHILE: Duration = Duration::from_secs(5);

#[test]
fn an_editor_with_a_toolbar() {
    run_in_shell(async |s| {
        open(&s, "editor-toolbar").await;
        done(&s, fill("css=#editor", "New text")).await;
        assert_eq!(text_of(&s, "#editor").await, "New text");
        done(&s, type_into("css=#editor", " goes on")).await;
        assert_eq!(text_of(&s, "#editor").await, "New text goes on");
        // The button leaves the selection alone, so the keyboard selects and the pointer makes it bold.
        done(&s, press("Shift+Control+ArrowLeft")).await;
        clicked(&s, "css=#bold").await;
        assert_eq!(text_of(&s, "#editor b, #editor strong").await, "on");
        assert_eq!(log(&s).await.last().unwrap(), "bold true");
        done(&s, fill("the Note field", "one\ntwo")).await;
        let lines = s.eval("document.querySelector('#editor').innerText.split(/\\n+/).filter(Boolean)").await;
        assert_eq!(lines, json!(["one", "two"]));
        done(&s, fill("css=#editor", "")).await;
        assert_eq!(text_of(&s, "#editor").await, "");
    });
}

#[test]
fn an_editor_that_draws_its_text_anew() {
    run_in_shell(async |s| {
        open(&s, "editor-model").await;
        let outcome = done(&s, fill("css=#editor", "new words here")).await;
        assert_eq!(outcome.notes, [""; 0]);
        assert_eq!(log(&s).await, ["insertText: new words here"]);
        done(&s, type_into("css=#editor", " now")).await;
        assert_eq!(text_of(&s, "#editor").await, "new words here now");
        done(&s, press("Backspace Backspace t")).await;
        assert_eq!(text_of(&s, "#editor").await, "new words here nt");
        done(&s, fill("css=#editor", "")).await;
        assert_eq!(text_of(&s, "#editor").await, "");
        assert_eq!(log(&s).await.last().unwrap(), "deleteContentForward: ");
    });
}

#[test]
fn a_dropdown_made_of_divs_is_no_list() {
    run_in_shell(async |s| {
        open(&s, "dropdown-divs").await;
        // Nothing says that it is a list; that is said instead of guessed, and how to go on.
        let error = s.perform(select("css=#dropdown", &["Green"])).await.unwrap_err();
        assert_eq!(error.code, Code::InvalidInput);
        assert!(error.hint().contains("click"), "{}", error.hint());
        assert!(log(&s).await.is_empty());
    });
}

#[test]
fn options_that_are_fetched_while_one_types() {
    run_in_shell(async |s| {
        open(&s, "combobox-portal").await;
        done(&s, select("css=#city", &["Bergen"])).await;
        assert_eq!(log(&s).await, ["chose Bergen"]);
        let delta = done(&s, fill("css=#city", "lis")).await.delta.unwrap().text;
        clicked(&s, &ref_of(&delta.replace("+ ", "- "), "- option \"Lisbon\"").to_string()).await;
        let delta = done(&s, type_into("css=#city", "")).await.delta;
        assert!(delta.is_none_or(|delta| !delta.text.contains("option")));
        done(&s, press_in("css=#city", "Control+a P a r")).await;
        clicked(&s, "Paris").await;
        assert_eq!(log(&s).await, ["chose Bergen", "chose Lisbon", "chose Paris"]);
        let error = s.within(A_WHILE, select("css=#city", &["Atlantis"])).await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotFound, "{error}");
    });
}

#[test]
fn a_widget_that_only_knows_keys() {
    run_in_shell(async |s| {
        let text = open(&s, "keyboard-widget").await;
        let rating = ref_of(&text, "- radiogroup \"Rating\"").to_string();
        let delta = done(&s, press_in(&rating, "ArrowRight ArrowRight ArrowRight")).await.delta.unwrap().text;
        assert!(delta.contains("★★★☆☆"), "{delta}");
        done(&s, press("ArrowLeft")).await;
        done(&s, press("Control+Shift+End")).await;
        assert_eq!(text_of(&s, "#rating").await, "★★★★★");
        let keys = ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"];
        let log = log(&s).await;
        assert_eq!(log[..4], keys);
        assert_eq!(log.last().unwrap(), "Control+Shift+End");
    });
}

#[test]
fn what_a_double_click_opens_is_filled() {
    run_in_shell(async |s| {
        open(&s, "double-click-edit").await;
        let delta = done(&s, Click { double: true, ..click("css=#title") }).await.delta.unwrap().text;
        let field = ref_of(&delta.replace("+ ", "- "), "- textbox \"Title\"").to_string();
        let outcome = done(&s, Fill { submit: true, ..fill(&field, "New title") }).await;
        assert!(outcome.delta.unwrap().text.contains("New title"));
        assert_eq!(log(&s).await.last().unwrap(), "saved New title");
        // The next one is selected already, so typing replaces it.
        done(&s, Click { double: true, ..click("css=#title") }).await;
        done(&s, press("n e x t Enter")).await;
        assert_eq!(log(&s).await.last().unwrap(), "saved next");
    });
}

#[test]
fn frames_of_other_origins_two_deep() {
    run_in_shell(async |s| {
        let text = open(&s, "frames-cross").await;
        let [card, save, month] =
            ["- textbox \"Card number\"", "- checkbox \"Save card\"", "- combobox \"Month\""]
                .map(|line| ref_of(&text, line).to_string());
        done(&s, fill(&card, "4000")).await;
        logged(&s, "card 4000").await;
        done(&s, type_into(&card, " 1234")).await;
        logged(&s, "card 4000 1234").await;
        done(&s, press("Backspace 5")).await;
        logged(&s, "card 4000 1235").await;
        done(&s, check(&save)).await;
        logged(&s, "save true").await;
        done(&s, uncheck("Save card")).await;
        logged(&s, "save false").await;
        done(&s, select(&month, &["February"])).await;
        logged(&s, "month February").await;
        done(&s, form(&[(&card, "5000"), (&save, "true"), (&month, "January")])).await;
        logged(&s, "month January").await;
        logged(&s, "card 5000").await;
        let text = look(&s).await;
        assert!(text.contains("textbox \"Card number\" [ref") && !text.contains("5000"), "{text}");
    });
}

#[test]
fn a_closed_shadow_root() {
    run_in_shell(async |s| {
        let text = open(&s, "shadow-closed").await;
        let [word, agree, plan] =
            ["- textbox \"Secret word\"", "- checkbox \"Agree\"", "- combobox \"Plan\""]
                .map(|line| ref_of(&text, line).to_string());
        done(&s, fill(&word, "one")).await;
        done(&s, type_into(&word, "s")).await;
        done(&s, check(&agree)).await;
        done(&s, uncheck(&agree)).await;
        done(&s, select(&plan, &["Paid"])).await;
        done(&s, form(&[(&word, "two"), (&agree, "on"), (&plan, "Free")])).await;
        done(&s, press_in("the Send button", "Enter")).await;
        let expected = [
            "word one",
            "word ones",
            "agree true",
            "agree false",
            "plan Paid",
            "word two",
            "agree true",
            "plan Free",
            "sent",
        ];
        assert_eq!(log(&s).await, expected);
    });
}

#[test]
fn fields_that_cannot_be_used_yet_or_never() {
    run_in_shell(async |s| {
        show(
            &s,
            "<input id=late disabled><input id=never disabled value=kept><input id=fixed readonly value=kept><select id=list disabled><option>a<option>b</select>
             <input id=box type=checkbox disabled><script>setTimeout(() => { late.disabled = list.disabled = box.disabled = false }, 400)</script>",
        )
        .await;
        done(&s, form(&[("css=#late", "in time"), ("css=#list", "b"), ("css=#box", "yes")])).await;
        let state = "[late.value, list.value, box.checked, never.value, fixed.value]";
        assert_eq!(eval_main(&s, state).await.value.unwrap(), json!(["in time", "b", true, "kept", "kept"]));
        for (target, expected) in
            [("css=#never", Code::ElementNotEnabled), ("css=#fixed", Code::ElementNotEditable)]
        {
            assert_eq!(code(s.within(A_WHILE, fill(target, "x")).await), expected, "{target}");
            assert_eq!(code(s.within(A_WHILE, type_into(target, "x")).await), expected, "{target}");
            assert_eq!(
                code(s.within(A_WHILE, form(&[("css=#late", "y"), (target, "x")])).await),
                expected,
                "{target}"
            );
        }
        assert_eq!(eval_main(&s, state).await.value.unwrap(), json!(["in time", "b", true, "kept", "kept"]));
    });
}

#[test]
fn boxes_that_only_their_labels_show() {
    run_in_shell(async |s| {
        let text = open(&s, "label-checkbox").await;
        let news = ref_of(&text, "- checkbox \"Newsletter\"").to_string();
        done(&s, check(&news)).await;
        assert_eq!(done(&s, check("Newsletter")).await.notes, ["it was checked already"]);
        done(&s, uncheck("css=#news")).await;
        done(&s, check("css=#left input")).await;
        done(&s, check("the Right radio button")).await;
        done(&s, fill("Newsletter", "on")).await;
        let expected = ["news true", "news false", "left true", "right true", "news true"];
        assert_eq!(log(&s).await, expected);
    });
}

#[test]
fn a_list_with_groups_and_options_that_are_off() {
    run_in_shell(async |s| {
        open(&s, "select-groups").await;
        done(&s, select("css=#car", &["Volvo Trucks"])).await;
        done(&s, select("Car", &["volvo"])).await;
        done(&s, select("css=#car", &["Fiat (Italy)"])).await;
        done(&s, select("css=#extras", &["Roof", "Hook"])).await;
        let both =
            |list: &str, value: &str| [format!("input {list}: {value}"), format!("change {list}: {value}")];
        let expected = [both("car", "t"), both("car", "v"), both("car", "f"), both("extras", "1,3")].concat();
        assert_eq!(log(&s).await, expected);
        for value in ["Saab", "Audi"] {
            assert_eq!(
                code(s.perform(select("css=#car", &[value])).await),
                Code::ElementNotEnabled,
                "{value}"
            );
        }
        let error = s.perform(select("css=#car", &["Lada"])).await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotFound);
        assert!(
            error.hint().contains("\"Volvo\"") && error.hint().contains("\"Fiat (Italy)\""),
            "{}",
            error.hint()
        );
        assert_eq!(log(&s).await, expected);
    });
}

#[test]
fn dialogs_that_ask_for_a_text() {
    run_in_shell(async |s| {
        open(&s, "dialogs").await;
        for (answer, text, expected) in [
            (Answer::Accept, Some("Ada 艾达"), "prompted Ada 艾达"),
            (Answer::Accept, Some(""), "prompted "),
            (Answer::Dismiss, None, "prompted null"),
            (Answer::Accept, None, "prompted nobody"),
        ] {
            let dialog = clicked(&s, "css=#prompt").await.dialog.unwrap();
            assert_eq!((&*dialog.kind, &*dialog.message), ("prompt", "your name?"));
            done(&s, Dialog { answer, text: text.map(Into::into) }).await;
            assert_eq!(log(&s).await.last().unwrap(), expected);
        }
        // By keyboard as well, and what the dialog stopped has still been done.
        assert!(done(&s, press_in("css=#confirm", "Enter")).await.dialog.is_some());
        done(&s, Dialog { answer: Answer::Accept, text: None }).await;
        assert_eq!(log(&s).await.last().unwrap(), "confirmed true");
    });
}

#[test]
fn a_page_asks_before_what_was_typed_is_left() {
    run_in_shell(async |s| {
        open(&s, "beforeunload-form").await;
        done(&s, type_into("Comment", "unsaved")).await;
        assert_eq!(log(&s).await.last().unwrap(), "input unsaved");
        assert_eq!(done(&s, press_in("css=#away", "Enter")).await.dialog.unwrap().kind, "beforeunload");
        done(&s, Dialog { answer: Answer::Dismiss, text: None }).await;
        assert_eq!(s.eval("document.querySelector('#comment').value").await, "unsaved");
    });
}

/// Fields that make nothing of a text as a whole: `keys` writes what keys say, `pattern` shows how it is to be filled, `wiped` takes back even
/// what was there, `tags` makes a thing of its own of it, `wrong` makes another text of keys, `never` takes nothing.
const BY_KEYS: &str = "<input id=keys value=0> <input id=pattern placeholder='hh:mm aa'> <input id=wiped placeholder='MM/DD/YYYY' value='01/02/2024'>
    <div><span></span><input id=tags></div> <input id=wrong> <input id=never>
    <script>let byKeys = '';
      const set = (field, text) => { field.value = text; };
      keys.onkeydown = event => { if (event.key.length === 1) { event.preventDefault(); if (keys.selectionStart < keys.selectionEnd) byKeys = ''; byKeys += event.key; set(keys, '$' + byKeys); } };
      keys.oninput = () => set(keys, '');
      pattern.oninput = () => set(pattern, /^\\d\\d:\\d\\d [AP]M$/.test(pattern.value) ? pattern.value : 'hh:mm aa');
      wiped.oninput = () => { const was = '01/02/2024'; set(wiped, was); setTimeout(() => set(wiped, '')); };
      tags.oninput = () => { tags.previousSibling.textContent += tags.value; set(tags, ''); };
      wrong.onkeydown = event => { event.preventDefault(); set(wrong, 'Q'); }; wrong.oninput = () => set(wrong, '');
      never.oninput = () => set(never, ''); never.onkeydown = event => event.preventDefault();</script>";

#[test]
fn a_field_that_stays_empty_gets_keys_and_is_not_said_to_be_filled() {
    run_in_shell(async |s| {
        show(&s, BY_KEYS).await;
        let into = |field: &str, text: &str| fill(&format!("css=#{field}"), text);
        let value = async |field: &str| s.eval(&format!("document.getElementById('{field}').value")).await;
        s.perform(into("keys", "123.45")).await.unwrap();
        assert_eq!(value("keys").await, "$123.45");
        s.perform(into("pattern", "02:30 PM")).await.unwrap();
        assert_eq!(value("pattern").await, "02:30 PM");
        let outcome = s.perform(into("tags", "red")).await.unwrap();
        assert_eq!(outcome.notes, ["the field is empty, but the text stands beside it"]);
        assert_eq!(s.eval("tags.previousSibling.textContent").await, "red");
        for (field, text, says, hint) in [
            ("pattern", "14:30", "and is empty", "(\"hh:mm aa\")"),
            ("wiped", "2024-07-04", "and is empty", "(\"MM/DD/YYYY\")"),
            ("wrong", "123", "holds 1 characters now", "webhand type"),
            ("never", "123", "and is empty", "webhand type"),
        ] {
            let error = s.perform(into(field, text)).await.unwrap_err();
            assert_eq!(error.code, Code::NoEffect, "{field}: {error}");
            assert!(error.to_string().contains(says), "{field}: {error}");
            assert!(error.hint().contains(hint), "{field}: {}", error.hint());
        }
    });
}

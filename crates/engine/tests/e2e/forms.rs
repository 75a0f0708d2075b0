//! Fields of every kind, boxes and switches, and whole forms.

use std::time::Duration;

use contract::{Code, Target};
use engine::actions::{Check, Fill, FillForm, FormField, Uncheck};
use serde_json::json;

use crate::support::{Fixture, code, eval_main, run_in_shell, show, site};

fn css(selector: &str) -> Target {
    format!("css={selector}").parse().unwrap()
}

fn fill(selector: &str, text: &str) -> Fill {
    Fill::new(css(selector), text.into())
}

fn form(fields: &[(&str, &str)]) -> FillForm {
    FillForm::new(
        fields
            .iter()
            .map(|(target, value)| FormField { target: css(target), value: (*value).into() })
            .collect(),
    )
}

async fn value(s: &Fixture, selector: &str) -> serde_json::Value {
    s.eval(&format!("document.querySelector('{selector}').value")).await
}

#[test]
fn fields_by_their_kind() {
    run_in_shell(|s| async move {
        let kinds = [
            "text",
            "email",
            "tel",
            "url",
            "search",
            "password",
            "number",
            "date",
            "time",
            "month",
            "week",
            "datetime-local",
            "color",
            "range",
        ];
        let fields: String = kinds.iter().map(|kind| format!("<input id={kind} type={kind}>")).collect();
        let listen = "<script>heard = []; for (const type of ['input', 'change']) document.addEventListener(type, event => heard.push(type + ' ' + event.target.id), true)</script>";
        show(&s, &format!("{fields}{listen}")).await;
        let rows = [
            ("text", "text", "text"),
            ("email", "ada@example.test", "ada@example.test"),
            ("tel", "+1 555", "+1 555"),
            ("url", "http://a.test/", "http://a.test/"),
            ("search", "words", "words"),
            ("password", "hunter2", "[secret]"),
            ("number", "-3.5", "-3.5"),
            ("number", "1e3", "1e3"),
            ("date", "2028-02-29", "2028-02-29"),
            ("time", "09:30", "09:30"),
            ("month", "2026-12", "2026-12"),
            ("week", "2026-W53", "2026-W53"),
            ("datetime-local", "2026-03-31 09:30", "2026-03-31T09:30"),
            ("color", "#1A2b3c", "#1a2b3c"),
            ("range", "70", "70"),
        ];
        for (kind, text, expected) in rows {
            let outcome = s
                .perform(fill(&format!("#{kind}"), text))
                .await
                .unwrap_or_else(|error| panic!("{kind}: {error}"));
            assert_eq!(
                (value(&s, &format!("#{kind}")).await, outcome.notes),
                (json!(expected), vec![]),
                "{kind}"
            );
        }
        // A slider says on its way where it is.
        let set = eval_main(
            &s,
            "heard.filter((what, at) => what !== heard[at - 1] && / (date|range)$/.test(what))",
        )
        .await
        .value
        .unwrap();
        assert_eq!(set, json!(["input date", "change date", "input range", "change range"]));
        let again = s.perform(fill("#date", "2028-02-29")).await.unwrap();
        assert_eq!(again.notes, ["it held that value already"]);
        for kind in ["date", "time", "number", "text"] {
            s.perform(fill(&format!("#{kind}"), "")).await.unwrap();
            assert_eq!(value(&s, &format!("#{kind}")).await, "", "{kind}");
        }
    });
}

#[test]
fn dates_and_times_as_people_write_them() {
    run_in_shell(|s| async move {
        show(
            &s,
            "<input id=date type=date><input id=time type=time><input id=month type=month>\
             <input id=local type=datetime-local><input id=color type=color>",
        )
        .await;
        let check = async |selector: &str, rows: &[(&str, &str)]| {
            for (text, expected) in rows {
                s.perform(fill(selector, text)).await.unwrap_or_else(|error| panic!("{text}: {error}"));
                assert_eq!(value(&s, selector).await, *expected, "{text}");
            }
        };
        let dates = [
            ("2026/3/31", "2026-03-31"),
            ("02/24/2017", "2017-02-24"),
            ("31.3.2026", "2026-03-31"),
            ("05/05/2026", "2026-05-05"),
            ("March 7, 2026", "2026-03-07"),
            ("1st Sept 2026", "2026-09-01"),
            ("2026年3月1日", "2026-03-01"),
        ];
        check("#date", &dates).await;
        let times = [
            ("8:22 AM", "08:22"),
            ("12:05 a.m.", "00:05"),
            ("12:05pm", "12:05"),
            ("7 PM", "19:00"),
            ("9:30", "09:30"),
            ("下午2:37", "14:37"),
            ("上午8点", "08:00"),
        ];
        check("#time", &times).await;
        check("#month", &[("March 2026", "2026-03"), ("2026年7月", "2026-07")]).await;
        let both = [("2026/3/5 9:30", "2026-03-05T09:30"), ("March 7, 2026 7 PM", "2026-03-07T19:00")];
        check("#local", &both).await;
        check(
            "#local",
            &[("2026年3月1日 下午2:37", "2026-03-01T14:37"), ("2026-01-02T03:04", "2026-01-02T03:04")],
        )
        .await;
        check("#color", &[("#fA0", "#ffaa00")]).await;
    });
}

#[test]
fn what_a_field_does_not_take_changes_nothing() {
    run_in_shell(|s| async move {
        show(
            &s,
            "<input id=date type=date value=2026-01-01 max=2026-06-30><input id=time type=time value=01:02><input id=week type=week value=2026-W01>\
             <input id=month type=month value=2026-01><input id=local type=datetime-local value=2026-01-01T00:00><input id=color type=color value=#010203>\
             <input id=range type=range min=10 max=20 step=5 value=15><input id=number type=number value=7><input id=box type=checkbox>",
        )
        .await;
        let check = async |selector: &str, texts: &[&str], format: &str| {
            let before = value(&s, selector).await;
            for text in texts {
                let error = s.perform(fill(selector, text)).await.expect_err(text);
                assert_eq!(error.code, Code::InvalidInput, "{selector} {text}");
                assert!(error.hint().contains(format), "{}", error.hint());
                assert!(text.is_empty() || !error.to_string().contains(text), "{error}");
                assert_eq!(value(&s, selector).await, before, "{selector} {text}");
            }
        };
        check(
            "#date",
            &["09/10/2026", "2026-02-29", "2026-13-01", "32.1.2026", "Mar 2026", "soon"],
            "2026-03-31",
        )
        .await;
        check("#time", &["9", "24:00", "13:30 pm", "9:3", "3点", "上午12点", "上午 8:00 PM"], "09:30").await;
        check("#week", &["2025-W53", "2026-W00", "12"], "2026-W09").await;
        check("#month", &["2026-13", "March"], "2026-03").await;
        check("#local", &["2026-03-31", "2026-03-31T25:00"], "T09:30").await;
        check("#color", &["red", "#ffff", ""], "#1a2b3c").await;
        check("#range", &["9", "21", "12", "much", ""], "from 10 to 20 in steps of 5").await;
        check("#number", &["seven", "1,5", "1 2"], "12 or -3.5").await;
        check("#box", &["maybe", ""], "true or false").await;
        let late = s.perform(fill("#date", "2026-12-24")).await.unwrap();
        assert_eq!(late.notes, ["the field calls the value invalid; see its limits"]);
    });
}

#[test]
fn boxes_and_switches() {
    run_in_shell(|s| async move {
        show(
            &s,
            "<input id=a type=checkbox><label id=l><input id=b type=checkbox checked style='position:absolute;opacity:0;width:0;height:0'>words</label>\
             <input id=r1 type=radio name=r checked><input id=r2 type=radio name=r>\
             <div id=s role=switch aria-checked=false tabindex=0 onclick=\"flip(this, 'aria-checked')\">switch</div>\
             <button id=p aria-pressed=false onclick=\"flip(this, 'aria-pressed')\">bold</button>\
             <div id=stuck role=checkbox aria-checked=false>stuck</div><button id=plain>plain</button><input id=off type=checkbox disabled>\
             <input id=m type=checkbox><div id=o role=option aria-checked=false onclick=\"flip(this, 'aria-checked')\">o</div>\
             <script>m.indeterminate = true; clicks = []; onclick = event => clicks.push([event.target.id, event.isTrusted]);
             flip = (element, name) => element.setAttribute(name, element.getAttribute(name) !== 'true');</script>",
        )
        .await;
        let state = "['a', 'b', 'r1', 'r2', 'm'].map(id => document.getElementById(id).checked).concat(['s', 'o'].map(id => document.getElementById(id).ariaChecked), [p.ariaPressed])";
        for selector in ["#a", "#r2", "#s", "#p", "#m", "#o"] {
            let outcome = s
                .perform(Check::new(css(selector)))
                .await
                .unwrap_or_else(|error| panic!("{selector}: {error}"));
            assert!(outcome.notes.is_empty() && outcome.target.is_some(), "{outcome:?}");
        }
        s.perform(Uncheck::new(css("#l"))).await.unwrap();
        assert_eq!(
            eval_main(&s, state).await.value.unwrap(),
            json!([true, false, false, true, true, "true", "true", "true"])
        );
        let clicks =
            eval_main(&s, "clicks.every(([, trusted]) => trusted) && clicks.length").await.value.unwrap();
        let again = s.perform(Check::new(css("#a"))).await.unwrap();
        assert_eq!(again.notes, ["it was checked already"]);
        assert_eq!(again.target.unwrap().role, "checkbox");
        assert_eq!(s.perform(Uncheck::new(css("#r1"))).await.unwrap().notes, ["it was unchecked already"]);
        assert_eq!(eval_main(&s, "clicks.length").await.value.unwrap(), clicks, "nothing was clicked");
        for selector in ["#a", "#s", "#p"] {
            s.perform(Uncheck::new(css(selector))).await.unwrap();
        }
        assert_eq!(
            eval_main(&s, state).await.value.unwrap(),
            json!([false, false, false, true, true, "false", "true", "false"])
        );
        assert_eq!(code(s.perform(Uncheck::new(css("#r2"))).await), Code::InvalidInput);
        assert_eq!(code(s.perform(Check::new(css("#plain"))).await), Code::InvalidInput);
        assert_eq!(code(s.perform(Check::new(css("#stuck"))).await), Code::NoEffect);
        assert_eq!(
            code(s.within(Duration::from_secs(4), Check::new(css("#off"))).await),
            Code::ElementNotEnabled
        );
        // The same through fill.
        for (selector, text) in [("#a", "yes"), ("#b", "是"), ("#s", "on"), ("#r1", "true"), ("#a", "no")] {
            s.perform(fill(selector, text)).await.unwrap_or_else(|error| panic!("{selector}: {error}"));
        }
        assert_eq!(
            eval_main(&s, state).await.value.unwrap(),
            json!([false, true, true, false, true, "true", "true", "false"])
        );
    });
}

#[test]
fn a_box_that_the_page_makes_anew() {
    run_in_shell(|s| async move {
        let draw = "draw = on => { host.innerHTML = `<input id=a type=checkbox aria-label=box ${on ? 'checked' : ''}>`; a.onclick = () => draw(a.checked); }";
        show(&s, &format!("<div id=host></div><script>{draw}; draw(false)</script>")).await;
        s.perform(Check::new(css("#a"))).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#a').checked").await, true);
        let text = crate::support::look(&s).await;
        let reference = crate::support::ref_of(&text, "- checkbox");
        s.perform(Uncheck::new(Target::Ref(reference))).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#a').checked").await, false);
    });
}

const FORM: &str = "<input id=name><input id=date type=date><input id=box type=checkbox><select id=list><option>one<option>two</select>\
    <div id=text contenteditable></div><input id=off disabled><input id=offbox type=checkbox disabled><select id=offlist disabled><option>b<option>a</select>";
const STATE: &str = "[...['name', 'date', 'list'].map(id => document.getElementById(id).value), document.getElementById('box').checked, document.getElementById('text').innerText]";

#[test]
fn a_whole_form() {
    run_in_shell(|s| async move {
        show(&s, FORM).await;
        let fields = [
            ("#name", "Ada"),
            ("#date", "2026-03-31"),
            ("#box", "yes"),
            ("#list", "two"),
            ("#text", "some text"),
        ];
        let outcome = s.perform(form(&fields)).await.unwrap();
        assert_eq!(s.eval(STATE).await, json!(["Ada", "2026-03-31", "two", true, "some text"]));
        assert_eq!(outcome.typed, Some(3 + 10 + 9));
        let steps: Vec<_> = outcome.steps.iter().map(|step| (&*step.what, step.ok, &*step.message)).collect();
        assert_eq!(steps[0], ("css=#name", true, "3 characters"));
        assert_eq!(steps.len(), 5);
        let page = format!(
            "<form action='{}'><input name=title><input name=other><button>Go</button></form>",
            site().url("/page")
        );
        show(&s, &page).await;
        let sent = FillForm { submit: true, ..form(&[("[name=title]", "sent"), ("[name=other]", "x")]) };
        assert_eq!(s.perform(sent).await.unwrap().title.as_deref(), Some("sent"));
    });
}

#[test]
fn a_form_is_looked_at_before_it_is_touched() {
    run_in_shell(|s| async move {
        show(&s, FORM).await;
        for (selector, text, expected) in [
            ("#none", "x", Code::ElementNotFound),
            ("#off", "x", Code::ElementNotEnabled),
            ("#offbox", "true", Code::ElementNotEnabled),
            ("#offlist", "a", Code::ElementNotEnabled),
            ("#date", "tomorrow", Code::InvalidInput),
            ("#box", "perhaps", Code::InvalidInput),
            ("body", "x", Code::ElementNotEditable),
        ] {
            let time = Duration::from_secs(if expected == Code::ElementNotFound { 2 } else { 4 });
            let error = s.within(time, form(&[("#name", "hunter2"), (selector, text)])).await.unwrap_err();
            assert_eq!(error.code, expected, "{selector}: {error}");
            assert!(
                error.message.starts_with(&format!("css={selector}: "))
                    && error.message.ends_with("nothing was typed"),
                "{error}"
            );
            assert!(!format!("{error:?}").contains("hunter2"));
            assert_eq!(value(&s, "#name").await, "", "{selector}");
        }
        assert_eq!(code(s.perform(form(&[])).await), Code::InvalidInput);
    });
}

#[test]
fn a_form_that_fails_in_the_middle_says_how_far_it_came() {
    run_in_shell(|s| async move {
        show(&s, FORM).await;
        let error = s
            .perform(form(&[("#name", "hunter2"), ("#list", "three"), ("#text", "never")]))
            .await
            .unwrap_err();
        assert_eq!(error.code, Code::ElementNotFound);
        assert!(error.hint().contains("\"one\", \"two\""), "{}", error.hint());
        assert!(
            !format!("{error:?}").contains("hunter2") && !format!("{error:?}").contains("three"),
            "{error:?}"
        );
        let steps = error.outcome.unwrap().steps;
        let steps: Vec<_> = steps.iter().map(|step| (&*step.what, step.ok, step.code.as_deref())).collect();
        assert_eq!(
            steps,
            [
                ("css=#name", true, None),
                ("css=#list", false, Some("ELEMENT_NOT_FOUND")),
                ("css=#text", false, None)
            ]
        );
        assert_eq!(s.eval(STATE).await, json!(["hunter2", "", "one", false, ""]));
    });
}

#[test]
fn a_form_that_names_a_field_twice_is_not_begun() {
    run_in_shell(|s| async move {
        show(&s, FORM).await;
        let error = s.perform(form(&[("#name", "one"), ("input#name", "two")])).await.unwrap_err();
        assert_eq!(error.code, Code::InvalidInput, "{error}");
        for part in ["input#name", "same field", "css=#name", "nothing was typed"] {
            assert!(error.message.contains(part), "{part}: {error}");
        }
        assert_eq!(s.eval("document.querySelector('#name').value").await, "");
    });
}

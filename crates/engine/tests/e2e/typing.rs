//! `fill`, `type` and `press`: text and keys that the page takes for a person's.

use std::time::Duration;

use ::journal::{Filter, read};
use contract::{Code, Span, Target};
use engine::actions::{Fill, Press, Type};
use serde_json::json;

use crate::support::{Fixture, code, eval_main, goto, new_engine, run_in_shell, runtime, show, site};

fn css(selector: &str) -> Target {
    format!("css={selector}").parse().unwrap()
}

fn fill(selector: &str, text: &str) -> Fill {
    Fill::new(css(selector), text.into())
}

fn type_into(selector: &str, text: &str) -> Type {
    Type { target: Some(css(selector)), ..Type::new(text.into()) }
}

/// Notes every event of these kinds that reaches the document.
const HEARD: &str = "<script>
    heard = [];
    for (const type of ['keydown', 'keyup', 'beforeinput', 'input', 'change', 'focus', 'click', 'submit', 'paste']) {
      document.addEventListener(type, event => heard.push([type, event.isTrusted, event.key ?? event.inputType ?? '']), true);
    }
</script>";

async fn heard(s: &Fixture, type_: &str) -> serde_json::Value {
    let js = format!(
        "heard.filter(([type]) => type === '{type_}').map(([, trusted, what]) => trusted + ' ' + what)"
    );
    eval_main(s, &js).await.value.unwrap()
}

#[test]
fn text_takes_the_place_of_what_was_there_and_the_page_hears_of_it() {
    run_in_shell(|s| async move {
        show(
            &s,
            &format!(
                "{HEARD}<input id=a value=before><textarea id=b>old\nold</textarea><input id=p type=password>"
            ),
        )
        .await;
        let outcome = s.perform(fill("#a", "Ada Lovelace")).await.unwrap();
        assert_eq!(outcome.typed, Some(12));
        assert_eq!(outcome.target.unwrap().role, "textbox");
        assert_eq!(outcome.notes, [""; 0]);
        assert_eq!(s.eval("document.querySelector('#a').value").await, "Ada Lovelace");
        assert_eq!(heard(&s, "input").await, json!(["true insertText"]));
        s.perform(fill("#b", "one\r\ntwo\n\nthree")).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#b').value").await, "one\ntwo\n\nthree");
        s.perform(fill("#p", "hunter2 密码 👩‍👧")).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#p').value === 'hunter2 密码 👩‍👧'").await, true);
        assert_eq!(heard(&s, "change").await.as_array().unwrap().len(), 2, "the fields that were left");
        // Nothing in its place clears it, with a key.
        let outcome = s.perform(fill("#a", "")).await.unwrap();
        assert_eq!(outcome.typed, Some(0));
        assert_eq!(s.eval("document.querySelector('#a').value").await, "");
        assert_eq!(heard(&s, "keydown").await, json!(["true Delete"]));
        s.perform(fill("#a", "")).await.unwrap();
        assert_eq!(heard(&s, "keydown").await, json!(["true Delete"]), "there was nothing to clear");
    });
}

#[test]
fn controlled_fields_notice() {
    run_in_shell(|s| async move {
        // As React does it: the value is tracked by an own property, and set back if nobody took the change.
        let track = "const track = (input, take) => {
            const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
            let known = input.value, state = input.value;
            Object.defineProperty(input, 'value', { configurable: true, get() { return own.get.call(this); }, set(v) { known = v; own.set.call(this, v); } });
            input.addEventListener('input', () => {
              const now = own.get.call(input);
              if (now === known) return;
              known = now;
              if (take) { state = now.toUpperCase(); changes.push(state); }
              own.set.call(input, state); known = state;
            });
          };
          changes = [];";
        show(&s, &format!("<input id=a value=x><input id=b value=y><input id=d type=date><script>{track} track(a, true); track(b, false); track(d, true);</script>")).await;
        let outcome = s.perform(fill("#a", "new")).await.unwrap();
        assert_eq!(outcome.notes, ["the field holds another text than it was given"]);
        assert_eq!(eval_main(&s, "changes").await.value.unwrap(), json!(["NEW"]));
        let error = s.perform(fill("#b", "hunter2")).await.unwrap_err();
        assert_eq!(error.code, Code::NoEffect);
        assert!(!format!("{error:?}").contains("hunter2"));
        s.perform(fill("#d", "2026-03-31")).await.unwrap();
        assert_eq!(eval_main(&s, "changes").await.value.unwrap(), json!(["NEW", "2026-03-31"]));
    });
}

#[test]
fn what_is_cut_or_changed_is_told() {
    run_in_shell(|s| async move {
        let mask = "<input id=m oninput=\"value = value.replace(/\\D/g, '').slice(0, 5)\">";
        show(&s, &format!("<input id=a maxlength=3>{mask}")).await;
        let outcome = s.perform(fill("#a", "abcdefg")).await.unwrap();
        assert_eq!(outcome.notes, ["the field holds 3 characters instead of 7"]);
        let again = s.perform(fill("#a", "abcdefg")).await.unwrap();
        assert_eq!(again.notes, outcome.notes, "the same as before has been taken nevertheless");
        let outcome = s.perform(fill("#m", "12-34-56")).await.unwrap();
        assert_eq!(outcome.notes, ["the field holds 5 characters instead of 8"]);
    });
}

#[test]
fn what_cannot_be_filled() {
    run_in_shell(|s| async move {
        show(
            &s,
            "<input id=d disabled><fieldset disabled><input id=f></fieldset><input id=r readonly value=kept>\
             <div id=t role=textbox aria-readonly=true contenteditable>kept</div><input id=h hidden>\
             <input id=file type=file><input id=b type=submit><p id=p>words</p><div style='opacity:.5'><input id=under><div style='position:fixed;inset:0'></div></div>",
        )
        .await;
        let soon = Duration::from_secs(4);
        let check = async |selector: &str, expected: Code| {
            let error = s.within(soon, fill(selector, "hunter2")).await.unwrap_err();
            assert_eq!(error.code, expected, "{selector}: {error}");
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
            error
        };
        check("#d", Code::ElementNotEnabled).await;
        check("#f", Code::ElementNotEnabled).await;
        check("#r", Code::ElementNotEditable).await;
        check("#t", Code::ElementNotEditable).await;
        check("#h", Code::ElementNotVisible).await;
        check("#b", Code::ElementNotEditable).await;
        check("#p", Code::ElementNotEditable).await;
        let missing = s.within(Duration::from_secs(2), fill("#none", "hunter2")).await.unwrap_err();
        assert_eq!(missing.code, Code::ElementNotFound, "{missing}");
        assert!(!format!("{missing:?}").contains("hunter2"), "{missing:?}");
        let error = check("#file", Code::InvalidInput).await;
        assert!(error.hint().contains("upload"), "{}", error.hint());
        // The keyboard needs no free sight.
        s.perform(fill("#under", "text")).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#under').value").await, "text");
        assert_eq!(code(s.within(soon, type_into("#under", "x")).await), Code::ElementCovered);
        assert_eq!(code(s.within(soon, type_into("#r", "x")).await), Code::ElementNotEditable);
    });
}

#[test]
fn a_field_that_can_be_used_later_is_waited_for() {
    run_in_shell(|s| async move {
        show(&s, "<input id=a disabled><script>setTimeout(() => a.disabled = false, 300)</script>").await;
        s.perform(fill("#a", "text")).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#a').value").await, "text");
    });
}

#[test]
fn text_that_is_edited_in_place() {
    run_in_shell(|s| async move {
        show(
            &s,
            &format!("{HEARD}<div id=a contenteditable><p>old <b>text</b></p></div><div id=h contenteditable><p id=one>one</p><p id=two>two</p></div>"),
        )
        .await;
        s.perform(fill("#a", "new  text")).await.unwrap();
        assert_eq!(
            s.eval("document.querySelector('#a').textContent.replaceAll('\\u00a0', ' ').trim()").await,
            "new  text"
        );
        assert_eq!(heard(&s, "input").await, json!(["true insertText"]));
        s.perform(fill("#a", "one\ntwo")).await.unwrap();
        s.perform(fill("#a", "")).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#a').innerText.trim()").await, "");
        let outcome = s.perform(fill("#one", "first")).await.unwrap();
        assert_eq!(outcome.notes, [""; 0]);
        assert_eq!(
            s.eval("document.querySelector('#h').innerText.replace(/\\s+/g, ' ').trim()").await,
            "first two"
        );
        s.perform(type_into("#h", " end")).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#two').innerText").await, "two end");
    });
}

#[test]
fn fields_that_stand_behind_something_else() {
    run_in_shell(|s| async move {
        show(
            &s,
            "<label id=l>Name <input id=a></label><div id=box role=combobox><span></span><input id=b></div><x-field id=x></x-field><x-closed></x-closed>\
             <script>document.querySelector('x-field').attachShadow({mode: 'open'}).innerHTML = '<input id=inner>';
             shut = document.querySelector('x-closed').attachShadow({mode: 'closed'}); shut.innerHTML = '<label>Secret place <input></label>';</script>",
        )
        .await;
        s.perform(fill("#l", "by label")).await.unwrap();
        s.perform(fill("#box", "by box")).await.unwrap();
        s.perform(fill("#x", "by host")).await.unwrap();
        let values = "[document.querySelector('#a').value, document.querySelector('#b').value, document.querySelector('#x').shadowRoot.querySelector('input').value]";
        assert_eq!(s.eval(values).await, json!(["by label", "by box", "by host"]));
        let text = crate::support::look(&s).await;
        let field = crate::support::ref_of(&text, "- textbox \"Secret place\"");
        s.perform(Fill::new(Target::Ref(field), "closed".into())).await.unwrap();
        assert_eq!(eval_main(&s, "shut.querySelector('input').value").await.value.unwrap(), "closed");
        s.perform(Type { target: Some(Target::Ref(field)), ..Type::new(" in".into()) }).await.unwrap();
        assert_eq!(eval_main(&s, "shut.querySelector('input').value").await.value.unwrap(), "closed in");
    });
}

#[test]
fn fields_in_frames_of_any_process() {
    run_in_shell(|s| async move {
        let inner = |host: &str| {
            let page =
                site().page("inner", "<div style='height:1500px'></div><input id=field><input id=next>");
            page.replace("127.0.0.1", host)
        };
        let frames = format!(
            "<input id=field><iframe src='{}'></iframe><iframe src='{}'></iframe>",
            inner("127.0.0.1"),
            inner("other.localhost")
        );
        show(&s, &frames).await;
        let text = crate::support::look(&s).await;
        let fields: Vec<Target> = text
            .lines()
            .filter(|line| line.contains("- textbox"))
            .map(|line| line.split("[ref=").nth(1).unwrap().split(']').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(fields.len(), 5, "{text}");
        for at in [3, 0, 1, 4, 2] {
            let outcome =
                s.perform(Fill::new(fields[at].clone(), format!("text {at}").as_str().into())).await.unwrap();
            assert_eq!(outcome.notes, [""; 0], "{at}");
        }
        for at in [3, 1] {
            s.perform(Type { target: Some(fields[at].clone()), ..Type::new("+ü".into()) }).await.unwrap();
            s.perform(Press { target: Some(fields[at].clone()), ..Press::new("! Backspace ? Tab .".into()) })
                .await
                .unwrap();
        }
        let text = crate::support::look(&s).await;
        for expected in ["text 0", "text 1+ü?", "text 3+ü?"] {
            assert!(text.contains(&format!("]: {expected}\n")), "{expected} in {text}");
        }
        assert_eq!(text.matches(": .").count(), 2, "Tab goes on to the next field and selects it: {text}");
    });
}

#[test]
fn keys_for_each_character() {
    run_in_shell(|s| async move {
        show(
            &s,
            &format!(
                "{HEARD}<input id=a value='long enough to be clicked in the middle: ab'><input id=n type=number value=12><textarea id=t></textarea>"
            ),
        )
        .await;
        let outcome = s.perform(type_into("#a", "C d!你好")).await.unwrap();
        assert_eq!(outcome.typed, Some(6));
        assert_eq!(
            s.eval("document.querySelector('#a').value").await,
            "long enough to be clicked in the middle: abC d!你好"
        );
        assert_eq!(heard(&s, "keydown").await, json!(["true C", "true  ", "true d", "true !"]));
        assert_eq!(heard(&s, "keyup").await, json!(["true C", "true  ", "true d", "true !"]));
        assert_eq!(heard(&s, "input").await.as_array().unwrap().len(), 5);
        assert_eq!(heard(&s, "click").await, json!(["true "]));
        s.perform(type_into("#n", "34")).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#n').value").await, "1234", "the caret is at the end");
        s.perform(type_into("#t", "one\ntwo\r\nthree")).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#t').value").await, "one\ntwo\nthree");
        let long = "0123456789 abcdefghij ".repeat(20);
        s.perform(fill("#t", "")).await.unwrap();
        s.perform(type_into("#t", &long)).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#t').value").await, *long);
    });
}

#[test]
fn typing_needs_a_place() {
    run_in_shell(|s| async move {
        show(&s, "<p>words</p><input>").await;
        let error = s.perform(Type::new("hunter2".into())).await.unwrap_err();
        assert_eq!(error.code, Code::NoEffect);
        assert!(error.hint().contains("--target") && !format!("{error:?}").contains("hunter2"));
        // Keys alone go to the page as a whole.
        eval_main(&s, "addEventListener('keydown', event => { document.title = event.key })").await;
        let outcome = s.perform(Press::new("F2".into())).await.unwrap();
        assert_eq!((outcome.target, s.eval("document.title").await), (None, json!("F2")));
        assert_eq!(
            code(s.perform(Press { target: Some(css("p")), ..Press::new("a".into()) }).await),
            Code::NoEffect
        );
    });
}

#[test]
fn a_delay_is_kept_and_is_time_that_the_action_has() {
    run_in_shell(|s| async move {
        show(
            &s,
            "<input id=a><script>times = []; a.onkeydown = () => times.push(performance.now())</script>",
        )
        .await;
        let typing = Type { delay: Some(Span(Duration::from_millis(40))), ..type_into("#a", "abcd") };
        s.perform(typing).await.unwrap();
        let gaps = eval_main(&s, "times.slice(1).map((time, at) => time - times[at])").await.value.unwrap();
        let gaps: Vec<f64> = serde_json::from_value(gaps).unwrap();
        assert!(gaps.len() == 3 && gaps.iter().all(|gap| *gap >= 39.0), "{gaps:?}");
    });
}

#[test]
fn enter_sends_the_form() {
    run_in_shell(|s| async move {
        let form =
            format!("<form action='{}'><input name=title><button>Go</button></form>", site().url("/page"));
        show(&s, &form).await;
        let outcome = s.perform(Fill { submit: true, ..fill("input", "sent") }).await.unwrap();
        assert_eq!((outcome.title.as_deref(), outcome.typed), (Some("sent"), Some(4)));
        assert!(outcome.navigation.is_some());
        show(&s, &form).await;
        let outcome = s.perform(Type { submit: true, ..type_into("input", "typed") }).await.unwrap();
        assert_eq!((outcome.title.as_deref(), outcome.typed), (Some("typed"), Some(5)));
        show(&s, &form).await;
        s.perform(fill("input", "pressed")).await.unwrap();
        assert_eq!(s.perform(Press::new("Enter".into())).await.unwrap().title.as_deref(), Some("pressed"));
    });
}

#[test]
fn a_dialog_that_typing_opens_is_told() {
    run_in_shell(|s| async move {
        show(&s, "<input id=a oninput=\"alert('typed')\"><input id=b onkeydown=\"alert('down')\">").await;
        for action in [engine::Action::from(fill("#a", "x")), type_into("#b", "x").into()] {
            let outcome = s.perform(action).await.unwrap();
            assert!(outcome.dialog.is_some());
            s.perform(engine::actions::Dialog { answer: engine::actions::Answer::Accept, text: None })
                .await
                .unwrap();
        }
        let target = Some(css("#b"));
        let outcome = s.perform(Press { target, ..Press::new("Enter".into()) }).await.unwrap();
        assert!(outcome.dialog.is_some());
    });
}

#[test]
fn keys_that_edit() {
    run_in_shell(|s| async move {
        show(&s, &format!("{HEARD}<input id=a value='some words'><input id=b>")).await;
        let press = async |selector: &str, keys: &str| {
            s.perform(Press { target: Some(css(selector)), ..Press::new(keys.into()) }).await.unwrap();
            s.eval("[document.querySelector('#a').value, document.querySelector('#b').value]").await
        };
        assert_eq!(press("#a", "Control+a Control+c").await, json!(["some words", ""]));
        assert_eq!(press("#b", "Control+v").await, json!(["some words", "some words"]));
        assert_eq!(heard(&s, "paste").await, json!(["true "]), "once");
        assert_eq!(press("#a", "Control+a Control+x").await, json!(["", "some words"]));
        assert_eq!(press("#a", "Control+z").await, json!(["some words", "some words"]));
        assert_eq!(press("#a", "End Shift+Control+ArrowLeft Delete").await, json!(["some ", "some words"]));
        assert_eq!(press("#b", "Home Delete").await, json!(["some ", "ome words"]));
        let repeated = Press { target: Some(css("#b")), repeat: 3, ..Press::new("End Backspace".into()) };
        s.perform(repeated).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#b').value").await, "ome wo");
        assert_eq!(press("#b", "A + é").await, json!(["some ", "ome woA+é"]));
        s.perform(Press::new("Shift+Tab".into())).await.unwrap();
        assert_eq!(s.eval("document.activeElement.id").await, "a");
        for (keys, hint) in [("Entr", "Enter"), ("", "Enter"), ("Control+", "Control+a")] {
            let error = s.perform(Press::new(keys.into())).await.unwrap_err();
            assert_eq!(error.code, Code::InvalidInput);
            assert!(error.hint().contains(hint), "{}", error.hint());
        }
        assert_eq!(code(s.perform(Press { repeat: 0, ..Press::new("a".into()) }).await), Code::InvalidInput);
    });
}

#[test]
fn nothing_that_is_typed_is_recorded() {
    let home = tempfile::tempdir().unwrap();
    let engine = new_engine(|config| config.home = home.path().into());
    runtime().block_on(async {
        let s = Fixture::new(engine.clone());
        let body = "<input id=a type=password><input id=d type=date><input id=r readonly><select><option>one</select>";
        s.perform(goto(&site().page("page", body))).await.ok();
        s.open(&site().page("page", body)).await;
        crate::support::look(&s).await;
        let secret = "correct-horse";
        let mut told = String::new();
        for selector in ["#a", "#d", "#r", "select", "#none", "body"] {
            let result = s.within(Duration::from_secs(2), fill(selector, secret)).await;
            assert_eq!(result.is_ok(), selector == "#a", "{selector}: {result:?}");
            told += &format!("{result:?}");
        }
        told += &format!("{:?}", s.perform(type_into("#a", secret)).await.unwrap());
        told += &format!("{:?}", s.perform(Press { target: Some(css("#a")), ..Press::new("c o r r e c t".into()) }).await.unwrap());
        told += &format!("{:?}", s.perform(Press::new(secret.into())).await.unwrap_err());
        assert!(!told.contains(secret), "{told}");
        s.close().await;
        assert!(engine.journal().flush(Duration::from_secs(10)));
        let records = read(&home.path().join("journal.db"), &Filter::default()).unwrap();
        let all = serde_json::to_string(&records).unwrap();
        assert!(!all.contains(secret) && !all.contains("c o r"), "{all}");
        assert!(all.contains("[13 characters]"));
        engine.close(engine::Front::Library).await;
    });
}

#[test]
fn text_goes_into_the_field_that_was_meant_or_nowhere() {
    run_in_shell(async |s| {
        show(
            &s,
            "<input id=steals type=password onfocus='setTimeout(() => other.focus(), 0)'><input id=other aria-label=Other>
             <input id=deaf onkeydown='event.preventDefault()'><button id=b onclick='document.title = 1'>Press</button>
             <div id=fake onmousedown='event.preventDefault()'>Search</div><div id=opens onmousedown='event.preventDefault()' onclick='deaf.focus()'>Find</div>",
        )
        .await;
        let stolen = s.perform(Fill::new("css=#steals".parse().unwrap(), "hunter2".into())).await;
        assert_eq!(code(stolen), Code::NoEffect);
        assert_eq!(s.eval("document.querySelector('#other').value").await, "");
        let typed = |target: &str| Type { target: Some(target.parse().unwrap()), ..Type::new("abc".into()) };
        assert_eq!(code(s.perform(typed("css=#deaf")).await), Code::NoEffect);
        assert_eq!(code(s.perform(typed("css=#b")).await), Code::ElementNotEditable);
        // What had the focus before and keeps it does not get what was meant for another.
        s.perform(typed("css=#other")).await.unwrap();
        assert_eq!(code(s.perform(typed("css=#fake")).await), Code::NoEffect);
        s.perform(typed("css=#other")).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#other').value").await, "abcabc");
        assert_eq!(code(s.perform(typed("css=#opens")).await), Code::NoEffect, "the deaf field got the keys");
        assert_ne!(s.eval("document.title").await, "1");
    });
}

/// Fields that make a thing of its own of what is typed, or check it and begin anew.
#[test]
fn what_a_page_makes_of_a_text_is_no_failure() {
    run_in_shell(|s| async move {
        show(&s, "<input id=chips oninput='if (value.endsWith(\",\")) { made.append(value + \" \"); value = \"\" }'><p id=made></p>
            <input id=deaf onkeydown='event.preventDefault()'><input id=stubborn oninput='value = \"\"'>").await;
        let outcome = s.perform(type_into("#chips", "ada,")).await.unwrap();
        assert!(outcome.notes[0].contains("what it made of the text"), "{:?}", outcome.notes);
        assert_eq!(s.eval("document.querySelector('#made').textContent").await, "ada, ");
        assert_eq!(code(s.perform(type_into("#deaf", "ada,")).await), Code::NoEffect);
        assert_eq!(code(s.perform(type_into("#stubborn", "ada,")).await), Code::NoEffect);
    });
}

#[test]
fn keys_go_to_the_page_where_nothing_has_the_focus() {
    run_in_shell(|s| async move {
        show(&s, "<p id=cell></p><script>onkeydown = event => { if (event.key !== 'x') cell.textContent += event.key }</script>").await;
        let outcome = s.perform(Type::new("777".into())).await.unwrap();
        assert_eq!(outcome.notes, ["no field has the focus: the keys went to the page"]);
        assert_eq!(s.eval("document.querySelector('#cell').textContent").await, "777");
        let error = s.perform(Type::new("xx".into())).await.unwrap_err();
        assert_eq!(error.code, Code::NoEffect, "{error}");
    });
}

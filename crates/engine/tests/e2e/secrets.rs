//! What was typed is told to nobody: one text through every verb that types, where it works and where it fails.

use std::{path::Path, time::Duration};

use cdp::fault::{Fault, Faults};
use contract::{Code, Error, Outcome, Span};
use engine::{
    Action, Front,
    actions::{Answer, Dialog, Eval, Fill, FillForm},
};

use crate::{
    hands_support::{click, fill, form, press, press_in, type_into},
    support::{Fixture, eval_main, look, new_engine, ref_of, runtime, show, site},
};

/// The text. No page, message or name has it by chance.
const CANARY: &str = "Kanarienvogel-7Q";

/// The same as keys, one after the other.
const KEYS: &str = "K a n a r i e n v o g e l - 7 Q";

/// For what is expected to fail when its time is over.
const A_WHILE: Duration = Duration::from_secs(5);

const PAGE: &str = "<label>Word <input id=word type=password></label> <input id=off disabled> <input id=fixed readonly>
    <div style='position:relative'><input id=under><div style='position:absolute;inset:0'></div></div>
    <input id=day type=date> <input id=box type=checkbox> <select id=list><option>one<option>two</select> <select id=shut disabled><option>one</select>
    <input id=back value=old oninput=\"this.value = 'old'\"> <input id=short maxlength=3> <input id=asks type=password oninput=\"alert('asked')\">
    <div id=made role=combobox tabindex=0>made</div> <button id=gone>Gone</button> <button id=prompt onclick=\"answer = prompt('word?')\">Prompt</button>
    <div id=model contenteditable>old</div> <script>model.addEventListener('beforeinput', event => event.preventDefault())</script>";

/// Runs a test in an engine with a home of its own, and looks through the files of that home afterwards.
fn with_home<F: Future<Output = ()>>(faults: Option<Faults>, test: impl FnOnce(Fixture) -> F) {
    let home = tempfile::tempdir().unwrap();
    let engine = new_engine(|config| {
        config.home = home.path().into();
        config.faults = faults;
    });
    runtime().block_on(async {
        let s = Fixture {
            element_timeout: Some(Span(Duration::from_secs(2))),
            ..Fixture::new(engine.clone()).in_shell()
        };
        s.open(&site().page("start", "")).await;
        test(s.clone()).await;
        s.close().await;
        assert!(engine.journal().flush(Duration::from_secs(10)));
        engine.close(Front::Library).await;
    });
    for file in ["journal.db", "journal.db-wal"] {
        assert!(nothing_in(&home.path().join(file)), "{file} has what was typed");
    }
}

fn nothing_in(file: &Path) -> bool {
    let bytes = std::fs::read(file).unwrap_or_default();
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    !has(CANARY) && !has(&KEYS[..12])
}

/// Nothing that a caller is told has the text in it, however it is written down.
#[track_caller]
fn told_nothing(what: &str, result: &Result<Outcome, Error>) {
    let told = match result {
        Ok(outcome) => serde_json::to_string(outcome).unwrap() + &format!("{outcome:?}"),
        Err(error) => {
            let outcome = serde_json::to_string(&error.outcome).unwrap();
            format!("{error:?} {error} {} {outcome}", error.hint())
        }
    };
    assert!(!told.contains(CANARY) && !told.contains(&KEYS[..12]), "{what}: {told}");
}

async fn accept(s: &Fixture) {
    let _ = s.perform(Dialog { answer: Answer::Accept, text: None }).await;
}

#[test]
fn where_typing_works() {
    with_home(None, async |s| {
        show(&s, PAGE).await;
        look(&s).await;
        let word = "css=#word";
        let with_arg = |js: &str| Eval { args: vec![CANARY.into()], ..Eval::new(js) };
        for action in [
            Action::from(fill(word, CANARY)),
            Fill { submit: true, ..fill(word, CANARY) }.into(),
            type_into(word, CANARY).into(),
            press_in(word, KEYS).into(),
            form(&[(word, CANARY), ("css=#box", "true")]).into(),
            FillForm { submit: true, ..form(&[("Word", CANARY)]) }.into(),
            with_arg("text => text.length").into(),
            with_arg("text => { document.querySelector('#word').value = text }").into(),
        ] {
            let result = s.perform(action.clone()).await;
            assert!(result.is_ok(), "{action:?}: {result:?}");
            told_nothing(&format!("{action:?}"), &result);
            let all = s.eval("document.querySelector('#word').value.length").await;
            assert!(all.as_u64().unwrap() >= 16, "{action:?} typed {all}");
        }
        assert!(s.perform(click("css=#prompt")).await.unwrap().dialog.is_some());
        let answered = s.perform(Dialog { answer: Answer::Accept, text: Some(CANARY.into()) }).await;
        told_nothing("dialog", &answered);
        assert_eq!(eval_main(&s, "answer.length").await.value.unwrap(), 16);
    });
}

#[test]
fn where_typing_fails() {
    with_home(None, async |s| {
        show(&s, PAGE).await;
        let text = look(&s).await;
        let gone = ref_of(&text, "- button \"Gone\"").to_string();
        s.eval("document.querySelector('#gone').remove()").await;
        for (target, code) in [
            ("css=#off", Code::ElementNotEnabled),
            ("css=#fixed", Code::ElementNotEditable),
            ("css=#none", Code::ElementNotFound),
            ("no such field anywhere", Code::ElementNotFound),
            (&gone, Code::StaleRef),
            ("css=body", Code::ElementNotEditable),
            ("css=#day", Code::InvalidInput),
            ("css=#box", Code::InvalidInput),
            ("css=#list", Code::ElementNotFound),
            ("css=#shut", Code::ElementNotEnabled),
            ("css=#made", Code::ElementNotFound),
            ("css=#back", Code::NoEffect),
            ("css=#model", Code::NoEffect),
        ] {
            for action in
                [Action::from(fill(target, CANARY)), form(&[("css=#word", CANARY), (target, CANARY)]).into()]
            {
                // With the usual deadline: a short one could be over before the reason is known.
                let result = s.perform(action.clone()).await;
                told_nothing(&format!("{action:?}"), &result);
                assert_eq!(result.unwrap_err().code, code, "{action:?}");
            }
        }
        for (target, code) in [
            ("css=#off", Code::ElementNotEnabled),
            ("css=#fixed", Code::ElementNotEditable),
            ("css=#none", Code::ElementNotFound),
            ("css=#under", Code::ElementCovered),
            (&gone, Code::StaleRef),
        ] {
            let result = s.perform(type_into(target, CANARY)).await;
            told_nothing(target, &result);
            assert_eq!(result.unwrap_err().code, code, "{target}");
        }
        for action in [
            press_in("css=#word", CANARY),
            press_in("css=#off", KEYS),
            press_in("css=#none", KEYS),
            press(CANARY),
        ] {
            let result = s.within(A_WHILE, action.clone()).await;
            told_nothing(&format!("{action:?}"), &result);
            result.unwrap_err();
        }
        let unasked = s.perform(Dialog { answer: Answer::Accept, text: Some(CANARY.into()) }).await;
        told_nothing("dialog", &unasked);
        assert_eq!(unasked.unwrap_err().code, Code::InvalidInput);
        // A dialog keeps it from being told whether it took.
        for action in [
            Action::from(fill("css=#asks", CANARY)),
            form(&[("css=#asks", CANARY), ("css=#word", CANARY)]).into(),
        ] {
            let result = s.within(A_WHILE, action).await;
            told_nothing("a dialog opens", &result);
            accept(&s).await;
        }
        let short = s.perform(fill("css=#short", CANARY)).await;
        told_nothing("cut", &short);
        assert_eq!(short.unwrap().notes, ["the field holds 3 characters instead of 16"]);
    });
}

#[test]
fn where_the_time_is_over() {
    with_home(None, async |s| {
        let busy =
            "<input id=word type=password oninput='for (const end = Date.now() + 8000; Date.now() < end;);'>";
        for action in [
            Action::from(fill("css=#word", CANARY)),
            type_into("css=#word", CANARY).into(),
            form(&[("css=#word", CANARY)]).into(),
        ] {
            show(&s, busy).await;
            look(&s).await;
            let result = s.within(A_WHILE, action.clone()).await;
            told_nothing(&format!("{action:?}"), &result);
            assert_eq!(result.unwrap_err().code, Code::Timeout, "{action:?}");
        }
        let script = Eval { args: vec![CANARY.into()], ..Eval::new("text => { while (text) {} }") };
        let result = s.within(A_WHILE, script).await;
        told_nothing("eval", &result);
        assert_eq!(result.unwrap_err().code, Code::Timeout);
    });
}

/// A page that repeats what it was told does so to the caller, who reads it; but nobody writes it down.
#[test]
fn where_the_page_repeats_it() {
    with_home(None, async |s| {
        let page = "<input id=word type=password oninput='alert(this.value)'><input id=next onfocus='covers.title = word.value; covers.hidden = false'>
            <div id=covers role=dialog hidden style='position:fixed;inset:0'></div>
            <input id=asks oninput='prompt(1, this.value)'><input id=fails oninput='console.error(this.value); throw Error(this.value)'>";
        show(&s, page).await;
        assert!(s.perform(fill("css=#word", CANARY)).await.unwrap().dialog.is_some());
        let error = s.perform(look_again()).await.unwrap_err();
        assert_eq!(error.code, Code::DialogOpen);
        accept(&s).await;
        assert!(s.perform(fill("css=#asks", CANARY)).await.unwrap().dialog.is_some());
        accept(&s).await;
        let _ = s.perform(fill("css=#fails", CANARY)).await;
        eval_main(&s, "document.querySelector('#next').focus()").await;
        let covered = s.within(A_WHILE, click("css=#fails")).await.unwrap_err();
        assert_eq!(covered.code, Code::ElementCovered);
        assert!(covered.message.contains("[secret]"), "{covered}");
        told_nothing("covered", &Err(covered));
        let script = Eval { args: vec![CANARY.into()], ..Eval::new("text => { throw new Error(text) }") };
        assert_eq!(s.perform(script).await.unwrap_err().code, Code::EvaluateFailed);
    });
}

/// A secret that every encoding writes in another way.
const SECRET: &str = "Kanarien \"vogel\"&7Q+ü";

/// A page that repeats what is typed into it wherever a page can, in all the ways that it can be written.
const ECHO: &str = "<title>Echo</title><input id=word type=password> <input id=plain> <p id=out></p> <p id=long></p> <a id=link href=/>link</a>
    <div id=parts></div> <a id=file>file</a>
    <script>
      word.oninput = () => {
        const text = word.value;
        document.title = 'title ' + text;
        history.replaceState(null, '', location.pathname + '?q=' + encodeURIComponent(text) + '&f=' + new URLSearchParams({ text }));
        out.textContent = 'said ' + text + ' and ' + btoa(unescape(encodeURIComponent('user:' + text)));
        long.textContent = JSON.stringify({ text });
        parts.innerHTML = text.replace(/&/g, '&amp;').split('').join('\\n');
        link.href = '/?q=' + encodeURIComponent(text);
        link.setAttribute('aria-label', text);
        plain.value = text;
        console.error('console', text);
        fetch('/missing?q=' + encodeURIComponent(text));
        file.href = URL.createObjectURL(new Blob(['x']));
        file.download = text + '.txt';
      };
    </script>";

/// All the ways in which the secret may be written.
fn written() -> Vec<String> {
    let base64 = |text: &str| base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text);
    let urlencoded: String = url::form_urlencoded::byte_serialize(SECRET.as_bytes()).collect();
    let json = serde_json::to_string(SECRET).unwrap();
    vec![
        SECRET.to_owned(),
        urlencoded.replace('+', "%20"),
        urlencoded,
        json[1..json.len() - 1].to_owned(),
        SECRET.replace('&', "&amp;").replace('"', "&quot;"),
        SECRET.replace('&', "&amp;"),
        base64(&format!("user:{SECRET}"))[8..24].to_owned(),
        SECRET.replace(' ', ""),
    ]
}

#[track_caller]
fn masked(what: &str, text: &str) {
    for way in written() {
        assert!(!text.contains(&way), "{what} has {way:?}: {text}");
    }
}

#[test]
fn whatever_the_page_makes_of_it_is_masked() {
    use engine::actions::{Console, Controls, Download, Html, Read, Requests, Screenshot, Snapshot, Tabs};

    let home = tempfile::tempdir().unwrap();
    let engine = new_engine(|config| config.home = home.path().into());
    runtime().block_on(async {
        let s = Fixture::new(engine.clone());
        s.open(&site().page("echo", ECHO)).await;
        look(&s).await;
        let typed = s.perform(fill("css=#word", SECRET)).await.unwrap();
        assert!(typed.delta.is_some(), "the page repeats it");
        masked("fill", &format!("{typed:?}"));
        let eval = |js: &str| Action::from(Eval::new(js));
        let one = Eval::new("[document.title, location.href, word.value, { [word.value]: btoa(unescape(encodeURIComponent(word.value))) }]");
        let actions = [
            Snapshot::default().into(),
            Snapshot { form: engine::actions::Form::Json, ..Snapshot::default() }.into(),
            Read { whole: true, ..Read::default() }.into(),
            Html::default().into(),
            Controls::default().into(),
            Console::default().into(),
            Requests::default().into(),
            Tabs::default().into(),
            Screenshot { labels: true, ..Screenshot::default() }.into(),
            Action::from(one),
            eval("document.title"),
            Download::new("css=#file".parse().unwrap()).into(),
        ];
        for action in actions {
            let what = format!("{action:?}");
            let outcome = s.perform(action).await.unwrap_or_else(|error| panic!("{what}: {error}"));
            let told = format!("{outcome:?} {}", serde_json::to_string(&outcome).unwrap());
            masked(&what, &told);
            let shows = !what.starts_with("Console") || told.contains("console");
            assert!(shows && told.contains("[secret]"), "{what} does not show what is masked: {told}");
        }
        // Cut in the middle it must not be read in two parts.
        let all = s.perform(Html::default()).await.unwrap().content.unwrap().text;
        let at = all.find("[secret]").unwrap() as u64;
        let part = Html { offset: at + 3, max_chars: Some(4), ..Html::default() };
        assert_eq!(s.perform(part).await.unwrap().content.unwrap().text, "cret");
        let thrown = s.perform(eval("throw new Error(word.value)")).await.unwrap_err();
        masked("thrown", &format!("{thrown:?} {thrown} {}", thrown.hint()));
        s.close().await;
        assert!(engine.journal().flush(Duration::from_secs(10)));
        engine.close(Front::Library).await;
    });
    for file in ["journal.db", "journal.db-wal"] {
        let bytes = std::fs::read(home.path().join(file)).unwrap_or_default();
        masked(file, &String::from_utf8_lossy(&bytes));
    }
    let names: Vec<_> = walk(home.path()).iter().map(|path| path.display().to_string()).collect();
    masked("names of files", &names.join("\n"));
}

/// All files below a folder.
fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn what_is_pressed_or_typed_bit_by_bit_is_masked_in_the_end() {
    with_home(None, async |s| {
        show(
            &s,
            "<input id=word type=password oninput='document.title = this.value'><input id=open name=open>",
        )
        .await;
        s.perform(click("css=#word")).await.unwrap();
        for key in KEYS.split(' ') {
            s.perform(press(key)).await.unwrap();
        }
        assert_eq!(s.eval("document.title").await, "[secret]");
        s.perform(fill("css=#word", "Kanarien")).await.unwrap();
        s.perform(type_into("css=#word", "vogel-7Q")).await.unwrap();
        assert_eq!(s.eval("document.title").await, "[secret]");
        // A field that is no secret is none, unless the caller says so.
        s.perform(fill("css=#open", "plainly seen")).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#open').value").await, "plainly seen");
        s.perform(Fill { secret: true, ..fill("css=#open", "plainly seen") }).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#open').value").await, "[secret]");
    });
}

fn look_again() -> engine::actions::Snapshot {
    engine::actions::Snapshot::default()
}

#[test]
fn where_the_browser_refuses() {
    let faults = Faults::default();
    with_home(Some(faults.clone()), async |s| {
        let actions = [
            Action::from(Fill { submit: true, ..fill("css=#word", CANARY) }),
            type_into("css=#word", CANARY).into(),
            form(&[("css=#word", CANARY), ("css=#day", "2026-03-31")]).into(),
            Eval { args: vec![CANARY.into()], ..Eval::new("text => text.length") }.into(),
        ];
        for action in actions {
            for nth in 0.. {
                faults.disarm();
                show(&s, PAGE).await;
                faults.arm(nth, Fault::Fail);
                let result = s.within(A_WHILE, action.clone()).await;
                let calls = faults.disarm();
                told_nothing(&format!("call {nth} of {action:?}"), &result);
                if calls.len() <= nth {
                    assert!(nth > 1, "{action:?}");
                    break;
                }
            }
        }
    });
}

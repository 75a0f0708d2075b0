//! Elements that pages replace while they are waited for: whatever was found is found anew, by every verb.

use std::time::{Duration, Instant};

use contract::{Code, Error, Outcome};
use engine::{Action, actions::step_from};
use serde_json::json;

use crate::support::{Fixture, eval_main, look, ref_of, run_in_shell, show, site};

/// No test waits so long unless something is broken.
const PATIENT: Duration = Duration::from_secs(40);

/// A page that draws itself anew every `every` milliseconds, disabled as long as that goes on.
fn redrawn(every: u32, until: u32) -> String {
    let script = r#"
        const begun = Date.now();
        const draw = () => {
            const isOver = Date.now() - begun >= UNTIL;
            const d = isOver ? '' : 'disabled';
            z.innerHTML = `<label>Name <input id=nm ${d}></label><button id=go ${d}>Go now</button><select id=sel ${d}><option>One<option>Two</select>
                <input type=checkbox id=cb ${d}><input type=checkbox id=on checked ${d}><input type=date id=day ${d}><input type=file id=file ${d}>`;
            if (!isOver) setTimeout(draw, EVERY);
        };
        draw();
    "#;
    let script = script.replace("EVERY", &every.to_string()).replace("UNTIL", &until.to_string());
    format!("<div id=z></div><script>{script}</script>")
}

async fn patient(s: &Fixture, command: &str) -> Result<Outcome, Error> {
    let action: Action = step_from(json!(command)).unwrap();
    s.within(PATIENT, action).await
}

/// What is done in such a page, and what is so afterwards.
const DEEDS: &[(&str, &str)] = &[
    ("fill css=#nm abc", "nm.value === 'abc'"),
    ("fill '//input[@id=\"nm\"]' abc", "nm.value === 'abc'"),
    ("fill Name abc", "nm.value === 'abc'"),
    ("fill css=#nm abc --submit", "nm.value === 'abc'"),
    ("fill css=#day 2026-03-31", "day.value === '2026-03-31'"),
    ("fill css=#cb true", "cb.checked"),
    ("fill-form css=#nm abc css=#cb true", "nm.value === 'abc' && cb.checked"),
    ("type abc --target css=#nm", "nm.value === 'abc'"),
    ("press a --target css=#nm", "nm.value === 'a'"),
    ("select css=#sel Two", "sel.value === 'Two'"),
    ("check css=#cb", "cb.checked"),
    ("uncheck css=#on", "!on.checked"),
    ("click css=#go", "true"),
    ("hover css=#go", "true"),
];

async fn all_deeds(s: &Fixture, page: &str) {
    for (command, so) in DEEDS {
        s.open(&site().page("redrawn", page)).await;
        let done = patient(s, command).await;
        assert!(done.is_ok(), "{command}: {}", done.unwrap_err());
        assert_eq!(s.eval(so).await, true, "{command}");
    }
}

#[test]
fn what_a_page_replaces_when_it_can_be_used_is_found_anew() {
    run_in_shell(async |s| all_deeds(&s, &redrawn(1200, 1200)).await);
}

#[test]
fn what_a_page_replaces_again_and_again_is_found_anew() {
    run_in_shell(async |s| all_deeds(&s, &redrawn(60, 1500)).await);
}

#[test]
fn what_is_replaced_for_ever_is_said_to_be() {
    run_in_shell(async |s| {
        show(&s, &redrawn(60, 10_000_000)).await;
        for command in ["fill css=#nm abc", "select css=#sel Two", "check css=#cb", "click css=#go"] {
            let action: Action = step_from(json!(command)).unwrap();
            let error = s.within(Duration::from_secs(3), action).await.unwrap_err();
            let is_said = match error.code {
                Code::StaleRef => error.message.contains("is replaced again and again"),
                code => code == Code::ElementNotEnabled,
            };
            assert!(is_said, "{command}: {error}");
            assert!(error.message.contains("(waited "), "{command}: {error}");
        }
    });
}

#[test]
fn a_ref_that_the_caller_gave_is_not_another_element() {
    run_in_shell(async |s| {
        let page = "<div id=z><input id=nm aria-label=Name></div>";
        show(&s, page).await;
        let named = ref_of(&look(&s).await, "- textbox");
        s.eval("z.innerHTML = '<button>Other</button>'").await;
        let began = Instant::now();
        let error = patient(&s, &format!("fill {named} abc")).await.unwrap_err();
        assert_eq!(error.code, Code::StaleRef, "{error}");
        assert!(began.elapsed() < PATIENT / 2, "{:?}", began.elapsed());
    });
}

#[test]
fn what_cannot_be_used_is_said_to_have_been_waited_for() {
    run_in_shell(async |s| {
        show(
            &s,
            "<button id=b disabled>B</button><button id=h style='visibility: hidden'>H</button><input id=i disabled><input id=f type=file disabled>",
        )
        .await;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        std::fs::write(&file, "a").unwrap();
        for (command, code) in [
            ("click css=#b".to_owned(), Code::ElementNotEnabled),
            ("fill css=#i x".to_owned(), Code::ElementNotEnabled),
            ("click css=#h".to_owned(), Code::ElementNotVisible),
            (format!("upload css=#f {}", file.display()), Code::ElementNotEnabled),
        ] {
            let action: Action = step_from(json!(command)).unwrap();
            let error = s.within(Duration::from_secs(3), action).await.unwrap_err();
            assert_eq!(error.code, code, "{command}: {error}");
            assert!(error.message.contains("(waited "), "{command}: {error}");
        }
    });
}

#[test]
fn a_field_for_files_is_waited_for_until_it_is_enabled() {
    run_in_shell(async |s| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        std::fs::write(&file, "a").unwrap();
        let enabled = "<input id=file type=file disabled hidden><script>setTimeout(() => file.disabled = false, 1200)</script>";
        for page in [enabled.to_owned(), redrawn(1200, 1200), redrawn(60, 1500)] {
            s.open(&site().page("files", &page)).await;
            let done = patient(&s, &format!("upload css=#file {}", file.display())).await;
            assert!(done.is_ok(), "{page}: {}", done.unwrap_err());
            assert_eq!(s.eval("file.files.length").await, 1);
        }
    });
}

/// A form that is made anew whenever one of its fields has been changed, which a field says when it is left.
const MADE_ANEW: &str = "<div id=f></div><script>
    state = { name: '', mail: '', day: '', size: 'S' };
    const draw = () => f.innerHTML = ['name', 'mail', 'day'].map(key => `<label>${key} <input id=${key} type=${key === 'day' ? 'date' : 'text'} value=\"${state[key]}\"
      onchange=\"state.${key} = this.value; draw()\"></label>`).join('') + `<label>size <select id=size onchange=\"state.size = this.value; draw()\"><option>S<option ${state.size === 'L' ? 'selected' : ''}>L</select></label>`;
    draw();
</script>";
const STATE: &str = "[state.name, document.querySelector('#mail').value, state.day, state.size]";

#[test]
fn fields_that_go_when_the_one_before_is_left_are_found_anew() {
    run_in_shell(async |s| {
        show(&s, MADE_ANEW).await;
        for command in ["fill name Ada", "fill mail a@b.c", "fill css=#name Bob", "fill day 2026-03-31"] {
            patient(&s, command).await.unwrap_or_else(|error| panic!("{command}: {error}"));
        }
        patient(&s, "fill css=#mail c@d.e").await.unwrap();
        patient(&s, "select css=#size L").await.unwrap();
        let state = async || eval_main(&s, STATE).await.value.unwrap();
        assert_eq!(state().await, json!(["Bob", "c@d.e", "2026-03-31", "L"]));
        show(&s, MADE_ANEW).await;
        patient(&s, "fill-form name Ada mail a@b.c day 2026-03-31 css=#size L css=#mail c@d.e")
            .await
            .unwrap_err();
        patient(&s, "fill-form name Ada day 2026-03-31 css=#size L mail a@b.c").await.unwrap();
        assert_eq!(state().await, json!(["Ada", "a@b.c", "2026-03-31", "L"]));
        patient(&s, "press End --target css=#name").await.unwrap();
    });
}

#[test]
fn that_something_was_replaced_by_its_like_when_it_was_pressed_is_told() {
    run_in_shell(async |s| {
        // No click comes of it, neither for the one that was pressed nor for the one that was let go of.
        let anew = "<div id=z><button>Go</button></div><script>clicks = 0; z.onclick = () => clicks++;
            z.onmousedown = () => { const b = document.createElement('button'); b.textContent = 'Go'; z.firstChild.replaceWith(b); LATER }</script>";
        show(&s, &anew.replace("LATER", "z.onmousedown = null")).await;
        let outcome = patient(&s, "click Go").await.unwrap();
        assert!(outcome.notes.iter().any(|note| note.contains("it was not clicked")), "{outcome:?}");
        assert_eq!(eval_main(&s, "clicks").await.value.unwrap(), 0);
        patient(&s, "click Go").await.unwrap();
        assert_eq!(eval_main(&s, "clicks").await.value.unwrap(), 1);
        // One that shows that it was pressed has been used, and so has one that shows it elsewhere.
        for shown in ["b.ariaPressed = true", "z.title = 'pressed'"] {
            show(&s, &anew.replace("LATER", shown)).await;
            assert_eq!(patient(&s, "click Go").await.unwrap().notes, [""; 0], "{shown}");
        }
    });
}

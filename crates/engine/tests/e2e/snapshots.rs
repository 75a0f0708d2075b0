//! Refs: they stay with their element, are never another's, and go to the one that took its place if there is no doubt. What has one.

use std::time::Duration;

use ::journal::{Filter, read};
use contract::{Code, Error, Outcome, Ref, Target};
use engine::actions::{Eval, Find, Form, Snapshot};

use crate::{
    clicking::click,
    hands_support::hover,
    support::{Fixture, code, eval, eval_main, look, new_engine, ref_of, run_in_shell, runtime, show, site},
};

async fn scoped(s: &Fixture, target: Target) -> Result<Outcome, Error> {
    s.perform(Snapshot { scope: Some(target), ..Snapshot::default() }).await
}

async fn scoped_text(s: &Fixture, target: &str) -> String {
    scoped(s, target.parse::<Target>().unwrap()).await.unwrap().snapshot.unwrap().text
}

#[test]
fn an_element_keeps_its_ref_and_nobody_else_gets_it() {
    run_in_shell(async |s| {
        show(&s, "<button id=a>A</button><button id=b>B</button><ul><li><button>C</button></ul>").await;
        let first = look(&s).await;
        let [a, b, c] = ["A", "B", "C"].map(|name| ref_of(&first, &format!("- button \"{name}\"")));
        s.eval("a.textContent = 'A2'; b.remove(); document.body.prepend(document.querySelector('ul')); document.body.prepend(document.createElement('button'))").await;
        let second = look(&s).await;
        assert_eq!(ref_of(&second, "- button \"A2\""), a);
        assert_eq!(ref_of(&second, "- button \"C\""), c, "it was moved");
        let new = ref_of(&second, "- button [hint");
        assert!(new.element > c.element, "{second}");
        s.eval("document.body.innerHTML = '<button>A2</button>'.repeat(20)").await;
        let third = look(&s).await;
        for old in [a, b, c, new] {
            assert!(!third.contains(&format!("[ref={old}]")), "{old} in:\n{third}");
        }
    });
}

/// A small page is looked at as soon as it has loaded, before anybody asks. What is told is what is there when somebody does.
#[test]
fn nobody_notices_that_a_page_was_looked_at_ahead() {
    run_in_shell(async |s| {
        let page = "<style>p { color: green }</style><button id=a>A</button><input id=i aria-label=I><div id=d>D</div><button id=b>B</button>";
        let shown = async |script: &str| {
            show(&s, page).await;
            eval_main(&s, script).await;
            look(&s).await
        };
        for (script, seen) in [
            ("a.textContent = 'Other'", "- button \"Other\""),
            ("i.value = 'text'", "]: text\n"),
            ("i.focus()", "[active]"),
            ("document.styleSheets[0].insertRule('#a { display: none }')", "- button \"B\""),
            ("d.addEventListener('click', () => {})", "- generic \"D\" [ref=e"),
        ] {
            let text = shown(script).await;
            assert!(text.contains(seen), "{script}: {seen} is not in\n{text}");
            assert_eq!(
                text.contains("\"A\""),
                !script.contains("none") && !script.contains("Other"),
                "{script}:\n{text}"
            );
        }
        // Numbers are given in the order of the page that is told, and begin after those of the page before.
        let number = |text: &str, name: &str| ref_of(text, &format!("- button \"{name}\"")).element;
        let last = number(&shown("0").await, "B");
        let new =
            shown("a.before(Object.assign(document.createElement('button'), {textContent: 'New'}))").await;
        let [new, a, b] = ["New", "A", "B"].map(|name| number(&new, name));
        assert!(last < new && a == new + 1 && b > a, "{last} {new} {a} {b}");
        // A number that somebody has been told stays with its element.
        show(&s, page).await;
        let named = s.perform(hover("css=#b")).await.unwrap().target.unwrap().reference;
        eval_main(&s, "a.before(document.createElement('button')); a.remove()").await;
        assert_eq!(ref_of(&look(&s).await, "- button \"B\""), named);
    });
}

#[test]
fn an_element_that_comes_back_has_its_old_ref() {
    run_in_shell(async |s| {
        show(&s, "<button>A</button>").await;
        let a = ref_of(&look(&s).await, "- button \"A\"");
        eval_main(&s, "window.kept = document.querySelector('button'); kept.remove()").await;
        assert!(!look(&s).await.contains("button"));
        eval_main(&s, "document.body.append(kept)").await;
        assert_eq!(ref_of(&look(&s).await, "- button \"A\""), a);
    });
}

/// The page, the script that changes it, and how often `Delete` may be taken for the one that was there.
async fn healing(s: &Fixture, body: &str, script: &str) -> (Ref, Result<Outcome, Error>) {
    show(s, body).await;
    let gone = ref_of(&look(s).await, "- button \"Delete\"");
    s.eval(script).await;
    (gone, scoped(s, Target::Ref(gone)).await)
}

const LISTS: &str = "<ul aria-label=Todo><li><button>Delete</button></ul><ul aria-label=Done></ul>";

#[test]
fn a_ref_heals_to_the_one_element_that_took_the_place() {
    run_in_shell(async |s| {
        let again = "const list = document.querySelector('ul'); list.innerHTML = list.innerHTML";
        let (gone, healed) = healing(&s, LISTS, again).await;
        let outcome = healed.unwrap();
        let now = ref_of(&outcome.snapshot.unwrap().text, "- button \"Delete\"");
        assert_eq!(outcome.healed.map(|healed| (healed.gone, healed.now)), Some((gone, now)));
        assert_ne!(gone, now);
    });
}

#[test]
fn a_ref_never_heals_by_a_guess() {
    run_in_shell(async |s| {
        let rows = [
            (LISTS, "document.querySelector('button').remove()"),
            (LISTS, "const list = document.querySelector('ul'); list.innerHTML += list.innerHTML"),
            (
                LISTS,
                "const [todo, done] = document.querySelectorAll('ul'); done.innerHTML = todo.innerHTML; todo.innerHTML = ''",
            ),
            (LISTS, "document.querySelector('button').outerHTML = '<a href=/>Delete</a>'"),
            (LISTS, "document.querySelector('button').outerHTML = '<button>Delete all</button>'"),
        ];
        for (body, script) in rows {
            let error = healing(&s, body, script).await.1.expect_err(script);
            assert_eq!(error.code, Code::StaleRef, "{script}");
            assert!(error.hint().contains("take a new snapshot") && error.code.retriable(), "{error:?}");
        }
    });
}

#[test]
fn a_ref_does_not_heal_to_an_equal_one_that_was_there_before() {
    run_in_shell(async |s| {
        show(&s, "<button id=one>Delete</button><button>Delete</button>").await;
        let text = look(&s).await;
        let one: Ref = text.split("[ref=").nth(1).unwrap().split(']').next().unwrap().parse().unwrap();
        s.eval("one.remove()").await;
        assert_eq!(code(scoped(&s, Target::Ref(one)).await), Code::StaleRef);
    });
}

#[test]
fn scopes() {
    run_in_shell(async |s| {
        show(
            &s,
            "<main><p>Out</p><section id=in aria-label=In><p>Inside</p><button>B</button></section></main>",
        )
        .await;
        let section = ref_of(&look(&s).await, "- region \"In\"");
        let expected =
            format!("- region \"In\" [ref={section}]:\n  - paragraph: Inside\n  - button \"B\" [ref=e7]");
        for target in [
            &*section.to_string(),
            &format!("@{section}"),
            "css=#in",
            "css=main > section",
            "xpath=//section",
            "//section[@id='in']",
        ] {
            assert_eq!(scoped_text(&s, target).await, expected, "{target}");
        }
        for (target, expected) in [
            ("css=p", Code::ElementAmbiguous),
            ("//p", Code::ElementAmbiguous),
            ("css=.none", Code::ElementNotFound),
            ("//none", Code::ElementNotFound),
            ("css=[", Code::InvalidInput),
            ("//[", Code::InvalidInput),
            ("e999", Code::StaleRef),
            ("f7e1", Code::StaleRef),
        ] {
            let part = Snapshot { scope: Some(target.parse().unwrap()), ..Snapshot::default() };
            let error = s.within(Duration::from_secs(2), part).await.expect_err(target);
            assert_eq!(error.code, expected, "{target}: {error}");
        }
    });
}

#[test]
fn whatever_a_script_listens_on_has_a_ref() {
    run_in_shell(async |s| {
        let kinds = [
            "click",
            "mousedown",
            "pointerdown",
            "touchstart",
            "keydown",
            "dragstart",
            "dblclick",
            "contextmenu",
            "drop",
        ];
        let mut body: String = kinds.iter().map(|kind| format!("<p class=k>{kind}</p>")).collect();
        body += "<p id=prop>prop</p><p onclick=''>attribute</p><p id=react>react</p><p id=late>late</p><p id=none>none</p><p id=moved>mousemove</p>\
            <div id=outer style='cursor: pointer'>outer <b id=mid>mid <i>inner</i></b></div><div id=root><p>in root</p></div>\
            <p tabindex=0>tabbed</p><p tabindex=-1>untabbed</p>";
        show(&s, &body).await;
        eval_main(
            &s,
            "for (const p of document.querySelectorAll('.k')) p.addEventListener(p.textContent, () => {});
             prop.onclick = () => {}; react.__reactProps$abc = { onClick() {} }; moved.addEventListener('mousemove', () => {});
             const many = Object.keys(HTMLElement.prototype.__proto__).concat(Object.keys(window)).filter(key => key.startsWith('on')).slice(0, 30).concat('onclick');
             for (const at of [document.documentElement, document.body, root]) for (const kind of new Set(many)) at.addEventListener(kind.slice(2), () => {});",
        )
        .await;
        let text = look(&s).await;
        let mut usable: Vec<&str> = kinds.to_vec();
        usable.extend(["prop", "attribute", "react", "tabbed"]);
        for name in usable {
            assert!(text.lines().any(|line| line.starts_with("- paragraph [ref=") && line.ends_with(&format!(": {name}"))), "{name} in:\n{text}");
        }
        for name in ["late", "none", "mousemove", "in root", "untabbed"] {
            assert!(text.contains(&format!("- paragraph: {name}")), "{name} in:\n{text}");
        }
        assert!(text.contains("- generic \"outer mid inner\" [ref="), "only the outermost:\n{text}");
        eval_main(&s, "late.addEventListener('click', () => {})").await;
        let text = look(&s).await;
        assert!(
            text.lines().any(|line| line.starts_with("- paragraph [ref=") && line.ends_with(": late")),
            "{text}"
        );
    });
}

#[test]
fn words_are_found_with_where_they_are() {
    run_in_shell(async |s| {
        show(&s, "<main><ul aria-label=Cart><li>Red apple <button>Remove</button><li>Green pear</ul><p>购物车里有苹果</p></main><iframe title=F srcdoc='<p>An apple inside</p>'></iframe>").await;
        let find = |words: &str, regex| Find {
            words: words.into(),
            regex,
            place: Default::default(),
            context: None,
            max: None,
        };
        for (words, regex, count, line) in [
            ("APPLE red", false, "1 match", "      - text: Red apple"),
            ("苹果", false, "1 match", "  - paragraph: 购物车里有苹果"),
            ("apple", false, "2 matches", "  - paragraph: An apple inside"),
            ("(?i)^ *- (text|listitem): (red|green)", true, "2 matches", "    - listitem: Green pear"),
            ("plum", false, "0 matches", "0 matches"),
        ] {
            let text = s.perform(find(words, regex)).await.unwrap().content.unwrap().text;
            assert!(text.starts_with(count) && text.lines().any(|found| found == line), "{words}:\n{text}");
        }
        assert_eq!(code(s.perform(find("(", true)).await), Code::InvalidInput);
        assert_eq!(code(s.perform(find(" ", false)).await), Code::InvalidInput);
    });
}

#[test]
fn passwords_are_told_nowhere() {
    let home = tempfile::tempdir().unwrap();
    let engine = new_engine(|config| config.home = home.path().into());
    runtime().block_on(async {
        let s = Fixture::new(engine.clone());
        s.open(&site().url("/golden/sign-in.html")).await;
        let mut told = vec![look(&s).await];
        let json = s.perform(Snapshot { form: Form::Json, ..Snapshot::default() }).await.unwrap();
        told.push(serde_json::to_string(&json).unwrap());
        let type_it = Eval {
            args: vec!["ada".into(), "correct horse".into()],
            ..eval("(name, word) => { const [email, field] = document.querySelectorAll('input'); email.value = name; field.value = word; }")
        };
        let typed = s.perform(type_it).await.unwrap();
        assert!(typed.delta.as_ref().unwrap().text.contains("textbox \"Email\""), "{typed:?}");
        told.push(serde_json::to_string(&typed).unwrap());
        told.push(look(&s).await);
        let found = Find { words: "hunter2".into(), regex: false, place: Default::default(), context: None, max: None };
        told.push(s.perform(found).await.unwrap().content.unwrap().text);
        assert!(engine.journal().flush(Duration::from_secs(10)));
        let records = read(&home.path().join("journal.db"), &Filter::default()).unwrap();
        let outcomes = records.iter().map(|record| serde_json::to_value(record).unwrap()["outcome"].to_string());
        told.extend(outcomes);
        for text in &told {
            assert!(!text.contains("hunter2") && !text.contains("correct horse"), "{text}");
        }
        engine.close(engine::Front::Library).await;
    });
}

#[test]
fn a_ref_of_the_page_before_names_nothing_on_the_next_one() {
    run_in_shell(async |s| {
        show(&s, "<button>Keep</button><button>Delete all</button>").await;
        let before = look(&s).await;
        show(&s, "<button>Other</button><button>Delete all</button>").await;
        let after = look(&s).await;
        for name in ["Keep", "Delete all"] {
            let old = ref_of(&before, &format!("- button \"{name}\""));
            assert!(!after.contains(&format!("[ref={old}]")), "{old} in:\n{after}");
            assert_eq!(code(scoped(&s, Target::Ref(old)).await), Code::StaleRef);
        }
    });
}

#[test]
fn text_that_a_style_sheet_hides_is_not_shown_and_what_shows_again_is() {
    let rows = [
        ("transform: translateX(-9999px)", false),
        ("translate: -9999px", false),
        ("transform: scale(0)", false),
        ("scale: 0", false),
        ("margin-left: -9999px", false),
        ("color: transparent", false),
        ("color: rgba(1, 2, 3, 0)", false),
        ("filter: opacity(0)", false),
        ("opacity: 0", false),
        ("font-size: 0", false),
        ("text-indent: -9999px", false),
        ("clip-path: inset(100%)", false),
        ("position: absolute; left: -9999px", false),
        ("visibility: hidden", false),
        ("display: none", false),
        ("content-visibility: hidden", false),
        ("position: relative; left: 10px", true),
        ("transform: rotate(10deg)", true),
        ("color: transparent; background: red; background-clip: text", true),
        ("opacity: 0.5", true),
    ];
    run_in_shell(async |s| {
        let mut body = String::from("<style>");
        for (at, (style, _)) in rows.iter().enumerate() {
            body += &format!(".c{at} {{ {style} }} div:nth-of-type({}) > p {{ {style} }}\n", at + 1);
        }
        body += ".gap { font-size: 0 } .gap b { font-size: 16px }</style><section class=gap>GAP<b>BACK</b></section>";
        for at in 0..rows.len() {
            body += &format!(
                "<div><p>PLAIN-{at}.</p><span class=c{at} style='display: block'>CLASS-{at}.</span></div>"
            );
        }
        // A style attribute asks for the style anyway; most elements have none.
        show(&s, &body.replace(" style='display: block'", "")).await;
        let text = look(&s).await;
        for (at, (style, is_shown)) in rows.iter().enumerate() {
            let is_inline =
                style.contains("trans") && !style.contains("color") || style.contains("content-vis");
            assert_eq!(text.contains(&format!("PLAIN-{at}.")), *is_shown, "p: {style}\n{text}");
            // What moves boxes does not move words in a line.
            if !is_inline && !style.starts_with("scale") && !style.starts_with("text-indent") {
                assert_eq!(text.contains(&format!("CLASS-{at}.")), *is_shown, "span: {style}\n{text}");
            }
        }
        assert!(text.contains("BACK") && !text.contains("GAP"), "{text}");
    });
}

#[test]
fn a_wrapper_that_means_nothing_can_be_looked_at_alone() {
    run_in_shell(async |s| {
        show(&s, "<div id=wrap><div><button>In</button><p>Text</p></div></div><button>Out</button>").await;
        for target in ["css=#wrap", "css=#wrap > div", "xpath=//*[@id='wrap']"] {
            let text = scoped_text(&s, target).await;
            assert!(
                text.contains("\"In\"") && text.contains("Text") && !text.contains("\"Out\""),
                "{target}\n{text}"
            );
        }
        assert!(scoped_text(&s, "css=body").await.contains("\"Out\""));
        s.eval("document.querySelector('#wrap').hidden = true").await;
        assert_eq!(code(scoped(&s, "css=#wrap".parse().unwrap()).await), Code::ElementNotVisible);
    });
}

#[test]
fn what_the_window_clips_is_shown_and_what_a_field_owns_too() {
    run_in_shell(async |s| {
        let body = "<style>body { overflow: hidden; margin: 0 }</style><div style='position: fixed; inset: 0'><h1>App</h1></div>\
            <input role=combobox aria-label=City aria-expanded=true aria-owns=list><div id=list role=listbox style='position: fixed'><div role=option>Paris</div></div>";
        show(&s, body).await;
        let text = look(&s).await;
        assert!(text.contains("heading \"App\"") && text.contains("option \"Paris\""), "{text}");
    });
}

#[test]
fn secrets_stay_secret_when_the_page_shows_them() {
    run_in_shell(async |s| {
        let body = "<input id=a name=password value=SECRET-1><input id=b type=password value=SECRET-2><textarea style='-webkit-text-security: disc'>SECRET-3</textarea>\
            <p style='-webkit-text-security: disc'>SECRET-4</p><input autocomplete=one-time-code value=SECRET-5><script>b.type = 'text'</script><h1>Seen</h1>";
        show(&s, body).await;
        let snapshot = look(&s).await;
        s.eval("b.type = 'text', b.value = 'SECRET-6', a.value = 'SECRET-7', 1").await;
        let read = s.perform(engine::actions::Read { whole: true, ..Default::default() }).await.unwrap();
        let controls = s.perform(engine::actions::Controls::default()).await.unwrap().content.unwrap().text;
        // The address of this page is its whole text.
        let controls = controls.split_once("===").unwrap().1.to_owned();
        let all = [snapshot, look(&s).await, read.content.unwrap().text, controls].join("\n");
        assert!(all.contains("Seen"));
        assert!(!all.contains("SECRET"), "{all}");
    });
}

#[test]
fn how_tables_are_sorted_what_arrow_keys_lead_to_and_fields_of_secret_names() {
    run_in_shell(async |s| {
        show(
            &s,
            "<table><tr><th aria-sort=ascending>Price<th aria-sort=none>Name<tr><td>1<td>a</table>
            <div id=days><span tabindex=-1 aria-label='December 1, 2026'>1</span></div><div tabindex=-1 aria-label=Part><p>text</p></div>
            <label>CVC <input value=7377></label><label for=n>Card number</label><input id=n value=4111><label>Town <input value=Oslo></label>
            <b id=code>Security code</b><input aria-labelledby='nowhere code' value=9012><b id=area>Area code</b><input aria-labelledby=area value=0150>",
        )
        .await;
        let text = look(&s).await;
        assert!(text.contains("columnheader \"Price\" [sort=ascending]"), "{text}");
        assert!(text.contains("| Name") && !text.contains("none"), "{text}");
        assert!(text.contains("generic \"December 1, 2026\" [ref="), "{text}");
        assert!(!text.contains("Part"), "{text}");
        assert!(text.contains("Oslo") && text.contains("0150"), "{text}");
        assert!(!["7377", "4111", "9012"].iter().any(|secret| text.contains(secret)), "{text}");
    });
}

#[test]
fn what_becomes_of_something_without_a_name_is_in_its_hint() {
    run_in_shell(async |s| {
        let page = "<style>span { display: inline-block; width: 20px; height: 20px }</style>
            <span id=c0 tabindex=0 onclick=\"this.className = 'mark-x'\"></span><button id=menu class=round></button>";
        show(&s, page).await;
        let text = look(&s).await;
        assert!(text.contains("generic [hint=c0]") && text.contains("button [hint=menu]"), "{text}");
        let outcome = s.perform(click("css=#c0")).await.unwrap();
        let delta = outcome.delta.unwrap().text;
        assert!(delta.contains("~ generic [active] [hint=\"c0 mark-x\"]"), "{delta}");
    });
}

/// A hint has no words that a tool made up, is not cut in the middle of one, and tells two arrows apart.
#[test]
fn hints_say_something() {
    run_in_shell(async |s| {
        let icon = "<svg class='css-onkibi p-icon' width=9 height=9></svg>";
        for (markup, hint) in [
            (
                "<button class='css-1xc3v61-indicatorContainer m_8fdc1311'></button>",
                "[hint=indicatorContainer]",
            ),
            (
                "<button id='mantine-zlhk2x9aq-label' class='sc-bdVaJa jsx-4281 8fdc1311 round'></button>",
                "[hint=label]",
            ),
            ("<button class='css-8mmkcg'></button>", "[hint=\"rgb(239, 239, 239)\"]"),
            ("<button id='menu-:r1:' class=icon24px></button>", "[hint=menu-]"),
            (
                &format!("<button class='p-button p-button-up'>{icon}</button>"),
                "[hint=\"p-icon p-button-up\"]",
            ),
            (&format!("<button data-direction=down>{icon}</button>"), "[hint=\"p-icon down\"]"),
            (
                "<div onclick=1 style='background: rgb(237, 237, 237); width: 9px; height: 9px' class='a-class-of-some-length another-class-of-some-length a-third-class-of-some-length'></div>",
                "[hint=\"a-class-of-some-length another-class-of-some-length rgb(237, 237, 237)\"]",
            ),
        ] {
            show(&s, markup).await;
            let text = look(&s).await;
            assert!(text.contains(hint), "{markup}: {text}");
        }
    });
}

/// A label that a script listens on is still no more than the name of its field.
#[test]
fn a_label_that_listens_has_no_line_beside_its_field() {
    run_in_shell(async |s| {
        let page = "<label for=f id=l>Name</label><input id=f><label id=m>Nobody's</label><script>for (const one of [l, m]) one.addEventListener('mousedown', () => {})</script>";
        show(&s, page).await;
        let text = look(&s).await;
        let lines: Vec<&str> = text.lines().map(|line| line.split(" [ref=").next().unwrap()).collect();
        assert_eq!(lines, ["- textbox \"Name\"", "- generic \"Nobody's\""]);
    });
}

/// Where only a class says what became of a click, the class is told; where something else says it, it is not said twice.
#[test]
fn what_only_a_class_says_is_told() {
    run_in_shell(async |s| {
        let row = async |markup: &str, script: &str| {
            show(&s, markup).await;
            look(&s).await;
            eval_main(&s, &format!("{{ const b = document.querySelector('button, a, div'); {script} }}"))
                .await
                .delta
                .map(|delta| delta.text.split(" [ref=").next().unwrap().to_owned())
        };
        let button = "<button class='even wide'>Even</button>";
        for (script, told) in [
            ("b.className = 'even selected'", Some("~ button \"Even\" [class=selected]")),
            ("b.className = 'even is-active btn--open'", Some("~ button \"Even\" [class=\"active open\"]")),
            ("b.className = 'even selected-colour unselected shadowed'", None),
            (
                "b.className = 'on'; b.setAttribute('aria-pressed', 'true')",
                Some("~ button \"Even\" [pressed]"),
            ),
            ("b.className = 'disabled'; b.disabled = true", Some("~ button \"Even\" [disabled]")),
        ] {
            assert_eq!(row(button, script).await.as_deref(), told, "{script}");
        }
        assert_eq!(row("<div>Text</div><p>More</p>", "b.className = 'selected'").await, None);
    });
}

/// What is only drawn for those with a mouse can be used by its ref, and nothing else that a page keeps from others is shown.
#[test]
fn what_only_a_mouse_can_use_has_a_ref() {
    const PAGE: &str = "<style>.icon { width: 20px; height: 20px; display: inline-block; background: gray }</style>
        <div role=button tabindex=0>Tag<span id=cross class='icon chip-remove' aria-hidden=true></span></div>
        <button aria-hidden=true tabindex=-1 class='icon step-up'></button>
        <div aria-hidden=true style='width: 24px'><div role=button tabindex=-1 class='icon step-down'></div></div>
        <span aria-hidden=true class='icon mere-looks'></span>
        <div style='opacity: 0'><button aria-hidden=true class='icon unseen'></button></div>
        <div style='position: relative'><button aria-hidden=true class='icon covered'></button><div style='position: absolute; inset: 0'></div></div>
        <div aria-hidden=true style='width: 300px; height: 100px'><button>Behind a dialog</button></div>
        <div class='handle icon' style='cursor: col-resize'></div><p style='cursor: grab'>Drag <b style='cursor: grab'>me</b></p>
        <div id=tip>Hover for more</div><table><tr id=row><td>Cell</td></tr></table><div id=box>Box <a href='#'>with a link</a></div>
        <canvas width=60 height=60></canvas><div style='position: absolute; z-index: 9; right: 0'><div><canvas id=hues width=60 height=60></canvas></div></div>
        <script>window.n = 0; cross.onclick = event => { n++; event.stopPropagation() };
        for (const one of [tip, row, box]) one.addEventListener('mouseenter', () => {});</script>";
    run_in_shell(async |s| {
        show(&s, PAGE).await;
        let text = look(&s).await;
        let told: Vec<&str> = text.lines().map(|line| line.split(" [ref=").next().unwrap().trim()).collect();
        assert_eq!(
            told,
            [
                "- button \"Tag\"",
                "- generic [hint=\"cross icon chip-remove rgb(128, 128, 128)\"]",
                "- button [hint=\"icon step-up\"]",
                "- button [hint=\"icon step-down\"]",
                "- generic [hint=\"handle icon rgb(128, 128, 128)\"]",
                "- paragraph",
                "- generic \"Hover for more\"",
                "- table",
                "- row: Cell",
                "- text: Box",
                "- link \"with a link\"",
                "- canvas [hint=hues]",
            ],
            "{text}"
        );
        let cross = ref_of(&text, "- generic [hint=\"cross");
        s.perform(click(&cross.to_string())).await.unwrap();
        assert_eq!(eval_main(&s, "n").await.value.unwrap(), 1);
        // It comes and goes with what it is in, and keeps its ref.
        eval_main(&s, "cross.parentNode.style.display = 'none'").await;
        assert!(!look(&s).await.contains("chip-remove"));
        eval_main(&s, "cross.parentNode.style.display = ''").await;
        assert_eq!(ref_of(&look(&s).await, "- generic [hint=\"cross"), cross);
        eval_main(&s, "cross.style.visibility = 'hidden'").await;
        assert!(!look(&s).await.contains("chip-remove"));
        eval_main(&s, "cross.style.visibility = ''").await;
        assert_eq!(ref_of(&look(&s).await, "- generic [hint=\"cross"), cross);
    });
}

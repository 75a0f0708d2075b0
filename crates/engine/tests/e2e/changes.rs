//! What outcomes tell of changes, and that the next snapshot sees those that no mutation record tells of.

use contract::Delta;
use engine::actions::Snapshot;

use crate::support::{Fixture, eval, goto, look, run_in_shell, show, site};

async fn change(s: &Fixture, js: &str) -> Option<Delta> {
    s.perform(eval(js)).await.unwrap().delta
}

async fn diff(s: &Fixture) -> contract::Outcome {
    s.perform(Snapshot { diff: true, ..Snapshot::default() }).await.unwrap()
}

#[test]
fn an_outcome_tells_exactly_what_changed_since_a_snapshot() {
    run_in_shell(async |s| {
        show(&s, "<button id=a>A</button><p>Text</p><button id=b>B</button><ul></ul>").await;
        assert_eq!(change(&s, "a.textContent = 'A1'").await, None, "nobody has looked");
        look(&s).await;
        assert_eq!(change(&s, "1").await, None, "nothing changed");
        let delta = change(&s, "a.textContent = 'A2'; b.remove(); document.querySelector('ul').innerHTML = '<li>One<li><button>New</button>'").await.unwrap();
        assert_eq!(
            delta.text,
            "+ listitem: One\n+ button \"New\" [ref=e9]\n~ button \"A2\" [ref=e3]\n- button \"B\" [ref=e5]"
        );
        let refs =
            |refs: &[contract::Ref]| refs.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!([refs(&delta.appeared), refs(&delta.changed), refs(&delta.went)], ["e9", "e3", "e5"]);
        assert_eq!(change(&s, "1").await, None, "it has been told");
        s.perform(goto(&site().url("/page?title=other"))).await.unwrap();
        assert_eq!(change(&s, "document.body.append('more')").await, None, "another page, not looked at");
    });
}

/// What a wrapper without a meaning says stands with what came in it.
#[test]
fn new_texts_are_told_with_what_they_belong_to() {
    run_in_shell(async |s| {
        show(&s, "<div id=list><p>Flights</p></div>").await;
        look(&s).await;
        let flight = |duration: &str, price: &str| {
            format!("<div><span>Duration: {duration}</span><button>Book ${price}</button></div>")
        };
        let script =
            format!("list.insertAdjacentHTML('beforeend', '{}')", flight("5h", "404") + &flight("15h", "90"));
        let delta = change(&s, &script).await.unwrap();
        let text = without_refs(&delta.text);
        assert_eq!(
            text,
            "+ text: Duration: 5h\n+ button \"Book $404\"\n+ text: Duration: 15h\n+ button \"Book $90\""
        );
    });
}

/// Lines without their refs.
fn without_refs(text: &str) -> String {
    text.lines().map(|line| line.split(" [ref=").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// A dialog that puts the page away does not make the delta as long as the page, neither when it comes nor when it goes.
#[test]
fn what_a_modal_dialog_puts_away_is_told_in_one_line() {
    const REST: &str = "<div id=app><h1>Shop</h1><p>Intro</p><a href='#'>Home</a><ul><li>One<li>Two</ul>Total: <b>5</b><button>Buy</button><p id=st>idle</p></div>";
    run_in_shell(async |s| {
        for (open, close, dialog) in [
            (
                "app.ariaHidden = 'true'; d.hidden = false",
                "app.ariaHidden = null; d.hidden = true",
                "<div id=d role=dialog aria-label=Sure hidden><button>Yes</button></div>",
            ),
            ("d.showModal()", "d.close()", "<dialog id=d aria-label=Sure><button>Yes</button></dialog>"),
        ] {
            show(&s, &format!("{REST}{dialog}")).await;
            look(&s).await;
            let opened = change(&s, open).await.unwrap();
            let told = without_refs(&opened.text);
            assert!(told.starts_with("+ dialog \"Sure\"") && told.lines().count() == 3, "{open}: {told}");
            assert!(told.contains("\n- (all else: "), "{told}");
            assert!(!opened.went.is_empty(), "programs are told all of it");
            let told =
                without_refs(&change(&s, &format!("{close}; st.textContent = 'done'")).await.unwrap().text);
            let lines: Vec<&str> = told.lines().collect();
            assert!(
                matches!(lines.as_slice(), ["~ paragraph: done", gone, back]
                    if gone.starts_with("- dialog \"Sure\"") && back.contains("are back as they were")),
                "{close}: {told}"
            );
        }
    });
}

#[test]
fn changes_on_demand() {
    run_in_shell(async |s| {
        show(&s, "<button>A</button>").await;
        let first = diff(&s).await;
        assert!(first.delta.is_none() && first.snapshot.is_some() && first.notes.len() == 1, "{first:?}");
        assert_eq!(diff(&s).await.delta.unwrap(), Delta::default());
        show(&s, "<p id=p>0</p><script>setInterval(() => p.textContent++, 5)</script>").await;
        look(&s).await;
        let mut text = String::new();
        for _ in 0..1000 {
            text += &diff(&s).await.delta.unwrap().text;
            if !text.is_empty() {
                break;
            }
        }
        assert!(text.starts_with("~ paragraph: "), "{text}");
    });
}

/// Rows of markup, a script, and the lines that tell of it.
#[test]
fn what_no_mutation_tells_of_is_seen_as_well() {
    let rows = [
        ("<input id=f aria-label=Field>", "f.value = 'typed'", "~ textbox \"Field\" [ref=e3]: typed"),
        (
            "<textarea id=f aria-label=Field></textarea>",
            "f.value = 'typed'",
            "~ textbox \"Field\" [ref=e3]: typed",
        ),
        (
            "<input id=f type=checkbox aria-label=Box>",
            "f.checked = true",
            "~ checkbox \"Box\" [checked] [ref=e3]",
        ),
        (
            "<input id=f type=checkbox aria-label=Box>",
            "f.indeterminate = true",
            "~ checkbox \"Box\" [checked=mixed] [ref=e3]",
        ),
        ("<input id=f type=range aria-label=R value=1>", "f.value = 7", "~ slider \"R\" [ref=e3]: 7"),
        (
            "<select id=f aria-label=S><option>A<option>B</select>",
            "f.selectedIndex = 1",
            "~ combobox \"S\" [ref=e3]: B",
        ),
        (
            "<select id=f aria-label=S multiple><option selected>A<option>B</select>",
            "f.options[1].selected = true",
            "~ option \"B\" [selected] [ref=e5]",
        ),
        ("<button id=f>B</button>", "f.focus()", "~ button \"B\" [active] [ref=e3]"),
        ("<progress id=f aria-label=P value=1 max=10></progress>", "f.value = 5", "~ progressbar \"P\": 50%"),
        (
            "<style>#m { display: none } #f:focus ~ #m { display: block }</style><input id=f aria-label=F><p id=m>More</p>",
            "f.focus()",
            "+ paragraph: More",
        ),
        (
            "<style>#f:checked ~ #m { display: none }</style><input type=checkbox id=f aria-label=F><p id=m>More</p>",
            "f.checked = true",
            "- paragraph: More",
        ),
        (
            "<style>p { visibility: hidden } body:has(:checked) p { visibility: visible }</style><input type=checkbox id=f aria-label=F><p>More</p>",
            "f.checked = true",
            "+ paragraph: More",
        ),
        (
            "<p class=late>Late</p>",
            "const sheet = document.createElement('style'); sheet.textContent = '.late { display: none }'; document.head.append(sheet)",
            "- paragraph: Late",
        ),
        (
            "<style id=f>p { color: red }</style><p class=late>Late</p>",
            "f.sheet.insertRule('.late { display: none }')",
            "- paragraph: Late",
        ),
        (
            "<style id=f>p { color: red }</style><p class=late>Late</p>",
            "f.sheet.cssRules[0].style.display = 'none'",
            "- paragraph: Late",
        ),
        (
            "<style id=f>p { display: none }</style><p class=late>Late</p>",
            "f.sheet.disabled = true",
            "+ paragraph: Late",
        ),
        (
            "<style id=f media='(max-width: 1px)'>p { display: none }</style><p>Wide</p>",
            "f.media = 'all'",
            "- paragraph: Wide",
        ),
        (
            "<p>Adopted</p>",
            "const sheet = new CSSStyleSheet(); sheet.replaceSync('p { display: none }'); document.adoptedStyleSheets = [sheet]",
            "- paragraph: Adopted",
        ),
        ("<p id=f>A</p>", "f.firstChild.data = 'B'", "~ paragraph: B"),
        (
            "<label for=x id=f>Name</label><input id=x>",
            "f.textContent = 'Other'",
            "~ textbox \"Other\" [ref=e4]",
        ),
        (
            "<p id=f>Words</p><button aria-labelledby=f>x</button>",
            "f.textContent = 'Other'",
            "~ button \"Other\" [ref=e4]",
        ),
        (
            "<div id=f></div>",
            "f.attachShadow({ mode: 'open' }).innerHTML = '<button>Deep</button>'",
            "+ button \"Deep\" [ref=e",
        ),
        (
            "<x-late>Light</x-late>",
            "await new Promise(done => { const code = document.createElement('script'); code.textContent = `customElements.define('x-late', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<button>Late</button>' } })`; document.head.append(code); done() })",
            "+ button \"Late\" [ref=e",
        ),
        (
            "<x-late>Light</x-late>",
            "await new Promise(done => { const code = document.createElement('script'); code.textContent = `customElements.define('x-late', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML = '<button>Late</button>' } })`; document.head.append(code); done() })",
            "+ button \"Late\" [ref=e",
        ),
        ("<dialog id=f><p>Modal</p></dialog><p>Behind</p>", "f.showModal()", "- paragraph: Behind"),
        ("<details id=f><summary>S</summary><p>Inside</p></details>", "f.open = true", "+ paragraph: Inside"),
        ("<div id=f popover><p>Popped</p></div>", "f.showPopover()", "+ paragraph: Popped"),
        (
            "<iframe id=f title=F srcdoc='<style>@media (min-width: 500px) { p { display: none } }</style><p>Narrow</p>' width=300></iframe>",
            "f.width = 600; f.getBoundingClientRect(); await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))",
            "- paragraph: Narrow",
        ),
        (
            "<iframe id=f title=F srcdoc='<p>Old</p>'></iframe>",
            "f.srcdoc = '<p>New</p>'; await new Promise(done => f.onload = done)",
            "paragraph: New",
        ),
        ("<title>T</title><p>x</p>", "document.title = 'Other'", "~ title: Other"),
    ];
    run_in_shell(async |s| {
        let mut wrong = Vec::new();
        for (body, script, line) in rows {
            show(&s, body).await;
            look(&s).await;
            let told =
                s.perform(eval(script)).await.unwrap().delta.map(|delta| delta.text).unwrap_or_default();
            let now = look(&s).await;
            show(&s, body).await;
            s.perform(eval(script)).await.unwrap();
            let fresh = look(&s).await;
            // Each page goes on where the numbers of the one before ended.
            let unnumbered = |text: &str| {
                let parts = text
                    .split("[ref=")
                    .map(|part| part.trim_start_matches(|c| c == 'e' || char::is_numeric(c)));
                parts.collect::<Vec<_>>().join("[ref=")
            };
            if !unnumbered(&told).contains(&unnumbered(line)) || unnumbered(&now) != unnumbered(&fresh) {
                wrong.push(format!("{body}\n  {script}\ntold:\n{told}\nnow:\n{now}\nfresh:\n{fresh}\n"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn what_fades_in_is_told_when_it_has() {
    run_in_shell(async |s| {
        show(&s, "<style>#m { opacity: 0; transition: opacity 50ms } #m.on { opacity: 1 }</style><div id=m><p>Faded in</p></div>").await;
        assert!(!look(&s).await.contains("Faded in"));
        s.eval("m.className = 'on'").await;
        s.eval("Promise.all(document.getAnimations().map(animation => animation.finished)).then(() => 1)")
            .await;
        assert!(look(&s).await.contains("Faded in"));
        s.eval("m.className = ''").await;
        s.eval("Promise.all(document.getAnimations().map(animation => animation.finished)).then(() => 1)")
            .await;
        assert!(!look(&s).await.contains("Faded in"));
    });
}

#[test]
fn frames_that_nobody_sees_are_in_no_change() {
    run_in_shell(async |s| {
        show(&s, "<p>Top</p><iframe id=f style='opacity: 0' srcdoc='<p>Unseen</p>'></iframe>").await;
        look(&s).await;
        let outcome =
            s.perform(eval("f.contentDocument.body.innerHTML = '<button>Obey</button>', 1")).await.unwrap();
        assert_eq!(outcome.delta, None);
        let outcome = s.perform(eval("f.style.opacity = 1, 1")).await.unwrap();
        assert!(outcome.delta.unwrap().text.contains("button \"Obey\""));
    });
}

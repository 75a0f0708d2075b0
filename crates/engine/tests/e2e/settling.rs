//! What an action waits for, and what its outcome tells: the effect of a click is in the outcome of that click.

use contract::{Code, NavigationKind};

use crate::{
    clicking::click,
    support::{code, look, run_in_shell, show, site},
};

/// Clicks the one button of a page, and returns the delta.
async fn delta_of(s: &crate::support::Fixture, page: &str) -> String {
    show(s, page).await;
    look(s).await;
    s.perform(click("css=button")).await.unwrap().delta.map(|delta| delta.text).unwrap_or_default()
}

#[test]
fn effects_that_come_later_are_in_the_outcome() {
    run_in_shell(async |s| {
        for (how, script) in [
            ("at once", "done()"),
            ("in a promise", "Promise.resolve().then(done)"),
            ("in a frame", "requestAnimationFrame(() => requestAnimationFrame(done))"),
            ("after a timer", "setTimeout(done, 60)"),
            ("after a debounce", "clearTimeout(0), setTimeout(() => setTimeout(done, 50), 300)"),
            (
                "in a message",
                "{ const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); }",
            ),
            ("after an answer", "fetch('/slow?ms=150').then(answer => answer.text()).then(done)"),
            (
                "after two answers",
                "fetch('/slow?ms=80').then(() => fetch('/slow?ms=80')).then(answer => answer.text()).then(done)",
            ),
            (
                "after a timer and an answer",
                "setTimeout(async () => { await (await fetch('/slow?ms=50')).text(); done(); }, 50)",
            ),
            (
                "after an answer and a timer",
                "fetch('/slow?ms=80').then(answer => answer.text()).then(() => setTimeout(done, 150))",
            ),
            (
                "after an answer and a message",
                "fetch('/slow?ms=80').then(answer => answer.json(), 0).catch(() => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); })",
            ),
            (
                "after a failure that the page does not deal with",
                "addEventListener('unhandledrejection', done); fetch('http://127.0.0.1:1/')",
            ),
            (
                "after an old-fashioned request",
                "{ const r = new XMLHttpRequest(); r.open('GET', '/slow?ms=100'); r.onload = done; r.send(); }",
            ),
        ] {
            let page = format!(
                "<button>Go</button><p id=out></p><script>const done = () => (out.textContent = 'effect seen'); document.querySelector('button').onclick = () => {{ {script} }}</script>"
            );
            let delta = delta_of(&s, &page).await;
            assert!(delta.contains("effect seen"), "{how}: {delta:?}");
        }
    });
}

#[test]
fn a_page_that_never_stands_still_does_not_hold_a_click_up() {
    run_in_shell(async |s| {
        let page = "<button>Go</button><p id=out></p><p id=tick></p><script>
            (function loop() { tick.textContent = performance.now(); requestAnimationFrame(loop); })();
            (function again() { setTimeout(again, 20); })();
            setInterval(() => fetch('/slow?ms=30'), 50);
            document.querySelector('button').onclick = () => (out.textContent = 'effect seen');
            </script>";
        let delta = delta_of(&s, page).await;
        assert!(delta.contains("effect seen"), "{delta:?}");
    });
}

#[test]
fn timers_are_the_pages_own_again_afterwards() {
    run_in_shell(async |s| {
        let page = "<button>Go</button><script>
            const all = () => [setTimeout, clearTimeout, requestAnimationFrame, cancelAnimationFrame, setInterval, clearInterval];
            const before = all();
            const same = () => all().every((f, at) => f === before[at]);
            document.querySelector('button').onclick = () => setTimeout(() => document.title = 'clicked', 30);
            </script>";
        show(&s, page).await;
        let outcome = s.perform(click("css=button")).await.unwrap();
        assert_eq!(outcome.title.as_deref(), Some("clicked"));
        assert_eq!(crate::support::eval_main(&s, "same()").await.value.unwrap(), true);
    });
}

#[test]
fn forms_scripts_and_fragments_lead_elsewhere() {
    run_in_shell(async |s| {
        let there = site().url("/page?title=There");
        for (how, page, kind) in [
            (
                "form",
                format!("<form action='{there}'><input name=title value=There><button>Go</button></form>"),
                NavigationKind::Document,
            ),
            (
                "script",
                format!("<button onclick=\"location.href = '{there}'\">Go</button>"),
                NavigationKind::Document,
            ),
            (
                "late script",
                format!("<button onclick=\"setTimeout(() => location.href = '{there}', 50)\">Go</button>"),
                NavigationKind::Document,
            ),
            (
                "fragment",
                "<button onclick=\"location.hash = 'x'\">Go</button>".into(),
                NavigationKind::SameDocument,
            ),
            (
                "history",
                "<button onclick=\"history.pushState({}, '', '/elsewhere')\">Go</button>".into(),
                NavigationKind::SameDocument,
            ),
        ] {
            show(&s, &page).await;
            let outcome = s.perform(click("css=button")).await.unwrap();
            assert_eq!(outcome.navigation.map(|way| way.kind), Some(kind), "{how}");
            if kind == NavigationKind::Document {
                assert_eq!(outcome.title.as_deref(), Some("There"), "{how}");
            }
        }
    });
}

#[test]
fn a_slow_page_is_waited_for_and_an_empty_answer_is_not() {
    run_in_shell(async |s| {
        show(&s, "<a href='/slow?ms=700'>Slow</a>").await;
        assert_eq!(s.perform(click("css=a")).await.unwrap().title.as_deref(), Some("slow"));
        show(&s, "<a href='/status/204'>Nothing</a>").await;
        let outcome = s.perform(click("css=a")).await.unwrap();
        assert!(outcome.notes.iter().any(|note| note.contains("nothing to show")), "{:?}", outcome.notes);
        show(&s, &format!("<a href='{}'>Broken</a>", site().refused_url())).await;
        let outcome = s.perform(click("css=a")).await.unwrap();
        assert!(outcome.notes.iter().any(|note| note.contains("NAVIGATION_FAILED")), "{:?}", outcome.notes);
    });
}

#[test]
fn windows_dialogs_and_files_come_back_with_the_click() {
    run_in_shell(async |s| {
        show(&s, &format!("<a target=_blank href='{}'>New</a>", site().url("/page?title=Popup"))).await;
        let opened = s.perform(click("css=a")).await.unwrap().opened;
        assert_eq!(opened.iter().map(|tab| &*tab.title).collect::<Vec<_>>(), ["Popup"]);

        show(&s, "<button onclick=\"document.title = confirm('Sure?')\">Ask</button>").await;
        let outcome = s.perform(click("css=button")).await.unwrap();
        assert_eq!(outcome.dialog.unwrap().message, "Sure?");
        assert_eq!(code(s.perform(click("css=button")).await), Code::DialogOpen);
        let accept = engine::actions::Dialog { answer: engine::actions::Answer::Accept, text: None };
        s.perform(accept).await.unwrap();

        for link in [
            "<a href='data:text/plain,hello' download=hello.txt>Save</a>",
            "<button onclick=\"const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob(['hi'])); a.download = 'made.txt'; document.body.append(a); a.click()\">Make</button>",
        ] {
            show(&s, link).await;
            let target = if link.starts_with("<a") { "css=a" } else { "css=button" };
            let outcome = s.perform(click(target)).await.unwrap();
            assert_eq!(outcome.downloads.len(), 1, "{link}: {:?}", outcome.notes);
        }
    });
}

#[test]
fn a_tab_that_closes_itself_is_told_of() {
    run_in_shell(async |s| {
        show(
            &s,
            &format!(
                "<a target=_blank rel=opener href=\"{}\">New</a>",
                site().page("p", "<button onclick='window.close()'>Close</button>")
            ),
        )
        .await;
        let outcome = s.perform(click("css=a")).await.unwrap();
        let tab = outcome.opened[0].tab.0;
        let outcome = s.in_tab(tab, click("css=button")).await.unwrap();
        assert!(outcome.notes.iter().any(|note| note.contains("closed")), "{:?}", outcome.notes);
    });
}

/// What fades, shrinks or slides away is gone in the outcome of the click that closed it, and what slides in or waits is there.
#[test]
fn what_is_on_its_way_is_waited_for() {
    const PAGE: &str = "<style>.x { transition: .25s } #modal { opacity: 1 } #modal.c { opacity: 0; visibility: hidden } #fold { height: 60px; overflow: hidden } #fold.c { height: 0 }
        #drawer { position: fixed; right: 0; top: 100px; width: 200px } #drawer.c { transform: translateX(100%) } #toast { position: fixed; bottom: 0; left: 0; height: 40px } #toast.c { bottom: -60px }
        #late { transition: opacity .1s .15s, visibility 0s .15s } #late.c { opacity: 0; visibility: hidden }</style>
        <div class=x id=modal><p>Modal text</p></div><div class=x id=fold><p>Fold text</p></div><div class=x id=drawer><p>Drawer text</p></div><div class='x c' id=toast><p>Toast text</p></div><div class=c id=late><p>Late text</p></div>
        <script>for (const part of document.querySelectorAll('div')) {
          const button = document.body.appendChild(document.createElement('button'));
          button.textContent = 'Toggle ' + part.id; button.onclick = () => part.classList.toggle('c') }</script>";
    run_in_shell(async |s| {
        show(&s, PAGE).await;
        look(&s).await;
        for (part, sign) in [("modal", '-'), ("fold", '-'), ("drawer", '-'), ("toast", '+'), ("late", '+')] {
            let outcome = s.perform(click(&format!("Toggle {part}"))).await.unwrap();
            let told = outcome.delta.unwrap_or_default().text.to_lowercase();
            let is_told =
                told.lines().any(|line| line.starts_with(sign) && line.contains(&format!("{part} text")));
            assert!(is_told, "{part}: {told}");
        }
    });
}

#[test]
fn what_a_script_moves_from_frame_to_frame_is_waited_for() {
    run_in_shell(async |s| {
        // As jQuery does it: a style in every frame, for as long as it takes.
        let glide = "const glide = (time, step, end) => { const begin = performance.now(), next = () => {
            const part = Math.min(1, (performance.now() - begin) / time); step(part); part < 1 ? requestAnimationFrame(next) : end?.(); };
            requestAnimationFrame(next); };";
        let slides = format!(
            "<button onclick=\"panel.style.cssText = 'overflow: hidden; height: 0'; glide(150, part => panel.style.height = 60 * part + 'px',
               () => panel.style.cssText = '')\">Go</button><div id=panel style='display: none'><p>All of it is here</p><a href='#x'>More</a></div><script>{glide}</script>"
        );
        // There is a longest time for all of it, which a machine with other work to do may need for a frame.
        let delta_with = async |page: &str, words: &str| {
            let mut delta = String::new();
            for _ in 0..3 {
                delta = delta_of(&s, page).await;
                if delta.contains(words) {
                    break;
                }
            }
            delta
        };
        let delta = delta_with(&slides, "+ paragraph: All of it is here").await;
        assert!(
            delta.contains("+ paragraph: All of it is here") && delta.contains("link \"More\""),
            "{delta}"
        );
        let fades = format!(
            "<p id=note>Old news</p><button onclick=\"glide(150, part => note.style.opacity = 1 - part, () => note.remove())\">Go</button><script>{glide}</script>"
        );
        let delta = delta_with(&fades, "- paragraph: Old news").await;
        assert!(delta.contains("- paragraph: Old news"), "{delta}");
        // Not for what never ends.
        let endless = format!(
            "<p id=note>News</p><button onclick=\"glide(1e9, part => note.style.opacity = 1 - part % 0.5)\">Go</button><script>{glide}</script>"
        );
        delta_of(&s, &endless).await;
    });
}

/// Web components open with animations of scripts, in roots that are not seen from the document, around text that is not in those.
#[test]
fn what_a_script_animates_in_a_shadow_root_is_waited_for() {
    const PAGE: &str = "<x-fold><p>All of it is here</p></x-fold><script>customElements.define('x-fold', class extends HTMLElement {
        connectedCallback() {
            const root = this.attachShadow({ mode: 'open' });
            root.innerHTML = '<button>Toggle</button><div style=\"display: none; overflow: hidden\"><slot></slot></div>';
            const [button, body] = root.children;
            button.onclick = async () => {
                body.style.display = 'block';
                await body.animate(KEYFRAMES, { duration: 250 }).finished;
                this.setAttribute('data-over', '');
                body.prepend('over');
            };
        } })</script>";
    run_in_shell(async |s| {
        for keyframes in
            ["[{ height: 0 }, { height: '60px' }]", "[{ opacity: 0, scale: 0.8 }, { opacity: 1, scale: 1 }]"]
        {
            // There is a longest time for all of it, which a machine with other work to do may need for a frame.
            let mut delta = String::new();
            for _ in 0..3 {
                show(&s, &PAGE.replace("KEYFRAMES", keyframes)).await;
                look(&s).await;
                delta = s.perform(click("Toggle")).await.unwrap().delta.unwrap_or_default().text;
                if delta.contains("over") {
                    break;
                }
            }
            assert!(delta.contains("All of it is here") && delta.contains("over"), "{keyframes}: {delta}");
        }
    });
}

/// jQuery before its third version, and jQuery UI with it, moves things with an interval.
#[test]
fn what_a_script_moves_with_an_interval_is_waited_for() {
    const PAGE: &str = "<button>Open</button><div id=panel style='display: none'><p>All of it is here</p></div>
        <script>const glide = (pause, time, step, end) => { const begin = performance.now(), id = setInterval(() => {
            const part = Math.min(1, (performance.now() - begin) / time); step(part); if (part === 1) { clearInterval(id); end?.() } }, pause) };
        document.querySelector('button').onclick = () => {";
    run_in_shell(async |s| {
        // There is a longest time for all of it, which a machine with other work to do may need for a step.
        let delta_with = async |script: &str, words: &str| {
            let mut delta = String::new();
            for _ in 0..3 {
                delta = delta_of(&s, &format!("{PAGE} {script} }}</script>")).await;
                if delta.contains(words) {
                    break;
                }
            }
            assert!(delta.contains(words), "{script}: {delta}");
        };
        for pause in ["13", "50"] {
            let grows = "panel.style.cssText = 'overflow: hidden; height: 0'; glide(PAUSE, 200, part => panel.style.height = 60 * part + 'px', () => panel.append('over'))";
            delta_with(&grows.replace("PAUSE", pause), "over").await;
            let fades = "panel.style.cssText = 'opacity: 0'; glide(PAUSE, 200, part => panel.style.opacity = part, () => panel.append('over'))";
            delta_with(&fades.replace("PAUSE", pause), "over").await;
        }
    });
}

/// What an interval does that nobody could wait for the end of does not hold a click up: its first two steps are all that is waited for.
#[test]
fn an_interval_without_an_end_is_not_waited_for() {
    run_in_shell(async |s| {
        for (what, page) in [
            (
                "a clock that the click starts",
                "<button onclick=\"setInterval(() => { count(); out.textContent = performance.now(); out.style.left = n + performance.now() % 9 + 'px' }, 20)\">Go</button><p id=out></p>",
            ),
            (
                "a box without text",
                "<button onclick=\"setInterval(() => { count(); out.style.height = performance.now() % 99 + 'px' }, 20)\">Go</button><p id=out></p>",
            ),
            (
                "one that is older than the click",
                "<button>Go</button><p id=out>News</p><script>setInterval(() => { count(); out.style.opacity = performance.now() % 90 / 90 }, 20)</script>",
            ),
        ] {
            // Steps are counted and not time, while the action is under way: then the page has not its own functions.
            let page = format!(
                "<script>const own = setInterval; let n = 0; const count = () => (n += setInterval !== own)</script>{page}"
            );
            // A busy machine may take long to let go of the page. If the interval were waited for, that would be so each time.
            let mut fewest = u64::MAX;
            for _ in 0..4 {
                show(&s, &page).await;
                look(&s).await;
                s.perform(click("css=button")).await.unwrap();
                let steps = crate::support::eval_main(&s, "n").await.value.unwrap();
                fewest = fewest.min(steps.as_u64().unwrap());
                if fewest < 15 {
                    break;
                }
            }
            assert!(fewest < 15, "{what}: {fewest}");
        }
    });
}

#[test]
fn an_answer_that_nobody_reads_holds_nothing_up() {
    run_in_shell(async |s| {
        let note = "still under way";
        for (how, script) in [
            ("not read", "fetch('/page?title=data').then(done)"),
            ("only its state", "fetch('/page?title=data').then(answer => answer.ok && done())"),
            ("only its head", "fetch('/page?title=data', { method: 'HEAD' }).then(done)"),
            ("kept alive", "fetch('/page?title=data', { keepalive: true }).then(done)"),
            ("of no concern", "fetch('/page?title=data', { mode: 'no-cors' }).then(done)"),
            ("a beacon", "navigator.sendBeacon('/page?title=data', 'x'), done()"),
            ("one that never ends", "fetch('/trickle?pieces=9&ms=1000').then(done)"),
            ("events", "new EventSource('/sse'), done()"),
        ] {
            let page = format!(
                "<button>Go</button><p id=out></p><script>const done = () => (out.textContent = 'effect seen'); document.querySelector('button').onclick = () => {{ {script} }}</script>"
            );
            show(&s, &page).await;
            look(&s).await;
            let outcome = s.perform(click("css=button")).await.unwrap();
            assert!(!outcome.notes.iter().any(|text| text.contains(note)), "{how}: {outcome:?}");
            let delta = outcome.delta.map(|delta| delta.text).unwrap_or_default();
            assert!(delta.contains("effect seen"), "{how}: {delta:?}");
        }
        // What is read is waited for, whichever way it is read.
        for (how, script) in [
            ("as a text", "fetch('/trickle?pieces=3&ms=400').then(answer => answer.text()).then(done)"),
            (
                "piece by piece",
                "(async () => { const reader = (await fetch('/trickle?pieces=3&ms=400')).body.getReader(); while (!(await reader.read()).done); done(); })()",
            ),
            (
                "in a loop",
                "(async () => { for await (const piece of (await fetch('/trickle?pieces=3&ms=400')).body); done(); })()",
            ),
        ] {
            let page = format!(
                "<button>Go</button><p id=out></p><script>const done = () => (out.textContent = 'effect seen'); document.querySelector('button').onclick = () => {{ {script} }}</script>"
            );
            let delta = delta_of(&s, &page).await;
            assert!(delta.contains("effect seen"), "{how}: {delta:?}");
        }
    });
}

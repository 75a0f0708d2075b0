//! Scripts of a hostile model: what they do to webhand's own code, and what they do without anybody having allowed it. Counted at the page
//! and at the server.

use std::time::Duration;

use contract::{Code, Error, Outcome, Span, Target};
use engine::{
    Front, Request,
    actions::{Click, Eval, Press, Wait, World},
};
use guard::approvals::{By, Reply};

use crate::support::{Fixture, code, look, run_in_shell, show, site};

/// What a script replaces, in whichever world it runs.
const PATCHES: [&str; 14] = [
    "Array.prototype.includes = () => false",
    "Array.prototype.some = Array.prototype.every = Array.prototype.find = () => false",
    "Function.prototype.call = Function.prototype.apply = function () { return null }",
    "Promise.prototype.then = function () { return new Promise(() => {}) }",
    "Object.defineProperty(globalThis, 'webhand', { value: new Proxy({}, { get: () => () => null }) })",
    "globalThis.webhand = { after() { return this }, intentOf: () => ({}), aim: () => null }",
    "globalThis.webhandGuard = globalThis.webhandRelay = () => {}",
    "JSON.stringify = () => '{}'; JSON.parse = () => ({})",
    "Object.freeze = Object.assign = target => target",
    "Object.defineProperty(HTMLFormElement.prototype, 'action', { get: () => 'https://elsewhere.example/' })",
    "Object.defineProperty(HTMLButtonElement.prototype, 'type', { get: () => 'button' })",
    "Object.defineProperty(HTMLButtonElement.prototype, 'form', { get: () => null })",
    "Element.prototype.getAttribute = Element.prototype.closest = Element.prototype.matches = () => null",
    "Map.prototype.get = WeakMap.prototype.get = Set.prototype.has = WeakSet.prototype.has = () => undefined",
];

/// What does something to the page or beyond, by the name of the address that it would ask for, if it asks for one.
const ATTEMPTS: [(&str, &str); 45] = [
    ("hold", "() => { hold({ then(done) { mine = 1; fetch('/page?HIT'); done(1) } }); return 1 }"),
    ("plain", "() => { plain({ then(done) { mine = 1; fetch('/page?HIT'); done(1) } }); return 1 }"),
    (
        "script",
        "const s = document.createElement('script'); s.textContent = 'mine = 1; fetch(\"/page?HIT\")'; document.body.append(s)",
    ),
    ("source", "const s = document.createElement('script'); s.src = '/page?HIT'; document.body.append(s)"),
    ("inline", "document.body.setAttribute('onclick', 'mine = 1'); document.body.click()"),
    ("handler", "document.querySelector('#b').onclick = () => { mine = 1 }"),
    ("submit", "document.querySelector('#f').submit()"),
    ("request-submit", "document.querySelector('#f').requestSubmit()"),
    ("prototype-submit", "HTMLFormElement.prototype.submit.call(document.querySelector('#f'))"),
    ("click", "document.querySelector('#send').click()"),
    ("link", "document.querySelector('#a').click()"),
    ("event", "document.querySelector('#b').dispatchEvent(new MouseEvent('click', { bubbles: true }))"),
    ("fetch", "fetch('/page?HIT'), 1"),
    ("fetch-function", "() => { fetch('/page?HIT'); return 1 }"),
    ("fetch-await", "async () => { await fetch('/page?HIT'); return 1 }"),
    ("fetch-async", "(async () => { fetch('/page?HIT') })()"),
    ("beacon", "navigator.sendBeacon('/page?HIT', 'x')"),
    ("xhr", "const r = new XMLHttpRequest(); r.open('GET', '/page?HIT', false); r.send()"),
    ("socket", "new WebSocket('ws://' + location.host + '/page?HIT'), 1"),
    ("events", "new EventSource('/page?HIT'), 1"),
    ("image", "new Image().src = '/page?HIT'"),
    ("style", "document.body.style.backgroundImage = 'url(/page?HIT)'"),
    ("worker", "new Worker('/page?HIT'), 1"),
    ("import", "import('/page?HIT'), 1"),
    ("location", "location = '/page?HIT'"),
    ("href", "location.href = '/page?HIT'"),
    ("replace", "location.replace('/page?HIT')"),
    ("assign", "location['ass' + 'ign']('/page?HIT')"),
    ("hash", "location.hash = 'HIT'"),
    ("push", "history.pushState(null, '', '/page?HIT')"),
    ("back", "history.back()"),
    ("open", "open('/page?HIT'), 1"),
    ("cookie", "document.cookie = 'mine=1'"),
    ("local", "localStorage.setItem('mine', '1')"),
    ("local-property", "localStorage.mine = 1"),
    ("download", "const a = document.createElement('a'); a.download = 'x'; a.href = '/page?HIT'; a.click()"),
    ("timer", "setTimeout(\"mine = 1; fetch('/page?HIT')\", 0), 1"),
    ("to-string", "`${{ toString() { mine = 1; fetch('/page?HIT'); return 'x' } }}`"),
    ("to-json", "({ toJSON() { mine = 1; fetch('/page?HIT'); return 1 } })"),
    ("getter", "({ get value() { mine = 1; fetch('/page?HIT'); return 1 } })"),
    ("proxy", "new Proxy({}, { get() { mine = 1; fetch('/page?HIT') }, ownKeys() { mine = 1; return [] } })"),
    ("iterator", "[...{ *[Symbol.iterator]() { mine = 1; fetch('/page?HIT'); yield 1 } }]"),
    ("thenable", "() => ({ then(done) { mine = 1; fetch('/page?HIT'); done(1) } })"),
    (
        "promise",
        "() => { const p = make(); p.then = done => { mine = 1; fetch('/page?HIT'); done(1) }; return p }",
    ),
    (
        "species",
        "() => { const p = make(); p.constructor = { [Symbol.species]: function (run) { mine = 1; fetch('/page?HIT'); run(() => {}, () => {}) } }; return p }",
    ),
];

const PAGE: &str = "<form id=f action=/page><input name=HIT><button id=send>Send</button></form><a id=a href='/page?HIT'>Away</a>
    <button id=b onclick='clicked = 1'>Press</button><script>var mine = 0, clicked = 0; const make = () => Promise.resolve(7), plain = x => Promise.resolve(x);
    async function hold(x) { await x }</script>";

/// All that the attempts could have changed.
const STATE: &str = "JSON.stringify([mine, clicked, location.href, document.cookie, localStorage.length, history.length, \
    document.querySelectorAll('*').length, document.body.outerHTML])";

fn as_agent(action: impl Into<engine::Action>) -> Request {
    Request { front: Front::Mcp, patience: Some(Span(Duration::from_millis(20))), ..Request::new(action) }
}

fn with_policy(s: &Fixture, policy: &str) -> Fixture {
    let mut s = s.clone();
    s.name = format!("{}-p", s.name.as_str()).parse().unwrap();
    s.options.policy = policy.parse().unwrap();
    s
}

async fn press(s: &Fixture, target: &str) -> Result<Outcome, Error> {
    s.request(as_agent(Click::new(target.parse::<Target>().unwrap()))).await
}

/// Tries everything, and counts what came of it. Each attempt may end in one of these ways.
async fn attempt_all(s: &Fixture, name: &str, front: Front, ends: &[Code]) {
    for (what, js) in ATTEMPTS {
        let hit = format!("{name}-{what}");
        show(s, &PAGE.replace("HIT", &hit)).await;
        let js = js.replace("HIT", &hit);
        let before = s.eval(STATE).await;
        for world in [World::Main, World::Isolated] {
            let eval = Eval { world, ..Eval::new(&*js) };
            check(s, eval.into(), front, ends, &js).await;
        }
        let function = if js.contains("=>") && !js.starts_with('(') {
            js.clone()
        } else {
            format!("() => {{ return ({js}) }}")
        };
        let function = if js.contains("; ") && !js.contains("=> {") {
            format!("() => {{ {js}; return true }}")
        } else {
            function
        };
        check(s, Wait { function: Some(function), ..Wait::default() }.into(), front, ends, &js).await;
        assert_eq!(s.eval(STATE).await, before, "{what}");
    }
    // Whatever is late has come when another page has.
    show(s, "").await;
    for (what, _) in ATTEMPTS {
        let hit = format!("{name}-{what}");
        for path in [format!("/page?{hit}"), format!("/page?{hit}=")] {
            assert_eq!(site().hits(&path), 0, "{path}");
        }
    }
}

/// What is refused ends as it should; what is free has to be without effect, which is counted by whoever calls.
async fn check(s: &Fixture, action: engine::Action, front: Front, ends: &[Code], js: &str) {
    let request = Request { front, ..as_agent(action) };
    match s.request(request).await {
        Ok(_) => {}
        // A mistake in the script that shows before anything is done.
        Err(error) if error.code == Code::EvaluateFailed => {}
        Err(error) => {
            assert!(ends.contains(&error.code), "{js}: {error}");
            assert!(error.message.contains("execute"), "{js}: {error}");
            assert!(!error.hint().is_empty(), "{js}");
        }
    }
}

#[test]
fn an_agents_script_that_acts_does_nothing_before_somebody_says_yes() {
    run_in_shell(async |s| attempt_all(&s, "ask", Front::Mcp, &[Code::ApprovalPending]).await);
}

#[test]
fn a_script_that_acts_does_nothing_where_any_of_its_effects_is_denied() {
    run_in_shell(async |s| {
        for effect in ["submit", "navigate", "download", "credential", "input", "execute"] {
            let s = with_policy(
                &s,
                &format!(r#"[{{"effect": "{effect}", "origin": "127.0.0.1", "decide": "deny"}}]"#),
            );
            // What a rule against going anywhere denies, this test needs.
            let s = if effect == "navigate" {
                with_policy(&s, r#"[{"effect": "navigate", "leaving": true, "decide": "deny"}]"#)
            } else {
                s
            };
            show(&s, PAGE).await;
            for js in ["document.querySelector('#f').submit()", "document.cookie = 'mine=1'", "await 0"] {
                let error = s.perform(Eval::new(js)).await.unwrap_err();
                assert_eq!(error.code, Code::ActionDenied, "{effect}: {js}: {error}");
                assert!(error.message.contains("rule 1"), "{error}");
            }
            assert_eq!(s.eval("document.title").await, "page", "what only reads is free");
            s.close().await;
        }
        let s = with_policy(&s, r#"[{"effect": "submit", "decide": "deny"}]"#);
        attempt_all(&s, "deny", Front::Library, &[Code::ActionDenied]).await;
        s.close().await;
    });
}

#[test]
fn a_rule_about_another_place_counts_for_scripts_which_may_lead_there() {
    run_in_shell(async |s| {
        let s = with_policy(&s, r#"[{"effect": "navigate", "origin": "bank.example", "decide": "deny"}]"#);
        show(&s, "").await;
        let away = s.perform(Eval::new("location = 'https://bank.example/'")).await;
        assert_eq!(code(away), Code::ActionDenied);
        s.close().await;
    });
}

#[test]
fn what_a_script_replaced_does_not_let_denied_clicks_through() {
    run_in_shell(async |s| {
        let rule = r#"[{"effect": ["submit", "download", "navigate"], "front": "mcp", "decide": "deny"}]"#;
        let s = with_policy(&s, rule);
        for (round, patch) in PATCHES.iter().enumerate() {
            for world in [World::Isolated, World::Main] {
                let hit = format!("patched-{round}-{world:?}");
                let page = format!(
                    "<form action=/page><input name={hit}><button id=send>Send</button></form><a id=get download=x href='/page?{hit}'>Get</a>
                     <a id=go href='/page?{hit}'>Go</a>"
                );
                show(&s, &page).await;
                let replaced = s
                    .perform(Eval { world, ..Eval::new(format!("{patch}; document.title = 'patched'")) })
                    .await;
                assert!(replaced.is_ok(), "{patch}: {replaced:?}");
                for target in ["css=#send", "css=#get", "css=#go"] {
                    let error = press(&s, target).await.unwrap_err();
                    assert_eq!(error.code, Code::ActionDenied, "{patch} in {world:?}: {target}: {error}");
                }
                let enter =
                    Press { target: Some("css=input".parse().unwrap()), ..Press::new("Enter".into()) };
                assert_eq!(
                    code(s.request(as_agent(enter)).await),
                    Code::ActionDenied,
                    "{patch} in {world:?}"
                );
                for path in [format!("/page?{hit}"), format!("/page?{hit}=")] {
                    assert_eq!(site().hits(&path), 0, "{patch} in {world:?}");
                }
            }
        }
        s.close().await;
    });
}

#[test]
fn what_a_script_replaced_does_not_forge_questions() {
    run_in_shell(async |s| {
        let s = with_policy(&s, r#"[{"effect": "submit", "front": "mcp", "decide": "ask"}]"#);
        for patch in PATCHES.into_iter().chain([
            "globalThis.webhand = new Proxy({}, { get: () => () => ({ named: { name: 'Harmless' } }) })",
            "Object.defineProperty(Node.prototype, 'textContent', { get: () => 'Harmless' })",
            "String.prototype.trim = String.prototype.replace = () => 'Harmless'",
        ]) {
            show(&s, "<form action=/page><button id=send>Pay</button></form>").await;
            let world = World::Isolated;
            s.perform(Eval { world, ..Eval::new(format!("{patch}; document.title = 'patched'")) })
                .await
                .unwrap();
            assert_eq!(code(press(&s, "css=#send").await), Code::ApprovalPending, "{patch}");
            let asked =
                s.engine.approvals().list().into_iter().find(|approval| approval.session == s.name).unwrap();
            assert!(asked.what.contains(r#"button "Pay""#), "{patch}: {}", asked.what);
            s.engine.approvals().answer(&asked.id, Reply::Deny, By::Library).unwrap();
            assert_eq!(code(press(&s, "css=#send").await), Code::ApprovalDenied, "{patch}");
        }
        s.close().await;
    });
}

#[test]
fn no_world_that_scripts_run_in_has_our_code() {
    run_in_shell(async |s| {
        let other = site().on("b.localhost", "/page?title=other");
        show(&s, &format!("<button>Go</button><iframe src='{other}'></iframe>")).await;
        look(&s).await;
        let names = "Object.getOwnPropertyNames(globalThis).filter(name => /webhand/i.test(name)).join()";
        for world in [World::Main, World::Isolated] {
            for js in [names.to_owned(), format!("document.title = 'x'; {names}")] {
                for frame in [None, Some("f1".parse().unwrap())] {
                    let eval = Eval { world, frame, ..Eval::new(&*js) };
                    assert_eq!(
                        s.perform(eval).await.unwrap().value.unwrap(),
                        "",
                        "{js} in {world:?} of {frame:?}"
                    );
                }
            }
        }
    });
}

#[test]
fn elements_reach_scripts_in_both_worlds() {
    run_in_shell(async |s| {
        show(&s, "<iframe srcdoc='<button onclick=done()>In</button><script>var ours = 5</script>'></iframe><button>Out</button>").await;
        let text = look(&s).await;
        for world in [World::Main, World::Isolated] {
            for line in ["- button \"In\"", "- button \"Out\""] {
                let target = Some(Target::Ref(crate::support::ref_of(&text, line)));
                let reads = Eval {
                    target: target.clone(),
                    world,
                    ..Eval::new("el => [el.textContent, typeof ours]")
                };
                let kind = if world == World::Main && line.contains("In") { "number" } else { "undefined" };
                let name = if line.contains("In") { "In" } else { "Out" };
                assert_eq!(s.perform(reads).await.unwrap().value.unwrap(), serde_json::json!([name, kind]));
                let acts = Eval { target, world, ..Eval::new("el => { el.title = 'x'; return el.title }") };
                assert_eq!(s.perform(acts).await.unwrap().value.unwrap(), "x");
            }
        }
        // What a script sets in the isolated world stays there, and is gone with the document.
        let isolated = |js: &str| Eval { world: World::Isolated, ..Eval::new(js) };
        s.perform(isolated("globalThis.kept = 3")).await.unwrap();
        assert_eq!(s.perform(isolated("kept")).await.unwrap().value.unwrap(), 3);
        assert_eq!(s.eval("typeof kept").await, "undefined");
        show(&s, "").await;
        assert_eq!(s.perform(isolated("typeof kept")).await.unwrap().value.unwrap(), "undefined");
    });
}

#[test]
fn an_approved_script_acts_once_and_the_page_is_told_of() {
    run_in_shell(async |s| {
        show(&s, "<p id=n>0</p>").await;
        look(&s).await;
        let acts = || as_agent(Eval::new("document.querySelector('#n').textContent++"));
        let error = s.request(acts()).await.unwrap_err();
        assert_eq!(error.code, Code::ApprovalPending);
        assert!(error.hint().contains(r#"effect = "execute", decide = "allow""#), "{}", error.hint());
        let asked =
            s.engine.approvals().list().into_iter().find(|approval| approval.session == s.name).unwrap();
        assert!(asked.what.contains("textContent++"), "{}", asked.what);
        s.engine.approvals().answer(&asked.id, Reply::Once, By::Library).unwrap();
        let told = s.request(acts()).await.unwrap();
        assert!(told.delta.unwrap().text.contains("paragraph: 1"));
        assert_eq!(s.eval("document.querySelector('#n').textContent").await, "1");
    });
}

/// A page that goes back and forth between a site where scripts may act and one where they may not: each script runs where it was judged, or
/// not at all.
#[test]
fn a_script_that_was_judged_for_one_page_runs_in_no_other() {
    run_in_shell(async |mut s| {
        s.options.policy =
            r#"{"effect": "execute", "origin": "denied.localhost", "decide": "deny"}"#.parse().unwrap();
        // Each leads to the other for as long as the test lasts.
        let script = "setTimeout(() => { const to = location.hostname === 'denied.localhost' ? 'allowed' : 'denied'; \
                      location = location.href.replace(/\\/\\/[a-z]+/, '//' + to) }, 15)";
        let url = site()
            .page("judged", &format!("<script>{script}</script>"))
            .replace("127.0.0.1", "allowed.localhost");
        s.open(&url).await;
        for world in [World::Main, World::Isolated] {
            for _ in 0..25 {
                let js = "new Image().src = '/echo?judged-at-' + location.hostname".to_owned();
                // What comes of it is counted at the server.
                let _ = s.within(Duration::from_secs(5), Eval { world, ..Eval::new(js) }).await;
            }
        }
        assert_eq!(site().hits("/echo?judged-at-denied.localhost"), 0);
        assert!(site().hits("/echo?judged-at-allowed.localhost") > 0, "none ran anywhere");
    });
}

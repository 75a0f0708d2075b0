//! Dry runs: for every verb that there is, nothing happens, and what is told is what the verb then really does: where the policy denies one
//! of the effects that were told it fails, and where it denies all others it does not.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

use ::journal::{Filter, read};
use clap::Subcommand;
use contract::{Code, Effect, Error, Outcome, Plan, Ruling, Target};
use engine::{
    Action, Engine, Front, Request, Until,
    actions::{
        Answer, Area, Back, Batch, Check, Click, Close, Console, Controls, Cookies, CookiesOp, Dialog,
        Download, Drag, Emulate, Eval, Fill, FillForm, Find, FormField, Forward, Frames, Halt, Hover, Html,
        Locate, OnNavigation, Open, Pdf, Press, Read, Reload, Requests, Resize, Screenshot, Scroll, Select,
        SetCookie, Snapshot, State, StateOp, Storage, StorageOp, Tabs, TabsOp, Type, Uncheck, Upload, Wait,
    },
};
use serde_json::{Value, json};

use crate::support::{Fixture, code, eval, goto, new_engine, runtime, site};

use Effect::{Credential, Download as Downloading, Execute, Input, Navigate, Submit, Upload as Uploading};

/// Every effect.
const EFFECTS: [Effect; 8] =
    [Effect::Read, Navigate, Input, Submit, Downloading, Uploading, Execute, Credential];

/// What a script that does more than read is judged as.
const BY_SCRIPT: [Effect; 6] = [Execute, Input, Submit, Navigate, Downloading, Credential];

/// How a verb is tried.
struct Case {
    name: &'static str,
    action: Action,
    /// What it does to the world; none: it fails with this code, as there is nothing for it in the page.
    effects: Result<&'static [Effect], Code>,
    /// It is told of and not done: it would wait for what does not come.
    only_told: bool,
}

/// Every verb, some in several ways. `folder` is where it may write files.
fn cases(folder: &Path) -> Vec<Case> {
    let css = |selector: &str| format!("css={selector}").parse::<Target>().unwrap();
    let target = |text: &str| text.parse::<Target>().unwrap();
    let file = || vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))];
    let tabs = |op| Action::from(Tabs { op: Some(op) });
    let field = |selector: &str, value: &str| FormField { target: css(selector), value: value.into() };
    let cookies = |op| Action::from(Cookies { op: Some(op) });
    let storage = |op| Action::from(Storage { area: Area::Local, op: Some(op) });
    let read: &'static [Effect] = &[Effect::Read];
    let case = |name, action: Action, effects: &'static [Effect]| Case {
        name,
        action,
        effects: Ok(effects),
        only_told: false,
    };
    let there = site().url("/page?title=there");
    vec![
        case("open", Open { url: Some((&*there).into()), until: Until::Load }.into(), &[Navigate]),
        case("open nothing", Open::default().into(), read),
        case("goto", goto(&there).into(), &[Navigate]),
        case("back", Back::default().into(), &[Navigate]),
        case("forward", Forward::default().into(), &[Navigate]),
        case("reload", Reload::default().into(), &[Navigate]),
        case("tabs", Tabs::default().into(), read),
        case(
            "tabs open",
            tabs(TabsOp::Open { url: Some((&*there).into()), until: Until::Load }),
            &[Navigate],
        ),
        case("tabs focus", tabs(TabsOp::Focus { tab: "t1".parse().unwrap() }), read),
        case("tabs label", tabs(TabsOp::Label { tab: "t1".parse().unwrap(), label: "one".into() }), read),
        case("frames", Frames {}.into(), read),
        case("snapshot", Snapshot::default().into(), read),
        case("find", Find { words: "usable".into(), ..Find::default() }.into(), read),
        case("locate", Locate { target: target("the usable heading") }.into(), read),
        case("read", Read::default().into(), read),
        case("html", Html { path: Some(folder.join("page.html")), ..Html::default() }.into(), read),
        case("controls", Controls::default().into(), read),
        case(
            "screenshot",
            Screenshot { path: Some(folder.join("page.png")), ..Screenshot::default() }.into(),
            read,
        ),
        case("pdf", Pdf { path: Some(folder.join("page.pdf")), ..Pdf::default() }.into(), read),
        case("eval that reads", eval("document.title").into(), read),
        case("eval", Eval::new("document.title = 'changed'").into(), &[Effect::Read, Execute]),
        case("click", Click::new(css("h1")).into(), &[Input]),
        case("click in words", Click::new(target("the Send button")).into(), &[Input, Submit]),
        case("click a link", Click::new(css("#link")).into(), &[Input, Navigate]),
        case("click a box around a link", Click::new(css("#around")).into(), &[Input, Navigate]),
        case("click a file", Click::new(css("#saved")).into(), &[Input, Downloading]),
        case("click what is out of sight", Click::new(css("#low")).into(), &[Input, Submit]),
        case("click a point", Click::new(target("20,20")).into(), &[Input]),
        case("hover", Hover { target: css("#link") }.into(), &[Input]),
        case("fill", Fill::new(css("#field"), "text".into()).into(), &[Input]),
        case(
            "fill and submit",
            Fill { submit: true, ..Fill::new(css("#field"), "text".into()) }.into(),
            &[Input, Submit],
        ),
        case("fill a box", Fill::new(css("#box"), "true".into()).into(), &[Input]),
        case("type", Type { target: Some(css("#field")), ..Type::new("aä".into()) }.into(), &[Input]),
        case(
            "type a line",
            Type { target: Some(css("#field")), ..Type::new("a\n".into()) }.into(),
            &[Input, Submit],
        ),
        case(
            "type and submit",
            Type { submit: true, target: Some(css("#field")), ..Type::new("a".into()) }.into(),
            &[Input, Submit],
        ),
        case(
            "press",
            Press { target: Some(css("#field")), ..Press::new("Control+a Delete".into()) }.into(),
            &[Input],
        ),
        case(
            "press Enter",
            Press { target: Some(css("#field")), ..Press::new("Enter".into()) }.into(),
            &[Input, Submit],
        ),
        case(
            "press Enter on a link",
            Press { target: Some(css("#link")), ..Press::new("Enter".into()) }.into(),
            &[Input, Navigate],
        ),
        case("press where the focus is", Press::new("Shift".into()).into(), &[Input]),
        case("select", Select::new(css("#list"), "two").into(), &[Input]),
        case("select from a list of the page", Select::new(css("#made"), "four").into(), &[Input]),
        case("check", Check::new(css("#box")).into(), &[Input]),
        case("check what is checked", Check::new(css("#ticked")).into(), &[Input]),
        case("uncheck", Uncheck::new(css("#ticked")).into(), &[Input]),
        case(
            "fill form",
            FillForm::new(vec![field("#date", "2026-03-31"), field("#box", "on")]).into(),
            &[Input],
        ),
        case(
            "fill form and submit",
            FillForm { submit: true, ..FillForm::new(vec![field("#field", "text")]) }.into(),
            &[Input, Submit],
        ),
        case("drag", Drag { steps: Some(2), ..Drag::new(css("#card"), css("#tray")) }.into(), &[Input]),
        case("scroll", Scroll::default().into(), &[Input]),
        case("scroll to an element", Scroll::new(css("#low")).into(), &[Input]),
        case("upload", Upload::new(css("#files"), file()).into(), &[Uploading]),
        case("upload to a chooser", Upload::new(css("#choose"), file()).into(), &[Uploading, Input]),
        case(
            "download",
            Download { path: Some(folder.join("file.bin")), ..Download::new(css("#saved")) }.into(),
            &[Downloading, Input],
        ),
        case(
            "download of an address",
            Download::of(&*site().url("/download?bytes=10")).into(),
            &[Downloading],
        ),
        Case { only_told: true, ..case("download that comes", Download::default().into(), &[Downloading]) },
        case("wait", Wait::until(Until::Load).into(), read),
        case("wait for an element", Wait { target: Some(css("h1")), ..Wait::default() }.into(), read),
        Case {
            only_told: true,
            ..case("wait for none", Wait { target: Some(css("#none")), ..Wait::default() }.into(), read)
        },
        case(
            "wait for a function",
            Wait { function: Some("() => document.title = 'changed'".into()), ..Wait::default() }.into(),
            &[Effect::Read, Execute],
        ),
        Case {
            effects: Err(Code::InvalidInput),
            ..case("dialog", Dialog { answer: Answer::Accept, text: None }.into(), &[])
        },
        case(
            "batch",
            Batch {
                actions: vec![Hover { target: css("h1") }.into(), Click::new(css("#link")).into()],
                on_navigation: OnNavigation::Stop,
            }
            .into(),
            &[Input, Navigate],
        ),
        case("console", Console::default().into(), read),
        case("requests", Requests::default().into(), read),
        case("resize", Resize { size: Some("800x600".into()), ..Resize::default() }.into(), &[Input]),
        case(
            "emulate",
            Emulate { timezone: Some("Asia/Tokyo".into()), ..Emulate::default() }.into(),
            &[Input],
        ),
        case("cookies", Cookies::default().into(), read),
        case("cookies with values", cookies(CookiesOp::List { url: None, values: true }), &[Credential]),
        case("cookies set", cookies(CookiesOp::Set(cookie())), &[Input]),
        case("cookies clear", cookies(CookiesOp::Clear { url: None }), &[Input]),
        case("storage", Storage { area: Area::Local, op: None }.into(), read),
        case("storage set", storage(StorageOp::Set { name: "a".into(), value: "b".into() }), &[Input]),
        case("storage clear", storage(StorageOp::Clear), &[Input]),
        case(
            "state save",
            State { op: StateOp::Save { path: Some(folder.join("state.json")) } }.into(),
            &[Credential],
        ),
        case("halt", Halt {}.into(), &[]),
        case("tabs close", tabs(TabsOp::Close { tab: None }), read),
        case("close", Close {}.into(), &[]),
    ]
}

fn cookie() -> SetCookie {
    let cookie = json!({"name": "set", "value": "by the verb", "url": site().url("/")});
    serde_json::from_value(cookie).unwrap()
}

/// What the verbs are tried on. It keeps a log of all that happens to it.
const PAGE: &str = r#"<link rel=icon href="data:,"><script>
    log = [];
    const note = event => { if (event.target !== performance) log.push(event.type); };
    for (const name in window) if (name.startsWith('on') && !name.startsWith('ondevice')) addEventListener(name.slice(2), note, true);
    for (const type of ['focusin', 'focusout', 'DOMContentLoaded', 'compositionstart']) addEventListener(type, note, true);
    seen = () => JSON.stringify({
      log, address: location.pathname + location.hash, title: document.title, text: document.body.innerText, html: document.body.outerHTML.length,
      at: [scrollX, scrollY, document.querySelector('#scrolled').scrollTop], focus: document.activeElement.id, history: history.length,
      held: [...document.querySelectorAll('input, select')].map(({ value, checked }) => [value, checked]),
      asked: performance.getEntriesByType('resource').length, size: [innerWidth, innerHeight], kept: localStorage.length,
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone, used: navigator.userActivation.hasBeenActive,
    });
    onload = () => setTimeout(() => { log.length = 0; new MutationObserver(() => log.push('mutation')).observe(document,
      { subtree: true, childList: true, attributes: true, characterData: true }); isReady = true; });
    </script><h1>A usable heading</h1>
    <form method=post action="/echo?dry-run"><input id=field name=field><button id=send>Send</button></form>
    <a id=link href="/page?title=linked">Link</a> <a id=saved href="/download?bytes=10" download>File</a>
    <div id=around style="width: 200px"><a href="/page?title=around" style="display: block">Around</a></div>
    <input id=date type=date><input id=box type=checkbox><input id=ticked type=checkbox checked>
    <select id=list><option>one<option>two</select>
    <div id=made role=combobox tabindex=0 onclick="items.hidden = false">three</div>
    <div id=items role=listbox hidden onclick="made.textContent = event.target.textContent; items.hidden = true">
    <div role=option>three</div><div role=option>four</div></div>
    <p id=card draggable=true ondragstart="event.dataTransfer.setData('text/plain', 'x')">Card</p>
    <p id=tray ondragover="event.preventDefault()" ondrop="event.preventDefault()">Tray</p>
    <input id=files type=file><button id=choose onclick="document.querySelector('#files').click()">Choose</button>
    <div id=scrolled style="height: 40px; overflow: auto"><p style="height: 200px">scrolled</p></div>
    <form action="/echo?dry-run-low" style="margin-top: 3000px"><button id=low>Low</button></form>"#;

/// A page that browsers ask for no icon: they do so at any time.
const NO_ICON: &str = r#"<link rel=icon href="data:,">"#;

/// The page, whose forms go to a path with this query.
fn page(query: &str) -> String {
    site().page("dry", &PAGE.replace("?dry-run", &format!("?{query}")))
}

/// Shows the page, with others before and after it in the tab's history.
async fn show(s: &Fixture, with_history: bool) {
    show_as(s, "dry-run", with_history).await;
}

async fn show_as(s: &Fixture, query: &str, with_history: bool) {
    if with_history {
        s.perform(goto(&site().page("before", NO_ICON))).await.unwrap();
    }
    s.perform(goto(&page(query))).await.unwrap();
    if with_history {
        s.perform(goto(&site().page("after", NO_ICON))).await.unwrap();
        s.perform(Back::default()).await.unwrap();
    }
    s.perform(Wait { function: Some("() => window.isReady".into()), ..Wait::default() }).await.unwrap();
}

/// What can be told from outside of whether something happened: at the page, in the session, at the proxy, among the files.
async fn world(s: &Fixture, home: &Path) -> Vec<String> {
    // Not by a script that may act: that would be one of the things that happen.
    let page = s.eval("seen()").await;
    let tabs = s.perform(Tabs::default()).await.unwrap().tabs.unwrap();
    let tabs: Vec<_> = tabs.iter().map(|tab| (tab.tab, &*tab.title, tab.active)).collect();
    let cookies = s.perform(Cookies::default()).await.unwrap().value;
    let mut files = BTreeSet::new();
    list(home, &mut files);
    vec![
        page.as_str().unwrap().to_owned(),
        format!("{tabs:?}"),
        format!("{cookies:?}"),
        format!("{:?}", s.engine.traffic()),
        format!("{:?}", s.engine.list().len()),
        format!("{:?}", s.engine.approvals().list()),
        format!("{files:?}"),
    ]
}

/// Every file in a folder, except for the journal.
fn list(folder: &Path, files: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            list(&path, files);
        }
        if !path.file_name().unwrap().to_string_lossy().starts_with("journal.db") {
            files.insert(path);
        }
    }
}

/// What an agent asks for. The rules of these tests are about agents, so that the tests themselves may do anything.
fn by_agent(action: &Action, dry_run: bool) -> Request {
    let files = guard::Files::default();
    Request { front: Front::Mcp, files, dry_run, ..Request::new(action.clone()) }
}

async fn plan(s: &Fixture, action: &Action) -> Result<Plan, Error> {
    let told: Outcome = s.request(by_agent(action, true)).await?;
    Ok(told.plan.expect("a dry run tells a plan"))
}

/// Every effect in a plan, those of its steps included.
fn effects(plan: &Plan) -> BTreeSet<&'static str> {
    let own = plan.effects.iter().map(|effect| effect.effect.as_str());
    own.chain(plan.steps.iter().flat_map(effects)).collect()
}

fn decide(engine: &Engine, rules: &Value) {
    engine.set_rules(serde_json::from_value(rules.clone()).unwrap());
}

/// Denies these effects to agents, and allows all others.
fn deny(engine: &Engine, effects: &[Effect]) {
    let rest = json!({"front": "mcp", "decide": "allow"});
    match effects {
        [] => decide(engine, &json!([rest])),
        effects => decide(engine, &json!([{"effect": effects, "front": "mcp", "decide": "deny"}, rest])),
    }
}

/// An engine with a browser of its own, whose folder the test can look into, and a folder for files.
fn run_alone<F: Future<Output = ()>>(test: impl FnOnce(Fixture, PathBuf, PathBuf) -> F) {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = new_engine(|config| config.home = home.path().into());
    runtime().block_on(async {
        test(Fixture::new(engine.clone()), home.path().into(), folder.path().into()).await;
        engine.close(Front::Library).await;
    });
}

#[test]
fn every_verb_is_tried() {
    let tried: BTreeSet<_> = cases(Path::new("/")).iter().map(|case| case.action.name().to_owned()).collect();
    let all = Action::augment_subcommands(clap::Command::new("all"));
    let mut all: BTreeSet<_> = all.get_subcommands().map(|verb| verb.get_name().replace('-', "_")).collect();
    all.insert("close".into());
    assert_eq!(all, tried, "a verb is missing in the list above");
}

#[test]
fn nothing_happens() {
    run_alone(async |s, home, folder| {
        show_as(&s, "never", true).await;
        // Whoever is asked nothing is asked for nothing.
        let all: Vec<_> = EFFECTS.iter().filter(|effect| **effect != Effect::Read).collect();
        decide(&s.engine, &json!([{"effect": all, "front": "mcp", "decide": "ask"}]));
        let before = world(&s, &home).await;
        for Case { name, action, effects: expected, .. } in cases(&folder) {
            match (plan(&s, &action).await, expected) {
                (Ok(plan), Ok(expected)) => {
                    let told = effects(&plan);
                    // Those two are judged by no rule.
                    if expected.is_empty() {
                        assert_eq!((told.len(), plan.decide), (1, Ruling::Allow), "{name}: {plan:?}");
                    } else {
                        let is_asked = expected.iter().any(|effect| *effect != Effect::Read);
                        let expected: BTreeSet<_> = expected.iter().map(|effect| effect.as_str()).collect();
                        assert_eq!(told, expected, "{name}: {plan:?}");
                        let decided = if is_asked { Ruling::Ask } else { Ruling::Allow };
                        assert_eq!(plan.decide, decided, "{name}: {plan:?}");
                    }
                    let is_used =
                        plan.elements.len() >= plan.steps.iter().map(|step| step.elements.len()).sum();
                    assert!(is_used || plan.verb == "batch", "{name}: {plan:?}");
                    let rules: Vec<_> =
                        plan.effects.iter().filter_map(|effect| effect.of.as_deref()).collect();
                    assert!(rules.iter().all(|of| *of == "config.toml"), "{name}: {plan:?}");
                }
                (Err(error), Err(expected)) => assert_eq!(error.code, expected, "{name}: {error}"),
                (told, expected) => panic!("{name}: {told:?} instead of {expected:?}"),
            }
            for (now, before) in world(&s, &home).await.iter().zip(&before) {
                assert_eq!(now, before, "{name}");
            }
        }
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        assert_eq!((site().hits("/echo?never"), site().hits("/echo?never-low")), (0, 0));
        assert!(s.engine.journal().flush(Duration::from_secs(10)));
        let rows = read(&home.join("journal.db"), &Filter { session: None, limit: 10_000 }).unwrap();
        let rows: Vec<_> = rows.iter().filter(|row| row.front == "mcp").collect();
        assert_eq!(rows.len(), cases(&folder).len());
        for row in &rows {
            assert_eq!((&*row.effect, &row.action["dry_run"]), ("read", &true.into()), "{row:?}");
        }
        let written = serde_json::to_string(&rows).unwrap();
        assert!(!written.contains("A usable heading"), "words of the page: {written}");
    });
}

/// Does what was told of, for every part of the list: with one effect denied after the other, and then with all others denied.
fn what_is_told_is_what_is_done(part: usize) {
    run_alone(async |s, _, folder| {
        for Case { name, action, effects: expected, only_told } in
            cases(&folder).into_iter().skip(part).step_by(PARTS)
        {
            let Ok(expected) = expected else { continue };
            let goes_through_history = ["back", "forward"].contains(&name);
            deny(&s.engine, &[]);
            show(&s, goes_through_history).await;
            for &effect in expected {
                deny(&s.engine, &[effect]);
                let told = plan(&s, &action).await.unwrap();
                assert_eq!(told.decide, Ruling::Deny, "{name} without {effect:?}: {told:?}");
                if only_told {
                    continue;
                }
                let done = s.request(by_agent(&action, false)).await;
                assert_eq!(code(done), Code::ActionDenied, "{name} without {effect:?}: {told:?}");
            }
            let is_script = expected.contains(&Execute);
            let is_other =
                |effect: &Effect| !(expected.contains(effect) || is_script && BY_SCRIPT.contains(effect));
            let others: Vec<_> = EFFECTS.into_iter().filter(is_other).collect();
            deny(&s.engine, &others);
            let told = plan(&s, &action).await.unwrap();
            assert_eq!(told.decide, Ruling::Allow, "{name} without {others:?}: {told:?}");
            if !only_told {
                let done = s.request(by_agent(&action, false)).await;
                done.unwrap_or_else(|error| panic!("{name} without {others:?}: {error}"));
            }
        }
    });
}

/// In how many parts that is done, at the same time.
const PARTS: usize = 2;

#[test]
fn what_is_told_is_what_is_done_1() {
    what_is_told_is_what_is_done(0);
}

#[test]
fn what_is_told_is_what_is_done_2() {
    what_is_told_is_what_is_done(1);
}

#[test]
fn without_a_session_none_is_started() {
    let engine = new_engine(|_| {});
    runtime().block_on(async {
        let s = Fixture::new(engine.clone());
        for Case { name, action, .. } in cases(Path::new("/tmp")) {
            match plan(&s, &action).await {
                Ok(plan) => {
                    let is_said = plan.notes.iter().any(|note| note.contains("does not run"));
                    assert!(is_said && (action.starts_session() || name == "close"), "{name}: {plan:?}");
                }
                Err(error) => {
                    assert_eq!(error.code, Code::SessionNotFound, "{name}: {error}");
                    assert!(!action.starts_session(), "{name}");
                }
            }
            assert!(!engine.has(&s.name) && engine.browsers().is_empty(), "{name}");
        }
    });
}

#[test]
fn a_dialog_is_left_open() {
    run_alone(async |s, _, _| {
        s.perform(goto(&site().page("ask", "<button onclick=\"confirm('Sure?')\">Ask</button>")))
            .await
            .unwrap();
        s.perform(Click::new("css=button".parse().unwrap())).await.unwrap();
        let accept = Action::from(Dialog { answer: Answer::Accept, text: None });
        deny(&s.engine, &[Input]);
        let told = plan(&s, &accept).await.unwrap();
        assert_eq!((effects(&told), told.decide), (BTreeSet::from(["input"]), Ruling::Deny));
        assert!(told.notes[0].contains("accepts the confirm dialog"), "{told:?}");
        // What needs the page fails as the verb does.
        let click = Action::from(Click::new("css=button".parse().unwrap()));
        assert_eq!(plan(&s, &click).await.unwrap_err().code, Code::DialogOpen);
        assert_eq!(code(s.request(by_agent(&accept, false)).await), Code::ActionDenied);
        let answered = s.perform(accept).await.unwrap();
        assert_eq!(answered.dialog.unwrap().accepted, Some(true));
    });
}

#[test]
fn a_plan_tells_places_and_rules() {
    run_alone(async |mut s, _, _| {
        s.options.policy = serde_json::from_value(json!([
            {"effect": "upload", "decide": "deny"},
            {"effect": "submit", "decide": "deny"},
        ]))
        .unwrap();
        show(&s, false).await;
        decide(
            &s.engine,
            &json!([{"effect": "submit", "decide": "ask"}, {"effect": "navigate", "decide": "ask"}]),
        );
        let told = plan(&s, &Click::new("css=#send".parse().unwrap()).into()).await.unwrap();
        assert_eq!((&*told.elements[0].role, &*told.elements[0].name), ("button", "Send"));
        let submit = told.effects.iter().find(|effect| effect.effect == Submit).unwrap();
        let origin = site().url("").trim_end_matches('/').to_owned();
        assert_eq!(submit.origins, [origin]);
        assert_eq!(submit.to.as_deref(), Some(&*site().url("/echo?…")), "without its query");
        assert_eq!((submit.decide, submit.rule), (Ruling::Deny, Some(2)));
        assert_eq!(submit.of.as_deref(), Some("the session's policy"));
        let told = plan(&s, &Click::new("css=#link".parse().unwrap()).into()).await.unwrap();
        let way = told.effects.iter().find(|effect| effect.effect == Navigate).unwrap();
        assert_eq!((way.decide, way.rule, way.of.as_deref()), (Ruling::Ask, Some(2), Some("config.toml")));
        // The elements of a plan can be named by their refs, and no others.
        let link = told.elements[0].reference;
        s.perform(Hover { target: Target::Ref(link) }).await.unwrap();
        let unknown = Action::from(Hover { target: "e9999".parse().unwrap() });
        assert_eq!(plan(&s, &unknown).await.unwrap_err().code, Code::StaleRef);
        let missing = by_agent(&Click::new("css=#none".parse().unwrap()).into(), true);
        let missing = Request { element_timeout: Some("1s".parse().unwrap()), ..missing };
        assert_eq!(code(s.request(missing).await), Code::ElementNotFound);
    });
}

#[test]
fn addresses_that_nobody_may_go_to_are_denied() {
    run_alone(async |s, _, _| {
        for refused in ["http://169.254.169.254/latest?token=hunter2", "file:///etc/passwd"] {
            let told = plan(&s, &goto(refused).into()).await.unwrap();
            assert_eq!(told.decide, Ruling::Deny, "{refused}: {told:?}");
            assert_eq!((told.effects.len(), told.effects[0].effect), (1, Navigate));
            assert!(!told.effects[0].to.as_ref().unwrap().contains("hunter2"), "{told:?}");
            assert_eq!(code(s.perform(goto(refused)).await), Code::NavigationBlocked);
        }
        let wrong = plan(&s, &goto("").into()).await;
        assert_eq!(wrong.map(|plan| plan.decide).map_err(|error| error.code), Err(Code::InvalidInput));
    });
}

#[test]
fn a_batch_is_told_step_by_step() {
    run_alone(async |s, _, _| {
        show(&s, false).await;
        deny(&s.engine, &[Submit]);
        let click = |selector: &str| Action::from(Click::new(format!("css={selector}").parse().unwrap()));
        let there = goto(&site().url("/page?title=there"));
        let batch = |actions| Action::from(Batch { actions, on_navigation: OnNavigation::Stop });
        let told = plan(&s, &batch(vec![click("h1"), click("#none"), click("#send")])).await.unwrap();
        let decided: Vec<_> = told.steps.iter().map(|step| (step.decide, step.elements.len())).collect();
        assert_eq!(decided, [(Ruling::Allow, 1), (Ruling::Allow, 0), (Ruling::Deny, 1)], "{told:?}");
        assert!(told.steps[1].notes[0].starts_with("ELEMENT_NOT_FOUND: "), "{told:?}");
        assert_eq!(told.decide, Ruling::Deny);
        // What comes after a page that is not there yet cannot be looked for in this one.
        let told = plan(&s, &batch(vec![there.into(), click("#send")])).await.unwrap();
        assert_eq!((told.decide, told.steps[1].elements.len()), (Ruling::Allow, 0), "{told:?}");
        assert!(told.steps[1].notes[0].starts_with("ELEMENT_NOT_FOUND: "), "{told:?}");
    });
}

#[test]
fn where_reading_is_denied_the_page_is_not_told() {
    run_alone(async |s, _, _| {
        s.perform(goto(
            &site().page("hunter2", "<button id=a>hunter2</button><p class=b>1</p><p class=b>2</p>"),
        ))
        .await
        .unwrap();
        for ruling in ["deny", "ask"] {
            decide(
                &s.engine,
                &json!([{"effect": "read", "decide": ruling, "front": "mcp"}, {"decide": "allow"}]),
            );
            for action in [
                Action::from(Eval::new("throw new Error(document.title)")),
                Click::new("css=#a".parse().unwrap()).into(),
                Click::new("the hunter2 button".parse().unwrap()).into(),
                Click::new("css=.b".parse().unwrap()).into(),
                Locate { target: "css=#a".parse().unwrap() }.into(),
            ] {
                let told = plan(&s, &action).await;
                let words = match &told {
                    Ok(plan) => format!("{:?} {:?}", plan.elements, plan.notes),
                    Err(error) => format!("{error:?}"),
                };
                assert!(!words.contains("hunter2"), "{words}");
            }
        }
    });
}

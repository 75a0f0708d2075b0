//! Downloads where the policy has none: every way for a file to come, counted in the folder that files come to.

use std::path::{Path, PathBuf};

use contract::{Code, Error, Outcome};
use engine::{
    Front, SessionOptions, Until,
    actions::{Click, Download, Eval, Modifier, Press, Wait, World},
};
use guard::approvals::{By, Reply};
use serde_json::json;

use crate::{
    hands_support::click,
    support::{Fixture, goto, new_engine, runtime, show, site},
};

/// Runs a test in a session with these rules, in an engine whose folder the test can look into.
fn run_ruled<F: Future<Output = ()>>(rules: serde_json::Value, test: impl FnOnce(Fixture, PathBuf) -> F) {
    let home = tempfile::tempdir().unwrap();
    let engine = new_engine(|config| config.home = home.path().to_owned());
    let s = Fixture::new(engine.clone());
    let policy = serde_json::from_value(rules).unwrap();
    let s = Fixture { options: SessionOptions { policy, ..s.options.clone() }, ..s };
    let folder = home.path().join("downloads").join(s.name.as_str());
    runtime().block_on(async {
        test(s, folder).await;
        engine.close(Front::Library).await;
    });
}

fn rule(decide: &str) -> serde_json::Value {
    json!([{"effect": "download", "decide": decide}])
}

/// What is in the session's folder, whatever it is called.
fn kept(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// Nothing has come, and nothing comes. What led to it fails, or the next outcome says so: a window may close before the browser tells that it
/// was one for a file, and what Alt+click or a script saves may come when that is over.
async fn check_nothing(s: &Fixture, folder: &Path, way: &str, result: Result<Outcome, Error>) {
    let mut idle = s.perform(Wait::until(Until::NetworkIdle)).await.unwrap();
    match result {
        Err(error) => assert_eq!(error.code, Code::ActionDenied, "{way}: {error}"),
        Ok(_) => {
            assert!(["blank", "popup", "alt", "script"].contains(&way), "{way} was done");
            let is_noted =
                |idle: &Outcome| idle.notes.iter().any(|note| note.contains("the policy denies download"));
            // Nothing tells that the browser is still about to begin one, which takes it long on a busy machine.
            for _ in 0..20 {
                if is_noted(&idle) {
                    break;
                }
                idle = s.perform(Wait::until(Until::NetworkIdle)).await.unwrap();
            }
            assert!(is_noted(&idle), "{way}: {idle:?}");
        }
    }
    assert_eq!(kept(folder), [""; 0], "{way}");
}

fn file(way: &str) -> String {
    site().url(&format!("/download?name={way}.txt&bytes=5000&way={way}"))
}

const SCRIPT: &str = "const a = document.createElement('a'); a.download = 'made.txt';";

#[test]
fn a_denied_file_comes_no_way() {
    run_ruled(rule("deny"), async |s, folder| {
        let elsewhere = site().on("localhost", "/download?name=there.txt&bytes=9");
        let redirect = site().url(&format!("/redirect?to={}", "/download?name=moved.txt%26bytes=9"));
        let page = format!(
            "<a id=link href='{link}'>link</a> <a id=marked download href='/page'>marked</a>
             <a id=blank target=_blank href='{blank}'>blank</a> <a id=there download href='{elsewhere}'>there</a>
             <a id=moved href='{redirect}'>moved</a> <a id=alt href='/page?alt'>alt</a>
             <a id=data download=x.txt href='data:text/plain,x'>data</a>
             <form action=/download><input type=hidden name=bytes value=7><button id=form>form</button></form>
             <button id=blob onclick=\"{SCRIPT} a.href = window.URL.createObjectURL(new Blob(['x'])); a.click()\">blob</button>
             <button id=later onclick=\"setTimeout(() => location = '{later}', 100)\">later</button>
             <button id=popup onclick=\"window.open('{popup}')\">popup</button>
             <button id=frame onclick=\"document.body.append(Object.assign(document.createElement('iframe'), {{src: '{frame}'}}))\">frame</button>
             <button id=far onclick=\"document.body.append(Object.assign(document.createElement('iframe'), {{src: '{elsewhere}'}}))\">far</button>",
            link = file("link"),
            blank = file("blank"),
            later = file("later"),
            popup = file("popup"),
            frame = file("frame"),
        );
        show(&s, &page).await;
        check_nothing(&s, &folder, "goto", s.perform(goto(&file("goto"))).await).await;
        check_nothing(&s, &folder, "goto moved", s.perform(goto(&redirect)).await).await;
        for way in [
            "link", "marked", "blank", "there", "moved", "data", "form", "blob", "later", "popup", "frame",
            "far",
        ] {
            check_nothing(&s, &folder, way, s.perform(click(&format!("css=#{way}"))).await).await;
            show(&s, &page).await;
        }
        let alt = Click { modifiers: vec![Modifier::Alt], ..click("css=#alt") };
        check_nothing(&s, &folder, "alt", s.perform(alt).await).await;
        let enter = Press { target: Some("css=#link".parse().unwrap()), ..Press::new("Enter".into()) };
        check_nothing(&s, &folder, "enter", s.perform(enter).await).await;
        check_nothing(&s, &folder, "verb", s.perform(Download::of(&*file("verb"))).await).await;
        check_nothing(&s, &folder, "by click", s.perform(Download::new("css=#blob".parse().unwrap())).await)
            .await;
        let script = format!("{SCRIPT} a.href = URL.createObjectURL(new Blob(['x'])); a.click(); 1");
        let script = Eval { world: World::Main, ..Eval::new(script) };
        check_nothing(&s, &folder, "script", s.perform(script).await).await;
        assert_eq!(site().hits("/download?name=verb.txt&bytes=5000&way=verb"), 0, "nobody asks for it");
    });
}

/// A rule for another place does not keep a file from coming here.
#[test]
fn a_rule_is_about_where_a_file_comes_from() {
    run_ruled(json!([{"effect": "download", "origin": "localhost", "decide": "deny"}]), async |s, folder| {
        let there = site().on("localhost", "/download?name=there.txt&bytes=9");
        let moved = site().url(&format!("/redirect?to={}", there.replace('&', "%26")));
        show(&s, &format!("<a id=moved href='{moved}'>moved</a>")).await;
        assert_eq!(s.perform(goto(&file("here"))).await.unwrap().downloads.len(), 1);
        for result in [
            s.perform(goto(&there)).await,
            s.perform(goto(&moved)).await,
            s.perform(click("css=#moved")).await,
        ] {
            assert_eq!(result.unwrap_err().code, Code::ActionDenied);
        }
        s.perform(Wait::until(Until::NetworkIdle)).await.unwrap();
        assert_eq!(kept(&folder), ["here.txt"]);
    });
}

/// What nobody was asked about is called off, and says how to ask; what somebody allowed comes, once.
#[test]
fn a_file_that_has_to_be_asked_about_is_asked_about_by_the_verb() {
    run_ruled(rule("ask"), async |s, folder| {
        show(&s, &format!("<a id=link href='{}'>link</a>", file("unasked"))).await;
        for result in [s.perform(goto(&file("unasked"))).await, s.perform(click("css=#link")).await] {
            let error = result.unwrap_err();
            assert_eq!(error.code, Code::ActionDenied, "{error}");
            assert!(error.hint().contains("webhand download --url"), "{error:?}");
        }
        assert_eq!(kept(&folder), [""; 0]);
        let answering = {
            let s = s.clone();
            tokio::spawn(async move {
                let mut changes = s.engine.approvals().subscribe();
                loop {
                    let mine =
                        s.engine.approvals().list().into_iter().find(|approval| approval.session == s.name);
                    if let Some(approval) = mine {
                        s.engine.approvals().answer(&approval.id, Reply::Once, By::Library).unwrap();
                    }
                    let _ = changes.recv().await;
                }
            })
        };
        let outcome = s.perform(Download::of(&*file("asked"))).await.unwrap();
        assert_eq!(outcome.downloads[0].name, "asked.txt");
        let clicked = s.perform(Download::new("css=#link".parse().unwrap())).await.unwrap();
        assert_eq!(clicked.downloads[0].name, "unasked.txt");
        answering.abort();
        assert_eq!(
            s.perform(goto(&file("again"))).await.unwrap_err().code,
            Code::ActionDenied,
            "once is once"
        );
        s.perform(Wait::until(Until::NetworkIdle)).await.unwrap();
        assert_eq!(kept(&folder).len(), 2, "{:?}", kept(&folder));
    });
}

//! Saving what a session keeps, and loading it into another.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use contract::{Code, Outcome};
use engine::actions::{Emulate, State, StateOp, Tabs};
use serde_json::{Value, json};

use crate::support::{Fixture, code, eval_main, goto, run, site};

async fn save(s: &Fixture, path: &Path) -> Outcome {
    s.perform(State { op: StateOp::Save { path: Some(path.into()) } }).await.unwrap()
}

fn load(path: &Path) -> State {
    State { op: StateOp::Load { path: path.into() } }
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn what_is_saved_in_one_session_is_there_in_another() {
    let folder = tempfile::tempdir().unwrap();
    let file = &folder.path().join("deep/state.json");
    run(async |s| {
        s.open(&site().url("/cookies/set?sid=hunter2")).await;
        eval_main(&s, "localStorage.token = 'from 127'").await;
        let told = save(&s, file).await.value.unwrap();
        assert_eq!((&told["cookies"], &told["origins"]), (&json!(1), &json!(1)));
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
        // Another page: what is in the file is saved again, from a page that nobody sees.
        s.perform(goto(&site().on("localhost", "/page"))).await.unwrap();
        eval_main(&s, "localStorage.token = 'from localhost'").await;
        let outcome = save(&s, file).await;
        assert_eq!(outcome.notes, [""; 0]);
        let origin = |host: &str| site().on(host, "");
        let saved = read(file);
        let mut origins = [
            json!({"origin": origin("127.0.0.1"), "localStorage": [{"name": "token", "value": "from 127"}]}),
            json!({"origin": origin("localhost"), "localStorage": [{"name": "token", "value": "from localhost"}]}),
        ];
        origins.sort_by_key(|origin| origin["origin"].to_string());
        assert_eq!(saved["origins"], json!(origins));
        assert_eq!(saved["cookies"][0]["value"], "hunter2");
        assert_eq!(s.perform(Tabs::default()).await.unwrap().tabs.unwrap().len(), 1, "nobody sees it");
    });
    run(async |s| {
        s.open(&site().url("/page?title=stays")).await;
        eval_main(&s, "localStorage.kept = 'kept'; window.mark = 1").await;
        let hits = site().hits("/");
        let outcome = s.perform(load(file)).await.unwrap();
        assert_eq!(outcome.notes, [""; 0]);
        assert_eq!(site().hits("/"), hits, "no request left the browser");
        assert_eq!(
            eval_main(&s, "[window.mark, localStorage.token, localStorage.kept]").await.value.unwrap(),
            json!([1, "from 127", "kept"])
        );
        let tabs = s.perform(Tabs::default()).await.unwrap().tabs.unwrap();
        assert_eq!(tabs.len(), 1);
        s.perform(goto(&site().on("localhost", "/page"))).await.unwrap();
        assert_eq!(eval_main(&s, "localStorage.token").await.value.unwrap(), "from localhost");
        s.perform(goto(&site().url("/cookies"))).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#cookies').textContent").await, "sid=hunter2");
    });
}

#[test]
fn a_state_is_loaded_before_there_is_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let file = &folder.path().join("state.json");
    let origin = "https://shop.example";
    let state = json!({"cookies": [], "origins": [{"origin": origin, "localStorage": [{"name": "a", "value": "é\u{2028}'\"\\"}]}]});
    fs::write(file, state.to_string()).unwrap();
    run(async |s| {
        assert_eq!(s.perform(load(file)).await.unwrap().notes, [""; 0]);
        save(&s, file).await;
        assert_eq!(read(file)["origins"], state["origins"], "it is there, without any network");
        s.perform(Emulate { offline: Some(true), ..Emulate::default() }).await.unwrap();
        assert_eq!(save(&s, file).await.notes, [""; 0]);
        assert_eq!(read(file)["origins"], state["origins"]);
    });
}

#[test]
fn what_the_browser_does_not_take_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = &folder.path().join("state.json");
    let cookie = |name: &str, same_site: &str, expires: i64| {
        let mut cookie = json!({"value": "hunter2", "domain": "127.0.0.1", "path": "/"});
        cookie["name"] = name.into();
        cookie["sameSite"] = same_site.into();
        cookie["expires"] = expires.into();
        cookie
    };
    let cookies = json!([cookie("good", "Lax", -1), cookie("odd", "None", -1), cookie("old", "Lax", 1)]);
    fs::write(file, json!({"cookies": cookies}).to_string()).unwrap();
    run(async |s| {
        let outcome = s.perform(load(file)).await.unwrap();
        let there = s.perform(engine::actions::Cookies::default()).await.unwrap().value.unwrap();
        assert_eq!(there.as_array().unwrap().len(), 1, "{there}");
        assert_eq!(outcome.value.unwrap()["cookies"], 1);
        assert_eq!(outcome.notes, ["2 cookies are over, or the browser did not take them: odd, old"]);
    });
}

#[test]
fn anything_else_is_refused_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = &folder.path().join("state.json");
    run(async |s| {
        s.open(&site().url("/page")).await;
        let cookie = |domain: &str| json!({"name": "sid", "value": "hunter2", "domain": domain, "path": "/", "sameSite": "Lax"});
        for bad in [
            "not json".to_owned(),
            "[]".into(),
            "{}".into(),
            json!({"cookies": [cookie("127.0.0.1")], "origins": [{"origin": "file:///"}]}).to_string(),
            json!({"cookies": [cookie("127.0.0.1"), {"name": 1}]}).to_string(),
            json!({"cookies": [cookie("127.0.0.1"), cookie("not a domain")]}).to_string(),
        ] {
            fs::write(file, &bad).unwrap();
            let error = s.perform(load(file)).await.expect_err(&bad);
            assert_eq!(error.code, Code::InvalidInput, "{bad} {error}");
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
        assert_eq!(code(s.perform(load(&folder.path().join("missing.json"))).await), Code::InvalidInput);
        let cookies = s.perform(engine::actions::Cookies::default()).await.unwrap().value.unwrap();
        assert_eq!(cookies, json!([]), "nothing changed");
        let unwritable = State { op: StateOp::Save { path: Some(file.join("below/a/file")) } };
        assert_eq!(code(s.perform(unwritable).await), Code::InvalidInput);
    });
}

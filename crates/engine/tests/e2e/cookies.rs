//! Cookies and storage as verbs.

use contract::{Code, PageUrl, Typed};
use engine::actions::{Area, Cookies, CookiesOp, SameSite, SetCookie, Storage, StorageOp};
use serde_json::{Value, json};

use crate::support::{Fixture, code, eval_main, goto, run, site};

async fn cookies(s: &Fixture, op: CookiesOp) -> Value {
    s.perform(Cookies { op: Some(op) }).await.unwrap().value.unwrap()
}

fn cookie(name: &str, value: &str) -> SetCookie {
    SetCookie {
        name: name.into(),
        value: Typed::from(value),
        url: None,
        domain: None,
        path: None,
        expires: None,
        http_only: false,
        secure: false,
        same_site: None,
    }
}

async fn sent(s: &Fixture) -> Value {
    s.perform(goto(&site().url("/cookies"))).await.unwrap();
    s.eval("document.querySelector('#cookies').textContent").await
}

#[test]
fn cookies_are_listed_without_their_values_unless_asked() {
    run(async |s| {
        s.open(&site().url("/cookies/set?sid=hunter2")).await;
        s.perform(goto(&site().on("localhost", "/cookies/set?other=1"))).await.unwrap();
        let all = s.perform(Cookies::default()).await.unwrap().value.unwrap();
        assert_eq!(all.as_array().unwrap().len(), 2, "{all}");
        assert!(!all.to_string().contains("hunter2"), "{all}");
        let url = Some(PageUrl::from(&*site().url("/")));
        let here = cookies(&s, CookiesOp::List { url: url.clone(), values: true }).await;
        let wanted = json!([{"name": "sid", "value": "hunter2", "domain": "127.0.0.1", "path": "/", "http_only": false,
            "secure": false}]);
        assert_eq!(here, wanted);
        let one = cookies(&s, CookiesOp::Get { name: "other".into(), url: None }).await;
        assert_eq!((&one[0]["value"], one.as_array().unwrap().len()), (&json!("1"), 1));
        let none = CookiesOp::Get { name: "other".into(), url };
        assert_eq!(code(s.perform(Cookies { op: Some(none) }).await), Code::InvalidInput);
        let bad = CookiesOp::List { url: Some(PageUrl::from("nowhere")), values: false };
        assert_eq!(code(s.perform(Cookies { op: Some(bad) }).await), Code::InvalidInput);
    });
}

#[test]
fn cookies_are_set_and_deleted() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        let told = cookies(&s, CookiesOp::Set(cookie("plain", "hunter2"))).await;
        assert!(!told.to_string().contains("hunter2"), "{told}");
        let full = SetCookie {
            domain: Some("127.0.0.1".into()),
            path: Some("/cookies".into()),
            expires: Some("2090-01-01T00:00:00Z".into()),
            http_only: true,
            same_site: Some(SameSite::Strict),
            ..cookie("full", "2")
        };
        cookies(&s, CookiesOp::Set(full)).await;
        assert_eq!(sent(&s).await, "full=2; plain=hunter2");
        assert_eq!(eval_main(&s, "document.cookie").await.value.unwrap(), "plain=hunter2");
        let full = cookies(&s, CookiesOp::Get { name: "full".into(), url: None }).await;
        assert_eq!(
            (&full[0]["same_site"], &full[0]["http_only"], &full[0]["path"]),
            (&json!("strict"), &json!(true), &json!("/cookies"))
        );
        // The browser keeps no cookie for as long as that, but some time.
        assert!(full[0]["expires"].as_i64().unwrap() > 1_700_000_000, "{full}");
        let delete = |name: &str| CookiesOp::Delete { name: name.into(), url: None, domain: None };
        assert_eq!(cookies(&s, delete("full")).await, json!({"deleted": 1}));
        assert_eq!(sent(&s).await, "plain=hunter2");
        assert_eq!(code(s.perform(Cookies { op: Some(delete("full")) }).await), Code::InvalidInput);
        assert_eq!(cookies(&s, CookiesOp::Clear { url: None }).await, json!({"deleted": 1}));
        assert_eq!(sent(&s).await, "");
    });
}

#[test]
fn cookies_that_cannot_be() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        s.perform(engine::actions::Tabs {
            op: Some(engine::actions::TabsOp::Open { url: None, until: engine::Until::Load }),
        })
        .await
        .unwrap();
        let with = |change: fn(&mut SetCookie)| {
            let mut cookie = cookie("name", "hunter2");
            cookie.domain = Some("127.0.0.1".into());
            change(&mut cookie);
            Cookies { op: Some(CookiesOp::Set(cookie)) }
        };
        for bad in [
            with(|cookie| cookie.domain = None),
            with(|cookie| cookie.url = Some(PageUrl::from("http://127.0.0.1/"))),
            with(|cookie| cookie.expires = Some("tomorrow".into())),
            with(|cookie| cookie.name = "semi;colon".into()),
            with(|cookie| cookie.same_site = Some(SameSite::None)),
            with(|cookie| cookie.expires = Some("1".into())),
            with(|cookie| cookie.domain = Some("not a domain".into())),
        ] {
            let error = s.perform(bad.clone()).await.expect_err(&format!("{bad:?}"));
            assert_eq!(error.code, Code::InvalidInput, "{bad:?} {error}");
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
        assert_eq!(s.perform(Cookies::default()).await.unwrap().value.unwrap(), json!([]));
    });
}

async fn storage(s: &Fixture, area: Area, op: Option<StorageOp>) -> Value {
    s.perform(Storage { area, op }).await.unwrap().value.unwrap()
}

#[test]
fn storage_of_the_pages_origin() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        let name = || "getItem".to_owned();
        let set = StorageOp::Set { name: name(), value: Typed::from("hunter2") };
        let told = storage(&s, Area::Local, Some(set)).await;
        assert_eq!(told["value"], "[7 characters]");
        assert_eq!(eval_main(&s, "localStorage.getItem('getItem')").await.value.unwrap(), "hunter2");
        assert_eq!(
            storage(&s, Area::Local, None).await,
            json!([{"name": "getItem", "value": "[7 characters]"}])
        );
        let values = Some(StorageOp::List { values: true });
        assert_eq!(storage(&s, Area::Local, values).await[0]["value"], "hunter2");
        assert_eq!(storage(&s, Area::Session, None).await, json!([]), "the other one is another one");
        assert_eq!(storage(&s, Area::Local, Some(StorageOp::Get { name: name() })).await, "hunter2");
        let delete = || Some(StorageOp::Delete { name: name() });
        assert_eq!(storage(&s, Area::Local, delete()).await, json!({"deleted": 1}));
        for op in [delete(), Some(StorageOp::Get { name: name() })] {
            assert_eq!(code(s.perform(Storage { area: Area::Local, op }).await), Code::InvalidInput);
        }
        eval_main(&s, "sessionStorage.a = 1, sessionStorage.b = 2").await;
        assert_eq!(storage(&s, Area::Session, Some(StorageOp::Clear)).await, json!({"deleted": 2}));
        assert_eq!(eval_main(&s, "sessionStorage.length").await.value.unwrap(), 0);
        let large = StorageOp::Set { name: name(), value: Typed::from(&*"x".repeat(20 << 20)) };
        assert_eq!(code(s.perform(Storage { area: Area::Local, op: Some(large) }).await), Code::InvalidInput);
    });
}

#[test]
fn a_page_without_an_origin_has_no_storage() {
    run(async |s| {
        let tab = engine::actions::TabsOp::Open { url: None, until: engine::Until::Load };
        s.perform(engine::actions::Tabs { op: Some(tab) }).await.unwrap();
        assert_eq!(code(s.perform(Storage { area: Area::Local, op: None }).await), Code::Unsupported);
    });
}

//! The journal: every action is in it, and nothing that was typed.

use std::time::Duration;

use ::journal::{Filter, read};
use contract::Typed;
use engine::{
    Action,
    actions::{
        Answer, Area, Console, Controls, Cookies, CookiesOp, Dialog, Emulate, Eval, Header, Html, Read,
        Requests, State, StateOp, Storage, StorageOp, World,
    },
};

use crate::support::{Fixture, eval, goto, new_engine, runtime, site};

#[test]
fn every_action_is_recorded_and_nothing_that_was_typed() {
    let home = tempfile::tempdir().unwrap();
    let engine = new_engine(|config| config.home = home.path().into());
    runtime().block_on(async {
        let s = Fixture::new(engine.clone());
        s.open(&site().url("/page?title=first")).await;
        let _ = s.perform(goto("http://user:hunter2@host/")).await;
        let _ = s.perform(eval("prompt('name?')")).await;
        let answer = Dialog { answer: Answer::Accept, text: Some(Typed::from("correct horse")) };
        s.perform(answer).await.unwrap();
        s.perform(eval("'value ' + 42")).await.unwrap();
        let cancelled = {
            let (s, url) = (s.clone(), site().url("/hang?test=journal"));
            tokio::spawn(async move { s.perform(goto(&url)).await })
        };
        site().hit("/hang?test=journal", 1).await;
        cancelled.abort();
        let _ = cancelled.await;
        s.close().await;

        assert!(engine.journal().flush(Duration::from_secs(10)));
        let records = read(&home.path().join("journal.db"), &Filter::default()).unwrap();
        let rows: Vec<_> = records
            .iter()
            .map(|row| (&*row.verb, &*row.effect, row.code.as_deref().unwrap_or("ok")))
            .collect();
        assert_eq!(
            rows,
            [
                ("open", "navigate", "ok"),
                ("goto", "navigate", "NAVIGATION_BLOCKED"),
                ("eval", "execute", "DIALOG_OPEN"),
                ("dialog", "input", "ok"),
                ("eval", "read", "ok"),
                ("goto", "navigate", "CANCELLED"),
                ("close", "read", "ok"),
            ]
        );
        let first = &records[0];
        assert_eq!((&*first.front, first.session.as_str()), ("library", s.name.as_str()));
        assert!(first.tab.is_some() && first.duration_ms.is_some_and(|ms| ms > 0.0));
        assert_eq!(records[3].url_before.as_deref(), Some(&*site().url("/page?title=first")));
        let all = serde_json::to_string(&records).unwrap();
        for secret in ["hunter2", "correct horse", "value 42"] {
            assert!(!all.contains(secret), "{secret} is in the journal: {all}");
        }
        assert!(all.contains("[13 characters]"));
        engine.close(engine::Front::Library).await;
    });
}

#[test]
fn nothing_that_was_read_from_a_page_is_recorded() {
    let home = tempfile::tempdir().unwrap();
    let engine = new_engine(|config| config.home = home.path().into());
    runtime().block_on(async {
        let s = Fixture::new(engine.clone());
        s.open(&site().url("/read-app.html")).await;
        for action in [Action::from(Read::default()), Html::default().into(), Controls::default().into()] {
            assert!(s.perform(action).await.unwrap().content.unwrap().text.contains("Compose"));
        }
        s.close().await;
        assert!(engine.journal().flush(Duration::from_secs(10)));
        let records = read(&home.path().join("journal.db"), &Filter::default()).unwrap();
        let all = serde_json::to_string(&records).unwrap();
        assert!(!all.contains("Compose"), "{all}");
        assert_eq!(all.matches(" bytes]").count(), 3, "{all}");
        engine.close(engine::Front::Library).await;
    });
}

#[test]
fn nothing_of_consoles_requests_cookies_and_states_is_recorded() {
    let home = tempfile::tempdir().unwrap();
    let engine = new_engine(|config| config.home = home.path().into());
    runtime().block_on(async {
        let s = Fixture::new(engine.clone());
        let header = Header { name: "x-key".into(), value: Typed::from("hunter2") };
        s.perform(Emulate { headers: vec![header], ..Emulate::default() }).await.unwrap();
        s.open(&site().url("/page")).await;
        let script =
            "() => { console.error(['hun', 'ter2'].join('')); document.cookie = ['sid=hun', 'ter2'].join('');
            return fetch('/status/404', {method: 'POST', body: ['hun', 'ter2'].join('')}).then(r => r.text()).then(() => 1) }";
        let outcome = s.perform(Eval { world: World::Main, ..eval(script) }).await.unwrap();
        assert_eq!((&*outcome.console[0].text, outcome.requests.len()), ("hunter2", 1));
        let value = || Typed::from("hunter2");
        let cookie = |op| Cookies { op: Some(op) }.into();
        let storage = |op| Storage { area: Area::Local, op: Some(op) }.into();
        let number = outcome.requests[0].number;
        for action in [
            Action::from(Console::default()),
            Requests { number: Some(number), body: true, ..Requests::default() }.into(),
            cookie(CookiesOp::List { url: None, values: true }),
            storage(StorageOp::Set { name: "a".into(), value: value() }),
            storage(StorageOp::Get { name: "a".into() }),
            State { op: StateOp::Save { path: Some(home.path().join("state.json")) } }.into(),
        ] {
            s.perform(action).await.unwrap();
        }
        s.close().await;
        assert!(engine.journal().flush(Duration::from_secs(10)));
        let records = read(&home.path().join("journal.db"), &Filter::default()).unwrap();
        assert_eq!(records.len(), 10);
        let all = serde_json::to_string(&records).unwrap();
        assert!(!all.contains("hunter2"), "{all}");
        engine.close(engine::Front::Library).await;
    });
}

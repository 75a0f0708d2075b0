//! Waiting: for a time, for loading, for a quiet network.

use std::time::Duration;

use contract::{Code, NavigationKind, Span};
use engine::{
    Until,
    actions::{Click, Eval, Goto, Snapshot, TargetState, Wait},
};

use crate::support::{code, eval, eval_main, look, run_in_shell, show, site};

#[test]
fn a_quiet_network_means_that_the_late_answer_is_there() {
    run_in_shell(async |s| {
        let page = site().url("/fetch-later.html?ms=300&test=quiet");
        s.perform(Goto { url: (&*page).into(), until: Until::NetworkIdle }).await.unwrap();
        assert_ne!(s.eval("document.querySelector('#out').textContent").await, "");
        assert_eq!(site().hits("/slow?ms=300&test=quiet"), 1);
    });
}

#[test]
fn pauses_shorter_than_half_a_second_are_not_quiet() {
    run_in_shell(async |s| {
        let page = site().url("/fetch-chain.html?n=4&ms=200&test=chain");
        s.perform(Goto { url: (&*page).into(), until: Until::NetworkIdle }).await.unwrap();
        let out = s
            .eval("(out => [out.textContent, Math.max(out.dataset.longest, performance.now() - out.dataset.since)])(document.querySelector('#out'))")
            .await;
        // A machine under load can make a pause longer than the page meant it to be; then it is quiet.
        let was_held_up = out[1].as_f64().unwrap() > 400.0;
        assert!(out[0] == "done" || was_held_up, "not all four answers are there: {out}");
    });
}

#[test]
fn an_open_stream_is_no_reason_to_wait_for_ever() {
    run_in_shell(async |s| {
        s.open(&site().url("/page")).await;
        s.eval("new EventSource('/sse'), 1").await;
        s.perform(Wait::until(Until::NetworkIdle)).await.unwrap();
    });
}

#[test]
fn a_time_passes_and_one_longer_than_the_deadline_is_refused_at_once() {
    run_in_shell(async |s| {
        s.open(&site().url("/page")).await;
        let before = tokio::time::Instant::now();
        s.perform(Wait::until(Until::Time(Span(Duration::from_millis(120))))).await.unwrap();
        assert!(before.elapsed() >= Duration::from_millis(120));
        let hour = Wait::until(Until::Time(Span::seconds(3600)));
        assert_eq!(code(s.within(Duration::from_secs(5), hour).await), Code::Timeout);
        // Also one that no clock reaches.
        let for_ever = Wait::until(Until::Time(Span(Duration::MAX)));
        assert_eq!(code(s.perform(for_ever).await), Code::Timeout);
    });
}

#[test]
fn a_wait_in_one_tab_stops_nobody_and_closing_ends_it() {
    run_in_shell(async |s| {
        s.open(&site().url("/page?title=first")).await;
        let waiting = {
            let s = s.clone();
            tokio::spawn(async move { s.perform(Wait::until(Until::Time(Span::seconds(50)))).await })
        };
        s.perform(engine::actions::Tabs { op: Some(open_tab("/page?title=second")) }).await.unwrap();
        assert_eq!(s.in_tab(2, eval("document.title")).await.unwrap().value.unwrap(), "second");
        assert_eq!(
            s.in_tab(1, eval("document.title")).await.unwrap().value.unwrap(),
            "first",
            "the same tab too"
        );
        s.close().await;
        assert_eq!(code(waiting.await.unwrap()), Code::Cancelled);
    });
}

fn open_tab(path: &str) -> engine::actions::TabsOp {
    engine::actions::TabsOp::Open { url: Some((&*site().url(path)).into()), until: Until::Load }
}

fn wait() -> Wait {
    Wait::default()
}

#[test]
fn texts_that_come_and_go() {
    run_in_shell(async |s| {
        show(
            &s,
            "<p id=out>Loading…</p><script>setTimeout(() => out.innerHTML = 'Order <b>4711</b> is   ready', 300)</script>",
        )
        .await;
        s.perform(Wait { text: Some("order 4711 is ready".into()), ..wait() }).await.unwrap();
        s.perform(Wait { gone: Some("Loading".into()), ..wait() }).await.unwrap();
        let never = Wait { text: Some("Order 4712".into()), ..wait() };
        assert_eq!(code(s.within(Duration::from_millis(600), never).await), Code::Timeout);
    });
}

#[test]
fn a_text_in_a_frame_or_on_the_next_page() {
    run_in_shell(async |s| {
        let next = site().page("next", "<h1>Arrived at last</h1>");
        show(&s, &format!("<script>setTimeout(() => location.href = \"{next}\", 200)</script>")).await;
        s.perform(Wait { text: Some("Arrived at last".into()), ..wait() }).await.unwrap();
        let inner = site().on("b.localhost", "/slow?ms=300");
        show(&s, &format!("<iframe id=f></iframe><script>f.src = \"{inner}\"</script>")).await;
        s.perform(Wait { text: Some("slow".into()), ..wait() }).await.unwrap();
    });
}

#[test]
fn states_of_an_element() {
    run_in_shell(async |s| {
        show(
            &s,
            "<button id=b hidden disabled>B</button><input id=c type=checkbox aria-label=c>
             <script>const later = change => void setTimeout(change, 200)</script>",
        )
        .await;
        let is = |target: &str, state| Wait { target: Some(target.parse().unwrap()), state, ..wait() };
        s.perform(is("css=#b", TargetState::Hidden)).await.unwrap();
        for (change, target, state) in [
            ("b.hidden = false", "css=#b", TargetState::Visible),
            ("b.disabled = false", "css=#b", TargetState::Enabled),
            ("c.checked = true", "css=#c", TargetState::Checked),
            ("b.remove()", "css=#b", TargetState::Hidden),
            ("c.checked = false", "css=#c", TargetState::Unchecked),
        ] {
            eval_main(&s, &format!("later(() => {{ {change} }})")).await;
            s.perform(is(target, state)).await.unwrap();
        }
        let never = is("css=#c", TargetState::Disabled);
        assert_eq!(code(s.within(Duration::from_millis(300), never).await), Code::Timeout);
    });
}

#[test]
fn addresses_and_functions() {
    run_in_shell(async |s| {
        show(&s, "<script>setTimeout(() => history.pushState({}, '', '/cart/7'), 200)</script><p id=p></p>")
            .await;
        s.perform(Wait { url: Some("*/cart/*".into()), ..wait() }).await.unwrap();
        s.perform(Wait { url: Some("/cart/7".into()), ..wait() }).await.unwrap();
        let later = "(() => { const from = globalThis.from ??= performance.now(); return () => performance.now() > from + 250 })()";
        s.perform(Wait { function: Some(later.into()), ..wait() }).await.unwrap();
        show(&s, "<script>var app = {}; setTimeout(() => (app.ready = true), 100)</script>").await;
        s.perform(Wait { function: Some("() => window.app.ready".into()), ..wait() }).await.unwrap();
        let throws = Wait { function: Some("() => { throw new Error('no') }".into()), ..wait() };
        assert_eq!(code(s.perform(throws).await), Code::EvaluateFailed);
        let never = s.within(Duration::from_millis(400), Wait { text: Some("never".into()), ..wait() });
        let error = never.await.unwrap_err();
        assert!(
            error.code == Code::Timeout && error.hint().contains("webhand find"),
            "{error}: {}",
            error.hint()
        );
        let two = Wait { text: Some("a".into()), url: Some("b".into()), ..wait() };
        assert_eq!(code(s.perform(two).await), Code::InvalidInput);
    });
}

/// Pages that go elsewhere by themselves while something is waited for, or because a script says so.
#[test]
fn where_a_page_has_gone_meanwhile_is_told() {
    run_in_shell(async |s| {
        let next = site().url("/page?title=next");
        let leaving = format!("<button onclick=\"setTimeout(() => location = '{next}', 700)\">Pay</button>");
        show(&s, &leaving).await;
        look(&s).await;
        s.perform(Click::new("Pay".parse().unwrap())).await.unwrap();
        let waited = s.perform(Wait::until(Until::Time(Span(Duration::from_millis(1500)))));
        let outcome = waited.await.unwrap();
        assert_eq!(outcome.navigation.map(|way| way.kind), Some(NavigationKind::Document));
        assert_eq!((outcome.title.as_deref(), outcome.snapshot.is_some()), (Some("next"), true));

        show(&s, "<p>here</p>").await;
        let outcome = s.perform(Eval::new(format!("location.href = '{next}'; 1"))).await.unwrap();
        assert_eq!(outcome.navigation.map(|way| way.kind), Some(NavigationKind::Document));
        assert_eq!(outcome.title.as_deref(), Some("next"));
        // A title that changes is the next look's.
        look(&s).await;
        eval_main(&s, "document.title = 'Unread (3)'").await;
        let outcome = s.perform(Snapshot::default()).await.unwrap();
        assert_eq!(outcome.title.as_deref(), Some("Unread (3)"));
    });
}

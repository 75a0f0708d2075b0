//! What pages write to their console, and what an outcome tells of it.

use contract::{Code, ConsoleMessage};
use engine::actions::{Console, Level, Tabs, TabsOp};

use crate::support::{Fixture, code, eval, eval_main, goto, run_in_shell, show, site};

async fn console(s: &Fixture, level: Level) -> Vec<ConsoleMessage> {
    s.perform(Console { level, ..Console::default() }).await.unwrap().console
}

fn texts(messages: &[ConsoleMessage]) -> Vec<(&str, &str)> {
    messages.iter().map(|message| (&*message.level, &*message.text)).collect()
}

#[test]
fn messages_by_their_level_and_in_the_consoles_words() {
    run_in_shell(async |s| {
        s.open(&site().page("page", "")).await;
        eval_main(
            &s,
            "console.log('%s has %d', 'a', 2, {x: 1, list: [1]}, [1, 'b', null]); console.info('info');
             console.warn('warned'); console.debug('debugged'); console.error('bad', new Map([[1, 'one']]));
             console.assert(false, 'not so'); console.clear(); console.log(document.body, undefined, 12n)",
        )
        .await;
        let all = console(&s, Level::Debug).await;
        assert_eq!(
            texts(&all),
            [
                ("info", "a has 2 {x: 1, list: Array(1)} [1, 'b', null]"),
                ("info", "info"),
                ("warning", "warned"),
                ("debug", "debugged"),
                ("error", "bad Map(1) {1 => one}"),
                ("error", "Assertion failed: not so"),
                ("info", "body undefined 12n"),
            ]
        );
        assert_eq!(console(&s, Level::Info).await.len(), 6);
        assert_eq!(
            texts(&console(&s, Level::Warning).await),
            [
                ("warning", "warned"),
                ("error", "bad Map(1) {1 => one}"),
                ("error", "Assertion failed: not so")
            ]
        );
        let since = Console { since: all[4].number, ..Console::default() };
        assert_eq!(s.perform(since).await.unwrap().console.len(), 2);
        let limited = s.perform(Console { limit: Some(2), ..Console::default() }).await.unwrap();
        assert_eq!(limited.console.last().unwrap().text, "body undefined 12n");
        assert!(limited.notes[0].contains("4 earlier ones"), "{:?}", limited.notes);
    });
}

#[test]
fn only_messages_of_the_page_that_is_there() {
    run_in_shell(async |s| {
        let page = site().page("page", "<script>console.log('same')</script>");
        s.open(&page).await;
        s.perform(goto(&page.replace("127.0.0.1", "localhost"))).await.unwrap();
        s.perform(goto(&page.replace("127.0.0.1", "localhost"))).await.unwrap();
        let here = s.perform(Console { this_page: true, ..Console::default() }).await.unwrap();
        let told: Vec<_> = here.console.iter().map(|message| (&*message.text, message.repeated)).collect();
        assert_eq!(told, [("same", 0)]);
        assert_eq!(here.notes, ["2 of earlier pages are not listed"]);
        assert_eq!(console(&s, Level::Info).await.len(), 3);
    });
}

#[test]
fn exceptions_repetitions_and_long_messages() {
    run_in_shell(async |s| {
        s.open(&site().url("/page")).await;
        let body = "<script>
            for (let i = 0; i < 3; i++) console.log('again');
            Promise.reject(new Error('promised'));
            setTimeout(() => { throw new TypeError('thrown'); });
            console.error('x'.repeat(5000));
        </script>";
        show(&s, body).await;
        s.eval("new Promise(resolve => setTimeout(resolve, 50))").await;
        let messages = console(&s, Level::Info).await;
        let by = |text: &str| {
            messages.iter().find(|message| message.text.lines().next().unwrap().contains(text)).unwrap()
        };
        assert_eq!(by("again").repeated, 3);
        assert!(by("promised").text.starts_with("Uncaught (in promise) Error: promised"));
        assert!(by("thrown").text.starts_with("Uncaught TypeError: thrown") && by("thrown").level == "error");
        assert!(by("thrown").at.contains("/page?title=page"), "{:?}", by("thrown"));
        assert!(by("xxx").text.ends_with("x… (5000 characters in all)") && by("xxx").text.len() < 2100);
    });
}

#[test]
fn messages_outlive_their_page_until_they_are_cleared() {
    run_in_shell(async |s| {
        s.open(&site().page("one", "<script>console.log('first page')</script>")).await;
        s.perform(goto(&site().page("two", "<script>console.log('second page')</script>"))).await.unwrap();
        let listed = s.perform(Console { clear: true, ..Console::default() }).await.unwrap().console;
        assert_eq!(texts(&listed), [("info", "first page"), ("info", "second page")]);
        assert_eq!(console(&s, Level::Debug).await, []);
        eval_main(&s, "console.log('later')").await;
        let later = console(&s, Level::Debug).await;
        assert!(later[0].number > listed[1].number, "numbers go on");
    });
}

#[test]
fn frames_of_other_processes_write_to_the_same_console() {
    run_in_shell(async |s| {
        let inner = site().page("inner", "<script>console.warn('from the frame')</script>");
        let inner = inner.replace("127.0.0.1", "localhost");
        s.open(&site().page("outer", &format!("<iframe src=\"{inner}\"></iframe>"))).await;
        assert_eq!(texts(&console(&s, Level::Info).await), [("warning", "from the frame")]);
    });
}

#[test]
fn an_outcome_tells_the_errors_of_its_action_and_no_others() {
    run_in_shell(async |s| {
        let outcome = s
            .perform(goto(
                &site().page("page", "<script>console.error('early'); console.log('fine')</script>"),
            ))
            .await;
        assert_eq!(texts(&outcome.unwrap().console), [("error", "early")]);
        let outcome = eval_main(&s, "console.error('y'.repeat(1000)); console.warn('w')").await;
        assert_eq!(outcome.console.len(), 1, "{:?}", outcome.console);
        assert!(outcome.console[0].text.starts_with("yyy") && outcome.console[0].text.chars().count() < 350);
        assert_eq!(s.perform(eval("1")).await.unwrap().console, []);
        let many = eval_main(&s, "for (let i = 0; i < 15; i++) console.error('number ' + i)").await;
        assert_eq!((many.console.len(), &*many.notes[0]), (10, "5 more errors are in `webhand console`"));
        let url = site().page("new", "<script>console.error('in a new tab')</script>");
        let tab = TabsOp::Open { url: Some((&*url).into()), until: engine::Until::Load };
        let outcome = s.perform(Tabs { op: Some(tab) }).await.unwrap();
        assert_eq!(texts(&outcome.console), [("error", "in a new tab")]);
    });
}

#[test]
fn there_is_no_console_without_a_session() {
    run_in_shell(async |s| {
        assert_eq!(code(s.perform(Console::default()).await), Code::SessionNotFound);
        s.open(&site().url("/page")).await;
        assert_eq!(code(s.in_tab(9, Console::default()).await), Code::TabNotFound);
    });
}

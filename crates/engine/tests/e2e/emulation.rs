//! What pages are made to believe: for all tabs, those to come, frames of other processes, and after a crash.

use contract::{Code, Typed};
use engine::{
    Until,
    actions::{
        ColorScheme, Emulate, Eval, Header, Reload, Resize, Scale, Screenshot, Tabs, TabsOp, Wait, World,
    },
};
use serde_json::{Value, json};

use crate::{
    clicking::click,
    crash::{begin_endless, browser_pid, kill},
    support::{Fixture, code, eval, eval_main, goto, run, run_alone, show, site},
};

async fn emulate(s: &Fixture, emulate: Emulate) -> Value {
    s.perform(emulate).await.unwrap().value.unwrap()
}

fn resize(size: &str) -> Resize {
    Resize { size: Some(size.into()), ..Resize::default() }
}

async fn in_new_tab(s: &Fixture, url: &str) {
    let open = TabsOp::Open { url: Some(url.into()), until: Until::Load };
    s.perform(Tabs { op: Some(open) }).await.unwrap();
}

const SIZE: &str = "[innerWidth, innerHeight, devicePixelRatio]";

#[test]
fn another_size_for_all_tabs() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        in_new_tab(&s, &site().url("/page")).await;
        s.perform(resize("400x300@2")).await.unwrap();
        assert_eq!(s.eval(SIZE).await, json!([400, 300, 2]));
        assert_eq!(s.in_tab(1, eval(SIZE)).await.unwrap().value.unwrap(), json!([400, 300, 2]));
        in_new_tab(&s, &site().url("/page")).await;
        assert_eq!(s.eval(SIZE).await, json!([400, 300, 2]));
        let picture = s.perform(Screenshot::default()).await.unwrap().screenshot.unwrap();
        assert_eq!((picture.width, picture.height), (400, 300));
        let device = Screenshot { scale: Scale::Device, ..Screenshot::default() };
        let picture = s.perform(device).await.unwrap().screenshot.unwrap();
        assert_eq!((picture.width, picture.height), (800, 600));
        let scaled = Resize { scale: Some(1.5), ..resize("500x400") };
        assert_eq!(s.perform(scaled).await.unwrap().value.unwrap(), "500x400@1.5");
        let preset = Resize { preset: Some("ipad".into()), ..Resize::default() };
        s.perform(preset).await.unwrap();
        // Without a word about the viewport, pages are laid out for a desktop and shown smaller; the screen is the device's.
        let touch = "[screen.width, navigator.maxTouchPoints > 0, matchMedia('(pointer: coarse)').matches]";
        assert_eq!(s.eval(touch).await, json!([820, true, true]));
        s.perform(resize("500x400")).await.unwrap();
        assert_eq!(s.eval(&touch.replace("screen.width", "innerWidth")).await, json!([500, false, false]));
    });
}

#[test]
fn the_screen_has_room_for_the_page() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        let sizes = "[innerWidth, innerHeight, outerWidth, outerHeight, screen.width, screen.height]";
        assert_eq!(s.eval(sizes).await, json!([1280, 720, 1280, 720, 1280, 720]), "the window fills it");
        s.perform(resize("1920x1080")).await.unwrap();
        assert_eq!(s.eval("[innerWidth, screen.width, screen.height]").await, json!([1920, 1920, 1080]));
        let picture = s.perform(Screenshot::default()).await.unwrap().screenshot.unwrap();
        assert_eq!((picture.width, picture.height), (1920, 1080), "though the window is smaller");
        // What a page fills the screen with, and that it does, is the page's own matter.
        show(&s, "<button onclick='document.documentElement.requestFullscreen()'>Fill</button>").await;
        s.perform(click("css=button")).await.unwrap();
        let filled = "() => !!document.fullscreenElement";
        s.perform(Wait { function: Some(filled.into()), ..Wait::default() }).await.unwrap();
        eval_main(&s, "document.exitFullscreen().then(() => 1)").await;
        assert_eq!(s.eval("!document.fullscreenElement && innerWidth").await, 1920);
    });
}

#[test]
fn every_tab_is_in_a_window_that_fills_the_screen() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        in_new_tab(&s, &site().url("/page")).await;
        let seen = "[document.visibilityState, outerWidth, outerHeight]";
        assert_eq!(s.eval(seen).await, json!(["visible", 1280, 720]));
        // The window goes with its last tab, and the next one has a new one.
        for _ in 0..2 {
            s.perform(Tabs { op: Some(TabsOp::Close { tab: None }) }).await.unwrap();
        }
        in_new_tab(&s, &site().url("/page")).await;
        assert_eq!(s.eval(seen).await, json!(["visible", 1280, 720]));
    });
}

#[test]
fn what_a_device_is_and_calls_itself() {
    run(async |s| {
        emulate(&s, Emulate { preset: Some("pixel-9".into()), ..Emulate::default() }).await;
        s.open(&site().url("/echo")).await;
        let js =
            "[screen.width, devicePixelRatio, /Android.*Mobile/.test(navigator.userAgent), navigator.platform,
            (navigator.userAgentData?.brands ?? []).length]";
        assert_eq!(s.eval(js).await, json!([412, 2.625, true, "Linux armv81", 0]));
        let sent = s.eval("JSON.parse(document.querySelector('#echo').textContent).headers").await;
        assert!(sent["user-agent"].as_str().unwrap().contains("Android"), "{sent}");
        assert!(
            sent.get("sec-ch-ua").is_none_or(|hints| !hints.as_str().unwrap().contains("Chrom")),
            "{sent}"
        );
        let mine = Emulate { user_agent: Some("mine/1".into()), ..Emulate::default() };
        assert_eq!(emulate(&s, mine).await["user_agent"], "mine/1");
        assert_eq!(s.eval("navigator.userAgent").await, "mine/1");
        let told = emulate(&s, Emulate { reset: true, ..Emulate::default() }).await;
        assert_eq!(told, json!({"viewport": "1280x720"}));
        s.perform(goto(&site().url("/echo"))).await.unwrap();
        let js = "[innerWidth, navigator.userAgent.includes('Chrome'), navigator.maxTouchPoints]";
        assert_eq!(s.eval(js).await, json!([1280, true, 0]));
    });
}

const PLACE: &str =
    "(() => [navigator.language, navigator.languages.join(), Intl.DateTimeFormat().resolvedOptions().locale,
    (1234.5).toLocaleString(), Intl.DateTimeFormat().resolvedOptions().timeZone])()";

#[test]
fn language_time_zone_and_place() {
    run(async |s| {
        s.open(&site().on("localhost", "/page")).await;
        let before = s.eval(PLACE).await;
        let german = Emulate {
            locale: Some("de-DE".into()),
            timezone: Some("Asia/Tokyo".into()),
            geolocation: Some("52.5,13.4,7".into()),
            ..Emulate::default()
        };
        emulate(&s, german).await;
        let wanted = json!(["de-DE", "de-DE,de", "de-DE", "1.234,5", "Asia/Tokyo"]);
        assert_eq!(s.eval(PLACE).await, wanted);
        s.perform(goto(&site().on("localhost", "/echo"))).await.unwrap();
        assert_eq!(s.eval(PLACE).await, wanted);
        let sent = s.eval("JSON.parse(document.querySelector('#echo').textContent).headers").await;
        assert_eq!(sent["accept-language"], "de-DE,de;q=0.9");
        let where_am_i = "new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(
            ({coords: c}) => resolve([c.latitude, c.longitude, c.accuracy]), error => resolve(error.message)))";
        assert_eq!(eval_main(&s, where_am_i).await.value.unwrap(), json!([52.5, 13.4, 7]));
        in_new_tab(&s, &site().on("localhost", "/page")).await;
        assert_eq!(s.eval(PLACE).await, wanted, "in a tab of the same process too");
        assert_eq!(eval_main(&s, where_am_i).await.value.unwrap(), json!([52.5, 13.4, 7]));
        let french = Emulate { locale: Some("fr-FR".into()), ..Emulate::default() };
        emulate(&s, french).await;
        assert_eq!(s.eval("[navigator.language, (1.5).toLocaleString()]").await, json!(["fr-FR", "1,5"]));
        emulate(&s, Emulate { reset: true, ..Emulate::default() }).await;
        s.perform(Reload::default()).await.unwrap();
        assert_eq!(s.eval(PLACE).await, before);
        let asked = "navigator.permissions.query({name: 'geolocation'}).then(p => p.state)";
        assert_eq!(s.eval(asked).await, "prompt");
    });
}

#[test]
fn colours_motion_and_the_network() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        let media = "[matchMedia('(prefers-color-scheme: dark)').matches,
            matchMedia('(prefers-reduced-motion: reduce)').matches, navigator.onLine]";
        assert_eq!(s.eval(media).await, json!([false, false, true]));
        let all = Emulate {
            color_scheme: Some(ColorScheme::Dark),
            reduced_motion: Some(true),
            offline: Some(true),
            ..Emulate::default()
        };
        let told = emulate(&s, all).await;
        assert_eq!(told["offline"], true);
        assert_eq!(s.eval(media).await, json!([true, true, false]));
        assert_eq!(code(s.perform(goto(&site().url("/page?title=offline"))).await), Code::NavigationFailed);
        let some =
            Emulate { color_scheme: Some(ColorScheme::None), offline: Some(false), ..Emulate::default() };
        assert_eq!(emulate(&s, some).await, json!({"viewport": "1280x720", "reduced_motion": true}));
        s.perform(goto(&site().url("/page?title=online"))).await.unwrap();
        assert_eq!(s.eval(media).await, json!([false, true, true]));
    });
}

#[test]
fn headers_of_every_request_are_secrets() {
    run(async |s| {
        let header = |name: &str, value: &str| Header { name: name.into(), value: Typed::from(value) };
        let set =
            Emulate { headers: vec![header("X-Key", "hunter2"), header("x-two", "2")], ..Emulate::default() };
        let told = emulate(&s, set).await;
        assert_eq!(told["headers"], json!({"x-key": "[7 characters]", "x-two": "[1 characters]"}));
        s.open(&site().url("/echo")).await;
        let echo = "JSON.parse(document.querySelector('#echo').textContent).headers";
        assert_eq!(s.eval(echo).await["x-key"], "hunter2");
        let fewer = Emulate { headers: vec![header("x-key", "")], ..Emulate::default() };
        assert_eq!(emulate(&s, fewer).await["headers"], json!({"x-two": "[1 characters]"}));
        s.perform(goto(&site().url("/echo"))).await.unwrap();
        let sent = s.eval(echo).await;
        assert_eq!((&sent["x-key"], &sent["x-two"]), (&Value::Null, &json!("2")));
    });
}

#[test]
fn frames_of_other_processes_believe_the_same() {
    run(async |s| {
        let frame = site().on("localhost", "/page?title=framed");
        s.open(&site().page("outer", &format!("<iframe src=\"{frame}\"></iframe>"))).await;
        let believed = async || {
            let js = "[matchMedia('(prefers-color-scheme: dark)').matches, navigator.language, navigator.userAgent,
                Intl.DateTimeFormat().resolvedOptions().timeZone]";
            let in_frame = Eval { frame: Some("f1".parse().unwrap()), world: World::Main, ..eval(js) };
            s.perform(in_frame).await.unwrap().value.unwrap()
        };
        let set = Emulate {
            color_scheme: Some(ColorScheme::Dark),
            locale: Some("de-DE".into()),
            user_agent: Some("mine/1".into()),
            timezone: Some("Asia/Tokyo".into()),
            ..Emulate::default()
        };
        emulate(&s, set).await;
        let wanted = json!([true, "de-DE", "mine/1", "Asia/Tokyo"]);
        assert_eq!(believed().await, wanted, "one that was there before");
        s.perform(Reload::default()).await.unwrap();
        assert_eq!(believed().await, wanted, "one that came later");
    });
}

#[test]
fn bad_input_changes_nothing() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        let before = emulate(&s, Emulate { timezone: Some("UTC".into()), ..Emulate::default() }).await;
        let some = |text: &str| Some(text.to_owned());
        let dark = Emulate { color_scheme: Some(ColorScheme::Dark), ..Emulate::default() };
        let header = |name: &str, value: &str| vec![Header { name: name.into(), value: Typed::from(value) }];
        for bad in [
            Emulate { timezone: some("Mars/Olympus"), ..dark.clone() },
            Emulate { locale: some("no such language"), ..dark.clone() },
            Emulate { locale: some("xx-YY"), ..dark.clone() },
            Emulate { preset: some("toaster"), ..dark.clone() },
            Emulate { geolocation: some("91,0"), ..dark.clone() },
            Emulate { user_agent: some("two\nlines"), ..dark.clone() },
            Emulate { headers: header("not a name", "x"), ..dark.clone() },
            Emulate { headers: header("x-ok", "hunter2\r\nx-other: 1"), ..dark.clone() },
        ] {
            let error = s.perform(bad.clone()).await.unwrap_err();
            assert_eq!(error.code, Code::InvalidInput, "{bad:?}");
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
        for bad in
            [resize("big"), resize("0x5"), Resize::default(), Resize { scale: Some(99.0), ..resize("5x5") }]
        {
            assert_eq!(code(s.perform(bad).await), Code::InvalidInput);
        }
        assert_eq!(emulate(&s, Emulate::default()).await, before);
        assert_eq!(s.eval("matchMedia('(prefers-color-scheme: dark)').matches").await, false);
    });
}

#[test]
fn it_holds_after_a_crash() {
    run_alone(async |s| {
        s.open(&site().url("/page?title=one")).await;
        let set =
            Emulate { locale: Some("de-DE".into()), geolocation: Some("1,2".into()), ..Emulate::default() };
        emulate(&s, set).await;
        s.perform(resize("600x500")).await.unwrap();
        let waiting = begin_endless(&s, "emulation").await;
        kill(browser_pid(&s));
        assert_eq!(code(waiting.await.unwrap()), Code::BrowserCrashed);
        let js = "navigator.permissions.query({name: 'geolocation'}).then(p => [innerWidth, navigator.language, p.state])";
        let outcome = s.perform(eval(js)).await.unwrap();
        assert!(outcome.recovered);
        assert_eq!(outcome.value.unwrap(), json!([600, "de-DE", "granted"]));
    });
}

#[test]
fn a_tab_that_does_not_answer_holds_up_nobody() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        in_new_tab(&s, &site().url("/page")).await;
        assert_eq!(code(s.in_tab(1, eval("alert('busy')")).await), Code::DialogOpen);
        let dark = Emulate { color_scheme: Some(ColorScheme::Dark), ..Emulate::default() };
        let outcome = s.perform(dark).await.unwrap();
        assert_eq!(outcome.notes, ["t1 does not answer; it changes when it does"]);
        let answer = engine::actions::Dialog { answer: engine::actions::Answer::Accept, text: None };
        s.in_tab(1, answer).await.unwrap();
        let js = "matchMedia('(prefers-color-scheme: dark)').matches";
        assert_eq!(s.in_tab(1, eval(js)).await.unwrap().value.unwrap(), true);
    });
}

//! Acting beside the same input sent by hand: what aiming, checking and settling add to a click.

use serde_json::json;
use testkit::Site;

use crate::{Raw, Target, Tool, pairs};

const IDLE: &str =
    "<button style='position:fixed;left:20px;top:20px;width:100px;height:40px'>Nothing</button>
    <button id=other style='position:fixed;left:20px;top:80px'>Other</button>
    <input id=field style='position:fixed;left:20px;top:140px' aria-label=Field>";

/// The effect comes from a server that takes its time; the page says when it was there.
const APP: &str = "<button style='position:fixed;left:20px;top:20px;width:100px;height:40px' onclick=go()>Load</button><p id=out></p>
    <script>async function go() { const text = await (await fetch('/slow?ms=50')).text(); out.textContent = 'answer ' + performance.now(); done?.(); }
    let done;</script>";

pub(crate) fn measure(site: &Site) {
    let idle = site.page("idle", IDLE);
    let (mut raw, mut tool) = (Raw::start(&idle), Tool::start(&idle));
    let button = ref_in(&mut tool, "button \"Nothing\"");
    let row =
        pairs(100, || raw.click(70.0, 40.0), || tool.ask(&json!({"action": "click", "target": button})));
    row.report("click by ref, nothing happens", Target::Over(25.0));

    let field = ref_in(&mut tool, "textbox \"Field\"");
    let row = pairs(
        60,
        || raw.fill("#field", "some text"),
        || tool.ask(&json!({"action": "fill", "target": field, "text": "some text"})),
    );
    row.report("fill by ref", Target::Over(25.0));

    let row = pairs(
        40,
        || raw.click(70.0, 40.0),
        || tool.ask(&json!({"action": "click", "target": "the Nothing button"})),
    );
    row.report("click in plain words", Target::None);
    drop((raw, tool));

    let app = site.page("app", APP);
    let (mut raw, mut tool) = (Raw::start(&app), Tool::start(&app));
    let button = ref_in(&mut tool, "button \"Load\"");
    let floor = || {
        // Press, release, and a promise that is kept as soon as the effect is there: less than that nobody can wait.
        let click = raw.click(70.0, 40.0);
        click + raw.wait("new Promise(resolve => (done = resolve))")
    };
    let ours = || {
        let began = std::time::Instant::now();
        let outcome = tool.answer(&json!({"action": "click", "target": button}));
        let took = began.elapsed();
        assert!(outcome["delta"]["text"].as_str().is_some_and(|text| text.contains("answer")), "{outcome}");
        took
    };
    let row = pairs(40, floor, ours);
    row.report("click, its answer comes 50 ms later", Target::Over(40.0));
}

fn ref_in(tool: &mut Tool, line: &str) -> String {
    let snapshot =
        tool.answer(&json!({"action": "snapshot"}))["snapshot"]["text"].as_str().unwrap().to_owned();
    let found = snapshot.lines().find(|candidate| candidate.contains(line)).unwrap().to_owned();
    found.split_once("[ref=").unwrap().1.split_once(']').unwrap().0.to_owned()
}

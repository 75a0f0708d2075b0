//! Snapshots beside Chromium's own accessibility tree and beside a script that only walks the page.

use std::time::Duration;

use serde_json::json;
use testkit::Site;

use crate::{Raw, Row, Target, Tool, pairs};

/// Reads tag, text and box of everything, and nothing else.
const BARE_WALK: &str = r"(() => {
    const out = [];
    const walk = node => {
        for (let child = node.firstChild; child; child = child.nextSibling) {
            if (child.nodeType === 1) {
                const { x, y, width, height } = child.getBoundingClientRect();
                out.push(`${child.tagName} ${x | 0} ${y | 0} ${width | 0} ${height | 0}`);
                walk(child);
            } else if (child.nodeType === 3) out.push(child.data);
        }
    };
    walk(document.documentElement);
    return out.join('\n');
})()";

/// Changes the page a moment after the script has returned, so that its outcome does not tell of it, and waits until that has been
/// drawn, so that nobody measures the browser's own work.
fn change(tool: &mut Tool, js: &str) {
    tool.ask(
        &json!({"action": "eval", "world": "main", "js": format!("setTimeout(() => {{ {js} }}, 100), 1")}),
    );
    std::thread::sleep(Duration::from_millis(400));
}

/// A snapshot for which everything has to be looked at: whatever the class of the body means, it may mean it for everything.
fn full(tool: &mut Tool, round: usize) -> Duration {
    change(tool, &format!("document.body.className = 'c{round}'"));
    tool.ask(&json!({"action": "snapshot"}))
}

pub(crate) fn measure(site: &Site) {
    let large = site.url("/orders.html?rows=2000&picks=1");
    let (mut raw, mut tool) = (Raw::start(&large), Tool::start(&large));
    tool.ask(&json!({"action": "snapshot"}));

    let mut round = 0;
    let mut next_full = |tool: &mut Tool| {
        round += 1;
        full(tool, round)
    };
    let row = pairs(5, || raw.time("Accessibility.getFullAXTree", &json!({})), || next_full(&mut tool));
    row.report("snapshot, 20,000 elements, beside the AX tree", Target::Ratio(1.0 / 8.0));

    let row = pairs(15, || raw.evaluate(BARE_WALK), || next_full(&mut tool));
    row.report("snapshot, 20,000 elements, beside a bare walk", Target::Ratio(1.5));

    let mut changes = Vec::new();
    let mut fulls = Vec::new();
    for round in 0..15 {
        change(
            &mut tool,
            &format!("document.querySelectorAll('td')[{}].textContent = 'changed'", 5000 + round),
        );
        changes.push(tool.ask(&json!({"action": "snapshot", "diff": true})));
        fulls.push(next_full(&mut tool));
    }
    let row = Row { raw: fulls, ours: changes };
    row.report("what changed, one element of 20,000, beside full", Target::Ratio(0.1));

    drop((raw, tool));
    linear(site);
    bytes(site);
}

/// Cost by the size of the page.
fn linear(site: &Site) {
    let mut costs = Vec::new();
    for rows in [100, 500, 2000, 5000] {
        let mut tool = Tool::start(&site.url(&format!("/orders.html?rows={rows}&picks=1")));
        tool.ask(&json!({"action": "snapshot"}));
        let mut times: Vec<Duration> = (0..7).map(|round| full(&mut tool, round)).collect();
        times.sort();
        let elements = f64::from(rows) * 10.0;
        costs.push(times[times.len() / 2].as_secs_f64() * 1e6 / elements);
        println!(
            "{:<44} {:>9} {:>9.2} µs an element",
            "snapshot, by the size of the page",
            elements,
            costs[costs.len() - 1]
        );
    }
    let most = costs.iter().skip(1).fold(0.0_f64, |most, cost| most.max(*cost));
    println!(
        "{:<44} {:>29.2} x  <= 2 x: {}",
        "… the largest beside the smallest",
        most / costs[0],
        crate::mark(most / costs[0] <= 2.0)
    );
}

/// Size of the text that a model reads.
fn bytes(site: &Site) {
    let mut tool = Tool::start(&site.url("/orders.html?rows=100&fields=12"));
    let text = tool.answer(&json!({"action": "snapshot"}))["snapshot"]["text"].as_str().unwrap().to_owned();
    assert!(text.contains("button \"Ship 99\"") && text.contains("textbox \"Field 11\""));
    println!(
        "{:<44} {:>29} bytes  <= 12000: {}",
        "snapshot, 898 elements",
        text.len(),
        crate::mark(text.len() <= 12_000)
    );
}

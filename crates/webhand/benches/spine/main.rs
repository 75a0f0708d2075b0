//! How fast webhand is beside the raw protocol, in one run: each of our samples is taken next to one of raw CDP.
//!
//! A harness of its own, since what counts is the pair: the machine changes from minute to minute, the ratio does not.
//! `cargo bench` runs it; it prints medians in milliseconds, and whether each target is met.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot measure stops, and prints what it measured"
)]

mod eyes;
mod hands;
mod raw;
mod tool;

use std::time::{Duration, Instant};

use raw::Raw;
use serde_json::json;
use testkit::Site;
use tool::Tool;

fn main() {
    let site = Site::start();
    let page = site.url("/page?title=bench");
    println!("{:<44} {:>9} {:>9} {:>9} {:>7}  target", "median ms", "raw", "webhand", "over", "ratio");

    let (mut raw, mut tool) = (Raw::start(&page), Tool::start(&page));

    let row = pairs(300, || raw.evaluate("1 + 1"), || tool.ask(&json!({"action": "eval", "js": "1 + 1"})));
    row.report("evaluate, through the daemon", Target::Over(2.0));

    let row = pairs(40, || raw.evaluate("1 + 1"), || tool.command(&["eval", "1 + 1"]));
    row.report("evaluate, a whole `webhand eval`", Target::Over(5.0));

    let row = pairs(60, || raw.navigate(&page), || tool.ask(&json!({"action": "goto", "url": page})));
    row.report("navigate, until load", Target::None);

    let file = tool.home().join("bench.png");
    let row = pairs(30, || raw.screenshot(), || tool.ask(&json!({"action": "screenshot", "path": file})));
    row.report("screenshot, PNG to a file", Target::None);

    let mut number = 0;
    let row = pairs(
        20,
        || raw.new_context(),
        || {
            number += 1;
            tool.new_session(&format!("s{number}"))
        },
    );
    row.report("new session in a running daemon", Target::Ratio(1.2));

    drop((raw, tool));
    let row = pairs(
        8,
        || {
            let began = Instant::now();
            let raw = Raw::start(&page);
            let took = began.elapsed();
            drop(raw);
            took
        },
        || {
            let began = Instant::now();
            let tool = Tool::start(&page);
            let took = began.elapsed();
            drop(tool);
            took
        },
    );
    row.report("start to first page", Target::Ratio(1.15));
    hands::measure(&site);
    eyes::measure(&site);
}

/// What a measurement should stay below.
enum Target {
    /// This many milliseconds over the raw protocol.
    Over(f64),
    /// This many times the raw protocol.
    Ratio(f64),
    /// Shown for comparison.
    None,
}

struct Row {
    raw: Vec<Duration>,
    ours: Vec<Duration>,
}

/// Takes samples of both in turns, the first of each left out: it warms up.
fn pairs(rounds: usize, mut raw: impl FnMut() -> Duration, mut ours: impl FnMut() -> Duration) -> Row {
    let mut row = Row { raw: Vec::new(), ours: Vec::new() };
    for round in 0..=rounds {
        // The order changes, so that neither always runs in the other's wake.
        let (a, b) = if round % 2 == 0 {
            let a = raw();
            (a, ours())
        } else {
            let b = ours();
            (raw(), b)
        };
        if round > 0 {
            row.raw.push(a);
            row.ours.push(b);
        }
    }
    row
}

impl Row {
    fn report(mut self, name: &str, target: Target) {
        let (raw, ours) = (median(&mut self.raw), median(&mut self.ours));
        let (over, ratio) = (ours - raw, ours / raw);
        let verdict = match target {
            Target::Over(limit) => format!("<= {limit} ms over: {}", mark(over <= limit)),
            Target::Ratio(limit) => format!("<= {limit:.3} x: {}", mark(ratio <= limit)),
            Target::None => String::new(),
        };
        println!("{name:<44} {raw:>9.2} {ours:>9.2} {over:>9.2} {ratio:>7.2}  {verdict}");
    }
}

fn mark(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}

fn median(samples: &mut [Duration]) -> f64 {
    samples.sort();
    samples[samples.len() / 2].as_secs_f64() * 1000.0
}

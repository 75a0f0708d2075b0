//! `/metrics`: how much was done, how it went and how long it took, in Prometheus' text format.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use engine::{Engine, Event, Phase};
use guard::proxy::Counts;
use tokio::sync::broadcast;

use crate::{daemon::memory_kb, http::App};

/// The upper bounds of the duration histogram, in seconds.
const BOUNDS: [f64; 13] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

/// What has been counted.
#[derive(Default)]
pub(crate) struct Metrics(Mutex<Counted>);

#[derive(Default)]
struct Counted {
    /// How many actions ended so, by verb and code.
    actions: BTreeMap<(&'static str, &'static str), u64>,
    durations: BTreeMap<&'static str, Durations>,
    running: i64,
    missed: u64,
}

#[derive(Default)]
struct Durations {
    /// How many were within each bound and none below it.
    within: [u64; BOUNDS.len()],
    count: u64,
    seconds: f64,
}

impl Metrics {
    /// Counts for as long as there is an engine.
    pub(crate) async fn follow(self: Arc<Self>, engine: &Engine) {
        let mut events = engine.subscribe();
        loop {
            match events.recv().await {
                Ok(event) => self.count(&event),
                Err(broadcast::error::RecvError::Lagged(missed)) => self.counted().missed += missed,
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    }

    fn count(&self, event: &Event) {
        let mut counted = self.counted();
        let Phase::Ended { code, ms } = event.phase else {
            counted.running += 1;
            return;
        };
        counted.running -= 1;
        *counted.actions.entry((event.verb, code.map_or("OK", |code| code.as_str()))).or_default() += 1;
        let durations = counted.durations.entry(event.verb).or_default();
        let seconds = ms / 1e3;
        if let Some(place) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            durations.within[place] += 1;
        }
        durations.count += 1;
        durations.seconds += seconds;
    }

    fn counted(&self) -> std::sync::MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn text(&self, gauges: &[(&str, &str, f64)]) -> String {
        let counted = self.counted();
        let mut text = String::new();
        let head = |text: &mut String, name: &str, kind: &str, help: &str| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        };
        head(&mut text, "webhand_actions_total", "counter", "Actions that have ended, by verb and code.");
        for ((verb, code), count) in &counted.actions {
            let _ = writeln!(text, "webhand_actions_total{{verb=\"{verb}\",code=\"{code}\"}} {count}");
        }
        let name = "webhand_action_duration_seconds";
        head(&mut text, name, "histogram", "How long actions took, by verb.");
        for (verb, durations) in &counted.durations {
            let mut sum = 0;
            for (bound, within) in BOUNDS.iter().zip(durations.within) {
                sum += within;
                let _ = writeln!(text, "{name}_bucket{{verb=\"{verb}\",le=\"{bound}\"}} {sum}");
            }
            let Durations { count, seconds, .. } = durations;
            let _ = writeln!(text, "{name}_bucket{{verb=\"{verb}\",le=\"+Inf\"}} {count}");
            let _ = writeln!(text, "{name}_sum{{verb=\"{verb}\"}} {seconds}");
            let _ = writeln!(text, "{name}_count{{verb=\"{verb}\"}} {count}");
        }
        head(&mut text, "webhand_events_missed_total", "counter", "Actions that were not counted.");
        let _ = writeln!(text, "webhand_events_missed_total {}", counted.missed);
        head(&mut text, "webhand_actions_running", "gauge", "Actions under way.");
        let _ = writeln!(text, "webhand_actions_running {}", counted.running.max(0));
        for (name, help, value) in gauges {
            head(&mut text, name, "gauge", help);
            let _ = writeln!(text, "{name} {value}");
        }
        text
    }
}

/// The page.
pub(crate) async fn page(State(app): State<Arc<App>>) -> Response {
    let engine = &app.tools.engine;
    let traffic = engine.traffic();
    let all = |count: fn(&Counts) -> u64| traffic.iter().map(|(_, counts)| count(counts)).sum::<u64>() as f64;
    let text = app.metrics.text(&[
        ("webhand_sessions", "Sessions there are.", engine.list().len() as f64),
        ("webhand_browsers", "Shared browsers that run.", engine.browsers().len() as f64),
        ("webhand_calls_running", "Calls of tools under way.", app.turns.running() as f64),
        ("webhand_proxy_requests", "Requests of the sessions there are.", all(|counts| counts.requests)),
        ("webhand_proxy_blocked", "Those that the rules forbade.", all(|counts| counts.blocked)),
        ("webhand_proxy_failed", "Those that came to nothing otherwise.", all(|counts| counts.failed)),
        ("webhand_proxy_sent_bytes", "What they sent.", all(|counts| counts.sent)),
        ("webhand_proxy_received_bytes", "What they received.", all(|counts| counts.received)),
        (
            "process_resident_memory_bytes",
            "Memory of webhand itself, without its browsers.",
            memory_kb().unwrap_or_default() as f64 * 1024.0,
        ),
        (
            "webhand_uptime_seconds",
            "How long it has been running.",
            app.started.elapsed().as_secs_f64().floor(),
        ),
    ]);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

#[cfg(test)]
mod tests {
    use contract::{Code, Effect, SessionName};
    use engine::Front;

    use super::*;

    #[test]
    fn actions_are_counted() {
        let metrics = Metrics::default();
        let tell = |phase| {
            metrics.count(&Event {
                session: SessionName::default(),
                tab: None,
                verb: "click",
                effect: Effect::Input,
                front: Front::Http,
                agent: None,
                phase,
            });
        };
        for (code, ms) in [(None, 4.0), (None, 300.0), (Some(Code::Timeout), 90_000.0)] {
            tell(Phase::Started { limit_ms: 1 });
            tell(Phase::Ended { code, ms });
        }
        tell(Phase::Started { limit_ms: 1 });
        let text = metrics.text(&[("webhand_sessions", "Sessions there are.", 2.0)]);
        for line in [
            "webhand_actions_total{verb=\"click\",code=\"OK\"} 2",
            "webhand_actions_total{verb=\"click\",code=\"TIMEOUT\"} 1",
            "webhand_action_duration_seconds_bucket{verb=\"click\",le=\"0.005\"} 1",
            "webhand_action_duration_seconds_bucket{verb=\"click\",le=\"0.25\"} 1",
            "webhand_action_duration_seconds_bucket{verb=\"click\",le=\"60\"} 2",
            "webhand_action_duration_seconds_bucket{verb=\"click\",le=\"+Inf\"} 3",
            "webhand_action_duration_seconds_count{verb=\"click\"} 3",
            "webhand_actions_running 1",
            "webhand_sessions 2",
        ] {
            assert!(text.lines().any(|known| known == line), "{line} is not in\n{text}");
        }
    }
}

//! Warnings and errors of ours, for clients that show them.

#![expect(deprecated, reason = "logging is on its way out of the protocol, and what clients of today have")]

use std::fmt::Write;

use rmcp::{
    RoleServer,
    model::{LoggingLevel, LoggingMessageNotificationParam},
    service::Peer,
};
use tokio::sync::{broadcast, watch};
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{Layer, layer::Context};

/// How many lines may wait for a client that is slow.
const KEPT: usize = 64;

/// The crates whose words are ours. What others log may hold what a client sent.
const OURS: [&str; 7] = ["webhand", "engine", "cdp", "guard", "journal", "toolsets", "contract"];

/// Where warnings and errors can be heard.
#[derive(Clone)]
pub(crate) struct Logs(broadcast::Sender<Line>);

#[derive(Clone, Debug)]
struct Line {
    level: LoggingLevel,
    logger: String,
    text: String,
}

impl Default for Logs {
    fn default() -> Self {
        Logs(broadcast::Sender::new(KEPT))
    }
}

impl<S: Subscriber> Layer<S> for Logs {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let about = event.metadata();
        let crate_name = about.target().split(':').next().unwrap_or_default();
        let level = match *about.level() {
            Level::ERROR => LoggingLevel::Error,
            Level::WARN => LoggingLevel::Warning,
            _ => return,
        };
        if !OURS.contains(&crate_name) {
            return;
        }
        let mut text = Text(String::new());
        event.record(&mut text);
        let _ = self.0.send(Line { level, logger: crate_name.into(), text: text.0 });
    }
}

/// The words of a log line.
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let gap = if self.0.is_empty() { "" } else { " " };
        let _ = match field.name() {
            "message" => write!(self.0, "{gap}{value:?}"),
            name => write!(self.0, "{gap}{name}={value:?}"),
        };
    }
}

impl Logs {
    /// Passes on to a client what is logged from now on, from the level that it wants, until it goes away.
    pub(crate) fn pass_on(
        &self,
        peer: Peer<RoleServer>,
        wanted: watch::Receiver<LoggingLevel>,
    ) -> impl Future<Output = ()> + Send + 'static {
        let mut lines = self.0.subscribe();
        async move {
            loop {
                let line = match lines.recv().await {
                    Ok(line) => line,
                    Err(broadcast::error::RecvError::Lagged(_)) => continue,
                    Err(broadcast::error::RecvError::Closed) => return,
                };
                if weight(line.level) < weight(*wanted.borrow()) {
                    continue;
                }
                let said = LoggingMessageNotificationParam::new(line.level, line.text.into());
                if peer.notify_logging_message(said.with_logger(line.logger)).await.is_err() {
                    return;
                }
            }
        }
    }
}

fn weight(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

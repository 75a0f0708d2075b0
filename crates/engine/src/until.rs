//! What to wait for: a state of loading, or a length of time. One word for every verb that waits.

use std::{fmt, str::FromStr, time::Duration};

use contract::{Code, Error, Result, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::{lift::timed_out, tab::Tab};

/// A network is idle when there has been no request for this long.
const IDLE: Duration = Duration::from_millis(500);

/// How long the last parts of a page may usually take once its HTML has been read.
const LAST_PARTS: Duration = Duration::from_secs(10);
/// The outcome must get out before the deadline ends the action.
const MARGIN: Duration = Duration::from_millis(200);

/// A number without a unit is seconds up to here.
const MOST_BARE: f64 = 30.0;

/// What to wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Until {
    /// The new page has begun; nothing of it need be there.
    Commit,
    /// Its HTML has been read.
    DomContentLoaded,
    /// All that it loads by itself is there.
    Load,
    /// The same; but one whose last parts take long is used without them.
    #[default]
    Usual,
    /// There has been no request for 500 ms.
    NetworkIdle,
    /// A length of time, whatever happens.
    Time(Span),
}

impl FromStr for Until {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text {
            "commit" => Until::Commit,
            "domcontentloaded" => Until::DomContentLoaded,
            "load" => Until::Load,
            "usual" => Until::Usual,
            "network_idle" | "networkidle" => Until::NetworkIdle,
            // Elsewhere such numbers are milliseconds, and nobody means eight minutes.
            number if number.parse::<f64>().is_ok_and(|number| number > MOST_BARE) => {
                return Err(Error::invalid(format!("{number} has no unit"))
                    .with_hint(format!("write {number}ms or {number}s")));
            }
            time => Until::Time(time.parse().map_err(|_| {
                Error::invalid(format!("{text:?} is nothing to wait for")).with_hint(
                    "give a time (2s, 500ms), usual, commit, domcontentloaded, load or network_idle",
                )
            })?),
        })
    }
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Until::Commit => f.write_str("commit"),
            Until::DomContentLoaded => f.write_str("domcontentloaded"),
            Until::Load => f.write_str("load"),
            Until::Usual => f.write_str("usual"),
            Until::NetworkIdle => f.write_str("network_idle"),
            Until::Time(span) => span.fmt(f),
        }
    }
}

impl Serialize for Until {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Until {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(|error: Error| serde::de::Error::custom(error.message))
    }
}

impl JsonSchema for Until {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Until".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "usual (load, but at most 10 s once the HTML is there), commit, domcontentloaded, load, network_idle (no request for 500 ms), or a time such as 2s",
        })
    }
}

impl Until {
    /// How long it takes at the least.
    pub(crate) fn own_time(self) -> Duration {
        match self {
            Until::Time(Span(time)) => time,
            _ => Duration::ZERO,
        }
    }

    /// Waits for it in a tab whose page has begun. A dialog that opens ends the wait: the page stands still until
    /// somebody answers it, and the outcome says so.
    pub(crate) async fn wait(self, tab: &Tab, deadline: Instant) -> Result<()> {
        match self {
            Until::Commit => Ok(()),
            Until::DomContentLoaded => {
                tab.until(deadline, self, |state| state.stands_still() || state.document.dom).await
            }
            Until::Load => {
                tab.until(deadline, self, |state| state.stands_still() || state.document.load).await
            }
            Until::Usual => {
                Box::pin(Until::DomContentLoaded.wait(tab, deadline)).await?;
                let enough = (deadline - MARGIN).min(Instant::now() + LAST_PARTS);
                match Box::pin(Until::Load.wait(tab, enough)).await {
                    Err(error) if error.code == Code::Timeout => Ok(()),
                    loaded => loaded,
                }
            }
            Until::NetworkIdle => network_idle(tab, deadline).await,
            Until::Time(Span(time)) => pass(tab, time, deadline).await,
        }
    }
}

/// The half second begins when the waiting does: what an action before it has set going may not have asked for anything yet.
async fn network_idle(tab: &Tab, deadline: Instant) -> Result<()> {
    let began = Instant::now();
    loop {
        // First the events: nothing under way, and the page itself read.
        let quiet_since = tab
            .until_some(deadline, Until::NetworkIdle, |state| match state.stands_still() {
                true => Some(None),
                false => (state.document.dom && state.requests.is_idle())
                    .then(|| Some(state.requests.last_activity().max(began))),
            })
            .await?;
        // Then the time: half a second without any.
        let Some(quiet_since) = quiet_since else { return Ok(()) };
        let quiet_until = quiet_since + IDLE;
        let disturbed = tab.until(deadline, Until::NetworkIdle, move |state| {
            state.stands_still() || !state.requests.is_idle() || state.requests.last_activity() > quiet_since
        });
        match timeout_at(quiet_until, disturbed).await {
            Err(_) => return Ok(()),
            Ok(disturbed) => disturbed?,
        }
    }
}

/// Lets the time pass, unless the tab ends or the deadline comes first.
async fn pass(tab: &Tab, time: Duration, deadline: Instant) -> Result<()> {
    let Some(end) = Instant::now().checked_add(time).filter(|end| *end <= deadline) else {
        return Err(
            timed_out(format_args!("{} to pass", Span(time))).with_hint("allow more time with --timeout")
        );
    };
    tokio::select! {
        () = sleep_until(end) => Ok(()),
        ended = tab.until(deadline, "time to pass", |_| false) => ended,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for text in ["commit", "domcontentloaded", "load", "network_idle", "2s", "500ms"] {
            assert_eq!(text.parse::<Until>().unwrap().to_string(), text);
        }
        assert_eq!("3".parse::<Until>().unwrap().to_string(), "3s");
        for bad in ["", "500", "idle", "loaded", "2 parsecs"] {
            assert!(bad.parse::<Until>().is_err(), "{bad:?}");
        }
    }
}

//! Lengths of time as people write them: `2s`, `500ms`, `1.5m`; a bare number is seconds.

use std::{fmt, str::FromStr, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Error, Result};

/// A length of time, at most a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub Duration);

const LONGEST: f64 = 86_400.0;

impl Span {
    /// Some seconds.
    pub const fn seconds(seconds: u64) -> Span {
        Span(Duration::from_secs(seconds))
    }

    fn checked(seconds: f64, text: &dyn fmt::Display) -> Result<Span> {
        if (0.0..=LONGEST).contains(&seconds) {
            return Ok(Span(Duration::from_secs_f64(seconds)));
        }
        Err(Error::invalid(format!("{text} is not a time between 0 and a day"))
            .with_hint("write it like 500ms, 2s or 1m"))
    }
}

impl FromStr for Span {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        let (number, unit) =
            text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
        let factor = match unit {
            "ms" => 0.001,
            "" | "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => f64::NAN,
        };
        Span::checked(number.trim().parse::<f64>().unwrap_or(f64::NAN) * factor, &format_args!("{text:?}"))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.0.as_millis();
        if milliseconds.is_multiple_of(1000) {
            write!(f, "{}s", milliseconds / 1000)
        } else {
            write!(f, "{milliseconds}ms")
        }
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Seconds(f64),
            Text(String),
        }
        let span = match Written::deserialize(deserializer)? {
            Written::Seconds(seconds) => Span::checked(seconds, &seconds),
            Written::Text(text) => text.parse(),
        };
        span.map_err(|error| serde::de::Error::custom(error.message))
    }
}

impl JsonSchema for Span {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Span".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": ["string", "number"], "description": "a time: 500ms, 2s, 1m; a number is seconds"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let check = |text: &str, milliseconds| {
            assert_eq!(text.parse::<Span>().unwrap(), Span(Duration::from_millis(milliseconds)), "{text}");
        };
        check("2s", 2000);
        check("500ms", 500);
        check("1.5m", 90_000);
        check("3", 3000);
        check("0", 0);
        for bad in ["", "s", "-1s", "2 weeks", "1e9", "nan", "inf", "2ss", "25h"] {
            assert!(bad.parse::<Span>().is_err(), "{bad:?}");
        }
        assert_eq!(serde_json::from_str::<Span>("1.5").unwrap().to_string(), "1500ms");
    }
}

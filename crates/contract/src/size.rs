//! Sizes of files as people write them: `500MB`, `2GB`, `1.5GiB`; a bare number is bytes.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Error, Result};

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

/// The units, the largest first.
const UNITS: [(&str, u64); 8] = [
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1_000),
    ("TIB", 1 << 40),
    ("GIB", 1 << 30),
    ("MIB", 1 << 20),
    ("KIB", 1 << 10),
];

impl FromStr for Size {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let trimmed = text.trim();
        let (number, unit) =
            trimmed.split_at(trimmed.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(trimmed.len()));
        let factor = match unit.to_ascii_uppercase().as_str() {
            "" | "B" => Some(1),
            unit => UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor),
        };
        let bytes = factor.and_then(|factor| Some(number.trim().parse::<f64>().ok()? * factor as f64));
        match bytes.filter(|bytes| (0.0..1e18).contains(bytes)) {
            Some(bytes) => Ok(Size(bytes as u64)),
            None => {
                Err(Error::invalid(format!("{text:?} is not a size")).with_hint("write it like 500MB or 2GB"))
            }
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = UNITS[..4].iter().find(|(_, factor)| self.0 >= *factor && self.0.is_multiple_of(*factor));
        match unit {
            Some((name, factor)) => write!(f, "{} {name}", self.0 / factor),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Bytes(u64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Bytes(bytes) => Ok(Size(bytes)),
            Written::Text(text) => {
                text.parse().map_err(|error: Error| serde::de::Error::custom(error.message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let check = |text: &str, bytes: Option<u64>, shown: &str| {
            let size = text.parse::<Size>().ok();
            assert_eq!(size.map(|size| size.0), bytes, "{text}");
            assert_eq!(size.map(|size| size.to_string()).unwrap_or_default(), shown, "{text}");
        };
        check("2GB", Some(2_000_000_000), "2 GB");
        check("1.5 mb", Some(1_500_000), "1500 KB");
        check("1KiB", Some(1024), "1024 bytes");
        check("0", Some(0), "0 bytes");
        check("10", Some(10), "10 bytes");
        for bad in ["", "GB", "-1", "2 apples", "1e300TB", "NaN"] {
            check(bad, None, "");
        }
    }
}

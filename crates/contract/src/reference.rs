//! Refs: the short names that snapshots give to elements.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Error, FrameId, Result};

/// An element as a snapshot named it: `e12` in the page itself, `f1e3` in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ref {
    /// The frame that holds the element; none for the page itself.
    pub frame: Option<FrameId>,
    /// The element's number, never used twice in a document.
    pub element: u32,
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.frame {
            Some(frame) => write!(f, "{frame}e{}", self.element),
            None => write!(f, "e{}", self.element),
        }
    }
}

impl FromStr for Ref {
    type Err = Error;

    /// Accepts a leading `@`, which some agents write.
    fn from_str(text: &str) -> Result<Self> {
        parse(text.strip_prefix('@').unwrap_or(text))
            .ok_or_else(|| Error::invalid(format!("{text:?} is not a ref like e12 or f1e3")))
    }
}

fn parse(text: &str) -> Option<Ref> {
    let (frame, element) = text.split_once('e')?;
    let frame = match frame {
        "" => None,
        frame => Some(frame.parse().ok()?),
    };
    let digits = !element.is_empty() && element.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| element.parse().ok())?.map(|element| Ref { frame, element })
}

impl Serialize for Ref {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Ref {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(|e: Error| serde::de::Error::custom(e.message))
    }
}

impl JsonSchema for Ref {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Ref".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "description": "an element of a snapshot: e12, or f1e3 in a frame"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let check = |text: &str, frame, element| {
            assert_eq!(text.parse::<Ref>().unwrap(), Ref { frame, element }, "{text}");
        };
        check("e12", None, 12);
        check("@e12", None, 12);
        check("f1e3", Some(FrameId(1)), 3);
        check("@f10e30", Some(FrameId(10)), 30);
        for bad in ["", "e", "12", "f1", "f1e", "fe3", "e-1", "e+1", "@@e1", "E1", "e1 ", "email", "e1e2"] {
            assert!(bad.parse::<Ref>().is_err(), "{bad:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_can_be_read(frame in proptest::option::of(0u32..), element in 0u32..) {
            let written = Ref { frame: frame.map(FrameId), element };
            proptest::prop_assert_eq!(written.to_string().parse::<Ref>().unwrap(), written);
        }
    }
}

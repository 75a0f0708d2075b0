//! Short, stable names for sessions, agents, tabs and frames.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Error, Result};

/// The name of a session: 1 to 64 letters, digits, `.`, `_` or `-`, so that it is safe in file names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct SessionName(String);

impl SessionName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for SessionName {
    fn default() -> Self {
        SessionName("default".into())
    }
}

impl FromStr for SessionName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let fits = (1..=64).contains(&text.len())
            && !text.starts_with(['.', '-'])
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
        if !fits {
            return Err(Error::invalid(format!("{text:?} is not a name")).with_hint(
                "use 1 to 64 letters, digits, dots, dashes or underscores, starting with none of . and -",
            ));
        }
        Ok(SessionName(text.into()))
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SessionName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

/// The name of an agent that has a token: 1 to 32 small letters, digits, `_` or `-`, so that it is safe in the names of sessions and files,
/// also where those do not tell letters by their case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct AgentName(String);

impl AgentName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the agent of the one token that every home has.
    pub fn is_default(&self) -> bool {
        *self == AgentName::default()
    }
}

impl Default for AgentName {
    fn default() -> Self {
        AgentName("default".into())
    }
}

impl FromStr for AgentName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let fits = (1..=32).contains(&text.len())
            && !text.starts_with('-')
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b));
        if !fits {
            return Err(Error::invalid(format!("{text:?} is not a name for an agent")).with_hint(
                "use 1 to 32 small letters, digits, dashes or underscores, not beginning with a dash",
            ));
        }
        Ok(AgentName(text.into()))
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for AgentName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

/// Reads any of these ids from a JSON string.
fn from_text<'de, T: FromStr<Err = Error>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(|e: Error| serde::de::Error::custom(e.message))
}

/// Declares an id that is a letter and a number.
macro_rules! numbered_id {
    ($(#[$doc:meta])* $name:ident $letter:literal $example:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(
            /// The number after the letter.
            pub u32,
        );

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $letter, self.0)
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                text.strip_prefix($letter)
                    .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
                    .and_then(|digits| digits.parse().ok())
                    .map($name)
                    .ok_or_else(|| Error::invalid(format!(concat!("{:?} is not an id like ", $example), text)))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                from_text(deserializer)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string", "pattern": concat!("^", $letter, "[0-9]+$")})
            }
        }
    };
}

numbered_id! {
    /// A tab of a session, `t1`, `t2` and so on; a number is never used twice in a session.
    TabId "t" "t1"
}

numbered_id! {
    /// A frame inside a page, `f1`, `f2` and so on; the page itself is `f0`.
    FrameId "f" "f1"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_names() {
        for good in ["default", "a", "my.session_2-x"] {
            assert_eq!(good.parse::<SessionName>().unwrap().as_str(), good);
        }
        for bad in ["", ".hidden", "-flag", "a/b", "a b", "..", "名", &"x".repeat(65)] {
            assert!(bad.parse::<SessionName>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn agent_names() {
        for good in ["default", "a", "my_agent-2", &"x".repeat(32)] {
            assert_eq!(good.parse::<AgentName>().unwrap().as_str(), good);
        }
        for bad in ["", "-flag", "a.b", "A", "a/b", "a b", "名", &"x".repeat(33)] {
            assert!(bad.parse::<AgentName>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn numbered_ids() {
        assert_eq!("t12".parse::<TabId>().unwrap(), TabId(12));
        assert_eq!(serde_json::to_value(FrameId(3)).unwrap(), "f3");
        assert_eq!(serde_json::from_str::<TabId>("\"t2\"").unwrap(), TabId(2));
        for bad in ["", "t", "12", "T1", "t-1", "t+1", "t99999999999"] {
            assert!(bad.parse::<TabId>().is_err(), "{bad:?}");
        }
    }
}

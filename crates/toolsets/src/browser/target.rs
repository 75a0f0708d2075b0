//! Targets as this dialect writes them: those of the grammar, and selectors without a prefix, which its users are used to.

use contract::{Result, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

/// A ref, a selector, a point, or a description in plain words.
#[derive(Clone, Debug)]
pub(crate) struct Place(pub(crate) Target);

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        place(&text).map(Place).map_err(|error| serde::de::Error::custom(error.message))
    }
}

impl JsonSchema for Place {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Place".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string"})
    }
}

/// The target that a text means here.
pub(crate) fn place(text: &str) -> Result<Target> {
    if is_selector(text) { format!("css={text}").parse() } else { text.parse() }
}

/// Whether a text can only be meant as a CSS selector: it starts like one, and a description has blanks or no such signs.
fn is_selector(text: &str) -> bool {
    let text = text.trim();
    let starts = text.starts_with(['#', '.', '['])
        && text[1..].starts_with(|c: char| c.is_ascii_alphabetic() || "-_".contains(c));
    let name = text.split(['#', '.', '[', ':']).next().unwrap_or_default();
    let rest = &text[name.len()..];
    let tag =
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    let sign = rest.starts_with('[') && rest.contains('=')
        || rest.len() > 1 && rest.starts_with(['#', '.']) && !text.contains(' ');
    starts || tag && sign && name.starts_with(|c: char| c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_told_from_words() {
        for selector in [
            "#submit",
            ".primary",
            "[data-testid=x]",
            "button.primary",
            "a[href=\"/home\"]",
            "input#name",
            "div[role='x y']",
        ] {
            assert!(matches!(place(selector), Ok(Target::Css(_))), "{selector}");
        }
        for words in [
            "#1",
            "the third button",
            "Save.",
            "button",
            ".",
            "e.g. this one",
            "submit",
            "登录",
            "v2.0 notes",
            "No. 5",
            "Node.js",
        ] {
            assert!(matches!(place(words), Ok(Target::Words(_))), "{words}");
        }
        assert!(matches!(place("e12"), Ok(Target::Ref(_))));
        assert!(matches!(place("10,20"), Ok(Target::Point { .. })));
    }
}

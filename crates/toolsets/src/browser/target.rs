//! Targets as this dialect writes them: those of the grammar, selectors without a prefix, which its users are used to, and the
//! simplest of Playwright's locators.

mod chain;
mod locator;
mod selector;

use contract::{FrameId, Result, Target};
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
    let text = text.trim();
    // A frame before a selector looks like a chain of Playwright's, and is none.
    if text.split_once(">>").is_some_and(|(frame, _)| frame.trim().parse::<FrameId>().is_ok()) {
        return text.parse();
    }
    if let Some(target) = locator::read(text)? {
        return Ok(target);
    }
    if selector::is_selector(text) { Ok(Target::Css(text.into())) } else { text.parse() }
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
            "nav > a",
            "nav>a",
            "section > p",
            "head > title",
            "label + input",
            "h2 ~ p",
            "nav a",
            "main p",
            "ul li",
            "nav button",
            "header nav",
            "a img",
            "table tr td",
            "a",
            "p",
            "h1",
            "li",
            "div",
            "body",
            "li:first-child",
            "button:nth-of-type(2)",
            "input:not([type=hidden]):checked",
            ":checked",
            "nav a.active",
            "main #save",
            "ul.menu > li:nth-child(2) a[href*='x > y']",
            "input[required]",
            "h1, h2",
            "my-list > li",
        ] {
            assert!(matches!(place(selector), Ok(Target::Css(css)) if css == selector), "{selector}");
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
            "report.pdf",
            "input",
            "menu",
            "title",
            "label",
            "form",
            "link",
            "nav",
            "nav menu",
            "small table",
            "del",
            "main",
            "b",
            "a button",
            "a menu",
            "select option",
            "main section",
            "main menu",
            "table caption",
            "File > Open",
            "menu > Open",
            "Home >> Products",
            "1 + 2",
            "option[2]",
            "button: Save",
            "button:save",
            "Price: low to high",
            "label:",
            "a, b and c",
            "A",
            "H1",
            "P",
        ] {
            assert!(matches!(place(words), Ok(Target::Words(_))), "{words}");
        }
        assert!(matches!(place("e12"), Ok(Target::Ref(_))));
        assert!(matches!(place("10,20"), Ok(Target::Point { .. })));
        assert!(matches!(place("xpath=//nav/a"), Ok(Target::Xpath(_))));
    }
}

//! Targets: the one grammar in which every front names an element.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Error, FrameId, Ref, Result};

/// What an action is aimed at.
///
/// A ref (`e12`, `f1e3`, `@e12`), `css=…`, `xpath=…` or `//…`, either with a frame before it (`f1 >> input`), `x,y` in viewport
/// pixels, `x,y/1000` in thousandths of the viewport, `x,y@picture` in pixels of the last picture that was sent; anything else is a
/// description in plain words, in English or Chinese.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// An element of the last snapshot.
    Ref(Ref),
    /// A CSS selector.
    Css(String),
    /// An XPath expression.
    Xpath(String),
    /// A point in the viewport, in CSS pixels.
    Point {
        /// Pixels from the left edge.
        x: f64,
        /// Pixels from the top edge.
        y: f64,
    },
    /// A point in thousandths of the viewport's width and height, as some models give them.
    Thousandths {
        /// Thousandths of the width, from the left edge.
        x: f64,
        /// Thousandths of the height, from the top edge.
        y: f64,
    },
    /// A point in the last picture of the page that the caller was sent, in pixels of that picture; in the viewport if there is none.
    Pictured {
        /// Pixels from the picture's left edge.
        x: f64,
        /// Pixels from its top edge.
        y: f64,
    },
    /// A description in plain words.
    Words(String),
}

impl FromStr for Target {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        let some = |rest: &str, what| match rest.trim() {
            "" => Err(Error::invalid(format!("there is no {what} after the prefix in {text:?}"))),
            rest => Ok(rest.to_owned()),
        };
        if text.is_empty() {
            return Err(Error::invalid("the target is empty")
                .with_hint("name an element by ref (e12), css=…, xpath=…, x,y or in plain words"));
        }
        if let Some(css) = text.strip_prefix("css=") {
            return some(css, "selector").map(Target::Css);
        }
        if let Some(xpath) = text.strip_prefix("xpath=") {
            return some(xpath, "expression").map(Target::Xpath);
        }
        if let Some(target) = in_frame(text) {
            return Ok(target);
        }
        if text.starts_with("//") || text.starts_with("(//") {
            return Ok(Target::Xpath(text.into()));
        }
        if let Ok(reference) = text.parse() {
            return Ok(Target::Ref(reference));
        }
        Ok(point(text).unwrap_or_else(|| Target::Words(text.into())))
    }
}

/// `f1 >> input`: a selector that means only what is in one frame; `f0` is the page itself.
fn in_frame(text: &str) -> Option<Target> {
    let (frame, selector) = text.split_once(">>")?;
    let frame: FrameId = frame.trim().parse().ok()?;
    let selector = selector.trim();
    match selector.strip_prefix("xpath=").or_else(|| selector.starts_with('/').then_some(selector)) {
        Some(xpath) => Some(xpath.trim())
            .filter(|text| !text.is_empty())
            .map(|xpath| Target::Xpath(format!("{frame} >> {xpath}"))),
        None => {
            let css = selector.strip_prefix("css=").unwrap_or(selector).trim();
            Some(css).filter(|text| !text.is_empty()).map(|css| Target::Css(format!("{frame} >> {css}")))
        }
    }
}

/// `x,y`, both finite decimal numbers; negative ones are words, since no point of a viewport has them.
fn point(text: &str) -> Option<Target> {
    let number = |part: &str| {
        let part = part.trim();
        let plain = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        plain.then(|| part.parse::<f64>().ok()).flatten().filter(|n| n.is_finite())
    };
    let (x, y) = text.split_once(',')?;
    if let Some(y) = y.strip_suffix("@picture") {
        return Some(Target::Pictured { x: number(x)?, y: number(y)? });
    }
    match y.split_once('/') {
        Some((y, "1000")) => Some(Target::Thousandths { x: number(x)?, y: number(y)? })
            .filter(|point| matches!(point, Target::Thousandths { x, y } if *x <= 1000.0 && *y <= 1000.0)),
        Some(_) => None,
        None => Some(Target::Point { x: number(x)?, y: number(y)? }),
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Ref(reference) => reference.fmt(f),
            Target::Css(css) => write!(f, "css={css}"),
            Target::Xpath(xpath) => write!(f, "xpath={xpath}"),
            Target::Point { x, y } => write!(f, "{x},{y}"),
            Target::Thousandths { x, y } => write!(f, "{x},{y}/1000"),
            Target::Pictured { x, y } => write!(f, "{x},{y}@picture"),
            Target::Words(words) => f.write_str(words),
        }
    }
}

impl Serialize for Target {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(|e: Error| serde::de::Error::custom(e.message))
    }
}

impl JsonSchema for Target {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Target".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "a ref (e12, f1e3), css=…, xpath=… or //…, x,y in viewport pixels, x,y/1000 in thousandths of the viewport, or a description in plain words",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let check =
            |text: &str, target: Target| assert_eq!(text.parse::<Target>().unwrap(), target, "{text}");
        let words = |text: &str| Target::Words(text.into());
        check("e12", Target::Ref("e12".parse().unwrap()));
        check(" @f1e3 ", Target::Ref("f1e3".parse().unwrap()));
        check("css=#a > b", Target::Css("#a > b".into()));
        check("xpath=/html/body", Target::Xpath("/html/body".into()));
        check("//a[@href]", Target::Xpath("//a[@href]".into()));
        check("(//a)[2]", Target::Xpath("(//a)[2]".into()));
        check("f1 >> input#a", Target::Css("f1 >> input#a".into()));
        check("f0>>css=a", Target::Css("f0 >> a".into()));
        check("css=f1 >> a", Target::Css("f1 >> a".into()));
        check("f2 >> //a", Target::Xpath("f2 >> //a".into()));
        check("f1 >> ", words("f1 >>"));
        check("10,20", Target::Point { x: 10.0, y: 20.0 });
        check("10.5, 0", Target::Point { x: 10.5, y: 0.0 });
        check("500,250/1000", Target::Thousandths { x: 500.0, y: 250.0 });
        check("7,8.5@picture", Target::Pictured { x: 7.0, y: 8.5 });
        check("500,1250/1000", words("500,1250/1000"));
        for text in [
            "email",
            "the blue login button",
            "蓝色登录按钮",
            "1, 2 and 3",
            "-1,2",
            "1,",
            "nan,1",
            "#id",
            "e1 e2",
        ] {
            check(text, words(text));
        }
        for bad in ["", "  ", "css=", "xpath= "] {
            assert!(bad.parse::<Target>().is_err(), "{bad:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_text_is_a_target_or_a_coded_error(text in ".*") {
            if let Ok(target) = text.parse::<Target>() {
                proptest::prop_assert_eq!(target.to_string().parse::<Target>().unwrap(), target);
            }
        }
    }
}

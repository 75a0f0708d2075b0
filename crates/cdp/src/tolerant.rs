//! Decoding that survives what pages put into strings.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// Decodes; where the text holds a lone surrogate (pages can make such strings, JSON can spell them, Rust strings cannot
/// hold them), decodes with U+FFFD in its place.
pub(crate) fn decode<T: DeserializeOwned>(raw: &RawValue) -> Result<T, serde_json::Error> {
    serde_json::from_str(raw.get()).or_else(|error| match without_lone_surrogates(raw.get()) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(text) => serde_json::from_str(&text),
    })
}

fn without_lone_surrogates(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let unit = |at: usize| {
        let digits = json.get(at + 2..at + 6)?;
        (bytes.get(at..at + 2) == Some(b"\\u")).then(|| u16::from_str_radix(digits, 16).ok()).flatten()
    };
    let mut mended = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = json[at..].find('\\') {
        at += found;
        match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                mended.push_str(&json[copied..at]);
                mended.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            Some(_) => at += 6,
            // Any other escape is two bytes long; `json` is valid, so a character follows.
            None => at = (at + 2).min(json.len()),
        }
    }
    if copied == 0 {
        return json.into();
    }
    mended.push_str(&json[copied..]);
    mended.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        let check = |json: &str, text: &str| {
            let raw = RawValue::from_string(json.into()).unwrap();
            assert_eq!(decode::<String>(&raw).unwrap(), text, "{json}");
        };
        check(r#""plain \\ud800 \n""#, "plain \\ud800 \n");
        check(r#""\ud83d\ude00""#, "😀");
        check(r#""a\ud83db""#, "a\u{fffd}b");
        check(r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}");
        check(r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀");
    }
}

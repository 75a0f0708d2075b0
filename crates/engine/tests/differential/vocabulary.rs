//! Chromium's internal words in ours.

use std::collections::BTreeSet;

/// (Chromium's, ours, why). What is not here has the same word.
const ROLES: &[(&str, &str, &str)] = &[
    ("image", "img", "two words for one role; models have read the older one"),
    ("graphics-document", "img", "a drawing is an image to whoever reads a page"),
    ("graphics-symbol", "img", "a drawing is an image to whoever reads a page"),
    ("graphics-object", "group", "parts of a drawing in a group"),
    ("SvgRoot", "img", "internal word for a drawing with words or links in it"),
    ("Iframe", "iframe", "internal word"),
    ("Canvas", "canvas", "internal word"),
    ("Video", "video", "internal word"),
    ("Audio", "audio", "internal word"),
    ("MathMLMath", "math", "internal word"),
    ("DisclosureTriangle", "button", "a summary is pressed like a button"),
    ("Date", "textbox", "HTML-AAM names no role; it is filled with a text"),
    ("InputTime", "textbox", "HTML-AAM names no role; it is filled with a text"),
    ("DateTime", "textbox", "HTML-AAM names no role; it is filled with a text"),
    ("ColorWell", "textbox", "HTML-AAM names no role; it is filled with a text"),
    ("LayoutTable", "table", "Chromium guesses from the looks; HTML-AAM does not"),
    ("LayoutTableRow", "row", "Chromium guesses from the looks; HTML-AAM does not"),
    ("LayoutTableCell", "cell", "Chromium guesses from the looks; HTML-AAM does not"),
    ("sectionheader", "generic", "no landmark, so only its content matters"),
    ("sectionfooter", "generic", "no landmark, so only its content matters"),
    ("Abbr", "generic", "HTML-AAM: no role"),
    ("DescriptionList", "generic", "HTML-AAM: no role"),
    ("Figcaption", "generic", "HTML-AAM: no role"),
    ("LabelText", "generic", "HTML-AAM: no role"),
    ("Legend", "generic", "HTML-AAM: no role"),
    ("Ruby", "generic", "HTML-AAM: no role"),
    ("LineBreak", "generic", "HTML-AAM: no role"),
    ("MathMLIdentifier", "generic", "the formula as a whole has a role"),
    ("MathMLOperator", "generic", "the formula as a whole has a role"),
    ("MathMLNumber", "generic", "the formula as a whole has a role"),
    ("MathMLFraction", "generic", "the formula as a whole has a role"),
];

/// Chromium's role in our words.
pub(crate) fn in_our_words(role: &str) -> &str {
    ROLES.iter().find(|(chromiums, ..)| *chromiums == role).map_or(role, |(_, ours, _)| ours)
}

/// The words for which no element was met, given Chromium's roles of all that were.
pub(crate) fn unused(met: &BTreeSet<String>) -> impl Iterator<Item = &'static str> {
    ROLES.iter().map(|(chromiums, ..)| *chromiums).filter(|word| !met.contains(*word))
}

//! Where we differ from Chromium on purpose. A difference that is gone must leave this list.

use crate::compare::Difference;

/// What holds for many elements.
pub(crate) struct Rule {
    pub why: &'static str,
    pub holds: fn(&Difference<'_>) -> bool,
}

pub(crate) const RULES: &[Rule] = &[
    Rule {
        why: "the root of Chromium's tree stands for the document",
        holds: |it| it.element.tag == "html" && it.what == "role" && it.ours == "document",
    },
    Rule {
        why: "Chromium leaves bodies out of tables without a head; a table is easier to read when all parts are there",
        holds: |it| it.element.tag == "tbody" && it.ours == "rowgroup" && it.chromiums == "none",
    },
    Rule {
        why: "a row is named by its content (ARIA 1.2); Chromium does that in grids only",
        holds: |it| it.what == "name" && it.element.ours.role == "row" && it.chromiums.is_empty(),
    },
    Rule {
        why: "Chromium counts how deep a list item is nested; the tree shows that by itself",
        holds: |it| it.what == "level" && it.element.ours.role == "listitem" && it.ours.is_empty(),
    },
    Rule {
        why: "that a select is closed is the usual, and what is chosen is said as its value",
        holds: |it| it.what == "expanded" && it.element.tag == "select" && it.ours.is_empty(),
    },
    Rule {
        why: "without a source, Chromium says nothing of a player but that it cannot play",
        holds: |it| matches!(&*it.element.tag, "audio" | "video") && matches!(it.what, "name" | "disabled"),
    },
];

const CARDS: &str = "accname 2H: all content counts; links around whole cards would have no name";
const ICON: &str = "a character for private use is an icon, which only its font can show";
const LOOKS: &str = "HTML-AAM: roles come from elements, not from what a style makes of them";
const ORPHANS: &str = "pages forget the parent that the role should have; the role still says what it is for";
const RUBY: &str = "the small characters repeat the large ones";
const SECRET: &str = "nothing of a password is said, its length neither";
const SUMMARY: &str = "HTML §4.11.2: only the first summary of details is one";
const UNNAMED: &str = "a generic element with a title may well be a button, whose name it is";

/// (place, what, ours, Chromium's, why)
pub(crate) const DIFFERENCES: &[(&str, &str, &str, &str, &str)] = &[
    ("content: display contents", "name", "abc", "a b c", "a box that is not there parts no words"),
    ("content: possible line break", "name", "ab", "a b", "a word stays one word where it may be broken"),
    ("content: span with a title in a heading > span", "name", "there", "", UNNAMED),
    ("content: span with a title in a heading > span", "description", "", "there", UNNAMED),
    ("content: icon with a title", "name", "Delete", "", "accname 2I: better than a button without a name"),
    ("content: icon with a title > i", "name", "Delete", "", UNNAMED),
    ("content: icon with a title > i", "description", "", "Delete", UNNAMED),
    ("content: article in a link", "name", "Card Text", "", CARDS),
    ("content: quotation in a link", "name", "Text", "", CARDS),
    ("content: figure in a link", "name", "Cat Text", "", CARDS),
    ("content: formula in a link", "name", "a x", "a", CARDS),
    ("content: ruby in a link > ruby", "description", "", "かん", RUBY),
    (
        "content: capitals by style",
        "name",
        "Text",
        "TEXT",
        "the text is what it is, and costs no style to read",
    ),
    ("content: list items by style > span", "role", "generic", "listitem", LOOKS),
    ("content: list items by style > span", "level", "", "1", LOOKS),
    (
        "controls: input number with a list",
        "role",
        "spinbutton",
        "combobox",
        "HTML-AAM: only fields of text become one",
    ),
    ("controls:  > fieldset", "disabled", "true", "", "so is all that is in it"),
    ("controls: input invalid spelling", "invalid", "spelling", "true", "the reason is worth a word"),
    ("controls: editing host", "role", "textbox", "generic", "it is there to be typed into"),
    ("controls:  > div", "disabled", "", "true", "ARIA 1.2: not a state of generic; what is in it has it"),
    ("elements: second summary", "role", "generic", "button", SUMMARY),
    ("elements: second summary", "name", "", "Second", SUMMARY),
    ("elements: second summary", "expanded", "", "true", SUMMARY),
    ("elements: summary of nothing", "description", "", "Stray", SUMMARY),
    ("elements: figure", "name", "A cat", "", "HTML-AAM: a figure is named by its caption"),
    ("elements: ruby", "description", "", "かん", RUBY),
    ("explicit: role comment", "level", "", "1", "the tree shows by itself how deep it is nested"),
    ("explicit: role option without a listbox", "role", "option", "generic", ORPHANS),
    ("explicit: role option without a listbox", "name", "Text", "", ORPHANS),
    ("explicit: role listitem without a list", "role", "listitem", "generic", ORPHANS),
    ("explicit: role treeitem without a tree", "role", "treeitem", "generic", ORPHANS),
    ("explicit: role treeitem without a tree", "name", "Text", "", ORPHANS),
    (
        "explicit: role math",
        "name",
        "",
        "x",
        "ARIA 1.2: named by the author only; the content is shown anyway",
    ),
    ("labels: empty label and title", "name", "Title", "", "an empty label says nothing, the title does"),
    ("labels: label with a password", "name", "Pass word", "Pass ••••••• word", SECRET),
    ("labels: label with a progress", "name", "Done 50%", "Done 0.5", "a share is easier to read as one"),
    (
        "landmarks: header in role region",
        "role",
        "generic",
        "banner",
        "HTML-AAM: a region is a section like any other",
    ),
    (
        "presentation: img with empty alt and title",
        "role",
        "generic",
        "img",
        "HTML-AAM: an empty alt means decoration",
    ),
    ("pseudo: icon alone", "name", "", "\u{e001}", ICON),
    ("pseudo: icon and text", "name", "Text", "\u{e001}Text", ICON),
    ("references: labelledby a password", "name", "Text", "•••••••", SECRET),
    (
        "references: labelledby something inert",
        "name",
        "Inert",
        "Text",
        "accname 2A: what is referred to counts",
    ),
    ("references: span with a title", "name", "Title", "", UNNAMED),
    ("references: span with a title", "description", "", "Title", UNNAMED),
    ("shadow: slots side by side", "name", "b-a", "b - a", "a slot has no box, so it parts no words"),
    ("shadow:  > div", "disabled", "", "true", "ARIA 1.2: not a state of generic; what is in it has it"),
    ("svg: use with a title", "role", "img", "group", "what is used is one picture"),
    (
        "tables: th with a wrong scope",
        "role",
        "rowheader",
        "columnheader",
        "HTML §4.9.10: as without a scope",
    ),
    ("tables: div shown as a table", "role", "generic", "table", LOOKS),
    ("tables: div shown as a table > div", "role", "generic", "row", LOOKS),
    ("tables: div shown as a table > div", "role", "generic", "cell", LOOKS),
    ("tables: div shown as a table > div", "name", "", "A", LOOKS),
    ("hidden: with transparent content", "name", "ac", "abc", "what nobody can see names nothing"),
    ("values: all at once", "readonly", "true", "", "both are so, and a field may be enabled later"),
    ("values: heading with a password", "name", "P Text", "••••••• Text", SECRET),
];

//! Roles: what an element is, and how a snapshot treats elements of that kind.

use std::{borrow::Cow, fmt, ops::Deref};

/// How a snapshot treats an element, as far as its role decides that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Means nothing by itself: it gets no line unless it has a ref or a name.
    Wrapper,
    /// A part of running text.
    Inline,
    /// `term`: a part of running text, or an entry of a list of definitions.
    Term,
    Paragraph,
    /// Holds things together; worth a line when it holds several.
    Structural,
    ListItem,
    /// Tells where on the page one is, even without a name.
    Landmark,
    Heading,
    Table,
    Row,
    Cell,
    Combobox,
    Option,
    Other,
}

/// An element's role with its kind. Roles that are known take no memory of their own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Role {
    name: Cow<'static, str>,
    pub(crate) kind: Kind,
}

impl Role {
    /// The role of that name. A word that no role can be is taken for `generic`: it is the page's, and must not look like ours.
    pub(crate) fn new(name: &str) -> Self {
        if let Ok(at) = ROLES.binary_search_by_key(&name, |(known, _)| known) {
            let (name, kind) = ROLES[at];
            return Role { name: Cow::Borrowed(name), kind };
        }
        if is_word(name) {
            Role { name: Cow::Owned(name.into()), kind: Kind::Other }
        } else {
            Role::default()
        }
    }
}

impl Default for Role {
    fn default() -> Self {
        Role { name: Cow::Borrowed("generic"), kind: Kind::Wrapper }
    }
}

impl Deref for Role {
    type Target = str;

    fn deref(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Whether roles and properties can be called that.
pub(crate) fn is_word(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
}

/// The roles of ARIA 1.3 and the few that snapshots have besides, sorted by name.
static ROLES: &[(&str, Kind)] = &[
    ("alert", Kind::Other),
    ("alertdialog", Kind::Landmark),
    ("application", Kind::Structural),
    ("article", Kind::Structural),
    ("banner", Kind::Landmark),
    ("blockquote", Kind::Structural),
    ("button", Kind::Other),
    ("caption", Kind::Other),
    ("cell", Kind::Cell),
    ("checkbox", Kind::Other),
    ("code", Kind::Inline),
    ("columnheader", Kind::Cell),
    ("combobox", Kind::Combobox),
    ("comment", Kind::Other),
    ("complementary", Kind::Landmark),
    ("contentinfo", Kind::Landmark),
    ("definition", Kind::Other),
    ("deletion", Kind::Inline),
    ("dialog", Kind::Landmark),
    ("directory", Kind::Structural),
    ("document", Kind::Wrapper),
    ("emphasis", Kind::Inline),
    ("feed", Kind::Structural),
    ("figure", Kind::Structural),
    ("form", Kind::Landmark),
    ("generic", Kind::Wrapper),
    ("grid", Kind::Table),
    ("gridcell", Kind::Cell),
    ("group", Kind::Structural),
    ("heading", Kind::Heading),
    ("iframe", Kind::Landmark),
    ("image", Kind::Other),
    ("img", Kind::Other),
    ("insertion", Kind::Inline),
    ("link", Kind::Other),
    ("list", Kind::Structural),
    ("listbox", Kind::Other),
    ("listitem", Kind::ListItem),
    ("log", Kind::Other),
    ("main", Kind::Landmark),
    ("mark", Kind::Inline),
    ("marquee", Kind::Other),
    ("math", Kind::Other),
    ("menu", Kind::Other),
    ("menubar", Kind::Other),
    ("menuitem", Kind::Other),
    ("menuitemcheckbox", Kind::Other),
    ("menuitemradio", Kind::Other),
    ("meter", Kind::Other),
    ("navigation", Kind::Landmark),
    ("none", Kind::Wrapper),
    ("note", Kind::Other),
    ("option", Kind::Option),
    ("paragraph", Kind::Paragraph),
    ("presentation", Kind::Wrapper),
    ("progressbar", Kind::Other),
    ("radio", Kind::Other),
    ("radiogroup", Kind::Other),
    ("region", Kind::Structural),
    ("row", Kind::Row),
    ("rowgroup", Kind::Wrapper),
    ("rowheader", Kind::Cell),
    ("scrollbar", Kind::Other),
    ("search", Kind::Landmark),
    ("searchbox", Kind::Other),
    ("separator", Kind::Other),
    ("slider", Kind::Other),
    ("spinbutton", Kind::Other),
    ("status", Kind::Other),
    ("strong", Kind::Inline),
    ("subscript", Kind::Inline),
    ("suggestion", Kind::Other),
    ("superscript", Kind::Inline),
    ("switch", Kind::Other),
    ("tab", Kind::Other),
    ("table", Kind::Table),
    ("tablist", Kind::Other),
    ("tabpanel", Kind::Other),
    ("term", Kind::Term),
    ("textbox", Kind::Other),
    ("time", Kind::Inline),
    ("timer", Kind::Other),
    ("toolbar", Kind::Other),
    ("tooltip", Kind::Other),
    ("tree", Kind::Other),
    ("treegrid", Kind::Table),
    ("treeitem", Kind::Other),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(ROLES.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn rows() {
        let check = |text: &str, name: &str, kind| {
            let role = Role::new(text);
            assert_eq!((&*role, role.kind), (name, kind), "{text}");
        };
        check("button", "button", Kind::Other);
        check("rowgroup", "rowgroup", Kind::Wrapper);
        check("doc-chapter", "doc-chapter", Kind::Other);
        check("", "generic", Kind::Wrapper);
        check("button \"x\" [ref=e1]", "generic", Kind::Wrapper);
        check(&"x".repeat(65), "generic", Kind::Wrapper);
    }
}

//! Which elements a word for a kind of element means, and which can be used at all.

use super::query::{State, Wanted};
use crate::snapshot::{Child, Kind, Node};

/// How well an element is what was asked for: 1 if it is just that, less if people call it that as well, 0 if it is not.
pub(super) fn fit(wanted: Wanted, node: &Node) -> f64 {
    let usable = is_usable(node);
    let role = &*node.role;
    match wanted {
        Wanted::Button => match role {
            "button" => 1.0,
            "switch" | "tab" | "checkbox" | "radio" => 0.9,
            "link" | "menuitem" => 0.93,
            "generic" | "img" | "image" | "listitem" | "cell" | "gridcell" if usable => 0.95,
            _ => 0.0,
        },
        Wanted::Link => match role {
            "link" => 1.0,
            "button" | "menuitem" => 0.93,
            "tab" | "treeitem" => 0.9,
            "generic" | "listitem" if usable => 0.92,
            _ => 0.0,
        },
        Wanted::Field => match role {
            "textbox" | "searchbox" | "spinbutton" => 1.0,
            // Nothing can be typed where there is a list of options only.
            "combobox" if node.children.is_empty() => 0.97,
            "combobox" => 0.93,
            "listbox" => 0.9,
            _ => 0.0,
        },
        Wanted::AnyField => {
            one_of(role, &["textbox", "searchbox", "spinbutton", "combobox", "listbox"], &["slider"])
        }
        Wanted::Checkbox => match role {
            "checkbox" => 1.0,
            "menuitemcheckbox" => 0.97,
            "switch" => 0.93,
            "generic" if is_unnamed(node) => 0.9,
            _ => 0.0,
        },
        Wanted::Radio => one_of(role, &["radio"], &["menuitemradio"]),
        Wanted::Switch => match role {
            "switch" => 1.0,
            "checkbox" => 0.95,
            "button" => 0.88,
            _ => 0.0,
        },
        Wanted::Dropdown => match role {
            "combobox" => 1.0,
            "listbox" => 0.96,
            "button" | "menuitem" | "link" | "textbox" if node.property("expanded").is_some() => 0.93,
            // Where nothing can be typed, something opens.
            "textbox" if is(node, State::ReadOnly) => 0.93,
            "button" | "generic" | "link" if usable && points_down(node) => 0.93,
            _ => 0.0,
        },
        Wanted::Picker => match role {
            "textbox" | "checkbox" | "radio" => 0.93,
            _ => fit(Wanted::Dropdown, node),
        },
        Wanted::Option => match role {
            "option" => 1.0,
            "radio" | "menuitem" | "menuitemradio" | "menuitemcheckbox" | "treeitem" => 0.93,
            "checkbox" | "listitem" => 0.88,
            "generic" if usable => 0.88,
            _ => 0.0,
        },
        Wanted::Tab => match role {
            "tab" => 1.0,
            "link" | "button" | "radio" => 0.9,
            "generic" | "listitem" if usable => 0.9,
            _ => 0.0,
        },
        Wanted::MenuItem => match role {
            "menuitem" | "menuitemcheckbox" | "menuitemradio" => 1.0,
            "link" | "button" | "treeitem" | "option" => 0.92,
            "generic" | "listitem" if usable => 0.92,
            _ => 0.0,
        },
        Wanted::Slider => match role {
            "slider" => 1.0,
            // One that only its author calls so.
            "generic" if usable && node.property("hint").is_some_and(|hint| hint.contains("slider")) => 0.96,
            "scrollbar" => 0.9,
            _ => 0.0,
        },
        Wanted::Spinner => one_of(role, &["spinbutton"], &[]),
        Wanted::Image => match role {
            "img" | "image" => 1.0,
            "figure" | "canvas" | "video" => 0.93,
            "link" | "button" | "generic" if usable => 0.88,
            _ => 0.0,
        },
        Wanted::Icon => match role {
            "img" | "image" | "button" => 1.0,
            "link" | "checkbox" | "radio" | "switch" => 0.99,
            "generic" | "menuitem" if usable => 0.98,
            _ => 0.0,
        },
        Wanted::Heading => one_of(role, &["heading"], &["columnheader"]),
        Wanted::Text => match role {
            "paragraph" | "text" | "generic" | "strong" | "emphasis" | "status" | "note" | "code"
            | "time" | "mark" | "caption" => 1.0,
            "heading" | "listitem" | "cell" | "gridcell" | "term" | "definition" | "alert" | "blockquote" => {
                0.95
            }
            "textbox" => 0.5,
            _ => 0.0,
        },
        Wanted::Paragraph => match role {
            "paragraph" => 1.0,
            _ => 0.97 * fit(Wanted::Text, node),
        },
        Wanted::Cell => one_of(role, &["cell", "gridcell"], &["columnheader", "rowheader"]),
        Wanted::Checkable => match role {
            "checkbox" | "radio" | "switch" | "menuitemcheckbox" | "menuitemradio" => 1.0,
            "option" => 0.95,
            _ => 0.0,
        },
        Wanted::Choice => match role {
            "option" | "radio" | "menuitemradio" => 1.0,
            "checkbox" | "switch" | "menuitem" | "tab" | "treeitem" | "menuitemcheckbox" => 0.96,
            "combobox" | "listbox" => 0.94,
            "link" | "button" => 0.9,
            "generic" | "listitem" | "row" | "gridcell" | "cell" if usable => 0.92,
            _ => 0.0,
        },
        Wanted::Typed => match role {
            "textbox" | "searchbox" | "spinbutton" | "combobox" | "listbox" | "slider" => 1.0,
            _ => 0.0,
        },
        Wanted::Swatch | Wanted::Shape => match role {
            "button" | "radio" | "option" | "generic" | "img" | "image"
                if usable && node.children.is_empty() =>
            {
                1.0
            }
            _ => 0.0,
        },
        Wanted::Day => {
            let is_day = node.name.parse::<u8>().is_ok_and(|day| (1..=31).contains(&day));
            f64::from(u8::from(usable && is_day && !is_control(node)))
        }
        Wanted::Any => f64::from(u8::from(usable)),
        container => contains(container, role, ""),
    }
}

/// Whether it is drawn by its author, with nothing to read in it: a box to tick, it may be.
fn is_unnamed(node: &Node) -> bool {
    is_usable(node) && node.name.is_empty() && node.children.is_empty()
}

/// Whether a sign for something that opens below stands at its end.
fn points_down(node: &Node) -> bool {
    let text = match node.children.last() {
        Some(Child::Text(text)) => text,
        _ => &node.name,
    };
    text.trim_end().ends_with(['▾', '▼', '⌄', '˅', '⏷', '▿'])
}

fn one_of(role: &str, just: &[&str], nearly: &[&str]) -> f64 {
    if just.contains(&role) {
        1.0
    } else if nearly.contains(&role) {
        0.9
    } else {
        0.0
    }
}

/// The same for what holds other elements; a wrapper has no role, but a tag and names that its author gave it.
pub(super) fn contains(wanted: Wanted, role: &str, words: &str) -> f64 {
    let (just, nearly, hints): (&[&str], &[&str], &[&str]) = match wanted {
        Wanted::Row => (&["row"], &["listitem", "article", "treeitem"], &["tr", "row", "item"]),
        Wanted::ListItem => {
            (&["listitem"], &["treeitem", "option", "row", "article", "menuitem"], &["li", "item"])
        }
        Wanted::Card => (
            &["article"],
            &["listitem", "group", "region", "figure"],
            &["card", "tile", "product", "item", "panel"],
        ),
        Wanted::Entry => (
            &["article", "row", "listitem"],
            &["treeitem", "group", "region", "figure"],
            &[
                "card", "tile", "item", "post", "comment", "review", "message", "entry", "result", "hit",
                "row",
            ],
        ),
        Wanted::Dialog => {
            (&["dialog", "alertdialog"], &[], &["dialog", "modal", "popup", "popover", "overlay", "drawer"])
        }
        Wanted::Table => (&["table", "grid", "treegrid"], &[], &["table", "grid"]),
        Wanted::List => (&["list", "listbox"], &["menu", "tree", "feed", "table"], &["ul", "ol", "list"]),
        Wanted::Form => (&["form"], &["search", "group", "region", "dialog"], &["form"]),
        Wanted::Section | Wanted::Box => (
            &["region", "group", "article", "tabpanel", "form", "radiogroup"],
            &["complementary", "search", "navigation", "dialog", "list", "table", "figure"],
            &["section", "fieldset", "panel", "box", "card", "block", "area", "group"],
        ),
        Wanted::Header => (&["banner"], &[], &["header", "topbar", "navbar", "masthead"]),
        Wanted::Footer => (&["contentinfo"], &[], &["footer"]),
        Wanted::Sidebar => (&["complementary"], &["navigation"], &["aside", "sidebar", "sidenav", "side"]),
        Wanted::Navigation => (&["navigation"], &["menubar"], &["nav", "navbar", "navigation"]),
        Wanted::Main => (&["main"], &[], &["main"]),
        Wanted::Menu => (&["menu", "menubar"], &["navigation", "listbox"], &["menu", "dropdown"]),
        Wanted::Toolbar => (&["toolbar"], &[], &["toolbar"]),
        Wanted::Frame => (&["iframe"], &[], &["iframe"]),
        _ => (&[], &[], &[]),
    };
    let by_role = one_of(role, just, nearly);
    if by_role > 0.0 || words.is_empty() {
        return by_role;
    }
    let parts = words.split([' ', '-', '_']);
    let hinted = parts.into_iter().any(|part| hints.contains(&&*part.to_lowercase()));
    if hinted { 0.8 } else { 0.0 }
}

/// Whether an element is there to be clicked, typed into or chosen; a container that has a ref is not.
pub(super) fn is_usable(node: &Node) -> bool {
    if &*node.role == "option" {
        return true;
    }
    let holds = matches!(node.role.kind, Kind::Landmark | Kind::Table)
        || matches!(
            &*node.role,
            "region" | "article" | "tabpanel" | "menu" | "tree" | "group" | "list" | "dialog" | "alertdialog"
        );
    node.has_ref() && !holds && node.property("frame").is_none()
}

/// Whether text is typed into it, or something is ticked or chosen in it.
pub(super) fn is_control(node: &Node) -> bool {
    matches!(
        &*node.role,
        "textbox"
            | "searchbox"
            | "spinbutton"
            | "combobox"
            | "listbox"
            | "checkbox"
            | "radio"
            | "switch"
            | "slider"
    )
}

/// Whether it is ticked.
pub(super) fn is_ticked(node: &Node) -> bool {
    matches!(&*node.role, "checkbox" | "radio" | "switch")
}

/// Whether an element is in a state.
pub(super) fn is(node: &Node, state: State) -> bool {
    let has = |key: &str| node.property(key).is_some_and(|value| value != "false");
    let role = &*node.role;
    let checkable =
        matches!(role, "checkbox" | "radio" | "switch" | "menuitemcheckbox" | "menuitemradio" | "option");
    let is_field = matches!(role, "textbox" | "searchbox" | "spinbutton" | "combobox");
    let is_on = has("checked") || has("selected") || has("pressed");
    let is_filled = node.value().is_some() || !node.children.is_empty();
    match state {
        State::Checked => is_on,
        State::Unchecked => (checkable || role == "tab") && !is_on,
        State::Disabled => has("disabled"),
        State::Enabled => !has("disabled"),
        State::Selected => is_on || has("active") || has("current"),
        State::Unselected => !is_on,
        State::Expanded => has("expanded"),
        State::Collapsed => node.property("expanded") == Some("false"),
        State::Empty => {
            (is_field && !is_filled) || (!is_field && node.name.is_empty() && node.children.is_empty())
        }
        State::Filled => is_field && is_filled,
        State::Required => has("required"),
        State::Optional => is_field && !has("required"),
        State::Focused => has("active"),
        State::ReadOnly => has("readonly"),
        State::Invalid => has("invalid"),
    }
}

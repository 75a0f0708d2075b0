//! What each thing of a scene is called: its name, its label, what stands in it.

use super::{
    roles::{is_control, is_ticked, is_usable},
    scene::Scene,
    text::{Level, Strictness, Text},
};
use crate::snapshot::{Kind, Node};

/// Where a text about an element comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Name,
    Content,
    Label,
    Placeholder,
    Description,
    Value,
    /// What sort of field it is.
    Sort,
    /// What its author called it where nobody sees it.
    Hint,
}

impl Source {
    fn weight(self) -> f64 {
        match self {
            Source::Name | Source::Content => 1.0,
            Source::Placeholder => 0.97,
            Source::Label => 0.95,
            Source::Sort => 0.91,
            Source::Description => 0.9,
            Source::Value => 0.88,
            Source::Hint => 0.84,
        }
    }

    pub(super) fn said(self) -> &'static str {
        match self {
            Source::Name => "name",
            Source::Content => "text",
            Source::Label => "label",
            Source::Placeholder => "placeholder",
            Source::Description => "description",
            Source::Value => "value",
            Source::Sort => "kind",
            Source::Hint => "hint",
        }
    }
}

/// How a thing looks to someone who looks for a name.
#[derive(Debug, Default)]
pub(super) struct Face {
    pub(super) texts: Vec<(Source, Text)>,
    pub(super) usable: bool,
    /// What the picture in it is called.
    pub(super) icon: Option<Text>,
    is_control: bool,
    /// Whether it can be meant at all.
    pub(super) is_candidate: bool,
}

/// How well a name was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Named {
    pub(super) level: Level,
    pub(super) source: Source,
    pub(super) score: f64,
    /// How much of the text was asked for.
    pub(super) cover: f64,
}

/// A text that is longer is no name.
const LONGEST: usize = 300;
/// What stands beside a field is its label if it is not longer.
const LONGEST_LABEL: usize = 60;
/// Words that make up less of a text than this do not name it.
const LEAST_COVER: f64 = 1.0 / 16.0;

impl Face {
    /// How well it goes by a name.
    pub(super) fn named(&self, asked: &Text, how: Strictness, slips: &[String]) -> Option<Named> {
        let one = |(source, text): &(Source, Text)| {
            let level = text.fit(asked, how, slips)?;
            let is_sign = *source == Source::Content && !text.plain.chars().any(char::is_alphanumeric);
            let is_brief = matches!(source, Source::Name | Source::Content | Source::Description);
            // A sign stands for one word, and what stands beside a field does not leave words out.
            if level == Level::Short && (!is_brief || (is_sign && asked.heavy.len() > 1)) {
                return None;
            }
            let cover = if level.is_whole() { 1.0 } else { text.covered_by(asked) };
            // A place in a row is none of the numbers that its author gave it.
            if *source == Source::Hint && asked.counts() {
                return None;
            }
            // What nobody sees has to say it all.
            let enough = cover
                >= match (source, level) {
                    (Source::Hint, _) => 0.15,
                    // In other words and only a small part of it is too little in common.
                    (_, Level::Meant) if self.is_control && text.begins_with(asked) => 0.2,
                    (_, Level::Meant) => 0.3,
                    _ => LEAST_COVER,
                };
            enough.then(|| Named {
                level,
                source: *source,
                cover,
                // What its author calls it is a word for it in any language.
                score: if *source == Source::Hint { level.score().max(0.82) } else { level.score() }
                    * source.weight()
                    * (0.85 + 0.15 * cover),
            })
        };
        let best = self.texts.iter().filter_map(one).max_by(|a, b| a.score.total_cmp(&b.score));
        best.or_else(|| self.named_by_all(asked, how))
    }

    /// Some words are in its name, the others in its description or value.
    fn named_by_all(&self, asked: &Text, how: Strictness) -> Option<Named> {
        let is_there = |word: &String| {
            self.texts.iter().any(|(source, text)| *source != Source::Hint && text.has_word(word))
        };
        let named = how == Strictness::Meaning
            && asked.heavy.len() > 1
            && self.usable
            && asked.heavy.iter().all(is_there)
            && !self.texts.iter().any(|(_, text)| text.is_elsewhere(asked));
        named.then_some(Named { level: Level::Words, source: Source::Name, score: 0.74, cover: 0.5 })
    }
}

/// The faces of all things of a scene.
pub(super) fn faces(scene: &Scene) -> Vec<Face> {
    (0..scene.things.len()).map(|at| face(scene, at)).collect()
}

fn face(scene: &Scene, at: usize) -> Face {
    let thing = &scene.things[at];
    if !thing.text.is_empty() {
        return Face { texts: vec![(Source::Content, Text::new(thing.text))], ..Face::default() };
    }
    match thing.node {
        Some(node) if thing.reference.is_some_and(|reference| reference.element != 0) => {
            of_node(scene, at, node)
        }
        Some(_) => Face::default(),
        None => {
            // A wrapper can be meant by the text that is all there is directly in it.
            let holds_text = scene.texts_in(at).next().is_some();
            let said = if holds_text { scene.said_in(at, LONGEST) } else { String::new() };
            if said.is_empty() {
                return Face::default();
            }
            let mut texts = vec![(Source::Content, Text::new(&said))];
            texts.extend(pieces(scene, at));
            Face { texts, is_candidate: true, ..Face::default() }
        }
    }
}

fn of_node(scene: &Scene, at: usize, node: &Node) -> Face {
    let usable = is_usable(node);
    let icon = scene.things[at].icon;
    let icon = (usable && !icon.is_empty() && !is_control(node)).then(|| Text::new(&apart(icon)));
    let mut face = Face { usable, icon, is_control: is_control(node), ..Face::default() };
    let bare = node.role.kind == Kind::Wrapper && !node.has_ref() && node.name.is_empty();
    face.is_candidate = !bare;
    let mut add = |source: Source, text: &str| {
        let text = Text::new(text);
        if !text.is_empty() && !face.texts.iter().any(|(_, other)| other.plain == text.plain) {
            face.texts.push((source, text));
        }
    };
    if !node.name.is_empty() {
        add(Source::Name, &node.name);
    }
    // What stands in a part of the page does not name it.
    let holds = matches!(node.role.kind, Kind::Landmark | Kind::Table | Kind::Structural) && !usable;
    let said = if is_control(node) || holds { String::new() } else { scene.said_in(at, LONGEST) };
    if !said.is_empty() {
        add(Source::Content, &said);
    }
    // What has a name of its own is not called by what happens to stand beside it; an example in the field is no such name.
    let is_unnamed = node.name.is_empty()
        || scene.things[at].words.split_once("placeholder=").is_some_and(|(_, text)| *text == *node.name);
    if is_control(node) && is_unnamed {
        add(Source::Label, label(scene, at, node));
    }
    if let Some(placeholder) = node.property("placeholder") {
        add(Source::Placeholder, placeholder);
    }
    if let Some(description) = node.property("description") {
        // What is written on a button that is called otherwise is told as its description.
        add(if &*node.role == "button" { Source::Content } else { Source::Description }, description);
    }
    if let Some(value) = node.value() {
        add(Source::Value, value);
    }
    // A list of the page's own shows what is chosen as its text.
    if matches!(&*node.role, "combobox" | "listbox") && node.value().is_none() && usable {
        add(Source::Value, &scene.said_in(at, LONGEST_LABEL));
    }
    if &*node.role == "searchbox" || (is_unnamed && is_for_search(scene, at, node)) {
        add(Source::Sort, "search");
    }
    if usable && node.name.is_empty() && said.is_empty() {
        if let Some(hint) = node.property("hint") {
            add(Source::Hint, &apart(hint));
        }
        let words = scene.things[at].words;
        if let Some((_, words)) = words.split_once(' ') {
            add(Source::Hint, &apart(words));
        }
    }
    if !usable && !holds {
        face.texts.extend(pieces(scene, at));
    }
    if usable && is_page_number(scene, at, node) {
        face.texts.push((Source::Sort, Text::new(&format!("page {}", node.name)).in_one_piece()));
    }
    face
}

/// The texts that stand between other elements in one, each of which names it as a whole: "Plain" and "tail" in `Plain <b>bold</b> tail`.
fn pieces(scene: &Scene, at: usize) -> impl Iterator<Item = (Source, Text)> {
    let is_mixed = scene.children_of(at).nth(1).is_some();
    let texts = scene.texts_in(at).filter(move |text| is_mixed && text.len() <= LONGEST);
    texts.map(|text| (Source::Content, Text::new(text).in_one_piece())).filter(|(_, text)| !text.is_empty())
}

/// Words that were written as one: `searchBtn`, `icon-search`.
pub(super) fn apart(words: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for c in words.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            out.push(' ');
        }
        out.push(c);
        before = c;
    }
    out
}

/// Whether two things are seen to be on one line.
fn are_in_line(scene: &Scene, one: usize, other: usize) -> bool {
    match (scene.things[one].bounds, scene.things[other].bounds) {
        (Some([_, top, _, height]), Some([_, y, _, h])) => (top + height).min(y + h) > top.max(y),
        _ => false,
    }
}

/// The smallest part of the page that has a text and a field in it, and that field, if it is the only one there: they belong together.
fn owner(scene: &Scene, text: usize) -> Option<(usize, usize)> {
    let fields = |part: usize| {
        (part..scene.things[part].end).filter(|at| scene.things[*at].node.is_some_and(is_control))
    };
    let part = scene.around(text).find(|part| fields(*part).next().is_some())?;
    let mut fields = fields(part);
    let first = fields.next()?;
    fields.next().is_none().then_some((part, first))
}

/// What stands beside a control that nothing names: before a field, behind a box to tick.
pub(super) fn label<'s>(scene: &'s Scene, at: usize, node: &Node) -> &'s str {
    let ticked = is_ticked(node);
    // Where columns have names, another cell of the row is no label.
    let is_cell = |other: &usize| scene.role(*other).ends_with("cell") && !scene.is_in(at, *other);
    let has_heads = is_in_headed_table(scene, at);
    let is_apart =
        |other: &usize| matches!(scene.role(*other), "row" | "heading") || (has_heads && is_cell(other));
    let stops = |other: &usize| {
        is_apart(other) || scene.things[*other].node.is_some_and(|node| is_control(node) || is_usable(node))
    };
    let text = |other: usize| Some(scene.things[other].text).filter(|text| !text.is_empty());
    // The text of a button beside it is not its label.
    let is_of_other = |other: &usize| {
        let mut around = scene.around(*other).take_while(|outer| !scene.is_in(at, *outer));
        around.any(|outer| stops(&outer))
    };
    // What can be clicked as a whole with the field in it is part of the field.
    let is_of_this = |other: &usize| scene.is_in(at, *other) && !is_apart(other);
    let is_owned = |other: &usize| owner(scene, *other).is_none_or(|(_, owner)| owner == at);
    let before = || {
        let told = (0..at).rev().filter(|other| !is_of_this(other)).take(12);
        let told = told.take_while(|other| !stops(other) && !is_of_other(other));
        // What stands before a box to tick may be the end of something else, unless it is on the same line.
        let told = told.filter(|other| !ticked || are_in_line(scene, *other, at));
        let mut told = told.filter(is_owned).filter(|other| text(*other).is_some());
        let nearest = told.next()?;
        // Of a name and what is said of it, the name comes first.
        let (part, _) = owner(scene, nearest).filter(|_| ticked).unwrap_or((nearest, at));
        let first =
            (part..nearest).find(|other| text(*other).is_some() && is_owned(other) && !is_of_other(other));
        text(first.unwrap_or(nearest))
    };
    let after = || {
        let told = (scene.things[at].end..scene.things.len()).take(12).take_while(|other| !stops(other));
        // Where something is said in one part of the page with it, what comes after that part is about something else.
        let part =
            scene.around(at).find(|part| (*part..scene.things[*part].end).any(|other| text(other).is_some()));
        let end = part.map_or(scene.things.len(), |part| scene.things[part].end);
        told.filter(|other| *other < end).filter(is_owned).find_map(text)
    };
    // What floats over a field stands behind it, and is all that is said in one part of the page with it.
    let behind = || {
        let told = (scene.things[at].end..scene.things.len()).take(12).take_while(|other| !stops(other));
        let (other, text) = told.filter_map(|other| Some((other, text(other)?))).next()?;
        let (part, owner) = owner(scene, other)?;
        (owner == at && scene.said_in(part, LONGEST_LABEL) == text).then_some(text)
    };
    let found = if ticked { after().or_else(before) } else { before().or_else(behind) };
    let found = found.or_else(|| has_heads.then(|| head_of_column(scene, at)).flatten());
    found.filter(|text| text.len() <= LONGEST_LABEL).unwrap_or_default()
}

/// Whether it is in a table whose columns have names.
fn is_in_headed_table(scene: &Scene, at: usize) -> bool {
    let table = scene.around(at).find(|outer| matches!(scene.role(*outer), "table" | "grid" | "treegrid"));
    let Some(table) = table else { return false };
    // The names of columns stand at its beginning.
    (table + 1..scene.things[table].end).take(60).any(|at| scene.role(at) == "columnheader")
}

/// What the column is called that something in a table stands in.
fn head_of_column<'s>(scene: &'s Scene, at: usize) -> Option<&'s str> {
    let is_cell = |at: &usize| scene.role(*at).ends_with("cell") || scene.role(*at).ends_with("header");
    let cells = |row: usize| (row + 1..scene.things[row].end).filter(is_cell);
    let row = scene.around(at).find(|outer| scene.role(*outer) == "row")?;
    let table =
        scene.around(row).find(|outer| matches!(scene.role(*outer), "table" | "grid" | "treegrid"))?;
    let first = (table + 1..scene.things[table].end)
        .find(|at| scene.role(*at) == "row")
        .filter(|first| *first != row)?;
    let place = cells(row).position(|cell| cell == at || scene.is_in(at, cell))?;
    let head = cells(first).nth(place).filter(|head| scene.role(*head) == "columnheader")?;
    let name = scene.things[head].node.map(|node| &*node.name).filter(|name| !name.is_empty());
    name.or_else(|| {
        (head..scene.things[head].end).map(|at| scene.things[at].text).find(|text| !text.is_empty())
    })
}

/// Whether a field is one to search in: its author calls it so, or it stands alone with a button that searches. Most have no other name.
fn is_for_search(scene: &Scene, at: usize, node: &Node) -> bool {
    const NAMES: [&str; 9] =
        ["q", "wd", "kw", "query", "keyword", "keywords", "search", "searchword", "searchkey"];
    if !matches!(&*node.role, "textbox" | "combobox") {
        return false;
    }
    let is_name = |part: &str| NAMES.contains(&part) || part.starts_with("search");
    let words = scene.things[at].words;
    let words = words.split_once(" placeholder=").map_or(words, |(words, _)| words);
    let mut parts = words.split([' ', '-', '_']).skip(1).chain(scene.things[at].icon.split([' ', '-', '_']));
    if parts.any(|part| is_name(&part.to_lowercase())) {
        return true;
    }
    // The smallest part of the page that something else can be used in.
    let used = |part: usize| {
        let inside = part + 1..scene.things[part].end;
        inside
            .filter_map(|other| Some((other, scene.things[other].node?)))
            .filter(move |(other, node)| *other != at && is_usable(node))
    };
    let Some(part) = scene.around(at).take(3).find(|part| used(*part).next().is_some()) else { return false };
    let searches = |node: &Node| {
        let said = [
            &*node.name,
            node.property("description").unwrap_or_default(),
            node.property("hint").unwrap_or_default(),
        ];
        said.iter().any(|text| Text::new(&apart(text)).has_word("search"))
    };
    used(part).count() < 4
        && !used(part).any(|(_, node)| is_control(node))
        && used(part).any(|(_, node)| searches(node))
}

/// Whether it is the number of a page: one of several numbers in a row, and not in a table, where they may be days.
fn is_page_number(scene: &Scene, at: usize, node: &Node) -> bool {
    let is_number =
        |name: &str| !name.is_empty() && name.len() < 5 && name.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(&node.name) || scene.around(at).any(|outer| matches!(scene.role(outer), "table" | "grid")) {
        return false;
    }
    let Some(part) = scene.around(at).find(|outer| scene.things[*outer].end - outer > 4) else {
        return false;
    };
    let inside = part + 1..scene.things[part].end.min(part + 80);
    let numbers = inside.filter(|other| {
        scene.things[*other].node.is_some_and(|node| is_usable(node) && is_number(&node.name))
    });
    (2..15).contains(&numbers.count())
}

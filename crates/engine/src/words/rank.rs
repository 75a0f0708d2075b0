//! Which elements fit a description, and how well.

use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
    sync::Arc,
};

use contract::Ref;
use rustc_hash::FxHashMap;

use super::{
    colour::Look,
    faces::{Face, Named, Source, faces},
    meaning::is_known,
    query::{Colour, Ordinal, Query, State, Wanted},
    roles,
    scatter::{gathered_readings, has_verb, is_of_deed},
    scene::Scene,
    series::Series,
    text::{Level, Strictness, Text},
};

/// Elements whose scores are not further apart fit equally well.
pub(super) const GAP: f64 = 0.015;
/// What a word costs that was not taken for a part of a name.
const TAKEN: f64 = 0.02;
/// Plain text is meant only if nothing that can be used is.
const PLAIN: f64 = 0.72;
/// The same if it is called so to the letter and by a number.
const NUMBERED: f64 = 0.91;
/// A field to search in is not the field of what is searched for.
const SEARCHES: f64 = 0.7;
/// A kind of element without a name.
const UNNAMED: f64 = 0.8;

/// An element that fits.
#[derive(Clone, Debug)]
pub(super) struct Hit {
    pub(super) at: usize,
    pub(super) score: f64,
    pub(super) level: Option<Level>,
    /// Where the name was found.
    pub(super) source: Option<Source>,
    pub(super) reasons: Vec<String>,
}

/// How far words are taken. What fits by less goes first, and the others are not tried then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Reach {
    /// A name is in one place.
    Plain,
    /// Some of the words are those of what the element is in.
    Scattered,
    /// Words may be mistyped.
    Mistyped,
}

/// All that is known about a page.
pub(super) struct Ranker<'s> {
    pub(super) scene: &'s Scene<'s>,
    pub(super) faces: Vec<Face>,
    pub(super) looks: HashMap<Ref, Look>,
    /// Colours are not known yet, and hold for now.
    pub(super) blind: bool,
    pub(super) reach: Reach,
    /// Names that were looked for already: many readings look for the same.
    known: RefCell<FxHashMap<(String, bool, Reach), Names>>,
    /// The same for containers.
    pub(super) holders: RefCell<FxHashMap<(String, bool, u8), Vec<Hit>>>,
    /// The same for anchors.
    found: RefCell<Vec<Anchored>>,
    /// What there are several of, once it is needed.
    pub(super) series: OnceCell<Vec<Series>>,
    /// The words of everything for [`Ranker::scatter`], once they are needed.
    pub(super) parts: OnceCell<Vec<Parts>>,
    /// Whether a word is among them.
    pub(super) in_page: RefCell<FxHashMap<String, bool>>,
    /// Whether something is called by a word and a number.
    pub(super) numbered: RefCell<FxHashMap<String, bool>>,
}

/// What was found for an anchor.
struct Anchored {
    anchor: Query,
    blind: bool,
    reach: Reach,
    hits: Arc<Vec<Hit>>,
}

/// The words of the names of one thing.
pub(super) type Parts = Vec<(Source, Vec<String>)>;

/// How well everything in the page goes by one name.
type Names = Arc<Vec<Option<Named>>>;

impl<'s> Ranker<'s> {
    pub(super) fn new(scene: &'s Scene<'s>) -> Ranker<'s> {
        Ranker {
            scene,
            faces: faces(scene),
            looks: HashMap::new(),
            blind: false,
            reach: Reach::Plain,
            known: RefCell::default(),
            holders: RefCell::default(),
            found: RefCell::default(),
            series: OnceCell::new(),
            parts: OnceCell::new(),
            in_page: RefCell::default(),
            numbered: RefCell::default(),
        }
    }

    /// What fits one of the readings, the best first. An element that fits several has the best of them.
    pub(super) fn rank(&self, readings: &[Query]) -> Vec<Hit> {
        let mut best: FxHashMap<usize, Hit> = FxHashMap::default();
        let gathered: Vec<Query>;
        let readings = if self.reach == Reach::Scattered {
            gathered = gathered_readings(readings);
            &gathered
        } else {
            readings
        };
        for reading in readings.iter().filter(|reading| !self.counts_what_is_numbered(reading)) {
            for hit in self.targets(reading) {
                let known = best.entry(hit.at).or_insert_with(|| hit.clone());
                if hit.score > known.score {
                    *known = hit;
                }
            }
        }
        let mut all: Vec<Hit> = best.into_values().collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.at.cmp(&b.at)));
        self.without_doubles(all)
    }

    /// What a whole description can mean by a reading. Anchors are read by [`Ranker::hits`].
    fn targets(&self, query: &Query) -> Vec<Hit> {
        if self.reach == Reach::Scattered {
            return self.scatter(query);
        }
        let Some(role) = query.role.filter(|_| !query.name.is_empty()) else {
            if is_of_deed(query) {
                return self.scatter(query);
            }
            let hits = self.one_of_many(query).unwrap_or_else(|| self.hits(query));
            let is_heading = query.role == Some(Wanted::Heading);
            return if is_heading { hits.into_iter().map(|hit| self.link_in(hit)).collect() } else { hits };
        };
        // `the mail about the flight`: what is called so, rather than what it is in.
        let called = |role: Wanted, taken: u32| {
            self.hits(&Query { role: Some(role), taken: query.taken + taken, ..query.clone() })
        };
        match role {
            Wanted::Entry => {
                let inner = self.scatter(query);
                if !inner.is_empty() {
                    return inner;
                }
                let counted = self.one_of_many(query).unwrap_or_default();
                if !counted.is_empty() {
                    return counted;
                }
                if let Some(member) = self.member_called(query) {
                    return vec![member];
                }
                // `Ann's address`: where something is called so, it is no word for one of many.
                let noun = Text::new(query.noun.as_deref().unwrap_or_default());
                if self
                    .faces
                    .iter()
                    .any(|face| face.texts.iter().any(|(_, text)| text.squeezed == noun.squeezed))
                {
                    return Vec::new();
                }
                let mut hits = called(Wanted::Any, 3);
                // What is counted is of one kind.
                if query.ordinal.is_some() && !self.are_of_one_kind(query) {
                    return Vec::new();
                }
                // `Save file` is `Save`, but not `Save card`.
                if has_verb(&Text::new(&query.name).parts()) {
                    hits.retain(|hit| hit.level.is_some_and(Level::is_whole));
                }
                hits
            }
            Wanted::Menu => {
                let mut openers = called(Wanted::Button, 1);
                openers
                    .retain(|hit| hit.level.is_some_and(Level::is_whole) || hit.source == Some(Source::Hint));
                [self.hits(query), openers].concat()
            }
            role if role.is_container() => {
                let is_deed = has_verb(&Text::new(&query.name).parts());
                let inner = self.scatter(query);
                if inner.is_empty() && !is_deed { self.hits(query) } else { inner }
            }
            Wanted::Heading => self.hits(query).into_iter().map(|hit| self.link_in(hit)).collect(),
            _ => self.hits(query),
        }
    }

    /// A heading that is a link is used as that.
    fn link_in(&self, mut hit: Hit) -> Hit {
        let mut inside = (hit.at + 1..self.scene.things[hit.at].end).filter(|at| self.faces[*at].usable);
        if let (Some(link), None) = (inside.next(), inside.next())
            && !self.faces[hit.at].usable
            && self.scene.role(link) == "link"
        {
            hit.at = link;
        }
        hit
    }

    /// `the third song`: the one of a series. None if that is not what the reading is about.
    fn one_of_many(&self, query: &Query) -> Option<Vec<Hit>> {
        match query.role? {
            Wanted::Entry if query.ordinal.is_none() => Some(Vec::new()),
            Wanted::Entry | Wanted::Card if query.ordinal.is_some() && query.noun.is_some() => {
                let counted = self.counted(query, None);
                let found: Vec<Hit> = counted.into_iter().map(|hit| self.used_of(hit)).collect();
                (!found.is_empty() || query.role == Some(Wanted::Entry)).then_some(found)
            }
            _ => None,
        }
    }

    /// Whether all that goes by the name of a reading is of the same kind, and there are several.
    fn are_of_one_kind(&self, query: &Query) -> bool {
        let named = Query { role: Some(Wanted::Any), ordinal: None, ..query.clone() };
        let hits = self.best_of(self.hits(&named));
        let mut roles = hits.iter().map(|hit| self.scene.role(hit.at));
        let first = roles.next();
        hits.len() > 1 && roles.all(|role| Some(role) == first)
    }

    /// What fits an anchor. Many readings have the same ones.
    pub(super) fn anchored(&self, anchor: &Query) -> Arc<Vec<Hit>> {
        let is_it = |known: &&Anchored| {
            known.blind == self.blind && known.reach == self.reach && known.anchor == *anchor
        };
        if let Some(known) = self.found.borrow().iter().find(is_it) {
            return Arc::clone(&known.hits);
        }
        let hits = Arc::new(self.hits(anchor));
        self.found.borrow_mut().push(Anchored {
            anchor: anchor.clone(),
            blind: self.blind,
            reach: self.reach,
            hits: Arc::clone(&hits),
        });
        hits
    }

    /// What fits a reading, in the order of the page.
    pub(super) fn hits(&self, query: &Query) -> Vec<Hit> {
        if query.is_bare()
            || query.is_shape_of_no_colour()
            || query.relations.iter().any(|relation| self.is_nowhere(&relation.anchor))
        {
            return Vec::new();
        }
        let mut hits = match query.role {
            Some(role) if role.is_container() => self.containers(query, role),
            _ => self.elements(query),
        };
        hits.retain(|hit| self.has_number(hit.at, query));
        for hit in &mut hits {
            hit.score -= TAKEN * f64::from(query.taken);
        }
        self.narrowed(query, hits)
    }

    /// Those of `hits` that are as a reading says besides their names and kinds.
    pub(super) fn narrowed(&self, query: &Query, mut hits: Vec<Hit>) -> Vec<Hit> {
        hits.retain_mut(|hit| self.has_colours(query, hit));
        for relation in &query.relations {
            if hits.is_empty() {
                break;
            }
            hits = self.related(relation, hits);
        }
        // They cannot be counted before it is known which of them have the colour.
        if self.blind && !query.colours.is_empty() {
            return hits;
        }
        if query.ordinal.is_some() || !query.sides.is_empty() {
            hits = self.best_of(hits);
        }
        if !query.sides.is_empty() {
            hits = self.at_sides(query, hits);
        }
        match query.ordinal {
            Some(ordinal) => nth(self.countable(query, hits), ordinal),
            None => hits,
        }
    }

    fn elements(&self, query: &Query) -> Vec<Hit> {
        let names = self.names(query);
        let asked = Text::new(&query.name);
        let fits = |at: usize| {
            let face = &self.faces[at];
            if !face.is_candidate {
                return None;
            }
            let thing = &self.scene.things[at];
            let mut hit = Hit { at, score: 1.0, level: None, source: None, reasons: Vec::new() };
            if !query.name.is_empty() {
                let named = names[at].or_else(|| self.by_icon(at, query, &asked))?;
                if self.is_loose(at) && !named.level.is_whole() && self.is_said_inside(at, &names) {
                    return None;
                }
                // Whether a wrapper, a paragraph or a heading is meant, only its whole text can tell; unless what is around it listens.
                let plain = !face.usable && query.role.is_none() && !self.is_listened_to(at);
                if (plain && self.holds_usable(at)) || (query.bent && named.level != Level::Is) {
                    return None;
                }
                if plain && !(named.level == Level::Is || (named.level >= Level::Has && named.cover >= 0.6)) {
                    return None;
                }
                if !named.level.is_whole()
                    && (self.is_field_of_deed(at, query)
                        || self.is_elsewhere(at, query)
                        || (named.level != Level::Begins && self.is_deed_for_picture(at, query)))
                {
                    return None;
                }
                // `Item 3` is what says so before it is the third item.
                let is_numbered =
                    || named.level == Level::Is && query.name.contains(|c: char| c.is_ascii_digit());
                hit.score = named.score
                    * if !plain {
                        1.0
                    } else if is_numbered() {
                        NUMBERED
                    } else {
                        PLAIN
                    };
                if !named.level.is_whole() && self.is_other_search(at, &query.name) {
                    hit.score *= SEARCHES;
                }
                (hit.level, hit.source) = (Some(named.level), Some(named.source));
                hit.reasons.push(reason(&named, &query.name));
                let is_literal = match named.level {
                    Level::Is => self.shows(at, &query.name),
                    Level::Means => self.says_literally(at, &query.name),
                    _ => false,
                };
                if is_literal {
                    hit.score += 2.0 * GAP;
                }
            } else {
                hit.score = UNNAMED;
            }
            match (query.role, thing.node) {
                (Some(role), Some(node)) => {
                    let mut fit = roles::fit(role, node);
                    // Something to read makes a button no icon, but people call it that.
                    if role == Wanted::Icon && self.says_words(at) {
                        fit *= 0.9;
                    }
                    if matches!(role, Wanted::Dropdown | Wanted::Picker)
                        && face.icon.as_ref().is_some_and(|icon| icon.has_word("haspopup"))
                    {
                        fit = fit.max(0.93);
                    }
                    if fit == 0.0 || (fit < 0.95 && query.name.is_empty()) {
                        return None;
                    }
                    let is_shape = matches!(role, Wanted::Swatch | Wanted::Shape);
                    if is_shape && (thing.end > at + 1 || !self.may_be_shape(at, query)) {
                        return None;
                    }
                    // Two things that are only nearly so speak against it.
                    let half = fit < 0.95 && hit.level.is_some_and(|level| !level.is_whole());
                    hit.score *= if half { fit * 0.82 } else { fit };
                    hit.reasons.push(format!("is a {}", node.role));
                }
                (Some(Wanted::Text), None) | (None, _) => {}
                (Some(Wanted::Paragraph), None) => hit.score *= 0.97,
                (Some(_), None) => return None,
            }
            let in_state = |state: &State| thing.node.is_some_and(|node| roles::is(node, *state));
            if !query.states.iter().all(in_state) {
                return None;
            }
            hit.reasons.extend(query.states.iter().map(|state| format!("{state:?}").to_lowercase()));
            Some(hit)
        };
        let mut hits: Vec<Hit> = (0..self.faces.len()).filter_map(fits).collect();
        // Without a name only what is just that kind is meant.
        if query.name.is_empty() {
            let best = hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
            hits.retain(|hit| hit.score >= best);
        }
        hits
    }

    /// Whether an anchor cannot be there: nothing is called so.
    fn is_nowhere(&self, anchor: &Query) -> bool {
        let is_named = anchor.role.is_none() && !anchor.name.is_empty();
        is_named && anchor.relations.is_empty() && self.names(anchor).iter().all(Option::is_none)
    }

    /// How well everything goes by the name of a reading.
    pub(super) fn names(&self, query: &Query) -> Names {
        let key = (query.name.clone(), query.quoted, self.reach);
        if let Some(known) = self.known.borrow().get(&key) {
            return Arc::clone(known);
        }
        let asked = Text::new(&query.name);
        let how = if query.quoted { Strictness::Quoted } else { Strictness::Meaning };
        let slips = self.slips(&asked);
        let hopeless = asked.is_empty() || (self.reach == Reach::Mistyped && slips.is_empty());
        let named = |face: &Face| if hopeless { None } else { face.named(&asked, how, &slips) };
        let names: Names = Arc::new(self.faces.iter().map(named).collect());
        self.known.borrow_mut().insert(key, Arc::clone(&names));
        names
    }

    /// Whether it can be clicked as a whole and says nothing of what it is: it may listen for all that is in it.
    pub(super) fn is_loose(&self, at: usize) -> bool {
        self.faces[at].usable && self.scene.role(at) == "generic"
    }

    /// Whether the words are those of something in it.
    fn is_said_inside(&self, at: usize, names: &Names) -> bool {
        (at + 1..self.scene.things[at].end)
            .any(|inner| self.faces[inner].is_candidate && names[inner].is_some())
    }

    /// Whether a click on it is for the loose thing around it.
    fn is_listened_to(&self, at: usize) -> bool {
        self.scene
            .around(at)
            .find(|outer| self.faces[*outer].usable)
            .is_some_and(|outer| self.is_loose(outer))
    }

    /// Whether something in it can be used.
    fn holds_usable(&self, at: usize) -> bool {
        self.faces[at + 1..self.scene.things[at].end].iter().any(|face| face.usable)
    }

    /// The words that may be mistyped: no word of ours, and none that is in the page as it stands.
    fn slips(&self, asked: &Text) -> Vec<String> {
        if self.reach != Reach::Mistyped {
            return Vec::new();
        }
        let is_in_page =
            |word: &str| self.faces.iter().any(|face| face.texts.iter().any(|(_, text)| text.has_word(word)));
        asked.heavy.iter().filter(|word| !is_known(word) && !is_in_page(word)).cloned().collect()
    }

    fn has_colours(&self, query: &Query, hit: &mut Hit) -> bool {
        if query.colours.is_empty() || self.blind {
            return true;
        }
        let look = self.scene.things[hit.at].reference.and_then(|reference| self.looks.get(&reference));
        // What is written in it or beside it has a colour of its own.
        let is_surface = query
            .role
            .is_some_and(|role| role.is_container() || matches!(role, Wanted::Shape | Wanted::Checkbox));
        let is =
            |look: &Look, colour: Colour| if is_surface { look.is_painted(colour) } else { look.is(colour) };
        let all = query.colours.iter().all(|colour| look.is_some_and(|look| is(look, *colour)));
        if all {
            hit.reasons.extend(query.colours.iter().map(|colour| format!("{colour:?}").to_lowercase()));
        }
        all
    }

    /// Those that fit best: what is counted, or compared by where it is.
    fn best_of(&self, hits: Vec<Hit>) -> Vec<Hit> {
        let mut hits = self.without_doubles(hits);
        level_hints(&mut hits);
        let whole = |hit: &Hit| hit.level.is_none_or(Level::is_whole);
        let usable = |hit: &Hit| self.faces[hit.at].usable;
        if hits.iter().any(usable) {
            hits.retain(usable);
        }
        if hits.iter().any(whole) {
            hits.retain(whole);
        }
        let is_it = |hit: &Hit| hit.level == Some(Level::Is);
        if hits.iter().any(is_it) {
            hits.retain(is_it);
        }
        let best = hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
        hits.retain(|hit| hit.score > best - 0.12);
        hits.sort_by_key(|hit| hit.at);
        hits
    }

    /// Rows are counted without those that only name the columns.
    fn countable(&self, query: &Query, mut hits: Vec<Hit>) -> Vec<Hit> {
        if query.role == Some(Wanted::Row) {
            let is_head = |at: usize| {
                let mut cells = (at + 1..self.scene.things[at].end).filter(|inner| {
                    self.scene.role(*inner).ends_with("header") || self.scene.role(*inner).ends_with("cell")
                });
                let first = cells.next();
                first.is_some()
                    && first.into_iter().chain(cells).all(|cell| self.scene.role(cell) == "columnheader")
            };
            hits.retain(|hit| !is_head(hit.at));
        }
        hits
    }
}

fn nth(hits: Vec<Hit>, ordinal: Ordinal) -> Vec<Hit> {
    let at = match ordinal {
        Ordinal::Nth(n) => n.checked_sub(1),
        Ordinal::FromEnd(n) => hits.len().checked_sub(n),
    };
    let of = hits.len();
    let found = at.and_then(|at| hits.into_iter().nth(at).map(|hit| (at, hit)));
    found
        .map(|(at, mut hit)| {
            hit.reasons.push(format!("number {} of {of}", at + 1));
            hit
        })
        .into_iter()
        .collect()
}

fn reason(named: &Named, name: &str) -> String {
    let what = named.source.said();
    if named.source == Source::Sort {
        return format!("is for {name:?}");
    }
    match named.level {
        Level::Is => format!("{what} is {name:?}"),
        Level::Means | Level::Meant => format!("{what} means {name:?}"),
        Level::Begins => format!("{what} begins with {name:?}"),
        Level::Short => format!("{what} is short for {name:?}"),
        Level::Has | Level::Words => format!("{what} has {name:?}"),
        Level::Like => format!("{what} is like {name:?}"),
    }
}

/// What has no name is known by words of its author, and of those each says the same: `like active` is a like as much as `like` is.
fn level_hints(hits: &mut [Hit]) {
    let is_hint = |hit: &Hit| hit.source == Some(Source::Hint) && hit.level >= Some(Level::Words);
    let hints = hits.iter().filter(|hit| is_hint(hit));
    let Some(best) = hints.max_by(|one, other| one.score.total_cmp(&other.score)) else { return };
    let (score, level) = (best.score, best.level);
    for hit in hits.iter_mut().filter(|hit| is_hint(hit)) {
        (hit.score, hit.level) = (score, level);
    }
}

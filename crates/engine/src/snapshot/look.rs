//! Looking at a page: every frame is asked at once for what changed in it, and what it tells is taken in.

use std::collections::{HashMap, HashSet, VecDeque};

use contract::{Code, Error, FrameId, Ref, Result};
use futures_util::future::join_all;
use serde_json::Value;
use tokio::time::Instant;

use super::{
    behind::Behind,
    closed_roots::find_closed_roots,
    heal::{Gone, heal},
    tree::{Tree, View, frame_of, reference},
};
use crate::{frames, page, tab::Tab};

/// How many elements that are gone are remembered.
const REMEMBERED: usize = 2_000;

/// How often a frame is asked again in one look because closed shadow roots were found in it, which may hold others.
const ROUNDS: usize = 8;

/// What has been seen of a page, and may be built upon.
#[derive(Default)]
pub(crate) struct Eyes {
    /// The frames that can be seen.
    pub(crate) view: View,
    /// All frames.
    trees: HashMap<FrameId, Tree>,
    frames: HashMap<FrameId, Seen>,
    /// What the caller was told last, to tell what changed since.
    told: Option<View>,
    /// What it was told before that, and a popup put out of reach.
    behind: Behind,
    /// What may be different from that.
    touched: HashSet<Ref>,
    /// Elements that are gone, for those who still name them. The oldest are forgotten.
    gone: VecDeque<(Ref, Gone)>,
}

/// A frame that has been looked at.
struct Seen {
    /// The world that was asked; another one is another document.
    world: String,
    /// Which state of the document the tree shows.
    generation: u64,
    /// Which of its parent's frames it is.
    place: i64,
    /// The last number that was given to an element; those that came later have higher ones.
    last_number: u32,
}

/// How closely a page is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Care {
    Full,
    InPassing,
    /// In full, when what the load of the page put off to its next turns and frames is over.
    AtRest,
}

/// Which boxes are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Boxes {
    /// Those of all elements.
    All,
    /// Only of those that nothing covers and that are not scrolled out of sight.
    InSight,
}

/// What changed from one look to the next.
#[derive(Default)]
pub(crate) struct Change {
    /// The document is another one: nothing can be compared.
    pub(crate) is_new: bool,
    /// What could not be seen.
    pub(crate) notes: Vec<String>,
}

/// What a frame answered.
struct Answer {
    generation: u64,
    is_whole: bool,
    place: i64,
    may_be_hosts: u64,
    last_number: u32,
    lines: String,
}

impl Eyes {
    /// Whether this document of the page has been seen.
    pub(crate) fn knows(&self, tab: &Tab) -> bool {
        let world = tab.read(|state| state.world(FrameId(0), false));
        self.frames
            .get(&FrameId(0))
            .is_some_and(|seen| Some(&seen.world) == world.as_ref().map(|w| &w.unique_id))
    }

    /// Brings the view up to date.
    pub(crate) async fn look(&mut self, tab: &Tab, deadline: Instant) -> Result<Change> {
        self.look_given(tab, Care::Full, None, deadline).await
    }

    /// The same for the first look at a document: waits for what its load put off, which is over soon.
    pub(crate) async fn look_at_rest(&mut self, tab: &Tab, deadline: Instant) -> Result<Change> {
        self.look_given(tab, Care::AtRest, None, deadline).await
    }

    /// The same in passing, to tell what an action changed. What no event tells and hardly ever happens (a script begins to listen on an
    /// element that was there before, a style alone hides something far away) may be seen a few looks later.
    pub(crate) async fn glance(&mut self, tab: &Tab, deadline: Instant) -> Result<Change> {
        self.look_given(tab, Care::InPassing, None, deadline).await
    }

    /// Which state of the page the view shows, if the caller was told of it.
    pub(crate) fn seen(&self, tab: &Tab) -> Option<u64> {
        self.has_told(tab).then(|| self.generation(tab, FrameId(0)))
    }

    /// Brings the view up to date with what the page told of itself since a state that was [`seen`](Eyes::seen). Returns false if another
    /// look has come between: then this one is of no use, and the next one finds everything.
    pub(crate) async fn take_in_changes(
        &mut self,
        tab: &Tab,
        seen: u64,
        changes: String,
        deadline: Instant,
    ) -> Result<bool> {
        if self.seen(tab) != Some(seen) {
            return Ok(false);
        }
        self.look_given(tab, Care::InPassing, Some(Answer::read(changes)?), deadline).await?;
        Ok(true)
    }

    /// Brings the view up to date; the page itself may have answered already.
    async fn look_given(
        &mut self,
        tab: &Tab,
        care: Care,
        mut given: Option<Answer>,
        deadline: Instant,
    ) -> Result<Change> {
        let mut change = Change { is_new: !self.knows(tab), ..Change::default() };
        if change.is_new {
            *self = Eyes::default();
        }
        let before = self.view.clone();
        let last_numbers: HashMap<FrameId, u32> =
            self.frames.iter().map(|(frame, seen)| (*frame, seen.last_number)).collect();
        // The page itself has to be there; frames that are between two documents are looked at another time.
        tab.until_some(deadline, "the page to be there", |state| state.world(FrameId(0), false)).await?;
        let frames = tab.read(|state| state.frames());
        self.frames.retain(|id, _| frames.iter().any(|frame| frame.frame == *id));
        self.trees.retain(|id, _| frames.iter().any(|frame| frame.frame == *id));
        let generations: Vec<(FrameId, u64)> =
            frames.iter().map(|frame| (frame.frame, self.generation(tab, frame.frame))).collect();
        let asking = generations.iter().map(|(frame, generation)| {
            let given = if *frame == FrameId(0) { given.take() } else { None };
            ask(tab, *frame, (*generation, care), given, deadline)
        });
        let mut touched = Vec::new();
        let answers = join_all(asking).await;
        let is_other = |world: &page::World| {
            self.frames.get(&FrameId(0)).is_some_and(|seen| seen.world != world.unique_id)
        };
        if let Some(Ok(Some((world, _)))) = answers.first()
            && is_other(world)
        {
            // Another document came meanwhile: what it tells is no change of the one before.
            return Box::pin(self.look_given(tab, care, None, deadline)).await;
        }
        for ((frame, _), answer) in generations.iter().zip(answers) {
            let taken_in = match answer {
                Ok(Some((world, answer))) => {
                    self.take_in(tab, *frame, world, answer, deadline, &mut touched).await
                }
                Ok(None) => {
                    self.forget(*frame);
                    Ok(())
                }
                Err(error) => Err(error),
            };
            // Whatever comes now, what this frame told is not forgotten.
            self.touched.extend(&touched);
            match taken_in {
                Err(error) if frame.0 == 0 => return Err(error),
                Err(error) => {
                    self.forget(*frame);
                    change.notes.push(format!("{frame} could not be seen: {error}"));
                }
                Ok(()) => {}
            }
        }
        change.notes.extend(tab.read(|state| state.blank()).map(str::to_owned));
        self.place_frames(tab, &frames, deadline).await;
        for element in touched.iter().filter(|element| !self.view.contains(**element)) {
            let last_number = last_numbers.get(&frame_of(*element)).copied().unwrap_or_default();
            if let Some(gone) = before.gone(*element, last_number) {
                self.gone.push_back((*element, gone));
            }
        }
        self.gone.drain(..self.gone.len().saturating_sub(REMEMBERED));
        // The browser tells of titles in its own time.
        let title = self.view.trees.get(&FrameId(0)).and_then(|tree| tree.get(0)).map(|page| &*page.name);
        if let Some(title) = title.filter(|title| tab.read(|state| state.title != **title)) {
            tab.note(|state| state.title = title.to_owned());
        }
        Ok(change)
    }

    /// The element that took the place of one that is gone, if there is no doubt.
    pub(crate) fn heal(&self, named: Ref) -> Option<Ref> {
        let (_, gone) = self.gone.iter().rev().find(|(element, _)| *element == named)?;
        heal(gone, &self.view)
    }

    /// What changed since the caller was last told; `None` if there was nothing to compare with. From now on it has been told.
    pub(crate) fn tell_changes(&mut self, max_chars: Option<usize>) -> Option<contract::Delta> {
        let told = self.told.take()?;
        let delta = View::delta_of(&told, &self.view, self.touched.drain());
        let text = delta.told(&mut self.behind, &told, &self.view, max_chars);
        self.told = Some(self.view.clone());
        Some(text)
    }

    /// The caller has been told all of it.
    pub(crate) fn told(&mut self) {
        self.told = Some(self.view.clone());
        self.behind.forget();
        self.touched.clear();
    }

    /// The caller has been told a part: changes are told from the first time on.
    pub(crate) fn told_part(&mut self) {
        if self.told.is_none() {
            self.told();
        }
    }

    /// Whether the caller was told something to compare with.
    pub(crate) fn has_told(&self, tab: &Tab) -> bool {
        self.told.is_some() && self.knows(tab)
    }

    /// Whether the caller was told of a page that is not there any more.
    pub(crate) fn has_told_of_another(&self, tab: &Tab) -> bool {
        self.told.is_some() && !self.knows(tab)
    }

    /// Where all elements are, in CSS pixels of the page's viewport: left, top, width, height.
    pub(crate) async fn boxes(
        &self,
        tab: &Tab,
        which: Boxes,
        deadline: Instant,
    ) -> Result<HashMap<Ref, [i32; 4]>> {
        let asking = self.frames.keys().map(|frame| async {
            (*frame, page::ask(tab, *frame, "boxes", &(which == Boxes::InSight,), deadline).await)
        });
        let mut own: HashMap<Ref, [i32; 4]> = HashMap::new();
        for (frame, answer) in join_all(asking).await {
            let lines = match answer {
                Ok(Value::String(lines)) => lines,
                Err(error) if frame.0 == 0 => return Err(error),
                _ => continue,
            };
            for line in lines.lines() {
                let mut numbers = line.split(' ').map_while(|number| number.parse::<i32>().ok());
                let mut next = || numbers.next().unwrap_or_default();
                let element = next() as u32;
                own.insert(reference(frame, element), [next(), next(), next(), next()]);
            }
        }
        let holders = self.holders();
        let moved = |(reference, [left, top, width, height]): (&Ref, &[i32; 4])| {
            let (mut left, mut top, mut frame) = (*left, *top, frame_of(*reference));
            // A frame is where the element is that holds it.
            while let Some(holder) = holders.get(&frame) {
                let [x, y, ..] = own.get(holder)?;
                (left, top, frame) = (left + x, top + y, frame_of(*holder));
            }
            Some((*reference, [left, top, *width, *height]))
        };
        Ok(own.iter().filter_map(moved).collect())
    }

    /// Where one element is, scrolled into view.
    pub(crate) async fn box_of(&self, tab: &Tab, element: Ref, deadline: Instant) -> Result<[f64; 4]> {
        let holders = self.holders();
        let ask = async |element: Ref, inside: bool| {
            let asked =
                page::ask(tab, frame_of(element), "reveal", &(element.element, inside), deadline).await?;
            serde_json::from_value::<[f64; 4]>(asked)
                .map_err(|_| Error::new(Code::StaleRef, format!("{element} is no longer in the page")))
        };
        // What is scrolled inside may scroll what is outside, so that comes last.
        let [mut left, mut top, width, height] = ask(element, false).await?;
        let mut inner = element;
        while let Some(holder) = holders.get(&frame_of(inner)) {
            let [x, y, ..] = ask(*holder, true).await?;
            (left, top, inner) = (left + x, top + y, *holder);
        }
        Ok([left, top, width, height])
    }

    /// The element that holds a frame.
    pub(crate) fn holder_of(&self, frame: FrameId) -> Option<Ref> {
        self.view.frames.iter().find(|(_, inner)| **inner == frame).map(|(holder, _)| *holder)
    }

    /// The element that holds each frame.
    fn holders(&self) -> HashMap<FrameId, Ref> {
        self.view.frames.iter().map(|(holder, frame)| (*frame, *holder)).collect()
    }

    /// The element, in the view: one that means nothing by itself is made a part of it. What is hidden is not.
    pub(crate) async fn shown(&mut self, tab: &Tab, element: Ref, deadline: Instant) -> Result<Ref> {
        if !self.view.contains(element) {
            page::ask(tab, frame_of(element), "pin", &(element.element,), deadline).await?;
            self.look(tab, deadline).await?;
        }
        if self.view.contains(element) {
            return Ok(element);
        }
        Err(Error::new(Code::ElementNotVisible, format!("{element} is in the page, but not shown"))
            .with_hint("take a snapshot of the whole page and name an element that is in it"))
    }

    /// What we have of a frame, if it is still the same document.
    fn generation(&self, tab: &Tab, frame: FrameId) -> u64 {
        let world = tab.read(|state| state.world(frame, false));
        let seen =
            self.frames.get(&frame).filter(|seen| Some(&seen.world) == world.as_ref().map(|w| &w.unique_id));
        seen.map_or(0, |seen| seen.generation)
    }

    fn forget(&mut self, frame: FrameId) {
        self.frames.remove(&frame);
        self.trees.remove(&frame);
    }

    /// Takes in what a frame told, and asks it again as long as closed shadow roots are found in it.
    async fn take_in(
        &mut self,
        tab: &Tab,
        frame: FrameId,
        world: page::World,
        mut answer: Answer,
        deadline: Instant,
        touched: &mut Vec<Ref>,
    ) -> Result<()> {
        for _ in 0..ROUNDS {
            let tree = self.trees.entry(frame).or_default();
            let lines = answer.lines.lines().skip(1);
            let applied = if answer.is_whole { replace(tree, lines) } else { tree.apply(lines) };
            touched.extend(applied?.into_iter().map(|number| reference(frame, number)));
            let Answer { generation, place, last_number, .. } = answer;
            tab.take_numbers(last_number);
            self.frames
                .insert(frame, Seen { world: world.unique_id.clone(), generation, place, last_number });
            if answer.may_be_hosts == 0 || !find_closed_roots(tab, &world, deadline).await {
                break;
            }
            let since = (generation, Care::InPassing);
            answer = snapshot(tab, &world, since, page::frame_deadline(tab, frame, deadline)).await?;
        }
        Ok(())
    }

    /// Finds out which element holds which frame. A frame that no element shows is not in the view.
    async fn place_frames(&mut self, tab: &Tab, frames: &[contract::Frame], deadline: Instant) {
        let mut holders = Vec::new();
        for (parent, tree) in self.trees.iter().filter(|_| frames.len() > 1) {
            let places = tree
                .nodes()
                .filter_map(|(number, node)| Some((number, node.property("frame")?.parse::<i64>().ok()?)));
            holders.extend(places.map(|(number, place)| (*parent, number, place)));
        }
        let mut placed: HashMap<Ref, FrameId> = HashMap::new();
        for (parent, number, place) in holders {
            let inner = match place {
                // A frame in a shadow root is in no list of frames.
                -1 => frames::inside(tab, parent, number, deadline).await.ok(),
                place => {
                    let is_here = |frame: &&contract::Frame| {
                        frame.parent == Some(parent)
                            && self.frames.get(&frame.frame).is_some_and(|seen| seen.place == place)
                    };
                    frames.iter().find(is_here).map(|frame| frame.frame)
                }
            };
            if let Some(inner) = inner {
                placed.insert(reference(parent, number), inner);
            }
        }
        let mut view = View::default();
        let mut reached = vec![FrameId(0)];
        while let Some(frame) = reached.pop() {
            let Some(tree) = self.trees.get(&frame) else { continue };
            view.trees.insert(frame, tree.clone());
            for (holder, inner) in placed.iter().filter(|(holder, _)| frame_of(**holder) == frame) {
                view.frames.insert(*holder, *inner);
                reached.push(*inner);
            }
        }
        self.view = view;
    }
}

/// The tree of a document that is told as a whole. What is as before is not touched.
fn replace<'l>(tree: &mut Tree, lines: impl Iterator<Item = &'l str>) -> Result<Vec<u32>> {
    let new = Tree::whole(lines)?;
    let old = std::mem::replace(tree, new);
    let gone = old.nodes().map(|(number, _)| number).filter(|number| tree.get(*number).is_none());
    let other =
        tree.nodes().filter(|(number, node)| old.get(*number) != Some(node)).map(|(number, _)| number);
    Ok(gone.chain(other).collect())
}

/// Asks a frame for what changed since a generation; `None` if it has no document to ask.
async fn ask(
    tab: &Tab,
    frame: FrameId,
    (mut generation, care): (u64, Care),
    given: Option<Answer>,
    deadline: Instant,
) -> Result<Option<(page::World, Answer)>> {
    let mut given = given;
    loop {
        let Some(world) = tab.read(|state| state.world(frame, false)) else { return Ok(None) };
        let by = page::frame_deadline(tab, frame, deadline);
        let answer = match given.take() {
            Some(answer) => Ok(answer),
            None => snapshot(tab, &world, (generation, care), by).await,
        };
        match answer {
            // The next document has no generations in common with this one.
            Err(error) if page::was_replaced(tab, frame, &world, &error, by).await => generation = 0,
            answer => return Ok(Some((world, answer?))),
        }
    }
}

async fn snapshot(
    tab: &Tab,
    world: &page::World,
    (generation, care): (u64, Care),
    deadline: Instant,
) -> Result<Answer> {
    let args = (generation, care == Care::InPassing);
    let function = if care == Care::AtRest { "snapshotAtRest" } else { "snapshot" };
    let answer = page::ask_in(tab, world, function, &args, deadline).await?;
    let Value::String(lines) = answer else { return Err(unreadable("no text")) };
    Answer::read(lines)
}

impl Answer {
    fn read(lines: String) -> Result<Answer> {
        let header = lines.lines().next().unwrap_or_default();
        let mut numbers =
            header.split('\t').map(|field| field.parse::<i64>().map_err(|_| unreadable(header)));
        let mut next = || numbers.next().unwrap_or_else(|| Err(unreadable(header)));
        let (generation, is_whole, place) = (next()? as u64, next()? == 1, next()?);
        let (may_be_hosts, last_number) = (next()? as u64, next()? as u32);
        Ok(Answer { generation, is_whole, place, may_be_hosts, last_number, lines })
    }
}

fn unreadable(what: &str) -> Error {
    Error::new(Code::Internal, "the page's script told something that is no snapshot").with_cause(what)
}

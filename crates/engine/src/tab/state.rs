//! What is known of a page, made from the browser's events alone. Pure: it asks nothing and waits for nothing.

mod events;

use std::collections::{HashMap, VecDeque};

use cdp::protocol as p;
use contract::{Code, Dialog, Error, Frame, FrameId};

use super::{
    console::Console,
    log::Log,
    requests::{ABORTED, Requests},
};

/// How many documents back a navigation may look for its own.
const REMEMBERED_LOADERS: usize = 16;

/// What is known of a page.
#[derive(Debug, Default)]
pub(crate) struct TabState {
    /// Whether the page has been told all that it must be told.
    pub(crate) ready: bool,
    /// Why it could not be told.
    pub(crate) failure: Option<Error>,
    /// How it ended.
    pub(crate) end: Option<End>,
    /// The main frame's id, which is the target's as well.
    main: String,
    frames: HashMap<String, FrameState>,
    last_frame: u32,
    /// How often a world of ours came or went: with a frame, or with a document in one.
    pub(crate) worlds_changed: u64,
    pub(crate) document: Document,
    loaders: VecDeque<String>,
    /// A document that is there though nobody said that it came: Chromium leaves that out when processes change just then.
    untold: Option<Untold>,
    /// How many pages have come, to the tab and its frames: documents, those that were written anew, and views with an address of their own.
    pub(crate) arrivals: u64,
    /// How often the page moved without loading: fragments, `pushState`.
    pub(crate) moves: u64,
    pub(crate) requests: Requests,
    /// What the page wrote to its console.
    pub(crate) console: Console,
    /// What it asked the network for.
    pub(crate) log: Log,
    pub(crate) dialog: Option<Dialog>,
    /// How many events of the page itself are in this state.
    pub(crate) taken_in: u64,
    /// How many dialogs have been closed here.
    pub(crate) dialogs_closed: u64,
    pub(crate) title: String,
    /// How often the page itself asked to go elsewhere.
    pub(crate) leaves: u64,
    /// Whether the main frame is loading something.
    pub(crate) loading: bool,
    /// How many windows the page opened.
    pub(crate) windows: u64,
    /// What our script last told of a click, while it was under way.
    pub(crate) verdict: Option<String>,
    /// What is being dragged, when the page began to drag something while drags are intercepted.
    pub(crate) drag: Option<serde_json::Value>,
    /// The last file chooser that opened while they are intercepted, until it has its files.
    pub(crate) chooser: Option<Chooser>,
    /// How many of them opened.
    pub(crate) choosers: u64,
}

/// A file chooser that a page opened.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    /// The session of the process that it is in.
    pub(crate) session: Option<String>,
    pub(crate) frame: String,
    /// The field that the files are for.
    pub(crate) field: i64,
}

/// The document that the main frame shows.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) loader: String,
    url: String,
    /// The address that could not be loaded, when this is the page that says so.
    pub(crate) unreachable: Option<String>,
    /// `DOMContentLoaded` has happened.
    pub(crate) dom: bool,
    /// `load` has happened.
    pub(crate) load: bool,
}

/// A document of which only its later events are known.
#[derive(Debug)]
struct Untold {
    loader: String,
    load: bool,
}

impl Document {
    /// The tab is on its way there, and shows nothing yet.
    pub(crate) fn expect(&mut self, url: &str) {
        if matches!(&*self.url, "" | "about:blank") {
            self.url = url.into();
        }
    }

    /// Where the tab is, as people see it: a page that could not be loaded is still at its own address.
    pub(crate) fn address(&self) -> &str {
        self.unreachable.as_deref().unwrap_or(&self.url)
    }
}

/// How a tab ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It was closed, by us, the page or a person.
    Closed,
    /// Its process ended.
    Crashed,
    /// The whole browser ended.
    BrowserGone,
}

#[derive(Debug, Default)]
struct FrameState {
    number: u32,
    parent: Option<String>,
    url: String,
    name: String,
    /// The session of the process that runs it.
    session: Option<String>,
    world: Option<String>,
    /// The number of that world in its process, for the few commands that know worlds by number only.
    context: i64,
    main_world: Option<String>,
    /// The world of callers' scripts, and its number.
    scripts_world: Option<(String, i64)>,
    /// Which of all pages that came to the tab it shows.
    arrived: u64,
}

/// Where to run a script: which process, and which world in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct World {
    pub(crate) session: Option<String>,
    pub(crate) unique_id: String,
    /// The number of the isolated world in its process: ours, or that of callers' scripts.
    pub(crate) context: i64,
}

impl TabState {
    pub(crate) fn new(info: &p::TargetInfo) -> Self {
        TabState {
            main: info.target_id.clone(),
            title: info.title.clone(),
            document: Document { url: info.url.clone(), ..Document::default() },
            ..TabState::default()
        }
    }

    /// The error for whoever waits in a tab that has ended.
    pub(crate) fn over(&self) -> Option<Error> {
        let error = |code, message| Some(Error::new(code, message));
        match self.end? {
            End::Closed => error(Code::TabNotFound, "the tab was closed"),
            End::Crashed => error(Code::PageCrashed, "the page crashed"),
            End::BrowserGone => error(Code::BrowserCrashed, "the browser ended"),
        }
    }

    /// Why the document that is shown is not whole, in the browser's words, if its connection ended in the middle.
    pub(crate) fn broken_off(&self) -> Option<&str> {
        let page = self.requests.page(&self.document.loader)?;
        let is_shown = self.document.unreachable.is_none() && page.is_answered && page.stopped.is_none();
        page.error.as_deref().filter(|error| is_shown && *error != ABORTED)
    }

    /// Whether another page has come to this frame since there were so many.
    pub(crate) fn has_come(&self, frame: FrameId, arrivals: u64) -> bool {
        self.frames.values().any(|state| state.number == frame.0 && state.arrived > arrivals)
    }

    /// Whether the page waits for somebody to answer a dialog.
    pub(crate) fn stands_still(&self) -> bool {
        self.dialog.is_some()
    }

    /// Whether the document of this loader is or was shown here.
    pub(crate) fn has_shown(&self, loader: &str) -> bool {
        self.loaders.iter().any(|shown| shown == loader)
    }

    /// The HTTP status of the document.
    pub(crate) fn status(&self) -> Option<u16> {
        self.requests.page(&self.document.loader)?.status
    }

    /// The address that the tab is going to while its server has not answered. Chromium holds back commands to the page until then.
    pub(crate) fn unanswered_page(&self) -> Option<&str> {
        let page = self.requests.page_since(0).filter(|_| self.loading)?;
        let waits = !page.is_answered && !page.over && !self.has_shown(&page.loader);
        waits.then_some(&*page.url)
    }

    /// Why there is nothing to see in the document, if that is so.
    pub(crate) fn blank(&self) -> Option<&'static str> {
        self.requests.page(&self.document.loader)?.is_pdf.then_some(
            "this is a PDF: it has no elements to see or to use; look at it with `webhand screenshot`, save it with `webhand download --url`",
        )
    }

    /// The world to run a script in; none while the frame is between two documents.
    pub(crate) fn world(&self, frame: FrameId, main_world: bool) -> Option<World> {
        let frame = self.frames.values().find(|state| state.number == frame.0)?;
        let unique_id = if main_world { &frame.main_world } else { &frame.world };
        Some(World { session: frame.session.clone(), unique_id: unique_id.clone()?, context: frame.context })
    }

    /// The isolated world for callers' scripts; none until it is wanted.
    pub(crate) fn scripts_world(&self, frame: FrameId) -> Option<World> {
        let frame = self.frames.values().find(|state| state.number == frame.0)?;
        let (unique_id, context) = frame.scripts_world.clone()?;
        Some(World { session: frame.session.clone(), unique_id, context })
    }

    /// Whether one of the worlds of ours is this one.
    pub(crate) fn has_world(&self, unique_id: &str) -> bool {
        self.frames.values().any(|frame| frame.world.as_deref() == Some(unique_id))
    }

    /// The frames inside the page whose documents have not come yet, with their addresses.
    pub(crate) fn loading_frames(&self) -> Vec<(FrameId, String)> {
        let inside = self.requests.documents().filter(|(frame, _)| *frame != self.main);
        let mut frames: Vec<_> = inside
            .filter_map(|(frame, address)| Some((self.frame_number(frame)?, address.to_owned())))
            .collect();
        frames.sort();
        frames
    }

    pub(crate) fn has_frame(&self, frame: FrameId) -> bool {
        self.frames.values().any(|state| state.number == frame.0)
    }

    /// The frame by the browser's own id for it.
    pub(crate) fn frame_number(&self, id: &str) -> Option<FrameId> {
        self.frames.get(id).map(|frame| FrameId(frame.number))
    }

    /// The browser's own id for a frame.
    pub(crate) fn frame_id(&self, frame: FrameId) -> Option<String> {
        self.frames.iter().find(|(_, state)| state.number == frame.0).map(|(id, _)| id.clone())
    }

    /// The browser's own id for a frame, and the frame around it.
    pub(crate) fn frame_inside(&self, frame: FrameId) -> Option<(String, FrameId)> {
        let (id, state) = self.frames.iter().find(|(_, state)| state.number == frame.0)?;
        Some((id.clone(), self.frame_number(state.parent.as_deref()?)?))
    }

    /// The address of a frame inside of the page; none of the page itself.
    pub(crate) fn frame_address(&self, id: &str) -> Option<String> {
        self.frames.get(id).filter(|frame| frame.number != 0).map(|frame| frame.url.clone())
    }

    pub(crate) fn owns_frame(&self, id: &str) -> bool {
        id == self.main || self.frames.contains_key(id)
    }

    /// The frames in the order in which they came, the page itself first.
    pub(crate) fn frames(&self) -> Vec<Frame> {
        let number = |id: &String| self.frames.get(id).map(|frame| FrameId(frame.number));
        let main_session = self.frames.get(&self.main).and_then(|main| main.session.clone());
        let mut frames: Vec<Frame> = self
            .frames
            .values()
            .map(|frame| Frame {
                frame: FrameId(frame.number),
                parent: frame.parent.as_ref().and_then(number),
                url: if frame.number == 0 { self.document.address().to_owned() } else { frame.url.clone() },
                name: frame.name.clone(),
                out_of_process: frame.session != main_session,
            })
            .collect();
        frames.sort_by_key(|frame| frame.frame);
        frames
    }
}

//! A tab: the channel to its page, and what is known of it.
//!
//! Everything that waits for something in a page waits for its state, which changes only by events of the browser: there
//! is no polling and no sleeping anywhere.

mod console;
mod init;
mod log;
mod requests;
mod state;
mod stopped;
mod words;

use std::{
    collections::HashSet,
    fmt::Display,
    sync::{
        Arc, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use cdp::{Channel, Connection, Events, protocol as p};
use contract::{Code, Error, FrameId, Result};
use tokio::{
    sync::{Mutex, MutexGuard, Notify, watch},
    task::AbortHandle,
    time::{Instant, timeout_at},
};

pub use self::console::Level;
pub(crate) use self::{
    init::LARGEST_BODY,
    log::Entry as LogEntry,
    requests::{ABORTED, PageRequest},
    state::{Chooser, End, TabState, World},
    stopped::Stopped,
    words::cut,
};
use crate::{
    egress::Egress,
    emulation::{Emulated, Receiver},
    lift::{lift, timed_out},
    pages::Pages,
    pictured::Sent,
    shown_refs::ShownRefs,
    snapshot::Eyes,
};

/// How high the numbers of elements go over all documents of a tab.
const MOST_NUMBERS: u32 = 90_000;

/// How many worlds that did not answer are remembered.
const MOST_SILENT: usize = 64;

/// How long a worker may take to answer before it is let go on.
const WORKER: Duration = Duration::from_secs(5);

/// One page, with its frames.
pub(crate) struct Tab {
    pub(crate) target_id: String,
    pub(crate) channel: Channel,
    connection: Connection,
    state: watch::Sender<TabState>,
    /// Whoever drives the page (loads something in it) holds its turn, so that two callers do not pull it apart.
    turn: Mutex<()>,
    /// What has been seen of the page.
    eyes: Mutex<Eyes>,
    /// The refs that callers were given.
    pub(crate) shown_refs: std::sync::Mutex<ShownRefs>,
    /// Whether a caller was told that it closed.
    pub(crate) is_end_told: AtomicBool,
    /// The worlds that did not answer when they were last asked something.
    silent: std::sync::Mutex<HashSet<String>>,
    /// How many pages had come to it when a caller was last answered.
    told: AtomicU64,
    /// The loader of the document that was looked at last.
    looked_at: std::sync::Mutex<String>,
    /// Where the mouse was last.
    pointer: std::sync::Mutex<Option<[f64; 2]>>,
    picture: std::sync::Mutex<Option<Sent>>,
    /// The highest number that elements of earlier documents had.
    taken: AtomicU32,
    /// How often input was sent to the page.
    sent: AtomicU64,
    /// Told when cookies may have changed.
    cookies: Arc<Notify>,
    /// What its page and frames are made to believe.
    emulated: Emulated,
    /// Its way to networks.
    egress: Arc<Egress>,
    /// Whether file choosers wait for files instead of being shown.
    pub(crate) catches_choosers: bool,
    /// The frames in processes of their own.
    frames: std::sync::Mutex<Vec<Channel>>,
    tasks: std::sync::Mutex<Vec<AbortHandle>>,
}

impl Tab {
    /// Takes over a page that the browser has just attached us to, and follows its events from then on.
    pub(crate) fn start(connection: &Connection, attached: &p::AttachedToTarget, pages: &Pages) -> Arc<Tab> {
        let (channel, events) = connection.open(&attached.session_id);
        let info = &attached.target_info;
        let tab = Arc::new(Tab {
            target_id: info.target_id.clone(),
            channel: channel.clone(),
            connection: connection.clone(),
            state: watch::Sender::new(TabState::new(info)),
            turn: Mutex::default(),
            eyes: Mutex::default(),
            shown_refs: std::sync::Mutex::default(),
            is_end_told: AtomicBool::default(),
            silent: std::sync::Mutex::default(),
            told: AtomicU64::new(u64::MAX),
            looked_at: std::sync::Mutex::default(),
            pointer: std::sync::Mutex::default(),
            picture: std::sync::Mutex::default(),
            taken: AtomicU32::new(0),
            sent: AtomicU64::new(0),
            cookies: pages.cookies.clone(),
            emulated: pages.emulated.clone(),
            egress: pages.egress.clone(),
            catches_choosers: pages.catches_choosers,
            frames: std::sync::Mutex::default(),
            tasks: std::sync::Mutex::default(),
        });
        tab.follow(channel.clone(), events);
        let starting = tab.clone();
        tab.keep(tokio::spawn(async move {
            let result = init::tab(&channel, &starting).await;
            starting.state.send_modify(|state| match result {
                Ok(tree) => {
                    state.add_tree(&tree, channel.session_id());
                    state.ready = true;
                }
                Err(error) => state.failure = Some(error),
            });
        }));
        tab
    }

    /// Reads what is known of the page now.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&TabState) -> T) -> T {
        read(&self.state.borrow())
    }

    /// Changes what is known of the page, for facts that come from elsewhere than its own events.
    pub(crate) fn note(&self, change: impl FnOnce(&mut TabState)) {
        self.state.send_modify(change);
    }

    /// Waits until the state is as wanted. `what` completes the sentence "the time ran out while waiting for".
    pub(crate) async fn until(
        &self,
        deadline: Instant,
        what: impl Display,
        wanted: impl Fn(&TabState) -> bool,
    ) -> Result<()> {
        self.until_some(deadline, what, |state| wanted(state).then_some(())).await
    }

    /// Waits until something can be read from the state. Fails at once when the tab ends.
    pub(crate) async fn until_some<T>(
        &self,
        deadline: Instant,
        what: impl Display,
        wanted: impl Fn(&TabState) -> Option<T>,
    ) -> Result<T> {
        let mut found = None;
        let mut state = self.state.subscribe();
        let waited = timeout_at(
            deadline,
            state.wait_for(|state| {
                found = wanted(state).map(Ok).or_else(|| state.over().map(Err));
                found.is_some()
            }),
        )
        .await
        .map(drop);
        found.unwrap_or_else(|| match waited {
            Err(_) => Err(timed_out(what)),
            Ok(()) => Err(Error::new(Code::TabNotFound, "the tab was closed meanwhile")),
        })
    }

    /// Runs something that asks the page, but only as long as the page can answer: a dialog stops it for good.
    pub(crate) async fn unless_dialog<T>(
        &self,
        asking: impl Future<Output = Result<T>>,
        deadline: Instant,
    ) -> Result<T> {
        let dialog = self.until_some(deadline, "the page to answer", |state| {
            state.dialog.as_ref().map(|dialog| {
                let message =
                    format!("the {} dialog {:?} opened and holds the page", dialog.kind, dialog.message);
                Error::new(Code::DialogOpen, message)
            })
        });
        tokio::select! {
            biased;
            answer = asking => answer,
            stopped = dialog => Err(stopped.unwrap_or_else(|error| error)),
        }
    }

    /// Returns whether this is the first look at the document that is shown. From now on it is not.
    pub(crate) fn is_first_look(&self) -> bool {
        let loader = self.read(|state| state.document.loader.clone());
        let mut looked_at = self.looked_at.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = *looked_at != loader;
        *looked_at = loader;
        is_first
    }

    /// A caller is answered: it knows of the page that is shown now.
    pub(crate) fn note_told(&self) {
        self.told.store(self.read(|state| state.arrivals), Ordering::Relaxed);
    }

    /// Whether another page has come to the tab since a caller was last answered.
    pub(crate) fn went_on(&self) -> bool {
        let told = self.told.load(Ordering::Relaxed);
        self.read(|state| state.has_come(FrameId(0), told))
    }

    /// Where the mouse was last, if it was anywhere.
    pub(crate) fn pointer(&self) -> Option<[f64; 2]> {
        *self.pointer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn note_pointer(&self, place: [f64; 2]) {
        *self.pointer.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
    }

    /// The last picture of it that a caller was sent.
    pub(crate) fn picture(&self) -> Option<Sent> {
        self.picture.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn note_picture(&self, sent: Sent) {
        *self.picture.lock().unwrap_or_else(PoisonError::into_inner) = Some(sent);
    }

    /// Waits until the state holds all that the page has said so far.
    pub(crate) async fn catch_up(&self, deadline: Instant) {
        if let Some(said) = self.connection.delivered(self.channel.session_id()) {
            let _ = self.until(deadline, "the news", |state| state.taken_in >= said).await;
        }
    }

    /// Waits for the turn to drive the page.
    pub(crate) async fn turn(&self, deadline: Instant) -> Result<impl Drop> {
        timeout_at(deadline, self.turn.lock()).await.map_err(|_| timed_out("another action in the same tab"))
    }

    /// What has been seen of the page. One at a time looks at it.
    pub(crate) async fn eyes(&self, deadline: Instant) -> Result<MutexGuard<'_, Eyes>> {
        timeout_at(deadline, self.eyes.lock()).await.map_err(|_| timed_out("another look at the same page"))
    }

    /// Which state of the page has been seen, if the caller was told of it and nobody is just looking.
    pub(crate) fn seen(&self) -> Option<u64> {
        self.eyes.try_lock().ok()?.seen(self)
    }

    /// Whether a world did not answer when it was last asked something.
    pub(crate) fn is_silent(&self, world: &World) -> bool {
        self.silent.lock().unwrap_or_else(PoisonError::into_inner).contains(&world.unique_id)
    }

    /// A world has answered, or not in time.
    pub(crate) fn note_silence(&self, world: &World, is_silent: bool) {
        let mut silent = self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_silent {
            silent.remove(&world.unique_id);
            return;
        }
        // Most of them are of documents that are long gone.
        if silent.len() >= MOST_SILENT {
            silent.clear();
        }
        silent.insert(world.unique_id.clone());
    }

    /// The numbers up to this one belong to elements of earlier documents: those of the next one begin after it, so that a ref of an
    /// earlier page does not name an element of a later one.
    pub(crate) fn numbers_taken(&self) -> u32 {
        self.taken.load(Ordering::Relaxed)
    }

    /// A document has given numbers up to this one. Numbers begin anew after very many: refs stay short, and nobody remembers one of
    /// so many pages ago.
    pub(crate) fn take_numbers(&self, last: u32) {
        let taken = self.taken.load(Ordering::Relaxed).max(last);
        self.taken.store(if taken > MOST_NUMBERS { 0 } else { taken }, Ordering::Relaxed);
    }

    /// How often input was sent to the page, or was about to be.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    pub(crate) fn note_sent(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    /// The channel to talk to a frame on, by the session id that the state remembers for it.
    pub(crate) fn channel_of(&self, session: Option<&str>) -> Channel {
        match session {
            Some(session) if Some(session) != self.channel.session_id() => self.connection.channel(session),
            _ => self.channel.clone(),
        }
    }

    /// The page, and its frames in processes of their own.
    pub(crate) fn targets(&self) -> Vec<(Channel, Receiver)> {
        let frames = self.frames.lock().unwrap_or_else(PoisonError::into_inner);
        let frames = frames.iter().map(|frame| (frame.clone(), Receiver::Frame));
        std::iter::once((self.channel.clone(), Receiver::Page)).chain(frames).collect()
    }

    /// Applies events until there are no more.
    fn follow(self: &Arc<Self>, channel: Channel, mut events: Events) {
        let tab = self.clone();
        self.keep(tokio::spawn(async move {
            while let Some(event) = events.next().await {
                if let Some(attached) = event.read::<p::AttachedToTarget>() {
                    tab.attach(&channel, attached);
                }
                if let Some(paused) = event.read::<p::RequestPaused>() {
                    tab.judge(channel.clone(), paused);
                }
                let is_main = channel.session_id() == tab.channel.session_id();
                let mut cookies_changed = false;
                tab.state.send_modify(|state| {
                    cookies_changed = state.apply(channel.session_id(), &event);
                    state.taken_in += u64::from(is_main);
                });
                if cookies_changed {
                    tab.cookies.notify_one();
                }
                if &*event.method == "Page.lifecycleEvent" && tab.read(TabState::has_untold_document) {
                    tab.ask_what_is_shown();
                }
            }
            if channel.session_id() == tab.channel.session_id() {
                let end = if tab.connection.has_ended() { End::BrowserGone } else { End::Closed };
                tab.state.send_modify(|state| {
                    state.end.get_or_insert(end);
                });
            } else {
                let mut frames = tab.frames.lock().unwrap_or_else(PoisonError::into_inner);
                frames.retain(|frame| frame.session_id() != channel.session_id());
            }
        }));
    }

    /// Asks for the document that the browser did not tell of.
    fn ask_what_is_shown(self: &Arc<Self>) {
        let tab = self.clone();
        self.keep(tokio::spawn(async move {
            let session = tab.channel.session_id();
            if let Ok(reply) = tab.channel.post(p::GetFrameTree {}).await {
                tab.state.send_modify(|state| state.catch_up(&reply.frame_tree, session));
            }
        }));
    }

    /// A frame in a process of its own is followed like the page itself; workers go their own way.
    fn attach(self: &Arc<Self>, parent: &Channel, attached: p::AttachedToTarget) {
        let (channel, events) = self.connection.open(&attached.session_id);
        if attached.target_info.r#type != "iframe" {
            if self.egress.holds_everything() {
                self.keep(watch_worker(self.egress.clone(), channel, events));
                return;
            }
            drop(channel.post(p::RunIfWaitingForDebugger {}));
            drop(parent.post(p::DetachFromTarget { session_id: attached.session_id }));
            return;
        }
        self.frames.lock().unwrap_or_else(PoisonError::into_inner).push(channel.clone());
        self.follow(channel.clone(), events);
        let tab = self.clone();
        self.keep(tokio::spawn(async move {
            // A frame that goes away while it starts is no news.
            if let Ok(tree) = init::frame(&channel, &tab, Receiver::Frame).await {
                tab.state.send_modify(|state| state.add_tree(&tree, channel.session_id()));
            }
        }));
    }

    /// Has a request judged that was held back. Others need not wait for that: names may have to be looked up.
    fn judge(self: &Arc<Self>, channel: Channel, paused: p::RequestPaused) {
        let tab = self.clone();
        self.keep(tokio::spawn(async move {
            tab.egress.answer(&channel, paused, Some(&tab.target_id)).await;
        }));
    }

    /// Tells the page and its frames anew to hold back what has to be judged: the rules may be others than when it started.
    pub(crate) async fn hold(&self, deadline: Instant) -> Result<()> {
        for (channel, receiver) in self.targets() {
            if let Some(holding) = self.egress.hold(&channel, receiver) {
                holding.by(deadline).await.map_err(lift)?;
            }
        }
        Ok(())
    }

    fn keep(&self, task: tokio::task::JoinHandle<()>) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.retain(|task| !task.is_finished());
        tasks.push(task.abort_handle());
    }

    /// Stops following the page.
    pub(crate) fn forget(&self) {
        for task in self.tasks.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            task.abort();
        }
    }
}

/// Has what a worker asks for judged, for as long as it lives. It begins when it is told to.
pub(crate) fn watch_worker(
    egress: Arc<Egress>,
    channel: Channel,
    mut events: Events,
) -> tokio::task::JoinHandle<()> {
    let holding = egress.hold(&channel, Receiver::Frame);
    tokio::spawn(async move {
        if let Some(holding) = holding {
            // Not all kinds of workers can be held; they go on all the same.
            _ = holding.by(Instant::now() + WORKER).await;
        }
        drop(channel.post(p::RunIfWaitingForDebugger {}));
        while let Some(event) = events.next().await {
            if let Some(paused) = event.read::<p::RequestPaused>() {
                egress.answer(&channel, paused, None).await;
            }
        }
    })
}

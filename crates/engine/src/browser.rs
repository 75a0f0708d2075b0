//! A browser: one Chromium process of ours, or somebody else's that we are attached to.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use cdp::{
    Channel, Connection, Event, Events,
    fault::Faults,
    launch::{Launch, Process},
    protocol as p,
};
use contract::{Code, Error, Result, without_user_info};
use tokio::{
    sync::{oneshot, watch},
    time::Instant,
};

use crate::{
    downloads::News,
    egress::Egress,
    lift::lift,
    pages::{Directory, Pages},
    tab::watch_worker,
};

/// How long a browser may take to start. Its own start is a fraction of a second; a cold disk takes longer.
const START: Duration = Duration::from_secs(60);

/// A running browser. It ends when the last owner lets go of it, unless it is somebody else's.
pub(crate) struct Browser {
    pub(crate) connection: Connection,
    pub(crate) root: Channel,
    pub(crate) version: String,
    /// The process, if it is ours.
    pub(crate) process_id: Option<u32>,
    /// Whether it is ours and nobody sees its windows.
    pub(crate) is_headless: bool,
    /// The way to networks that its own context has, if the browser is ours. Nothing else may come to listen there while it runs.
    _egress: Option<Arc<Egress>>,
    directory: Mutex<Directory>,
    /// How many of the browser's own events have been taken in.
    taken_in: watch::Sender<u64>,
    /// Dropped or sent: end the browser.
    stop: Mutex<Option<oneshot::Sender<()>>>,
    /// How it ended, once it has and nothing is left of it.
    gone: watch::Receiver<Option<String>>,
}

/// What a browser has that we started.
#[derive(Default)]
struct Ours {
    process_id: Option<u32>,
    is_headless: bool,
    egress: Option<Arc<Egress>>,
}

impl Browser {
    /// Starts a Chromium of our own, which has this way to networks and no other.
    pub(crate) async fn launch(
        launch: &Launch,
        faults: Option<&Faults>,
        egress: Arc<Egress>,
    ) -> Result<Arc<Browser>> {
        let failed =
            |error| Error::new(Code::BrowserLaunchFailed, "Chromium did not start").with_cause(error);
        let mut launch = launch.clone();
        launch.flags.extend(egress.flags());
        let (transport, process) = cdp::launch::launch(&launch).await.map_err(failed)?;
        let (process_id, keeps_profile) = (process.id(), launch.profile.is_some());
        let transport = match faults {
            Some(faults) => faults.wrap(transport),
            None => transport,
        };
        let (connection, events) = Connection::start(transport);
        let (stop, stopped) = oneshot::channel();
        let (gone_sender, gone) = watch::channel(None);
        tokio::spawn(supervise(process, connection.clone(), keeps_profile, stopped, gone_sender));
        let ours = Ours { process_id, is_headless: !launch.headed, egress: Some(egress) };
        let started = Browser::start(connection, events, ours, stop, gone).await;
        started.map_err(|(error, gone)| match error.code {
            Code::BrowserCrashed => {
                Error::new(Code::BrowserLaunchFailed, "Chromium ended as soon as it was started")
                    .with_cause(gone.unwrap_or_else(|| error.cause.unwrap_or_default()))
            }
            _ => error,
        })
    }

    /// Attaches to a browser that somebody else started.
    pub(crate) async fn attach(address: &str) -> Result<Arc<Browser>> {
        let not_running = |cause: String| {
            Error::new(
                Code::BrowserNotRunning,
                format!("no browser to attach to at {}", without_secrets(address)),
            )
            .with_cause(cause)
            .with_hint(
                "start it with --remote-debugging-port=9222, then attach with --attach http://127.0.0.1:9222",
            )
        };
        let websocket = cdp::discover::websocket_of(address).await.map_err(|error| match error {
            cdp::discover::DiscoverError::BadAddress(_) => Error::invalid(format!(
                "{:?} is neither http://host:port nor ws://…",
                without_secrets(address)
            )),
            cdp::discover::DiscoverError::NotThere { source, .. } => not_running(source.to_string()),
            cdp::discover::DiscoverError::NotABrowser { .. } => {
                not_running("what answers there is no browser".into())
            }
        })?;
        let transport =
            cdp::websocket::connect(&websocket).await.map_err(|error| not_running(error.to_string()))?;
        let (connection, events) = Connection::start(transport);
        let (stop, stopped) = oneshot::channel::<()>();
        let (gone_sender, gone) = watch::channel(None);
        let watched = connection.clone();
        tokio::spawn(async move {
            let reason = tokio::select! {
                reason = watched.ended() => reason.to_string(),
                _ = stopped => "detached".into(),
            };
            watched.close(&reason);
            let _ = gone_sender.send(Some(reason));
        });
        Browser::start(connection, events, Ours::default(), stop, gone).await.map_err(|(error, _)| error)
    }

    async fn start(
        connection: Connection,
        events: Events,
        ours: Ours,
        stop: oneshot::Sender<()>,
        mut gone: watch::Receiver<Option<String>>,
    ) -> Result<Arc<Browser>, (Error, Option<String>)> {
        let root = connection.root();
        let deadline = Instant::now() + START;
        let version = root.post(p::GetVersion {});
        let discover = root.post(p::SetDiscoverTargets { discover: true });
        let ready = async {
            let version = version.by(deadline).await?;
            discover.by(deadline).await?;
            Ok::<_, cdp::Error>(version.product)
        };
        let version = match ready.await {
            Ok(version) => version,
            Err(error) => {
                drop(stop);
                let words = gone.wait_for(Option::is_some).await.ok().and_then(|words| words.clone());
                return Err((lift(error), words));
            }
        };
        let browser = Arc::new(Browser {
            connection,
            root,
            version,
            process_id: ours.process_id,
            is_headless: ours.is_headless,
            _egress: ours.egress,
            directory: Mutex::default(),
            taken_in: watch::Sender::new(0),
            stop: Mutex::new(Some(stop)),
            gone,
        });
        tokio::spawn(follow(Arc::downgrade(&browser), events));
        Ok(browser)
    }

    /// From now on attaches to every page, held back until it is told to go on. Needs the directory filled first: a page
    /// that nobody owns is let go.
    pub(crate) async fn attach_to_pages(&self, deadline: Instant) -> Result<()> {
        let attach = p::SetAutoAttach { auto_attach: true, wait_for_debugger_on_start: true, flatten: true };
        self.root.call(attach, deadline).await.map_err(lift).map(drop)
    }

    /// Says which pages belong to a context.
    pub(crate) fn register(&self, context: Option<&str>, pages: &Arc<Pages>) {
        self.directory().add(context, pages);
    }

    /// Waits until all that the browser has said so far has been taken in.
    pub(crate) async fn catch_up(&self, deadline: Instant) {
        if let Some(said) = self.connection.delivered(None) {
            let mut taken_in = self.taken_in.subscribe();
            let _ = tokio::time::timeout_at(deadline, taken_in.wait_for(|taken_in| *taken_in >= said)).await;
        }
    }

    /// Lets a target go on without us.
    pub(crate) fn let_go(&self, session_id: String) {
        let going = self.connection.channel(&session_id).post(p::RunIfWaitingForDebugger {});
        let root = self.root.clone();
        // A worker that is just being made goes on only if we are still there when it gets to that.
        tokio::spawn(async move {
            _ = going.by(Instant::now() + START).await;
            drop(root.post(p::DetachFromTarget { session_id }));
        });
    }

    pub(crate) fn is_alive(&self) -> bool {
        !self.connection.has_ended()
    }

    /// Ends the browser, or lets go of one that is somebody else's, and waits until nothing is left.
    pub(crate) async fn end(&self) {
        drop(self.stop.lock().unwrap_or_else(PoisonError::into_inner).take());
        let _ = self.gone.clone().wait_for(Option::is_some).await;
    }

    fn directory(&self) -> MutexGuard<'_, Directory> {
        self.directory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Owns the process: sees how it ends, and ends it.
async fn supervise(
    mut process: Process,
    connection: Connection,
    keeps_profile: bool,
    stopped: oneshot::Receiver<()>,
    gone: watch::Sender<Option<String>>,
) {
    let reason = tokio::select! {
        // In this order, since its own last words say more than that it was stopped.
        biased;
        reason = process.ended() => reason,
        reason = connection.ended() => {
            // The pipe closes a moment before the process ends; its last words are worth that moment.
            let words = tokio::time::timeout(Duration::from_millis(500), process.ended()).await;
            words.unwrap_or_else(|_| reason.to_string())
        }
        _ = stopped => {
            if keeps_profile {
                drop(connection.root().post(p::BrowserClose {}));
                let _ = tokio::time::timeout(Duration::from_secs(5), connection.ended()).await;
            }
            "the browser was closed".into()
        }
    };
    connection.close(&reason);
    process.end().await;
    let _ = gone.send(Some(reason));
}

/// Takes in the browser's own events, one after the other.
async fn follow(browser: Weak<Browser>, mut events: Events) {
    while let Some(event) = events.next().await {
        let Some(browser) = browser.upgrade() else { return };
        browser.take_in(&event);
        browser.taken_in.send_modify(|taken_in| *taken_in += 1);
    }
}

impl Browser {
    /// Brings an event to the pages that it is about.
    fn take_in(&self, event: &Event) {
        match &*event.method {
            "Target.attachedToTarget" => {
                let Some(attached) = event.read::<p::AttachedToTarget>() else { return };
                let owner = self.directory().find(attached.target_info.browser_context_id.as_deref());
                match (&*attached.target_info.r#type, owner) {
                    ("page", Some(pages)) => pages.adopt(&self.connection, &attached),
                    ("other", Some(pages)) if pages.hidden.adopt(&attached) => {}
                    ("service_worker" | "shared_worker" | "worker", Some(pages))
                        if pages.egress.holds_everything() =>
                    {
                        let (channel, events) = self.connection.open(&attached.session_id);
                        // It ends with the connection.
                        drop(watch_worker(pages.egress.clone(), channel, events));
                    }
                    // A worker, or a page of nobody's.
                    _ => self.let_go(attached.session_id),
                }
            }
            "Target.targetDestroyed" => {
                let Some(destroyed) = event.read::<p::TargetDestroyed>() else { return };
                self.directory().all().iter().for_each(|pages| pages.remove(&destroyed.target_id));
            }
            "Target.targetInfoChanged" => {
                let Some(changed) = event.read::<p::TargetInfoChanged>() else { return };
                let info = changed.target_info;
                // Nobody goes to a file of this machine; in a browser of ours one that is open was dropped onto a page that saw to it that
                // nothing took it.
                if self.process_id.is_some() && info.r#type == "page" && info.url.starts_with("file:") {
                    tracing::warn!("a page had a file of this machine opened; its tab is closed");
                    drop(self.root.post(p::CloseTarget { target_id: info.target_id.clone() }));
                }
                if let Some(pages) = self.directory().find(info.browser_context_id.as_deref()) {
                    pages.note_title(&info);
                }
            }
            "Browser.downloadWillBegin" => {
                let Some(begun) = event.read::<p::DownloadWillBegin>() else { return };
                self.begin_download(&begun);
            }
            "Browser.downloadProgress" => {
                let Some(progress) = event.read::<p::DownloadProgress>() else { return };
                let all = self.directory().all();
                for pages in &all {
                    match pages.downloads.progress(&progress) {
                        News::OfOthers => {}
                        News::Taken => return,
                        News::CallOff(cancel) => return drop(self.root.post(cancel)),
                    }
                }
                // Nobody will ever ask for it.
                if self.process_id.is_some() && progress.state != "inProgress" {
                    all.iter().for_each(|pages| pages.downloads.forget(&progress.guid));
                }
            }
            _ => {}
        }
    }
}

impl Browser {
    /// Brings a download to the pages that it began in. Of pages of ours that nobody knows by now, such as a frame that was removed at
    /// once, nobody can say whose it is; then it is called off if any session would not have it.
    fn begin_download(&self, begun: &p::DownloadWillBegin) {
        let all = self.directory().all();
        for pages in &all {
            match pages.begin_download(begun) {
                News::OfOthers => {}
                News::Taken => return,
                News::CallOff(cancel) => return drop(self.root.post(cancel)),
            }
        }
        let refusal = all.iter().find_map(|pages| pages.downloads.refusal(begun, &[]));
        let (Some(_), Some((error, _))) = (self.process_id, refusal) else { return };
        for pages in all {
            let Some(cancel) = pages.downloads.cancel(begun) else { continue };
            let (cancelling, begun, error) = (self.root.post(cancel), begun.clone(), error.clone());
            // Only the context that it is in knows it, and its session is told.
            tokio::spawn(async move {
                if cancelling.by(Instant::now() + START).await.is_ok() {
                    pages.downloads.refused(&begun, error);
                }
            });
        }
    }
}

/// The address of somebody's browser as it may be shown: those of hosted ones carry tokens.
pub(crate) fn without_secrets(address: &str) -> String {
    without_user_info(address).split(['?', '#']).next().unwrap_or_default().to_owned()
}

/// The file of the browser to start: the one that was named, or the one that is found.
pub fn executable(named: Option<&PathBuf>) -> Result<PathBuf> {
    match named {
        Some(name) => cdp::find::named(name).ok_or_else(|| {
            Error::new(
                Code::BrowserNotInstalled,
                format!("{} is not a browser that can be run", name.display()),
            )
            .with_hint("correct --browser, WEBHAND_BROWSER or `browser` in config.toml")
        }),
        None => cdp::find::find().ok_or_else(|| {
            Error::new(Code::BrowserNotInstalled, "no Chromium or Chrome was found on this machine")
        }),
    }
}

//! Downloads: what the browser is writing, how far it is, and what has arrived in the session's folder.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use cdp::protocol as p;
use contract::{Code, Download, Error, Result, Size, TabId};
use guard::Files;
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};
use url::Url;

use crate::{files, known_secrets::KnownSecrets, lift::timed_out};

/// The downloads of one session, the oldest first.
#[derive(Default)]
pub(crate) struct Downloads {
    list: Arc<watch::Sender<Vec<Entry>>>,
    begun: AtomicUsize,
    saving: Mutex<Option<(Saving, Option<String>)>>,
}

/// Where downloads go, and what holds for them.
#[derive(Clone, Debug)]
pub(crate) struct Saving {
    /// The session's folder, for what has arrived.
    pub(crate) folder: PathBuf,
    /// Where the browser writes. Nothing there is shown or kept: the browser may still write a file that it was told to cancel.
    pub(crate) incoming: PathBuf,
    /// How large one may be.
    pub(crate) largest: Size,
    /// What must be in no name.
    pub(crate) secrets: Arc<KnownSecrets>,
    pub(crate) judge: DownloadJudge,
}

/// Says whether a download may go on, by the pages that it began in and its address.
#[derive(Clone)]
pub(crate) struct DownloadJudge(pub(crate) Arc<JudgeDownload>);

type JudgeDownload = dyn Fn(&[Url], Option<&Url>) -> Result<()> + Send + Sync;

impl fmt::Debug for DownloadJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DownloadJudge")
    }
}

/// What came of news of a download.
pub(crate) enum News {
    /// It is none of these.
    OfOthers,
    /// It was taken in.
    Taken,
    /// It is larger than may be, or broke off, and is to be called off.
    CallOff(p::CancelDownload),
}

/// Why a download did not arrive.
#[derive(Clone, Debug)]
enum Failure {
    TooLarge(Size),
    /// The rules do not allow it.
    Refused(Error),
    Other(String),
}

#[derive(Clone, Debug)]
struct Entry {
    /// Its place among all that there ever were, the first being 0.
    number: usize,
    guid: String,
    /// The frame that began it, and the tab that this is in; none if it is a hidden page.
    frame: String,
    tab: Option<TabId>,
    url: String,
    name: String,
    /// How much of it is there, in bytes, and how much there will be if the server said so.
    received: u64,
    total: u64,
    /// Why it is being called off, if the rules do not allow it. It has ended when the browser says so.
    refused: Option<Error>,
    end: Option<Result<Download, Failure>>,
    told: bool,
}

impl Entry {
    /// Whether it is one of these, begun after `seen` others.
    fn is_after(&self, whose: Whose<'_>, seen: usize) -> bool {
        let is_theirs = match whose {
            Whose::Tab(tab) => self.tab == Some(tab),
            Whose::TabAndNewer(tab, last) => self.tab.is_some_and(|begun| begun == tab || begun.0 > last),
            Whose::Hidden(frame) => self.frame == frame,
            Whose::Untold => self.tab.is_some() && !self.told,
        };
        is_theirs && self.number >= seen
    }

    /// How much of it is there, in words.
    fn progress(&self) -> String {
        match (self.received, self.total) {
            (received, 0) => format!("{received} bytes"),
            (received, total) => format!("{received} of {total} bytes"),
        }
    }

    /// What came of it, once it is over.
    fn outcome(&self) -> Option<Result<Download>> {
        let failed = |failure| {
            if let Failure::Refused(error) = failure {
                return error;
            }
            let error = Error::new(Code::DownloadFailed, format!("{} did not arrive", self.name));
            match failure {
                Failure::TooLarge(largest) => error
                    .with_cause(format_args!("it is larger than {largest}"))
                    .with_hint("allow larger files with --max-file when the session starts"),
                Failure::Other(reason) => error.with_cause(reason),
                Failure::Refused(error) => error,
            }
        };
        Some(self.end.clone()?.map_err(failed))
    }
}

/// Whose downloads are meant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Whose<'a> {
    /// Those of one tab.
    Tab(TabId),
    /// Those of one tab, and of all tabs that came after the one with this number.
    TabAndNewer(TabId, u32),
    /// Those of a hidden page, by its frame.
    Hidden(&'a str),
    /// Those of any tab that nobody has been told of yet.
    Untold,
}

/// How many are remembered; those that have been told of go first.
const REMEMBERED: usize = 64;

impl Downloads {
    /// Says what holds from now on, and what the browser calls the session's context.
    pub(crate) fn set_saving(&self, saving: Saving, browser_context_id: Option<String>) {
        *self.saving.lock().unwrap_or_else(PoisonError::into_inner) = Some((saving, browser_context_id));
    }

    fn saving(&self) -> Option<(Saving, Option<String>)> {
        self.saving.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes in a download that begins in these pages. Returns how to call it off, if the rules do not allow it.
    pub(crate) fn begin(
        &self,
        event: &p::DownloadWillBegin,
        tab: Option<TabId>,
        pages: &[Url],
    ) -> Option<p::CancelDownload> {
        let refusal = self.refusal(event, pages);
        let refused = refusal.as_ref().map(|(error, _)| error.clone());
        self.add(event, tab, refused, None);
        refusal.map(|(_, cancel)| cancel)
    }

    /// Takes in a download that was called off already.
    pub(crate) fn refused(&self, event: &p::DownloadWillBegin, error: Error) {
        self.add(event, None, Some(error.clone()), Some(Failure::Refused(error)));
    }

    fn add(
        &self,
        event: &p::DownloadWillBegin,
        tab: Option<TabId>,
        refused: Option<Error>,
        end: Option<Failure>,
    ) {
        let end = end.map(Err);
        self.list.send_modify(|list| {
            if list.len() >= REMEMBERED {
                // One that nobody has heard of stays: somebody may be waiting for it.
                list.iter().position(|entry| entry.told).map(|oldest| list.remove(oldest));
            }
            // A page may put into a name what was typed into it.
            let mut name = event.suggested_filename.clone();
            if let Some((saving, _)) = self.saving() {
                saving.secrets.redactor().mask(&mut name);
            }
            let name = files::safe_name(&name);
            let number = self.begun.fetch_add(1, Ordering::Relaxed);
            list.push(Entry {
                number,
                guid: event.guid.clone(),
                frame: event.frame_id.clone(),
                tab,
                url: event.url.clone(),
                name,
                received: 0,
                total: 0,
                refused: refused.clone(),
                end: end.clone(),
                told: false,
            });
        });
    }

    /// Why a download may not go on, and how it is called off.
    pub(crate) fn refusal(
        &self,
        event: &p::DownloadWillBegin,
        pages: &[Url],
    ) -> Option<(Error, p::CancelDownload)> {
        let (saving, browser_context_id) = self.saving()?;
        let error = (saving.judge.0)(pages, Url::parse(&event.url).ok().as_ref()).err()?;
        tracing::warn!(guid = event.guid, "a download is not allowed and is called off");
        Some((error, p::CancelDownload { guid: event.guid.clone(), browser_context_id }))
    }

    /// How a download is called off that may be one of these.
    pub(crate) fn cancel(&self, event: &p::DownloadWillBegin) -> Option<p::CancelDownload> {
        let (_, browser_context_id) = self.saving()?;
        Some(p::CancelDownload { guid: event.guid.clone(), browser_context_id })
    }

    /// Removes what the browser has written of a download that is none of these.
    pub(crate) fn forget(&self, guid: &str) {
        if let Some((saving, _)) = self.saving() {
            forget_file(&saving.incoming, guid);
        }
    }

    /// Takes in news of a download.
    pub(crate) fn progress(&self, event: &p::DownloadProgress) -> News {
        let saving = self.saving();
        let largest = saving.as_ref().map_or(u64::MAX, |(saving, _)| saving.largest.0);
        let mut found = None;
        let mut is_called_off = false;
        self.list.send_if_modified(|list| {
            let Some(entry) = list.iter_mut().find(|entry| entry.guid == event.guid) else { return false };
            if let Some(error) = entry.refused.clone() {
                let is_over = entry.end.is_none() && event.state != "inProgress";
                if is_over {
                    // What is there of it goes before anybody is told.
                    saving.iter().for_each(|(saving, _)| forget_file(&saving.incoming, &entry.guid));
                    entry.end = Some(Err(Failure::Refused(error)));
                }
                found = Some(entry.clone());
                return is_over;
            }
            let (received, total) = (event.received_bytes as u64, event.total_bytes as u64);
            // The browser does not say that a download broke off. It asks for the address again, with GET, whatever led to the file.
            let broke_off = (received < entry.received).then(|| entry.progress());
            (entry.received, entry.total) = (received, total);
            let is_too_large = received.max(total) > largest;
            is_called_off = entry.end.is_none() && (is_too_large || broke_off.is_some());
            let end = match (&*event.state, broke_off) {
                (_, Some(progress)) => Some(Failure::Other(format!("the connection ended after {progress}"))),
                _ if is_too_large => Some(Failure::TooLarge(Size(largest))),
                ("canceled", _) => Some(Failure::Other("the download was cancelled or failed".into())),
                _ => None,
            };
            let is_over = entry.end.is_none() && end.is_some();
            if is_over {
                entry.end = end.map(Err);
            }
            found = Some(entry.clone());
            is_over
        });
        let Some(entry) = found else { return News::OfOthers };
        if entry.refused.is_some() {
            return News::Taken;
        }
        if event.state == "completed" && entry.end.is_none() {
            self.keep(entry);
        } else if let (true, Some((saving, browser_context_id))) = (is_called_off, saving) {
            // What is there already is of no use to anybody.
            forget_file(&saving.incoming, &entry.guid);
            return News::CallOff(p::CancelDownload { guid: entry.guid, browser_context_id });
        }
        News::Taken
    }

    /// Gives a finished file its own name instead of the number under which the browser wrote it. A large one is long to be summed up,
    /// so that is done beside all else.
    fn keep(&self, entry: Entry) {
        let saving = self.saving().map(|(saving, _)| (saving.folder, saving.incoming));
        let (folder, incoming) = saving.unwrap_or_default();
        let list = self.list.clone();
        tokio::task::spawn_blocking(move || {
            let Entry { guid, url, name, .. } = entry;
            let written = incoming.join(&guid);
            let kept = files::summed_up(&written).map_err(|error| error.to_string());
            let kept = kept.and_then(|(bytes, sha256)| {
                // The folder is ours.
                let place = Files::default().place(&folder.join(&name)).map_err(|error| error.to_string())?;
                let path = files::place(&written, &place).map_err(|error| error.to_string())?;
                let name = path.file_name().map_or(name, |name| name.to_string_lossy().into_owned());
                Ok(Download { name, url, path, bytes, sha256 })
            });
            list.send_modify(|list| {
                if let Some(entry) = list.iter_mut().find(|entry| entry.guid == guid) {
                    entry.end = Some(kept.map_err(Failure::Other));
                }
            });
        });
    }

    /// Whether they have begun a download after `seen` others, or do so by the deadline.
    pub(crate) async fn begun(&self, whose: Whose<'_>, seen: usize, deadline: Instant) -> bool {
        let mut list = self.list.subscribe();
        let begun = list.wait_for(|list| list.iter().any(|entry| entry.is_after(whose, seen)));
        timeout_at(deadline, begun).await.is_ok()
    }

    /// Whether all that began after `seen` others is over, or is so by the deadline.
    pub(crate) async fn quiet(&self, seen: usize, deadline: Instant) -> bool {
        let mut list = self.list.subscribe();
        let is_over = |entry: &Entry| entry.number < seen || entry.end.is_some();
        timeout_at(deadline, list.wait_for(|list| list.iter().all(is_over))).await.is_ok()
    }

    /// Waits for the download that they began after `seen` others. It is told to nobody else.
    pub(crate) async fn finished(
        &self,
        whose: Whose<'_>,
        seen: usize,
        deadline: Instant,
    ) -> Result<Download> {
        let mut list = self.list.subscribe();
        let is_over = |entry: &Entry| entry.is_after(whose, seen) && entry.end.is_some();
        let over = list.wait_for(|list| list.iter().any(is_over));
        if timeout_at(deadline, over).await.is_err() {
            let progress =
                self.list.borrow().iter().find(|entry| entry.is_after(whose, seen)).map(Entry::progress);
            let progress = progress.unwrap_or_else(|| "0 bytes".into());
            return Err(timed_out(format_args!("the download, of which there are {progress}"))
                .with_hint("allow more time with --timeout; the download goes on"));
        }
        let mut end = None;
        self.list.send_if_modified(|list| {
            if let Some(entry) = list.iter_mut().find(|entry| is_over(entry)) {
                entry.told = true;
                end = entry.outcome();
            }
            false
        });
        end.unwrap_or_else(|| Err(Error::new(Code::DownloadFailed, "the download was forgotten")))
    }

    /// Nobody waits any more for what they began after `seen` others. Returns what the browser calls those that are not over.
    pub(crate) fn give_up(&self, whose: Whose<'_>, seen: usize) -> Vec<String> {
        let mut given_up = Vec::new();
        self.list.send_if_modified(|list| {
            for entry in list.iter_mut().filter(|entry| entry.is_after(whose, seen) && entry.end.is_none()) {
                entry.told = true;
                given_up.push(entry.guid.clone());
            }
            false
        });
        given_up
    }

    /// How many there ever were, to tell new ones from old.
    pub(crate) fn count(&self) -> usize {
        self.begun.load(Ordering::Relaxed)
    }

    /// The refusal of a download that began after `seen` others, if there is one that nobody has been told of.
    pub(crate) fn take_refused(&self, seen: usize) -> Option<Error> {
        let mut refused = None;
        self.list.send_if_modified(|list| {
            let is_it = |entry: &&mut Entry| {
                let is_refused = matches!(entry.end, Some(Err(Failure::Refused(_))));
                is_refused && !entry.told && entry.number >= seen
            };
            if let Some(entry) = list.iter_mut().find(is_it) {
                entry.told = true;
                refused = entry.outcome().and_then(Result::err);
            }
            false
        });
        refused
    }

    /// What has arrived and has not been told of yet. A download that failed is an error.
    pub(crate) fn take_finished(&self) -> Vec<Result<Download>> {
        let mut finished = Vec::new();
        self.list.send_if_modified(|list| {
            for entry in list.iter_mut().filter(|entry| !entry.told) {
                if let Some(end) = entry.outcome() {
                    entry.told = true;
                    finished.push(end);
                }
            }
            false
        });
        finished
    }
}

/// Removes what the browser has written of a download, under either of its names.
fn forget_file(folder: &Path, guid: &str) {
    for name in [guid.to_owned(), format!("{guid}.crdownload")] {
        let _ = std::fs::remove_file(folder.join(name));
    }
}

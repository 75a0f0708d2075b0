//! Downloads: what the browser is writing to the session's folder, and how far it is.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use cdp::protocol as p;
use contract::{Code, Download, Error, Result, TabId};
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};

use crate::lift::timed_out;

/// The downloads of one session, the oldest first.
#[derive(Default)]
pub(crate) struct Downloads {
    list: watch::Sender<Vec<Entry>>,
    begun: AtomicUsize,
    folder: std::sync::Mutex<PathBuf>,
}

#[derive(Clone, Debug)]
struct Entry {
    /// Its place among all that there ever were, the first being 0.
    number: usize,
    guid: String,
    tab: Option<TabId>,
    url: String,
    name: String,
    end: Option<Result<Download, String>>,
    told: bool,
}

impl Entry {
    /// Whether this tab began it after `seen` others.
    fn is_after(&self, tab: TabId, seen: usize) -> bool {
        self.number >= seen && self.tab == Some(tab)
    }

    /// What came of it, once it is over.
    fn outcome(&self) -> Option<Result<Download>> {
        let failed = |reason| {
            Error::new(Code::DownloadFailed, format!("{} did not arrive", self.name)).with_cause(reason)
        };
        Some(self.end.clone()?.map_err(failed))
    }
}

/// How many are remembered; those that have been told of go first.
const REMEMBERED: usize = 64;

impl Downloads {
    pub(crate) fn set_folder(&self, folder: &Path) {
        *self.folder.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = folder.to_owned();
    }

    pub(crate) fn begin(&self, event: p::DownloadWillBegin, tab: Option<TabId>) {
        self.list.send_modify(|list| {
            if list.len() >= REMEMBERED {
                // One that nobody has heard of stays: somebody may be waiting for it.
                list.iter().position(|entry| entry.told).map(|oldest| list.remove(oldest));
            }
            let name = safe_name(&event.suggested_filename);
            let number = self.begun.fetch_add(1, Ordering::Relaxed);
            list.push(Entry { number, guid: event.guid, tab, url: event.url, name, end: None, told: false });
        });
    }

    /// Takes in news of a download. Returns whether it was one of these.
    pub(crate) fn progress(&self, event: &p::DownloadProgress) -> bool {
        let folder = self.folder.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        self.list.send_if_modified(|list| {
            let Some(entry) = list.iter_mut().find(|entry| entry.guid == event.guid) else { return false };
            entry.end = match &*event.state {
                "completed" => Some(keep(&folder, entry)),
                "canceled" => Some(Err("the download was cancelled or failed".into())),
                _ => return false,
            };
            true
        })
    }

    /// Whether this tab has begun a download after `seen` others, or does so by the deadline.
    pub(crate) async fn begun(&self, tab: TabId, seen: usize, deadline: Instant) -> bool {
        let mut list = self.list.subscribe();
        let begun = list.wait_for(|list| list.iter().any(|entry| entry.is_after(tab, seen)));
        timeout_at(deadline, begun).await.is_ok()
    }

    /// Whether all that began after `seen` others is over, or is so by the deadline.
    pub(crate) async fn quiet(&self, seen: usize, deadline: Instant) -> bool {
        let mut list = self.list.subscribe();
        let is_over = |entry: &Entry| entry.number < seen || entry.end.is_some();
        timeout_at(deadline, list.wait_for(|list| list.iter().all(is_over))).await.is_ok()
    }

    /// Waits for the download that this tab began after `seen` others. It is told to nobody else.
    pub(crate) async fn finished(&self, tab: TabId, seen: usize, deadline: Instant) -> Result<Download> {
        let mut list = self.list.subscribe();
        let is_over = |entry: &Entry| entry.is_after(tab, seen) && entry.end.is_some();
        let over = list.wait_for(|list| list.iter().any(is_over));
        if timeout_at(deadline, over).await.is_err() {
            return Err(
                timed_out("the download").with_hint("allow more time with --timeout; the download goes on")
            );
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

    /// How many there ever were, to tell new ones from old.
    pub(crate) fn count(&self) -> usize {
        self.begun.load(Ordering::Relaxed)
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

/// Gives a finished file its own name instead of the number under which the browser wrote it.
fn keep(folder: &Path, entry: &Entry) -> Result<Download, String> {
    let written = folder.join(&entry.guid);
    let bytes = std::fs::metadata(&written).map_err(|error| error.to_string())?.len();
    for attempt in 0.. {
        let name = numbered(&entry.name, attempt);
        let path = folder.join(&name);
        // `hard_link` fails when the name is taken, where `rename` would replace what another download left there.
        match std::fs::hard_link(&written, &path) {
            Ok(()) => {
                let _ = std::fs::remove_file(&written);
                return Ok(Download { name, url: entry.url.clone(), path, bytes });
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && attempt < 10_000 => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Err("every name is taken".into())
}

fn numbered(name: &str, attempt: u32) -> String {
    match (attempt, name.rsplit_once('.')) {
        (0, _) => name.into(),
        (_, Some((stem, extension))) if !stem.is_empty() => format!("{stem} ({attempt}).{extension}"),
        _ => format!("{name} ({attempt})"),
    }
}

/// A name that is only a name: no folders, nothing hidden, no control characters, not too long.
fn safe_name(suggested: &str) -> String {
    let last = suggested.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String =
        last.chars().map(|c| if c.is_control() || ":*?\"<>|".contains(c) { '_' } else { c }).collect();
    let trimmed = plain.trim_matches(['.', ' ']);
    let mut end = trimmed.len().min(200);
    while !trimmed.is_char_boundary(end) {
        end -= 1;
    }
    if end == 0 { "download".into() } else { trimmed[..end].into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_only_names() {
        for (suggested, safe) in [
            ("report.pdf", "report.pdf"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\evil.exe", "evil.exe"),
            (".bashrc", "bashrc"),
            ("..", "download"),
            ("", "download"),
            ("a\0b\nc:d.txt", "a_b_c_d.txt"),
            ("发票 2024.pdf", "发票 2024.pdf"),
        ] {
            assert_eq!(safe_name(suggested), safe, "{suggested:?}");
        }
        assert!(safe_name(&"名".repeat(500)).len() <= 200);
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        assert_eq!(numbered("a.txt", 0), "a.txt");
        assert_eq!(numbered("a.txt", 2), "a (2).txt");
        assert_eq!(numbered("a", 1), "a (1)");
    }
}

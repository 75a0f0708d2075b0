//! A private folder that lasts as long as a session in this process: `WEBHAND_HOME/PURPOSE/PID-N`. Folders of processes that were killed are
//! removed by the next process that makes one.

use std::{
    fs, io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// Tells the sessions of this process apart.
static MADE: AtomicU64 = AtomicU64::new(0);

/// The folder of one session for one purpose. It is made when it is first needed, and removed with the session.
#[derive(Debug)]
pub(crate) struct SessionFolder(PathBuf);

impl SessionFolder {
    pub(crate) fn new(home: &Path, purpose: &str) -> SessionFolder {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        SessionFolder(home.join(purpose).join(format!("{}-{number}", std::process::id())))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Makes `folder`, which is this one or below it, for the user alone.
    pub(crate) fn make(&self, folder: &Path) -> io::Result<()> {
        if let Some(all) = self.0.parent().filter(|_| !self.0.exists()) {
            remove_abandoned(all);
        }
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }

    /// Removes it with everything in it.
    pub(crate) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Drop for SessionFolder {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Removes the folders of processes that ended without doing it.
fn remove_abandoned(all: &Path) {
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.split_once('-')).and_then(|(id, _)| id.parse().ok());
        let is_alive = |id| rustix::process::test_kill_process(id) != Err(rustix::io::Errno::SRCH);
        if id.and_then(rustix::process::Pid::from_raw).is_some_and(|id| !is_alive(id)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_dead_processes_are_removed() {
        let home = tempfile::tempdir().unwrap();
        // No process has the largest number.
        let (dead, other) =
            (home.path().join("uploads").join(format!("{}-0", i32::MAX)), home.path().join("uploads/x"));
        for folder in [&dead, &other] {
            fs::create_dir_all(folder).unwrap();
        }
        let ours = SessionFolder::new(home.path(), "uploads");
        ours.make(ours.path()).unwrap();
        assert_eq!((dead.exists(), other.exists(), ours.path().exists()), (false, true, true));
        let path = ours.path().to_owned();
        drop(ours);
        assert!(!path.exists());
    }
}

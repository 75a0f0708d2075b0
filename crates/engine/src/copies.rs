//! Copies of files that pages are given. The browser opens what it is given by its name, and later than it was checked; so it is given a copy
//! that nobody else gets to, made from what was checked.

use std::{
    fs, io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use contract::{Error, Result};
use guard::files::Held;

/// Where copies are kept, in webhand's folder.
const FOLDER: &str = "uploads";

/// Tells sessions apart, and copies.
static MADE: AtomicU64 = AtomicU64::new(0);

/// The copies of one session. They go with it: pages read files when they send them, which may be long after they were given.
#[derive(Debug)]
pub(crate) struct Copies {
    folder: PathBuf,
}

impl Copies {
    pub(crate) fn new(home: &Path) -> Copies {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        Copies { folder: home.join(FOLDER).join(format!("{}-{number}", std::process::id())) }
    }

    /// Makes a copy under the same name, in a folder of its own. `go_on` is asked now and then.
    pub(crate) fn make(&self, held: &Held, name: &Path, go_on: &dyn Fn() -> bool) -> Result<Copy> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let copy = Copy { folder: self.folder.join(number.to_string()), is_kept: false };
        let path = copy.folder.join(name);
        let made = self.make_folder(&copy.folder).and_then(|()| held.copy_to(&path, go_on));
        made.map(|()| copy).map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => {
                crate::lift::timed_out(format_args!("{} to be copied", name.display()))
            }
            _ => Error::invalid(format!("{} cannot be read", name.display()))
                .with_cause(error)
                .with_hint("name files that are there and can be read"),
        })
    }

    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        if let Some(all) = self.folder.parent().filter(|_| !self.folder.exists()) {
            forget_dead(all);
        }
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }
}

impl Copies {
    /// Removes all of them.
    pub(crate) fn forget(&self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        self.forget();
    }
}

/// One copy. It goes unless a page has been given it.
#[derive(Debug)]
pub(crate) struct Copy {
    folder: PathBuf,
    is_kept: bool,
}

impl Copy {
    pub(crate) fn path(&self, name: &Path) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Removes the copies of processes that were killed and could not.
fn forget_dead(all: &Path) {
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
    fn copies_of_dead_processes_go() {
        let home = tempfile::tempdir().unwrap();
        // No process has the largest number.
        let (dead, other) =
            (home.path().join("uploads").join(format!("{}-0", i32::MAX)), home.path().join("uploads/x"));
        for folder in [&dead, &other] {
            fs::create_dir_all(folder).unwrap();
        }
        let copies = Copies::new(home.path());
        copies.make_folder(&copies.folder).unwrap();
        assert_eq!((dead.exists(), other.exists(), copies.folder.exists()), (false, true, true));
        let folder = copies.folder.clone();
        drop(copies);
        assert!(!folder.exists());
    }
}

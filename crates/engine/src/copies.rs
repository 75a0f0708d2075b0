//! Copies of files that pages are given. The browser opens what it is given by its name, and later than it was checked; so it is given a copy
//! that nobody else gets to, made from what was checked.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use contract::{Error, Result};
use guard::files::Held;

use crate::session_folder::SessionFolder;

/// Tells copies apart.
static MADE: AtomicU64 = AtomicU64::new(0);

/// The copies of one session. They go with it: pages read files when they send them, which may be long after they were given.
#[derive(Debug)]
pub(crate) struct Copies(SessionFolder);

impl Copies {
    pub(crate) fn new(home: &Path) -> Copies {
        Copies(SessionFolder::new(home, "uploads"))
    }

    /// Makes a copy under the same name, in a folder of its own. `go_on` is asked now and then.
    pub(crate) fn make(&self, held: &Held, name: &Path, go_on: &dyn Fn() -> bool) -> Result<Copy> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let copy = Copy { folder: self.0.path().join(number.to_string()), is_kept: false };
        let path = copy.folder.join(name);
        let made = self.0.make(&copy.folder).and_then(|()| held.copy_to(&path, go_on));
        made.map(|()| copy).map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => {
                crate::lift::timed_out(format_args!("{} to be copied", name.display()))
            }
            _ => Error::invalid(format!("{} cannot be read", name.display()))
                .with_cause(error)
                .with_hint("name files that are there and can be read"),
        })
    }

    /// Removes all of them.
    pub(crate) fn forget(&self) {
        self.0.remove();
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

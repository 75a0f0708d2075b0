//! The files that a caller may name: what a relative name is relative to, and where it has to stay. A person may use any file that the
//! system lets them; agents only those in folders that they were given.
//!
//! A name is looked at when it is used, not before: where it leads after all links is worked out, checked, and then gone to folder by
//! folder without following a link. Whoever puts one there in between gets an error.

mod held;
mod place;

use std::{
    ffi::OsString,
    fs,
    io::{self, Read, Write},
    os::unix::ffi::OsStrExt,
    path::{Component, Path, PathBuf},
};

use contract::{Code, Error, Result};
use serde::{Deserialize, Serialize};

pub use held::Held;
use held::Links;
pub use place::{Place, Unfinished};

/// The longest name of a file that systems know, in bytes.
const LONGEST_NAME: usize = 255;

/// What is in these is no file that anybody keeps, and some of it tells of other processes.
const OF_THE_SYSTEM: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Where files of a caller are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Files {
    /// What relative names are relative to; empty: the folder that the process is in.
    base: PathBuf,
    /// Where they have to stay; none: anywhere.
    jail: Option<Jail>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Jail {
    /// Folders that the caller was given, as they were after all links when it was given them. They are not resolved again: a folder that
    /// has become a link since then is another folder.
    given: Vec<PathBuf>,
    /// webhand's own folders for the caller, which are inside of `except`.
    own: Vec<PathBuf>,
    /// A folder that is out of bounds whatever the caller was given, but for what is in `own`.
    except: PathBuf,
}

impl Files {
    /// Any file that the user may use.
    pub fn anywhere(base: PathBuf) -> Files {
        Files { base, jail: None }
    }

    /// Only files in these folders; relative names are in the first. `given` are real paths, without links. Nothing that was given opens
    /// `except`; `own` may be in there.
    pub fn only_in(given: Vec<PathBuf>, own: Vec<PathBuf>, except: PathBuf) -> Files {
        let base = given.iter().chain(&own).next().cloned().unwrap_or_default();
        Files { base, jail: Some(Jail { given, own, except }) }
    }

    /// The same, and files in this folder of webhand's own too.
    #[must_use]
    pub fn and_in_own(mut self, folder: PathBuf) -> Files {
        if let Some(jail) = &mut self.jail
            && !jail.own.contains(&folder)
        {
            jail.own.push(folder);
        }
        self
    }

    /// The file that a name means, if it may be used.
    pub fn named(&self, name: &Path) -> Result<PathBuf> {
        let path = std::path::absolute(self.base.join(name))
            .map_err(|error| Error::invalid("the file has no name").with_cause(error))?;
        self.real(&path)?;
        Ok(path)
    }

    /// Where a name leads after all links, if it may be used. Anywhere, that is the name itself.
    fn real(&self, path: &Path) -> Result<PathBuf> {
        if path.as_os_str().as_bytes().contains(&0) {
            return Err(Error::invalid("no file has a name with a NUL in it").with_hint("name another file"));
        }
        if path.components().any(|part| part.as_os_str().len() > LONGEST_NAME) {
            return Err(Error::invalid(format!("no file has a name of more than {LONGEST_NAME} bytes"))
                .with_hint("give it a shorter name"));
        }
        let Some(jail) = &self.jail else { return Ok(path.to_owned()) };
        // Links in there lead to whatever a process has open.
        let is_named_by_system = OF_THE_SYSTEM.iter().any(|folder| path.starts_with(folder));
        match real(path).filter(|real| !is_named_by_system && jail.has(real)) {
            Some(real) => Ok(real),
            None => Err(jail.outside(path)),
        }
    }

    /// A place for a file: its folder, which is made if it is not there, and a name in it.
    pub fn place(&self, path: &Path) -> Result<Place> {
        let real = self.real(path)?;
        match &self.jail {
            Some(_) => Place::without_links(path, &real),
            None => Place::anywhere(path),
        }
    }

    /// Writes a file, in place of what is there. It is there as a whole or not at all.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let mut unfinished = self.place(path)?.begin()?;
        unfinished.write_all(bytes).map_err(|error| cannot_write(path, error))?;
        unfinished.finish()
    }

    /// Opens a file that is there. Folders, devices and the like are none.
    pub fn open(&self, path: &Path) -> Result<fs::File> {
        let real = self.real(path)?;
        let opened = match &self.jail {
            Some(_) => place::open_without_links(&real),
            None => place::open(&real),
        };
        let file = opened.map_err(|error| cannot_read(path, error))?;
        let about = file.metadata().map_err(|error| cannot_read(path, error))?;
        if !about.is_file() {
            return Err(cannot_read(path, "it is no file"));
        }
        Ok(file)
    }

    /// What is in a file, if that is not more than so many bytes.
    pub fn read(&self, path: &Path, most: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = self.open(path)?;
        file.take(most + 1).read_to_end(&mut bytes).map_err(|error| cannot_read(path, error))?;
        if bytes.len() as u64 > most {
            return Err(cannot_read(path, format_args!("it has more than {most} bytes")));
        }
        Ok(bytes)
    }

    /// Checks a file or folder that is to be given to somebody and holds it, so that what is given is what was checked. Returns its name as
    /// well: that of what it leads to after all links.
    pub fn hold(&self, path: &Path) -> Result<(Held, OsString)> {
        let real = self.real(path)?;
        let (opened, links) = match &self.jail {
            Some(_) => (place::open_without_links(&real), Links::Refuse),
            None => (place::open(&real), Links::Follow),
        };
        let held =
            opened.and_then(|file| Held::new(file, links)).map_err(|error| cannot_read(path, error))?;
        Ok((held, real.file_name().unwrap_or_default().to_owned()))
    }
}

impl Jail {
    fn has(&self, real: &Path) -> bool {
        if OF_THE_SYSTEM.iter().any(|folder| real.starts_with(folder)) {
            return false;
        }
        let is_out = !self.except.as_os_str().is_empty() && real.starts_with(resolved(&self.except));
        self.own.iter().any(|folder| real.starts_with(resolved(folder)))
            || (!is_out && self.given.iter().any(|folder| real.starts_with(folder)))
    }

    fn outside(&self, path: &Path) -> Error {
        let allowed: Vec<_> =
            self.given.iter().chain(&self.own).map(|folder| folder.display().to_string()).collect();
        let message = format!("{} is outside of the folders that may be used", path.display());
        Error::new(Code::ActionDenied, message).with_hint(format!("use a file in {}", allowed.join(" or ")))
    }
}

/// Where a path leads after all links, for a file that need not be there yet. None if nobody can say.
fn real(path: &Path) -> Option<PathBuf> {
    if path.components().any(|part| part == Component::ParentDir) {
        return None;
    }
    let mut missing = Vec::new();
    let mut there = path;
    loop {
        match there.canonicalize() {
            Ok(real) => return Some(missing.iter().rev().fold(real, |path: PathBuf, name| path.join(name))),
            // A link to nowhere is there, and where it leads cannot be known.
            Err(_) if there.is_symlink() => return None,
            Err(_) => {
                missing.push(there.file_name()?.to_owned());
                there = there.parent()?;
            }
        }
    }
}

fn resolved(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

fn cannot_write(path: &Path, cause: impl std::fmt::Display) -> Error {
    Error::invalid(format!("{} cannot be written", path.display()))
        .with_cause(cause)
        .with_hint("name a file in a folder that can be written")
}

fn cannot_read(path: &Path, cause: impl std::fmt::Display) -> Error {
    Error::invalid(format!("{} cannot be read", path.display()))
        .with_cause(cause)
        .with_hint("name files that are there and can be read")
}

/// Whether an error of the system says that a link was met where none may be.
fn is_link(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(code) if code == rustix::io::Errno::LOOP.raw_os_error()
        || code == rustix::io::Errno::NOTDIR.raw_os_error())
}

#[cfg(test)]
mod tests;

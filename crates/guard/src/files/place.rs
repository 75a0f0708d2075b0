//! A place for a file, held by its folder: whatever happens to names above it meanwhile, what is written goes there.

use std::{
    ffi::{OsStr, OsString},
    fs,
    io::{self, Write},
    os::{fd::OwnedFd, unix::fs::MetadataExt},
    path::{Component, Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use contract::{Code, Error, Result};
use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, fstat, linkat, mkdirat, openat, renameat, statat, unlinkat},
    io::Errno,
};

use super::{cannot_write, is_link};

/// How folders are opened to get to what is in them.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Who may read a new file is left to the user's umask.
const ANYBODYS: Mode = Mode::from_raw_mode(0o666);

/// How many files a folder may have that is given to a page.
pub(super) const MOST_FILES: usize = 20_000;

/// Tells apart files that are written at the same time.
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// Where a file is or will be.
#[derive(Debug)]
pub struct Place {
    folder: OwnedFd,
    name: OsString,
    path: PathBuf,
}

impl Place {
    pub(super) fn anywhere(path: &Path) -> Result<Place> {
        // Whoever made a link means what it leads to. In a folder where everybody may write it can be somebody else's, made to have a file of
        // this user's overwritten.
        let real = match fs::symlink_metadata(path) {
            Ok(about) if about.is_symlink() && !is_own(&about) => {
                return Err(cannot_write(path, "it is a link that another user made"));
            }
            Ok(about) if about.is_symlink() => fs::canonicalize(path).ok(),
            _ => None,
        };
        let (parent, name) = parts(real.as_deref().unwrap_or(path))?;
        let failed = |error: io::Error| cannot_write(path, error);
        fs::create_dir_all(parent).map_err(failed)?;
        let folder = openat(CWD, parent, FOLDER, Mode::empty()).map_err(|error| failed(error.into()))?;
        Ok(Place { folder, name: name.to_owned(), path: path.to_owned() })
    }

    /// The place of `real`, which has no links on its way. `path` is how the caller named it.
    pub(super) fn without_links(path: &Path, real: &Path) -> Result<Place> {
        let (parent, name) = parts(real)?;
        let failed = |error: io::Error| match is_link(&error) {
            true => Error::new(Code::ActionDenied, format!("{} leads elsewhere by now", path.display())),
            false => cannot_write(path, error),
        };
        let folder = walk(parent, Missing::Make).map_err(failed)?;
        Ok(Place { folder, name: name.to_owned(), path: path.to_owned() })
    }

    /// Where it is, as the caller named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same with another name, in the same folder.
    pub fn named(&self, name: &str) -> Result<Place> {
        let folder = self.folder.try_clone().map_err(|error| cannot_write(&self.path, error))?;
        Ok(Place { folder, name: name.into(), path: self.path.with_file_name(name) })
    }

    /// Begins to write a file, in place of what is there. Only files are replaced, no folders, devices or the like.
    pub fn begin(self) -> Result<Unfinished> {
        self.begin_as(ANYBODYS)
    }

    /// The same for a file that nobody else may read.
    pub fn begin_private(self) -> Result<Unfinished> {
        self.begin_as(Mode::from_raw_mode(0o600))
    }

    fn begin_as(self, mode: Mode) -> Result<Unfinished> {
        self.check_replaceable()?;
        let (number, id) = (BEGUN.fetch_add(1, Ordering::Relaxed), std::process::id());
        let unfinished = OsString::from(format!(".webhand-{id}-{number}.part"));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.folder, &unfinished, flags, mode)
            .map_err(|error| cannot_write(&self.path, io::Error::from(error)))?;
        Ok(Unfinished { place: self, unfinished, file: file.into(), is_over: false })
    }

    /// Writes a new file. None if the name is taken.
    pub fn write_new(&self, bytes: &[u8]) -> Result<Option<()>> {
        self.write_new_as(bytes, ANYBODYS)
    }

    /// The same for a file that nobody else may read, in a folder that is the user's own.
    pub fn write_new_private(&self, bytes: &[u8]) -> Result<Option<()>> {
        let about = fstat(&self.folder).map_err(|error| cannot_write(&self.path, io::Error::from(error)))?;
        if about.st_uid != rustix::process::geteuid().as_raw() {
            return Err(cannot_write(&self.path, "its folder belongs to another user"));
        }
        self.write_new_as(bytes, Mode::from_raw_mode(0o600))
    }

    fn write_new_as(&self, bytes: &[u8], mode: Mode) -> Result<Option<()>> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let failed = |error: io::Error| cannot_write(&self.path, error);
        match openat(&self.folder, &self.name, flags, mode) {
            Ok(file) => fs::File::from(file).write_all(bytes).map(Some).map_err(failed),
            Err(Errno::EXIST) => Ok(None),
            Err(error) => Err(failed(error.into())),
        }
    }

    /// Moves a file of ours here. None if the name is taken.
    pub fn take_new(&self, file: &Path) -> Result<Option<()>> {
        match linkat(CWD, file, &self.folder, &self.name, AtFlags::empty()) {
            Ok(()) => drop(fs::remove_file(file)),
            Err(Errno::EXIST) => return Ok(None),
            // Some disks know no links, and none leads to another disk.
            Err(_) => {
                let flags =
                    OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let copy = match openat(&self.folder, &self.name, flags, Mode::from_raw_mode(0o600)) {
                    Err(Errno::EXIST) => return Ok(None),
                    copy => copy.map_err(|error| cannot_write(&self.path, io::Error::from(error)))?,
                };
                let copied =
                    fs::File::open(file).and_then(|mut from| io::copy(&mut from, &mut fs::File::from(copy)));
                if let Err(error) = copied {
                    let _ = unlinkat(&self.folder, &self.name, AtFlags::empty());
                    return Err(cannot_write(&self.path, error));
                }
                let _ = fs::remove_file(file);
            }
        }
        Ok(Some(()))
    }

    /// Moves a file of ours here, in place of what is there.
    pub fn take(self, file: &Path) -> Result<()> {
        self.check_replaceable()?;
        if renameat(CWD, file, &self.folder, &self.name).is_ok() {
            return Ok(());
        }
        // Another disk takes a copy; what was there stays until that is complete.
        let path = self.path.clone();
        let mut unfinished = self.begin()?;
        let mut from = fs::File::open(file).map_err(|error| cannot_write(&path, error))?;
        io::copy(&mut from, &mut unfinished).map_err(|error| cannot_write(&path, error))?;
        unfinished.finish()?;
        let _ = fs::remove_file(file);
        Ok(())
    }

    fn check_replaceable(&self) -> Result<()> {
        // Where a link leads was worked out before; one that is here now is replaced, and not followed.
        match statat(&self.folder, &self.name, AtFlags::empty()) {
            Ok(about) if FileType::from_raw_mode(about.st_mode) != FileType::RegularFile => {
                Err(cannot_write(&self.path, "there is something that is no file"))
            }
            _ => Ok(()),
        }
    }
}

/// A file that is being written. It gets its name when it is complete; what is left of it otherwise goes.
#[derive(Debug)]
pub struct Unfinished {
    place: Place,
    unfinished: OsString,
    file: fs::File,
    is_over: bool,
}

impl Unfinished {
    /// All of it is there.
    pub fn finish(mut self) -> Result<()> {
        let Place { folder, name, path } = &self.place;
        let flushed = self.file.flush();
        let named = flushed.and_then(|()| Ok(renameat(folder, &self.unfinished, folder, name)?));
        named.map_err(|error| cannot_write(path, error))?;
        self.is_over = true;
        Ok(())
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_over {
            let _ = unlinkat(&self.place.folder, &self.unfinished, AtFlags::empty());
        }
    }
}

/// Whether it is this user's or the system's.
fn is_own(about: &fs::Metadata) -> bool {
    [rustix::process::geteuid().as_raw(), 0].contains(&about.uid())
}

/// The folder of a path and its name there.
fn parts(path: &Path) -> Result<(&Path, &OsStr)> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if parent.as_os_str().is_empty() => Ok((Path::new("."), name)),
        (Some(parent), Some(name)) => Ok((parent, name)),
        _ => Err(Error::invalid(format!("{} is no file", path.display())).with_hint("name a file")),
    }
}

/// What is done about folders that are not there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Make,
    Fail,
}

/// Opens a folder, going there one by one without following a link.
fn walk(folder: &Path, missing: Missing) -> io::Result<OwnedFd> {
    let mut at = openat(CWD, "/", FOLDER, Mode::empty())?;
    for part in folder.components() {
        let name = match part {
            Component::Normal(name) => name,
            Component::RootDir | Component::CurDir => continue,
            Component::ParentDir | Component::Prefix(_) => {
                return Err(io::Error::from(io::ErrorKind::InvalidInput));
            }
        };
        let open = || openat(&at, name, FOLDER | OFlags::NOFOLLOW, Mode::empty());
        at = match open() {
            Err(Errno::NOENT) if missing == Missing::Make => {
                match mkdirat(&at, name, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => open()?,
                    Err(error) => return Err(error.into()),
                }
            }
            opened => opened?,
        };
    }
    Ok(at)
}

/// Opens a file to be read. A fifo must not keep us waiting for somebody who writes to it.
pub(super) fn open(path: &Path) -> io::Result<fs::File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?.into())
}

/// The same, going there one by one without following a link.
pub(super) fn open_without_links(real: &Path) -> io::Result<fs::File> {
    let (Some(parent), Some(name)) = (real.parent(), real.file_name()) else {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    };
    let folder = walk(parent, Missing::Fail)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(openat(folder, name, flags, Mode::empty())?.into())
}

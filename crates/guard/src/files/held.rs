//! A file or folder that was checked and is held open since. A program that opens files by their names is given a copy of what is held: by
//! the time that it opens the file, the name may lead elsewhere.

use std::{
    fs,
    io::{self, Read},
    os::{
        fd::{AsFd, OwnedFd},
        unix::{
            ffi::OsStrExt,
            fs::{DirBuilderExt, OpenOptionsExt},
        },
    },
    path::Path,
};

use rustix::{
    ffi::CStr,
    fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat},
};

use super::place::MOST_FILES;

/// How much is copied until it is asked again whether to go on.
const PART: u64 = 8 << 20;

/// How a file is opened of which it is not known yet what it is: a fifo keeps nobody waiting.
const LOOK: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// A file or folder that is held open.
#[derive(Debug)]
pub struct Held {
    file: fs::File,
    about: fs::Metadata,
    links: Links,
}

/// What is done about links inside of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    /// They are no part of what was allowed.
    Refuse,
    /// Those to files are files; others are left out.
    Follow,
}

impl Held {
    pub(super) fn new(file: fs::File, links: Links) -> io::Result<Held> {
        let about = file.metadata()?;
        if !about.is_file() && !about.is_dir() {
            return Err(io::Error::other("it is no file"));
        }
        Ok(Held { file, about, links })
    }

    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        self.about.is_dir()
    }

    /// How large the file was when it was checked.
    pub fn bytes(&self) -> u64 {
        self.about.len()
    }

    /// Copies it to a name that is not taken, for this user alone. `go_on` is asked now and then; if it says no, this ends with
    /// `TimedOut`.
    pub fn copy_to(&self, to: &Path, go_on: &dyn Fn() -> bool) -> io::Result<()> {
        if !self.is_folder() {
            return copy_file(&self.file, &self.about, to, go_on);
        }
        let folder = openat(&self.file, c".", LOOK | OFlags::DIRECTORY, Mode::empty())?;
        self.copy_folder(folder, to, go_on, &mut 0)
    }

    fn copy_folder(
        &self,
        folder: OwnedFd,
        to: &Path,
        go_on: &dyn Fn() -> bool,
        seen: &mut usize,
    ) -> io::Result<()> {
        fs::DirBuilder::new().mode(0o700).create(to)?;
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if [c".", c".."].contains(&name) {
                continue;
            }
            *seen += 1;
            if *seen > MOST_FILES {
                return Err(io::Error::other(format!("there are more than {MOST_FILES} files in it")));
            }
            let inner = to.join(std::ffi::OsStr::from_bytes(name.to_bytes()));
            match self.open_in(&folder, name)? {
                Some(file) if file.metadata()?.is_dir() => {
                    self.copy_folder(file.into(), &inner, go_on, seen)?;
                }
                Some(file) => copy_file(&file, &file.metadata()?, &inner, go_on)?,
                None => {}
            }
        }
        Ok(())
    }

    /// Opens what is in a folder; none if it is to be left out.
    fn open_in(&self, folder: &OwnedFd, name: &CStr) -> io::Result<Option<fs::File>> {
        let odd = || io::Error::other("there is a link in it, or something that is no file");
        let kind = |flags| statat(folder, name, flags).map(|about| FileType::from_raw_mode(about.st_mode));
        let (opened, follow) = match (kind(AtFlags::SYMLINK_NOFOLLOW)?, self.links) {
            (FileType::RegularFile | FileType::Directory, _) => (true, OFlags::NOFOLLOW),
            (FileType::Symlink, Links::Follow) => {
                (kind(AtFlags::empty()).is_ok_and(|kind| kind == FileType::RegularFile), OFlags::empty())
            }
            (_, Links::Follow) => (false, OFlags::NOFOLLOW),
            (_, Links::Refuse) => return Err(odd()),
        };
        if !opened {
            return Ok(None);
        }
        let file = fs::File::from(openat(folder.as_fd(), name, LOOK | follow, Mode::empty())?);
        // It may have been changed for something else in between.
        let about = file.metadata()?;
        if !about.is_file() && !about.is_dir() { Err(odd()) } else { Ok(Some(file)) }
    }
}

/// Copies a file as long as it was when it was looked at. Where the disk can, the copy shares its blocks with the file.
fn copy_file(
    mut from: &fs::File,
    about: &fs::Metadata,
    to: &Path,
    go_on: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut copy = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    let mut left = about.len();
    while left > 0 {
        if !go_on() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match io::copy(&mut Read::take(&mut from, left.min(PART)), &mut copy)? {
            0 => break,
            copied => left -= copied.min(left),
        }
    }
    // Pages see when a file was changed.
    about.modified().and_then(|modified| copy.set_modified(modified))
}

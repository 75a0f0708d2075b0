//! The file that the database is in: who may read it, which one it is, and how it makes way for another.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::row;

/// Makes sure that there is a file which only its owner can read. SQLite gives its `-wal` and `-shm` the same mode.
pub(crate) fn create_private(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let file = options.mode(0o600).open(path)?;
        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
        }
    }
    #[cfg(not(unix))]
    options.open(path)?;
    Ok(())
}

/// Renames the database, its log with it, and answers its new name.
pub(crate) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let mut number = row::now();
    let mut aside = with_suffix(path, &format!(".aside-{number}"));
    while aside.try_exists()? {
        number += 1;
        aside = with_suffix(path, &format!(".aside-{number}"));
    }
    fs::rename(path, &aside)?;
    // The log goes second: SQLite ignores one that it finds beside an empty database.
    let (wal, shm) = (with_suffix(path, "-wal"), with_suffix(path, "-shm"));
    if wal.try_exists()? {
        fs::rename(&wal, with_suffix(&aside, "-wal"))?;
    }
    // Only an index into the log, which SQLite builds anew.
    if shm.try_exists()? {
        fs::remove_file(&shm)?;
    }
    Ok(aside)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Tells a file from another that has taken its name. SQLite goes on writing to a file that was deleted or moved, and
/// what it writes there nobody reads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FileId {
    #[cfg(unix)]
    device_and_inode: Option<(u64, u64)>,
}

impl FileId {
    /// The file that has this name now.
    #[cfg(unix)]
    pub(crate) fn of(path: &Path) -> FileId {
        use std::os::unix::fs::MetadataExt;
        FileId { device_and_inode: fs::metadata(path).ok().map(|file| (file.dev(), file.ino())) }
    }

    /// Elsewhere an open file can be neither deleted nor moved.
    #[cfg(not(unix))]
    pub(crate) fn of(_: &Path) -> FileId {
        FileId {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;

        let (new, old) = (folder.path().join("new"), folder.path().join("old"));
        fs::write(&old, "kept").unwrap();
        fs::set_permissions(&old, fs::Permissions::from_mode(0o644)).unwrap();
        for path in [&new, &old] {
            create_private(path).unwrap();
            assert_eq!(mode(path), 0o600, "{}", path.display());
        }
        assert_eq!(fs::read_to_string(&old).unwrap(), "kept");
    }

    #[test]
    fn files_set_aside_do_not_replace_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let mut asides = Vec::new();
        for content in ["first", "second", "third"] {
            fs::write(&path, content).unwrap();
            fs::write(with_suffix(&path, "-wal"), content).unwrap();
            fs::write(with_suffix(&path, "-shm"), content).unwrap();
            asides.push((set_aside(&path).unwrap(), content));
        }
        for (aside, content) in asides {
            assert_eq!(fs::read_to_string(&aside).unwrap(), content);
            assert_eq!(fs::read_to_string(with_suffix(&aside, "-wal")).unwrap(), content);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6, "nothing stays under the old name");
    }
}

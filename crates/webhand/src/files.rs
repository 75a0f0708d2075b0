//! The files that a caller may name: what a relative name is relative to, and where it has to stay.

use std::path::{Component, Path, PathBuf};

use contract::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// Where files of a caller are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Files {
    /// What relative names are relative to.
    base: PathBuf,
    /// The folders that they have to be in; none: anywhere.
    jail: Option<Vec<PathBuf>>,
}

impl Files {
    /// Any file that the user may use.
    pub(crate) fn anywhere(base: PathBuf) -> Files {
        Files { base, jail: None }
    }

    /// Only files in these folders; relative names are in the first.
    pub(crate) fn only_in(folders: Vec<PathBuf>) -> Files {
        Files { base: folders.first().cloned().unwrap_or_default(), jail: Some(folders) }
    }

    /// The file that a name means, if it may be used.
    pub(crate) fn named(&self, name: &Path) -> Result<PathBuf> {
        let path = std::path::absolute(self.base.join(name))
            .map_err(|error| Error::invalid("the file has no name").with_cause(error))?;
        let Some(folders) = &self.jail else { return Ok(path) };
        let real = real(&path);
        if real.is_some_and(|real| folders.iter().any(|folder| real.starts_with(resolved(folder)))) {
            return Ok(path);
        }
        let allowed: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
        Err(Error::new(
            Code::ActionDenied,
            format!("{} is outside of the folders that may be used", path.display()),
        )
        .with_hint(format!("use a file in {}", allowed.join(" or "))))
    }
}

/// Who knows where files of a caller are. It may have to ask the caller, so it is asked only if a file is named.
pub(crate) trait Folders: Sync {
    /// Where they are.
    fn files(&self) -> impl Future<Output = Files> + Send;
}

impl Folders for Files {
    async fn files(&self) -> Files {
        self.clone()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folders() {
        let outside = tempfile::tempdir().unwrap();
        let inside = tempfile::tempdir().unwrap();
        let folder = inside.path();
        std::os::unix::fs::symlink(outside.path(), folder.join("link")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("missing"), folder.join("dangling")).unwrap();
        std::fs::create_dir(folder.join("real")).unwrap();
        std::os::unix::fs::symlink(folder.join("real"), folder.join("friend")).unwrap();
        let files = Files::only_in(vec![folder.to_owned()]);
        for good in ["a.png", "real/b.png", "new/deep/c.png", "friend/d.png", "real/./e"] {
            assert!(files.named(Path::new(good)).is_ok(), "{good}");
        }
        assert!(files.named(&folder.join("f")).is_ok());
        for bad in ["../a", "link/a", "real/../../a", "/etc/passwd", "dangling", "/proc/self/environ", ".."] {
            let error = files.named(Path::new(bad)).unwrap_err();
            assert_eq!(error.code, Code::ActionDenied, "{bad}");
        }
        assert!(files.named(outside.path()).is_err());
    }

    #[test]
    fn without_folders_any_file_may_be_used() {
        let files = Files::anywhere("/some/where".into());
        assert_eq!(files.named(Path::new("a/b")).unwrap(), Path::new("/some/where/a/b"));
        assert_eq!(files.named(Path::new("/c")).unwrap(), Path::new("/c"));
    }
}

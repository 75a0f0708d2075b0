//! Persistent profiles: a folder each, used by one browser at a time.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use contract::{Code, Error, Result, SessionName};

/// Files by which Chromium itself marks a profile as taken. A killed browser leaves them behind.
const CHROMIUM_MARKS: [&str; 3] = ["SingletonLock", "SingletonSocket", "SingletonCookie"];

/// A profile that is ours as long as this lives. The system lets go of it when we end, however that happens.
pub(crate) struct ProfileLock {
    pub(crate) folder: PathBuf,
    _file: File,
}

impl ProfileLock {
    /// Takes the profile, or says who has it.
    pub(crate) fn take(folder: &Path, profile: &SessionName, session: &SessionName) -> Result<ProfileLock> {
        let failed = |what: &str, error| {
            Error::new(Code::BrowserLaunchFailed, format!("{what} of profile {profile} cannot be used"))
                .with_cause(error)
        };
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|error| failed("the folder", error))?;
        // Beside the folder, not in it: Chromium owns what is inside.
        // No profile's name begins with a dot, so none is the lock of another.
        let lock_file = folder.with_file_name(format!(".{profile}.lock"));
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(lock_file)
            .map_err(|error| failed("the lock", error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                return Err(in_use(profile, holder.trim()));
            }
            Err(TryLockError::Error(error)) => return Err(failed("the lock", error)),
        }
        if let Some(process) = browser_in(folder) {
            return Err(in_use(profile, &format!("browser process {process}")));
        }
        for mark in CHROMIUM_MARKS {
            let _ = fs::remove_file(folder.join(mark));
        }
        let holder = format!("session {session} of webhand process {}", std::process::id());
        let written =
            file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(holder.as_bytes()));
        written.map_err(|error| failed("the lock", error))?;
        Ok(ProfileLock { folder: folder.to_owned(), _file: file })
    }
}

fn in_use(profile: &SessionName, holder: &str) -> Error {
    let holder = if holder.is_empty() { "another webhand" } else { holder };
    Error::new(Code::ProfileInUse, format!("profile {profile} is in use by {holder}"))
}

/// The process that Chromium's own mark names, if it is alive and really uses this folder.
fn browser_in(folder: &Path) -> Option<u32> {
    let mark = fs::read_link(folder.join(CHROMIUM_MARKS[0])).ok()?;
    let process: u32 = mark.to_str()?.rsplit_once('-')?.1.parse().ok()?;
    let alive =
        rustix::process::test_kill_process(rustix::process::Pid::from_raw(i32::try_from(process).ok()?)?)
            .is_ok();
    // The number may have gone to another process since. Where the command line can be read, it tells.
    let elsewhere = fs::read(format!("/proc/{process}/cmdline"))
        .is_ok_and(|line| !String::from_utf8_lossy(&line).contains(&*folder.to_string_lossy()));
    (alive && !elsewhere).then_some(process)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time_and_the_second_hears_who() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("work");
        let name: SessionName = "work".parse().unwrap();
        let held = ProfileLock::take(&folder, &name, &"first".parse().unwrap()).unwrap();
        let error = ProfileLock::take(&folder, &name, &"second".parse().unwrap()).err().unwrap();
        assert_eq!(error.code, Code::ProfileInUse);
        assert!(error.message.contains("session first of webhand process"), "{}", error.message);
        drop(held);
        ProfileLock::take(&folder, &name, &"second".parse().unwrap()).unwrap();
    }

    #[test]
    fn profiles_with_dots_in_their_names_do_not_hold_each_other() {
        let home = tempfile::tempdir().unwrap();
        let take = |name: &str| {
            ProfileLock::take(&home.path().join(name), &name.parse().unwrap(), &"s".parse().unwrap()).unwrap()
        };
        let _held = ["a", "a.b", "a.c", "a.lock"].map(take);
    }

    #[test]
    fn a_mark_that_a_dead_browser_left_is_cleaned_up() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("work");
        fs::create_dir_all(&folder).unwrap();
        // Process 1 is alive, but is no browser in this folder; 4194303 is hardly ever a process at all.
        for stale in ["host-1", "host-4194303", "nonsense"] {
            std::os::unix::fs::symlink(stale, folder.join("SingletonLock")).unwrap();
            ProfileLock::take(&folder, &"work".parse().unwrap(), &"s".parse().unwrap()).unwrap();
            assert!(fs::read_link(folder.join("SingletonLock")).is_err(), "{stale}");
        }
    }
}

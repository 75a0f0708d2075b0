//! The picture that goes with a question.

use std::{
    fs,
    io::Write,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use cdp::protocol as p;
use contract::TabId;
use tokio::time::Instant;

use crate::Session;

/// How long the picture that goes with a question may take.
const PICTURE: Duration = Duration::from_secs(3);

/// A picture for the person who is asked. It goes when the question is over.
pub(super) struct Picture(pub(super) PathBuf);

impl Picture {
    pub(super) async fn take(session: &Session, tab: Option<TabId>, id: &str) -> Option<Picture> {
        let context = session.live()?;
        let (_, tab) = context.pages.get(Some(tab?)).ok()?;
        let capture = p::CaptureScreenshot { format: "png".into(), ..p::CaptureScreenshot::default() };
        let until = Instant::now() + PICTURE;
        let bytes = crate::capture::capture(&context, &tab, capture, until).await.ok()?;
        // Not where the session's own files are: an agent could write there, and put another picture in its place.
        let folder = session.home().join("approvals");
        let file = folder.join(format!("{id}.png"));
        let mut new = fs::OpenOptions::new();
        new.write(true).create_new(true).mode(0o600);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
        new.open(&file).and_then(|mut picture| picture.write_all(&bytes)).ok()?;
        forget_old(&folder, session.shared().approval_time);
        Some(Picture(file))
    }
}

impl Drop for Picture {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Removes the pictures of questions that are long over: a process that was killed could not. Others may ask in the same folder, so what is
/// young enough to be one of theirs stays.
fn forget_old(folder: &Path, time: Duration) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let written = entry.metadata().and_then(|about| about.modified()).ok();
        let is_old =
            written.and_then(|written| written.elapsed().ok()).is_some_and(|age| age > time + PICTURE);
        if is_old && entry.path().extension().is_some_and(|extension| extension == "png") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_of_the_dead_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old.png", "new.png"].map(|name| folder.path().join(name));
        for file in [&old, &new] {
            fs::write(file, "x").unwrap();
        }
        let time = Duration::from_secs(60);
        let long_ago = std::time::SystemTime::now() - (time + PICTURE) * 2;
        fs::File::options().append(true).open(&old).unwrap().set_modified(long_ago).unwrap();
        forget_old(folder.path(), time);
        assert_eq!((old.exists(), new.exists()), (false, true));
    }
}

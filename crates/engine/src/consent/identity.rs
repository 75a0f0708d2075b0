//! What an approval is for: one deed, and no other that looks like it. A page can put another button in the place of the one that a person
//! is looking at, and change where its form goes while that person thinks.

use std::{
    collections::hash_map::RandomState,
    fs,
    hash::{BuildHasher, Hasher},
    sync::LazyLock,
    time::UNIX_EPOCH,
};

use contract::in_full;
use guard::approvals::Scope;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::Request;

/// A deed in all that makes it this one: a keyed hash, since what was typed and what fields hold may be secret. The key is another one in
/// each process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity([u8; 32]);

/// The hashers' keys come from the system's randomness, which is all that is needed here.
static KEY: LazyLock<[u64; 4]> =
    LazyLock::new(|| std::array::from_fn(|_| RandomState::new().build_hasher().finish()));

impl Identity {
    /// That of everything in it.
    pub(crate) fn of(deed: &impl Serialize) -> Identity {
        let mut hash = Sha256::new();
        for part in *KEY {
            hash.update(part.to_le_bytes());
        }
        // What cannot be written down, of which there is nothing here, would be the same as nothing else.
        let written = in_full(|| serde_json::to_vec(deed)).unwrap_or_else(|error| error.to_string().into());
        hash.update(written);
        Identity(hash.finalize().into())
    }

    /// That of what a caller asked for: with everything that was typed, and with the files that it names as they are now.
    pub(crate) fn of_request(request: &Request) -> Identity {
        Identity::of(&(&request.action, request.points_in_picture, files(request)))
    }
}

/// The files that an action names: their paths, sizes and when they were last written, in nanoseconds.
pub(crate) fn files(request: &Request) -> Vec<(String, Option<(u64, u128)>)> {
    let mut action = request.action.clone();
    let about = |path: &std::path::Path| {
        let about = fs::metadata(path).ok()?;
        let written = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some((about.len(), written.as_nanos()))
    };
    action.files_mut().into_iter().map(|path| (path.display().to_string(), about(path))).collect()
}

/// What a person has allowed for one action.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Permit {
    pub(crate) scope: Scope,
    pub(crate) identity: Identity,
    /// What was used, as the caller named it, and how; none if it is not about using an element. The same use of something that does
    /// something else by now is another deed, also one that no rule would ask about.
    pub(crate) used: Option<String>,
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Duration};

    use super::*;
    use crate::actions::{Fill, Upload};

    #[test]
    fn texts_of_the_same_length_are_not_the_same() {
        let fill =
            |text: &str| Identity::of_request(&Request::new(Fill::new("e1".parse().unwrap(), text.into())));
        assert!(fill("one") == fill("one") && fill("one") != fill("two"));
    }

    #[test]
    fn a_file_that_was_written_anew_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        fs::write(&file, "one").unwrap();
        let identity =
            || Identity::of_request(&Request::new(Upload::new("e1".parse().unwrap(), vec![file.clone()])));
        let before = identity();
        assert!(before == identity());
        let later = fs::metadata(&file).unwrap().modified().unwrap() + Duration::from_secs(1);
        fs::write(&file, "two").unwrap();
        fs::File::options().append(true).open(&file).unwrap().set_modified(later).unwrap();
        assert!(before != identity());
    }
}

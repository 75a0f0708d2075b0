//! Files that come from the web: names that are safe, places that nothing else has, sums.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

/// The size of a file and the SHA-256 of what is in it, in hex. Reads all of it, so it is no work for a thread that others wait for.
pub(crate) fn summed_up(file: &Path) -> io::Result<(u64, String)> {
    let mut sum = Sha256::new();
    let mut file = fs::File::open(file)?;
    let mut part = vec![0; 64 << 10];
    let mut bytes = 0;
    loop {
        match file.read(&mut part)? {
            0 => break,
            read => {
                sum.update(&part[..read]);
                bytes += read as u64;
            }
        }
    }
    Ok((bytes, sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()))
}

/// Moves a file into a folder under this name, or under a numbered one if that is taken. Returns where it is now.
pub(crate) fn place(file: &Path, folder: &Path, name: &str) -> io::Result<PathBuf> {
    for attempt in 0..10_000 {
        let path = folder.join(numbered(name, attempt));
        match link_or_copy(file, &path) {
            Ok(()) => {
                let _ = fs::remove_file(file);
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "every name is taken"))
}

/// Moves a file to a place, whatever is there.
pub(crate) fn replace(file: &Path, path: &Path) -> io::Result<()> {
    // Another disk takes a copy; what was there stays until that is complete.
    fs::rename(file, path).or_else(|_| {
        let beside = place(file, path.parent().unwrap_or(Path::new("")), ".webhand-part")?;
        fs::rename(&beside, path).inspect_err(|_| drop(fs::remove_file(&beside)))
    })
}

/// `hard_link` fails when the name is taken, where `rename` would replace what is there. Some disks know no links, and none leads to another
/// disk; then it is copied, into a file that nobody else has made.
fn link_or_copy(file: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(file, path) {
        Err(error)
            if error.kind() != io::ErrorKind::AlreadyExists && error.kind() != io::ErrorKind::NotFound =>
        {
            let mut copy = fs::File::create_new(path)?;
            let copied = io::copy(&mut fs::File::open(file)?, &mut copy);
            copied.map(drop).inspect_err(|_| drop(fs::remove_file(path)))
        }
        linked => linked,
    }
}

fn numbered(name: &str, attempt: u32) -> String {
    match (attempt, name.rsplit_once('.')) {
        (0, _) => name.into(),
        (_, Some((stem, extension))) if !stem.is_empty() => format!("{stem} ({attempt}).{extension}"),
        _ => format!("{name} ({attempt})"),
    }
}

/// A name that is only a name: no folders, nothing hidden, no control characters, not too long.
pub(crate) fn safe_name(suggested: &str) -> String {
    let last = suggested.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String =
        last.chars().map(|c| if c.is_control() || ":*?\"<>|".contains(c) { '_' } else { c }).collect();
    let trimmed = plain.trim_matches(['.', ' ']);
    let mut end = trimmed.len().min(200);
    while !trimmed.is_char_boundary(end) {
        end -= 1;
    }
    if end == 0 { "download".into() } else { trimmed[..end].into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_only_names() {
        for (suggested, safe) in [
            ("report.pdf", "report.pdf"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\evil.exe", "evil.exe"),
            (".bashrc", "bashrc"),
            ("..", "download"),
            ("", "download"),
            ("a\0b\nc:d.txt", "a_b_c_d.txt"),
            ("发票 2024.pdf", "发票 2024.pdf"),
        ] {
            assert_eq!(safe_name(suggested), safe, "{suggested:?}");
        }
        assert!(safe_name(&"名".repeat(500)).len() <= 200);
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        assert_eq!(numbered("a.txt", 0), "a.txt");
        assert_eq!(numbered("a.txt", 2), "a (2).txt");
        assert_eq!(numbered("a", 1), "a (1)");
    }

    #[test]
    fn what_is_there_is_replaced_only_when_that_is_meant() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).unwrap();
            folder.path().join(name)
        };
        let (there, new) = (file("a.txt", "old"), file("new", "new"));
        let placed = place(&new, folder.path(), "a.txt").unwrap();
        assert_eq!(placed, folder.path().join("a (1).txt"));
        assert_eq!((&*fs::read(&there).unwrap(), &*fs::read(&placed).unwrap()), (&b"old"[..], &b"new"[..]));
        assert!(!new.exists());
        replace(&placed, &there).unwrap();
        assert_eq!(fs::read(&there).unwrap(), b"new");
        assert!(!placed.exists());
    }

    #[test]
    fn sums_are_those_of_the_standard() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("abc"), "abc").unwrap();
        // FIPS 180-2, appendix B.1.
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(summed_up(&folder.path().join("abc")).unwrap(), (3, sum.into()));
    }
}

//! Files that come from the web: names that are safe, places that nothing else has, sums.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use contract::{Code, Error, Result, without_unseen};
use guard::files::Place;
use sha2::{Digest, Sha256};

use crate::actions::Run;

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

/// Moves a file of ours to a place, or beside it under a numbered name if that is taken. Returns where it is now.
pub(crate) fn place(file: &Path, place: &Place) -> Result<PathBuf> {
    let name = place.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    for attempt in 0..10_000 {
        let here = place.named(&numbered(&name, attempt))?;
        if here.take_new(file)?.is_some() {
            return Ok(here.path().to_owned());
        }
    }
    Err(Error::invalid(format!("every name like {name:?} is taken")).with_hint("name another file"))
}

/// Writes a file that the caller named, where that holds up nobody.
pub(crate) async fn write(run: &Run<'_>, path: &Path, bytes: Vec<u8>) -> Result<()> {
    let (files, path) = (run.files.clone(), path.to_owned());
    let writing = tokio::task::spawn_blocking(move || files.write(&path, &bytes));
    writing.await.unwrap_or_else(|error| {
        Err(Error::new(Code::Internal, "the file could not be written").with_cause(error))
    })
}

fn numbered(name: &str, attempt: u32) -> String {
    match (attempt, name.rsplit_once('.')) {
        (0, _) => name.into(),
        (_, Some((stem, extension))) if !stem.is_empty() => format!("{stem} ({attempt}).{extension}"),
        _ => format!("{name} ({attempt})"),
    }
}

/// How long a name may be, in bytes. Systems take 255; some is left for a number.
const LONGEST_NAME: usize = 200;

/// How long the ending of a name may be to survive when the name is cut.
const LONGEST_ENDING: usize = 16;

/// Names that mean devices on Windows, whatever ending they have.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// A name that is only a name: no folders, nothing hidden, no device, nothing that cannot be seen, not too long.
pub(crate) fn safe_name(suggested: &str) -> String {
    let last = suggested.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_odd = |c: char| c.is_control() || ":*?\"<>|".contains(c) || c == '\u{2028}' || c == '\u{2029}';
    let seen = without_unseen(last).unwrap_or_else(|| last.to_owned());
    let plain: String = seen.chars().map(|c| if is_odd(c) { '_' } else { c }).collect();
    // Blanks and dots at an end are lost on some systems; a dot or a dash at the beginning has a meaning of its own.
    let trimmed = plain.trim_start_matches(['.', ' ', '-', '~']).trim_end_matches(['.', ' ']);
    let name = shortened(trimmed);
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let is_device = DEVICES.contains(&stem.trim_end_matches(|c: char| c.is_ascii_digit())) && stem.len() <= 4;
    match (name.is_empty(), is_device) {
        (true, _) => "download".into(),
        (false, true) => format!("_{name}"),
        (false, false) => name,
    }
}

/// The name cut to what systems take. Its ending stays, since that says what kind of file it is.
fn shortened(name: &str) -> String {
    if name.len() <= LONGEST_NAME {
        return name.to_owned();
    }
    let ending = match name.rsplit_once('.') {
        Some((_, ending)) if ending.len() <= LONGEST_ENDING => &name[name.len() - ending.len() - 1..],
        _ => "",
    };
    let stem = &name[..name.floor_char_boundary(LONGEST_NAME - ending.len())];
    format!("{}{ending}", stem.trim_end())
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
            ("re\u{202e}fdp.exe", "refdp.exe"),
            ("zero\u{200b}width\u{e0041}.txt", "zerowidth.txt"),
            ("-rf", "rf"),
            ("~", "download"),
            ("CON", "_CON"),
            ("com1.txt", "_com1.txt"),
            ("console.txt", "console.txt"),
            ("trailing. . ", "trailing"),
        ] {
            assert_eq!(safe_name(suggested), safe, "{suggested:?}");
        }
        assert!(safe_name(&"名".repeat(500)).len() <= 200);
        let long = safe_name(&format!("{}.pdf", "名".repeat(500)));
        assert!(long.len() <= 200 && long.ends_with("名.pdf"), "{long}");
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        assert_eq!(numbered("a.txt", 0), "a.txt");
        assert_eq!(numbered("a.txt", 2), "a (2).txt");
        assert_eq!(numbered("a", 1), "a (1)");
    }

    #[test]
    fn what_is_there_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).unwrap();
            folder.path().join(name)
        };
        let (there, new) = (file("a.txt", "old"), file("new", "new"));
        let placed = place(&new, &guard::Files::default().place(&there).unwrap()).unwrap();
        assert_eq!(placed, folder.path().join("a (1).txt"));
        assert_eq!((&*fs::read(&there).unwrap(), &*fs::read(&placed).unwrap()), (&b"old"[..], &b"new"[..]));
        assert!(!new.exists());
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

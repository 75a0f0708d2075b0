use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn jail() -> (tempfile::TempDir, tempfile::TempDir, Files) {
    let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let files = Files::only_in(vec![inside.path().canonicalize().unwrap()], vec![], PathBuf::new());
    (inside, outside, files)
}

#[test]
fn names_stay_in_their_folders() {
    let (inside, outside, files) = jail();
    let folder = inside.path();
    symlink(outside.path(), folder.join("link")).unwrap();
    symlink(outside.path().join("missing"), folder.join("dangling")).unwrap();
    fs::create_dir(folder.join("real")).unwrap();
    symlink(folder.join("real"), folder.join("friend")).unwrap();
    for good in ["a.png", "real/b.png", "new/deep/c.png", "friend/d.png", "real/./e"] {
        assert!(files.named(Path::new(good)).is_ok(), "{good}");
    }
    assert!(files.named(&folder.join("f")).is_ok());
    for bad in ["../a", "link/a", "real/../../a", "/etc/passwd", "dangling", "/proc/self/environ", ".."] {
        let error = files.named(Path::new(bad)).unwrap_err();
        assert_eq!(error.code, Code::ActionDenied, "{bad}");
        assert!(files.write(&files.base.join(bad), b"x").is_err(), "{bad}");
    }
    assert!(files.named(outside.path()).is_err());
    for odd in ["a\0b", &"x".repeat(300)] {
        assert_eq!(files.named(Path::new(odd)).unwrap_err().code, Code::InvalidInput);
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn without_folders_any_file_may_be_used() {
    let files = Files::anywhere("/some/where".into());
    assert_eq!(files.named(Path::new("a/b")).unwrap(), Path::new("/some/where/a/b"));
    assert_eq!(files.named(Path::new("/c")).unwrap(), Path::new("/c"));
}

#[test]
fn what_the_system_shows_as_files_is_none() {
    let files = Files::only_in(vec!["/".into()], vec![], PathBuf::new());
    for path in ["/proc/self/environ", "/dev/null", "/sys/kernel/notes", "/proc/self/cwd/x"] {
        assert_eq!(files.named(Path::new(path)).unwrap_err().code, Code::ActionDenied, "{path}");
    }
}

#[test]
fn the_exception_is_out_of_bounds_but_not_what_is_listed_in_it() {
    let (inside, _outside, _) = jail();
    let home = inside.path().join(".webhand");
    fs::create_dir_all(home.join("downloads/default")).unwrap();
    let files = Files::only_in(
        vec![inside.path().canonicalize().unwrap()],
        vec![home.join("downloads/default")],
        home.clone(),
    );
    assert!(files.named(Path::new("a")).is_ok());
    assert!(files.named(&home.join("downloads/default/a")).is_ok());
    for bad in ["token", "journal.db", "downloads/other/a", "downloads"] {
        assert!(files.named(&home.join(bad)).is_err(), "{bad}");
    }
}

#[test]
fn a_link_that_comes_later_is_not_followed() {
    let (inside, outside, files) = jail();
    let path = inside.path().join("sub/a.txt");
    // The folder is checked, and replaced by a link before the file is written.
    let real = files.real(&path).unwrap();
    symlink(outside.path(), inside.path().join("sub")).unwrap();
    let error = Place::without_links(&path, &real).unwrap_err();
    assert_eq!(error.code, Code::ActionDenied, "{error}");
    fs::remove_file(inside.path().join("sub")).unwrap();
    // The place is held by its folder: what takes the folder's name is not written to.
    let place = files.place(&path).unwrap();
    fs::rename(inside.path().join("sub"), inside.path().join("moved")).unwrap();
    symlink(outside.path(), inside.path().join("sub")).unwrap();
    let mut unfinished = place.begin().unwrap();
    unfinished.write_all(b"text").unwrap();
    unfinished.finish().unwrap();
    assert_eq!(fs::read(inside.path().join("moved/a.txt")).unwrap(), b"text");
    // A link that takes the file's own name is replaced and not followed.
    let target = outside.path().join("target");
    let place = files.place(&inside.path().join("b.txt")).unwrap();
    symlink(&target, inside.path().join("b.txt")).unwrap();
    let mut unfinished = place.begin().unwrap();
    unfinished.write_all(b"text").unwrap();
    unfinished.finish().unwrap();
    assert!(!target.exists());
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn only_files_are_read_and_replaced() {
    let (inside, outside, files) = jail();
    let at = |name: &str| inside.path().join(name);
    fs::create_dir(at("folder")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        at("fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let anywhere = Files::anywhere(PathBuf::new());
    for name in ["folder", "fifo"] {
        for files in [&files, &anywhere] {
            assert!(files.open(&at(name)).is_err(), "{name}");
            assert!(files.write(&at(name), b"x").is_err(), "{name}");
        }
    }
    assert!(anywhere.write(Path::new("/dev/null"), b"x").is_err());
    files.write(&at("a"), b"old").unwrap();
    files.write(&at("a"), b"new").unwrap();
    assert_eq!(files.read(&at("a"), 3).unwrap(), b"new");
    assert!(files.read(&at("a"), 2).is_err());
    let copy = |to: &str| files.hold(&at("folder")).unwrap().0.copy_to(&outside.path().join(to), &|| true);
    assert!(copy("good").is_ok());
    symlink(outside.path(), at("folder/link")).unwrap();
    assert!(copy("bad").is_err(), "a link in a folder");
    assert!(files.hold(&at("fifo")).is_err());
    assert!(
        fs::read_dir(inside.path())
            .unwrap()
            .all(|entry| { !entry.unwrap().file_name().to_string_lossy().contains("part") })
    );
}

#[test]
fn files_are_moved_without_replacing_what_is_not_meant() {
    let (inside, _outside, files) = jail();
    let at = |name: &str| inside.path().join(name);
    fs::write(at("there"), "old").unwrap();
    fs::write(at("new"), "new").unwrap();
    let place = files.place(&at("there")).unwrap();
    assert_eq!(place.take_new(&at("new")).unwrap(), None);
    assert!(place.named("other").unwrap().take_new(&at("new")).unwrap().is_some());
    assert_eq!(
        (fs::read(at("there")).unwrap(), fs::read(at("other")).unwrap()),
        ("old".into(), "new".into())
    );
    files.place(&at("there")).unwrap().take(&at("other")).unwrap();
    assert_eq!(fs::read(at("there")).unwrap(), b"new");
    assert!(!at("other").exists());
}

/// What was checked is what is copied, whatever takes its name meanwhile.
#[test]
fn what_is_held_is_what_was_checked() {
    let (inside, outside, files) = jail();
    let at = |name: &str| inside.path().join(name);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    fs::write(outside.path().join("secret"), "secret").unwrap();
    for (way, swap) in [
        ("link", (|path, secret| symlink(secret, path)) as fn(&Path, &Path) -> io::Result<()>),
        ("hard link", |path, secret| fs::hard_link(secret, path)),
        ("file", |path, _| fs::write(path, "other")),
        ("nothing", |_, _| Ok(())),
        ("folder", |path, _| fs::create_dir(path)),
    ] {
        fs::write(at("a.txt"), "checked").unwrap();
        let (held, name) = files.hold(&at("a.txt")).unwrap();
        fs::remove_file(at("a.txt")).unwrap();
        swap(&at("a.txt"), &outside.path().join("secret")).unwrap();
        let copy = outside.path().join(way);
        held.copy_to(&copy, &|| true).unwrap();
        assert_eq!(
            (fs::read(&copy).unwrap(), mode(&copy), &*name),
            (b"checked".to_vec(), 0o600, "a.txt".as_ref())
        );
        assert!(held.copy_to(&copy, &|| true).is_err(), "{way}: nothing is replaced");
        let _ = fs::remove_file(at("a.txt")).or_else(|_| fs::remove_dir(at("a.txt")));
    }
    // A folder that is moved away, with a link in its place.
    fs::create_dir_all(at("folder/deep")).unwrap();
    fs::write(at("folder/deep/a"), "checked").unwrap();
    let (held, _) = files.hold(&at("folder")).unwrap();
    fs::rename(at("folder"), at("moved")).unwrap();
    symlink(outside.path(), at("folder")).unwrap();
    held.copy_to(&outside.path().join("copy"), &|| true).unwrap();
    assert_eq!(fs::read(outside.path().join("copy/deep/a")).unwrap(), b"checked");
    assert_eq!(mode(&outside.path().join("copy/deep")), 0o700);
    let stopped = held.copy_to(&outside.path().join("stopped"), &|| false).unwrap_err();
    assert_eq!(stopped.kind(), io::ErrorKind::TimedOut);
    // What has grown since is not sent.
    fs::write(at("b"), "checked").unwrap();
    let (held, _) = files.hold(&at("b")).unwrap();
    fs::OpenOptions::new().append(true).open(at("b")).unwrap().write_all(b" and more").unwrap();
    held.copy_to(&outside.path().join("grown"), &|| true).unwrap();
    assert_eq!(fs::read(outside.path().join("grown")).unwrap(), b"checked");
}

/// As root, another user's link is made by giving it away; else it is one in a file system that is another user's.
#[test]
fn a_link_of_another_user_is_not_written_through() {
    let (inside, outside, _) = jail();
    let (link, target) = (inside.path().join("shot.png"), outside.path().join("bashrc"));
    fs::write(&target, "mine").unwrap();
    symlink(&target, &link).unwrap();
    let files = Files::anywhere(PathBuf::new());
    files.write(&link, b"own").unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"own", "one's own link means what it leads to");
    if std::os::unix::fs::lchown(&link, Some(12_345), None).is_err() {
        return;
    }
    assert!(files.write(&link, b"x").is_err());
    assert!(files.place(&link).is_err());
    assert_eq!(fs::read(&target).unwrap(), b"own");
}

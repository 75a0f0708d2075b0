//! Finding a Chromium on this machine.

use std::{
    env,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// Names under which browsers of the Chromium family are installed, the most faithful one first. The headless shell comes
/// last: it has no window and lacks parts of the browser.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "chromium-headless-shell",
];

/// Places that are often not on the `PATH`.
const PLACES: &[&str] = &[
    "/usr/lib/chromium/chromium",
    "/opt/google/chrome/chrome",
    "/snap/bin/chromium",
    "/usr/lib/chromium/chromium-headless-shell",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// The browser to use: on the `PATH` by one of its usual names, or in one of its usual places.
pub fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = env::split_paths(&path).collect();
    let on_path = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    on_path.chain(PLACES.iter().map(PathBuf::from)).find(|file| is_executable(file))
}

/// The browser that the user named, as a path or as a name on the `PATH`.
pub fn named(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return is_executable(name).then(|| name.to_owned());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_executable(file))
}

/// The launchers of Debian's and Arch's Chromium and of its headless shell, which are shell scripts, and the browsers that they start.
const LAUNCHERS: [(&str, &str); 2] = [
    ("/usr/bin/chromium", "/usr/lib/chromium/chromium"),
    ("/usr/bin/chromium-headless-shell", "/usr/lib/chromium/chromium-headless-shell"),
];

/// The program to start for a browser that shows no window. The launcher of a distribution looks for extensions, keys and settings of a
/// desktop, which takes longer than anything else before the browser is up; nothing of that matters without a window.
pub(crate) fn without_launcher(browser: &Path) -> &Path {
    let launched = LAUNCHERS.iter().find(|(launcher, _)| browser == Path::new(launcher));
    match launched.map(|(_, launched)| Path::new(*launched)) {
        Some(launched) if is_executable(launched) && is_script(browser) => launched,
        _ => browser,
    }
}

fn is_script(file: &Path) -> bool {
    let mut start = [0; 2];
    File::open(file).is_ok_and(|mut file| file.read_exact(&mut start).is_ok()) && start == *b"#!"
}

fn is_executable(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}

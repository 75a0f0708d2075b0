//! The browsers that tests use: those on this machine, installed first where there are none.

use std::{
    env,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use crate::install;

/// The file of the browser. Where none is found, Chromium is installed, by one test process at a time; where that is not
/// possible, the test fails with what to do.
pub fn browser() -> PathBuf {
    static BROWSER: OnceLock<PathBuf> = OnceLock::new();
    BROWSER.get_or_init(find_or_install).clone()
}

fn find_or_install() -> PathBuf {
    if let Some(named) = env::var_os("WEBHAND_BROWSER") {
        return named.into();
    }
    cdp::find::find().unwrap_or_else(install::browser)
}

/// Chromium's headless shell, for tests that start many browsers and need no window: it costs less than half of the time. Where this
/// system has no such package, the browser that all tests use.
pub fn shell() -> PathBuf {
    static SHELL: OnceLock<PathBuf> = OnceLock::new();
    let find = || cdp::find::named(Path::new(SHELL_NAME));
    let find_or_install = || {
        find().or_else(|| {
            install::optional_package(SHELL_NAME);
            find()
        })
    };
    SHELL
        .get_or_init(|| match env::var_os("WEBHAND_BROWSER") {
            Some(named) => named.into(),
            None => find_or_install().unwrap_or_else(browser),
        })
        .clone()
}

/// Its package and its program, as Debian and its relatives call them.
const SHELL_NAME: &str = "chromium-headless-shell";

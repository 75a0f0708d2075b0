//! The browser that tests use: the one on this machine, installed first where there is none.

use std::{env, path::PathBuf, sync::OnceLock};

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

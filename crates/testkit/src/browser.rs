//! The browser that tests use: the one on this machine, installed first where there is none.

use std::{env, fs::File, path::PathBuf, sync::OnceLock};

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
    if let Some(found) = cdp::find::find() {
        return found;
    }
    let lock = File::create(env::temp_dir().join("webhand-test-install.lock")).expect("a lock file");
    lock.lock().expect("the lock for installing");
    eprintln!("no Chromium was found; installing it, which takes a minute or two");
    let mut last = 0;
    let mut report = |progress: cdp::install::Progress| {
        let tens = progress.percent.unwrap_or_default() as u32 / 10;
        if tens > last || progress.percent.is_none() {
            last = tens;
            eprintln!("{:>3}% {}", tens * 10, progress.doing);
        }
    };
    match cdp::install::ensure(&mut report) {
        Ok(browser) => browser,
        Err(error) => unavailable(&error),
    }
}

#[expect(clippy::panic, reason = "a missing browser is a loud failure, never a skipped test")]
fn unavailable(error: &cdp::install::InstallError) -> PathBuf {
    panic!("these tests need a Chromium: {error}")
}

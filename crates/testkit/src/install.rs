//! Installing what tests need and the machine lacks, by one test process at a time.

use std::{env, fs::File, path::PathBuf};

use cdp::install::{InstallError, Progress};

/// Chromium. Where that is not possible, the test fails with what to do.
pub(crate) fn browser() -> PathBuf {
    let _one_at_a_time = lock();
    eprintln!("no Chromium was found; installing it, which takes a minute or two");
    cdp::install::ensure(&mut told()).unwrap_or_else(|error| unavailable("a Chromium", &error))
}

/// A package of the system. Where that is not possible, the test fails with what to do.
pub(crate) fn package(name: &str) {
    let _one_at_a_time = lock();
    eprintln!("no {name} was found; installing it, which takes a minute or two");
    cdp::install::package(name, &mut told()).unwrap_or_else(|error| unavailable(name, &error));
}

/// A package that tests do without where the system does not have it.
pub(crate) fn optional_package(name: &str) {
    let _one_at_a_time = lock();
    if let Err(error) = cdp::install::package(name, &mut told()) {
        eprintln!("{name} was not installed, and the tests use another program: {error}");
    }
}

fn lock() -> File {
    let lock = File::create(env::temp_dir().join("webhand-test-install.lock")).expect("a lock file");
    lock.lock().expect("the lock for installing");
    lock
}

/// Says how far it is, every ten percent.
fn told() -> impl FnMut(Progress) {
    let mut last = 0;
    move |progress| {
        let tens = progress.percent.unwrap_or_default() as u32 / 10;
        if tens > last || progress.percent.is_none() {
            last = tens;
            eprintln!("{:>3}% {}", tens * 10, progress.doing);
        }
    }
}

#[expect(clippy::panic, reason = "what is missing is a loud failure, never a skipped test")]
fn unavailable<T>(what: &str, error: &InstallError) -> T {
    panic!("these tests need {what}: {error}")
}

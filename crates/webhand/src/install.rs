//! `webhand install`, and the same on the way where a browser is needed and none is there.

use std::path::PathBuf;

use cdp::install::{InstallError, Progress};
use contract::{Code, Error, Result};
use indicatif::{ProgressBar, ProgressStyle};

/// Installs Chromium, or finds that a browser is there already.
pub(crate) fn run(force: bool) -> Result<PathBuf> {
    match cdp::find::find().filter(|_| !force) {
        Some(browser) => Ok(browser),
        None => with_progress(cdp::install::install),
    }
}

/// The browser that was named, else the one that is found, else one that is installed now.
pub(crate) fn ensure(named: Option<&PathBuf>) -> Result<()> {
    match named {
        Some(_) => Ok(()),
        None => with_progress(cdp::install::ensure).map(drop),
    }
}

type Installing = fn(&mut dyn FnMut(Progress)) -> Result<PathBuf, InstallError>;

/// Shows how far it is: as a bar on a terminal, as a line for each step elsewhere.
fn with_progress(install: Installing) -> Result<PathBuf> {
    let mut bar: Option<ProgressBar> = None;
    let mut said = None;
    let result = install(&mut |progress| {
        let bar = bar.get_or_insert_with(|| {
            tracing::debug!("no browser was found");
            new_bar()
        });
        // Without a terminal: a line for each step, and for each tenth of it.
        let tenth = progress.percent.map(|percent| percent as u32 / 10);
        if bar.is_hidden() && (tenth.is_none() || tenth > said) {
            let percent = tenth.map(|tenth| format!("{}% ", tenth * 10)).unwrap_or_default();
            eprintln!("installing Chromium: {percent}{}", progress.doing);
            said = tenth;
        }
        bar.set_position(progress.percent.unwrap_or_default() as u64);
        bar.set_message(progress.doing);
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    result.map_err(|error| {
        let hint = match &error {
            InstallError::NeedsRoot { command } => format!("run `sudo {command}`, then try again"),
            _ => "install Chromium or Chrome by hand, or name one with --browser".into(),
        };
        Error::new(Code::BrowserNotInstalled, "Chromium could not be installed")
            .with_cause(error)
            .with_hint(hint)
    })
}

fn new_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("installing Chromium {bar:30} {percent:>3}%  {wide_msg}");
    let bar = ProgressBar::new(100);
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}

//! Installing Chromium, or what tests need beside it, through the system's package manager.

use std::{
    env,
    io::{self, BufRead, BufReader, Read},
    path::PathBuf,
    process::{Command, Stdio},
};

use crate::find;

/// A package manager and how it is asked for a package, whose name follows.
struct Manager {
    program: &'static str,
    refresh: Option<&'static [&'static str]>,
    install: &'static [&'static str],
}

/// Debian's comes first, since it is the one that reports its progress.
const MANAGERS: &[Manager] = &[
    Manager {
        program: "apt-get",
        refresh: Some(&["update", "-q"]),
        install: &[
            "install",
            "-y",
            "-q",
            "--no-install-recommends",
            "-o",
            "DPkg::Lock::Timeout=300",
            "-o",
            "APT::Status-Fd=1",
        ],
    },
    Manager { program: "dnf", refresh: None, install: &["install", "-y"] },
    Manager { program: "zypper", refresh: None, install: &["--non-interactive", "install"] },
    Manager { program: "pacman", refresh: None, install: &["-Sy", "--noconfirm"] },
    Manager { program: "apk", refresh: None, install: &["add"] },
];

impl Manager {
    /// What a person types.
    fn by_hand(&self, package: &str) -> String {
        let options = ["-o", "-q", "-y", "--noconfirm", "--non-interactive", "--no-install-recommends"];
        let words = self.install.iter().filter(|word| !options.contains(word) && !word.contains("::"));
        [self.program].iter().chain(words).copied().chain([package]).collect::<Vec<_>>().join(" ")
    }
}

/// How far an installation is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What is being done.
    pub doing: String,
    /// From 0 to 100, where the package manager tells.
    pub percent: Option<f32>,
}

/// Why something was not installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// This machine has no package manager that we know.
    #[error("no known package manager was found; install {package} by hand")]
    NoManager {
        /// What was wanted.
        package: String,
    },
    /// Installing needs rights that we do not have.
    #[error("installing needs root; run: sudo {command}")]
    NeedsRoot {
        /// What a person has to run.
        command: String,
    },
    /// The package manager failed.
    #[error("`{command}` failed ({status}): {words}")]
    Failed {
        /// What was run.
        command: String,
        /// How it ended.
        status: String,
        /// The last of what it said.
        words: String,
    },
    /// The package manager could not be run.
    #[error("`{command}` could not be run: {source}")]
    NotRun {
        /// What was to be run.
        command: String,
        /// The system's own words.
        source: io::Error,
    },
    /// The package manager succeeded, and still there is no browser.
    #[error("the package was installed, but no browser was found afterwards; name one with --browser")]
    StillMissing,
}

/// The browser to use, installed first if there is none. Blocks, for minutes perhaps; `report` hears how far it is.
pub fn ensure(report: &mut dyn FnMut(Progress)) -> Result<PathBuf, InstallError> {
    match find::find() {
        Some(found) => Ok(found),
        None => install(report),
    }
}

/// Installs Chromium. Blocks, for minutes perhaps; `report` hears how far it is.
pub fn install(report: &mut dyn FnMut(Progress)) -> Result<PathBuf, InstallError> {
    package("chromium", report)?;
    find::find().ok_or(InstallError::StillMissing)
}

/// Installs a package, by a name that every distribution has. Blocks, for minutes perhaps; `report` hears how far it is.
pub fn package(name: &str, report: &mut dyn FnMut(Progress)) -> Result<(), InstallError> {
    let manager = MANAGERS
        .iter()
        .find(|manager| on_path(manager.program))
        .ok_or_else(|| InstallError::NoManager { package: name.into() })?;
    let sudo = if rustix::process::geteuid().is_root() {
        None
    } else if on_path("sudo")
        && Command::new("sudo").args(["-n", "true"]).output().is_ok_and(|out| out.status.success())
    {
        Some("sudo")
    } else {
        return Err(InstallError::NeedsRoot { command: manager.by_hand(name) });
    };
    if let Some(refresh) = manager.refresh
        && let Err(error) = run(sudo, manager.program, refresh, report)
    {
        // Package lists that could not all be refreshed may still hold the package.
        tracing::warn!(%error, "going on without fresh package lists");
    }
    run(sudo, manager.program, &[manager.install, &[name]].concat(), report)
}

fn run(
    sudo: Option<&str>,
    program: &str,
    args: &[&str],
    report: &mut dyn FnMut(Progress),
) -> Result<(), InstallError> {
    let line: Vec<&str> = sudo.into_iter().chain([program]).chain(args.iter().copied()).collect();
    let command = line.join(" ");
    report(Progress { doing: command.clone(), percent: None });
    let not_run = |source| InstallError::NotRun { command: command.clone(), source };
    let mut child = Command::new(line[0])
        .args(&line[1..])
        .env("DEBIAN_FRONTEND", "noninteractive")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(not_run)?;
    // What goes to standard error is read aside, so that a full pipe there cannot stall the other one.
    let stderr = child.stderr.take();
    let complaints = std::thread::spawn(move || {
        let mut words = String::new();
        if let Some(mut stderr) = stderr {
            let _ = stderr.read_to_string(&mut words);
        }
        words
    });
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if let Some(progress) = status_line(&line) {
                report(progress);
            }
        }
    }
    let status = child.wait().map_err(not_run)?;
    let words = complaints.join().unwrap_or_default();
    if status.success() {
        return Ok(());
    }
    let tail: Vec<&str> = words.trim().lines().rev().take(3).collect();
    let words = tail.into_iter().rev().collect::<Vec<_>>().join("; ");
    Err(InstallError::Failed { command, status: status.to_string(), words })
}

/// apt's machine-readable progress: `dlstatus:1:20.5:Retrieving file …` and `pmstatus:chromium:45.2:Installing …`.
fn status_line(line: &str) -> Option<Progress> {
    let mut parts = line.splitn(4, ':');
    let offset = match parts.next()? {
        "dlstatus" => 0.0,
        "pmstatus" => 50.0,
        _ => return None,
    };
    let percent: f32 = parts.nth(1)?.parse().ok()?;
    Some(Progress { doing: parts.next()?.trim().into(), percent: Some(offset + percent / 2.0) })
}

/// Whether a program of this name is there to be run.
pub fn on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_types_is_plain() {
        let typed: Vec<String> = MANAGERS.iter().map(|manager| manager.by_hand("chromium")).collect();
        assert_eq!(
            typed,
            [
                "apt-get install chromium",
                "dnf install chromium",
                "zypper install chromium",
                "pacman -Sy chromium",
                "apk add chromium"
            ]
        );
    }

    #[test]
    fn progress_is_read_from_apt() {
        let check = |line: &str, expected: Option<(f32, &str)>| {
            let read = status_line(line).map(|progress| (progress.percent.unwrap(), progress.doing));
            assert_eq!(read, expected.map(|(percent, doing)| (percent, doing.to_owned())), "{line}");
        };
        check(
            "dlstatus:1:20:Retrieving file 1 of 5 (2s remaining)",
            Some((10.0, "Retrieving file 1 of 5 (2s remaining)")),
        );
        check(
            "pmstatus:chromium:40.0:Installing chromium (amd64)",
            Some((70.0, "Installing chromium (amd64)")),
        );
        check("Reading package lists...", None);
        check("dlstatus:1:x:y", None);
    }
}

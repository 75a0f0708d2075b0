//! `WEBHAND_HOME`: the folder that holds all state, for this user's eyes only.

use std::{
    env, fs,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use contract::{Code, Error, Result, SessionName};

/// The longest path that a Unix socket can have on every system we run on.
const LONGEST_SOCKET: usize = 100;

/// The folder that this process is in.
pub(crate) fn here() -> PathBuf {
    env::current_dir().unwrap_or_default()
}

/// The folder and what lies where in it.
#[derive(Clone, Debug)]
pub(crate) struct Home(PathBuf);

impl Home {
    /// `WEBHAND_HOME`, or `.webhand` in the user's own folder.
    pub(crate) fn find() -> Result<Home> {
        let folder = match env::var_os("WEBHAND_HOME").filter(|value| !value.is_empty()) {
            Some(folder) => PathBuf::from(folder),
            None => env::home_dir()
                .filter(|folder| !folder.as_os_str().is_empty())
                .map(|home| home.join(".webhand"))
                .ok_or_else(|| {
                    Error::invalid("there is no home folder")
                        .with_hint("set WEBHAND_HOME to a folder that can be written")
                })?,
        };
        Ok(Home(std::path::absolute(&folder).unwrap_or(folder)))
    }

    /// Where the files of a session go that its pages give.
    pub(crate) fn downloads(&self, session: &SessionName) -> PathBuf {
        self.0.join("downloads").join(session.as_str())
    }

    /// A home for a test.
    #[cfg(test)]
    pub(crate) fn at(folder: &Path) -> Home {
        Home(folder.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.0.join("config.toml")
    }

    /// What a host application told of its tabs.
    pub(crate) fn host_tabs(&self) -> PathBuf {
        self.0.join("host-tabs.json")
    }

    /// What HTTP clients have to know.
    pub(crate) fn token(&self) -> PathBuf {
        self.0.join("token")
    }

    /// What agents with tokens of their own may do, and a hash of each token.
    pub(crate) fn agent_tokens(&self) -> PathBuf {
        self.0.join("agent-tokens.json")
    }

    /// What those have to know who answer approvals over HTTP.
    pub(crate) fn approver_token(&self) -> PathBuf {
        self.0.join("approver-token")
    }

    /// What people have allowed for good.
    pub(crate) fn always_allowed(&self) -> PathBuf {
        self.0.join("always-allowed.json")
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.0.join("journal.db")
    }

    /// A file for a picture that nobody named.
    pub(crate) fn new_screenshot(&self, jpeg: bool) -> PathBuf {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let ending = if jpeg { "jpg" } else { "png" };
        self.0.join("screenshots").join(format!("{}.{ending}", now.as_millis()))
    }

    pub(crate) fn run(&self) -> PathBuf {
        self.0.join("run")
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.run().join("daemon.lock")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.run().join("daemon.log")
    }

    /// The daemon's socket.
    pub(crate) fn socket(&self) -> Result<PathBuf> {
        self.socket_named("daemon.sock")
    }

    /// The socket of a `webhand mcp`, by which a person can answer and halt what it does.
    pub(crate) fn own_socket(&self) -> Result<PathBuf> {
        self.socket_named(&format!("mcp-{}.sock", std::process::id()))
    }

    /// The sockets of all who can be asked something in this home.
    pub(crate) fn sockets(&self) -> Result<Vec<PathBuf>> {
        let mut sockets = vec![self.socket()?];
        for entry in fs::read_dir(self.run()).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("mcp-") && name.ends_with(".sock") {
                sockets.push(entry.path());
            }
        }
        Ok(sockets)
    }

    fn socket_named(&self, name: &str) -> Result<PathBuf> {
        let socket = self.run().join(name);
        if socket.as_os_str().len() > LONGEST_SOCKET {
            let message = format!("{} is too long for a socket in it", self.0.display());
            return Err(
                Error::invalid(message).with_hint("set WEBHAND_HOME to a shorter path, of at most 80 bytes")
            );
        }
        Ok(socket)
    }

    /// Refuses a home that belongs to another user, who could listen at its socket, or that another user's link leads to. One that is not
    /// there yet belongs to nobody.
    pub(crate) fn check_owner(&self) -> Result<()> {
        let own = rustix::process::geteuid().as_raw();
        let refused = |folder: &Path, why: &str| {
            Err(Error::invalid(format!("{} {why}", folder.display()))
                .with_hint("set WEBHAND_HOME to a folder of your own"))
        };
        for folder in [self.path(), &self.run()] {
            if fs::metadata(folder).is_ok_and(|about| about.uid() != own) {
                return refused(folder, "belongs to another user");
            }
        }
        // A link to the home is this user's own choice, or the system's.
        if fs::symlink_metadata(self.path()).is_ok_and(|about| ![own, 0].contains(&about.uid())) {
            return refused(self.path(), "is a link of another user");
        }
        for folder in self.folders() {
            match fs::symlink_metadata(&folder) {
                Ok(about) if !about.is_symlink() && about.uid() != own => {
                    return refused(&folder, "belongs to another user");
                }
                Ok(about) if about.is_symlink() && about.uid() != own => {
                    return refused(&folder, "is a link of another user");
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What is in it that is webhand's alone.
    fn folders(&self) -> [PathBuf; 7] {
        ["run", "screenshots", "downloads", "profiles", "uploads", "incoming", "approvals"]
            .map(|name| self.0.join(name))
    }

    /// Makes the folders, and refuses ones that other users could write to: who can replace the socket hears everything.
    pub(crate) fn make(&self) -> Result<()> {
        let failed = |folder: &Path, cause: &dyn std::fmt::Display| {
            Error::new(Code::Internal, format!("{} cannot be used", folder.display()))
                .with_cause(cause)
                .with_hint("set WEBHAND_HOME to a folder of your own that can be written")
        };
        let folders = self.folders();
        self.check_owner()?;
        for folder in [&self.0].into_iter().chain(&folders) {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .map_err(|error| failed(folder, &error))?;
        }
        self.check_owner()?;
        // Whatever made them, and whatever the umask was then.
        for folder in &folders {
            let about = fs::metadata(folder).map_err(|error| failed(folder, &error))?;
            if about.permissions().mode() & 0o077 != 0 {
                fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
                    .map_err(|error| failed(folder, &error))?;
            }
        }
        Ok(())
    }
}

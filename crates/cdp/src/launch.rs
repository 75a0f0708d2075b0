//! Starting a Chromium of our own and talking to it over a pipe.
//!
//! No TCP port is opened, so no other process can take the browser over; and when we end, the pipe closes and the browser
//! ends as well. The guardian sees to it that the same holds when it hangs.

use std::{
    fs::{self, File},
    io::{self, Write},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use command_fds::{CommandFdExt, FdMapping};
use rustix::pipe::{PipeFlags, pipe_with};
use serde_json::{Value, json};
use tokio::{
    io::AsyncReadExt,
    process::{Child, Command},
    time::timeout,
};

use crate::{Transport, find::without_launcher, guardian::Guardian, pipe};

/// How much of what a browser says before it dies is kept.
const KEPT_STDERR: usize = 4096;

/// How long a browser with a profile to keep may take to write it out.
const GRACE: Duration = Duration::from_secs(5);

/// How many bytes of shared memory must be free, or files are used in its place.
const ENOUGH_SHARED_MEMORY: u64 = 1 << 30;

/// Flags for every browser. Each group has its reason.
const FLAGS: &[&str] = &[
    // No welcome, no questions, nothing of the user's desktop.
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--disable-search-engine-choice-screen",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-component-extensions-with-background-pages",
    "--password-store=basic",
    "--use-mock-keychain",
    // No chatter in the background.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-breakpad",
    "--metrics-recording-only",
    // What still asks its maker's servers is sent to a port that the browser itself refuses.
    "--gaia-url=http://nobody.invalid:1/",
    "--gcm-checkin-url=http://nobody.invalid:1/",
    "--component-updater=disable-pings,url-source=http://nobody.invalid:1/",
    // No way round a proxy.
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    // Every site in processes of its own, as desktop browsers have it anyway: Chromium's headless shell does not unless it is told.
    "--site-per-process",
    // A tab that nobody looks at works as fast as one in front.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-ipc-flooding-protection",
    "--disable-hang-monitor",
    // An error page stays one: no request is sent that nobody asked for.
    "--disable-auto-reload",
    // What an agent asks for happens: popups open, forms are posted again. A page that is gone back to is loaded again,
    // so that every navigation has the same events.
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-back-forward-cache",
    // Nor are there pages of the browser's own under its address bar, in a process for each session.
    "--disable-features=PreloadTopChromeWebUI,WebUIOmniboxPopup,WebUIOmniboxAimPopup,Translate,MediaRouter,\
     DialMediaRouteProvider,OptimizationHints,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,PaintHolding,\
     DestroyProfileOnBrowserClose,LensOverlay,AutofillServerCommunication,NetworkTimeServiceQuerying,\
     PreconnectToSearch,AimEnabled",
    "--mute-audio",
];

/// What a profile begins with that nobody has used yet: no forms are filled in by the browser itself, and no passwords kept. Reading the
/// forms of each page for that takes a core for some milliseconds, just when the page is wanted.
const PREFERENCES: &str = r#"{"autofill": {"profile_enabled": false, "credit_card_enabled": false},
 "credentials_enable_service": false, "credentials_enable_autosignin": false}"#;

/// What to start.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The browser's file.
    pub executable: PathBuf,
    /// The profile to use and keep; none for a temporary one that goes with the browser.
    pub profile: Option<PathBuf>,
    /// Whether there is a window to see.
    pub headed: bool,
    /// Further flags.
    pub flags: Vec<String>,
}

/// A browser that we started.
pub struct Process {
    child: Child,
    /// The last of what it wrote to its standard error.
    words: Vec<u8>,
    guardian: Guardian,
    keeps_profile: bool,
}

/// Why a browser did not start.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// It could not be run at all.
    #[error("{executable} could not be run: {source}")]
    NotRun {
        /// The browser's file.
        executable: PathBuf,
        /// The system's own words.
        source: io::Error,
    },
    /// Something that it needs could not be set up.
    #[error("{what}: {source}")]
    SetUp {
        /// What could not be set up.
        what: &'static str,
        /// The system's own words.
        source: io::Error,
    },
}

/// Starts a browser. The transport works at once: what is sent before the browser is up waits in the pipe.
pub async fn launch(launch: &Launch) -> Result<(Transport, Process), LaunchError> {
    let set_up = |what| move |source| LaunchError::SetUp { what, source };
    let temporary = match &launch.profile {
        Some(_) => None,
        None => Some(
            tempfile::Builder::new()
                .prefix("webhand-")
                .tempdir()
                .map_err(set_up("no temporary profile could be made"))?,
        ),
    };
    let grace = if temporary.is_some() { 0 } else { GRACE.as_secs() as u32 * 10 };
    let mut guardian = Guardian::start(temporary.as_ref().map(tempfile::TempDir::path), grace)
        .map_err(set_up("no guardian process could be started"))?;
    // From here on the guardian removes the folder.
    let temporary = temporary.map(tempfile::TempDir::keep);
    let profile = launch.profile.as_deref().or(temporary.as_deref()).unwrap_or(Path::new("."));
    prepare(profile, launch.headed).map_err(set_up("the profile cannot be written"))?;

    let pipes =
        || pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from).map_err(set_up("no pipe could be made"));
    let (browser_reads, we_write) = pipes()?;
    let (we_read, browser_writes) = pipes()?;
    let child = spawn(launch, profile, temporary.as_deref(), browser_reads, browser_writes)?;
    if let Some(group) = child.id() {
        guardian.guard(group).await.map_err(set_up("the guardian process ended"))?;
    }
    let transport = pipe::connect(we_write, we_read).map_err(set_up("the pipe could not be used"))?;
    Ok((transport, Process { child, words: Vec::new(), guardian, keeps_profile: temporary.is_none() }))
}

/// Writes the preferences of a profile that has none. One that has been used belongs to whoever used it.
fn prepare(profile: &Path, headed: bool) -> io::Result<()> {
    let folder = profile.join("Default");
    fs::create_dir_all(&folder)?;
    set_auth_schemes(&profile.join("Local State"), headed)?;
    match File::create_new(folder.join("Preferences")) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        file => file?.write_all(PREFERENCES.as_bytes()),
    }
}

/// The ways to log in over HTTP that a browser without a window knows: those that need nobody to answer a prompt. A server that asks for
/// another one then has its answer shown, as for every other status. With Basic and Digest, Chromium would open a prompt that nobody sees,
/// and drop all input until that is closed.
const AUTH_SCHEMES: &str = "ntlm,negotiate";

/// Sets those in the browser's state, which has them for all of its contexts; a browser with a window gets its own back.
fn set_auth_schemes(file: &Path, headed: bool) -> io::Result<()> {
    let mut state: Value = match fs::read(file) {
        // Chromium starts anew from a state that it cannot read, and so do we.
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|_| json!({})),
        Err(error) if error.kind() == io::ErrorKind::NotFound => json!({}),
        Err(error) => return Err(error),
    };
    let is_ours = state["auth"]["schemes"] == AUTH_SCHEMES;
    let Some(auth) = state.as_object_mut().map(|state| state.entry("auth").or_insert_with(|| json!({})))
    else {
        return Ok(());
    };
    match (auth.as_object_mut(), headed) {
        (Some(auth), true) if is_ours => drop(auth.remove("schemes")),
        (Some(auth), false) if !is_ours => drop(auth.insert("schemes".into(), AUTH_SCHEMES.into())),
        _ => return Ok(()),
    }
    fs::write(file, state.to_string())
}

fn spawn(
    launch: &Launch,
    profile: &Path,
    temporary: Option<&Path>,
    reads: OwnedFd,
    writes: OwnedFd,
) -> Result<Child, LaunchError> {
    let not_run = |source| LaunchError::NotRun { executable: launch.executable.clone(), source };
    let program = if launch.headed { &launch.executable } else { without_launcher(&launch.executable) };
    let mut command = Command::new(program);
    command
        .args(FLAGS)
        .args(["--remote-debugging-pipe", "--no-startup-window"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(&launch.flags)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    // What Chromium and the libraries that it loads would otherwise write to the home folder.
    command
        .env("BREAKPAD_DUMP_LOCATION", profile.join("Crash Reports"))
        .env("MESA_SHADER_CACHE_DIR", profile.join("ShaderCache"))
        .env("GSETTINGS_BACKEND", "memory");
    set_locale(&mut command);
    if !launch.headed {
        // The animations are those of the browser's own window, which nobody sees; those of pages take their time.
        command.args([
            "--headless",
            "--hide-scrollbars",
            "--screen-info={1280x720}",
            "--animation-duration-scale=0",
        ]);
    }
    if has_little_shared_memory() {
        command.arg("--disable-dev-shm-usage");
    }
    if rustix::process::geteuid().is_root() {
        // Chromium refuses to start as root with its sandbox on.
        tracing::warn!("running as root: Chromium runs without its sandbox");
        command.arg("--no-sandbox");
    }
    // Chromium leaves folders in the temporary directory when it is killed; so it gets one that goes with the profile.
    // Sockets live there, whose paths have a limit of about a hundred bytes.
    if let Some(folder) = temporary.filter(|folder| folder.as_os_str().len() < 40) {
        command.env("TMPDIR", folder);
    }
    let mappings =
        vec![FdMapping { parent_fd: reads, child_fd: 3 }, FdMapping { parent_fd: writes, child_fd: 4 }];
    command.fd_mappings(mappings).map_err(|error| not_run(io::Error::other(error)))?;
    command.spawn().map_err(not_run)
}

/// Whether pages would run out of shared memory and crash, as in a container that was given 64 MB of it. Then Chromium uses files.
fn has_little_shared_memory() -> bool {
    rustix::fs::statvfs("/dev/shm")
        .is_ok_and(|shm| shm.f_bavail.saturating_mul(shm.f_frsize) < ENOUGH_SHARED_MEMORY)
}

/// Gives the browser an encoding for the names of files. In the locale of a process that has none, as servers and containers start them,
/// Chromium drops every letter that is not ASCII. Which language it speaks stays as it is.
fn set_locale(command: &mut Command) {
    command.env("LC_CTYPE", "C.UTF-8");
    if let Some(all) = std::env::var_os("LC_ALL").filter(|all| !all.is_empty()) {
        command.env_remove("LC_ALL").env("LANG", &all).env("LC_MESSAGES", all);
    }
}

impl Process {
    /// The browser's process id, while it runs.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until the browser has ended by itself; says how, with the last of what it wrote to its standard error.
    pub async fn ended(&mut self) -> String {
        // All that is read is kept in the struct: whoever stops waiting here and asks again later misses nothing.
        if let Some(stderr) = &mut self.child.stderr {
            let mut chunk = [0; 1024];
            while let Ok(read @ 1..) = stderr.read(&mut chunk).await {
                self.words.extend_from_slice(&chunk[..read]);
                self.words.drain(..self.words.len().saturating_sub(KEPT_STDERR));
            }
        }
        let status = match self.child.wait().await {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        match String::from_utf8_lossy(&self.words).trim() {
            "" => format!("the browser ended with {status}"),
            words => format!("the browser ended with {status}: {words}"),
        }
    }

    /// Ends the browser and everything that belongs to it, and waits for that. One that keeps its profile should have
    /// been asked to close before, and has a moment to do so.
    pub async fn end(mut self) {
        if self.keeps_profile {
            let _ = timeout(GRACE, self.child.wait()).await;
        }
        // The guardian ends the whole group; waiting for the browser itself collects its exit status.
        self.guardian.release().await;
        let _ = self.child.kill().await;
    }
}

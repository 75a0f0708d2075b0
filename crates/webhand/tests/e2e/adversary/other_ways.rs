//! Deeds that come by another way than the one that is judged: pages that a host application is told to open, files that come by themselves,
//! folders that somebody else put in place.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, lchown, symlink},
    path::Path,
};

use serde_json::{Value, json};

use crate::{
    server::Server,
    support::{Home, code, site},
};

/// Nobody of these.
const STRANGER: u32 = 12_345;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn open_url(server: &Server, url: &str, options: &[(&str, &str)]) -> Value {
    let body = json!({"url": url}).to_string();
    let headers = [&[("x-webhand-session", "hosted")], options].concat();
    server.ask("POST", "/v1/tools/stagehand/open-url", body.as_bytes(), &headers).json()
}

/// A host application listens, and is told of nothing that the policy denies or that nobody has allowed.
#[test]
fn a_host_is_not_told_to_open_what_is_denied() {
    let home = Home::new();
    home.configure(
        "approval_timeout = '3s'\n\
         [[policy]]\neffect = 'navigate'\norigin = 'localhost'\ndecide = 'deny'\n\
         [[policy]]\neffect = 'navigate'\norigin = '127.0.0.2'\nfront = 'http'\ndecide = 'ask'\n",
    );
    let server = Server::of(&home, "stagehand", &["--host-browser", "http://127.0.0.1:1"]);
    let mut events = server.listen();
    let denied = site().on("localhost", "/echo?opened");
    for url in [
        denied.clone(),
        denied.replace("localhost", "LOCALHOST"),
        denied.replace("localhost", "localhost."),
        denied.replace("localhost", "user:pass@localhost"),
        denied.replace("http://localhost", "HTTP://\tlocalhost"),
        denied.replace("localhost", "%6cocalhost"),
    ] {
        let answer = open_url(&server, &url, &[]);
        assert_eq!(answer["ok"], false, "{url}: {answer}");
        assert_ne!(answer["error"]["code"], "TIMEOUT", "{url}: the host was told: {answer}");
    }
    assert_eq!(code(&open_url(&server, &denied, &[])), "ACTION_DENIED");
    let metadata = open_url(&server, "http://169.254.169.254/", &[]);
    assert_eq!(metadata["error"]["code"], "NAVIGATION_BLOCKED", "{metadata}");
    // What is to be asked about waits for a person, who says nothing.
    let asked = open_url(&server, &site().on("127.0.0.2", "/echo?opened"), &[]);
    assert_eq!(asked["error"]["code"], "APPROVAL_EXPIRED", "{asked}");
    server.terminate();
    let heard = events.rest();
    assert!(!heard.contains("data-open-browser"), "the host was told: {heard}");
    assert!(heard.contains("approval"), "a person was asked: {heard}");
    assert_eq!(site().hits("/echo?opened"), 0);
}

/// What webhand writes by itself is for this user alone, whatever was there before.
#[test]
fn folders_of_the_home_are_private_and_nobody_elses() {
    let home = Home::new();
    let folders = ["run", "screenshots", "downloads", "profiles", "uploads", "incoming", "approvals"]
        .map(|name| home.path().join(name));
    for folder in &folders {
        fs::create_dir(folder).unwrap();
        fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
    }
    home.data(&["open", &site().page("private", "<a download=a.txt href='data:,x'>a</a><input type=file>")]);
    home.data(&["download", "css=a"]);
    home.data(&["screenshot"]);
    let file = home.path().join("to-upload");
    fs::write(&file, "x").unwrap();
    home.data(&["upload", "css=input", file.to_str().unwrap()]);
    for folder in &folders {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
    for name in ["journal.db", "run/daemon.log", "run/daemon.sock"] {
        assert_eq!(mode(&home.path().join(name)) & 0o077, 0, "{name}");
    }
    let copies = |home: &Home| fs::read_dir(home.path().join("uploads")).unwrap().count();
    assert_eq!(copies(&home), 1);
    home.data(&["close"]);
    assert_eq!(copies(&home), 0, "copies go with their session");
}

/// Other users are those of `chown` where the test runs as root. Without that, only links are tried.
#[test]
fn a_folder_that_somebody_else_put_there_is_not_used() {
    let is_root = rustix::process::geteuid().is_root();
    for name in ["run", "downloads", "screenshots", "profiles", "uploads", "incoming", "approvals"] {
        let home = Home::new();
        let (there, elsewhere) = (home.path().join(name), tempfile::tempdir().unwrap());
        if !is_root {
            continue;
        }
        fs::create_dir(&there).unwrap();
        lchown(&there, Some(STRANGER), None).unwrap();
        assert_eq!(home.code(&["open"]), "INVALID_INPUT", "{name} of another user");
        fs::remove_dir(&there).unwrap();
        symlink(elsewhere.path(), &there).unwrap();
        lchown(&there, Some(STRANGER), None).unwrap();
        assert_eq!(home.code(&["open"]), "INVALID_INPUT", "{name}, a link of another user");
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0, "{name}");
    }
}

/// The folder of `playwright_browser`: another user's, links, a file, a fifo, and one that all may look into.
#[test]
fn files_of_jarvis_do_not_go_where_somebody_else_reads() {
    let home = Home::new();
    let around = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let page = site().page("files", "<button>x</button>");
    let folder = around.path().join("files");
    let call = |args: Value| {
        let args = args.to_string();
        home.run(&["--files", folder.to_str().unwrap(), "call", "jarvis.playwright_browser", &args]).stdout
    };
    let navigate =
        || call(json!({"action": "navigate", "url": page, "wait_condition": "timeout", "timeout": 0.01}));
    call(json!({"action": "launch"}));
    let shoot = || call(json!({"action": "screenshot", "wait_condition": "timeout", "timeout": 0.01}));
    let is_refused = |what: &str| {
        for answer in [shoot(), navigate()] {
            assert!(
                answer.contains("\"output_files\":[]") && answer.contains("ACTION_DENIED"),
                "{what}: {answer}"
            );
        }
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0, "{what}");
    };
    let reset = || {
        let _ = fs::remove_dir_all(&folder).or_else(|_| fs::remove_file(&folder));
    };
    reset();
    symlink(elsewhere.path(), &folder).unwrap();
    is_refused("a link");
    reset();
    symlink(elsewhere.path().join("nowhere"), &folder).unwrap();
    is_refused("a link to nowhere");
    reset();
    fs::write(&folder, "").unwrap();
    is_refused("a file");
    reset();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &folder,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    is_refused("a fifo");
    reset();
    if rustix::process::geteuid().is_root() {
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        lchown(&folder, Some(STRANGER), None).unwrap();
        is_refused("another user's");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        reset();
    }
    let saved = navigate() + &shoot();
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 2, "{saved}");
    assert_eq!(mode(&folder), 0o700);
    assert!(files.iter().all(|file| mode(file) == 0o600), "{files:?}");
}

/// Where reading is asked about, a dry run of what only looks tells so, and neither looks nor asks.
#[test]
fn a_dry_run_of_a_look_asks_nobody() {
    let home = Home::new();
    home.configure("[[policy]]\neffect = 'read'\nfront = 'http'\ndecide = 'ask'\n");
    let server = Server::of(&home, "openclaw", &[]);
    home.data(&["open", &site().page("page", "<p>not to be told</p>"), "--session", "x"]);
    for action in ["snapshot", "content", "tabs", "pdf", "console"] {
        let body = json!({"action": action, "dryRun": true}).to_string();
        let path = "/v1/tools/openclaw/browser";
        let answer = server.ask("POST", path, body.as_bytes(), &[("x-webhand-session", "x")]);
        assert!(!answer.body.contains("not to be told"), "{action}: {}", answer.body);
        assert_eq!(home.data(&["approvals"])["approvals"], json!([]), "{action}");
    }
    assert!(!home.path().join("pdf").exists(), "no file is written");
}

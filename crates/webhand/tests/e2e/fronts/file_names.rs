//! Every tool that names a file, with names that lead elsewhere, through MCP and HTTP: each is refused with a code, and nothing is written
//! or read outside of the folder that the client may use.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fronts::talk::Mcp;
use crate::server::Server;
use crate::support::{Home, site};

/// What is in the file that nobody may have.
const PRECIOUS: &str = "{\"cookies\": [], \"origins\": []}";

/// A folder that may be used, one that may not, and names that lead from one to the other.
struct Folders {
    inside: TempDir,
    outside: TempDir,
}

impl Folders {
    fn new() -> Folders {
        let folders = Folders { inside: TempDir::new().unwrap(), outside: TempDir::new().unwrap() };
        fs::write(folders.outside.path().join("precious"), PRECIOUS).unwrap();
        fs::create_dir(folders.inside.path().join("folder")).unwrap();
        symlink(folders.outside.path(), folders.inside.path().join("link")).unwrap();
        symlink(folders.outside.path().join("precious"), folders.inside.path().join("linked")).unwrap();
        symlink(folders.outside.path().join("nowhere"), folders.inside.path().join("dangling")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folders.inside.path().join("fifo"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        folders
    }

    /// Names that lead elsewhere or are none, each with the codes that refuse them.
    fn names(&self, home: &Path) -> Vec<(String, &'static [&'static str])> {
        const DENIED: &[&str] = &["ACTION_DENIED"];
        const ODD: &[&str] = &["INVALID_INPUT"];
        let outside = self.outside.path();
        let up = format!("../{}/precious", outside.file_name().unwrap().to_string_lossy());
        vec![
            (up, DENIED),
            ("folder/../../escaped".into(), DENIED),
            (outside.join("precious").display().to_string(), DENIED),
            (outside.join("new/file").display().to_string(), DENIED),
            ("link/precious".into(), DENIED),
            ("link/new".into(), DENIED),
            ("linked".into(), DENIED),
            ("dangling".into(), DENIED),
            ("/dev/null".into(), DENIED),
            ("/dev/zero".into(), DENIED),
            ("/proc/self/environ".into(), DENIED),
            ("/proc/self/cwd/x".into(), DENIED),
            (home.join("token").display().to_string(), DENIED),
            (home.join("journal.db").display().to_string(), DENIED),
            ("fifo".into(), ODD),
            ("x".repeat(300), ODD),
            ("a\0b".into(), ODD),
        ]
    }

    /// Nothing but what was there is there.
    #[track_caller]
    fn are_untouched(&self, what: &str) {
        let names: Vec<_> =
            fs::read_dir(self.outside.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["precious"], "{what}");
        assert_eq!(fs::read_to_string(self.outside.path().join("precious")).unwrap(), PRECIOUS, "{what}");
        let escaped = self.inside.path().parent().unwrap().join("escaped");
        assert!(!escaped.exists(), "{what}");
    }
}

/// The tools that name a file, with this name.
fn tools(name: &str) -> Vec<(&'static str, Value)> {
    let file = site().url("/download?name=report.bin&bytes=100");
    vec![
        ("browser_take_screenshot", json!({"filename": name})),
        ("browser_pdf_save", json!({"filename": name})),
        ("browser_storage_state", json!({"filename": name})),
        ("browser_set_storage_state", json!({"filename": name})),
        ("browser_file_upload", json!({"target": "css=#file", "paths": [name]})),
        ("browser_download", json!({"url": file, "filename": name})),
        ("browser_evaluate", json!({"function": "() => 'written'", "filename": name})),
        ("browser_console_messages", json!({"level": "info", "filename": name})),
        ("browser_snapshot", json!({"filename": name})),
    ]
}

/// Goes through all of them. `call` answers with a `ToolResult`.
fn go_through(folders: &Folders, home: &Path, call: &mut dyn FnMut(&str, &Value) -> Value) {
    let page = site().page("page", "<input id=file type=file onchange=\"document.title = 'got it'\"><script>console.info('said')</script>");
    assert_eq!(call("browser_navigate", &json!({"url": page}))["ok"], true);
    for (name, codes) in folders.names(home) {
        for (tool, args) in tools(&name) {
            let what = format!("{tool} {:?}", &name[..name.len().min(60)]);
            let answer = call(tool, &args);
            // What makes a new file beside one that is there may do that beside a fifo.
            if name == "fifo" && answer["ok"] == true {
                fs::remove_file(folders.inside.path().join("fifo_2")).unwrap_or_default();
                assert!(folders.inside.path().join("fifo").exists(), "{what}");
                continue;
            }
            assert_eq!(answer["ok"], false, "{what}: {answer}");
            let code = answer["error"]["code"].as_str().unwrap();
            assert!(codes.contains(&code), "{what}: {answer}");
            folders.are_untouched(&what);
        }
    }
    let title = call("browser_evaluate", &json!({"function": "() => document.title"}));
    assert_ne!(title["data"]["value"], "got it", "nothing was uploaded");
    // What may be used can be used.
    fs::write(folders.inside.path().join("mine.txt"), "mine").unwrap();
    let upload = json!({"target": "css=#file", "paths": ["mine.txt"]});
    assert_eq!(call("browser_file_upload", &upload)["ok"], true);
    // Those who know Playwright's tools click first, and then name nothing but the files.
    let clicked = call("browser_click", &json!({"target": "css=#file"}));
    assert!(clicked["data"]["notes"].to_string().contains("asks for files"), "{clicked}");
    let stolen = json!({"paths": [folders.outside.path().join("precious")]});
    assert_eq!(call("browser_file_upload", &stolen)["error"]["code"], "ACTION_DENIED");
    assert_eq!(call("browser_file_upload", &json!({"paths": ["mine.txt"]}))["ok"], true);
    assert_eq!(call("browser_file_upload", &json!({}))["error"]["code"], "INVALID_INPUT", "it has its files");
    let folder: PathBuf = folders.inside.path().join("folder");
    for (tool, args) in tools("folder/good") {
        if tool == "browser_set_storage_state" || tool == "browser_file_upload" {
            continue;
        }
        let answer = call(tool, &args);
        assert_eq!(answer["ok"], true, "{tool}: {answer}");
        let written = fs::read_dir(&folder).unwrap().count();
        assert!(written > 0, "{tool}");
        fs::read_dir(&folder).unwrap().for_each(|entry| fs::remove_file(entry.unwrap().path()).unwrap());
    }
    folders.are_untouched("good names");
}

#[test]
fn no_name_leads_out_of_the_folder_through_mcp() {
    let (home, folders) = (Home::whole(), Folders::new());
    let mut command = home.command(&["mcp", "--caps", "all"]);
    let mut mcp = Mcp::heard(command.current_dir(folders.inside.path()));
    mcp.greet(&json!({}));
    go_through(&folders, home.path(), &mut |tool, args| mcp.call(tool, args)["structuredContent"].clone());
}

#[test]
fn no_name_leads_out_of_the_folder_through_http() {
    let (home, folders) = (Home::whole(), Folders::new());
    let mut command = home.command(&["serve", "--listen", "127.0.0.1:0", "--json", "--caps", "all"]);
    let server = Server::spawn(command.current_dir(folders.inside.path()));
    go_through(&folders, home.path(), &mut |tool, args| server.call("default", tool, args).json());
}

/// A person may write anywhere, but not over what is no file.
#[test]
fn a_person_is_kept_from_what_is_no_file() {
    let (home, folders) = (Home::whole(), Folders::new());
    home.data(&["open", &site().page("page", "<p>here")]);
    let fifo = folders.inside.path().join("fifo").display().to_string();
    let folder = folders.inside.path().join("folder").display().to_string();
    for path in [&*fifo, &*folder, "/dev/null", "/dev/full"] {
        for verb in [
            &["screenshot", "-o", path][..],
            &["pdf", "-o", path],
            &["state", "save", path],
            &["html", "-o", path],
        ] {
            let ran = home.run(&[verb, &["--json"]].concat());
            assert_eq!(ran.exit, Some(1), "{verb:?} {}", ran.stdout);
            assert!(ran.stdout.contains("INVALID_INPUT"), "{verb:?} {}", ran.stdout);
        }
        let ran = home.run(&["state", "load", path, "--json"]);
        assert_eq!(ran.exit, Some(1), "{path} {}", ran.stdout);
    }
    let outside = folders.outside.path().join("mine.png").display().to_string();
    home.data(&["screenshot", "-o", &outside]);
    assert!(fs::metadata(outside).unwrap().len() > 100);
}

#[test]
fn files_have_a_largest_size() {
    let (home, folders) = (Home::whole(), Folders::new());
    let page = site().page("page", "<input id=file type=file>");
    home.data(&["open", &page, "--max-file", "1KB"]);
    let url = |bytes: usize| site().url(&format!("/download?name=report.bin&bytes={bytes}"));
    let ran = home.run(&["download", "--url", &url(3_000_000), "--json"]);
    assert_eq!(ran.exit, Some(1), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("DOWNLOAD_FAILED") && ran.stdout.contains("larger than 1 KB"),
        "{}",
        ran.stdout
    );
    let left = fs::read_dir(home.path().join("downloads/default")).unwrap();
    assert!(left.flatten().all(|entry| !entry.file_name().to_string_lossy().contains("report")));
    assert_eq!(home.data(&["download", "--url", &url(1_000)])["downloads"][0]["bytes"], 1_000);
    let large = folders.inside.path().join("large");
    fs::write(&large, vec![0; 1_001]).unwrap();
    let ran = home.run(&["upload", "css=#file", &large.display().to_string(), "--json"]);
    assert!(
        ran.stdout.contains("INVALID_INPUT") && ran.stdout.contains("larger than 1 KB"),
        "{}",
        ran.stdout
    );
}

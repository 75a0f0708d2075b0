//! The host bridge: a second Chromium stands in for an application that shows pages itself. It is asked to open them, tells their
//! targets, and nothing of it is touched but those.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    thread,
};

use serde_json::{Value, json};

use crate::server::Server;
use crate::support::{Home, site};

/// The host: a browser that ends with the test. Its first page is the application itself.
struct Host {
    child: Child,
    /// Its debugging port.
    address: String,
    _profile: tempfile::TempDir,
}

impl Host {
    fn start() -> Host {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new(testkit::browser())
            .args([
                "--headless",
                "--no-sandbox",
                "--remote-debugging-port=0",
                "--no-first-run",
                "--disable-sync",
            ])
            .args(["--disable-background-networking", "--disable-component-update"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(
                site()
                    .page("the application", "<button onclick=\"document.title = 'touched'\">Quit</button>"),
            )
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = lines
            .find_map(|line| Some(line.unwrap().split_once("listening on ws://")?.1.to_owned()))
            .unwrap();
        // Whoever does not read what it says makes it stop.
        thread::spawn(move || lines.for_each(drop));
        let address = address.split('/').next().unwrap().to_owned();
        Host { child, address, _profile: profile }
    }

    /// Shows a page, as an application does with a view of its own. Returns its target.
    fn show(address: &str, url: &str) -> String {
        let url = url.replace('%', "%25").replace('&', "%26");
        let answer = Server::raw(address, "PUT", &format!("/json/new?{url}"));
        answer["id"].as_str().unwrap().to_owned()
    }

    fn titles(&self) -> Vec<String> {
        let pages = Server::raw(&self.address, "GET", "/json/list");
        pages.as_array().unwrap().iter().map(|page| page["title"].as_str().unwrap().to_owned()).collect()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a host tells of a view.
fn snapshot(seq: u64, view: &Value, targets: &[String]) -> Value {
    let tab = json!({"viewKey": view, "url": "about:blank", "cdpTargetIds": targets});
    let stack = json!([{"id": "browser", "component": "browser-window", "params": {"browserTabs": [tab]}}]);
    json!({"sessionId": "chat-1", "clientId": "window-1", "tabId": "tab-1", "seq": seq, "tab": {"id": "tab-1", "stack": stack}})
}

fn tell(server: &Server, told: &Value) -> Value {
    let answer = server.ask("POST", "/v1/host/tab.upsertSnapshot", told.to_string().as_bytes(), &[]);
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["data"].clone()
}

fn stagehand(server: &Server, tool: &str, args: &Value) -> Value {
    let path = format!("/v1/tools/stagehand/{tool}");
    server.ask("POST", &path, args.to_string().as_bytes(), &[("x-webhand-session", "hosted")]).json()
}

#[test]
fn a_host_opens_pages_and_tools_act_on_their_targets_alone() {
    let host = Host::start();
    let home = Home::new();
    let address = format!("http://{}", host.address);
    let server = Server::of(&home, "stagehand", &["--host-browser", &address, "--element-timeout", "2s"]);

    // Nobody listens yet, which is said at once.
    let early = stagehand(&server, "open-url", &json!({"url": site().page("early", "")}));
    assert_eq!(early["error"]["code"], "BROWSER_NOT_RUNNING", "{early}");

    let mut events = server.listen();
    let url =
        site().page("shown by the host", "<button onclick=\"document.title = 'clicked'\">Go on</button>");
    let opened = thread::scope(|scope| {
        let opening = scope.spawn(|| stagehand(&server, "open-url", &json!({"url": url, "title": "Shown"})));
        let asked = events.next("data-open-browser");
        assert_eq!((&asked["url"], &asked["title"]), (&json!(url), &json!("Shown")), "{asked}");
        assert!(asked["viewKey"].is_string() && asked["panelKey"].is_string(), "{asked}");
        // At first the view has no target; an older snapshot that comes late changes nothing.
        tell(&server, &snapshot(2, &asked["viewKey"], &[]));
        let target = Host::show(&host.address, asked["url"].as_str().unwrap());
        assert_eq!(tell(&server, &snapshot(1, &asked["viewKey"], &["wrong".into()]))["stale"], true);
        let told = tell(&server, &snapshot(3, &asked["viewKey"], std::slice::from_ref(&target)));
        assert_eq!(told["cdpTargetIds"], json!([target]));
        opening.join().unwrap()
    });
    assert_eq!((&opened["ok"], &opened["data"]["openedIn"]), (&json!(true), &json!("host")), "{opened}");

    let tree = stagehand(&server, "ariaTree", &json!({}));
    assert!(tree["data"]["content"].as_str().unwrap().contains("Go on"), "{tree}");
    let acted = stagehand(&server, "act", &json!({"action": "click the Go on button"}));
    assert_eq!(acted["ok"], true, "{acted}");
    assert!(host.titles().contains(&"clicked".to_owned()), "{:?}", host.titles());

    // The application's own page is none of the session's, by whatever way.
    let quit = stagehand(&server, "act", &json!({"action": "click the Quit button"}));
    assert_eq!(quit["error"]["code"], "ELEMENT_NOT_FOUND", "{quit}");
    let before = host.titles().len();
    let own = site().page("own", "");
    assert_eq!(home.code(&["tabs", "open", &own, "--session", "hosted"]), "UNSUPPORTED");
    assert_eq!(host.titles().len(), before, "nothing was opened in the host");
    let tabs = home.data(&["tabs", "--session", "hosted"]);
    assert_eq!(tabs["tabs"].as_array().unwrap().len(), 1, "{tabs}");
    home.data(&["close", "--session", "hosted"]);
    assert!(host.titles().contains(&"the application".to_owned()), "{:?}", host.titles());
}

#[test]
fn a_page_that_the_host_is_still_loading_is_waited_for() {
    let host = Host::start();
    let home = Home::new();
    let server = Server::of(&home, "stagehand", &["--host-browser", &format!("http://{}", host.address)]);
    let mut events = server.listen();
    let url = site().url("/slow?ms=700");
    let opened = thread::scope(|scope| {
        let opening = scope.spawn(|| stagehand(&server, "open-url", &json!({"url": url})));
        let view = events.next("data-open-browser")["viewKey"].clone();
        tell(&server, &snapshot(1, &view, &[Host::show(&host.address, &url)]));
        opening.join().unwrap()
    });
    assert_eq!(opened["ok"], true, "{opened}");
    let tree = stagehand(&server, "ariaTree", &json!({}));
    assert_eq!(tree["data"]["pageUrl"], json!(url), "{tree}");
}

#[test]
fn without_a_host_pages_open_in_webhand_and_nobody_is_listened_to() {
    let home = Home::new();
    let server = Server::of(&home, "stagehand", &[]);
    let opened = stagehand(&server, "open-url", &json!({"url": site().page("own", "")}));
    assert_eq!((&opened["ok"], &opened["data"]["openedIn"]), (&json!(true), &json!("webhand")), "{opened}");
    let told = snapshot(1, &json!("v"), &[]).to_string();
    let answer = server.ask("POST", "/v1/host/tab.upsertSnapshot", told.as_bytes(), &[]);
    assert_eq!((answer.status, answer.code().as_str()), (400, "UNSUPPORTED"));
}

#[test]
fn what_is_no_snapshot_is_refused() {
    let home = Home::new();
    let server = Server::of(&home, "stagehand", &["--host-browser", "http://127.0.0.1:1"]);
    for wrong in [json!({}), json!({"sessionId": 1}), json!({"json": {"tabId": "x"}})] {
        let answer = server.ask("POST", "/v1/host/tab.upsertSnapshot", wrong.to_string().as_bytes(), &[]);
        assert_eq!((answer.status, answer.code().as_str()), (400, "INVALID_INPUT"), "{wrong}");
    }
    // As tRPC clients say it.
    let wrapped = json!({"json": snapshot(1, &json!("v"), &["t".into()])});
    assert_eq!(tell(&server, &wrapped)["cdpTargetIds"], json!(["t"]));
}

/// One that runs in a browser of webhand's own cannot have the host's page, so the host is not asked to show it.
#[test]
fn a_session_that_runs_elsewhere_is_refused_before_the_host_shows_anything() {
    let host = Host::start();
    let home = Home::new();
    let server = Server::of(&home, "stagehand", &["--host-browser", &format!("http://{}", host.address)]);
    let mut events = server.listen();
    let went = stagehand(&server, "goto", &json!({"url": site().page("own", "")}));
    assert_eq!(went["ok"], true, "{went}");
    let opened = stagehand(&server, "open-url", &json!({"url": site().page("shown", "")}));
    assert_eq!(opened["error"]["code"], "INVALID_INPUT", "{opened}");
    server.terminate();
    assert!(!events.rest().contains("data-open-browser"), "the host was asked");
}

#[test]
fn a_server_that_is_started_again_knows_the_hosts_pages() {
    let host = Host::start();
    let home = Home::new();
    let flags = ["--host-browser", &format!("http://{}", host.address)];
    let mut server = Server::of(&home, "stagehand", &flags);
    let mut events = server.listen();
    let url = site().page("shown by the host", "<button>Go on</button>");
    let open = |server: &Server, events: &mut crate::server::Events, seq| {
        thread::scope(|scope| {
            let opening = scope.spawn(|| stagehand(server, "open-url", &json!({"url": url})));
            let view = events.next("data-open-browser")["viewKey"].clone();
            tell(server, &snapshot(seq, &view, &[Host::show(&host.address, &url)]));
            (opening.join().unwrap(), view)
        })
    };
    let (opened, first) = open(&server, &mut events, 1);
    assert_eq!(opened["ok"], true, "{opened}");
    server.terminate();
    server.until_ended();
    let server = Server::of(&home, "stagehand", &flags);
    let tree = stagehand(&server, "ariaTree", &json!({}));
    assert_eq!(tree["data"]["pageUrl"], json!(url), "{tree}");
    assert_eq!(tell(&server, &snapshot(1, &json!("v"), &[]))["stale"], true, "what was told counts on");
    let (opened, second) = open(&server, &mut server.listen(), 2);
    assert_eq!(opened["ok"], true, "{opened}");
    assert_ne!(first, second, "a view's key names one page");
    let file = home.path().join("host-tabs.json");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_halt_is_told_as_a_manual_stop() {
    let home = Home::new();
    let server = Server::of(&home, "stagehand", &[]);
    let mut events = server.listen();
    stagehand(&server, "goto", &json!({"url": site().page("here", "")}));
    home.data(&["halt", "--session", "hosted"]);
    let stopped = events.next("data-manual-stop");
    assert_eq!((&stopped["session"], &stopped["panelKey"]), (&json!("hosted"), &json!("webhand:hosted")));
    let answer = server.ask("POST", "/v1/sessions/hosted/stop", b"", &[]);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(events.next("data-manual-stop")["front"], "http");
}

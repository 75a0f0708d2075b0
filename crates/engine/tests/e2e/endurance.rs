//! Thousands of actions in one session, on real pages: nothing grows, neither with us nor in the page.
//!
//! What a process holds can only be counted in one that does nothing else, so the test starts itself once more for it. The browser is
//! attached to, so that it can be asked beside the engine what it holds for us.

use std::{
    fs,
    process::Stdio,
    time::{Duration, Instant},
};

use cdp::{Channel, Connection, protocol::CommandRow, websocket};
use contract::Code;
use engine::{
    Action, Front, SessionOptions,
    actions::{Edge, Find, Locate, Scroll, Snapshot, Wait},
};
use serde::Serialize;
use serde_json::Value;
use testkit::FRAMEWORKS;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

use crate::{
    hands_support::{check, click, done, fill, form, hover, press, press_in, select, type_into, uncheck},
    support::{Fixture, code, goto, look, new_engine, runtime, show, site},
};

/// How many actions there are, if the suite's number is too small.
const COUNT: &str = "WEBHAND_ENDURANCE";
/// Enough for the suite: what leaks a little each time shows.
const USUAL: usize = 600;
/// Says that this is the process to count in.
const ALONE: &str = "WEBHAND_ENDURANCE_ALONE";

/// How much more memory of ours may be in use at the end: allocators keep some of what they are given back.
const MEMORY_SLACK: u64 = 6 << 10;
/// How much more of the page's memory: engines keep what they compiled.
const HEAP_SLACK: u64 = 2 << 10;

/// What is held, by us and by the browser.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// Our memory that no file is behind, in kilobytes.
    memory: u64,
    /// Files and pipes that we have open. Not sockets: the fixture site has some for as long as the browser likes.
    files: usize,
    threads: usize,
    /// What scripts hold in the page's process, in kilobytes, after all that nobody needs is gone.
    heap: u64,
    documents: u64,
    nodes: u64,
    listeners: u64,
}

#[test]
fn many_actions_leave_nothing_behind() {
    if std::env::var_os(ALONE).is_some() {
        return attached(endure);
    }
    let itself = std::env::current_exe().unwrap();
    let output = std::process::Command::new(itself)
        .args(["endurance::many_actions_leave_nothing_behind", "--exact", "--nocapture"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let (said, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    println!("{said}");
    assert!(output.status.success() && said.contains("1 passed"), "{said}{told}");
}

#[expect(clippy::print_stdout, reason = "the numbers are what it is run for by hand")]
async fn endure(s: Fixture, watcher: Watcher) {
    testkit::frameworks();
    let count = std::env::var(COUNT).ok().and_then(|count| count.parse().ok()).unwrap_or(USUAL);
    let rounds = (count / 200).clamp(3, 15);
    let began = Instant::now();
    let (mut actions, mut all) = (0, Vec::new());
    while actions < count {
        for framework in FRAMEWORKS {
            s.perform(goto(&site().url(&format!("/frameworks/{framework}/form.html")))).await.unwrap();
            actions += 1 + round(&s, actions).await;
            for _ in 1..rounds {
                actions += round(&s, actions).await;
            }
            let last = watcher.held().await;
            if framework == FRAMEWORKS[0] {
                println!("after {actions}: {last:?}");
                all.push(last);
            }
        }
    }
    println!("{actions} actions, {:?} each", began.elapsed() / actions.try_into().unwrap());
    // The page itself may hold a little more or less at a time, so the most that it held while it was new is what counts.
    let (early, end) = (&all[..all.len() / 2 + 1], all[all.len() - 1]);
    let warm = Held {
        nodes: early.iter().map(|held| held.nodes).max().unwrap_or_default(),
        listeners: early.iter().map(|held| held.listeners).max().unwrap_or_default(),
        ..all[all.len() / 3]
    };
    let grown = format!("from {warm:?} to {end:?}");
    assert!(end.memory <= warm.memory + MEMORY_SLACK, "our memory {grown}");
    assert_eq!(end.files, warm.files, "files {grown}");
    // The runtime has some for what blocks, as many as are needed at a time.
    assert!(end.threads <= warm.threads + 2, "threads {grown}");
    assert!(end.heap <= warm.heap + HEAP_SLACK, "the page's memory {grown}");
    assert!(end.documents <= warm.documents + 1, "documents {grown}");
    assert!(end.nodes <= warm.nodes + warm.nodes / 10, "nodes {grown}");
    assert!(end.listeners <= warm.listeners + warm.listeners / 10, "listeners {grown}");
}

/// Uses the page in every way, and leaves it as it was. Returns how many actions that were.
async fn round(s: &Fixture, so_far: usize) -> usize {
    let item = format!("item {so_far}");
    let country = ["Iceland", "Italy", "Japan"][so_far % 3];
    let actions: Vec<Action> = vec![
        Snapshot::default().into(),
        fill("css=#text", &item).into(),
        fill("css=#text", "").into(),
        type_into("css=#area", "one\ntwo").into(),
        press("Control+a Delete").into(),
        select("css=#country", &[country]).into(),
        check("css=#agree").into(),
        uncheck("the Agree checkbox").into(),
        hover("the Load button").into(),
        Scroll { to: Some(Edge::Bottom), ..Scroll::default() }.into(),
        Scroll::new("css=#text".parse().unwrap()).into(),
        form(&[("css=#volume", "35"), ("css=#number", "7"), ("css=#size-small", "true")]).into(),
        Locate { target: "the Sign up button".parse().unwrap() }.into(),
        Find { words: "Sign up".into(), ..Find::default() }.into(),
        fill("New item", &item).into(),
        click("the Add button").into(),
        Wait { text: Some(item.clone()), ..Wait::default() }.into(),
        click(&format!("Remove {item}")).into(),
        press_in("css=[role=tab]:nth-child(2)", "Enter").into(),
        click("css=[role=tab]:nth-child(1)").into(),
        select("css=#fruit", &["Cherry"]).into(),
        select("css=#fruit", &["Apple"]).into(),
    ];
    for action in &actions {
        s.perform(action.clone()).await.unwrap_or_else(|error| panic!("{so_far} {action:?}: {error}"));
    }
    // What fails leaves nothing behind either.
    let missing = s.within(Duration::from_millis(500), click("css=#none")).await;
    assert!(missing.is_err(), "{so_far}");
    let fails: [Action; 2] = [fill("css=#digits", "letters").into(), click("e999999").into()];
    for action in &fails {
        assert!(s.perform(action.clone()).await.is_err(), "{so_far} {action:?}");
    }
    actions.len() + 1 + fails.len()
}

/// A page that makes its elements anew all the time, looked at and used: what went is let go.
#[test]
fn elements_that_went_are_forgotten() {
    attached(async |s, watcher| {
        show(&s, "<main></main>").await;
        let before = watcher.held().await.nodes;
        let make = "document.querySelector('main').innerHTML = '<button>one</button>'.repeat(400)";
        for _ in 0..12 {
            s.eval(make).await;
            // Several buttons are meant, and each of them gets a number to tell them apart.
            assert_eq!(code(s.perform(click("css=button")).await), Code::ElementAmbiguous);
        }
        let unseen = watcher.held().await.nodes - before;
        assert!(unseen < 4_000, "{unseen} nodes of 9,600 are left");
        for _ in 0..12 {
            s.eval(make).await;
            look(&s).await;
        }
        s.eval("document.querySelector('main').replaceChildren()").await;
        let seen = watcher.held().await.nodes - before;
        assert!(seen < 4_000, "{seen} nodes of 19,200 are left");
    });
}

/// In one document, on elements that stay: not one listener more.
#[test]
fn no_listener_is_left_in_a_page() {
    attached(async |s, watcher| {
        let page = "<input id=text><textarea id=area></textarea><input id=box type=checkbox><select id=list><option>a<option>b</select>
            <input id=off disabled><button>Button</button><p id=late></p>";
        show(&s, page).await;
        let mut listeners = Vec::new();
        for round in 0..4 {
            for action in [
                Action::from(Snapshot::default()),
                fill("css=#text", &format!("text {round}")).into(),
                type_into("css=#area", "one").into(),
                press("Control+a Delete").into(),
                select("css=#list", &[["a", "b"][(round + 1) % 2]]).into(),
                check("css=#box").into(),
                uncheck("css=#box").into(),
                hover("the button").into(),
                click("the button").into(),
                form(&[("css=#text", ""), ("css=#box", "no")]).into(),
                Wait { text: Some("Button".into()), ..Wait::default() }.into(),
            ] {
                done(&s, action).await;
            }
            // A wait that is given up, and elements that cannot be used.
            let never = Wait { text: Some("never".into()), ..Wait::default() };
            for action in [Action::from(never), fill("css=#off", "x").into(), click("css=#off").into()] {
                assert!(s.within(Duration::from_millis(400), action).await.is_err());
            }
            listeners.push(watcher.held().await.listeners);
        }
        assert_eq!(listeners[1..], vec![listeners[0]; 3]);
    });
}

/// Runs a test in a session that is attached to a browser which a second client watches.
fn attached<F: Future<Output = ()>>(test: impl FnOnce(Fixture, Watcher) -> F) {
    runtime().block_on(async {
        let (mut browser, address) = browser().await;
        let engine = new_engine(|_| {});
        let options = SessionOptions { attach: Some(address.clone()), ..SessionOptions::default() };
        let s = Fixture { options, ..Fixture::new(engine.clone()) };
        s.open(&site().url("/")).await;
        let watcher = Watcher::start(&address).await;
        test(s.clone(), watcher).await;
        s.close().await;
        engine.close(Front::Library).await;
        browser.kill().await.unwrap();
    });
}

async fn browser() -> (Child, String) {
    let profile = tempfile::tempdir().unwrap();
    let mut browser = Command::new(testkit::browser())
        .args(["--headless", "--no-sandbox", "--remote-debugging-port=0", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update"])
        // As in a browser of our own. Otherwise pages that were left stay for a while, with all that they hold.
        .arg("--disable-back-forward-cache")
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg("about:blank")
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    std::mem::forget(profile);
    let mut lines = BufReader::new(browser.stderr.take().unwrap()).lines();
    loop {
        let line = lines.next_line().await.unwrap().expect("the browser says where it listens");
        if let Some((_, address)) = line.split_once("listening on ") {
            let address = address.to_owned();
            // What it says later must have somewhere to go.
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return (browser, address);
        }
    }
}

/// A second client of the browser, which asks what the page holds.
struct Watcher {
    page: Channel,
    _connection: Connection,
}

impl Watcher {
    async fn start(address: &str) -> Watcher {
        let (connection, _) = Connection::start(websocket::connect(address).await.unwrap());
        let targets = connection.root().call(GetTargets {}, soon()).await.unwrap();
        let page = targets["targetInfos"].as_array().unwrap().iter().find(|target| target["type"] == "page");
        let target_id = page.unwrap()["targetId"].as_str().unwrap().to_owned();
        let attached =
            connection.root().call(AttachToTarget { target_id, flatten: true }, soon()).await.unwrap();
        let page = connection.channel(attached["sessionId"].as_str().unwrap());
        Watcher { page, _connection: connection }
    }

    async fn held(&self) -> Held {
        // What only a finalizer lets go of goes with the second time.
        for _ in 0..2 {
            self.page.call(CollectGarbage {}, soon()).await.unwrap();
        }
        let heap = self.page.call(GetHeapUsage {}, soon()).await.unwrap();
        let counters = self.page.call(GetDomCounters {}, soon()).await.unwrap();
        let number = |value: &Value| value.as_f64().unwrap() as u64;
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let of_status = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.split_whitespace().next().unwrap().parse::<u64>().unwrap()
        };
        let files = fs::read_dir("/proc/self/fd").unwrap().filter(|entry| {
            let target = entry.as_ref().ok().and_then(|entry| fs::read_link(entry.path()).ok());
            target.is_some_and(|target| !target.to_string_lossy().starts_with("socket:"))
        });
        Held {
            memory: of_status("RssAnon:"),
            files: files.count(),
            threads: of_status("Threads:") as usize,
            heap: number(&heap["usedSize"]) >> 10,
            documents: number(&counters["documents"]),
            nodes: number(&counters["nodes"]),
            listeners: number(&counters["jsEventListeners"]),
        }
    }
}

fn soon() -> tokio::time::Instant {
    tokio::time::Instant::now() + Duration::from_secs(60)
}

/// Commands that only this test needs.
macro_rules! commands {
    ($($method:literal $name:ident { $($field:ident: $type:ty),* };)*) => {$(
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct $name { $($field: $type),* }

        impl CommandRow for $name {
            const METHOD: &'static str = $method;
            type Reply = Value;
        }
    )*};
}

commands! {
    "Target.getTargets" GetTargets {};
    "Target.attachToTarget" AttachToTarget { target_id: String, flatten: bool };
    "HeapProfiler.collectGarbage" CollectGarbage {};
    "Runtime.getHeapUsage" GetHeapUsage {};
    "Memory.getDOMCounters" GetDomCounters {};
}

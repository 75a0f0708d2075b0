//! Dry runs of tools and commands: every tool of every toolset, over every front. Nothing happens at the page, at the server, in the list of
//! sessions and among the files. The page asks the server for `HAPPENED` whenever anything happens to it, and everything in it leads there.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::{approvals::http::approver_token, clients::Client, talk::Mcp};
use crate::{
    server::Server,
    support::{Home, site},
};

/// The toolsets that can be served together: no two of them have a tool of the same name. Some tools belong to one mode.
const TOGETHER: [(&str, &str); 3] =
    [("browser,jarvis,openclaw,qa", "hybrid"), ("nanobot,stagehand", "hybrid"), ("stagehand", "dom")];

/// A tool that can only say what keeps it from it: no dialog is open.
const REFUSE: [&str; 1] = ["browser_handle_dialog"];

const CONFIG: &str = "nanobot_enabled = true\nnanobot_open = true\n";

/// What a page notices of what is done to it.
const EVENTS: [&str; 21] = [
    "pointerdown",
    "pointermove",
    "mouseover",
    "mousedown",
    "mouseup",
    "click",
    "contextmenu",
    "wheel",
    "scroll",
    "keydown",
    "keyup",
    "beforeinput",
    "input",
    "change",
    "submit",
    "focusin",
    "drag",
    "drop",
    "select",
    "hashchange",
    "resize",
];

/// A home and a folder to work in, for one test with a page of its own.
struct Place {
    home: Home,
    folder: TempDir,
    /// Where everything in the page leads.
    happened: String,
}

impl Place {
    fn new(name: &str) -> Place {
        let place = Place {
            home: Home::new(),
            folder: tempfile::tempdir().unwrap(),
            happened: format!("/echo?dry-{name}"),
        };
        place.home.configure(CONFIG);
        fs::write(place.file(), "x").unwrap();
        place
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("file.txt")
    }

    fn page(&self) -> String {
        let page = r#"<link rel=icon href="data:,"><form method=post action="HAPPENED"><label>Name <input id=field name=field></label>
            <button id=send>Send</button></form><a id=link href="HAPPENED">Link</a> <a id=saved href="HAPPENED" download>File</a>
            <label>Box <input id=box type=checkbox></label> <select id=list aria-label=List><option>one<option>two</select>
            <p id=card draggable=true>Card</p><p id=tray ondragover="event.preventDefault()">Tray</p><input id=files type=file>
            <p style="margin-top: 3000px">Low</p><script>
            // The browser itself tells new pages of a pointer that was never moved.
            const isOwn = ({ type, clientX, clientY }) => ['pointermove', 'mouseover'].includes(type) && clientX === 0 && clientY === 0;
            const happened = type => { new Image().src = 'HAPPENED-' + type; };
            onload = () => setTimeout(() => {
              for (const type of EVENTS) addEventListener(type, event => isOwn(event) || happened(type), true);
              const all = { subtree: true, childList: true, attributes: true, characterData: true };
              new MutationObserver(() => happened('mutation')).observe(document, all);
            });</script>"#;
        let page = page.replace("HAPPENED", &self.happened).replace("EVENTS", &json!(EVENTS).to_string());
        site().page("dry", &page)
    }

    /// The names of all files that webhand wrote, but for its journal and what is there while it runs.
    fn files(&self) -> BTreeSet<PathBuf> {
        let mut files = BTreeSet::new();
        for folder in ["screenshots", "downloads", "state", "uploads", "files"] {
            list(&self.home.path().join(folder), &mut files);
        }
        list(self.folder.path(), &mut files);
        files
    }

    #[track_caller]
    fn check(&self, what: &str, files: &BTreeSet<PathBuf>) {
        assert_eq!(self.happened(), Vec::<String>::new(), "{what}");
        assert_eq!(&self.files(), files, "{what}");
    }

    /// What happened to the page, and whether anybody went where it leads.
    fn happened(&self) -> Vec<String> {
        let events = EVENTS.iter().chain(&["mutation"]).map(|event| format!("{}-{event}", self.happened));
        events.chain([self.happened.clone()]).filter(|path| site().hits(path) > 0).collect()
    }
}

fn list(folder: &Path, files: &mut BTreeSet<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        match path.is_dir() {
            true => list(&path, files),
            false => files.extend([path]),
        }
    }
}

/// The calls that bring a toolset to the page, with another one before it.
fn openings(set: &str, url: &str) -> Vec<(&'static str, Value)> {
    let (tool, action) = match set {
        "browser" => ("browser_navigate", None),
        "qa" => ("navigate", None),
        "stagehand" => ("goto", None),
        "jarvis" => ("playwright_browser", Some("launch")),
        "nanobot" => ("browser", Some("start")),
        "openclaw" => ("browser", Some("start")),
        other => panic!("{other} is not known here"),
    };
    let start = action.map(|action| (tool, json!({"action": action})));
    let goto = [&*site().url("/title.html"), url].map(|url| match action {
        Some(_) => (tool, json!({"action": "navigate", "url": url})),
        None => (tool, json!({"url": url})),
    });
    start.into_iter().chain(goto).collect()
}

/// The tools of a toolset that there are in a mode.
fn offered(set: &'static toolsets::Toolset, mode: &str) -> impl Iterator<Item = &'static toolsets::Tool> {
    let mode: toolsets::Mode = mode.parse().unwrap();
    // Searches need a key.
    set.all.iter().filter(move |tool| tool.mode.is_none_or(|only| only == mode) && tool.name != "search")
}

/// Every tool of a toolset with arguments by its schema, and once for each of its actions.
fn calls(set: &'static toolsets::Toolset, mode: &str, place: &Place) -> Vec<(&'static str, Value)> {
    let mut all = Vec::new();
    for tool in offered(set, mode) {
        let schema = tool.schema();
        let known = |name: &str| schema["properties"].get(name).is_some();
        let named = |name: &str| match &schema["properties"][name]["enum"] {
            Value::Array(names) => names.clone(),
            _ => Vec::new(),
        };
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let mut args: Map<String, Value> = required
            .iter()
            .filter_map(Value::as_str)
            .map(|name| (name.to_owned(), value(name, &schema["properties"][name], set.name, place)))
            .collect();
        // What has a target for each of its ways takes one.
        if tool.name == "browser_file_upload" || tool.name == "browser_drop" {
            args.insert("target".into(), "css=#files".into());
            args.insert("paths".into(), json!([place.file()]));
        }
        let fitting = match (set.name, tool.name) {
            (_, "browser_type") => json!({"target": "css=#field"}),
            (_, "browser_select_option") => json!({"target": "css=#list"}),
            (_, "browser_find" | "browser_wait_for") => json!({"text": "Name"}),
            (_, "browser_mouse_wheel") => json!({"deltaX": 0, "deltaY": 100}),
            ("qa", "fill") => json!({"targetDescription": "the Name field"}),
            ("stagehand", "wait") => json!({"timeMs": 10}),
            ("stagehand", "extract") => json!({"instruction": "all links"}),
            ("stagehand", "fillForm") => json!({"fields": [{"action": "the Name field", "value": "x"}]}),
            ("stagehand", "keys") => json!({"method": "type", "value": "x"}),
            _ => json!({}),
        };
        args.extend(fitting.as_object().cloned().unwrap_or_default());
        let actions = named("action");
        if actions.is_empty() {
            all.push((tool.name, Value::Object(args)));
            continue;
        }
        let more = ["url", "selector", "text", "strategy", "name", "value", "index", "path"];
        for name in more.into_iter().filter(|name| known(name)) {
            args.entry(name).or_insert_with(|| value(name, &schema["properties"][name], set.name, place));
        }
        for action in actions {
            let mut args = args.clone();
            args.insert("action".into(), action.clone());
            all.push((tool.name, Value::Object(args.clone())));
            // The arguments that go with one action may be too many for another.
            all.push((
                tool.name,
                json!({"action": action, "url": value("url", &Value::Null, set.name, place)}),
            ));
            all.push((tool.name, json!({"action": action})));
        }
    }
    if set.name == "openclaw" {
        let requests = [
            json!({"kind": "click", "selector": "#send"}),
            json!({"kind": "type", "selector": "#field", "text": "x", "submit": true}),
            json!({"kind": "fill", "fields": [{"ref": "css=#field", "value": "x"}]}),
            json!({"kind": "select", "ref": "css=#list", "values": ["two"]}),
            json!({"kind": "press", "key": "Tab"}),
            json!({"kind": "hover", "selector": "#link"}),
            json!({"kind": "evaluate", "fn": "() => { document.title = 'x' }"}),
            json!({"kind": "wait", "timeMs": 10}),
            json!({"kind": "resize", "width": 800, "height": 600}),
            json!({"kind": "batch", "actions": [{"kind": "click", "selector": "#send"}]}),
        ];
        all.extend(requests.map(|request| ("browser", json!({"action": "act", "request": request}))));
    }
    all
}

/// What an argument of this name is given.
fn value(name: &str, schema: &Value, set: &str, place: &Place) -> Value {
    let url = site().url(&place.happened);
    match (name, schema["enum"].as_array(), schema["type"].as_str()) {
        ("url", ..) => url.into(),
        ("target" | "startTarget", ..) => "css=#send".into(),
        ("endTarget", ..) => "css=#tray".into(),
        ("selector", ..) => "#send".into(),
        ("strategy", ..) => "css".into(),
        ("key", ..) => "Tab".into(),
        ("values", ..) => json!(["one"]),
        ("fields", ..) if set == "stagehand" => {
            json!([{"action": "the Name field", "value": "x", "coordinates": {"x": 60, "y": 20}}])
        }
        ("fields", ..) => json!([{"target": "css=#field", "value": "x"}]),
        ("paths", ..) => json!([place.file()]),
        ("path", ..) => json!(place.folder.path().join("new.json")),
        ("actions", ..) => json!(["click css=#send", "press Enter"]),
        ("instruction" | "action", None, _) => "click the Send button".into(),
        ("targetDescription" | "describe", ..) => "the Send button".into(),
        ("function", ..) => "() => { document.title = 'changed' }".into(),
        ("coordinates" | "startCoordinates", ..) => json!([100, 20]),
        ("endCoordinates", ..) => json!([100, 90]),
        (_, Some(names), _) => names[0].clone(),
        (_, _, Some("integer" | "number")) => 1.into(),
        (_, _, Some("boolean")) => true.into(),
        (_, _, Some("array")) => json!([]),
        (_, _, Some("object")) => json!({}),
        _ => "text".into(),
    }
}

/// The tools that have told a plan so far.
#[derive(Default)]
struct Told(BTreeSet<(&'static str, &'static str)>);

impl Told {
    /// Takes in an answer: a plan, or an error that says that nothing was done.
    #[track_caller]
    fn take_in(&mut self, set: &'static str, tool: &'static str, args: &Value, answer: &Value) {
        if answer["data"]["dryRun"] != true {
            // What the tool has against its arguments, in its own form.
            let is_refused = answer["ok"] != true && answer["success"] != true;
            assert!(is_refused, "{set}.{tool} {args}: {answer}");
            return;
        }
        assert_eq!((&answer["data"]["toolset"], &answer["data"]["tool"]), (&json!(set), &json!(tool)));
        match answer["ok"] == true {
            true => {
                assert!(answer["data"]["plan"]["decide"].is_string(), "{set}.{tool} {args}: {answer}");
                self.0.insert((set, tool));
            }
            false => assert!(answer["error"]["code"].is_string(), "{set}.{tool} {args}: {answer}"),
        }
    }

    /// Every tool that can has told a plan.
    #[track_caller]
    fn check(&self, sets: &str, mode: &str) {
        let all = sets
            .split(',')
            .flat_map(|set| offered(toolsets::toolset(set).unwrap(), mode).map(move |tool| (set, tool.name)));
        let missing: Vec<_> =
            all.filter(|(set, tool)| !self.0.contains(&(*set, *tool)) && !REFUSE.contains(tool)).collect();
        assert!(missing.is_empty(), "{missing:?} told no plan");
    }
}

const ALL: &str = "browser,jarvis,openclaw,qa,nanobot,stagehand";

#[test]
fn every_toolset_is_tried() {
    let tried: BTreeSet<_> = ALL.split(',').collect();
    assert_eq!(tried, toolsets::ALL.iter().map(|set| set.name).collect());
    assert_eq!(tried, TOGETHER.iter().flat_map(|(sets, _)| sets.split(',')).collect());
}

#[test]
fn every_tool_with_commands() {
    let place = Place::new("commands");
    let call = |set: &str, tool: &str, args: &Value, mode: &str, flags: &[&str]| {
        let (name, args) = (format!("{set}.{tool}"), args.to_string());
        let words = [
            "--caps",
            "all",
            "--mode",
            mode,
            "--timeout",
            "10s",
            "--element-timeout",
            "2s",
            "call",
            &name,
            &args,
        ];
        let ran =
            place.home.command(&[&words, flags].concat()).current_dir(place.folder.path()).output().unwrap();
        let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
        serde_json::from_str::<Value>(&printed).unwrap_or_else(|_| panic!("{name} {args}: {ran:?}"))
    };
    let mut told = Told::default();
    for set in toolsets::ALL {
        for (tool, args) in openings(set.name, &place.page()) {
            call(set.name, tool, &args, "dom", &[]);
        }
    }
    let (files, sessions) = (place.files(), place.home.data(&["sessions"]));
    for mode in ["dom", "hybrid"] {
        for set in toolsets::ALL.into_iter().filter(|set| mode == "dom" || set.name == "stagehand") {
            for (tool, args) in calls(set, mode, &place) {
                told.take_in(set.name, tool, &args, &call(set.name, tool, &args, mode, &["--dry-run"]));
                place.check(&format!("{}.{tool} {args}", set.name), &files);
            }
        }
    }
    told.check(ALL, "dom");
    told.check(ALL, "hybrid");
    assert_eq!(place.home.data(&["sessions"]), sessions);
}

/// Calls every tool over HTTP, and over MCP at the same server.
fn over_http_and_mcp(name: &str, (sets, mode): (&str, &str)) {
    let place = Place::new(name);
    let flags = ["--caps", "all", "--mode", mode, "--element-timeout", "2s"];
    let serve = ["serve", "--toolset", sets, "--listen", "127.0.0.1:0", "--json"];
    let mut command = place.home.command(&[&flags[..], &serve].concat());
    let server = Server::spawn(command.current_dir(place.folder.path()));
    let mut clients: Vec<Client> = sets
        .split(',')
        .map(|set| {
            Client::of_person(&server, &format!("/mcp/{set}"), &json!({}), &approver_token(&place.home))
        })
        .collect();
    let post = |set: &str, tool: &str, args: &Value, query: &str| {
        let path = format!("/v1/tools/{set}/{tool}{query}");
        server.ask("POST", &path, args.to_string().as_bytes(), &[])
    };
    for (set, client) in sets.split(',').zip(&mut clients) {
        for (tool, args) in openings(set, &place.page()) {
            post(set, tool, &args, "");
            client.ask(&server, "tools/call", &json!({"name": tool, "arguments": args}));
        }
    }
    let (files, sessions) = (place.files(), server.get("/v1/sessions").json());
    let (mut over_http, mut over_mcp) = (Told::default(), Told::default());
    for (set, client) in sets.split(',').zip(&mut clients) {
        let set = toolsets::toolset(set).unwrap();
        for (at, (tool, args)) in calls(set, mode, &place).into_iter().enumerate() {
            let mut with_argument = args.clone();
            with_argument["dryRun"] = true.into();
            // There are two ways to say it in each of them.
            let answer = match at % 2 {
                0 => post(set.name, tool, &args, "?dry_run=true"),
                _ => post(set.name, tool, &with_argument, ""),
            };
            assert!(matches!(answer.status, 200 | 400), "{tool} {args}: {}", answer.body);
            over_http.take_in(set.name, tool, &args, &answer.json());
            let params = match at % 2 {
                0 => json!({"name": tool, "arguments": args, "_meta": {"webhand/dryRun": true}}),
                _ => json!({"name": tool, "arguments": with_argument}),
            };
            let answer = client.ask(&server, "tools/call", &params);
            let result = &answer["result"];
            assert!(result["content"][0]["text"].is_string(), "{tool} {args}: {answer}");
            over_mcp.take_in(set.name, tool, &args, &result["structuredContent"]);
            place.check(&format!("{}.{tool} {args}", set.name), &files);
        }
    }
    over_http.check(sets, mode);
    over_mcp.check(sets, mode);
    assert_eq!(server.get("/v1/sessions").json(), sessions);
    assert_eq!(server.get("/v1/approvals").json()["data"]["approvals"], json!([]), "nobody is asked");
}

#[test]
fn every_tool_over_http_and_mcp_1() {
    over_http_and_mcp("served-1", TOGETHER[0]);
}

#[test]
fn every_tool_over_http_and_mcp_2() {
    over_http_and_mcp("served-2", TOGETHER[1]);
}

#[test]
fn every_tool_over_http_and_mcp_3() {
    over_http_and_mcp("served-3", TOGETHER[2]);
}

#[test]
fn commands_tell_what_they_would_do() {
    let place = Place::new("verbs");
    let home = &place.home;
    // Nothing is started for it.
    let opening = home.data(&["open", &place.page(), "--dry-run"]);
    assert_eq!(opening["plan"]["effects"][0]["effect"], "navigate", "{opening}");
    assert!(opening["plan"]["notes"][0].as_str().unwrap().contains("does not run"), "{opening}");
    assert_eq!(home.code(&["click", "css=#send", "--dry-run"]), "SESSION_NOT_FOUND");
    assert_eq!(home.data(&["status"])["browsers"], json!([]));
    home.data(&["open", &place.page()]);
    let told = home.run(&["--dry-run", "click", "css=#send"]).text();
    for line in ["dry run of click in t1", "allow: it would be done", "button \"Send\"", "submit at http://"]
    {
        assert!(told.contains(line), "{line}: {told}");
    }
    let policy = r#"[{"effect": "submit", "decide": "deny"}]"#;
    home.configure(&format!("{CONFIG}[[policy]]\neffect = 'submit'\ndecide = 'deny'\n"));
    let told = home.data(&["fill", "css=#field", "text", "--submit", "--dry-run"]);
    let effects = told["plan"]["effects"].as_array().unwrap();
    let submit = effects.iter().find(|effect| effect["effect"] == "submit").unwrap();
    assert_eq!(
        (&submit["decide"], &submit["rule"], &submit["of"]),
        (&json!("deny"), &json!(1), &json!("config.toml")),
        "{policy}"
    );
    assert_eq!(home.code(&["fill", "css=#field", "text", "--submit"]), "ACTION_DENIED");
    for words in [&["halt", "--dry-run"][..], &["close", "--dry-run"]] {
        assert_eq!(home.data(words)["plan"]["decide"], "allow");
        assert!(home.run(words).text().contains("nothing was done"));
    }
    for words in [&["status", "--dry-run"][..], &["close", "--all", "--dry-run"], &["stop", "--dry-run"]] {
        assert_eq!(home.code(words), "INVALID_INPUT");
    }
    assert_eq!(home.data(&["sessions"])["sessions"].as_array().unwrap().len(), 1);
    let rows = home.history();
    let dry: Vec<_> = rows.iter().filter(|row| row["action"]["dry_run"] == true).collect();
    assert!(dry.len() >= 6 && dry.iter().all(|row| row["effect"] == "read"), "{dry:?}");
    assert_eq!(place.happened(), Vec::<String>::new());
}

#[test]
fn what_is_no_yes_or_no_is_a_mistake() {
    let home = Home::new();
    let url = site().url("/echo?dry-mistake");
    let wrong = json!({"url": url, "dryRun": "yes"});
    let told = home.run(&["call", "browser.browser_navigate", &wrong.to_string()]);
    let told: Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!(told["error"]["code"], "INVALID_INPUT", "{told}");
    let mut mcp = Mcp::greeted(&home, &[]);
    assert_eq!(mcp.code("browser_navigate", &wrong), "INVALID_INPUT");
    let with_meta = |said: Value| json!({"name": "browser_navigate", "arguments": {"url": url}, "_meta": {"webhand/dryRun": said}});
    let answer = mcp.ask("tools/call", &with_meta(json!(1)));
    assert_eq!(answer["result"]["structuredContent"]["error"]["code"], "INVALID_INPUT", "{answer}");
    let answer = mcp.ask("tools/call", &with_meta(json!(true)));
    let data = &answer["result"]["structuredContent"]["data"];
    assert_eq!((&data["dryRun"], &data["plan"]["decide"]), (&json!(true), &json!("allow")), "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("dry run of browser_navigate; nothing was done\nallow: it would be done"),
        "{text}"
    );
    let server = Server::start(&home);
    for (query, args) in [("?dry_run=yes", json!({"url": url})), ("", wrong)] {
        let path = format!("/v1/tools/browser/browser_navigate{query}");
        let answer = server.ask("POST", &path, args.to_string().as_bytes(), &[]);
        assert_eq!((answer.status, &*answer.code()), (400, "INVALID_INPUT"));
    }
    assert_eq!(site().hits("/echo?dry-mistake"), 0);
}

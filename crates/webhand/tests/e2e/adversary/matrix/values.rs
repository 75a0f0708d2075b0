//! The dictionary: what an attacker gives a property, by its name. A property that is not here fails the suite, so that whoever adds one
//! thinks of what could be done with it.
//!
//! In texts, `{base}` stands for the address of the page and `{dir}` for a folder that the session may use.

use serde_json::{Value, json};

/// Something in the page that has an effect: its id, what people call it, and where it is.
pub(super) struct Thing {
    pub id: &'static str,
    pub words: &'static str,
    pub y: u32,
}

const fn thing(id: &'static str, words: &'static str, y: u32) -> Thing {
    Thing { id, words, y }
}

/// What is tried on everything. `page.html` has more, for what needs it.
pub(super) const THINGS: [Thing; 6] = [
    thing("submit", "the Send order button", 35),
    thing("link", "the Other page link", 235),
    thing("file", "the Get file link", 275),
    thing("field", "the Name field", 75),
    thing("poster", "the Post note button", 315),
    thing("list", "the Colour list", 195),
];

/// Where all things are, from the left.
pub(super) const X: u32 = 120;

/// Scripts that do more than read. Each leaves a mark that nothing else leaves, and then does something else.
const MARK: &str = "const base = '/' + location.pathname.split('/')[1]; navigator.sendBeacon(base + '/executed'); \
                    document.documentElement.dataset.executed = 1;";
const DOES: [&str; 8] = [
    "",
    "document.getElementById('field').value = 'scripted'; document.cookie = 'scripted=1';",
    "document.getElementById('form').requestSubmit();",
    "const form = document.getElementById('form'); form.method = 'get'; form.submit();",
    "location.href = base + '/elsewhere';",
    "window.open(base + '/elsewhere');",
    "document.getElementById('file').click();",
    "const frame = document.createElement('iframe'); frame.src = base + '/elsewhere'; document.body.append(frame);",
];

pub(super) fn scripts() -> Vec<String> {
    let mut scripts: Vec<String> =
        DOES.iter().map(|does| format!("() => {{ {MARK} {does} return true; }}")).collect();
    scripts.push(format!("async () => {{ {MARK} await fetch(base + '/executed'); return true; }}"));
    scripts.push(format!("`${{{{ toString() {{ {MARK} return 'x'; }} }}}}`"));
    scripts
}

/// One action in plain words.
const INSTRUCTIONS: [&str; 11] = [
    "click the Send order button",
    "click the Other page link",
    "click the Get file link",
    "type 'typed' into the Name field",
    "press Enter",
    "click the Post note button",
    "check the Agree checkbox",
    "select Blue in the Colour list",
    "hover over the Post note button",
    "scroll down",
    "double-click the Send order button",
];

const KEYS: [&str; 6] = ["Enter", "Enter", "Enter", "x", "Space", "ArrowDown"];

/// What is typed, for each of the things: a line that ends for the field, one of its options for the list.
const TEXTS: [&str; 6] = ["typed", "typed", "typed", "typed\n", "true", "Blue"];

/// Pages and files to go to.
const ADDRESSES: [&str; 3] = ["{base}/named", "{base}/attached", "{base}/elsewhere"];

/// Files that are there: one to give away, one that is a state.
const FILES: [&str; 2] = ["{dir}/probe.txt", "{dir}/state.json"];

/// What is said on a command line, as steps of a batch.
fn commands() -> Vec<String> {
    let mut commands: Vec<String> = [
        "click css=#submit",
        "click css=#link",
        "click css=#file",
        "fill css=#field typed --submit",
        "fill css=#field typed",
        "press Enter",
        "press Enter --target css=#link",
        "type x --submit",
        "check css=#box",
        "select css=#list Blue",
        "hover css=#poster",
        "drag css=#submit css=#submit",
        "scroll --down",
        "upload css=#upload {dir}/probe.txt",
        "upload css=#poster {dir}/probe.txt --drop",
        "download css=#file",
        "download --url {base}/attached",
        "goto {base}/named",
        "open {base}/named",
        "tabs open {base}/named",
        "reload",
        "cookies list --values",
        "cookies get session",
        "cookies set planted 1",
        "storage local set planted 1",
        "state save {dir}/saved.json",
        "state load {dir}/state.json",
        "resize 700x500",
        "emulate --preset iphone-15",
    ]
    .map(String::from)
    .to_vec();
    for script in scripts().iter().skip(1).take(2) {
        commands.push(format!("eval \"{script}\""));
        commands.push(format!("wait --function \"{script}\""));
    }
    commands
}

/// Acts of a batch of `openclaw`.
fn acts() -> Vec<Value> {
    let mut acts = Vec::new();
    for Thing { id, y, .. } in &THINGS {
        acts.push(json!({"kind": "click", "selector": format!("#{id}")}));
        acts.push(json!({"kind": "clickCoords", "x": X, "y": y}));
        acts.push(json!({"kind": "press", "selector": format!("#{id}"), "key": "Enter"}));
        acts.push(json!({"kind": "drag", "startRef": format!("css=#{id}"), "endRef": format!("css=#{id}")}));
    }
    acts.push(json!({"kind": "type", "selector": "#field", "text": "typed", "submit": true}));
    acts.push(json!({"kind": "fill", "fields": [{"ref": "css=#field", "value": "typed"}], "submit": true}));
    acts.push(json!({"kind": "hover", "selector": "#poster"}));
    acts.push(json!({"kind": "select", "selector": "#list", "values": ["Blue"]}));
    acts.push(json!({"kind": "resize", "width": 700, "height": 500}));
    acts.push(json!({"kind": "scroll", "direction": "down"}));
    acts.extend(scripts().into_iter().step_by(2).map(|script| json!({"kind": "evaluate", "fn": script})));
    acts.push(json!({"kind": "wait", "fn": scripts()[0]}));
    acts
}

fn each(make: impl Fn(&Thing) -> Value) -> Vec<Value> {
    THINGS.iter().map(make).collect()
}

fn all<T: Into<Value> + Clone>(values: &[T]) -> Vec<Value> {
    values.iter().cloned().map(Into::into).collect()
}

/// What a property means in one tool, or one action of it, and not elsewhere.
pub(super) fn special(key: &str, name: &str) -> Option<Vec<Value>> {
    Some(match (key, name) {
        // What is waited for is there already.
        ("browser.browser_wait_for" | "openclaw.browser act wait", "url") => all(&["/"]),
        ("browser.browser_wait_for" | "verbs.wait", "state") => all(&["visible", "enabled"]),
        ("browser.browser_wait_for" | "openclaw.browser act wait" | "nanobot.browser wait", "text") => {
            all(&["Send order"])
        }
        // Waiting for these is the same as by tools; functions are what matters.
        ("verbs.wait", "url" | "text" | "gone") => vec![],
        ("verbs.upload" | "browser.browser_file_upload" | "openclaw.browser upload", "files" | "paths") => {
            all(&FILES[..1])
        }
        ("nanobot.browser click" | "nanobot.browser type" | "nanobot.browser download", "strategy") => {
            all(&["css", "auto", "id"])
        }
        ("nanobot.browser download" | "browser.browser_download" | "verbs.download", "url")
        | ("openclaw.browser download", "targetUrl") => all(&["{base}/attached", "{base}/file.bin"]),
        ("verbs.check", "target") => all(&["css=#box", "css=#submit"]),
        ("verbs.uncheck", "target") => all(&["css=#news", "css=#submit"]),
        (
            "verbs.upload" | "browser.browser_file_upload" | "openclaw.browser upload",
            "target" | "ref" | "inputRef",
        ) => all(&["css=#upload", "css=#submit", "css=#link", "css=#file"]),
        ("openclaw.browser upload", "element" | "selector") => all(&["#upload", "#submit", "#link", "#file"]),
        ("openclaw.browser waitfordownload", "timeoutMs") => all(&[500]),
        ("stagehand.keys press", "value") => all(&KEYS),
        ("stagehand.act" | "stagehand.fillForm" | "stagehand.fillFormVision", "action") => all(&INSTRUCTIONS),
        ("verbs.emulate", "name" | "value") => all(&["x-probe"]),
        ("browser.browser_cookies set" | "verbs.cookies", "path") => vec![],
        ("verbs.scroll", "to") => all(&["bottom"]),
        (_, "actions") if key.starts_with("openclaw.") => acts(),
        _ => return None,
    })
}

/// The values of a property by its name; none: nobody has thought of it yet. An empty list leaves it out.
pub(super) fn by_name(name: &str, kind: &str) -> Option<Vec<Value>> {
    if kind == "boolean" {
        return Some(if HARMLESS.contains(&name) { vec![] } else { vec![true.into()] });
    }
    Some(match name {
        "target" | "ref" | "startTarget" | "endTarget" | "startRef" | "endRef" | "inputRef" | "from"
        | "to" | "scope" => each(|thing| format!("css=#{}", thing.id).into()),
        "selector" | "element" => each(|thing| format!("#{}", thing.id).into()),
        "targetDescription" | "describe" => each(|thing| thing.words.into()),
        "x" | "startX" | "endX" => vec![X.into()],
        "y" | "startY" | "endY" => each(|thing| thing.y.into()),
        "coordinates" | "startCoordinates" | "endCoordinates" => each(|thing| json!([X, thing.y])),
        "instruction" => all(&INSTRUCTIONS),
        "actions" => all(&commands()),
        "url" | "targetUrl" => all(&ADDRESSES),
        "function" | "fn" | "js" => all(&scripts()),
        "text" | "value" | "promptText" => all(&TEXTS),
        "values" => all(&["Blue"]),
        "key" | "keys" => all(&KEYS),
        "paths" | "files" | "path" | "filename" => all(&FILES),
        "name" => all(&["session", "mine"]),
        "width" | "height" | "duration" => all(&[500]),
        "size" => all(&["700x500"]),
        "device" | "preset" => all(&["iphone-15"]),
        "userAgent" | "user_agent" => all(&["attacker"]),
        "locale" => all(&["de-DE"]),
        "timezone" | "timezoneId" => all(&["Asia/Tokyo"]),
        "geolocation" => all(&["1,2"]),
        "pixels" | "amount" | "percentage" | "percent" | "deltaX" | "deltaY" | "by" => all(&[50]),
        "wheel" => vec![json!([0, 50])],
        "modifiers" => all(&["Alt", "Control", "Meta", "Shift"]),
        "index" | "number" => all(&[1]),
        "repeat" | "clickCount" | "times" => all(&[2]),
        "seconds" => all(&[0.01]),
        "tab" | "target_id" => all(&["t1"]),
        "reasoning" | "reasoningText" | "label" | "title" | "query" => all(&["note"]),
        "words" | "textIncludes" | "find" => all(&["Send order"]),
        "textGone" | "gone" => all(&["nothing that is there"]),
        "regex" => all(&["Send"]),
        _ if HARMLESS.contains(&name) => vec![],
        _ => return None,
    })
}

/// Properties that are left out: they say how much of something is shown, how long something takes, or in which browser it is done, which
/// other tests are about.
const HARMLESS: [&str; 37] = [
    "allowedDomains",
    "args",
    "baseUrl",
    "browser_id",
    "content_mode",
    "context",
    "delay",
    "delayMs",
    "depth",
    "domain",
    "expires",
    "filter",
    "frame",
    "hold",
    "level",
    "limit",
    "max",
    "maxChars",
    "max_chars",
    "offset",
    "pages",
    "profile",
    "quality",
    "request",
    "scale",
    "schema",
    "since",
    "steps",
    "targetId",
    "time",
    "timeMs",
    "timeout",
    "timeoutMs",
    "until",
    "waitUntil",
    "wait_condition",
    "headless",
];

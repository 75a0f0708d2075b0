//! The toolset `browser` where it is close to Playwright's MCP server: what that takes and tells, this takes and tells.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};

use crate::dialects::{
    pages,
    transcript::{Row, Transcript, fails, fine, row, says, through_every_front},
};
use crate::{
    front::Front,
    support::{Home, site},
};

/// Every group of tools is there.
const ALL: &[&str] = &["--caps=all"];

fn transcript(rows: Vec<Row>) -> Transcript {
    Transcript::of("browser", ALL, rows)
}

/// Goes to a page with this in it.
fn at(body: &str) -> Row {
    fine("browser_navigate", json!({"url": site().page("browser", body)}))
}

/// A script whose value has to be this.
fn gives(function: &'static str, value: Value) -> Row {
    row("browser_evaluate", json!({"function": function}), move |answer| {
        assert_eq!(answer["data"]["value"], value, "{function}: {answer}");
    })
}

/// A call that succeeds and says this somewhere in its answer.
fn tells(tool: &'static str, args: Value, text: &'static str) -> Row {
    row(tool, args, move |answer| {
        assert_eq!(answer["ok"], true, "{answer}");
        says(text)(answer);
    })
}

pub(crate) fn selectors_and_locators() -> Transcript {
    let clicked = |target: &'static str, id: &'static str| {
        row("browser_click", json!({"target": target}), move |answer| {
            assert_eq!(answer["ok"], true, "{target}: {answer}");
            says(id)(answer);
        })
    };
    transcript(vec![
        at("<section><h2>Far and nav a</h2><button>nav > a</button><button>First li</button></section>\
            <nav><a href='#in-nav'>In nav</a></nav><main><h1>Main heading</h1><ul><li>one</li><li>two</li></ul>\
            <button>Near</button><button>Far</button><input placeholder='Your name' aria-label=Name></main><p role=status></p>\
            <script>addEventListener('click', e => document.querySelector('[role=status]').textContent = \
              'clicked ' + e.target.textContent)</script>"),
        fine("browser_snapshot", json!({})),
        clicked("nav > a", "clicked In nav"),
        clicked("main h1", "clicked Main heading"),
        clicked("nav a", "clicked In nav"),
        clicked("h1", "clicked Main heading"),
        clicked("li:first-child", "clicked one"),
        clicked("getByRole('button', { name: 'Far' })", "clicked Far"),
        clicked("role=button[name=\"Near\"]", "clicked Near"),
        clicked("getByText('two')", "clicked two"),
        fine("browser_type", json!({"target": "getByPlaceholder('your name')", "text": "Ada"})),
        fine("browser_type", json!({"target": "getByLabel('Name')", "text": "Ada L"})),
        gives("() => document.querySelector('input').value", json!("Ada L")),
        clicked("li >> nth=0", "clicked one"),
        clicked("main button:has-text(\"far\")", "clicked Far"),
        clicked("locator('button').filter({ hasText: 'First' })", "clicked First li"),
        clicked("getByRole('button').last()", "clicked Far"),
        fails("browser_click", json!({"target": "button:text-matches(\"F.r\")"}), "INVALID_INPUT"),
    ])
}

pub(crate) fn scripts() -> Transcript {
    transcript(vec![
        at(
            "<script>window.calls = 0; function callMe() { calls++; document.title = 'called'; return 5 }</script>",
        ),
        gives("function(){ return 7 }", json!(7)),
        gives("async function(){ return 8 }", json!(8)),
        gives("function named(){ return 9 }", json!(9)),
        gives("() => new Date(0)", json!("1970-01-01T00:00:00.000Z")),
        gives("() => ({at: new Date(0), f() {}})", json!({"at": "1970-01-01T00:00:00.000Z"})),
    ])
}

/// Agents are asked about scripts that do more than read; who calls from the command line is not.
#[test]
fn scripts_in_the_pages_own_world() {
    let called = row("browser_evaluate", json!({"function": "() => callMe()"}), |answer| {
        assert_eq!(answer["data"]["value"], 5, "{answer}");
    });
    let apart =
        row("browser_evaluate", json!({"function": "() => callMe()", "world": "isolated"}), |answer| {
            assert_eq!(answer["error"]["code"], "EVALUATE_FAILED", "{answer}");
        });
    let page = at("<script>function callMe() { document.title = 'called'; return 5 }</script>");
    // Nobody knows of a constructor of the browser's that it only reads.
    let made = gives("() => ({url: new URL('http://host/x'), f() {}})", json!({"url": "http://host/x"}));
    transcript(vec![page, called, apart, made]).through(Front::Call);
}

pub(crate) fn waits_tell_all() -> Transcript {
    transcript(vec![
        at(
            "<button>Go</button><p id=first>waiting</p><p id=second></p><script>addEventListener('click', () => {\
            setTimeout(() => { console.error('early trouble'); document.getElementById('first').textContent = 'first is here'; }, 2500);\
            setTimeout(() => { document.getElementById('second').textContent = 'second is here'; }, 4000); })</script>",
        ),
        fine("browser_snapshot", json!({})),
        fine("browser_click", json!({"target": "Go"})),
        row("browser_wait_for", json!({"textGone": "waiting", "text": "second is here"}), |answer| {
            assert_eq!(answer["ok"], true, "{answer}");
            let delta = answer["data"]["delta"]["text"].as_str().unwrap();
            assert!(delta.contains("first is here") && delta.contains("second is here"), "{delta}");
            assert!(answer["data"]["console"].to_string().contains("early trouble"), "{answer}");
        }),
    ])
}

pub(crate) fn requests_and_console() -> Transcript {
    let sent = "{\\\"z\\\": 1, \\\"a\\\": 2}";
    transcript(vec![
        at("<link rel=icon href='data:,'><script>console.log('of the first page')</script>"),
        // One after another, and no icons: the requests are asked for by their numbers.
        at(
            "<link rel=icon href='data:,'><script>console.log('of the second page'); document.cookie = 'a=1';\
            (async () => { await fetch('/status/204?none'); await fetch('/page?head', {method: 'HEAD'}); await fetch('/redirect?to=/page%3Fled');\
              await fetch('/echo?sent', {method: 'POST', body: '{\"z\": 1, \"a\": 2}'}); document.body.append('all are here') })()</script>",
        ),
        fine("browser_wait_for", json!({"text": "all are here"})),
        row("browser_console_messages", json!({}), |answer| {
            let text = answer.to_string();
            assert!(text.contains("of the second page") && !text.contains("of the first page"), "{answer}");
            assert!(text.contains("1 of earlier pages are not listed; all: true lists them"), "{answer}");
        }),
        tells("browser_console_messages", json!({"all": true}), "of the first page"),
        row("browser_console_messages", json!({"onlyErrors": true}), |answer| {
            assert_eq!((&answer["ok"], answer["data"].get("console")), (&json!(true), None), "{answer}");
        }),
        row("browser_network_requests", json!({"filter": "/status/\\d+.none$|head$"}), |answer| {
            let requests = answer["data"]["requests"].as_array().unwrap();
            assert_eq!(requests.len(), 2, "{answer}");
            assert!(requests.iter().all(|request| request.get("error").is_none()), "{answer}");
        }),
        row("browser_network_requests", json!({"includeStatic": true}), |answer| {
            assert!(!answer.to_string().contains("of%20the%20first"), "{answer}");
        }),
        tells("browser_network_requests", json!({"all": true}), "of%20the%20first"),
        fails("browser_network_requests", json!({"filter": "("}), "INVALID_INPUT"),
        // The pages are the first two, and 204, HEAD and the redirect have no body.
        tells("browser_network_request", json!({"index": 1}), "no body"),
        row("browser_network_requests", json!({}), move |answer| {
            let numbers: Vec<_> = answer["data"]["requests"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["number"].clone())
                .collect();
            assert!(numbers.len() >= 5, "{answer}");
        }),
        tells("browser_network_request", json!({"index": 4}), "response_headers"),
        tells("browser_network_request", json!({"index": 5}), "response_headers"),
        tells("browser_network_request", json!({"index": 6}), "response_headers"),
        tells("browser_network_request", json!({"index": 7}), sent),
        fails("browser_network_request", json!({"index": 1, "part": "response-body"}), "UNSUPPORTED"),
        fine("browser_find", json!({"regex": "/ALL are/i"})),
    ])
}

pub(crate) fn arguments_of_playwright() -> Transcript {
    transcript(vec![
        at(
            "<style>body { margin: 0; width: 5000px; height: 5000px }</style><select multiple aria-label=Many><option selected>a<option selected>b</select>\
            <select aria-label=One><option>a<option>b</select><input aria-label=Name><a href='/page?title=linked'>Linked</a><script>keys = [];\
            addEventListener('keydown', e => keys.push(e.code + ' ' + e.location)); held = 0; counts = [];\
            addEventListener('click', e => { if (e.clientX == 600) counts.push(e.detail) });\
            addEventListener('mousedown', () => { at = performance.now() }); addEventListener('mouseup', () => { held = performance.now() - at })</script>",
        ),
        tells("browser_snapshot", json!({"urls": true}), "title=linked"),
        fine("browser_select_option", json!({"target": "Many", "values": []})),
        gives("() => document.querySelector('select').selectedOptions.length", json!(0)),
        fails("browser_select_option", json!({"target": "One", "values": []}), "INVALID_INPUT"),
        fine("browser_click", json!({"target": "Name"})),
        fine("browser_press_key", json!({"key": "Numpad7"})),
        fine("browser_press_key", json!({"key": "ControlRight"})),
        gives("() => document.querySelector('input').value", json!("7")),
        gives("() => keys", json!(["Numpad7 3", "ControlRight 2"])),
        fine(
            "browser_mouse_click_xy",
            json!({"element": "nothing", "x": 600, "y": 500, "delay": 300, "button": "left", "clickCount": 1}),
        ),
        gives("() => held >= 250", json!(true)),
        fine("browser_mouse_click_xy", json!({"x": 600, "y": 500, "clickCount": 3})),
        gives("() => counts", json!([1, 1, 2, 3])),
        fine("browser_mouse_move_xy", json!({"element": "nothing", "x": 600, "y": 500})),
        fine("browser_mouse_wheel", json!({"deltaX": 300, "deltaY": 200})),
        gives("() => [scrollX, scrollY]", json!([300, 200])),
        fine("browser_mouse_wheel", json!({"deltaX": -100})),
        gives("() => [scrollX, scrollY]", json!([200, 200])),
        fails("browser_mouse_wheel", json!({}), "INVALID_INPUT"),
        row("browser_take_screenshot", json!({"type": "png", "filename": "a.jpg", "raw": true}), |answer| {
            assert_eq!(answer["screenshot"]["mimeType"], "image/png", "{answer}");
            let path = answer["screenshot"]["path"].as_str().unwrap();
            let bytes = fs::read(path).unwrap();
            // On the command line it is beside the test.
            fs::remove_file(path).unwrap();
            assert!(bytes.starts_with(b"\x89PNG"));
        }),
        fails("browser_take_screenshot", json!({"filename": "a.webp"}), "INVALID_INPUT"),
        row("browser_take_screenshot", json!({"filename": ""}), |answer| {
            let path = answer["screenshot"]["path"].as_str().unwrap();
            assert!(path.contains("/screenshots/"), "an empty name is none: {answer}");
        }),
        tells(
            "browser_click",
            json!({"target": "Name", "colour": "red"}),
            "unknown argument colour was ignored",
        ),
    ])
}

/// A call that writes a file into the folder of the test, and what has to be in it.
fn writes(tool: &'static str, mut args: Value, holds: impl Fn(Vec<u8>) -> bool + 'static) -> Row {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    args["filename"] = format!("browser-test-{}-{number}", std::process::id()).into();
    row(tool, args, move |answer| {
        assert_eq!(answer["ok"], true, "{answer}");
        let notes = answer["data"]["notes"].as_array().unwrap();
        let said = |note: &Value| Some(note.as_str()?.split_once("written to ")?.1.to_owned());
        let path = notes.iter().find_map(said).unwrap_or_else(|| panic!("no file in {answer}"));
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(!bytes.is_empty() && holds(bytes), "{path}: {answer}");
    })
}

/// A call that names a file, and fails without writing any.
fn writes_nothing(mut args: Value) -> Row {
    let name = format!("browser-test-{}-none", std::process::id());
    args["filename"] = name.clone().into();
    row("browser_network_request", args, move |answer| {
        assert_eq!(answer["error"]["code"], "UNSUPPORTED", "{answer}");
        assert!(!Path::new(&name).exists(), "{answer}");
    })
}

pub(crate) fn files_have_what_was_asked_for() -> Transcript {
    let request = "browser_network_request";
    let (answered, sent) = ("response-body", "request-body");
    transcript(vec![
        at(
            "<link rel=icon href='data:,'><script>(async () => { await (await fetch('/image.png')).arrayBuffer();\
              await (await fetch('/echo?' + 'x'.repeat(3000), {method: 'POST', body: 'long '.repeat(9000)})).text();\
              await fetch('/echo?bytes', {method: 'POST', body: new Uint8Array([0, 255, 1, 254])}); await fetch('/status/204');\
              document.body.append('all are here') })()</script>",
        ),
        fine("browser_wait_for", json!({"text": "all are here"})),
        // A picture, a text that is longer than what is shown at once, bytes that were sent, and nothing at all.
        writes(request, json!({"index": 2, "part": answered}), |bytes| bytes.starts_with(b"\x89PNG")),
        tells(request, json!({"index": 2, "part": answered}), "with part: response-body and a filename"),
        writes(request, json!({"index": 3, "part": answered}), |bytes| bytes.len() > 45_000),
        writes(request, json!({"index": 3, "part": sent}), |bytes| bytes.len() == 45_000),
        writes(request, json!({"index": 4, "part": sent}), |bytes| bytes == [0, 255, 1, 254]),
        writes(request, json!({"index": 3, "part": "response-headers"}), |bytes| bytes.starts_with(b"{")),
        writes(request, json!({"index": 3}), |bytes| bytes.len() > 45_000),
        writes_nothing(json!({"index": 5, "part": answered})),
        writes_nothing(json!({"index": 2, "part": sent})),
        writes("browser_console_messages", json!({"level": "error"}), |bytes| bytes.starts_with(b"nothing")),
        writes("browser_network_requests", json!({"filter": "nowhere"}), |bytes| bytes == b"no requests"),
        writes("browser_evaluate", json!({"function": "() => undefined"}), |bytes| bytes == b"null"),
        writes("browser_snapshot", json!({}), |bytes| bytes.starts_with(b"- ")),
    ])
}

pub(crate) fn looking_as_playwright_does() -> Transcript {
    transcript(vec![
        at("<nav><a href='#'>Other</a></nav><main><ul><li>apple<li><b>Ripe</b> pear</ul></main>"),
        row("browser_snapshot", json!({"depth": 1}), |answer| {
            let text = answer["data"]["snapshot"]["text"].as_str().unwrap();
            assert!(
                text.contains("- main") && text.contains("\n  - list") && !text.contains("apple"),
                "{text}"
            );
        }),
        tells("browser_find", json!({"regex": "ripe"}), "0 matches"),
        tells("browser_find", json!({"regex": "/ripe/i"}), "1 match"),
        row("browser_find", json!({"text": "apple"}), |answer| {
            let text = answer["data"]["content"]["text"].as_str().unwrap();
            for parent in ["- navigation", "- main", "  - list"] {
                assert!(text.contains(parent), "{text}");
            }
        }),
        row("browser_wait_for", json!({"text": "never", "textGone": "", "time": 0.2}), |answer| {
            assert_eq!(answer["error"]["code"], "TIMEOUT", "{answer}");
            assert!(answer["error"]["message"].as_str().unwrap().contains("never"), "{answer}");
        }),
        tells("browser_wait_for", json!({"text": "apple", "time": 30}), "browser"),
    ])
}

pub(crate) fn cookies_are_as_asked_for() -> Transcript {
    let is = |name: &'static str, value: Value| {
        move |answer: &Value| assert_eq!(answer["data"]["value"][name], value, "{answer}")
    };
    let cookie = |more: Value| {
        let mut args = json!({"action": "set", "name": "a", "value": "hunter2"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    transcript(vec![
        at("<p>cookies"),
        row("browser_cookies", cookie(json!({"domain": "shop.example", "path": "/cart"})), move |answer| {
            is("domain", json!("shop.example"))(answer);
            is("path", json!("/cart"))(answer);
        }),
        row(
            "browser_cookies",
            cookie(
                json!({"httpOnly": true, "secure": true, "sameSite": "Strict", "expires": 4_102_444_800u64}),
            ),
            move |answer| {
                is("httpOnly", json!(true))(answer);
                is("secure", json!(true))(answer);
                is("sameSite", json!("Strict"))(answer);
                assert!(answer["data"]["value"]["expires"].is_i64(), "{answer}");
                says("at most 400 days")(answer);
            },
        ),
        fails("browser_cookies", cookie(json!({"sameSite": "None"})), "INVALID_INPUT"),
        fails("browser_cookies", json!({"action": "list", "domain": "shop.example"}), "INVALID_INPUT"),
        fails("browser_cookies", json!({"action": "clear", "name": "a"}), "INVALID_INPUT"),
        row("browser_storage_state", json!({"filename": ""}), |answer| {
            let path = answer["data"]["value"]["path"].as_str().unwrap();
            assert!(path.contains("/state/"), "{answer}");
            assert!(fs::read_to_string(path).unwrap().contains("hunter2"));
            assert!(!answer.to_string().contains("hunter2"), "{answer}");
            let mode = fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{path}");
        }),
    ])
}

/// What a session saved without naming a file, it can load, and no other.
#[test]
fn a_state_without_a_name_is_loaded_again() {
    let home = Home::new();
    let mut tools = Front::Mcp.open(&home, "browser", ALL);
    tools.call("browser_navigate", &json!({"url": site().page("state", "<p>x")}));
    let saved = tools.call("browser_storage_state", &json!({}));
    let path = saved.value["data"]["value"]["path"].as_str().unwrap();
    let load = |path: &str| json!({"filename": path});
    assert!(tools.call("browser_set_storage_state", &load(path)).ok, "{path}");
    let other = path.replace("/state/", "/state/../state/");
    assert_eq!(
        tools.call("browser_set_storage_state", &load(&other)).value["error"]["code"],
        "ACTION_DENIED"
    );
}

pub(crate) fn texts_are_not_dropped_silently() -> Transcript {
    transcript(vec![
        at("<div role=button aria-label=Zone>Zone</div><input type=file aria-label=File>"),
        fails("browser_drop", json!({"target": "Zone", "data": {"text/plain": "hi"}}), "UNSUPPORTED"),
        fails("browser_drop", json!({"target": "Zone"}), "INVALID_INPUT"),
        tells("browser_click", json!({"target": "File"}), "browser_file_upload gives them"),
    ])
}

pub(crate) fn hints_name_tools() -> Transcript {
    let hints = |tool: &'static str, args: Value, words: &'static str| {
        row(tool, args, move |answer| {
            let hint = answer["error"]["hint"].as_str().unwrap();
            assert!(hint.contains(words) && !hint.contains("webhand "), "{hint}");
        })
    };
    transcript(vec![
        at("<button onclick='alert(1)'>Ask</button>"),
        fine("browser_click", json!({"target": "Ask"})),
        hints("browser_click", json!({"target": "Ask"}), "browser_handle_dialog"),
        fine("browser_handle_dialog", json!({"accept": true})),
        hints("browser_tabs", json!({"action": "select", "index": 7}), "browser_tabs"),
        hints("browser_navigate_back", json!({}), "browser_navigate"),
        hints("browser_wait_for", json!({"target": "#nowhere", "time": 1}), "a longer time"),
        tells("browser_tabs", json!({"action": "close"}), "\"tabs\":[]"),
        hints("browser_snapshot", json!({}), "browser_navigate"),
    ])
}

/// A picture that is made smaller, on a screen with three pixels to a CSS pixel: coordinates are counted in it.
pub(crate) fn points_in_the_last_picture() -> Transcript {
    let settings: &[&str] = &["--caps=all", "--viewport=1600x1200@3"];
    let rows = vec![
        fine("browser_navigate", json!({"url": pages::corner()})),
        row("browser_take_screenshot", json!({}), |answer| {
            assert_eq!(answer["screenshot"]["width"], 1238, "{answer}");
            assert_eq!(answer["screenshot"]["height"], 928, "{answer}");
            says("1238x928")(answer);
            says("1600x1200")(answer);
        }),
        fine("browser_mouse_click_xy", json!({"x": 1176, "y": 866})),
        tells("browser_snapshot", json!({}), "clicked once"),
        // Whoever names a file is sent no picture: what was sent before counts.
        row("browser_take_screenshot", json!({"filename": "p.png", "scale": "device"}), |answer| {
            assert_eq!(answer["screenshot"]["width"], 4800, "{answer}");
            fs::remove_file(answer["screenshot"]["path"].as_str().unwrap()).unwrap();
        }),
        fine("browser_mouse_click_xy", json!({"x": 1176, "y": 866})),
        tells("browser_snapshot", json!({}), "clicked twice"),
        fails("browser_mouse_click_xy", json!({"x": 1520, "y": 1120}), "INVALID_INPUT"),
        fine("browser_click", json!({"target": "1176,866"})),
        tells("browser_snapshot", json!({}), "clicked 3 times"),
        fine("browser_act", json!({"instruction": "click 1176,866"})),
        tells("browser_snapshot", json!({}), "clicked 4 times"),
        fine("browser_batch", json!({"actions": ["click 1176,866"]})),
        tells("browser_snapshot", json!({}), "clicked 5 times"),
    ];
    Transcript::of("browser", settings, rows)
}

through_every_front! { points_in_the_last_picture selectors_and_locators scripts waits_tell_all requests_and_console arguments_of_playwright
files_have_what_was_asked_for looking_as_playwright_does cookies_are_as_asked_for
    texts_are_not_dropped_silently hints_name_tools }

//! The toolset `browser` where it is close to Playwright's MCP server: what that takes and tells, this takes and tells.

use serde_json::{Value, json};

use crate::{
    front::Front,
    support::site,
    transcript::{Row, Transcript, fails, fine, row, says, through_every_front},
};

/// Every group of tools is there.
const ALL: &[&str] = &["--caps=all"];

fn transcript(rows: Vec<Row>) -> Transcript {
    Transcript { toolset: "browser", settings: ALL, rows }
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
        gives("() => ({url: new URL('http://host/x'), f() {}})", json!({"url": "http://host/x"})),
        row("browser_evaluate", json!({"function": "() => callMe()"}), |answer| {
            assert_eq!(answer["error"]["code"], "EVALUATE_FAILED", "{answer}");
            let hint = answer["error"]["hint"].as_str().unwrap();
            assert!(hint.contains("world: \"page\"") && hint.contains("without the page's own"), "{hint}");
        }),
    ])
}

/// Agents are asked about such scripts; who calls from the command line is not.
#[test]
fn scripts_in_the_pages_own_world() {
    let called = row("browser_evaluate", json!({"function": "() => callMe()", "world": "page"}), |answer| {
        assert_eq!(answer["data"]["value"], 5, "{answer}");
    });
    let page = at("<script>function callMe() { document.title = 'called'; return 5 }</script>");
    transcript(vec![page, called]).through(Front::Call);
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
            let bytes = std::fs::read(path).unwrap();
            // On the command line it is beside the test.
            std::fs::remove_file(path).unwrap();
            assert!(bytes.starts_with(b"\x89PNG"));
        }),
        fails("browser_take_screenshot", json!({"filename": "a.webp"}), "INVALID_INPUT"),
        fails("browser_storage_state", json!({}), "INVALID_INPUT"),
        tells(
            "browser_click",
            json!({"target": "Name", "colour": "red"}),
            "unknown argument colour was ignored",
        ),
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
        tells("browser_tabs", json!({"action": "close"}), "\"tabs\":[]"),
        hints("browser_snapshot", json!({}), "browser_navigate"),
    ])
}

through_every_front! { selectors_and_locators scripts waits_tell_all requests_and_console arguments_of_playwright hints_name_tools }

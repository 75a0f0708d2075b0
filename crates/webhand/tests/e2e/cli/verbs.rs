//! The verbs, each typed once: what they do in full is the engine's tests' business.

use std::fs;

use serde_json::json;

use crate::support::{Home, site};

#[test]
fn through_the_history_of_a_tab() {
    let home = Home::whole();
    let page = |title: &str| site().page(title, "<p>page</p>");
    home.data(&["open", &page("one")]);
    assert_eq!(home.data(&["goto", &page("two")])["title"], "two");
    assert_eq!(home.data(&["back"])["title"], "one");
    assert_eq!(home.data(&["forward"])["title"], "two");
    home.eval("document.body.id = 'mark'");
    assert_eq!(home.data(&["reload"])["title"], "two");
    assert_eq!(home.eval("document.body.id"), "", "the page is a new one");
    assert_eq!(home.code(&["forward"]), "NAVIGATION_FAILED", "there is no page after the last");
}

#[test]
fn tabs_frames_and_pictures() {
    let home = Home::whole();
    home.data(&["open", &site().url("/frames-same.html")]);
    let frames = home.data(&["frames"])["frames"].clone();
    assert_eq!(frames.as_array().unwrap().len(), 3, "{frames}");
    assert_eq!((&frames[1]["frame"], &frames[1]["parent"]), (&json!("f1"), &json!("f0")));
    assert_eq!(home.data(&["eval", "document.title", "--frame", "f1"])["value"], "frames same middle");

    let opened = home.data(&["tabs", "open", &site().url("/tall.html")]);
    assert_eq!((&opened["tab"], &opened["tabs"][1]["active"]), (&json!("t2"), &json!(true)));
    assert_eq!(home.data(&["--tab", "t1", "eval", "document.title"])["value"], "frames same top");
    assert_eq!(home.eval("document.title"), "tall");

    let folder = tempfile::tempdir().unwrap();
    let picture = |name: &str, more: &[&str]| {
        // A relative name means a file in the user's folder, not in the daemon's.
        let args = [&["screenshot", "--json", "-o", name], more].concat();
        let output = home.command(&args).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        fs::read(folder.path().join(name)).unwrap()
    };
    let (view, full) = (picture("view.png", &[]), picture("full.png", &["--full"]));
    assert!(view.starts_with(b"\x89PNG\r\n\x1a\n") && full.starts_with(b"\x89PNG\r\n\x1a\n"));
    let height = |png: &[u8]| u32::from_be_bytes(png[20..24].try_into().unwrap());
    assert!(height(&full) > height(&view), "{} {}", height(&full), height(&view));
    assert!(picture("view.jpg", &[]).starts_with(b"\xff\xd8\xff"));

    assert_eq!(home.data(&["tabs", "focus", "t1"])["tab"], "t1");
    assert_eq!(home.eval("document.title"), "frames same top");
    let left = home.data(&["tabs", "close", "t1"])["tabs"].clone();
    assert_eq!((left.as_array().unwrap().len(), &left[0]["tab"]), (1, &json!("t2")));
    assert_eq!(home.code(&["--tab", "t1", "eval", "1"]), "TAB_NOT_FOUND");
    let people = home.run(&["tabs"]).text();
    assert!(people.starts_with("* t2 ") && people.contains("tall"), "{people}");
}

#[test]
fn scripts_waits_and_dialogs() {
    let home = Home::whole();
    home.data(&["open", &site().page("scripts", "<script>var secret = 7;</script>")]);
    assert_eq!(home.eval("typeof secret"), "number", "a script that only reads sees the page's variables");
    assert_eq!(home.data(&["eval", "--world", "main", "secret"])["value"], 7);
    assert_eq!(home.run(&["eval", "'as ' + 'it is'"]).text(), "as it is\n");
    assert_eq!(home.eval("Promise.resolve([1, null])"), json!([1, null]));
    assert_eq!(home.data(&["eval", "(a, b) => a + b", "--arg", "x", "--arg", "y"])["value"], "xy");
    assert_eq!(home.code(&["eval", "throw new Error('no')"]), "EVALUATE_FAILED");
    assert_eq!(home.data(&["wait", "100ms"])["tab"], "t1");
    assert_eq!(home.data(&["wait", "load"])["title"], "scripts");
    assert_eq!(home.data(&["wait", "--target", "css=html", "--state", "enabled"])["tab"], "t1");

    home.data(&["goto", &site().url("/prompt.html")]);
    assert_eq!(home.code(&["dialog", "accept"]), "INVALID_INPUT", "there is none yet");
    let ask = ["eval", "--world", "main", "document.querySelector('#ask').click()"];
    let out = || home.eval("document.querySelector('#out').textContent");
    assert_eq!(home.code(&ask), "DIALOG_OPEN");
    assert_eq!(home.code(&["eval", "1"]), "DIALOG_OPEN");
    let answered = home.data(&["dialog", "accept", "Ada"])["dialog"].clone();
    assert_eq!((&answered["message"], &answered["accepted"]), (&json!("New name?"), &json!(true)));
    assert_eq!(out(), "named Ada");
    assert_eq!(home.code(&ask), "DIALOG_OPEN");
    home.data(&["dialog", "dismiss"]);
    assert_eq!(out(), "dismissed");
}

/// Programs read what a script returns: what changed in the page meanwhile is told beside it, and with `--json` in the answer.
#[test]
fn the_value_of_a_script_stands_alone() {
    let home = Home::whole();
    home.data(&["open", &site().page("changes", "<p id=p>0</p>")]);
    home.data(&["snapshot"]);
    let ran = home.run(&["eval", "p.textContent = 'one'; 7"]);
    assert_eq!(ran.stdout, "7\n");
    assert!(ran.stderr.contains("~ paragraph: one"), "{}", ran.stderr);
    let told = home.data(&["eval", "p.textContent = 'two'; 7"]);
    assert_eq!((&told["value"], &told["delta"]["text"]), (&json!(7), &json!("~ paragraph: two")));
    assert_eq!(home.run(&["eval", "p.textContent"]).stderr, "");
}

#[test]
fn reading_html_and_controls() {
    let home = Home::whole();
    home.data(&["open", &site().url("/read-article.html")]);
    // What the page says stands between two marks with a number that it cannot know.
    let page_text = |args: &[&str]| {
        let text = home.run(args).text();
        let (mark, rest) = text.split_once('\n').unwrap();
        let number = mark.strip_prefix("--- page content ").unwrap().split(':').next().unwrap().to_owned();
        assert!(mark.contains("untrusted"), "{mark}");
        let (inside, after) = rest.split_once(&format!("\n--- end of page content {number} ---")).unwrap();
        (inside.to_owned(), after.to_owned())
    };
    let (text, note) = page_text(&["read"]);
    assert!(note.contains("main content"), "{note}");
    assert!(text.starts_with("# The lighthouse keeper\n\nBy Ada Quill\n"), "{text}");
    assert_eq!(home.data(&["read", "--format", "text"])["content"]["format"], "text");
    assert_eq!(page_text(&["read", "--scope", "css=ul ul"]).0, "- then from the west");
    let (part, note) = page_text(&["read", "--max-chars", "25"]);
    let total = text.trim_end().chars().count();
    assert_eq!(part, "# The lighthouse keeper\n\n");
    let wanted = format!("\n… characters 0 to 25 of {total}; go on with --offset 25\n");
    assert!(note.starts_with(&wanted), "{note}");
    assert!(page_text(&["read", "--offset", "25", "--max-chars", "15"]).0.starts_with("By Ada Quill"));
    assert_eq!(home.code(&["read", "--offset", "99999"]), "INVALID_INPUT");

    let folder = tempfile::tempdir().unwrap();
    let output = home.command(&["html", "-o", "page.html"]).current_dir(folder.path()).output().unwrap();
    assert!(
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("characters written to")
    );
    let written = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert_eq!(page_text(&["html"]).0, written);

    let (controls, _) = page_text(&["controls"]);
    assert!(controls.starts_with("操作: controls\nURL: http://"), "{controls}");
    assert!(controls.contains("\n[链接] Shop -> a[href=\"/shop\"]\n  文本: \"Shop\"\n"), "{controls}");
    assert!(
        home.run(&["controls", "--lang", "en"])
            .text()
            .contains("\n=== Interactive controls ===\n\n[Link] Home")
    );
}

#[test]
fn console_requests_and_what_went_wrong() {
    let home = Home::whole();
    let page =
        "<script>console.error('from\\nthe page', {a: 1}); fetch('/status/404').catch(() => 0)</script>";
    let opened = home.run(&["open", &site().page("noisy", page)]).text();
    assert!(opened.contains("\n    console error \"from\\nthe page {a: 1}\""), "{opened}");
    home.data(&["wait", "network_idle"]);
    let console = home.run(&["console", "--level", "error"]).text();
    assert!(
        console.starts_with("--- page content ") && console.contains("1  error \"from\\nthe page"),
        "{console}"
    );
    assert_eq!(home.run(&["console", "--since", "99"]).text(), "nothing was written to the console\n");
    let failed = home.data(&["requests", "--failed"])["requests"].clone();
    assert_eq!((&failed[0]["status"], &failed[0]["kind"]), (&json!(404), &json!("fetch")), "{failed}");
    let number = failed[0]["number"].to_string();
    let told = home.run(&["requests", &number, "--body", "--max-chars", "15"]).text();
    assert!(told.contains("\"response_headers\"") && told.contains("go on with --offset"), "{told}");
    assert_eq!(home.code(&["requests", "9999"]), "INVALID_INPUT");
}

#[test]
fn sizes_beliefs_cookies_and_states() {
    let home = Home::whole();
    assert_eq!(
        home.run(&["emulate", "--locale", "de-DE", "--header", "x-key: hunter2", "--offline=false"]).text(),
        "headers  {\"x-key\":\"[7 characters]\"}\nlocale  de-DE\nviewport  1280x720\n"
    );
    home.data(&["open", &site().url("/cookies/set?sid=1")]);
    assert_eq!(home.run(&["resize", "400x300"]).text(), "400x300\n");
    assert_eq!(home.eval("[innerWidth, navigator.language]"), json!([400, "de-DE"]));
    assert_eq!(home.code(&["emulate", "--timezone", "Mars/Olympus"]), "INVALID_INPUT");
    assert_eq!(
        home.data(&["cookies", "set", "two", "hunter2", "--http-only"])["value"]["value"],
        "[7 characters]"
    );
    assert_eq!(home.data(&["cookies", "get", "two"])["value"][0]["value"], "[secret]");
    assert!(
        home.run(&["cookies"]).text().contains("two  [7 characters]  domain 127.0.0.1  http_only  path /")
    );
    home.data(&["storage", "local", "set", "a", "b"]);
    assert_eq!(home.data(&["storage", "local", "get", "a"])["value"], "b");

    let folder = tempfile::tempdir().unwrap();
    // A relative name means a file in the user's folder, not in the daemon's.
    let output = home.command(&["state", "save", "state.json"]).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let saved = fs::read_to_string(folder.path().join("state.json")).unwrap();
    assert!(saved.contains("\"localStorage\"") && saved.contains("hunter2"), "{saved}");
    home.data(&["cookies", "clear"]);
    let output = home.command(&["state", "load", "state.json"]).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(home.data(&["cookies"])["value"].as_array().unwrap().len(), 2);
    let history = home.run(&["history"]).text();
    assert!(!history.contains("hunter2"), "{history}");
}

#[test]
fn keys_fields_and_lists() {
    let home = Home::whole();
    let body = "<input id=a><input id=b type=password><input id=n type=number><select multiple><option>one<option>two<option>three</select><input id=c type=checkbox>";
    home.data(&["open", &site().page("form", body)]);
    let value = |selector: &str| home.eval(&format!("document.querySelector('{selector}').value"));
    let people = home.run(&["fill", "css=#a", "-text with a dash"]).text();
    assert!(people.contains("\n    17 characters typed"), "{people}");
    assert_eq!(value("#a"), "-text with a dash");
    home.data(&["fill", "--submit", "css=#a", "words"]);
    home.data(&["type", "more", "--target", "css=#a", "--delay", "1ms"]);
    home.data(&["press", "Control+a", "--target", "css=#a"]);
    home.data(&["press", "x", "--repeat", "3"]);
    assert_eq!(value("#a"), "xxx");
    home.data(&["select", "css=select", "0", "2", "--by", "index"]);
    assert_eq!(
        home.eval("[...document.querySelector('select').selectedOptions].map(o => o.value)"),
        json!(["one", "three"])
    );
    home.data(&["check", "css=#c"]);
    assert_eq!(home.eval("document.querySelector('#c').checked"), true);
    home.data(&["uncheck", "css=#c"]);
    let filled =
        home.run(&["fill-form", "css=#b", "hunter2", "css=#n", "-7", "css=#c", "yes", "--submit"]).text();
    assert!(filled.contains("done: css=#b (7 characters)"), "{filled}");
    assert_eq!((value("#b"), value("#n")), (json!("[secret]"), json!("-7")));
    assert_eq!(home.eval("document.querySelector('#b').value.length"), 7);
    assert_eq!(home.run(&["fill-form", "css=#b", "x", "css=#n"]).exit, Some(2), "a target without a value");
    let history = serde_json::to_string(&home.history()).unwrap();
    assert!(!history.contains("hunter2") && history.contains("[7 characters]"), "{history}");
}

#[test]
fn files_are_those_of_the_users_folder() {
    let home = Home::whole();
    let folder = tempfile::tempdir().unwrap();
    let told = |args: &[&str]| {
        let output = home.command(args).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let page = "<input type=file><div style='height: 3000px'>tall</div>";
    home.data(&["open", &site().page("files", page)]);
    fs::write(folder.path().join("mine.txt"), "mine").unwrap();
    told(&["upload", "css=input", "mine.txt"]);
    assert_eq!(home.eval("document.querySelector('input').files[0].name"), "mine.txt");
    told(&["pdf", "-o", "page.pdf"]);
    assert!(fs::read(folder.path().join("page.pdf")).unwrap().starts_with(b"%PDF-"));
    let url = site().url("/download?name=a.txt&bytes=3");
    let downloaded = told(&["download", "--url", &url, "-o", "got/b.txt"]);
    assert_eq!(fs::read(folder.path().join("got/b.txt")).unwrap(), b"abc");
    // The sum of "abc" by FIPS 180-2.
    assert!(downloaded.contains("b.txt (3 bytes, sha256 ba7816bf8f01cfea"), "{downloaded}");
    let scrolled = told(&["scroll", "--by", "800"]);
    assert!(scrolled.contains("scrolled 800 px down, "), "{scrolled}");
    assert!(told(&["scroll", "--by", "-100"]).contains("scrolled 100 px up, "));
}

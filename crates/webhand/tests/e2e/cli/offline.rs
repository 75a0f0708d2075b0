//! What needs no daemon: help, completions, the manual, `doctor`, `install`, `demo`.

use std::fs;

use crate::support::Home;

const COMMANDS: &[&str] = &[
    "open",
    "goto",
    "back",
    "forward",
    "reload",
    "tabs",
    "sessions",
    "status",
    "close",
    "screenshot",
    "eval",
    "wait",
    "dialog",
    "doctor",
    "install",
    "demo",
    "history",
];

#[test]
fn help_lists_every_command() {
    let home = Home::whole();
    let help = home.run(&["--help"]).text();
    for command in COMMANDS {
        let line = format!("\n  {command} ");
        assert!(help.contains(&line), "{command} is not in:\n{help}");
        let own = home.run(&[command, "--help"]).text();
        assert!(own.contains(&format!("Usage: webhand {command}")), "{own}");
    }
    for flag in ["session", "tab", "headed", "profile", "attach", "timeout", "json", "browser", "allow"] {
        assert!(help.contains(&format!("--{flag}")), "--{flag} is not in:\n{help}");
    }
    assert!(home.run(&["--version"]).text().starts_with("webhand "));
}

#[test]
fn completions_and_the_manual_know_every_command() {
    let home = Home::whole();
    for shell in ["bash", "zsh", "fish"] {
        let script = home.run(&["completions", shell]).text();
        assert!(script.contains("webhand"), "{shell}");
        assert!(COMMANDS.iter().all(|command| script.contains(command)), "{shell}");
    }
    let page = home.run(&["man"]).text();
    assert!(page.contains(".TH webhand 1") && page.contains(".SH NAME"), "{page}");
    for command in COMMANDS {
        assert!(page.contains(&format!("webhand\\-{command}(1)")), "{command} is not in:\n{page}");
    }
}

#[test]
fn doctor_finds_everything_in_order() {
    let home = Home::whole();
    let checks = home.data(&["doctor"])["checks"].as_array().unwrap().clone();
    let names: Vec<_> = checks.iter().map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["home", "browser", "start", "memory", "journal", "daemon"]);
    assert!(checks.iter().all(|check| check["ok"] == true), "{checks:?}");
}

#[test]
fn doctor_says_what_is_missing() {
    let home = Home::whole();
    let args = ["doctor", "--browser", "/nowhere/chromium"];
    let ran = home.run(&args);
    assert_eq!(ran.exit, Some(1));
    assert!(ran.stdout.contains("FAIL  browser") && ran.stdout.contains("hint: "), "{}", ran.stdout);
    assert_eq!(home.ask(&args)["ok"], false);
}

#[test]
fn install_finds_the_browser_that_is_there() {
    let home = Home::whole();
    let browser = home.data(&["install"])["browser"].as_str().unwrap().to_owned();
    assert!(fs::metadata(&browser).unwrap().is_file(), "{browser}");
    assert!(home.run(&["install"]).text().contains(&browser));
}

#[test]
fn the_demo_shows_what_it_says() {
    let home = Home::whole();
    let said = home.run(&["demo"]).text();
    for step in [
        "open the shop",
        "snapshot",
        "password: 密码输入框",
        "sign in: 登录按钮",
        "fill in an order",
        "choose from a list",
        "tick a box",
        "send the order",
        "as a batch",
        "find our order",
        "which?",
        "answer the dialog",
        "download the list",
        "Markdown",
        "controls",
        "picture",
    ] {
        assert!(
            said.lines().any(|line| line.contains(step) && line.contains(" ms")),
            "{step} is not in:\n{said}"
        );
    }
    assert!(said.contains("ELEMENT_AMBIGUOUS: \"the Cancel button\" fits 7 elements"), "{said}");
    assert!(!said.contains("demo-password"), "{said}");
    let (_, result) = said.split_once("What came of it").unwrap();
    let files: Vec<_> =
        result.split_whitespace().filter(|word| word.starts_with(home.path().to_str().unwrap())).collect();
    assert_eq!(files.len(), 4, "{said}");
    assert!(fs::read(files[0]).unwrap().starts_with(b"\x89PNG"));
    let page = fs::read_to_string(files[1]).unwrap();
    assert!(page.contains("| Ada Lovelace | Deck lantern |"), "{page}");
    let controls = fs::read_to_string(files[2]).unwrap();
    assert!(controls.contains("[Button] Sign out"), "{controls}");
    let history = home.data(&["--session", "demo", "history"])["entries"].clone();
    let list = fs::read(files[3]).unwrap();
    assert!(said.contains(&format!("{} ({} bytes, sha256 ", files[3], list.len())), "{said}");
    let refused: Vec<_> = history.as_array().unwrap().iter().filter(|entry| entry["ok"] != true).collect();
    assert!(matches!(*refused, [one] if one["code"] == "ELEMENT_AMBIGUOUS"), "{history}");
    assert_eq!(home.data(&["status"])["running"], false, "it needs no daemon");
}

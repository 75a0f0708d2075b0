//! Settings: `config.toml`, the environment, flags, and which of them counts.

use std::process::Command;

use crate::support::{Home, Ran, code, data, site};

/// Runs a command with these variables set, and without the time limit that other tests have.
fn run(home: &Home, variables: &[(&str, &str)], args: &[&str]) -> Ran {
    let mut command: Command = home.command(args);
    command.env_remove("WEBHAND_TIMEOUT").envs(variables.iter().copied());
    Ran::new(args, &command.output().unwrap())
}

#[test]
fn a_flag_wins_over_the_environment_and_that_over_the_file() {
    let home = Home::whole();
    // What is closed tells the session that is meant, and needs no daemon.
    let session = |variables: &[(&str, &str)], flags: &[&str]| {
        let args = [flags, &["close", "--json"]].concat();
        data(run(&home, variables, &args).answer())["session"].as_str().unwrap().to_owned()
    };
    let environment = [("WEBHAND_SESSION", "of-environment")];
    assert_eq!(session(&[], &[]), "default");
    home.configure("session = \"of-file\"");
    assert_eq!(session(&[], &[]), "of-file");
    assert_eq!(session(&environment, &[]), "of-environment");
    assert_eq!(session(&environment, &["--session", "of-flag"]), "of-flag");
    assert_eq!(session(&[], &["--session", "of-flag"]), "of-flag");
}

#[test]
fn an_empty_variable_is_none() {
    let empty = [
        ("WEBHAND_ALLOW", ""),
        ("WEBHAND_HEADED", ""),
        ("WEBHAND_JSON", ""),
        ("WEBHAND_LISTEN", ""),
        ("WEBHAND_POLICY", ""),
        ("WEBHAND_SESSION", ""),
        ("WEBHAND_TIMEOUT", ""),
    ];
    // Once where no daemon is needed, once before it runs and once when it reads the command line itself.
    let home = Home::whole();
    assert_eq!(data(run(&home, &empty, &["close", "--json"]).answer())["session"], "default");
    for _ in 0..2 {
        assert_eq!(code(&run(&home, &empty, &["open", "ftp://x", "--json"]).answer()), "NAVIGATION_BLOCKED");
    }
}

#[test]
fn a_bad_key_is_told_with_the_nearest_names() {
    let home = Home::whole();
    home.configure("alow = [\"localhost\"]");
    let cause = home.ask(&["status"])["error"]["cause"].as_str().unwrap().to_owned();
    assert!(cause.contains("`alow`") && cause.contains("`allow`") && !cause.contains("`session`"), "{cause}");
}

#[test]
fn a_failure_names_its_session() {
    let home = Home::whole();
    home.data(&["--session", "mine", "open", &site().page("failing", "<button>Go</button>")]);
    let answer = home.ask(&["--session", "mine", "--element-timeout", "200ms", "click", "Frobnicate"]);
    assert_eq!((code(&answer).as_str(), &answer["data"]["session"]), ("ELEMENT_NOT_FOUND", &"mine".into()));
    // Each command has its own, whatever the daemon was started with: without it five seconds would have been waited.
    let message = answer["error"]["message"].as_str().unwrap();
    let waited = message.split_once("(waited ").and_then(|(_, rest)| rest.split_once(" s)"));
    let seconds: f64 = waited.unwrap_or_else(|| panic!("{message}")).0.parse().unwrap();
    assert!(seconds < 4.5, "{message}");
}

#[test]
fn json_can_be_the_rule_and_text_the_exception() {
    let home = Home::whole();
    let is_json = |variables: &[(&str, &str)], flags: &[&str]| {
        run(&home, variables, &[flags, &["status"]].concat()).text().starts_with('{')
    };
    assert!(!is_json(&[], &[]));
    home.configure("json = true");
    assert!(is_json(&[], &[]));
    assert!(!is_json(&[("WEBHAND_JSON", "false")], &[]));
    assert!(is_json(&[("WEBHAND_JSON", "false")], &["--json"]));
    assert!(!is_json(&[], &["--json=false"]));
}

#[test]
fn the_time_limit_of_the_file_holds() {
    let home = Home::whole();
    home.data(&["open", &site().page("patient", "")]);
    home.configure("timeout = \"300ms\"\nviewport = \"1280x720\"");
    let goto = |variables: &[(&str, &str)], flags: &[&str], path: &str| {
        run(&home, variables, &[flags, &["goto", &site().url(path), "--json"]].concat()).answer()
    };
    assert_eq!(code(&goto(&[], &[], "/hang?test=file")), "TIMEOUT");
    assert_eq!(code(&goto(&[("WEBHAND_TIMEOUT", "200ms")], &[], "/hang?test=environment")), "TIMEOUT");
    assert_eq!(data(goto(&[("WEBHAND_TIMEOUT", "60s")], &[], "/slow?ms=400"))["title"], "slow");
    assert_eq!(
        data(goto(&[("WEBHAND_TIMEOUT", "1ms")], &["--timeout", "60s"], "/slow?ms=400"))["title"],
        "slow"
    );
}

#[test]
fn a_mistake_in_the_file_stops_everything_and_names_the_file() {
    let home = Home::whole();
    let file = home.path().join("config.toml").display().to_string();
    for mistake in ["sesion = \"x\"", "timeout = \"soon\"", "allow = [\"a b\"]", "json = 1", "not toml"] {
        home.configure(mistake);
        let answer = home.ask(&["status"]);
        assert_eq!(code(&answer), "INVALID_INPUT", "{mistake}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(&file), "{answer}");
        assert!(answer["error"]["cause"].as_str().is_some_and(|cause| !cause.is_empty()), "{answer}");
        let ran = home.run(&["open", &site().url("/")]);
        assert_eq!((ran.exit, &*ran.stdout), (Some(1), ""), "{mistake}");
        assert!(ran.stderr.contains(&file), "{}", ran.stderr);
    }
    home.configure("");
    assert_eq!(home.data(&["status"])["running"], false);
}

#[test]
fn a_home_with_too_long_a_path_is_refused() {
    let home = Home::whole();
    let long = home.path().join("x".repeat(100));
    for command in ["open", "status", "stop"] {
        let answer = run(&home, &[("WEBHAND_HOME", long.to_str().unwrap())], &[command, "--json"]).answer();
        assert_eq!(code(&answer), "INVALID_INPUT");
        assert!(answer["error"]["hint"].as_str().unwrap().contains("WEBHAND_HOME"), "{answer}");
    }
    assert!(!long.exists(), "nothing was made");
}

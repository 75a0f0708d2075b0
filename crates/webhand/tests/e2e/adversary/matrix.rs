//! Attempts over all verbs, tools, toolsets and fronts, generated from the lists, so that a new verb or tool is attacked without anybody
//! thinking of it. What counts is not what is answered but what happened: requests at a server's socket, what a page heard, and files.
//!
//! `lists` is what there is, `generate` makes attempts of its schemas with the dictionary in `values`. `world` is what they are made in,
//! `traces` what they leave there, `ways` the fronts that they come by, `lane` how one is made. `expected` is written by hand: what each
//! tool and verb can do with everything allowed. `run` makes the attempts: first as a control, then with rules against them.

mod expected;
mod generate;
mod lane;
mod lists;
mod run;
mod traces;
mod values;
mod ways;
mod world;

use std::{cell::RefCell, collections::BTreeSet};

use serde_json::json;
use toolsets::{Hints, Mode};

use self::{
    expected::{ROWS, row},
    generate::attempts,
    lane::{Lane, SETTINGS},
    lists::{Subject, tools, verbs},
    ways::Way,
};
use crate::{
    fronts::{clients::Client, talk::Mcp},
    server::Server,
    support::Home,
};

/// Everything that there is, with the names of the tests that attack it.
fn all_subjects() -> Vec<Subject> {
    let mut all = verbs();
    for set in toolsets::ALL {
        all.extend(tools(set.name, Mode::Dom));
        all.extend(tools(set.name, Mode::Hybrid));
    }
    all
}

#[test]
fn every_tool_and_verb_is_declared_and_no_other() {
    let subjects = all_subjects();
    let keys: BTreeSet<String> = subjects.iter().flat_map(attempts).map(|attempt| attempt.key).collect();
    let undeclared: Vec<_> = keys.iter().filter(|key| row(key).is_none()).collect();
    assert!(undeclared.is_empty(), "say in expected.rs what these can do: {undeclared:?}");
    let unknown: Vec<_> = ROWS.iter().filter(|(key, ..)| !keys.contains(*key)).collect();
    assert!(unknown.is_empty(), "there is nothing of this name: {unknown:?}");
    let attacked = ["verbs", "browser", "openclaw", "jarvis", "qa", "nanobot", "stagehand"];
    for subject in &subjects {
        let set = subject.name.split('.').next().unwrap();
        assert!(attacked.contains(&set), "{set} has no test below");
        let rows = ROWS.iter().filter(|(key, ..)| key.split(' ').next() == Some(&subject.name));
        for (key, traces, _) in rows.filter(|_| subject.hints == Some(Hints::Reads)) {
            assert_eq!(*traces, "", "{key} says of itself that it only reads");
        }
    }
}

/// Whether attempts are made and not only declared, which takes two minutes and a machine with nothing else to do: `.ci/matrix`.
fn is_wanted_whole() -> bool {
    std::env::var_os("WEBHAND_MATRIX").is_some_and(|value| value == "whole")
}

/// Makes all attempts with these tools or verbs.
fn attack(set: &'static str, mode: &str, subjects: &[Subject]) {
    if !is_wanted_whole() {
        return;
    }
    let home = Home::new();
    home.configure(SETTINGS);
    let (shell, files) = (testkit::shell(), home.path().join("files"));
    let flags = ["--browser", shell.to_str().unwrap(), "--files", files.to_str().unwrap(), "--mode", mode];
    let flags = [&flags[..], &["--caps", "all", "--timeout", "15s", "--element-timeout", "1s"]].concat();
    let sets =
        if matches!(set, "verbs" | "browser") { "browser".to_owned() } else { format!("browser,{set}") };
    let server = Server::of(&home, &sets, &flags);
    let client = Client::greeted(&server, "/mcp", &json!({}));
    let stdio = Mcp::greeted(&home, &[&["--toolset", &sets], &flags[..]].concat());
    let (client, stdio) = (RefCell::new(client), RefCell::new(stdio));
    let mut ways = vec![Way::Http(&server), Way::Streamable(&server, client), Way::Stdio(stdio)];
    if set == "verbs" {
        ways.push(Way::Cli);
    }
    let mut lane = Lane::new(&home, set, ways);
    let made: Vec<_> = subjects.iter().flat_map(attempts).collect();
    let keys: BTreeSet<String> = made.iter().map(|attempt| attempt.key.clone()).collect();
    let deeds = run::control(&mut lane, run::sampled(made));
    let mut tried = run::each_denied(&mut lane, &deeds);
    tried.extend(run::all_ruled(&mut lane, &deeds, "deny"));
    tried.extend(run::all_ruled(&mut lane, &deeds, "ask"));
    lane.settle();
    println!(
        "{set}: {} attempts with everything allowed, {} with rules against them",
        deeds.len(),
        tried.len()
    );
    let wrong = [run::wrong_in_control(&deeds, &keys), run::wrong_under_rules(&lane, &tried)].concat();
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn all_verbs() {
    attack("verbs", "dom", &verbs());
}

#[test]
fn all_tools_of_browser() {
    attack("browser", "dom", &tools("browser", Mode::Dom));
}

#[test]
fn all_tools_of_openclaw() {
    attack("openclaw", "dom", &tools("openclaw", Mode::Dom));
}

#[test]
fn all_tools_of_jarvis() {
    attack("jarvis", "dom", &tools("jarvis", Mode::Dom));
}

#[test]
fn all_tools_of_qa() {
    attack("qa", "dom", &tools("qa", Mode::Dom));
}

#[test]
fn all_tools_of_nanobot() {
    attack("nanobot", "dom", &tools("nanobot", Mode::Dom));
}

#[test]
fn all_tools_of_stagehand() {
    attack("stagehand", "dom", &tools("stagehand", Mode::Dom));
}

/// Those that only this mode has, or has in another form.
#[test]
fn all_tools_of_stagehand_by_coordinates() {
    let in_both: Vec<_> =
        tools("stagehand", Mode::Dom).into_iter().map(|tool| (tool.name, tool.schema)).collect();
    let mut subjects = tools("stagehand", Mode::Hybrid);
    subjects.retain(|tool| !in_both.contains(&(tool.name.clone(), tool.schema.clone())));
    attack("stagehand", "hybrid", &subjects);
}

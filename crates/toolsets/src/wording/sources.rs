//! Every text in the sources that names a command or a flag, in the words of every dialect: none of it may reach those who have no command
//! line. A new hint of the engine is tested here without anybody having to think of it.

use std::{fs, path::Path};

use contract::Code;

use super::{ASK, flags, names_command_line};
use crate::ALL;

/// The crates whose texts reach tools.
const CRATES: [&str; 4] = ["contract", "engine", "guard", "toolsets"];

/// The texts between quotes in Rust code. Tests, comments and attributes are passed over, and so are switches of the browser.
fn texts(code: &str) -> Vec<String> {
    let mut texts = all_texts(code);
    texts.retain(|text| names_command_line(text) && !text.starts_with("--"));
    texts
}

fn all_texts(code: &str) -> Vec<String> {
    let code = code.split("#[cfg(test)]\nmod").next().unwrap_or_default();
    let is_code = |line: &&str| !["//", "#[", "#!["].iter().any(|start| line.trim_start().starts_with(start));
    let code: String = code.lines().filter(is_code).map(|line| format!("{line}\n")).collect();
    let (mut texts, mut chars) = (Vec::new(), code.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            // A character such as '"' is no quote.
            '\'' if chars.clone().nth(1) == Some('\'') => drop(chars.by_ref().nth(1)),
            '"' => {
                let mut text = String::new();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    match (c, chars.peek()) {
                        ('\\', Some('\n')) => while chars.next_if(|c| c.is_whitespace()).is_some() {},
                        ('\\', Some(_)) => text.extend(chars.next()),
                        _ => text.push(c),
                    }
                }
                texts.push(text);
            }
            _ => {}
        }
    }
    texts
}

fn each_file(folder: &Path, found: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match entry.is_dir() {
            true => each_file(&entry, found),
            false if entry.extension().is_some_and(|ending| ending == "rs") => found(&entry),
            false => {}
        }
    }
}

/// What is still for a command line in a text for tools.
fn wrong(said: &str) -> Option<&str> {
    said.split("; ").flat_map(|clause| clause.split(", or ")).find(|part| {
        let is_for_people = part.starts_with(ASK) || part.contains("in a terminal");
        (part.contains("`webhand ") || flags(part).next().is_some()) && !is_for_people
    })
}

#[test]
fn no_dialect_names_a_command_or_a_flag() {
    let mut seen = 0;
    for name in CRATES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
        each_file(&folder, &mut |file| {
            // The words of dialects themselves, and a description that lists commands on purpose.
            if file.components().any(|part| part.as_os_str() == "wording") || file.ends_with("wording.rs") {
                return;
            }
            for text in texts(&fs::read_to_string(file).unwrap()) {
                seen += 1;
                for set in ALL {
                    let said = set.words.hint(&text);
                    assert_eq!(
                        wrong(&said),
                        None,
                        "{}: {text:?} is {said:?} in {}",
                        file.display(),
                        set.name
                    );
                    assert_eq!(set.words.hint(&said), said, "{}: twice", set.name);
                }
            }
        });
    }
    assert!(seen > 50, "only {seen} texts were found: the sources are not where they were");
}

/// Phrases of those who look by snapshots and point by refs, which not every dialect does.
const BY_REFS: [&str; 5] =
    ["take a snapshot", "take a new snapshot", "in the snapshot", "use a ref", "by its ref"];

/// Names of arguments as the engine spells them, where dialects have others.
const ENGINE_NAMES: [&str; 4] = ["max_chars", "same_site", "http_only", "user_agent"];

#[test]
fn no_dialect_names_snapshots_or_refs_that_it_has_not() {
    let has_none = ALL.into_iter().filter(|set| ["qa", "stagehand"].contains(&set.name)).collect::<Vec<_>>();
    assert_eq!(has_none.len(), 2);
    let mut seen = 0;
    let check = |text: &str| {
        for set in &has_none {
            let said = set.words.hint(text);
            let wrong = BY_REFS.iter().find(|phrase| said.contains(**phrase));
            assert_eq!(wrong, None, "{text:?} is {said:?} in {}", set.name);
        }
        for set in ALL.into_iter().filter(|set| set.name != "jarvis") {
            let said = set.words.hint(text);
            let wrong = ENGINE_NAMES.iter().find(|name| said.contains(**name));
            assert_eq!(wrong, None, "{text:?} is {said:?} in {}", set.name);
        }
    };
    for code in Code::ALL {
        check(code.hint());
    }
    for name in ["contract", "engine", "guard"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
        each_file(&folder, &mut |file| {
            let all = all_texts(&fs::read_to_string(file).unwrap());
            let is_hint = |text: &&String| {
                text.contains("; ")
                    || BY_REFS.iter().any(|phrase| text.contains(phrase))
                    || text.contains("max_chars, ")
            };
            for text in all.iter().filter(is_hint) {
                seen += 1;
                check(text);
            }
        });
    }
    assert!(seen > 30, "only {seen} texts were found");
}

#[test]
fn no_hint_of_a_code_names_a_command_or_a_flag() {
    for set in ALL {
        for code in Code::ALL {
            let said = set.words.hint(code.hint());
            assert_eq!(wrong(&said), None, "{code} in {}: {said}", set.name);
        }
    }
}

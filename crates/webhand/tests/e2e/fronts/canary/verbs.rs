//! The verbs of the command line, for people and as JSON: all that is typed with, and after each all that can be looked at. What else
//! commands are told, and how they fail, is in the tests of the command line.

use super::{CANARY, Place, has_nothing, named, page};

struct Person<'a>(&'a Place);

impl Person<'_> {
    /// Runs a command in both ways. Whether it works is not what this is about; `must` says that it has to.
    #[track_caller]
    fn run(&self, words: &[&str], must: bool) -> String {
        let mut all = String::new();
        for more in [&["--json"][..], &[]] {
            let words = [words, more].concat();
            let mut command = self.0.home.command(&words);
            let output =
                command.env("WEBHAND_LOG", "trace").current_dir(self.0.folder.path()).output().unwrap();
            let said = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
            has_nothing(&named(&words.join(" ")), &said);
            assert!(output.status.success() || !must, "{}: {said}", named(&words.join(" ")));
            all += &said;
        }
        all
    }
}

#[test]
fn with_verbs() {
    let place = Place::new();
    let person = Person(&place);
    let (url, file) = (page(), place.file().display().to_string());
    let keys: Vec<String> = CANARY.chars().map(String::from).collect();
    let (keys, header, batch) =
        (keys.join(" "), format!("X-Api-Key: {CANARY}"), format!("fill css=#word {CANARY}"));
    let (search, title) = (format!("{url}&word={CANARY}"), format!("() => '{CANARY}'.length"));
    let typing: &[&[&[&str]]] = &[
        &[&["fill", "css=#word", CANARY]],
        &[&["fill", "Word", CANARY, "--submit"]],
        &[&["type", CANARY, "--target", "css=#word"]],
        &[&["type", CANARY, "--target", "css=#word", "--delay", "1ms"]],
        &[&["press", &keys, "--target", "css=#word"]],
        &[&["fill-form", "css=#user", "ada", "css=#word", CANARY]],
        &[&["batch", &batch, "press Tab"]],
        &[&["fill", "css=#word", CANARY], &["select", "css=#list", CANARY]],
        &[&["upload", "css=#upload", &file]],
        &[&["upload", "css=#ask", &file, "--drop"]],
        &[&["cookies", "set", "session", CANARY]],
        &[&["cookies", "set", "other", CANARY, "--http-only"]],
        &[&["storage", "local", "set", "token", CANARY]],
        &[&["storage", "session", "set", CANARY, CANARY]],
        &[&["emulate", "--header", &header]],
        &[&["eval", "text => text.length", "--arg", CANARY]],
        &[&["eval", "text => document.title = text", "--arg", CANARY, "--world", "main"]],
        &[&["eval", &title]],
        &[&["fill", "css=#word", CANARY], &["wait", "--text", CANARY], &["find", CANARY]],
        &[&["goto", &search]],
        &[&["tabs", "open", &search]],
    ];
    let looking: &[&[&str]] = &[
        &["snapshot"],
        &["read"],
        &["html"],
        &["html", "-o", "page.html"],
        &["controls"],
        &["frames"],
        &["locate", "Word"],
        &["eval", "[document.title, location.href, document.querySelector('#word').value]"],
        &["eval", "throw new Error(document.title)"],
        &["console"],
        &["requests", "--all"],
        &["requests", "1", "--body"],
        &["requests", "2"],
        &["tabs"],
        &["screenshot", "--labels", "-o", "picture.png"],
        &["download", "css=#file"],
        &["cookies", "list", "--values"],
        &["cookies", "get", "session"],
        &["storage", "local", "list", "--values"],
        &["storage", "local", "get", "token"],
        &["sessions"],
        &["status"],
        &["approvals"],
        &["history"],
    ];
    for step in typing {
        person.run(&["goto", &url], true);
        person.run(&["snapshot"], true);
        for words in *step {
            person.run(words, true);
        }
        for words in looking {
            person.run(words, false);
        }
    }
    // A dialog is answered once, so each way of saying it has one of its own.
    for more in [&["--json"][..], &[]] {
        place.home.data(&["goto", &url]);
        place.home.data(&["fill", "css=#word", CANARY]);
        for words in [&["click", "css=#ask"][..], &["dialog", "accept", CANARY]] {
            let ran = place.home.run(&[words, more].concat());
            assert_eq!(ran.exit, Some(0), "{}{}", ran.stdout, ran.stderr);
            has_nothing(words[0], &format!("{}{}", ran.stdout, ran.stderr));
        }
    }
    let seen = person.run(&["eval", "document.title"], true);
    assert!(seen.contains("[secret]"), "the page has it, and says so: {seen}");
    let log = place.home.path().join("run/daemon.log");
    place.look_through(&log);
    place.home.stop(&["stop"]);
    place.look_at_files(&log);
}

/// The field is no secret one; the caller says that the text is.
#[test]
fn with_verbs_that_are_told() {
    for words in [
        &["fill", "css=#user", CANARY, "--secret"][..],
        &["type", CANARY, "--target", "css=#user", "--secret"],
    ] {
        let place = Place::new();
        let person = Person(&place);
        person.run(&["open", &page()], true);
        person.run(&["snapshot"], true);
        person.run(words, true);
        let seen = person.run(&["snapshot"], true)
            + &person.run(&["eval", "document.querySelector('#user').value"], true);
        assert!(seen.contains("[secret]"), "{seen}");
        place.look_through(&place.home.path().join("run/daemon.log"));
    }
}

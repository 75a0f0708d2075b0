//! What the engine says for people at a command line, in the words of a dialect: its tools and their arguments.
//!
//! Every answer that a call gets passes through here before its tool sees it ([`crate::Toolset::call`]), so no dialect has to think of it.
//! A hint or a note is a list of clauses. A clause that names a command or a flag is said with the dialect's own tool, or as something that
//! the person who runs webhand can do, or it is left out.

use std::borrow::Cow;

use contract::{Error, Outcome};

mod dialects;
#[cfg(test)]
mod sources;

pub(crate) use dialects::{BROWSER, JARVIS, NANOBOT, OPENCLAW, QA, STAGEHAND};

/// The words of a dialect.
#[derive(Debug)]
pub struct Wording {
    /// Phrases of the engine, and what this dialect says in their place. The first that fits counts, so longer ones come first.
    pub(crate) phrases: &'static [(&'static str, &'static str)],
    /// Commands, and the tools that do the same.
    pub(crate) tools: &'static [(&'static str, &'static str)],
}

/// Phrases that no dialect has its own words for.
const COMMON: &[(&str, &str)] = &[
    (
        ", with `webhand approvals allow ",
        "; ask the person who runs webhand to run `webhand approvals allow ",
    ),
    (
        "; they answer with `webhand approvals allow ",
        "; ask the person who runs webhand to run `webhand approvals allow ",
    ),
    (
        "look for a part of it with `webhand find`, or look at the page with `webhand snapshot`",
        "look at the page with `webhand snapshot`",
    ),
    ("allow more time with --timeout; the download goes on", "the download goes on"),
    (
        "have allowed_domains set in config.toml, or use another session",
        "ask the person who runs webhand to set allowed_domains in config.toml",
    ),
    ("allow more time with --timeout, or wait for less", "try again, or wait for less"),
    ("wait for less with --until, or longer with --timeout", "go on with it as it is"),
    ("allow more time with --timeout", "try again"),
    ("raise max_chars, or look at a part with scope or find", "look at a part of the page"),
    ("raise max_chars, or take a snapshot", "look at the page again"),
    (", with --output", ""),
];

/// Commands for the person who runs webhand.
const FOR_PEOPLE: [&str; 5] = ["approvals", "doctor", "install", "policy", "serve"];

/// Flags for the person who runs webhand.
const SETTINGS: [&str; 12] = [
    "--allow",
    "--attach",
    "--browser",
    "--caps",
    "--hosts",
    "--host-browser",
    "--max-file",
    "--profile",
    "--remote-debugging-port",
    "--session",
    "--toolset",
    "--upstream-proxy",
];

/// How a clause begins that is for that person.
const ASK: &str = "ask the person who runs webhand to ";

/// A hint of which nothing is left.
const NO_HINT: &str = "see the message for what went wrong";

impl Wording {
    /// A hint or a note in the dialect's words; empty if it says nothing to its readers.
    pub(crate) fn reworded(&self, text: &str) -> String {
        let phrases = self.phrases.iter().chain(COMMON);
        let text = phrases.fold(Cow::Borrowed(text), |text, (phrase, ours)| match text.contains(phrase) {
            true => Cow::Owned(text.replace(phrase, ours)),
            false => text,
        });
        if !names_command_line(&text) {
            return text.into_owned();
        }
        let text = self.with_tools(&text);
        let clauses = text.split("; ").map(|clause| {
            let said = clause.split(", or ").filter_map(said_here);
            said.collect::<Vec<_>>().join(", or ")
        });
        clauses.filter(|clause| !clause.is_empty()).collect::<Vec<_>>().join("; ")
    }

    /// The text with tools in the place of commands.
    fn with_tools(&self, text: &str) -> String {
        let mut parts = text.split("`webhand ");
        let mut said = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let tool = part.split_once('`').and_then(|(command, rest)| {
                let verb = command.split(' ').next().unwrap_or_default();
                self.tools.iter().find(|(known, _)| *known == verb).map(|(_, tool)| (tool, rest))
            });
            match tool {
                Some((tool, rest)) => said += &format!("{tool}{rest}"),
                None => said += &format!("`webhand {part}"),
            }
        }
        said
    }

    pub(crate) fn hint(&self, hint: &str) -> String {
        Some(self.reworded(hint)).filter(|hint| !hint.is_empty()).unwrap_or_else(|| NO_HINT.to_owned())
    }

    /// The error with a hint in the dialect's words.
    pub(crate) fn error(&self, error: Error) -> Error {
        let hint = self.hint(error.hint());
        let mut error = error.with_hint(hint);
        error.outcome = error.outcome.map(|outcome| Box::new(self.outcome(*outcome)));
        error
    }

    /// The outcome with notes in the dialect's words.
    pub(crate) fn outcome(&self, mut outcome: Outcome) -> Outcome {
        let notes = outcome.notes.iter().map(|note| self.reworded(note));
        outcome.notes = notes.filter(|note| !note.is_empty()).collect();
        for step in &mut outcome.steps {
            step.outcome = step.outcome.take().map(|outcome| Box::new(self.outcome(*outcome)));
        }
        // How to see what was cut is the last line, and is ours only if something was cut.
        if let Some(snapshot) = outcome.snapshot.as_mut().filter(|snapshot| snapshot.cut.is_some()) {
            self.last_line(&mut snapshot.text);
        }
        if let Some(delta) = outcome.delta.as_mut().filter(|delta| delta.cut.is_some()) {
            self.last_line(&mut delta.text);
        }
        outcome
    }

    fn last_line(&self, text: &mut String) {
        let start = text.rfind('\n').map_or(0, |at| at + 1);
        if text[start..].starts_with('…') {
            let line = self.reworded(&text[start..]);
            text.replace_range(start.., &line);
        }
    }
}

/// A part of a clause as those read it who have no command line; none if it says nothing to them.
fn said_here(part: &str) -> Option<String> {
    if !names_command_line(part) || part.starts_with(ASK) || part.contains("in a terminal") {
        return Some(part.to_owned());
    }
    let commands =
        || part.split("`webhand ").skip(1).map(|rest| rest.split([' ', '`']).next().unwrap_or_default());
    let are_for_people = commands().all(|command| FOR_PEOPLE.contains(&command))
        && (commands().next().is_some() || flags(part).all(|flag| SETTINGS.contains(&flag)));
    match (are_for_people, part.starts_with('`')) {
        (false, _) => None,
        (true, true) => Some(format!("{ASK}look: {part}")),
        (true, false) => Some(format!("{ASK}{part}")),
    }
}

fn names_command_line(text: &str) -> bool {
    text.contains("`webhand ") || flags(text).next().is_some()
}

/// The flags that a text names.
fn flags(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', '`', '(', ',', '"', '\'']).filter_map(|word| {
        let name = word.split('=').next().unwrap_or(word).trim_end_matches(['.', ':', ';', ')']);
        let is_flag =
            name.strip_prefix("--").is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()));
        is_flag.then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use contract::{Code, Cut, Snapshot};

    use super::*;

    #[test]
    fn commands_become_tools() {
        let check = |text: &str, said: &str| assert_eq!(BROWSER.hint(text), said);
        check(Code::DialogOpen.hint(), "answer it with browser_handle_dialog");
        check(Code::StaleRef.hint(), "take a new browser_snapshot and use a ref from it");
        check(Code::TabNotFound.hint(), "list the tabs with browser_tabs");
        check(Code::SessionNotFound.hint(), "start it with browser_navigate");
        check("open one with `webhand goto URL`", "open one with browser_navigate");
        check(
            "look at the page, then try `webhand type`, which presses a key for each character",
            "look at the page, then try browser_type with slowly: true, which presses a key for each character",
        );
        check("use `webhand click` or `webhand press`", "use browser_click or browser_press_key");
        check(
            "the page is there but not done; wait for less with --until, or longer with --timeout",
            "the page is there but not done; go on with it as it is, or wait for what you need of it with browser_wait_for",
        );
        check("an open ` quote", "an open ` quote");
    }

    #[test]
    fn what_only_a_person_can_do_is_said_to_be_so() {
        let check = |text: &str, said: &str| {
            assert_eq!(QA.hint(text), said);
            assert_eq!(QA.hint(said), said, "saying it twice changes nothing");
        };
        check("run `webhand install`", "ask the person who runs webhand to run `webhand install`");
        check(
            "allow it with --allow localhost:80",
            "ask the person who runs webhand to allow it with --allow localhost:80",
        );
        check(
            "do without it, or ask for the policy to be changed; `webhand policy check read URL --front mcp` explains it",
            "do without it, or ask for the policy to be changed; ask the person who runs webhand to look: \
             `webhand policy check read URL --front mcp` explains it",
        );
    }

    #[test]
    fn what_people_run_is_not_told_to_models_as_if_they_could() {
        let pending = "do the same again when somebody has answered, with `webhand approvals allow a1` in a terminal; the answer is kept";
        assert_eq!(
            QA.hint(pending),
            "do the same again when somebody has answered; ask the person who runs webhand to run `webhand approvals allow a1` in a terminal; \
             the answer is kept"
        );
        let later = "ask again when somebody is there; they answer with `webhand approvals allow ID` in a terminal, and `webhand approvals` lists the ids";
        assert!(
            QA.hint(later).contains("; ask the person who runs webhand to run `webhand approvals allow ID`")
        );
    }

    #[test]
    fn waits_name_what_can_be_done_and_not_themselves() {
        let text = "the page may say it in other words; look for a part of it with `webhand find`, or look at the page with `webhand snapshot`";
        assert_eq!(
            NANOBOT.hint(text),
            "the page may say it in other words; look at the page with action snapshot"
        );
        assert_eq!(
            STAGEHAND.hint(text),
            "the page may say it in other words; look at the page with ariaTree"
        );
        assert_eq!(
            BROWSER.hint(text),
            "the page may say it in other words; look for a part of it with browser_find, or look at the page with browser_snapshot"
        );
        assert_eq!(BROWSER.hint(Code::Timeout.hint()), "try again, or wait for less");
    }

    #[test]
    fn what_a_dialect_has_no_tool_for_is_left_out() {
        let check = |text: &str, said: &str| assert_eq!(QA.reworded(text), said);
        check(
            "4 more requests were blocked; see `webhand requests --failed`",
            "4 more requests were blocked",
        );
        check("3 more errors are in `webhand console`", "");
        check("say 1280x720, or --preset pixel-9", "say 1280x720");
        assert_eq!(QA.hint("list them with `webhand frames`"), NO_HINT);
    }

    #[test]
    fn only_our_own_last_line_is_reworded() {
        let text = "- raise max_chars, or take a snapshot\n… 3 more lines (9 characters): raise max_chars, or take a snapshot";
        let snapshot = |cut| Some(Snapshot { text: text.into(), cut, ..Snapshot::default() });
        let said = |cut| {
            BROWSER.outcome(Outcome { snapshot: snapshot(cut), ..Outcome::default() }).snapshot.unwrap().text
        };
        assert_eq!(said(None), text);
        assert_eq!(
            said(Some(Cut { shown: 1, of: 2 })),
            "- raise max_chars, or take a snapshot\n… 3 more lines (9 characters): look at the page with browser_snapshot"
        );
    }
}

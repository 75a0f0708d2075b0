//! Command lines that the daemon reads. Most commands are about a page, and a daemon runs already: then the line goes to it as it was
//! said, and what comes back is printed. Reading it here would mean waking half of this program for it, which takes longer than most
//! commands do. Whatever the daemon cannot read, the client reads itself.

use std::{
    env,
    ffi::OsString,
    io::{IsTerminal, Write, stderr, stdout},
    path::PathBuf,
    process::ExitCode,
};

use contract::{Result, ToolResult};
use engine::Action;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    cli, client,
    home::Home,
    render,
    render::Show,
    settings::{self, Settings},
    tools::Secret,
    wire::Command,
};

/// A command line, and where it was said.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Said {
    /// Never printed: they may hold secrets.
    words: Secret<Vec<String>>,
    /// Where the names of files mean something.
    folder: PathBuf,
    /// The settings in its environment.
    variables: Secret<Vec<(String, String)>>,
    onto: Onto,
}

/// Has the daemon do what a command line says, and prints what it answers. None if it does not run, or if this is nothing for it; an error
/// if it may have begun.
pub(crate) fn hand_over(words: &[OsString]) -> Result<Option<ExitCode>> {
    let (Some(said), Ok(home)) = (Said::here(words), Home::find()) else { return Ok(None) };
    let answer = client::ask_once(&home, &Command::Said(Box::new(said)))?;
    Ok(answer.and_then(|answer| answer.printed).map(|printed| printed.print()))
}

/// What of this process's environment may be a setting; none if a value is no text. Which of it is one, the daemon knows.
fn variables() -> Option<Vec<(String, String)>> {
    env::vars_os()
        .filter(|(name, value)| {
            name.to_str().is_some_and(|name| name.starts_with("WEBHAND_")) && !settings::is_blank(value)
        })
        .map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

impl Said {
    /// What was said to this process; none if it is not for the daemon.
    fn here(words: &[OsString]) -> Option<Said> {
        let words: Vec<String> =
            words.iter().map(|word| word.to_str().map(str::to_owned)).collect::<Option<_>>()?;
        // A dash means our own standard input, and whoever wants a log wants ours.
        let is_ours = words.iter().any(|word| word == "-") || is_set("WEBHAND_LOG");
        if is_ours || !words.iter().skip(1).any(|word| Action::is_command(word)) {
            return None;
        }
        let folder = env::current_dir().ok()?;
        Some(Said { words: Secret(words), folder, variables: Secret(variables()?), onto: Onto::here() })
    }

    /// What it asks for, and how the answer is to be printed. None if the client has to see to it: it is not about a page, or has a
    /// mistake, or means something else here than there.
    pub(crate) fn read(self, home: &Home) -> Option<(Command, Printing)> {
        let (words, variables) = (self.words.0, self.variables.0);
        // Our own environment would count where its own says nothing.
        if Settings::variables().any(|name| is_set(name) && !variables.iter().any(|(said, _)| said == name)) {
            return None;
        }
        // What the environment says is said as a flag; but a flag wins, and whether a word is one is not to be guessed.
        let mut flags = Vec::new();
        for (name, value) in
            variables.into_iter().filter(|(name, _)| Settings::variables().any(|set| set == name))
        {
            let flag = format!("--{}", name.trim_start_matches("WEBHAND_").to_lowercase().replace('_', "-"));
            if words.iter().any(|word| word.split('=').next() == Some(&flag)) {
                return None;
            }
            flags.push(format!("{flag}={value}"));
        }
        let (program, rest) = words.split_first()?;
        let words: Vec<OsString> =
            [program].into_iter().chain(&flags).chain(rest).map(OsString::from).collect();
        cli::read(&words, home, &self.folder, self.onto)
    }
}

/// Whether a variable says anything; an empty one does not.
fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// What something is printed to.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Onto {
    terminal: bool,
    errors_to_terminal: bool,
}

impl Onto {
    /// What this process prints to.
    pub(crate) fn here() -> Onto {
        Onto { terminal: stdout().is_terminal(), errors_to_terminal: stderr().is_terminal() }
    }
}

/// How an answer is printed: all of it as JSON, or what people want to know.
pub(crate) struct Printing {
    pub(crate) json: bool,
    pub(crate) show: Show,
    pub(crate) onto: Onto,
}

impl Printing {
    /// An answer in print.
    pub(crate) fn of(&self, result: &ToolResult) -> Printed {
        let mut errors = String::new();
        let shown = |show: fn(&Value) -> String| result.data.as_ref().map(show).unwrap_or_default();
        let mut beside = if self.json { String::new() } else { shown(self.show.beside) };
        let mut output = if self.json {
            serde_json::to_string(result).unwrap_or_default()
        } else {
            match (&result.error, &result.screenshot) {
                (Some(error), _) => {
                    errors = render::error(error, self.onto.errors_to_terminal) + "\n";
                    shown(self.show.output)
                }
                (None, Some(picture)) => {
                    render::picture(picture, result.data.as_ref().unwrap_or(&Value::Null))
                }
                (None, None) => (self.show.output)(result.data.as_ref().unwrap_or(&Value::Null)),
            }
        };
        if !output.is_empty() {
            if !self.json && self.onto.terminal {
                output = render::harmless(&output);
            }
            output.push('\n');
        }
        if !beside.is_empty() {
            if self.onto.errors_to_terminal {
                beside = render::harmless(&beside);
            }
            beside.push('\n');
        }
        Printed { ok: result.ok, output, errors, beside }
    }
}

/// What a command prints.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Printed {
    ok: bool,
    output: String,
    errors: String,
    /// What follows the output, on standard error.
    beside: String,
}

impl Printed {
    /// Prints it. Returns the exit status.
    pub(crate) fn print(&self) -> ExitCode {
        // Whoever reads may have seen enough; that is no error of ours.
        let _ = stderr().write_all(self.errors.as_bytes());
        let _ = stdout().write_all(self.output.as_bytes());
        let _ = stderr().write_all(self.beside.as_bytes());
        if self.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// What the daemon makes of a command line that is said in `/work` with these variables besides our own.
    fn read(line: &str, variables: &[(&str, &str)]) -> Option<Value> {
        let home = tempfile::tempdir().unwrap();
        let mut set = super::variables().unwrap();
        set.retain(|(name, _)| !variables.iter().any(|(other, _)| other == name));
        set.extend(variables.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        let said = Said {
            words: Secret(line.split(' ').map(str::to_owned).collect()),
            folder: "/work".into(),
            variables: Secret(set),
            onto: Onto { terminal: false, errors_to_terminal: false },
        };
        let (command, printing) = said.read(&Home::at(home.path()))?;
        let command = contract::in_full(|| serde_json::to_value(command).unwrap());
        Some(serde_json::json!({"command": command, "json": printing.json}))
    }

    #[test]
    fn the_daemon_reads_what_is_about_a_page() {
        let read_here = read("webhand screenshot -o a/../x.png --tab t2 --timeout 5s", &[]).unwrap();
        let request = &read_here["command"]["request"];
        assert_eq!((&request["tab"], &request["timeout"]), (&Value::from("t2"), &Value::from("5s")));
        assert!(Path::new(request["action"]["path"].as_str().unwrap()).starts_with("/work"), "{request}");
        for others in [
            "webhand status",
            "webhand halt",
            "webhand close",
            "webhand fill e1",
            "webhand fly e1",
            "webhand",
        ] {
            assert!(read(others, &[]).is_none(), "{others}");
        }
    }

    #[test]
    fn the_environment_counts_where_no_flag_does() {
        let variables = [
            ("WEBHAND_SESSION", "mine"),
            ("WEBHAND_ALLOW", "127.0.0.1,localhost"),
            ("WEBHAND_JSON", "yes"),
            ("WEBHAND_ELSE", ""),
        ];
        let read_here = read("webhand fill e1 text", &variables).unwrap();
        assert_eq!(read_here["command"]["session"], "mine");
        assert_eq!(read_here["command"]["options"]["allow"].as_array().unwrap().len(), 2);
        assert_eq!(read_here["json"], true);
        // Whether that is a flag or a text, only the client can say.
        for line in ["webhand fill e1 text --session other", "webhand fill e1 -- --session=x"] {
            assert!(read(line, &variables).is_none(), "{line}");
        }
        assert!(read("webhand fill e1 text", &[("WEBHAND_TIMEOUT", "soon")]).is_none(), "a mistake");
    }

    #[test]
    fn what_was_said_is_not_printed() {
        let said = Said {
            words: Secret(vec!["hunter2".into()]),
            folder: "/".into(),
            variables: Secret(vec![("WEBHAND_X".into(), "hunter3".into())]),
            onto: Onto::here(),
        };
        assert!(!format!("{said:?}").contains("hunter"), "{said:?}");
    }
}

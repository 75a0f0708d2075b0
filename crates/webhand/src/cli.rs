//! The command line: what can be said, and who does it.

use std::{
    env,
    ffi::OsString,
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use contract::{Code, Error, Result, TabId, ToolResult};
use engine::{Action, Front, Request, actions::Close};
use serde_json::{Value, json};
use toolsets::TimeLimit;
use tracing::Level;
use tracing_subscriber::{
    EnvFilter, Layer, filter::filter_fn, layer::SubscriberExt, util::SubscriberInitExt,
};

use crate::{
    approving::{self, ApprovalsOp, PolicyOp},
    client::{self, Running},
    control, daemon, demo, doctor, dry_run,
    files::Files,
    home::{Home, here},
    http, install,
    mcp::{self, Logs},
    mcp_config, render,
    render::Show,
    said::{self, Onto, Printing},
    settings::{self, Settings},
    token_commands::{self, TokensOp},
    tool_docs,
    tools::{self, Call, Secret},
    wire::Command as Ask,
};

/// A browser for AI agents.
///
/// Commands talk to a background daemon, which starts by itself and keeps browsers and sessions between them.
/// Exit status: 0 done, 1 an error (with its code), 2 a mistake on the command line.
#[derive(Debug, Parser)]
#[command(name = "webhand", version, propagate_version = true, arg_required_else_help = true, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    with: With,
}

/// What can be said with every command.
#[derive(Debug, Args)]
struct With {
    /// The tab to act in, such as t2; without it the active one
    #[arg(long, global = true, value_name = "TAB")]
    tab: Option<TabId>,
    /// Tell what the command would do, by which rule it is decided, and do nothing
    #[arg(long, global = true)]
    dry_run: bool,
    #[command(flatten)]
    settings: Settings,
}

const AFTER_HELP: &str = "Environment:
  WEBHAND_HOME  the folder that holds all state: settings, journal, profiles, downloads (~/.webhand by default)
  WEBHAND_LOG   what is logged to standard error, such as debug or engine=trace";

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Act(Action),
    /// Call a tool and print its answer, as JSON
    Call {
        /// The tool, such as browser.browser_click
        #[arg(value_name = "TOOLSET.TOOL")]
        name: String,
        /// Its arguments as a JSON object; - reads them from standard input
        #[arg(value_name = "JSON", default_value = "{}")]
        args: String,
    },
    /// List the toolsets, or the tools of one
    Tools {
        /// The toolset
        toolset: Option<String>,
    },
    /// Serve the tools to an MCP client, on standard input and output
    Mcp {
        /// The toolset to offer, browser by default; more with commas
        #[arg(long = "toolset", value_delimiter = ',', value_name = "NAME")]
        toolsets: Vec<String>,
    },
    /// Serve the tools over HTTP, and MCP at /mcp, until it is stopped
    Serve {
        /// The toolset to offer at /mcp, browser by default; more with commas
        #[arg(long = "toolset", value_delimiter = ',', value_name = "NAME")]
        toolsets: Vec<String>,
    },
    /// Print what to write into the settings of an MCP client; without one, list the clients
    McpConfig {
        /// The client, such as claude-code, cursor or vscode
        client: Option<String>,
        /// The toolset to offer, browser by default; more with commas
        #[arg(long = "toolset", value_delimiter = ',', value_name = "NAME")]
        toolsets: Vec<String>,
    },
    /// Print a skill file, for coding agents that use the command line
    Skill,
    /// List the sessions
    Sessions,
    /// Tell how the daemon and its browsers are
    Status,
    /// Close the session; with --all every session, every browser and the daemon
    Close {
        /// Close everything
        #[arg(long)]
        all: bool,
    },
    /// Stop the daemon, with every session and browser
    Stop,
    /// What waits for a person's approval: list it, allow it, deny it
    Approvals {
        #[command(subcommand)]
        op: Option<ApprovalsOp>,
    },
    /// The tokens of agents that ask over HTTP: make one with limits, list them, revoke one
    Tokens {
        #[command(subcommand)]
        op: TokensOp,
    },
    /// What the policy allows, asks about and denies
    Policy {
        #[command(subcommand)]
        op: PolicyOp,
    },
    /// List what was done, the oldest first
    History {
        /// How many of the last actions
        #[arg(long, short = 'n', default_value_t = 100, value_name = "N")]
        limit: usize,
    },
    /// Check that everything webhand needs is here and works
    Doctor,
    /// Install Chromium through the system's package manager, if no browser is there
    Install {
        /// Install it even if a browser is there
        #[arg(long)]
        force: bool,
    },
    /// Show what webhand does, on a small site of its own: no network, no model, no account
    Demo,
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page
    Man,
    /// Write the generated reference pages
    #[command(hide = true)]
    Docs {
        /// The folder to write to
        #[arg(long, value_name = "FOLDER")]
        write: PathBuf,
    },
    /// Run the daemon in the foreground
    #[command(hide = true)]
    Daemon,
}

/// Runs what the command line says. Returns the exit status.
pub fn main() -> ExitCode {
    let words: Vec<OsString> = env::args_os().collect();
    let handed_over = said::hand_over(&words);
    if let Ok(Some(done)) = handed_over {
        return done;
    }
    let cli = meant(&words).unwrap_or_else(|| all_of(&words));
    let logs = log(matches!(cli.command, Command::Daemon | Command::Serve { .. }));
    // What needs no settings works even when they have a mistake.
    if let Command::Completions { .. } | Command::Man | Command::Skill = cli.command {
        return print_page(&cli.command);
    }
    let flags = cli.with.settings.clone();
    let json = flags.json();
    let settings = Home::find().and_then(|home| Ok((flags.clone().with_file(&home)?, home)));
    let (settings, home) = match settings {
        Ok(found) => found,
        Err(error) => return print(&error.into(), json, Show::all(render::plain)),
    };
    let json = settings.json();
    // What the daemon has begun must not be done again.
    if let Err(error) = handed_over {
        return print(&error.into(), json, Show::all(render::plain));
    }
    let how = How { tab: cli.with.tab, dry_run: cli.with.dry_run };
    let done = match cli.command {
        // A token is limited by what is said with it, and not by what the file says of all sessions: that holds anyway.
        Command::Tokens { op } if !how.dry_run => {
            token_commands::run(op, &flags, &home).map(|(result, show)| Done::Answer(Box::new(result), show))
        }
        command => run(command, &settings, how, &home, &logs),
    };
    match done {
        Ok(Done::Answer(result, show)) => print(&result, json, show),
        Ok(Done::Reply(reply)) => {
            print(&ToolResult { error: None, screenshot: None, ..*reply }, false, Show::all(render::plain))
        }
        Ok(Done::Printed) => ExitCode::SUCCESS,
        Err(error) => print(&error.into(), json, Show::all(render::plain)),
    }
}

/// Reads the command line with every command that there is. Prints what is wrong, or the help, and ends.
fn all_of(words: &[OsString]) -> Cli {
    // Help about help is the help.
    let is_about_help = words.get(1).is_some_and(|word| word == "help")
        && words.get(2).is_some_and(|word| word == "--help" || word == "-h");
    let words = if is_about_help { &words[..2] } else { words };
    let mut command = settings::without_empty_variables(Cli::command());
    let matches = command.try_get_matches_from_mut(words);
    matches.and_then(|matches| Cli::from_arg_matches(&matches)).unwrap_or_else(|error| {
        // What the environment says is no part of how a command is used.
        let plain = settings::without_variables(Cli::command()).try_get_matches_from(words);
        let error = plain.err().filter(|plain| plain.kind() == error.kind()).unwrap_or(error);
        let error = error.format(&mut command);
        if error.use_stderr() && words.iter().any(|word| word == "--json" || word == "--json=true") {
            let says = error.to_string();
            let first = says.lines().next().unwrap_or_default().trim_start_matches("error: ");
            print(&Error::invalid(first).into(), true, Show::all(render::plain));
        }
        error.exit()
    })
}

/// Reads the command line. Every setting can be said with every command, and giving each of the many commands a copy of each of the many
/// settings takes longer than most commands do; so the one that is meant is tried alone. None if it is wrong, or a question for help: that
/// is answered in full.
fn meant(args: &[OsString]) -> Option<Cli> {
    let said = || args.iter().skip(1).filter_map(|arg| arg.to_str());
    // The verb `close` is not what the command line means by it.
    let verb = said().filter(|arg| *arg != "close").find_map(Action::command);
    let meant = verb.or_else(|| {
        let all = Cli::command();
        said().find_map(|arg| all.find_subcommand(arg)).cloned()
    });
    let alone = meant.and_then(|command| {
        let root = clap::Command::new("webhand").propagate_version(true).version(env!("CARGO_PKG_VERSION"));
        let root = With::augment_args(root).subcommand_required(true).subcommand(command);
        settings::without_empty_variables(root).try_get_matches_from(args).ok()
    });
    alone.and_then(|matches| Cli::from_arg_matches(&matches).ok())
}

/// The same for the daemon, which does only what is about a page and has no mistake in it.
pub(crate) fn read(words: &[OsString], home: &Home, folder: &Path, onto: Onto) -> Option<(Ask, Printing)> {
    let Cli { command: Command::Act(action), with: With { tab, dry_run, settings } } = meant(words)? else {
        return None;
    };
    let how = How { tab, dry_run };
    // Halting is also for those who are not the daemon's.
    if let Action::Halt(_) = action {
        return None;
    }
    let settings = settings.with_file(home).ok()?;
    let printing = Printing { json: settings.json(), show: how.show(render::of(&action)), onto };
    Some((perform(with_files(action, home, folder).ok()?, &settings, how, folder), printing))
}

/// How something is to be done.
#[derive(Clone, Copy)]
struct How {
    /// The tab to do it in.
    tab: Option<TabId>,
    /// Whether it is only to be told what would be done.
    dry_run: bool,
}

impl How {
    /// How the answer looks: that of a dry run is a plan, whatever the command is.
    fn show(self, usual: Show) -> Show {
        if self.dry_run { Show::all(render::planned) } else { usual }
    }

    /// Refuses a dry run of what is not done in a session.
    fn check(self, command: &Command) -> Result<()> {
        let can_be_dry =
            matches!(command, Command::Act(_) | Command::Close { all: false } | Command::Call { .. });
        match self.dry_run && !can_be_dry {
            false => Ok(()),
            true => Err(Error::invalid("only what is done in a session has a dry run")
                .with_hint("leave out --dry-run, or use it with a verb, `webhand close` or `webhand call`")),
        }
    }
}

/// An action, in the session that the settings say.
fn perform(action: Action, settings: &Settings, How { tab, dry_run }: How, folder: &Path) -> Ask {
    let (timeout, element_timeout) = (settings.timeout, settings.element_timeout);
    let request =
        Request { tab, timeout, element_timeout, front: Front::Cli, dry_run, ..Request::new(action) };
    let options = Box::new(settings.session_options(folder));
    Ask::Perform { session: settings.session(), options, request: Box::new(request) }
}

/// What coding agents are told about the command line.
const SKILL: &str = include_str!("../../../docs/skill.md");

/// Where this program lies: applications with a window do not know the PATH of a shell.
fn program() -> String {
    env::current_exe().map_or_else(|_| "webhand".into(), |file| file.to_string_lossy().into_owned())
}

/// Completions for a shell, the manual page or the skill file.
fn print_page(command: &Command) -> ExitCode {
    let mut page = Vec::new();
    match command {
        Command::Completions { shell } => {
            clap_complete::generate(*shell, &mut Cli::command(), "webhand", &mut page);
        }
        Command::Skill => page.extend_from_slice(SKILL.as_bytes()),
        _ => drop(clap_mangen::Man::new(Cli::command()).render(&mut page)),
    }
    let _ = std::io::stdout().write_all(&page);
    ExitCode::SUCCESS
}

/// What came of a command.
enum Done {
    /// An answer, and how people read it.
    Answer(Box<ToolResult>, Show),
    /// The answer of a tool, which is JSON of its own shape.
    Reply(Box<ToolResult>),
    /// All that was to be said has been printed.
    Printed,
}

/// The call of a tool, as the command line says it.
fn call(name: &str, args: &str, settings: &Settings) -> Result<Call> {
    let (toolset, tool) = name.split_once('.').ok_or_else(|| {
        Error::invalid(format!("{name:?} is not the name of a tool"))
            .with_hint("write TOOLSET.TOOL, such as browser.browser_click; `webhand tools` lists them")
    })?;
    let read =
        if args == "-" { serde_json::from_reader(std::io::stdin()) } else { serde_json::from_str(args) };
    // What is wrong is told by its place: the arguments may hold a secret.
    let args = read.map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        Error::invalid(format!("the arguments are no JSON (at {place})"))
            .with_hint("write them as one object, such as '{\"url\": \"https://example.com\"}'")
    })?;
    Ok(Call {
        toolset: toolset.into(),
        tool: tool.into(),
        args: Secret(args),
        session: settings.session(),
        options: settings.session_options(&here()),
        tools: settings.tool_options(&[toolset.to_owned()]),
        limit: settings.timeout.map(TimeLimit::ByCaller),
    })
}

/// The toolsets, or the tools of one with their schemas.
fn tool_list(toolset: Option<&str>, options: &toolsets::Options) -> Result<Value> {
    Ok(match toolset {
        None => json!({"toolsets": toolsets::ALL.map(|set| tools::about(set, options))}),
        Some(name) => tools::listed(toolsets::toolset(name)?, options),
    })
}

fn run(command: Command, settings: &Settings, how: How, home: &Home, logs: &Logs) -> Result<Done> {
    how.check(&command)?;
    let folder = here();
    let ask =
        |action: Action| client::ask(home, settings.starting(), &perform(action, settings, how, &folder));
    let nothing = |data: Value| ToolResult::success(data);
    let answer = |result, show| Done::Answer(Box::new(result), Show::all(show));
    Ok(match command {
        // Whoever it is that runs something there; nobody is started for it.
        Command::Act(Action::Halt(_)) => {
            let halted = control::halt(home, &settings.session(), how.dry_run)?;
            Done::Answer(Box::new(halted), how.show(Show::all(render::halted)))
        }
        Command::Approvals { op } => {
            let (result, show) = approving::approvals(op, home)?;
            answer(result, show)
        }
        Command::Policy { op } => {
            let own = settings.policy.clone().unwrap_or_default();
            answer(nothing(approving::check(op, &settings.rules, &own)?), approving::judged)
        }
        Command::Act(action) => {
            let show = how.show(render::of(&action));
            Done::Answer(Box::new(ask(with_files(with_text(action)?, home, &folder)?)?), show)
        }
        Command::Close { all: false } => match client::ask_if_running(home, &Ask::Status)? {
            Running::No => answer(nothing(json!({"session": settings.session()})), render::closed),
            Running::Answer(_) | Running::OtherBuild(_) => {
                let show = how.show(Show::all(render::closed));
                Done::Answer(Box::new(ask(Close {}.into())?), show)
            }
        },
        Command::Close { all: true } | Command::Stop => {
            let stopped = client::stop(home)?;
            answer(nothing(json!({"stopped": stopped})), render::stopped)
        }
        Command::Call { name, args } => {
            let files = Files::anywhere(folder);
            let mut call = call(&name, &args, settings)?;
            if how.dry_run {
                dry_run::ask(&mut call.args.0, true.into());
            }
            let ask = Ask::Call { call: Box::new(call), files: Box::new(files) };
            let reply = client::ask(home, settings.starting(), &ask)?;
            Done::Reply(Box::new(reply))
        }
        Command::Tools { toolset } => {
            let mut options = settings.tool_options(&[]);
            // A daemon that runs makes the searches, with the key that it was started with.
            if let Running::Answer(status) = client::ask_if_running(home, &Ask::Status)? {
                options.can_search = status.data.is_some_and(|about| about["can_search"] == true);
            }
            answer(nothing(tool_list(toolset.as_deref(), &options)?), render::tools)
        }
        Command::Mcp { toolsets } => {
            mcp::main(home, settings, &toolsets, logs)?;
            Done::Printed
        }
        Command::Serve { toolsets } => {
            http::main(home, settings, &toolsets)?;
            Done::Printed
        }
        Command::McpConfig { client, toolsets } => {
            let config = mcp_config::of(client.as_deref(), &program(), &toolsets)?;
            if let (Some(file), false) = (config["file"].as_str(), settings.json()) {
                let _ = writeln!(std::io::stderr(), "for {file}:");
            }
            answer(nothing(config), mcp_config::shown)
        }
        Command::Sessions => match client::ask_if_running(home, &Ask::Sessions)? {
            Running::Answer(list) => answer(*list, render::sessions),
            Running::No => answer(nothing(json!({"sessions": []})), render::sessions),
            Running::OtherBuild(build) => return Err(other_build(&build)),
        },
        Command::Status => match client::ask_if_running(home, &Ask::Status)? {
            Running::Answer(status) => answer(*status, render::status),
            Running::No => answer(nothing(json!({"running": false, "home": home.path()})), render::status),
            Running::OtherBuild(build) => return Err(other_build(&build)),
        },
        Command::History { limit } => {
            client::ask_if_running(home, &Ask::Flush)?;
            // Without --session the history of all sessions is meant, not that of the default one.
            let filter = journal::Filter { session: settings.session.clone(), limit };
            let entries = journal::read(&home.journal(), &filter)?;
            answer(nothing(json!({"entries": entries})), render::history)
        }
        Command::Doctor => answer(doctor::examine(home, settings)?, render::doctor),
        Command::Install { force } => {
            let browser = install::run(force)?;
            answer(nothing(json!({"browser": browser})), render::installed)
        }
        Command::Demo => {
            demo::main(home, settings)?;
            Done::Printed
        }
        Command::Completions { .. } | Command::Man | Command::Skill | Command::Tokens { .. } => Done::Printed,
        Command::Docs { write } => {
            for (name, page) in generated_pages() {
                std::fs::write(write.join(name), page)
                    .map_err(|error| Error::invalid("the folder cannot be written").with_cause(error))?;
            }
            Done::Printed
        }
        Command::Daemon => {
            daemon::main(home, settings)?;
            Done::Printed
        }
    })
}

/// The reference pages that are made from what is in the code, by their names in `docs`.
fn generated_pages() -> [(&'static str, String); 2] {
    [("errors.md", Code::table()), ("tools.md", tool_docs::page())]
}

/// Looking must not end what runs: only commands that act restart a daemon of another build.
fn other_build(build: &str) -> Error {
    Error::new(Code::Unsupported, format!("the daemon that runs is of another build ({build})"))
        .with_hint("stop it with `webhand stop`; the next command that acts restarts it anyway")
}

/// A text that is `-` comes from standard input: unlike arguments, no other process sees that.
fn with_text(mut action: Action) -> Result<Action> {
    let text = match &mut action {
        Action::Fill(fill) => &mut fill.text,
        Action::Type(typing) => &mut typing.text,
        _ => return Ok(action),
    };
    if text.expose() == "-" {
        let read = std::io::read_to_string(std::io::stdin());
        let read = read
            .map_err(|error| Error::invalid("the text on standard input cannot be read").with_cause(error))?;
        // `echo` and editors end a line that nobody means.
        let line = read.strip_suffix('\n').unwrap_or(&read);
        *text = line.strip_suffix('\r').unwrap_or(line).into();
    }
    Ok(action)
}

/// A file's name means something in the client's folder and not in the daemon's. A picture always needs one.
fn with_files(mut action: Action, home: &Home, folder: &Path) -> Result<Action> {
    if let Action::Screenshot(screenshot) = &mut action {
        let jpeg = screenshot.format == Some(engine::actions::Format::Jpeg);
        screenshot.path.get_or_insert_with(|| home.new_screenshot(jpeg));
    }
    for file in action.files_mut() {
        *file = std::path::absolute(folder.join(&*file))
            .map_err(|error| Error::invalid("the file has no name").with_cause(error))?;
    }
    Ok(action)
}

/// Prints an answer. Returns the exit status.
fn print(result: &ToolResult, json: bool, show: Show) -> ExitCode {
    Printing { json, show, onto: Onto::here() }.of(result).print()
}

/// Everything that is not a result goes to standard error. Warnings can be heard elsewhere as well.
fn log(is_daemon: bool) -> Logs {
    let default = if is_daemon { "info" } else { "warn" };
    let wanted = env::var("WEBHAND_LOG").ok().filter(|wanted| !wanted.is_empty());
    let filter = wanted.and_then(|wanted| EnvFilter::try_new(wanted).ok()).unwrap_or_else(|| default.into());
    let to_stderr = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        // rmcp logs whole requests when it is asked to say more, and those may hold a secret.
        .with_filter(filter_fn(|about| !about.target().starts_with("rmcp") || *about.level() <= Level::ERROR))
        .with_filter(filter);
    let logs = Logs::default();
    tracing_subscriber::registry().with(to_stderr).with(logs.clone()).init();
    logs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_verb_alone_is_said_as_among_the_others() {
        let said = |command: &clap::Command| -> Vec<String> {
            command.get_arguments().map(|arg| arg.get_id().to_string()).collect()
        };
        let all = Cli::command();
        let verbs = all.get_subcommands().filter(|command| command.get_name() != "close");
        let both: Vec<_> =
            verbs.filter_map(|among| Some((among, Action::command(among.get_name())?))).collect();
        assert!(both.len() > 30, "only {} verbs", both.len());
        for (among, alone) in both {
            assert_eq!(said(among), said(&alone), "{}", among.get_name());
        }
    }

    #[test]
    fn every_command_says_what_it_is_for() {
        for command in Cli::command().get_subcommands() {
            assert!(command.get_about().is_some(), "{} has no help", command.get_name());
        }
    }

    #[test]
    fn the_skill_is_short_and_knows_its_commands() {
        assert!(SKILL.starts_with("---\nname: webhand\ndescription: ") && SKILL.lines().count() <= 60);
        for line in SKILL.lines().filter_map(|line| line.strip_prefix("    ")) {
            let line = line.split("  #").next().unwrap_or_default();
            let words = shlex::split(line).unwrap();
            assert!(Cli::try_parse_from(&words).is_ok(), "{line}");
        }
    }

    #[test]
    fn the_generated_pages_are_fresh() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        for (name, page) in generated_pages() {
            let written = std::fs::read_to_string(folder.join(name)).unwrap();
            assert!(written == page, "docs/{name} is stale: run `cargo docs`");
        }
    }
}

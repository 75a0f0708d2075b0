//! Settings: one name each, as a flag, an environment variable and a key in `config.toml`. A flag wins over the environment,
//! the environment over the file.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsStr,
    fs,
    io::ErrorKind,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    str::FromStr,
    sync::LazyLock,
    time::Duration,
};

use clap::{
    Args,
    builder::{BoolishValueParser, Resettable},
};
use contract::{Error, PageUrl, Result, SessionName, Size, Span};
use engine::{Config, Engine, SessionOptions, Viewport};
use guard::{Allow, Domain, Domains, rules::Rules};
use serde::Deserialize;
use toolsets::{Group, Mode};

use crate::{client::Starting, home::Home};

/// The daemon leaves after this long without a command.
const IDLE: Span = Span::seconds(30 * 60);

/// How long a person may take to answer.
const APPROVAL: Span = Span::seconds(2 * 60);

/// Where HTTP clients are listened for: only on this machine.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 4820);

/// How long a command may take that says nothing of it.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// Where the jarvis tool puts its files, as its document says.
pub(crate) const FILES: &str = "/tmp/playwright_browser";

/// Every setting. To add one, add a field: its name is the flag's, the variable's and the key's.
#[derive(Clone, Debug, Default, PartialEq, Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[command(next_help_heading = "Settings (also WEBHAND_… and config.toml)")]
pub(crate) struct Settings {
    /// The session to use
    #[arg(long, env = "WEBHAND_SESSION", global = true, value_name = "NAME")]
    pub(crate) session: Option<SessionName>,
    /// Show the browser's window; takes effect when the session starts
    #[arg(long, env = "WEBHAND_HEADED", global = true, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = BoolishValueParser::new(), value_name = "BOOL")]
    pub(crate) headed: Option<bool>,
    /// Use a named profile, which keeps cookies and storage; takes effect when the session starts
    #[arg(long, env = "WEBHAND_PROFILE", global = true, value_name = "NAME")]
    pub(crate) profile: Option<SessionName>,
    /// Use a browser that is already running, by http://host:port or ws://…; takes effect when the session starts
    #[arg(long, env = "WEBHAND_ATTACH", global = true, value_name = "URL")]
    pub(crate) attach: Option<String>,
    /// The Chromium or Chrome to start, as a path or a name; takes effect when the session starts
    #[arg(long, env = "WEBHAND_BROWSER", global = true, value_name = "FILE")]
    pub(crate) browser: Option<PathBuf>,
    /// The size of pages, like 1280x720 or 390x844@3; takes effect when the session starts
    #[arg(long, env = "WEBHAND_VIEWPORT", global = true, value_name = "SIZE")]
    pub(crate) viewport: Option<Viewport>,
    /// Private places to allow, like localhost:3000 or 10.0.0.0/8, more with commas; takes effect when the session starts
    #[arg(long, env = "WEBHAND_ALLOW", global = true, value_delimiter = ',', value_name = "PLACE")]
    pub(crate) allow: Option<Vec<Allow>>,
    /// Rules as JSON that narrow the policy of config.toml, like '[{"effect": "submit", "decide": "ask"}]'; takes effect when the session starts
    #[arg(long, env = "WEBHAND_POLICY", global = true, value_name = "JSON")]
    pub(crate) policy: Option<Rules>,
    /// The rules of config.toml themselves, which flags and environment cannot change
    #[arg(skip)]
    #[serde(skip)]
    pub(crate) rules: Rules,
    /// What names of profiles mean, as `[profiles.NAME]` of config.toml says: a flag would have no place for so much
    #[arg(skip)]
    pub(crate) profiles: BTreeMap<String, ProfileSettings>,
    /// How long a person may take to approve something, like 5m (2m by default); takes effect when the daemon or server starts
    #[arg(long, env = "WEBHAND_APPROVAL_TIMEOUT", global = true, value_name = "TIME")]
    pub(crate) approval_timeout: Option<Span>,
    /// How large a file may be that is downloaded or uploaded, like 500MB (2GB by default); takes effect when the session starts
    #[arg(long, env = "WEBHAND_MAX_FILE", global = true, value_name = "SIZE")]
    pub(crate) max_file: Option<Size>,
    /// Groups of tools to switch on: vision, network, storage, pdf, emulation or all, more with commas
    #[arg(long, env = "WEBHAND_CAPS", global = true, value_delimiter = ',', value_name = "GROUP")]
    pub(crate) caps: Option<Vec<Cap>>,
    /// How the stagehand tools name elements: dom or hybrid (with coordinates)
    #[arg(long, env = "WEBHAND_MODE", global = true, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    /// The folder for files of the jarvis tool (/tmp/playwright_browser by default)
    #[arg(long, env = "WEBHAND_FILES", global = true, value_name = "FOLDER")]
    pub(crate) files: Option<PathBuf>,
    /// What relative addresses of the qa tools are relative to
    #[arg(long, env = "WEBHAND_BASE_URL", global = true, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The only domains that tabs may go to, like example.com or *.example.com, more with commas; takes effect when the session starts
    #[arg(
        long,
        env = "WEBHAND_ALLOWED_DOMAINS",
        global = true,
        value_delimiter = ',',
        value_name = "DOMAIN"
    )]
    pub(crate) allowed_domains: Option<Vec<String>>,
    /// The only domains, besides those, that pages may get anything from, more with commas; takes effect when the session starts
    #[arg(
        long,
        env = "WEBHAND_RESOURCE_DOMAINS",
        global = true,
        value_delimiter = ',',
        value_name = "DOMAIN"
    )]
    pub(crate) resource_domains: Option<Vec<Domain>>,
    /// Domains that nothing may connect to, more with commas; takes effect when the session starts
    #[arg(
        long,
        env = "WEBHAND_BLOCKED_DOMAINS",
        global = true,
        value_delimiter = ',',
        value_name = "DOMAIN"
    )]
    pub(crate) blocked_domains: Option<Vec<Domain>>,
    /// Whether the nanobot tools may be used (false by default, unless nanobot is named in --toolset or called by name)
    #[arg(long, env = "WEBHAND_NANOBOT_ENABLED", global = true, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = BoolishValueParser::new(), value_name = "BOOL")]
    pub(crate) nanobot_enabled: Option<bool>,
    /// Let the nanobot tools go anywhere while no allowed_domains are set; without it they then go nowhere
    #[arg(long, env = "WEBHAND_NANOBOT_OPEN", global = true, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = BoolishValueParser::new(), value_name = "BOOL")]
    pub(crate) nanobot_open: Option<bool>,
    /// The proxy to reach networks through, by http://HOST:PORT or socks5://HOST:PORT; takes effect when the session starts
    #[arg(long, env = "WEBHAND_UPSTREAM_PROXY", global = true, hide_env_values = true, value_name = "URL")]
    pub(crate) upstream_proxy: Option<PageUrl>,
    /// Where `webhand serve` listens (127.0.0.1:4820 by default)
    #[arg(long, env = "WEBHAND_LISTEN", global = true, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// Further host names under which `webhand serve` may be asked, more with commas
    #[arg(long, env = "WEBHAND_HOSTS", global = true, value_delimiter = ',', value_name = "NAME")]
    pub(crate) hosts: Option<Vec<String>>,
    /// Take MCP clients over HTTP for their users' own: the answers that they bring are approvals, and their roots are files to use; without it only clients that send the approvers' token count as such
    #[arg(long, env = "WEBHAND_TRUST_HTTP_CLIENTS", global = true, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = BoolishValueParser::new(), value_name = "BOOL")]
    pub(crate) trust_http_clients: Option<bool>,
    /// Folders that may be roots of MCP clients, or the one that a server is started in, although they are /, a whole home folder or hold WEBHAND_HOME, more with commas
    #[arg(long, env = "WEBHAND_WIDE_ROOTS", global = true, value_delimiter = ',', value_name = "FOLDER")]
    pub(crate) wide_roots: Option<Vec<PathBuf>>,
    /// The debugging port of a host application that opens pages for `webhand serve`, like http://127.0.0.1:9222
    #[arg(long, env = "WEBHAND_HOST_BROWSER", global = true, value_name = "URL")]
    pub(crate) host_browser: Option<String>,
    /// How long a command may take, like 10s (30s by default)
    #[arg(long, env = "WEBHAND_TIMEOUT", global = true, value_name = "TIME")]
    pub(crate) timeout: Option<Span>,
    /// How long an element is waited for that is not there or cannot be used yet, like 2s (5s by default, or nearly --timeout where that is given); takes effect when the daemon or server starts
    #[arg(long, env = "WEBHAND_ELEMENT_TIMEOUT", global = true, value_name = "TIME")]
    pub(crate) element_timeout: Option<Span>,
    /// Print the whole answer as JSON
    #[arg(long, env = "WEBHAND_JSON", global = true, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = BoolishValueParser::new(), value_name = "BOOL")]
    pub(crate) json: Option<bool>,
    /// How long the daemon stays without a command, like 10m (30m by default); takes effect when it starts
    #[arg(long, env = "WEBHAND_IDLE_TIMEOUT", global = true, value_name = "TIME")]
    pub(crate) idle_timeout: Option<Span>,
}

/// What the name of a profile means.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ProfileSettings {
    /// It is the browser that runs at this address.
    attach: Option<String>,
}

/// The command without those environment variables that are empty: such a variable is the same as none.
pub(crate) fn without_empty_variables(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| {
        let value = arg.get_env().and_then(env::var_os);
        if value.is_some_and(|value| is_blank(&value)) { arg.env(Resettable::Reset) } else { arg }
    })
}

/// Whether a variable has nothing but blanks and commas: a list of nothing.
pub(crate) fn is_blank(value: &OsStr) -> bool {
    value.to_str().is_some_and(|text| text.chars().all(|c| c.is_whitespace() || c == ','))
}

/// The command without its environment variables: what it takes, whoever calls it.
pub(crate) fn without_variables(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| arg.env(Resettable::Reset))
}

/// A group of tools that can be switched on, or all of them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Cap(String);

impl FromStr for Cap {
    type Err = Error;

    fn from_str(name: &str) -> Result<Cap> {
        let known: Vec<&str> = Group::ALL.iter().map(|group| group.as_str()).chain(["all"]).collect();
        match known.contains(&name) {
            true => Ok(Cap(name.to_owned())),
            false => {
                Err(Error::invalid(format!("{name:?} is no group of tools: they are {}", known.join(", "))))
            }
        }
    }
}

impl TryFrom<String> for Cap {
    type Error = Error;

    fn try_from(name: String) -> Result<Cap> {
        name.parse()
    }
}

impl Settings {
    /// Fills in from `config.toml` what neither a flag nor the environment says. A file that cannot be read or understood
    /// stops everything: going on with other settings than the user's would be worse.
    pub(crate) fn with_file(self, home: &Home) -> Result<Settings> {
        let path = home.config();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(self),
            Err(error) => {
                return Err(Error::invalid(format!("{} cannot be read", path.display()))
                    .with_cause(error)
                    .with_hint("make the file readable, or remove it"));
            }
        };
        let file: Settings = toml::from_str(&text).map_err(|error| {
            Error::invalid(format!("{} has a mistake", path.display()))
                .with_cause(toolsets::names::few(error.to_string().trim()))
                .with_hint("correct the file, or remove the key; `webhand help` lists the settings")
        })?;
        Ok(self.or(file))
    }

    /// Brings an engine's rules up to date with `config.toml`, which may have changed since it started. Rules that cannot be read let
    /// nothing pass.
    pub(crate) fn refresh_rules(home: &Home, engine: &Engine) -> Result<()> {
        engine.set_rules(Settings::default().with_file(home)?.rules);
        Ok(())
    }

    /// The environment variables that are settings.
    pub(crate) fn variables() -> impl Iterator<Item = &'static str> {
        static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
            let command = Settings::augment_args(clap::Command::new("settings"));
            let names = command.get_arguments().filter_map(|arg| arg.get_env()?.to_str().map(str::to_owned));
            names.collect()
        });
        NAMES.iter().map(String::as_str)
    }

    fn or(self, other: Settings) -> Settings {
        // Said once for each field; leaving one out is a compile error.
        let Settings {
            session,
            headed,
            profile,
            attach,
            browser,
            viewport,
            max_file,
            allow,
            policy,
            rules: _,
            profiles: _,
            approval_timeout,
            caps,
            mode,
            files,
            base_url,
            allowed_domains,
            resource_domains,
            blocked_domains,
            nanobot_enabled,
            nanobot_open,
            upstream_proxy,
            listen,
            hosts,
            trust_http_clients,
            wide_roots,
            host_browser,
            timeout,
            element_timeout,
            json,
            idle_timeout,
        } = self;
        Settings {
            session: session.or(other.session),
            headed: headed.or(other.headed),
            profile: profile.or(other.profile),
            attach: attach.or(other.attach),
            browser: browser.or(other.browser),
            viewport: viewport.or(other.viewport),
            max_file: max_file.or(other.max_file),
            allow: allow.or(other.allow),
            // Not one instead of the other: what the file says holds in any case.
            policy,
            rules: other.policy.unwrap_or_default(),
            profiles: other.profiles,
            approval_timeout: approval_timeout.or(other.approval_timeout),
            caps: caps.or(other.caps),
            mode: mode.or(other.mode),
            files: files.or(other.files),
            base_url: base_url.or(other.base_url),
            allowed_domains: allowed_domains.or(other.allowed_domains),
            resource_domains: resource_domains.or(other.resource_domains),
            blocked_domains: blocked_domains.or(other.blocked_domains),
            nanobot_enabled: nanobot_enabled.or(other.nanobot_enabled),
            nanobot_open: nanobot_open.or(other.nanobot_open),
            upstream_proxy: upstream_proxy.or(other.upstream_proxy),
            listen: listen.or(other.listen),
            hosts: hosts.or(other.hosts),
            trust_http_clients: trust_http_clients.or(other.trust_http_clients),
            wide_roots: wide_roots.or(other.wide_roots),
            host_browser: host_browser.or(other.host_browser),
            timeout: timeout.or(other.timeout),
            element_timeout: element_timeout.or(other.element_timeout),
            json: json.or(other.json),
            idle_timeout: idle_timeout.or(other.idle_timeout),
        }
    }

    pub(crate) fn session(&self) -> SessionName {
        self.session.clone().unwrap_or_default()
    }

    pub(crate) fn json(&self) -> bool {
        self.json.unwrap_or(false)
    }

    pub(crate) fn idle_timeout(&self) -> Span {
        self.idle_timeout.unwrap_or(IDLE)
    }

    /// What may be given to agents although it is wide.
    pub(crate) fn wide_roots(&self) -> Vec<PathBuf> {
        self.wide_roots.clone().unwrap_or_default()
    }

    /// How long a person may take to answer.
    pub(crate) fn approval_timeout(&self) -> Span {
        self.approval_timeout.unwrap_or(APPROVAL)
    }

    /// What a daemon is told when it is started.
    pub(crate) fn starting(&self) -> Starting {
        Starting { idle_timeout: self.idle_timeout(), approval_timeout: self.approval_timeout() }
    }

    /// An engine of this home.
    pub(crate) fn engine(&self, home: &Home) -> Config {
        Config {
            rules: self.rules.clone(),
            approval_time: self.approval_timeout().0,
            ..Config::new(home.path())
        }
    }

    /// Where HTTP clients are listened for.
    pub(crate) fn listen(&self) -> SocketAddr {
        self.listen.unwrap_or(LISTEN)
    }

    /// How long an action may take in an engine of our own.
    pub(crate) fn time_limit(&self) -> Duration {
        self.timeout.map_or(TIME_LIMIT, |span| span.0)
    }

    /// How tools are set, for somebody who has named these toolsets.
    pub(crate) fn tool_options(&self, named: &[String]) -> toolsets::Options {
        toolsets::Options {
            caps: self.caps.iter().flatten().map(|Cap(name)| name.clone()).collect(),
            mode: self.mode.unwrap_or_default(),
            files: self.files.clone().unwrap_or_else(|| FILES.into()),
            base_url: self.base_url.clone(),
            allowed_domains: self.allowed_domains.clone(),
            nanobot_enabled: self
                .nanobot_enabled
                .unwrap_or_else(|| named.iter().any(|name| name == "nanobot")),
            nanobot_open: self.nanobot_open.unwrap_or(false),
            element_timeout: self.element_timeout,
            attached: self
                .profiles
                .iter()
                .filter_map(|(name, profile)| Some((name.clone(), profile.attach.clone()?)))
                .collect(),
            can_search: crate::search::key().is_some(),
        }
    }

    /// How the session is to be started, by whoever is in this folder.
    pub(crate) fn session_options(&self, folder: &Path) -> SessionOptions {
        SessionOptions {
            // A path means something in the client's folder, not in the daemon's; a bare name is looked for on the PATH.
            browser: self.browser.clone().map(|browser| match browser.components().count() {
                0 | 1 => browser,
                _ => std::path::absolute(folder.join(&browser)).unwrap_or(browser),
            }),
            headed: self.headed,
            profile: self.profile.clone(),
            attach: self.attach.clone(),
            targets: None,
            allow: self.allow.clone().unwrap_or_default(),
            viewport: self.viewport,
            max_file: self.max_file,
            policy: self.policy.clone().unwrap_or_default(),
            // A list that cannot be read allows nothing, not everything.
            allowed_domains: self
                .allowed_domains
                .as_deref()
                .map(|list| Domains::read(list).unwrap_or_default()),
            narrowed_domains: None,
            resource_domains: self.resource_domains.clone().map(Domains),
            blocked_domains: self.blocked_domains.clone().map(Domains),
            upstream_proxy: self.upstream_proxy.clone(),
            agent: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};

    use super::*;

    /// The names of all settings, as flags.
    fn flags() -> Vec<(String, Option<String>)> {
        let command = Settings::augment_args(Command::new("test"));
        command
            .get_arguments()
            .map(|arg| {
                (arg.get_id().to_string(), arg.get_env().map(|env| env.to_string_lossy().into_owned()))
            })
            .collect()
    }

    #[test]
    fn groups_of_tools_are_known_ones() {
        assert!("vision".parse::<Cap>().is_ok() && "all".parse::<Cap>().is_ok());
        let error = "frob".parse::<Cap>().unwrap_err();
        assert!(error.message.contains("vision") && error.message.contains("frob"), "{error}");
        assert!(toml::from_str::<Settings>("caps = [\"frob\"]").is_err());
        for (text, is_none) in [("", true), (" ", true), (",", true), ("localhost", false)] {
            assert_eq!(is_blank(OsStr::new(text)), is_none, "{text:?}");
        }
    }

    #[test]
    fn every_setting_has_one_name() {
        for (name, variable) in flags() {
            assert_eq!(variable, Some(format!("WEBHAND_{}", name.to_uppercase())));
            // The key is known to the file as well: a wrong type is another complaint than an unknown field.
            let unknown = toml::from_str::<Settings>(&format!("{name} = [[]]")).unwrap_err().to_string();
            assert!(!unknown.contains("unknown field"), "{name}: {unknown}");
        }
        assert!(flags().iter().any(|(name, _)| name == "allow"));
    }

    #[test]
    fn a_flag_wins_over_the_file() {
        let command = Settings::augment_args(Command::new("test"));
        let matches = command.get_matches_from(["test", "--session", "flag", "--headed"]);
        let flags = Settings::from_arg_matches(&matches).unwrap();
        let file: Settings =
            toml::from_str("session = 'file'\ntimeout = '5s'\nallow = ['localhost:3000']").unwrap();
        let merged = flags.or(file);
        assert_eq!(merged.session().as_str(), "flag");
        assert_eq!(merged.timeout, Some(Span::seconds(5)));
        assert_eq!(merged.session_options(Path::new("/")).allow.len(), 1);
        assert_eq!(merged.headed, Some(true));
    }

    #[test]
    fn no_flag_takes_the_rules_of_the_file_away() {
        let file = "[[policy]]\neffect = ['submit']\norigin = '*.bank.example'\ndecide = 'ask'\n\
                    examples = [{effect = 'submit', url = 'https://www.bank.example/pay', decide = 'ask'}]";
        let file: Settings = toml::from_str(file).unwrap();
        let flags = Settings { policy: Some(Rules::default()), ..Settings::default() };
        let merged = flags.or(file.clone());
        assert_eq!(
            (Some(&merged.rules), merged.policy.as_ref()),
            (file.policy.as_ref(), Some(&Rules::default()))
        );
        let wrong = "[[policy]]\ndecide = 'allow'\n[[policy]]\ndecide = 'deny'\n\
                     examples = [{effect = 'read', url = 'https://x.example/', decide = 'deny'}]";
        let error = toml::from_str::<Settings>(wrong).unwrap_err().to_string();
        assert!(error.contains("rule 2") && error.contains("rule 1"), "{error}");
    }

    #[test]
    fn a_mistake_in_the_file_is_an_error() {
        for text in [
            "[[policy]]\neffect = 'sbmit'\ndecide = 'ask'",
            "sesion = 'x'",
            "timeout = 'soon'",
            "allow = ['a b']",
            "session = '../x'",
            "not toml",
        ] {
            assert!(toml::from_str::<Settings>(text).is_err(), "{text}");
        }
    }
}

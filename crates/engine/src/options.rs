//! What callers say: how a session is to be, and what to do in it.

use std::{fmt, path::PathBuf, str::FromStr};

use contract::{AgentName, Code, Error, PageUrl, Place, Result, SessionName, Size, Span, TabId};
use guard::{Allow, Domains, Files, Places, Policy, proxy::Upstream, rules::Rules};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Action, Budget};

/// How a session is to be. What is not said takes its default when the session starts, and is no contradiction later.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionOptions {
    /// The browser to start; none: the one that is found.
    pub browser: Option<PathBuf>,
    /// Whether there is a window to see.
    pub headed: Option<bool>,
    /// A named profile that outlives the session.
    pub profile: Option<SessionName>,
    /// Somebody else's browser, by `http://host:port` or `ws://…`.
    pub attach: Option<String>,
    /// Of somebody else's browser only these targets; more can be adopted. None: all its pages.
    pub targets: Option<Vec<String>>,
    /// Private places that its policy allows by name.
    pub allow: Vec<Allow>,
    /// The size of its pages.
    pub viewport: Option<Viewport>,
    /// The only domains that its tabs may go to; none: all that the policy allows.
    pub allowed_domains: Option<Domains>,
    /// Fewer of those domains, as an agent asked for. The engine keeps a session of this name to them as long as it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narrowed_domains: Option<Domains>,
    /// The only domains, besides those, that its pages may get anything from; none: all.
    pub resource_domains: Option<Domains>,
    /// Domains that it may have nothing to do with.
    pub blocked_domains: Option<Domains>,
    /// The proxy that the user is behind: `http://…` or `socks5://…`.
    pub upstream_proxy: Option<PageUrl>,
    /// Rules of its own, which can only be stricter than the engine's.
    #[serde(skip_serializing_if = "Rules::is_empty")]
    pub policy: Rules,
    /// How large a file may be that comes from a page or goes to one; none: 2 GB.
    pub max_file: Option<Size>,
    /// The agent that calls, where callers have tokens. A session that an agent with a token of its own has started is that agent's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
}

/// An agent, and what its token lets it have. It can only be less than what all sessions may.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Agent {
    /// Its name.
    pub name: AgentName,
    /// Which token it came with: by this it is revoked, and it tells nothing of the token itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub token: String,
    /// Further rules, which can only be stricter.
    #[serde(skip_serializing_if = "Rules::is_empty")]
    pub policy: Rules,
    /// The only domains that its tabs may go to; none: all that are allowed otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_domains: Option<Domains>,
    /// How many sessions it may have at the same time; none: any number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<u32>,
}

/// How large a file may be, unless something else is said.
const LARGEST_FILE: Size = Size(2_000_000_000);

impl SessionOptions {
    /// Refuses options that contradict each other.
    pub fn check(&self) -> Result<()> {
        match (&self.profile, &self.attach) {
            (Some(_), Some(_)) => {
                Err(Error::invalid("a session has a profile or is attached to a browser, not both")
                    .with_hint("leave out --profile or --attach"))
            }
            (_, Some(_)) if self.upstream_proxy.is_some() => {
                Err(Error::invalid("a browser that is attached to has its own way to networks")
                    .with_hint("leave out --upstream-proxy, and set the proxy in that browser"))
            }
            _ if self.resource_domains.is_some() && self.allowed_domains.is_none() => {
                Err(Error::invalid("pages of all domains are allowed, but not what they are made of")
                    .with_hint("say with allowed_domains where tabs may go"))
            }
            _ => self.upstream().map(drop),
        }
    }

    /// The proxy that the user is behind.
    pub(crate) fn upstream(&self) -> Result<Option<Upstream>> {
        self.upstream_proxy.as_ref().map(|address| address.expose().parse()).transpose()
    }

    /// The only domains that its tabs may go to after all narrowing; none: all that the policy allows.
    pub fn domains(&self) -> Option<Domains> {
        let narrowed = both(self.allowed_domains.as_ref(), self.narrowed_domains.as_ref());
        both(narrowed.as_ref(), self.agent.as_ref().and_then(|agent| agent.allowed_domains.as_ref()))
    }

    /// The agent with a token of its own whose session it is.
    pub fn owner(&self) -> Option<&Agent> {
        self.agent.as_ref().filter(|agent| !agent.name.is_default())
    }

    /// The same options, narrowed further to these domains.
    #[must_use]
    pub fn narrowed_to(&self, domains: Option<&Domains>) -> SessionOptions {
        SessionOptions { narrowed_domains: both(self.narrowed_domains.as_ref(), domains), ..self.clone() }
    }

    /// What such a session may connect to, in an engine that allows these places to all.
    pub fn places(&self, allow: &[Allow]) -> Places {
        Places {
            allow: [allow, &self.allow].concat(),
            allowed_domains: self.domains(),
            resource_domains: self.resource_domains.clone(),
            blocked_domains: self.blocked_domains.clone().unwrap_or_default(),
        }
    }

    /// How large a file may be that comes from a page or goes to one.
    pub fn largest_file(&self) -> Size {
        self.max_file.unwrap_or(LARGEST_FILE)
    }

    /// The rules of such a session.
    pub fn policy(&self) -> Policy {
        Policy { allow: self.allow.clone(), domains: self.domains() }
    }

    /// Refuses a session of another agent's. Who comes without a token is the person, who may use all of them.
    pub(crate) fn check_owner(&self, running: &SessionOptions, name: &SessionName) -> Result<()> {
        let owner = |options: &SessionOptions| options.owner().map(|agent| agent.name.clone());
        if self.agent.is_none() || owner(self) == owner(running) {
            return Ok(());
        }
        Err(Error::new(Code::ActionDenied, format!("the session {name} belongs to another caller"))
            .with_hint("use a session of your own"))
    }

    /// Refuses what contradicts the session as it runs.
    pub(crate) fn check_against(&self, running: &SessionOptions, name: &SessionName) -> Result<()> {
        self.check_owner(running, name)?;
        let differs = |what: &str| {
            Err(Error::invalid(format!("session {name} is already running with another {what}")).with_hint(
                format!("close it first with `webhand close --session {name}`, or use another --session"),
            ))
        };
        if self.profile.is_some() && self.profile != running.profile {
            return differs("profile");
        }
        if self.attach.is_some() && self.attach != running.attach {
            return differs("browser attached");
        }
        if self.headed.is_some_and(|headed| headed != running.headed.unwrap_or(false))
            && running.attach.is_none()
        {
            return differs("window setting");
        }
        if self.viewport.is_some_and(|viewport| viewport != running.viewport.unwrap_or_default()) {
            return differs("viewport");
        }
        if self.allow.iter().any(|place| !running.allow.contains(place)) {
            return differs("list of allowed places");
        }
        if self.allowed_domains.is_some() && self.allowed_domains != running.allowed_domains {
            return differs("list of domains");
        }
        if self.narrowed_domains.is_some() {
            let now = running.domains();
            if both(now.as_ref(), self.narrowed_domains.as_ref()) != now {
                return differs("list of domains");
            }
        }
        if self.resource_domains.is_some() && self.resource_domains != running.resource_domains {
            return differs("list of domains for what pages use");
        }
        if self.blocked_domains.is_some() && self.blocked_domains != running.blocked_domains {
            return differs("list of blocked domains");
        }
        if self.upstream_proxy.is_some() && self.upstream_proxy != running.upstream_proxy {
            return differs("proxy");
        }
        if !self.policy.is_empty() && self.policy != running.policy {
            return differs("policy");
        }
        if self.owner().is_some() && self.owner() != running.owner() {
            return differs("token of its agent");
        }
        Ok(())
    }
}

/// The domains that are on both lists; no list has all.
fn both(one: Option<&Domains>, other: Option<&Domains>) -> Option<Domains> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.and(other)),
        (one, other) => one.or(other).cloned(),
    }
}

/// The size of a page in CSS pixels and the number of device pixels to each: `1280x720`, `390x844@3`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Device pixels to a CSS pixel.
    pub scale: f64,
}

impl Default for Viewport {
    fn default() -> Self {
        Viewport { width: 1280, height: 720, scale: 1.0 }
    }
}

impl FromStr for Viewport {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = || {
            Error::invalid(format!("{text:?} is not a viewport")).with_hint(
                "write it like 1280x720 or 390x844@3, each side from 1 to 10000, the scale from 0.1 to 10",
            )
        };
        let (size, scale) = text.split_once('@').unwrap_or((text, "1"));
        let (width, height) = size.split_once('x').ok_or_else(bad)?;
        let side = |side: &str| side.parse().ok().filter(|side| (1..=10_000).contains(side)).ok_or_else(bad);
        let scale = scale.parse().ok().filter(|scale| (0.1..=10.0).contains(scale)).ok_or_else(bad)?;
        Ok(Viewport { width: side(width)?, height: side(height)?, scale })
    }
}

impl fmt::Display for Viewport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)?;
        if self.scale == 1.0 { Ok(()) } else { write!(f, "@{}", self.scale) }
    }
}

impl Serialize for Viewport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Viewport {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(|error: Error| serde::de::Error::custom(error.message))
    }
}

/// Which way an action came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Front {
    /// The command line.
    Cli,
    /// `webhand demo`.
    Demo,
    /// An MCP client.
    Mcp,
    /// An HTTP client.
    Http,
    /// Rust code.
    Library,
}

impl Front {
    /// As the journal spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Front::Cli => "cli",
            Front::Demo => "demo",
            Front::Mcp => "mcp",
            Front::Http => "http",
            Front::Library => "library",
        }
    }
}

/// An action and what goes with it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// What to do.
    pub action: Action,
    /// The tab to do it in; none: the active one.
    pub tab: Option<TabId>,
    /// How long it may take; none: as configured.
    pub timeout: Option<Span>,
    /// How long an element is waited for that is not there, or cannot be used yet; none: five seconds, or nearly `timeout` where
    /// that is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element_timeout: Option<Span>,
    /// Which way it came in.
    pub front: Front,
    /// The agent whose token the caller has. The engine takes it from the options of the session.
    #[serde(skip)]
    pub agent: Option<AgentName>,
    /// The files that it may name.
    #[serde(default)]
    pub files: Files,
    /// How long it may wait for a person; none: as long as the person has. What is answered later holds for the same action again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<Span>,
    /// The time that it shares with other requests of the same call; none: it has its time for itself.
    #[serde(skip)]
    pub budget: Option<Budget>,
    /// The page that it is meant for, by the outcome of what went before; none: any. If the tab shows another one by then, nothing is
    /// done, and the error is `BATCH_STOPPED`.
    #[serde(skip)]
    pub from: Option<Place>,
    /// Whether its points are counted in the last picture that was sent, as those who see pages in pictures count them.
    #[serde(default)]
    pub points_in_picture: bool,
    /// Whether it is only to be told what would be done: the outcome has a plan then, and nothing is done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl Request {
    /// An action for the active tab, from Rust code.
    pub fn new(action: impl Into<Action>) -> Self {
        Request {
            action: action.into(),
            tab: None,
            timeout: None,
            element_timeout: None,
            front: Front::Library,
            agent: None,
            files: Files::default(),
            patience: None,
            budget: None,
            from: None,
            points_in_picture: false,
            dry_run: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn viewports() {
        for text in ["1280x720", "390x844@3", "1x1@0.5"] {
            assert_eq!(text.parse::<Viewport>().unwrap().to_string(), text);
        }
        for bad in ["", "1280", "0x1", "1x0", "1280x720@0", "1280x720@x", "99999x1", "-1x5"] {
            assert!(bad.parse::<Viewport>().is_err(), "{bad:?}");
        }
    }
}

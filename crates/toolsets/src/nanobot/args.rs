//! The arguments of `browser`, and what they mean to the engine.

use std::{path::PathBuf, time::Duration};

use contract::{Error, PageUrl, Result, Span, Target, Typed};
use engine::{Until, actions::Wait};
use guard::Domain;
use schemars::JsonSchema;
use serde::Deserialize;
use url::Host;

use crate::browser::target::place;

/// The longest time, in milliseconds: a day.
const LONGEST: f64 = 86_400_000.0;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Args {
    pub(super) action: Action,
    /// For navigate and download
    #[schemars(with = "Option<String>")]
    pub(super) url: Option<PageUrl>,
    /// The element for click, type, wait and download: a ref of the snapshot (e12), or as strategy says
    #[serde(alias = "ref", alias = "target")]
    pub(super) selector: Option<String>,
    /// What the selector is; auto takes refs, CSS, XPath and plain words
    #[serde(default)]
    strategy: Strategy,
    /// What to type, or what to wait for in the page
    #[schemars(with = "Option<String>")]
    text: Option<Typed>,
    /// After typing, press Enter
    #[serde(default)]
    pub(super) submit: bool,
    /// For wait: milliseconds. Without time, selector and text it waits until the network is idle
    time: Option<f64>,
    /// For navigate: load, domcontentloaded or networkidle
    #[schemars(with = "Option<String>")]
    pub(super) wait_until: Option<Until>,
    /// Milliseconds that the action may take, 30000 if left out
    timeout: Option<f64>,
    /// For start: keep cookies in a profile of this domain. For login: the site
    domain: Option<String>,
    /// For start: the only domains that may be gone to, such as example.com or *.example.com; [] denies all
    pub(super) allowed_domains: Option<Vec<String>>,
    /// For start, true if left out
    pub(super) headless: Option<bool>,
    #[serde(default)]
    pub(super) login_strategy: LoginStrategy,
    /// For snapshot: only what can be used
    #[serde(default)]
    pub(super) interactive: bool,
    /// For snapshot
    pub(super) max_chars: Option<usize>,
    /// For download: file or folder to put it
    pub(super) path: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Action {
    Start,
    Stop,
    Navigate,
    Snapshot,
    Click,
    Type,
    Wait,
    Login,
    Download,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Strategy {
    #[default]
    Auto,
    Aria,
    Id,
    Testid,
    Css,
    Text,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum LoginStrategy {
    #[default]
    Auto,
    Adapter,
    Generic,
    Manual,
}

impl Args {
    pub(super) fn url(&self) -> Result<PageUrl> {
        self.url.clone().ok_or_else(|| self.missing("url"))
    }

    pub(super) fn typed(&self) -> Result<Typed> {
        self.text.clone().ok_or_else(|| self.missing("text"))
    }

    /// The element that is meant.
    pub(super) fn target(&self) -> Result<Target> {
        let text = self.selector.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| self.missing("selector"))?;
        Ok(match self.strategy {
            Strategy::Auto => place(text)?,
            Strategy::Css => Target::Css(text.into()),
            Strategy::Id => Target::Css(format!("[id={}]", quoted(text.strip_prefix('#').unwrap_or(text)))),
            Strategy::Testid => Target::Css(format!("[data-testid={}]", quoted(text))),
            Strategy::Aria | Strategy::Text => Target::Words(text.into()),
        })
    }

    fn missing(&self, name: &str) -> Error {
        let action = format!("{:?}", self.action).to_lowercase();
        Error::invalid(format!("{action} needs {name}"))
    }

    /// What to wait for.
    pub(super) fn wait(&self) -> Result<Wait> {
        Ok(match (self.time, &self.selector, &self.text) {
            (None, None, None) => Wait::until(Until::NetworkIdle),
            (Some(time), None, None) => Wait::until(Until::Time(span("time", time, 0.0)?)),
            (None, Some(_), None) => Wait { target: Some(self.target()?), ..Wait::default() },
            (None, None, Some(text)) => Wait { text: Some(text.expose().into()), ..Wait::default() },
            _ => return Err(Error::invalid("wait takes one of time, selector and text, not several")),
        })
    }

    /// How long it may take.
    pub(super) fn timeout(&self) -> Result<Option<Span>> {
        self.timeout.map(|time| span("timeout", time, 1.0)).transpose()
    }

    /// The domain as browsers write it.
    pub(super) fn domain(&self) -> Result<Option<String>> {
        let Some(written) = &self.domain else { return Ok(None) };
        match written.parse()? {
            Domain::Only(Host::Domain(name)) => Ok(Some(name)),
            Domain::Only(Host::Ipv4(address)) => Ok(Some(address.to_string())),
            _ => Err(Error::invalid("domain has to be one domain").with_hint("write it like example.com")),
        }
    }
}

fn span(name: &str, milliseconds: f64, least: f64) -> Result<Span> {
    if !(least..=LONGEST).contains(&milliseconds) {
        return Err(Error::invalid(format!("{name} has to be between {least} and {LONGEST} milliseconds")));
    }
    Ok(Span(Duration::from_secs_f64(milliseconds / 1000.0)))
}

/// A text as a string of CSS (CSS Syntax, 4.3.5): quotes, backslashes and line ends are escaped.
fn quoted(text: &str) -> String {
    let mut css = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => css.extend(['\\', c]),
            '\n' | '\r' | '\x0c' => css += &format!("\\{:x} ", u32::from(c)),
            c => css.push(c),
        }
    }
    css + "\""
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::args::read;

    fn target(strategy: &str, selector: &str) -> Target {
        let args = json!({"action": "click", "strategy": strategy, "selector": selector});
        read::<Args>(args).unwrap().target().unwrap()
    }

    #[test]
    fn strategies() {
        let css = |text: &str| Target::Css(text.into());
        let words = |text: &str| Target::Words(text.into());
        assert_eq!(target("auto", "e12"), Target::Ref("e12".parse().unwrap()));
        assert_eq!(target("auto", "#go"), css("#go"));
        assert_eq!(target("auto", "the login button"), words("the login button"));
        assert_eq!(target("auto", "//a"), Target::Xpath("//a".into()));
        assert_eq!(target("css", "button"), css("button"));
        assert_eq!(target("id", "a:b"), css("[id=\"a:b\"]"));
        assert_eq!(target("id", "#x"), css("[id=\"x\"]"));
        assert_eq!(target("testid", "x\"], a[b=\"\\"), css("[data-testid=\"x\\\"], a[b=\\\"\\\\\"]"));
        assert_eq!(target("aria", "e12"), words("e12"));
        assert_eq!(target("text", "Log in"), words("Log in"));
    }

    #[test]
    fn domains() {
        let domain = |text: &str| read::<Args>(json!({"action": "start", "domain": text})).unwrap().domain();
        assert_eq!(domain("Mail.QQ.com.").unwrap().as_deref(), Some("mail.qq.com"));
        assert_eq!(domain("例子.测试").unwrap().as_deref(), Some("xn--fsqu00a.xn--0zwm56d"));
        for bad in ["", "*.a.com", "*", "../x", "a.com/b", "https://a.com", "a.com:1", "::1"] {
            assert!(domain(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times() {
        let args = |value: Value| read::<Args>(value).unwrap();
        for bad in [-1.0, 0.0, 1e99] {
            assert!(args(json!({"action": "click", "timeout": bad})).timeout().is_err(), "{bad}");
        }
        assert!(args(json!({"action": "wait", "time": 1, "text": "x"})).wait().is_err());
        assert!(
            args(json!({"action": "wait"})).wait().is_ok_and(|wait| wait.until == Some(Until::NetworkIdle))
        );
    }
}

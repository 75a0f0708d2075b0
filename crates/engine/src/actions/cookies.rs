//! `cookies`: those of the session, listed, set, deleted.

use clap::{Args, Subcommand, ValueEnum};
use contract::{Effect, Error, Outcome, PageUrl, Result, Typed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use super::{Needs, Run, Verb};
use crate::cookies::{self, Which};

/// List, set or delete the cookies of the session
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Cookies {
    /// What to do with them; without it they are listed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[command(subcommand)]
    pub op: Option<CookiesOp>,
}

/// What to do with cookies.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Subcommand)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum CookiesOp {
    /// List them
    List {
        /// Only those that are sent to this address
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[arg(long)]
        url: Option<PageUrl>,
        /// With their values, instead of only the length
        #[serde(default)]
        #[arg(long)]
        values: bool,
    },
    /// Print those of a name, with their values
    Get {
        /// The name
        name: String,
        /// Only one that is sent to this address
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[arg(long)]
        url: Option<PageUrl>,
    },
    /// Set one, for the page that the tab is at unless a domain or an address is named
    Set(SetCookie),
    /// Delete those of a name
    Delete {
        /// The name
        name: String,
        /// Only those that are sent to this address
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[arg(long)]
        url: Option<PageUrl>,
        /// Only those of this domain
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[arg(long)]
        domain: Option<String>,
    },
    /// Delete all
    Clear {
        /// Only those that are sent to this address
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[arg(long)]
        url: Option<PageUrl>,
    },
}

/// A cookie to be set.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct SetCookie {
    /// The name
    pub name: String,
    /// The value. It is never written down
    pub value: Typed,
    /// The address whose site gets it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, conflicts_with = "domain")]
    pub url: Option<PageUrl>,
    /// The domain that gets it; with a dot before it, those below it as well
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub domain: Option<String>,
    /// The path below which it is sent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub path: Option<String>,
    /// When it ends: seconds since 1970, or a time such as 2030-01-31T12:00:00Z. Without it, with the session
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "TIME")]
    pub expires: Option<String>,
    /// Not for scripts
    #[serde(default)]
    #[arg(long)]
    pub http_only: bool,
    /// Only over https
    #[serde(default)]
    #[arg(long)]
    pub secure: bool,
    /// Whether other sites may cause it to be sent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_enum)]
    pub same_site: Option<SameSite>,
}

/// Whether other sites may cause a cookie to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum SameSite {
    /// Never.
    Strict,
    /// By a link.
    Lax,
    /// Always; needs `secure`.
    None,
}

impl Verb for Cookies {
    const NAME: &'static str = "cookies";

    fn effect(&self) -> Effect {
        match &self.op {
            None | Some(CookiesOp::List { values: false, .. }) => Effect::Read,
            Some(CookiesOp::List { values: true, .. } | CookiesOp::Get { .. }) => Effect::Credential,
            Some(_) => Effect::Input,
        }
    }

    fn needs(&self) -> Needs {
        match &self.op {
            // It is for the page that the tab is at.
            Some(CookiesOp::Set(SetCookie { url: None, domain: None, .. })) => Needs::Tab,
            _ => Needs::Session,
        }
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let told = |value: Value| Ok(Outcome { value: Some(value), ..Outcome::default() });
        match &self.op {
            None => told(list(run, Which::default(), Values::Masked).await?),
            Some(CookiesOp::List { url, values }) => {
                let values = if *values { Values::Shown } else { Values::Masked };
                told(list(run, Which { url: address(url.as_ref())?, ..Which::default() }, values).await?)
            }
            Some(CookiesOp::Get { name, url }) => {
                let which = Which { name: Some(name.clone()), url: address(url.as_ref())?, domain: None };
                match list(run, which, Values::Shown).await? {
                    Value::Array(found) if found.is_empty() => Err(missing(name)),
                    found => told(found),
                }
            }
            Some(CookiesOp::Set(cookie)) => {
                run.session.secrets().stored(&cookie.name, cookie.value.expose(), cookie.http_only);
                let param = cookie.param(run)?;
                run.context.set_cookies(vec![param.clone()], run.deadline).await?;
                taken(run, &param).await
            }
            Some(CookiesOp::Delete { name, url, domain }) => {
                let (name, url, domain) = (Some(name.clone()), address(url.as_ref())?, domain.clone());
                let which = Which { name: name.clone(), url, domain };
                match delete(run, &which).await? {
                    0 => Err(missing(&name.unwrap_or_default())),
                    deleted => told(json!({"deleted": deleted})),
                }
            }
            Some(CookiesOp::Clear { url: None }) => {
                let deleted = run.context.cookies(run.deadline).await?.len();
                run.context.clear_cookies(run.deadline).await?;
                told(json!({"deleted": deleted}))
            }
            Some(CookiesOp::Clear { url }) => {
                let which = Which { url: address(url.as_ref())?, ..Which::default() };
                told(json!({"deleted": delete(run, &which).await?}))
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Shown,
    Masked,
}

async fn list(run: &Run<'_>, which: Which, values: Values) -> Result<Value> {
    let cookies = run.context.cookies(run.deadline).await?;
    let found = cookies.iter().filter(|cookie| which.means(cookie));
    Ok(found.map(|cookie| cookies::told(cookie, values == Values::Shown)).collect())
}

/// The cookie as it is now. The browser does not say so when it takes none, or another one than it was given.
async fn taken(run: &Run<'_>, param: &Value) -> Result<Outcome> {
    let wanted = Which {
        name: param["name"].as_str().map(str::to_owned),
        url: None,
        domain: match param["url"].as_str() {
            Some(url) => Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)),
            None => param["domain"].as_str().map(str::to_owned),
        },
    };
    let cookies = run.context.cookies(run.deadline).await?;
    let is_as_asked = |cookie: &&Value| {
        let same = |name: &str| param[name].is_null() || cookie[name] == param[name];
        wanted.means(cookie) && ["value", "path", "sameSite", "httpOnly", "secure"].into_iter().all(same)
    };
    let taken = cookies.iter().find(is_as_asked).ok_or_else(|| {
        Error::invalid("the browser did not take the cookie as it was asked for")
            .with_hint("check that it is not over, that SameSite=None goes with secure, its domain and its path")
    })?;
    let ends = |cookie: &Value| cookie["expires"].as_f64().filter(|ends| *ends > 0.0);
    let notes = match (ends(param), ends(taken)) {
        (Some(asked), Some(ends)) if asked - ends > 60.0 => {
            vec!["it ends earlier than asked for: the browser keeps cookies for at most 400 days".into()]
        }
        _ => Vec::new(),
    };
    Ok(Outcome { value: Some(cookies::told(taken, false)), notes, ..Outcome::default() })
}

async fn delete(run: &Run<'_>, which: &Which) -> Result<usize> {
    let mut cookies = run.context.cookies(run.deadline).await?;
    cookies.retain(|cookie| which.means(cookie));
    run.context.delete_cookies(&cookies, run.deadline).await?;
    Ok(cookies.len())
}

fn missing(name: &str) -> Error {
    Error::invalid(format!("there is no such cookie: {name:?}"))
        .with_hint("list those that there are with `webhand cookies`")
}

fn address(url: Option<&PageUrl>) -> Result<Option<Url>> {
    let Some(url) = url else { return Ok(None) };
    let parsed = Url::parse(url.expose()).ok().filter(|parsed| matches!(parsed.scheme(), "http" | "https"));
    parsed.map(Some).ok_or_else(|| {
        Error::invalid(format!("{url} is no address that has cookies"))
            .with_hint("give an http or https address")
    })
}

impl SetCookie {
    /// The cookie as the protocol wants it.
    fn param(&self, run: &Run<'_>) -> Result<Value> {
        let mut param = json!({
            "name": self.name, "value": self.value.expose(), "httpOnly": self.http_only, "secure": self.secure,
        });
        match (&self.domain, address(self.url.as_ref())?) {
            (Some(_), Some(_)) => {
                return Err(Error::invalid("a cookie is for an address or for a domain, not for both"));
            }
            (Some(domain), None) if cookies::is_domain(domain) => param["domain"] = domain.as_str().into(),
            (Some(domain), None) => {
                return Err(Error::invalid(format!("{domain:?} is no domain"))
                    .with_hint("write it like shop.example"));
            }
            (None, Some(url)) => param["url"] = url.as_str().into(),
            (None, None) => {
                let (_, tab) = run.tab()?;
                let here = tab.read(|state| state.document.address().to_owned());
                let here = address(Some(&PageUrl::from(&*here))).map_err(|_| {
                    Error::invalid("it is not said which site the cookie is for, and the tab is at none")
                        .with_hint("add --url or --domain")
                })?;
                param["url"] = here.map(String::from).into();
            }
        }
        if let Some(path) = &self.path {
            param["path"] = path.as_str().into();
        } else if self.domain.is_some() {
            param["path"] = "/".into();
        }
        if let Some(expires) = &self.expires {
            param["expires"] = seconds(expires)?.into();
        }
        if let Some(same_site) = self.same_site {
            let spelled = match same_site {
                SameSite::Strict => "Strict",
                SameSite::Lax => "Lax",
                SameSite::None => "None",
            };
            param["sameSite"] = spelled.into();
        }
        Ok(param)
    }
}

/// Seconds since 1970.
fn seconds(text: &str) -> Result<f64> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.or_else(|| text.parse::<jiff::Timestamp>().ok().map(|time| time.as_second() as f64)).ok_or_else(
        || {
            Error::invalid(format!("{text:?} is no time"))
                .with_hint("write it like 2030-01-31T12:00:00Z, or as seconds since 1970")
        },
    )
}

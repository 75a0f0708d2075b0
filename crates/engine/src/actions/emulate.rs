//! `emulate`: what the pages of the session are made to believe about device, language, place and network.

use cdp::protocol as p;
use clap::Args;
use contract::{Code, Effect, Error, FrameId, Outcome, Result, Typed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Needs, Run, Verb};
pub use crate::emulation::ColorScheme;
use crate::{emulation::Emulation, lift::lift, presets::Preset, tab::Tab};

/// What takes a setting back.
const NONE: &str = "none";

/// Set what pages believe about device, language, place and network, for all tabs; without options tell what is set
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
#[serde(default)]
pub struct Emulate {
    /// A device, with its size and user agent: iphone-15, pixel-9, ipad, laptop, desktop-1080p …
    #[serde(skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// What the browser calls itself; `none` for its own name
    #[serde(skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "TEXT")]
    pub user_agent: Option<String>,
    /// The language, such as de-DE: what is asked for, and how numbers and dates look; or `none`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub locale: Option<String>,
    /// The time zone, such as Asia/Tokyo; or `none`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "ZONE")]
    pub timezone: Option<String>,
    /// Where the browser is: latitude,longitude[,metres]. Pages may ask for it; or `none`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "LAT,LON", allow_hyphen_values = true)]
    pub geolocation: Option<String>,
    /// The colours that a person prefers
    #[serde(skip_serializing_if = "Option::is_none")]
    #[arg(long, value_enum)]
    pub color_scheme: Option<ColorScheme>,
    /// Whether a person prefers that little moves: `--reduced-motion`, `--reduced-motion=false`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "BOOL")]
    pub reduced_motion: Option<bool>,
    /// Whether there is no network: `--offline`, `--offline=false`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "BOOL")]
    pub offline: Option<bool>,
    /// A header for every request, such as 'X-Test: 1'; without a value it is taken back. Its value is never written down
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<Header>,
    /// Take back all that was set before, the size of pages included
    #[arg(long)]
    pub reset: bool,
}

/// A header of requests. Its value is a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Its value; an empty one takes the header back.
    pub value: Typed,
}

impl std::str::FromStr for Header {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, value) = text.split_once(':').unwrap_or((text, ""));
        Ok(Header { name: name.trim().into(), value: value.trim().into() })
    }
}

impl Verb for Emulate {
    const NAME: &'static str = "emulate";

    fn effect(&self) -> Effect {
        if self.only_tells() { Effect::Read } else { Effect::Input }
    }

    fn needs(&self) -> Needs {
        if self.only_tells() { Needs::Session } else { Needs::PageOrNew }
    }

    fn starts_session(&self) -> bool {
        !self.only_tells()
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let mut notes = Vec::new();
        if !self.only_tells() {
            let _turn = run.context.pages.turn(run.deadline).await?;
            let before =
                if self.reset { run.session.first_emulation() } else { run.context.pages.emulation() };
            let emulation = self.changed(before, &run.context.browser.version)?;
            let (_, tab) = run.tab()?;
            check_with_browser(&emulation, tab, run).await?;
            notes = run.emulate(emulation).await?;
        }
        let value = serde_json::to_value(run.context.pages.emulation()).ok();
        Ok(Outcome { value, notes, ..Outcome::default() })
    }
}

impl Emulate {
    fn only_tells(&self) -> bool {
        *self == Emulate::default()
    }

    /// What there will be.
    fn changed(&self, mut emulation: Emulation, browser_version: &str) -> Result<Emulation> {
        let said = |text: &str| Some(text.to_owned()).filter(|text| text != NONE);
        if let Some(name) = &self.preset {
            let preset = Preset::named(name)?;
            preset.size(&mut emulation);
            preset.identity(&mut emulation, browser_version);
        }
        if let Some(text) = &self.user_agent {
            if text.is_empty() || text.contains(char::is_control) {
                return Err(Error::invalid("a user agent is one line of text")
                    .with_hint("say `none` for the browser's own"));
            }
            emulation.user_agent = said(text);
            emulation.platform = None;
        }
        if let Some(locale) = &self.locale {
            emulation.locale = said(locale);
        }
        if let Some(timezone) = &self.timezone {
            emulation.timezone = said(timezone);
        }
        if let Some(place) = &self.geolocation {
            emulation.geolocation = said(place).map(|place| place.parse()).transpose()?;
        }
        if let Some(scheme) = self.color_scheme {
            emulation.color_scheme = Some(scheme).filter(|scheme| *scheme != ColorScheme::None);
        }
        emulation.reduced_motion = self.reduced_motion.unwrap_or(emulation.reduced_motion);
        emulation.offline = self.offline.unwrap_or(emulation.offline);
        for header in &self.headers {
            let name = header.checked_name()?;
            emulation.headers.retain(|before, _| *before != name);
            if !header.value.expose().is_empty() {
                emulation.headers.insert(name, header.value.clone());
            }
        }
        Ok(emulation)
    }
}

impl Header {
    /// The name in lower case, if it is one and the value can be sent (RFC 9110, 5.1 and 5.5).
    fn checked_name(&self) -> Result<String> {
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if self.name.is_empty() || !self.name.chars().all(is_token) {
            return Err(Error::invalid(format!("{:?} is not the name of a header", self.name))
                .with_hint("write it like 'X-Test: 1'"));
        }
        if self.value.expose().contains(|c: char| c.is_control() && c != '\t') {
            return Err(Error::invalid(format!("the value of {} is not one line of text", self.name)));
        }
        Ok(self.name.to_ascii_lowercase())
    }
}

/// The browser knows which languages and time zones there are. It is asked in a world of our own, where no page can answer for it.
const KNOWN: &str = "({ locale, timezone }) => {
  const refused = [];
  try { if (locale !== null && !Intl.DateTimeFormat.supportedLocalesOf([locale]).length) refused.push('locale'); }
  catch { refused.push('locale'); }
  try { if (timezone !== null) new Intl.DateTimeFormat('en', { timeZone: timezone }); }
  catch { refused.push('timezone'); }
  return refused;
}";

/// Refuses languages and time zones that the browser does not know, before anything is changed.
async fn check_with_browser(emulation: &Emulation, tab: &Tab, run: &Run<'_>) -> Result<()> {
    let Emulation { locale, timezone, .. } = emulation;
    if locale.is_none() && timezone.is_none() {
        return Ok(());
    }
    let world =
        tab.until_some(run.deadline, "the page to answer", |state| state.world(FrameId(0), false)).await?;
    let evaluate = p::Evaluate {
        expression: format!("({KNOWN})({})", json!({"locale": locale, "timezone": timezone})),
        unique_context_id: Some(world.unique_id),
        return_by_value: Some(true),
        ..p::Evaluate::default()
    };
    let asking = async { tab.channel.call(evaluate, run.deadline).await.map_err(lift) };
    let answer = tab.unless_dialog(asking, run.deadline).await?;
    let refused = answer.result.value.unwrap_or_default();
    let is_refused =
        |what: &str| refused.as_array().is_none_or(|refused| refused.iter().any(|name| name == what));
    match (locale, timezone) {
        (Some(locale), _) if is_refused("locale") => {
            Err(Error::new(Code::InvalidInput, format!("the browser knows no language {locale:?}"))
                .with_hint("write it like en-GB, de-DE or zh-CN"))
        }
        (_, Some(timezone)) if is_refused("timezone") => {
            Err(Error::new(Code::InvalidInput, format!("the browser knows no time zone {timezone:?}"))
                .with_hint("write it like Europe/Berlin, Asia/Tokyo or UTC"))
        }
        _ => Ok(()),
    }
}

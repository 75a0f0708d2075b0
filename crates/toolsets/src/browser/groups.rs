//! Tools that are there when their group is switched on: vision, network, storage, pdf, emulation.

use std::{path::PathBuf, time::Duration};

use contract::{Error, PageUrl, Result, Span, Target, Typed};
use engine::{
    Action,
    actions::{
        Area, Batch, Button, Click, ColorScheme, Cookies, CookiesOp, Drag, Emulate, Hover, Pdf, SameSite,
        Scroll, SetCookie, State, StateOp, Storage, StorageOp,
    },
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{act, act::point, act_and_name, act_and_say};
use crate::{Caller, Group, Hints, Options, Step, Tool, tool::Call};

pub(super) const MOUSE_CLICK: Tool =
    Tool::new::<MouseClick>("browser_mouse_click_xy", "Click at a point of the viewport", Hints::Acts)
        .in_group(Group::Vision);
pub(super) const MOUSE_MOVE: Tool =
    Tool::new::<MouseMove>("browser_mouse_move_xy", "Move the mouse to a point", Hints::Acts)
        .in_group(Group::Vision);
pub(super) const MOUSE_DRAG: Tool =
    Tool::new::<MouseDrag>("browser_mouse_drag_xy", "Drag from one point to another", Hints::Acts)
        .in_group(Group::Vision);
pub(super) const MOUSE_WHEEL: Tool =
    Tool::new::<MouseWheel>("browser_mouse_wheel", "Turn the mouse wheel", Hints::Acts)
        .in_group(Group::Vision);
pub(super) const PDF: Tool =
    Tool::new::<PdfArgs>("browser_pdf_save", "Save the page as PDF", Hints::Reads).in_group(Group::Pdf);
pub(super) const NETWORK_STATE: Tool =
    Tool::new::<NetworkState>("browser_network_state_set", "Go offline or online", Hints::Arranges)
        .in_group(Group::Network);
pub(super) const COOKIES: Tool =
    Tool::new::<CookiesArgs>("browser_cookies", "List, get, set, delete or clear cookies", Hints::Destroys)
        .in_group(Group::Storage);
pub(super) const STORAGE: Tool = Tool::new::<StorageArgs>(
    "browser_storage",
    "List, get, set, delete or clear localStorage or sessionStorage",
    Hints::Destroys,
)
.in_group(Group::Storage);
pub(super) const STATE_SAVE: Tool = Tool::new::<StateSave>(
    "browser_storage_state",
    "Save cookies and localStorage to a file",
    Hints::Arranges,
)
.in_group(Group::Storage);
pub(super) const STATE_LOAD: Tool = Tool::new::<StateLoad>(
    "browser_set_storage_state",
    "Load cookies and localStorage from a file",
    Hints::Destroys,
)
.in_group(Group::Storage);
pub(super) const EMULATE: Tool = Tool::new::<EmulateArgs>(
    "browser_emulate",
    "Set device, language, time zone, place and colours; \"none\" takes one back",
    Hints::Arranges,
)
.in_group(Group::Emulation);

/// Refuses an action whose tool is not switched on: what is off under its own name is off in a batch as well.
pub(super) fn check(action: &Action, options: &Options) -> Result<()> {
    if let Action::Batch(Batch { actions, .. }) = action {
        return actions.iter().try_for_each(|action| check(action, options));
    }
    match group_of(action) {
        Some(group) if !group.is_on(options) => Err(group.is_off(action.name())),
        _ => Ok(()),
    }
}

/// The group whose tools do this.
fn group_of(action: &Action) -> Option<Group> {
    match action {
        Action::Pdf(_) => Some(Group::Pdf),
        Action::Cookies(_) | Action::Storage(_) | Action::State(_) => Some(Group::Storage),
        Action::Emulate(Emulate { offline: Some(_), .. }) => Some(Group::Network),
        Action::Emulate(_) => Some(Group::Emulation),
        Action::Scroll(Scroll { wheel: Some(_), .. }) => Some(Group::Vision),
        Action::Click(Click { target: Target::Pictured { .. }, .. })
        | Action::Hover(Hover { target: Target::Pictured { .. } }) => Some(Group::Vision),
        _ => None,
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MouseClick {
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    element: Option<String>,
    x: f64,
    y: f64,
    button: Option<Button>,
    #[schemars(with = "Option<u32>")]
    click_count: Option<u8>,
    /// Milliseconds to hold it
    delay: Option<f64>,
}

impl Call for MouseClick {
    fn call(self, caller: &Caller) -> Result<Step> {
        let hold =
            self.delay.filter(|delay| *delay != 0.0).map(|delay| Duration::try_from_secs_f64(delay / 1000.0));
        let hold =
            hold.transpose().map_err(|_| Error::invalid("delay is no number of milliseconds"))?.map(Span);
        let click = Click::new(point(self.x, self.y));
        Ok(act(
            caller,
            Click { times: self.click_count, hold, button: self.button.unwrap_or_default(), ..click },
        ))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MouseMove {
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    element: Option<String>,
    x: f64,
    y: f64,
}

impl Call for MouseMove {
    fn call(self, caller: &Caller) -> Result<Step> {
        Ok(act(caller, Hover { target: point(self.x, self.y) }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MouseDrag {
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    element: Option<String>,
    start_x: f64,
    start_y: f64,
    end_x: f64,
    end_y: f64,
}

impl Call for MouseDrag {
    fn call(self, caller: &Caller) -> Result<Step> {
        Ok(act(caller, Drag::new(point(self.start_x, self.start_y), point(self.end_x, self.end_y))))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MouseWheel {
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    element: Option<String>,
    #[serde(default)]
    delta_x: f64,
    #[serde(default)]
    delta_y: f64,
    x: Option<f64>,
    y: Option<f64>,
}

impl Call for MouseWheel {
    fn call(self, caller: &Caller) -> Result<Step> {
        let target = self.x.zip(self.y).map(|(x, y)| point(x, y));
        Ok(act(caller, Scroll { target, wheel: Some([self.delta_x, self.delta_y]), ..Scroll::default() }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PdfArgs {
    filename: Option<PathBuf>,
}

impl Call for PdfArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        Ok(act(caller, Pdf { path: self.filename, ..Pdf::default() }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NetworkState {
    state: Network,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Network {
    Online,
    Offline,
}

impl Call for NetworkState {
    fn call(self, caller: &Caller) -> Result<Step> {
        let is_offline = self.state == Network::Offline;
        let says = if is_offline { "offline" } else { "online" };
        let request = caller.request(Emulate { offline: Some(is_offline), ..Emulate::default() });
        Ok(act_and_say(caller, request, vec![says.into()]))
    }
}

/// What to do with what a site keeps.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kept {
    List,
    Get,
    Set,
    Delete,
    Clear,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CookiesArgs {
    action: Kept,
    name: Option<String>,
    #[schemars(with = "Option<String>")]
    value: Option<Typed>,
    #[schemars(with = "Option<String>")]
    url: Option<PageUrl>,
    domain: Option<String>,
    path: Option<String>,
    /// Unix time
    expires: Option<f64>,
    http_only: Option<bool>,
    secure: Option<bool>,
    same_site: Option<SameSiteName>,
}

// As cookies themselves spell it. No doc comment: it would be in every list of tools.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
enum SameSiteName {
    #[serde(alias = "strict")]
    Strict,
    #[serde(alias = "lax")]
    Lax,
    #[serde(alias = "none")]
    None,
}

impl From<SameSiteName> for SameSite {
    fn from(name: SameSiteName) -> Self {
        match name {
            SameSiteName::Strict => SameSite::Strict,
            SameSiteName::Lax => SameSite::Lax,
            SameSiteName::None => SameSite::None,
        }
    }
}

impl Call for CookiesArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        self.refuse_unused()?;
        let CookiesArgs { action, name, value, url, domain, path, expires, http_only, secure, same_site } =
            self;
        let op = match action {
            Kept::List => CookiesOp::List { url, values: true },
            Kept::Get => CookiesOp::Get { name: needed(name, "name")?, url },
            Kept::Delete => CookiesOp::Delete { name: needed(name, "name")?, url, domain },
            Kept::Clear => CookiesOp::Clear { url },
            Kept::Set => CookiesOp::Set(SetCookie {
                name: needed(name, "name")?,
                value: needed(value, "value")?,
                url,
                domain,
                path,
                // -1 is how a cookie is listed that ends with the session.
                expires: expires.filter(|ends| *ends != -1.0).map(|ends| ends.to_string()),
                http_only: http_only.unwrap_or_default(),
                secure: secure.unwrap_or_default(),
                same_site: same_site.map(Into::into),
            }),
        };
        Ok(act_and_name(caller, Cookies { op: Some(op) }))
    }
}

impl CookiesArgs {
    /// Refuses arguments that the action has no use for: leaving one out would do something else than was asked for.
    fn refuse_unused(&self) -> Result<()> {
        let is_set = matches!(self.action, Kept::Set);
        let by_name = !matches!(self.action, Kept::List | Kept::Clear);
        let arguments = [
            ("name", self.name.is_some(), by_name),
            ("value", self.value.is_some(), is_set),
            ("domain", self.domain.is_some(), is_set || matches!(self.action, Kept::Delete)),
            ("path", self.path.is_some(), is_set),
            ("expires", self.expires.is_some(), is_set),
            ("httpOnly", self.http_only.is_some(), is_set),
            ("secure", self.secure.is_some(), is_set),
            ("sameSite", self.same_site.is_some(), is_set),
        ];
        match arguments.into_iter().find(|(_, is_given, is_used)| *is_given && !is_used) {
            None => Ok(()),
            Some((name, ..)) => Err(Error::invalid(format!("{name} does not go with this action"))
                .with_hint("leave it out; list, get and clear take a url to mean the cookies of one site")),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StorageArgs {
    area: Area,
    action: Kept,
    name: Option<String>,
    #[schemars(with = "Option<String>")]
    value: Option<Typed>,
}

impl Call for StorageArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let StorageArgs { area, action, name, value } = self;
        let op = match action {
            Kept::List => StorageOp::List { values: true },
            Kept::Get => StorageOp::Get { name: needed(name, "name")? },
            Kept::Delete => StorageOp::Delete { name: needed(name, "name")? },
            Kept::Clear => StorageOp::Clear,
            Kept::Set => StorageOp::Set { name: needed(name, "name")?, value: needed(value, "value")? },
        };
        Ok(act(caller, Storage { area, op: Some(op) }))
    }
}

fn needed<T>(value: Option<T>, what: &str) -> Result<T> {
    value.ok_or_else(|| Error::invalid(format!("this action needs a {what}")))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StateSave {
    filename: Option<PathBuf>,
}

impl Call for StateSave {
    fn call(self, caller: &Caller) -> Result<Step> {
        Ok(act(caller, State { op: StateOp::Save { path: self.filename } }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StateLoad {
    filename: PathBuf,
}

impl Call for StateLoad {
    fn call(self, caller: &Caller) -> Result<Step> {
        Ok(act(caller, State { op: StateOp::Load { path: self.filename } }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct EmulateArgs {
    device: Option<String>,
    user_agent: Option<String>,
    locale: Option<String>,
    timezone: Option<String>,
    /// latitude,longitude
    geolocation: Option<String>,
    color_scheme: Option<ColorScheme>,
}

impl Call for EmulateArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        Ok(act_and_name(
            caller,
            Emulate {
                preset: self.device,
                user_agent: self.user_agent,
                locale: self.locale,
                timezone: self.timezone,
                geolocation: self.geolocation,
                color_scheme: self.color_scheme,
                ..Emulate::default()
            },
        ))
    }
}

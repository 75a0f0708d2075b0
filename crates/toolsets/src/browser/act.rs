//! Tools that do something in a page.

use std::{path::PathBuf, time::Duration};

use contract::{Code, Error, Result, Span, Target, Typed};
use engine::{
    Action, Request, Until,
    actions::{
        Answer, Batch, Button, Click, Dialog, Direction, Drag, Fill, FillForm, FormField, Hover, Modifier,
        OnNavigation, Press, Scroll, Select, TargetState, Type, Upload, Wait,
    },
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{act, act_in, all_in_turn, groups, one_by_one, target::Place};
use crate::{Caller, Hints, Step, Tool, instruction, tool::Call};

pub(super) const CLICK: Tool = Tool::new::<ClickArgs>(
    "browser_click",
    "Click. Like all actions it takes as target a ref (e12), a CSS selector, x,y, or plain words in English or Chinese \
     (\"the Delete button in Alice's row\"), and answers with what changed",
    Hints::Acts,
);
pub(super) const TYPE: Tool = Tool::new::<TypeArgs>("browser_type", "Fill a field with text", Hints::Acts);
pub(super) const FILL_FORM: Tool =
    Tool::new::<FillFormArgs>("browser_fill_form", "Fill several fields at once", Hints::Acts);
pub(super) const SELECT: Tool =
    Tool::new::<SelectArgs>("browser_select_option", "Choose from a list", Hints::Acts);
pub(super) const PRESS_KEY: Tool = Tool::new::<PressKey>(
    "browser_press_key",
    "Press a key or chord, such as Enter or Control+a",
    Hints::Acts,
);
pub(super) const HOVER: Tool = Tool::new::<HoverArgs>("browser_hover", "Move the mouse over", Hints::Acts);
pub(super) const DRAG: Tool =
    Tool::new::<DragArgs>("browser_drag", "Drag one element onto another", Hints::Acts);
pub(super) const DROP: Tool =
    Tool::new::<DropArgs>("browser_drop", "Drop files onto an element", Hints::Acts);
pub(super) const UPLOAD: Tool = Tool::new::<UploadArgs>(
    "browser_file_upload",
    "Give files to a file field, to what opens a file chooser, or without a target to the one that is open",
    Hints::Acts,
);
pub(super) const SCROLL: Tool = Tool::new::<ScrollArgs>(
    "browser_scroll",
    "Scroll the page, or the area at a target, or with only a target bring that into view",
    Hints::Acts,
);
pub(super) const WAIT: Tool = Tool::new::<WaitArgs>("browser_wait_for", "Wait", Hints::Reads);
pub(super) const DIALOG: Tool =
    Tool::new::<DialogArgs>("browser_handle_dialog", "Answer the open dialog", Hints::Acts);
pub(super) const ACT: Tool = Tool::new::<ActArgs>(
    "browser_act",
    "Do one thing said in plain words: click, type \"x\" into y, select, check, press, scroll …",
    Hints::Acts,
);
pub(super) const BATCH: Tool = Tool::new::<BatchArgs>(
    "browser_batch",
    "Do several actions in one call; stops at the first that fails. Each is a command as in \
     `click e5`, `fill e6 \"some text\"`, `press Enter`, `goto URL`, `select e7 Blue`, `wait --text Saved`",
    Hints::Acts,
);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ClickArgs {
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    element: Option<String>,
    target: Place,
    #[serde(default, rename = "doubleClick")]
    double: bool,
    button: Option<Button>,
    #[serde(default)]
    modifiers: Vec<Key>,
}

/// A modifier by its name on the keyboard.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
enum Key {
    Alt,
    Control,
    ControlOrMeta,
    Meta,
    Shift,
}

impl From<Key> for Modifier {
    fn from(key: Key) -> Self {
        match key {
            Key::Alt => Modifier::Alt,
            Key::Control | Key::ControlOrMeta => Modifier::Control,
            Key::Meta => Modifier::Meta,
            Key::Shift => Modifier::Shift,
        }
    }
}

impl Call for ClickArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let modifiers = self.modifiers.into_iter().map(Modifier::from).collect();
        let button = self.button.unwrap_or_default();
        Ok(act(caller, Click { double: self.double, button, modifiers, ..Click::new(self.target.0) }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TypeArgs {
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    element: Option<String>,
    target: Place,
    #[schemars(with = "String")]
    text: Typed,
    /// Then press Enter
    #[serde(default)]
    submit: bool,
    /// Key by key, after what is there
    #[serde(default)]
    slowly: bool,
}

impl Call for TypeArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let TypeArgs { target: Place(target), text, submit, slowly, .. } = self;
        Ok(if slowly {
            act(caller, Type { target: Some(target), submit, ..Type::new(text) })
        } else {
            act(caller, Fill { submit, ..Fill::new(target, text) })
        })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FillFormArgs {
    fields: Vec<FieldArgs>,
    /// Then press Enter
    #[serde(default)]
    submit: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FieldArgs {
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    element: Option<String>,
    target: Place,
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    name: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "the field itself says what it is")]
    r#type: Option<String>,
    /// true or false for boxes, an option's name for lists
    #[schemars(with = "String")]
    value: Typed,
}

impl Call for FillFormArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let field = |field: FieldArgs| FormField { target: field.target.0, value: field.value };
        let fields = self.fields.into_iter().map(field).collect();
        Ok(act(caller, FillForm { submit: self.submit, ..FillForm::new(fields) }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SelectArgs {
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    element: Option<String>,
    target: Place,
    values: Vec<String>,
}

impl Call for SelectArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        Ok(act(caller, Select { values: self.values, ..Select::new(self.target.0, "") }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PressKey {
    #[schemars(with = "String")]
    key: Typed,
}

impl Call for PressKey {
    fn call(self, caller: &Caller) -> Result<Step> {
        Ok(act(caller, Press::new(self.key)))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HoverArgs {
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    element: Option<String>,
    target: Place,
}

impl Call for HoverArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        Ok(act(caller, Hover { target: self.target.0 }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DragArgs {
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    start_element: Option<String>,
    start_target: Place,
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    end_element: Option<String>,
    end_target: Place,
}

impl Call for DragArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        Ok(act(caller, Drag::new(self.start_target.0, self.end_target.0)))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DropArgs {
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    element: Option<String>,
    target: Place,
    #[serde(default)]
    paths: Vec<PathBuf>,
    /// Texts by their kind, which the original takes.
    #[serde(default)]
    #[schemars(skip)]
    data: Option<Value>,
}

impl Call for DropArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        if self.data.is_some() {
            return Err(Error::new(Code::Unsupported, "files can be dropped, texts cannot")
                .with_hint("name files in paths, or write the text with browser_type"));
        }
        if self.paths.is_empty() {
            return Err(Error::invalid("there is nothing to drop").with_hint("name the files in paths"));
        }
        Ok(act(caller, Upload { drop: true, ..Upload::new(self.target.0, self.paths) }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UploadArgs {
    target: Option<Place>,
    #[serde(default)]
    paths: Vec<PathBuf>,
}

impl Call for UploadArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let upload = match self.target {
            Some(target) => Upload::new(target.0, self.paths),
            None => Upload::to_open_chooser(self.paths),
        };
        Ok(act(caller, upload))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScrollArgs {
    target: Option<Place>,
    direction: Option<Direction>,
    pixels: Option<f64>,
}

impl Call for ScrollArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let ScrollArgs { target, direction, pixels } = self;
        // Nothing said is a page further down.
        let direction = direction.or(target.is_none().then_some(Direction::Down));
        let target = target.map(|place| place.0);
        Ok(act(caller, Scroll { target, direction, pixels, ..Scroll::default() }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WaitArgs {
    /// Seconds; else the limit
    time: Option<f64>,
    /// Until it appears
    text: Option<String>,
    /// Until it is gone
    text_gone: Option<String>,
    /// Until it is visible, or as state says
    target: Option<Place>,
    state: Option<TargetState>,
    /// Until the address holds this
    url: Option<String>,
    /// No requests for 500 ms
    #[serde(default)]
    network_idle: bool,
}

impl Call for WaitArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let (mut waits, mut says): (Vec<Wait>, Vec<String>) = Default::default();
        let wait = Wait::default;
        let time = self.time.map(Duration::try_from_secs_f64).transpose();
        let time = time.map_err(|_| Error::invalid("time is no number of seconds"))?.map(Span);
        let some = |text: Option<String>| text.filter(|text| !text.is_empty());
        if let Some(text) = some(self.text_gone) {
            says.push("the text is not there any more".into());
            waits.push(Wait { gone: Some(text), ..wait() });
        }
        if let Some(text) = some(self.text) {
            // It is not repeated: it may be a secret.
            says.push("the text is there".into());
            waits.push(Wait { text: Some(text), ..wait() });
        }
        if let Some(Place(target)) = self.target {
            let state = self.state.unwrap_or_default();
            says.push(format!("the target is {}", state.as_str()));
            waits.push(Wait { target: Some(target), state, ..wait() });
        }
        if let Some(url) = some(self.url) {
            says.push("the address is as wanted".into());
            waits.push(Wait { url: Some(url), ..wait() });
        }
        if self.network_idle {
            says.push("there were no requests for 500 ms".into());
            waits.push(Wait::until(Until::NetworkIdle));
        }
        match (time, waits.is_empty()) {
            (None, true) => {
                Err(Error::invalid("say what to wait for: time, text, textGone, target, url or networkIdle"))
            }
            (Some(time), true) => {
                says.push(format!("waited for {} s", time.0.as_secs_f64()));
                Ok(one_by_one(caller, [Wait::until(Until::Time(time))], says))
            }
            // Who names both wants to go on when it is there, and waits no longer than that.
            (timeout, false) => {
                let requests = waits.into_iter().map(|wait| Request { timeout, ..caller.request(wait) });
                Ok(all_in_turn(caller, requests.collect(), says))
            }
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DialogArgs {
    accept: bool,
    #[schemars(with = "Option<String>")]
    prompt_text: Option<Typed>,
}

impl Call for DialogArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let answer = if self.accept { Answer::Accept } else { Answer::Dismiss };
        Ok(act(caller, Dialog { answer, text: self.prompt_text }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ActArgs {
    instruction: String,
}

impl Call for ActArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let action = instruction::action(&self.instruction)?;
        groups::check(&action, &caller.tools)?;
        Ok(act(caller, action))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BatchArgs {
    #[schemars(with = "Vec<String>")]
    actions: Vec<Value>,
    /// Go on after a step that leads to another page
    #[serde(default, rename = "throughNavigation")]
    through_navigation: bool,
}

impl Call for BatchArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let actions: Vec<Action> =
            self.actions.into_iter().map(engine::actions::step_from).collect::<Result<_>>()?;
        for action in &actions {
            groups::check(action, &caller.tools)?;
        }
        let on_navigation = if self.through_navigation { OnNavigation::Continue } else { OnNavigation::Stop };
        Ok(act_in(caller, caller.request(Batch { actions, on_navigation })))
    }
}

/// Where a point of the last picture is, as a target.
pub(super) fn point(x: f64, y: f64) -> Target {
    Target::Pictured { x, y }
}

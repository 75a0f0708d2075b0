//! `type`: presses a key for each character of a text.

use std::time::Duration;

use clap::Args;
use contract::{Code, Effect, Error, Named, Outcome, Ref, Result, Span, Target, Typed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Click, Run, Verb};
use crate::{
    hands::{Needs, element_for, note_element, plan_click, plan_use_of, read_only, use_in_turn},
    keyboard::{Focus, channel, focus, plan_strokes, press},
    keys,
    keys::{Stroke, strokes},
    page,
    settle::{Before, settle},
    snapshot::frame_of,
    typing::{Stopped, Typing},
};

/// Type a text key by key, into a field or into what has the focus
///
/// A line end is Enter, a tab is Tab. Unlike `fill` it adds to what is there.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Type {
    /// The text. On the command line, - reads it from standard input
    #[arg(allow_hyphen_values = true)]
    pub text: Typed,
    /// Click here first: a ref (e12), css=…, xpath=…, x,y, or a description in plain words
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub target: Option<Target>,
    /// How long to wait after each key, such as 50ms
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "TIME")]
    pub delay: Option<Span>,
    /// Press Enter afterwards
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[arg(long)]
    pub submit: bool,
    /// Treat the text as a secret, whatever the field is: it is masked wherever it turns up. Password fields need no saying
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[arg(long)]
    pub secret: bool,
}

impl Type {
    /// Types into what has the focus.
    pub fn new(text: Typed) -> Type {
        Type { text, target: None, delay: None, submit: false, secret: false }
    }

    fn strokes(&self) -> Vec<Stroke> {
        let mut strokes = strokes(self.text.expose());
        if self.submit {
            strokes.extend(self::strokes("\n"));
        }
        strokes
    }
}

impl Verb for Type {
    const NAME: &'static str = "type";

    fn effect(&self) -> Effect {
        if self.submit { Effect::Submit } else { Effect::Input }
    }

    fn own_time(&self) -> Duration {
        let strokes = self.strokes().len().try_into().unwrap_or(u32::MAX);
        self.delay.map_or(Duration::ZERO, |delay| delay.0.saturating_mul(strokes))
    }

    fn targets(&self) -> Vec<&Target> {
        self.target.iter().collect()
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        let focused = match &self.target {
            Some(target) => {
                let element = typed_into(run, target).await?;
                plan_click(run, target).await?;
                Some(plan_use_of(run, element, Needs::default()).await?)
            }
            None => focus(run).await?.element.inspect(|named| note_element(run, named)),
        };
        plan_strokes(run, focused.as_ref(), &self.strokes()).await
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        if self.secret {
            run.session.secrets().redactor().add(self.text.expose());
        }
        let _turn = tab.turn(run.deadline).await?;
        if let Some(target) = &self.target
            && let Some(stopped) = go_to(run, target).await?
        {
            return Ok(stopped);
        }
        let focus = focus(run).await?;
        focus.note_secret(run, self.text.expose())?;
        let Focus { frame, element, .. } = focus;
        page::ask(tab, frame, "watchEffects", &page::NO_ARGUMENTS, run.deadline).await?;
        let typing = Typing::new(run, frame)?;
        let number = element.as_ref().map(|named| named.reference.element);
        let is_read = page::ask(tab, frame, "beginTyping", &[number], run.deadline).await? == true;
        run.check_place().await?;
        let before = Before::note(run)?;
        let typed = Some(self.text.chars() as u64);
        let strokes = self.strokes();
        let striking = typing.strike(&strokes, self.delay.map(|delay| delay.0));
        let sent_all = match tab.unless_dialog(striking, run.deadline).await {
            // A dialog that a key opened is what came of it.
            Err(error) if error.code == Code::DialogOpen && tab.read(|state| state.dialog.is_some()) => {
                let notes = vec!["a dialog opened, so perhaps not all of it was typed".into()];
                return Ok(Outcome { target: element, notes, ..Outcome::default() });
            }
            sent_all => sent_all?,
        };
        let settled = settle(run, &before, frame).await?;
        let mut outcome = Outcome { target: element.clone(), typed, ..settled.outcome };
        let what = element.as_ref().map_or_else(|| "the page".into(), |named| named.reference.to_string());
        if outcome.navigation.is_some()
            || tab.read(|state| state.stands_still() || state.world(frame, false).is_none())
        {
            return match typing.stopped(&strokes, sent_all, None) {
                Some(stopped) => Err(stopped.error(&what, &strokes, outcome)),
                None => Ok(outcome),
            };
        }
        // What has been done has been done: a page that is gone by now does not make a failure of it.
        let ended: Ended =
            page::ask_as(tab, frame, "endTyping", &page::NO_ARGUMENTS, run.deadline).await.unwrap_or_default();
        if let Some(stopped) = typing.stopped(&strokes, sent_all, ended.stopped) {
            return Err(stopped.error(&what, &strokes, outcome));
        }
        let shows = self.text.expose().chars().any(|c| !c.is_control());
        match (ended.came.as_deref(), &element) {
            (Some("nothing"), Some(named)) if is_read && shows && !self.submit => {
                Err(Error::new(Code::NoEffect, format!("{} did not take the text", named.reference))
                    .with_outcome(Outcome { typed: None, ..outcome }))
            }
            (Some("nothing"), None) => {
                Err(Error::new(Code::NoEffect, "no field has the focus, and nothing came of the keys")
                    .with_hint("name the field with --target, or click it first")
                    .with_outcome(Outcome { typed: None, ..outcome }))
            }
            (Some("taken"), Some(named)) if is_read && !self.submit => {
                let reference = named.reference;
                outcome.notes.push(format!("{reference} holds what it held before: look at the page for what it made of the text"));
                Ok(outcome)
            }
            (_, None) => {
                outcome.notes.push("no field has the focus: the keys went to the page".into());
                Ok(outcome)
            }
            _ => Ok(outcome),
        }
    }
}

/// What our script in the page says came of it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Ended {
    came: Option<String>,
    stopped: Option<Stopped>,
}

/// The element that a text is to be typed into, if it takes any.
async fn typed_into(run: &Run<'_>, target: &Target) -> Result<Ref> {
    let (_, tab) = run.tab()?;
    let element = element_for(run, target).await?;
    let refused = page::ask(tab, frame_of(element), "refusesText", &[element.element], run.deadline).await?;
    if refused == "gone" {
        return Err(Error::new(Code::StaleRef, format!("{element} is gone")));
    }
    if refused == "readonly" {
        return Err(read_only(element));
    }
    if refused == "pressed" {
        return Err(Error::new(Code::ElementNotEditable, format!("{element} takes no text"))
            .with_hint("keys would press it; use `webhand click` or `webhand press`"));
    }
    Ok(element)
}

/// Brings the caret to the end of what is in a field. Returns what came of the click if there is nothing to type into any more.
async fn go_to(run: &Run<'_>, target: &Target) -> Result<Option<Outcome>> {
    let (_, tab) = run.tab()?;
    let element = typed_into(run, target).await?;
    let focused = focus(run).await?.element.map(|named| named.reference);
    let clicked = Click::new(target.clone()).in_turn(run).await?;
    if tab.read(|state| state.stands_still()) {
        return Ok(Some(clicked));
    }
    if let Focus { frame, element: Some(Named { reference, .. }), .. } = focus(run).await? {
        // A click may lead the focus anywhere; but where it was before and stays, the text is not meant to go.
        if focused == Some(reference)
            && page::ask(tab, frame_of(element), "holdsFocus", &[element.element], run.deadline).await? != true
        {
            return Err(Error::new(Code::NoEffect, format!("{element} does not take the focus"))
                .with_hint("nothing was typed; look at the page for the field that it wants"));
        }
        let placed = page::ask(tab, frame, "caretToEnd", &[reference.element], run.deadline).await?;
        if let Some(keys) = placed.as_str() {
            press_end(run, reference, keys).await?;
        }
    }
    Ok(None)
}

async fn press_end(run: &Run<'_>, element: Ref, keys: &str) -> Result<()> {
    let pressing = |element: Ref| async move {
        press(&channel(run, frame_of(element))?, &keys::parse(keys)?, run.deadline).await
    };
    use_in_turn(run, &Target::Ref(element), Needs::default(), pressing).await.map(drop)
}

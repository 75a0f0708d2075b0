//! `press`: presses keys by name, alone or together.

use clap::Args;
use contract::{Code, Effect, Error, Outcome, Result, Target, Typed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::{
    hands::{Needs, note_element, plan_element, use_in_turn},
    keyboard::{Focus, focus, give_focus, plan_strokes, strike},
    keys::{Chord, Stroke, parse, written},
    page,
    settle::{Before, settle},
    snapshot::frame_of,
};

/// How often keys can be repeated.
const MOST: u32 = 1_000;

/// Press keys: Enter, Control+a, ArrowDown; several one after the other, parted by blanks
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Press {
    /// The keys, by the names of the UI Events specification: Enter, Escape, Shift+Tab, "Control+a Delete"
    // A plain character may be a part of a secret, so all of them are treated as one.
    #[arg(allow_hyphen_values = true)]
    pub keys: Typed,
    /// Give the focus to this first: a ref (e12), css=…, xpath=…, or a description in plain words
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub target: Option<Target>,
    /// How often
    #[serde(default = "once", skip_serializing_if = "is_once")]
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub repeat: u32,
}

fn once() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_once(repeat: &u32) -> bool {
    *repeat == 1
}

impl Press {
    /// Presses keys where the focus is.
    pub fn new(keys: Typed) -> Press {
        Press { keys, target: None, repeat: 1 }
    }

    /// Whether these are keys that can be pressed, for whoever has to tell keys from other words.
    pub fn knows(keys: &str) -> bool {
        parse(keys).is_ok_and(|chords| !chords.is_empty())
    }
}

impl Press {
    /// The keys, once and as often as they are to be pressed.
    fn strokes(&self) -> Result<(Vec<Chord>, Vec<Stroke>)> {
        let chords = parse(self.keys.expose())?;
        if !(1..=MOST).contains(&self.repeat) {
            return Err(Error::invalid(format!("keys can be pressed 1 to {MOST} times")));
        }
        let strokes = (0..self.repeat).flat_map(|_| chords.iter().cloned().map(Stroke::Key)).collect();
        Ok((chords, strokes))
    }
}

impl Verb for Press {
    const NAME: &'static str = "press";

    fn effect(&self) -> Effect {
        Effect::Input
    }

    fn targets(&self) -> Vec<&Target> {
        self.target.iter().collect()
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        let (_, strokes) = self.strokes()?;
        let focused = match &self.target {
            Some(target) => plan_element(run, target, Needs::FOCUS).await?,
            None => focus(run).await?.element.inspect(|named| note_element(run, named)),
        };
        plan_strokes(run, focused.as_ref(), &strokes).await
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        let (chords, strokes) = self.strokes()?;
        let text = written(&chords);
        let _turn = tab.turn(run.deadline).await?;
        if let Some(target) = &self.target {
            let pressing = |element| {
                let strokes = &strokes;
                let text = &text;
                async move {
                    give_focus(run, element).await?;
                    if !text.is_empty() {
                        focus(run).await?.note_secret(run, text)?;
                    }
                    strike(run, frame_of(element), strokes, None, None).await.map(drop)
                }
            };
            return Ok(use_in_turn(run, target, Needs::FOCUS, pressing).await?.outcome);
        }
        let focus = focus(run).await?;
        focus.note_secret(run, &text)?;
        let Focus { frame, element, .. } = focus;
        page::ask(tab, frame, "watchEffects", &page::NO_ARGUMENTS, run.deadline).await?;
        run.check_place().await?;
        let before = Before::note(run)?;
        match tab.unless_dialog(strike(run, frame, &strokes, None, None), run.deadline).await {
            // A dialog that a key opened is what came of it.
            Err(error) if error.code == Code::DialogOpen && tab.read(|state| state.dialog.is_some()) => {
                return Ok(Outcome { target: element, ..Outcome::default() });
            }
            pressed => drop(pressed?),
        }
        let settled = settle(run, &before, frame).await?;
        Ok(Outcome { target: element, ..settled.outcome })
    }
}

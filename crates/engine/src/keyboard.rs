//! The keyboard: what has the focus, and sending keys and text to it. The keys themselves are in `keys`.

use std::time::Duration;

use cdp::{Channel, protocol as p};
use contract::{Code, Error, FrameId, Named, Ref, Result};
use serde::Deserialize;
use tokio::time::Instant;

use crate::{
    actions::Run,
    anew::unless_gone,
    frames,
    keys::{Chord, Stroke},
    lift::lift,
    page,
    snapshot::{frame_of, reference},
    typing::Typing,
};

/// How many keys are sent before an answer is waited for.
const TOGETHER: usize = 32;

/// What the page's script says of the element that has the focus.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Active {
    number: u32,
    role: String,
    name: String,
    /// It holds a frame, and the focus is in there.
    frame: bool,
    /// What is typed into it is nobody else's business.
    secret: bool,
}

/// Where keys go.
pub(crate) struct Focus {
    /// The frame that has the focus.
    pub(crate) frame: FrameId,
    /// The element that has it; none if that is the page as a whole.
    pub(crate) element: Option<Named>,
    /// Whether that is a secret field.
    pub(crate) is_secret: bool,
}

/// What has the focus, through all frames.
pub(crate) async fn focus(run: &Run<'_>) -> Result<Focus> {
    let (_, tab) = run.tab()?;
    let mut frame = FrameId(0);
    loop {
        let answer = page::ask(tab, frame, "active", &page::NO_ARGUMENTS, run.deadline).await?;
        let Ok(Some(active)) = serde_json::from_value::<Option<Active>>(answer) else {
            return Ok(Focus { frame, element: None, is_secret: false });
        };
        let inner = match active.frame {
            true => frames::inside(tab, frame, active.number, run.deadline).await.ok(),
            false => None,
        };
        let Some(inner) = inner else {
            let Active { number, role, name, secret: is_secret, .. } = active;
            let element = Some(Named { reference: reference(frame, number), role, name });
            return Ok(Focus { frame, element, is_secret });
        };
        frame = inner;
    }
}

impl Focus {
    /// Notes that a text is about to be typed here, in case that is a secret field.
    pub(crate) fn note_secret(&self, run: &Run<'_>, text: &str) -> Result<()> {
        if let (true, Some(named)) = (self.is_secret, &self.element) {
            run.session.secrets().typed((run.tab()?.0, named.reference), text);
        }
        Ok(())
    }
}

/// Gives an element the focus. Text that is sent before this is answered would be lost.
pub(crate) async fn give_focus(run: &Run<'_>, element: Ref) -> Result<()> {
    let (_, tab) = run.tab()?;
    let given = page::ask(tab, frame_of(element), "giveFocus", &[element.element], run.deadline).await?;
    if given == true {
        return Ok(());
    }
    unless_gone(run, element).await?;
    Err(Error::new(Code::NoEffect, format!("{element} does not take the focus"))
        .with_hint("name an element that keys can be typed into, or leave the target out"))
}

/// Where to send the keys for a frame: the process that it runs in.
pub(crate) fn channel(run: &Run<'_>, frame: FrameId) -> Result<Channel> {
    let (_, tab) = run.tab()?;
    run.note_given();
    let world = tab.read(|state| state.world(frame, false));
    Ok(tab.channel_of(world.and_then(|world| world.session).as_deref()))
}

/// Presses keys one after the other. Of those that follow each other only the last answer is waited for.
pub(crate) async fn press(channel: &Channel, chords: &[Chord], deadline: Instant) -> Result<()> {
    for chords in chords.chunks(TOGETHER) {
        let events = chords.iter().flat_map(Chord::events);
        let mut sent: Vec<_> = events.map(|event| channel.post(event)).collect();
        if let Some(last) = sent.pop() {
            last.by(deadline).await.map_err(lift)?;
        }
    }
    Ok(())
}

/// Presses one key by its name.
pub(crate) async fn press_named(channel: &Channel, name: &str, deadline: Instant) -> Result<()> {
    press(channel, &Vec::from_iter(Chord::named(name)), deadline).await
}

/// Inserts a text at the caret, as an input method does. Lines end as they do in pages: not every Chromium sees to that itself.
pub(crate) async fn insert(channel: &Channel, text: &str, deadline: Instant) -> Result<()> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    channel.call(p::InsertText { text }, deadline).await.map(drop).map_err(lift)
}

/// The keys that use what has the focus, of those that are for what has it now. Enter does more than a blank: if both are there, both are
/// looked at.
fn used_by(strokes: &[Stroke]) -> impl Iterator<Item = &'static str> + use<> {
    let here = strokes.iter().map_while(|stroke| match stroke {
        Stroke::Key(chord) if chord.moves_focus() => None,
        Stroke::Key(chord) => Some(chord.uses()),
        Stroke::Text(_) => Some(None),
    });
    let keys: Vec<_> = here.flatten().collect();
    ["Enter", " "].into_iter().filter(move |key| keys.contains(key))
}

/// Whether a key may be pressed in an element.
async fn may_press(run: &Run<'_>, named: &Named, key: &str) -> Result<()> {
    let how = if key == "Enter" { "presses Enter in" } else { "presses the space bar in" };
    run.may_use_as(named, how, Some(key)).await
}

/// Whether the first key may be pressed that uses what has the focus, of those that are for what has it now.
async fn may_strike(run: &Run<'_>, strokes: &[Stroke]) -> Result<()> {
    if !run.gate.cares() {
        return Ok(());
    }
    for key in used_by(strokes) {
        if let Focus { element: Some(named), .. } = focus(run).await? {
            may_press(run, &named, key).await?;
        }
    }
    Ok(())
}

/// Tells what these keys would do in the element that has the focus by then, for a dry run.
pub(crate) async fn plan_strokes(run: &Run<'_>, focused: Option<&Named>, strokes: &[Stroke]) -> Result<()> {
    if let Some(named) = focused {
        for key in used_by(strokes) {
            may_press(run, named, key).await?;
        }
    }
    let after_move =
        strokes.iter().skip_while(|stroke| !matches!(stroke, Stroke::Key(chord) if chord.moves_focus()));
    if after_move.skip(1).any(|stroke| matches!(stroke, Stroke::Key(chord) if chord.uses().is_some())) {
        run.gate.note(
            "the keys after the one that moves the focus go to what has it by then, and are judged then",
        );
    }
    Ok(())
}

/// Types into what has the focus in this frame; keys that move the focus are followed. Returns whether all was sent: less is if a text is being
/// typed and something stops that.
pub(crate) async fn strike(
    run: &Run<'_>,
    frame: FrameId,
    strokes: &[Stroke],
    delay: Option<Duration>,
    typing: Option<&Typing<'_>>,
) -> Result<bool> {
    may_strike(run, strokes).await?;
    let mut to = channel(run, frame)?;
    let mut moved = false;
    let mut pending: Vec<Chord> = Vec::new();
    for (at, stroke) in strokes.iter().enumerate() {
        if pending.len() >= TOGETHER {
            press(&to, &std::mem::take(&mut pending), run.deadline).await?;
        }
        if pending.is_empty() && typing.is_some_and(Typing::is_over) {
            return Ok(false);
        }
        match stroke {
            Stroke::Key(chord) => {
                if moved && run.gate.cares() && chord.uses().is_some() {
                    press(&to, &std::mem::take(&mut pending), run.deadline).await?;
                    may_strike(run, &strokes[at..=at]).await?;
                }
                run.gate.begin();
                moved |= chord.moves_focus();
                pending.push(chord.clone());
                if chord.moves_focus() && at + 1 < strokes.len() {
                    press(&to, &std::mem::take(&mut pending), run.deadline).await?;
                    to = channel(run, focus(run).await?.frame)?;
                }
            }
            Stroke::Text(text) => {
                press(&to, &std::mem::take(&mut pending), run.deadline).await?;
                if let Some(typing) = typing
                    && !typing.takes_text().await?
                {
                    return Ok(false);
                }
                insert(&to, text, run.deadline).await?;
            }
        }
        if let Some(delay) = delay {
            press(&to, &std::mem::take(&mut pending), run.deadline).await?;
            tokio::time::sleep(delay).await;
        }
    }
    press(&to, &pending, run.deadline).await.map(|()| true)
}

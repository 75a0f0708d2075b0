//! Typing a text into what has the focus, as far as that keeps it: our script in the page (`page/typing.js`) keeps all further keys from the
//! page once the focus has gone elsewhere. Keys that are pressed by name go through `keyboard` alone.

use std::{sync::Arc, time::Duration};

use contract::{Code, Error, FrameId, Outcome, Result};
use serde::Deserialize;

use crate::{actions::Run, keyboard, keys::Stroke, page, tab::Tab};

/// A text that is being typed. The page gets all keys again when this is dropped.
pub(crate) struct Typing<'a> {
    run: &'a Run<'a>,
    tab: &'a Arc<Tab>,
    frame: FrameId,
    /// The document that it is for.
    document: Option<String>,
}

/// What our script in the page says of keys that it kept from it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Stopped {
    /// How many the page got; none if nobody knows.
    keys: Option<usize>,
    why: String,
}

impl<'a> Typing<'a> {
    /// Keys are for what has the focus in this frame. Our script there is told so next (`guardKeys`).
    pub(crate) fn new(run: &'a Run<'a>, frame: FrameId) -> Result<Typing<'a>> {
        let (_, tab) = run.tab()?;
        tab.note(|state| state.verdict = None);
        Ok(Typing { run, tab, frame, document: document(tab, frame) })
    }

    /// Types until all is typed or something stops it. Returns whether all was sent.
    pub(crate) async fn strike(&self, strokes: &[Stroke], delay: Option<Duration>) -> Result<bool> {
        keyboard::strike(self.run, self.frame, strokes, delay, Some(self)).await
    }

    /// Whether something has stopped it, as far as that is known without asking.
    pub(crate) fn is_over(&self) -> bool {
        self.told().is_some() || document(self.tab, self.frame) != self.document
    }

    /// Whether a part of the text may come that no key writes.
    pub(crate) async fn takes_text(&self) -> Result<bool> {
        if self.is_over() {
            return Ok(false);
        }
        Ok(page::ask(self.tab, self.frame, "takesText", &page::NO_ARGUMENTS, self.run.deadline).await?
            == true)
    }

    /// What stopped it before the last of the strokes, if anything did. `said` is what our script in the page says at the end.
    pub(crate) fn stopped(
        &self,
        strokes: &[Stroke],
        sent_all: bool,
        said: Option<Stopped>,
    ) -> Option<Stopped> {
        let left = |keys| Stopped { keys, why: "leaves".into() };
        let stopped = said.or_else(|| self.told().map(|keys| left(Some(keys))));
        let stopped = stopped.or_else(|| (!sent_all).then(|| left(None)))?;
        stopped.keys.is_none_or(|keys| keys < strokes.len()).then_some(stopped)
    }

    /// How many keys the page got before it was stopped, as our script tells at once.
    fn told(&self) -> Option<usize> {
        self.tab.read(|state| state.verdict.as_deref()?.strip_prefix("keys:")?.parse().ok())
    }
}

impl Drop for Typing<'_> {
    fn drop(&mut self) {
        page::tell(self.tab, self.frame, "endTyping");
    }
}

fn document(tab: &Tab, frame: FrameId) -> Option<String> {
    tab.read(|state| state.world(frame, false)).map(|world| world.unique_id)
}

impl Stopped {
    /// The error of a text that went in only in part. `what` is the element that it was for.
    pub(crate) fn error(&self, what: &str, strokes: &[Stroke], outcome: Outcome) -> Error {
        let characters = |strokes: &[Stroke]| -> u64 { strokes.iter().map(Stroke::characters).sum() };
        let all = outcome.typed.unwrap_or_else(|| characters(strokes));
        let typed = self.keys.map(|keys| characters(&strokes[..keys.min(strokes.len())]).min(all));
        let why = match &*self.why {
            "gone" => format!("{what} was taken out of the page"),
            "left" => format!("{what} lost the focus"),
            _ => "the page was left".to_owned(),
        };
        let message = match typed {
            Some(typed) => format!("{why} after {typed} of {all} characters; the rest was not typed"),
            None => format!("{why} before all of it was typed"),
        };
        Error::new(Code::NoEffect, message)
            .with_hint("look at the page, then type what is left where it belongs")
            .with_outcome(Outcome { typed, ..outcome })
            .once_only()
    }
}

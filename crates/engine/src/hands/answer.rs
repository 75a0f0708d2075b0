//! What our script in the page answers of an element: where to point at it, or why that cannot be done.

use contract::{Code, Error, FrameId, Named, Ref, Result};
use serde::Deserialize;

use super::{aim::Hindrance, point::Point};
use crate::{consent::Intent, snapshot::reference, tab::Tab};

/// What the page's script answers.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    x: f64,
    y: f64,
    problem: Option<String>,
    /// It was waited for in vain that this be over.
    waited: bool,
    says: Option<String>,
    covering: Option<Described>,
    pub(super) named: Option<Described>,
    pub(super) begun: serde_json::Value,
    pub(super) intent: Option<Intent>,
    pub(super) framed: bool,
    /// It is out of sight, and can be scrolled to.
    pub(super) outside: bool,
}

impl Answer {
    /// Whether what keeps the element from being used does not pass by waiting.
    pub(super) fn is_refused(&self) -> bool {
        matches!(self.problem.as_deref(), Some("refused" | "readonly"))
    }
}

/// An element as the page's script describes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Described {
    pub(super) number: u32,
    role: String,
    name: String,
    markup: String,
    /// A frame is at the point, held by the element of this number, and the point is this one inside.
    pub(super) frame: bool,
    pub(super) holder: u32,
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Described {
    pub(crate) fn named(self, frame: FrameId) -> Named {
        Named { reference: reference(frame, self.number), role: self.role, name: self.name }
    }
}

/// Reads an answer of the page's script. A document that is gone has taken its elements along.
pub(super) fn read(tab: &Tab, frame: FrameId, asked: Result<serde_json::Value>) -> Result<Answer, Hindrance> {
    match asked {
        Ok(answer) => serde_json::from_value(answer).map_err(|error| {
            let message = "webhand's own script answered in a way that cannot be read";
            Hindrance::Error(Error::new(Code::Internal, message).with_cause(error))
        }),
        Err(error)
            if error.code == Code::Internal && tab.read(|state| state.world(frame, false)).is_none() =>
        {
            Err(Hindrance::Gone)
        }
        Err(error) => Err(Hindrance::Error(error)),
    }
}

/// Where to point, or why not.
pub(super) fn spot(element: Ref, frame: FrameId, answer: Answer) -> Result<Point, Hindrance> {
    let Some(problem) = answer.problem else { return Ok(Point { x: answer.x, y: answer.y }) };
    let hindrance = if answer.waited { Hindrance::Waited } else { Hindrance::Error };
    let error = |code, message: String| Err(hindrance(Error::new(code, message)));
    match &*problem {
        "gone" => Err(Hindrance::Gone),
        "disabled" => error(Code::ElementNotEnabled, format!("{element} is disabled")),
        "readonly" => Err(Hindrance::Error(read_only(element))),
        "moving" => error(Code::ElementCovered, format!("{element} does not stop moving")),
        "refused" if answer.says.as_deref() == Some("option") => Err(Hindrance::Error(
            Error::new(
                Code::ElementNotVisible,
                format!("{element} is an option of a list that only the browser shows"),
            )
            .with_hint("use `webhand select` with the list itself"),
        )),
        "refused" => error(Code::ElementNotEditable, format!("{element} takes no text")),
        "covered" if answer.says.as_deref() == Some("passes") => Err(hindrance(
            Error::new(
                Code::ElementCovered,
                format!("{element} lets clicks pass through it (pointer-events: none)"),
            )
            .with_hint("wait until the page lets it be clicked, or choose another target"),
        )),
        "covered" => {
            let by = answer.covering.map_or_else(
                || "something outside of the page".to_owned(),
                |covering| {
                    let markup = covering.markup.clone();
                    format!("{} {markup}", said(&covering.named(frame)))
                },
            );
            error(Code::ElementCovered, format!("{element} is covered by {by}"))
        }
        _ => error(Code::ElementNotVisible, format!("{element} is in the page, but cannot be seen")),
    }
}

/// That nothing can be typed into a field. Many such fields show what is chosen elsewhere.
pub(crate) fn read_only(field: Ref) -> Error {
    Error::new(Code::ElementNotEditable, format!("{field} is read-only")).with_hint(
        "click it: it may open a calendar or a list to choose from; else choose a field that can be edited",
    )
}

/// An element in a sentence.
pub(crate) fn said(named: &Named) -> String {
    match &*named.name {
        "" => format!("{} {}", named.reference, named.role),
        name => format!("{} {} {name:?}", named.reference, named.role),
    }
}

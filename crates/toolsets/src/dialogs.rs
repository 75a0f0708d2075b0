//! Dialogs, for dialects that have no tool to answer them: they are answered as Playwright answers those that nobody listens for
//! (dismissed; a page that asks whether it may be left is left), and the tool tells of them.

use contract::{Code, Dialog, Effect, Error, Outcome, Result, SessionName, Span};
use engine::{
    Front, Request, SessionOptions, Until,
    actions::{Answer, Dialog as AnswerDialog, Open, Wait},
};

use crate::{Caller, Step};

/// More dialogs than this in a row are a page that asks for ever.
const MOST: usize = 10;

/// Where something is done, by somebody who cannot answer dialogs.
#[derive(Clone)]
pub(crate) struct Doer {
    pub(crate) session: SessionName,
    pub(crate) options: SessionOptions,
    pub(crate) front: Front,
    /// Whether a session that is not there is started.
    pub(crate) starts: bool,
}

/// What came of an action, and the dialogs that were answered for it.
pub(crate) struct Done {
    pub(crate) result: Result<Outcome>,
    pub(crate) dialogs: Vec<Dialog>,
}

type Then = Box<dyn FnOnce(Done) -> Step + Send>;

impl Doer {
    /// Does things in the caller's own session.
    pub(crate) fn of(caller: &Caller) -> Doer {
        Doer {
            session: caller.session.clone(),
            options: caller.options.clone(),
            front: caller.front,
            starts: true,
        }
    }

    /// Does something, with all dialogs answered that come up meanwhile.
    pub(crate) fn perform(&self, request: Request, then: impl FnOnce(Done) -> Step + Send + 'static) -> Step {
        let request = Request { front: self.front, ..request };
        self.attempt(request, Vec::new(), Box::new(then))
    }

    fn attempt(&self, request: Request, mut dialogs: Vec<Dialog>, then: Then) -> Step {
        let doer = self.clone();
        self.ask(request.clone(), move |result| match result {
            Err(error) if error.code == Code::SessionNotFound && doer.starts => {
                let doer = Doer { starts: false, ..doer };
                doer.clone().ask(Request::new(Open::default()), move |opened| match opened {
                    Ok(_) => doer.attempt(request, dialogs, then),
                    Err(error) => then(Done { result: Err(error), dialogs }),
                })
            }
            Err(error) if error.code == Code::DialogOpen && dialogs.len() < MOST => {
                let next = doer.clone();
                doer.look(move |open| match open {
                    None => then(Done { result: Err(error), dialogs }),
                    Some(dialog) => next.clone().answer(&dialog.clone(), move |answered| match answered {
                        Err(error) => then(Done { result: Err(error), dialogs }),
                        Ok(_) => {
                            dialogs.push(dialog);
                            // What may have been done in the page already is not done twice.
                            if is_repeatable(&request) {
                                next.attempt(request, dialogs, then)
                            } else {
                                then(Done { result: Err(interrupted(error)), dialogs })
                            }
                        }
                    }),
                })
            }
            Ok(outcome) => doer.clear(outcome, dialogs, then),
            result => then(Done { result, dialogs }),
        })
    }

    /// Answers what an action left open, and what comes after that.
    fn clear(&self, mut outcome: Outcome, mut dialogs: Vec<Dialog>, then: Then) -> Step {
        let open = outcome.dialog.clone().filter(|dialog| dialog.accepted.is_none());
        let Some(dialog) = open.filter(|_| dialogs.len() < MOST) else {
            return then(Done { result: Ok(outcome), dialogs });
        };
        let doer = self.clone();
        self.answer(&dialog.clone(), move |answered| {
            let after = match answered {
                Ok(after) => after,
                Err(error) => return then(Done { result: Err(error), dialogs }),
            };
            dialogs.push(dialog);
            outcome.dialog = None;
            outcome.url = after.url.or(outcome.url.take());
            outcome.title = after.title.or(outcome.title.take());
            outcome.status = after.status.or(outcome.status);
            outcome.navigation = after.navigation.or(outcome.navigation.take());
            outcome.opened.extend(after.opened);
            outcome.downloads.extend(after.downloads);
            let next = doer.clone();
            doer.look(move |open| {
                outcome.dialog = open;
                next.clear(outcome, dialogs, then)
            })
        })
    }

    /// The dialog that is open now.
    fn look(&self, then: impl FnOnce(Option<Dialog>) -> Step + Send + 'static) -> Step {
        let wait = Wait::until(Until::Time(Span::seconds(0)));
        self.ask(Request::new(wait), move |result| {
            then(result.ok().and_then(|outcome| outcome.dialog).filter(|dialog| dialog.accepted.is_none()))
        })
    }

    fn answer(&self, dialog: &Dialog, then: impl FnOnce(Result<Outcome>) -> Step + Send + 'static) -> Step {
        let answer = if accepts(dialog) { Answer::Accept } else { Answer::Dismiss };
        self.ask(Request::new(AnswerDialog { answer, text: None }), then)
    }

    fn ask(&self, request: Request, then: impl FnOnce(Result<Outcome>) -> Step + Send + 'static) -> Step {
        let request = Request { front: self.front, ..request };
        Step::perform(self.session.clone(), self.options.clone(), request, then)
    }
}

/// Whether a dialog is answered with yes.
pub(crate) fn accepts(dialog: &Dialog) -> bool {
    dialog.kind == "beforeunload"
}

/// What became of a dialog, in words.
pub(crate) fn told(dialog: &Dialog) -> String {
    let answer = if accepts(dialog) { "accepted" } else { "dismissed" };
    let article = if dialog.kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {} dialog {:?} opened and was {answer}", dialog.kind, dialog.message)
}

fn is_repeatable(request: &Request) -> bool {
    matches!(request.action.effect(), Effect::Read | Effect::Navigate)
}

fn interrupted(error: Error) -> Error {
    error.with_hint("the dialog has been dismissed; look at the page, then try again")
}

//! Finding elements anew. Pages replace their elements at any time, so what a target meant a moment ago may be gone when it is used. As
//! long as nothing was done in the page, the action begins again with what is there by then; a ref that the caller gave means one element
//! and no other.

use std::time::Duration;

use contract::{Code, Error, Ref, Result, Target};
use tokio::time::Instant;

use crate::{
    actions::Run,
    change::{UNREPORTED, Watch},
    hands::patience,
    page,
    snapshot::frame_of,
};

/// An attempt that may be made again.
pub(crate) struct Attempt {
    watch: Option<Watch>,
    /// How much had been sent to the page when it began.
    sent: u64,
    was_repeated: bool,
}

impl Attempt {
    /// To be made before the page is asked anything.
    pub(crate) fn new(run: &Run<'_>) -> Attempt {
        let tab = run.tab().ok().map(|(_, tab)| tab);
        Attempt {
            watch: tab.map(|tab| Watch::new(tab)),
            sent: tab.map_or(0, |tab| tab.sent()),
            was_repeated: false,
        }
    }

    /// Returns when it is time to do the same again, since an element that these targets mean was gone before anything was done with it.
    /// Fails with what there is to say if it is not: it was something else, something has been done, or the caller has no patience left.
    pub(crate) async fn again(&mut self, run: &Run<'_>, targets: &[&Target], error: Error) -> Result<()> {
        let Ok((_, tab)) = run.tab() else { return Err(error) };
        let is_named = targets.is_empty() || targets.iter().any(|target| matches!(target, Target::Ref(_)));
        if error.code != Code::StaleRef || is_named || tab.sent() != self.sent {
            return Err(error);
        }
        if Instant::now() >= run.patience {
            return Err(replaced(run, targets, error));
        }
        // Whatever took its place has to be there first, if the second one was not it either.
        if std::mem::replace(&mut self.was_repeated, true)
            && let Some(watch) = &self.watch
        {
            let until = Instant::now() + Duration::from_millis(patience(run));
            watch.changed(tab, UNREPORTED, until).await?;
        }
        self.watch = Some(Watch::new(tab));
        Ok(())
    }
}

/// Fails with `STALE_REF` if an element is no longer in the page, for those who got no answer about it.
pub(crate) async fn unless_gone(run: &Run<'_>, element: Ref) -> Result<()> {
    match page::ask(run.tab()?.1, frame_of(element), "has", &[element.element], run.deadline).await? == true {
        true => Ok(()),
        false => Err(Error::new(Code::StaleRef, format!("{element} is gone"))),
    }
}

/// The error of somebody who has waited for what the page replaced each time. The elements that were found are nothing to the caller.
fn replaced(run: &Run<'_>, targets: &[&Target], mut error: Error) -> Error {
    if let [target] = targets {
        error.message = format!("{target} is replaced again and again");
    }
    after_waiting(error, run.began, "")
}

/// The error of somebody who has waited.
pub(crate) fn after_waiting(mut error: Error, began: Instant, besides: &str) -> Error {
    let waited = began.elapsed().as_secs_f64();
    error.message.push_str(&format!(" (waited {waited:.1} s{besides})"));
    error
}

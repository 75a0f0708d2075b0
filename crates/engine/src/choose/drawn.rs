//! Lists of the browser's own that nobody sees, since the page has drawn another one in their place. It is that one that is chosen from: many
//! such lists hear nothing of a choice in the original, and people would see the old one.

use contract::{Code, Error, Outcome, Ref, Result};
use serde::Deserialize;

use super::{Found, Wanted, ask, is_there, is_usual, native, nothing_chosen, problem, several};
use crate::actions::{Run, SelectBy};

/// What the page's script says of what is to be chosen.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    #[serde(flatten)]
    found: Found,
    /// What the options are called.
    labels: Vec<String>,
    /// Nothing has to be taken back.
    adds: bool,
}

/// Chooses in `list`, which is drawn for `original`.
pub(super) async fn choose(run: &Run<'_>, list: Ref, original: Ref, wanted: Wanted<'_>) -> Result<Outcome> {
    let arguments = (original.element, wanted.by, wanted.values);
    let named: Named = ask(run, original, "labelsIn", &arguments).await?;
    problem(list, &named.found, wanted)?;
    if !named.adds {
        // To take back what is chosen is done differently by each of them; the original may be heard.
        return set_original(run, list, original, wanted).await;
    }
    let labels = named.labels;
    let by = if wanted.by == SelectBy::Any { SelectBy::Any } else { SelectBy::Label };
    let outcome = several(run, list, Wanted { values: &labels, by, ..wanted }).await?;
    if is_usual(run, &outcome)?
        && is_there(run, original)
        && !ask::<_, bool>(run, original, "hasChosen", &(original.element, &labels)).await.unwrap_or(true)
    {
        let message = format!("the option of {list} was clicked, but not taken");
        return Err(Error::new(Code::NoEffect, message).with_outcome(outcome));
    }
    Ok(outcome)
}

/// Sets the original, and sees whether what is drawn for it has heard of that.
async fn set_original(run: &Run<'_>, list: Ref, original: Ref, wanted: Wanted<'_>) -> Result<Outcome> {
    let outcome = native(run, original, wanted).await?;
    let is_shown = !is_usual(run, &outcome)?
        || !is_there(run, list)
        || ask::<_, bool>(run, list, "showsOnly", &(list.element, original.element)).await.unwrap_or(true);
    if is_shown {
        return Ok(outcome);
    }
    let error = if wanted.values.is_empty() {
        nothing_chosen(list)
    } else {
        Error::new(Code::NoEffect, format!("{list}, which people see, does not show what was chosen"))
            .with_hint("take back what is chosen there by clicking it, then choose again")
    };
    Err(error.with_outcome(outcome))
}

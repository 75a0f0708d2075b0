//! What the journal keeps of an action's end: neither what was read from the page nor what the page says of itself, since either may
//! repeat what was typed into it.

use contract::{Code, Error, Outcome, Result};
use journal::Recording;
use serde_json::Value;

/// What of an outcome comes out of the page itself.
const OF_THE_PAGE: [&str; 12] = [
    "/value",
    "/content/text",
    "/snapshot/text",
    "/snapshot/nodes",
    "/delta/text",
    "/labels",
    "/target/name",
    "/candidates",
    "/console",
    "/requests",
    "/dialog/message",
    "/dialog/suggestion",
];

/// Writes the end of an action to the journal.
pub(crate) fn record(mut recording: Recording, result: &Result<Outcome>) {
    match result {
        Ok(outcome) => {
            if let Some(tab) = outcome.tab {
                recording.set_tab(tab);
            }
            recording.finish(Ok(&kept_outcome(outcome)));
        }
        Err(error) => recording.finish(Err(&without_words_of_page(error))),
    }
}

fn kept_outcome(outcome: &Outcome) -> Value {
    let mut written = serde_json::to_value(outcome).unwrap_or_default();
    for step in written["steps"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        // Each step has been written by itself.
        step.remove("outcome");
        if step.get("code").is_some() {
            step.remove("message");
        }
    }
    if let Some(plan) = written.get_mut("plan") {
        keep_plan(plan);
    }
    for place in OF_THE_PAGE {
        if let Some(value) = written.pointer_mut(place) {
            let bytes = value.as_str().map_or_else(|| value.to_string().len(), str::len);
            *value = format!("[{bytes} bytes]").into();
        }
    }
    written
}

/// Names of elements come from the page, and notes may repeat what it says.
fn keep_plan(plan: &mut Value) {
    let size = |text: &Value| text.as_str().map(|text| format!("[{} bytes]", text.len())).unwrap_or_default();
    for element in plan["elements"].as_array_mut().into_iter().flatten() {
        if let Some(name) = element.get_mut("name") {
            *name = size(name).into();
        }
    }
    for note in plan["notes"].as_array_mut().into_iter().flatten() {
        *note = size(note).into();
    }
    for effect in plan["effects"].as_array_mut().into_iter().flatten() {
        if let Some(why) = effect.get_mut("why") {
            *why = without_quoted(why.as_str().unwrap_or_default()).into();
        }
    }
    plan["steps"].as_array_mut().into_iter().flatten().for_each(keep_plan);
}

/// An error without what it repeats of the page.
pub(crate) fn without_words_of_page(error: &Error) -> Error {
    let mut kept = error.clone();
    match kept.code {
        // Whatever a script throws.
        Code::EvaluateFailed => {
            kept.message = "the script failed".into();
            kept.cause = None;
        }
        // The markup of what is in the way.
        Code::ElementCovered => kept.message = until_markup(&without_quoted(&kept.message)),
        // The candidates.
        Code::ElementAmbiguous => kept.cause = None,
        _ => {}
    }
    kept.message = without_quoted(&kept.message);
    kept.cause = kept.cause.as_deref().map(without_quoted);
    kept
}

fn until_markup(message: &str) -> String {
    message.split(" <").next().unwrap_or_default().to_owned()
}

/// The text without what stands in quotes: messages quote what comes from elsewhere, and in Rust's way, so that a quote in it is escaped.
pub(crate) fn without_quoted(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut chars = text.chars();
    let mut is_quoted = false;
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                kept.push_str(if is_quoted { "…\"" } else { "\"" });
                is_quoted = !is_quoted;
            }
            '\\' if is_quoted => drop(chars.next()),
            _ if is_quoted => {}
            _ => kept.push(c),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_page_are_left_out() {
        let check = |code: Code, message: &str, expected: &str| {
            let kept = without_words_of_page(&Error::new(code, message).with_cause("told \"by\" it"));
            assert_eq!(kept.message, expected);
            assert!(kept.cause.is_none_or(|cause| cause == "told \"…\" it"));
        };
        check(
            Code::DialogOpen,
            r#"the alert dialog "say \"it\" \\" is open in t1"#,
            r#"the alert dialog "…" is open in t1"#,
        );
        check(Code::StaleRef, r#"e1 button "Save" was replaced"#, r#"e1 button "…" was replaced"#);
        check(
            Code::ElementCovered,
            r#"e1 is covered by e2 dialog "Words" <div id="a">"#,
            r#"e1 is covered by e2 dialog "…""#,
        );
        check(Code::EvaluateFailed, "the script threw Error: words", "the script failed");
        check(Code::ElementNotEnabled, "e1 is disabled", "e1 is disabled");
        check(Code::Timeout, r#"cut in the "middle"#, r#"cut in the ""#);
    }
}

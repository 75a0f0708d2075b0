//! What the journal is told of how an action ended. Nothing that a page says is in it, but for addresses and titles.

use contract::{Outcome, Result};
use journal::Recording;
use serde_json::Value;

/// What of an outcome comes out of the page itself.
const OF_THE_PAGE: [&str; 10] = [
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
];

/// Writes the end of an action to the journal. What was read stays out: it may be anything that is in a page.
pub(crate) fn record(mut recording: Recording, result: &Result<Outcome>) {
    match result {
        Ok(outcome) => {
            if let Some(tab) = outcome.tab {
                recording.set_tab(tab);
            }
            let mut written = serde_json::to_value(outcome).unwrap_or_default();
            // Each step has been written by itself.
            for step in written["steps"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut)
            {
                step.remove("outcome");
            }
            for place in OF_THE_PAGE {
                if let Some(value) = written.pointer_mut(place) {
                    let bytes = value.as_str().map_or_else(|| value.to_string().len(), str::len);
                    *value = format!("[{bytes} bytes]").into();
                }
            }
            recording.finish(Ok(&written));
        }
        Err(error) => {
            let mut written = error.clone();
            written.message = without_quotes(&error.message);
            recording.finish(Err(&written));
        }
    }
}

/// A message without what is quoted in it: names of elements and texts are the page's words, or the caller's, and stand in quotes wherever
/// webhand repeats them.
fn without_quotes(message: &str) -> String {
    let mut kept = String::with_capacity(message.len());
    let mut chars = message.chars();
    while let Some(c) = chars.next() {
        kept.push(c);
        if c != '"' {
            continue;
        }
        kept.push('…');
        while let Some(quoted) = chars.next() {
            match quoted {
                // Quotes are written as Rust writes them: what is escaped ends nothing.
                '\\' => drop(chars.next()),
                '"' => break,
                _ => {}
            }
        }
        kept.push('"');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_emptied() {
        for (message, kept) in [
            ("e5 is disabled", "e5 is disabled"),
            (r#"e5 is covered by e7 dialog "Pay \"now\"" <div>"#, r#"e5 is covered by e7 dialog "…" <div>"#),
            (
                r#"nothing is "a"; the nearest: e1 "b", e2 "c""#,
                r#"nothing is "…"; the nearest: e1 "…", e2 "…""#,
            ),
            (r#"a quote "without end"#, r#"a quote "…""#),
        ] {
            assert_eq!(without_quotes(message), kept);
        }
    }
}

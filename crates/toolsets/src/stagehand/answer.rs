//! How this dialect answers: `{ok, data, error?}`, with its own fields in `data`.

use contract::{Code, Error, Outcome, ToolError};
use serde_json::{Map, Value, json};

use crate::{Reply, lines};

/// How a dialog is answered here.
const ANSWER: &str = "answer it with act: \"accept the dialog\" or \"dismiss the dialog\"";

/// Success with this data.
pub(super) fn ok(data: Value) -> Reply {
    Reply::data(true, json!({"ok": true, "data": data}))
}

/// Something was done. What happened besides is in `notes`.
pub(super) fn done(data: Value, outcome: &Outcome) -> Reply {
    let notes = lines::happened(&Outcome { typed: None, scrolled: None, ..outcome.clone() }, ANSWER);
    let notes = if notes.is_empty() { json!({}) } else { json!({"notes": notes}) };
    ok(joined([json!({"success": true}), data, notes]))
}

/// Why something was not done. `said` is what the answer repeats of the call.
pub(super) fn failed(error: Error, said: Value) -> Reply {
    let error = if error.code == Code::DialogOpen { error.with_hint(ANSWER) } else { error };
    let found = match error.outcome.as_deref() {
        Some(Outcome { candidates, .. }) if !candidates.is_empty() => {
            json!({"candidates": candidates.iter().map(lines::candidate).collect::<Vec<_>>()})
        }
        _ => json!({}),
    };
    let data = joined([json!({"success": false}), said, json!({"error": error.message}), found]);
    Reply::data(false, json!({"ok": false, "data": data, "error": ToolError::from(error)}))
}

/// The fields of several objects in one.
pub(super) fn joined<const N: usize>(parts: [Value; N]) -> Value {
    let mut all = Map::new();
    for part in parts {
        if let Value::Object(fields) = part {
            all.extend(fields);
        }
    }
    Value::Object(all)
}

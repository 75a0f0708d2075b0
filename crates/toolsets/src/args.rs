//! Reading the arguments of a call. What was wrong is told by the name of the argument, never by its value: it may be a secret.

use contract::{Error, Result};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The arguments as what the tool takes. None at all are the same as no arguments.
pub(crate) fn read<A: DeserializeOwned>(args: Value) -> Result<A> {
    let args = match args {
        Value::Null => Value::Object(serde_json::Map::new()),
        Value::Object(_) => args,
        // A list would pass for the values in the order of the fields, which nobody knows.
        _ => return Err(no_object()),
    };
    serde_path_to_error::deserialize(args).map_err(|error| {
        let path = error.path().to_string();
        let says = without_values(&error.inner().to_string());
        let place = if path == "." { String::new() } else { format!("{path}: ") };
        Error::invalid(format!("{place}{says}"))
            .with_hint("correct the arguments; the tool's schema says what it takes")
    })
}

/// Arguments that have no names.
pub fn no_object() -> Error {
    Error::invalid("the arguments are no object")
        .with_hint("send them as a JSON object, such as {\"url\": \"https://example.com\"}")
}

/// What serde says of a wrong type or value, without the value.
fn without_values(says: &str) -> String {
    let (kept, expected) = match says.split_once(", expected ") {
        Some((kept, expected))
            if ["invalid ", "unknown variant "].iter().any(|start| kept.starts_with(start)) =>
        {
            (kept, expected)
        }
        _ => return says.to_owned(),
    };
    let kept = kept.split(['`', '"']).next().unwrap_or_default().trim_end();
    format!("{kept}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Args {
        text: String,
        #[serde(default)]
        fields: Vec<Field>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only read")]
    struct Field {
        count: u8,
        #[serde(default)]
        way: Option<Way>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Way {
        Up,
        Down,
    }

    #[test]
    fn mistakes_are_told_without_values() {
        let says = |args: Value| read::<Args>(args).unwrap_err().message;
        assert_eq!(
            says(json!({"text": "", "fields": [{"count": 1, "way": "hunter2"}]})),
            "fields[0].way: unknown variant, expected `up` or `down`"
        );
        assert_eq!(says(json!({"text": 271_828})), "text: invalid type: integer, expected a string");
        assert_eq!(
            says(json!({"text": "", "fields": [{"count": "hunter2"}]})),
            "fields[0].count: invalid type: string, expected u8"
        );
        assert_eq!(
            says(json!({"text": "", "fields": [{"count": 999}]})),
            "fields[0].count: invalid value: integer, expected u8"
        );
        assert_eq!(says(json!({"txt": ""})), "txt: unknown field `txt`, expected `text` or `fields`");
        assert_eq!(says(json!({})), "missing field `text`");
        for args in [json!([]), json!(["hunter2"]), json!("hunter2"), json!(7)] {
            assert_eq!(says(args), "the arguments are no object");
        }
        assert_eq!(says(Value::Null), "missing field `text`");
    }
}

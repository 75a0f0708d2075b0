//! Whether a value is what a JSON Schema asks for. Keywords that are not known are refused, not passed over: a value is checked or not
//! given out.

use jiff::{Timestamp, civil};
use regex::Regex;
use serde_json::{Map, Value};

const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];

/// Keywords that say nothing about a value.
const ABOUT: [&str; 11] = [
    "$schema",
    "$id",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "nullable",
];

const KEYWORDS: [&str; 26] = [
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "contentEncoding",
];

/// What is wrong with a schema.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    /// It is no JSON Schema.
    Invalid(String),
    /// It says something that is not checked here.
    Unread(String),
}

/// Whether this is a schema all of which is checked.
pub(super) fn schema(schema: &Value) -> Result<(), Fault> {
    let fields = match schema {
        Value::Bool(_) => return Ok(()),
        Value::Object(fields) => fields,
        other => return Err(Fault::Invalid(format!("{} is no schema: a schema is an object", short(other)))),
    };
    let kinds = types(schema);
    let is_type = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
    if fields.get("type").is_some_and(|_| kinds.is_empty() || !kinds.iter().all(|name| is_type(name))) {
        let message = format!("{} is no type: the types are {}", short(&fields["type"]), TYPES.join(", "));
        return Err(Fault::Invalid(message));
    }
    for (name, value) in fields {
        match &**name {
            "properties" => {
                let Some(properties) = value.as_object() else { return Err(not_a(name, "an object")) };
                properties.values().try_for_each(self::schema)?;
            }
            "items" | "not" | "additionalProperties" => self::schema(value)?,
            "allOf" | "anyOf" | "oneOf" => {
                let Some(all) = value.as_array() else { return Err(not_a(name, "a list of schemas")) };
                all.iter().try_for_each(self::schema)?;
            }
            "required" | "enum" if !value.is_array() => return Err(not_a(name, "a list")),
            "pattern" => {
                let Some(pattern) = value.as_str() else { return Err(not_a(name, "a text")) };
                if Regex::new(pattern).is_err() {
                    return Err(Fault::Unread(format!("the pattern {pattern:?} cannot be checked here")));
                }
            }
            "format" if value.as_str().is_none_or(|format| has_format("", format).is_none()) => {
                return Err(Fault::Unread(format!("the format {} cannot be checked here", short(value))));
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf"
                if !value.is_number() =>
            {
                return Err(not_a(name, "a number"));
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
                if !value.is_u64() =>
            {
                return Err(not_a(name, "a count"));
            }
            name if KEYWORDS.contains(&name) || ABOUT.contains(&name) => {}
            name => {
                return Err(Fault::Unread(format!(
                    "the keyword {name:?} of the schema cannot be checked here"
                )));
            }
        }
    }
    Ok(())
}

fn not_a(keyword: &str, what: &str) -> Fault {
    Fault::Invalid(format!("{keyword:?} of the schema is not {what}"))
}

/// The types that a schema allows.
pub(super) fn types(schema: &Value) -> Vec<&Value> {
    match &schema["type"] {
        Value::Array(all) => all.iter().collect(),
        Value::Null => Vec::new(),
        one => vec![one],
    }
}

pub(super) fn allows(schema: &Value, kind: &str) -> bool {
    types(schema).iter().any(|name| *name == kind)
}

/// What is wrong with a value by a schema that was checked; nothing if it fits.
pub(super) fn misfit(value: &Value, schema: &Value) -> Option<String> {
    let Value::Object(fields) = schema else {
        return (*schema == false).then(|| format!("{} is not allowed", short(value)));
    };
    fields.iter().find_map(|(name, wanted)| broken(value, name, wanted, fields))
}

/// What a value is not that a keyword wants.
fn broken(value: &Value, keyword: &str, wanted: &Value, schema: &Map<String, Value>) -> Option<String> {
    let says =
        |fits: bool| (!fits).then(|| format!("{} does not fit {keyword} {}", short(value), short(wanted)));
    let count = wanted.as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or_default();
    let number = |fits: fn(f64, f64) -> bool| {
        says(value.as_f64().zip(wanted.as_f64()).is_none_or(|(value, wanted)| fits(value, wanted)))
    };
    let length = value.as_str().map(|text| text.chars().count());
    let all = |wanted: &Value| wanted.as_array().cloned().unwrap_or_default();
    let fitting = || all(wanted).iter().filter(|schema| misfit(value, schema).is_none()).count();
    match keyword {
        "type" => {
            let schema = Value::Object(schema.clone());
            says(types(&schema).iter().any(|kind| is_of(value, kind)))
        }
        "enum" => says(all(wanted).contains(value)),
        "const" => says(value == wanted),
        "minLength" => says(length.is_none_or(|length| length >= count)),
        "maxLength" => says(length.is_none_or(|length| length <= count)),
        "pattern" => says(value.as_str().is_none_or(|text| {
            Regex::new(wanted.as_str().unwrap_or_default()).is_ok_and(|pattern| pattern.is_match(text))
        })),
        "format" => says(
            value
                .as_str()
                .is_none_or(|text| has_format(text, wanted.as_str().unwrap_or_default()) == Some(true)),
        ),
        "minimum" => number(|value, wanted| value >= wanted),
        "maximum" => number(|value, wanted| value <= wanted),
        "exclusiveMinimum" => number(|value, wanted| value > wanted),
        "exclusiveMaximum" => number(|value, wanted| value < wanted),
        "multipleOf" => number(|value, wanted| (value / wanted).fract().abs() < 1e-9),
        "minItems" => says(value.as_array().is_none_or(|items| items.len() >= count)),
        "maxItems" => says(value.as_array().is_none_or(|items| items.len() <= count)),
        "uniqueItems" => says(
            *wanted != true
                || value.as_array().is_none_or(|items| {
                    items.iter().enumerate().all(|(at, item)| !items[..at].contains(item))
                }),
        ),
        "items" => value.as_array()?.iter().find_map(|item| misfit(item, wanted)),
        "minProperties" => says(value.as_object().is_none_or(|fields| fields.len() >= count)),
        "maxProperties" => says(value.as_object().is_none_or(|fields| fields.len() <= count)),
        "properties" => value.as_object()?.iter().find_map(|(name, value)| misfit(value, wanted.get(name)?)),
        "additionalProperties" => {
            let known = schema.get("properties").and_then(Value::as_object);
            let is_other = |name: &String| known.is_none_or(|known| !known.contains_key(name));
            value
                .as_object()?
                .iter()
                .filter(|(name, _)| is_other(name))
                .find_map(|(_, value)| misfit(value, wanted))
        }
        "required" => {
            let fields = value.as_object()?;
            let missing = all(wanted)
                .into_iter()
                .find(|name| name.as_str().is_some_and(|name| !fields.contains_key(name)));
            missing.map(|name| format!("{} is missing", short(&name)))
        }
        "allOf" => says(fitting() == all(wanted).len()),
        "anyOf" => says(fitting() > 0),
        "oneOf" => says(fitting() == 1),
        "not" => says(misfit(value, wanted).is_some()),
        _ => None,
    }
}

fn is_of(value: &Value, kind: &Value) -> bool {
    match kind.as_str().unwrap_or_default() {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    }
}

/// Whether a text has a format; none if the format is not known.
fn has_format(text: &str, format: &str) -> Option<bool> {
    let is_email = |text: &str| {
        text.split_once('@').is_some_and(|(name, host)| {
            !name.is_empty() && !host.is_empty() && !host.contains('@') && !text.contains(char::is_whitespace)
        })
    };
    let is_uuid = |text: &str| {
        let lengths: Vec<_> = text.split('-').map(str::len).collect();
        lengths == [8, 4, 4, 4, 12] && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
    };
    Some(match format {
        "date" => text.len() == 10 && text.parse::<civil::Date>().is_ok(),
        "time" => text.contains(':') && text.trim_end_matches('Z').parse::<civil::Time>().is_ok(),
        "date-time" => text.parse::<Timestamp>().is_ok(),
        "email" => is_email(text),
        "uri" | "url" => url::Url::parse(text).is_ok(),
        "ipv4" => text.parse::<std::net::Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<std::net::Ipv6Addr>().is_ok(),
        "uuid" => is_uuid(text),
        _ => return None,
    })
}

/// A value as it may stand in a message.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(100) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas() {
        for bad in [
            json!("x"),
            json!(1),
            json!({"type": "frog"}),
            json!({"properties": {"a": {"type": 3}}}),
            json!({"enum": 1}),
        ] {
            assert!(matches!(schema(&bad), Err(Fault::Invalid(_))), "{bad}");
        }
        for unread in [json!({"$ref": "#/x"}), json!({"format": "phone"}), json!({"pattern": "(?=a)"})] {
            assert!(matches!(schema(&unread), Err(Fault::Unread(_))), "{unread}");
        }
        assert_eq!(schema(&json!({"type": ["string", "null"], "title": "x"})), Ok(()));
    }

    #[test]
    fn values() {
        let fits = |value: Value, schema: Value| misfit(&value, &schema).is_none();
        for (value, schema) in [
            (json!("2026-01-02"), json!({"format": "date"})),
            (json!("2026-01-02T03:04:05Z"), json!({"format": "date-time"})),
            (json!("a@b.c"), json!({"format": "email"})),
            (json!("A12"), json!({"pattern": "^[A-Z][0-9]+$"})),
            (json!(5), json!({"type": "integer", "minimum": 5, "maximum": 5, "multipleOf": 5})),
            (json!("a"), json!({"enum": ["a", "b"], "minLength": 1, "maxLength": 1})),
            (json!([1, 2]), json!({"items": {"type": "number"}, "minItems": 2, "uniqueItems": true})),
            (json!({"a": 1}), json!({"required": ["a"], "additionalProperties": {"type": "number"}})),
            (json!(null), json!({"anyOf": [{"type": "null"}, {"type": "string"}]})),
        ] {
            assert!(fits(value.clone(), schema.clone()), "{value} {schema}");
        }
        for (value, schema) in [
            (json!("not known"), json!({"format": "date"})),
            (json!("2026-13-02"), json!({"format": "date"})),
            (json!("nobody"), json!({"format": "email"})),
            (json!("12"), json!({"pattern": "^[A-Z]"})),
            (json!(5), json!({"exclusiveMinimum": 5})),
            (json!(5.5), json!({"type": "integer"})),
            (json!("c"), json!({"enum": ["a", "b"]})),
            (json!([1, "x"]), json!({"items": {"type": "number"}})),
            (json!([1, 1]), json!({"uniqueItems": true})),
            (json!({"b": 1}), json!({"required": ["a"]})),
            (json!({"b": 1}), json!({"properties": {"a": {}}, "additionalProperties": false})),
            (json!(1), json!({"not": {"type": "number"}})),
        ] {
            assert!(!fits(value.clone(), schema.clone()), "{value} {schema}");
        }
    }
}

//! Reading the arguments of a call. What was wrong is told by the name of the argument, never by its value: it may be a secret.

use contract::{Error, Result};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::names;

/// How many arguments that nobody knows are passed over.
const MOST_IGNORED: usize = 20;

/// The arguments as what the tool takes. None at all are the same as no arguments.
pub(crate) fn read<A: DeserializeOwned>(args: Value) -> Result<A> {
    understood(object(args)?).map_err(|mistake| mistake.error)
}

/// The same for tools whose users mix up versions: what is not known is passed over, and told by name. A `ref` is another word for a
/// target.
pub(crate) fn read_forgiving<A: DeserializeOwned>(args: Value) -> Result<(A, Vec<String>)> {
    let mut args = object(args)?;
    let mut ignored = Vec::new();
    loop {
        let mistake = match understood(args.clone()) {
            Ok(read) => return Ok((read, ignored)),
            Err(mistake) => mistake,
        };
        let (true, Some(name)) = (ignored.len() < MOST_IGNORED, mistake.unknown) else {
            return Err(mistake.error);
        };
        let Some(holder) = mistake.path.iter().try_fold(&mut args, step_into).and_then(Value::as_object_mut)
        else {
            return Err(mistake.error);
        };
        let Some(value) = holder.remove(&name) else { return Err(mistake.error) };
        match target_for(&name) {
            Some(target) => match holder.get(target) {
                None => drop(holder.insert(target.into(), value)),
                Some(other) if *other == value => {}
                Some(_) => {
                    return Err(Error::invalid(format!(
                        "{name} and {target} are the same argument, and differ"
                    )));
                }
            },
            None => ignored.push(name),
        }
    }
}

/// What older versions call a target.
fn target_for(name: &str) -> Option<&'static str> {
    match name {
        "ref" => Some("target"),
        "startRef" => Some("startTarget"),
        "endRef" => Some("endTarget"),
        _ => None,
    }
}

/// Arguments that name a file. Clients fill in what they leave out with empty texts, and no file has such a name.
const FILE_NAMES: [&str; 2] = ["filename", "path"];

fn object(args: Value) -> Result<Value> {
    match args {
        Value::Null => Ok(Value::Object(serde_json::Map::new())),
        Value::Object(mut fields) => {
            fields.retain(|name, value| !(FILE_NAMES.contains(&&**name) && *value == ""));
            Ok(whole(Value::Object(fields)))
        }
        // A list would pass for the values in the order of the fields, which nobody knows.
        _ => Err(no_object()),
    }
}

/// With whole numbers written as such: 800.0 is 800.
fn whole(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => Value::from(float as i64),
            _ => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(whole).collect(),
        Value::Object(object) => object.into_iter().map(|(name, value)| (name, whole(value))).collect(),
        other => other,
    }
}

/// What is wrong with arguments.
struct Mistake {
    error: Error,
    /// The argument that is not known, and what it is in.
    unknown: Option<String>,
    path: Vec<Part>,
}

/// A step into arguments.
enum Part {
    Name(String),
    Index(usize),
}

fn step_into<'a>(value: &'a mut Value, part: &Part) -> Option<&'a mut Value> {
    match part {
        Part::Name(name) => value.get_mut(name),
        Part::Index(index) => value.get_mut(index),
    }
}

fn understood<A: DeserializeOwned>(args: Value) -> Result<A, Box<Mistake>> {
    use serde_path_to_error::Segment;
    serde_path_to_error::deserialize(args).map_err(|error| {
        let mut path: Vec<Part> = error
            .path()
            .iter()
            .filter_map(|segment| match segment {
                Segment::Map { key } => Some(Part::Name(key.clone())),
                Segment::Seq { index } => Some(Part::Index(*index)),
                Segment::Enum { .. } | Segment::Unknown => None,
            })
            .collect();
        let place = error.path().to_string();
        let said = error.inner().to_string();
        let unknown = said.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'));
        let unknown = unknown.map(|(name, _)| name.to_owned());
        if matches!((&unknown, path.last()), (Some(name), Some(Part::Name(last))) if name == last) {
            path.pop();
        }
        let place = if place == "." { String::new() } else { format!("{place}: ") };
        let error = Error::invalid(format!("{place}{}", in_words(&names::few(&without_values(&said)))))
            .with_hint("correct the arguments; the tool's schema says what it takes");
        Box::new(Mistake { error, unknown, path })
    })
}

/// With words for what only programs of one language call so.
fn in_words(says: &str) -> String {
    let word = |word: &str| match word {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        other => other.to_owned(),
    };
    says.split(' ').map(word).collect::<Vec<_>>().join(" ")
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
            "fields[0].count: invalid type: string, expected a whole number from 0 on"
        );
        assert_eq!(
            says(json!({"text": "", "fields": [{"count": 999}]})),
            "fields[0].count: invalid value: integer, expected a whole number from 0 on"
        );
        assert_eq!(says(json!({"txt": ""})), "txt: unknown field `txt`, expected `text` or `fields`");
        assert_eq!(says(json!({})), "missing field `text`");
        for args in [json!([]), json!(["hunter2"]), json!("hunter2"), json!(7)] {
            assert_eq!(says(args), "the arguments are no object");
        }
        assert_eq!(says(Value::Null), "missing field `text`");
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Forgiving {
        target: String,
        #[serde(default)]
        width: u32,
        #[serde(default)]
        fields: Vec<Forgiving>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Saving {
        filename: Option<String>,
        text: Option<String>,
    }

    #[test]
    fn an_empty_name_of_a_file_is_none() {
        let saving: Saving = read(json!({"filename": "", "text": ""})).unwrap();
        assert_eq!((saving.filename, saving.text.as_deref()), (None, Some("")));
        let (saving, _) = read_forgiving::<Saving>(json!({"filename": "a.txt"})).unwrap();
        assert_eq!((saving.filename.as_deref(), saving.text), (Some("a.txt"), None));
    }

    #[test]
    fn what_is_not_known_is_passed_over_and_told() {
        let read = |args| read_forgiving::<Forgiving>(args);
        let (args, ignored) = read(json!({"ref": "e1", "width": 800.0, "wide": 1, "fields": [
            {"target": "e2", "ref": "e2"}, {"ref": "e3", "nme": "x"},
        ]}))
        .unwrap();
        assert_eq!((&*args.target, args.width, &*args.fields[1].target), ("e1", 800, "e3"));
        assert_eq!(ignored, ["nme", "wide"]);
        assert!(read(json!({"target": "e1", "ref": "e2"})).unwrap_err().message.contains("differ"));
        assert_eq!(read(json!({"tarjet": "e1"})).unwrap_err().message, "missing field `target`");
        assert!(read(json!({"target": "e1", "width": 1.5})).is_err());
    }
}

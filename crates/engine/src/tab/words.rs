//! How values look in a console: text as it is, objects by what can be seen of them without asking.

use cdp::protocol as p;

/// The longest text of a message, in characters.
pub(super) const LONGEST: usize = 2_000;

/// The words of a call: its format filled in, the other arguments behind it.
pub(super) fn of_call(args: &[p::RemoteObject]) -> String {
    let mut rest = args.iter();
    let mut words = Vec::new();
    if let Some(format) = args.first().and_then(as_text)
        && args.len() > 1
        && format.contains('%')
    {
        rest.next();
        words.push(fill_in(format, &mut rest));
    }
    words.extend(rest.map(of_object));
    words.join(" ")
}

/// Puts arguments into a format (Console Standard, 2.2.1): `%s` and its like take one each, `%c` takes one that only a style is.
fn fill_in<'a>(format: &str, args: &mut impl Iterator<Item = &'a p::RemoteObject>) -> String {
    let mut text = String::new();
    let mut parts = format.split('%');
    text.push_str(parts.next().unwrap_or_default());
    let mut escaped = false;
    for part in parts {
        let specifier = part.chars().next();
        let argument = match specifier {
            _ if escaped => None,
            Some('s' | 'd' | 'i' | 'f' | 'o' | 'O' | 'c') => args.next(),
            _ => None,
        };
        match (specifier, argument) {
            (Some('c'), Some(_)) => {}
            (Some(_), Some(argument)) => text.push_str(&of_object(argument)),
            _ if escaped => {}
            _ => text.push('%'),
        }
        // `%%` is a percent sign: of the two parts between the signs, the first is empty.
        escaped = !escaped && part.is_empty();
        text.push_str(if argument.is_some() { &part[1..] } else { part });
    }
    text
}

fn as_text(object: &p::RemoteObject) -> Option<&str> {
    object.value.as_ref()?.as_str()
}

/// One value.
pub(super) fn of_object(object: &p::RemoteObject) -> String {
    if let Some(text) = as_text(object) {
        return text.to_owned();
    }
    let description = object.description.clone().unwrap_or_default();
    match (&*object.r#type, object.subtype.as_deref(), &object.preview) {
        ("undefined", ..) => "undefined".into(),
        (_, Some("null"), _) => "null".into(),
        (_, Some("error" | "node" | "regexp" | "date"), _) | (_, _, None) => match &object.value {
            Some(value) if description.is_empty() => value.to_string(),
            _ => description,
        },
        (_, _, Some(preview)) => of_preview(preview),
    }
}

fn of_preview(preview: &p::ObjectPreview) -> String {
    let is_array = preview.subtype.as_deref() == Some("array");
    let description = preview.description.as_deref().unwrap_or_default();
    let mut parts: Vec<String> = Vec::new();
    if preview.entries.is_empty() {
        parts.extend(preview.properties.iter().map(|property| {
            let value = match (&property.value_preview, &*property.r#type) {
                (Some(preview), _) => of_preview(preview),
                (None, "string") => format!("'{}'", property.value.as_deref().unwrap_or_default()),
                (None, kind) => {
                    property.value.clone().filter(|value| !value.is_empty()).unwrap_or(kind.into())
                }
            };
            if is_array && property.name.parse::<u32>().is_ok() {
                value
            } else {
                format!("{}: {value}", property.name)
            }
        }));
    } else {
        parts.extend(preview.entries.iter().map(|entry| match &entry.key {
            Some(key) => format!("{} => {}", of_preview(key), of_preview(&entry.value)),
            None => of_preview(&entry.value),
        }));
    }
    if preview.overflow {
        parts.push("…".into());
    }
    let inside = parts.join(", ");
    match (is_array, description) {
        (true, _) => format!("[{inside}]"),
        (false, "Object" | "") => format!("{{{inside}}}"),
        // A plain value inside of a map has a description and nothing else.
        (false, description) if parts.is_empty() => description.to_owned(),
        (false, description) => format!("{description} {{{inside}}}"),
    }
}

/// At most so many characters, and how many there were.
pub(crate) fn cut(text: String, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}… ({} characters in all)", &text[..end], text.chars().count()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn rows() {
        let check = |args: Value, wanted: &str| {
            let args: Vec<p::RemoteObject> = serde_json::from_value(args).unwrap();
            assert_eq!(of_call(&args), wanted);
        };
        let text = |text: &str| json!({"type": "string", "value": text});
        let number = json!({"type": "number", "value": 5, "description": "5"});
        check(json!([]), "");
        check(json!([text("plain %s")]), "plain %s");
        check(json!([text("%s is %d"), text("x"), number, text("more")]), "x is 5 more");
        check(json!([text("100% %s %"), text("x")]), "100% x %");
        check(json!([text("%% %s %%s"), text("x"), text("y")]), "% x %s y");
        check(json!([text("%cred%c"), text("color: red"), text("")]), "red");
        check(json!([text("%s %s"), text("one")]), "one %s");
        check(
            json!([{"type": "undefined"}, {"type": "object", "subtype": "null", "value": null}]),
            "undefined null",
        );
        check(json!([{"type": "boolean", "value": true}, number]), "true 5");
        check(json!([{"type": "bigint", "unserializableValue": "12n", "description": "12n"}]), "12n");
        let property =
            |name: &str, kind: &str, value: &str| json!({"name": name, "type": kind, "value": value});
        let object = |preview: Value| json!({"type": "object", "description": "?", "preview": preview});
        check(
            json!([object(json!({"description": "Object", "overflow": true, "properties": [
                property("a", "number", "1"), property("s", "string", "x"), property("f", "function", "")
            ]}))]),
            "{a: 1, s: 'x', f: function, …}",
        );
        check(
            json!([object(json!({"subtype": "array", "description": "Array(1)", "properties": [
                {"name": "0", "type": "object", "value": "Foo", "valuePreview": {"description": "Foo", "properties": [
                    property("a", "number", "1")
                ]}}
            ]}))]),
            "[Foo {a: 1}]",
        );
        check(
            json!([object(
                json!({"subtype": "map", "description": "Map(1)", "properties": [property("size", "number", "1")],
                "entries": [{"key": {"description": "1"}, "value": {"description": "two"}}]})
            )]),
            "Map(1) {1 => two}",
        );
        check(
            json!([{"type": "object", "subtype": "error", "description": "Error: no\n  at f", "preview": {}}]),
            "Error: no\n  at f",
        );
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        assert_eq!(cut("四个字呢".into(), 4), "四个字呢");
        assert_eq!(cut("五个字了呢".into(), 4), "五个字了… (5 characters in all)");
    }
}

//! The JSON Schema of a tool's arguments, as small as it can be: models read it before every conversation.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// The schema of the arguments `A`, without references and without what a model does not need.
pub(crate) fn of<A: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<A>().to_value();
    shorten(&mut schema);
    if let Value::Object(object) = &mut schema {
        object.remove("description");
        object.insert("type".into(), "object".into());
        object.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    schema
}

/// Takes out what says nothing: titles, formats of numbers, the "null" of optional values and their default of null.
fn shorten(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(object) => {
            object.remove("title");
            object.remove("format");
            // What is not known is refused anyway, by name.
            object.remove("additionalProperties");
            if object.get("default").is_some_and(is_nothing) {
                object.remove("default");
            }
            if object.get("minimum").is_some_and(|least| least.as_f64() == Some(0.0)) {
                object.remove("minimum");
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = &**types {
                    let only = only.clone();
                    object.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(values)) = object.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            without_null_choice(object);
            names_in_one_list(object);
            // The names of properties are not words of the schema.
            match object.get_mut("properties") {
                Some(Value::Object(properties)) => {
                    let mut kept = std::mem::take(properties);
                    kept.values_mut().for_each(shorten);
                    for (name, value) in object.iter_mut() {
                        if name != "properties" {
                            shorten(value);
                        }
                    }
                    object.insert("properties".into(), Value::Object(kept));
                }
                _ => object.values_mut().for_each(shorten),
            }
        }
        _ => {}
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is) => !is,
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// `anyOf: [X, null]` is X that may be left out.
fn without_null_choice(object: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = object.get_mut("anyOf") else { return };
    choices.retain(|choice| choice["type"] != "null");
    if let [Value::Object(only)] = &**choices {
        let only = only.clone();
        object.remove("anyOf");
        for (name, value) in only {
            object.entry(name).or_insert(value);
        }
    }
}

/// Names that each have a description of their own become a plain list: what they mean is clear to whoever reads them.
fn names_in_one_list(object: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = object.get("oneOf") else { return };
    let names: Option<Vec<Value>> = choices
        .iter()
        .map(|choice| match (choice.get("const"), choice.get("enum")) {
            (Some(name), _) => Some(vec![name.clone()]),
            (_, Some(Value::Array(names))) => Some(names.clone()),
            _ => None,
        })
        .collect::<Option<Vec<_>>>()
        .map(|names| names.concat());
    if let Some(names) = names {
        object.remove("oneOf");
        object.insert("type".into(), "string".into());
        object.insert("enum".into(), Value::Array(names));
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    struct Args {
        /// Where to
        url: String,
        #[serde(default)]
        page_count: Option<u32>,
        #[serde(default)]
        title: Option<Colour>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Colour {
        /// Like blood
        Red,
        /// Like grass
        Green,
    }

    #[test]
    fn a_schema_is_short() {
        assert_eq!(
            of::<Args>(),
            json!({"type": "object", "required": ["url"], "properties": {
                "url": {"type": "string", "description": "Where to"},
                "pageCount": {"type": "integer"},
                "title": {"type": "string", "enum": ["red", "green"]},
            }})
        );
    }
}

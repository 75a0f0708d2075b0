//! Attempts from schemas: every value of every property at least once, not all of them together.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    lists::Subject,
    values::{by_name, special},
};

type Object = Map<String, Value>;

/// Properties that say which of several things a tool does; each of them is attacked as if it were a tool.
const WHICH: [&str; 3] = ["action", "method", "kind"];

/// A property of that kind, and the only value of `action` that it goes with.
const ONLY_WITH: [(&str, &str); 1] = [("kind", "act")];

/// What is given in turns, since one excludes the other.
const EITHER: [(&str, [&[&str]; 2]); 5] = [
    ("openclaw.browser download", [&["targetUrl", "url"], &["ref", "selector"]]),
    ("nanobot.browser download", [&["url"], &["selector"]]),
    ("browser.browser_download", [&["url"], &["target"]]),
    ("verbs.download", [&["url"], &["target"]]),
    ("verbs.wait", [&["target"], &["function"]]),
];

/// What waits for something to happen unless it is told what to do.
const WAITS: [&str; 3] = ["browser.browser_download", "verbs.download", "openclaw.browser waitfordownload"];

/// How often all properties are given together.
const ROUNDS: usize = 6;

/// Above so many properties they are not given one by one as well.
const MANY: usize = 20;

/// A call to make, or a verb to perform.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    /// `TOOLSET.TOOL`, with the action or kind; or `verbs.VERB`.
    pub key: String,
    pub args: Value,
    /// Its number among those of its key, by which it is told what it has to do with.
    pub number: usize,
    /// It is one of the first, which have what matters most.
    pub is_first: bool,
}

impl Attempt {
    /// The toolset and the tool.
    pub(super) fn tool(&self) -> (&str, &str) {
        let name = self.key.split(' ').next().unwrap_or_default();
        name.split_once('.').expect("a toolset and a tool")
    }
}

/// All attempts with a tool or verb.
pub(super) fn attempts(subject: &Subject) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    for fixed in choices(&subject.schema) {
        let words =
            fixed.iter().filter(|_| !subject.is_verb()).map(|(_, value)| value.as_str().unwrap_or_default());
        let key = std::iter::once(&*subject.name).chain(words).collect::<Vec<_>>().join(" ");
        let (objects, first) = objects(&key, &subject.schema, &fixed);
        let attempt = |(number, args)| Attempt {
            key: key.clone(),
            args: Value::Object(args),
            number,
            is_first: number < first,
        };
        let waits = |args: &Object| {
            WAITS.contains(&&*key)
                && !["target", "url", "timeoutMs"].iter().any(|name| args.contains_key(*name))
        };
        attempts.extend(objects.into_iter().enumerate().filter(|(_, args)| !waits(args)).map(attempt));
    }
    attempts
}

/// The values of what says which of several things is done.
fn choices(schema: &Value) -> Vec<Object> {
    let mut choices = vec![Object::new()];
    for name in WHICH {
        let Some(values) = names(&without_null(&schema["properties"][name])) else { continue };
        let only = ONLY_WITH.iter().find(|(which, _)| *which == name).map(|(_, with)| *with);
        let more = |choice: &Object| {
            if only.is_some_and(|only| choice.get("action").is_some_and(|action| action != only)) {
                return vec![choice.clone()];
            }
            let with = |value: &Value| {
                let mut choice = choice.clone();
                choice.insert(name.into(), value.clone());
                choice
            };
            values.iter().map(with).collect()
        };
        choices = choices.iter().flat_map(more).collect();
    }
    choices
}

/// A property, and what it can be.
struct Property<'a> {
    name: &'a str,
    values: Vec<Value>,
    is_required: bool,
    /// It is one of a few names, or true.
    is_switch: bool,
}

impl Property<'_> {
    /// Its name, and one value after the other.
    fn at(&self, at: usize) -> (String, Value) {
        (self.name.to_owned(), self.values[at % self.values.len()].clone())
    }
}

/// What an object is made of.
struct Shape<'a> {
    key: &'a str,
    fixed: &'a Object,
    properties: Vec<Property<'a>>,
}

impl Shape<'_> {
    fn required(&self) -> impl Iterator<Item = &Property<'_>> {
        self.properties.iter().filter(|property| property.is_required)
    }

    fn optional(&self) -> impl Iterator<Item = &Property<'_>> {
        self.properties.iter().filter(|property| !property.is_required)
    }

    /// Only what is required, with one value after the other.
    fn bare(&self, at: usize) -> Object {
        let mut object = self.fixed.clone();
        object.extend(self.required().map(|property| property.at(at)));
        object
    }

    /// All properties together; `turn` says which of those that exclude each other.
    fn full(&self, at: usize, turn: usize, with_switches: bool) -> Object {
        let mut object = self.bare(at);
        let given = self.optional().filter(|property| with_switches || !property.is_switch);
        object.extend(given.map(|property| property.at(at)));
        if let Some((_, choices)) = EITHER.iter().find(|(key, _)| *key == self.key) {
            choices[turn % 2].iter().for_each(|name| drop(object.remove(*name)));
        }
        object
    }

    /// What is not required, one by one.
    fn one_by_one(&self) -> Vec<Object> {
        let mut objects = Vec::new();
        for property in self.optional() {
            // A switch changes what is done with a link; what is only on or off may be about a field.
            let bases: &[usize] =
                if property.is_switch && property.values.len() == 1 { &[1, 3] } else { &[1] };
            for (base, value) in
                bases.iter().flat_map(|base| property.values.iter().map(|value| (*base, value)))
            {
                let mut object = self.bare(base);
                object.insert(property.name.into(), value.clone());
                objects.push(object);
            }
        }
        objects
    }
}

/// Objects that fit a schema, and how many of them come first.
fn objects(key: &str, schema: &Value, fixed: &Object) -> (Vec<Object>, usize) {
    let shape = Shape { key, fixed, properties: properties(key, schema, fixed) };
    let longest = |of: &mut dyn Iterator<Item = &Property<'_>>| {
        of.map(|property| property.values.len()).max().unwrap_or(1)
    };
    let needed = longest(&mut shape.required());
    let is_flat = shape.properties.len() > MANY;
    let rounds = match is_flat {
        true => long_list(key, &shape.properties).max(ROUNDS),
        false => longest(&mut shape.properties.iter()),
    };
    // Of several actions in one tool each has its own use for what is not required.
    let one_by_one = if is_flat || key.contains(' ') { Vec::new() } else { shape.one_by_one() };
    let bare = (0..needed).map(|at| shape.bare(at));
    let full = |turn| (0..rounds).map(move |at| (at, at + turn));
    let plain: Vec<_> = full(0).map(|(at, turn)| shape.full(at, turn, false)).collect();
    let switched: Vec<_> = full(1).map(|(at, turn)| shape.full(at, turn, true)).collect();
    let mut objects: Vec<Object> = bare.collect();
    let first = match needed {
        // Where nothing is required, all is told by what is not.
        0 | 1 => {
            objects.extend(plain);
            objects.extend(one_by_one);
            objects.len()
        }
        _ => {
            objects.extend(one_by_one);
            let first = objects.len();
            objects.extend(plain);
            first
        }
    };
    objects.extend(switched);
    let is_either = EITHER.iter().any(|(of, _)| *of == key);
    for object in objects.iter_mut().skip(1).step_by(2) {
        into_request(schema, object);
    }
    let all = objects.len();
    (objects, if is_either { all } else { first })
}

/// The properties that are not fixed, with what they can be.
fn properties<'a>(key: &str, schema: &'a Value, fixed: &Object) -> Vec<Property<'a>> {
    let required: BTreeSet<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut properties = Vec::new();
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let goes_elsewhere = ONLY_WITH.iter().any(|(which, _)| which == name) && fixed.contains_key("action");
        if fixed.contains_key(name) || goes_elsewhere {
            continue;
        }
        let (is_required, kind) = (required.contains(&**name), without_null(schema));
        let values = values(key, name, &kind)
            .unwrap_or_else(|| panic!("{key}: what could be done with {name}? Add it to values.rs: {kind}"));
        assert!(
            !(values.is_empty() && is_required),
            "{key}: {name} is required, and values.rs leaves it out"
        );
        if !values.is_empty() {
            let is_switch = names(&kind).is_some() || kind["type"] == "boolean";
            properties.push(Property { name, values, is_required, is_switch });
        }
    }
    properties
}

/// In a flat list of very many properties, that which one action is all about.
fn long_list(key: &str, properties: &[Property<'_>]) -> usize {
    let about = match key.rsplit(' ').next() {
        Some("evaluate" | "wait") => "fn",
        Some("batch") => "actions",
        Some("press") => "key",
        _ => return 1,
    };
    properties.iter().find(|property| property.name == about).map_or(1, |property| property.values.len())
}

/// Where arguments may stand in a nested object as well, puts them there.
fn into_request(schema: &Value, object: &mut Object) {
    if schema["properties"]["request"]["type"] == "object"
        && object.get("action").is_some_and(|action| action == "act")
    {
        object.remove("action");
        *object = Map::from_iter([("action".into(), "act".into()), ("request".into(), json!(object))]);
    }
}

/// What a property can be; none: the dictionary does not know it.
fn values(key: &str, name: &str, schema: &Value) -> Option<Vec<Value>> {
    if let Some(values) = special(key, name) {
        return Some(if schema["type"] == "array" { wrapped(values) } else { values });
    }
    if let Some(names) = names(schema) {
        return Some(names);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        return Some(in_turns(choices.iter().map(|choice| nested(key, choice))));
    }
    match schema["type"].as_str() {
        Some("object") if schema["properties"].is_object() => Some(nested(key, schema)),
        Some("array") => match (names(&schema["items"]), &schema["items"]["properties"]) {
            (Some(names), _) => Some(wrapped(names)),
            (_, Value::Object(_)) => Some(wrapped(nested(key, &schema["items"]))),
            _ => by_name(name, "array").map(wrapped),
        },
        kind => by_name(name, kind.unwrap_or_default()),
    }
}

/// Objects in a property, with what they are fixed to.
fn nested(key: &str, schema: &Value) -> Vec<Value> {
    objects(key, schema, &Object::new()).0.into_iter().map(Value::Object).collect()
}

/// The first of each, then the second of each, and so on.
fn in_turns(lists: impl Iterator<Item = Vec<Value>>) -> Vec<Value> {
    let mut all: Vec<(usize, Value)> = lists.flat_map(|list| list.into_iter().enumerate()).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, value)| value).collect()
}

/// Each as the only one of a list, unless it is one.
fn wrapped(values: Vec<Value>) -> Vec<Value> {
    values.into_iter().map(|value| if value.is_array() { value } else { json!([value]) }).collect()
}

/// A schema without what says that there may be nothing.
fn without_null(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().find(|choice| choice["type"] != "null").cloned().unwrap_or_default();
    }
    if let Some(kinds) = schema["type"].as_array() {
        schema["type"] = kinds.iter().find(|kind| *kind != "null").cloned().unwrap_or_default();
    }
    schema
}

/// The names that a property is one of; none: it is something else.
fn names(schema: &Value) -> Option<Vec<Value>> {
    if let Some(only) = schema.get("const") {
        return Some(vec![only.clone()]);
    }
    if let Some(names) = schema["enum"].as_array() {
        return Some(names.iter().filter(|name| !name.is_null()).cloned().collect());
    }
    schema["oneOf"].as_array()?.iter().map(|choice| choice.get("const").cloned()).collect()
}

//! What an instruction asks for, as far as that can be known without a model, and what a page has of it.

use serde_json::{Map, Value, json};

use super::page::{Page, Table};

/// What can be told apart in every page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Links,
    Headings,
    Images,
    Items,
    Tables,
}

impl Kind {
    /// The kind that a word names.
    pub(super) fn of(word: &str) -> Option<Kind> {
        Some(match word {
            "link" | "links" | "url" | "urls" | "hyperlinks" | "链接" | "超链接" | "网址" => {
                Kind::Links
            }
            "heading" | "headings" | "标题" => Kind::Headings,
            "image" | "images" | "picture" | "pictures" | "图片" | "图像" => Kind::Images,
            "item" | "items" | "lists" | "列表" | "列表项" => Kind::Items,
            "table" | "tables" | "表格" => Kind::Tables,
            _ => return None,
        })
    }

    /// All that a page has of it.
    pub(super) fn all_in(self, page: &Page) -> Vec<Value> {
        let addresses = |list: &[(String, String)]| {
            list.iter().map(|(text, url)| json!({"text": text, "url": url})).collect::<Vec<_>>()
        };
        match self {
            Kind::Links => addresses(&page.links),
            Kind::Images => addresses(&page.images),
            Kind::Headings => page.headings.iter().map(|text| json!(text)).collect(),
            Kind::Items => page.items.iter().map(|text| json!(text)).collect(),
            Kind::Tables => page.tables.iter().map(|table| json!(rows(table, &all_columns(table)))).collect(),
        }
    }
}

fn all_columns(table: &Table) -> Vec<usize> {
    (0..table.head.len()).collect()
}

fn rows(table: &Table, columns: &[usize]) -> Vec<Value> {
    table.rows.iter().map(|row| table.cells(row, columns)).collect()
}

/// A word without its plural, in small letters.
fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    match word.strip_suffix('s').filter(|stem| stem.len() > 2 && stem.is_ascii() && !stem.ends_with('s')) {
        Some(stem) => stem.to_owned(),
        None => word,
    }
}

/// The words of a label; `unitPrice` and `unit_price` are two.
fn stems(label: &str) -> Vec<String> {
    let mut parted = String::new();
    for c in label.chars() {
        if c.is_uppercase() && parted.ends_with(char::is_lowercase) {
            parted.push(' ');
        }
        parted.push(c);
    }
    parted.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(stem).collect()
}

/// The columns whose headings have nothing but these words, and the words that no heading has.
fn columns(table: &Table, words: &[String]) -> (Vec<usize>, Vec<String>) {
    let mut left = words.to_vec();
    let mut found = Vec::new();
    for (at, head) in table.head.iter().enumerate() {
        let head = stems(head);
        if !head.is_empty() && head.iter().all(|word| words.contains(word)) {
            left.retain(|word| !head.contains(word));
            found.push(at);
        }
    }
    (found, left)
}

/// The columns of the only table whose headings have all these words, for every row.
pub(super) fn columns_named(page: &Page, words: &[String]) -> Option<Vec<Value>> {
    let words: Vec<String> = words.iter().map(|word| stem(word)).collect();
    let mut named = page.tables.iter().filter_map(|table| {
        let (found, left) = columns(table, &words);
        // The first line of two columns may be a label with its value instead of headings: nothing tells the two apart.
        let is_unclear = table.head.len() == 2 && found.len() < 2;
        (left.is_empty() && !found.is_empty() && !is_unclear).then(|| rows(table, &found))
    });
    named.next().filter(|_| named.next().is_none())
}

/// The only cell, or cells of one row, that some of the words name by heading and the others by what is in the row.
pub(super) fn cell_named(page: &Page, words: &[String]) -> Option<Value> {
    let words: Vec<String> = words.iter().map(|word| stem(word)).collect();
    let mut named = page.tables.iter().flat_map(|table| {
        let (found, left) = columns(table, &words);
        let is_meant = move |row: &&Vec<String>| {
            let text = row.join(" ").to_lowercase();
            !found.is_empty() && !left.is_empty() && left.iter().all(|word| text.contains(word))
        };
        let (found, _) = columns(table, &words);
        table.rows.iter().filter(is_meant).map(move |row| table.cells(row, &found)).collect::<Vec<_>>()
    });
    named.next().filter(|_| named.next().is_none())
}

/// A result of the shape that a JSON Schema asks for; none if the page does not say all of it, once.
pub(super) fn shaped(schema: &Value, kind: Option<Kind>, page: &Page) -> Option<Value> {
    let properties = schema["properties"].as_object();
    match (schema["type"].as_str(), properties) {
        (Some("array"), _) => array(&schema["items"], kind, page),
        (Some("object") | None, Some(properties)) if !properties.is_empty() => {
            let mut object = Map::new();
            let required = |name: &str| {
                schema["required"].as_array().is_none_or(|names| names.iter().any(|it| it == name))
            };
            for (name, of) in properties {
                let value = match of["type"].as_str() {
                    Some("array") => {
                        array(&of["items"], kind.or_else(|| Kind::of(&name.to_lowercase())), page)
                    }
                    Some("object") => None,
                    _ => labelled(name, of, page),
                };
                match value {
                    Some(value) => drop(object.insert(name.clone(), value)),
                    None if required(name) => return None,
                    None => {}
                }
            }
            (!object.is_empty()).then_some(Value::Object(object))
        }
        _ => None,
    }
}

/// Rows of the only table that has all properties as columns, or all of a kind.
fn array(items: &Value, kind: Option<Kind>, page: &Page) -> Option<Value> {
    let Some(properties) = items["properties"].as_object().filter(|properties| !properties.is_empty()) else {
        let texts = kind?.all_in(page).into_iter().map(|value| match value {
            Value::Object(mut link) => link.remove("text").unwrap_or_default(),
            value => value,
        });
        return (items["type"] == "string").then(|| texts.collect());
    };
    let column = |table: &Table, name: &str| table.head.iter().position(|head| stems(head) == stems(name));
    let mut tables =
        page.tables.iter().filter(|table| properties.keys().all(|name| column(table, name).is_some()));
    if let Some(table) = tables.next() {
        if tables.next().is_some() {
            return None;
        }
        let row = |row: &Vec<String>| -> Option<Value> {
            let cell = |(name, of): (&String, &Value)| {
                Some((name.clone(), typed(row.get(column(table, name)?)?, of)?))
            };
            properties.iter().map(cell).collect::<Option<Map<_, _>>>().map(Value::Object)
        };
        return table.rows.iter().map(row).collect::<Option<Vec<_>>>().map(Value::Array);
    }
    // Links and pictures have a text and an address, by whatever names.
    let kind = kind.filter(|kind| matches!(kind, Kind::Links | Kind::Images))?;
    let part = |name: &str| match name.to_lowercase().as_str() {
        "text" | "title" | "name" | "alt" => Some("text"),
        "url" | "href" | "link" | "src" | "address" => Some("url"),
        _ => None,
    };
    let renamed = |value: Value| -> Option<Value> {
        let field = |name: &String| Some((name.clone(), value[part(name)?].clone()));
        properties.keys().map(field).collect::<Option<Map<_, _>>>().map(Value::Object)
    };
    kind.all_in(page).into_iter().map(renamed).collect::<Option<Vec<_>>>().map(Value::Array)
}

/// The value with this label, if there is one and no other.
fn labelled(name: &str, of: &Value, page: &Page) -> Option<Value> {
    let wanted = [Some(name), of["title"].as_str(), of["description"].as_str()];
    let is_wanted = |label: &str| {
        wanted.iter().flatten().any(|name| stems(name) == stems(label) && !stems(label).is_empty())
    };
    let mut values = page.labelled.iter().filter(|(label, _)| is_wanted(label)).map(|(_, value)| value);
    let value = values.next()?;
    if values.any(|other| other != value) {
        return None;
    }
    typed(value, of)
}

/// A text as what the schema says it is.
fn typed(text: &str, of: &Value) -> Option<Value> {
    match of["type"].as_str() {
        Some("number" | "integer") => {
            let digits = text.trim_matches(|c: char| !c.is_ascii_digit() && c != '-').replace(',', "");
            let number: f64 = digits.parse().ok()?;
            let whole = number.fract() == 0.0 && number.abs() < 9e15;
            match of["type"] == "integer" {
                true => whole.then(|| json!(number as i64)),
                false => Some(json!(number)),
            }
        }
        Some("boolean") => match text.to_lowercase().as_str() {
            "true" | "yes" | "是" => Some(json!(true)),
            "false" | "no" | "否" => Some(json!(false)),
            _ => None,
        },
        Some("string") | None => Some(json!(text)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Page {
        Page::read(
            "# 新闻中心\n\n[a](http://x/a)\n\n| Name | Unit price |\n| --- | --- |\n| Kettle | 39.00 |\n| Pot | 1,200 |\n\nOrder total: $12.50\n作者：王芳",
        )
    }

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn tables() {
        let both = json!([{"Name": "Kettle", "Unit price": "39.00"}, {"Name": "Pot", "Unit price": "1,200"}]);
        assert_eq!(columns_named(&page(), &words("names unit prices")).map(Value::Array), Some(both));
        assert_eq!(columns_named(&page(), &words("新闻 标题")), None);
        assert_eq!(columns_named(&page(), &words("news names")), None);
        assert_eq!(cell_named(&page(), &words("unit price kettle")), Some(json!({"Unit price": "39.00"})));
        assert_eq!(cell_named(&page(), &words("unit price teapot")), None);
    }

    #[test]
    fn shapes() {
        let check = |schema: Value, kind, expected: Option<Value>| {
            assert_eq!(shaped(&schema, kind, &page()), expected, "{schema}");
        };
        let number = json!({"type": "number"});
        let text = json!({"type": "string"});
        check(
            json!({"type": "object", "properties": {"orderTotal": number}}),
            None,
            Some(json!({"orderTotal": 12.5})),
        );
        check(json!({"properties": {"作者": text}}), None, Some(json!({"作者": "王芳"})));
        check(json!({"properties": {"headline": text}}), None, None);
        check(json!({"type": "object"}), None, None);
        let rows = json!({"type": "array", "items": {"type": "object", "properties": {"name": text, "unit_price": number}}});
        let all = json!([{"name": "Kettle", "unit_price": 39.0}, {"name": "Pot", "unit_price": 1200.0}]);
        check(
            json!({"type": "object", "properties": {"products": rows}}),
            None,
            Some(json!({"products": all})),
        );
        check(json!({"type": "array", "items": text}), Some(Kind::Links), Some(json!(["a"])));
        check(json!({"type": "array", "items": text}), None, None);
    }
}

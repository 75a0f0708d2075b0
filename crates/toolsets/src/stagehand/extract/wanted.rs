//! What an instruction asks for, as far as that can be known without a model, and what a page has of it.

use serde_json::{Map, Value, json};

use super::{
    check,
    page::{Page, Table},
};

/// Why a page does not say what is wanted.
#[derive(Debug, PartialEq)]
pub(super) enum Problem {
    /// The page has nothing by this name.
    Missing(String),
    /// The page says several things by this name.
    Unclear(String, Vec<String>),
    /// What the page says is not what the schema allows.
    Misfit(String),
    /// No name is asked for, or the shape is none that labels and tables can fill.
    NoShape,
}

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
            Kind::Tables => page.tables.iter().map(whole).collect(),
        }
    }
}

/// A table as objects by its headings; without headings as lists.
fn whole(table: &Table) -> Value {
    match table.has_head {
        true => json!(rows(table, &all_columns(table))),
        false => std::iter::once(&table.head).chain(&table.rows).map(|row| json!(row)).collect(),
    }
}

fn all_columns(table: &Table) -> Vec<usize> {
    (0..table.head.len()).collect()
}

fn rows(table: &Table, columns: &[usize]) -> Vec<Value> {
    table.rows.iter().map(|row| table.cells(row, columns)).collect()
}

/// A word without its plural, in small letters.
pub(super) fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    match word.strip_suffix('s').filter(|stem| stem.len() > 2 && stem.is_ascii() && !stem.ends_with('s')) {
        Some(stem) => stem.to_owned(),
        None => word,
    }
}

/// The words of a label; `unitPrice` and `unit_price` are two.
pub(super) fn stems(label: &str) -> Vec<String> {
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

/// The words one by one, also where Chinese joins them.
fn joined_apart(words: &[String]) -> Vec<String> {
    let parts = words.iter().flat_map(|word| word.split(['和', '与', '及', '、']));
    parts.filter(|word| !word.is_empty()).map(stem).collect()
}

/// The columns of the only table whose headings have all these words, for every row; nothing if there is no such table.
pub(super) fn columns_named(page: &Page, words: &[String]) -> Result<Option<Vec<Value>>, Problem> {
    let as_written: Vec<String> = words.iter().map(|word| stem(word)).collect();
    let apart = joined_apart(words);
    for words in [as_written, apart] {
        let named: Vec<(&Table, Vec<usize>)> = (page.tables.iter())
            .filter_map(|table| {
                let (found, left) = columns(table, &words);
                // The first line of two columns may be a label with its value instead of headings: nothing tells the two apart.
                let is_unclear = !table.has_head && table.head.len() == 2 && found.len() < 2;
                (left.is_empty() && !found.is_empty() && !is_unclear).then_some((table, found))
            })
            .collect();
        let is_wanted = |label: &str| {
            let label = stems(label);
            !label.is_empty() && label.iter().all(|word| words.contains(word))
        };
        let others = page.labelled.iter().filter(|(label, _)| is_wanted(label));
        let others: Vec<String> = others.map(|(label, value)| format!("{label}: {value}")).collect();
        match &*named {
            [] => {}
            [(table, found)] if others.is_empty() => return Ok(Some(rows(table, found))),
            several => {
                let tables = several.iter().map(|(table, _)| format!("a table of {}", table.head.join(", ")));
                return Err(Problem::Unclear(words.join(" "), tables.chain(others).collect()));
            }
        }
    }
    Ok(None)
}

/// The only cell, or cells of one row, that some of the words name by heading and the others by what is in the row.
pub(super) fn cell_named(page: &Page, words: &[String]) -> Option<Value> {
    let words: Vec<String> = words.iter().map(|word| stem(word)).collect();
    let mut named = page.tables.iter().flat_map(|table| {
        let (found, left) = columns(table, &words);
        let (columns, left) = (found, left);
        let is_meant = |row: &&Vec<String>| {
            !columns.is_empty() && !left.is_empty() && left.iter().all(|word| has_word(&row.join(" "), word))
        };
        table.rows.iter().filter(is_meant).map(|row| table.cells(row, &columns)).collect::<Vec<_>>()
    });
    named.next().filter(|_| named.next().is_none())
}

/// Whether a text has a word; Chinese does not part them.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    if !word.is_ascii() {
        return text.to_lowercase().contains(&word.to_lowercase());
    }
    let (text, word) = (stems(text), stems(word));
    !word.is_empty() && word.iter().all(|word| text.contains(word))
}

/// A result of the shape that a JSON Schema asks for. `words` are what the instruction is about.
pub(super) fn shaped(schema: &Value, words: &[String], page: &Page) -> Result<Value, Problem> {
    let kind = match words {
        [word] => Kind::of(word),
        _ => None,
    };
    let value = if check::allows(schema, "array") {
        array(&schema["items"], &words.join(" "), kind, page)?
    } else {
        object(schema, kind, page)?
    };
    match check::misfit(&value, schema) {
        Some(why) => Err(Problem::Misfit(why)),
        None => Ok(value),
    }
}

fn object(schema: &Value, kind: Option<Kind>, page: &Page) -> Result<Value, Problem> {
    let properties = schema["properties"].as_object().filter(|properties| !properties.is_empty());
    let properties = properties.ok_or(Problem::NoShape)?;
    let mut object = Map::new();
    let required =
        |name: &str| schema["required"].as_array().is_none_or(|names| names.iter().any(|it| it == name));
    for (name, of) in properties {
        let value = if check::allows(of, "array") {
            array(&of["items"], name, Kind::of(&name.to_lowercase()).or(kind), page)
        } else if check::allows(of, "object") {
            Err(Problem::NoShape)
        } else {
            labelled(name, of, page)
        };
        match value {
            Ok(value) => drop(object.insert(name.clone(), value)),
            Err(Problem::Missing(_)) if check::allows(of, "null") => {
                drop(object.insert(name.clone(), Value::Null));
            }
            Err(Problem::Missing(_)) if !required(name) => {}
            Err(problem) => return Err(problem),
        }
    }
    match object.values().all(Value::is_null) {
        true => Err(Problem::Missing(properties.keys().cloned().collect::<Vec<_>>().join(", "))),
        false => Ok(Value::Object(object)),
    }
}

/// The values of a name, rows of the only table that has all properties as columns, or all of a kind.
fn array(items: &Value, name: &str, kind: Option<Kind>, page: &Page) -> Result<Value, Problem> {
    match items["properties"].as_object().filter(|properties| !properties.is_empty()) {
        Some(properties) => objects(properties, name, kind, page),
        None if check::allows(items, "object") || check::allows(items, "array") => Err(Problem::NoShape),
        None => values(items, name, kind, page),
    }
}

/// The texts of the column of this name, of all labels of this name, or of a kind.
fn values(items: &Value, name: &str, kind: Option<Kind>, page: &Page) -> Result<Value, Problem> {
    let wanted = stems(name);
    let is_wanted = |label: &str| !wanted.is_empty() && stems(label) == wanted;
    let columns: Vec<Vec<&str>> = (page.tables.iter())
        .filter_map(|table| {
            let at = table.head.iter().position(|head| is_wanted(head))?;
            let is_unclear = !table.has_head && table.head.len() == 2;
            (!is_unclear).then(|| table.rows.iter().map(|row| &*row[at]).collect())
        })
        .collect();
    let labels: Vec<&str> =
        page.labelled.iter().filter(|(label, _)| is_wanted(label)).map(|(_, value)| &**value).collect();
    let texts: Vec<String> = match (&*columns, &*labels) {
        ([column], []) => column.iter().map(|text| (*text).to_owned()).collect(),
        ([], [_, ..]) => labels.iter().map(|text| (*text).to_owned()).collect(),
        ([], []) => {
            let kind =
                kind.filter(|kind| *kind != Kind::Tables).ok_or_else(|| Problem::Missing(name.to_owned()))?;
            let text = |value: Value| match value {
                Value::Object(link) => link["text"].as_str().unwrap_or_default().to_owned(),
                value => value.as_str().unwrap_or_default().to_owned(),
            };
            kind.all_in(page).into_iter().map(text).collect()
        }
        _ => {
            let columns = columns.iter().map(|column| format!("a column with {}", column.join(", ")));
            let all = columns.chain(labels.iter().map(|text| (*text).to_owned())).collect();
            return Err(Problem::Unclear(name.to_owned(), all));
        }
    };
    texts.iter().map(|text| typed(text, items)).collect::<Result<_, _>>().map(Value::Array)
}

fn objects(
    properties: &Map<String, Value>,
    name: &str,
    kind: Option<Kind>,
    page: &Page,
) -> Result<Value, Problem> {
    let column = |table: &Table, name: &str| table.head.iter().position(|head| stems(head) == stems(name));
    let has_all = |table: &&Table| properties.keys().all(|name| column(table, name).is_some());
    let tables: Vec<&Table> = page.tables.iter().filter(has_all).collect();
    if let [table] = &*tables {
        let row = |row: &Vec<String>| -> Result<Value, Problem> {
            let cell = |(name, of): (&String, &Value)| {
                let text = column(table, name).and_then(|at| row.get(at)).map_or("", |text| text);
                Ok((name.clone(), typed(text, of)?))
            };
            properties.iter().map(cell).collect::<Result<Map<_, _>, _>>().map(Value::Object)
        };
        return table.rows.iter().map(row).collect::<Result<_, _>>().map(Value::Array);
    }
    if !tables.is_empty() {
        let tables = tables.iter().map(|table| format!("a table of {}", table.head.join(", ")));
        return Err(Problem::Unclear(name.to_owned(), tables.collect()));
    }
    // Links and pictures have a text and an address, by whatever names.
    let names = || properties.keys().cloned().collect::<Vec<_>>().join(", ");
    let kind = kind.filter(|kind| matches!(kind, Kind::Links | Kind::Images));
    let kind = kind.ok_or_else(|| Problem::Missing(names()))?;
    let part = |name: &str| match name.to_lowercase().as_str() {
        "text" | "title" | "name" | "alt" => Some("text"),
        "url" | "href" | "link" | "src" | "address" => Some("url"),
        _ => None,
    };
    let renamed = |value: Value| -> Result<Value, Problem> {
        let field = |name: &String| {
            let part = part(name).ok_or_else(|| Problem::Missing(name.clone()))?;
            Ok((name.clone(), value[part].clone()))
        };
        properties.keys().map(field).collect::<Result<Map<_, _>, _>>().map(Value::Object)
    };
    kind.all_in(page).into_iter().map(renamed).collect::<Result<_, _>>().map(Value::Array)
}

/// The value with this label, if there is one and no other.
fn labelled(name: &str, of: &Value, page: &Page) -> Result<Value, Problem> {
    let wanted = [Some(name), of["title"].as_str(), of["description"].as_str()];
    let is_wanted = |label: &str| {
        wanted.iter().flatten().any(|name| stems(name) == stems(label) && !stems(label).is_empty())
    };
    let mut found: Vec<&str> = Vec::new();
    let cells = page.tables.iter().filter(|table| table.has_head || table.head.len() > 2).flat_map(|table| {
        let columns = table.head.iter().enumerate().filter(|(_, head)| is_wanted(head));
        columns.flat_map(|(at, _)| table.rows.iter().map(move |row| &*row[at]))
    });
    let labels = page.labelled.iter().filter(|(label, _)| is_wanted(label)).map(|(_, value)| &**value);
    for value in labels.chain(cells) {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    match &*found {
        [] => Err(Problem::Missing(name.to_owned())),
        [value] => typed(value, of),
        several => {
            Err(Problem::Unclear(name.to_owned(), several.iter().map(|text| (*text).to_owned()).collect()))
        }
    }
}

/// A text as what the schema says it is.
fn typed(text: &str, of: &Value) -> Result<Value, Problem> {
    let kinds = check::types(of);
    let kinds: Vec<&str> = kinds.iter().filter_map(|kind| kind.as_str()).collect();
    let as_kind = |kind: &&str| match *kind {
        "number" | "integer" => number(text).and_then(|number| {
            let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
            match *kind {
                "integer" => is_whole.then(|| json!(number as i64)),
                _ => Some(json!(number)),
            }
        }),
        "boolean" => match text.to_lowercase().as_str() {
            "true" | "yes" | "是" | "☑" => Some(json!(true)),
            "false" | "no" | "否" | "☐" => Some(json!(false)),
            _ => None,
        },
        "string" => Some(json!(text)),
        _ => None,
    };
    let value = if kinds.is_empty() {
        // The texts of a list of choices may be written in another case.
        let choices = of["enum"].as_array().into_iter().flatten();
        let choice = choices.filter_map(Value::as_str).find(|choice| *choice == text);
        Some(json!(choice.unwrap_or(text)))
    } else {
        kinds.iter().find_map(as_kind)
    };
    value.ok_or_else(|| Problem::Misfit(format!("{text:?} is no {}", kinds.join(" or "))))
}

/// The only number in a text, with what it counts around it. A comma parts thousands or decimals, as its place says.
fn number(text: &str) -> Option<f64> {
    let digits = text.trim_matches(|c: char| !c.is_ascii_digit() && c != '-' && c != '−').replace('−', "-");
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => (-1.0, rest.trim_start_matches(|c: char| !c.is_ascii_digit())),
        None => (1.0, &*digits),
    };
    let digits = digits.trim_end_matches(|c: char| !c.is_ascii_digit());
    if !digits.chars().all(|c| c.is_ascii_digit() || ",. \u{a0}\u{202f}'".contains(c)) {
        return None;
    }
    let last = digits.rfind([',', '.']);
    let is_grouped = |text: &str, mark: char| {
        let mut parts = text.split(mark);
        let first = parts.next().unwrap_or_default();
        (1..=3).contains(&first.len()) && parts.all(|part| part.len() == 3) && !first.contains([',', '.'])
    };
    let spaced: String = digits.chars().filter(|c| !" \u{a0}\u{202f}'".contains(*c)).collect();
    if spaced.len() != digits.len()
        && !digits
            .split([' ', '\u{a0}', '\u{202f}', '\''])
            .skip(1)
            .all(|part| part.split([',', '.']).next().is_some_and(|group| group.len() == 3))
    {
        return None;
    }
    let digits = spaced;
    let plain = match (digits.contains(','), digits.contains('.'), last) {
        (true, true, Some(_)) => {
            let mark = if digits.rfind(',') > digits.rfind('.') { ',' } else { '.' };
            let other = if mark == ',' { '.' } else { ',' };
            let (whole, part) = digits.rsplit_once(mark)?;
            is_grouped(whole, other).then(|| format!("{}.{part}", whole.replace(other, "")))?
        }
        (true, false, _) if is_grouped(&digits, ',') => digits.replace(',', ""),
        (true, false, _) if digits.matches(',').count() == 1 => digits.replace(',', "."),
        (false, true, _) if digits.matches('.').count() > 1 => {
            is_grouped(&digits, '.').then(|| digits.replace('.', ""))?
        }
        (true, ..) => return None,
        _ => digits,
    };
    plain.parse::<f64>().ok().map(|number| sign * number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Page {
        Page::read(
            "<h1>新闻中心</h1><a href='http://x/a'>a</a>\
             <table><tr><th>Name</th><th>Unit price</th></tr><tr><td>Kettle</td><td>39.00</td></tr><tr><td>Pot</td><td>1,200</td></tr></table>\
             <table><tr><th>姓名</th><th>商品</th><th>数量</th></tr><tr><td>王芳</td><td>水壶</td><td>2</td></tr><tr><td>李雷</td><td>锅</td><td>1</td></tr></table>\
             <p>Order total: $12.50</p><p>作者：王芳</p><p>Date: not known</p>\
             <dl><dt>Author<dd>Bob<dd>Eve</dl><ul><li>Author: Zed</ul><label>Email <data data-field=Email>a@b.c</data></label>",
        )
    }

    fn words(text: &str) -> Vec<String> {
        text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn tables() {
        let both = json!([{"Name": "Kettle", "Unit price": "39.00"}, {"Name": "Pot", "Unit price": "1,200"}]);
        let named = |text: &str| columns_named(&page(), &words(text)).map(|rows| rows.map(Value::Array));
        assert_eq!(named("names unit prices"), Ok(Some(both)));
        assert_eq!(named("新闻 标题"), Ok(None));
        assert_eq!(named("news names"), Ok(None));
        assert_eq!(
            named("姓名和商品"),
            Ok(Some(json!([{"姓名": "王芳", "商品": "水壶"}, {"姓名": "李雷", "商品": "锅"}])))
        );
        assert_eq!(cell_named(&page(), &words("unit price kettle")), Some(json!({"Unit price": "39.00"})));
        assert_eq!(cell_named(&page(), &words("unit price teapot")), None);
        let two = Page::read(
            "<table><tr><th>Price<th>Name<tr><td>1<td>a</table><table><tr><th>Price<th>Size<tr><td>2<td>b</table><p>Price: 3</p>",
        );
        let Err(Problem::Unclear(_, found)) = columns_named(&two, &words("price")) else {
            unreachable!("one of several")
        };
        assert_eq!(found, ["a table of Price, Name", "a table of Price, Size", "Price: 3"]);
    }

    #[test]
    fn shapes() {
        let check = |schema: Value, about: &str, expected: Result<Value, Problem>| {
            assert_eq!(shaped(&schema, &words(about), &page()), expected, "{schema}");
        };
        let (number, text) = (json!({"type": "number"}), json!({"type": "string"}));
        let missing = |name: &str| Err(Problem::Missing(name.into()));
        check(
            json!({"type": "object", "properties": {"orderTotal": number}}),
            "",
            Ok(json!({"orderTotal": 12.5})),
        );
        check(json!({"properties": {"作者": text}}), "", Ok(json!({"作者": "王芳"})));
        check(json!({"properties": {"email": text}}), "", Ok(json!({"email": "a@b.c"})));
        check(json!({"properties": {"headline": text}}), "", missing("headline"));
        check(json!({"type": "object"}), "", Err(Problem::NoShape));
        let rows = json!({"type": "array", "items": {"type": "object", "properties": {"name": text, "unit_price": number}}});
        let all = json!([{"name": "Kettle", "unit_price": 39.0}, {"name": "Pot", "unit_price": 1200.0}]);
        check(json!({"type": "object", "properties": {"products": rows}}), "", Ok(json!({"products": all})));
        let texts = json!({"type": "array", "items": text});
        check(texts.clone(), "links", Ok(json!(["a"])));
        check(texts.clone(), "", missing(""));
        check(texts.clone(), "姓名", Ok(json!(["王芳", "李雷"])));
        check(json!({"properties": {"姓名": texts}}), "表格", Ok(json!({"姓名": ["王芳", "李雷"]})));
        check(json!({"properties": {"姓名": texts}}), "姓名和商品", Ok(json!({"姓名": ["王芳", "李雷"]})));
        check(
            json!({"properties": {"数量": {"type": "array", "items": number}}}),
            "表格",
            Ok(json!({"数量": [2.0, 1.0]})),
        );
        check(json!({"properties": {"rows": texts}}), "tables", missing("rows"));
        let three = ["Bob", "Eve", "Zed"].map(str::to_owned).to_vec();
        check(json!({"properties": {"author": text}}), "", Err(Problem::Unclear("author".into(), three)));
        let date = json!({"properties": {"date": {"type": "string", "format": "date"}}});
        assert!(matches!(shaped(&date, &[], &page()), Err(Problem::Misfit(_))));
    }

    #[test]
    fn numbers() {
        for (text, expected) in [
            ("$12.50", Some(12.5)),
            ("39,00 €", Some(39.0)),
            ("1,200", Some(1200.0)),
            ("1.234,56", Some(1234.56)),
            ("1,234.56 EUR", Some(1234.56)),
            ("1 200", Some(1200.0)),
            ("-3 °C", Some(-3.0)),
            ("12-15", None),
            ("99 EUR (was 120)", None),
            ("none", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }
}

//! What of a page fills a JSON Schema. The names of its properties have to be labels or columns of the page, or kinds of parts that
//! every page has, and no word of the instruction may be left over.

use serde_json::{Map, Value, json};

use super::{
    Problem,
    asked::{Asked, covers, is_filler},
    check,
    kind::Kind,
    page::{Labelled, Page},
    table::Table,
    text::{is_same, stems},
    typed::typed,
};

/// Words for what holds values, which say nothing of them.
const HOLDERS: [&str; 14] = [
    "table", "list", "row", "column", "field", "form", "entry", "entries", "record", "表格", "列表", "清单",
    "记录", "条目",
];
/// The same for what a row is about.
const THINGS: [&str; 6] = ["product", "item", "result", "商品", "产品", "项目"];

/// A result of the shape that a JSON Schema asks for.
pub(super) fn shaped(schema: &Value, asked: &Asked, page: &Page) -> Result<Value, Problem> {
    let mut names = Vec::new();
    gather_names(schema, &mut names);
    let asked = &asked.clone().without(&HOLDERS).without(if names.is_empty() { &[] } else { &THINGS });
    let left = asked.left(&names);
    let kind = match &*left {
        [word] => Kind::of(word),
        _ => None,
    };
    let filling = Filling { asked, page, names, left, kind };
    let value = if check::allows(schema, "array") {
        filling.array(&schema["items"], None)?
    } else {
        filling.object(schema)?
    };
    match check::misfit(&value, schema) {
        Some(why) => Err(Problem::Misfit(why)),
        None => Ok(value),
    }
}

/// The names of the properties of a schema, and their titles.
fn gather_names<'s>(schema: &'s Value, names: &mut Vec<&'s str>) {
    for (name, of) in schema["properties"].as_object().into_iter().flatten() {
        names.push(name);
        names.extend(of["title"].as_str());
        gather_names(of, names);
    }
    if schema["items"].is_object() {
        gather_names(&schema["items"], names);
    }
}

/// What a schema is filled with.
struct Filling<'a> {
    asked: &'a Asked,
    page: &'a Page,
    /// Names that account for words of the instruction.
    names: Vec<&'a str>,
    /// The other words of the instruction.
    left: Vec<String>,
    /// The kind that they name.
    kind: Option<Kind>,
}

impl<'a> Filling<'a> {
    /// What holds for the whole of a section only counts if the section accounts for what is left of the instruction.
    fn is_meant(&self, section: &str) -> bool {
        covers(section, &self.left)
    }

    fn object(&self, schema: &Value) -> Result<Value, Problem> {
        let properties = schema["properties"].as_object().filter(|properties| !properties.is_empty());
        let properties = properties.ok_or(Problem::NoShape)?;
        let mut object = Map::new();
        let required =
            |name: &str| schema["required"].as_array().is_none_or(|names| names.iter().any(|it| it == name));
        for (name, of) in properties {
            let value = if check::allows(of, "array") {
                self.array(&of["items"], Some(name))
            } else if check::allows(of, "object") {
                Err(Problem::NoShape)
            } else {
                self.value(name, of)
            };
            match value {
                Ok(value) => drop(object.insert(name.clone(), value)),
                Err(Problem::Missing(_) | Problem::Empty(_)) if check::allows(of, "null") => {
                    drop(object.insert(name.clone(), Value::Null));
                }
                Err(Problem::Missing(_) | Problem::Empty(_)) if !required(name) => {}
                Err(problem) => return Err(problem),
            }
        }
        match object.values().all(Value::is_null) {
            true => Err(Problem::Missing(properties.keys().cloned().collect())),
            false => Ok(Value::Object(object)),
        }
    }

    /// The values of a name, rows of the only table that has all properties as columns, or all of a kind. Without a name, that of the
    /// instruction counts.
    fn array(&self, items: &Value, name: Option<&str>) -> Result<Value, Problem> {
        match items["properties"].as_object().filter(|properties| !properties.is_empty()) {
            Some(properties) => self.objects(properties, name),
            None if check::allows(items, "object") || check::allows(items, "array") => Err(Problem::NoShape),
            None => self.values(items, name),
        }
    }

    /// The texts of the column of this name, of all labels of this name, or of a kind.
    fn values(&self, items: &Value, name: Option<&str>) -> Result<Value, Problem> {
        // For each name whether it is wanted, and whether the section that it is in accounts for the rest.
        let fits = |label: &str, section: &str| match name {
            Some(name) => is_same(label, name).then(|| self.is_meant(section)),
            None => {
                let parted = self.asked.parted(&[label]);
                (parted.has[0] && covers(section, &parted.left)).then_some(true)
            }
        };
        let tables = self.page.tables.iter().flat_map(|table| {
            let fitting =
                move |(at, head): (usize, &'a String)| Some((table, at, fits(head, &table.section)?));
            table.head.iter().enumerate().filter_map(fitting).collect::<Vec<_>>()
        });
        let (unsure, columns): (Vec<_>, Vec<_>) = tables.partition(|(table, ..)| table.may_be_labels());
        let labelled = |all: &'a [Labelled]| -> Vec<(&'a Labelled, bool)> {
            all.iter().filter_map(|it| Some((it, fits(&it.label, &it.section)?))).collect()
        };
        let (labels, empty) = (labelled(&self.page.labelled), labelled(&self.page.empty_fields));
        let has_any = !(columns.is_empty() && labels.is_empty() && empty.is_empty());
        let columns: Vec<_> = columns.into_iter().filter(|(.., is_meant)| *is_meant).collect();
        let labels: Vec<_> = labels.into_iter().filter(|(_, is_meant)| *is_meant).map(|(it, _)| it).collect();
        if let Some((field, _)) = empty.iter().find(|(_, is_meant)| *is_meant) {
            return Err(Problem::Empty(field.label.clone()));
        }
        let texts: Vec<String> = match (&*columns, &*labels) {
            ([(table, at, _)], []) => table.rows.iter().map(|row| row[*at].clone()).collect(),
            ([], [_, ..]) if labels.iter().all(|it| !it.is_unsure) => {
                labels.iter().map(|it| it.value.clone()).collect()
            }
            ([], []) if has_any => return Err(Problem::Condition(self.left.clone())),
            ([], []) => match (self.kind_of(name)?, &*unsure) {
                (Some(kind), _) if kind != Kind::Tables => {
                    kind.all_in(self.page).into_iter().map(text_of).collect()
                }
                (_, [(table, at, _), ..]) => return Err(Problem::NoHead(table.head[*at].clone())),
                _ if name.is_none() && !self.left.is_empty() => {
                    return Err(Problem::Unknown(self.left.clone()));
                }
                _ => return Err(Problem::Missing(self.named(name))),
            },
            _ => {
                let column = |(table, at, _): &(&Table, usize, bool)| {
                    let cells: Vec<&str> = table.rows.iter().map(|row| &*row[*at]).collect();
                    format!("a column with {}", cells.join(", "))
                };
                let all =
                    columns.iter().map(column).chain(labels.iter().map(|it| it.value.clone())).collect();
                return Err(Problem::Unclear(self.named(name).join(" "), all));
            }
        };
        texts.iter().map(|text| typed(text, items)).collect::<Result<_, _>>().map(Value::Array)
    }

    fn objects(&self, properties: &Map<String, Value>, name: Option<&str>) -> Result<Value, Problem> {
        let column = |table: &Table, name: &str| table.head.iter().position(|head| is_same(head, name));
        let has_all = |table: &&Table| properties.keys().all(|name| column(table, name).is_some());
        let tables: Vec<&Table> = self.page.tables.iter().filter(has_all).collect();
        let meant: Vec<&Table> =
            tables.iter().copied().filter(|table| self.is_meant(&table.section)).collect();
        match (&*meant, &*tables) {
            ([], []) => self.objects_elsewhere(properties, name),
            ([], _) => Err(Problem::Condition(self.left.clone())),
            ([table], _) => {
                let row = |row: &Vec<String>| -> Result<Value, Problem> {
                    let cell = |(name, of): (&String, &Value)| {
                        let text = column(table, name).and_then(|at| row.get(at)).map_or("", |text| text);
                        Ok((name.clone(), typed(text, of)?))
                    };
                    properties.iter().map(cell).collect::<Result<Map<_, _>, _>>().map(Value::Object)
                };
                table.rows.iter().map(row).collect::<Result<_, _>>().map(Value::Array)
            }
            (several, _) => {
                let tables = several.iter().map(|table| format!("a table of {}", table.head.join(", ")));
                Err(Problem::Unclear(self.named(name).join(" "), tables.collect()))
            }
        }
    }

    /// Objects that are no rows: labels of one name, or links and pictures, which have a text and an address by whatever names.
    fn objects_elsewhere(
        &self,
        properties: &Map<String, Value>,
        name: Option<&str>,
    ) -> Result<Value, Problem> {
        let (has, missing): (Vec<String>, Vec<String>) =
            properties.keys().cloned().partition(|name| self.has_name(name));
        if let (Some((name, of)), true) = (properties.iter().next(), properties.len() == 1 && !has.is_empty())
        {
            let objects = self.values(of, Some(name))?;
            let objects = objects.as_array().into_iter().flatten().map(|value| json!({name: value}));
            return Ok(objects.collect());
        }
        if missing.is_empty() {
            return Err(if self.left.is_empty() {
                Problem::Apart(has)
            } else {
                Problem::Condition(self.left.clone())
            });
        }
        let kind = self.kind_of(name)?.filter(|kind| matches!(kind, Kind::Links | Kind::Images));
        let kind = kind.ok_or(Problem::Missing(missing))?;
        let part = |name: &str| match name.to_lowercase().as_str() {
            "text" | "title" | "name" | "alt" => Some("text"),
            "url" | "href" | "link" | "src" | "address" => Some("url"),
            _ => None,
        };
        let renamed = |value: Value| -> Result<Value, Problem> {
            let field = |name: &String| {
                let part = part(name).ok_or_else(|| Problem::Missing(vec![name.clone()]))?;
                Ok((name.clone(), value[part].clone()))
            };
            properties.keys().map(field).collect::<Result<Map<_, _>, _>>().map(Value::Object)
        };
        kind.all_in(self.page).into_iter().map(renamed).collect::<Result<_, _>>().map(Value::Array)
    }

    /// Whether anything in the page has this name.
    fn has_name(&self, name: &str) -> bool {
        let heads = self.page.tables.iter().flat_map(|table| &table.head);
        let labels = self.page.labelled.iter().chain(&self.page.empty_fields).map(|it| &it.label);
        heads.chain(labels).any(|label| is_same(label, name))
    }

    /// The kind that a property of this name, or the instruction if the name says nothing, is about; an error if the instruction says
    /// more of it than the kind.
    fn kind_of(&self, name: Option<&str>) -> Result<Option<Kind>, Problem> {
        let says_nothing = |name: &str| {
            let words = stems(name);
            words
                .iter()
                .all(|word| is_filler(word) || THINGS.contains(&&**word) || HOLDERS.contains(&&**word))
        };
        if self.kind.is_some() && name.is_none_or(says_nothing) {
            return Ok(self.kind);
        }
        let kind = name.and_then(Kind::of_name);
        match kind {
            Some(_) if !self.left.is_empty() && self.kind != kind => {
                Err(Problem::Condition(self.left.clone()))
            }
            kind => Ok(kind),
        }
    }

    /// What the name of a list is, for people.
    fn named(&self, name: Option<&str>) -> Vec<String> {
        name.map_or_else(|| self.left.clone(), |name| vec![name.to_owned()])
    }

    /// The value with this label, if there is one and no other.
    fn value(&self, name: &str, of: &Value) -> Result<Value, Problem> {
        let wanted = [Some(name), of["title"].as_str(), of["description"].as_str()];
        let is_wanted = |label: &str| wanted.iter().flatten().any(|name| is_same(name, label));
        if let Some(field) =
            self.page.empty_fields.iter().find(|it| is_wanted(&it.label) && self.is_meant(&it.section))
        {
            return Err(Problem::Empty(field.label.clone()));
        }
        let mut found: Vec<(&str, bool)> = Vec::new();
        let (mut columns, mut labels, mut is_unsure) = (0, 0, false);
        for it in self.page.labelled.iter().filter(|it| is_wanted(&it.label)) {
            labels += 1;
            is_unsure |= it.is_unsure;
            found.push((&it.value, self.is_meant(&it.section)));
        }
        for table in self.page.tables.iter().filter(|table| !table.may_be_labels()) {
            for at in (0..table.head.len()).filter(|at| is_wanted(&table.head[*at])) {
                columns += 1;
                let meant = table.meant(self.asked, &self.names).rows;
                found.extend(table.rows.iter().map(|row| (&*row[at], meant.contains(&row))));
            }
        }
        let mut meant: Vec<&str> = Vec::new();
        for (value, _) in found.iter().filter(|(_, is_meant)| *is_meant) {
            if !meant.contains(value) {
                meant.push(value);
            }
        }
        match &*meant {
            [] if found.is_empty() => Err(Problem::Missing(vec![name.to_owned()])),
            [] => Err(Problem::Condition(self.left.clone())),
            [value] => typed(value, of),
            several => {
                let values = several.iter().map(|text| (*text).to_owned()).collect();
                // A list is filled from one place only.
                let has_list =
                    !is_unsure && self.left.is_empty() && matches!((columns, labels), (0, _) | (1, 0));
                let unclear = if has_list { Problem::Several } else { Problem::Unclear };
                Err(unclear(name.to_owned(), values))
            }
        }
    }
}

/// The text of a part of a kind.
fn text_of(value: Value) -> String {
    let text = if value.is_object() { &value["text"] } else { &value };
    text.as_str().unwrap_or_default().to_owned()
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

    fn missing(name: &str) -> Result<Value, Problem> {
        Err(Problem::Missing(vec![name.into()]))
    }

    #[track_caller]
    fn check(page: &Page, schema: Value, about: &str, expected: Result<Value, Problem>) {
        assert_eq!(shaped(&schema, &Asked::new(about), page), expected, "{about} {schema}");
    }

    #[test]
    fn shapes() {
        let check = |schema: Value, about: &str, expected| check(&page(), schema, about, expected);
        let (number, text) = (json!({"type": "number"}), json!({"type": "string"}));
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
        check(texts.clone(), "", Err(Problem::Missing(Vec::new())));
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
        check(json!({"properties": {"author": text}}), "", Err(Problem::Several("author".into(), three)));
        let date = json!({"properties": {"date": {"type": "string", "format": "date"}}});
        assert!(matches!(shaped(&date, &Asked::new(""), &page()), Err(Problem::Misfit(_))));
    }

    #[test]
    fn every_word_is_accounted_for() {
        let page = Page::read(
            "<h1>水果店</h1><nav><a href='http://x/'>首页</a></nav>\
             <table><tr><th>商品<th>价格<th>库存<tr><td>青苹果<td>3.5元<td>10<tr><td>香蕉<td>2元<td>0</table>\
             <h2>甲公司</h2><p>电话：1</p><p>余额：5</p>",
        );
        let rows = |names: &[&str]| {
            let properties: Map<_, _> =
                names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
            json!({"type": "array", "items": {"type": "object", "properties": properties}})
        };
        let both = json!([{"商品": "青苹果", "价格": "3.5元"}, {"商品": "香蕉", "价格": "2元"}]);
        for about in
            ["", "提取所有商品和价格", "水果店的商品", "the page's products", "列出表格中的商品、价格"]
        {
            check(&page, rows(&["商品", "价格"]), about, Ok(both.clone()));
        }
        let refused = |schema: Value, about: &str, left: &str| {
            let left = left.split(' ').map(str::to_owned).collect();
            check(&page, schema, about, Err(Problem::Condition(left)));
        };
        for (about, left) in [
            ("库存为0的商品", "库存为0"),
            ("价格低于3元的商品", "低于3元"),
            ("最便宜的商品", "最便宜"),
            ("除苹果以外的商品", "除苹果以外"),
            ("第一个商品", "第一个"),
            ("苹果", "苹果"),
            ("青苹果", "青苹果"),
            ("the product with price 2元", "price 2元"),
            ("only products that are out of stock", "out stock"),
        ] {
            refused(rows(&["商品", "价格"]), about, left);
        }
        let (one, list) = (json!({"type": "string"}), json!({"type": "array", "items": {"type": "string"}}));
        let of = |name: &str, schema: &Value| json!({"type": "object", "properties": {name: schema}});
        refused(of("links", &list), "all news links", "news");
        refused(of("headings", &list), "article headings", "article");
        refused(of("电话", &one), "乙公司的电话", "乙公司");
        refused(of("余额", &one), "上个月的余额", "上个月");
        check(&page, of("电话", &one), "甲公司的电话", Ok(json!({"电话": "1"})));
        check(&page, of("links", &list), "all links", Ok(json!({"links": ["首页"]})));
        check(&page, of("价格", &one), "香蕉的价格", Ok(json!({"价格": "2元"})));
        refused(of("价格", &one), "苹果的价格", "苹果");
        // A name of a property says what is wanted as well.
        check(&page, of("newsLinks", &list), "all links", missing("newsLinks"));
    }

    #[test]
    fn labels_as_lists_and_what_is_missing_of_them() {
        let page = Page::read(
            "<p>Author: Bob</p><p>Author: Tolkien, J. R. R.</p><p>Author: Eve</p><p>Date: today</p>\
             <label><data data-field=个人>○</data>个人</label><data data-field=邮箱></data>\
             <table><tr><td>标题<td>数<tr><td>天晴<td>1</table>",
        );
        let text = json!({"type": "string"});
        let rows = |properties: Value| json!({"type": "array", "items": {"type": "object", "properties": properties}});
        let authors = ["Bob", "Tolkien, J. R. R.", "Eve"];
        let all = authors.map(|name| json!({"Author": name}));
        check(&page, rows(json!({"Author": text})), "the authors", Ok(json!(all)));
        let several = Problem::Several("Author".into(), authors.map(str::to_owned).to_vec());
        check(&page, json!({"properties": {"Author": text}}), "", Err(several));
        let apart = Problem::Apart(vec!["Author".into(), "Date".into()]);
        check(&page, rows(json!({"Author": text, "Date": text})), "", Err(apart));
        check(&page, rows(json!({"Author": text, "Price": text})), "", missing("Price"));
        check(&page, json!({"properties": {"个人": {"type": "boolean"}}}), "", Ok(json!({"个人": false})));
        check(&page, json!({"properties": {"邮箱": text}}), "", Err(Problem::Empty("邮箱".into())));
        let texts = json!({"type": "array", "items": text});
        check(&page, json!({"properties": {"数": texts}}), "", Err(Problem::NoHead("数".into())));
    }
}

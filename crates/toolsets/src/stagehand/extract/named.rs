//! What of a page an instruction names: columns, labels and cells.

use serde_json::Value;

use super::{
    Problem,
    asked::{Asked, covers},
    page::{Labelled, Page},
    table::{Meant, Table},
};

/// The columns of the only table whose headings an instruction names and nothing else, for every row; nothing if there is no such table.
pub(super) fn columns(page: &Page, asked: &Asked) -> Result<Option<Vec<Value>>, Problem> {
    let named: Vec<(&Table, Vec<usize>)> = (page.tables.iter())
        .filter_map(|table| {
            let parted = asked.parted(&table.heads());
            let found: Vec<usize> = (0..table.head.len()).filter(|at| parted.has[*at]).collect();
            let is_unclear = table.may_be_labels() && found.len() < 2;
            (!found.is_empty() && covers(&table.section, &parted.left) && !is_unclear)
                .then_some((table, found))
        })
        .collect();
    let others = page.labelled.iter().filter(|it| asked.parted(&[&it.label]).has[0]);
    let others: Vec<String> = others.map(|it| format!("{}: {}", it.label, it.value)).collect();
    match &*named {
        [] => Ok(None),
        [(table, found)] if others.is_empty() => {
            Ok(Some(table.rows.iter().map(|row| table.cells(row, found)).collect()))
        }
        several => {
            let tables = several.iter().map(|(table, _)| format!("a table of {}", table.head.join(", ")));
            Err(Problem::Unclear(asked.words().join(" "), tables.chain(others).collect()))
        }
    }
}

/// The lines of the labels that an instruction names and nothing else.
pub(super) fn labels(page: &Page, asked: &Asked) -> Result<Vec<String>, Problem> {
    let is_named = |it: &&Labelled| {
        let parted = asked.parted(&[&it.label]);
        parted.has[0] && covers(&it.section, &parted.left)
    };
    if let Some(field) = page.empty_fields.iter().find(is_named) {
        return Err(Problem::Empty(field.label.clone()));
    }
    let mut lines: Vec<String> = Vec::new();
    for it in page.labelled.iter().filter(is_named) {
        if !lines.contains(&it.line) {
            lines.push(it.line.clone());
        }
    }
    Ok(lines)
}

/// The only cell, or cells of one row, that some of the words name by heading and the others by what is in the row.
pub(super) fn cell(page: &Page, asked: &Asked) -> Option<Value> {
    let mut named = page.tables.iter().flat_map(|table| {
        let Meant { columns, rows, is_all } = table.meant(asked, &[]);
        let is_part = !columns.is_empty() && !is_all;
        rows.into_iter().filter(|_| is_part).map(|row| table.cells(row, &columns)).collect::<Vec<_>>()
    });
    named.next().filter(|_| named.next().is_none())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page() -> Page {
        Page::read(
            "<h1>新闻中心</h1><h2>订单</h2>\
             <table><tr><th>Name</th><th>Unit price</th></tr><tr><td>Kettle</td><td>39.00</td></tr><tr><td>Pot</td><td>1,200</td></tr></table>\
             <table><tr><th>姓名</th><th>商品</th><th>数量</th></tr><tr><td>王芳</td><td>青苹果</td><td>2</td></tr><tr><td>李雷</td><td>锅</td><td>1</td></tr></table>\
             <h2>甲公司</h2><p>电话：1</p><h2>乙公司</h2><p>电话：2</p><p>电话：3</p><label>Email <data data-field=Email></data></label>",
        )
    }

    #[test]
    fn columns_of_tables() {
        let both = json!([{"Name": "Kettle", "Unit price": "39.00"}, {"Name": "Pot", "Unit price": "1,200"}]);
        let named = |text: &str| columns(&page(), &Asked::new(text)).map(|rows| rows.map(Value::Array));
        assert_eq!(named("names unit prices"), Ok(Some(both)));
        assert_eq!(named("新闻 标题"), Ok(None));
        assert_eq!(named("news names"), Ok(None));
        assert_eq!(named("最贵的商品"), Ok(None));
        let people = json!([{"姓名": "王芳", "商品": "青苹果"}, {"姓名": "李雷", "商品": "锅"}]);
        for text in ["姓名和商品", "订单的姓名和商品"] {
            assert_eq!(named(text), Ok(Some(people.clone())), "{text}");
        }
        let two = Page::read(
            "<table><tr><th>Price<th>Name<tr><td>1<td>a</table><table><tr><th>Price<th>Size<tr><td>2<td>b</table><p>Price: 3</p>",
        );
        let Err(Problem::Unclear(_, found)) = columns(&two, &Asked::new("price")) else {
            unreachable!("one of several")
        };
        assert_eq!(found, ["a table of Price, Name", "a table of Price, Size", "Price: 3"]);
    }

    #[test]
    fn cells_of_tables() {
        let named = |text: &str| cell(&page(), &Asked::new(text));
        assert_eq!(named("unit price kettle"), Some(json!({"Unit price": "39.00"})));
        assert_eq!(named("unit price teapot"), None);
        assert_eq!(named("青苹果的数量"), Some(json!({"数量": "2"})));
        for other in ["苹果的数量", "数量最多的商品", "除锅以外的商品", "商品 2"] {
            assert_eq!(named(other), None, "{other}");
        }
    }

    #[test]
    fn labels_of_sections() {
        let named = |text: &str| labels(&page(), &Asked::new(text));
        let lines = |all: &[&str]| Ok(all.iter().map(|line| (*line).to_owned()).collect());
        assert_eq!(named("电话"), lines(&["电话：1", "电话：2", "电话：3"]));
        assert_eq!(named("乙公司的电话"), lines(&["电话：2", "电话：3"]));
        assert_eq!(named("丙公司的电话"), lines(&[]));
        assert_eq!(named("the email"), Err(Problem::Empty("Email".into())));
    }
}

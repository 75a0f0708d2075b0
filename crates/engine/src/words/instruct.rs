//! Instructions that say what to type as well: `type "x" into the search box`, 请在最高价输入框输入500. The value is the caller's; what
//! is looked for is the field.

/// What is typed into, if that is what a description is about.
pub(super) fn field_of(text: &str) -> Option<&str> {
    chinese(text).or_else(|| english(text)).map(str::trim).filter(|field| !field.is_empty())
}

/// 在…里输入…, 把…设为….
fn chinese(text: &str) -> Option<&str> {
    const LEADS: [&str; 4] = ["请", "帮我", "麻烦", "你"];
    const INTO: [&str; 3] = ["在", "往", "向"];
    const TYPED: [&str; 8] = ["输入", "填写", "填入", "写入", "键入", "录入", "填上", "写上"];
    const CHANGED: [&str; 10] =
        ["设置为", "调整为", "修改为", "设为", "改为", "改成", "设成", "调到", "调成", "填成"];
    const ENDS: [&str; 7] = ["里面", "当中", "里", "中", "内", "上", "处"];
    let mut rest = text.trim();
    while let Some(after) = LEADS.iter().find_map(|lead| rest.strip_prefix(lead)) {
        rest = after.trim_start();
    }
    let (rest, verbs): (&str, &[&str]) = match INTO.iter().find_map(|word| rest.strip_prefix(word)) {
        Some(rest) => (rest, &TYPED),
        None => (rest.strip_prefix('把').or_else(|| rest.strip_prefix('将'))?, &CHANGED),
    };
    // 输入框 is no verb.
    let is_verb =
        |at: usize, verb: &str| !rest[at + verb.len()..].starts_with(['框', '栏', '项', '区', '法']);
    let at = verbs
        .iter()
        .filter_map(|verb| rest.match_indices(verb).map(|(at, _)| at).find(|at| is_verb(*at, verb)))
        .min()?;
    let field = &rest[..at];
    Some(ENDS.iter().find_map(|end| field.strip_suffix(end)).unwrap_or(field))
}

/// `type … into …`, `fill … with …`, `set … to …`.
fn english(text: &str) -> Option<&str> {
    let text = text.trim();
    let text = strip(text, "please ").unwrap_or(text);
    let (verb, rest) = text.split_once(' ')?;
    let is = |words: &[&str]| words.iter().any(|word| verb.eq_ignore_ascii_case(word));
    let after = |tie: &str| find_last(rest, tie).map(|at| &rest[at + tie.len()..]);
    let before = |tie: &str| find_last(rest, tie).map(|at| &rest[..at]);
    if is(&["type", "enter", "write", "put", "input", "paste"]) {
        return after(" into ").or_else(|| after(" in ")).or_else(|| after(" to "));
    }
    if is(&["fill", "populate"]) {
        let field = before(" with ")?;
        return Some(strip(field, "in ").or_else(|| strip(field, "out ")).unwrap_or(field));
    }
    is(&["set", "change", "adjust"]).then(|| before(" to ")).flatten()
}

fn strip<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    text.get(..start.len()).filter(|found| found.eq_ignore_ascii_case(start)).map(|_| &text[start.len()..])
}

/// Where a word stands last, outside of quotes as far as that can be told.
fn find_last(text: &str, tie: &str) -> Option<usize> {
    text.rmatch_indices(tie)
        .map(|(at, _)| at)
        .find(|at| text[at + tie.len()..].matches('"').count().is_multiple_of(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(field_of(text), expected, "{text}");
        check("请在最高价输入框输入500", Some("最高价输入框"));
        check("请在订单编号里输入A1", Some("订单编号"));
        check("在“验证码”输入框里填写", Some("“验证码”输入框"));
        check("把音量调到50", Some("音量"));
        check("把无线鼠标加入购物车", None);
        check("在线客服", None);
        check("输入框", None);
        check("type \"in Berlin\" into the search box", Some("the search box"));
        check("enter 42 in the amount field", Some("the amount field"));
        check("fill in the name field with Bob", Some("the name field"));
        check("set the volume to 50", Some("the volume"));
        check("Enter", None);
        check("Set up", None);
    }
}

//! Texts of a page as values of the types that a schema asks for.

use serde_json::{Value, json};

use super::{Problem, check};

/// A text as what the schema says it is.
pub(super) fn typed(text: &str, of: &Value) -> Result<Value, Problem> {
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
            "true" | "yes" | "是" | "☑" | "◉" => Some(json!(true)),
            "false" | "no" | "否" | "☐" | "○" => Some(json!(false)),
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

//! Which of several: `second to last`, 第三个.

use super::query::Ordinal;

/// `first`, `3rd`, `second to last`.
pub(super) fn english_ordinal(phrase: &str) -> Option<Ordinal> {
    const WORDS: [&str; 12] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
        "eleventh", "twelfth",
    ];
    let plain = |word: &str| {
        if let Some(at) = WORDS.iter().position(|known| *known == word) {
            return Some(at + 1);
        }
        let digits = word
            .strip_suffix("st")
            .or_else(|| word.strip_suffix("nd"))
            .or_else(|| word.strip_suffix("rd"))
            .or_else(|| word.strip_suffix("th"));
        digits.and_then(|digits| digits.parse().ok()).filter(|number| (1..1000).contains(number))
    };
    if let Some(number) = plain(phrase) {
        return Some(Ordinal::Nth(number));
    }
    let from_end = [
        " to last",
        " last",
        " from last",
        " from the end",
        " to the last",
        " from the last",
        " from bottom",
    ];
    if let Some(number) = from_end.iter().find_map(|end| phrase.strip_suffix(end)).and_then(plain) {
        return Some(Ordinal::FromEnd(number));
    }
    let number = phrase
        .strip_prefix("number ")
        .or_else(|| phrase.strip_prefix("no "))
        .or_else(|| phrase.strip_prefix('#'));
    if let Some(number) =
        number.and_then(|number| number.parse().ok()).filter(|number| (1..1000).contains(number))
    {
        return Some(Ordinal::Nth(number));
    }
    match phrase {
        "last" | "final" | "very last" => Some(Ordinal::FromEnd(1)),
        "next to last" | "last but one" | "penultimate" => Some(Ordinal::FromEnd(2)),
        "very first" => Some(Ordinal::Nth(1)),
        _ => None,
    }
}

/// 第一个, 第2, 最后一个, 倒数第二个: the number and the length in bytes. The word for what is counted stays if it is a kind of element.
pub(super) fn chinese_ordinal(rest: &str) -> Option<(Ordinal, usize)> {
    let (from_end, after) = if let Some(after) = rest.strip_prefix("倒数第") {
        (true, after)
    } else if let Some(after) = rest.strip_prefix("最后") {
        let after = after.strip_prefix('一').unwrap_or(after);
        return Some((Ordinal::FromEnd(1), rest.len() - counted(after).len()));
    } else if let Some(after) = rest.strip_prefix("首个") {
        return Some((Ordinal::Nth(1), rest.len() - after.len()));
    } else {
        (false, rest.strip_prefix('第')?)
    };
    let digits = after
        .chars()
        .take_while(|c| c.is_ascii_digit() || "一二两三四五六七八九十百".contains(*c))
        .map(char::len_utf8)
        .sum::<usize>();
    // 第二页 is a name rather than the second of several.
    if after[digits..]
        .starts_with(['页', '步', '章', '节', '天', '周', '月', '季', '期', '级', '方', '次', '集'])
    {
        return None;
    }
    let number = chinese_number(&after[..digits])?;
    let ordinal = if from_end { Ordinal::FromEnd(number) } else { Ordinal::Nth(number) };
    Some((ordinal, rest.len() - counted(&after[digits..]).len()))
}

/// What comes after the word that counts.
fn counted(after: &str) -> &str {
    let word = [
        "个", "张", "位", "篇", "款", "件", "种", "名", "只", "条", "处", "家", "首", "部", "本", "封", "则",
        "段", "趟", "班", "间", "套", "台", "道",
    ]
    .iter()
    .find_map(|word| after.strip_prefix(word));
    word.unwrap_or(after)
}

fn chinese_number(digits: &str) -> Option<usize> {
    if let Ok(number) = digits.parse::<usize>() {
        return (1..1000).contains(&number).then_some(number);
    }
    let one = |c: char| {
        "一二三四五六七八九"
            .chars()
            .position(|known| known == c)
            .map(|at| at + 1)
            .or((c == '两').then_some(2))
    };
    let mut number = 0;
    let mut last = 0;
    for c in digits.chars() {
        match c {
            '十' => (number, last) = (number + last.max(1) * 10, 0),
            '百' => (number, last) = (number + last.max(1) * 100, 0),
            c => last = one(c)?,
        }
    }
    (number + last > 0).then_some(number + last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (text, expected) in
            [("3rd", Ordinal::Nth(3)), ("second to last", Ordinal::FromEnd(2)), ("last", Ordinal::FromEnd(1))]
        {
            assert_eq!(english_ordinal(text), Some(expected), "{text}");
        }
        for (text, expected) in [
            ("第一个", Ordinal::Nth(1)),
            ("第12个", Ordinal::Nth(12)),
            ("第二十三条", Ordinal::Nth(23)),
            ("倒数第二个", Ordinal::FromEnd(2)),
            ("最后一个", Ordinal::FromEnd(1)),
        ] {
            assert_eq!(chinese_ordinal(text), Some((expected, text.len())), "{text}");
        }
        assert_eq!(chinese_ordinal("第三方登录"), None);
        assert_eq!(chinese_ordinal("第三行"), Some((Ordinal::Nth(3), "第三".len())));
    }
}

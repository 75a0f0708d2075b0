//! Letters and signs: texts in one spelling.

/// Small letters, wide forms as narrow ones, punctuation as blanks. A text of signs only keeps them: `×` is a name. Times, versions and
/// dates are one word each: `14:00` is not 14.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let chars: Vec<char> = text.chars().map(narrow).collect();
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            '\'' | '’' => out.push('\''),
            c if c.is_ascii_digit() => {
                let end = end_of_number(&chars, at);
                out.push_str(&number(&chars[at..end]));
                at = end;
                continue;
            }
            c if c.is_alphanumeric() => out.extend(c.to_lowercase()),
            _ => out.push(' '),
        }
        at += 1;
    }
    // An apostrophe is a part of a word, or a quote.
    let words: Vec<&str> =
        out.split(' ').map(|word| word.trim_matches('\'')).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return text.chars().map(narrow).filter(|c| !c.is_whitespace() && *c != '\u{fe0f}').collect();
    }
    let mut joined = String::with_capacity(out.len());
    let mut before = false;
    for word in words {
        // Two letters of Chinese are often set apart for their looks: 登 录.
        let is_letter = word.chars().next().is_some_and(is_han) && word.chars().nth(1).is_none();
        if !(joined.is_empty() || before && is_letter) {
            joined.push(' ');
        }
        joined.push_str(word);
        before = is_letter;
    }
    joined
}

/// Where a number ends that begins here, with all that signs tie to it: `1.4.2`, `2026-11-24`.
fn end_of_number(chars: &[char], start: usize) -> usize {
    let is_digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let mut end = start;
    // `1,024` is one number.
    let is_thousand = |at: usize| {
        chars.get(at) == Some(&',') && (1..4).all(|place| is_digit(at + place)) && !is_digit(at + 4)
    };
    while is_digit(end)
        || (matches!(chars.get(end), Some(':' | '.' | '/' | '-')) && is_digit(end + 1))
        || (end - start < 4 && is_thousand(end))
    {
        end += 1;
    }
    end
}

/// A number as it is compared: times, versions and fractions as they stand, dates with one sign for all, else each part by itself.
fn number(chars: &[char]) -> String {
    let text: String = chars.iter().filter(|c| **c != ',').collect();
    let parts: Vec<&str> = text.split([':', '.', '/', '-']).collect();
    let are_all = |sign: char| text.chars().all(|c| c.is_ascii_digit() || c == sign);
    let is_date = parts.len() == 3 && !text.contains(':') && (parts[0].len() == 4 || parts[2].len() == 4);
    if is_date {
        parts.join("-")
    } else if are_all('/') && parts.len() == 2 {
        text
    } else {
        // From one to another: `09:00-10:00`.
        text.replace(['/', '-'], " ")
    }
}

/// A text without the count or the key that stands behind it: `Issues 128`, 购物车3, 收藏（E）, `Inbox (99+)`.
pub(super) fn without_tail(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let is_count = |tail: &str| tail.chars().any(|c| c.is_ascii_digit());
    let is_brief = |tail: &str| tail.chars().count() <= 4 && (is_count(tail) || tail.chars().count() == 1);
    let in_brackets = || {
        let inside = text.strip_suffix([')', '）', ']'])?;
        let open = inside.rfind(['(', '（', '['])?;
        let tail = inside[open..].trim_start_matches(['(', '（', '[']);
        is_brief(tail.trim()).then_some(&text[..open])
    };
    let counted = || {
        let before = text.trim_end_matches(['+', 'k', 'K', 'm', 'M', '万', 'w']);
        let bare = before.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
        let parts = bare.ends_with(|c: char| c.is_whitespace() || is_han(c));
        (parts && is_count(&text[bare.len()..]) && text.len() - bare.len() <= 8).then_some(bare)
    };
    in_brackets().or_else(counted).map(str::trim).filter(|bare| bare.chars().any(char::is_alphabetic))
}

/// The words of a text that are others without their signs: `C++`, `C#`, `A-`, `+5`, `1.2`.
pub(super) fn signed(text: &str) -> Vec<String> {
    if !text.contains(['+', '-', '#', '.', '＋', '－', '．', '＃']) {
        return Vec::new();
    }
    let text: String = text.chars().map(narrow).collect();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '.');
    let is_signed = |word: &&str| {
        let bare = word.trim_end_matches(['+', '#', '-']);
        let end = &word[bare.len()..];
        let is_word = !bare.is_empty() && bare.chars().all(|c| c.is_ascii_alphanumeric());
        let number = word.strip_prefix(['+', '-']).unwrap_or(word);
        let is_number = number.starts_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_digit() || c == '.');
        (is_word && !end.is_empty() && (bare.len() == 1 || !end.contains('-')))
            || (is_number && (number.len() < word.len() || number.contains('.')))
    };
    text.split(|c: char| !is_part(c))
        .map(|word| word.trim_end_matches('.'))
        .filter(is_signed)
        .map(str::to_lowercase)
        .collect()
}

/// The narrow form of a wide letter or sign (U+FF01…FF5E).
fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{3000}' | '\u{a0}' => ' ',
        c => c,
    }
}

pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

//! How words of instructions, schemas and pages compare.

/// Whether a text is of a script that does not part its words.
pub(super) fn is_joined(text: &str) -> bool {
    text.contains(
        |c| matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'),
    )
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

/// Whether two names have the same words.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let words = stems(one);
    !words.is_empty() && words == stems(other)
}

/// Whether a text has a word; Chinese does not part them.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    if !word.is_ascii() {
        return text.to_lowercase().contains(&word.to_lowercase());
    }
    let (text, word) = (stems(text), stems(word));
    !word.is_empty() && word.iter().all(|word| text.contains(word))
}

//! Texts as words: Chinese taken apart, numbers as they are said, and one word for all that mean the same.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    letters::is_han,
    synonyms::{DEEDS, SOFT},
    vocabulary::{COMPOUNDS, THINGS, TIMES},
};

/// The words and phrases of the tables, with those that stand for them.
static MEANINGS: LazyLock<FxHashMap<&str, Vec<&'static str>>> = LazyLock::new(|| {
    let rows = [DEEDS, THINGS, TIMES].into_iter().flatten();
    let mut meanings: FxHashMap<&str, Vec<&str>> =
        rows.flat_map(|row| row.iter().map(|word| (*word, vec![row[0]]))).collect();
    let meaning_of = |word| meanings.get(word).and_then(|meaning| meaning.first().copied()).unwrap_or(word);
    let compounds: Vec<(&str, Vec<&str>)> =
        COMPOUNDS.iter().map(|(word, parts)| (*word, parts.split(' ').map(meaning_of).collect())).collect();
    meanings.extend(compounds);
    meanings
});
static CONCEPTS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| MEANINGS.values().flatten().copied().collect());

/// The words that phrases begin with: most words of a page begin none.
static FIRST_WORDS: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| MEANINGS.keys().filter_map(|phrase| Some(phrase.split_once(' ')?.0)).collect());

const LONGEST_PHRASE: usize = 5;
const LONGEST_HAN: usize = 6;

/// Whether a word stands for a meaning.
pub(super) fn is_concept(word: &str) -> bool {
    CONCEPTS.contains(word)
}

/// Whether a word or phrase is in the tables: it is no slip then, and not to be taken apart.
pub(super) fn is_known(word: &str) -> bool {
    MEANINGS.contains_key(word)
}

/// A text as words, those that mean the same written the same.
pub(super) fn words(plain: &str) -> Vec<String> {
    let mut parts: Vec<&str> = Vec::new();
    for chunk in plain.split(' ').filter(|chunk| !chunk.is_empty()) {
        let mut start = 0;
        let mut before = None;
        for (at, c) in chunk.char_indices() {
            let kind = is_han(c);
            if before.is_some_and(|before| before != kind) {
                parts.push(&chunk[start..at]);
                start = at;
            }
            before = Some(kind);
        }
        parts.push(&chunk[start..]);
    }
    let mut out = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        if let Some(count) = numbered(&parts[at..], &mut out) {
            at += count;
            continue;
        }
        if parts[at].chars().next().is_some_and(is_han) {
            han_words(parts[at], &mut out);
            at += 1;
            continue;
        }
        let most = if FIRST_WORDS.contains(parts[at]) { LONGEST_PHRASE.min(parts.len() - at) } else { 0 };
        let longest = (2..=most).rev().find_map(|count| {
            let phrase = parts[at..at + count].join(" ");
            MEANINGS.get(&*phrase).map(|meaning| (count, meaning))
        });
        // `Order no.` is about a number.
        let is_number = parts[at] == "no" && at > 0 && at + 1 == parts.len();
        let alone = || MEANINGS.get(parts[at]).or_else(|| MEANINGS.get(stem(parts[at])));
        match longest.or_else(|| Some((1, alone()?))) {
            _ if is_number => out.push("number".into()),
            Some((count, meaning)) => {
                out.extend(meaning.iter().map(|word| (*word).to_owned()));
                at += count;
                continue;
            }
            None => out.push(parts[at].to_owned()),
        }
        at += 1;
    }
    out
}

pub(super) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Numbers as they are said: `21st`, 5月, 20日, 第3页. How many parts they take.
fn numbered(parts: &[&str], out: &mut Vec<String>) -> Option<usize> {
    let is_number = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let after = |at: usize| parts.get(at).copied().unwrap_or_default();
    let first = parts[0];
    if first == "第" && is_number(after(1)) {
        let is_page = after(2) == "页";
        out.extend(is_page.then(|| "page".to_owned()));
        out.push(after(1).into());
        return Some(2 + usize::from(is_page));
    }
    if is_number(first) {
        match after(1) {
            "月" => out.push((*MONTHS.get(first.parse::<usize>().ok()?.checked_sub(1)?)?).into()),
            "日" | "号" => out.push(first.into()),
            _ => return None,
        }
        return Some(2);
    }
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| first.strip_suffix(end))?;
    (!digits.is_empty() && is_number(digits)).then(|| out.push(digits.into()))?;
    Some(1)
}

/// Chinese has no blanks: the longest words of the table are taken out, what is between them stays as it is.
fn han_words(run: &str, out: &mut Vec<String>) {
    let letters: Vec<(usize, char)> = run.char_indices().collect();
    let end_of = |at: usize| letters.get(at).map_or(run.len(), |(byte, _)| *byte);
    let mut rest = 0;
    let mut at = 0;
    while at < letters.len() {
        let known = (1..=LONGEST_HAN.min(letters.len() - at)).rev().find_map(|count| {
            let word = &run[end_of(at)..end_of(at + count)];
            // Words of one letter are parts of other words, unless they are all there is.
            let fits = count > 1 || letters.len() == 1;
            let meaning = MEANINGS.get(word).cloned().or_else(|| SOFT.contains(&word).then(|| vec![word]));
            meaning.filter(|_| fits || word == "的").map(|meaning| (count, meaning))
        });
        match known {
            Some((count, meaning)) => {
                if rest < at {
                    out.push(run[end_of(rest)..end_of(at)].to_owned());
                }
                out.extend(meaning.iter().map(|word| (*word).to_owned()));
                at += count;
                rest = at;
            }
            None => at += 1,
        }
    }
    if rest < letters.len() {
        out.push(run[end_of(rest)..].to_owned());
    }
}

/// Without the ending of the plural.
pub(super) fn stem(word: &str) -> &str {
    match word.len() {
        0..=3 => word,
        _ if word.ends_with("ss") => word,
        _ => ["sses", "xes", "ches", "shes"]
            .iter()
            .any(|end| word.ends_with(end))
            .then(|| &word[..word.len() - 2])
            .or_else(|| word.strip_suffix('s'))
            .unwrap_or(word),
    }
}

/// The words that stand for a word.
pub(super) fn meaning(word: &str) -> Option<&'static [&'static str]> {
    MEANINGS.get(word).map(Vec::as_slice)
}

//! Texts as words: Chinese taken apart, numbers as they are said, and one word for all that mean the same.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    letters::is_han,
    negation::{self, Denial, Scope},
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

/// A text as words, those that mean the same written the same, and those that are denied with a mark.
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
    let mut is_denied = false;
    while at < parts.len() {
        if let Some(count) = negation::english(&parts[at..]) {
            is_denied = true;
            at += count;
            continue;
        }
        if let Some(count) = numbered(&parts[at..], &mut out) {
            at += count;
            continue;
        }
        if parts[at].chars().next().is_some_and(is_han) {
            is_denied = han_words(parts[at], is_denied, &mut out);
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
                out.extend(meaning.iter().map(|word| put(word, is_denied)));
                at += count;
                continue;
            }
            None => match negation::opposite(parts[at]) {
                Some(opposite) => {
                    out.extend(MEANINGS[opposite].iter().map(|word| put(word, !is_denied)));
                }
                None => out.push(put(parts[at], is_denied)),
            },
        }
        at += 1;
    }
    // What denies nothing is a word by itself.
    if out.is_empty() {
        out.extend(parts.iter().map(|part| (*part).to_owned()));
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

/// A word as it is told. What only ties others together cannot be denied.
fn put(word: &str, is_denied: bool) -> String {
    if is_denied && !SOFT.contains(&word) { negation::denied(word) } else { word.to_owned() }
}

/// Chinese has no blanks: the longest words of the table are taken out, what is between them stays as it is. Whether what comes after
/// the run is denied by it.
fn han_words(run: &str, is_denied: bool, out: &mut Vec<String>) -> bool {
    let letters: Vec<(usize, char)> = run.char_indices().collect();
    let end_of = |at: usize| letters.get(at).map_or(run.len(), |(byte, _)| *byte);
    let is_single = letters.len() == 1;
    let mut denial = is_denied.then_some(Scope::Rest);
    let (mut rest, mut at, mut is_open) = (0, 0, false);
    while at < letters.len() {
        let known = (1..=LONGEST_HAN.min(letters.len() - at)).rev().find_map(|count| {
            let word = &run[end_of(at)..end_of(at + count)];
            // Words of one letter are parts of other words, unless they are all there is.
            let fits = count > 1 || is_single;
            let meaning = MEANINGS.get(word).cloned().or_else(|| SOFT.contains(&word).then(|| vec![word]));
            meaning.filter(|_| fits || word == "的").map(|meaning| (count, meaning))
        });
        let found = if known.is_none() { negation::han(run, end_of(at)) } else { None };
        let is_joint = denial.is_some() && known.is_none() && negation::is_joint(letters[at].1);
        if known.is_none() && found.is_none() && !is_joint {
            at += 1;
            continue;
        }
        let before = &run[end_of(rest)..end_of(at)];
        let is_lead = found.is_some() && negation::is_lead(before);
        if !before.is_empty() && !is_lead {
            out.push(put(before, denial.is_some()));
            denial = denial.filter(|scope| *scope == Scope::Rest);
        }
        match (known, found) {
            (Some((count, meaning)), _) => {
                out.extend(meaning.iter().map(|word| put(word, denial.is_some())));
                denial = denial.filter(|scope| *scope == Scope::Rest);
                at += count;
            }
            (None, Some(Denial::Before(length, scope))) => {
                denial = Some(scope);
                at += run[end_of(at)..end_of(at) + length].chars().count();
                is_open = at == letters.len();
            }
            (None, Some(Denial::Behind)) => {
                if let Some(word) = out.last_mut().filter(|word| negation::bare(word).is_none()) {
                    *word = negation::denied(word);
                }
                return false;
            }
            (None, None) => {
                denial = None;
                at += 1;
            }
        }
        rest = at;
    }
    if rest < letters.len() {
        out.push(put(&run[end_of(rest)..], denial.is_some()));
    }
    is_denied || is_open
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

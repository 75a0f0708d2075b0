//! A description as tokens: words, runs of Chinese, quoted names, and what each of them can mean.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::{
    chinese::CHINESE,
    english::ENGLISH,
    letters::is_han,
    lexicon::Sense,
    meaning::is_known,
    ordinals::{chinese_ordinal, english_ordinal},
    query::Ordinal,
};

/// A part of a description.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    /// Where it stands in the description, in bytes.
    pub(super) start: usize,
    pub(super) end: usize,
    /// What stood between quotes is a name and nothing else.
    pub(super) quoted: bool,
    /// What it can mean besides being a part of a name.
    pub(super) senses: Vec<Sense>,
}

/// Reads a description.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader { text, tokens: Vec::new() };
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        at = if let Some(end) = reader.quoted(at, c) {
            end
        } else if is_han(c) {
            reader.chinese(at)
        } else if c.is_whitespace() || (is_separator(c) && !is_sign(text, at)) {
            at + c.len_utf8()
        } else {
            reader.english(at)
        };
    }
    reader.tokens
}

struct Reader<'t> {
    text: &'t str,
    tokens: Vec<Token>,
}

const QUOTES: &[(char, char)] = &[
    ('"', '"'),
    ('“', '”'),
    ('”', '”'),
    ('‘', '’'),
    ('「', '」'),
    ('『', '』'),
    ('《', '》'),
    ('`', '`'),
    ('\'', '\''),
    ('«', '»'),
    ('＂', '＂'),
];

impl Reader<'_> {
    fn push(&mut self, start: usize, end: usize, senses: Vec<Sense>) {
        self.tokens.push(Token { start, end, quoted: false, senses });
    }

    /// A quoted name; where it ends.
    fn quoted(&mut self, at: usize, c: char) -> Option<usize> {
        let (_, close) = QUOTES.iter().find(|(open, _)| *open == c)?;
        let start = at + c.len_utf8();
        let in_word = self.text[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() && !is_han(c));
        if c == '\'' && in_word {
            return None;
        }
        let ends = |(offset, _): &(usize, &str)| {
            // An apostrophe inside of a word does not end what it did not begin.
            let after = self.text[start + offset + close.len_utf8()..].chars().next();
            *close != '\'' || !after.is_some_and(|c| c.is_alphanumeric() && !is_han(c))
        };
        let (length, _) = self.text[start..].match_indices(*close).find(ends)?;
        let inside = &self.text[start..start + length];
        if inside.trim().is_empty() {
            return None;
        }
        self.tokens.push(Token { start, end: start + length, quoted: true, senses: Vec::new() });
        Some(start + length + close.len_utf8())
    }

    /// The longest Chinese word from here, or one letter.
    fn chinese(&mut self, at: usize) -> usize {
        let rest = &self.text[at..];
        if let Some((ordinal, length)) = chinese_ordinal(rest) {
            self.push(at, at + length, vec![Sense::Ordinal(ordinal)]);
            return at + length;
        }
        let known = longest(rest, |word| WORDS.1.get(word).map(Vec::as_slice));
        let meant = longest(rest, |word| is_known(word).then_some([].as_slice()));
        let (length, senses) = match (known, meant) {
            (Some((length, _)), Some((longer, _))) if longer > length => (longer, Vec::new()),
            (Some((length, senses)), _) if self.meets(at, length, senses) => (length, senses.to_vec()),
            (_, Some((length, _))) => (length, Vec::new()),
            _ => (rest.chars().next().map_or(1, char::len_utf8), Vec::new()),
        };
        self.push(at, at + length, senses);
        at + length
    }

    /// A word of one letter means something by itself only where the parts of a description meet.
    fn meets(&self, at: usize, length: usize, senses: &[Sense]) -> bool {
        if self.text[at..at + length].chars().count() > 1 {
            return true;
        }
        let rest = self.text[at + length..].trim_start();
        let Some(next) = rest.chars().next() else { return true };
        let begins = !is_han(next)
            || chinese_ordinal(rest).is_some()
            || longest(rest, |word| WORDS.1.get(word).map(Vec::as_slice))
                .is_some_and(|(length, _)| length > 3 || next == '的')
            || ["里", "中", "内"].iter().any(|word| rest.starts_with(word));
        match senses.first() {
            Some(Sense::Of | Sense::Filler | Sense::Verb(_) | Sense::MaybeVerb(_) | Sense::Called) => true,
            Some(Sense::After(_) | Sense::AfterOrSides(..)) => {
                let after_holder = self.tokens.last().is_some_and(|token| {
                    token.end == at && token.senses.iter().any(|sense| matches!(sense, Sense::Role(_)))
                        || token.quoted
                });
                begins
                    || after_holder
                    || longest(rest, |word| is_known(word).then_some([].as_slice())).is_some()
            }
            _ => begins,
        }
    }

    /// The longest English phrase from here, or one word.
    fn english(&mut self, at: usize) -> usize {
        let words = ahead(self.text, at);
        let Some((first, _)) = words.first() else {
            // A sign that is no word: `+`, `×`.
            let end = self.text[at..]
                .char_indices()
                .find(|(_, c)| c.is_whitespace() || is_han(*c))
                .map_or(self.text.len(), |(o, _)| at + o);
            self.push(at, end, Vec::new());
            return end;
        };
        if first == "'s" {
            let end = words[0].1;
            self.push(at, end, vec![Sense::Of]);
            return end;
        }
        for count in (1..=words.len()).rev() {
            let phrase = words[..count].iter().map(|(word, _)| &**word).collect::<Vec<_>>().join(" ");
            let end = words[count - 1].1;
            let mut senses = WORDS.0.get(&*phrase).cloned().unwrap_or_default();
            senses.extend(english_ordinal(&phrase).map(Sense::Ordinal));
            // `row 3`, `option 2`
            let after_role = self
                .tokens
                .last()
                .is_some_and(|token| token.senses.iter().any(|sense| matches!(sense, Sense::Role(_))));
            if let (true, Ok(number @ 1..=999)) = (after_role && count == 1, phrase.parse()) {
                senses.push(Sense::Ordinal(Ordinal::Nth(number)));
            }
            // `first name`, `Sign in` are names as they stand.
            if !senses.is_empty() || count == 1 || is_known(&phrase) {
                self.push(at, end, senses);
                return end;
            }
        }
        at + 1
    }
}

/// Whether what is here is the minus of a number or a mark: `-5%`, `A-`.
fn is_sign(text: &str, at: usize) -> bool {
    let Some(after) = text[at..].strip_prefix('-') else { return false };
    let mut before = text[..at].chars().rev();
    let (last, one_before) = (before.next(), before.next());
    let parts = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let is_mark = last.is_some_and(|c| c.is_ascii_alphabetic()) && parts(one_before);
    (parts(last) && after.starts_with(|c: char| c.is_ascii_digit()))
        || (is_mark && parts(after.chars().next()))
}

fn is_separator(c: char) -> bool {
    matches!(
        c,
        ',' | '.'
            | ';'
            | ':'
            | '!'
            | '?'
            | '，'
            | '。'
            | '；'
            | '：'
            | '！'
            | '？'
            | '、'
            | '('
            | ')'
            | '（'
            | '）'
            | '['
            | ']'
            | '…'
            | '-'
            | '"'
    )
}

/// Up to five words from here in small letters, each with its end. Hyphens part words as blanks do.
fn ahead(text: &str, at: usize) -> Vec<(String, usize)> {
    let mut words: Vec<(String, usize)> = Vec::new();
    let mut word = String::new();
    for (offset, c) in text[at..].char_indices() {
        let here = at + offset;
        let rest = &text[here..];
        let possessive = matches!(c, '\'' | '’')
            && rest.chars().nth(1).is_some_and(|c| c == 's' || c == 'S')
            && !rest.chars().nth(2).is_some_and(char::is_alphanumeric);
        if possessive && !word.is_empty() {
            words.push((std::mem::take(&mut word), here));
            break;
        }
        if possessive {
            let end = here + c.len_utf8() + 1;
            return vec![("'s".into(), end)];
        }
        if c.is_alphanumeric() && !is_han(c) || (c == '\'' || c == '’' || c == '#') {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            words.push((std::mem::take(&mut word), here));
        }
        if words.len() == 5 || !(c == ' ' || c == '-' || c == '\u{a0}') || words.is_empty() {
            return words;
        }
    }
    if !word.is_empty() {
        words.push((word, text.len()));
    }
    words
}

type Senses = FxHashMap<&'static str, Vec<Sense>>;
static WORDS: LazyLock<(Senses, Senses)> = LazyLock::new(|| {
    let table = |rows: &[(&[&'static str], Sense)]| {
        let mut table = Senses::default();
        for (words, sense) in rows {
            for word in *words {
                table.entry(word).or_default().push(*sense);
            }
        }
        table
    };
    (table(ENGLISH), table(CHINESE))
});
/// The longest beginning that a table knows: its length in bytes, and what the table says.
fn longest<'s>(rest: &str, known: impl Fn(&str) -> Option<&'s [Sense]>) -> Option<(usize, &'s [Sense])> {
    let ends: Vec<usize> = rest.char_indices().map(|(at, c)| at + c.len_utf8()).take(8).collect();
    ends.into_iter().rev().find_map(|end| known(&rest[..end]).map(|senses| (end, senses)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        let check = |text: &str, expected: &[&str]| {
            let parts: Vec<&str> = tokens(text).iter().map(|token| &text[token.start..token.end]).collect();
            assert_eq!(parts, expected, "{text}");
        };
        check("the second to last button", &["the", "second to last", "button"]);
        check("top-right \"Save as…\" drop-down", &["top-right", "Save as…", "drop-down"]);
        check("Alice's row", &["Alice", "'s", "row"]);
        check("don't 'save it' now", &["don't", "save it", "now"]);
        check("购物车里的结算按钮", &["购物车", "里", "的", "结算", "按钮"]);
        check("第二行的删除按钮", &["第二", "行", "的", "删除", "按钮"]);
        check("中国", &["中国"]);
        check("“北京”旁边的复选框", &["北京", "旁边", "的", "复选框"]);
        check("Delete按钮", &["Delete", "按钮"]);
    }
}

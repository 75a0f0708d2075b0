//! Texts as they are compared: in small letters, without punctuation, as words, and those that mean the same as one word.

use super::{
    letters::{is_han, plain, signed, without_tail},
    meaning::{is_concept, meaning, stem, words},
    negation,
    synonyms::{ALONE, DIRECTIONS, INSTEAD, KIN, PICTURES, SOFT, VERBS, WEAK},
};

/// A text, ready to be compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Text {
    /// Small letters and single blanks.
    pub(super) plain: String,
    /// The same without blanks.
    pub(super) squeezed: String,
    /// The words, those that mean the same written the same.
    pub(super) words: Vec<String>,
    /// The words without those that only tie others together.
    pub(super) heavy: Vec<String>,
    /// There are no such words.
    is_soft: bool,
    /// Words that a sign makes others of: `c++`, `a-`, `-5`, `1.2`.
    signed: Vec<String>,
    /// The text without blanks and without the count behind it, if there is one.
    uncounted: Option<String>,
    /// All of it has to be asked for.
    is_whole: bool,
}

/// How well a name fits the words of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Some words were mistyped.
    Like,
    /// The name says nothing else, but leaves out what sort of thing it is of.
    Short,
    /// All the words are there, some of them in other words.
    Meant,
    /// All the words are there, in some order.
    Words,
    /// The words are there as they stand.
    Has,
    /// The name begins with the words.
    Begins,
    /// The name says just this in other words.
    Means,
    /// It is the name.
    Is,
}

impl Level {
    pub(super) fn score(self) -> f64 {
        match self {
            Level::Like => 0.66,
            Level::Short => 0.74,
            Level::Meant => 0.76,
            Level::Words => 0.82,
            Level::Has => 0.86,
            Level::Begins => 0.9,
            Level::Means => 0.93,
            Level::Is => 1.0,
        }
    }

    /// Whether the whole name is meant.
    pub(super) fn is_whole(self) -> bool {
        self >= Level::Means
    }
}

/// How strictly words are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strictness {
    /// They were quoted: they stand there as they are.
    Quoted,
    /// Other words may mean the same.
    Meaning,
}

impl Text {
    pub(super) fn new(text: &str) -> Text {
        let plain = plain(text);
        let squeezed = plain.chars().filter(|c| *c != ' ').collect();
        let words = match ALONE.iter().find(|(word, _)| *word == plain) {
            Some((_, meaning)) => vec![(*meaning).to_owned()],
            None => words(&plain),
        };
        let mut heavy: Vec<String> = words.iter().filter(|word| !SOFT.contains(&&***word)).cloned().collect();
        let is_soft = heavy.is_empty();
        if is_soft {
            heavy.clone_from(&words);
        }
        let uncounted = without_tail(text).map(|text| self::plain(text).replace(' ', ""));
        Text { plain, squeezed, words, heavy, is_soft, signed: signed(text), uncounted, is_whole: false }
    }

    /// The same where a number at the end is what it is about: `page 2` is not just any page.
    pub(super) fn in_one_piece(self) -> Text {
        Text { is_whole: true, ..self }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.squeezed.is_empty()
    }

    /// How well `self`, a text of the page, fits the words that were asked for. Those of `slips` may be mistyped.
    pub(super) fn fit(&self, asked: &Text, how: Strictness, slips: &[String]) -> Option<Level> {
        self.fit_inside(asked, how, slips).filter(|level| level.is_whole() || !self.is_turned_around(asked))
    }

    /// The same for what holds several things: what one of them does says nothing about the others.
    pub(super) fn fit_inside(&self, asked: &Text, how: Strictness, slips: &[String]) -> Option<Level> {
        let fits = |level: &Level| *level == Level::Is || !self.goes_elsewhere(asked);
        self.fit_words(asked, how, slips).filter(fits)
    }

    fn fit_words(&self, asked: &Text, how: Strictness, slips: &[String]) -> Option<Level> {
        if self.is_whole && self.heavy != asked.heavy {
            return None;
        }
        if self.is_empty() || asked.is_empty() || self.is_signed_otherwise(asked) {
            return None;
        }
        let is_counted = || how != Strictness::Quoted && self.uncounted.as_ref() == Some(&asked.squeezed);
        if self.plain == asked.plain || self.squeezed == asked.squeezed || is_counted() {
            return Some(Level::Is);
        }
        if asked.is_soft {
            return None;
        }
        if how != Strictness::Quoted && (self.heavy == asked.heavy || self.without_count() == asked.heavy) {
            return Some(Level::Means);
        }
        if let Some(at) = find_phrase(&self.plain, &asked.plain) {
            return Some(if at == 0 { Level::Begins } else { Level::Has });
        }
        if how == Strictness::Quoted {
            return None;
        }
        if asked.heavy.iter().all(|word| self.words.iter().any(|own| same(own, word))) {
            let all = asked.heavy.len() == self.heavy.len();
            let literal = asked.plain.split(' ').all(|word| {
                SOFT.contains(&word) || find_phrase(&self.plain, word).is_some() || self.has_plural_of(word)
            });
            return Some(if all {
                Level::Means
            } else if literal {
                Level::Words
            } else {
                Level::Meant
            });
        }
        if self.is_short_for(asked) {
            return Some(Level::Short);
        }
        let is_there = |word: &String| {
            let may_slip = slips.contains(word);
            self.words.iter().any(|own| same(own, word) || (may_slip && is_like(own, word)))
        };
        (!slips.is_empty() && asked.heavy.iter().all(is_there)).then_some(Level::Like)
    }

    /// Whether every word of this name was asked for, and the others are such that a name may do without.
    fn is_short_for(&self, asked: &Text) -> bool {
        let is_kin = |asked: &str, own: &str| KIN.contains(&(asked, own));
        let has = |word: &String| self.has_word(word);
        if let ([asked], [own]) = (&*asked.heavy, &*self.heavy) {
            return INSTEAD.contains(&(asked, own));
        }
        let fits = |word: &String| {
            has(word) || WEAK.contains(&&**word) || self.words.iter().any(|own| is_kin(word, own))
        };
        let was_asked = |own: &String| asked.words.iter().any(|word| same(word, own) || is_kin(word, own));
        let is_number = |word: &String| word.bytes().all(|b| b.is_ascii_digit());
        asked.heavy.iter().any(|word| has(word) && !WEAK.contains(&&**word) && !is_number(word))
            && asked.heavy.iter().all(fits)
            && self.without_count().iter().all(was_asked)
    }

    /// The words without a number at the end: `Inbox (3)` is the inbox.
    fn without_count(&self) -> &[String] {
        match &*self.heavy {
            [words @ .., last] if !words.is_empty() && last.bytes().all(|b| b.is_ascii_digit()) => words,
            words => words,
        }
    }

    /// The words, phrases taken apart: `add to cart` may be said around what is added.
    pub(super) fn parts(&self) -> Vec<String> {
        let mut parts = Vec::new();
        for word in &self.heavy {
            if !word.contains(' ') || VERBS.contains(&&**word) || negation::bare(word).is_some() {
                parts.push(word.clone());
                continue;
            }
            for part in word.split(' ').filter(|part| !SOFT.contains(part)) {
                let meaning = meaning(part).and_then(|meaning| meaning.first().copied());
                parts.push(meaning.unwrap_or(part).to_owned());
            }
        }
        parts
    }

    /// How much of this text the words that were asked for make up, from 0 to 1.
    pub(super) fn covered_by(&self, asked: &Text) -> f64 {
        let count = |words: &[String]| words.iter().map(|word| weight(word)).sum::<usize>().max(1) as f64;
        (count(&asked.heavy) / count(&self.heavy)).min(1.0)
    }

    /// Whether the first word of this text was asked for.
    pub(super) fn begins_with(&self, asked: &Text) -> bool {
        self.heavy.first().is_some_and(|word| asked.has_word(word))
    }

    /// Whether it is a word for a sign: what is drawn, not what it does.
    pub(super) fn is_picture(&self) -> bool {
        PICTURES.iter().any(|word| find_phrase(&self.plain, word).is_some())
    }

    /// Whether it says which of several: `1st`.
    pub(super) fn counts(&self) -> bool {
        self.plain.split(' ').any(|word| super::ordinals::english_ordinal(word).is_some())
    }

    /// Whether a word is in this text but for the ending of the plural.
    fn has_plural_of(&self, word: &str) -> bool {
        word.len() > 3 && self.plain.split(' ').any(|own| own.len() > 3 && stem(own) == stem(word))
    }

    /// Whether one of the words is in this text.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.words.iter().any(|own| same(own, word))
    }

    /// Whether it denies what was asked for.
    pub(super) fn says_otherwise(&self, asked: &Text) -> bool {
        negation::differs(self, asked)
    }

    /// Whether the name says the opposite: `Don't save` for `save`, 取消关注 for 关注, `Undo delete` for `delete`.
    fn is_turned_around(&self, asked: &Text) -> bool {
        if self.says_otherwise(asked) {
            return true;
        }
        let was_asked = |word: &str| asked.has_word(word);
        let first = self.words.iter().position(|own| asked.heavy.iter().any(|word| same(own, word)));
        let is_joined =
            self.words.get(first.unwrap_or_default().saturating_sub(1)).is_some_and(|word| word == "and");
        let mut before = self.words.iter().take(if is_joined { 0 } else { first.unwrap_or_default() });
        if before.any(|word| negation::undoes(word, was_asked)) {
            return true;
        }
        let is_han = asked.squeezed.chars().any(is_han);
        let at = self.squeezed.find(&asked.squeezed).filter(|_| is_han);
        at.is_some_and(|at| negation::han_undoes(&self.squeezed[..at], was_asked))
    }

    /// Whether it means something else though the words are there.
    pub(super) fn is_elsewhere(&self, asked: &Text) -> bool {
        self.is_turned_around(asked) || self.goes_elsewhere(asked)
    }

    /// Whether it says another direction or number: `Price from` for `price to`, `Item 1 of 3` for `item 3`.
    fn goes_elsewhere(&self, asked: &Text) -> bool {
        let has = |text: &Text, word: &str| text.plain.split(' ').any(|own| own == word);
        let is_other = |row: &&[&str]| {
            let mut own = row.iter().filter(|word| has(self, word)).peekable();
            let mut wanted = row.iter().filter(|word| has(asked, word)).peekable();
            own.peek().is_some() && wanted.peek().is_some() && !wanted.any(|word| has(self, word))
        };
        if DIRECTIONS.iter().any(is_other) {
            return true;
        }
        let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
        asked.words.windows(2).any(|pair| {
            let [what, number] = pair else { return false };
            if !is_number(number) || is_number(what) {
                return false;
            }
            let mut numbered = self.words.windows(2).filter(|own| same(&own[0], what) && is_number(&own[1]));
            numbered.clone().next().is_some() && !numbered.any(|own| own[1] == *number)
        })
    }

    /// Whether signs make another word of one that is the same without them: `C++` for `C`.
    fn is_signed_otherwise(&self, asked: &Text) -> bool {
        if self.signed.is_empty() && asked.signed.is_empty() {
            return false;
        }
        // A single letter or a number says little without its sign; `Disney+` may be said without.
        let hides = |word: &String| {
            let bare: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
            let is_negative = word.starts_with('-') && bare.bytes().all(|byte| byte.is_ascii_digit());
            let is_telling =
                word.contains('.') || is_negative || (bare.len() == 1 && !word.starts_with(['+', '-']));
            is_telling && asked.plain.split(' ').any(|asked| asked == bare)
        };
        asked.signed.iter().any(|word| !self.signed.contains(word))
            || self.signed.iter().any(|word| !asked.signed.contains(word) && hides(word))
    }
}

/// Longer Chinese runs are several words.
fn weight(word: &str) -> usize {
    if word.chars().next().is_some_and(is_han) { word.chars().count().div_ceil(2) } else { 1 }
}

/// Where a phrase stands in a text, at the edges of words.
fn find_phrase(text: &str, phrase: &str) -> Option<usize> {
    let is_letter = |c: char| c.is_alphanumeric() && !is_han(c);
    // A sign stands between the digits of a number only: `2.1` is not 2.
    let is_of_number = |c: char| matches!(c, ':' | '.' | '/' | '-');
    let part_of_word = |c: Option<char>, edge: Option<char>| {
        c.is_some_and(|c| is_letter(c) || is_of_number(c)) && edge.is_some_and(is_letter)
    };
    let whole = |at: &usize| {
        !part_of_word(text[..*at].chars().next_back(), phrase.chars().next())
            && !part_of_word(text[at + phrase.len()..].chars().next(), phrase.chars().next_back())
    };
    text.match_indices(phrase).map(|(at, _)| at).find(whole)
}

/// Whether a word of the page is the one that was asked for. Chinese is written without blanks: there a part is enough.
pub(super) fn same(own: &str, asked: &str) -> bool {
    if own == asked {
        return true;
    }
    match (negation::bare(own), negation::bare(asked)) {
        (None, None) => {}
        (Some(own), Some(asked)) => return same(own, asked),
        _ => return false,
    }
    if asked.chars().next().is_some_and(is_han) {
        return own.contains(asked) && !is_concept(own);
    }
    // `news` are not several of `new`.
    own.as_bytes().first() == asked.as_bytes().first()
        && stem(own) == stem(asked)
        && !(is_concept(own) && is_concept(asked))
}

/// Whether a word may be a mistyped form of another: one slip in six letters, two in ten, and the first letter is right. Where a
/// word was put in front (`unsubscribe`), it is another word.
fn is_like(own: &str, asked: &str) -> bool {
    let fits = |word: &str| word.bytes().all(|b| b.is_ascii_alphabetic());
    if !fits(own) || !fits(asked) || own.bytes().next() != asked.bytes().next() {
        return false;
    }
    let slips = strsim::osa_distance(own, asked);
    let same_length = own.len() == asked.len();
    let swapped = same_length && strsim::levenshtein(own, asked) == 2;
    match own.len().min(asked.len()) {
        0..=4 => false,
        5 => slips == 1 && swapped,
        // One letter for another makes another word of a short one.
        6..=7 => slips <= 1 && (swapped || !same_length),
        8..=9 => slips <= 1,
        _ => slips <= 2,
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::*;
    use crate::words::{
        synonyms::DEEDS,
        vocabulary::{COMPOUNDS, THINGS, TIMES},
    };

    #[test]
    fn no_word_has_two_meanings() {
        let mut seen = FxHashSet::default();
        let rows = [DEEDS, THINGS, TIMES].into_iter().flatten().flat_map(|row| row.iter());
        for word in rows.chain(COMPOUNDS.iter().map(|(word, _)| word)) {
            assert!(seen.insert(word), "{word} is in two rows");
            assert_eq!(plain(word), word.replace('\u{fe0f}', ""), "{word} is not as it is compared");
        }
    }

    #[test]
    fn rows() {
        let check = |own: &str, asked: &str, expected: Option<Level>| {
            let asked = Text::new(asked);
            assert_eq!(
                Text::new(own).fit(&asked, Strictness::Meaning, &asked.heavy),
                expected,
                "{own} for {asked:?}"
            );
        };
        check("Save", "save", Some(Level::Is));
        check("Email address: *", "email address", Some(Level::Is));
        check("Ｅｍａｉｌ：", "email", Some(Level::Is));
        check("E-mail", "email", Some(Level::Is));
        check("Sign in", "log in", Some(Level::Means));
        check("登陆", "log in", Some(Level::Means));
        check("×", "close", Some(Level::Means));
        check("+", "添加", Some(Level::Means));
        check("Add to cart", "加入购物车", Some(Level::Means));
        check("Save as draft", "save", Some(Level::Begins));
        check("Subscribe to our newsletter", "newsletter", Some(Level::Has));
        check("Blog", "log", None);
        check("立即登录", "登录", Some(Level::Has));
        check("Sign in with Google", "login google", Some(Level::Means));
        check("Sign in with your Google account", "google login", Some(Level::Meant));
        check("Sign in with your Google account", "google sign in", Some(Level::Words));
        check("Sign up", "sign in", None);
        check("Don't save", "save", None);
        check("取消关注", "关注", None);
        check("Setings", "settings", Some(Level::Like));
        check("Unsubscribe", "subscribe", None);
        check("Slovakia", "Slovenia", None);
        check("Orders (3)", "orders", Some(Level::Is));
        check("Issues 128", "issues", Some(Level::Is));
        check("收藏（E）", "收藏", Some(Level::Is));
        check("购物车3", "购物车", Some(Level::Is));
        check("Version 1.2.3 (beta)", "version 1.2.3", Some(Level::Begins));
        check("我的订单", "订单", Some(Level::Means));
        check("", "x", None);
        for (own, asked) in [
            ("退出登录", "登录"),
            ("注销账号", "退出登录"),
            ("已关注", "关注"),
            ("撤销删除", "删除"),
            ("解除绑定", "绑定"),
            ("移除好友", "好友"),
            ("禁止访问", "访问"),
            ("免登录浏览", "登录"),
            ("非会员登录", "登录"),
            ("非会员登录", "会员登录"),
            ("关闭自动续费", "自动续费"),
            ("删除账号", "账号"),
            ("Do not send me e-mail", "send me e-mail"),
            ("Undo delete", "delete"),
            ("Skip login", "login"),
            ("Remove from cart", "cart"),
            ("Decline invitation", "invitation"),
            ("Price from", "price to"),
            ("Move to trash", "move from trash"),
            ("Move up", "move left"),
            ("Item 1 of 3", "item 3"),
            ("C", "C++"),
            ("C", "C#"),
            ("C++", "C"),
            ("-5%", "+5%"),
            ("A-", "A+"),
            ("Version 12", "version 1.2"),
            ("Version 1.2", "version 12"),
            ("Version 2.1", "version 2"),
            ("Order 1,024", "order 1"),
            ("订单12", "订单1"),
        ] {
            check(own, asked, None);
        }
        check("移除好友", "删除好友", Some(Level::Means));
        check("Save and close", "save", Some(Level::Begins));
        check("无线鼠标", "鼠标", Some(Level::Has));
        check("非常满意", "满意", Some(Level::Has));
        check("免费试用", "试用", Some(Level::Has));
        check("Item 3 of 3", "item 3", Some(Level::Means));
        check("C++", "c++", Some(Level::Is));
        check("Disney+", "Disney", Some(Level::Is));
        check("Version 1.2", "version 1.2", Some(Level::Is));
    }
}

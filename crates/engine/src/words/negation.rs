//! What denies: `Don't save` is another thing than `Save`, 不同意 another than 同意, `Skip login` another than `log in`.
//!
//! A word that is denied is marked in the words of a text, whatever language denies it. So it is the same as a word that is denied
//! elsewhere, and never the same as one that is not.

use super::{
    letters::is_han,
    meaning::is_known,
    text::{Text, same},
};

/// What stands before a word that is denied. No text has this sign beside a word.
const MARK: char = '¬';

/// English words that deny what follows, and those before which a name means something else wherever they stand.
const ENGLISH: &[&str] =
    &["don't", "dont", "doesn't", "won't", "can't", "cannot", "not", "never", "no", "without"];
const ENDING: &[&str] = &["stop", "cancel"];
/// `do not` is one of them.
const HELPERS: &[&str] = &["do", "does", "did", "must", "may", "can", "will", "should"];
/// What makes the opposite of a word that it is written together with.
const PREFIXES: &[&str] = &["un", "dis"];

/// Chinese signs that deny, each with what may follow as a part of it.
const HAN: &[(char, &[&str])] = &[
    ('不', &["需要", "想要", "要再", "再", "要", "用", "必", "想", "得", "可", "能", "准", "许", "会", "愿"]),
    ('勿', &[]),
    ('未', &["曾"]),
    ('没', &["有"]),
    ('无', &["需", "须", "法"]),
    ('免', &[]),
    ('别', &["再"]),
    ('非', &[]),
];
/// What may stand before them and says nothing else: 暂不, 请勿, 尚未.
const LEADS: &[&str] = &["暂", "暂时", "先", "请", "切", "尚", "还", "从", "我", "千万"];
/// What ends a denial: 不同意并退出 leaves.
const JOINTS: [char; 2] = ['并', '但'];
/// Behind a word these say that it cannot be done: 登录不了.
const BEHIND: [&str; 3] = ["不了", "不上", "不到"];

/// Words in which such a sign denies nothing.
const ORDINARY: &[&str] = &[
    "不仅",
    "不但",
    "不同",
    "不错",
    "不断",
    "不过",
    "不限",
    "不动产",
    "不锈钢",
    "不可思议",
    "不管",
    "不论",
    "不止",
    "不少",
    "不久",
    "不良",
    "不足",
    "不明",
    "不得不",
    "不一样",
    "不了解",
    "不等",
    "不透明",
    "不规则",
    "了不起",
    "差不多",
    "对不起",
    "来不及",
    "看不清",
    "看不到",
    "收不到",
    "打不开",
    "找不到",
    "忘不了",
    "无线",
    "无障碍",
    "无限",
    "无人",
    "无损",
    "无痕",
    "无数",
    "无论",
    "无缝",
    "无忧",
    "无效",
    "无尽",
    "无所谓",
    "无锡",
    "未来",
    "未知",
    "未成年",
    "未必",
    "非常",
    "非洲",
    "非凡",
    "非遗",
    "是非",
    "除非",
    "别名",
    "别墅",
    "别人",
    "别的",
    "别处",
    "别样",
    "别针",
    "别致",
    "特别",
    "分别",
    "类别",
    "级别",
    "性别",
    "区别",
    "识别",
    "鉴别",
    "辨别",
    "判别",
    "个别",
    "告别",
    "国别",
    "差别",
    "派别",
    "组别",
    "送别",
    "免费",
    "免税",
    "免运费",
    "避免",
    "难免",
    "不免",
    "未免",
    "没收",
];

/// Words for what takes something back, away or puts it off, as [`super::text`] leaves them: what follows is not what is done then,
/// unless the word was asked for as well. `Undo delete` does not delete.
const UNDOING: &[&str] = &[
    "undo", "skip", "delete", "decline", "cancel", "close", "disable", "clear", "log out", "leave", "forbid",
    "ban", "stop", "discard", "later", "解除", "已",
];
/// The same in Chinese, where words may not be parted from what follows, each with a word that says the same.
const UNDOING_HAN: &[(&str, &str)] = &[
    ("撤销", "undo"),
    ("撤消", "undo"),
    ("解除", "解除"),
    ("移除", "delete"),
    ("删除", "delete"),
    ("禁止", "forbid"),
    ("关闭", "close"),
    ("取消", "cancel"),
    ("停止", "stop"),
    ("停用", "disable"),
    ("退出", "log out"),
    ("注销", "log out"),
    ("拒绝", "decline"),
    ("跳过", "skip"),
    ("清空", "clear"),
    ("放弃", "discard"),
    ("稍后", "later"),
];

/// `Pay later` does not pay, wherever it is said.
const LATER: &str = "later";

/// How far a denial in Chinese reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// 未付款订单 is an order.
    NextWord,
    Rest,
}

/// What is found at a place in Chinese.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Denial {
    /// It takes so many bytes, and denies what follows.
    Before(usize, Scope),
    /// It is all that follows, and denies what came before.
    Behind,
}

/// A word as one that is denied.
pub(super) fn denied(word: &str) -> String {
    format!("{MARK}{word}")
}

/// A word that is denied, without its mark.
pub(super) fn bare(word: &str) -> Option<&str> {
    word.strip_prefix(MARK).filter(|bare| !bare.is_empty())
}

/// How many of these English words deny what comes after them.
pub(super) fn english(parts: &[&str]) -> Option<usize> {
    let count = match parts {
        [helper, "not", ..] if HELPERS.contains(helper) => 2,
        // `No. 5` is a number.
        ["no", next, ..] if next.starts_with(|c: char| c.is_ascii_digit()) => return None,
        [word, ..] if ENGLISH.contains(word) => 1,
        _ => return None,
    };
    (parts.len() > count).then_some(count)
}

/// The word that an English one is the opposite of: `disagree`.
pub(super) fn opposite(word: &str) -> Option<&str> {
    let rest = PREFIXES.iter().find_map(|prefix| word.strip_prefix(prefix))?;
    (rest.len() > 2 && is_known(rest)).then_some(rest)
}

/// What denies at a place in a run of Chinese.
pub(super) fn han(run: &str, at: usize) -> Option<Denial> {
    let sign = run[at..].chars().next()?;
    let (_, tails) = HAN.iter().find(|(known, _)| *known == sign)?;
    if is_ordinary(run, at) {
        return None;
    }
    if at > 0 && BEHIND.contains(&&run[at..]) {
        return Some(Denial::Behind);
    }
    let after = &run[at + sign.len_utf8()..];
    let tail = tails.iter().find(|tail| after.starts_with(**tail));
    let length = sign.len_utf8() + tail.map_or(0, |tail| tail.len());
    let begins = at == 0 || is_lead(&run[..at]);
    let is_before_word = || known_ends(after).next().is_some();
    match sign {
        '不' | '勿' => Some(Denial::Before(length, Scope::Rest)),
        '未' => Some(Denial::Before(length, Scope::NextWord)),
        '无' | '没' if tail.is_some() => Some(Denial::Before(length, Scope::Rest)),
        '无' | '免' => is_before_word().then_some(Denial::Before(length, Scope::NextWord)),
        '非' | '别' | '没' => begins.then_some(Denial::Before(length, Scope::Rest)),
        _ => None,
    }
}

/// Whether a text ends with what denies the Chinese behind it.
pub(super) fn is_open(text: &str) -> bool {
    let last = text.char_indices().next_back().filter(|(_, c)| is_han(*c));
    last.is_some_and(|(at, sign)| HAN.iter().any(|(known, _)| *known == sign) && !is_ordinary(text, at))
}

/// Whether a text says nothing of its own before a denial.
pub(super) fn is_lead(text: &str) -> bool {
    LEADS.contains(&text)
}

/// Whether a denial in Chinese ends here.
pub(super) fn is_joint(c: char) -> bool {
    JOINTS.contains(&c)
}

/// Whether the sign here is a part of a word that denies nothing. 不同 is one, unless a longer word begins behind the sign: 不同意.
fn is_ordinary(run: &str, at: usize) -> bool {
    let Some(sign) = run[at..].chars().next() else { return false };
    let is_here = |word: &&&str, before: usize| {
        at.checked_sub(before).and_then(|start| run.get(start..)).is_some_and(|run| run.starts_with(**word))
    };
    let found = ORDINARY.iter().find_map(|word| {
        let mut places = word.match_indices(sign).map(|(before, _)| before);
        places.find(|before| is_here(&word, *before)).map(|before| (word.len(), before))
    });
    let goes_on =
        |length: usize| known_ends(&run[at + sign.len_utf8()..]).any(|end| sign.len_utf8() + end > length);
    found.is_some_and(|(length, before)| before > 0 || !goes_on(length))
}

/// Where the words of the tables end that begin a text, in bytes. Single letters are no words.
fn known_ends(text: &str) -> impl Iterator<Item = usize> {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    ends.skip(1).take(4).filter(|end| is_known(&text[..*end]))
}

/// Whether an English text denies anything. `Cancel and close` closes.
fn says_not(plain: &str) -> bool {
    let words: Vec<&str> = plain.split(' ').collect();
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1);
        let is_number =
            *word == "no" && next.map_or(at > 0, |next| next.starts_with(|c: char| c.is_ascii_digit()));
        (ENGLISH.contains(word) || ENDING.contains(word)) && next != Some(&"and") && !is_number
    })
}

/// Whether a text denies what was asked for, or puts it off, or denies in English anything at all where nothing denied was asked for.
pub(super) fn differs(own: &Text, asked: &Text) -> bool {
    if says_not(&own.plain) && !says_not(&asked.plain) && !asked.words.iter().any(|word| bare(word).is_some())
    {
        return true;
    }
    own.words.iter().any(|word| match bare(word) {
        // Some of it may be denied in one place and said in another.
        Some(denied) => {
            asked.words.iter().any(|wanted| same(denied, wanted) && !own.has_word(wanted))
                && !asked.has_word(word)
        }
        None => word == LATER && !asked.has_word(word),
    })
}

/// Whether a word of a name takes back what follows, and was not asked for.
pub(super) fn undoes(word: &str, was_asked: impl Fn(&str) -> bool) -> bool {
    UNDOING.contains(&word) && !was_asked(word)
}

/// The same for the Chinese that stands directly before what was asked for, or denies it there.
pub(super) fn han_undoes(before: &str, was_asked: impl Fn(&str) -> bool) -> bool {
    let denies = is_open(before) || before.ends_with('已');
    denies || UNDOING_HAN.iter().any(|(word, meaning)| before.contains(word) && !was_asked(meaning))
}

#[cfg(test)]
mod tests {
    use crate::words::text::{Strictness, Text};

    #[track_caller]
    fn fits(own: &str, asked: &str) -> bool {
        Text::new(own).fit(&Text::new(asked), Strictness::Meaning, &[]).is_some()
    }

    #[test]
    fn denied_is_another_thing() {
        for (own, asked) in [
            ("不保存", "Save"),
            ("不接受", "Accept"),
            ("不接受", "同意"),
            ("不要删除", "删除"),
            ("不要取消", "Cancel"),
            ("不确定", "OK"),
            ("不发布", "Publish"),
            ("不订阅", "Subscribe"),
            ("禁止发送", "Send"),
            ("停止发送", "发送"),
            ("放弃支付", "支付"),
            ("稍后支付", "Pay"),
            ("暂不登录", "Log in"),
            ("未登录", "Sign in"),
            ("非登录用户", "Log in"),
            ("无需登录", "登录"),
            ("暂不注册", "Sign up"),
            ("不再提示", "提示"),
            ("登录不了", "登录"),
            ("已关注", "Follow"),
            ("Don't save", "保存"),
            ("Do not agree", "同意"),
            ("Not now", "now"),
            ("Unsubscribe", "订阅"),
            ("Disagree", "Agree"),
            ("Disagree", "同意"),
            ("Cancel order", "order"),
            ("Never allow", "Allow"),
            ("Stop sending", "Send"),
            ("Pay later", "支付"),
            ("Disable sound", "Enable sound"),
            ("Save", "Don't save"),
            ("保存", "Don't save"),
            ("Save", "不保存"),
            ("保存", "不保存"),
        ] {
            assert!(!fits(own, asked), "{own} for {asked}");
        }
    }

    #[test]
    fn denied_in_the_same_way_is_the_same() {
        for (own, asked) in [
            ("不保存", "不保存"),
            ("不保存", "Don't save"),
            ("Don't save", "不保存"),
            ("Don't save changes", "不保存"),
            ("不要save", "Don't save"),
            ("不", "不"),
            ("No", "否"),
            ("No, thanks", "No"),
            ("不用了，谢谢", "不用"),
            ("暂不登录", "不登录"),
            ("Disagree", "不同意"),
            ("停止同步", "stop sync"),
            ("不同意并退出", "退出"),
            ("没有账号？立即注册", "注册"),
        ] {
            assert!(fits(own, asked), "{own} for {asked}");
        }
    }

    #[test]
    fn ordinary_words_deny_nothing() {
        for (own, asked) in [
            ("无线键盘", "keyboard"),
            ("非常满意", "满意"),
            ("不仅是条款", "terms"),
            ("别名设置", "settings"),
            ("未来天气", "weather"),
            ("无障碍模式", "mode"),
            ("特别推荐", "推荐"),
            ("分别下载", "下载"),
            ("免费试用", "try"),
            ("未付款订单", "order"),
            ("Invoice No. 5", "invoice"),
            ("Notes on terms", "terms"),
            ("Undo", "撤销"),
            ("Display settings", "settings"),
            ("Discount code", "code"),
            ("Under budget", "budget"),
            ("Unit price", "price"),
        ] {
            assert!(fits(own, asked), "{own} for {asked}");
        }
    }
}

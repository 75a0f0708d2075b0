//! From a description to the ways in which it can be read.
//!
//! Most words that say something about an element can be a part of its name as well: `first name`, `Sign in`, 我的订单. So every such
//! word is tried both ways, and the page decides which reading was meant.

use super::{
    instruct::field_of,
    letters::is_han,
    lexicon::Sense,
    negation,
    query::{How, Query, Wanted},
    ties::{attach, is_any_entry, merge},
    tokens::{Token, tokens},
};

/// How many readings are tried.
const MOST: usize = 600;

/// Every way to read a description, the one with the fewest names first.
pub(super) fn readings(text: &str) -> Vec<Query> {
    let mut all = readings_of(text);
    if let Some(bare) = without_units(text) {
        all.extend(
            readings_of(&bare).into_iter().map(|reading| Query { taken: reading.taken + 1, ..reading }),
        );
    }
    for mut reading in field_of(text).map(readings_of).unwrap_or_default() {
        reading.role = reading.role.or(Some(Wanted::Typed));
        reading.taken += 1;
        if !all.contains(&reading) {
            all.push(reading);
        }
    }
    all
}

/// A description whose numbers are said without what they count: 480元, 16:12发车.
fn without_units(text: &str) -> Option<String> {
    const UNITS: [&str; 12] =
        ["次列车", "次航班", "块钱", "发车", "起飞", "出发", "到达", "开车", "元", "块", "次", "楼"];
    let mut bare = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let unit = UNITS.iter().find(|unit| rest.starts_with(**unit));
        match unit.filter(|_| bare.ends_with(|c: char| c.is_ascii_digit())) {
            Some(unit) => rest = &rest[unit.len()..],
            None => {
                bare.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    (bare.len() < text.len()).then_some(bare)
}

fn readings_of(text: &str) -> Vec<Query> {
    let text = text.trim();
    let tokens = tokens(text);
    let mut readings: Vec<Query> = Vec::new();
    let mut add = |reading: Option<Query>| {
        if let Some(reading) = reading.filter(|reading| !reading.is_bare())
            && !readings.contains(&reading)
        {
            readings.push(reading);
        }
    };
    let mut choices: Vec<Vec<Option<Sense>>> = vec![Vec::new()];
    for token in &tokens {
        let mut ways: Vec<Option<Sense>> = token.senses.iter().copied().map(Some).collect();
        // `next to` is no part of a name, `in` and `by` may be.
        let is_tie = || {
            matches!(token.senses.first(), Some(Sense::Before(_)))
                && text[token.start..token.end].contains(' ')
        };
        let is_sure = matches!(token.senses.first(), Some(Sense::Filler | Sense::Verb(_))) || is_tie();
        if ways.is_empty() || (!is_sure && choices.len() * (ways.len() + 1) <= MOST) {
            ways.push(None);
        } else if choices.len() * ways.len() > MOST {
            ways.truncate(1);
        }
        choices = choices
            .iter()
            .flat_map(|before| ways.iter().map(move |way| [&**before, &[*way]].concat()))
            .collect();
    }
    for chosen in &choices {
        add(Parser { text, tokens: &tokens, chosen }.read());
    }
    // What was said may be a name from the first word to the last.
    let whole = text.trim_matches(|c: char| "\"“”‘’「」『』`'".contains(c));
    let bent = !tokens.is_empty() && tokens.iter().all(says_more);
    add(Some(Query { name: whole.into(), quoted: whole.len() < text.len(), bent, ..Query::default() }));
    readings
}

/// Whether a word says something by itself: `last`, 红色.
fn says_more(token: &Token) -> bool {
    let says = |sense: &Sense| {
        matches!(sense, Sense::Ordinal(_) | Sense::Colour(_) | Sense::State(_) | Sense::Sides(_))
    };
    token.senses.iter().any(says)
}

/// `of LICENSE` is what something is of, and the name of nothing.
fn begins_with_of(piece: &str) -> bool {
    piece.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("of "))
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token],
    chosen: &'t [Option<Sense>],
}

/// A stretch of tokens.
type Span = std::ops::Range<usize>;

impl Parser<'_> {
    fn read(&self) -> Option<Query> {
        let mut start = 0;
        let mut done_to = None;
        let mut taken = 0;
        // What the caller would do comes first.
        while let Some(Some(sense)) = self.chosen.get(start) {
            match sense {
                Sense::Filler => {}
                Sense::Verb(wanted) => done_to = wanted.or(done_to),
                Sense::MaybeVerb(wanted) => {
                    if (wanted.is_none() && !self.is_before_something(start + 1))
                        || self.is_name_of_button(start)
                    {
                        return None;
                    }
                    done_to = wanted.or(done_to);
                    taken += 1;
                }
                _ => break,
            }
            start += 1;
        }
        // 显示密码 is no field of that name.
        let says_kind =
            |sense: &Option<Sense>| matches!(sense, Some(Sense::Role(_) | Sense::Named(..) | Sense::Of));
        if self.chosen.get(start) == Some(&Some(Sense::Called))
            && self.is_loosely_called(start)
            && !self.chosen.iter().any(says_kind)
            && !self.tokens.iter().any(|token| token.quoted)
        {
            return None;
        }
        let mut query = self.part(start..self.chosen.len())?;
        if query.any(&|part: &Query| part.relations.iter().any(|relation| is_any_entry(&relation.anchor))) {
            return None;
        }
        // What is done is no description of what it is done to: 访问 is not any link there is.
        let says_nothing = query == Query { taken: query.taken, ..Query::default() };
        if query.role.is_none() && !says_nothing {
            query.role = done_to;
        }
        // What is to be opened is not there yet.
        if done_to == Some(Wanted::Any)
            && query.name.is_empty()
            && query.role.is_some_and(|role| matches!(role, Wanted::Menu | Wanted::Dialog))
        {
            return None;
        }
        query.taken += taken;
        if query.is_bare() && query.ordinal.is_some() && query.relations.is_empty() {
            // 第二个: of whatever there is.
            (query.role, query.ordinal) = (Some(Wanted::Any), None);
        }
        Some(query)
    }

    /// Whether the word says what an element is called only if that element was spoken of.
    fn is_loosely_called(&self, at: usize) -> bool {
        let Token { start, end, .. } = self.tokens[at];
        const LOOSE: [&str; 14] = [
            "显示",
            "显示为",
            "带",
            "带有",
            "包含",
            "含有",
            "标记为",
            "with",
            "about",
            "text",
            "label",
            "reading",
            "showing",
            "marked",
        ];
        LOOSE.contains(&&*self.text[start..end].to_lowercase())
    }

    /// Whether the word says what a button does, and nothing else does: 关闭按钮, `the open button`. What is done to buttons is another.
    fn is_name_of_button(&self, at: usize) -> bool {
        const DONE_TO_BUTTONS: [&str; 5] = ["use", "focus", "按", "找到", "使用"];
        let Token { start, end, .. } = self.tokens[at];
        !DONE_TO_BUTTONS.contains(&&*self.text[start..end].to_lowercase())
            && matches!(self.chosen.get(at + 1), Some(Some(Sense::Role(Wanted::Button | Wanted::Icon))))
            && self.chosen[at + 2..].iter().all(|sense| *sense == Some(Sense::Filler))
    }

    /// Whether an article, a quote or a word for a kind of element shows that the word before was a verb.
    fn is_before_something(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.quoted || self.chosen[at] == Some(Sense::Filler))
            || self.chosen[at..].iter().any(|sense| matches!(sense, Some(Sense::Role(_) | Sense::Named(..))))
    }

    /// `HEAD in ANCHOR`: the anchor may have an anchor of its own.
    fn part(&self, span: Span) -> Option<Query> {
        let ties = |at: &usize| matches!(self.chosen[*at], Some(Sense::Before(_) | Sense::Loose(_)));
        let Some(at) = span.clone().find(ties) else { return self.with_leading_anchor(span) };
        let (Some(Sense::Before(how)) | Some(Sense::Loose(how))) = self.chosen[at] else { return None };
        let mut head = self.with_leading_anchor(span.start..at)?;
        let anchor = self.part(at + 1..span.end)?;
        head.taken += 1;
        attach(&mut head, how, anchor)?;
        Some(head)
    }

    /// `ANCHOR 里的 HEAD`, `ANCHOR's HEAD`: the anchor may have an anchor of its own.
    fn with_leading_anchor(&self, span: Span) -> Option<Query> {
        let ties = |at: &usize| {
            matches!(self.chosen[*at], Some(Sense::After(_) | Sense::AfterOrSides(..) | Sense::Of))
        };
        let Some(mut at) = span.clone().rev().find(ties) else { return self.flat(span) };
        let mut head = self.flat(at + 1..span.end)?;
        // 里的 ties once.
        if self.chosen[at] == Some(Sense::Of)
            && at > span.start
            && matches!(self.chosen[at - 1], Some(Sense::After(_) | Sense::AfterOrSides(..)))
        {
            at -= 1;
        }
        head.taken += 1;
        let before = span.start..at;
        let nothing = before.clone().all(|at| self.chosen[at] == Some(Sense::Filler));
        let (how, sides) = match self.chosen[at] {
            Some(Sense::After(how)) => (how, None),
            Some(Sense::AfterOrSides(how, sides)) => (how, Some(sides)),
            _ => (How::Of, None),
        };
        if nothing {
            head.sides.extend(sides?);
            return Some(head);
        }
        let anchor = self.with_leading_anchor(before.clone())?;
        if how == How::Of
            && let Some(entry) = head.relations.iter_mut().find(|relation| is_any_entry(&relation.anchor))
        {
            // 张三的帖子点赞: the post is his.
            anchor.role.is_none().then_some(())?;
            (entry.anchor.name, entry.anchor.quoted) = (anchor.name, anchor.quoted);
            return Some(head);
        }
        if let Some(sides) = sides
            && (anchor.role == Some(Wanted::Page)
                || (anchor.name.is_empty() && anchor.role.is_some_and(Wanted::is_container)))
        {
            // 对话框右侧 is in it, not beside it.
            head.sides.extend(sides);
            attach(&mut head, How::In, anchor)?;
            return Some(head);
        }
        let called = self.chosen[before].contains(&Some(Sense::Called));
        if how == How::Of && anchor.role.is_none() && (called || anchor.name.is_empty()) {
            // 写着“提交”的, 蓝色的: no other element, but what this one is like.
            return merge(anchor, head);
        }
        attach(&mut head, how, anchor)?;
        Some(head)
    }

    /// A part without ties: a name, a kind of element, and what they are like.
    fn flat(&self, span: Span) -> Option<Query> {
        let mut query = Query::default();
        let mut names: Vec<&str> = Vec::new();
        let mut at = span.start;
        while at < span.end {
            match self.chosen[at] {
                None => {
                    let (piece, end) = self.name(at, span.end);
                    // 隐私政策的链接: the link that is called so.
                    let belongs = piece.ends_with('的') && !self.tokens[at].quoted;
                    // 不显示 is not 不 that shows.
                    let is_cut = end < span.end
                        && self.tokens[end].start == self.tokens[end - 1].end
                        && negation::is_open(piece);
                    if is_cut
                        || piece.starts_with('的')
                        || (!self.tokens[at].quoted && begins_with_of(piece))
                        || belongs && !matches!(self.chosen.get(end), Some(Some(Sense::Role(_))))
                    {
                        return None;
                    }
                    let piece = if belongs { piece.trim_end_matches('的') } else { piece };
                    query.bent |= self.tokens[at..end].iter().all(says_more);
                    query.quoted |= self.tokens[at].quoted;
                    names.push(piece);
                    at = end;
                    continue;
                }
                // `text button`
                Some(Sense::Called) if matches!(self.chosen.get(at + 1), Some(Some(Sense::Role(_)))) => {
                    return None;
                }
                Some(Sense::Filler | Sense::Called | Sense::Vague) => {}
                // `card 12`, `the song Dreams`: what comes behind it is its name.
                Some(Sense::Role(role))
                    if matches!(role, Wanted::Entry | Wanted::Card)
                        && names.is_empty()
                        && query.role.is_none()
                        && query.ordinal.is_none()
                        && self.is_name(at + 1..span.end) =>
                {
                    query.role = Some(role);
                    query.noun = self.noun(at, role);
                    query.taken += 1;
                }
                Some(Sense::Role(Wanted::Page)) if self.goes_on(at + 1..span.end) => return None,
                Some(Sense::Role(role)) if role.is_container() && self.goes_on(at + 1..span.end) => {
                    // `header login button`: what comes before it is a container.
                    let is_called = self.chosen[at + 1..span.end].contains(&None);
                    let is_any = names.is_empty()
                        && (role.is_one_of_many() || matches!(role, Wanted::List | Wanted::Menu));
                    let fits = match role {
                        // 他的帖子点赞 is tied by what comes before.
                        Wanted::Entry => is_called || query.ordinal.is_some(),
                        _ => !is_any || query.ordinal.is_some(),
                    };
                    (query.role.is_none() && fits).then_some(())?;
                    let noun = self.noun(at, role);
                    let anchor =
                        Query { role: Some(role), noun, name: names.join(" "), ..std::mem::take(&mut query) };
                    names.clear();
                    query.taken = 1;
                    attach(&mut query, How::In, anchor)?;
                }
                Some(Sense::Role(role)) => {
                    query.role = query.role.is_none().then_some(Some(role))?;
                    query.noun = self.noun(at, role);
                }
                Some(Sense::Named(role, name)) => {
                    query.role = query.role.is_none().then_some(Some(role))?;
                    names.push(name);
                }
                Some(Sense::Colour(colour)) => query.colours.push(colour),
                Some(Sense::State(state)) => query.states.push(state),
                Some(Sense::Sides(sides)) => query.sides.extend(sides),
                Some(Sense::Ordinal(ordinal)) => {
                    query.ordinal = query.ordinal.is_none().then_some(Some(ordinal))?;
                    query.numbered = self.numbered(at, span.start);
                }
                Some(Sense::Verb(_) | Sense::MaybeVerb(_)) => return None,
                Some(
                    Sense::Before(_)
                    | Sense::Loose(_)
                    | Sense::After(_)
                    | Sense::AfterOrSides(..)
                    | Sense::Of,
                ) => return None,
            }
            if matches!(
                self.chosen[at],
                Some(Sense::Colour(_) | Sense::State(_) | Sense::Sides(_) | Sense::Ordinal(_) | Sense::Vague)
            ) {
                query.taken += 1;
            }
            at += 1;
        }
        query.name = names.join(" ");
        // `the third issue` is not the third thing that speaks of an issue.
        let is_entry = |token: &Token| !token.quoted && token.senses.contains(&Sense::Role(Wanted::Entry));
        let last = span.rev().find(|at| self.chosen[*at] != Some(Sense::Filler));
        if query.ordinal.is_some()
            && query.role.is_none()
            && last.is_some_and(|at| self.chosen[at].is_none() && is_entry(&self.tokens[at]))
        {
            query.bent = true;
        }
        Some(query)
    }

    /// Whether these are a name and nothing else. In Chinese what follows without a blank is a part of the same word: 邮件通知.
    fn is_name(&self, span: Span) -> bool {
        let Some(first) = self.tokens.get(span.start) else { return false };
        let follows =
            self.tokens.get(span.start.wrapping_sub(1)).is_some_and(|before| before.end == first.start);
        let is_same = follows && self.text[first.start..].starts_with(is_han);
        !span.is_empty()
            && !is_same
            && self.chosen[span].iter().all(|sense| matches!(sense, None | Some(Sense::Filler)))
    }

    /// The word that a number stands behind: `page` of `page 2`, `order` of `order #2`.
    fn numbered(&self, at: usize, from: usize) -> Option<String> {
        let Token { start, end, .. } = self.tokens[at];
        let number = &self.text[start..end];
        let before = &self.tokens[at.checked_sub(1).filter(|before| *before >= from)?];
        let is_plain = number.ends_with(|c: char| c.is_ascii_digit()) && !number.starts_with(is_han);
        (is_plain && self.chosen[at - 1] != Some(Sense::Filler))
            .then(|| self.text[before.start..before.end].to_owned())
    }

    /// The word for one of many.
    fn noun(&self, at: usize, role: Wanted) -> Option<String> {
        let Token { start, end, .. } = self.tokens[at];
        matches!(role, Wanted::Entry | Wanted::Card | Wanted::Shape).then(|| self.text[start..end].to_owned())
    }

    /// The text of the words from here that are a name together, and where they end.
    fn name(&self, at: usize, limit: usize) -> (&str, usize) {
        let first = &self.tokens[at];
        let mut end = at + 1;
        if !first.quoted {
            let goes_on = |at: usize| {
                !self.tokens[at].quoted
                    && (self.chosen[at].is_none() || self.chosen[at] == Some(Sense::Filler))
            };
            while end < limit && goes_on(end) {
                end += 1;
            }
            while end > at + 1 && self.chosen[end - 1] == Some(Sense::Filler) {
                end -= 1;
            }
        }
        (&self.text[first.start..self.tokens[end - 1].end], end)
    }

    /// Whether a name or a kind of element comes yet.
    fn goes_on(&self, span: Span) -> bool {
        !matches!(self.chosen.get(span.start), Some(Some(Sense::Called)))
            && !self.tokens.get(span.start).is_some_and(|token| token.quoted)
            && self.chosen[span]
                .iter()
                .any(|sense| matches!(sense, None | Some(Sense::Role(_) | Sense::Named(..))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the first reading, in which every word means as much as it can.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let all: Vec<String> = readings(text).iter().map(short).collect();
        assert!(all.iter().any(|reading| reading == expected), "{text}: {expected} is not in {all:#?}");
    }

    fn short(query: &Query) -> String {
        let mut parts = Vec::new();
        parts.extend((!query.name.is_empty()).then(|| format!("{:?}", query.name)));
        parts.extend(query.role.map(|role| format!("{role:?}")));
        parts.extend(query.ordinal.map(|ordinal| format!("{ordinal:?}")));
        parts.extend(query.colours.iter().map(|colour| format!("{colour:?}")));
        parts.extend(query.states.iter().map(|state| format!("{state:?}")));
        parts.extend(query.sides.iter().map(|side| format!("{side:?}")));
        parts.extend(
            query.relations.iter().map(|relation| format!("{:?}({})", relation.how, short(&relation.anchor))),
        );
        parts.join(" ")
    }

    #[test]
    fn english() {
        check("Save", "\"Save\"");
        check("click the blue login button", "\"login\" Button Blue");
        check("please click the \"Sign in\" link", "\"Sign in\" Link");
        check("Sign in", "\"Sign in\"");
        check("second Delete button", "\"Delete\" Button Nth(2)");
        check("first name field", "\"first name\" AnyField");
        check("Delete in the row of Alice", "\"Delete\" In(\"Alice\" Row)");
        check("Delete in the row containing Alice", "\"Delete\" In(\"Alice\" Row)");
        check("the Edit button next to Bob", "\"Edit\" Button NextTo(\"Bob\")");
        check("the field under Password", "AnyField Below(\"Password\")");
        check("close button in the top right corner of the dialog", "\"close\" Button Top Right In(Dialog)");
        check("Alice's Delete button", "\"Delete\" Button Of(\"Alice\")");
        check("header login button", "\"login\" Button In(Header)");
        check("unchecked checkbox", "Checkbox Unchecked");
        check("check the Remember me box", "\"Remember me\" Field");
        check("tick Remember me", "\"Remember me\" Checkable");
        check("button at the bottom of the page", "Button Bottom");
        check("row 3", "Row Nth(3)");
        check("the button labelled Save", "\"Save\" Button");
    }

    #[test]
    fn chinese() {
        check("蓝色登录按钮", "\"登录\" Button Blue");
        check("蓝色的登录按钮", "\"登录\" Button Blue");
        check("购物车里的结算按钮", "\"结算\" Button In(\"购物车\")");
        check("密码下面的输入框", "Field Below(\"密码\")");
        check("张三那一行的删除按钮", "\"删除\" Button Of(\"张三\" Row)");
        check("“北京”旁边的复选框", "Checkbox NextTo(\"北京\")");
        check("点击右上角的关闭按钮", "\"关闭\" Button Top Right");
        check("页面顶部的搜索框", "\"搜索\" Field Top");
        check("对话框里的确定按钮", "\"确定\" Button In(Dialog)");
        check("第二个删除按钮", "\"删除\" Button Nth(2)");
        check("第二行的删除按钮", "\"删除\" Button Of(Row Nth(2))");
        check("写着“提交”的按钮", "\"提交\" Button");
        check("已选中的复选框", "Checkbox Checked");
        check("我的订单", "\"我的订单\"");
        check("倒数第二个链接", "Link FromEnd(2)");
        check("左侧的按钮", "Button Left");
        check("请点击邮箱输入框", "\"邮箱\" Field");
    }
}

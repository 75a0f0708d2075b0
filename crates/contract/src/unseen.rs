//! Characters that nobody sees. A page can hide words in them, or turn the order of others around, so that a model reads what a person
//! never saw.

/// Whether a character shows nothing by itself: zero-width marks, those that turn the direction of text around, tags, selectors of
/// variants beyond the usual ones. Joiners are among them; see [`without_unseen`] for where they stay.
pub fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// The flags that are spelled in tags, behind a black one: England, Scotland, Wales. There are no others, so no words hide in them.
const FLAGS: [&str; 3] = ["🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🏴󠁧󠁢󠁷󠁬󠁳󠁿"];

/// Whether a text may have one, by the bytes that they begin with: most texts have none, and are not looked at twice.
fn may_have_some(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, 0xc2 | 0xd8 | 0xe1 | 0xe2 | 0xef | 0xf3))
}

/// The text with what nobody sees replaced; none if there is nothing of it. Flags stay, and so do joiners between letters or pictures of
/// other scripts than ours, since they make up what is seen there.
pub fn replace_unseen(text: &str, mut replace: impl FnMut(char, &mut String)) -> Option<String> {
    if !may_have_some(text) || !text.contains(is_unseen) {
        return None;
    }
    let mut seen = String::with_capacity(text.len());
    let mut rest = text.chars();
    let mut before = ' ';
    loop {
        while let Some(flag) = FLAGS.iter().find(|flag| rest.as_str().starts_with(**flag)) {
            seen.push_str(flag);
            rest = rest.as_str()[flag.len()..].chars();
        }
        let Some(c) = rest.next() else { break };
        let joins = |c: char| !c.is_ascii() && !is_unseen(c) && !c.is_whitespace() && !c.is_control();
        let is_joiner =
            matches!(c, '\u{200c}' | '\u{200d}') && joins(before) && rest.as_str().starts_with(joins);
        if is_unseen(c) && !is_joiner {
            replace(c, &mut seen);
        } else {
            seen.push(c);
        }
        before = c;
    }
    Some(seen)
}

/// The text without what nobody sees; none if there is nothing of it.
pub fn without_unseen(text: &str) -> Option<String> {
    replace_unseen(text, |_, _| {})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_goes() {
        let check =
            |text: &str, seen: &str| assert_eq!(without_unseen(text).as_deref().unwrap_or(text), seen);
        check("plain, 中文, é", "plain, 中文, é");
        check("zero\u{200b}width\u{feff}", "zerowidth");
        check("\u{202e}evil\u{202c} \u{2066}x\u{2069}", "evil x");
        check("tag\u{e0041}\u{e0042}s", "tags");
        check("👩\u{200d}💻 می\u{200c}خواهم", "👩\u{200d}💻 می\u{200c}خواهم");
        check("a\u{200d}b", "ab");
        check("🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁳󠁣󠁴󠁿\u{e0041}", "🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁳󠁣󠁴󠁿");
        check("🏴\u{e0068}\u{e0069}\u{e007f}", "🏴");
        check("soft\u{ad}hyphen", "softhyphen");
    }
}

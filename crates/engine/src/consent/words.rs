//! The words of a question. They are read by a person who decides by them, so a page or an agent must not be able to write lines of its
//! own into them: what comes from elsewhere stands in quotes, on one line, without characters that nobody sees, and what decides
//! (effects, origins, addresses, file names, scripts) is never cut.

use contract::{Code, Effect, Error, Result, is_unseen};
use url::Url;

use crate::Request;

/// How many characters of one text of the page are shown.
const LONGEST_QUOTE: usize = 160;

/// How many characters a question may have. What has more nobody reads to its end, and it is not asked about.
const LONGEST_QUESTION: usize = 20_000;

/// A text of the page, in quotes. A long one lacks its middle, and it is said, outside of the quotes, how long it is.
pub(super) fn quoted(text: &str) -> String {
    let total = text.chars().count();
    if total <= LONGEST_QUOTE {
        return in_quotes(text);
    }
    let half = LONGEST_QUOTE / 2;
    let end: String = text.chars().skip(total - half).collect();
    let start: String = text.chars().take(half).collect();
    format!("{} … {} (its middle is left out; it has {total} characters)", in_quotes(&start), in_quotes(&end))
}

fn in_quotes(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            _ if looks_like_a_quote(c) => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Other quotation marks than ours, which would look as if the quote ended there.
fn looks_like_a_quote(c: char) -> bool {
    matches!(c, '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{2036}' | '\u{2ba}' | '\u{2dd}' | '\u{2ee}' | '\u{ff02}' | '\u{301d}'..='\u{301f}' | '\u{3003}')
}

/// The text on one line, with all characters written out that show nothing, turn the order of others around or steer a terminal.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        let is_blank = c.is_whitespace() && c != ' ';
        if c.is_control() || is_unseen(c) || is_blank || is_private(c) {
            line.extend(c.escape_unicode());
        } else {
            line.push(c);
        }
    }
    line
}

/// Characters that look like nothing, or like what a font makes of them.
fn is_private(c: char) -> bool {
    matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}' | '\u{fe00}'..='\u{fe0f}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..)
}

/// Fails if a question is longer than what a person can be expected to read.
pub(super) fn check_length(what: &str) -> Result<()> {
    let length = what.chars().count();
    if length <= LONGEST_QUESTION {
        return Ok(());
    }
    let message = format!(
        "a person has to approve this, and it is too long to be read: {length} characters, of which {} could not be shown",
        length - LONGEST_QUESTION
    );
    Err(Error::new(Code::ActionDenied, message)
        .with_hint("do it in several smaller actions, or ask for a rule in the policy that allows it"))
}

/// An address without what may be secret in it: the user's name and password, and what comes after the path.
pub(crate) fn without_secrets(url: &Url) -> String {
    let mut shown = url.clone();
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.set_fragment(None);
    if shown.query().is_some() {
        shown.set_query(Some("…"));
        return shown.as_str().replace("?%E2%80%A6", "?…");
    }
    if matches!(shown.scheme(), "data" | "javascript") {
        format!("{}:…", shown.scheme())
    } else {
        // Those without a host keep blanks and quotes as they are, and words of the page could end the quote.
        String::from(shown).replace(' ', "%20").replace('"', "%22")
    }
}

/// How much there is, in words.
pub(super) fn characters(count: usize) -> String {
    if count == 1 { "1 character".into() } else { format!("{count} characters") }
}

/// What an action does, in words: its effect, and the action itself with everything typed masked.
pub(crate) fn in_words(request: &Request) -> String {
    let does = match request.action.effect() {
        Effect::Read => "reads",
        Effect::Navigate => "goes to another page",
        Effect::Input => "acts in the page",
        Effect::Submit => "sends a form",
        Effect::Download => "writes a file from the web to this machine",
        Effect::Upload => "gives files of this machine to the page",
        Effect::Execute => "runs a script, which can do all that the page can",
        Effect::Credential => "uses or reveals what is secret: cookies, storage, passwords",
    };
    let action = serde_json::to_string(&request.action).unwrap_or_default();
    format!("{does}: {action}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_secrets() {
        for (url, shown) in [
            ("https://u:p@bank.example/pay?token=x#y", "https://bank.example/pay?…"),
            ("https://bank.example/", "https://bank.example/"),
            ("data:text/html,secret", "data:…"),
            ("javascript:secret()", "javascript:…"),
        ] {
            assert_eq!(without_secrets(&url.parse().unwrap()), shown);
        }
    }

    #[test]
    fn words_of_the_page_cannot_leave_their_quotes() {
        for (text, shown) in [
            ("Pay", r#""Pay""#),
            (
                r#"Cancel", which leads to https://good.example"#,
                r#""Cancel\", which leads to https://good.example""#,
            ),
            ("Cancel\u{201d}, which", "\"Cancel\\\u{201d}, which\""),
            ("a\neffect: read at https://good.example", r#""a\neffect: read at https://good.example""#),
            (r"a\", r#""a\\""#),
        ] {
            assert_eq!(quoted(text), shown);
            assert_eq!(crate::record::without_quoted(&quoted(text)), "\"…\"");
        }
    }

    #[test]
    fn long_words_lose_their_middle() {
        let shown = quoted(&format!("start{}end", "x".repeat(1000)));
        assert!(
            shown.starts_with("\"startxx")
                && shown.contains("xxend\" (its middle is left out; it has 1008 characters)"),
            "{shown}"
        );
        assert!(shown.chars().count() < 300);
    }

    #[test]
    fn what_nobody_sees_is_written_out() {
        for (text, shown) in [
            ("plain, 中文, é", "plain, 中文, é"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("a\u{200b}b\u{feff}", "a\\u{200b}b\\u{feff}"),
            ("\u{1b}[2J\r\n", "\\u{1b}[2J\\u{d}\\u{a}"),
            ("\u{9b}31m\u{2028}", "\\u{9b}31m\\u{2028}"),
            ("\u{e0041}\u{3164}", "\\u{e0041}\\u{3164}"),
        ] {
            assert_eq!(one_line(text), shown);
        }
    }

    #[test]
    fn what_is_too_long_to_be_read_is_not_asked_about() {
        assert!(check_length(&"x".repeat(LONGEST_QUESTION)).is_ok());
        let error = check_length(&"x".repeat(LONGEST_QUESTION + 7)).unwrap_err();
        assert!(error.message.contains("of which 7 could not be shown"), "{error}");
    }
}

//! What an action's outcome or error goes through before anybody sees it: secrets are masked, what no person could see is left out, and
//! lines that are too long are cut. At the gate, so that it holds for every verb, front, event and the journal.

use contract::{Outcome, Result, Told, replace_unseen, without_unseen};
use guard::Redactor;

/// How many characters a line may have: a title, an address, a message. Pages make them as long as they like.
const LONGEST_LINE: usize = 4_000;

/// The result as it may be told.
pub(crate) fn told(redactor: &Redactor, mut result: Result<Outcome>) -> Result<Outcome> {
    match &mut result {
        Ok(outcome) => {
            redactor.mask_outcome(outcome);
            outcome.each_told(&mut tidy);
        }
        Err(error) => {
            redactor.mask_error(error);
            error.each_told(&mut tidy);
        }
    }
    result
}

fn tidy(told: Told<'_>) {
    match told {
        Told::Line(line) => {
            if let Some(seen) = without_unseen(line) {
                *line = seen;
            }
            cut(line);
        }
        Told::Text(text) => {
            if let Some(seen) = without_unseen(text) {
                *text = seen;
            }
        }
        // Markup has a way to write them that can be seen, and that means the same.
        Told::Markup(text) => {
            let escape = |c: char, seen: &mut String| seen.push_str(&format!("&#x{:X};", u32::from(c)));
            if let Some(seen) = replace_unseen(text, escape) {
                *text = seen;
            }
        }
        // Data is for programs, which get what is there; whoever shows it to a model escapes it.
        Told::Data(_) | Told::Ref(_) => {}
    }
}

/// Cuts a line that is too long, and says so.
fn cut(line: &mut String) {
    if line.len() <= LONGEST_LINE {
        return;
    }
    let Some((end, _)) = line.char_indices().nth(LONGEST_LINE) else { return };
    let all = line.chars().count();
    line.truncate(end);
    line.push_str(&format!("… (cut: {LONGEST_LINE} of {all} characters; a script can return all of it)"));
}

#[cfg(test)]
mod tests {
    use contract::{Code, Content, Error};

    use super::*;

    #[test]
    fn what_is_told_is_masked_seen_and_bounded() {
        let redactor = Redactor::default();
        redactor.add("hunter2");
        let content = |format: &str| Content {
            text: "a\u{e0041}b hunter2".into(),
            format: format.into(),
            ..Content::default()
        };
        let outcome = Outcome {
            title: Some(format!("\u{202e}hunter2{}", "x".repeat(5_000))),
            content: Some(content("text")),
            ..Outcome::default()
        };
        let seen = told(&redactor, Ok(outcome)).unwrap();
        let title = seen.title.unwrap();
        assert!(title.starts_with("[secret]xxx"), "{title}");
        assert!(
            title.ends_with("x… (cut: 4000 of 5008 characters; a script can return all of it)"),
            "{title}"
        );
        assert_eq!(seen.content.unwrap().text, "ab [secret]");
        let outcome = Outcome { content: Some(content("html")), ..Outcome::default() };
        let seen = told(&redactor, Ok(outcome.clone())).unwrap();
        assert_eq!(seen.content.unwrap().text, "a&#xE0041;b [secret]");
        let error = Error::new(Code::Timeout, "hunter2 m").with_cause("hunter2 c").with_hint("hunter2 h");
        let error = told(&redactor, Err(error.with_outcome(outcome))).unwrap_err();
        assert_eq!((&*error.message, error.cause.as_deref()), ("[secret] m", Some("[secret] c")));
        assert_eq!(error.hint(), "[secret] h");
        assert_eq!(error.outcome.unwrap().content.unwrap().text, "a&#xE0041;b [secret]");
    }
}

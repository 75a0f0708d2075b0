//! The lines in which the page's script tells of a frame, a line an element:
//!
//! `number ⇥ role ⇥ name ⇥ property ⇥ … ⇥ ⇥ child ⇥ …`. An empty field parts the properties (`disabled`, `level=2`) from the
//! children (a number is an element, a field that starts with `'` is text). What need not be said may be left off at the end.
//!
//! Here the page's words enter: they are cleaned once, so that none can break a line or hide what it says.

use std::borrow::Cow;

use contract::{Code, Error, Result, without_unseen};

use super::{
    role::{Role, is_word},
    tree::{Child, Node, Property},
};

/// Reads lines. What is collected on the way is kept, so that each element takes only the memory that it needs.
#[derive(Default)]
pub(super) struct Reader {
    properties: Vec<Property>,
    children: Vec<Child>,
}

impl Reader {
    /// Reads one line.
    pub(super) fn read(&mut self, line: &str) -> Result<(u32, Node)> {
        self.parse(line).ok_or_else(|| {
            let start: String = line.chars().take(80).collect();
            Error::new(Code::Internal, "the page's script told of an element in a way that cannot be read")
                .with_cause(format!("{start:?}"))
        })
    }

    fn parse(&mut self, line: &str) -> Option<(u32, Node)> {
        let Reader { properties, children } = self;
        properties.clear();
        children.clear();
        let mut fields = line.split('\t');
        let number = number(fields.next()?)?;
        let role = fields.next().filter(|role| !role.is_empty()).map(Role::new)?;
        let name = clean(fields.next()?);
        for field in fields.by_ref().take_while(|field| !field.is_empty()) {
            let (key, value) = field.split_once('=').unwrap_or((field, ""));
            properties.push(Property { key: known(key)?, value: clean(value) });
        }
        for field in fields {
            match field.strip_prefix('\'') {
                Some(text) => match clean(text) {
                    text if text.is_empty() => {}
                    text => children.push(Child::Text(text)),
                },
                None => children.push(Child::Node(self::number(field)?)),
            }
        }
        let (properties, children) = (properties.drain(..).collect(), children.drain(..).collect());
        Some((number, Node { role, name, properties, children }))
    }
}

/// Digits only; `u32` itself would take a sign as well.
fn number(field: &str) -> Option<u32> {
    field.bytes().all(|b| b.is_ascii_digit()).then(|| field.parse().ok())?
}

/// The key of a property. The usual ones take no memory.
fn known(key: &str) -> Option<Cow<'static, str>> {
    const KEYS: [&str; 19] = [
        "sort",
        "ref",
        "value",
        "level",
        "url",
        "disabled",
        "checked",
        "selected",
        "expanded",
        "pressed",
        "required",
        "readonly",
        "invalid",
        "active",
        "placeholder",
        "description",
        "type",
        "frame",
        "options",
    ];
    match KEYS.iter().find(|known| **known == key) {
        Some(key) => Some(Cow::Borrowed(key)),
        None => is_word(key).then(|| Cow::Owned(key.into())),
    }
}

/// A page's words on one line: white space and control characters become single blanks, characters that turn the direction of
/// text around or carry text that nobody sees (see `contract::is_unseen`) are dropped.
pub(super) fn clean(text: &str) -> Box<str> {
    let mut before = b' ';
    let is_clean = text.bytes().all(|b| {
        let fits = match b {
            b' ' => before != b' ',
            0x7f | 0xc2 | 0xd8 | 0xe1 | 0xe2 | 0xef | 0xf3 => false, // these begin what is looked at more closely below
            b => b > b' ',
        };
        before = b;
        fits
    });
    if is_clean && (before != b' ' || text.is_empty()) {
        return text.into();
    }
    let mut cleaned = String::with_capacity(text.len());
    for c in without_unseen(text).as_deref().unwrap_or(text).chars() {
        match c {
            c if c.is_whitespace() || c.is_control() => {
                if !cleaned.is_empty() && !cleaned.ends_with(' ') {
                    cleaned.push(' ');
                }
            }
            c => cleaned.push(c),
        }
    }
    cleaned.truncate(cleaned.trim_end().len());
    cleaned.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<(u32, Node)> {
        Reader::default().read(line)
    }

    #[test]
    fn lines_that_can_be_read() {
        let (number, node) =
            read("7\tcheckbox\tKeep me\tchecked=mixed\tref\tvalue=a=b\t\t'one\t8\t'\t'12").unwrap();
        assert_eq!((number, &*node.role, &*node.name), (7, "checkbox", "Keep me"));
        let properties: Vec<_> = node.properties.iter().map(|p| (&*p.key, &*p.value)).collect();
        assert_eq!(properties, [("checked", "mixed"), ("ref", ""), ("value", "a=b")]);
        assert_eq!(*node.children, [Child::Text("one".into()), Child::Node(8), Child::Text("12".into())]);
        for line in ["0\tdocument\t", "1\tbutton\tSave", "1\tbutton\tSave\t", "1\tbutton\tSave\tref"] {
            assert!(read(line).is_ok(), "{line:?}");
        }
    }

    #[test]
    fn lines_that_cannot() {
        for line in [
            "",
            "1",
            "1\tbutton",
            "x\tbutton\t",
            "+1\tbutton\t",
            "1\t\tname",
            "4294967296\tbutton\t",
            "1\tbutton\t\t=x",
            "1\tbutton\t\ta b",
            "1\tlist\t\t\tx",
            "1\tlist\t\t\t-2",
            "1\tlist\t\t\t2\t\t3",
        ] {
            assert_eq!(read(line).unwrap_err().code, Code::Internal, "{line:?}");
        }
    }

    #[test]
    fn cleaning() {
        let check = |text: &str, cleaned: &str| assert_eq!(&*clean(text), cleaned, "{text:?}");
        check("", "");
        check(" ", "");
        check("plain text", "plain text");
        check("  two  blanks ", "two blanks");
        check("a\u{a0}\u{2028}b\r\u{b}c\u{85}d\u{0}e", "a b c d e");
        check("\u{202e}gnp.exe\u{2066}", "gnp.exe");
        check("a\u{e0041}\u{e0042}b", "ab");
        check("zero\u{200b}width\u{feff}", "zerowidth");
        check("👩\u{200d}💻", "👩\u{200d}💻");
        check("“登录” — naïve 🎉", "“登录” — naïve 🎉");
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics_and_clean_stays_clean(line in "[0-9']{0,3}(\t|[a-z ]|\\PC|\u{202e}){0,40}", text in ".*") {
            let _ = read(&line);
            let once = clean(&text);
            proptest::prop_assert_eq!(&clean(&once), &once);
            proptest::prop_assert!(!once.contains(char::is_control));
        }
    }
}

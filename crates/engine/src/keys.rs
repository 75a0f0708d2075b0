//! The keys of a keyboard with the US layout, by the names of the UI Events specification (KeyboardEvent key and code values), and the events
//! that pressing them makes. Pure: nothing here knows of pages.

mod layout;

use std::borrow::Cow;

use cdp::protocol as p;
use contract::{Error, Result};

use self::layout::{EDITING, MODIFIERS, NAMED, NUMBER_PAD, PRINTED, RIGHT};
use crate::actions::Modifier;

/// A key, as one press of it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// What it means: `a`, `A`, `Enter`.
    key: Cow<'static, str>,
    /// Which one it is on the keyboard: `KeyA`. Empty for a character that the layout does not have.
    code: Cow<'static, str>,
    /// Windows' number for it, which pages know as `keyCode`.
    number: u32,
    /// What it writes.
    text: Option<char>,
    modifier: Option<Modifier>,
    /// Whether it takes Shift to write this.
    shifted: bool,
}

/// Keys that are pressed together: any number of modifiers, and one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chord {
    modifiers: Vec<Modifier>,
    key: Key,
}

/// A part of a text as it is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stroke {
    Key(Chord),
    /// Characters that no key writes, as an input method commits them.
    Text(String),
}

impl Stroke {
    /// How many characters of the text it is.
    pub(crate) fn characters(&self) -> u64 {
        match self {
            Stroke::Key(_) => 1,
            Stroke::Text(text) => text.chars().count() as u64,
        }
    }
}

impl Key {
    /// The key that writes a character.
    fn writing(c: char) -> Option<Key> {
        let key = |code: Cow<'static, str>, number, shifted| Key {
            key: c.to_string().into(),
            code,
            number,
            text: Some(c),
            modifier: None,
            shifted,
        };
        if c.is_ascii_alphabetic() {
            let upper = c.to_ascii_uppercase();
            return Some(key(format!("Key{upper}").into(), upper.into(), c.is_ascii_uppercase()));
        }
        let (_, shifted, code, number) =
            PRINTED.iter().find(|(plain, shifted, ..)| *plain == c || *shifted == c)?;
        Some(key((*code).into(), *number, *shifted == c && c != ' '))
    }

    /// The key of a name, of a code (`KeyA`), or the one that writes this character.
    fn named(name: &str) -> Option<Key> {
        let mut characters = name.chars();
        if let (Some(c), None) = (characters.next(), characters.next()) {
            // A character that is on no key is still a character.
            return Some(Key::writing(c).unwrap_or_else(|| Key {
                key: c.to_string().into(),
                code: "".into(),
                number: 0,
                text: Some(c),
                modifier: None,
                shifted: false,
            }));
        }
        let lower = name.to_lowercase();
        let is = |own: &str, others: &[&str]| own.eq_ignore_ascii_case(name) || others.contains(&&*lower);
        let plain = |key: &'static str, code: &'static str, number, modifier| Key {
            key: key.into(),
            code: code.into(),
            number,
            text: (key == "Enter").then_some('\r'),
            modifier,
            shifted: false,
        };
        if let Some((key, number, _)) = NAMED.iter().find(|(own, _, others)| is(own, others)) {
            return Some(plain(key, key, *number, None));
        }
        if let Some((key, code, number, modifier, _)) = MODIFIERS
            .iter()
            .find(|(own, code, _, _, others)| is(own, others) || code.eq_ignore_ascii_case(name))
        {
            return Some(plain(key, code, *number, Some(*modifier)));
        }
        if let Some((code, number, name)) = RIGHT.iter().find(|row| row.0.eq_ignore_ascii_case(name)) {
            return Key::named(name).map(|key| Key { code: (*code).into(), number: *number, ..key });
        }
        if let Some((code, key, number, text)) =
            NUMBER_PAD.iter().find(|row| row.0.eq_ignore_ascii_case(name))
        {
            return Some(Key { text: Some(*text), ..plain(key, code, *number, None) });
        }
        match &*lower {
            "spacebar" | "空格" => return Key::writing(' '),
            "plus" => return Key::writing('+'),
            _ => {}
        }
        if let Some(letter) = lower.strip_prefix("key").filter(|rest| rest.len() == 1) {
            return letter.chars().next().filter(char::is_ascii_alphabetic).and_then(Key::writing);
        }
        PRINTED
            .iter()
            .find(|(_, _, code, _)| code.eq_ignore_ascii_case(name))
            .and_then(|(plain, ..)| Key::writing(*plain))
    }

    /// What the same key writes while Shift is down.
    fn with_shift(self) -> Key {
        let is_plain = !self.code.is_empty() && !self.shifted && !self.is_on_number_pad();
        let Some(c) = self.text.filter(|_| is_plain) else { return self };
        let other = match c {
            'a'..='z' => Some(c.to_ascii_uppercase()),
            _ => PRINTED.iter().find(|(plain, ..)| *plain == c).map(|(_, shifted, ..)| *shifted),
        };
        other.and_then(Key::writing).unwrap_or(self)
    }
}

impl Chord {
    /// One key alone.
    pub(crate) fn named(name: &str) -> Option<Chord> {
        Key::named(name).map(|key| Chord { modifiers: Vec::new(), key })
    }

    fn parse(text: &str) -> Option<Chord> {
        // A plus is what parts keys, and a key itself.
        let (before, last) = match text.strip_suffix('+') {
            Some("") => ("", "+"),
            Some(before) => (before.strip_suffix('+')?, "+"),
            None => text.rsplit_once('+').unwrap_or(("", text)),
        };
        let mut modifiers = Vec::new();
        for name in before.split('+').filter(|_| !before.is_empty()) {
            modifiers.push(Key::named(name)?.modifier?);
        }
        let mut key = Key::named(last)?;
        if modifiers.contains(&Modifier::Shift) {
            key = key.with_shift();
        } else if !modifiers.is_empty() && key.text.is_some_and(|c| c.is_ascii_uppercase()) {
            // `Control+A` is what people call Control and the A key.
            key = Key::named(&key.key.to_lowercase())?;
        }
        Some(Chord { modifiers, key })
    }

    /// Its name, if it is a key that uses what has the focus.
    pub(crate) fn uses(&self) -> Option<&'static str> {
        match &*self.key.key {
            "Enter" => Some("Enter"),
            " " => Some(" "),
            _ => None,
        }
    }

    /// Whether it is there to move the focus, perhaps into another frame.
    pub(crate) fn moves_focus(&self) -> bool {
        matches!(&*self.key.key, "Tab" | "F6")
    }

    /// The events of pressing it and letting go.
    pub(crate) fn events(&self) -> Vec<p::DispatchKey> {
        let mut events = Vec::new();
        let mut held = 0;
        for modifier in &self.modifiers {
            held |= modifier.bit();
            events.extend(modifier_key(*modifier).map(|key| key.event("rawKeyDown", held)));
        }
        let bits = held | if self.key.shifted { Modifier::Shift.bit() } else { 0 };
        let own = self.key.modifier.map_or(0, Modifier::bit);
        let writes = held & !Modifier::Shift.bit() == 0;
        let text = self.key.text.filter(|_| writes).map(String::from);
        events.push(p::DispatchKey {
            unmodified_text: text.clone(),
            commands: self.command().map(|command| vec![command.to_owned()]),
            ..self.key.event(if text.is_some() { "keyDown" } else { "rawKeyDown" }, bits | own)
        });
        if let Some(down) = events.last_mut() {
            down.text = text;
        }
        events.push(self.key.event("keyUp", bits));
        for modifier in self.modifiers.iter().rev() {
            held &= !modifier.bit();
            events.extend(modifier_key(*modifier).map(|key| key.event("keyUp", held)));
        }
        events
    }

    fn command(&self) -> Option<&'static str> {
        let has = |modifier| self.modifiers.contains(&modifier);
        if has(Modifier::Control) == has(Modifier::Meta) || has(Modifier::Alt) {
            return None;
        }
        let c = self.key.text?.to_ascii_lowercase();
        let found = EDITING.iter().find(|(key, shift, _)| *key == c && *shift == has(Modifier::Shift));
        found.map(|(_, _, command)| *command)
    }
}

impl Key {
    fn is_on_number_pad(&self) -> bool {
        self.code.starts_with("Numpad")
    }

    /// Where on the keyboard it is, of those that are there twice: `KeyboardEvent.location`.
    fn location(&self) -> Option<u32> {
        match self.modifier {
            Some(_) if self.code.ends_with("Right") => Some(2),
            Some(_) => Some(1),
            None => self.is_on_number_pad().then_some(3),
        }
    }

    fn event(&self, kind: &str, modifiers: u32) -> p::DispatchKey {
        p::DispatchKey {
            r#type: kind.into(),
            modifiers: Some(modifiers),
            key: Some(self.key.to_string()),
            code: Some(self.code.to_string()),
            windows_virtual_key_code: Some(self.number),
            location: self.location(),
            is_keypad: self.is_on_number_pad().then_some(true),
            ..p::DispatchKey::default()
        }
    }
}

fn modifier_key(modifier: Modifier) -> Option<Key> {
    MODIFIERS.iter().find(|row| row.3 == modifier).and_then(|row| Key::named(row.0))
}

/// Reads keys as people write them: `Enter`, `Control+a`, or several, parted by blanks.
pub(crate) fn parse(text: &str) -> Result<Vec<Chord>> {
    if !text.is_empty() && text.chars().all(|c| c == ' ') {
        return Ok(Chord::named(" ").into_iter().collect());
    }
    let chords: Result<Vec<Chord>> =
        text.split_whitespace().map(|chord| Chord::parse(chord).ok_or_else(|| unknown(chord))).collect();
    match chords {
        Ok(chords) if chords.is_empty() => {
            Err(Error::invalid("there is no key to press").with_hint("name one, such as Enter or Control+a"))
        }
        chords => chords,
    }
}

/// What was written may be a text that was meant to be typed, so it is not repeated.
fn unknown(chord: &str) -> Error {
    let missing = chord.split('+').find(|name| Key::named(name).is_none()).unwrap_or(chord).to_lowercase();
    let names = NAMED.iter().map(|row| row.0).chain(MODIFIERS.iter().map(|row| row.0)).chain(["Space"]);
    let mut near: Vec<(usize, &str)> = names
        .map(|name| (distance(&missing, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 2.min(name.len() / 2))
        .collect();
    near.sort_unstable();
    let near: Vec<&str> = near.into_iter().take(3).map(|(_, name)| name).collect();
    let hint = match &*near.join(", ") {
        "" => "use names such as Enter, Escape, ArrowDown, Control+a; `webhand type` types text".to_owned(),
        near => format!("use a name that there is, such as {near}"),
    };
    Error::invalid("there is no key of that name").with_hint(hint)
}

/// How many letters have to be added, left out or exchanged to make one word of the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(32).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, c) in one.chars().take(32).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, d) in other.iter().enumerate() {
            let exchanged = diagonal + usize::from(c != *d);
            diagonal = row[column + 1];
            row[column + 1] = exchanged.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

/// What these keys write, as far as they write anything.
pub(crate) fn written(chords: &[Chord]) -> String {
    let writes = |chord: &&Chord| chord.modifiers.iter().all(|modifier| *modifier == Modifier::Shift);
    let texts = chords.iter().filter(writes).filter_map(|chord| chord.key.text);
    texts.filter(|c| !c.is_control()).collect()
}

/// How a text is typed: a key each, where there is one.
pub(crate) fn strokes(text: &str) -> Vec<Stroke> {
    let mut strokes = Vec::new();
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let key = match c {
            '\r' => {
                characters.next_if_eq(&'\n');
                Key::named("Enter")
            }
            '\n' => Key::named("Enter"),
            '\t' => Key::named("Tab"),
            c => Key::writing(c),
        };
        match (key, strokes.last_mut()) {
            (Some(key), _) => strokes.push(Stroke::Key(Chord { modifiers: Vec::new(), key })),
            // Kept together: some of them are parts of one sign.
            (None, Some(Stroke::Text(text))) => text.push(c),
            (None, _) => strokes.push(Stroke::Text(c.into())),
        }
    }
    strokes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of a chord, each as `type key code number modifiers text`.
    fn told(chords: &str) -> Vec<String> {
        let events = parse(chords).unwrap().into_iter().flat_map(|chord| chord.events());
        events
            .map(|event| {
                let kind = match &*event.r#type {
                    "keyUp" => "up",
                    "keyDown" => "down",
                    _ => "raw",
                };
                let text = event.text.map(|text| format!(" {text:?}")).unwrap_or_default();
                let command = event.commands.map(|c| format!(" {}", c.join(","))).unwrap_or_default();
                format!(
                    "{kind} {} {} {} {}{text}{command}",
                    event.key.unwrap(),
                    event.code.unwrap(),
                    event.windows_virtual_key_code.unwrap(),
                    event.modifiers.unwrap()
                )
            })
            .collect()
    }

    #[test]
    fn chords() {
        let check = |text: &str, events: &[&str]| assert_eq!(told(text), events, "{text}");
        check("a", &["down a KeyA 65 0 \"a\"", "up a KeyA 65 0"]);
        check("A", &["down A KeyA 65 8 \"A\"", "up A KeyA 65 8"]);
        check("+", &["down + Equal 187 8 \"+\"", "up + Equal 187 8"]);
        check(" ", &["down   Space 32 0 \" \"", "up   Space 32 0"]);
        check("中", &["down 中  0 0 \"中\"", "up 中  0 0"]);
        for name in ["Enter", "return", "回车", "ENTER"] {
            check(name, &["down Enter Enter 13 0 \"\\r\"", "up Enter Enter 13 0"]);
        }
        check("Esc", &["raw Escape Escape 27 0", "up Escape Escape 27 0"]);
        check("F5", &["raw F5 F5 116 0", "up F5 F5 116 0"]);
        check("KeyB", &["down b KeyB 66 0 \"b\"", "up b KeyB 66 0"]);
        check("digit7", &["down 7 Digit7 55 0 \"7\"", "up 7 Digit7 55 0"]);
        check("Shift", &["raw Shift ShiftLeft 16 8", "up Shift ShiftLeft 16 0"]);
        check("ShiftRight", &["raw Shift ShiftRight 16 8", "up Shift ShiftRight 16 0"]);
        check("metaright", &["raw Meta MetaRight 92 4", "up Meta MetaRight 92 0"]);
        check("NumpadEnter", &["down Enter NumpadEnter 13 0 \"\\r\"", "up Enter NumpadEnter 13 0"]);
        check("Numpad7", &["down 7 Numpad7 103 0 \"7\"", "up 7 Numpad7 103 0"]);
        check("NumpadAdd", &["down + NumpadAdd 107 0 \"+\"", "up + NumpadAdd 107 0"]);
        assert_eq!(told("Shift+Numpad1")[1], "down 1 Numpad1 97 8 \"1\"");
        assert_eq!(told("ControlRight+a")[1], "raw a KeyA 65 2 selectAll");
        let locations = |chord: &str| {
            parse(chord).unwrap()[0].events().iter().map(|event| event.location).collect::<Vec<_>>()
        };
        assert_eq!(locations("AltRight"), [Some(2), Some(2)]);
        assert_eq!(locations("AltLeft"), [Some(1), Some(1)]);
        assert_eq!(locations("NumpadDivide"), [Some(3), Some(3)]);
        assert_eq!(locations("Enter"), [None, None]);
        for text in ["Control+a", "ctrl+A"] {
            check(
                text,
                &[
                    "raw Control ControlLeft 17 2",
                    "raw a KeyA 65 2 selectAll",
                    "up a KeyA 65 2",
                    "up Control ControlLeft 17 0",
                ],
            );
        }
        check(
            "Shift+a",
            &[
                "raw Shift ShiftLeft 16 8",
                "down A KeyA 65 8 \"A\"",
                "up A KeyA 65 8",
                "up Shift ShiftLeft 16 0",
            ],
        );
        check(
            "Control++",
            &[
                "raw Control ControlLeft 17 2",
                "raw + Equal 187 10",
                "up + Equal 187 10",
                "up Control ControlLeft 17 0",
            ],
        );
        check(
            "Cmd+Shift+z",
            &[
                "raw Meta MetaLeft 91 4",
                "raw Shift ShiftLeft 16 12",
                "raw Z KeyZ 90 12 redo",
                "up Z KeyZ 90 12",
                "up Shift ShiftLeft 16 4",
                "up Meta MetaLeft 91 0",
            ],
        );
        assert_eq!(told("Control+a Delete").len(), 6);
        assert_eq!(told("Shift+Tab")[1], "raw Tab Tab 9 8");
    }

    #[test]
    fn names_that_are_none() {
        let check = |text: &str, hint: &str| {
            let error = parse(text).unwrap_err();
            assert!(error.hint().contains(hint), "{text}: {}", error.hint());
            assert!(text.is_empty() || !error.to_string().contains(text), "{text}");
        };
        check("Entre", "Enter");
        check("Contrl+a", "Control");
        check("ArowDown", "ArrowDown");
        check("hunter2 is it", "webhand type");
        check("a+b", "webhand type");
        check("Control+", "Control");
        check("", "Enter");
    }

    #[test]
    fn texts() {
        let told = |text: &str| -> Vec<String> {
            let strokes = strokes(text).into_iter().map(|stroke| match stroke {
                Stroke::Key(chord) => chord.key.key.into_owned(),
                Stroke::Text(text) => format!("[{text}]"),
            });
            strokes.collect()
        };
        assert_eq!(told("aB 1\n\t!"), ["a", "B", " ", "1", "Enter", "Tab", "!"]);
        assert_eq!(told("a你好b"), ["a", "[你好]", "b"]);
        assert_eq!(told("\r\n\r"), ["Enter", "Enter"]);
        assert_eq!(told("👩‍👧é"), ["[👩‍👧é]"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_keys_or_a_coded_error(text in ".*") {
            if let Ok(chords) = parse(&text) {
                proptest::prop_assert!(chords.iter().all(|chord| chord.events().len() >= 2));
            }
            let typed: usize = strokes(&text).iter().map(|stroke| match stroke {
                Stroke::Key(_) => 1,
                Stroke::Text(text) => text.chars().count(),
            }).sum();
            proptest::prop_assert_eq!(typed, text.replace("\r\n", "\n").chars().count());
        }
    }
}

//! A text as it reads once an encoding is undone, and which part of the original each byte of that comes from.

/// Bytes, each with the part of the original text that it stands for.
pub(super) struct View {
    pub(super) bytes: Vec<u8>,
    /// Where in the original each begins and ends.
    spans: Vec<(u32, u32)>,
}

/// Encodings that are undone. What does not look like one of them stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decoder {
    /// `%2B`, in either case (RFC 3986, 2.1).
    Percent,
    /// The same, with `+` for a blank (WHATWG URL, 5.1).
    Form,
    /// `&amp;`, `&#39;`, `&#x27;`.
    Html,
    /// `\"`, `\u0041`, `\x41`: JSON, JavaScript, Rust's quotes, and Markdown, which escapes any punctuation.
    Backslash,
}

impl Decoder {
    pub(super) const ALL: [Decoder; 4] = [Decoder::Percent, Decoder::Form, Decoder::Html, Decoder::Backslash];

    /// What a byte sequence begins with: how many bytes of it stand for which text. None if nothing is encoded here.
    fn decode(self, bytes: &[u8]) -> Option<(usize, Decoded)> {
        match (self, bytes.first()?) {
            (Decoder::Form, b'+') => Some((1, Decoded::Byte(b' '))),
            (Decoder::Percent | Decoder::Form, b'%') => {
                Some((3, Decoded::Byte(number(bytes.get(1..3)?, 16)? as u8)))
            }
            (Decoder::Html, b'&') => entity(bytes),
            (Decoder::Backslash, b'\\') => escape(bytes),
            _ => None,
        }
    }
}

/// What stands for some bytes: a byte, which may be a part of a character, or a character.
enum Decoded {
    Byte(u8),
    Char(char),
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    let digits = std::str::from_utf8(digits).ok()?;
    // `from_str_radix` takes a sign.
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, radix).ok())?
}

fn entity(bytes: &[u8]) -> Option<(usize, Decoded)> {
    // The longest that is known is `&#x10ffff;`.
    let end = bytes.iter().take(12).position(|byte| *byte == b';')?;
    let c = match &bytes[1..end] {
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"apos" => '\'',
        b"nbsp" => ' ',
        [b'#', b'x' | b'X', digits @ ..] => char::from_u32(number(digits, 16)?)?,
        [b'#', digits @ ..] => char::from_u32(number(digits, 10)?)?,
        _ => return None,
    };
    Some((end + 1, Decoded::Char(c)))
}

fn escape(bytes: &[u8]) -> Option<(usize, Decoded)> {
    let hex = |from: usize, to: usize| number(bytes.get(from..to)?, 16);
    let (length, c) = match bytes.get(1)? {
        b'n' => (2, '\n'),
        b'r' => (2, '\r'),
        b't' => (2, '\t'),
        b'x' => (4, char::from_u32(hex(2, 4)?)?),
        b'u' if bytes.get(2) == Some(&b'{') => {
            let end = bytes.iter().take(10).position(|byte| *byte == b'}')?;
            (end + 1, char::from_u32(hex(3, end)?)?)
        }
        b'u' => match hex(2, 6)? {
            // Two of them are one character (RFC 8259, 7).
            high @ 0xd800..0xdc00 if bytes.get(6..8) == Some(b"\\u") => {
                let low = hex(8, 12)?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                (12, char::from_u32(0x10000 + ((high - 0xd800) << 10) + low)?)
            }
            code => (6, char::from_u32(code)?),
        },
        punctuation if punctuation.is_ascii_punctuation() => (2, char::from(*punctuation)),
        _ => return None,
    };
    Some((length, Decoded::Char(c)))
}

impl View {
    /// The text as it is.
    pub(super) fn of(text: &str) -> View {
        let spans = (0..text.len() as u32).map(|at| (at, at + 1)).collect();
        View { bytes: text.as_bytes().to_vec(), spans }
    }

    /// The part of the original that these bytes come from.
    pub(super) fn origin(&self, start: usize, end: usize) -> (usize, usize) {
        (self.spans[start].0 as usize, self.spans[end - 1].1 as usize)
    }

    /// With an encoding undone; none if nothing was encoded.
    pub(super) fn decoded(&self, decoder: Decoder) -> Option<View> {
        let mut at = 0;
        let mut view = View { bytes: Vec::new(), spans: Vec::new() };
        let mut is_changed = false;
        while at < self.bytes.len() {
            let Some((length, decoded)) = decoder.decode(&self.bytes[at..]) else {
                view.bytes.push(self.bytes[at]);
                view.spans.push(self.spans[at]);
                at += 1;
                continue;
            };
            is_changed = true;
            let span = (self.spans[at].0, self.spans[at + length - 1].1);
            match decoded {
                Decoded::Byte(byte) => view.bytes.push(byte),
                Decoded::Char(c) => view.bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
            view.spans.resize(view.bytes.len(), span);
            at += length;
        }
        is_changed.then_some(view)
    }

    /// Without white space, and without characters that nobody sees: what is left of a text that was broken over lines.
    pub(super) fn squeezed(&self) -> View {
        let mut view = View { bytes: Vec::with_capacity(self.bytes.len()), spans: Vec::new() };
        let mut at = 0;
        while at < self.bytes.len() {
            let gap = gap(&self.bytes[at..]);
            if gap == 0 {
                view.bytes.push(self.bytes[at]);
                view.spans.push(self.spans[at]);
            }
            at += gap.max(1);
        }
        view
    }
}

/// How many bytes of white space, or of what nobody sees, a text begins with. What is no UTF-8 is none of these.
fn gap(bytes: &[u8]) -> usize {
    if bytes[0].is_ascii() {
        return usize::from(bytes[0].is_ascii_whitespace() || bytes[0] == 0x0b);
    }
    let length = match bytes[0] {
        0xc2..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf5 => 4,
        _ => return 0,
    };
    let c = bytes.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok()?.chars().next());
    if c.is_some_and(|c| c.is_whitespace() || contract::is_unseen(c)) { length } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_undone() {
        let check = |decoder: Decoder, text: &str, wanted: Option<&str>| {
            let view = View::of(text).decoded(decoder);
            assert_eq!(view.map(|view| String::from_utf8(view.bytes).unwrap()).as_deref(), wanted, "{text}");
        };
        check(Decoder::Percent, "a%20b%c3%A9+", Some("a bé+"));
        check(Decoder::Form, "a+b", Some("a b"));
        check(Decoder::Percent, "100% %g1 %+1 %4", None);
        check(Decoder::Html, "&lt;b&gt; &#39;&#x27;&amp;amp;", Some("<b> ''&amp;"));
        check(Decoder::Html, "a & b; &unknown; &", None);
        check(Decoder::Backslash, r#"\"a\u0041\x41\u{41}\ud83d\ude00\_\n"#, Some("\"aAAA😀_\n"));
        check(Decoder::Backslash, r"\q \ud83d \", None);
    }

    #[test]
    fn what_is_found_is_found_in_the_original() {
        let view = View::of("x %68\u{200b}%75 n").squeezed().decoded(Decoder::Percent).unwrap();
        assert_eq!(view.bytes, b"xhun");
        assert_eq!(view.origin(1, 3), (2, 11));
        assert_eq!(view.origin(0, 1), (0, 1));
    }
}

//! What is searched for to find a secret: its text without white space, and what base64 makes of it wherever it stands in what is
//! encoded. All other encodings are undone in the text instead, see `view`.

use base64::{
    Engine,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};

use super::view::View;

/// Secrets that are shorter are not searched for: they are in everything.
pub(super) const SHORTEST: usize = 4;

/// Secrets that are shorter are searched for in one piece only: the ends of any two words may make one up.
pub(super) const SHORTEST_SPLIT: usize = 6;

/// A piece of text that gives a secret away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Needle {
    pub(super) bytes: Vec<u8>,
    /// It is base64; the characters beside it have some bits of the secret.
    pub(super) is_base64: bool,
}

/// How many characters of a secret count.
pub(super) fn length(secret: &str) -> usize {
    String::from_utf8_lossy(&View::of(secret).squeezed().bytes).chars().count()
}

/// All that gives this secret away.
pub(super) fn needles(secret: &str) -> Vec<Needle> {
    let is_split = length(secret) >= SHORTEST_SPLIT;
    let plain = if is_split { View::of(secret).squeezed().bytes } else { secret.trim().as_bytes().to_vec() };
    let mut needles = vec![Needle { bytes: plain, is_base64: false }];
    for text in written(secret.trim()) {
        for alignment in 0..3 {
            for bytes in in_base64(text.as_bytes(), alignment) {
                let needle = Needle { bytes, is_base64: true };
                if needle.bytes.len() >= SHORTEST && !needles.contains(&needle) {
                    needles.push(needle);
                }
            }
        }
    }
    needles
}

/// How a secret may be written before it is encoded: as it is, in an address, in JSON.
fn written(secret: &str) -> Vec<String> {
    let mut ways = vec![secret.to_owned()];
    // `encodeURIComponent` and forms differ in what they leave as it is.
    let percent = |kept: &str| -> String {
        let encode = |byte: u8| match byte {
            b if b.is_ascii_alphanumeric() || kept.as_bytes().contains(&b) => char::from(b).to_string(),
            b => format!("%{b:02X}"),
        };
        secret.bytes().map(encode).collect()
    };
    ways.push(percent("-_.!~*'()"));
    ways.push(percent("-_.* ").replace(' ', "+"));
    let json = serde_json::Value::from(secret).to_string();
    ways.push(json[1..json.len() - 1].to_owned());
    ways.dedup();
    ways
}

/// The characters of base64 that depend on these bytes alone, if as many bytes (modulo 3) come before them, in both alphabets.
fn in_base64(bytes: &[u8], alignment: usize) -> [Vec<u8>; 2] {
    let shifted = [&[0; 2][..alignment], bytes].concat();
    // The first has bits of what comes before, the last of what comes after (RFC 4648, 4).
    let first = (alignment * 8).div_ceil(6);
    let last = shifted.len() * 8 / 6;
    [STANDARD_NO_PAD.encode(&shifted), URL_SAFE_NO_PAD.encode(&shifted)]
        .map(|text| text.as_bytes()[first.min(last)..last].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_found_wherever_the_secret_stands() {
        for secret in ["hunter2!", "密码一二三四", "a b+c/d?e", "1234"] {
            for before in ["", "u", "us", "use", "user:"] {
                for after in ["", "x", "xy", "xyz"] {
                    for encode in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
                        let text = encode.encode(format!("{before}{secret}{after}"));
                        let found = needles(secret).iter().any(|needle| {
                            text.as_bytes().windows(needle.bytes.len()).any(|part| part == needle.bytes)
                        });
                        assert!(found, "{secret} in {before}…{after}");
                    }
                }
            }
        }
    }

    #[test]
    fn white_space_is_part_of_a_short_secret_only() {
        let plain = |secret: &str| String::from_utf8(needles(secret)[0].bytes.clone()).unwrap();
        assert_eq!(plain("correct horse\n"), "correcthorse");
        assert_eq!(plain("a bcd\n"), "a bcd");
    }
}

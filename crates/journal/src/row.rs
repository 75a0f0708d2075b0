//! What the actions hand to the writer, already bounded in size.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::{SystemTime, UNIX_EPOCH};

use contract::{AgentName, Code, Effect, SessionName, TabId};
use serde_json::{Value, json};

/// The longest text that one column takes.
pub(crate) const MAX_TEXT: usize = 16 * 1024;

/// How much of a longer one is kept. Embedding it in JSON again at most doubles it.
const START: usize = 4 * 1024;

/// The id of a row that is not in the database. SQLite counts from 1.
pub(crate) const UNWRITTEN: i64 = 0;

/// A step in the life of a row.
#[derive(Debug)]
pub(crate) enum Message {
    /// The action begins.
    Begin(Arc<Begun>),
    /// The action has ended, in whichever way.
    End(Box<Ended>),
}

/// The first half of a row.
#[derive(Debug)]
pub(crate) struct Begun {
    /// The row's id once the writer has inserted it, until then [`UNWRITTEN`]. Only the writer's thread touches it.
    pub(crate) row: AtomicI64,
    /// Unix milliseconds.
    pub(crate) at: i64,
    pub(crate) session: SessionName,
    pub(crate) tab: Option<TabId>,
    pub(crate) front: Cow<'static, str>,
    pub(crate) agent: Option<AgentName>,
    pub(crate) verb: Cow<'static, str>,
    pub(crate) effect: Effect,
    pub(crate) action: String,
    pub(crate) url: Option<String>,
}

/// The second half. It holds on to the first, so that the whole row can be written when the first half was dropped.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) begun: Arc<Begun>,
    pub(crate) tab: Option<TabId>,
    pub(crate) effect: Effect,
    /// None for success.
    pub(crate) code: Option<Code>,
    pub(crate) error: Option<String>,
    pub(crate) outcome: Option<String>,
    pub(crate) duration_us: i64,
}

/// The time as Unix milliseconds; 0 when the clock stands before 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The value as JSON text. One that is too long is replaced by `{"cut": true, "bytes": n, "start": "…"}`.
pub(crate) fn bounded_json(value: &Value) -> String {
    let mut prefix = Prefix { kept: Vec::new(), bytes: 0 };
    // Neither a `Value` nor memory can fail to be written.
    let _ = serde_json::to_writer(&mut prefix, value);
    if prefix.bytes > MAX_TEXT {
        return json!({ "cut": true, "bytes": prefix.bytes, "start": valid_start(&prefix.kept) }).to_string();
    }
    String::from_utf8(prefix.kept).unwrap_or_default()
}

/// The text, and where it is too long its start with an ellipsis.
pub(crate) fn bounded_text(text: String) -> String {
    if text.len() <= MAX_TEXT { text } else { format!("{}…", valid_start(text.as_bytes())) }
}

fn valid_start(bytes: &[u8]) -> &str {
    bytes[..START.min(bytes.len())].utf8_chunks().next().map_or("", |chunk| chunk.valid())
}

/// Keeps the start of what is written to it and counts the rest, so that a huge value costs no huge text.
struct Prefix {
    kept: Vec<u8>,
    bytes: usize,
}

impl io::Write for Prefix {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let room = MAX_TEXT - self.kept.len();
        self.kept.extend_from_slice(&buffer[..room.min(buffer.len())]);
        self.bytes += buffer.len();
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn begun(at: i64) -> Arc<Begun> {
        Arc::new(Begun {
            row: AtomicI64::new(UNWRITTEN),
            at,
            session: SessionName::default(),
            tab: None,
            front: "cli".into(),
            agent: None,
            verb: "click".into(),
            effect: Effect::Input,
            action: "{}".into(),
            url: None,
        })
    }

    pub(crate) fn ended(begun: &Arc<Begun>) -> Message {
        let (begun, outcome) = (Arc::clone(begun), Some("{}".into()));
        Message::End(Box::new(Ended {
            begun,
            tab: None,
            effect: Effect::Input,
            code: None,
            error: None,
            outcome,
            duration_us: 1500,
        }))
    }

    #[test]
    fn a_text_is_whole_up_to_the_bound_and_says_so_beyond_it() {
        let fits = json!("x".repeat(MAX_TEXT - 2));
        assert_eq!(bounded_json(&fits), fits.to_string());

        for filler in ["x", "\"", "\\", "\u{1}", "ö", "a名"] {
            let long = json!(filler.repeat(MAX_TEXT));
            let text = bounded_json(&long);
            let cut: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(cut["cut"], true, "{filler:?}");
            assert_eq!(cut["bytes"], long.to_string().len(), "{filler:?}");
            assert!(long.to_string().starts_with(cut["start"].as_str().unwrap()), "{filler:?}");
            assert!(text.len() <= MAX_TEXT, "{filler:?} takes {}", text.len());
        }
    }

    #[test]
    fn an_address_is_cut_between_characters() {
        assert_eq!(bounded_text("https://a.test/".into()), "https://a.test/");
        let cut = bounded_text(format!("x{}", "ö".repeat(MAX_TEXT)));
        assert!(cut.ends_with("ö…") && cut.len() <= MAX_TEXT);
    }
}

//! Values that mask themselves: typed text, and the user-info of addresses.
//!
//! Whatever serialises or prints these gets the masked form, so that a journal, a log or an error cannot leak them by
//! forgetting to mask. The one place that must hand them on in full, the wire from a client to the daemon, says so with
//! [`in_full`].

use std::{cell::Cell, fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::{Error, Result};

thread_local! {
    static IN_FULL: Cell<bool> = const { Cell::new(false) };
}

/// Runs `write` with [`Typed`] and [`PageUrl`] serialising in full, on this thread and only for its duration.
pub fn in_full<T>(write: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IN_FULL.set(self.0);
        }
    }
    let _restore = Restore(IN_FULL.replace(true));
    write()
}

/// Text that goes into a page. Prints and serialises as its length only.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Typed(String);

impl Typed {
    /// The text itself, for the browser's eyes only.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// How many characters it has, which is what results tell.
    pub fn chars(&self) -> usize {
        self.0.chars().count()
    }
}

impl From<&str> for Typed {
    fn from(text: &str) -> Self {
        Typed(text.into())
    }
}

impl FromStr for Typed {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Typed(text.into()))
    }
}

impl fmt::Debug for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{} characters]", self.chars())
    }
}

impl Serialize for Typed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if IN_FULL.get() {
            serializer.serialize_str(&self.0)
        } else {
            serializer.collect_str(&format_args!("{self:?}"))
        }
    }
}

/// An address as the caller wrote it, before any check. Prints and serialises without its user-info.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct PageUrl(String);

impl PageUrl {
    /// The address as it was written.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<&str> for PageUrl {
    fn from(text: &str) -> Self {
        PageUrl(text.into())
    }
}

impl FromStr for PageUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.trim() {
            "" => {
                Err(Error::invalid("the address is empty").with_hint("give an http:// or https:// address"))
            }
            text => Ok(PageUrl(text.into())),
        }
    }
}

impl fmt::Display for PageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_user_info(&self.0))
    }
}

impl fmt::Debug for PageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", without_user_info(&self.0))
    }
}

impl Serialize for PageUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if IN_FULL.get() { serializer.serialize_str(&self.0) } else { serializer.collect_str(self) }
    }
}

/// The address with `user:password@` replaced by `***@`. Works on any text, since what is masked may not parse.
pub fn without_user_info(address: &str) -> String {
    // Parsers leave these three out wherever they stand (WHATWG URL, 4.4), so they hide nothing.
    let address = &address.replace(['\t', '\r', '\n'], "");
    // The authority ends at the first of `/ ? # \`; the last `@` before that ends the user-info (WHATWG URL, 4.4).
    let start = match address.find(':') {
        Some(colon) => {
            let rest = &address[colon + 1..];
            colon + 1 + (rest.len() - rest.trim_start_matches(['/', '\\']).len())
        }
        None => 0,
    };
    let end = address[start..].find(['/', '?', '#', '\\']).map_or(address.len(), |at| start + at);
    match address[start..end].rfind('@') {
        Some(at) => format!("{}***{}", &address[..start], &address[start + at..]),
        None => address.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_text_is_never_written_unless_asked_for() {
        let text = Typed::from("hunter2 密码");
        assert_eq!(format!("{text:?}"), "[10 characters]");
        assert_eq!(serde_json::to_string(&text).unwrap(), "\"[10 characters]\"");
        assert_eq!(in_full(|| serde_json::to_string(&text).unwrap()), "\"hunter2 密码\"");
        assert_eq!(serde_json::to_string(&text).unwrap(), "\"[10 characters]\"", "only inside");
    }

    #[test]
    fn user_info_is_masked() {
        let check = |address: &str, masked: &str| assert_eq!(without_user_info(address), masked);
        check("http://user:pw@host/p@q", "http://***@host/p@q");
        check("http://user:p@w@host", "http://***@host");
        check("http:user:pw@host", "http:***@host");
        check("http:\\\\user:pw@host\\x", "http:\\\\***@host\\x");
        check("https://host/a@b?c@d", "https://host/a@b?c@d");
        check("me@host", "***@host");
        check("http:/\t/user:pw@host/", "http://***@host/");
        check("mailto:me@host", "mailto:***@host");
        check("nonsense", "nonsense");
    }
}

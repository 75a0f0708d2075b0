//! Addresses: parsed as browsers parse them (WHATWG), so that what is checked is what is loaded.

use contract::{Code, Error, PageUrl, Result};
use url::Url;

/// The blank page, which needs no connection and which everybody may open.
pub const BLANK: &str = "about:blank";

/// The address that a browser would load for this text, if it is one that may be loaded at all.
///
/// The caller must load the returned address, never the text: then there is no second parser to disagree with.
pub fn check_address(written: &PageUrl) -> Result<Url> {
    let whole = completed(written.expose());
    let text = whole.as_deref().unwrap_or(written.expose());
    let url = Url::parse(text).map_err(|error| {
        Error::invalid(format!("{written:?} is not an address"))
            .with_cause(error)
            .with_hint("give a whole address, like https://example.com/")
    })?;
    if url.as_str() == BLANK {
        return Ok(url);
    }
    if !matches!(url.scheme(), "http" | "https") {
        let message = format!("{}: addresses cannot be opened", url.scheme());
        return Err(
            Error::new(Code::NavigationBlocked, message).with_hint("use an http:// or https:// address")
        );
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Error::new(
            Code::NavigationBlocked,
            format!("{written} carries a user name or password"),
        )
        .with_hint("leave out what stands before the @"));
    }
    Ok(url)
}

/// The address with the scheme that people leave out, as in `example.com/x` and `localhost:3000`; none if it has one, or is plainly no
/// address. For this machine and for numbers that is http, which is what servers under work speak.
pub fn completed(text: &str) -> Option<String> {
    let text = text.trim();
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let is_plain = !text.contains(['@', ' ', '\\', '\n', '\t']) && !text.contains("://") && !host.is_empty();
    let (name, port) = host.rsplit_once(':').unwrap_or((host, "0"));
    let is_name = !name.contains(':')
        && name.split('.').all(|part| !part.is_empty() && !part.contains(['%', '"', '<', '\'']));
    let is_local =
        name == "localhost" || name.ends_with(".localhost") || name.parse::<std::net::Ipv4Addr>().is_ok();
    let fits = is_plain && is_name && port.parse::<u16>().is_ok() && (name.contains('.') || is_local);
    fits.then(|| format!("{}://{text}", if is_local { "http" } else { "https" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<String> {
        check_address(&text.into()).map(String::from)
    }

    #[test]
    fn good_addresses_come_out_as_browsers_load_them() {
        for (text, loaded) in [
            ("https://example.com", "https://example.com/"),
            ("HTTP://EXAMPLE.com:80/a b", "http://example.com/a%20b"),
            ("http://127.1/", "http://127.0.0.1/"),
            ("http://0x7f.1:8080/", "http://127.0.0.1:8080/"),
            ("https://例子.测试/", "https://xn--fsqu00a.xn--0zwm56d/"),
            ("http:\\\\example.com\\x", "http://example.com/x"),
            ("http://[::1]:3000/", "http://[::1]:3000/"),
            // The scheme is what people leave out.
            ("example.com/a", "https://example.com/a"),
            ("example.com:8443", "https://example.com:8443/"),
            ("localhost:3000/x", "http://localhost:3000/x"),
            ("127.0.0.1:8103/two", "http://127.0.0.1:8103/two"),
            ("about:blank", "about:blank"),
            ("ABOUT:blank", "about:blank"),
        ] {
            assert_eq!(check(text).unwrap(), loaded, "{text}");
        }
    }

    #[test]
    fn bad_addresses_are_refused_with_a_code_and_a_hint() {
        for (text, code, hint) in [
            ("nonsense", Code::InvalidInput, "give a whole address, like https://example.com/"),
            ("some words.", Code::InvalidInput, "give a whole address, like https://example.com/"),
            ("good.com:x@evil.com", Code::NavigationBlocked, "use an http:// or https:// address"),
            ("http://", Code::InvalidInput, "give a whole address, like https://example.com/"),
            ("ftp://x", Code::NavigationBlocked, "use an http:// or https:// address"),
            ("file:///etc/passwd", Code::NavigationBlocked, "use an http:// or https:// address"),
            ("javascript:alert(1)", Code::NavigationBlocked, "use an http:// or https:// address"),
            ("data:text/html,x", Code::NavigationBlocked, "use an http:// or https:// address"),
            ("about:version", Code::NavigationBlocked, "use an http:// or https:// address"),
            ("about:blank?x", Code::NavigationBlocked, "use an http:// or https:// address"),
            ("chrome://version", Code::NavigationBlocked, "use an http:// or https:// address"),
            ("http://user:pw@host/", Code::NavigationBlocked, "leave out what stands before the @"),
            ("https://good.com:x@evil.com", Code::NavigationBlocked, "leave out what stands before the @"),
            ("http://user@host/", Code::NavigationBlocked, "leave out what stands before the @"),
        ] {
            let error = check(text).unwrap_err();
            assert_eq!((error.code, error.hint()), (code, hint), "{text}");
        }
    }

    #[test]
    fn a_password_is_not_in_the_error() {
        for text in [
            "http://user:hunter2@host/",
            "http:user:hunter2@host",
            "http://user:hunter2@[bad",
            "user:hunter2@x",
        ] {
            let error = check(text).unwrap_err();
            assert!(!format!("{error:?} {}", error.hint()).contains("hunter2"), "{error:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_but_plain_http_comes_out(text in ".*") {
            if let Ok(url) = check_address(&PageUrl::from(&*text)) {
                proptest::prop_assert!(matches!(url.scheme(), "http" | "https") || url.as_str() == BLANK);
                proptest::prop_assert!(url.username().is_empty() && url.password().is_none() && url.host().is_some());
            }
        }
    }
}

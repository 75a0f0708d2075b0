//! Addresses: parsed as browsers parse them (WHATWG), so that what is checked is what is loaded.

use contract::{Code, Error, PageUrl, Result};
use url::Url;

/// The address that a browser would load for this text, if it is one that may be loaded at all.
///
/// The caller must load the returned address, never the text: then there is no second parser to disagree with.
pub fn check_address(written: &PageUrl) -> Result<Url> {
    let text = written.expose();
    let url = Url::parse(text).map_err(|error| {
        Error::invalid(format!("{written:?} is not an address")).with_cause(error).with_hint(suggestion(text))
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        // `localhost:3000` and `example.com:80/x` parse as addresses with the scheme `localhost`.
        let hint = if url.scheme().contains('.') || looks_like_host_and_port(text) {
            suggestion(text)
        } else {
            "use an http:// or https:// address".into()
        };
        let message = format!("{}: addresses cannot be opened", url.scheme());
        return Err(Error::new(Code::NavigationBlocked, message).with_hint(hint));
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

fn looks_like_host_and_port(text: &str) -> bool {
    let port = text.split_once(':').map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default());
    port.is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}

fn suggestion(text: &str) -> String {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let is_plain = !text.contains(['@', ' ', '\\']) && !host.is_empty();
    if is_plain && (host.contains('.') || host.starts_with("localhost") || looks_like_host_and_port(text)) {
        let scheme = if host.starts_with("localhost") || host.starts_with("127.") { "http" } else { "https" };
        format!("write {scheme}://{text}")
    } else {
        "give a whole address, like https://example.com/".into()
    }
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
        ] {
            assert_eq!(check(text).unwrap(), loaded, "{text}");
        }
    }

    #[test]
    fn bad_addresses_are_refused_with_a_code_and_a_hint() {
        for (text, code, hint) in [
            ("nonsense", Code::InvalidInput, "give a whole address, like https://example.com/"),
            ("example.com/a", Code::InvalidInput, "write https://example.com/a"),
            ("localhost:3000/x", Code::NavigationBlocked, "write http://localhost:3000/x"),
            ("example.com:80", Code::NavigationBlocked, "write https://example.com:80"),
            ("http://", Code::InvalidInput, "give a whole address, like https://example.com/"),
            ("ftp://x", Code::NavigationBlocked, "use an http:// or https:// address"),
            ("file:///etc/passwd", Code::NavigationBlocked, "use an http:// or https:// address"),
            ("javascript:alert(1)", Code::NavigationBlocked, "use an http:// or https:// address"),
            ("data:text/html,x", Code::NavigationBlocked, "use an http:// or https:// address"),
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
                proptest::prop_assert!(matches!(url.scheme(), "http" | "https"));
                proptest::prop_assert!(url.username().is_empty() && url.password().is_none() && url.host().is_some());
            }
        }
    }
}

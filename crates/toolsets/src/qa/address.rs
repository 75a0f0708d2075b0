//! Addresses that may be relative to a base.

use contract::{Error, PageUrl, Result};
use url::Url;

/// The address to go to: as it is, or a path on the site of the base.
pub(super) fn absolute(url: &PageUrl, base: Option<&PageUrl>) -> Result<PageUrl> {
    let text = url.expose().trim();
    if !text.starts_with('/') {
        return if text.is_empty() { Err(Error::invalid("url is empty")) } else { Ok(url.clone()) };
    }
    let base = base.ok_or_else(|| {
        Error::invalid(format!("{url} is relative, and there is no baseUrl"))
            .with_hint("give the baseUrl as well, or a whole address")
    })?;
    let bad_base = || {
        Error::invalid(format!("the baseUrl {base} is not an http:// or https:// address"))
            .with_hint("give one like https://example.com")
    };
    let site = Url::parse(base.expose().trim()).map_err(|_| bad_base())?;
    if !matches!(site.scheme(), "http" | "https") {
        return Err(bad_base());
    }
    // `//other.example` and `/\other.example` are paths to look at, and another site to a browser.
    let joined = site.join(text).ok().filter(|joined| joined.origin() == site.origin());
    let joined = joined.ok_or_else(|| {
        Error::invalid(format!("{url} leads away from the baseUrl")).with_hint("start it with a single /")
    })?;
    Ok(PageUrl::from(joined.as_str()))
}

#[cfg(test)]
mod tests {
    use contract::Code;

    use super::*;

    fn check(url: &str, base: Option<&str>) -> Result<String> {
        absolute(&url.into(), base.map(PageUrl::from).as_ref()).map(|url| url.expose().to_owned())
    }

    #[test]
    fn relative_addresses_stay_on_the_site_of_the_base() {
        for (url, base, wanted) in [
            ("/login", Some("https://a.example"), "https://a.example/login"),
            ("/login?x=1#y", Some("https://a.example:8080/"), "https://a.example:8080/login?x=1#y"),
            ("/login", Some("https://a.example/app/start"), "https://a.example/login"),
            ("/", Some("http://a.example"), "http://a.example/"),
            ("https://b.example/", Some("https://a.example"), "https://b.example/"),
            ("https://b.example/", None, "https://b.example/"),
        ] {
            assert_eq!(check(url, base).unwrap(), wanted, "{url} {base:?}");
        }
        for (url, base) in [
            ("/login", None),
            ("/login", Some("a.example")),
            ("/login", Some("ftp://a.example")),
            ("/login", Some("")),
            ("//b.example/x", Some("https://a.example")),
            ("/\\b.example/x", Some("https://a.example")),
            ("", Some("https://a.example")),
        ] {
            assert_eq!(check(url, base).unwrap_err().code, Code::InvalidInput, "{url} {base:?}");
        }
    }
}

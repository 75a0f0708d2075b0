//! A session's cookies: which of them are meant, how they are told, and keeping them outside the browser, so that they outlive it.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::Instant;
use url::Url;

use crate::{context::Context, secrets, session::Memory};

/// How long the browser may take to hand them over.
const TIME: Duration = Duration::from_secs(5);

/// Copies the cookies whenever they may have changed, until the context is gone. Changes that come while a copy is made
/// cost one more copy, not one each.
pub(crate) async fn keep(context: Weak<Context>, memory: Arc<Memory>) {
    let Some(changed) = context.upgrade().map(|context| context.pages.cookies.clone()) else { return };
    loop {
        changed.notified().await;
        let Some(context) = context.upgrade() else { return };
        if !context.browser.is_alive() {
            return;
        }
        if let Ok(cookies) = context.cookies(Instant::now() + TIME).await {
            memory.set_cookies(cookies);
        }
    }
}

/// Which cookies are meant; all, if nothing is said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Which {
    pub(crate) name: Option<String>,
    /// Those that are sent there.
    pub(crate) url: Option<Url>,
    pub(crate) domain: Option<String>,
}

impl Which {
    /// Whether a cookie, as the protocol has it, is meant.
    pub(crate) fn means(&self, cookie: &Value) -> bool {
        let text = |name: &str| cookie[name].as_str().unwrap_or_default();
        let bare = |domain: &str| domain.trim_start_matches('.').to_ascii_lowercase();
        self.name.as_deref().is_none_or(|name| text("name") == name)
            && self.domain.as_deref().is_none_or(|domain| bare(text("domain")) == bare(domain))
            && self.url.as_ref().is_none_or(|url| {
                domain_matches(text("domain"), url.host_str().unwrap_or_default())
                    && path_matches(text("path"), url.path())
                    && (cookie["secure"] != true || is_trustworthy(url))
            })
    }
}

/// RFC 6265, 5.1.3. The browser writes those that are for one host only without a dot.
fn domain_matches(domain: &str, host: &str) -> bool {
    match domain.strip_prefix('.') {
        Some(bare) => host == bare || host.ends_with(domain),
        None => host == domain,
    }
}

/// RFC 6265, 5.1.4.
fn path_matches(cookie: &str, path: &str) -> bool {
    path.strip_prefix(cookie)
        .is_some_and(|rest| rest.is_empty() || cookie.ends_with('/') || rest.starts_with('/'))
}

/// Whether a cookie can be for it. The browser takes anything, and sends it nowhere.
pub(crate) fn is_domain(text: &str) -> bool {
    url::Host::parse(text.strip_prefix('.').unwrap_or(text)).is_ok()
}

/// Cookies for https only are sent to this machine as well.
fn is_trustworthy(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    url.scheme() == "https"
        || host == "localhost"
        || host.ends_with(".localhost")
        || host == "127.0.0.1"
        || host == "[::1]"
}

/// A cookie as it is told: its value only if it was asked for.
pub(crate) fn told(cookie: &Value, with_value: bool) -> Value {
    let value = cookie["value"].as_str().unwrap_or_default();
    let mut told = json!({
        "name": cookie["name"], "domain": cookie["domain"], "path": cookie["path"],
        "http_only": cookie["httpOnly"] == true, "secure": cookie["secure"] == true,
        "value": if with_value { value.to_owned() } else { secrets::masked(value) },
    });
    if let Some(expires) = cookie["expires"].as_f64().filter(|expires| *expires > 0.0) {
        told["expires"] = (expires as i64).into();
    }
    if let Some(same_site) = cookie["sameSite"].as_str() {
        told["same_site"] = same_site.to_ascii_lowercase().into();
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_cookies_are_sent_where() {
        let check = |domain: &str, path: &str, secure: bool, url: &str, wanted: bool| {
            let cookie = json!({"name": "c", "domain": domain, "path": path, "secure": secure});
            let which = Which { url: Some(Url::parse(url).unwrap()), ..Which::default() };
            assert_eq!(which.means(&cookie), wanted, "{cookie} {url}");
        };
        check("example.com", "/", false, "http://example.com/a", true);
        check("example.com", "/", false, "http://www.example.com/", false);
        check(".example.com", "/", false, "http://www.example.com/", true);
        check(".example.com", "/", false, "http://example.com/", true);
        check(".example.com", "/", false, "http://notexample.com/", false);
        check("example.com", "/a", false, "http://example.com/a/b", true);
        check("example.com", "/a", false, "http://example.com/ab", false);
        check("example.com", "/", true, "http://example.com/", false);
        check("example.com", "/", true, "https://example.com/", true);
        check("localhost", "/", true, "http://localhost:3000/", true);
    }

    #[test]
    fn values_are_told_only_if_they_are_asked_for() {
        let cookie = json!({"name": "sid", "value": "hunter2", "domain": "h", "path": "/", "expires": -1, "sameSite": "Lax"});
        assert_eq!(told(&cookie, false)["value"], "[7 characters]");
        assert_eq!(told(&cookie, true)["value"], "hunter2");
        assert_eq!(
            (&told(&cookie, true)["expires"], &told(&cookie, true)["same_site"]),
            (&Value::Null, &json!("lax"))
        );
    }
}

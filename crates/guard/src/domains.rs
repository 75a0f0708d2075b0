//! The list of domains that may be gone to. Hosts are compared as browsers read them (WHATWG), never as text: user-info, ports, case,
//! dots at the end and other spellings of the same name make no difference.

use std::{fmt, str::FromStr};

use contract::{Code, Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::{Host, Url};

/// Where one may go: `example.com`, `*.example.com` (what is below it, but not itself), `*` (anywhere). An address by number is a
/// domain as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// This host.
    Only(Host),
    /// Every host below this one.
    Below(String),
    /// Every host.
    Any,
}

impl FromStr for Domain {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = |hint: &str| Err(Error::invalid(format!("{text:?} is not a domain")).with_hint(hint));
        let written = text.trim();
        if written == "*" {
            return Ok(Domain::Any);
        }
        let (name, is_below) = match written.strip_prefix("*.") {
            Some(name) => (name, true),
            None => (written, false),
        };
        if name.contains('*') {
            return bad("a * can only stand for what comes before a domain, as in *.example.com");
        }
        match (host(name), is_below) {
            (Some(Host::Domain(name)), true) => Ok(Domain::Below(name)),
            (Some(host), false) => Ok(Domain::Only(host)),
            (Some(_), true) => bad("there is nothing below an address by number"),
            (None, _) => bad("write only the domain, as in example.com or *.example.com"),
        }
    }
}

/// No name that can be looked up is longer (RFC 1035, 2.3.4). Browsers take longer ones, and names are remembered.
const LONGEST_NAME: usize = 253;

/// A host as browsers read it, without the dot that may end it. What is more than a host is none.
pub(crate) fn host(text: &str) -> Option<Host> {
    // An address in version 6 may stand without its brackets.
    if let Ok(address) = text.parse() {
        return Some(Host::Ipv6(address));
    }
    let host = Host::parse(text).ok()?;
    match host {
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(&name);
            let is_whole = name.len() <= LONGEST_NAME && name.split('.').all(|label| !label.is_empty());
            is_whole.then(|| Host::Domain(name.to_owned()))
        }
        host => Some(host),
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Only(host) => host.fmt(f),
            Domain::Below(name) => write!(f, "*.{name}"),
            Domain::Any => f.write_str("*"),
        }
    }
}

impl Domain {
    fn has(&self, host: &Host) -> bool {
        match (self, host) {
            (Domain::Any, _) => true,
            (Domain::Only(only), host) => only == host,
            (Domain::Below(name), Host::Domain(host)) => is_below(host, name),
            (Domain::Below(_), _) => false,
        }
    }

    /// Whether all of the other is in this one.
    fn covers(&self, other: &Domain) -> bool {
        match (self, other) {
            (Domain::Any, _) => true,
            (one, Domain::Only(host)) => one.has(host),
            (Domain::Below(name), Domain::Below(other)) => other == name || is_below(other, name),
            _ => false,
        }
    }
}

pub(crate) fn is_below(host: &str, name: &str) -> bool {
    host.strip_suffix(name).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
}

impl Serialize for Domain {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Domain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(|error: Error| serde::de::Error::custom(error.message))
    }
}

/// The only domains that may be gone to. An empty list is nowhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Domains(pub Vec<Domain>);

impl Domains {
    /// Reads a list. What is empty in it means nothing, so a list of that alone is an empty one.
    pub fn read(list: &[String]) -> Result<Domains> {
        let said = list.iter().filter(|text| !text.trim().is_empty());
        said.map(|text| text.parse()).collect::<Result<_>>().map(Domains)
    }

    /// Refuses an address whose host is not on the list.
    pub fn check(&self, url: &Url) -> Result<()> {
        let there = host_of(url);
        if there.as_ref().is_some_and(|host| self.0.iter().any(|domain| domain.has(host))) {
            return Ok(());
        }
        let place = there.map_or_else(|| format!("{}: address", url.scheme()), |host| host.to_string());
        let message = format!("{place} is not among the domains that may be gone to");
        Err(Error::new(Code::NavigationBlocked, message).with_hint(self.told()))
    }

    /// What is on both lists.
    pub fn and(&self, other: &Domains) -> Domains {
        let mut both: Vec<Domain> = Vec::new();
        for one in &self.0 {
            for other in &other.0 {
                let inner = match (one.covers(other), other.covers(one)) {
                    (true, _) => other,
                    (_, true) => one,
                    _ => continue,
                };
                if !both.contains(inner) {
                    both.push(inner.clone());
                }
            }
        }
        Domains(both)
    }

    /// The entry that this host is on the list by.
    pub(crate) fn find(&self, host: &Host) -> Option<&Domain> {
        self.0.iter().find(|domain| domain.has(host))
    }

    /// The entry that is this host and no other.
    pub(crate) fn find_only(&self, host: &Host) -> Option<&Domain> {
        self.0.iter().find(|domain| matches!(domain, Domain::Only(only) if only == host))
    }

    /// What to do for a host that is not on the list.
    pub(crate) fn told(&self) -> String {
        match &*self.0 {
            [] => "no domain is allowed in this session; have allowed_domains set in config.toml, or use another session".into(),
            domains => {
                let names: Vec<_> = domains.iter().map(Domain::to_string).collect();
                format!("go to one of {}, or have this one allowed", names.join(", "))
            }
        }
    }
}

/// The host whose page an address shows. What a page made itself (`blob:`) is that page's.
fn host_of(url: &Url) -> Option<Host> {
    match url.scheme() {
        "http" | "https" => host(url.host_str()?),
        "blob" => {
            Url::parse(url.path()).ok().filter(|inner| inner.scheme() != "blob").and_then(|it| host_of(&it))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Domains {
        Domains::read(&text.split(' ').map(str::to_owned).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn rows() {
        for (domains, url, wanted) in [
            ("good.com", "https://good.com/", true),
            ("good.com", "https://good.com:8443/x?y#z", true),
            ("good.com", "https://GOOD.com/", true),
            ("GOOD.com", "https://good.com/", true),
            ("good.com", "https://good.com./", true),
            ("good.com.", "https://good.com/", true),
            ("good.com", "https://www.good.com/", false),
            ("good.com", "https://evil.com/", false),
            ("good.com", "https://notgood.com/", false),
            ("good.com", "https://good.com.evil.com/", false),
            ("good.com", "https://good.com:x@evil.com", false),
            ("good.com", "https://good.com@evil.com/", false),
            ("good.com", "https://evil.com/good.com", false),
            ("good.com", "https://evil.com\\good.com", false),
            ("good.com", "https://evil.com?good.com", false),
            ("good.com", "https://evil.com#good.com", false),
            ("good.com", "http:good.com", true),
            ("good.com", "https://g\u{ad}ood.com/", true),
            ("good.com", "https://g\u{43e}od.com/", false),
            ("good.com", "https://ｇｏｏｄ.com/", true),
            ("good.com", "ftp://good.com/", false),
            ("good.com", "file://good.com/etc/passwd", false),
            ("good.com", "data:text/html,good.com", false),
            ("good.com", "javascript:good.com", false),
            ("good.com", "about:blank", false),
            ("good.com", "blob:https://good.com/8f5a", true),
            ("good.com", "blob:https://evil.com/good.com", false),
            ("good.com", "blob:blob:https://good.com/8f5a", false),
            ("*.good.com", "https://www.good.com/", true),
            ("*.good.com", "https://a.b.good.com/", true),
            ("*.good.com", "https://WWW.good.com./", true),
            ("*.good.com", "https://good.com/", false),
            ("*.good.com", "https://notgood.com/", false),
            ("*.good.com", "https://www.good.com.evil.com/", false),
            ("*.good.com", "https://.good.com/", false),
            ("good.com *.good.com", "https://good.com/", true),
            ("*", "https://anywhere.example/", true),
            ("*", "file:///etc/passwd", false),
            ("例子.测试", "https://xn--fsqu00a.xn--0zwm56d/", true),
            ("xn--fsqu00a.xn--0zwm56d", "https://例子.测试/", true),
            ("*.例子.测试", "https://www.xn--fsqu00a.xn--0zwm56d/", true),
            ("127.0.0.1", "http://127.1:3000/", true),
            ("127.0.0.1", "http://0x7f000001/", true),
            ("127.0.0.1", "http://2130706433/", true),
            ("127.1", "http://127.0.0.1/", true),
            ("127.0.0.1", "http://127.0.0.1.evil.com/", false),
            ("*.0.0.1.com", "http://127.0.0.1/", false),
            ("::1", "http://[::1]:8080/", true),
            ("[::1]", "http://[0:0:0:0:0:0:0:1]/", true),
            ("localhost", "http://localhost:3000/", true),
            ("", "https://good.com/", false),
        ] {
            let may = Url::parse(url).is_ok_and(|url| list(domains).check(&url).is_ok());
            assert_eq!(may, wanted, "{domains:?} {url}");
        }
    }

    #[test]
    fn what_is_no_domain_is_refused() {
        for bad in [
            "https://good.com",
            "good.com/x",
            "good.com:443",
            "a b",
            "user@good.com",
            "*.*.com",
            "a.*.com",
            "*good.com",
            "*.",
            "**",
            "*.127.0.0.1",
            ".good.com",
            "good..com",
            "good.com?x",
            ".",
            "*.*",
        ] {
            let error = bad.parse::<Domain>().unwrap_err();
            assert_eq!(error.code, Code::InvalidInput, "{bad}");
        }
        for (written, read) in
            [(" Good.COM. ", "good.com"), ("*.Good.com", "*.good.com"), ("::1", "[::1]"), ("*", "*")]
        {
            assert_eq!(written.parse::<Domain>().unwrap().to_string(), read);
        }
    }

    #[test]
    fn an_empty_list_is_nowhere() {
        let error = Domains::default().check(&Url::parse("https://good.com").unwrap()).unwrap_err();
        assert_eq!(
            (error.code, error.hint()),
            (
                Code::NavigationBlocked,
                "no domain is allowed in this session; have allowed_domains set in config.toml, or use another session"
            )
        );
    }

    #[test]
    fn two_lists_allow_what_both_allow() {
        for (one, other, both) in [
            ("a.com b.com", "b.com c.com", "b.com"),
            ("*.a.com", "x.a.com a.com *.b.com", "x.a.com"),
            ("*.a.com", "*.x.a.com", "*.x.a.com"),
            ("*", "a.com *.b.com", "a.com *.b.com"),
            ("", "*", ""),
            ("a.com", "*.a.com", ""),
        ] {
            assert_eq!(list(one).and(&list(other)), list(both), "{one} {other}");
            assert_eq!(list(other).and(&list(one)), list(both), "{other} {one}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_another_host_pass(before in "[^\\s]{0,12}", after in "[^\\s]{0,12}") {
            // Whatever stands around the name, who is let through is at that host to the browser's parser too.
            let text = format!("https://{before}good.com{after}");
            if let Ok(url) = Url::parse(&text) && list("good.com").check(&url).is_ok() {
                let host = url.host_str().unwrap_or_default();
                proptest::prop_assert!(host == "good.com" || host == "good.com.", "{}", text);
            }
        }
    }
}

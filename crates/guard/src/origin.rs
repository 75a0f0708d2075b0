//! Places that rules are about: `example.com`, `*.example.com`, `https://example.com`, `localhost:3000`, `*`.

use std::{fmt, str::FromStr};

use contract::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::Url;

use crate::{Domain, Domains};

/// A place, or many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Everywhere, also where there is no host.
    Any,
    /// At these hosts.
    At {
        /// Only `http` or only `https`; none: both.
        scheme: Option<String>,
        /// The host, or all below one.
        domain: Domain,
        /// The port; none: any.
        port: Option<u16>,
    },
}

impl Origin {
    /// Whether an address is there. One without a host (`about:`, `data:`) is nowhere.
    pub fn has(&self, url: &Url) -> bool {
        let Origin::At { scheme, domain, port } = self else { return true };
        // The address of a blob is that of who made it.
        let Some(origin) = origin_of(url).and_then(|origin| Url::parse(&origin).ok()) else { return false };
        scheme.as_ref().is_none_or(|scheme| scheme == origin.scheme())
            && port.is_none_or(|port| Some(port) == origin.port_or_known_default())
            && Domains(vec![domain.clone()]).check(&origin).is_ok()
    }
}

/// The origin of an address as browsers write it; none if it has none of its own.
pub fn origin_of(url: &Url) -> Option<String> {
    let origin = url.origin();
    origin.is_tuple().then(|| origin.ascii_serialization())
}

impl FromStr for Origin {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = || {
            Error::invalid(format!("{text:?} is not an origin")).with_hint(
                "write a host such as example.com, *.example.com for what is below it, with https:// or a port if only that is meant",
            )
        };
        let written = text.trim();
        if written == "*" {
            return Ok(Origin::Any);
        }
        let (scheme, rest) = match written.split_once("://") {
            Some((scheme @ ("http" | "https"), rest)) => (Some(scheme.to_owned()), rest),
            Some(_) => return Err(bad()),
            None => (None, written),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
                (host, Some(port.parse().map_err(|_| bad())?))
            }
            _ => (rest, None),
        };
        let domain = host.parse().map_err(|_| bad())?;
        match (domain, &scheme, port) {
            (Domain::Any, None, None) => Ok(Origin::Any),
            (domain, _, port) => Ok(Origin::At { scheme, domain, port }),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Origin::At { scheme, domain, port } = self else { return f.write_str("*") };
        if let Some(scheme) = scheme {
            write!(f, "{scheme}://")?;
        }
        write!(f, "{domain}")?;
        port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Origin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(|error: Error| serde::de::Error::custom(error.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_addresses() {
        for (origin, url, expected) in [
            ("bank.example", "https://bank.example/pay", true),
            ("bank.example", "http://bank.example:81/", true),
            ("bank.example", "https://www.bank.example/", false),
            ("*.bank.example", "https://www.bank.example/", true),
            ("*.bank.example", "https://bank.example/", false),
            ("*.bank.example", "https://notbank.example/", false),
            ("https://bank.example", "http://bank.example/", false),
            ("https://bank.example/", "https://BANK.example./", true),
            ("bank.example:8443", "https://bank.example:8443/", true),
            ("bank.example:443", "https://bank.example/", true),
            ("bank.example:8443", "https://bank.example/", false),
            ("bank.example", "https://bank.example@evil.example/", false),
            ("bank.example", "https://evil.example/#bank.example", false),
            ("bank.example", "blob:https://bank.example/0-0", true),
            ("bank.example", "data:text/html,bank.example", false),
            ("*", "data:text/html,x", true),
            ("127.0.0.1:3000", "http://0x7f.1:3000/", true),
            ("[::1]:3000", "http://[0:0::1]:3000/", true),
            ("http://*", "http://anything/", true),
            ("http://*", "https://anything/", false),
        ] {
            assert_eq!(
                origin.parse::<Origin>().unwrap().has(&url.parse().unwrap()),
                expected,
                "{origin} {url}"
            );
        }
        for bad in ["", "ftp://x", "https://", "a b", "bank.example/pay", "x:99999", "a.*.b", "u@h"] {
            assert!(bad.parse::<Origin>().is_err(), "{bad:?}");
        }
        for text in ["*", "*.bank.example", "https://bank.example:8443", "localhost:3000"] {
            assert_eq!(text.parse::<Origin>().unwrap().to_string(), text);
        }
    }
}

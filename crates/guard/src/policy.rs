//! The policy: what each effect may do, and where.

use std::{fmt, net::IpAddr, str::FromStr};

use contract::{Effect, Error, PageUrl, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::{Host, Url};

use crate::{BLANK, Domains, check_address};

/// What the guard says of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may go on; where it goes to an address, that is the one to load.
    Allow(Option<Url>),
}

/// The rules of a session. Today they know two things: addresses that [`check_address`] refuses are never loaded, nor those of other
/// domains where there is a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Private places that are allowed by name. Read and checked from the start; nothing private is blocked yet.
    pub allow: Vec<Allow>,
    /// The only domains that may be gone to; none: all.
    pub domains: Option<Domains>,
}

impl Policy {
    /// Decides on an action by its effect and, if it goes somewhere, where to. A refusal is an error with its reason.
    pub fn decide(&self, _effect: Effect, destination: Option<&PageUrl>) -> Result<Decision> {
        let destination = destination.map(check_address).transpose()?;
        let is_place = |url: &&Url| url.as_str() != BLANK;
        if let (Some(domains), Some(url)) = (&self.domains, destination.as_ref().filter(is_place)) {
            domains.check(url)?;
        }
        Ok(Decision::Allow(destination))
    }
}

/// A place that is allowed by name: a host, a host with a port, or a range of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allow {
    /// `localhost`, `10.0.0.7`, `localhost:3000`
    Host {
        /// The host as browsers write it.
        host: Host,
        /// The port, if only one is meant.
        port: Option<u16>,
    },
    /// `10.0.0.0/8`
    Range {
        /// Any address in the range.
        address: IpAddr,
        /// How many leading bits are the same in all of them.
        bits: u8,
    },
}

impl FromStr for Allow {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = || {
            Error::invalid(format!("{text:?} is not a place to allow")).with_hint(
                "write a host (localhost), a host and port (localhost:3000) or a range (10.0.0.0/8)",
            )
        };
        if let Some((address, bits)) = text.split_once('/') {
            let address: IpAddr = address.parse().map_err(|_| bad())?;
            let longest = if address.is_ipv4() { 32 } else { 128 };
            let bits = bits.parse().ok().filter(|bits| *bits <= longest).ok_or_else(bad)?;
            return Ok(Allow::Range { address, bits });
        }
        let unbracketed: Result<IpAddr, _> = text.parse();
        if let Ok(IpAddr::V6(address)) = unbracketed {
            return Ok(Allow::Host { host: Host::Ipv6(address), port: None });
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
                (host, Some(port.parse().map_err(|_| bad())?))
            }
            _ => (text, None),
        };
        Ok(Allow::Host { host: Host::parse(host).map_err(|_| bad())?, port })
    }
}

impl Serialize for Allow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Allow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(|error: Error| serde::de::Error::custom(error.message))
    }
}

impl fmt::Display for Allow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Allow::Host { host, port: None } => host.fmt(f),
            Allow::Host { host, port: Some(port) } => write!(f, "{host}:{port}"),
            Allow::Range { address, bits } => write!(f, "{address}/{bits}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_there_is_a_list_of_domains_it_holds() {
        let decide = |domains: Option<&[&str]>, url: &str| {
            let domains =
                domains.map(|list| Domains(list.iter().map(|text| text.parse().unwrap()).collect()));
            Policy { domains, ..Policy::default() }.decide(Effect::Navigate, Some(&url.into()))
        };
        assert!(decide(None, "https://evil.com/").is_ok());
        assert!(decide(Some(&["good.com"]), "https://good.com/").is_ok());
        for (domains, url) in [
            (&["good.com"][..], "https://evil.com/"),
            (&[], "https://good.com/"),
            (&["good.com"], "https://good.com:x@evil.com/"),
        ] {
            let error = decide(Some(domains), url).unwrap_err();
            assert_eq!(error.code, contract::Code::NavigationBlocked, "{url}");
        }
        let list = Some(Domains::default());
        assert!(Policy { domains: list, ..Policy::default() }.decide(Effect::Read, None).is_ok());
    }

    #[test]
    fn places_are_read_and_written_the_same() {
        for text in [
            "localhost",
            "localhost:3000",
            "10.0.0.7",
            "10.0.0.0/8",
            "[::1]",
            "[::1]:80",
            "fd00::/8",
            "a.example",
        ] {
            assert_eq!(text.parse::<Allow>().unwrap().to_string(), text);
        }
        assert_eq!("::1".parse::<Allow>().unwrap().to_string(), "[::1]");
        for bad in ["", "a b", "10.0.0.0/33", "x/8", "localhost:99999", "localhost:", "http://x"] {
            assert!(bad.parse::<Allow>().is_err(), "{bad:?}");
        }
    }
}

//! What a session may connect to. Pure: names and addresses in, a verdict out. Nobody is asked and nothing is looked up here.
//!
//! A place is judged twice: by its name, before anybody is asked where that leads, and by every address that the answer has. Only
//! [`Checked`] addresses can be connected to, and only this file makes them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use url::{Host, Url};

use crate::{
    Allow, Class, Domain, Domains, Purpose, Reason, Refusal, WhyAllowed, class, domains, ports,
    refusal::written,
};

/// A host and a port, read as browsers read them and without the dot that may end a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    host: Host,
    port: u16,
}

/// Where a place is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// It says so itself.
    Known(Vec<IpAddr>),
    /// This name has to be looked up.
    Ask(String),
}

impl Place {
    /// Reads a host as browsers do, so that `127.1`, `0x7f000001` and `127.0.0.1` are the same.
    pub fn read(host: &str, port: u16) -> Result<Place, Refusal> {
        match domains::host(host) {
            Some(host) => Ok(Place { host, port }),
            None => Err(Refusal { place: "the address".into(), reason: Reason::Malformed }),
        }
    }

    /// The host.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where it is. Names below `localhost` are this computer and are never looked up (RFC 6761, 6.3): a name server could say otherwise.
    pub fn whereabouts(&self) -> Whereabouts {
        match &self.host {
            Host::Ipv4(address) => Whereabouts::Known(vec![(*address).into()]),
            Host::Ipv6(address) => Whereabouts::Known(vec![(*address).into()]),
            Host::Domain(name) if is_localhost(name) => {
                Whereabouts::Known(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()])
            }
            Host::Domain(name) => Whereabouts::Ask(name.clone()),
        }
    }

    fn refused<T>(&self, reason: Reason) -> Result<T, Refusal> {
        Err(Refusal { place: self.to_string(), reason })
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&written(&self.host, self.port))
    }
}

/// An address that was checked for a place and may be connected to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    address: SocketAddr,
    why: WhyAllowed,
}

impl Checked {
    /// The address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Why it may be.
    pub fn why(&self) -> &WhyAllowed {
        &self.why
    }

    /// Whether it is on the internet, rather than one of the user's own that they allowed.
    pub fn is_public(&self) -> bool {
        Class::of(self.address.ip()) == Class::Public
    }
}

/// What a session may connect to: by default everything public.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Places that are allowed although they are not public. Metadata services are not, even then.
    pub allow: Vec<Allow>,
    /// The only domains that tabs may go to; none: all.
    pub allowed_domains: Option<Domains>,
    /// The only domains, besides those, that pages may use otherwise; none: all.
    pub resource_domains: Option<Domains>,
    /// Domains that nothing may connect to, whatever the other lists say.
    pub blocked_domains: Domains,
}

impl Places {
    /// No place at all.
    pub fn nothing() -> Places {
        let none = || Some(Domains::default());
        Places { allowed_domains: none(), resource_domains: none(), ..Places::default() }
    }

    /// Judges an address as a page or caller gives it. What needs no connection (`blob:`, `data:`) has no place.
    pub fn check_url(&self, url: &Url, purpose: Purpose) -> Result<Option<Place>, Refusal> {
        let default_port = match url.scheme() {
            "http" | "ws" => 80,
            "https" | "wss" => 443,
            _ => return self.check_local(url, purpose).map(|()| None),
        };
        let place = Place::read(url.host_str().unwrap_or_default(), url.port().unwrap_or(default_port))?;
        if purpose == Purpose::Navigation && url.scheme().starts_with("ws") {
            return refused_scheme(url);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return place.refused(Reason::UserInfo);
        }
        self.check_name(&place, purpose)?;
        if let Whereabouts::Known(addresses) = place.whereabouts() {
            self.check_addresses(&place, &addresses)?;
        }
        Ok(Some(place))
    }

    /// What is made of a page's own contents belongs to that page. All else that is not the web is nobody's business.
    fn check_local(&self, url: &Url, purpose: Purpose) -> Result<(), Refusal> {
        let is_navigation = purpose == Purpose::Navigation;
        match url.scheme() {
            "about" if matches!(url.path(), "blank" | "srcdoc") => Ok(()),
            "data" if !is_navigation => Ok(()),
            // A page without an origin of its own has nothing but `null` to name it by.
            "blob" if !is_navigation && url.path().starts_with("null/") => Ok(()),
            "blob" => match Url::parse(url.path()) {
                Ok(inner) if matches!(inner.scheme(), "http" | "https") => {
                    self.check_url(&inner, purpose).map(|_| ())
                }
                _ => refused_scheme(url),
            },
            _ => refused_scheme(url),
        }
    }

    /// Judges a place by its name, before it is looked up.
    pub fn check_name(&self, place: &Place, purpose: Purpose) -> Result<(), Refusal> {
        if let Host::Domain(name) = &place.host
            && is_metadata_name(name)
        {
            return place.refused(Reason::MetadataName);
        }
        if let Some(domain) =
            self.blocked_domains.find(&place.host).or_else(|| self.blocks_inside(&place.host))
        {
            return place.refused(Reason::Blocked(domain.clone()));
        }
        if let Some(domains) = self.forbids(&place.host, purpose) {
            return place.refused(Reason::Outside { purpose, domains: domains.clone() });
        }
        let is_meant = self
            .allow
            .iter()
            .any(|allow| matches!(allow, Allow::Host { port: Some(_), .. }) && allow.names(place));
        if ports::is_bad(place.port) && (!is_meant || place.port == 0) {
            return place.refused(Reason::Port);
        }
        Ok(())
    }

    /// Judges where a place was found to be. A name of which one address is forbidden is refused as a whole, unless it is allowed by name:
    /// public names have no private addresses, except to get at somebody's network.
    pub fn check_addresses(&self, place: &Place, found: &[IpAddr]) -> Result<Vec<Checked>, Refusal> {
        let verdicts = found.iter().map(|address| self.check_address(place, *address));
        match &place.host {
            // Users who allow 127.0.0.1 mean `localhost` as well, and need not know that it has another address.
            Host::Domain(name) if is_localhost(name) => {
                let (granted, refused): (Vec<_>, Vec<_>) = verdicts.partition(Result::is_ok);
                match (granted.is_empty(), refused.into_iter().next()) {
                    (true, Some(refusal)) => refusal.map(|checked| vec![checked]),
                    _ => granted.into_iter().collect(),
                }
            }
            _ => verdicts.collect(),
        }
    }

    fn check_address(&self, place: &Place, address: IpAddr) -> Result<Checked, Refusal> {
        // Written in the one way that it is connected to, whatever it is spelled as.
        let address = address.to_canonical();
        let class = Class::of(address);
        if class == Class::Metadata {
            return place.refused(Reason::Address { address, class });
        }
        let host = host_of(address);
        if let Some(domain) = self.blocked_domains.find_only(&host).or_else(|| self.blocks_inside(&host)) {
            return place.refused(Reason::Blocked(domain.clone()));
        }
        let by_name =
            self.allow.iter().find(|allow| allow.names(place)).map(|allow| WhyAllowed::Name(allow.clone()));
        let by_address = || {
            let allow = self.allow.iter().find(|allow| allow.includes(address, place.port));
            allow.map(|allow| WhyAllowed::Address(allow.clone()))
        };
        let by_class = || (class == Class::Public).then_some(WhyAllowed::Public);
        match by_name.or_else(by_address).or_else(by_class) {
            Some(why) => Ok(Checked { address: SocketAddr::new(address, place.port), why }),
            None => place.refused(Reason::Address { address, class }),
        }
    }

    /// Whether somebody else may be asked to connect to a name that we do not know the addresses of. Names that mean something in private
    /// networks only have to be allowed.
    pub(crate) fn may_be_unknown(&self, place: &Place) -> bool {
        let Host::Domain(name) = &place.host else { return true };
        let last = name.rsplit('.').next().unwrap_or_default();
        let is_local = last == name
            || matches!(
                last,
                "local" | "internal" | "lan" | "home" | "corp" | "intranet" | "private" | "localdomain"
            )
            || name.ends_with(".home.arpa");
        !is_local || self.allow.iter().any(|allow| allow.names(place))
    }

    /// The list that does not have this host, if it had to be on one. Where tabs may go, pages may also get the rest from.
    fn forbids(&self, host: &Host, purpose: Purpose) -> Option<&Domains> {
        let lacks =
            |list: &Option<Domains>| list.as_ref().is_some_and(|domains| domains.find(host).is_none());
        let (to_go, to_use) = (self.allowed_domains.as_ref(), self.resource_domains.as_ref());
        let listed = to_go.is_some_and(|domains| domains.find(host).is_some());
        let forbidden = match purpose {
            Purpose::Navigation => lacks(&self.allowed_domains),
            Purpose::Resource => lacks(&self.resource_domains) && !listed,
            Purpose::Any => lacks(&self.allowed_domains) && lacks(&self.resource_domains),
        };
        match (forbidden, purpose) {
            (false, _) => None,
            (true, Purpose::Navigation) => to_go,
            (true, _) => to_use,
        }
    }

    /// The blocked address in version 4 that one in version 6 stands for.
    fn blocks_inside(&self, host: &Host) -> Option<&Domain> {
        let Host::Ipv6(address) = host else { return None };
        self.blocked_domains.find_only(&Host::Ipv4(class::embedded((*address).into())?))
    }
}

impl Allow {
    /// Whether it is this place, by what it is called.
    fn names(&self, place: &Place) -> bool {
        let Allow::Host { host, port } = self else { return false };
        let is_called = match (host, &place.host) {
            (Host::Domain(allowed), Host::Domain(name)) => {
                let allowed = allowed.strip_suffix('.').unwrap_or(allowed);
                match allowed.strip_prefix("*.") {
                    Some(above) => domains::is_below(name, above),
                    None => allowed == name,
                }
            }
            _ => false,
        };
        is_called && port.is_none_or(|port| port == place.port)
    }

    /// Whether it has this address in it, under its own number or that of the address in version 4 that it stands for.
    fn includes(&self, address: IpAddr, port: u16) -> bool {
        let is_here = |address: IpAddr| match self {
            Allow::Host { host: Host::Ipv4(only), port: at } => {
                address == IpAddr::V4(*only) && at.is_none_or(|at| at == port)
            }
            Allow::Host { host: Host::Ipv6(only), port: at } => {
                address == only.to_canonical() && at.is_none_or(|at| at == port)
            }
            Allow::Host { .. } => false,
            Allow::Range { address: first, bits } => match (first, address) {
                (IpAddr::V4(first), IpAddr::V4(address)) => {
                    same_start(first.to_bits().into(), address.to_bits().into(), 32, *bits)
                }
                (IpAddr::V6(first), IpAddr::V6(address)) => {
                    same_start(first.to_bits(), address.to_bits(), 128, *bits)
                }
                _ => false,
            },
        };
        is_here(address) || class::embedded(address).is_some_and(|inside| is_here(inside.into()))
    }
}

fn same_start(one: u128, other: u128, width: u32, bits: u8) -> bool {
    (one ^ other).checked_shr(width - u32::from(bits)).unwrap_or(0) == 0
}

fn host_of(address: IpAddr) -> Host {
    match address {
        IpAddr::V4(address) => Host::Ipv4(address),
        IpAddr::V6(address) => Host::Ipv6(address),
    }
}

fn is_localhost(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

/// Names under which machines in clouds find these services. What else they are called, their addresses give away.
fn is_metadata_name(name: &str) -> bool {
    matches!(
        name,
        "metadata.google.internal"
            | "metadata.goog"
            | "metadata"
            | "instance-data"
            | "instance-data.ec2.internal"
            | "metadata.tencentyun.com"
            | "api.metadata.cloud.ibm.com"
            | "metadata.packet.net"
            | "metadata.platformequinix.com"
            | "rancher-metadata"
    ) || name.ends_with(".metadata.google.internal")
        || name.ends_with(".metadata.goog")
}

fn refused_scheme<T>(url: &Url) -> Result<T, Refusal> {
    Err(Refusal { place: format!("{}: address", url.scheme()), reason: Reason::Scheme })
}

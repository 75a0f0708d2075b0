//! Why a place may not be connected to, in words and as one word; and why another one may.

use std::{fmt, net::IpAddr};

use contract::{Code, Error};
use url::Host;

use crate::{Allow, Class, Domain, Domains};

/// What a connection is for. Lists of domains are kept apart by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A page in a tab.
    Navigation,
    /// Whatever a page asks for besides: frames, pictures, scripts, data, sockets.
    Resource,
    /// Not known, as to the proxy: nothing that one of them may have is refused.
    Any,
}

/// Why a place is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The address is of a kind that is not loaded.
    Scheme,
    /// The address carries a user name or password.
    UserInfo,
    /// There is no host in it that could be connected to.
    Malformed,
    /// No browser talks to that port.
    Port,
    /// The name of a metadata service.
    MetadataName,
    /// An address that is not public, and not allowed.
    Address {
        /// The address itself.
        address: IpAddr,
        /// Its kind.
        class: Class,
    },
    /// On the list of blocked domains.
    Blocked(Domain),
    /// Not on the list of allowed domains.
    Outside {
        /// What it was for.
        purpose: Purpose,
        /// The list.
        domains: Domains,
    },
    /// A name that only a network of one's own knows, and nobody says where it leads.
    LocalName,
    /// The guard's own proxy.
    Itself,
}

impl Reason {
    /// The reason as one word, for events and tables.
    pub fn word(&self) -> &'static str {
        match self {
            Reason::Scheme => "scheme",
            Reason::UserInfo => "user-info",
            Reason::Malformed => "malformed",
            Reason::Port => "port",
            Reason::MetadataName => Class::Metadata.word(),
            Reason::Address { class, .. } => class.word(),
            Reason::Blocked(_) => "blocked-domain",
            Reason::Outside { .. } => "outside-domains",
            Reason::LocalName => "local-name",
            Reason::Itself => "itself",
        }
    }
}

/// A place that may not be connected to, and why. As text: the sentence that people are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The place, without anything secret: `10.0.0.7:80`, or `file: address` for what has no host.
    pub place: String,
    /// Why.
    pub reason: Reason,
}

impl Refusal {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match &self.reason {
            Reason::Scheme => "use an http:// or https:// address".into(),
            Reason::UserInfo => "leave out what stands before the @".into(),
            Reason::Malformed => "give a whole address, like https://example.com/".into(),
            Reason::Port => "use a port that browsers talk to".into(),
            Reason::MetadataName | Reason::Address { class: Class::Metadata, .. } => {
                "do without it: metadata services stay blocked, whatever is allowed".into()
            }
            Reason::Address { .. } | Reason::LocalName => format!("allow it with --allow {}", self.place),
            Reason::Blocked(domain) => format!("take {domain} off the blocked domains if it is needed"),
            Reason::Outside { domains, .. } => domains.told(),
            Reason::Itself => "ask for another address: this one is webhand's own".into(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = &self.place;
        match &self.reason {
            Reason::Scheme => write!(f, "{place} cannot be opened"),
            Reason::UserInfo => write!(f, "the address of {place} carries a user name or password"),
            Reason::Malformed => write!(f, "{place} has no host that could be connected to"),
            Reason::Port => write!(f, "{place} is at a port that browsers do not talk to"),
            Reason::MetadataName => write!(f, "{place} is {}", Class::Metadata),
            Reason::Address { address, class } => match place.contains(&address.to_string()) {
                true => write!(f, "{place} is {class}"),
                false => write!(f, "{place} leads to {address}, {class}"),
            },
            Reason::Blocked(domain) => {
                write!(f, "{place} is blocked, since {domain} is on the list of blocked domains")
            }
            Reason::Outside { purpose: Purpose::Navigation, .. } => {
                write!(f, "{place} is not among the domains that may be gone to")
            }
            Reason::Outside { .. } => write!(f, "{place} is not among the domains that pages may use"),
            Reason::LocalName => write!(f, "{place} is a name of a private network"),
            Reason::Itself => write!(f, "{place} is webhand's own proxy"),
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        Error::new(Code::NavigationBlocked, refusal.to_string()).with_hint(refusal.hint())
    }
}

/// Why a place may be connected to. As text: the sentence that people are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyAllowed {
    /// Everything public is allowed that no list forbids.
    Public,
    /// The name is allowed, so what it leads to is.
    Name(Allow),
    /// The address is allowed, alone or in a range.
    Address(Allow),
    /// It needs no connection: `about:blank`, or what a page made itself.
    Nowhere,
    /// No rule forbids the name, and only the user's own proxy knows where it leads.
    Unknown,
}

impl fmt::Display for WhyAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhyAllowed::Public => f.write_str("it is a public address"),
            WhyAllowed::Name(allow) => write!(f, "{allow} is allowed by name"),
            WhyAllowed::Address(allow) => write!(f, "its address is allowed by {allow}"),
            WhyAllowed::Nowhere => f.write_str("it needs no connection"),
            WhyAllowed::Unknown => f.write_str(
                "nothing forbids its name; where it leads, only the proxy knows that it goes through",
            ),
        }
    }
}

/// A host and a port, as people write them.
pub(crate) fn written(host: &Host, port: u16) -> String {
    format!("{host}:{port}")
}

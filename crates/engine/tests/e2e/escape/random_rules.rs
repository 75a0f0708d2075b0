//! Rules and names at random, for places on this computer, and what they mean: written down once more, as simply as can be, for the few
//! kinds of hosts that there are here.

use std::{fmt, io, net::IpAddr, sync::Mutex};

use engine::SessionOptions;
use futures_util::future::BoxFuture;
use guard::{Domains, proxy::Resolve};
use proptest::{collection::vec, option, prelude::*, sample::select};

/// Where the servers are. All listen at one port; the first has another one as well.
pub(crate) const ADDRESSES: [&str; 4] = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "::1"];
/// Where nobody is. A name that led here is looked up anew.
const NOWHERE: &str = "127.0.0.9";
/// Names that are looked up.
const NAMES: [&str; 3] = ["one.test", "two.test", "a.two.test"];
/// What a place may be called.
const HOSTS: [&str; 9] = [
    "127.0.0.1",
    "127.0.0.2",
    "127.0.0.3",
    "[::1]",
    "one.test",
    "two.test",
    "a.two.test",
    "localhost",
    "b.localhost",
];
/// What may be allowed, with a port or without.
const ALLOWED: [&str; 10] = [
    "127.0.0.1",
    "127.0.0.2",
    "127.0.0.3",
    NOWHERE,
    "[::1]",
    "one.test",
    "two.test",
    "*.two.test",
    "localhost",
    "*.localhost",
];
const RANGES: [&str; 3] = ["127.0.0.2/31", "127.0.0.0/8", "::1/128"];
/// What may be on a list of domains. The home is not to be blocked, which is at 127.0.0.1.
const LISTED: [&str; 8] =
    ["127.0.0.2", "127.0.0.3", "[::1]", "one.test", "two.test", "*.two.test", "localhost", "b.localhost"];
/// Where pages come from, whatever the rules are.
pub(crate) const HOME: &str = "home.localhost";

/// Where a name leads, one time after the other.
type Answers = Vec<Vec<&'static str>>;

/// The two ports of the servers. Rules and goals are made before they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Port {
    Usual,
    Other,
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Port::Usual => "USUAL",
            Port::Other => "OTHER",
        })
    }
}

/// A host and a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub host: &'static str,
    pub port: Port,
}

#[derive(Clone, Debug)]
struct Allow {
    what: &'static str,
    port: Option<Port>,
}

/// The rules of a session, and where names lead: one answer after the other, of which the last stays.
#[derive(Clone)]
pub(crate) struct Rules {
    allow: Vec<Allow>,
    tabs: Option<Vec<&'static str>>,
    pages: Option<Vec<&'static str>>,
    blocked: Vec<&'static str>,
    names: [Answers; 3],
}

pub(crate) fn port() -> impl Strategy<Value = Port> {
    prop_oneof![3 => Just(Port::Usual), 1 => Just(Port::Other)]
}

pub(crate) fn spot() -> impl Strategy<Value = Spot> {
    (select(&HOSTS[..]), port()).prop_map(|(host, port)| Spot { host, port })
}

pub(crate) fn rules() -> impl Strategy<Value = Rules> {
    let allow = prop_oneof![
        4 => (select(&ALLOWED[..]), option::of(port())).prop_map(|(what, port)| Allow { what, port }),
        1 => select(&RANGES[..]).prop_map(|what| Allow { what, port: None }),
    ];
    let list = || vec(select(&LISTED[..]), 0..4);
    let found = select(&["127.0.0.1", "127.0.0.2", "127.0.0.3", "::1", NOWHERE][..]);
    let answers = || vec(vec(found.clone(), 1..3), 1..3);
    let domains = option::weighted(0.4, (list(), option::of(list())));
    let blocked = option::weighted(0.3, list()).prop_map(Option::unwrap_or_default);
    (vec(allow, 1..6), domains, blocked, [answers(), answers(), answers()]).prop_map(
        |(allow, domains, blocked, names)| {
            let (tabs, pages) = domains.map_or((None, None), |(tabs, pages)| (Some(tabs), pages));
            Rules { allow, tabs, pages, blocked, names }
        },
    )
}

impl Rules {
    /// The same as a caller says them.
    pub(crate) fn options(
        &self,
        home: u16,
        ports: impl Fn(Port) -> u16,
        options: SessionOptions,
    ) -> SessionOptions {
        let list = |entries: &[&str]| {
            Domains(entries.iter().chain([&HOME]).map(|text| text.parse().unwrap()).collect())
        };
        let mut allow = vec![format!("{HOME}:{home}")];
        allow.extend(self.allow.iter().map(|it| match it.port {
            Some(port) => format!("{}:{}", it.what, ports(port)),
            None => it.what.to_owned(),
        }));
        SessionOptions {
            allow: allow.iter().map(|text| text.parse().unwrap()).collect(),
            allowed_domains: self.tabs.as_deref().map(list),
            resource_domains: self.pages.as_deref().map(list),
            blocked_domains: Some(Domains(self.blocked.iter().map(|text| text.parse().unwrap()).collect())),
            ..options
        }
    }

    /// Whether something that was called this may be at this address. `is_tab`: a tab goes there.
    pub(crate) fn allow(&self, spot: Spot, address: &str, is_tab: bool) -> bool {
        let on = |list: &[&str], host: &str| list.iter().any(|entry| fits(entry, host));
        let may_go = self.tabs.as_deref().is_none_or(|tabs| on(tabs, spot.host));
        let may_use = may_go || self.pages.as_deref().is_none_or(|pages| on(pages, spot.host));
        let is_right = if is_tab { may_go } else { may_use };
        is_right
            && !on(&self.blocked, spot.host)
            && self.answers(spot.host).iter().any(|answer| {
                let granted = |found: &&&str| self.grant(spot, found);
                match spot.host.ends_with("localhost") {
                    true => answer.iter().filter(granted).any(|found| *found == address),
                    false => {
                        answer.contains(&address) && answer.iter().filter(granted).count() == answer.len()
                    }
                }
            })
    }

    /// Whether one address of a place is allowed, by number or by the name of the place.
    fn grant(&self, spot: Spot, address: &str) -> bool {
        let number = if address.contains(':') { format!("[{address}]") } else { address.to_owned() };
        let is_allowed = |allow: &Allow| {
            let is_meant = match allow.what {
                "127.0.0.0/8" => !address.contains(':'),
                "127.0.0.2/31" => ["127.0.0.2", "127.0.0.3"].contains(&address),
                "::1/128" => address == "::1",
                what => what == number || fits(what, spot.host),
            };
            is_meant && allow.port.is_none_or(|port| port == spot.port)
        };
        !self.blocked.contains(&&*number) && self.allow.iter().any(is_allowed)
    }

    fn answers(&self, host: &'static str) -> Answers {
        match NAMES.iter().position(|name| *name == host) {
            Some(at) => self.names[at].clone(),
            None if host.ends_with("localhost") => vec![vec!["127.0.0.1", "::1"]],
            None => vec![vec![host.trim_matches(['[', ']'])]],
        }
    }
}

/// The spot that a request names in its header, if it is one of them.
pub(crate) fn spot_called(host: &str, ports: impl Fn(Port) -> u16) -> Option<Spot> {
    let (host, number) = host.rsplit_once(':')?;
    let port = [Port::Usual, Port::Other].into_iter().find(|port| number == ports(*port).to_string())?;
    Some(Spot { host: HOSTS.into_iter().find(|it| *it == host)?, port })
}

/// `*.x` is what is below it.
fn fits(entry: &str, host: &str) -> bool {
    match entry.strip_prefix('*') {
        Some(end) => host.ends_with(end),
        None => entry == host,
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let allow = self.allow.iter().map(|it| match it.port {
            Some(port) => format!("{}:{port}", it.what),
            None => it.what.to_owned(),
        });
        let list = |entries: &Option<Vec<&str>>| {
            entries.as_ref().map_or("all".into(), |it| format!("[{}]", it.join(" ")))
        };
        writeln!(f, "  allow            {}", allow.collect::<Vec<_>>().join(" "))?;
        writeln!(f, "  allowed_domains  {}", list(&self.tabs))?;
        writeln!(f, "  resource_domains {}", list(&self.pages))?;
        writeln!(f, "  blocked_domains  [{}]", self.blocked.join(" "))?;
        for (name, answers) in NAMES.iter().zip(&self.names) {
            let answers: Vec<_> = answers.iter().map(|answer| answer.join(" ")).collect();
            writeln!(f, "  {name:<16} = {}", answers.join(", then "))?;
        }
        Ok(())
    }
}

/// Name servers that answer as the rules of the moment say.
#[derive(Default)]
pub(crate) struct NameServer(Mutex<Vec<(&'static str, Answers)>>);

impl NameServer {
    pub(crate) fn set(&self, rules: &Rules) {
        *self.0.lock().unwrap() = NAMES.into_iter().zip(rules.names.clone()).collect();
    }
}

impl Resolve for NameServer {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let mut all = self.0.lock().unwrap();
        let found =
            all.iter_mut().find(|(known, _)| *known == name).map(|(_, answers)| match answers.len() {
                1 => answers[0].clone(),
                _ => answers.remove(0),
            });
        let found = found.map(|found| found.iter().map(|address| address.parse().unwrap()).collect());
        Box::pin(async move { found.ok_or_else(|| io::Error::other("no such name")) })
    }
}

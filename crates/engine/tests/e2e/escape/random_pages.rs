//! Whatever a browser connects to, the rules have seen and allowed: random pages, which try to reach random places in random ways, under
//! random rules.
//!
//! Servers count at their sockets who comes, and note what they were called. Nobody comes to a server that no place of the page may lead
//! to; whoever comes calls it something that may lead there; and there are no more connections than the proxy made.

use std::{
    collections::HashSet,
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use engine::Front;
use guard::proxy::Counts;
use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::select,
    test_runner::{Config, TestCaseError, TestRunner},
};

use super::{
    attempts::{ATTEMPTS, Attempt, path_of},
    random_rules::{ADDRESSES, HOME, NameServer, Port, Rules, Spot, rules, spot, spot_called},
    world::{Place, encode},
};
use crate::support::{self, Fixture, eval, goto, runtime};

/// How many pages, if something else than the usual.
const COUNT: &str = "WEBHAND_RANDOM_PAGES";
const USUAL: u32 = 12;

/// How often as many pages are tried when chance, or a busy machine, let nothing arrive or nothing be stopped.
const MOST_ROUNDS: u32 = 5;

/// For how long a page is waited for that may be done, in the first round; in each further one for as much longer. One that goes elsewhere
/// takes with it what it had begun.
const LONGEST: Duration = Duration::from_secs(2);

/// One attempt: over places that each send the browser on to the next, to the last.
#[derive(Clone, Debug)]
struct Try {
    attempt: &'static Attempt,
    way: Vec<(Spot, Tls)>,
    status: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tls {
    Yes,
    No,
}

/// A page: attempts in frames of their own, and one in the page itself.
#[derive(Clone)]
struct Case {
    rules: Rules,
    frames: Vec<Try>,
    top: Option<Try>,
}

fn attempts() -> impl Strategy<Value = Try> {
    let place = (spot(), prop_oneof![5 => Just(Tls::No), 1 => Just(Tls::Yes)]);
    let attempt = (0..ATTEMPTS.len()).prop_map(|at| &ATTEMPTS[at]);
    (attempt, vec(place, 1..4), select(&[301, 302, 303, 307, 308][..]))
        .prop_map(|(attempt, way, status)| Try { attempt, way, status })
}

fn cases() -> impl Strategy<Value = Case> {
    (rules(), vec(attempts(), 1..7), option::weighted(0.4, attempts()))
        .prop_map(|(rules, frames, top)| Case { rules, frames, top })
}

impl Try {
    /// Its first address, of which all others follow. The last one has this name in it, and so do they all.
    fn address(&self, servers: &Servers, name: &str) -> String {
        self.way.iter().rev().fold(String::new(), |next, (spot, tls)| {
            let scheme = if *tls == Tls::Yes { "https" } else { "http" };
            let path = match &*next {
                "" => format!("{name}/{}", self.attempt.name),
                next => format!("go/{}?to={}", self.status, encode(next)),
            };
            format!("{scheme}://{}:{}/{path}", spot.host, servers.port(spot.port))
        })
    }
}

impl Case {
    /// All attempts, with their names and whether they are in a frame.
    fn tries(&self) -> impl Iterator<Item = (String, bool, &Try)> {
        let frames = self.frames.iter().enumerate().map(|(at, it)| (format!("frame{at}"), true, it));
        frames.chain(self.top.iter().map(|it| ("top".to_owned(), false, it)))
    }

    /// Where the page is, below the home's address.
    fn path(&self, servers: &Servers) -> String {
        let (home, mut header, mut page) = (servers.home(""), None, String::new());
        for (name, is_in_frame, it) in self.tries() {
            let to = it.address(servers, &name);
            if is_in_frame {
                page += &format!("<iframe src='{home}{}'></iframe>", it.attempt.path(&home, &to));
            } else {
                let (said, markup) = it.attempt.page(&home, &to);
                header = said;
                page += &markup;
            }
        }
        path_of(header.as_deref(), &page)
    }

    /// Whether a request with this path is one of a tab.
    fn is_of_tab(&self, path: &str) -> bool {
        self.tries().any(|(name, is_in_frame, it)| {
            // Plain at the end of its way, encoded before that.
            let is_its = path.contains(&format!("{name}/")) || path.contains(&format!("{name}%"));
            is_its && it.attempt.moves_tabs(is_in_frame)
        })
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "under these rules\n{:?}this page\n", self.rules)?;
        for (name, _, it) in self.tries() {
            write!(f, "  {name}: {}", it.attempt.name)?;
            for (at, (spot, tls)) in it.way.iter().enumerate() {
                let arrow = if at == 0 { " to".into() } else { format!(", {} to", it.status) };
                let scheme = if *tls == Tls::Yes { "https" } else { "http" };
                write!(f, "{arrow} {scheme}://{}:{}", spot.host, spot.port)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Those who count.
struct Servers {
    home: Place,
    /// With the address that each has.
    all: Vec<(&'static str, Port, Place)>,
}

impl Servers {
    fn new() -> Servers {
        let first = Place::at(ADDRESSES[0]);
        let usual = first.address.port();
        let others = ADDRESSES[1..].iter().map(|address| (*address, Port::Usual, Place::on(address, usual)));
        let mut all: Vec<_> = others.collect();
        all.extend([
            (ADDRESSES[0], Port::Usual, first),
            (ADDRESSES[0], Port::Other, Place::at(ADDRESSES[0])),
        ]);
        Servers { home: Place::at(ADDRESSES[0]), all }
    }

    fn port(&self, port: Port) -> u16 {
        let found = self.all.iter().find(|(address, it, _)| *address == ADDRESSES[0] && *it == port);
        found.unwrap().2.address.port()
    }

    fn home(&self, path: &str) -> String {
        format!("http://{HOME}:{}{path}", self.home.address.port())
    }

    /// How many connections there were since they were last taken.
    fn came(&self) -> usize {
        self.home.came().0 + self.all.iter().map(|(_, _, place)| place.came().0).sum::<usize>()
    }

    /// Which attempts have arrived at their ends, or on the way there.
    fn arrived(&self, case: &Case) -> usize {
        let asked: Vec<_> = self.all.iter().flat_map(|(_, _, place)| place.asked()).collect();
        case.tries().filter(|(name, _, _)| asked.iter().any(|it| it.path.contains(&**name))).count()
    }
}

/// What there was in all cases: a test in which nothing arrives, or nothing is stopped, shows nothing.
#[derive(Default, Debug)]
struct Totals {
    arrived: HashSet<&'static str>,
    connections: usize,
    blocked: u64,
}

impl Totals {
    fn show_something(&self) -> bool {
        self.blocked > 0 && self.connections > 0 && !self.arrived.is_empty()
    }
}

async fn check(
    engine: &engine::Engine,
    servers: &Servers,
    case: &Case,
    longest: Duration,
    totals: &mut Totals,
) -> Result<(), TestCaseError> {
    let s = Fixture::new(engine.clone());
    let options =
        case.rules.options(servers.home.address.port(), |port| servers.port(port), s.options.clone());
    let s = Fixture { options, ..s };
    let counts = || {
        engine.traffic().into_iter().find(|(name, _)| *name == s.name).map_or(Counts::default(), |it| it.1)
    };
    // It may go elsewhere, which may fail.
    let _ = s.perform(goto(&servers.home(&case.path(servers)))).await;
    let began = Instant::now();
    while began.elapsed() < longest {
        let (now, arrived) = (counts(), servers.arrived(case));
        if arrived + (now.blocked + now.failed) as usize >= case.tries().count() {
            break;
        }
        let _ = s.perform(eval("0")).await;
    }
    // In this order: what the proxy had stopped by then did not come; what came by then, it had been asked for.
    let (before, came, after) = (counts(), servers.came(), counts());
    s.close().await;
    let seen: Vec<_> = servers.all.iter().map(|it| (it, it.2.take())).collect();
    servers.home.take();

    for ((address, port, _), (connections, asked)) in &seen {
        let place = format!("{address}, port {port}");
        let may_be_reached = case.tries().any(|(_, _, it)| {
            it.way.iter().any(|(spot, _)| spot.port == *port && case.rules.allow(*spot, address, false))
        });
        prop_assert!(
            may_be_reached || *connections == 0,
            "{connections} came to {place}, where nobody may go"
        );
        for asked in asked {
            let Some(spot) = spot_called(&asked.host, |port| servers.port(port)) else {
                return Err(TestCaseError::fail(format!("{place} was called {:?}", asked.host)));
            };
            let is_tab = case.is_of_tab(&asked.path);
            prop_assert!(
                spot.port == *port && case.rules.allow(spot, address, is_tab),
                "{place} was reached as {}{} for {}",
                spot.host,
                if is_tab { " by a tab" } else { "" },
                asked.path
            );
        }
        totals.connections += connections;
    }
    let allowed = after.requests.saturating_sub(before.blocked);
    prop_assert!(
        came as u64 <= allowed,
        "{came} connections came, and the proxy allowed {allowed}: {after:?}"
    );
    totals.blocked += before.blocked;
    for (name, _, it) in case.tries() {
        let mut paths = seen.iter().flat_map(|(_, (_, asked))| asked);
        if paths.any(|asked| asked.path.starts_with(&format!("/{name}/"))) {
            totals.arrived.insert(it.attempt.name);
        }
    }
    Ok(())
}

#[test]
fn whatever_is_connected_to_was_seen_and_allowed_by_the_rules() {
    let cases_wanted = std::env::var(COUNT).ok().and_then(|count| count.parse().ok()).unwrap_or(USUAL);
    let (servers, names) = (Servers::new(), Arc::new(NameServer::default()));
    let engine = support::new_engine(|config| {
        config.allow.clear();
        config.resolver = names.clone();
    });
    let totals = std::cell::RefCell::new(Totals::default());
    let config =
        Config { cases: cases_wanted, failure_persistence: None, max_shrink_iters: 200, ..Config::default() };
    let mut runner = TestRunner::new(config);
    for round in 1..=MOST_ROUNDS {
        let result = runner.run(&cases(), |case| {
            names.set(&case.rules);
            let longest = LONGEST * round;
            runtime().block_on(check(&engine, &servers, &case, longest, &mut totals.borrow_mut()))
        });
        if let Err(failed) = result {
            panic!("{failed}");
        }
        if totals.borrow().show_something() {
            break;
        }
    }
    runtime().block_on(engine.close(Front::Library));
    let totals = totals.into_inner();
    assert!(totals.show_something(), "{totals:?}");
    println!(
        "{cases_wanted} pages: {} connections, {} requests blocked, arrived by {:?}",
        totals.connections, totals.blocked, totals.arrived
    );
}

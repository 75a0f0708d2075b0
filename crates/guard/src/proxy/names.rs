//! Looking names up, once for everybody who wants to know, and remembering the answers for a while.
//!
//! A remembered answer is nothing that is trusted: addresses are checked for every connection, whenever they were found.

use std::{
    collections::HashMap,
    io,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use futures_util::future::BoxFuture;
use tokio::sync::{OnceCell, Semaphore};

/// How many names are remembered. A page can ask for as many as it likes.
const REMEMBERED: usize = 1024;
/// How many are looked up at once: each takes a thread of the runtime's while it lasts.
const AT_ONCE: usize = 32;
/// For how long it counts that there is none.
const BAD_FOR: Duration = Duration::from_secs(2);
/// For how long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(15);

/// Somebody who knows where names lead.
pub trait Resolve: Send + Sync {
    /// The addresses of a name, best first.
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The operating system, with its files, search lists and name servers.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Resolve for System {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let mut found: Vec<IpAddr> = Vec::new();
            for address in tokio::net::lookup_host((name, 0)).await? {
                if !found.contains(&address.ip()) {
                    found.push(address.ip());
                }
            }
            Ok(found)
        })
    }
}

/// Why a name has no address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// There is none, in the system's words.
    NotFound(String),
    /// Nobody said in time.
    Timeout,
}

type Answer = Result<Vec<IpAddr>, Lost>;

#[derive(Debug)]
struct Remembered {
    since: Instant,
    answer: OnceCell<Answer>,
}

impl Remembered {
    fn is_fresh(&self, good_for: Duration) -> bool {
        let lifetime = match self.answer.get() {
            Some(Err(_)) => BAD_FOR.min(good_for),
            // One that is still being looked up is waited for.
            _ => good_for,
        };
        self.since.elapsed() < lifetime
    }
}

/// The names of a session.
pub(crate) struct Names {
    resolver: Arc<dyn Resolve>,
    remembered: Mutex<HashMap<String, Arc<Remembered>>>,
    turns: Semaphore,
    /// For how long an answer counts. The system does not tell how long it is meant to.
    good_for: Duration,
}

impl Names {
    pub(crate) fn new(resolver: Arc<dyn Resolve>, good_for: Duration) -> Names {
        Names { resolver, remembered: Mutex::default(), turns: Semaphore::new(AT_ONCE), good_for }
    }

    fn remembered(&self) -> MutexGuard<'_, HashMap<String, Arc<Remembered>>> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where a name leads.
    pub(crate) async fn find(&self, name: &str) -> Answer {
        let entry = self.entry(name);
        let look_up = || async {
            // The semaphore is never closed; if it were, names would still be found.
            let _turn = self.turns.acquire().await;
            match tokio::time::timeout(PATIENCE, self.resolver.resolve(name)).await {
                Ok(Ok(found)) if found.is_empty() => Err(Lost::NotFound("no address".into())),
                Ok(Ok(found)) => Ok(found),
                Ok(Err(error)) => Err(Lost::NotFound(error.to_string())),
                Err(_) => Err(Lost::Timeout),
            }
        };
        entry.answer.get_or_init(look_up).await.clone()
    }

    /// Has it looked up anew the next time, since nobody was there.
    pub(crate) fn forget(&self, name: &str) {
        self.remembered().remove(name);
    }

    fn entry(&self, name: &str) -> Arc<Remembered> {
        let mut remembered = self.remembered();
        if let Some(entry) = remembered.get(name).filter(|entry| entry.is_fresh(self.good_for)) {
            return entry.clone();
        }
        if remembered.len() >= REMEMBERED {
            remembered.retain(|_, entry| entry.is_fresh(self.good_for));
        }
        if remembered.len() >= REMEMBERED {
            let oldest = remembered.iter().min_by_key(|(_, entry)| entry.since).map(|(name, _)| name.clone());
            oldest.map(|name| remembered.remove(&name));
        }
        let entry = Arc::new(Remembered { since: Instant::now(), answer: OnceCell::new() });
        remembered.insert(name.to_owned(), entry.clone());
        entry
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use super::*;

    struct Counting(AtomicUsize);

    impl Resolve for Counting {
        fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
            self.0.fetch_add(1, SeqCst);
            Box::pin(async move {
                tokio::task::yield_now().await;
                match name {
                    "nowhere" => Err(io::Error::other("no such name")),
                    _ => Ok(vec![[127, 0, 0, 1].into()]),
                }
            })
        }
    }

    #[tokio::test]
    async fn a_name_is_looked_up_once_for_all_who_ask() {
        let resolver = Arc::new(Counting(AtomicUsize::new(0)));
        let names = Names::new(resolver.clone(), Duration::from_secs(60));
        let found = futures_util::future::join_all((0..20).map(|_| names.find("a.example"))).await;
        assert!(found.iter().all(Result::is_ok));
        assert_eq!(resolver.0.load(SeqCst), 1);
        let lost = futures_util::future::join_all((0..20).map(|_| names.find("nowhere"))).await;
        assert!(lost.iter().all(|it| *it == Err(Lost::NotFound("no such name".into()))));
        assert_eq!(resolver.0.load(SeqCst), 2);
        names.forget("a.example");
        assert!(names.find("a.example").await.is_ok());
        assert_eq!(resolver.0.load(SeqCst), 3);
    }

    #[tokio::test]
    async fn no_more_names_are_remembered_than_that() {
        let names = Names::new(Arc::new(Counting(AtomicUsize::new(0))), Duration::from_secs(60));
        for number in 0..REMEMBERED + 10 {
            assert!(names.find(&format!("n{number}.example")).await.is_ok());
        }
        assert_eq!(names.remembered().len(), REMEMBERED);
        assert!(names.remembered().contains_key(&format!("n{}.example", REMEMBERED + 9)), "the newest stay");
    }
}

//! The way that a session's pages reach networks, and the only one they have.
//!
//! Browsers of ours go through a proxy of their session's own, which connects to nothing that the rules forbid. It cannot tell a page in a
//! tab from a picture in a page; so where there is a list of domains for tabs, the requests for pages are held back for a look as well.
//! Frames inside of a page are not held back: they are part of the page, as pictures are. Somebody else's browser has its own way to
//! networks: there every request is held back until it was judged, which is less: websockets and WebRTC are not held back, nor
//! always what a sandboxed frame or a shared worker asks for in its first moment.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use cdp::{Channel, Pending, protocol as p};
use contract::{Code, Error, NetworkRequest, Result};
use guard::{
    Place, Purpose, Refusal,
    proxy::{Counts, Incident, Incidents, Judge, Mark, Proxy, Resolve, Rules, Setup, Trouble},
};
use serde_json::json;
use url::Url;

use crate::{emulation::Receiver, navigate, tab::Stopped};

/// What Chromium says of a tunnel that the proxy did not open, and of a request that we did not let go on.
const NOT_TOLD: [&str; 2] = ["net::ERR_TUNNEL_CONNECTION_FAILED", "net::ERR_BLOCKED_BY_CLIENT"];
/// And of one that the proxy left without an answer, since there was no server; but servers do that, too.
const UNANSWERED: &str = "net::ERR_EMPTY_RESPONSE";
/// And of one whose server gave no answer, which the proxy says in a way that no browser takes (`answer::unreadable`).
const UNREADABLE: &str = "net::ERR_RESPONSE_HEADERS_MULTIPLE_LOCATION";

/// Flags for every browser of ours: nothing gets past the proxy. (QUIC is off in every browser that `cdp` starts.)
const FLAGS: [&str; 4] = [
    // Not even what is on this computer.
    "--proxy-bypass-list=<-loopback>",
    // The proxy looks names up. Nobody else does, whatever asks for it.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--dns-prefetch-disable",
    // Newer versions know this name only, older ones only that with `force` before it, which `cdp` gives. Without it packets get out.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
];

/// The way to networks of one session.
pub(crate) struct Egress {
    way: Way,
    /// Up to where callers were told what was blocked.
    told: Mutex<Mark>,
}

enum Way {
    Through(Proxy),
    Watched { judge: Judge, incidents: Incidents },
}

/// What is held back for a look.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    Nothing,
    Pages,
    Everything,
}

impl Egress {
    /// Through a proxy of its own.
    pub(crate) async fn through_proxy(rules: Rules, resolver: Arc<dyn Resolve>) -> Result<Arc<Egress>> {
        let setup = Setup { upstream: rules.upstream, resolver, ..Setup::new(rules.places) };
        let proxy = Proxy::start_with(setup).await?;
        Ok(Arc::new(Egress { way: Way::Through(proxy), told: Mutex::default() }))
    }

    /// By the way of somebody else's browser.
    pub(crate) fn watched(rules: Rules, resolver: Arc<dyn Resolve>) -> Arc<Egress> {
        let way = Way::Watched { judge: Judge::new(rules.places, resolver), incidents: Incidents::default() };
        Arc::new(Egress { way, told: Mutex::default() })
    }

    /// From now on these rules hold.
    pub(crate) fn set_rules(&self, rules: Rules) {
        if let Way::Through(proxy) = &self.way {
            proxy.set_rules(rules);
        }
    }

    /// Nothing goes this way any more once this is over.
    pub(crate) async fn end(&self) {
        if let Way::Through(proxy) = &self.way {
            proxy.end().await;
        }
    }

    /// Where browsers find the proxy.
    pub(crate) fn proxy_server(&self) -> Option<String> {
        match &self.way {
            Way::Through(proxy) => Some(format!("http://{}", proxy.address())),
            Way::Watched { .. } => None,
        }
    }

    /// The flags of a browser whose own context goes this way.
    pub(crate) fn flags(&self) -> Vec<String> {
        let server = self.proxy_server().map(|server| format!("--proxy-server={server}"));
        FLAGS.iter().map(|&flag| flag.into()).chain(server).collect()
    }

    /// What went through the proxy so far, where there is one.
    pub(crate) fn counts(&self) -> Option<Counts> {
        match &self.way {
            Way::Through(proxy) => Some(proxy.counts()),
            Way::Watched { .. } => None,
        }
    }

    fn incidents(&self) -> &Incidents {
        match &self.way {
            Way::Through(proxy) => proxy.incidents(),
            Way::Watched { incidents, .. } => incidents,
        }
    }

    fn held(&self) -> Held {
        match &self.way {
            Way::Watched { .. } => Held::Everything,
            Way::Through(proxy) => {
                let rules = proxy.rules();
                // Where nothing is allowed at all, there is nothing to tell apart.
                let tells_apart = rules.places.allowed_domains.is_some() && *rules != Rules::closed();
                if tells_apart { Held::Pages } else { Held::Nothing }
            }
        }
    }

    /// Whether all that pages and their workers ask for is held back.
    pub(crate) fn holds_everything(&self) -> bool {
        self.held() == Held::Everything
    }

    /// Whether a page that is asked for has to be judged before the browser asks for it.
    pub(crate) fn holds_pages(&self) -> bool {
        self.held() != Held::Nothing
    }

    /// Tells a page, frame or worker to hold back what has to be judged.
    pub(crate) fn hold(&self, channel: &Channel, receiver: Receiver) -> Option<Pending<p::FetchEnable>> {
        let pattern = match (self.held(), receiver) {
            (Held::Nothing, _) | (Held::Pages, Receiver::Frame) => return None,
            (Held::Pages, Receiver::Page) => json!({"urlPattern": "*", "resourceType": "Document"}),
            (Held::Everything, _) => json!({"urlPattern": "*"}),
        };
        Some(channel.post(p::FetchEnable { patterns: vec![pattern] }))
    }

    /// Judges a request that was held back, and lets it go on or not. `page` is the main frame of the tab that it comes from.
    pub(crate) async fn answer(&self, channel: &Channel, paused: p::RequestPaused, page: Option<&str>) {
        let request_id = paused.request_id.clone();
        match self.check(&paused, page).await {
            Ok(()) => drop(channel.post(p::ContinueRequest { request_id })),
            Err(_) => {
                let error_reason = "BlockedByClient".into();
                drop(channel.post(p::FailRequest { request_id, error_reason }));
            }
        }
    }

    /// Whether a request that was held back may go on. One that may not is an incident.
    pub(crate) async fn check(
        &self,
        paused: &p::RequestPaused,
        page: Option<&str>,
    ) -> Result<(), Box<Refusal>> {
        let is_page = paused.resource_type == "Document" && Some(&*paused.frame_id) == page;
        let purpose = if is_page { Purpose::Navigation } else { Purpose::Resource };
        // What is not of the web goes nowhere. The browser decides who may have it.
        let Ok(url) = Url::parse(&paused.request.url) else { return Ok(()) };
        if !matches!(url.scheme(), "http" | "https" | "ws" | "wss") {
            return Ok(());
        }
        // A page may put credentials into the address of a request; they do not change where it goes.
        let url = without_user_info(url);
        let judged = match &self.way {
            Way::Through(_) if !is_page => Ok(()),
            // Where the name leads, the proxy will see.
            Way::Through(proxy) => {
                proxy.rules().places.check_url(&url, purpose).map(drop).map_err(Trouble::from)
            }
            Way::Watched { judge, .. } => judge.judge(&url, purpose).await.map(drop),
        };
        match judged {
            Err(Trouble::Blocked(refusal)) => {
                let incident = Incident {
                    place: place_of(&url),
                    url: without_query(url),
                    trouble: refusal.clone().into(),
                    at: SystemTime::now(),
                };
                self.incidents().add(incident);
                Err(Box::new(refusal))
            }
            // What cannot be reached, the browser finds out for itself.
            _ => Ok(()),
        }
    }

    /// The error of a page that the guard stopped, or the proxy could not get. `said` is what the browser says of it, `stopped` what the
    /// proxy itself answered.
    pub(crate) fn error(
        &self,
        address: &str,
        stopped: Option<&Stopped>,
        said: Option<&str>,
    ) -> Option<Error> {
        // Where there is no proxy, its mark is a server's own invention.
        if stopped.is_some() && said.is_none() && matches!(self.way, Way::Watched { .. }) {
            return None;
        }
        // Of a page that is loaded again, the browser may say nothing at all.
        if stopped.is_none() && said.is_some_and(|said| !NOT_TOLD.contains(&said)) {
            return None;
        }
        let newest = place_of_address(address).and_then(|place| self.incidents().newest_at(&place));
        let (word, refusal) = match (&newest, stopped) {
            (Some(incident), _) => (incident.trouble.word(), incident.is_blocked().then(|| incident.error())),
            (None, Some(stopped)) => (&*stopped.word, stopped.error()),
            (None, None) => return None,
        };
        Some(refusal.unwrap_or_else(|| {
            let cause = Trouble::in_browsers_words(word).or(said).unwrap_or("the proxy gave no reason");
            navigate::failed(address, cause)
        }))
    }

    /// Says of a request why it failed, where only the guard knows.
    pub(crate) fn explain(&self, mut request: NetworkRequest) -> NetworkRequest {
        let Some(error) = &request.error else { return request };
        // Sockets have words of their own for everything.
        let is_not_told = request.kind == "websocket" || NOT_TOLD.iter().any(|said| error.starts_with(said));
        let incident = match place_of_address(&request.url).filter(|_| is_not_told) {
            Some(place) => self.incidents().newest_at(&place),
            // Nor is it told what the answer to a picture was that is none, or why there was none at all.
            None => {
                let url = request.url.split(['?', '#']).next().unwrap_or_default();
                let is_unanswered = [UNANSWERED, UNREADABLE].iter().any(|said| error.starts_with(said));
                self.incidents().newest_of(url).filter(|incident| incident.is_blocked() != is_unanswered)
            }
        };
        if let Some(incident) = incident {
            request.error = Some(match &incident.trouble {
                Trouble::Blocked(refusal) => format!("blocked: {refusal}"),
                trouble => Trouble::in_browsers_words(trouble.word()).unwrap_or(trouble.word()).into(),
            });
        }
        request
    }

    /// Whoever gets an error need not hear once more of what is in it.
    pub(crate) fn told(&self, error: &Error) {
        if error.code == Code::NavigationBlocked {
            drop(self.take_blocked());
        }
    }

    /// What was blocked since callers were last told of it, and how many more there were.
    pub(crate) fn take_blocked(&self) -> (Vec<Incident>, u64) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.incidents().mark();
        if now == *told {
            return (Vec::new(), 0);
        }
        let since = self.incidents().since(std::mem::replace(&mut *told, now));
        (since.incidents.into_iter().filter(Incident::is_blocked).collect(), since.missed)
    }
}

fn place_of(url: &Url) -> Option<Place> {
    let default_port = if matches!(url.scheme(), "https" | "wss") { 443 } else { 80 };
    Place::read(url.host_str()?, url.port().unwrap_or(default_port)).ok()
}

fn place_of_address(address: &str) -> Option<Place> {
    place_of(&Url::parse(address).ok()?)
}

fn without_user_info(mut url: Url) -> Url {
    // Addresses of the web always can be without.
    _ = url.set_username("");
    _ = url.set_password(None);
    url
}

fn without_query(mut url: Url) -> String {
    url.set_query(None);
    url.set_fragment(None);
    url.into()
}

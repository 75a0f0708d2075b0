//! Getting a connection to a place: its name is checked, looked up, all its addresses are checked, and one of those is connected to.

use std::{io, net::SocketAddr, time::Duration};

use futures_util::{StreamExt, stream::FuturesUnordered};
use tokio::{net::TcpStream, time::timeout};
use url::Host;

use super::{
    Trouble, Upstream,
    judge::{Found, Judge, Rules},
    upstream::{Goal, Kind},
};
use crate::{Checked, Place, Purpose, Reason, Refusal};

/// How long an address is waited for before the next one is tried beside it (RFC 8305, 5).
const HEAD_START: Duration = Duration::from_millis(250);
/// How many addresses of a name are tried. Whoever owns a name can give it thousands that nobody answers at, and each that is waited for
/// is an open file of ours.
const MOST_TRIED: usize = 8;

/// What a connection is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// Requests that we write ourselves.
    Requests,
    /// Bytes that are nobody's business.
    Tunnel,
}

/// A connection.
pub(crate) struct Reached {
    pub(crate) stream: TcpStream,
    /// Requests have to be written for a proxy: with whole addresses, and with these credentials of ours.
    pub(crate) for_proxy: Option<ForProxy>,
}

/// What a proxy wants to have with every request.
#[derive(Clone)]
pub(crate) struct ForProxy {
    pub(crate) authorization: Option<String>,
}

/// Makes the connections of a session.
pub(crate) struct Dialer {
    pub(crate) judge: Judge,
    /// For how long a connection is waited for.
    pub(crate) patience: Duration,
    /// Where the proxy itself listens.
    pub(crate) own: SocketAddr,
}

impl Dialer {
    pub(crate) async fn reach(&self, place: &Place, want: Want) -> Result<Reached, Trouble> {
        let rules = self.judge.rules();
        match (self.find(&rules, place).await?, &rules.upstream) {
            (Found::Addresses(checked), Some(upstream)) if checked.iter().all(Checked::is_public) => {
                self.reach_through(upstream, place, checked.first(), want).await
            }
            (Found::Addresses(checked), _) => self.reach_directly(place, &checked).await,
            (Found::Unknown, Some(upstream)) => self.reach_through(upstream, place, None, want).await,
            (Found::Unknown, None) => Err(Trouble::NameNotFound(format!("{} has no address", place.host()))),
        }
    }

    /// Whether connections can be made in the user's name.
    pub(crate) fn has_credentials(&self) -> bool {
        self.judge.rules().upstream.as_ref().is_some_and(|upstream| upstream.authorization().is_some())
    }

    async fn find(&self, rules: &Rules, place: &Place) -> Result<Found, Trouble> {
        let found = self.judge.find(rules, place, Purpose::Any).await?;
        if let Found::Addresses(checked) = &found
            && checked.iter().any(|checked| self.is_own(checked.address()))
        {
            return Err(Refusal { place: place.to_string(), reason: Reason::Itself }.into());
        }
        Ok(found)
    }

    fn is_own(&self, address: SocketAddr) -> bool {
        let ip = address.ip();
        address.port() == self.own.port() && (ip.is_loopback() || ip.is_unspecified())
    }

    async fn reach_directly(&self, place: &Place, checked: &[Checked]) -> Result<Reached, Trouble> {
        match timeout(self.patience, race(&worth_trying(checked))).await {
            Ok(Ok(stream)) => Ok(Reached { stream, for_proxy: None }),
            failed => {
                // It may have moved.
                if let Host::Domain(name) = place.host() {
                    self.judge.names().forget(name);
                }
                Err(match failed {
                    Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => {
                        Trouble::Refused(format!("{place} refuses connections"))
                    }
                    Ok(Err(error)) => Trouble::Unreachable(format!("{place} cannot be reached: {error}")),
                    _ => Trouble::Timeout(format!("{place} did not answer in time")),
                })
            }
        }
    }

    async fn reach_through(
        &self,
        upstream: &Upstream,
        place: &Place,
        checked: Option<&Checked>,
        want: Want,
    ) -> Result<Reached, Trouble> {
        let connect = async {
            let mut stream = race(&self.addresses_of(upstream).await?).await?;
            // A proxy takes the host of such a request from its address and not from its `Host` (RFC 9112, 3.2.2), so this is for names alone.
            // To a checked address we have it open a tunnel for these as well: in there, `Host` is the page's.
            if upstream.kind() == Kind::HttpNames && want == Want::Requests {
                let for_proxy = Some(ForProxy { authorization: upstream.authorization() });
                return Ok(Reached { stream, for_proxy });
            }
            let goal = match (upstream.kind(), checked, place.host()) {
                (Kind::Http | Kind::Socks5, Some(checked), _) => Goal::Address(checked.address().ip()),
                (_, _, Host::Domain(name)) => Goal::Name(name),
                (_, _, Host::Ipv4(address)) => Goal::Address((*address).into()),
                (_, _, Host::Ipv6(address)) => Goal::Address((*address).into()),
            };
            upstream.tunnel(&mut stream, goal, place.port()).await?;
            Ok(Reached { stream, for_proxy: None })
        };
        match timeout(self.patience, connect).await {
            Ok(Ok(reached)) => Ok(reached),
            Ok(Err(error)) => {
                let error: io::Error = error;
                Err(Trouble::Unreachable(format!("{place} cannot be reached through {upstream}: {error}")))
            }
            Err(_) => Err(Trouble::Timeout(format!("{place} did not answer in time through {upstream}"))),
        }
    }

    /// Where the user's own proxy is. The user says so, not a page, so no rule is asked.
    async fn addresses_of(&self, upstream: &Upstream) -> io::Result<Vec<SocketAddr>> {
        let found = match upstream.host() {
            Host::Ipv4(address) => vec![(*address).into()],
            Host::Ipv6(address) => vec![(*address).into()],
            Host::Domain(name) => match self.judge.names().find(name).await {
                Ok(found) => found,
                Err(_) => return Err(io::Error::other("it has no address")),
            },
        };
        Ok(found.into_iter().map(|address| SocketAddr::new(address, upstream.port())).collect())
    }
}

/// The addresses to try, both versions in turn (RFC 8305, 4), so that one that leads nowhere does not take all the room.
fn worth_trying(checked: &[Checked]) -> Vec<SocketAddr> {
    let first_is_v6 = checked.first().is_some_and(|it| it.address().is_ipv6());
    let (ours, others): (Vec<_>, Vec<_>) =
        checked.iter().map(Checked::address).partition(|address| address.is_ipv6() == first_is_v6);
    let mut tried: Vec<(usize, SocketAddr)> =
        ours.into_iter().enumerate().chain(others.into_iter().enumerate()).collect();
    // Stable, so the first of each pair is of the version that the system would rather have.
    tried.sort_by_key(|(turn, _)| *turn);
    tried.into_iter().map(|(_, address)| address).take(MOST_TRIED).collect()
}

/// Connects to whichever answers first. Each gets a head start on the next.
async fn race(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    let mut waiting = addresses.iter();
    let mut running = FuturesUnordered::new();
    let mut failed = io::Error::other("it has no address");
    loop {
        let started = waiting.next();
        if let Some(address) = started {
            running.push(TcpStream::connect(*address));
        } else if running.is_empty() {
            return Err(failed);
        }
        let next = running.next();
        let ended = match started {
            // The last one has all the time that there is.
            None => next.await,
            Some(_) if waiting.len() == 0 => next.await,
            Some(_) => timeout(HEAD_START, next).await.unwrap_or_default(),
        };
        match ended {
            Some(Ok(stream)) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Some(Err(error)) => failed = error,
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::Places;

    #[test]
    fn few_of_many_addresses_are_tried_and_both_versions_among_them() {
        let place = Place::read("many.example", 80).unwrap();
        let check = |found: &[IpAddr]| {
            let checked = Places::default().check_addresses(&place, found).unwrap();
            worth_trying(&checked)
                .iter()
                .map(|address| address.ip().to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let v4 = |last: u8| IpAddr::from([93, 184, 216, last]);
        let v6 = |last: u16| IpAddr::from([0x2606, 0x4700, 0, 0, 0, 0, 0, last]);
        assert_eq!(check(&[v4(1)]), "93.184.216.1");
        assert_eq!(check(&[v6(1), v6(2), v4(1)]), "2606:4700::1 93.184.216.1 2606:4700::2");
        let many: Vec<IpAddr> = (1..=100).map(v6).chain((1..=100).map(v4)).collect();
        assert_eq!(check(&many).split(' ').count(), MOST_TRIED);
        assert!(check(&many).contains("93.184.216.1 "), "{}", check(&many));
    }
}

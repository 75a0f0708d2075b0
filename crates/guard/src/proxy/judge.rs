//! Judging places with all that can be found out about them, name servers included. The proxy asks before it connects; whoever only wants
//! to know, or can only watch a browser and not hold it, asks the same and gets the same answer.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use url::Url;

use super::{
    Trouble, Upstream,
    names::{Lost, Names, Resolve},
    upstream::Kind,
};
use crate::{Checked, Place, Places, Purpose, Reason, Refusal, Whereabouts, WhyAllowed};

/// Knows the rules and where names lead.
pub struct Judge {
    rules: RwLock<Arc<Rules>>,
    names: Names,
}

/// What holds for connections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// What may be connected to.
    pub places: Arc<Places>,
    /// The proxy that the user is behind, which may know names that we do not.
    pub upstream: Option<Upstream>,
}

impl Rules {
    /// Nothing may be connected to.
    pub fn closed() -> Rules {
        Rules { places: Arc::new(Places::nothing()), upstream: None }
    }
}

/// What is known of a place that may be connected to.
pub(crate) enum Found {
    /// These addresses.
    Addresses(Vec<Checked>),
    /// Only its name, which the user's proxy will look up.
    Unknown,
}

impl Judge {
    /// Judges by these rules. Names are remembered for a minute.
    pub fn new(places: Arc<Places>, resolver: Arc<dyn Resolve>) -> Judge {
        Judge::with(Rules { places, upstream: None }, Names::new(resolver, Duration::from_secs(60)))
    }

    pub(crate) fn with(rules: Rules, names: Names) -> Judge {
        Judge { rules: RwLock::new(Arc::new(rules)), names }
    }

    /// The rules as they are now.
    pub fn rules(&self) -> Arc<Rules> {
        self.rules.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_rules(&self, rules: Rules) {
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
    }

    /// Whether an address may be loaded for this purpose, and why or why not.
    pub async fn judge(&self, url: &Url, purpose: Purpose) -> Result<WhyAllowed, Trouble> {
        let rules = self.rules();
        let Some(place) = rules.places.check_url(url, purpose)? else { return Ok(WhyAllowed::Nowhere) };
        match self.find(&rules, &place, purpose).await? {
            Found::Addresses(checked) => {
                Ok(checked.first().map_or(WhyAllowed::Nowhere, |it| it.why().clone()))
            }
            Found::Unknown => Ok(WhyAllowed::Unknown),
        }
    }

    /// The same as one line for people.
    pub async fn explain(&self, url: &Url, purpose: Purpose) -> String {
        match self.judge(url, purpose).await {
            Ok(why) => format!("allowed: {why}"),
            Err(Trouble::Blocked(refusal)) => format!("blocked: {refusal}; {}", refusal.hint()),
            Err(trouble) => format!("not blocked, but {trouble}"),
        }
    }

    /// Where a place is, once all of it has been checked.
    pub(crate) async fn find(
        &self,
        rules: &Rules,
        place: &Place,
        purpose: Purpose,
    ) -> Result<Found, Trouble> {
        // One that is only given addresses is not given a name, whoever knows it: nobody could check where that leads.
        let others_know = rules.upstream.as_ref().is_some_and(|upstream| upstream.kind().is_given_names());
        let places = &rules.places;
        places.check_name(place, purpose)?;
        let addresses = match place.whereabouts() {
            Whereabouts::Known(addresses) => addresses,
            Whereabouts::Ask(name) => match self.names.find(&name).await {
                Ok(addresses) => addresses,
                // Behind a proxy there may be no name server that knows of the world. Names of the own network are not for it to find.
                Err(_) if others_know && places.may_be_unknown(place) => return Ok(Found::Unknown),
                Err(_) if others_know => {
                    return Err(Refusal { place: place.to_string(), reason: Reason::LocalName }.into());
                }
                Err(Lost::Timeout) => {
                    return Err(Trouble::Timeout(format!("looking up {name} took too long")));
                }
                Err(Lost::NotFound(cause)) => {
                    let hint = match rules.upstream.as_ref().map(Upstream::kind) {
                        Some(Kind::Http | Kind::HttpNames) => {
                            "; if only the upstream proxy knows names, write http+names:// before its address"
                        }
                        Some(Kind::Socks5 | Kind::Socks5Names) => {
                            "; a socks5h:// proxy looks names up itself"
                        }
                        None => "",
                    };
                    return Err(Trouble::NameNotFound(format!("{name} has no address: {cause}{hint}")));
                }
            },
        };
        Ok(Found::Addresses(places.check_addresses(place, &addresses)?))
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }
}

//! Judging places with all that can be found out about them, name servers included. The proxy asks before it connects; whoever only wants
//! to know, or can only watch a browser and not hold it, asks the same and gets the same answer.

use std::{sync::Arc, time::Duration};

use url::Url;

use super::{
    Trouble,
    names::{Lost, Names, Resolve},
};
use crate::{Checked, Grant, Place, Places, Purpose, Reason, Refusal, Whereabouts};

/// Knows the rules and where names lead.
pub struct Judge {
    places: Arc<Places>,
    names: Names,
    /// Somebody else knows names that we do not: the proxy that the user is behind.
    others_know: bool,
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
        Judge::with(places, Names::new(resolver, Duration::from_secs(60)), false)
    }

    pub(crate) fn with(places: Arc<Places>, names: Names, others_know: bool) -> Judge {
        Judge { places, names, others_know }
    }

    /// Whether an address may be loaded for this purpose, and why or why not.
    pub async fn judge(&self, url: &Url, purpose: Purpose) -> Result<Grant, Trouble> {
        let Some(place) = self.places.check_url(url, purpose)? else { return Ok(Grant::Nowhere) };
        match self.find(&place, purpose).await? {
            Found::Addresses(checked) => Ok(checked.first().map_or(Grant::Nowhere, |it| it.grant().clone())),
            Found::Unknown => Ok(Grant::Unknown),
        }
    }

    /// The same as one line for people.
    pub async fn explain(&self, url: &Url, purpose: Purpose) -> String {
        match self.judge(url, purpose).await {
            Ok(grant) => format!("allowed: {grant}"),
            Err(Trouble::Blocked(refusal)) => format!("blocked: {refusal}; {}", refusal.hint()),
            Err(trouble) => format!("not blocked, but {trouble}"),
        }
    }

    /// Where a place is, once all of it has been checked.
    pub(crate) async fn find(&self, place: &Place, purpose: Purpose) -> Result<Found, Trouble> {
        self.places.check_name(place, purpose)?;
        let addresses = match place.whereabouts() {
            Whereabouts::Known(addresses) => addresses,
            Whereabouts::Ask(name) => match self.names.find(&name).await {
                Ok(addresses) => addresses,
                // Behind a proxy there may be no name server that knows of the world. Names of the own network are not for it to find.
                Err(_) if self.others_know && self.places.may_be_unknown(place) => return Ok(Found::Unknown),
                Err(_) if self.others_know => {
                    return Err(Refusal { place: place.to_string(), reason: Reason::LocalName }.into());
                }
                Err(Lost::Timeout) => {
                    return Err(Trouble::Timeout(format!("looking up {name} took too long")));
                }
                Err(Lost::NotFound(cause)) => {
                    return Err(Trouble::NameNotFound(format!("{name} has no address: {cause}")));
                }
            },
        };
        Ok(Found::Addresses(self.places.check_addresses(place, &addresses)?))
    }

    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }
}

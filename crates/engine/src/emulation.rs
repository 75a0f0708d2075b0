//! What pages are made to believe: size, device, language, time zone, place, network. One value holds for all tabs of a session.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use cdp::{Channel, protocol as p};
use clap::ValueEnum;
use contract::{Error, Result, Typed};
use futures_util::future::{BoxFuture, join_all};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout_at};

use crate::{
    Viewport,
    lift::{lift, timed_out},
};

/// What pages are made to believe. The default is to leave everything as the browser makes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Emulation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) viewport: Option<Viewport>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) mobile: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) touch: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) user_agent: Option<String>,
    /// `navigator.platform`, which goes with the user agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) platform: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) locale: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timezone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) geolocation: Option<Geolocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) color_scheme: Option<ColorScheme>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) reduced_motion: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) offline: bool,
    /// Headers of every request. Their values are secrets.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, Typed>,
}

/// A place on earth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Geolocation {
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
    /// In metres.
    pub(crate) accuracy: f64,
}

impl std::str::FromStr for Geolocation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
        let (latitude, longitude, accuracy) = match numbers.as_deref() {
            Some([latitude, longitude]) => (*latitude, *longitude, 10.0),
            Some([latitude, longitude, accuracy]) => (*latitude, *longitude, *accuracy),
            _ => (f64::NAN, 0.0, 0.0),
        };
        let exists = (-90.0..=90.0).contains(&latitude)
            && (-180.0..=180.0).contains(&longitude)
            && (0.0..=1e7).contains(&accuracy);
        match exists {
            true => Ok(Geolocation { latitude, longitude, accuracy }),
            false => Err(Error::invalid(format!("{text:?} is no place on earth")).with_hint(
                "write latitude,longitude such as 52.52,13.405, with the accuracy in metres as a third number if it matters",
            )),
        }
    }
}

/// The colours that a person prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum ColorScheme {
    /// Dark colours.
    Dark,
    /// Light colours.
    Light,
    /// Whatever the browser says by itself.
    None,
}

/// Whom something is said to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// A page.
    Page,
    /// A frame in a process of its own, which has no size to be set and does not know all that a page knows.
    Frame,
}

/// What the browser will say to commands that have been sent.
#[must_use]
pub(crate) struct Answers(Vec<BoxFuture<'static, cdp::Result<()>>>);

impl Answers {
    pub(crate) async fn by(self, deadline: Instant) -> Result<()> {
        let answers =
            timeout_at(deadline, join_all(self.0)).await.map_err(|_| timed_out("the page to change"))?;
        answers.into_iter().collect::<cdp::Result<()>>().map_err(lift)
    }
}

impl Emulation {
    /// Says what is different from before. Nothing is said that need not be.
    fn post(&self, before: &Emulation, channel: &Channel, receiver: Receiver) -> Answers {
        let mut posting = Posting { channel, receiver, answers: Vec::new() };
        if (self.viewport, self.mobile) != (before.viewport, before.mobile) && receiver == Receiver::Page {
            match self.viewport {
                Some(Viewport { width, height, scale: device_scale_factor }) => {
                    // Pages expect a screen that has room for them.
                    let (mobile, screen_width, screen_height) = (self.mobile, width, height);
                    let metrics = p::SetDeviceMetrics {
                        width,
                        height,
                        device_scale_factor,
                        mobile,
                        screen_width,
                        screen_height,
                    };
                    posting.post(metrics);
                }
                None => posting.post(p::ClearDeviceMetrics {}),
            }
        }
        if self.touch != before.touch {
            let max_touch_points = self.touch.then_some(5);
            posting.post(p::SetTouchEmulation { enabled: self.touch, max_touch_points });
        }
        let identity = |emulation: &Emulation| {
            (emulation.user_agent.clone(), emulation.platform.clone(), emulation.locale.clone())
        };
        if identity(self) != identity(before) {
            posting.post(p::SetUserAgent {
                // The browser's own if it is empty. With another one it sends no client hints, which would contradict it.
                user_agent: self.user_agent.clone().unwrap_or_default(),
                accept_language: Some(self.locale.as_deref().map(languages).unwrap_or_default()),
                platform: Some(self.platform.clone().unwrap_or_default()),
            });
        }
        if self.locale != before.locale {
            posting.post_shared(p::SetLocale { locale: Some(self.locale.clone().unwrap_or_default()) });
        }
        if self.timezone != before.timezone {
            posting.post_shared(p::SetTimezone { timezone_id: self.timezone.clone().unwrap_or_default() });
        }
        if self.geolocation != before.geolocation {
            match self.geolocation {
                Some(Geolocation { latitude, longitude, accuracy }) => {
                    posting.post(p::SetGeolocation { latitude, longitude, accuracy });
                }
                None => posting.post(p::ClearGeolocation {}),
            }
        }
        if (self.color_scheme, self.reduced_motion) != (before.color_scheme, before.reduced_motion) {
            posting.post(p::SetEmulatedMedia { features: self.media_features() });
        }
        if self.offline != before.offline {
            posting.post(p::EmulateNetwork {
                offline: self.offline,
                latency: 0.0,
                download_throughput: -1.0,
                upload_throughput: -1.0,
            });
        }
        if self.headers != before.headers {
            let headers = self.headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned()));
            posting.post(p::SetExtraHeaders { headers: headers.collect() });
        }
        Answers(posting.answers)
    }

    fn media_features(&self) -> Vec<p::MediaFeature> {
        let feature = |name: &str, value: &str| p::MediaFeature { name: name.into(), value: value.into() };
        let colours = match self.color_scheme {
            Some(ColorScheme::Dark) => "dark",
            Some(ColorScheme::Light) => "light",
            Some(ColorScheme::None) | None => "",
        };
        let motion = if self.reduced_motion { "reduce" } else { "" };
        vec![feature("prefers-color-scheme", colours), feature("prefers-reduced-motion", motion)]
    }
}

/// The language, and after it the one that it is a kind of: `de-AT,de`, as browsers ask for it.
fn languages(locale: &str) -> String {
    match locale.split_once('-') {
        Some((language, _)) => format!("{locale},{language}"),
        None => locale.to_owned(),
    }
}

/// Commands on their way to one target.
struct Posting<'a> {
    channel: &'a Channel,
    receiver: Receiver,
    answers: Vec<BoxFuture<'static, cdp::Result<()>>>,
}

impl Posting<'_> {
    fn post<C: p::CommandRow + 'static>(&mut self, command: C)
    where
        C::Reply: Send,
    {
        let (answer, receiver) = (self.channel.post(command), self.receiver);
        self.answers.push(Box::pin(async move {
            match answer.await {
                Err(cdp::Error::Refused { .. }) if receiver == Receiver::Frame => Ok(()),
                answer => answer.map(drop),
            }
        }));
    }

    /// What all pages of a process share. The browser refuses it to the second page; that has it by then, from the first.
    fn post_shared<C: p::CommandRow + 'static>(&mut self, command: C)
    where
        C::Reply: Send,
    {
        let answer = self.channel.post(command);
        self.answers.push(Box::pin(async move {
            match answer.await {
                Err(cdp::Error::Refused { .. }) => Ok(()),
                answer => answer.map(drop),
            }
        }));
    }
}

/// The value that holds now, shared by all who tell it to a page. It is told while it is locked, so that no page is told an older one
/// after a newer one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emulated(Arc<Mutex<Emulation>>);

impl Emulated {
    pub(crate) fn new(emulation: Emulation) -> Emulated {
        Emulated(Arc::new(Mutex::new(emulation)))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Emulation> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells all of it to a target that has just been made.
    pub(crate) fn tell(&self, channel: &Channel, receiver: Receiver) -> Answers {
        self.lock().post(&Emulation::default(), channel, receiver)
    }

    /// Makes another one hold and tells these targets.
    pub(crate) fn change(
        &self,
        now: &Emulation,
        targets: impl FnOnce() -> Vec<(Channel, Receiver)>,
    ) -> Vec<Answers> {
        let mut held = self.lock();
        let before = std::mem::replace(&mut *held, now.clone());
        let post = |(channel, receiver): (Channel, Receiver)| now.post(&before, &channel, receiver);
        targets().into_iter().map(post).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let check = |text: &str, wanted: Option<(f64, f64, f64)>| {
            let place = text.parse::<Geolocation>().ok();
            assert_eq!(
                place.map(|place| (place.latitude, place.longitude, place.accuracy)),
                wanted,
                "{text:?}"
            );
        };
        check("52.52,13.405", Some((52.52, 13.405, 10.0)));
        check("-33.9, 151.2, 5", Some((-33.9, 151.2, 5.0)));
        for bad in ["", "52", "91,0", "0,181", "0,0,-1", "a,b", "1,2,3,4", "nan,1", "inf,1"] {
            check(bad, None);
        }
    }

    #[test]
    fn languages_as_browsers_ask_for_them() {
        assert_eq!(languages("de-AT"), "de-AT,de");
        assert_eq!(languages("fr"), "fr");
    }

    #[test]
    fn values_of_headers_are_never_told() {
        let headers = BTreeMap::from([("x-key".to_owned(), Typed::from("hunter2"))]);
        let emulation = Emulation { headers, offline: true, ..Emulation::default() };
        let told = serde_json::to_value(&emulation).unwrap();
        assert_eq!(told, serde_json::json!({"offline": true, "headers": {"x-key": "[7 characters]"}}));
    }
}

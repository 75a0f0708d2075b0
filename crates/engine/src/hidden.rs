//! A page that nobody sees: it is at any origin that it is told to be, without a request leaving the browser. Only a place to reach what
//! that origin keeps.

use cdp::{Channel, Events, protocol as p};
use contract::{Code, Error, Result};
use serde_json::json;
use tokio::time::{Instant, timeout_at};

use crate::lift::{lift, timed_out};

/// A hidden page. It is closed when it is dropped.
pub(crate) struct HiddenPage {
    root: Channel,
    target_id: String,
    pub(crate) channel: Channel,
    events: Events,
}

impl HiddenPage {
    /// Takes over a page that waits to be told to go on. From then on no request of it leaves the browser.
    pub(crate) async fn start(
        root: Channel,
        target_id: String,
        (channel, events): (Channel, Events),
        deadline: Instant,
    ) -> Result<HiddenPage> {
        let page = HiddenPage { root, target_id, channel, events };
        let channel = &page.channel;
        let enable = channel.post(p::PageEnable {});
        let intercept = channel.post(p::FetchEnable { patterns: vec![json!({"urlPattern": "*"})] });
        // A service worker of the origin would answer in our place, and could ask the network.
        let network = channel.post(p::NetworkEnable::default());
        let bypass = channel.post(p::SetBypassServiceWorker { bypass: true });
        let go = channel.post(p::RunIfWaitingForDebugger {});
        enable.by(deadline).await.map_err(lift)?;
        intercept.by(deadline).await.map_err(lift)?;
        network.by(deadline).await.map_err(lift)?;
        bypass.by(deadline).await.map_err(lift)?;
        go.by(deadline).await.map_err(lift)?;
        Ok(page)
    }

    /// Goes to an empty page of the origin.
    pub(crate) async fn go_to(&mut self, origin: &str, deadline: Instant) -> Result<()> {
        let failed = |cause: String| {
            Error::new(Code::Internal, format!("what {origin} keeps cannot be reached")).with_cause(cause)
        };
        let navigate = self.channel.post(p::Navigate { url: format!("{origin}/"), transition_type: None });
        tokio::pin!(navigate);
        loop {
            let next = async {
                tokio::select! {
                    navigated = &mut navigate => Err(navigated),
                    event = self.events.next() => Ok(event),
                }
            };
            match timeout_at(deadline, next).await.map_err(|_| timed_out("a hidden page"))? {
                Err(navigated) => {
                    return match navigated.map_err(lift)?.error_text {
                        Some(error) => Err(failed(error)),
                        None => Ok(()),
                    };
                }
                Ok(None) => return Err(failed("the hidden page was closed".into())),
                Ok(Some(event)) => {
                    if let Some(paused) = event.read::<p::RequestPaused>() {
                        // Its answer is the end of the navigation.
                        drop(self.channel.post(empty(paused.request_id)));
                    }
                }
            }
        }
    }
}

/// An empty page, with an empty icon so that none is asked for.
fn empty(request_id: String) -> p::FulfillRequest {
    p::FulfillRequest {
        request_id,
        response_code: 200,
        response_headers: vec![
            json!({"name": "content-type", "value": "text/html"}),
            json!({"name": "content-security-policy", "value": "default-src 'none'"}),
        ],
        body: None,
    }
}

impl Drop for HiddenPage {
    fn drop(&mut self) {
        drop(self.root.post(p::CloseTarget { target_id: self.target_id.clone() }));
    }
}

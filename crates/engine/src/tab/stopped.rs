//! Answers that are the guard's own, and not the server's: how they are told apart.

use cdp::protocol as p;
use contract::{Code, Error};
use guard::proxy::{ERROR_HEADER, REASON_HEADER, Trouble};

/// Why there is no answer of the server's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stopped {
    /// The proxy's one word for it.
    pub(crate) word: String,
    reason: String,
}

impl Stopped {
    /// Reads the mark that the proxy puts on its own answers. Over plain HTTP no server can set it, since the proxy takes it off; what comes
    /// through a tunnel or from a service worker may say what it likes and is not believed.
    pub(crate) fn read(url: &str, headers: &p::Headers) -> Option<Stopped> {
        let text = |name: &str| {
            let header = headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name));
            header.and_then(|(_, value)| value.as_str()).map(str::to_owned)
        };
        let is_plain = url.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("http://"));
        is_plain.then(|| {
            Some(Stopped { word: text(ERROR_HEADER)?, reason: text(REASON_HEADER).unwrap_or_default() })
        })?
    }

    /// The same of an answer.
    pub(super) fn answer(response: &p::ResponseInfo) -> Option<Stopped> {
        if response.from_service_worker { None } else { Stopped::read(&response.url, &response.headers) }
    }

    /// As lists of requests say it.
    pub(super) fn told(&self) -> String {
        match Trouble::in_browsers_words(&self.word) {
            Some(words) => words.into(),
            None => format!("{}: {}", self.word, self.reason),
        }
    }

    /// The error of a page that the rules forbid.
    pub(crate) fn error(&self) -> Option<Error> {
        let is_blocked = Trouble::in_browsers_words(&self.word).is_none();
        is_blocked.then(|| Error::new(Code::NavigationBlocked, self.reason.clone()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_proxy_is_believed() {
        let check = |url: &str, from_service_worker: bool, headers: serde_json::Value| {
            let headers = serde_json::from_value(headers).unwrap();
            let response =
                p::ResponseInfo { url: url.into(), headers, from_service_worker, ..Default::default() };
            Stopped::answer(&response).map(|stopped| stopped.told())
        };
        let ours =
            json!({"X-Webhand-Error": "blocked", "x-webhand-reason": "10.0.0.7:80 is a private address"});
        let told = Some("blocked: 10.0.0.7:80 is a private address".to_owned());
        assert_eq!(check("http://10.0.0.7/", false, ours.clone()), told);
        assert_eq!(check("http://10.0.0.7/", true, ours.clone()), None);
        assert_eq!(check("https://10.0.0.7/", false, ours), None);
        assert_eq!(check("http://10.0.0.7/", false, json!({"content-type": "text/html"})), None);
        let lost = check("http://a.example/", false, json!({"x-webhand-error": "name-not-found"}));
        assert_eq!(lost.as_deref(), Some("net::ERR_NAME_NOT_RESOLVED"));
    }
}

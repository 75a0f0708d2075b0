//! A session's cookies and what origins keep, as a file: the shape that Playwright calls storage state.

use std::{io::Write, path::Path};

use contract::{Error, Result};
use guard::Files;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use crate::cookies;

/// The largest file that is read.
const LARGEST: u64 = 64 << 20;

/// What a file holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SavedState {
    #[serde(default)]
    pub(crate) cookies: Vec<SavedCookie>,
    #[serde(default)]
    pub(crate) origins: Vec<SavedOrigin>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedCookie {
    name: String,
    value: String,
    domain: String,
    path: String,
    /// Seconds since 1970; -1 for one that ends with the session.
    #[serde(default = "never")]
    expires: f64,
    #[serde(default)]
    http_only: bool,
    #[serde(default)]
    secure: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same_site: Option<String>,
    /// The site of the page that it is kept for, where cookies are kept apart by that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    partition_key: Option<String>,
    #[serde(default, rename = "_crHasCrossSiteAncestor", skip_serializing_if = "Option::is_none")]
    has_cross_site_ancestor: Option<bool>,
}

fn never() -> f64 {
    -1.0
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedOrigin {
    pub(crate) origin: String,
    #[serde(default)]
    pub(crate) local_storage: Vec<SavedItem>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedItem {
    pub(crate) name: String,
    pub(crate) value: String,
}

impl SavedCookie {
    /// From a cookie as the protocol has it.
    pub(crate) fn of(cookie: &Value) -> SavedCookie {
        let text = |name: &str| cookie[name].as_str().unwrap_or_default().to_owned();
        let key = &cookie["partitionKey"];
        SavedCookie {
            name: text("name"),
            value: text("value"),
            domain: text("domain"),
            path: text("path"),
            expires: cookie["expires"].as_f64().unwrap_or(-1.0),
            http_only: cookie["httpOnly"] == true,
            secure: cookie["secure"] == true,
            same_site: cookie["sameSite"].as_str().map(str::to_owned),
            partition_key: key["topLevelSite"].as_str().map(str::to_owned),
            has_cross_site_ancestor: key["hasCrossSiteAncestor"].as_bool(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether a cookie, as the protocol has it, is this one.
    pub(crate) fn is_same(&self, cookie: &Value) -> bool {
        let bare = |domain: &str| domain.trim_start_matches('.').to_ascii_lowercase();
        cookie["name"] == *self.name
            && cookie["value"] == *self.value
            && cookie["path"] == *self.path
            && bare(cookie["domain"].as_str().unwrap_or_default()) == bare(&self.domain)
    }

    /// As the protocol takes it.
    pub(crate) fn param(&self) -> Value {
        let mut param = json!({
            "name": self.name, "value": self.value, "domain": self.domain, "path": self.path,
            "httpOnly": self.http_only, "secure": self.secure,
        });
        if self.expires >= 0.0 {
            param["expires"] = self.expires.into();
        }
        if let Some(same_site) = &self.same_site {
            param["sameSite"] = same_site.as_str().into();
        }
        if let Some(site) = &self.partition_key {
            let across = self.has_cross_site_ancestor.unwrap_or(false);
            param["partitionKey"] = json!({"topLevelSite": site, "hasCrossSiteAncestor": across});
        }
        param
    }
}

impl SavedState {
    /// Reads a file. One that is anything else is refused as a whole.
    pub(crate) fn read(files: &Files, path: &Path) -> Result<SavedState> {
        let bad = |cause: String| {
            Error::invalid(format!("{} is no saved state", path.display()))
                .with_cause(cause)
                .with_hint("name a file that `webhand state save` or Playwright's storageState wrote")
        };
        let bytes = files.read(path, LARGEST)?;
        let text = String::from_utf8(bytes).map_err(|_| bad("it is no text".into()))?;
        SavedState::parse(&text).map_err(bad)
    }

    /// The reason, if it is none, says nothing of what is in the text.
    fn parse(text: &str) -> Result<SavedState, String> {
        let json: Value = serde_json::from_str(text).map_err(|error| {
            format!("it is not JSON, from line {} column {} on", error.line(), error.column())
        })?;
        if !json["cookies"].is_array() && !json["origins"].is_array() {
            return Err("it has neither a list of cookies nor one of origins".into());
        }
        let state: SavedState =
            serde_json::from_value(json).map_err(|_| "a cookie or an origin in it is not one".to_owned())?;
        for cookie in &state.cookies {
            if !cookies::is_domain(&cookie.domain) {
                return Err(format!("the cookie {:?} has no domain that can be", cookie.name));
            }
            if !matches!(cookie.same_site.as_deref(), None | Some("Strict" | "Lax" | "None")) {
                return Err(format!("sameSite of the cookie {:?} is none that there is", cookie.name));
            }
        }
        for saved in &state.origins {
            if origin_of(&saved.origin).as_deref() != Some(&*saved.origin) {
                return Err(format!("{:?} is no origin", contract::without_user_info(&saved.origin)));
            }
        }
        Ok(state)
    }

    /// Writes a file that only its owner can read. It is there as a whole or not at all.
    pub(crate) fn write(&self, files: &Files, path: &Path) -> Result<()> {
        let failed = |error: std::io::Error| {
            Error::invalid(format!("{} cannot be written", path.display()))
                .with_cause(error)
                .with_hint("name a file in a folder that can be written")
        };
        let text = serde_json::to_vec_pretty(self).map_err(|error| failed(error.into()))?;
        let mut file = files.place(path)?.begin_private()?;
        file.write_all(&text).map_err(failed)?;
        file.finish()
    }
}

/// The origin of an address, if it is one that keeps something: http or https.
pub(crate) fn origin_of(address: &str) -> Option<String> {
    let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_saved_state_and_what_is_not() {
        let check = |text: &str, wanted: bool| assert_eq!(SavedState::parse(text).is_ok(), wanted, "{text}");
        check(r#"{"cookies": [], "origins": []}"#, true);
        check(
            r#"{"cookies": [{"name": "a", "value": "b", "domain": "h", "path": "/", "expires": -1, "httpOnly": false,
            "secure": false, "sameSite": "Lax"}]}"#,
            true,
        );
        check(
            r#"{"origins": [{"origin": "https://h:8443", "localStorage": [{"name": "a", "value": "b"}], "indexedDB": []}]}"#,
            true,
        );
        for bad in [
            "",
            "[]",
            "{}",
            "not json",
            r#"{"cookies": {}}"#,
            r#"{"cookies": [1]}"#,
            r#"{"cookies": [{"name": "a"}]}"#,
            r#"{"cookies": [{"name": "a", "value": "b", "domain": "h", "path": "/", "sameSite": "Odd"}]}"#,
            r#"{"origins": [{"origin": "https://h/path"}]}"#,
            r#"{"origins": [{"origin": "file:///etc"}]}"#,
            r#"{"origins": [{"origin": "https://me:pw@h"}]}"#,
            r#"{"cookies": [], "origins": "none"}"#,
        ] {
            check(bad, false);
        }
        let error = SavedState::parse(r#"{"cookies": [{"name": "a", "value": {"secret": 1}}]}"#).unwrap_err();
        assert!(!error.contains("secret"), "{error}");
    }

    #[test]
    fn a_cookie_survives_the_file() {
        let cookie = json!({"name": "a", "value": "b", "domain": ".h", "path": "/", "expires": 2e9, "httpOnly": true,
            "secure": true, "sameSite": "None", "partitionKey": {"topLevelSite": "https://top", "hasCrossSiteAncestor": true}});
        let saved = serde_json::to_string(&SavedCookie::of(&cookie)).unwrap();
        let read: SavedCookie = serde_json::from_str(&saved).unwrap();
        assert_eq!(read.param(), cookie);
    }
}

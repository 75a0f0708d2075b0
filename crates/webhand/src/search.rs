//! Searching the web, through Brave's API: the one thing that tools ask for which is no page and no file. Only there with a key.

use std::{env, sync::Once, time::Duration};

use contract::{Code, Error, Result};
use serde_json::{Value, json};

/// Where searches are asked for, unless `BRAVE_API_URL` names another place that speaks the same way.
const ADDRESS: &str = "https://api.search.brave.com/res/v1/web/search";

/// How long an answer may take.
const TIME: Duration = Duration::from_secs(20);

/// How many results are handed on.
const MOST: usize = 10;

/// The key, if there is one.
pub(crate) fn key() -> Option<String> {
    env::var("BRAVE_API_KEY").ok().filter(|key| !key.is_empty())
}

/// Searches, and returns title, address and description of what was found. The key is in no error: it goes in a header.
pub(crate) async fn ask(query: &str) -> Result<Value> {
    let key = key().ok_or_else(|| {
        Error::new(Code::Unsupported, "there is no key for web searches").with_hint("set BRAVE_API_KEY")
    })?;
    let address =
        env::var("BRAVE_API_URL").ok().filter(|url| !url.is_empty()).unwrap_or_else(|| ADDRESS.into());
    let failed = |error: reqwest::Error| {
        Error::new(Code::NavigationFailed, "the search could not be made")
            .with_cause(error.without_url())
            .with_hint("check the key and the network, then try again")
    };
    with_encryption();
    let client = reqwest::Client::builder().timeout(TIME).build().map_err(failed)?;
    let asked = client
        .get(address)
        .query(&[("q", query)])
        .header("accept", "application/json")
        .header("x-subscription-token", key)
        .send()
        .await
        .and_then(reqwest::Response::error_for_status)
        .map_err(failed)?;
    Ok(results(&asked.json().await.map_err(failed)?))
}

/// What was found, without what only Brave's own pages need.
fn results(answer: &Value) -> Value {
    let found = answer["web"]["results"].as_array().into_iter().flatten().take(MOST);
    let result = |found: &Value| json!({"title": found["title"], "url": found["url"], "description": found["description"]});
    json!({"results": found.map(result).collect::<Vec<_>>()})
}

/// The library that encrypts has to be chosen once for the process.
fn with_encryption() {
    static CHOSEN: Once = Once::new();
    CHOSEN.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_title_address_and_description() {
        let found =
            json!({"title": "A", "url": "https://a.example/", "description": "about a", "favicon": "x"});
        let many = vec![found; 25];
        let told = results(&json!({"web": {"results": many}}));
        assert_eq!(told["results"].as_array().unwrap().len(), MOST);
        assert_eq!(
            told["results"][0],
            json!({"title": "A", "url": "https://a.example/", "description": "about a"})
        );
        assert_eq!(results(&json!({"web": null})), json!({"results": []}));
    }
}

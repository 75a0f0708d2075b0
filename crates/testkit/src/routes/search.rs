//! A search that answers by what was asked, for pages that fetch while one types.

use axum::http::header;
use axum::response::IntoResponse;

use super::Rejection;
use super::params::{self, Params};

/// What can be found.
const CITIES: [&str; 8] =
    ["Berlin", "Bergen", "Bern", "Cherry Hill", "Lisbon", "London", "Paris", "Reykjavík"];

/// `/search?q=TEXT&ms=N`: the names that contain the text, in whatever case, as a JSON array; after the delay.
pub(super) async fn search(params: Params) -> Result<impl IntoResponse, Rejection> {
    tokio::time::sleep(params::delay(&params)?).await;
    let wanted = params::text(&params, "q", "").to_lowercase();
    let found: Vec<&str> = CITIES.into_iter().filter(|city| city.to_lowercase().contains(&wanted)).collect();
    Ok(([(header::CONTENT_TYPE, "application/json")], serde_json::json!(found).to_string()))
}

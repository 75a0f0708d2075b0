//! A request's query by name, with defaults.

use std::collections::HashMap;
use std::time::Duration;

use axum::extract::Query;

use super::Rejection;

/// The query as the extractor hands it over; unknown names are welcome, so tests can make a URL their own.
pub(super) type Params = Query<HashMap<String, String>>;

pub(super) fn text<'a>(params: &'a Params, name: &str, default: &'a str) -> &'a str {
    params.get(name).map_or(default, String::as_str)
}

pub(super) fn number(params: &Params, name: &str, default: u32) -> Result<u32, Rejection> {
    let Some(value) = params.get(name) else { return Ok(default) };
    value.parse().map_err(|_| Rejection(format!("{name} is not a number: {value:?}")))
}

/// The delay asked for with `ms`.
pub(super) fn delay(params: &Params) -> Result<Duration, Rejection> {
    Ok(Duration::from_millis(number(params, "ms", 0)?.into()))
}

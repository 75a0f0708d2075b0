//! Attachments with content that tests can predict.

use std::convert::Infallible;
use std::future;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};

use super::params::{self, Params};
use super::{Rejection, header_value};

/// What a download of that many bytes contains: the alphabet, over and over.
pub fn download_bytes(length: usize) -> Vec<u8> {
    (b'a'..=b'z').cycle().take(length).collect()
}

/// `/download?name=N&bytes=B`: the name goes into the header as it is, `../../evil` included.
pub(super) async fn download(params: Params) -> Result<Response, Rejection> {
    attachment(&params, Duration::ZERO)
}

/// `/download-slow?name=N&bytes=B&ms=M`: half of it at once, the other half after the delay.
pub(super) async fn download_slow(params: Params) -> Result<Response, Rejection> {
    attachment(&params, params::delay(&params)?)
}

/// `/download-broken?name=N&bytes=B`: half of it, and then the connection ends.
pub(super) async fn download_broken(params: Params) -> Result<Response, Rejection> {
    let bytes = params::number(&params, "bytes", 1024)? as usize;
    // What was sent before has to be out first, or the answer itself never arrives.
    let broken = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        Err(std::io::Error::other("broken on request"))
    };
    let half = stream::once(future::ready(Ok(Bytes::from(download_bytes(bytes / 2)))));
    let headers = [
        (header::CONTENT_DISPOSITION, header_value("attachment; filename=\"broken.txt\"")?),
        (header::CONTENT_LENGTH, bytes.into()),
    ];
    Ok((headers, Body::from_stream(half.chain(stream::once(broken)))).into_response())
}

fn attachment(params: &Params, pause: Duration) -> Result<Response, Rejection> {
    let name = params::text(params, "name", "file.txt");
    let content = Bytes::from(download_bytes(params::number(params, "bytes", 1024)? as usize));
    let headers = [
        (header::CONTENT_TYPE, header_value("application/octet-stream")?),
        (header::CONTENT_DISPOSITION, header_value(&format!("attachment; filename=\"{name}\""))?),
        (header::CONTENT_LENGTH, content.len().into()),
    ];
    let (first, second) = (content.slice(..content.len() / 2), content.slice(content.len() / 2..));
    let second = async move {
        tokio::time::sleep(pause).await;
        Ok(second)
    };
    let halves = stream::once(future::ready(Ok::<_, Infallible>(first))).chain(stream::once(second));
    Ok((headers, Body::from_stream(halves)).into_response())
}

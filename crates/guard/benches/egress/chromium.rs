//! Chromium, which loads a page that measures itself.

use std::{net::SocketAddr, process::Stdio};

use tokio::{process::Command, sync::mpsc};

/// Starts one, has it load a page, and returns what that reports: milliseconds.
pub(crate) async fn browse(
    proxy: Option<SocketAddr>,
    page: &str,
    reported: &mut mpsc::UnboundedReceiver<Vec<f64>>,
) -> Vec<f64> {
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Command::new(testkit::browser());
    browser
        .args([
            "--headless=new",
            "--no-sandbox",
            "--no-first-run",
            "--disable-gpu",
            "--disable-background-networking",
        ])
        .arg(format!("--user-data-dir={}", folder.path().display()));
    match proxy {
        Some(proxy) => {
            browser.arg(format!("--proxy-server=http://{proxy}")).arg("--proxy-bypass-list=<-loopback>")
        }
        None => browser.arg("--no-proxy-server"),
    };
    let browser = browser.arg(page).stdin(Stdio::null()).stdout(Stdio::null());
    let mut browser = browser.stderr(Stdio::null()).kill_on_drop(true).spawn().unwrap();
    let times = reported.recv().await.unwrap();
    browser.kill().await.unwrap();
    times
}

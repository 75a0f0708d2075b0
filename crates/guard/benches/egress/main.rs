//! How fast it is through the proxy beside without it, in one run: each sample of the one is taken next to one of the other.
//!
//! `cargo bench -p webhand-guard` runs it. The rows of a browser are what counts, since browsers are what goes through it. Those of a
//! client that does nothing but read show what the proxy itself costs; client, proxy and server then share this computer's cores.
//! `cargo bench -p webhand-guard -- page` measures pages only.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot measure stops, and prints what it measured"
)]

mod bare;
mod chromium;
mod server;

use std::{net::SocketAddr, sync::Arc};

use guard::{Places, proxy::Proxy};
use tokio::{net::TcpListener, sync::mpsc};

use self::{
    bare::{Way, fetch},
    chromium::browse,
    server::{FILES, LOADS, serve},
};

const PAIRS: usize = 5;
const PAGE_PAIRS: usize = 9;

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// How it has to be.
enum Target {
    None,
    /// So much of the speed that there is without the proxy.
    Speed(f64),
    /// So many times as long at most.
    Time(f64),
}

fn row(name: &str, direct: Vec<f64>, proxied: Vec<f64>, target: Target) {
    let (direct, proxied) = (median(direct), median(proxied));
    let (speed, time) = (direct / proxied, proxied / direct);
    let met = |is_met: bool| if is_met { "met" } else { "MISSED" };
    let verdict = match target {
        Target::None => String::new(),
        Target::Speed(least) => format!("speed at least {least}: {}", met(speed >= least)),
        Target::Time(most) => format!("time at most {most}: {}", met(time <= most)),
    };
    println!("{name:<44} {direct:>9.1} {proxied:>9.1} {speed:>7.2} {time:>7.2}  {verdict}");
}

/// The n-th of what each browser reported.
fn nth(samples: &[Vec<f64>], at: usize) -> Vec<f64> {
    samples.iter().map(|it| it[at]).collect()
}

async fn files(proxy: SocketAddr, server: SocketAddr, reported: &mut mpsc::UnboundedReceiver<Vec<f64>>) {
    for (name, path, count) in [("1,000 small files", "/small", FILES), ("one large file", "/large", 1)] {
        for (kind, way) in [("proxied", Way::Proxy(proxy)), ("tunnelled", Way::Tunnel(proxy))] {
            let (mut direct, mut proxied) = (Vec::new(), Vec::new());
            for _ in 0..PAIRS {
                direct.push(fetch(Way::Direct, server, path, count).await.as_secs_f64() * 1000.0);
                proxied.push(fetch(way, server, path, count).await.as_secs_f64() * 1000.0);
            }
            row(&format!("{name}, {kind}, a bare client"), direct, proxied, Target::None);
        }
    }
    let (mut direct, mut proxied) = (Vec::new(), Vec::new());
    let page = format!("http://{server}/page");
    for _ in 0..PAIRS {
        direct.push(browse(None, &page, reported).await);
        proxied.push(browse(Some(proxy), &page, reported).await);
    }
    row("1,000 small files, Chromium", nth(&direct, 0), nth(&proxied, 0), Target::Speed(0.8));
    row("one large file, Chromium", nth(&direct, 1), nth(&proxied, 1), Target::Speed(0.8));
}

async fn pages(proxy: SocketAddr, server: SocketAddr, reported: &mut mpsc::UnboundedReceiver<Vec<f64>>) {
    let (mut direct, mut proxied) = (Vec::new(), Vec::new());
    let page = format!("http://{server}/parts");
    for _ in 0..PAGE_PAIRS {
        direct.push(browse(None, &page, reported).await);
        proxied.push(browse(Some(proxy), &page, reported).await);
    }
    row("a page of 200 requests, at first", nth(&direct, 0), nth(&proxied, 0), Target::Time(1.15));
    let again = |samples: &[Vec<f64>]| (1..LOADS).flat_map(|at| nth(samples, at)).collect();
    row("a page of 200 requests, again", again(&direct), again(&proxied), Target::Time(1.15));
}

#[tokio::main]
async fn main() {
    let listener = TcpListener::bind(("0.0.0.0", 0)).await.unwrap();
    let server = SocketAddr::from(([127, 0, 0, 1], listener.local_addr().unwrap().port()));
    let (reports, mut reported) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let reports = reports.clone();
            tokio::spawn(async move { _ = serve(stream, reports).await });
        }
    });
    let places = Places { allow: vec!["127.0.0.0/8".parse().unwrap()], ..Places::default() };
    let proxy = Proxy::start(Arc::new(places), None).await.unwrap();

    println!("{:<44} {:>9} {:>9} {:>7} {:>7}  target", "median ms", "direct", "proxy", "speed", "time");
    if !std::env::args().any(|argument| argument == "page") {
        files(proxy.address(), server, &mut reported).await;
    }
    pages(proxy.address(), server, &mut reported).await;
}

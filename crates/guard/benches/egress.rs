//! How fast it is through the proxy beside without it, in one run: each sample of the one is taken next to one of the other.
//!
//! `cargo bench -p webhand-guard` runs it. The rows of a browser are what counts, since browsers are what goes through it. Those of a
//! client that does nothing but read show what the proxy itself costs; client, proxy and server then share this computer's cores.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot measure stops, and prints what it measured"
)]

use std::{
    net::SocketAddr,
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use guard::{Places, proxy::Proxy};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    process::Command,
    sync::mpsc,
};

const FILES: usize = 1000;
const SMALL: usize = 8 * 1024;
const LARGE: usize = 200 * 1024 * 1024;
/// Browsers have six connections to a host.
const AT_ONCE: usize = 6;
const PAIRS: usize = 5;

const PAGE: &str = r"<!doctype html><script>
const small = async () => {
  let next = 0;
  const one = async () => { while (next < FILES) await (await fetch('/small?' + Math.random() + next++)).arrayBuffer(); };
  const began = performance.now();
  await Promise.all(Array.from({length: AT_ONCE}, one));
  return performance.now() - began;
};
const large = async () => {
  const began = performance.now();
  const reader = (await fetch('/large')).body.getReader();
  while (!(await reader.read()).done);
  return performance.now() - began;
};
(async () => { await small(); fetch(`/report?${await small()},${await large()}`); })();
</script>";

async fn serve(stream: TcpStream, reports: mpsc::UnboundedSender<Vec<f64>>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let block = vec![b'x'; 64 * 1024];
    let page = PAGE.replace("FILES", &FILES.to_string()).replace("AT_ONCE", &AT_ONCE.to_string());
    loop {
        let (mut first, mut line) = (String::new(), String::new());
        if reader.read_line(&mut first).await? == 0 {
            return Ok(());
        }
        while reader.read_line(&mut line).await? > 2 {
            line.clear();
        }
        let path = first.split(' ').nth(1).unwrap_or_default();
        let (length, page) = match path.split('?').next() {
            Some("/small") => (SMALL, None),
            Some("/large") => (LARGE, None),
            Some("/page") => (page.len(), Some(&page)),
            _ => (0, None),
        };
        if let Some(report) = path.strip_prefix("/report?") {
            _ = reports.send(report.split(',').map(|it| it.parse().unwrap()).collect());
        }
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nCache-Control: no-store\r\nContent-Length: {length}\r\n\r\n"
        );
        let mut message = head.into_bytes();
        let mut left = length;
        match page {
            Some(page) => {
                message.extend_from_slice(page.as_bytes());
                left = 0;
            }
            None if length <= block.len() => {
                message.extend_from_slice(&block[..length]);
                left = 0;
            }
            None => {}
        }
        writer.write_all(&message).await?;
        while left > 0 {
            let part = left.min(block.len());
            writer.write_all(&block[..part]).await?;
            left -= part;
        }
    }
}

/// How a client gets to the server.
#[derive(Clone, Copy)]
enum Way {
    Direct,
    Proxy(SocketAddr),
    Tunnel(SocketAddr),
}

async fn get(stream: &mut BufReader<TcpStream>, way: Way, server: SocketAddr, path: &str, buffer: &mut [u8]) {
    let target =
        if matches!(way, Way::Proxy(_)) { format!("http://{server}{path}") } else { path.to_owned() };
    stream
        .get_mut()
        .write_all(format!("GET {target} HTTP/1.1\r\nHost: {server}\r\n\r\n").as_bytes())
        .await
        .unwrap();
    let (mut left, mut line) = (0, String::new());
    while stream.read_line(&mut line).await.unwrap() > 2 {
        if let Some(length) = line.to_lowercase().strip_prefix("content-length: ") {
            left = length.trim().parse().unwrap();
        }
        line.clear();
    }
    while left > 0 {
        let most = buffer.len().min(left);
        left -= stream.read(&mut buffer[..most]).await.unwrap();
    }
}

async fn fetch(way: Way, server: SocketAddr, path: &'static str, count: usize) -> Duration {
    let began = Instant::now();
    let mut clients = tokio::task::JoinSet::new();
    let at_once = AT_ONCE.min(count);
    for _ in 0..at_once {
        clients.spawn(async move {
            let (Way::Proxy(address) | Way::Tunnel(address)) = way else {
                return run(TcpStream::connect(server).await.unwrap(), way, server, path, count / at_once)
                    .await;
            };
            let mut stream = TcpStream::connect(address).await.unwrap();
            if let Way::Tunnel(_) = way {
                stream
                    .write_all(format!("CONNECT {server} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes())
                    .await
                    .unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.unwrap());
                }
            }
            run(stream, way, server, path, count / at_once).await;
        });
    }
    clients.join_all().await;
    began.elapsed()
}

async fn run(stream: TcpStream, way: Way, server: SocketAddr, path: &str, count: usize) {
    stream.set_nodelay(true).unwrap();
    let mut stream = BufReader::with_capacity(64 * 1024, stream);
    let mut buffer = vec![0; 256 * 1024];
    for _ in 0..count {
        get(&mut stream, way, server, path, &mut buffer).await;
    }
}

/// Milliseconds for the small files and the large one, as the page measures them.
async fn browse(
    proxy: Option<SocketAddr>,
    server: SocketAddr,
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
    let browser = browser.arg(format!("http://{server}/page")).stdin(Stdio::null()).stdout(Stdio::null());
    let mut browser = browser.stderr(Stdio::null()).kill_on_drop(true).spawn().unwrap();
    let times = reported.recv().await.unwrap();
    browser.kill().await.unwrap();
    times
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn row(name: &str, direct: Vec<f64>, proxied: Vec<f64>, target: Option<f64>) {
    let (direct, proxied) = (median(direct), median(proxied));
    let ratio = direct / proxied;
    let verdict = match target {
        None => String::new(),
        Some(target) if ratio >= target => format!("at least {target}: met"),
        Some(target) => format!("at least {target}: MISSED"),
    };
    println!("{name:<44} {direct:>9.1} {proxied:>9.1} {ratio:>7.2}  {verdict}");
}

#[tokio::main]
async fn main() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let server = listener.local_addr().unwrap();
    let (reports, mut reported) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let reports = reports.clone();
            tokio::spawn(async move { _ = serve(stream, reports).await });
        }
    });
    let places = Places { allow: vec!["127.0.0.1".parse().unwrap()], ..Places::default() };
    let proxy = Proxy::start(Arc::new(places), None).await.unwrap();
    let address = proxy.address();

    println!("{:<44} {:>9} {:>9} {:>7}  target", "median ms", "direct", "proxy", "speed");
    for (name, path, count) in [("1,000 small files", "/small", FILES), ("one large file", "/large", 1)] {
        for (kind, way) in [("proxied", Way::Proxy(address)), ("tunnelled", Way::Tunnel(address))] {
            let (mut direct, mut proxied) = (Vec::new(), Vec::new());
            for _ in 0..PAIRS {
                direct.push(fetch(Way::Direct, server, path, count).await.as_secs_f64() * 1000.0);
                proxied.push(fetch(way, server, path, count).await.as_secs_f64() * 1000.0);
            }
            row(&format!("{name}, {kind}, a bare client"), direct, proxied, None);
        }
    }
    let (mut direct, mut proxied) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        direct.push(browse(None, server, &mut reported).await);
        proxied.push(browse(Some(address), server, &mut reported).await);
    }
    let nth = |samples: &[Vec<f64>], at: usize| samples.iter().map(|it| it[at]).collect::<Vec<_>>();
    row("1,000 small files, Chromium", nth(&direct, 0), nth(&proxied, 0), Some(0.8));
    row("one large file, Chromium", nth(&direct, 1), nth(&proxied, 1), Some(0.8));
}

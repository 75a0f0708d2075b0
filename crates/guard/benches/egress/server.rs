//! The server: files of two sizes, a page that gets them, and a page that is made of many parts.

use std::fmt::Write as _;

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    sync::mpsc,
};

pub(crate) const FILES: usize = 1000;
const SMALL: usize = 8 * 1024;
const LARGE: usize = 200 * 1024 * 1024;
/// Browsers have six connections to a host.
pub(crate) const AT_ONCE: usize = 6;
/// Where the parts of a page are from: it listens at all of them. Numbers, so that nobody looks names up.
const HOSTS: [&str; 3] = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];
/// How often a page of parts is loaded by one browser.
pub(crate) const LOADS: usize = 6;

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

/// Reports how long it took to load, then loads itself again.
const PARTS_END: &str = r"<script>
const loaded = new Promise(done => onload = done);
(async () => {
  await Promise.all([loaded, ...asked]);
  const times = [...(sessionStorage.times ?? '').split(',').filter(it => it), performance.now()];
  if (times.length >= LOADS) return fetch('/report?' + times);
  sessionStorage.times = times;
  location.reload();
})();
</script>";

/// A page of 200 requests, itself one of them: style sheets, scripts, pictures and data from three hosts, in sizes as they usually are.
fn parts(port: u16) -> String {
    let kinds = [
        (12, "css", "<link rel=stylesheet href='URL'>"),
        (27, "js", "<script src='URL'></script>"),
        (120, "svg", "<img src='URL' width=20 height=20>"),
        (40, "json", "<script>asked.push(fetch('URL').then(it => it.json()))</script>"),
    ];
    let mut page = "<!doctype html><script>const asked = []</script>".to_owned();
    for (count, kind, markup) in kinds {
        for at in 0..count {
            let url = format!("http://{}:{port}/part{at}.{kind}", HOSTS[at % 3]);
            // Writing into a text does not fail.
            _ = writeln!(page, "{}", markup.replace("URL", &url));
        }
    }
    page + &PARTS_END.replace("LOADS", &LOADS.to_string())
}

/// A part: what it is and what is in it.
fn part(path: &str) -> (&'static str, String) {
    let padding = |length: usize| "x".repeat(length);
    match path.rsplit('.').next() {
        Some("css") => ("text/css", format!("/*{}*/ p {{ color: red }}", padding(12 * 1024))),
        Some("js") => ("text/javascript", format!("/*{}*/ var a = 1;", padding(24 * 1024))),
        Some("svg") => (
            "image/svg+xml",
            format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><!--{}--></svg>",
                padding(8 * 1024)
            ),
        ),
        _ => ("application/json", format!("[\"{}\"]", padding(2 * 1024))),
    }
}

pub(crate) async fn serve(
    stream: TcpStream,
    reports: mpsc::UnboundedSender<Vec<f64>>,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let port = stream.local_addr()?.port();
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
        if let Some(report) = path.strip_prefix("/report?") {
            _ = reports.send(report.split(',').map(|it| it.parse().unwrap()).collect());
        }
        let (content_type, text, filled) = match path.split('?').next() {
            Some("/small") => ("text/html", String::new(), SMALL),
            Some("/large") => ("text/html", String::new(), LARGE),
            Some("/page") => ("text/html", page.clone(), 0),
            Some("/parts") => ("text/html", parts(port), 0),
            Some(path) if path.starts_with("/part") => {
                let (content_type, text) = part(path);
                (content_type, text, 0)
            }
            _ => ("text/html", String::new(), 0),
        };
        let mut message = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nCache-Control: no-store\r\nAccess-Control-Allow-Origin: *\r\n\
             Content-Length: {}\r\n\r\n{text}",
            text.len() + filled
        )
        .into_bytes();
        // What is small goes out at once.
        let mut left = filled;
        if left <= block.len() {
            message.extend_from_slice(&block[..left]);
            left = 0;
        }
        writer.write_all(&message).await?;
        while left > 0 {
            let part = left.min(block.len());
            writer.write_all(&block[..part]).await?;
            left -= part;
        }
    }
}
